/* Graphs that a user gives, and rows to build one from. */
#include "graph/given.h"
#include "graph/graph_inside.h"
#include "methods/params.h"
#include "unit/support.h"

#include <stdio.h>
#include <sys/stat.h>

/* 0 -> 1 (2), 0 -> 2 (3), 1 -> 0 (5), 2 -> 3 (1), 3 -> 3 (9); row 4 is alone. */
static const int64_t row[] = {0, 2, 3, 4, 5, 5};
static const int32_t col[] = {1, 2, 0, 3, 3};
static const double weight[] = {2, 3, 5, 1, 9};
enum { N = 5 };

static const pith_i_data sparse = {
    .n = N, .p = N, .dtype = PITH_F64, .sparse = true, .indptr = row, .indices = col, .values = weight};

static pith_i_graph *graph_from(pith_ctx *ctx, const pith_i_data *X)
{
    pith_i_data edges = {0};
    pith_i_graph *G = NULL;
    assert_ok(ctx, pith_i_given_edges(ctx, "g", X, &edges));
    assert_ok(ctx, pith_i_graph_from(ctx, &edges, &G));
    pith_i_data_free(&edges);
    return G;
}

static void the_larger_weight_of_both_directions_counts_and_the_diagonal_does_not(void **state)
{
    static const int64_t want_row[] = {0, 2, 3, 5, 6, 6};
    static const int32_t want_col[] = {1, 2, 0, 0, 3, 2};
    static const double want_weight[] = {5, 3, 5, 3, 1, 1};
    pith_i_graph *G = graph_from(*state, &sparse);
    assert_memory_equal(G->row, want_row, sizeof want_row);
    assert_memory_equal(G->col, want_col, sizeof want_col);
    assert_memory_equal(G->weight, want_weight, sizeof want_weight);
    assert_true(G->degree[0] == 8 && G->degree[4] == 0);
    assert_int_equal(G->components, 1);
    assert_int_equal(G->isolated, 1);
    assert_true(isnan(G->heat_width));
    pith_i_graph_free(G);
}

static void a_row_chose_its_own_entries_heaviest_first_ties_to_the_lower_index(void **state)
{
    static const int64_t r[] = {0, 4, 4, 4, 4, 4};
    static const int32_t c[] = {1, 2, 3, 4}, want[] = {3, 2, 4, 1};
    static const double w[] = {1, 2, 4, 2};
    pith_i_data X = sparse;
    X.indptr = r;
    X.indices = c;
    X.values = w;
    pith_i_graph *G = graph_from(*state, &X);
    assert_int_equal(G->choice[0], 0);
    assert_int_equal(G->choice[1], 4);
    assert_int_equal(G->choice[N], 4); /* the others have edges, and chose none */
    assert_memory_equal(G->chosen, want, sizeof want);
    pith_i_graph_free(G);
}

static void a_dense_matrix_of_floats_is_the_same_graph(void **state)
{
    float x[N * N] = {0};
    for (int64_t i = 0; i < N; i++)
        for (int64_t e = row[i]; e < row[i + 1]; e++)
            x[i * N + col[e]] = (float)weight[e];
    const pith_i_data dense = {.n = N, .p = N, .dtype = PITH_F32, .x = x, .row_stride = N, .col_stride = 1};
    pith_i_graph *a = graph_from(*state, &sparse), *b = graph_from(*state, &dense);
    assert_memory_equal(a->row, b->row, (N + 1) * sizeof *a->row);
    assert_memory_equal(a->col, b->col, (size_t)a->row[N] * sizeof *a->col);
    assert_memory_equal(a->weight, b->weight, (size_t)a->row[N] * sizeof *a->weight);
    pith_i_graph_free(a);
    pith_i_graph_free(b);
}

