#include "graph/knn_approximate.h"
#include "graph/knn_approximate_inside.h"

#include "core/search.h"
#include "graph/knn.h"
#include "unit/graph_data.h"

enum { N = 3000, K = 7 };

static pith_i_knn found(pith_ctx *ctx, const pith_i_data *X, int64_t k, pith_i_metric metric,
                        pith_i_search_mode mode, double wanted)
{
    const pith_i_searching before = pith_i_searching_begin(ctx, mode, wanted);
    pith_i_knn knn = {0};
    assert_ok(ctx, pith_i_knn_find(ctx, X, k, metric, &knn));
    (void)pith_i_searching_end(ctx, before);
    return knn;
}

/* Lists of existing rows, nearest first, none twice, at their true distances' order; returns the share that
 * is as near as the k-th of the exact ones. */
static double true_recall(const pith_i_knn *knn, const pith_i_knn *exact)
{
    int64_t right = 0;
    assert_int_equal(knn->k, exact->k);
    for (int64_t i = 0; i < knn->n; i++)
        for (int64_t e = 0; e < knn->k; e++) {
            const int64_t at = i * knn->k + e;
            assert_true(knn->index[at] >= 0 && knn->index[at] < knn->n && knn->index[at] != i);
            assert_true(knn->distance2[at] >= exact->distance2[at]); /* nothing is nearer than the nearest */
            for (int64_t b = 0; b < e; b++)
                assert_true(knn->index[i * knn->k + b] != knn->index[at]);
            assert_true(e == 0 || knn->distance2[at] >= knn->distance2[at - 1]);
            right += knn->distance2[at] <= exact->distance2[i * knn->k + knn->k - 1];
        }
    return (double)right / (double)(knn->n * knn->k);
}

/* The recall that is told is the true one, up to what a sample of 1,000 rows may be off: 5 standard errors of
 * a share of 1,000 rows, which is more than that of their neighbours. */
static double check_recall(pith_ctx *ctx, const pith_i_data *X, int64_t k, pith_i_metric metric,
                           double wanted)
{
    pith_i_knn exact = found(ctx, X, k, metric, PITH_I_SEARCH_EXACT, 1);
    pith_i_knn knn = found(ctx, X, k, metric, PITH_I_SEARCH_APPROXIMATE, wanted);
    const double truth = true_recall(&knn, &exact), told = knn.recall;
    assert_true(isnan(exact.recall));
    assert_near(told, truth, 5 * sqrt(truth * (1 - truth) / 1000) + 0.002);
    pith_i_knn_free(&exact);
    pith_i_knn_free(&knn);
    return told;
}

static void structured_rows_reach_the_recall_in_every_layout(void **state)
{
    static const int64_t columns[] = {30, 200}; /* the latter are projected */
    for (size_t c = 0; c < COUNT(columns); c++)
        for (int how = 0; how < LAYOUTS; how++) {
            double *x = structured(N, columns[c], 8, c + 1);
            pith_i_data X = laid_out(*state, x, N, columns[c], (layout)how);
            const bool seen = thorough() || (!short_run() && (how == ROWS_F64 || how == CSR_F64));
            if ((c == 0 && how == 0) || seen) {
                assert_true(check_recall(*state, &X, K, PITH_I_EUCLIDEAN, 0.95) >= 0.95);
                assert_true(check_recall(*state, &X, K, PITH_I_COSINE, 0.95) >= 0.95);
            }
            pith_i_data_free(&X);
            free(x);
        }
}

static void more_recall_takes_more_rounds(void **state)
{
    skip_when_short();
    double *x = structured(N, 40, 20, 5);
    pith_i_data X = laid_out(*state, x, N, 40, ROWS_F64);
    assert_true(check_recall(*state, &X, K, PITH_I_EUCLIDEAN, 0.999) >= 0.999);
    pith_i_data_free(&X);
    free(x);
}

/* Plain noise of many dimensions has no leaves to be found: the recall is told as it is. */
static void a_recall_that_is_not_reached_is_told(void **state)
{
    const int64_t n = 6000, p = 150;
    skip_when_short();
    double *x = new_values(n * p);
    fill_normal(x, n * p, 9);
    pith_i_data X = laid_out(*state, x, n, p, ROWS_F64);
    const double told = check_recall(*state, &X, K, PITH_I_EUCLIDEAN, 1);
    assert_true(told > 0.3 && told < 1);
    pith_i_data_free(&X);
    free(x);
}

