#include "cluster/kmeans.h"
#include "core/random.h"
#include "oracle/measures/numbers.h"
#include "unit/tables.h"

#include <stdlib.h>
#include <time.h>

/* ---- Data -----------------------------------------------------------------------------------------------
 */

/* Groups of normal rows around centres `apart` standard deviations wide, `spread` the size of a group. */
static void make_groups(pith_ctx *ctx, int64_t n, int64_t p, int64_t groups, double apart, double spread,
                        double offset, pith_i_data *X)
{
    assert_ok(ctx, pith_i_data_new_dense(ctx, n, p, PITH_F64, X));
    double *x = pith_i_data_x(X);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < p; j++) {
            pith_i_stream centre = pith_i_stream_at(5, PITH_I_RANDOM_BENCH, (uint64_t)(i % groups * p + j));
            pith_i_stream own = pith_i_stream_at(6, PITH_I_RANDOM_BENCH, (uint64_t)(i * p + j));
            x[i * p + j] =
                offset + apart * pith_i_random_normal(&centre) + spread * pith_i_random_normal(&own);
        }
}

/* Small counts: mostly zeros, so that dense and CSR forms make sense. Row `empty` has none. */
static void make_counts(pith_ctx *ctx, int64_t n, int64_t p, int64_t groups, int64_t empty, pith_i_data *X)
{
    assert_ok(ctx, pith_i_data_new_dense(ctx, n, p, PITH_F64, X));
    double *x = pith_i_data_x(X);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < p; j++) {
            pith_i_stream s = pith_i_stream_at(7, PITH_I_RANDOM_BENCH, (uint64_t)(i * p + j));
            const double often = j % groups == i % groups ? 0.6 : 0.1;
            x[i * p + j] = pith_i_random_uniform(&s) < often ? (double)(1 + pith_i_random_below(&s, 4)) : 0;
            if (i == empty)
                x[i * p + j] = 0;
        }
}

static pith_i_data borrow(int64_t n, int64_t p, const double *x)
{
    return (pith_i_data){.n = n, .p = p, .dtype = PITH_F64, .x = x, .row_stride = p, .col_stride = 1};
}

/* ---- Comparisons ------------------------------------------------------------------------------------------
 */

static void assert_same_runs(const pith_i_kmeans *a, const pith_i_kmeans *b)
{
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->restarts, b->restarts);
    assert_int_equal(a->best, b->best);
    assert_memory_equal(a->labels, b->labels, (size_t)(a->n * a->restarts) * sizeof *a->labels);
    assert_memory_equal(a->iterations, b->iterations, (size_t)a->restarts * sizeof *a->iterations);
    assert_memory_equal(a->inertia, b->inertia, (size_t)a->restarts * sizeof *a->inertia);
}

/* The same partition, whatever the numbers of its clusters. */
static void assert_same_partition(int64_t n, const int32_t *a, const int32_t *b)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++)
            if ((a[i] == a[j]) != (b[i] == b[j]))
                fail_msg("rows %lld and %lld are together in one labelling alone", (long long)i,
                         (long long)j);
}

static void assert_no_cluster_is_empty(const pith_i_kmeans *k, int64_t clusters)
{
    for (int64_t r = 0; r < k->restarts; r++)
        for (int64_t c = 0; c < clusters; c++) {
            bool found = false;
            for (int64_t i = 0; i < k->n; i++)
                found |= k->labels[r * k->n + i] == c;
            assert_true(found);
        }
}

/* Means and inertia by the definition. By cosine x are unit rows or zeros. */
static void means_of(int64_t n, int64_t p, const double *x, const int32_t *label, int64_t c, bool cosine,
                     double *mean)
{
    for (int64_t k = 0; k < c; k++) {
        double rows = 0, square = 0;
        for (int64_t j = 0; j < p; j++)
            mean[k * p + j] = 0;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; label[i] == k && j < p; j++)
                mean[k * p + j] += x[i * p + j];
        for (int64_t i = 0; i < n; i++)
            rows += label[i] == k;
        for (int64_t j = 0; j < p; j++)
            square += mean[k * p + j] * mean[k * p + j];
        const double by = cosine ? sqrt(square) : rows;
        for (int64_t j = 0; by > 0 && j < p; j++)
            mean[k * p + j] /= by;
    }
}

