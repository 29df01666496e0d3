/* Rankings of batches, merged, and graphs that are balanced over them. */
#include "select/result.h"
#include "unit/tables.h"

#include <stdio.h>

enum { N = 84, P = 10, BATCHES = 3 };

/* Batch of sample i: 40 of a, 37 of b, 7 of c, in turns. */
static int batch_of(int64_t i)
{
    return i % 12 == 5 ? 2 : i % 2 == 0 && i < 80 ? 0 : 1;
}

/* Three groups in the columns 0..2 of every batch; columns 3..5 differ between batches alone; 6 is constant.
 */
static double *make_values(pith_ctx *ctx)
{
    double *x = random_table(ctx, N, P, 1, 7);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < P; j++) {
            double *v = &x[i * P + j];
            *v = *v / 64 + (j < 3 ? 4.0 * (double)((i / 2 + j) % 3) : 0);
            *v += j >= 3 && j < 6 ? 100 * batch_of(i) : 0;
            *v = j == 6 ? 2.5 : *v;
        }
    return x;
}

static pith_matrix *make_matrix(pith_ctx *ctx, form f, const char *const names[BATCHES])
{
    const char *batch[N];
    pith_matrix *m = NULL;
    assert_ok(ctx, pith_i_matrix_new(ctx, &m));
    m->data = as_form(ctx, make_values(ctx), N, P, f, PITH_F64);
    for (int64_t i = 0; i < N; i++)
        batch[i] = names[batch_of(i)];
    assert_ok(ctx, pith_matrix_set_batches(ctx, m, batch));
    return m;
}

static const char *const abc[] = {"a", "b", "c"}, *const same[] = {"a", "a", "a"};

static pith_params *settings(pith_ctx *ctx, const char *method)
{
    pith_params *params = NULL;
    assert_ok(ctx, pith_params_new(ctx, pith_method_find(method), &params));
    return params;
}

static pith_result *ranked(pith_ctx *ctx, const pith_matrix *m, const pith_params *params)
{
    pith_result *r = NULL;
    assert_ok(ctx, pith_run(ctx, m, params, &r));
    return r;
}

static void remember(const char *text, void *user)
{
    (void)snprintf(user, 256, "%s", text);
}

static void done_with(pith_ctx *ctx, size_t mark, pith_matrix *m, pith_params *params, pith_result *r)
{
    pith_result_free(r);
    pith_params_free(params);
    pith_matrix_free(m);
    pith_i_scratch_release(ctx, mark);
}

static bool is_of_batches(int64_t feature)
{
    return feature >= 3 && feature < 6;
}

static void features_of_batches_are_the_best_without_them(void **state)
{
    const size_t mark = pith_i_scratch_mark(*state);
    pith_matrix *m = make_matrix(*state, ROW_MAJOR, same);
    pith_params *params = settings(*state, "laplacian");
    pith_result *r = ranked(*state, m, params);
    for (int k = 0; k < 3; k++)
        assert_true(is_of_batches(pith_result_ranking(r)[k]));
    done_with(*state, mark, m, params, r);
}

static void features_of_batches_are_not_among_the_merged_best(void **state)
{
    const int64_t three = 3;
    char said[256] = "";
    pith_ctx_set_note(*state, remember, said);
    for (int sparse = 0; sparse < 2; sparse++) {
        const size_t mark = pith_i_scratch_mark(*state);
        pith_matrix *m = make_matrix(*state, sparse ? CSR : COLUMN_MAJOR, abc);
        pith_params *params = settings(*state, "laplacian");
        double value = 0;
        assert_ok(*state, pith_params_set_counts(*state, params, 1, &three));
        pith_result *r = ranked(*state, m, params);
        assert_string_equal(said, "batches of fewer than 20 samples are left out: c (7 samples)");
        assert_int_equal(pith_result_n_batches(r), 2);
        for (int k = 0; k < 3; k++) {
            assert_true(pith_result_ranking(r)[k] < 3);
            assert_int_equal(pith_result_batches(r)[k], 2);
        }
        assert_int_equal(pith_result_ranking(r)[P - 1], 6);
        assert_true(isnan(pith_result_scores(r)[6]));
        assert_string_equal(pith_result_reason(r, 6), "constant");
        assert_null(pith_result_reason(r, 0));
        assert_int_equal(pith_result_keep(r), -1);
        assert_string_equal(pith_result_fact(r, 1, &value), "batches_left_out");
        assert_true(value == 1);
        done_with(*state, mark, m, params, r);
    }
    pith_ctx_set_note(*state, NULL, NULL);
}

static void a_balanced_graph_forgets_the_batches(void **state)
{
    for (int sparse = 0; sparse < 2; sparse++) {
        const size_t mark = pith_i_scratch_mark(*state);
        pith_matrix *m = make_matrix(*state, sparse ? CSR : ROW_MAJOR, abc);
        pith_params *params = settings(*state, "laplacian");
        assert_ok(*state, pith_params_set(*state, params, "standardize", "zscore"));
        assert_ok(*state, pith_params_set_batch_graph(*state, params, true));
        pith_result *r = ranked(*state, m, params);
        for (int k = 0; k < 3; k++)
            assert_true(pith_result_ranking(r)[k] < 3);
        assert_null(pith_result_batches(r));
        assert_int_equal(pith_result_n_batches(r), 0);
        done_with(*state, mark, m, params, r);
    }
}

