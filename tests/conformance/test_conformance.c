/*
 * What every method of the registry must do. The suite has no list of its own: a new method is found in the
 * registry, and must pass all of this; and a part of it with rows spread over processes, if its descriptor
 * says that they may be.
 */
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/spread.h"
#include "core/parallel.h"
#include "core/random.h"
#include "graph/graph_inside.h"
#include "matrix/matrix.h"
#include "methods/params.h"
#include "unit/support.h"

enum { N = 61, P = 13, CONSTANT = 4 };

/* How a method is run: in one process, or with its rows spread. */
static pith_status (*running)(pith_ctx *ctx, const pith_matrix *m, const pith_params *params,
                              pith_result **out) = pith_run;

/* Sums in another order differ in their last bits; a solver behind them may enlarge that. */
static const double rounding = 1e-9;

typedef struct table {
    int64_t n, p;
    double *x;
    int64_t *indptr;
    int32_t *indices;
    double *values;
} table;

static void *get(int64_t count, size_t size)
{
    void *block = calloc((size_t)count + 1, size);
    assert_non_null(block);
    return block;
}

/* Three groups far apart in the first half of the columns, noise in the others; a third of the entries is 0;
 * multiples of 1/256 (exact in float); one constant column. Without signs for methods of counts. */
static table make_table(const pith_method *method, int64_t n, int64_t p)
{
    table t = {.n = n, .p = p, .x = get(n * p, sizeof(double))};
    for (int64_t i = 0; i < n; i++) {
        pith_i_stream s = pith_i_stream_at(11, PITH_I_RANDOM_BENCH, (uint64_t)i);
        for (int64_t j = 0; j < p; j++) {
            const double group = j < p / 2 ? 6.0 * (double)((i + j) % 3) : 0;
            const double v = round(256 * (group + pith_i_random_normal(&s))) / 256;
            const bool zero = j < p / 2 ? group == 0 : pith_i_random_uniform(&s) < 1 / 3.0;
            t.x[i * p + j] = zero ? 0 : method->counts_only ? fabs(v) : v;
            if (j == CONSTANT)
                t.x[i * p + j] = 2.5;
        }
    }
    return t;
}

/* stored: percentage of the zeros that are stored explicitly. */
static void make_csr(table *t, int64_t stored)
{
    int64_t at = 0, zero = 0;
    t->indptr = get(t->n + 1, sizeof *t->indptr);
    t->indices = get(t->n * t->p, sizeof *t->indices);
    t->values = get(t->n * t->p, sizeof *t->values);
    for (int64_t i = 0; i < t->n; i++) {
        for (int64_t j = 0; j < t->p; j++) {
            const double v = t->x[i * t->p + j];
            if (v == 0 && zero++ % 100 >= stored)
                continue;
            t->indices[at] = (int32_t)j;
            t->values[at++] = v;
        }
        t->indptr[i + 1] = at;
    }
}

static void free_table(table *t)
{
    free(t->x);
    free(t->indptr);
    free(t->indices);
    free(t->values);
}

static pith_matrix *dense(pith_ctx *ctx, const table *t)
{
    pith_matrix *m = NULL;
    assert_ok(ctx, pith_matrix_dense(ctx, t->n, t->p, PITH_F64, t->x, t->p, 1, &m));
    return m;
}

static pith_matrix *csr(pith_ctx *ctx, const table *t)
{
    pith_matrix *m = NULL;
    assert_ok(ctx, pith_matrix_csr(ctx, t->n, t->p, PITH_F64, t->indptr, t->indices, t->values, &m));
    return m;
}

/* Three classes: methods that need labels have some, and those that do not must not care. */
static void give_labels(pith_ctx *ctx, pith_matrix *m)
{
    static const char *const names[] = {"a", "b", "c"};
    const int64_t n = pith_matrix_rows(m);
    const char **labels = get(n, sizeof *labels);
    for (int64_t i = 0; i < n; i++)
        labels[i] = names[i % 3];
    assert_ok(ctx, pith_matrix_set_labels(ctx, m, labels));
    free(labels);
}

static bool has_parameter(const pith_method *m, const char *name)
{
    const pith_param *p = NULL;
    for (size_t i = 0; (p = pith_method_param(m, i)) != NULL; i++)
        if (strcmp(p->name, name) == 0)
            return true;
    return false;
}

/* The defaults; a tree is small enough for the data to have several nodes. */
static pith_status new_params(pith_ctx *ctx, const pith_method *method, pith_params **out)
{
    pith_status st = pith_params_new(ctx, method, out);
    if (st == PITH_OK && pith_method_needs_tree(method)) {
        st = pith_params_set(ctx, *out, "tree", "cluster:branch=2:leaf=2");
        if (st != PITH_OK) {
            pith_params_free(*out);
            *out = NULL;
        }
    }
    return st;
}

static pith_status attempt(pith_ctx *ctx, const pith_method *method, pith_matrix *m, pith_result **out)
{
    pith_params *params = NULL;
    pith_status st = new_params(ctx, method, &params);
    if (st == PITH_OK)
        st = running(ctx, m, params, out);
    pith_params_free(params);
    return st;
}

/* Runs with these settings, name and value, as far as the method has the parameters. */
static pith_status attempt_with(pith_ctx *ctx, const pith_method *method, size_t count,
                                const char *const settings[][2], const pith_matrix *m, pith_result **out)
{
    pith_params *params = NULL;
    pith_status st = new_params(ctx, method, &params);
    for (size_t i = 0; i < count && st == PITH_OK; i++)
        if (has_parameter(method, settings[i][0]))
            st = pith_params_set(ctx, params, settings[i][0], settings[i][1]);
    if (st == PITH_OK)
        st = running(ctx, m, params, out);
    pith_params_free(params);
    return st;
}

/* Two sweeps or draws at most, with one inner step: further ones would do the same in the same places.
 * Evidence, which takes 22 draws, has its own tests of this kind in unit/test_evidence.c. */
static pith_status attempt_briefly(pith_ctx *ctx, const pith_method *method, const pith_matrix *m,
                                   pith_result **out)
{
    static const char *const brief[][2] = {
        {"max_iter", "2"}, {"iters", "2"}, {"draws", "2"}, {"inner_iter", "1"}, {"evidence", "none"}};
    return attempt_with(ctx, method, COUNT(brief), brief, m, out);
}

/* Runs and frees the matrix; fails the test if the method does. */
static pith_result *run(pith_ctx *ctx, const pith_method *method, pith_matrix *m)
{
    pith_result *r = NULL;
    if (pith_method_needs_labels(method))
        give_labels(ctx, m);
    assert_ok(ctx, attempt(ctx, method, m, &r));
    pith_matrix_free(m);
    return r;
}

static double largest_score(const pith_result *r)
{
    double largest = 0;
    for (int64_t j = 0; j < pith_result_features(r); j++)
        if (fabs(pith_result_scores(r)[j]) > largest)
            largest = fabs(pith_result_scores(r)[j]);
    return largest;
}

/* Feature j of a is feature at[j] of b (NULL: the same). */
static void assert_same_scores(const pith_result *a, const pith_result *b, const int64_t *at)
{
    for (int64_t j = 0; j < pith_result_features(a); j++) {
        const double x = pith_result_scores(a)[j], y = pith_result_scores(b)[at != NULL ? at[j] : j];
        assert_int_equal(isnan(x), isnan(y));
        if (!isnan(x))
            assert_near(x, y, rounding * largest_score(a));
    }
}