static void texts_reach_the_recall(void **state)
{
    skip_when_short();
    const int64_t p = 600;
    double *x = new_values(N * p);
    fill_counts(x, N * p, 3, 0.97, 11);
    pith_i_data X = laid_out(*state, x, N, p, CSR_F64);
    assert_true(check_recall(*state, &X, K, PITH_I_COSINE, 0.9) >= 0.9);
    assert_true(check_recall(*state, &X, K, PITH_I_EUCLIDEAN, 0.5) >= 0.5);
    pith_i_data_free(&X);
    free(x);
}

static void any_number_of_threads_finds_the_same(void **state)
{
    skip_when_short();
    double *x = structured(N, 30, 10, 13);
    for (int how = 0; how < 2; how++) {
        pith_i_data X = laid_out(*state, x, N, 30, how == 0 ? ROWS_F64 : CSR_F64);
        pith_i_knn first = {0};
        for (int threads = 1; threads <= 7; threads += 3) {
            assert_ok(*state, pith_ctx_set_threads(*state, threads));
            pith_i_knn knn = found(*state, &X, K, PITH_I_EUCLIDEAN, PITH_I_SEARCH_APPROXIMATE, 0.8);
            if (threads == 1) {
                first = knn;
                continue;
            }
            assert_memory_equal(knn.index, first.index, (size_t)(N * K) * sizeof *knn.index);
            assert_memory_equal(knn.distance2, first.distance2, (size_t)(N * K) * sizeof *knn.distance2);
            assert_true(knn.recall == first.recall);
            pith_i_knn_free(&knn);
        }
        pith_i_knn_free(&first);
        pith_i_data_free(&X);
    }
    assert_ok(*state, pith_ctx_set_threads(*state, 0));
    free(x);
}

/* Copies of few rows, equal rows, rows of zeros: no list has a hole, and ties count as right. */
static void degenerate_rows_have_whole_lists(void **state)
{
    skip_when_short();
    enum { KINDS = 4, P = 12 };
    for (int kind = 0; kind < KINDS; kind += cases_step(2))
        for (int sparse = 0; sparse < 2; sparse++) {
            double *x = structured(N, P, 3, 17);
            for (int64_t i = 0; i < N; i++)
                for (int64_t j = 0; j < P; j++)
                    x[i * P + j] = kind == 0   ? 1
                                   : kind == 1 ? x[i % 40 * P + j]
                                   : kind == 2 ? (i % 3 == 0 ? 0 : x[i * P + j])
                                               : (i < N - 2 ? 0 : x[i * P + j]);
            pith_i_data X = laid_out(*state, x, N, P, sparse ? CSR_F64 : ROWS_F64);
            assert_true(check_recall(*state, &X, K, PITH_I_EUCLIDEAN, 0.95) >= 0.95);
            assert_true(check_recall(*state, &X, K, PITH_I_COSINE, 0.95) >= 0.95);
            pith_i_data_free(&X);
            free(x);
        }
}

/* Few rows, and lists as long as the data, are searched exactly: the recall is 1. */
static void little_data_is_searched_exactly(void **state)
{
    static const int64_t shape[][2] = {{2, 1}, {3, 2}, {3, 9}, {500, 499}, {1100, 600}};
    for (size_t s = 0; s < COUNT(shape); s++) {
        const int64_t n = shape[s][0], p = 4;
        double *x = new_values(n * p);
        fill_normal(x, n * p, s + 1);
        pith_i_data X = laid_out(*state, x, n, p, ROWS_F64);
        assert_true(check_recall(*state, &X, shape[s][1], PITH_I_EUCLIDEAN, 0.5) == 1);
        pith_i_data_free(&X);
        free(x);
    }
}

static void auto_stays_exact_below_the_limit(void **state)
{
    double *x = structured(N, 10, 3, 19);
    pith_i_data X = laid_out(*state, x, N, 10, ROWS_F64);
    pith_i_knn knn = found(*state, &X, K, PITH_I_EUCLIDEAN, PITH_I_SEARCH_AUTO, 0.95);
    assert_true(isnan(knn.recall));
    pith_i_knn_free(&knn);
    pith_i_data_free(&X);
    free(x);
}