static double squared(int64_t p, const double *a, const double *b)
{
    double d = 0;
    for (int64_t j = 0; j < p; j++)
        d += (a[j] - b[j]) * (a[j] - b[j]);
    return d;
}

static double inertia_of(int64_t n, int64_t p, const double *x, const int32_t *label, int64_t c)
{
    double *mean = calloc((size_t)(c * p), sizeof *mean), sum = 0;
    means_of(n, p, x, label, c, false, mean);
    for (int64_t i = 0; i < n; i++)
        sum += squared(p, x + i * p, mean + label[i] * p);
    free(mean);
    return sum;
}

/* Lloyd's rounds in double, slowly: a row moves to a strictly nearer centre. Returns the rounds. */
static int64_t lloyd(int64_t n, int64_t p, const double *x, int64_t c, bool cosine, int32_t *label)
{
    double *mean = calloc((size_t)(c * p), sizeof *mean);
    int64_t rounds = 0, moved = 1;
    for (; moved > 0 && rounds < 300; rounds++) {
        means_of(n, p, x, label, c, cosine, mean);
        moved = 0;
        for (int64_t i = 0; i < n; i++) {
            int32_t to = label[i];
            for (int32_t k = 0; k < c; k++)
                if (squared(p, x + i * p, mean + k * p) < squared(p, x + i * p, mean + to * p))
                    to = k;
            moved += to != label[i];
            label[i] = to;
        }
    }
    free(mean);
    return rounds;
}

/* ---- Right answers ----------------------------------------------------------------------------------------
 */

static void groups_apart_are_found_with_scikit_learns_inertia(void **state)
{
    pith_ctx *ctx = *state;
    const pith_i_data X = borrow(75, 6, apart_x);
    for (int t = 0; t < 4; t++) {
        const pith_i_kmeans_options o = {
            .clusters = 5, .restarts = 20, .cosine = t % 2 == 1, .random_start = t >= 2};
        pith_i_kmeans k = {0};
        assert_ok(ctx, pith_i_kmeans_run(ctx, &X, &o, &k));
        assert_same_partition(75, pith_i_kmeans_best(&k), apart_labels);
        const double want = o.cosine ? apart_inertia_cosine : apart_inertia;
        assert_near(k.inertia[k.best], want, 1e-12 * want);
        assert_no_cluster_is_empty(&k, 5);
        pith_i_kmeans_free(&k);
    }
}

/* From given labels there is one right answer, which float products must not change: also where groups are
 * so tight, or so far from 0, that float cannot tell rows of a group apart. */
static void labels_are_those_of_lloyd_in_double(void **state)
{
    pith_ctx *ctx = *state;
    static const struct {
        int64_t n, p, groups, c;
        double apart, spread, offset;
    } kind[] = {
        {400, 20, 8, 8, 1, 1, 0},    {300, 7, 3, 6, 5, 1, 0},      {300, 12, 5, 10, 1, 1e-4, 0},
        {200, 3, 2, 4, 1, 1, 1e6},   {200, 5, 4, 12, 1, 1e-6, 10}, {500, 2, 1, 5, 0, 1, 0},
        {300, 600, 4, 4, 0.2, 1, 5},
    };
    for (size_t t = 0; t < COUNT(kind); t++) {
        const int64_t n = kind[t].n, p = kind[t].p, c = kind[t].c, g = kind[t].groups;
        pith_i_data X = {0};
        pith_i_kmeans k = {0};
        int32_t *label = calloc((size_t)n, sizeof *label), *start = calloc((size_t)n, sizeof *start);
        make_groups(ctx, n, p, g, kind[t].apart, kind[t].spread, kind[t].offset, &X);
        for (int64_t i = 0; i < n; i++)
            start[i] = label[i] = /* each group cut at random into its share of the clusters, if it has one */
                (int32_t)(c < 2 * g ? i * i / 5 % c : i % g + g * (i * i / 5 % (c / g)));
        for (int64_t i = 0; i < c; i++)
            start[i] = label[i] = (int32_t)i; /* none is empty */
        const int64_t rounds = lloyd(n, p, X.x, c, false, label);
        if (rounds < 3 || rounds == 300)
            fail_msg("data %zu: %lld rounds show nothing", t, (long long)rounds);
        const pith_i_kmeans_options o = {.clusters = c, .init = start};
        assert_ok(ctx, pith_i_kmeans_run(ctx, &X, &o, &k));
        assert_memory_equal(k.labels, label, (size_t)n * sizeof *label);
        const double want = inertia_of(n, p, X.x, label, c);
        assert_near(k.inertia[0], want, 1e-12 * want + 1e-24 * kind[t].offset * kind[t].offset);
        pith_i_kmeans_free(&k);
        pith_i_data_free(&X);
        free(label);
        free(start);
    }
}