static void what_is_no_graph_is_refused_by_its_place(void **state)
{
    static const double negative[] = {2, 3, -5, 1, 9}, none[] = {0, 0, 0, 0, 9},
                        endless[] = {2, (double)INFINITY, 5, 1, 9}, nan[] = {2, 3, 5, (double)NAN, 9};
    const struct {
        const double *weight;
        int64_t n;
        const char *says;
    } bad[] = {{negative, N, "g: the edge from sample 2 to 1 (counted from 1) has the weight -5"},
               {endless, N, "from sample 1 to 3 (counted from 1) has the weight inf"},
               {nan, N, "from sample 3 to 4 (counted from 1) has the weight nan"},
               {none, N, "g: has no edges between samples"},
               {weight, N - 1, "g: a graph of the samples must be a square matrix, not 4 x 5"}};
    for (size_t b = 0; b < COUNT(bad); b++) {
        pith_i_data X = sparse, edges = {0};
        X.n = bad[b].n;
        X.values = bad[b].weight;
        assert_int_equal(pith_i_given_edges(*state, "g", &X, &edges), PITH_E_DATA);
        if (strstr(pith_ctx_message(*state), bad[b].says) == NULL)
            fail_msg("%s", pith_ctx_message(*state));
    }
}

static pith_params *fresh(pith_ctx *ctx, const char *method)
{
    pith_params *params = NULL;
    assert_ok(ctx, pith_params_new(ctx, pith_method_find(method), &params));
    return params;
}

static void assert_shows(pith_ctx *ctx, const pith_params *params, const char *name, const char *want)
{
    char text[128];
    assert_ok(ctx, pith_params_get(ctx, params, name, text, sizeof text));
    assert_string_equal(text, want);
}

static void params_hold_one_of_graph_and_rows_and_give_it_back(void **state)
{
    static const double x[N] = {1, 2, 3, 4, 5};
    pith_ctx *ctx = *state;
    pith_params *a = fresh(ctx, "laplacian"), *b = NULL;
    pith_matrix *rows = NULL;
    assert_ok(ctx, pith_matrix_dense(ctx, N, 1, PITH_F64, x, 1, 1, &rows));
    assert_shows(ctx, a, "graph", "");
    assert_shows(ctx, a, "graph_rows", "");
    assert_ok(ctx, pith_params_set_graph(ctx, a, N, row, col, weight));
    assert_shows(ctx, a, "graph", "(given)");
    assert_int_equal(pith_params_set_graph_rows(ctx, a, rows), PITH_E_PARAMETER);
    assert_non_null(strstr(pith_ctx_message(ctx), "cannot be used together"));
    assert_ok(ctx, pith_i_params_copy(ctx, a, &b));
    assert_ok(ctx, pith_params_set_graph(ctx, a, 0, NULL, NULL, NULL));
    assert_shows(ctx, a, "graph", "");
    assert_ok(ctx, pith_params_set_graph_rows(ctx, a, rows));
    assert_shows(ctx, a, "graph_rows", "(given)");
    pith_matrix_free(rows);
    assert_int_equal(pith_i_params_shared(a)->graph_rows->data.n, N);
    pith_params_free(a);
    assert_shows(ctx, b, "graph", "(given)");
    assert_ok(ctx, pith_params_set(ctx, b, "graph", ""));
    assert_shows(ctx, b, "graph", "");
    pith_params_free(b);
}

static void calls_that_make_no_sense_are_refused(void **state)
{
    static const int32_t outside[] = {1, 7, 0, 3, 3}, twice[] = {1, 1, 0, 3, 3};
    static const int64_t falling[] = {0, 2, 1, 4, 5, 5};
    static const double bad[] = {1, (double)NAN};
    pith_ctx *ctx = *state;
    pith_params *params = fresh(ctx, "laplacian");
    pith_matrix *rows = NULL;
    assert_int_equal(pith_params_set_graph(ctx, NULL, N, row, col, weight), PITH_E_ARGUMENT);
    assert_int_equal(pith_params_set_graph(ctx, params, -1, row, col, weight), PITH_E_ARGUMENT);
    assert_int_equal(pith_params_set_graph(ctx, params, N, NULL, col, weight), PITH_E_ARGUMENT);
    assert_int_equal(pith_params_set_graph(ctx, params, N, row, NULL, weight), PITH_E_ARGUMENT);
    assert_int_equal(pith_params_set_graph(ctx, params, N, falling, col, weight), PITH_E_ARGUMENT);
    assert_int_equal(pith_params_set_graph(ctx, params, N, row, outside, weight), PITH_E_ARGUMENT);
    assert_non_null(strstr(pith_ctx_message(ctx), "columns of row 0 must ascend within 0..4"));
    assert_int_equal(pith_params_set_graph(ctx, params, N, row, twice, weight), PITH_E_ARGUMENT);
    assert_int_equal(pith_params_set_graph_rows(ctx, NULL, NULL), PITH_E_ARGUMENT);
    assert_ok(ctx, pith_matrix_dense(ctx, 2, 1, PITH_F64, bad, 1, 1, &rows));
    assert_int_equal(pith_params_set_graph_rows(ctx, params, rows), PITH_E_DATA);
    assert_non_null(strstr(pith_ctx_message(ctx), "graph_rows: row 2, column 1"));
    pith_matrix_free(rows);
    assert_shows(ctx, params, "graph", "");
    pith_params_free(params);
}

