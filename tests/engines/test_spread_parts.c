/*
 * Operations on spread rows that methods use, but not on tables as small as those of test_spread.c: rough
 * eigenvectors, widths from sampled pairs, iterative regressions, and polar factors of rank-deficient
 * matrices. And two parts by themselves: places of rows that are fetched, and the mean distance.
 */
#include "engines/lockstep.h"
#include "graph/knn.h"
#include "graph/spectrum.h"
#include "graph/spread_inside.h"
#include "linalg/row_sparse.h"
#include "matrix/halo.h"
#include "methods/factor/polar.h"
#include "unit/support.h"

#include "core/random.h"

enum { N = 301, P = 6, K = 4, PAIRS = 7, BLOCKS = 4 };
static const int64_t starts[BLOCKS + 1] = {0, 0, 1, 170, N}; /* no row, one row, and more */

/* What is to be found, by one table (blocks false) or by its blocks. */
typedef struct task {
    double x[N * P], direction[N * K], before[N * K];
    bool blocks;
    double values[PAIRS], vectors[PAIRS * N], width; /* of the graph */
    double W[P * K], left[N * K];                    /* of the regression */
    double polar[N * K];
} task;

static void fill(task *q)
{
    pith_i_stream s = pith_i_stream_at(3, PITH_I_RANDOM_BENCH, 0);
    for (int64_t i = 0; i < N; i++) {
        for (int64_t j = 0; j < P; j++)
            q->x[i * P + j] = pith_i_random_normal(&s) + (j < 3 ? (double)(5 * (i % 3)) : 0);
        for (int64_t j = 0; j < K; j++)
            q->before[i * K + j] = i % K == j ? 1 / sqrt((double)((N + K - 1 - j) / K)) : 0;
        for (int64_t j = 0; j < K; j++) /* the last two are those before, again */
            q->direction[i * K + j] = j < 2 ? pith_i_random_normal(&s) : q->direction[i * K + j - 2];
    }
}

static pith_i_data rows_of(const task *q, int64_t first, int64_t count)
{
    return (pith_i_data){.n = count,
                         .p = P,
                         .offset = first,
                         .all = q->blocks ? N : 0,
                         .dtype = PITH_F64,
                         .x = q->x + first * P,
                         .row_stride = P,
                         .col_stride = 1};
}

static void find_vectors(pith_ctx *ctx, const pith_i_data *X, task *out)
{
    const pith_i_graph_options options = {.neighbors = 5,
                                          .metric = PITH_I_EUCLIDEAN,
                                          .weight = PITH_I_HEAT,
                                          .width_factor = 1,
                                          .width_pairs = 500};
    pith_i_graph *graph = NULL;
    pith_i_spectrum spectrum = {0};
    must(pith_i_graph_build(ctx, X, &options, &graph) == PITH_OK);
    must(pith_i_spectrum_rough(ctx, graph, PAIRS, &spectrum) == PITH_OK);
    out->width = pith_i_graph_summarize(graph).heat_width;
    for (int64_t v = 0; v < PAIRS; v++) {
        out->values[v] = spectrum.value[v];
        for (int64_t i = 0; i < X->n; i++)
            out->vectors[v * N + X->offset + i] = spectrum.vector[v * X->n + i];
    }
    pith_i_spectrum_free(&spectrum);
    pith_i_graph_free(graph);
}

static void regress(pith_ctx *ctx, const task *q, const pith_i_data *X, task *out)
{
    const double shift[P] = {5, 5, 5};
    const pith_i_design D = {.X = X, .shift = shift};
    pith_i_row_sparse fit = {0};
    must(pith_i_row_sparse_open(ctx, &D, K, &fit) == PITH_OK);
    fit.way = PITH_I_ITERATIVE;
    fit.tolerance = 1e-12;
    must(pith_i_row_sparse_factor(ctx, &fit, 0.5, NULL) == PITH_OK);
    must(pith_i_row_sparse_solve(ctx, &fit, K, q->before + X->offset * K, out->W,
                                 out->left + X->offset * K) == PITH_OK);
}

static void find_polar(pith_ctx *ctx, const task *q, const pith_i_data *X, task *out)
{
    double asked[N * K];
    int64_t rank = 0;
    memcpy(asked, q->direction + X->offset * K, (size_t)(X->n * K) * sizeof *asked);
    memcpy(out->polar + X->offset * K, q->before + X->offset * K, (size_t)(X->n * K) * sizeof *asked);
    must(pith_i_polar(ctx, X, K, asked, out->polar + X->offset * K, &rank) == PITH_OK);
    must(rank == 2);
}

static void find(pith_ctx *ctx, const task *q, int64_t first, int64_t count, task *out)
{
    const pith_i_data X = rows_of(q, first, count);
    const size_t mark = pith_i_scratch_mark(ctx);
    find_vectors(ctx, &X, out);
    regress(ctx, q, &X, out);
    find_polar(ctx, q, &X, out);
    pith_i_scratch_release(ctx, mark);
}

static void must_be_near(double a, double b, double tolerance)
{
    must(fabs(a - b) <= tolerance * fmax(1, fabs(b)));
}