static void spherical_labels_are_those_of_lloyd_on_unit_rows(void **state)
{
    pith_ctx *ctx = *state;
    enum { N = 240, P = 30, C = 6 };
    pith_i_data X = {0}, S = {0};
    int32_t label[N], start[N];
    make_counts(ctx, N, P, 4, -1, &X);
    S = as_csr(ctx, X.x, X.n, X.p, PITH_F64, 0);
    double *unit = calloc((size_t)N * P, sizeof *unit), zero[P] = {0};
    for (int64_t i = 0; i < N; i++) {
        const double *x = (const double *)X.x + i * P, norm = sqrt(squared(P, x, zero));
        for (int64_t j = 0; j < P; j++)
            unit[i * P + j] = x[j] / norm;
        start[i] = label[i] = (int32_t)(i / 3 % C);
    }
    assert_true(lloyd(N, P, unit, C, true, label) > 2);
    for (int sparse = 0; sparse < 2; sparse++) {
        const pith_i_kmeans_options o = {.clusters = C, .cosine = true, .init = start};
        pith_i_kmeans k = {0};
        double mean[C * P], want = 0;
        assert_ok(ctx, pith_i_kmeans_run(ctx, sparse ? &S : &X, &o, &k));
        assert_memory_equal(k.labels, label, sizeof label);
        means_of(N, P, unit, label, C, true, mean);
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0; j < P; j++)
                want -= unit[i * P + j] * mean[label[i] * P + j];
        assert_near(k.inertia[0], want + N, 1e-11);
        pith_i_kmeans_free(&k);
    }
    free(unit);
    pith_i_data_free(&X);
    pith_i_scratch_release(ctx, 0);
}

static void more_rounds_never_raise_the_inertia(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_data X[3] = {0};
    make_groups(ctx, 500, 15, 6, 0.5, 1, 100, &X[0]);
    make_counts(ctx, 300, 40, 5, 3, &X[1]);
    X[2] = as_csr(ctx, X[1].x, X[1].n, X[1].p, PITH_F64, 0);
    for (int t = 0; t < 6; t++) {
        double before[8];
        int64_t fell = 0;
        for (int64_t rounds = 1; rounds <= 12; rounds++) {
            const pith_i_kmeans_options o = {
                .clusters = 9, .restarts = 8, .max_iter = rounds, .cosine = t >= 3, .random_start = true};
            pith_i_kmeans k = {0};
            assert_ok(ctx, pith_i_kmeans_run(ctx, &X[t % 3], &o, &k));
            for (int64_t r = 0; r < 8; r++) {
                assert_true(k.iterations[r] <= rounds);
                if (rounds > 1 && k.inertia[r] > before[r] * (1 + 1e-14))
                    fail_msg("run %lld: %.17g after %lld rounds, %.17g before", (long long)r, k.inertia[r],
                             (long long)rounds, before[r]);
                fell += rounds > 1 && k.inertia[r] < before[r];
                before[r] = k.inertia[r];
            }
            pith_i_kmeans_free(&k);
        }
        assert_true(fell > 8); /* otherwise nothing has been seen */
    }
    for (int t = 0; t < 3; t++)
        pith_i_data_free(&X[t]);
    pith_i_scratch_release(ctx, 0);
}