static void assert_same_bytes(const pith_result *a, const pith_result *b)
{
    const size_t p = (size_t)pith_result_features(a);
    assert_memory_equal(pith_result_scores(a), pith_result_scores(b), p * sizeof(double));
    assert_memory_equal(pith_result_ranking(a), pith_result_ranking(b), p * sizeof(int64_t));
}

typedef struct fixture {
    const pith_method *method;
    pith_ctx *ctx;
    table t;
} fixture;

/* The members of a spread run are threads already. */
static pith_ctx *context(void)
{
    pith_ctx *ctx = NULL;
    assert_int_equal(pith_ctx_new(&ctx), PITH_OK);
    if (running != pith_run)
        assert_ok(ctx, pith_ctx_set_threads(ctx, 1));
    return ctx;
}

static fixture begin(void **state)
{
    fixture f = {.method = *state, .t = make_table(*state, N, P)};
    f.ctx = context();
    return f;
}

static const pith_method *method_of(void **state)
{
    return *state;
}

/* Call it before begin: the claim does not concern methods for which it is false. */
static void skip_unless(bool applies)
{
    if (!applies)
        skip();
}

static void end(fixture *f)
{
    free_table(&f->t);
    pith_ctx_free(f->ctx);
}

static void ranking_holds_every_feature_once(void **state)
{
    fixture f = begin(state);
    pith_result *r = run(f.ctx, f.method, dense(f.ctx, &f.t));
    bool seen[P] = {false};
    for (int64_t i = 0; i < P; i++) {
        const int64_t j = pith_result_ranking(r)[i];
        assert_in_range(j, 0, P - 1);
        assert_false(seen[j]);
        seen[j] = true;
    }
    assert_int_equal(pith_result_features(r), P);
    pith_result_free(r);
    end(&f);
}

/* Scores fall along the ranking, ties to the lower index, those without a score last; for methods with an
 * order of their own too, the order by score is tested. Columns 2 and 5 are twins, and so are 8 and 11:
 * methods that score a column by itself meet ties. */
static void ranking_is_best_first(void **state)
{
    static const char *const by_score[][2] = {{"diversity", "0"}, {"rank", "score"}};
    fixture f = begin(state);
    for (int64_t i = 0; i < N; i++) {
        f.t.x[i * P + 5] = f.t.x[i * P + 2];
        f.t.x[i * P + 11] = f.t.x[i * P + 8];
    }
    pith_matrix *m = dense(f.ctx, &f.t);
    give_labels(f.ctx, m);
    pith_result *r = NULL;
    assert_ok(f.ctx, attempt_with(f.ctx, f.method, COUNT(by_score), by_score, m, &r));
    int64_t scored = 0;
    for (int64_t i = 1; i < P; i++) {
        const int64_t a = pith_result_ranking(r)[i - 1], b = pith_result_ranking(r)[i];
        const double x = pith_result_scores(r)[a], y = pith_result_scores(r)[b];
        if (!(isnan(y) || x > y || (x == y && a < b)))
            fail_msg("feature %d of score %.17g ranks before %d of score %.17g", (int)a, x, (int)b, y);
        scored += !isnan(y);
    }
    assert_true(scored > P / 2);
    pith_result_free(r);
    pith_matrix_free(m);
    end(&f);
}

static void constant_feature_has_no_score_and_ranks_last(void **state)
{
    fixture f = begin(state);
    pith_result *r = run(f.ctx, f.method, dense(f.ctx, &f.t));
    assert_true(isnan(pith_result_scores(r)[CONSTANT]));
    assert_int_equal(pith_result_ranking(r)[P - 1], CONSTANT);
    pith_result_free(r);
    end(&f);
}

static void dense_equals_csr_stored_zeros_included(void **state)
{
    fixture f = begin(state);
    pith_result *a = run(f.ctx, f.method, dense(f.ctx, &f.t));
    for (int64_t stored = 0; stored <= 100; stored += 50) {
        table t = make_table(f.method, N, P);
        make_csr(&t, stored);
        pith_result *b = run(f.ctx, f.method, csr(f.ctx, &t));
        assert_same_scores(a, b, NULL);
        pith_result_free(b);
        free_table(&t);
    }
    pith_result_free(a);
    end(&f);
}

/* The same numbers as a transposed view, with gaps between rows, and in single precision. */
static void layout_and_precision_of_the_array_do_not_matter(void **state)
{
    fixture f = begin(state);
    pith_result *a = run(f.ctx, f.method, dense(f.ctx, &f.t));
    double *columns = get(N * P, sizeof *columns), *gaps = get(N * (P + 3), sizeof *gaps);
    float *single = get(N * P, sizeof *single);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < P; j++) {
            const double v = f.t.x[i * P + j];
            columns[j * N + i] = gaps[i * (P + 3) + j] = v;
            single[i * P + j] = (float)v;
        }
    pith_matrix *m[3] = {NULL};
    assert_ok(f.ctx, pith_matrix_dense(f.ctx, N, P, PITH_F64, columns, 1, N, &m[0]));
    assert_ok(f.ctx, pith_matrix_dense(f.ctx, N, P, PITH_F64, gaps, P + 3, 1, &m[1]));
    assert_ok(f.ctx, pith_matrix_dense(f.ctx, N, P, PITH_F32, single, P, 1, &m[2]));
    for (int l = 0; l < 3; l++) {
        pith_result *b = run(f.ctx, f.method, m[l]);
        assert_same_scores(a, b, NULL);
        pith_result_free(b);
    }
    free(columns);
    free(gaps);
    free(single);
    pith_result_free(a);
    end(&f);
}

/* Of counts, which are sparse: the numbers of the table, blown up so that no two distances tie. */
static table make_counts(const pith_method *method)
{
    table t = make_table(method, N, P);
    for (int64_t e = 0; e < N * P; e++)
        t.x[e] = floor(100 * fabs(t.x[e]));
    make_csr(&t, 0);
    return t;
}

static void rows_that_are_spread_give_the_scores_of_one_table(void **state)
{
    skip_unless(running != pith_run);
    for (int kind = 0; kind < 4; kind++) { /* dense, sparse, dense counts, sparse counts */
        fixture f = {.method = *state, .t = kind < 2 ? make_table(*state, N, P) : make_counts(*state)};
        f.ctx = context();
        if (kind == 1)
            make_csr(&f.t, 0);
        pith_matrix *m = kind % 2 != 0 ? csr(f.ctx, &f.t) : dense(f.ctx, &f.t);
        pith_params *params = NULL;
        pith_result *one = NULL, *spread = NULL;
        give_labels(f.ctx, m);
        assert_ok(f.ctx, new_params(f.ctx, f.method, &params));
        assert_ok(f.ctx, pith_run(f.ctx, m, params, &one));
        assert_ok(f.ctx, running(f.ctx, m, params, &spread));
        assert_same_scores(one, spread, NULL);
        pith_result_free(one);
        pith_result_free(spread);
        pith_params_free(params);
        pith_matrix_free(m);
        end(&f);
    }
}

