#include "graph/graph_inside.h"
#include "unit/graph_data.h"

static pith_i_graph *built(pith_ctx *ctx, const pith_i_data *X, const pith_i_graph_options *o)
{
    pith_i_graph *G = NULL;
    assert_ok(ctx, pith_i_graph_build(ctx, X, o, &G));
    return G;
}

/* The weight of (i, j), 0 where there is no edge. */
static double weight_of(const pith_i_graph *G, int64_t i, int64_t j)
{
    for (int64_t e = G->row[i]; e < G->row[i + 1]; e++)
        if (G->col[e] == j)
            return G->weight[e];
    return 0;
}

/* What every graph promises: symmetric to the bit, ascending, no loops, no zeros, degrees are row sums. */
static void check_form(const pith_i_graph *G)
{
    int64_t isolated = 0;
    assert_int_equal(G->row[0], 0);
    for (int64_t i = 0; i < G->n; i++) {
        double sum = 0;
        for (int64_t e = G->row[i]; e < G->row[i + 1]; e++) {
            assert_true(G->col[e] != i && G->weight[e] > 0);
            assert_true(e == G->row[i] || G->col[e] > G->col[e - 1]);
            assert_true(weight_of(G, G->col[e], i) == G->weight[e]);
            assert_int_equal(G->component[i], G->component[G->col[e]]);
            sum += G->weight[e];
        }
        assert_true(G->degree[i] == sum);
        isolated += sum == 0;
        assert_true((G->component[i] == -1) == (sum == 0));
    }
    assert_int_equal(G->isolated, isolated);
}

/* Five points on a line at 0, 1, 3, 7, 8. Neighbours with k = 1: 0-1, 1-0, 3-1, 7-8, 8-7. */
static const double line[] = {0, 1, 3, 7, 8};

static void heat_weights_are_as_calculated_by_hand(void **state)
{
    pith_i_data X = laid_out(*state, line, 5, 1, ROWS_F64);
    const pith_i_graph_options o = {
        .neighbors = 1, .metric = PITH_I_EUCLIDEAN, .weight = PITH_I_HEAT, .width_factor = 2};
    pith_i_graph *G = built(*state, &X, &o);
    /* Distances 1 3 7 8 2 6 7 4 5 1: mean 4.4. */
    const double t = 2 * 4.4 * 4.4;
    check_form(G);
    assert_near(G->heat_width, t, 1e-13 * t);
    assert_int_equal(G->row[5], 6);
    assert_near(weight_of(G, 0, 1), exp(-1 / t), 1e-15);
    assert_near(weight_of(G, 1, 2), exp(-4 / t), 1e-15);
    assert_near(weight_of(G, 3, 4), exp(-1 / t), 1e-15);
    assert_near(G->degree[1], exp(-1 / t) + exp(-4 / t), 1e-15);
    assert_int_equal(G->components, 2);
    const int32_t component[] = {0, 0, 0, 1, 1};
    assert_memory_equal(G->component, component, sizeof component);
    pith_i_graph_free(G);
    pith_i_data_free(&X);
}

/* Which end chose an edge, nearest first; what has no edge is no choice. */
static void choices_are_kept_beside_the_edges(void **state)
{
    static const double rows[] = {1, 0, 0, 1, 1, 0, 5, 1, 0, 0, 0, 1};
    pith_i_data X = laid_out(*state, line, 5, 1, ROWS_F64), Y = laid_out(*state, rows, 4, 3, CSR_F64);
    pith_i_graph_options o = {.neighbors = 2, .weight = PITH_I_BINARY};
    pith_i_graph *G = built(*state, &X, &o);
    const int64_t all[] = {0, 2, 4, 6, 8, 10}, alike[] = {0, 2, 4, 6, 6};
    const int32_t nearest[] = {1, 2, 0, 2, 1, 0, 4, 2, 3, 2}, by_cosine[] = {2, 1, 2, 0, 0, 1};
    assert_memory_equal(G->choice, all, sizeof all);
    assert_memory_equal(G->chosen, nearest, sizeof nearest);
    pith_i_graph_free(G);
    o = (pith_i_graph_options){.neighbors = 2, .metric = PITH_I_COSINE, .weight = PITH_I_COSINE_WEIGHT};
    G = built(*state, &Y, &o);
    assert_memory_equal(G->choice, alike, sizeof alike);
    assert_memory_equal(G->chosen, by_cosine, sizeof by_cosine);
    pith_i_graph_free(G);
    pith_i_data_free(&X);
    pith_i_data_free(&Y);
}