static void the_best_run_has_the_least_inertia_and_each_its_own(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_data X = {0};
    pith_i_kmeans k = {0};
    make_groups(ctx, 200, 5, 4, 0.5, 1, 0, &X);
    const pith_i_kmeans_options o = {.clusters = 7, .restarts = 25};
    assert_ok(ctx, pith_i_kmeans_run(ctx, &X, &o, &k));
    int64_t best = 0;
    for (int64_t r = 0; r < 25; r++) {
        const double want = inertia_of(200, 5, X.x, k.labels + r * 200, 7);
        assert_near(k.inertia[r], want, 1e-12 * want);
        if (k.inertia[r] < k.inertia[best])
            best = r;
    }
    assert_int_equal(k.best, best);
    assert_true(best > 0); /* of 25 starts the first is not the best one here */
    assert_ptr_equal(pith_i_kmeans_best(&k), k.labels + best * 200);
    pith_i_kmeans_free(&k);
    pith_i_data_free(&X);
}

/* ---- The same answer --------------------------------------------------------------------------------------
 */

static void threads_do_not_change_a_byte(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_data X[3] = {0};
    make_groups(ctx, 1500, 100, 6, 0.4, 1, 3, &X[0]);
    make_counts(ctx, 1500, 100, 5, 17, &X[1]);
    X[2] = as_csr(ctx, X[1].x, X[1].n, X[1].p, PITH_F64, 0);
    for (int t = 0; t < 7; t++) {
        const pith_i_kmeans_options o = {.clusters = 8,
                                         .restarts = t % 2 == 0 ? 2 : 9,
                                         .max_iter = 6,
                                         .cosine = t >= 3,
                                         .random_start = t >= 5};
        pith_i_kmeans one = {0}, many = {0};
        assert_ok(ctx, pith_ctx_set_threads(ctx, 1));
        assert_ok(ctx, pith_i_kmeans_run(ctx, &X[t % 3], &o, &one));
        for (int threads = 3; threads <= 8; threads += 5) {
            assert_ok(ctx, pith_ctx_set_threads(ctx, threads));
            assert_ok(ctx, pith_i_kmeans_run(ctx, &X[t % 3], &o, &many));
            assert_same_runs(&one, &many);
            pith_i_kmeans_free(&many);
        }
        pith_i_kmeans_free(&one);
    }
    for (int t = 0; t < 3; t++)
        pith_i_data_free(&X[t]);
    pith_i_scratch_release(ctx, 0);
}

static void dense_and_sparse_data_get_the_same_labels(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_data X = {0}, S = {0};
    make_counts(ctx, 400, 60, 5, 11, &X);
    S = as_csr(ctx, X.x, X.n, X.p, PITH_F64, 0);
    for (int t = 0; t < 4; t++) {
        const pith_i_kmeans_options o = {
            .clusters = 6, .restarts = 10, .cosine = t % 2 == 1, .random_start = t >= 2};
        pith_i_kmeans a = {0}, b = {0};
        assert_ok(ctx, pith_i_kmeans_run(ctx, &X, &o, &a));
        assert_ok(ctx, pith_i_kmeans_run(ctx, &S, &o, &b));
        assert_memory_equal(a.labels, b.labels, 4000 * sizeof *a.labels);
        for (int64_t r = 0; r < 10; r++)
            assert_near(a.inertia[r], b.inertia[r], 1e-12 * a.inertia[r]);
        pith_i_kmeans_free(&a);
        pith_i_kmeans_free(&b);
    }
    pith_i_data_free(&X);
    pith_i_scratch_release(ctx, 0);
}

/* Counts are exact in float: only how they lie in memory differs. Rows are longer than what is read at once.
 */
static void the_form_of_the_data_does_not_matter(void **state)
{
    pith_ctx *ctx = *state;
    enum { N = 90, P = 1100, R = 3 };
    pith_i_data X = {0};
    make_counts(ctx, N, P, 3, -1, &X);
    for (int cosine = 0; cosine < 2; cosine++) {
        const pith_i_kmeans_options o = {.clusters = 5, .restarts = R, .cosine = cosine == 1};
        pith_i_kmeans a = {0}, b = {0};
        assert_ok(ctx, pith_i_kmeans_run(ctx, &X, &o, &a));
        for (each_form(f, dtype)) {
            const size_t mark = pith_i_scratch_mark(ctx);
            const pith_i_data Y = as_form(ctx, X.x, N, P, (form)f, (pith_dtype)dtype);
            assert_ok(ctx, pith_i_kmeans_run(ctx, &Y, &o, &b));
            assert_memory_equal(a.labels, b.labels, R * N * sizeof *a.labels);
            for (int64_t r = 0; r < R; r++)
                assert_near(a.inertia[r], b.inertia[r], 1e-12 * a.inertia[r]);
            if (!Y.sparse)
                assert_memory_equal(a.inertia, b.inertia, R * sizeof *a.inertia);
            pith_i_kmeans_free(&b);
            pith_i_scratch_release(ctx, mark);
        }
        pith_i_kmeans_free(&a);
    }
    pith_i_data_free(&X);
}

