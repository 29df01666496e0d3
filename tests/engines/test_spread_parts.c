/*
 * What methods use of rows that are spread, where tables as small as those of test_spread.c do not lead to
 * it: rough eigenvectors, widths from pairs that are drawn, regressions by steps, and polar factors of
 * matrices that lack a direction.
 */
#include "engines/lockstep.h"
#include "graph/spectrum.h"
#include "linalg/row_sparse.h"
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(blocks_find_what_one_table_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