static void binary_weights_are_one(void **state)
{
    pith_i_data X = laid_out(*state, line, 5, 1, CSR_F64);
    const pith_i_graph_options o = {.neighbors = 2, .weight = PITH_I_BINARY};
    pith_i_graph *G = built(*state, &X, &o);
    /* 0: 1 2; 1: 0 2; 2: 1 0; 3: 4 2; 4: 3 2 */
    const int64_t row[] = {0, 2, 4, 8, 10, 12};
    const int32_t col[] = {1, 2, 0, 2, 0, 1, 3, 4, 2, 4, 2, 3};
    check_form(G);
    assert_memory_equal(G->row, row, sizeof row);
    assert_memory_equal(G->col, col, sizeof col);
    for (int64_t e = 0; e < 12; e++)
        assert_true(G->weight[e] == 1);
    assert_true(isnan(G->heat_width));
    pith_i_graph_free(G);
    pith_i_data_free(&X);
}

/* Rows at angles: 0, 60, 90, 180 degrees and a zero row. Negative and zero cosines are no edges. */
static const double angles[] = {2, 0, 0.5, 0.8660254037844386, 0, 3, -1, 0, 0, 0};

static void cosine_weights_leave_out_what_is_not_positive(void **state)
{
    for (int how = 0; how < LAYOUTS; how++)
        for (int full = 0; full < 2; full++)
            for (int metric = 0; metric < 2; metric++) {
                pith_i_data X = laid_out(*state, angles, 5, 2, (layout)how);
                const pith_i_graph_options o = {.full = full,
                                                .neighbors = 4,
                                                .metric = (pith_i_metric)metric,
                                                .weight = PITH_I_COSINE_WEIGHT};
                pith_i_graph *G = built(*state, &X, &o);
                check_form(G);
                assert_int_equal(G->row[5], 4);
                assert_near(weight_of(G, 0, 1), 0.5, 1e-7); /* float layouts hold the sine to 3e-8 */
                assert_near(weight_of(G, 1, 2), 0.8660254037844386, 1e-7);
                assert_int_equal(G->components, 1);
                assert_int_equal(G->isolated, 2);
                pith_i_graph_free(G);
                pith_i_data_free(&X);
            }
}

/* Against the definition: an edge if either end chose the other. */
static void edges_exist_if_either_end_chose(void **state)
{
    const int64_t n = 150, p = 4, k = 3;
    double *x = new_values(n * p);
    fill_normal(x, n * p, 3);
    for (int how = 0; how < LAYOUTS; how++) {
        pith_i_data X = laid_out(*state, x, n, p, (layout)how);
        const pith_i_graph_options o = {.neighbors = k, .weight = PITH_I_HEAT, .width_factor = 1};
        pith_i_graph *G = built(*state, &X, &o);
        pith_i_knn knn = {0};
        int64_t edges = 0;
        check_form(G);
        assert_ok(*state, pith_i_knn_find(*state, &X, k, PITH_I_EUCLIDEAN, &knn));
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) {
                bool chosen = false;
                for (int64_t e = 0; e < k; e++)
                    chosen = chosen || knn.index[i * k + e] == j || knn.index[j * k + e] == i;
                const double d2 = (double)slow_distance2(x + i * p, x + j * p, p, PITH_I_EUCLIDEAN);
                assert_near(weight_of(G, i, j), chosen ? exp(-d2 / G->heat_width) : 0, 1e-14);
                edges += chosen;
            }
        assert_int_equal(G->row[n], edges);
        pith_i_knn_free(&knn);
        pith_i_graph_free(G);
        pith_i_data_free(&X);
    }
    free(x);
}