static void reordering_samples_moves_scores_by_rounding_only(void **state)
{
    skip_unless(!method_of(state)->order_matters && !method_of(state)->draws_rows);
    fixture f = begin(state);
    table t = make_table(f.method, N, P);
    for (int64_t i = 0; i < N; i++)
        memcpy(t.x + i * P, f.t.x + (i * 17 % N) * P, P * sizeof *t.x); /* 17 and 61 share no factor */
    pith_matrix *plain = dense(f.ctx, &f.t), *moved = dense(f.ctx, &t);
    pith_result *a = NULL, *b = NULL;
    if (pith_method_needs_labels(f.method)) { /* the labels move with their rows */
        static const char *const names[] = {"a", "b"};
        const char *la[N], *lb[N];
        for (int64_t i = 0; i < N; i++)
            la[i] = names[i % 2];
        for (int64_t i = 0; i < N; i++)
            lb[i] = la[i * 17 % N];
        assert_ok(f.ctx, pith_matrix_set_labels(f.ctx, plain, la));
        assert_ok(f.ctx, pith_matrix_set_labels(f.ctx, moved, lb));
    }
    assert_ok(f.ctx, attempt(f.ctx, f.method, plain, &a));
    assert_ok(f.ctx, attempt(f.ctx, f.method, moved, &b));
    assert_same_scores(a, b, NULL);
    pith_matrix_free(plain);
    pith_matrix_free(moved);
    pith_result_free(a);
    pith_result_free(b);
    free_table(&t);
    end(&f);
}

static void reordering_features_moves_scores_by_rounding_only(void **state)
{
    skip_unless(!method_of(state)->draws_features);
    fixture f = begin(state);
    table t = make_table(f.method, N, P);
    int64_t at[P];
    for (int64_t j = 0; j < P; j++) {
        at[j] = j * 5 % P;
        for (int64_t i = 0; i < N; i++)
            t.x[i * P + at[j]] = f.t.x[i * P + j];
    }
    pith_result *a = run(f.ctx, f.method, dense(f.ctx, &f.t)), *b = run(f.ctx, f.method, dense(f.ctx, &t));
    assert_same_scores(a, b, at);
    pith_result_free(a);
    pith_result_free(b);
    free_table(&t);
    end(&f);
}

static void one_seed_gives_one_answer_at_any_number_of_threads(void **state)
{
    fixture f = begin(state);
    pith_result *r[3] = {NULL};
    for (int sparse = 0; sparse < 2; sparse++) {
        if (sparse)
            make_csr(&f.t, 0);
        for (int i = 0; i < 3; i++) {
            assert_ok(f.ctx, pith_ctx_set_threads(f.ctx, i == 1 ? 8 : 1));
            r[i] = run(f.ctx, f.method, sparse ? csr(f.ctx, &f.t) : dense(f.ctx, &f.t));
        }
        assert_same_bytes(r[0], r[1]);
        assert_same_bytes(r[0], r[2]);
        for (int i = 0; i < 3; i++)
            pith_result_free(r[i]);
    }
    end(&f);
}

/* Samples of the data that shows whether split loops agree: more than a block of a sum (PITH_I_SUM_BLOCK).
 * Some methods are slow on so many; under a sanitizer all are. */
static int64_t many_samples(const pith_method *method)
{
    static const char *const slow[] = {"fsasl", "lgdfs", "nrfs", "snfs"};
    for (size_t i = 0; i < COUNT(slow); i++)
        if (strcmp(method->name, slow[i]) == 0)
            return 520;
    return sanitized() ? 1100 : PITH_I_SUM_BLOCK + 404;
}

/* One thread or three, on data that gives every loop over tiles, strips or chunks several of them. */
static void threads_do_not_matter_where_loops_are_split(void **state)
{
    skip_when_short();
    const int64_t many = many_samples(method_of(state));
    const struct {
        int64_t n, p;
        bool sparse;
    } shapes[] = {{many, 70, false}, {many < 1100 ? many : 1100, 70, true}, {130, 300, false}};
    for (size_t s = 0; s < COUNT(shapes); s++) {
        fixture f = {.method = *state, .t = make_table(*state, shapes[s].n, shapes[s].p)};
        f.ctx = context();
        make_csr(&f.t, 0);
        pith_matrix *m = shapes[s].sparse ? csr(f.ctx, &f.t) : dense(f.ctx, &f.t);
        give_labels(f.ctx, m);
        pith_result *r[2] = {NULL};
        for (int i = 0; i < 2; i++) {
            assert_ok(f.ctx, pith_ctx_set_threads(f.ctx, i == 0 ? 1 : 3));
            assert_ok(f.ctx, attempt_briefly(f.ctx, f.method, m, &r[i]));
        }
        assert_same_bytes(r[0], r[1]);
        pith_result_free(r[0]);
        pith_result_free(r[1]);
        pith_matrix_free(m);
        end(&f);
    }
}

static void input_stays_unchanged(void **state)
{
    fixture f = begin(state);
    table before = make_table(f.method, N, P);
    make_csr(&before, 50);
    make_csr(&f.t, 50);
    pith_result_free(run(f.ctx, f.method, dense(f.ctx, &f.t)));
    pith_result_free(run(f.ctx, f.method, csr(f.ctx, &f.t)));
    assert_memory_equal(before.x, f.t.x, N * P * sizeof(double));
    assert_memory_equal(before.indptr, f.t.indptr, (N + 1) * sizeof(int64_t));
    assert_memory_equal(before.indices, f.t.indices, (size_t)before.indptr[N] * sizeof(int32_t));
    assert_memory_equal(before.values, f.t.values, (size_t)before.indptr[N] * sizeof(double));
    free_table(&before);
    end(&f);
}

static void labels_do_not_reach_an_unsupervised_method(void **state)
{
    fixture f = begin(state);
    pith_result *a = NULL, *b = NULL;
    pith_matrix *without = dense(f.ctx, &f.t), *with = dense(f.ctx, &f.t);
    give_labels(f.ctx, with);
    if (pith_method_needs_labels(f.method)) {
        assert_int_equal(attempt(f.ctx, f.method, without, &a), PITH_E_DATA);
        assert_non_null(strstr(pith_ctx_message(f.ctx), "labels"));
    } else {
        assert_ok(f.ctx, attempt(f.ctx, f.method, without, &a));
        assert_ok(f.ctx, attempt(f.ctx, f.method, with, &b));
        assert_same_bytes(a, b);
    }
    pith_matrix_free(without);
    pith_matrix_free(with);
    pith_result_free(a);
    pith_result_free(b);
    end(&f);
}

/* Columns without names: cluster is chosen, and the result says so. */
static void a_tree_that_is_not_given_is_chosen(void **state)
{
    skip_unless(pith_method_needs_tree(method_of(state)));
    static const char *const trees[] = {NULL, "auto", "cluster"};
    fixture f = begin(state);
    pith_matrix *m = dense(f.ctx, &f.t);
    pith_result *r[COUNT(trees)] = {NULL};
    for (size_t t = 0; t < COUNT(trees); t++) {
        pith_params *params = NULL;
        char text[64];
        assert_ok(f.ctx, pith_params_new(f.ctx, f.method, &params));
        if (trees[t] != NULL)
            assert_ok(f.ctx, pith_params_set(f.ctx, params, "tree", trees[t]));
        assert_ok(f.ctx, pith_params_get(f.ctx, params, "tree", text, sizeof text));
        assert_string_equal(text, trees[t] != NULL ? trees[t] : "auto");
        assert_ok(f.ctx, running(f.ctx, m, params, &r[t]));
        assert_ok(f.ctx, pith_params_get(f.ctx, pith_result_params(r[t]), "tree", text, sizeof text));
        assert_string_equal(text, "cluster");
        pith_params_free(params);
        assert_same_bytes(r[0], r[t]);
    }
    for (size_t t = 0; t < COUNT(trees); t++)
        pith_result_free(r[t]);
    pith_matrix_free(m);
    end(&f);
}

