#include "graph/spectrum.h"
#include "unit/graphs.h"

/* A triangle 0-1-2 with weights 1, 2, 4, a pair 3-4 and an isolated row 5. */
static pith_i_graph *small_graph(pith_ctx *ctx)
{
    sketch s = new_sketch(6);
    link_rows(&s, 0, 1, 1);
    link_rows(&s, 1, 2, 2);
    link_rows(&s, 0, 2, 4);
    link_rows(&s, 3, 4, 0.5);
    return new_graph(ctx, s);
}

static const double S[6][6] = {{0, 1, 4, 0, 0, 0},   {1, 0, 2, 0, 0, 0},   {4, 2, 0, 0, 0, 0},
                               {0, 0, 0, 0, 0.5, 0}, {0, 0, 0, 0.5, 0, 0}, {0, 0, 0, 0, 0, 0}};
static const double degree[6] = {5, 3, 6, 0.5, 0.5, 0};

static double affinity_of(int i, int j)
{
    return S[i][j] == 0 ? 0 : S[i][j] / sqrt(degree[i] * degree[j]);
}

/* Of 1, 2, 8, 9 and 19 vectors: alone, in a part of a block, in whole blocks and in both. */
static void check_operator(pith_ctx *ctx, const pith_i_operator *A, double (*entry)(int i, int j))
{
    static const int64_t counts[] = {1, 2, 8, 9, 19};
    double x[19 * 6], y[19 * 6];
    for (int t = 0; t < 19 * 6; t++)
        x[t] = sin(1 + 7.0 * t);
    for (size_t c = 0; c < COUNT(counts); c++) {
        memset(y, -1, sizeof y);
        assert_ok(ctx, A->apply(ctx, A->self, counts[c], x, y));
        for (int64_t v = 0; v < counts[c]; v++)
            for (int i = 0; i < 6; i++) {
                double want = 0;
                for (int j = 0; j < 6; j++)
                    want += entry(i, j) * x[v * 6 + j];
                assert_near(y[v * 6 + i], want, 1e-14);
            }
    }
}

static double adjacency_entry(int i, int j)
{
    return S[i][j];
}

static double laplacian_entry(int i, int j)
{
    return (i == j) - affinity_of(i, j);
}

static void operators_are_their_matrices(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_graph *g = small_graph(ctx);
    const pith_i_operator adjacency = pith_i_adjacency(g), affinity = pith_i_affinity(g);
    const pith_i_operator laplacian = pith_i_laplacian(g);
    check_operator(ctx, &adjacency, adjacency_entry);
    check_operator(ctx, &affinity, affinity_of);
    check_operator(ctx, &laplacian, laplacian_entry);
    pith_i_graph_free(g);
}

static void products_are_added_to_a_block_by_rows(void **state)
{
    pith_ctx *ctx = *state;
    enum { M = 3 };
    pith_i_graph *g = small_graph(ctx);
    double B[6 * M], out[6 * M];
    for (int t = 0; t < 6 * M; t++) {
        B[t] = sin(1 + 7.0 * t);
        out[t] = t;
    }
    assert_ok(ctx, pith_i_affinity_add(ctx, g, -2.5, M, B, out));
    for (int i = 0; i < 6; i++)
        for (int t = 0; t < M; t++) {
            double want = i * M + t;
            for (int j = 0; j < 6; j++)
                want -= 2.5 * affinity_of(i, j) * B[j * M + t];
            assert_near(out[i * M + t], want, 1e-14);
        }
    pith_i_graph_free(g);
}

static void an_isolated_row_is_1_in_ln_and_0_in_a(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_graph *g = small_graph(ctx);
    const double x[6] = {0, 0, 0, 0, 0, 3};
    double y[6];
    const pith_i_operator Ln = pith_i_laplacian(g), A = pith_i_affinity(g);
    assert_ok(ctx, Ln.apply(ctx, Ln.self, 1, x, y));
    assert_memory_equal(x, y, sizeof x);
    const double zero[6] = {0};
    assert_ok(ctx, A.apply(ctx, A.self, 1, x, y));
    assert_memory_equal(zero, y, sizeof x);
    pith_i_graph_free(g);
}

/* Large enough that the loops are parallel. */
static void threads_do_not_change_a_product(void **state)
{
    pith_ctx *ctx = *state;
    enum { SIZE = 9000, VECTORS = 11 };
    pith_i_graph *g = ring_graph(ctx, SIZE);
    double *x = malloc(SIZE * VECTORS * sizeof *x), *one = malloc(SIZE * VECTORS * sizeof *one),
           *eight = malloc(SIZE * VECTORS * sizeof *eight);
    const pith_i_operator maps[] = {pith_i_adjacency(g), pith_i_affinity(g), pith_i_laplacian(g)};
    assert_true(g->row[g->n] > 20000);
    for (int t = 0; t < SIZE * VECTORS; t++)
        x[t] = sin(1 + 7.0 * t);
    for (size_t k = 0; k < COUNT(maps); k++)
        for (int64_t m = 1; m <= VECTORS; m += VECTORS - 1) {
            assert_ok(ctx, pith_ctx_set_threads(ctx, 1));
            assert_ok(ctx, maps[k].apply(ctx, maps[k].self, m, x, one));
            assert_ok(ctx, pith_ctx_set_threads(ctx, 8));
            assert_ok(ctx, maps[k].apply(ctx, maps[k].self, m, x, eight));
            assert_memory_equal(one, eight, (size_t)(SIZE * m) * sizeof *one);
        }
    free(x);
    free(one);
    free(eight);
    pith_i_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(operators_are_their_matrices),
        TEST(products_are_added_to_a_block_by_rows),
        TEST(an_isolated_row_is_1_in_ln_and_0_in_a),
        TEST(threads_do_not_change_a_product),
    };
    return cmocka_run_group_tests_name("laplacian", tests, NULL, NULL);
}
