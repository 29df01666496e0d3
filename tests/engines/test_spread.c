/*
 * Rows in blocks that run in lockstep against one table: every method that can be spread gives the same
 * ranking, and the same scores up to the order of sums. `test_spread METHOD` tests one of them.
 */
#include "engines/lockstep.h"
#include "graph/spectrum.h"
#include "matrix/matrix.h"
#include "methods/mcfs/feature_gram.h"
#include "methods/params.h"
#include "select/diverse.h"
#include "unit/support.h"

#include "core/random.h"

#include <stdio.h>

enum { N = 83, P = 14 };
static const double rounding = 1e-8;

typedef struct table {
    bool sparse, counts, labelled;
    bool directed; /* no row of zeros */
    bool twins;    /* columns 2 and 9 are equal */
    bool filled;   /* counts of which half of the columns leave hardly a row of zeros */
    double x[N * P];
    int64_t indptr[N + 1];
    int32_t indices[N * P];
    double values[N * P];
} table;

/* Three groups in the first half of the columns; two rows alike, one of zeros, one constant column. */
static void fill(table *t)
{
    int64_t at = 0;
    const int64_t zeros = t->directed ? -1 : 40;
    for (int64_t i = 0; i < N; i++) {
        pith_i_stream s = pith_i_stream_at(5, PITH_I_RANDOM_BENCH, (uint64_t)i);
        for (int64_t j = 0; j < P; j++) {
            const double high = j < P / 2 && (i + j) % 3 == 0 ? 6 : 0;
            const double v = high + pith_i_random_normal(&s) + (t->filled ? 0.6 : 0);
            double x = t->counts ? fmax(0, floor(v)) : v < 0.3 && t->sparse ? 0 : v;
            x = j == 4 ? 2.5 : i == zeros ? 0 : x;
            t->x[i * P + j] = i == 60 ? t->x[7 * P + j] : x;
            if (t->twins && j == 9)
                t->x[i * P + j] = t->x[i * P + 2];
            if (t->x[i * P + j] != 0) {
                t->indices[at] = (int32_t)j;
                t->values[at++] = t->x[i * P + j];
            }
        }
        t->indptr[i + 1] = at;
    }
}

/* Labels of the groups: the first rows have "b" alone, rows 20 to 39 none, so that blocks number classes in
 * their own way, and a block may have none. */
static void label_rows(pith_ctx *ctx, int64_t first, int64_t count, pith_matrix *m)
{
    static const char *const names[] = {"c", "a", "b"};
    const char *label[N];
    for (int64_t i = 0; i < count; i++) {
        const int64_t g = first + i;
        label[i] = g < 5 ? "b" : g >= 20 && g < 40 ? "" : names[g % 3];
    }
    must(pith_matrix_set_labels(ctx, m, label) == PITH_OK);
}

static pith_matrix *rows_of(pith_ctx *ctx, const table *t, int64_t first, int64_t count)
{
    pith_matrix *m = NULL;
    if (!t->sparse) {
        must(pith_matrix_dense(ctx, count, P, PITH_F64, t->x + first * P, P, 1, &m) == PITH_OK);
    } else {
        int64_t *starts = calloc((size_t)count + 1, sizeof *starts);
        must(starts != NULL);
        for (int64_t i = 0; i <= count; i++)
            starts[i] = t->indptr[first + i] - t->indptr[first];
        must(pith_matrix_csr(ctx, count, P, PITH_F64, starts, t->indices + t->indptr[first],
                             t->values + t->indptr[first], &m) == PITH_OK);
        pith_matrix *kept = NULL; /* with row starts of its own */
        int64_t all[P];
        for (int64_t j = 0; j < P; j++)
            all[j] = j;
        must(pith_matrix_select(ctx, m, P, all, &kept) == PITH_OK);
        pith_matrix_free(m);
        free(starts);
        m = kept;
    }
    if (t->labelled)
        label_rows(ctx, first, count, m);
    return m;
}

typedef struct setting {
    const char *name, *value;
} setting;