static void a_method_without_a_tree_takes_none(void **state)
{
    skip_unless(!has_parameter(method_of(state), "tree"));
    fixture f = begin(state);
    pith_params *params = NULL;
    assert_ok(f.ctx, pith_params_new(f.ctx, f.method, &params));
    assert_int_equal(pith_params_set_tree(f.ctx, params, NULL), PITH_E_PARAMETER);
    assert_non_null(strstr(pith_ctx_message(f.ctx), "does not use a tree"));
    pith_params_free(params);
    end(&f);
}

static void values_that_are_not_finite_are_refused_by_place(void **state)
{
    fixture f = begin(state);
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t b = 0; b < COUNT(bad); b++) {
        pith_result *r = NULL;
        f.t.x[3 * P + 6] = bad[b];
        pith_matrix *m = dense(f.ctx, &f.t);
        assert_int_equal(attempt(f.ctx, f.method, m, &r), PITH_E_DATA);
        assert_null(r);
        assert_non_null(strstr(pith_ctx_message(f.ctx), "row 4, column 7"));
        pith_matrix_free(m);
    }
    end(&f);
}

static void negative_values_are_refused_by_place_where_counts_are_wanted(void **state)
{
    skip_unless(method_of(state)->counts_only);
    fixture f = begin(state);
    pith_result *r = NULL;
    f.t.x[3 * P + 6] = -1;
    pith_matrix *m = dense(f.ctx, &f.t);
    assert_int_equal(attempt(f.ctx, f.method, m, &r), PITH_E_DATA);
    assert_non_null(strstr(pith_ctx_message(f.ctx), "column 7 (counted from 1) has negative values"));
    pith_matrix_free(m);
    end(&f);
}

/* Works, or says why not in a sentence. */
static void try_shape(fixture *f, table *t)
{
    pith_result *r = NULL;
    pith_matrix *m = dense(f->ctx, t);
    if (pith_method_needs_labels(f->method))
        give_labels(f->ctx, m);
    const pith_status st = attempt(f->ctx, f->method, m, &r);
    if (st == PITH_OK) {
        assert_int_equal(pith_result_features(r), t->p);
    } else {
        assert_true(st == PITH_E_DATA || st == PITH_E_PARAMETER);
        assert_true(strlen(pith_ctx_message(f->ctx)) > 10);
    }
    pith_result_free(r);
    pith_matrix_free(m);
}

static void tiny_and_degenerate_shapes_work_or_say_why_not(void **state)
{
    static const int64_t shapes[][2] = {{1, 1}, {1, 5}, {2, 1}, {2, 2}, {3, 1}, {3, 7},
                                        {4, 2}, {5, 1}, {5, 9}, {6, 3}, {7, 1}, {12, 2}};
    fixture f = begin(state);
    for (size_t s = 0; s < COUNT(shapes); s++) {
        table t = make_table(f.method, shapes[s][0], shapes[s][1]);
        try_shape(&f, &t);
        for (int64_t i = 1; i < t.n; i++)
            memcpy(t.x + i * t.p, t.x, (size_t)t.p * sizeof *t.x); /* all rows equal */
        try_shape(&f, &t);
        memset(t.x, 0, (size_t)(t.n * t.p) * sizeof *t.x); /* nothing but zeros */
        try_shape(&f, &t);
        for (int64_t i = 0; i < t.n; i++)
            t.x[i * t.p] = i == 0 ? 1e300 : -1e300; /* squares overflow */
        try_shape(&f, &t);
        free_table(&t);
    }
    end(&f);
}

/* ---- Hostile data -------------------------------------------------------------------------------------- */

typedef enum animal {
    PLAIN,
    TWIN_ROWS,
    ZERO_ROWS_AND_COLUMN,
    NEGATIVE_ZEROS,
    FAR_FROM_ZERO,
    VERY_FAR,
    TIMES,
    TINY_COLUMN,
    LAST_DIGIT,
    MANY_SCALES,
    /* From here on neighbours or eigenvalues tie, or an outlier swallows the digits of the others: dense and
     * CSR data, whose preparation differs in the order of operations, may break ties differently. */
    OUTLYING_ROW,
    OUTLYING_VALUE,
    ONE_ROW_DIFFERS,
    HUGE_COLUMN,
    SO_HUGE_A_COLUMN,
    SO_TINY_A_COLUMN,
    DENORMALS,
    HUGE_VALUES,
    TINY_VALUES,
    INTEGERS,
    TWO_POINTS,
    ONE_FEATURE,
    ONE_HOT,
    EQUAL_ROWS,
    ANIMALS
} animal;

/* The value that replaces v at (i, j); `first` is that of column 0 in the row. */
static double spoil(animal kind, int64_t i, int64_t j, double v, double first)
{
    switch (kind) {
    case ZERO_ROWS_AND_COLUMN: return i % 7 == 3 || j == 2 ? 0 : v;
    case NEGATIVE_ZEROS: return v == 0 ? -0.0 : v;
    case FAR_FROM_ZERO: return v + 1e9;
    case VERY_FAR: return v + 1e12;
    case TIMES: return j == 1 ? v + 1.7e15 : v;
    case TINY_COLUMN: return j == 1 ? v * 1e-140 : v;
    case LAST_DIGIT: return j == 1 ? 1 + DBL_EPSILON * (double)(i % 2) : v;
    case MANY_SCALES: return v * pow(10, (double)(j - 3));
    case OUTLYING_ROW: return i == 5 ? 1e12 : v;
    case OUTLYING_VALUE: return i == 5 && j == 1 ? 1e12 : v;
    case HUGE_COLUMN: return j == 1 ? v * 1e148 : v;
    case SO_HUGE_A_COLUMN: return j == 1 ? v * 1e300 : v;
    case SO_TINY_A_COLUMN: return j == 1 ? v * 1e-300 : v;
    case DENORMALS: return j == 1 ? (double)(i % 5) * DBL_TRUE_MIN : v;
    case HUGE_VALUES: return v * 1e150;
    case TINY_VALUES: return v * 1e-150;
    case INTEGERS: return round(v);
    case TWO_POINTS: return i % 2 == 0 ? 1 : 0;
    case ONE_FEATURE: return first;
    case ONE_HOT: return j == i % 8 ? 3 : 0;
    default: return v;
    }
}

/* The row that row i is copied from: itself, or an earlier one. */
static int64_t row_taken(animal kind, int64_t i)
{
    return kind == TWIN_ROWS ? i - i % 2 : kind == EQUAL_ROWS || kind == ONE_ROW_DIFFERS ? 0 : i;
}

