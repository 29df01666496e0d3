#include "linalg/eigen_inside.h"
#include "unit/diagonal.h"

enum { N = 1200, M = 9, BASIS = 60 };

/* Nine within 1e-5 of each other at the end of a spectrum that is a hundred thousand times as wide, the next
 * one as near. */
static sketch narrow_end(void)
{
    sketch d = new_diagonal(N);
    for (int64_t v = 0; v <= M; v++)
        d.weight[(37 * v + 11) % N] = 0.51 + 1e-6 * (double)v;
    return d;
}

static const pith_i_eigen_options want = {.m = M, .tolerance = 1e-11, .basis = BASIS};

static void pairs_at_the_end_of_a_wide_spectrum_are_found(void **state)
{
    pith_ctx *ctx = *state;
    static double values[M], vectors[M * N];
    sketch d = narrow_end();
    const pith_i_operator A = diagonal_operator(&d);
    bool found = false;
    assert_ok(ctx, pith_i_eigen_by_polynomial(ctx, &A, &want, &found, values, vectors));
    assert_true(found);
    assert_eigenpairs(ctx, &A, M, values, vectors, 2e-11, 1e-13);
    for (int v = 0; v < M; v++)
        assert_near(values[v], 0.51 + 1e-6 * (M - v), 1e-13);
    free(d.weight);
}

/* Three at the other end: the rest of the spectrum is a thousandth of it. */
static void values_far_off_at_the_other_end_do_no_harm(void **state)
{
    pith_ctx *ctx = *state;
    static double values[M], vectors[M * N];
    sketch d = narrow_end();
    const pith_i_operator A = diagonal_operator(&d);
    bool found = false;
    for (int64_t i = 0; i < N; i++)
        d.weight[i] = 1 + 1e-3 * (d.weight[i] - 1);
    d.weight[17] = -1;
    d.weight[500] = -0.7;
    d.weight[501] = 0.2;
    assert_ok(ctx, pith_i_eigen_by_polynomial(ctx, &A, &want, &found, values, vectors));
    assert_true(found);
    for (int v = 0; v < M; v++) /* far below the tolerance, which is that of the whole spectrum */
        assert_near(values[v], 1 + 1e-3 * (0.51 + 1e-6 * (M - v) - 1), 1e-14);
    assert_eigenpairs(ctx, &A, M, values, vectors, 4e-12, 1e-13);
    free(d.weight);
}

static void a_multiple_eigenvalue_comes_as_often_as_it_is_there(void **state)
{
    pith_ctx *ctx = *state;
    static double values[M], vectors[M * N];
    sketch d = new_diagonal(N);
    for (int64_t v = 0; v < M - 1; v++)
        d.weight[(37 * v + 11) % N] = 0.52;
    const pith_i_operator A = diagonal_operator(&d);
    bool found = false;
    assert_ok(ctx, pith_i_eigen_by_polynomial(ctx, &A, &want, &found, values, vectors));
    assert_true(found);
    assert_eigenpairs(ctx, &A, M, values, vectors, 2e-11, 1e-13);
    for (int v = 0; v < M - 1; v++)
        assert_near(values[v], 0.52, 1e-13);
    assert_true(values[M - 1] < 0.51);
    free(d.weight);
}

/* Three far above all others: the look knows as much as a polynomial could find out. */
static void a_spectrum_that_is_not_wide_is_left_to_others(void **state)
{
    pith_ctx *ctx = *state;
    static double values[3], vectors[3 * N];
    sketch d = new_diagonal(N);
    const pith_i_operator A = diagonal_operator(&d);
    bool found = true;
    for (int64_t i = 0; i < N; i++)
        d.weight[i] = i < 3 ? 0.9 : 0.1 * d.weight[i] - 0.8;
    assert_ok(ctx, pith_i_eigen_by_polynomial(
                       ctx, &A, &(pith_i_eigen_options){.m = 3, .tolerance = 1e-11, .basis = BASIS}, &found,
                       values, vectors));
    assert_false(found);
    free(d.weight);
}

typedef struct task {
    pith_i_operator A;
    double values[M], vectors[M * N];
} task;

static pith_status solve(pith_ctx *ctx, void *arg)
{
    task *t = arg;
    bool found = false;
    return pith_i_eigen_by_polynomial(ctx, &t->A, &want, &found, t->values, t->vectors);
}

static void threads_change_no_bit_and_failing_allocations_are_survived(void **state)
{
    pith_ctx *ctx = *state;
    static task t[2];
    sketch d = narrow_end();
    t[0].A = t[1].A = diagonal_operator(&d);
    assert_survives_failing_allocations(ctx, solve, &t[0], 8);
    for (int k = 0; k < 2; k++) {
        assert_ok(ctx, pith_ctx_set_threads(ctx, k == 0 ? 1 : 8));
        assert_ok(ctx, solve(ctx, &t[k]));
    }
    assert_memory_equal(t[0].vectors, t[1].vectors, sizeof t[0].vectors);
    free(d.weight);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(pairs_at_the_end_of_a_wide_spectrum_are_found),
        TEST(values_far_off_at_the_other_end_do_no_harm),
        TEST(a_multiple_eigenvalue_comes_as_often_as_it_is_there),
        TEST(a_spectrum_that_is_not_wide_is_left_to_others),
        TEST(threads_change_no_bit_and_failing_allocations_are_survived),
    };
    return cmocka_run_group_tests_name("eigen_polynomial", tests, NULL, NULL);
}
