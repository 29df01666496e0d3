#include "linalg/missed.h"
#include "unit/diagonal.h"

enum { N = 3000 };

/* A diagonal with 0.9 at rows 10 and 20; the basis holds row 10's eigenvector. */
static sketch twins(double *known)
{
    sketch d = new_diagonal(N);
    memset(known, 0, N * sizeof *known);
    d.weight[10] = d.weight[20] = 0.9;
    known[10] = 1;
    return d;
}

static void a_second_copy_of_an_eigenvalue_is_noticed(void **state)
{
    pith_ctx *ctx = *state;
    static double known[N];
    sketch d = twins(known);
    const pith_i_operator A = diagonal_operator(&d);
    const pith_i_basis V = {N, {0, 1}, {NULL, known}};
    for (uint64_t seed = 1; seed <= 20; seed++) {
        bool missed = false;
        pith_ctx_set_seed(ctx, seed);
        assert_ok(ctx, pith_i_missed_eigenvalue(ctx, &A, &V, 0.6, 1e-8, 1000, &missed));
        assert_true(missed);
    }
    free(d.weight);
}

static void nothing_is_found_where_nothing_is_missed(void **state)
{
    pith_ctx *ctx = *state;
    static double known[2 * N];
    sketch d = twins(known);
    memset(known + N, 0, N * sizeof *known);
    known[N + 20] = 1;
    const pith_i_operator A = diagonal_operator(&d);
    const pith_i_basis V = {N, {1, 1}, {known, known + N}};
    for (uint64_t seed = 1; seed <= 20; seed++) {
        bool missed = true;
        pith_ctx_set_seed(ctx, seed);
        assert_ok(ctx, pith_i_missed_eigenvalue(ctx, &A, &V, 0.6, 1e-8, 1000, &missed));
        assert_false(missed);
    }
    free(d.weight);
}

typedef struct counted {
    const sketch *d;
    int64_t *products;
} counted;

static pith_status counted_apply(pith_ctx *ctx, const void *self, int64_t m, const double *x, double *y)
{
    const counted *c = self;
    *c->products += m;
    return diagonal_apply(ctx, c->d, m, x, y);
}

/* The bound needs (ln(1.648 sqrt(3000) / 0.01) / sqrt(0.1 / 1.5) + 1) / 2 = 18.1 steps. */
static void a_wide_gap_is_settled_in_few_steps(void **state)
{
    pith_ctx *ctx = *state;
    static double known[2 * N];
    int64_t products = 0;
    sketch d = twins(known);
    memset(known + N, 0, N * sizeof *known);
    known[N + 20] = 1;
    const counted c = {&d, &products};
    const pith_i_operator A = {.n = N, .self = &c, .apply = counted_apply};
    const pith_i_basis V = {N, {1, 1}, {known, known + N}};
    bool missed = true;
    assert_ok(ctx, pith_i_missed_eigenvalue(ctx, &A, &V, 0.6, 1e-8, 1000, &missed));
    assert_false(missed);
    assert_true(products >= 17 && products <= 22);
    free(d.weight);
}

/* Two distinct values: the space is complete after two steps. */
static void a_complete_space_ends_the_search(void **state)
{
    pith_ctx *ctx = *state;
    int64_t products = 0;
    sketch d = new_diagonal(N);
    for (int64_t i = 0; i < N; i++)
        d.weight[i] = i % 2 == 0 ? 0.5 : -0.25;
    const counted c = {&d, &products};
    const pith_i_operator A = {.n = N, .self = &c, .apply = counted_apply};
    const pith_i_basis V = {N, {0, 0}, {NULL, NULL}};
    bool missed = true;
    assert_ok(ctx, pith_i_missed_eigenvalue(ctx, &A, &V, 0.5, 1e-8, 1000, &missed));
    assert_false(missed);
    assert_true(products <= 30);
    free(d.weight);
}

static pith_status search(pith_ctx *ctx, void *arg)
{
    static const double known[N] = {[10] = 1};
    const pith_i_operator A = diagonal_operator(arg);
    const pith_i_basis V = {N, {0, 1}, {NULL, known}};
    bool missed = false;
    return pith_i_missed_eigenvalue(ctx, &A, &V, 0.6, 1e-8, 1000, &missed);
}

static void failing_allocations_are_reported(void **state)
{
    static double known[N];
    sketch d = twins(known);
    assert_survives_failing_allocations(*state, search, &d, 10);
    free(d.weight);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_second_copy_of_an_eigenvalue_is_noticed), TEST(nothing_is_found_where_nothing_is_missed),
        TEST(a_wide_gap_is_settled_in_few_steps),        TEST(a_complete_space_ends_the_search),
        TEST(failing_allocations_are_reported),
    };
    return cmocka_run_group_tests_name("missed", tests, NULL, NULL);
}