static void cosine_ignores_the_length_of_rows(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_data X = {0}, Y = {0};
    double scale[200];
    for (int i = 0; i < 200; i++)
        scale[i] = ldexp(1, i % 60 * 10 - 300); /* powers of two: not a bit of a direction changes */
    make_groups(ctx, 200, 10, 4, 2, 1, 0, &X);
    assert_ok(ctx, pith_i_scaled(ctx, &X, PITH_F64, NULL, NULL, scale, &Y));
    const pith_i_kmeans_options o = {.clusters = 4, .restarts = 6, .cosine = true};
    pith_i_kmeans a = {0}, b = {0};
    assert_ok(ctx, pith_i_kmeans_run(ctx, &X, &o, &a));
    assert_ok(ctx, pith_i_kmeans_run(ctx, &Y, &o, &b));
    assert_same_runs(&a, &b);
    pith_i_kmeans_free(&a);
    pith_i_kmeans_free(&b);
    pith_i_data_free(&X);
    pith_i_data_free(&Y);
}

static void units_do_not_matter(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_data X[3] = {0};
    make_groups(ctx, 150, 6, 5, 1, 1, 0, &X[0]);
    make_groups(ctx, 150, 6, 5, ldexp(1, 400), ldexp(1, 400), 0, &X[1]);
    make_groups(ctx, 150, 6, 5, ldexp(1, -400), ldexp(1, -400), 0, &X[2]);
    const pith_i_kmeans_options o = {.clusters = 5, .restarts = 4};
    pith_i_kmeans k[3] = {0};
    for (int t = 0; t < 3; t++) {
        assert_ok(ctx, pith_i_kmeans_run(ctx, &X[t], &o, &k[t]));
        assert_memory_equal(k[0].labels, k[t].labels, 600 * sizeof(int32_t));
    }
    assert_true(k[1].inertia[0] == ldexp(k[0].inertia[0], 800));
    for (int t = 0; t < 3; t++) {
        pith_i_kmeans_free(&k[t]);
        pith_i_data_free(&X[t]);
    }
    const double huge[] = {1e200, 0, 0, 1e200};
    const pith_i_data too_large = borrow(2, 2, huge);
    assert_int_equal(pith_i_kmeans_run(ctx, &too_large, &o, &k[0]), PITH_E_PARAMETER); /* 5 of 2 */
    const pith_i_kmeans_options two = {.clusters = 2};
    assert_int_equal(pith_i_kmeans_run(ctx, &too_large, &two, &k[0]), PITH_E_DATA);
    assert_non_null(strstr(pith_ctx_message(ctx), "overflow"));
}

static void runs_go_on_where_another_call_stopped(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_data X = {0};
    pith_i_kmeans all = {0}, part = {0};
    make_groups(ctx, 120, 8, 3, 0.5, 1, 0, &X);
    pith_i_kmeans_options o = {.clusters = 4, .restarts = 40};
    assert_ok(ctx, pith_i_kmeans_run(ctx, &X, &o, &all));
    o.restarts = 7;
    o.first_run = 29;
    assert_ok(ctx, pith_i_kmeans_run(ctx, &X, &o, &part));
    assert_memory_equal(part.labels, all.labels + 29 * 120, 7 * 120 * sizeof *part.labels);
    assert_memory_equal(part.inertia, all.inertia + 29, 7 * sizeof *part.inertia);
    pith_i_kmeans_free(&part);
    pith_ctx_set_seed(ctx, 2);
    assert_ok(ctx, pith_i_kmeans_run(ctx, &X, &o, &part));
    assert_memory_not_equal(part.labels, all.labels + 29 * 120, 7 * 120 * sizeof *part.labels);
    pith_i_kmeans_free(&part);
    pith_i_kmeans_free(&all);
    pith_i_data_free(&X);
}

