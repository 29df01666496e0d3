#include "linalg/eigen_inside.h"
#include "unit/diagonal.h"

enum { N = 1200, M = 9 };

/* Nine within 1e-3 of each other. With sixty vectors that is soon done; the sort of map this is for. */
static void close_eigenvalues_are_told_apart(void **state)
{
    pith_ctx *ctx = *state;
    static double values[M], vectors[M * N];
    sketch d = new_diagonal(N);
    for (int64_t v = 0; v < M; v++)
        d.weight[(37 * v + 11) % N] = 0.55 + 1e-4 * (double)v;
    const pith_i_operator A = diagonal_operator(&d);
    assert_ok(ctx, pith_i_eigen_by_arpack(ctx, &A,
                                          &(pith_i_eigen_options){.m = M, .tolerance = 1e-11, .basis = 60},
                                          values, vectors));
    assert_eigenpairs(ctx, &A, M, values, vectors, 2e-11, 1e-13);
    for (int v = 0; v < M; v++)
        assert_near(values[v], 0.55 + 1e-4 * (M - 1 - v), 1e-13);
    free(d.weight);
}

/* One of two equal eigenvalues is all that a Lanczos run can see of them. */
static void a_second_look_finds_what_the_first_missed(void **state)
{
    pith_ctx *ctx = *state;
    static double values[4], vectors[4 * N];
    sketch d = new_diagonal(N);
    const pith_i_operator A = diagonal_operator(&d);
    d.weight[5] = d.weight[600] = d.weight[1100] = 0.9;
    d.weight[7] = 0.8;
    assert_ok(ctx, pith_i_eigen_by_arpack(ctx, &A, &(pith_i_eigen_options){.m = 4, .tolerance = 1e-8}, values,
                                          vectors));
    for (int v = 0; v < 4; v++)
        assert_near(values[v], v < 3 ? 0.9 : 0.8, 1e-12);
    assert_eigenpairs(ctx, &A, 4, values, vectors, 2e-8, 1e-13);
    free(d.weight);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(close_eigenvalues_are_told_apart),
        TEST(a_second_look_finds_what_the_first_missed),
    };
    return cmocka_run_group_tests_name("eigen_arpack", tests, NULL, NULL);
}
