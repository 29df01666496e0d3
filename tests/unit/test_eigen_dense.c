#include "linalg/eigen.h"
#include "unit/graphs.h"

static pith_status dense_apply(pith_ctx *ctx, const void *self, int64_t m, const double *x, double *y)
{
    const sketch *A = self;
    (void)ctx;
    for (int64_t v = 0; v < m; v++)
        for (int64_t i = 0; i < A->n; i++) {
            y[v * A->n + i] = 0;
            for (int64_t j = 0; j < A->n; j++)
                y[v * A->n + i] += A->weight[i * A->n + j] * x[v * A->n + j];
        }
    return PITH_OK;
}

/* 2 on the diagonal, -1 beside it: eigenvalues 2 - 2 cos(pi k / (n+1)). */
static sketch second_difference(int64_t n)
{
    sketch A = new_sketch(n);
    for (int64_t i = 0; i < n; i++) {
        A.weight[i * n + i] = 2;
        if (i > 0)
            link_rows(&A, i, i - 1, -1);
    }
    return A;
}

static void all_pairs_of_a_known_matrix(void **state)
{
    pith_ctx *ctx = *state;
    enum { SIZE = 60 };
    static double copy[SIZE * SIZE], values[SIZE], vectors[SIZE * SIZE];
    sketch A = second_difference(SIZE);
    const pith_i_operator map = {.n = SIZE, .self = &A, .apply = dense_apply};
    memcpy(copy, A.weight, sizeof copy);
    assert_ok(ctx, pith_i_eigen_dense(ctx, SIZE, copy, values, vectors));
    for (int k = 0; k < SIZE; k++) {
        assert_near(values[k], 2 - 2 * cos(M_PI * (k + 1) / (SIZE + 1)), 1e-14);
        assert_sign(SIZE, vectors + k * SIZE);
    }
    assert_eigenpairs(ctx, &map, SIZE, values, vectors, 1e-13, 1e-13);
    free(A.weight);
}

static void in_place_gives_the_same(void **state)
{
    pith_ctx *ctx = *state;
    enum { SIZE = 60 };
    static double copy[SIZE * SIZE], values[SIZE], vectors[SIZE * SIZE], again[SIZE];
    sketch A = second_difference(SIZE);
    memcpy(copy, A.weight, sizeof copy);
    assert_ok(ctx, pith_i_eigen_dense(ctx, SIZE, copy, values, vectors));
    assert_ok(ctx, pith_i_eigen_dense_in_place(ctx, SIZE, A.weight, again));
    assert_memory_equal(values, again, sizeof values);
    assert_memory_equal(vectors, A.weight, sizeof vectors);
    free(A.weight);
}

static void one_by_one_is_itself(void **state)
{
    pith_ctx *ctx = *state;
    double A = -3, value = 0, vector = 0;
    assert_ok(ctx, pith_i_eigen_dense(ctx, 1, &A, &value, &vector));
    assert_true(value == -3 && vector == 1);
}

static void a_multiple_eigenvalue_has_an_orthonormal_basis(void **state)
{
    pith_ctx *ctx = *state;
    enum { SIZE = 40 };
    static double copy[SIZE * SIZE], values[SIZE], vectors[SIZE * SIZE];
    sketch A = new_sketch(SIZE);
    for (int64_t i = 0; i < SIZE; i++) /* all ones: 0 thirty-nine times, and 40 */
        for (int64_t j = 0; j < SIZE; j++)
            A.weight[i * SIZE + j] = 1;
    const pith_i_operator map = {.n = SIZE, .self = &A, .apply = dense_apply};
    memcpy(copy, A.weight, sizeof copy);
    assert_ok(ctx, pith_i_eigen_dense(ctx, SIZE, copy, values, vectors));
    for (int k = 0; k < SIZE - 1; k++)
        assert_near(values[k], 0, 1e-13);
    assert_near(values[SIZE - 1], SIZE, 1e-13);
    assert_eigenpairs(ctx, &map, SIZE, values, vectors, 1e-13, 1e-13);
    free(A.weight);
}

static void the_sign_goes_by_the_first_of_the_largest(void **state)
{
    (void)state;
    double x[4] = {0.1, -0.5, 0.5, 0.2}, y[3] = {0.3, -0.2, 0.9}, z[3] = {0, 0, 0};
    double rounded[2] = {-0.7, 0.7 + 1e-12}; /* equal but for rounding: the first decides */
    pith_i_fix_sign(4, x);
    pith_i_fix_sign(3, y);
    pith_i_fix_sign(3, z);
    pith_i_fix_sign(2, rounded);
    assert_true(x[1] == 0.5 && x[2] == -0.5 && x[0] == -0.1);
    assert_true(y[2] == 0.9 && y[1] == -0.2);
    assert_true(z[0] == 0);
    assert_true(rounded[0] == 0.7);
}

static pith_status solve(pith_ctx *ctx, void *arg)
{
    double A[9] = {2, -1, 0, -1, 2, -1, 0, -1, 2}, values[3], vectors[9];
    (void)arg;
    return pith_i_eigen_dense(ctx, 3, A, values, vectors);
}

static void failing_allocations_are_reported(void **state)
{
    assert_survives_failing_allocations(*state, solve, NULL, 2);
}

static void more_rows_than_lapack_takes_are_refused(void **state)
{
    pith_ctx *ctx = *state;
    double nothing = 0;
    assert_int_equal(pith_i_eigen_dense(ctx, 50000, &nothing, &nothing, &nothing), PITH_E_NUMERIC);
    assert_non_null(strstr(pith_ctx_message(ctx), "50000 rows"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(all_pairs_of_a_known_matrix),
        TEST(in_place_gives_the_same),
        TEST(one_by_one_is_itself),
        TEST(a_multiple_eigenvalue_has_an_orthonormal_basis),
        TEST(the_sign_goes_by_the_first_of_the_largest),
        TEST(failing_allocations_are_reported),
        TEST(more_rows_than_lapack_takes_are_refused),
    };
    return cmocka_run_group_tests_name("eigen_dense", tests, NULL, NULL);
}