/* Together they are too many for products to be kept from round to round, alone they are not. */
static void many_runs_give_what_each_gives_alone(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_data X = {0};
    pith_i_kmeans all = {0}, one = {0};
    skip_when_short();
    make_groups(ctx, 8500, 2, 30, 2, 1, 0, &X);
    pith_i_kmeans_options o = {.clusters = 50, .restarts = 10, .max_iter = 8};
    assert_ok(ctx, pith_i_kmeans_run(ctx, &X, &o, &all));
    o.restarts = 1;
    for (int64_t r = 0; r < 10; r += 3) {
        o.first_run = (uint64_t)r;
        assert_ok(ctx, pith_i_kmeans_run(ctx, &X, &o, &one));
        assert_memory_equal(one.labels, all.labels + r * X.n, (size_t)X.n * sizeof *one.labels);
        assert_true(one.inertia[0] == all.inertia[r]);
        pith_i_kmeans_free(&one);
    }
    pith_i_kmeans_free(&all);
    pith_i_data_free(&X);
}

static void greedy_starts_find_groups_that_random_rows_miss(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_data X = {0};
    int found[2] = {0};
    make_groups(ctx, 300, 8, 12, 8, 1, 0, &X);
    for (int random = 0; random < 2; random++) {
        const pith_i_kmeans_options o = {.clusters = 12, .restarts = 40, .random_start = random == 1};
        pith_i_kmeans k = {0};
        assert_ok(ctx, pith_i_kmeans_run(ctx, &X, &o, &k));
        for (int64_t r = 0; r < 40; r++)
            found[random] += k.inertia[r] < 300 * 8 * 1.2; /* else two groups share a cluster */
        pith_i_kmeans_free(&k);
    }
    assert_true(found[0] >= 36);
    assert_true(found[1] <= 10);
    pith_i_data_free(&X);
}

/* ---- Odd data ---------------------------------------------------------------------------------------------
 */

static void an_empty_cluster_takes_the_farthest_row(void **state)
{
    pith_ctx *ctx = *state;
    const double x[] = {0, 1, 2, 3, 50, 10, 11, 12};
    const pith_i_data X = borrow(8, 1, x);
    const int32_t start[] = {0, 0, 0, 0, 0, 1, 1, 1}, want[] = {0, 0, 0, 0, 2, 1, 1, 1};
    const pith_i_kmeans_options o = {.clusters = 3, .init = start};
    pith_i_kmeans k = {0};
    assert_ok(ctx, pith_i_kmeans_run(ctx, &X, &o, &k));
    assert_memory_equal(k.labels, want, sizeof want);
    assert_near(k.inertia[0], 5 + 2, 1e-14);
    pith_i_kmeans_free(&k);
}

static void fewer_distinct_rows_than_clusters_leave_none_empty(void **state)
{
    pith_ctx *ctx = *state;
    enum { N = 40, P = 3 };
    pith_i_data X = {0}, S = {0};
    assert_ok(ctx, pith_i_data_new_dense(ctx, N, P, PITH_F64, &X));
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < P; j++)
            ((double *)pith_i_data_x(&X))[i * P + j] = i % 4 == 3 ? 0 : 0.1 * (double)((i % 4 + j * j) % 5);
    S = as_csr(ctx, X.x, X.n, X.p, PITH_F64, 0);
    for (int t = 0; t < 8; t++) {
        const pith_i_kmeans_options o = {
            .clusters = 9, .restarts = 5, .cosine = t % 2 == 1, .random_start = t / 2 % 2 == 1};
        pith_i_kmeans k = {0};
        assert_ok(ctx, pith_i_kmeans_run(ctx, t >= 4 ? &S : &X, &o, &k));
        assert_no_cluster_is_empty(&k, 9);
        for (int64_t r = 0; r < 5; r++) {
            assert_true(k.iterations[r] < 20);
            assert_near(k.inertia[r], o.cosine ? 10 : 0, 1e-14); /* the zero rows' cosine is 0 */
        }
        pith_i_kmeans_free(&k);
    }
    pith_i_data_free(&X);
    pith_i_scratch_release(ctx, 0);
}

