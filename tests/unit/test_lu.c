#include "methods/lgdfs/lu.h"
#include "unit/tables.h"

enum { N = 40, M = 3 };

static void solution_satisfies_the_system(void **state)
{
    pith_ctx *ctx = *state;
    double factors[N * N], x[N * M];
    int pivot[N];
    for (int64_t m = 1; m <= M; m += M - 1) { /* one right-hand side goes another way */
        double *A = random_table(ctx, N, N, 1, 1), *b = random_table(ctx, m, N, 1, 2);
        for (int64_t i = 0; i < N; i++)
            A[i * N + i] = 0; /* rows must change places */
        memcpy(factors, A, sizeof factors);
        memcpy(x, b, (size_t)(N * m) * sizeof *x);
        assert_ok(ctx, pith_i_lu(ctx, N, factors, pivot));
        pith_i_lu_solve(N, factors, pivot, m, x);
        for (int64_t v = 0; v < m; v++)
            for (int64_t i = 0; i < N; i++) {
                double sum = 0, size = 0;
                for (int64_t l = 0; l < N; l++) {
                    sum += A[i * N + l] * x[v * N + l];
                    size += fabs(A[i * N + l] * x[v * N + l]);
                }
                assert_near(sum, b[v * N + i], 1e-12 * size);
            }
        pith_i_scratch_release(ctx, 0);
    }
}

static void singular_and_non_finite_systems_are_errors(void **state)
{
    pith_ctx *ctx = *state;
    double A[4] = {1, 2, 2, 4}, not_finite[4] = {1, 0, 0, (double)NAN};
    int pivot[2];
    assert_int_equal(pith_i_lu(ctx, 2, A, pivot), PITH_E_NUMERIC);
    assert_non_null(strstr(pith_ctx_message(ctx), "2 x 2 system is singular"));
    assert_int_equal(pith_i_lu(ctx, 2, not_finite, pivot), PITH_E_NUMERIC);
    assert_ok(ctx, pith_i_lu(ctx, 0, NULL, NULL));
    pith_i_lu_solve(0, NULL, NULL, 1, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(solution_satisfies_the_system),
        TEST(singular_and_non_finite_systems_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