static table make_animal(const pith_method *method, animal kind)
{
    enum { ROWS = 26, COLUMNS = 8 };
    table t = make_table(method, ROWS, COLUMNS);
    for (int64_t i = 0; i < ROWS; i++) {
        const int64_t from = row_taken(kind, i);
        const double first = t.x[i * COLUMNS];
        for (int64_t j = 0; j < COLUMNS; j++)
            t.x[i * COLUMNS + j] = spoil(kind, i, j, t.x[from * COLUMNS + j], first);
    }
    if (kind == ONE_ROW_DIFFERS)
        t.x[2 * COLUMNS] += 1;
    return t;
}

/* Every feature has a finite score, or none and a reason other than overflow; those come last. */
static void assert_sound(const pith_result *r, animal kind)
{
    bool unscored = false;
    for (int64_t k = 0; k < pith_result_features(r); k++) {
        const int64_t j = pith_result_ranking(r)[k];
        const double score = pith_result_scores(r)[j];
        const char *reason = pith_result_reason(r, j);
        if (isinf(score) || isnan(score) != (reason != NULL) || (unscored && reason == NULL) ||
            (reason != NULL && strcmp(reason, pith_i_reason_texts[PITH_I_OVERFLOW]) == 0))
            fail_msg("animal %d, feature %lld: score %g, reason %s", (int)kind, (long long)j, score,
                     reason != NULL ? reason : "none");
        unscored = reason != NULL;
    }
}

/* Neighbours by approximate search where the rows make it hard: copies, rows of zeros, lists of two
 * neighbours or of a hundred. Enough samples for it to be approximate, and no more. */
static void approximate_neighbours_give_sound_scores(void **state)
{
    enum { ROWS = 1040, COLUMNS = 12 };
    static const char *const neighbors[] = {"2", "100"};
    skip_unless(has_parameter(method_of(state), "search"));
    skip_when_short();
    fixture f = {.method = *state, .t = make_table(*state, ROWS, COLUMNS)};
    f.ctx = context();
    for (int64_t i = 0; i < 60; i++) {
        memcpy(f.t.x + (ROWS - 1 - i) * COLUMNS, f.t.x + i % 20 * COLUMNS, COLUMNS * sizeof *f.t.x);
        memset(f.t.x + (100 + i) * COLUMNS, 0, COLUMNS * sizeof *f.t.x);
    }
    make_csr(&f.t, 0);
    for (size_t c = 0; c < 2 * COUNT(neighbors); c++) {
        const char *const settings[][2] = {{"search", "approximate"},
                                           {"neighbors", neighbors[c / 2]},
                                           {"max_iter", "2"},
                                           {"iters", "2"},
                                           {"draws", "2"},
                                           {"inner_iter", "1"},
                                           {"evidence", "none"}};
        pith_matrix *m = c % 2 == 0 ? dense(f.ctx, &f.t) : csr(f.ctx, &f.t);
        pith_result *r = NULL;
        const char *name = NULL;
        double recall = 0, value = 0;
        give_labels(f.ctx, m);
        assert_ok(f.ctx, attempt_with(f.ctx, f.method, COUNT(settings), settings, m, &r));
        for (size_t i = 0; (name = pith_result_fact(r, i, &value)) != NULL; i++)
            recall = strcmp(name, "recall") == 0 ? value : recall;
        assert_true(recall > 0.5 && recall <= 1);
        assert_sound(r, PLAIN);
        pith_result_free(r);
        pith_matrix_free(m);
    }
    end(&f);
}

/* Runs on m with this tree (NULL: the one of new_params) and frees it; *out stays NULL if the method refuses
 * with a message. */
static pith_status face(fixture *f, pith_matrix *m, const char *tree, animal kind, pith_result **out)
{
    pith_params *params = NULL;
    assert_ok(f->ctx, pith_ctx_set_threads(f->ctx, 1)); /* so little data */
    if (pith_method_needs_labels(f->method))
        give_labels(f->ctx, m);
    assert_ok(f->ctx, new_params(f->ctx, f->method, &params));
    if (tree != NULL)
        assert_ok(f->ctx, pith_params_set(f->ctx, params, "tree", tree));
    const pith_status st = running(f->ctx, m, params, out);
    if (st == PITH_OK)
        assert_sound(*out, kind);
    else if ((st != PITH_E_DATA && st != PITH_E_NUMERIC) || strlen(pith_ctx_message(f->ctx)) <= 10)
        fail_msg("animal %d: %s: %s", (int)kind, pith_strerror(st), pith_ctx_message(f->ctx));
    pith_params_free(params);
    pith_matrix_free(m);
    return st;
}

static void face_animal(fixture *f, const char *tree, animal kind)
{
    table t = make_animal(f->method, kind);
    pith_result *a = NULL, *b = NULL;
    make_csr(&t, 50);
    const pith_status one = face(f, dense(f->ctx, &t), tree, kind, &a);
    const pith_status other = face(f, csr(f->ctx, &t), tree, kind, &b);
    if (one != other && one != PITH_E_NUMERIC && other != PITH_E_NUMERIC)
        fail_msg("animal %d: dense data: %s; CSR: %s", (int)kind, pith_strerror(one), pith_strerror(other));
    if (kind < OUTLYING_ROW && one != PITH_OK)
        fail_msg("animal %d: %s", (int)kind, pith_ctx_message(f->ctx));
    if (kind < OUTLYING_ROW && !f->method->draws_features) /* k-means on few columns with zeros meets ties */
        assert_same_scores(a, b, NULL);
    pith_result_free(a);
    pith_result_free(b);
    free_table(&t);
}

static void hostile_data_gets_sound_scores_or_a_sentence(void **state)
{
    fixture f = begin(state);
    for (int kind = 0; kind < ANIMALS; kind++)
        face_animal(&f, NULL, (animal)kind);
    end(&f);
}

/* The same in single precision, where the values fit. */
static void hostile_floats_get_sound_scores_or_a_sentence(void **state)
{
    fixture f = begin(state);
    for (int kind = 0; kind < ANIMALS; kind++) {
        table t = make_animal(f.method, (animal)kind);
        float *x = get(t.n * t.p, sizeof *x);
        bool fit = true;
        for (int64_t e = 0; e < t.n * t.p; e++) {
            fit = fit && fabs(t.x[e]) < (double)FLT_MAX;
            x[e] = fit ? (float)t.x[e] : 0;
        }
        pith_matrix *m = NULL;
        pith_result *r = NULL;
        assert_ok(f.ctx, pith_matrix_dense(f.ctx, t.n, t.p, PITH_F32, x, t.p, 1, &m));
        if (fit)
            (void)face(&f, m, NULL, (animal)kind, &r);
        else
            pith_matrix_free(m);
        pith_result_free(r);
        free(x);
        free_table(&t);
    }
    end(&f);
}

static void hostile_data_with_every_kind_of_tree(void **state)
{
    static const char *const trees[] = {"root", "grid:2x4:leaf=1"};
    skip_unless(pith_method_needs_tree(method_of(state)));
    fixture f = begin(state);
    for (size_t k = 0; k < COUNT(trees); k++)
        for (int kind = 0; kind < ANIMALS; kind++)
            face_animal(&f, trees[k], (animal)kind);
    end(&f);
}