static void a_full_graph_has_every_pair(void **state)
{
    const int64_t n = 80, p = 6;
    double *x = new_values(n * p);
    fill_normal(x, n * p, 5);
    for (int how = 0; how < LAYOUTS; how++)
        for (int metric = 0; metric < 2; metric++) {
            pith_i_data X = laid_out(*state, x, n, p, (layout)how);
            const pith_i_graph_options o = {
                .full = true, .metric = (pith_i_metric)metric, .weight = PITH_I_HEAT, .width_factor = 1};
            pith_i_graph *G = built(*state, &X, &o);
            check_form(G);
            assert_int_equal(G->row[n], n * (n - 1));
            for (int64_t i = 0; i < n; i++)
                for (int64_t j = 0; j < i; j++) {
                    const double d2 = (double)slow_distance2(x + i * p, x + j * p, p, (pith_i_metric)metric);
                    assert_near(weight_of(G, i, j), exp(-d2 / G->heat_width), 1e-14);
                }
            pith_i_graph_free(G);
            pith_i_data_free(&X);
        }
    free(x);
}

static void a_full_graph_of_many_rows_is_refused(void **state)
{
    double *x = new_values(5001);
    pith_i_data X = laid_out(*state, x, 5001, 1, ROWS_F64);
    const pith_i_graph_options o = {.full = true, .weight = PITH_I_BINARY};
    pith_i_graph *G = NULL;
    assert_int_equal(pith_i_graph_build(*state, &X, &o, &G), PITH_E_DATA);
    assert_non_null(strstr(pith_ctx_message(*state), "--neighbors"));
    pith_i_data_free(&X);
    free(x);
}

static void unfit_data_is_refused_with_a_reason(void **state)
{
    const double x[] = {1, 2, 1, 2, 1, 2};
    pith_i_graph_options o = {.neighbors = 1, .weight = PITH_I_HEAT, .width_factor = 1};
    pith_i_data X = laid_out(*state, x, 3, 2, ROWS_F64), one = laid_out(*state, x, 1, 2, ROWS_F64);
    pith_i_graph *G = NULL;
    assert_int_equal(pith_i_graph_build(*state, &X, &o, &G), PITH_E_DATA);
    assert_non_null(strstr(pith_ctx_message(*state), "all rows are equal"));
    assert_int_equal(pith_i_graph_build(*state, &one, &o, &G), PITH_E_DATA);
    assert_non_null(strstr(pith_ctx_message(*state), "at least 2 rows"));
    o.neighbors = 0;
    assert_int_equal(pith_i_graph_build(*state, &X, &o, &G), PITH_E_PARAMETER);
    o = (pith_i_graph_options){.neighbors = 9, .weight = PITH_I_BINARY}; /* equal rows need no width */
    G = built(*state, &X, &o);
    assert_int_equal(G->row[3], 6);
    pith_i_graph_free(G);
    pith_i_data_free(&X);
    pith_i_data_free(&one);
}

/* Edges by pairs into a graph that finish takes over. */
static pith_i_graph *drawn(pith_ctx *ctx, int64_t n, int64_t edges, const int32_t (*edge)[2])
{
    pith_i_graph *G = NULL;
    assert_ok(ctx, pith_i_graph_new(ctx, n, &G));
    assert_ok(ctx, NEW(ctx, G->col, 2 * edges));
    assert_ok(ctx, NEW(ctx, G->weight, 2 * edges));
    int64_t at = 0;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++)
            for (int64_t e = 0; e < edges; e++)
                if ((edge[e][0] == i && edge[e][1] == j) || (edge[e][0] == j && edge[e][1] == i)) {
                    G->col[at] = j;
                    G->weight[at++] = 0.5;
                }
        G->row[i + 1] = at;
    }
    assert_ok(ctx, pith_i_graph_finish(ctx, G));
    return G;
}

static void components_come_by_size_then_lowest_row(void **state)
{
    /* {2,9}, {0,5}, {1,3,8}, {4,6,7}, alone: 10, 11 */
    static const int32_t edge[][2] = {{9, 2}, {5, 0}, {8, 3}, {3, 1}, {4, 7}, {7, 6}};
    static const int32_t right[] = {2, 0, 3, 0, 1, 2, 1, 1, 0, 3, -1, -1};
    pith_i_graph *G = drawn(*state, 12, COUNT(edge), edge);
    check_form(G);
    assert_memory_equal(G->component, right, sizeof right);
    assert_int_equal(G->components, 4);
    assert_int_equal(G->isolated, 2);
    assert_true(G->degree[7] == 1);
    const pith_i_graph_summary s = pith_i_graph_summarize(G);
    assert_true(s.rows == 12 && s.edges == 6 && s.components == 4 && s.isolated == 2 && isnan(s.heat_width));
    assert_ok(*state, pith_i_graph_finish(*state, G)); /* again: the same */
    assert_memory_equal(G->component, right, sizeof right);
    pith_i_graph_free(G);
}