static void constant_and_empty_data_are_no_trouble(void **state)
{
    pith_ctx *ctx = *state;
    double x[60];
    for (int t = 0; t < 3; t++)
        for (int cosine = 0; cosine < 2; cosine++) {
            for (int e = 0; e < 60; e++)
                x[e] = t == 0 ? 0 : 0.1;
            const pith_i_data X = borrow(20, t == 2 ? 0 : 3, x);
            const pith_i_kmeans_options o = {.clusters = 4, .restarts = 3, .cosine = cosine == 1};
            pith_i_kmeans k = {0};
            assert_ok(ctx, pith_i_kmeans_run(ctx, &X, &o, &k));
            assert_no_cluster_is_empty(&k, 4);
            assert_near(k.inertia[0], cosine == 1 && t != 1 ? 20 : 0, 1e-14);
            pith_i_kmeans_free(&k);
        }
}

static void one_cluster_and_as_many_as_rows_work(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_data X = {0};
    make_groups(ctx, 30, 4, 3, 1, 1, 0, &X);
    for (int random = 0; random < 2; random++)
        for (int all = 0; all < 2; all++) {
            const pith_i_kmeans_options o = {
                .clusters = all ? 30 : 1, .restarts = 3, .random_start = random == 1};
            const int32_t zero[30] = {0};
            pith_i_kmeans k = {0};
            assert_ok(ctx, pith_i_kmeans_run(ctx, &X, &o, &k));
            assert_no_cluster_is_empty(&k, o.clusters);
            const double want = all ? 0 : inertia_of(30, 4, X.x, zero, 1);
            for (int64_t r = 0; r < 3; r++)
                assert_near(k.inertia[r], want, 1e-13 * want + 1e-28);
            pith_i_kmeans_free(&k);
        }
    const pith_i_data first = borrow(1, 4, X.x);
    const pith_i_kmeans_options o = {.clusters = 1};
    pith_i_kmeans k = {0};
    assert_ok(ctx, pith_i_kmeans_run(ctx, &first, &o, &k));
    assert_int_equal(k.labels[0], 0);
    assert_true(k.inertia[0] == 0);
    pith_i_kmeans_free(&k);
    pith_i_data_free(&X);
}

/* Rows come and go for many rounds in data far from 0: their sums must not keep the offset's rounding. */
static void an_offset_leaves_no_rounding_in_centres(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_data X = {0};
    pith_i_kmeans k = {0};
    int64_t rounds = 0;
    make_groups(ctx, 1000, 2, 1, 0, 1e-6, 1e6, &X);
    const pith_i_kmeans_options o = {.clusters = 12, .restarts = 3};
    assert_ok(ctx, pith_i_kmeans_run(ctx, &X, &o, &k));
    double *centred = calloc(2000, sizeof *centred); /* exactly: the offset and the values are near */
    for (int e = 0; e < 2000; e++)
        centred[e] = ((const double *)X.x)[e] - 1e6;
    for (int64_t r = 0; r < 3; r++) {
        int32_t label[1000];
        memcpy(label, k.labels + r * 1000, sizeof label);
        rounds += k.iterations[r];
        assert_int_equal(lloyd(1000, 2, centred, 12, false, label), 1); /* at rest already */
        const double want = inertia_of(1000, 2, centred, label, 12);
        assert_near(k.inertia[r], want, 1e-12 * want);
    }
    assert_true(rounds > 30);
    free(centred);
    pith_i_kmeans_free(&k);
    pith_i_data_free(&X);
}

/* ---- Refusals, stopping, memory ---------------------------------------------------------------------------
 */