typedef struct trial {
    const table *t;
    const pith_method *method;
    setting with;
    const int64_t *cuts;
    pith_status status;
    char message[512];
    double score[P];
    int64_t ranking[P];
    bool tested; /* there is evidence: */
    double lift[P], p[P], q[P];
} trial;

static bool is_one_of(const pith_method *m, size_t count, const char *const *names)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(m->name, names[i]) == 0)
            return true;
    return false;
}

/* A slow method is compared on two ways to cut the rows; with settings of its own on one of them, and not at
 * all with settings that others share. It does few rounds. */
static bool takes_long(const pith_method *m)
{
    static const char *const slow[] = {"consensus", "eufs",  "hufs",  "ndfs", "rsfs",
                                       "rufs",      "jelsr", "fsasl", "lgdfs"};
    return is_one_of(m, COUNT(slow), slow);
}

static pith_result *rank_rows(pith_ctx *ctx, trial *q, int64_t first, int64_t count)
{
    static const char *const rounds[] = {"max_iter", "iters"};
    pith_matrix *m = rows_of(ctx, q->t, first, count);
    pith_params *params = NULL;
    pith_result *r = NULL;
    must(pith_params_new(ctx, q->method, &params) == PITH_OK);
    for (size_t i = 0; i < COUNT(rounds); i++)
        if (takes_long(q->method) && pith_i_method_row_named(q->method, rounds[i]) != NULL)
            must(pith_params_set(ctx, params, rounds[i], "4") == PITH_OK);
    if (q->with.name != NULL)
        must(pith_params_set(ctx, params, q->with.name, q->with.value) == PITH_OK);
    q->status = pith_run(ctx, m, params, &r);
    (void)snprintf(q->message, sizeof q->message, "%s", pith_ctx_message(ctx));
    pith_params_free(params);
    pith_matrix_free(m);
    return r;
}

static void keep(const pith_result *r, trial *q)
{
    for (int64_t j = 0; j < P; j++) {
        q->score[j] = pith_result_scores(r)[j];
        q->ranking[j] = pith_result_ranking(r)[j];
    }
    const pith_evidence *e = pith_result_evidence(r);
    q->tested = e != NULL;
    for (int64_t j = 0; q->tested && j < P; j++) {
        q->lift[j] = e->lift[j];
        q->p[j] = log(e->p[j]);
        q->q[j] = log(e->q[j]);
    }
}

static bool alike(double a, double b)
{
    return isnan(a) ? isnan(b) : fabs(a - b) <= rounding * fmax(1, fabs(b));
}

static void check_evidence(const trial *own, const trial *whole)
{
    must(own->tested == whole->tested);
    for (int64_t j = 0; own->tested && j < P; j++)
        must(alike(own->lift[j], whole->lift[j]) && alike(own->p[j], whole->p[j]) &&
             alike(own->q[j], whole->q[j]));
}

/* Every member: what it finds is what the whole table has. */
static void rank_block(pith_ctx *ctx, int rank, void *arg)
{
    const trial *whole = arg;
    trial own = *whole;
    pith_result *r = rank_rows(ctx, &own, whole->cuts[rank], whole->cuts[rank + 1] - whole->cuts[rank]);
    if (own.status != whole->status)
        (void)fprintf(stderr, "%s: %s\n", own.method->name, own.message);
    must(own.status == whole->status);
    if (own.status == PITH_OK)
        keep(r, &own);
    for (int64_t j = 0; own.status == PITH_OK && j < P; j++) {
        if (!alike(own.score[j], whole->score[j]))
            (void)fprintf(stderr, "%s %s=%s, %s: feature %d has %.17g in blocks, %.17g in one\n",
                          own.method->name, own.with.name, own.with.value,
                          own.t->counts   ? "counts"
                          : own.t->sparse ? "sparse"
                                          : "dense",
                          (int)j, own.score[j], whole->score[j]);
        must(alike(own.score[j], whole->score[j]));
    }
    for (int64_t j = 0; own.status == PITH_OK && j < P; j++) {
        const int64_t here = own.ranking[j], there = whole->ranking[j];
        must(here == there || alike(whole->score[here], whole->score[there])); /* rounding decides a tie */
    }
    if (own.status == PITH_OK)
        check_evidence(&own, whole);
    pith_result_free(r);
}