/* A single class is refused; one class per sample, and one for every two samples, are not. */
static void labels_of_every_kind_work_or_are_refused_in_words(void **state)
{
    skip_unless(pith_method_needs_labels(method_of(state)));
    fixture f = begin(state);
    for (int64_t size = 1; size <= N; size += size == 1 ? 1 : N - 2) {
        char text[N][8];
        const char *labels[N];
        pith_matrix *m = dense(f.ctx, &f.t);
        pith_result *r = NULL;
        for (int64_t i = 0; i < N; i++) {
            (void)snprintf(text[i], sizeof text[i], "%d", (int)(i / size));
            labels[i] = text[i];
        }
        assert_ok(f.ctx, pith_matrix_set_labels(f.ctx, m, labels));
        const pith_status st = attempt(f.ctx, f.method, m, &r);
        assert_int_equal(st, size == N ? PITH_E_DATA : PITH_OK);
        if (st == PITH_OK)
            assert_sound(r, PLAIN);
        else
            assert_non_null(strstr(pith_ctx_message(f.ctx), "only one class"));
        pith_result_free(r);
        pith_matrix_free(m);
    }
    end(&f);
}

/* Runs with one parameter set, all others at their defaults; false: refused, in words. */
static bool setting_works(fixture *f, const pith_matrix *m, const char *name, const char *value)
{
    pith_params *params = NULL;
    pith_result *r = NULL;
    assert_ok(f->ctx, new_params(f->ctx, f->method, &params));
    assert_ok(f->ctx, pith_params_set(f->ctx, params, name, value));
    const pith_status st = running(f->ctx, m, params, &r);
    const bool refused = st == PITH_E_DATA || st == PITH_E_PARAMETER;
    if (st != PITH_OK && (!refused || strlen(pith_ctx_message(f->ctx)) <= 10))
        fail_msg("%s=%s: %s: %s", name, value, pith_strerror(st), pith_ctx_message(f->ctx));
    pith_result_free(r);
    pith_params_free(params);
    return st == PITH_OK;
}

/* Every bound and every choice of every parameter, one at a time. The data may be too small for some values,
 * but a parameter for which none works is broken. */
static void every_setting_in_range_works_or_says_why_not(void **state)
{
    skip_when_short(); /* minutes under valgrind; the sanitizers run it */
    fixture f = begin(state);
    pith_matrix *m = dense(f.ctx, &f.t);
    give_labels(f.ctx, m);
    const pith_param *p = NULL;
    for (size_t i = 0; (p = pith_method_param(f.method, i)) != NULL; i++) {
        int worked = 0;
        for (int s = 0; p->type == PITH_CHOICE ? p->choices[s] != NULL : s < 2; s++) {
            char value[64];
            if (p->type == PITH_CHOICE)
                (void)snprintf(value, sizeof value, "%s", p->choices[s]);
            else
                (void)snprintf(value, sizeof value, "%.17g", s == 0 ? p->lo : p->hi);
            worked += p->type == PITH_FILE || setting_works(&f, m, p->name, value);
        }
        if (worked == 0)
            fail_msg("%s: every setting is refused, the last so: %s", p->name, pith_ctx_message(f.ctx));
    }
    pith_matrix_free(m);
    end(&f);
}

/* Scores with the view `standardize`, whose values are kept in memory up to `kept` bytes; NULL: it is
 * refused. */
static pith_result *with_view(fixture *f, const pith_matrix *m, const char *standardize, int64_t kept)
{
    const char *const settings[][2] = {
        {"standardize", standardize}, {"max_iter", "2"},   {"iters", "2"}, {"draws", "2"},
        {"inner_iter", "1"},          {"evidence", "none"}};
    pith_result *r = NULL;
    const int64_t before = pith_i_keep_up_to(f->ctx, kept);
    const pith_status st = attempt_with(f->ctx, f->method, COUNT(settings), settings, m, &r);
    (void)pith_i_keep_up_to(f->ctx, before);
    assert_true(st == PITH_OK || st == PITH_E_DATA || st == PITH_E_PARAMETER);
    return r;
}

/* For large data the values of a view are computed when they are read: the same bytes as from a table. */
static void a_view_needs_no_table(void **state)
{
    static const char *const views[] = {"center",       "zscore",      "minmax",     "tfidf",
                                        "tfidf-center", "center-unit", "tfidf-unit", "sqrt-idf"};
    skip_unless(has_parameter(method_of(state), "standardize"));
    skip_when_short();
    fixture f = begin(state);
    float single[N * P];
    double columns[N * P];
    for (int64_t e = 0; e < N * P; e++) {
        single[e] = (float)fabs(f.t.x[e]);
        columns[e % P * N + e / P] = fabs(f.t.x[e]);
    }
    make_csr(&f.t, 50);
    pith_matrix *m[] = {dense(f.ctx, &f.t), csr(f.ctx, &f.t), NULL, NULL};
    assert_ok(f.ctx, pith_matrix_dense(f.ctx, N, P, PITH_F32, single, P, 1, &m[2]));
    assert_ok(f.ctx, pith_matrix_dense(f.ctx, N, P, PITH_F64, columns, 1, N, &m[3]));
    for (size_t a = 0; a < COUNT(m); a++) {
        give_labels(f.ctx, m[a]);
        for (size_t v = 0; v < COUNT(views); v++) {
            pith_result *kept = with_view(&f, m[a], views[v], PITH_I_KEPT),
                        *none = with_view(&f, m[a], views[v], 0);
            assert_int_equal(kept == NULL, none == NULL);
            if (kept != NULL)
                assert_same_bytes(kept, none);
            pith_result_free(kept);
            pith_result_free(none);
        }
        pith_matrix_free(m[a]);
    }
    end(&f);
}

static pith_status start_from(fixture *f, const pith_matrix *m, int64_t count, const int32_t *labels,
                              const char *clusters, pith_result **out)
{
    pith_params *params = NULL;
    assert_ok(f->ctx, new_params(f->ctx, f->method, &params));
    pith_status st = pith_params_set_init_labels(f->ctx, params, count, labels);
    if (st == PITH_OK && clusters != NULL)
        st = pith_params_set(f->ctx, params, "clusters", clusters);
    if (st == PITH_OK)
        st = running(f->ctx, m, params, out);
    pith_params_free(params);
    return st;
}

/* The values of the labels do not matter, only which samples are together; the number of clusters follows
 * from them. */
static void a_clustering_to_start_from_is_taken_or_refused_in_words(void **state)
{
    fixture f = begin(state);
    pith_matrix *m = dense(f.ctx, &f.t);
    pith_result *a = NULL, *b = NULL;
    int32_t label[N], renamed[N];
    for (int64_t i = 0; i < N; i++) {
        label[i] = (int32_t)(i * 3 / N);
        renamed[i] = 70 * label[i] - 50; /* in the same order */
    }
    if (!has_parameter(f.method, "init_labels")) {
        assert_int_equal(start_from(&f, m, N, label, NULL, &a), PITH_E_PARAMETER);
    } else {
        char clusters[16];
        assert_ok(f.ctx, start_from(&f, m, N, label, NULL, &a));
        assert_ok(f.ctx, start_from(&f, m, N, renamed, "3", &b));
        assert_same_bytes(a, b);
        assert_ok(f.ctx,
                  pith_params_get(f.ctx, pith_result_params(a), "clusters", clusters, sizeof clusters));
        assert_string_equal(clusters, "3");
        pith_result_free(a);
        assert_int_equal(start_from(&f, m, N, label, "4", &a), PITH_E_PARAMETER);
        assert_non_null(strstr(pith_ctx_message(f.ctx), "have 3"));
        assert_int_equal(start_from(&f, m, N - 1, label, NULL, &a), PITH_E_DATA);
        assert_non_null(strstr(pith_ctx_message(f.ctx), "60 initial labels"));
    }
    pith_result_free(b);
    pith_matrix_free(m);
    end(&f);
}