static void a_long_path_is_one_component(void **state)
{
    enum { LENGTH = 400 };
    int32_t edge[LENGTH - 1][2];
    for (int32_t e = 0; e < LENGTH - 1; e++) { /* rows in an order that jumps */
        edge[e][0] = e * 147 % LENGTH;
        edge[e][1] = (e + 1) * 147 % LENGTH;
    }
    pith_i_graph *G = drawn(*state, LENGTH, LENGTH - 1, (const int32_t(*)[2])edge);
    assert_int_equal(G->components, 1);
    assert_int_equal(G->isolated, 0);
    pith_i_graph_free(G);
}

static void the_graph_is_the_same_for_any_threads_and_layout(void **state)
{
    const int64_t n = 700, p = 20;
    double *x = new_values(n * p);
    fill_counts(x, n * p, 3, 0.6, 9);
    for (int metric = 0; metric < 2; metric++) {
        const pith_i_graph_options o = {
            .neighbors = 5, .metric = (pith_i_metric)metric, .weight = PITH_I_COSINE_WEIGHT};
        pith_i_graph *first = NULL;
        for (int how = 0; how < LAYOUTS; how++)
            for (int threads = 1; threads <= 8; threads += 7) {
                pith_i_data X = laid_out(*state, x, n, p, (layout)how);
                assert_ok(*state, pith_ctx_set_threads(*state, threads));
                pith_i_graph *G = built(*state, &X, &o);
                pith_i_data_free(&X);
                if (first == NULL) {
                    first = G;
                    continue;
                }
                assert_memory_equal(G->row, first->row, (size_t)(n + 1) * sizeof *G->row);
                assert_memory_equal(G->col, first->col, (size_t)G->row[n] * sizeof *G->col);
                assert_memory_equal(G->weight, first->weight, (size_t)G->row[n] * sizeof *G->weight);
                assert_memory_equal(G->degree, first->degree, (size_t)n * sizeof *G->degree);
                pith_i_graph_free(G);
            }
        pith_i_graph_free(first);
    }
    free(x);
}

static void the_graph_gives_up_cleanly_without_memory(void **state)
{
    const int64_t n = 30, p = 3;
    double *x = new_values(n * p);
    fill_normal(x, n * p, 13);
    for (int full = 0; full < 2; full++)
        for (int weight = 0; weight < 3; weight++) {
            pith_i_data X = laid_out(*state, x, n, p, CSR_F64);
            const pith_i_graph_options o = {
                .full = full, .neighbors = 3, .weight = (pith_i_weight)weight, .width_factor = 1};
            pith_i_graph *G = built(*state, &X, &o); /* once, so that the scratch stack has its size */
            pith_i_graph_free(G);
            const int64_t before = pith_i_bytes_in_use(*state);
            pith_status st = PITH_E_NOMEM;
            for (int64_t nth = 1; st != PITH_OK; nth++) {
                pith_i_fail_allocation(*state, nth);
                st = pith_i_graph_build(*state, &X, &o, &G);
                pith_i_fail_allocation(*state, 0);
                assert_true(st == PITH_E_NOMEM || (st == PITH_OK && nth > 8));
                assert_true(st == PITH_OK || pith_i_bytes_in_use(*state) == before);
            }
            pith_i_graph_free(G);
            assert_int_equal(pith_i_bytes_in_use(*state), before);
            pith_i_data_free(&X);
        }
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(heat_weights_are_as_calculated_by_hand),
        TEST(choices_are_kept_beside_the_edges),
        TEST(binary_weights_are_one),
        TEST(cosine_weights_leave_out_what_is_not_positive),
        TEST(edges_exist_if_either_end_chose),
        TEST(a_full_graph_has_every_pair),
        TEST(a_full_graph_of_many_rows_is_refused),
        TEST(unfit_data_is_refused_with_a_reason),
        TEST(components_come_by_size_then_lowest_row),
        TEST(a_long_path_is_one_component),
        TEST(the_graph_is_the_same_for_any_threads_and_layout),
        TEST(the_graph_gives_up_cleanly_without_memory),
    };
    return cmocka_run_group_tests_name("graph", tests, NULL, NULL);
}