/* All settings are those of the run; what differs between batches stays as it was asked for. */
static void settings_that_all_batches_agree_on_are_told(void **state)
{
    const size_t mark = pith_i_scratch_mark(*state);
    pith_matrix *m = make_matrix(*state, ROW_MAJOR, abc);
    pith_params *params = settings(*state, "laplacian");
    char text[32];
    assert_ok(*state, pith_params_set(*state, params, "neighbors", "38")); /* batch b has 37 samples */
    pith_result *r = ranked(*state, m, params);
    assert_ok(*state, pith_params_get(*state, pith_result_params(r), "metric", text, sizeof text));
    assert_string_equal(text, "euclidean");
    assert_ok(*state, pith_params_get(*state, pith_result_params(r), "neighbors", text, sizeof text));
    assert_string_equal(text, "38");
    done_with(*state, mark, m, params, r);
}

/* Each count has its own merge: what is among the best depends on it. */
static void every_count_has_its_ranking(void **state)
{
    const size_t mark = pith_i_scratch_mark(*state);
    const int64_t counts[] = {2, 5}, five = 5;
    pith_matrix *m = make_matrix(*state, ROW_MAJOR, abc);
    pith_params *params = settings(*state, "variance");
    assert_ok(*state, pith_params_set_counts(*state, params, 1, &five));
    pith_result *one = ranked(*state, m, params);
    assert_ok(*state, pith_params_set_counts(*state, params, 2, counts));
    pith_result *two = ranked(*state, m, params);
    const size_t size = P * sizeof(int64_t);
    assert_memory_equal(pith_result_ranking_for(two, 5), pith_result_ranking(one), size);
    assert_memory_equal(pith_result_ranking(two), pith_result_ranking(one), size);
    assert_memory_equal(pith_result_batches(two), pith_result_batches(one), P * sizeof(int32_t));
    assert_ptr_not_equal(pith_result_ranking_for(two, 2), pith_result_ranking_for(two, 5));
    pith_result_free(two);
    done_with(*state, mark, m, params, one);
}

/* A clustering to start from is cut along with the samples: given by numbers that a batch need not have all.
 */
static void labels_to_start_from_are_cut_along(void **state)
{
    const size_t mark = pith_i_scratch_mark(*state);
    pith_matrix *m = make_matrix(*state, ROW_MAJOR, abc);
    pith_params *params = settings(*state, "ndfs");
    int32_t start[N];
    for (int64_t i = 0; i < N; i++)
        start[i] = batch_of(i) == 2 ? 9 : (int32_t)(i / 2 % 3);
    assert_ok(*state, pith_params_set_init_labels(*state, params, N, start));
    pith_result *r = ranked(*state, m, params);
    assert_int_equal(pith_result_n_batches(r), 2);
    pith_result_free(r);
    assert_ok(*state, pith_params_set_init_labels(*state, params, N - 1, start));
    r = NULL;
    assert_int_equal(pith_run(*state, m, params, &r), PITH_E_DATA);
    assert_non_null(strstr(pith_ctx_message(*state), "83 initial labels"));
    done_with(*state, mark, m, params, r);
}

static void the_labels_of_a_supervised_method_are_cut_along(void **state)
{
    const size_t mark = pith_i_scratch_mark(*state);
    pith_matrix *m = make_matrix(*state, ROW_MAJOR, abc);
    pith_params *params = settings(*state, "mutual-info");
    const char *labels[N];
    for (int64_t i = 0; i < N; i++) /* batch b would have 37 samples, but most have no label */
        labels[i] = batch_of(i) == 1 && i < 50 ? "" : i / 2 % 3 == 0 ? "x" : "y";
    assert_ok(*state, pith_matrix_set_labels(*state, m, labels));
    pith_result *r = ranked(*state, m, params);
    assert_int_equal(pith_result_n_batches(r), 1);
    assert_true(pith_result_ranking(r)[0] < 3);
    done_with(*state, mark, m, params, r);
}