static const int64_t cuts[][5] = {
    {0, 30, N},     {0, 28, 59, N}, {0, 0, 41, N}, {0, 1, 2, N}, /* a block without rows, blocks of one, */
    {0, 22, 38, N},                                              /* and one without labels */
};
static const int members[] = {2, 3, 3, 3, 3};

/* Some settings do not fit some data, in blocks or not; with the defaults a method must work. */
static void check_whole(const trial *whole)
{
    if (whole->status == PITH_OK || whole->with.name != NULL)
        return;
    assert_true(whole->method->counts_only && !whole->t->counts);
}

/* A row without direction may be in any cluster of k-means by cosine: rounding decides which run is best, and
 * so in which cluster the row is. */
static bool needs_directions(const table *t, const pith_method *m)
{
    static const char *const by_cosine[] = {"kmeans-energy", "eufs", "hufs"};
    return t->counts && is_one_of(m, COUNT(by_cosine), by_cosine);
}

/* Scaled counts have ties that rounding decides, and blocks round in another way. lgdfs scales them itself.
 */
static bool has_ties(const table *t, const pith_method *m, setting with)
{
    const bool given = with.name != NULL && strcmp(with.name, "standardize") == 0;
    const bool scales = m->counts_view == VIEW_TFIDF_UNIT || strcmp(m->name, "lgdfs") == 0;
    return t->counts && (given ? strcmp(with.value, "none") != 0 : scales);
}

static const char *only; /* the one method to test; NULL: all */

static bool is_left_to_others(const table *t, const pith_method *m, setting with)
{
    static const char *const common[] = {"metric", "weight", "neighbors"};
    bool found = !t->sparse && t->counts;
    for (size_t i = 0; with.name != NULL && i < COUNT(common); i++)
        found = found || strcmp(with.name, common[i]) == 0;
    return takes_long(m) && found;
}

static void compare(pith_ctx *ctx, const table *t, const pith_method *method, setting with)
{
    enum { EMPTY = 2, SINGLE = 3 };
    const size_t first = takes_long(method) ? EMPTY : 0, last = !takes_long(method) ? COUNT(members) - 1
                                                                : with.name != NULL ? EMPTY
                                                                                    : SINGLE;
    trial whole = {.t = t, .method = method, .with = with};
    pith_result *r = rank_rows(ctx, &whole, 0, N);
    if (whole.status == PITH_OK)
        keep(r, &whole);
    pith_result_free(r);
    check_whole(&whole);
    for (size_t c = first; c <= last; c++) {
        whole.cuts = cuts[c];
        in_lockstep(members[c], rank_block, &whole);
    }
}

static void blocks_of_rows_give_what_one_table_gives(void **state)
{
    static const setting settings[] = {{NULL, NULL},         {"metric", "cosine"},
                                       {"weight", "binary"}, {"standardize", "zscore"},
                                       {"neighbors", "1"},   {"discretize", "bins"},
                                       {"bins", "3"},        {"clusters", "3"},
                                       {"solver", "admm"},   {"tree", "cluster:linkage=bisect:leaf=2"},
                                       {"tree", "grid:2x7"}, {"laplacian", "lle"}};
    int64_t spreading = 0;
    for (int kind = 0; kind < 4; kind++) { /* dense, sparse, sparse counts, dense counts */
        table *t = calloc(1, sizeof *t);
        assert_non_null(t);
        t->sparse = kind == 1 || kind == 2;
        t->counts = kind >= 2;
        t->labelled = true;
        for (size_t i = 0; pith_method_at(i) != NULL; i++) {
            t->directed = needs_directions(t, pith_method_at(i));
            t->filled = t->counts && strcmp(pith_method_at(i)->name, "consensus") == 0;
            fill(t);
            for (size_t s = 0; pith_method_at(i)->spreads && s < COUNT(settings); s++) {
                if (only != NULL && strcmp(only, pith_method_at(i)->name) != 0)
                    continue;
                spreading += kind == 0 && s == 0;
                if (has_ties(t, pith_method_at(i), settings[s]) ||
                    is_left_to_others(t, pith_method_at(i), settings[s]))
                    continue;
                if (s == 0 || pith_i_method_row_named(pith_method_at(i), settings[s].name) != NULL)
                    compare(*state, t, pith_method_at(i), settings[s]);
            }
        }
        free(t);
    }
    assert_true(spreading > 0);
}