/* The graph that a run built, from its resolved options. */
static pith_i_graph *graph_of(pith_ctx *ctx, const pith_matrix *m, const pith_params *ran)
{
    static const pith_i_weight weights[] = {PITH_I_BINARY, PITH_I_HEAT, PITH_I_COSINE_WEIGHT};
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_shared *o = pith_i_params_shared(ran);
    const bool alike = (pith_params_method(ran)->needs & NEEDS_ALIKE) != 0;
    const pith_i_graph_options options = {.neighbors = o->neighbors,
                                          .metric =
                                              o->metric == METRIC_COSINE ? PITH_I_COSINE : PITH_I_EUCLIDEAN,
                                          .weight = alike ? PITH_I_COSINE_WEIGHT : weights[o->weight],
                                          .width_factor = o->t_factor};
    const pith_i_viewed *viewed = NULL;
    pith_i_cache cache = {0};
    pith_i_graph *G = NULL;
    assert_ok(ctx, pith_i_cache_new(ctx, &m->data, &cache));
    assert_ok(ctx, pith_i_cache_view(ctx, &cache, o->standardize, &viewed));
    assert_ok(ctx, pith_i_graph_build(ctx, &viewed->view.X, &options, &G));
    pith_i_cache_free(&cache);
    pith_i_scratch_release(ctx, mark);
    return G;
}

static bool chose(const pith_i_graph *G, int64_t i, int32_t l)
{
    for (int64_t e = G->choice[i]; e < G->choice[i + 1]; e++)
        if (G->chosen[e] == l)
            return true;
    return false;
}

/* Runs with a graph given: every edge in both rows, or only in the rows that chose it; its diagonal holds
 * values that must be ignored. */
static pith_result *run_on_graph(pith_ctx *ctx, const pith_method *method, const pith_matrix *m,
                                 const pith_i_graph *G, bool both)
{
    int64_t *row = get(G->n + 1, sizeof *row), at = 0;
    int32_t *col = get(G->row[G->n] + G->n, sizeof *col);
    double *weight = get(G->row[G->n] + G->n, sizeof *weight);
    pith_params *params = NULL;
    pith_result *r = NULL;
    for (int64_t i = 0; i < G->n; i++) {
        int64_t e = G->row[i];
        for (int32_t l = 0; l < G->n; l++) {
            const bool edge = e < G->row[i + 1] && G->col[e] == l;
            if (l == i || (edge && (both || chose(G, i, l)))) {
                col[at] = l;
                weight[at++] = l == i ? (double)NAN : G->weight[e];
            }
            e += edge;
        }
        row[i + 1] = at;
    }
    assert_ok(ctx, new_params(ctx, method, &params));
    assert_ok(ctx, pith_params_set_graph(ctx, params, G->n, row, col, weight));
    free(row);
    free(col);
    free(weight);
    assert_ok(ctx, running(ctx, m, params, &r));
    pith_params_free(params);
    return r;
}

/* If every edge is in both rows, a method that draws pairs from the neighbours that each sample chose has
 * more choices. So does ht-des, but not with its defaults. */
static bool draws_from_choices(const pith_method *method)
{
    return strcmp(method->name, "cl-des") == 0;
}

static void the_graph_that_it_would_build_itself_changes_no_score(void **state)
{
    skip_unless((method_of(state)->needs & NEEDS_GRAPH) != 0);
    fixture f = begin(state);
    make_csr(&f.t, 0);
    for (int sparse = 0; sparse < 2; sparse++) {
        pith_matrix *m = sparse ? csr(f.ctx, &f.t) : dense(f.ctx, &f.t);
        pith_result *a = NULL;
        assert_ok(f.ctx, attempt(f.ctx, f.method, m, &a));
        pith_i_graph *G = graph_of(f.ctx, m, pith_result_params(a));
        for (int both = 0; both < 2; both++)
            for (int threads = 1; threads <= 8; threads += 7) {
                assert_ok(f.ctx, pith_ctx_set_threads(f.ctx, threads));
                pith_result *b = run_on_graph(f.ctx, f.method, m, G, both);
                if (!both || !draws_from_choices(f.method))
                    assert_same_bytes(a, b);
                pith_result_free(b);
            }
        pith_i_graph_free(G);
        pith_result_free(a);
        pith_matrix_free(m);
    }
    end(&f);
}

static void rows_that_are_the_data_make_the_graph_of_the_data(void **state)
{
    skip_unless((method_of(state)->needs & NEEDS_GRAPH) != 0);
    fixture f = begin(state);
    make_csr(&f.t, 0);
    for (int sparse = 0; sparse < 2; sparse++) {
        pith_matrix *m = sparse ? csr(f.ctx, &f.t) : dense(f.ctx, &f.t);
        pith_result *r[2] = {NULL};
        for (int given = 0; given < 2; given++) {
            pith_params *params = NULL;
            assert_ok(f.ctx, new_params(f.ctx, f.method, &params));
            if (has_parameter(f.method, "standardize"))
                assert_ok(f.ctx, pith_params_set(f.ctx, params, "standardize", "none"));
            assert_ok(f.ctx, pith_params_set(f.ctx, params, "metric", given ? "auto" : "euclidean"));
            if (given)
                assert_ok(f.ctx, pith_params_set_graph_rows(f.ctx, params, m));
            assert_ok(f.ctx, running(f.ctx, m, params, &r[given]));
            pith_params_free(params);
        }
        assert_same_bytes(r[0], r[1]);
        pith_result_free(r[0]);
        pith_result_free(r[1]);
        pith_matrix_free(m);
    }
    end(&f);
}

static void a_graph_that_does_not_fit_is_refused_in_words(void **state)
{
    static const int64_t row[] = {0, 1, 2, 2};
    static const int32_t col[] = {1, 0};
    static const double weight[] = {1, 1}, numbers[] = {1, 2, 3};
    const bool takes = (((const pith_method *)*state)->needs & NEEDS_GRAPH) != 0;
    fixture f = begin(state);
    pith_matrix *m = dense(f.ctx, &f.t), *rows = NULL;
    assert_ok(f.ctx, pith_matrix_dense(f.ctx, 3, 1, PITH_F64, numbers, 1, 1, &rows));
    for (int given = 0; given < 2; given++) {
        pith_params *params = NULL;
        pith_result *r = NULL;
        assert_ok(f.ctx, new_params(f.ctx, f.method, &params));
        const pith_status st = given == 0 ? pith_params_set_graph(f.ctx, params, 3, row, col, weight)
                                          : pith_params_set_graph_rows(f.ctx, params, rows);
        assert_int_equal(st, takes ? PITH_OK : PITH_E_PARAMETER);
        if (takes)
            assert_int_equal(running(f.ctx, m, params, &r), PITH_E_DATA);
        assert_non_null(strstr(pith_ctx_message(f.ctx), takes ? "3 samples, but the data has 61"
                                                              : "cannot use a graph of the samples"));
        pith_params_free(params);
    }
    pith_matrix_free(rows);
    pith_matrix_free(m);
    end(&f);
}