static void what_cannot_be_done_is_refused_in_words(void **state)
{
    pith_ctx *ctx = *state;
    const pith_i_data X = borrow(75, 6, apart_x);
    int32_t labels[75] = {0};
    labels[9] = 3;
    const struct {
        pith_i_kmeans_options o;
        const char *said;
    } kind[] = {
        {{.clusters = 76}, "76 clusters cannot be made of 75 samples"},
        {{.clusters = 0}, "0 clusters: at least 1 is needed"},
        {{.clusters = 2, .restarts = -1}, "must be 0 or more"},
        {{.clusters = 3, .init = labels}, "label 3 of sample 10 is not in 0..2"},
        {{.clusters = 4, .init = labels, .restarts = 2}, "is a single run, not 2"},
    };
    for (size_t t = 0; t < COUNT(kind); t++) {
        pith_i_kmeans k = {0};
        assert_int_equal(pith_i_kmeans_run(ctx, &X, &kind[t].o, &k), PITH_E_PARAMETER);
        if (strstr(pith_ctx_message(ctx), kind[t].said) == NULL)
            fail_msg("said: %s", pith_ctx_message(ctx));
        assert_null(k.labels);
    }
}

static void it_can_be_stopped(void **state)
{
    pith_ctx *ctx = *state;
    const pith_i_data X = borrow(75, 6, apart_x);
    for (int random = 0; random < 2; random++) {
        const pith_i_kmeans_options o = {.clusters = 3, .restarts = 5, .random_start = random == 1};
        pith_i_kmeans k = {0};
        int asked = 0;
        pith_ctx_set_progress(ctx, stop_progress, &asked);
        assert_ok(ctx,
                  pith_i_progress_stage(ctx, "clustering", 0, 1) == PITH_E_STOPPED ? PITH_OK : PITH_E_BUG);
        struct timespec moment = {.tv_nsec = 30000000}; /* reports are 20 ms apart */
        (void)nanosleep(&moment, NULL);
        assert_int_equal(pith_i_kmeans_run(ctx, &X, &o, &k), PITH_E_STOPPED);
        assert_int_equal(asked, 2);
        assert_null(k.labels);
        pith_ctx_set_progress(ctx, NULL, NULL);
    }
}

typedef struct job {
    const pith_i_data *X;
    pith_i_kmeans_options o;
} job;

static pith_status run_job(pith_ctx *ctx, void *arg)
{
    const job *j = arg;
    pith_i_kmeans k = {0};
    const pith_status st = pith_i_kmeans_run(ctx, j->X, &j->o, &k);
    pith_i_kmeans_free(&k);
    return st;
}

static void it_survives_failing_allocations(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_data X = {0}, S = {0};
    make_counts(ctx, 50, 12, 3, -1, &X);
    S = as_csr(ctx, X.x, X.n, X.p, PITH_F64, 0);
    for (int t = 0; t < 8; t++) {
        job j = {t % 2 ? &S : &X,
                 {.clusters = 3, .restarts = 2, .cosine = t / 2 % 2 == 1, .random_start = t >= 4}};
        assert_survives_failing_allocations(ctx, run_job, &j, 15);
    }
    pith_i_data_free(&X);
    pith_i_scratch_release(ctx, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(groups_apart_are_found_with_scikit_learns_inertia),
        TEST(labels_are_those_of_lloyd_in_double),
        TEST(spherical_labels_are_those_of_lloyd_on_unit_rows),
        TEST(more_rounds_never_raise_the_inertia),
        TEST(the_best_run_has_the_least_inertia_and_each_its_own),
        TEST(threads_do_not_change_a_byte),
        TEST(dense_and_sparse_data_get_the_same_labels),
        TEST(the_form_of_the_data_does_not_matter),
        TEST(cosine_ignores_the_length_of_rows),
        TEST(units_do_not_matter),
        TEST(runs_go_on_where_another_call_stopped),
        TEST(many_runs_give_what_each_gives_alone),
        TEST(greedy_starts_find_groups_that_random_rows_miss),
        TEST(an_empty_cluster_takes_the_farthest_row),
        TEST(fewer_distinct_rows_than_clusters_leave_none_empty),
        TEST(constant_and_empty_data_are_no_trouble),
        TEST(one_cluster_and_as_many_as_rows_work),
        TEST(an_offset_leaves_no_rounding_in_centres),
        TEST(what_cannot_be_done_is_refused_in_words),
        TEST(it_can_be_stopped),
        TEST(it_survives_failing_allocations),
    };
    return cmocka_run_group_tests_name("kmeans", tests, NULL, NULL);
}