static void evidence_goes_with_any_method(void **state)
{
    table *t = calloc(1, sizeof *t);
    assert_non_null(t);
    fill(t);
    trial whole = {
        .t = t, .method = pith_method_find("variance"), .with = {"evidence", "groups"}, .cuts = cuts[1]};
    pith_result *r = rank_rows(*state, &whole, 0, N);
    assert_int_equal(whole.status, PITH_OK);
    keep(r, &whole);
    assert_true(whole.tested);
    pith_result_free(r);
    in_lockstep(members[1], rank_block, &whole);
    free(t);
}

/* ---- What is refused, before any work ---- */

static void refuse_block(pith_ctx *ctx, int rank, void *arg)
{
    trial own = *(const trial *)arg;
    pith_result *r = rank_rows(ctx, &own, own.cuts[rank], own.cuts[rank + 1] - own.cuts[rank]);
    must(r == NULL && own.status == PITH_E_PARAMETER);
    must(strstr(own.message, "in one process") != NULL);
    must(strstr(own.message, "lockstep") != NULL);
}

static void what_cannot_be_cut_is_refused(void **state)
{
    table *t = calloc(1, sizeof *t);
    int64_t refused = 0;
    (void)state;
    assert_non_null(t);
    fill(t);
    for (size_t i = 0; pith_method_at(i) != NULL; i++) {
        const pith_method *m = pith_method_at(i);
        if (m->spreads || pith_method_needs_labels(m))
            continue;
        trial q = {.t = t, .method = m, .cuts = cuts[0]};
        in_lockstep(members[0], refuse_block, &q);
        refused++;
    }
    trial q = {
        .t = t, .method = pith_method_find("variance"), .with = {"evidence", "linear"}, .cuts = cuts[0]};
    in_lockstep(members[0], refuse_block, &q);
    assert_true(refused > 0);
    free(t);
}

static void refuse_calls(pith_ctx *ctx, int rank, void *arg)
{
    const trial *whole = arg;
    const pith_compare_options options = {.methods = "variance"};
    const pith_method *method = NULL;
    const char *why = NULL;
    pith_tree *tree = NULL;
    pith_comparison *c = NULL;
    pith_matrix *m = rows_of(ctx, whole->t, whole->cuts[rank], whole->cuts[rank + 1] - whole->cuts[rank]);
    must(pith_method_auto(ctx, m, &method, &why) == PITH_E_PARAMETER && method == NULL);
    must(strstr(pith_ctx_message(ctx), "method auto: this needs all samples in one process") != NULL);
    must(pith_tree_build(ctx, m, "cluster", &tree) == PITH_E_PARAMETER && tree == NULL);
    must(strstr(pith_ctx_message(ctx), "a tree: this needs all samples in one process") != NULL);
    must(pith_compare(ctx, m, &options, &c) == PITH_E_PARAMETER && c == NULL);
    must(strstr(pith_ctx_message(ctx), "compare: this needs all samples in one process") != NULL);
    pith_matrix_free(m);
}

static void calls_that_need_all_samples_are_refused(void **state)
{
    table *t = calloc(1, sizeof *t);
    (void)state;
    assert_non_null(t);
    fill(t);
    trial q = {.t = t, .cuts = cuts[0]};
    in_lockstep(members[0], refuse_calls, &q);
    free(t);
}

/* ---- Products of features ---- */

typedef struct products {
    const table *t;
    const int64_t *cuts; /* NULL: one table */
    double mean[P], gram[P * P];
} products;