static pith_status search_once(pith_ctx *ctx, void *arg)
{
    pith_i_knn knn = {0};
    const pith_status st = pith_i_knn_find(ctx, arg, 3, PITH_I_COSINE, &knn);
    pith_i_knn_free(&knn);
    return st;
}

static void failing_allocations_are_survived(void **state)
{
    const pith_i_searching before = pith_i_searching_begin(*state, PITH_I_SEARCH_APPROXIMATE, 0.5);
    double *x = structured(1200, 250, 3, 23);
    for (int how = 0; how < 3; how++) { /* both are projected; the last meets in lists */
        pith_i_data X = laid_out(*state, x, 1200, how < 2 ? 250 : 20, how == 0 ? ROWS_F64 : CSR_F64);
        assert_survives_failing_allocations(*state, search_once, &X,
                                            sanitized() && !watches_threads() ? 60 : 10);
        pith_i_data_free(&X);
    }
    (void)pith_i_searching_end(*state, before);
    free(x);
}

/* A sample of which a projection holds so many of a hundred neighbours. */
static pith_i_plan plan_for(pith_ctx *ctx, int64_t held)
{
    enum { ROWS = 100 };
    pith_i_reach reach = {.count = ROWS, .most = K + PITH_I_WIDEST};
    pith_i_sample sample = {.count = ROWS * PITH_I_REACH_STEP};
    assert_ok(ctx, SCRATCH(ctx, reach.distance2, ROWS * reach.most));
    assert_ok(ctx, SCRATCH(ctx, sample.kth, sample.count));
    for (int64_t e = 0; e < ROWS * reach.most; e++)
        reach.distance2[e] = e / reach.most < held ? 1 : 3;
    for (int64_t e = 0; e < sample.count; e++)
        sample.kth[e] = 2;
    return pith_i_plan_choose(&reach, &sample, K, 0.95);
}

/* What is short of the recall is worked on, what is out of reach is not. */
static void rounds_are_spared_where_next_to_nothing_is_in_reach(void **state)
{
    assert_int_equal(plan_for(*state, 100).rounds, PITH_I_ROUNDS);
    assert_int_equal(plan_for(*state, 60).rounds, PITH_I_ROUNDS);
    assert_int_equal(plan_for(*state, 10).rounds, PITH_I_ROUNDS);
    assert_int_equal(plan_for(*state, 9).rounds, 1);
    assert_int_equal(plan_for(*state, 0).rounds, 1);
    assert_near(plan_for(*state, 60).wanted, 0.98 * 0.6, 1e-12);
    pith_i_scratch_release(*state, 0);
}

static bool say_no(double done, const char *what, void *user)
{
    (void)what;
    assert_true(done >= 0 && done <= 1);
    ++*(int *)user;
    return false;
}

static void it_stops_when_told_to(void **state)
{
    const pith_i_searching before = pith_i_searching_begin(*state, PITH_I_SEARCH_APPROXIMATE, 0.95);
    double *x = structured(N, 30, 5, 29);
    pith_i_data X = laid_out(*state, x, N, 30, ROWS_F64);
    pith_i_knn knn = {0};
    int asked = 0;
    pith_ctx_set_progress(*state, say_no, &asked);
    assert_int_equal(pith_i_knn_find(*state, &X, K, PITH_I_EUCLIDEAN, &knn), PITH_E_STOPPED);
    assert_true(asked > 0);
    pith_ctx_set_progress(*state, NULL, NULL);
    (void)pith_i_searching_end(*state, before);
    pith_i_data_free(&X);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(structured_rows_reach_the_recall_in_every_layout),
        TEST(more_recall_takes_more_rounds),
        TEST(a_recall_that_is_not_reached_is_told),
        TEST(texts_reach_the_recall),
        TEST(any_number_of_threads_finds_the_same),
        TEST(degenerate_rows_have_whole_lists),
        TEST(little_data_is_searched_exactly),
        TEST(auto_stays_exact_below_the_limit),
        TEST(failing_allocations_are_survived),
        TEST(rounds_are_spared_where_next_to_nothing_is_in_reach),
        TEST(it_stops_when_told_to),
    };
    return cmocka_run_group_tests_name("knn_approximate", tests, NULL, NULL);
}
