#include "linalg/cholesky.h"
#include "unit/tables.h"

enum { N = 40, M = 3 };

/* A = Z Z' + I, lower triangle; above it NaN, which nobody may look at. */
static void make(pith_ctx *ctx, double *A)
{
    const double *Z = random_table(ctx, N, N, 1, 1);
    for (int64_t i = 0; i < N; i++)
        for (int64_t l = 0; l < N; l++) {
            A[i * N + l] = l > i ? (double)NAN : i == l;
            for (int64_t t = 0; t < N && l <= i; t++)
                A[i * N + l] += Z[i * N + t] * Z[l * N + t];
        }
}

static double symmetric(const double *A, int64_t i, int64_t l)
{
    return A[i > l ? i * N + l : l * N + i];
}

static void solution_satisfies_the_system(void **state)
{
    pith_ctx *ctx = *state;
    double A[N * N], L[N * N], B[N * M];
    for (int64_t m = 1; m <= M; m += M - 1) { /* one right-hand side goes another way */
        const double *F = random_table(ctx, N, m, 1, 2);
        make(ctx, A);
        memcpy(L, A, sizeof L);
        memcpy(B, F, (size_t)(N * m) * sizeof *B);
        assert_ok(ctx, pith_i_cholesky(ctx, N, L));
        pith_i_cholesky_solve(N, L, m, B);
        for (int64_t i = 0; i < N; i++)
            for (int64_t t = 0; t < m; t++) {
                double sum = 0, size = 0;
                for (int64_t l = 0; l < N; l++) {
                    sum += symmetric(A, i, l) * B[l * m + t];
                    size += fabs(symmetric(A, i, l) * B[l * m + t]);
                }
                assert_near(sum, F[i * m + t], 1e-13 * size);
            }
        pith_i_scratch_release(ctx, 0);
    }
}

static void forward_step_keeps_the_quadratic_form(void **state)
{
    pith_ctx *ctx = *state;
    double L[N * N], x[N], half[N], whole = 0, square = 0;
    make(ctx, L);
    assert_ok(ctx, pith_i_cholesky(ctx, N, L));
    for (int64_t i = 0; i < N; i++)
        x[i] = half[i] = (double)(i % 7) - 3;
    pith_i_cholesky_forward(N, L, 1, half);
    const double *plain = half;
    for (int64_t i = 0; i < N; i++)
        square += plain[i] * plain[i];
    double solved[N];
    memcpy(solved, x, sizeof x);
    pith_i_cholesky_solve(N, L, 1, solved);
    for (int64_t i = 0; i < N; i++)
        whole += x[i] * solved[i];
    assert_near(square, whole, 1e-10 * whole); /* ||L^-1 x||^2 = x'A^-1 x */
    pith_i_scratch_release(ctx, 0);
}

static void a_matrix_that_is_not_positive_is_refused(void **state)
{
    pith_ctx *ctx = *state;
    double A[] = {1, 0, 2, 1}, B[] = {(double)NAN, 0, 0, 1};
    assert_int_equal(pith_i_cholesky(ctx, 2, A), PITH_E_NUMERIC);
    assert_non_null(strstr(pith_ctx_message(ctx), "not positive definite"));
    assert_int_equal(pith_i_cholesky(ctx, 2, B), PITH_E_NUMERIC);
    assert_ok(ctx, pith_i_cholesky(ctx, 0, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(solution_satisfies_the_system),
        TEST(forward_step_keeps_the_quadratic_form),
        TEST(a_matrix_that_is_not_positive_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