static void multiply_features(pith_ctx *ctx, const products *q, int64_t first, int64_t count, double *G)
{
    pith_matrix *m = rows_of(ctx, q->t, first, count);
    pith_i_data X = pith_i_data_rows(&m->data, 0, count), T = {0};
    X.offset = first;
    X.all = q->cuts != NULL ? N : 0;
    must(!X.sparse || pith_i_transpose(ctx, &X, &T) == PITH_OK);
    const pith_i_design D = {.X = &X, .T = X.sparse ? &T : NULL, .shift = q->mean};
    must(pith_i_feature_gram(ctx, &D, G) == PITH_OK);
    pith_i_data_free(&T);
    pith_matrix_free(m);
}

static void multiply_block(pith_ctx *ctx, int rank, void *arg)
{
    const products *whole = arg;
    double G[P * P];
    multiply_features(ctx, whole, whole->cuts[rank], whole->cuts[rank + 1] - whole->cuts[rank], G);
    for (int64_t e = 0; e < P * P; e++)
        must(alike(G[e], whole->gram[e]));
    for (int64_t j = 0; j < P; j++) /* those of equal columns are equal to the bit */
        must(G[j * P + 2] == G[j * P + 9] && G[2 * P + j] == G[9 * P + j]);
}

static void products_of_features_are_those_of_one_table(void **state)
{
    table *t = calloc(1, sizeof *t);
    assert_non_null(t);
    for (int sparse = 0; sparse < 2; sparse++) {
        products q = {.t = t};
        t->sparse = sparse;
        t->twins = true;
        fill(t);
        for (int64_t e = 0; e < N * P; e++)
            q.mean[e % P] += t->x[e] / N;
        q.mean[9] = q.mean[2];
        multiply_features(*state, &q, 0, N, q.gram);
        for (size_t c = 0; c < COUNT(members); c++) {
            q.cuts = cuts[c];
            in_lockstep(members[c], multiply_block, &q);
        }
    }
    free(t);
}

/* ---- Redundant features: scores that hardly differ, so that correlations decide ---- */

typedef struct orders {
    const table *t;
    const int64_t *cuts; /* NULL: one table */
    int64_t ranking[P];
} orders;

static void find_order(pith_ctx *ctx, const orders *q, int64_t first, int64_t count, int64_t *ranking)
{
    const pith_i_diversity options = {.power = 2, .top = P, .as_it_is = true};
    pith_matrix *m = rows_of(ctx, q->t, first, count);
    pith_i_data X = pith_i_data_rows(&m->data, 0, count), T = {0};
    double score[P];
    X.offset = first;
    X.all = q->cuts != NULL ? N : 0;
    for (int64_t j = 0; j < P; j++) {
        score[j] = 1 - 1e-3 * (double)j;
        ranking[j] = j;
    }
    must(!X.sparse || pith_i_transpose(ctx, &X, &T) == PITH_OK);
    must(pith_i_diverse(ctx, &X, X.sparse ? &T : NULL, score, &options, ranking) == PITH_OK);
    pith_i_data_free(&T);
    pith_matrix_free(m);
}

static void order_block(pith_ctx *ctx, int rank, void *arg)
{
    const orders *whole = arg;
    int64_t own[P];
    find_order(ctx, whole, whole->cuts[rank], whole->cuts[rank + 1] - whole->cuts[rank], own);
    must(memcmp(own, whole->ranking, sizeof own) == 0);
}

static void redundant_features_move_down_as_in_one_table(void **state)
{
    table *t = calloc(1, sizeof *t);
    assert_non_null(t);
    for (int sparse = 0; sparse < 2; sparse++) {
        orders q = {.t = t};
        t->sparse = sparse;
        t->twins = true;
        fill(t);
        find_order(*state, &q, 0, N, q.ranking);
        assert_true(q.ranking[P - 1] != P - 1 || q.ranking[P - 2] != P - 2); /* they do move */
        for (size_t c = 0; c < COUNT(members); c++) {
            q.cuts = cuts[c];
            in_lockstep(members[c], order_block, &q);
        }
    }
    free(t);
}