static void every_failing_allocation_is_survived(void **state)
{
    /* Every allocation if there is time (`make check`), else a sample of them. */
    const int64_t step = short_run() ? 37 : thorough() ? 1 : 7;
    fixture f = begin(state);
    make_csr(&f.t, 0);
    for (int sparse = 0; sparse < 2; sparse++) {
        pith_matrix *m = sparse ? csr(f.ctx, &f.t) : dense(f.ctx, &f.t);
        if (pith_method_needs_labels(f.method))
            give_labels(f.ctx, m);
        pith_result *r = NULL;
        assert_ok(f.ctx,
                  attempt_briefly(f.ctx, f.method, m, &r)); /* the context's own tables have grown now */
        pith_result_free(r);
        const int64_t held = pith_i_bytes_in_use(f.ctx);
        pith_status st = PITH_E_NOMEM;
        int64_t nth = 0;
        while (st != PITH_OK) {
            r = NULL;
            pith_i_fail_allocation(f.ctx, nth += step);
            st = attempt_briefly(f.ctx, f.method, m, &r);
            pith_i_fail_allocation(f.ctx, 0);
            if (st != PITH_OK) {
                assert_int_equal(st, PITH_E_NOMEM);
                assert_null(r);
            }
            pith_result_free(r);
            assert_int_equal(pith_i_bytes_in_use(f.ctx), held);
        }
        assert_true(nth > 5);
        pith_matrix_free(m);
    }
    end(&f);
}

static bool stop_at_once(double done, const char *what, void *user)
{
    assert_true(done >= 0 && done <= 1);
    assert_non_null(what);
    ++*(int *)user;
    return false;
}

static void a_run_can_be_stopped_and_the_context_used_again(void **state)
{
    fixture f = begin(state);
    int calls = 0;
    pith_matrix *m = dense(f.ctx, &f.t);
    pith_result *r = NULL;
    give_labels(f.ctx, m);
    pith_ctx_set_progress(f.ctx, stop_at_once, &calls);
    assert_int_equal(attempt(f.ctx, f.method, m, &r), PITH_E_STOPPED);
    assert_int_equal(calls, 1);
    pith_ctx_set_progress(f.ctx, NULL, NULL);
    assert_ok(f.ctx, attempt(f.ctx, f.method, m, &r));
    pith_result_free(r);
    pith_matrix_free(m);
    end(&f);
}

/* Of rows that are spread: never, always, or only where there is time (`make check`). A member that fails an
 * allocation or stops by itself is what the engine has to end, and other suites look at that. */
typedef enum spreading { ALONE, SPREAD, THOROUGH } spreading;

static const struct {
    const char *name;
    CMUnitTestFunction test;
    spreading spread;
} claims[] = {
#define CLAIM(name, spread)                                                                                  \
    {                                                                                                        \
#name, name, spread                                                                                  \
    }
    CLAIM(ranking_holds_every_feature_once, SPREAD),
    CLAIM(ranking_is_best_first, SPREAD),
    CLAIM(constant_feature_has_no_score_and_ranks_last, SPREAD),
    CLAIM(dense_equals_csr_stored_zeros_included, SPREAD),
    CLAIM(layout_and_precision_of_the_array_do_not_matter, SPREAD),
    CLAIM(rows_that_are_spread_give_the_scores_of_one_table, SPREAD),
    CLAIM(reordering_samples_moves_scores_by_rounding_only, SPREAD),
    CLAIM(reordering_features_moves_scores_by_rounding_only, SPREAD),
    CLAIM(one_seed_gives_one_answer_at_any_number_of_threads, THOROUGH),
    CLAIM(threads_do_not_matter_where_loops_are_split, ALONE),
    CLAIM(input_stays_unchanged, THOROUGH),
    CLAIM(labels_do_not_reach_an_unsupervised_method, SPREAD),
    CLAIM(a_tree_that_is_not_given_is_chosen, SPREAD),
    CLAIM(a_method_without_a_tree_takes_none, ALONE),
    CLAIM(values_that_are_not_finite_are_refused_by_place, SPREAD),
    CLAIM(negative_values_are_refused_by_place_where_counts_are_wanted, SPREAD),
    CLAIM(tiny_and_degenerate_shapes_work_or_say_why_not, SPREAD),
    CLAIM(approximate_neighbours_give_sound_scores, THOROUGH),
    CLAIM(hostile_data_gets_sound_scores_or_a_sentence, THOROUGH),
    CLAIM(hostile_floats_get_sound_scores_or_a_sentence, THOROUGH),
    CLAIM(hostile_data_with_every_kind_of_tree, THOROUGH),
    CLAIM(labels_of_every_kind_work_or_are_refused_in_words, SPREAD),
    CLAIM(every_setting_in_range_works_or_says_why_not, THOROUGH),
    CLAIM(a_view_needs_no_table, ALONE),
    CLAIM(a_clustering_to_start_from_is_taken_or_refused_in_words, ALONE),
    CLAIM(the_graph_that_it_would_build_itself_changes_no_score, ALONE),
    CLAIM(rows_that_are_the_data_make_the_graph_of_the_data, ALONE),
    CLAIM(a_graph_that_does_not_fit_is_refused_in_words, ALONE),
    CLAIM(every_failing_allocation_is_survived, ALONE),
    CLAIM(a_run_can_be_stopped_and_the_context_used_again, ALONE),
};

static int run_claims(const pith_method *m, bool spread)
{
    struct CMUnitTest tests[COUNT(claims)] = {0};
    size_t count = 0;
    for (size_t c = 0; c < COUNT(claims); c++)
        if (!spread || claims[c].spread == SPREAD || (claims[c].spread == THOROUGH && thorough()))
            tests[count++] = (struct CMUnitTest){
                .name = claims[c].name, .test_func = claims[c].test, .initial_state = (void *)(uintptr_t)m};
    return _cmocka_run_group_tests(pith_method_name(m), tests, count, NULL, NULL);
}

/* "test_conformance 2/4" takes every fourth method, so that parts can run side by side; "1/1 'hostile*'" the
 * claims of that name. "test_conformance spread ..." takes the methods whose rows may be spread, and spreads
 * them. */
int main(int argc, char **argv)
{
    const bool spread = argc > 1 && strcmp(argv[1], "spread") == 0;
    const char *const which = argc > 1 + spread ? argv[1 + spread] : "1/1";
    size_t part = 1, parts = 1, number = 0;
    int failed = 0;
    if (sscanf(which, "%zu/%zu", &part, &parts) != 2 || part < 1 || part > parts) {
        (void)fprintf(stderr, "%s: a part like 2/4 expected, not '%s'\n", argv[0], which);
        return 2;
    }
    if (argc > 2 + spread)
        cmocka_set_test_filter(argv[2 + spread]);
    running = spread ? run_spread : pith_run;
    for (size_t i = 0; pith_method_at(i) != NULL; i++)
        if ((!spread || pith_method_at(i)->spreads) && number++ % parts == part - 1)
            failed += run_claims(pith_method_at(i), spread);
    return failed == 0 && number > 0 ? 0 : 1;
}
