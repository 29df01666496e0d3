#include "graph/knn_find.h"
#include "unit/graph_data.h"

/* By definition, over the rows floor(i n / 3000) when there are more than 3000. */
static double slow_mean(const double *x, int64_t n, int64_t p, pith_i_metric metric)
{
    const int64_t count = n < 3000 ? n : 3000;
    long double sum = 0;
    for (int64_t a = 0; a < count; a++)
        for (int64_t b = a + 1; b < count; b++) {
            const int64_t i = n > 3000 ? a * n / 3000 : a, l = n > 3000 ? b * n / 3000 : b;
            sum += sqrtl(slow_distance2(x + i * p, x + l * p, p, metric));
        }
    return (double)(sum / (0.5L * (long double)count * (long double)(count - 1)));
}

/* Byte-equal for 1 and 8 threads, and right to `tolerance` of itself, in every layout. */
static void check_mean(pith_ctx *ctx, const double *x, int64_t n, int64_t p, pith_i_metric metric,
                       double tolerance)
{
    const double right = slow_mean(x, n, p, metric);
    for (int how = 0; how < LAYOUTS; how++) {
        pith_i_data X = laid_out(ctx, x, n, p, (layout)how);
        double one = 0, eight = 0;
        assert_ok(ctx, pith_ctx_set_threads(ctx, 1));
        assert_ok(ctx, pith_i_mean_distance(ctx, &X, metric, &one));
        assert_ok(ctx, pith_ctx_set_threads(ctx, 8));
        assert_ok(ctx, pith_i_mean_distance(ctx, &X, metric, &eight));
        assert_memory_equal(&one, &eight, sizeof one);
        assert_near(one, right, tolerance * right);
        pith_i_data_free(&X);
    }
}

static void mean_distance_is_right_in_every_layout(void **state)
{
    static const int64_t shape[][2] = {{2, 1}, {2, 5}, {3, 40}, {255, 3}, {300, 20}, {60, 1100}};
    for (size_t s = 0; s < COUNT(shape); s++) {
        const int64_t n = shape[s][0], p = shape[s][1];
        if (short_run() && n * n * p > 500000)
            continue;
        double *x = new_values(n * p);
        fill_normal(x, n * p, s + 50);
        check_mean(*state, x, n, p, PITH_I_EUCLIDEAN, 1e-12);
        check_mean(*state, x, n, p, PITH_I_COSINE, 1e-12);
        fill_counts(x, n * p, 4, 0.6, s + 60); /* zero rows and equal rows among them */
        x[0] = 1;
        check_mean(*state, x, n, p, PITH_I_EUCLIDEAN, 1e-12);
        check_mean(*state, x, n, p, PITH_I_COSINE, 1e-12);
        free(x);
    }
}

static void mean_distance_of_many_rows_is_that_of_a_sample(void **state)
{
    skip_when_short();
    const int64_t n = 3701, p = 2;
    double *x = new_values(n * p);
    fill_normal(x, n * p, 71);
    check_mean(*state, x, n, p, PITH_I_EUCLIDEAN, 1e-12);
    free(x);
}

/* Without centring an offset of 1000 would cost six digits. */
static void mean_distance_survives_an_offset(void **state)
{
    const int64_t n = 200, p = 30;
    double *x = new_values(n * p), mean = 0;
    fill_normal(x, n * p, 73);
    for (int64_t e = 0; e < n * p; e++)
        x[e] += 1000;
    pith_i_data X = laid_out(*state, x, n, p, ROWS_F64);
    assert_ok(*state, pith_i_mean_distance(*state, &X, PITH_I_EUCLIDEAN, &mean));
    const double right = slow_mean(x, n, p, PITH_I_EUCLIDEAN);
    assert_near(mean, right, 1e-12 * right);
    pith_i_data_free(&X);
    free(x);
}

/* The distances vary by a seventh, so the mean of 2000 does by 0.003 of itself; three times that is allowed.
 */
static void a_sample_of_pairs_has_nearly_the_mean_of_all(void **state)
{
    pith_ctx *ctx = *state;
    const int64_t n = 150, p = 25;
    double *x = new_values(n * p);
    fill_normal(x, n * p, 83);
    const double right = slow_mean(x, n, p, PITH_I_EUCLIDEAN);
    for (int how = 0; how < LAYOUTS; how++) {
        pith_i_data X = laid_out(ctx, x, n, p, (layout)how);
        pith_i_rows R = {0};
        assert_ok(ctx, pith_i_rows_open(ctx, &X, PITH_I_EUCLIDEAN, &R));
        const double one = pith_i_mean_distance_sampled(ctx, &R, 2000);
        assert_near(one, right, 0.01 * right);
        assert_true(one != right && one == pith_i_mean_distance_sampled(ctx, &R, 2000));
        pith_i_rows_close(&R);
        pith_i_data_free(&X);
    }
    free(x);
}

static void equal_rows_have_mean_distance_zero(void **state)
{
    const int64_t n = 300, p = 7;
    double *x = new_values(n * p);
    for (int64_t e = 0; e < n * p; e++)
        x[e] = 0.1 * (double)(1 + e % p);
    for (int how = 0; how < LAYOUTS; how++)
        for (int metric = 0; metric < 2; metric++) {
            pith_i_data X = laid_out(*state, x, n, p, (layout)how);
            double mean = 1;
            assert_ok(*state, pith_i_mean_distance(*state, &X, (pith_i_metric)metric, &mean));
            assert_true(mean == 0);
            pith_i_data_free(&X);
        }
    free(x);
}

static void mean_distance_gives_up_cleanly_without_memory(void **state)
{
    const int64_t n = 40, p = 5;
    double *x = new_values(n * p);
    fill_normal(x, n * p, 79);
    for (int how = 0; how < LAYOUTS; how++) {
        pith_i_data X = laid_out(*state, x, n, p, (layout)how);
        double mean = 0;
        assert_ok(*state, pith_i_mean_distance(*state, &X, PITH_I_COSINE, &mean)); /* scratch stack */
        const int64_t before = pith_i_bytes_in_use(*state);
        pith_status st = PITH_E_NOMEM;
        for (int64_t nth = 1; st != PITH_OK; nth++) {
            pith_i_fail_allocation(*state, nth);
            st = pith_i_mean_distance(*state, &X, PITH_I_COSINE, &mean);
            pith_i_fail_allocation(*state, 0);
            assert_true(st == PITH_E_NOMEM || (st == PITH_OK && nth > 5));
            assert_int_equal(pith_i_bytes_in_use(*state), before);
        }
        pith_i_data_free(&X);
    }
    free(x);
}

static void one_row_has_no_mean_distance(void **state)
{
    const double x[] = {1, 2};
    pith_i_data X = laid_out(*state, x, 1, 2, ROWS_F64);
    double mean = 0;
    assert_int_equal(pith_i_mean_distance(*state, &X, PITH_I_EUCLIDEAN, &mean), PITH_E_DATA);
    pith_i_data_free(&X);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(mean_distance_is_right_in_every_layout), TEST(mean_distance_of_many_rows_is_that_of_a_sample),
        TEST(mean_distance_survives_an_offset),       TEST(a_sample_of_pairs_has_nearly_the_mean_of_all),
        TEST(equal_rows_have_mean_distance_zero),     TEST(mean_distance_gives_up_cleanly_without_memory),
        TEST(one_row_has_no_mean_distance),
    };
    return cmocka_run_group_tests_name("mean_distance", tests, NULL, NULL);
}