/* ---- Eigenvectors: the same ones, with the same signs ---- */

typedef struct vectors {
    const table *t;
    const int64_t *cuts; /* NULL: one table */
    double of[4 * N];
} vectors;

static void find_vectors(pith_ctx *ctx, const vectors *q, int64_t first, int64_t count, double *out)
{
    const pith_i_graph_options options = {
        .neighbors = 5, .metric = PITH_I_EUCLIDEAN, .weight = PITH_I_HEAT, .width_factor = 1};
    pith_matrix *m = rows_of(ctx, q->t, first, count);
    pith_i_data X = pith_i_data_rows(&m->data, 0, count);
    pith_i_graph *graph = NULL;
    pith_i_spectrum spectrum = {0};
    X.offset = first;
    X.all = q->cuts != NULL ? N : 0;
    must(pith_i_graph_build(ctx, &X, &options, &graph) == PITH_OK);
    must(pith_i_spectrum_find(ctx, graph, 4, &spectrum) == PITH_OK);
    for (int64_t e = 0; e < 4 * count; e++)
        out[e] = spectrum.vector[e];
    pith_i_spectrum_free(&spectrum);
    pith_i_graph_free(graph);
    pith_matrix_free(m);
}

static void find_block(pith_ctx *ctx, int rank, void *arg)
{
    const vectors *whole = arg;
    const int64_t first = whole->cuts[rank], count = whole->cuts[rank + 1] - first;
    double own[4 * N];
    find_vectors(ctx, whole, first, count, own);
    for (int64_t v = 0; v < 4; v++)
        for (int64_t i = 0; i < count; i++)
            must(fabs(own[v * count + i] - whole->of[v * N + first + i]) < 1e-6);
}

static void eigenvectors_in_blocks_have_the_signs_of_one_table(void **state)
{
    table *t = calloc(1, sizeof *t);
    vectors q = {.t = t};
    assert_non_null(t);
    fill(t);
    find_vectors(*state, &q, 0, N, q.of);
    for (size_t c = 0; c < COUNT(members); c++) {
        q.cuts = cuts[c];
        in_lockstep(members[c], find_block, &q);
    }
    free(t);
}

/* ---- Bytes from every member to every other ---- */

static void trade(pith_ctx *ctx, int rank, void *arg)
{
    const int count = *(const int *)arg;
    int64_t at[MOST_MEMBERS + 1] = {0}, *came_at = NULL;
    char bytes[64];
    void *came = NULL;
    for (int to = 0; to < count; to++) { /* rank + to bytes, all of them 10 rank + to */
        at[to + 1] = at[to] + rank + to;
        memset(bytes + at[to], 10 * rank + to, (size_t)(rank + to));
    }
    const size_t mark = pith_i_scratch_mark(ctx);
    must(pith_i_exchange(ctx, at, bytes, &came_at, &came) == PITH_OK);
    for (int from = 0; from < count; from++) {
        must(came_at[from + 1] - came_at[from] == from + rank);
        for (int64_t b = came_at[from]; b < came_at[from + 1]; b++)
            must(((const char *)came)[b] == 10 * from + rank);
    }
    pith_i_scratch_release(ctx, mark);
}

static void everybody_gets_what_is_sent(void **state)
{
    (void)state;
    for (int count = 1; count <= 3; count++)
        in_lockstep(count, trade, &count);
}

int main(int argc, char **argv)
{
    only = argc > 1 ? argv[1] : NULL;
    const struct CMUnitTest tests[] = {
        TEST(everybody_gets_what_is_sent),
        TEST(blocks_of_rows_give_what_one_table_gives),
        TEST(evidence_goes_with_any_method),
        TEST(products_of_features_are_those_of_one_table),
        TEST(redundant_features_move_down_as_in_one_table),
        TEST(eigenvectors_in_blocks_have_the_signs_of_one_table),
        TEST(what_cannot_be_cut_is_refused),
        TEST(calls_that_need_all_samples_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