static void bad_batches_are_refused_in_one_sentence(void **state)
{
    const size_t mark = pith_i_scratch_mark(*state);
    pith_matrix *m = make_matrix(*state, ROW_MAJOR, abc);
    pith_params *params = settings(*state, "variance"), *graph = settings(*state, "laplacian");
    const char *batch[N];
    char many[N][8];
    pith_result *r = NULL;
    for (int i = 0; i < N; i++) {
        (void)snprintf(many[i], sizeof many[i], "p%02d", i / 8);
        batch[i] = i == 16 ? "NA" : many[i];
    }
    assert_int_equal(pith_matrix_set_batches(*state, m, batch), PITH_E_DATA);
    assert_string_equal(pith_ctx_message(*state), "sample 17 (counted from 1) has no batch, and every sample "
                                                  "needs one; fill it in, or drop the sample");
    assert_int_equal(pith_matrix_batches(m), 3); /* as they were */
    batch[16] = many[16];
    assert_ok(*state, pith_matrix_set_batches(*state, m, batch));
    assert_int_equal(pith_run(*state, m, params, &r), PITH_E_DATA);
    assert_string_equal(
        pith_ctx_message(*state),
        "no batch has the 20 samples that a ranking needs: p00 (8 samples), p01 (8 samples), "
        "p02 (8 samples), p03 (8 samples), p04 (8 samples), p05 (8 samples), p06 (8 samples), "
        "p07 (8 samples) and 3 more");
    assert_int_equal(pith_params_set_batch_graph(*state, params, true), PITH_E_PARAMETER);
    assert_non_null(strstr(pith_ctx_message(*state), "variance builds no nearest-neighbour graph"));
    assert_ok(*state, pith_params_set_batch_graph(*state, params, false));
    assert_ok(*state, pith_params_set_batch_graph(*state, graph, true));
    pith_i_free(m->batch);
    m->batch = NULL;
    assert_int_equal(pith_run(*state, m, graph, &r), PITH_E_PARAMETER);
    pith_params_free(graph);
    done_with(*state, mark, m, params, r);
}

/* What fails in one batch names it. */
static void a_batch_without_structure_is_named(void **state)
{
    const size_t mark = pith_i_scratch_mark(*state);
    double *x = make_values(*state);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; batch_of(i) == 1 && j < P; j++)
            x[i * P + j] = 1;
    pith_matrix *m = make_matrix(*state, ROW_MAJOR, abc);
    m->data = as_form(*state, x, N, P, ROW_MAJOR, PITH_F64);
    pith_params *params = settings(*state, "variance");
    pith_result *r = NULL;
    assert_int_equal(pith_run(*state, m, params, &r), PITH_E_DATA);
    assert_non_null(strstr(pith_ctx_message(*state), "batch b: every feature is constant"));
    done_with(*state, mark, m, params, r);
}

typedef struct job {
    const pith_matrix *m;
    const pith_params *params;
} job;

static pith_status act(pith_ctx *ctx, void *arg)
{
    const job *j = arg;
    pith_result *r = NULL;
    const pith_status st = pith_run(ctx, j->m, j->params, &r);
    pith_result_free(r);
    return st;
}

static void it_gives_up_cleanly_without_memory(void **state)
{
    skip_when_short();
    static const char *const method[] = {"variance", "laplacian", "ndfs"};
    const int64_t counts[] = {2, 4};
    for (int how = 0; how < 6; how++) {
        const size_t mark = pith_i_scratch_mark(*state);
        pith_matrix *m = make_matrix(*state, how % 2 == 0 ? ROW_MAJOR : CSR, abc);
        pith_params *params = settings(*state, method[how / 2]);
        if (how >= 4) /* a clustering to start from, and a graph */
            assert_ok(*state, pith_params_set(*state, params, "max_iter", "1"));
        assert_ok(*state, pith_params_set_counts(*state, params, how % 2 + 1, counts));
        assert_ok(*state, pith_params_set_batch_graph(*state, params, how == 3 || how == 4));
        job j = {m, params};
        assert_ok(*state, act(*state, &j));
        assert_survives_failing_allocations(*state, act, &j, 10);
        done_with(*state, mark, m, params, NULL);
    }
}

static void threads_do_not_matter(void **state)
{
    for (int balanced = 0; balanced < 2; balanced++) {
        const size_t mark = pith_i_scratch_mark(*state);
        pith_matrix *m = make_matrix(*state, ROW_MAJOR, abc);
        pith_params *params = settings(*state, "laplacian");
        pith_result *r[2];
        assert_ok(*state, pith_params_set_batch_graph(*state, params, balanced));
        for (int t = 0; t < 2; t++) {
            assert_ok(*state, pith_ctx_set_threads(*state, 1 + t));
            r[t] = ranked(*state, m, params);
        }
        assert_memory_equal(pith_result_ranking(r[0]), pith_result_ranking(r[1]), P * sizeof(int64_t));
        assert_memory_equal(pith_result_scores(r[0]), pith_result_scores(r[1]), P * sizeof(double));
        pith_result_free(r[1]);
        done_with(*state, mark, m, params, r[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(features_of_batches_are_the_best_without_them),
        TEST(features_of_batches_are_not_among_the_merged_best),
        TEST(a_balanced_graph_forgets_the_batches),
        TEST(settings_that_all_batches_agree_on_are_told),
        TEST(every_count_has_its_ranking),
        TEST(labels_to_start_from_are_cut_along),
        TEST(the_labels_of_a_supervised_method_are_cut_along),
        TEST(bad_batches_are_refused_in_one_sentence),
        TEST(a_batch_without_structure_is_named),
        TEST(it_gives_up_cleanly_without_memory),
        TEST(threads_do_not_matter),
    };
    return cmocka_run_group_tests_name("fill", tests, NULL, NULL);
}