static void find_block(pith_ctx *ctx, int rank, void *arg)
{
    const task *whole = arg;
    const int64_t first = starts[rank], end = starts[rank + 1];
    task own = *whole;
    find(ctx, whole, first, end - first, &own);
    must_be_near(own.width, whole->width, 1e-13);
    for (int64_t v = 0; v < PAIRS; v++) {
        must_be_near(own.values[v], whole->values[v], 1e-7); /* of floats */
        for (int64_t i = first; i < end; i++)
            must_be_near(own.vectors[v * N + i], whole->vectors[v * N + i], 1e-6);
    }
    for (int64_t e = 0; e < P * K; e++)
        must_be_near(own.W[e], whole->W[e], 1e-10);
    for (int64_t e = first * K; e < end * K; e++) {
        must_be_near(own.left[e], whole->left[e], 1e-10);
        must_be_near(own.polar[e], whole->polar[e], 1e-10);
    }
}

static void blocks_find_what_one_table_has(void **state)
{
    task *q = calloc(1, sizeof *q);
    assert_non_null(q);
    fill(q);
    find(*state, q, 0, N, q);
    q->blocks = true;
    in_lockstep(BLOCKS, find_block, q);
    free(q);
}

/* ---- Places of rows that are fetched --------------------------------------------------------------- */

/* Far apart, close together, and again; by turns on the members, of which one wants nothing. */
static int64_t wanted_by(int rank, int64_t *id)
{
    const int64_t some[] = {300, 5, 5, 4, 0, 299, 171, 6, 7, 9, 8, 298, 300};
    const int64_t count = (int64_t)(sizeof some / sizeof *some);
    for (int64_t e = 0; e < count; e++)
        id[e] = rank == 1 ? 7 : some[e];
    return rank == 2 ? 0 : count;
}

static void find_places(pith_ctx *ctx, int rank, void *arg)
{
    const int64_t first = starts[rank], n = starts[rank + 1] - first;
    int64_t wanted[32];
    const int64_t count = wanted_by(rank, wanted);
    (void)arg;
    for (int fetch = 0; fetch < 2; fetch++) {
        pith_i_halo h = {0};
        must((fetch ? pith_i_fetch_new : pith_i_halo_new)(ctx, n, first, count, wanted, &h) == PITH_OK);
        for (int64_t e = 1; e < h.count; e++)
            must(h.id[e - 1] < h.id[e]);
        for (int64_t e = 0; e < count; e++) {
            const int64_t place = pith_i_halo_place(&h, wanted[e]);
            const bool own = wanted[e] >= first && wanted[e] < first + n && !fetch;
            must(own ? place == wanted[e] - first : place - h.n < h.count && h.id[place - h.n] == wanted[e]);
        }
        pith_i_halo_free(&h);
    }
}

static void every_wanted_row_has_its_place(void **state)
{
    (void)state;
    in_lockstep(BLOCKS, find_places, NULL);
}

/* ---- The mean distance --------------------------------------------------------------------------------- */

enum { COUNTS = 3500 }; /* rows: more than the mean is taken of, which are more than a block */

typedef struct distances {
    double x[COUNTS * P], values[COUNTS * P];
    int64_t indptr[COUNTS + 1];
    int32_t indices[COUNTS * P];
    bool sparse;
    pith_i_metric metric;
    double whole, found[BLOCKS];
} distances;

/* Small numbers, so that some rows are equal and some empty. */
static void fill_counts(distances *d)
{
    int64_t at = 0;
    for (int64_t i = 0; i < COUNTS; i++) {
        pith_i_stream s = pith_i_stream_at(5, PITH_I_RANDOM_BENCH, (uint64_t)i);
        for (int64_t j = 0; j < P; j++) {
            const double v = fmax(0, floor(1.5 * pith_i_random_normal(&s)));
            d->x[i * P + j] = v;
            d->indices[at] = (int32_t)j;
            d->values[at] = v;
            at += v > 0;
        }
        d->indptr[i + 1] = at;
    }
}

static pith_i_data counts_of(const distances *d, int64_t first, int64_t count, int64_t all)
{
    const pith_i_data X = {.n = COUNTS,
                           .p = P,
                           .dtype = PITH_F64,
                           .sparse = d->sparse,
                           .x = d->sparse ? NULL : d->x,
                           .row_stride = P,
                           .col_stride = 1,
                           .indptr = d->indptr,
                           .indices = d->indices,
                           .values = d->values};
    pith_i_data part = pith_i_data_rows(&X, first, count);
    part.offset = first;
    part.all = all;
    return part;
}

static void find_mean(pith_ctx *ctx, int rank, void *arg)
{
    distances *d = arg;
    const int64_t first = COUNTS * starts[rank] / N, end = COUNTS * starts[rank + 1] / N;
    const pith_i_data X = counts_of(d, first, end - first, COUNTS);
    must(pith_i_spread_mean_distance(ctx, &X, d->metric, &d->found[rank]) == PITH_OK);
}

static void the_mean_distance_is_that_of_one_table(void **state)
{
    distances *d = calloc(1, sizeof *d);
    assert_non_null(d);
    fill_counts(d);
    for (int variant = 0; variant < 4; variant++) {
        d->sparse = variant % 2 != 0;
        d->metric = variant / 2 != 0 ? PITH_I_COSINE : PITH_I_EUCLIDEAN;
        const pith_i_data X = counts_of(d, 0, COUNTS, 0);
        assert_int_equal(pith_i_mean_distance(*state, &X, d->metric, &d->whole), PITH_OK);
        in_lockstep(BLOCKS, find_mean, d);
        for (int r = 0; r < BLOCKS; r++) {
            assert_true(fabs(d->found[r] - d->whole) <= 1e-13 * d->whole);
            assert_true(d->found[r] == d->found[0]);
        }
    }
    free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(blocks_find_what_one_table_has),
        TEST(every_wanted_row_has_its_place),
        TEST(the_mean_distance_is_that_of_one_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
