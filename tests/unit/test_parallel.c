#include "core/parallel.h"
#include "core/random.h"
#include "unit/support.h"

enum { N = 3 * PITH_I_SUM_BLOCK + 17 };

static double *draws(pith_ctx *ctx, uint64_t place)
{
    pith_i_stream s = pith_i_stream_at(5, PITH_I_RANDOM_BENCH, place);
    double *x = pith_i_scratch(ctx, N, sizeof *x);
    for (int64_t i = 0; i < N; i++)
        x[i] = pith_i_random_normal(&s) * pow(10, 6 * pith_i_random_uniform(&s));
    return x;
}

static void a_dot_product_is_right_at_every_length(void **state)
{
    pith_ctx *ctx = *state;
    static const int64_t lengths[] = {
        0, 1, 2, 7, 8, 9, 4095, PITH_I_SUM_BLOCK, PITH_I_SUM_BLOCK + 1, 2 * PITH_I_SUM_BLOCK, N - 1, N};
    const double *x = draws(ctx, 1), *y = draws(ctx, 2);
    for (size_t t = 0; t < COUNT(lengths); t++) {
        long double exact = 0, size = 0;
        double found = -1;
        for (int64_t i = 0; i < lengths[t]; i++) {
            exact += (long double)x[i] * y[i];
            size += fabsl((long double)x[i] * y[i]);
        }
        assert_ok(ctx, pith_i_dot(ctx, lengths[t], x, y, &found));
        /* n eps times the sum of sizes bounds the error of any order of a sum. */
        assert_near(found, (double)exact, (double)(size * lengths[t]) * 1.2e-16);
    }
    pith_i_scratch_release(ctx, 0);
}

static void a_sum_is_the_same_to_the_bit_for_any_number_of_threads(void **state)
{
    pith_ctx *ctx = *state;
    const double *x = draws(ctx, 1), *y = draws(ctx, 2);
    double one = 0;
    assert_ok(ctx, pith_ctx_set_threads(ctx, 1));
    assert_ok(ctx, pith_i_dot(ctx, N, x, y, &one));
    for (int threads = 2; threads <= 8; threads++) {
        double many = 0;
        assert_ok(ctx, pith_ctx_set_threads(ctx, threads));
        assert_ok(ctx, pith_i_dot(ctx, N, x, y, &many));
        assert_memory_equal(&many, &one, sizeof one);
    }
    pith_i_scratch_release(ctx, 0);
}

/* Which terms a part was given, and how many. */
static void count_part(const void *self, int64_t lo, int64_t hi, double *sums)
{
    const double *base = self;
    for (int64_t i = lo; i < hi; i++)
        sums[0] += (double)i;
    sums[1] += (double)(hi - lo);
    sums[2] += hi > lo && hi - lo <= PITH_I_SUM_BLOCK ? base[0] : (double)NAN;
}

static void a_reduction_adds_every_term_once_and_every_block_s_sums(void **state)
{
    pith_ctx *ctx = *state;
    static const int64_t lengths[] = {0, 1, PITH_I_SUM_BLOCK, PITH_I_SUM_BLOCK + 1, 5 * PITH_I_SUM_BLOCK + 3};
    const double one = 1;
    for (size_t t = 0; t < COUNT(lengths); t++) {
        const int64_t n = lengths[t];
        double sums[3] = {-1, -1, -1};
        assert_ok(ctx, pith_i_reduce(ctx, n, 3, count_part, &one, sums));
        assert_true(sums[0] == (double)n * (double)(n - 1) / 2);
        assert_true(sums[1] == (double)n);
        assert_true(sums[2] == (double)((n + PITH_I_SUM_BLOCK - 1) / PITH_I_SUM_BLOCK));
    }
}

static pith_status reduce(pith_ctx *ctx, void *arg)
{
    double sum = 0;
    return pith_i_dot(ctx, 3, arg, arg, &sum);
}

static void failing_allocations_are_survived(void **state)
{
    double x[] = {1, 2, 3};
    assert_survives_failing_allocations(*state, reduce, x, 1);
}

static void the_calling_thread_is_number_0(void **state)
{
    (void)state;
    int seen[4] = {0};
    assert_int_equal(pith_i_thread(), 0);
    assert_true(pith_i_cores() >= 1);
#pragma omp parallel num_threads(4)
    seen[pith_i_thread()]++;
    for (int t = 0; t < 4; t++)
        assert_int_equal(seen[t], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_dot_product_is_right_at_every_length),
        TEST(a_sum_is_the_same_to_the_bit_for_any_number_of_threads),
        TEST(a_reduction_adds_every_term_once_and_every_block_s_sums),
        TEST(failing_allocations_are_survived),
        cmocka_unit_test(the_calling_thread_is_number_0),
    };
    return cmocka_run_group_tests_name("parallel", tests, NULL, NULL);
}