static void words_stay_words_where_a_method_has_them(void **state)
{
    pith_ctx *ctx = *state;
    pith_params *spec = fresh(ctx, "spec"), *laplacian = fresh(ctx, "laplacian");
    assert_shows(ctx, spec, "graph", "knn");
    assert_ok(ctx, pith_params_set(ctx, spec, "graph", "full"));
    assert_shows(ctx, spec, "graph", "full");
    assert_int_equal(pith_params_set(ctx, spec, "graph", "ful"), PITH_E_PARAMETER);
    assert_non_null(strstr(pith_ctx_message(ctx), "did you mean 'full'?"));
    assert_ok(ctx, pith_params_set_graph(ctx, spec, N, row, col, weight));
    assert_shows(ctx, spec, "graph", "(given)");
    assert_ok(ctx, pith_params_set(ctx, spec, "graph", "knn"));
    assert_shows(ctx, spec, "graph", "knn");
    assert_null(pith_i_params_shared(spec)->own_graph);
    assert_int_equal(pith_params_set(ctx, laplacian, "graph", "full"), PITH_E_PARAMETER);
    assert_non_null(strstr(pith_ctx_message(ctx), "cannot choose between graphs"));
    pith_params_free(spec);
    pith_params_free(laplacian);
}

static void put_text(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    (void)fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

static void a_colon_may_be_part_of_a_file_name(void **state)
{
    pith_ctx *ctx = *state;
    pith_params *params = fresh(ctx, "laplacian");
    char folder[] = "/tmp/pith-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/a.mtx:b.csv", folder);
    put_text(path, "0,1\n1,0\n");
    assert_ok(ctx, pith_params_set(ctx, params, "graph", path));
    assert_shows(ctx, params, "graph", path);
    assert_int_equal(pith_i_params_shared(params)->own_graph->data.n, 2);
    (void)remove(path);
    assert_int_equal(pith_params_set(ctx, params, "graph", path), PITH_E_FILE);
    (void)remove(folder);
    pith_params_free(params);
}

static pith_status run_given(pith_ctx *ctx, void *arg)
{
    static const double x[N * 2] = {1, 0, 2, 7, 3, 1, 5, 5, 9, 2};
    const bool rows = arg != NULL;
    pith_matrix *m = NULL;
    pith_params *params = NULL;
    pith_result *r = NULL;
    pith_status st = PITH_OK;
    TRY(pith_matrix_dense(ctx, N, 2, PITH_F64, x, 2, 1, &m));
    TRY(pith_params_new(ctx, pith_method_find("laplacian"), &params));
    TRY(rows ? pith_params_set_graph_rows(ctx, params, m)
             : pith_params_set_graph(ctx, params, N, row, col, weight));
    TRY(pith_run(ctx, m, params, &r));
done:
    pith_result_free(r);
    pith_params_free(params);
    pith_matrix_free(m);
    return st;
}

static void failing_allocations_are_survived(void **state)
{
    int some = 0;
    assert_ok(*state, run_given(*state, NULL));
    assert_survives_failing_allocations(*state, run_given, NULL, 20);
    assert_survives_failing_allocations(*state, run_given, &some, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_larger_weight_of_both_directions_counts_and_the_diagonal_does_not),
        TEST(a_row_chose_its_own_entries_heaviest_first_ties_to_the_lower_index),
        TEST(a_dense_matrix_of_floats_is_the_same_graph),
        TEST(what_is_no_graph_is_refused_by_its_place),
        TEST(params_hold_one_of_graph_and_rows_and_give_it_back),
        TEST(calls_that_make_no_sense_are_refused),
        TEST(words_stay_words_where_a_method_has_them),
        TEST(a_colon_may_be_part_of_a_file_name),
        TEST(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests_name("given", tests, NULL, NULL);
}
