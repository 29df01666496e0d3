/* Polar factors by what makes them optimal: U'U = I, and U'N symmetric with no negative eigenvalue. */
#include "support.h"

#include "core/random.h"
#include "linalg/eigen.h"
#include "methods/factor/polar.h"

enum { MOST = 40 * 8 };

static void fill(int64_t count, uint64_t place, double *x)
{
    pith_i_stream s = pith_i_stream_at(21, PITH_I_RANDOM_BENCH, place);
    for (int64_t e = 0; e < count; e++)
        x[e] = pith_i_random_normal(&s);
}

/* N = A B: rank r. */
static void low_rank(int64_t n, int64_t k, int64_t r, uint64_t place, double *N)
{
    double A[MOST], B[MOST];
    fill(n * r, place, A);
    fill(r * k, place + 1000, B);
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < k; c++) {
            N[i * k + c] = 0;
            for (int64_t t = 0; t < r; t++)
                N[i * k + c] += A[i * r + t] * B[t * k + c];
        }
}

static void indicator(int64_t n, int64_t k, double *U)
{
    memset(U, 0, (size_t)(n * k) * sizeof *U);
    for (int64_t i = 0; i < n; i++)
        U[i * k + i % k] = 1 / sqrt((double)((n - i % k + k - 1) / k));
}

static void assert_optimal(pith_ctx *ctx, int64_t n, int64_t k, const double *N, const double *U)
{
    double M[64], S[64], values[8], vectors[64], size = 0;
    for (int64_t a = 0; a < k; a++)
        for (int64_t b = 0; b < k; b++) {
            double dot = 0;
            M[a * k + b] = 0;
            for (int64_t i = 0; i < n; i++) {
                dot += U[i * k + a] * U[i * k + b];
                M[a * k + b] += U[i * k + a] * N[i * k + b];
            }
            assert_near(dot, a == b, 1e-9);
        }
    for (int64_t e = 0; e < k * k; e++)
        size = fmax(size, fabs(M[e]));
    for (int64_t a = 0; a < k; a++)
        for (int64_t b = 0; b < k; b++) {
            assert_near(M[a * k + b], M[b * k + a], 1e-9 * size + 1e-300);
            S[a * k + b] = (M[a * k + b] + M[b * k + a]) / 2;
        }
    assert_ok(ctx, pith_i_eigen_dense(ctx, k, S, values, vectors));
    assert_true(values[0] >= -1e-9 * size);
}

static void factors_are_optimal_at_any_condition_and_rank(void **state)
{
    pith_ctx *ctx = *state;
    static const int64_t shapes[][2] = {{40, 5}, {8, 8}, {20, 1}, {9, 3}};
    for (size_t s = 0; s < COUNT(shapes); s++)
        for (int kind = 0; kind < 6; kind++) {
            const int64_t n = shapes[s][0], k = shapes[s][1];
            double N[MOST], copy[MOST], U[MOST];
            int64_t rank = -1, want = k;
            fill(n * k, 10 * s, N);
            if (kind >= 1 && kind <= 3) /* columns of very different size: condition 1e2, 1e5, 1e10 */
                for (int64_t i = 0; i < n; i++)
                    for (int64_t c = 0; c < k; c++)
                        N[i * k + c] *= pow(kind == 1   ? 1e-2
                                            : kind == 2 ? 1e-5
                                                        : 1e-10,
                                            k > 1 ? (double)c / (double)(k - 1) : 0);
            if (kind == 4)
                low_rank(n, k, want = (k + 1) / 2, 10 * s + 5, N);
            if (kind == 5) { /* nothing but zeros: nothing is asked for */
                memset(N, 0, sizeof N);
                want = 0;
            }
            memcpy(copy, N, sizeof N);
            indicator(n, k, U);
            assert_ok(ctx, pith_i_polar(ctx, &(pith_i_data){.n = n}, k, N, U, &rank));
            assert_int_equal(rank, want);
            assert_optimal(ctx, n, k, copy, U);
        }
}

/* Where N leaves a direction open, no rotation of it comes nearer to the U before: W'U2 is symmetric, >= 0.
 */
static void open_directions_stay_near_the_factor_before(void **state)
{
    pith_ctx *ctx = *state;
    enum { n = 12, k = 3 };
    double N[n * k] = {0}, U[n * k], before[n * k];
    indicator(n, k, U);
    memcpy(before, U, sizeof U);
    for (int64_t i = 0; i < n; i++) /* N asks for column 0 alone, and for what it was */
        N[i * k] = 3 * U[i * k];
    int64_t rank = 0;
    assert_ok(ctx, pith_i_polar(ctx, &(pith_i_data){.n = n}, k, N, U, &rank));
    assert_int_equal(rank, 1);
    for (int64_t e = 0; e < n * k; e++)
        assert_near(U[e], before[e], 1e-12);
    /* Even where the one before is of no use. */
    memset(N, 0, sizeof N);
    for (int64_t i = 0; i < n; i++)
        N[i * k] = U[i * k + 1];
    assert_ok(ctx, pith_i_polar(ctx, &(pith_i_data){.n = n}, k, N, U, &rank));
    for (int64_t i = 0; i < n; i++)
        assert_near(U[i * k], before[i * k + 1], 1e-12);
    double N2[n * k] = {0};
    assert_optimal(ctx, n, k, N2, U);
}

static void scales_do_not_matter_and_infinity_is_refused(void **state)
{
    pith_ctx *ctx = *state;
    double N[40 * 5], tiny[40 * 5], huge[40 * 5], U[3][40 * 5];
    fill(40 * 5, 3, N);
    for (int64_t e = 0; e < 200; e++) {
        tiny[e] = N[e] * 0x1p-1000;
        huge[e] = N[e] * 0x1p1000;
    }
    for (int i = 0; i < 3; i++)
        indicator(40, 5, U[i]);
    assert_ok(ctx, pith_i_polar(ctx, &(pith_i_data){.n = 40}, 5, N, U[0], NULL));
    assert_ok(ctx, pith_i_polar(ctx, &(pith_i_data){.n = 40}, 5, tiny, U[1], NULL));
    assert_ok(ctx, pith_i_polar(ctx, &(pith_i_data){.n = 40}, 5, huge, U[2], NULL));
    assert_memory_equal(U[0], U[1], sizeof U[0]);
    assert_memory_equal(U[0], U[2], sizeof U[0]);
    huge[7] = INFINITY;
    assert_int_equal(pith_i_polar(ctx, &(pith_i_data){.n = 40}, 5, huge, U[2], NULL), PITH_E_NUMERIC);
}

static pith_status one_of_half_rank(pith_ctx *ctx, void *arg)
{
    double N[20 * 4], U[20 * 4];
    (void)arg;
    low_rank(20, 4, 2, 1, N);
    indicator(20, 4, U);
    return pith_i_polar(ctx, &(pith_i_data){.n = 20}, 4, N, U, NULL);
}

static void failing_allocations_are_survived(void **state)
{
    assert_survives_failing_allocations(*state, one_of_half_rank, NULL, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(factors_are_optimal_at_any_condition_and_rank),
        TEST(open_directions_stay_near_the_factor_before),
        TEST(scales_do_not_matter_and_infinity_is_refused),
        TEST(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
