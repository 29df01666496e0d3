#include "methods/nrfs/ridge.h"

#include "core/random.h"
#include "matrix/blas.h"
#include "unit/support.h"

typedef struct problem {
    int64_t n, m, t;
    double ridge, *B, *Y, *gram, *work, *A;
} problem;

static void make(pith_ctx *ctx, problem *q)
{
    const int64_t least = q->n < q->m ? q->n : q->m;
    pith_i_stream s = pith_i_stream_at(5, PITH_I_RANDOM_BENCH, (uint64_t)(q->n * 1000 + q->m));
    assert_ok(ctx, SCRATCH(ctx, q->B, q->n * q->m));
    assert_ok(ctx, SCRATCH(ctx, q->Y, q->n * q->t));
    assert_ok(ctx, SCRATCH(ctx, q->gram, least * least));
    assert_ok(ctx, SCRATCH(ctx, q->work, pith_i_ridge_room(q->n, q->m, q->t)));
    assert_ok(ctx, SCRATCH(ctx, q->A, q->m * q->t));
    for (int64_t e = 0; e < q->n * q->m; e++)
        q->B[e] = pith_i_random_normal(&s);
    for (int64_t e = 0; e < q->n * q->t; e++)
        q->Y[e] = pith_i_random_normal(&s);
}

static bool solve(problem *q)
{
    pith_i_blas_enter();
    const bool done = pith_i_ridge(q->n, q->m, q->t, q->B, q->Y, q->ridge, q->gram, q->work, q->A);
    pith_i_blas_leave();
    return done;
}

static double lambda_of(const problem *q)
{
    double trace = 0;
    for (int64_t e = 0; e < q->n * q->m; e++)
        trace += q->B[e] * q->B[e];
    return q->ridge * trace / (double)q->n;
}

/* The gradient of half the objective, B'(B A - Y) + lambda A, against the size of its last term. */
static double gradient(pith_ctx *ctx, const problem *q)
{
    const double lambda = lambda_of(q);
    double worst = 0, scale = 0, *rest = NULL;
    assert_ok(ctx, SCRATCH(ctx, rest, q->n));
    for (int64_t v = 0; v < q->t; v++) {
        for (int64_t i = 0; i < q->n; i++) {
            rest[i] = -q->Y[v * q->n + i];
            for (int64_t l = 0; l < q->m; l++)
                rest[i] += q->B[l * q->n + i] * q->A[v * q->m + l];
        }
        for (int64_t j = 0; j < q->m; j++) {
            double g = lambda * q->A[v * q->m + j];
            scale = fmax(scale, fabs(g));
            for (int64_t i = 0; i < q->n; i++)
                g += q->B[j * q->n + i] * rest[i];
            worst = fmax(worst, fabs(g));
        }
    }
    return worst / scale;
}

static void ridge_satisfies_its_normal_equations_in_both_forms(void **state)
{
    static const int64_t shapes[][3] = {
        {7, 30, 2}, {30, 7, 2}, {9, 9, 1},     {1, 4, 1},
        {4, 1, 3},  {9, 10, 4}, {270, 600, 2}, {600, 270, 2}}; /* of several panels, and more than one wide */
    static const double ridges[] = {1e-3, 1, 100};
    for (size_t s = 0; s < COUNT(shapes); s++)
        for (size_t r = 0; r < COUNT(ridges); r++) {
            const size_t mark = pith_i_scratch_mark(*state);
            problem q = {.n = shapes[s][0], .m = shapes[s][1], .t = shapes[s][2], .ridge = ridges[r]};
            make(*state, &q);
            assert_true(solve(&q));
            assert_true(gradient(*state, &q) < 1e-10);
            pith_i_scratch_release(*state, mark);
        }
}

/* With a penalty of the mean eigenvalue's size the gradient is within some ten times the error of A. */
static void large_ridges_have_nine_digits_and_small_ones_fourteen(void **state)
{
    static const int64_t shapes[][2] = {{600, 270}, {270, 600}, {3200, 1800}, {1800, 3200}};
    skip_when_short(); /* 10^10 operations */
    for (size_t s = 0; s < COUNT(shapes); s++) {
        const size_t mark = pith_i_scratch_mark(*state);
        const bool large = s >= 2;
        problem q = {.n = shapes[s][0], .m = shapes[s][1], .t = 2, .ridge = 1};
        make(*state, &q);
        assert_true(pith_i_ridge_error(q.n, q.m) == (large ? 1e-9 : 1e-14));
        assert_true(solve(&q));
        assert_true(gradient(*state, &q) < (large ? 1e-8 : 1e-13));
        pith_i_scratch_release(*state, mark);
    }
}

/* Columns twice, and a penalty that single precision cannot see: 1e-10 of the mean eigenvalue, half of which
 * are 0. */
static void ridge_is_solved_where_single_precision_is_lost(void **state)
{
    static const int64_t shapes[][2] = {{40, 12}, {12, 40}};
    for (size_t s = 0; s < COUNT(shapes); s++) {
        const size_t mark = pith_i_scratch_mark(*state);
        problem q = {.n = shapes[s][0], .m = shapes[s][1], .t = 2, .ridge = 1e-10};
        make(*state, &q);
        for (int64_t e = 0; e < q.n * q.m / 2; e++)
            q.B[q.n * q.m / 2 + e] = q.B[e];
        assert_true(solve(&q));
        /* Rounding of products of 1e2, 1e-14, against lambda's 1e-10; of A that is what copies can differ by.
         */
        assert_true(gradient(*state, &q) < 1e-4);
        for (int64_t j = 0; j < q.m / 2; j++)
            assert_near(q.A[j], q.A[q.m / 2 + j], 1e-5 * (1 + fabs(q.A[j])));
        pith_i_scratch_release(*state, mark);
    }
}

/* Columns of zeros get no coefficient and move no other: with ten more of them the other form is taken. */
static void ridge_is_the_same_in_both_forms(void **state)
{
    const size_t mark = pith_i_scratch_mark(*state);
    problem q = {.n = 12, .m = 8, .t = 2, .ridge = 0.5}, wide = q;
    wide.m = 18;
    make(*state, &q);
    make(*state, &wide);
    memset(wide.B, 0, (size_t)(wide.n * wide.m) * sizeof *wide.B);
    memcpy(wide.B, q.B, (size_t)(q.n * q.m) * sizeof *q.B);
    memcpy(wide.Y, q.Y, (size_t)(q.n * q.t) * sizeof *q.Y);
    assert_true(solve(&q));
    assert_true(solve(&wide));
    for (int64_t v = 0; v < q.t; v++)
        for (int64_t j = 0; j < wide.m; j++)
            assert_near(wide.A[v * wide.m + j], j < q.m ? q.A[v * q.m + j] : 0, 1e-13);
    pith_i_scratch_release(*state, mark);
}

static void ridge_refuses_zeros_and_what_overflows(void **state)
{
    const size_t mark = pith_i_scratch_mark(*state);
    problem q = {.n = 5, .m = 3, .t = 1, .ridge = 1};
    make(*state, &q);
    q.B[4] = 1e200;
    assert_false(solve(&q));
    memset(q.B, 0, (size_t)(q.n * q.m) * sizeof *q.B);
    assert_false(solve(&q));
    pith_i_scratch_release(*state, mark);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(ridge_satisfies_its_normal_equations_in_both_forms),
        TEST(large_ridges_have_nine_digits_and_small_ones_fourteen),
        TEST(ridge_is_solved_where_single_precision_is_lost),
        TEST(ridge_is_the_same_in_both_forms),
        TEST(ridge_refuses_zeros_and_what_overflows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
