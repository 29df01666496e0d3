#include "linalg/cg.h"
#include "unit/tables.h"

enum { N = 60, M = 3 };

/* A = C'C / 64^2 + ridge I of a random C, by its entries. */
typedef struct dense {
    int64_t n;
    double *entries;
    int64_t products;
} dense;

static dense make(pith_ctx *ctx, double ridge)
{
    const double *C = random_table(ctx, N, N, 1, 1);
    dense d = {N, pith_i_scratch_zero(ctx, N * N, sizeof(double)), 0};
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++) {
            for (int64_t k = 0; k < N; k++)
                d.entries[i * N + j] += C[k * N + i] * C[k * N + j] / 4096;
            d.entries[i * N + j] += i == j ? ridge : 0;
        }
    return d;
}

static pith_status apply(pith_ctx *ctx, const void *self, int64_t m, const double *X, double *Y)
{
    dense *d = (dense *)self;
    (void)ctx;
    d->products++;
    for (int64_t i = 0; i < d->n; i++)
        for (int64_t t = 0; t < m; t++) {
            Y[i * m + t] = 0;
            for (int64_t j = 0; j < d->n; j++)
                Y[i * m + t] += d->entries[i * d->n + j] * X[j * m + t];
        }
    return PITH_OK;
}

/* The inverse of the diagonal. */
static pith_status divide(pith_ctx *ctx, const void *self, int64_t m, const double *X, double *Y)
{
    const dense *d = self;
    (void)ctx;
    for (int64_t e = 0; e < d->n * m; e++)
        Y[e] = X[e] / d->entries[e / m * (d->n + 1)];
    return PITH_OK;
}

/* The largest ||b - A x|| / ||b|| over the columns that are not 0. */
static double worst_residual(pith_ctx *ctx, const dense *d, const double *B, const double *X)
{
    double *AX = pith_i_scratch(ctx, N * M, sizeof *AX), worst = 0;
    assert_ok(ctx, apply(ctx, d, M, X, AX));
    for (int64_t t = 0; t < M; t++) {
        double left = 0, size = 0;
        for (int64_t i = 0; i < N; i++) {
            left += (B[i * M + t] - AX[i * M + t]) * (B[i * M + t] - AX[i * M + t]);
            size += B[i * M + t] * B[i * M + t];
        }
        worst = fmax(worst, size > 0 ? sqrt(left / size) : sqrt(left));
    }
    return worst;
}

static void the_residual_is_within_the_tolerance(void **state)
{
    pith_ctx *ctx = *state;
    static const double tolerances[] = {1e-3, 1e-8, 1e-12};
    dense d = make(ctx, 5);
    const pith_i_rows_map A = {.n = N, .self = &d, .apply = apply}, P = {.n = N, .self = &d, .apply = divide};
    const double *B = random_table(ctx, N, M, 1, 2);
    for (size_t k = 0; k < COUNT(tolerances); k++)
        for (int with = 0; with < 2; with++) {
            double X[N * M] = {0};
            int64_t steps = 0;
            assert_ok(ctx, pith_i_cg(ctx, &A, with ? &P : NULL, M, B, tolerances[k], 1000, X, &steps));
            assert_true(worst_residual(ctx, &d, B, X) <= tolerances[k]);
            assert_in_range(steps, 2, 2 * N);
        }
    pith_i_scratch_release(ctx, 0);
}

static void a_solution_is_left_as_it_is(void **state)
{
    pith_ctx *ctx = *state;
    dense d = make(ctx, 5);
    const pith_i_rows_map A = {.n = N, .self = &d, .apply = apply};
    const double *B = random_table(ctx, N, M, 1, 2);
    double X[N * M] = {0}, before[N * M];
    int64_t steps = 0;
    assert_ok(ctx, pith_i_cg(ctx, &A, NULL, M, B, 1e-10, 1000, X, NULL));
    memcpy(before, X, sizeof X);
    assert_ok(ctx, pith_i_cg(ctx, &A, NULL, M, B, 1e-10, 1000, X, &steps));
    assert_memory_equal(X, before, sizeof X);
    assert_int_equal(steps, 1);
    pith_i_scratch_release(ctx, 0);
}

static void columns_do_not_see_each_other(void **state)
{
    pith_ctx *ctx = *state;
    dense d = make(ctx, 5);
    const pith_i_rows_map A = {.n = N, .self = &d, .apply = apply};
    double *B = random_table(ctx, N, M, 1, 2), X[N * M], one[N] = {0}, b[N];
    for (int64_t e = 0; e < N * M; e++)
        X[e] = 1; /* a start that the column of zeros must leave */
    for (int64_t i = 0; i < N; i++) {
        B[i * M + 1] = 0;
        B[i * M + 2] *= 1e6;
        b[i] = B[i * M];
    }
    assert_ok(ctx, pith_i_cg(ctx, &A, NULL, M, B, 1e-11, 1000, X, NULL));
    assert_ok(ctx, pith_i_cg(ctx, &A, NULL, 1, b, 1e-11, 1000, one, NULL));
    assert_true(worst_residual(ctx, &d, B, X) <= 1e-11);
    for (int64_t i = 0; i < N; i++) {
        assert_near(X[i * M], one[i], 1e-9);
        assert_true(X[i * M + 1] == 0);
    }
    pith_i_scratch_release(ctx, 0);
}

static void too_few_steps_are_an_error(void **state)
{
    pith_ctx *ctx = *state;
    dense d = make(ctx, 1e-6);
    const pith_i_rows_map A = {.n = N, .self = &d, .apply = apply};
    const double *B = random_table(ctx, N, M, 1, 2);
    double X[N * M] = {0};
    assert_int_equal(pith_i_cg(ctx, &A, NULL, M, B, 1e-10, 5, X, NULL), PITH_E_NUMERIC);
    assert_non_null(strstr(pith_ctx_message(ctx), "not solved in 5 steps"));
    pith_i_scratch_release(ctx, 0);
}

static void what_is_not_finite_is_an_error(void **state)
{
    pith_ctx *ctx = *state;
    dense d = make(ctx, 5);
    const pith_i_rows_map A = {.n = N, .self = &d, .apply = apply};
    double *B = random_table(ctx, N, M, 1, 2), X[N * M] = {0};
    d.entries[7] = (double)NAN;
    assert_int_equal(pith_i_cg(ctx, &A, NULL, M, B, 1e-10, 100, X, NULL), PITH_E_NUMERIC);
    B[3] = INFINITY;
    assert_int_equal(pith_i_cg(ctx, &A, NULL, M, B, 1e-10, 100, X, NULL), PITH_E_NUMERIC);
    pith_i_scratch_release(ctx, 0);
}

static void where_near_will_do_few_steps_are_no_error(void **state)
{
    pith_ctx *ctx = *state;
    dense d = make(ctx, 0.1);
    const pith_i_rows_map A = {.n = N, .self = &d, .apply = apply};
    const double *B = random_table(ctx, N, M, 1, 2);
    double X[2][N * M] = {{0}};
    assert_ok(ctx, pith_i_cg_near(ctx, &A, NULL, M, B, 1e-12, 3, X[0]));
    assert_int_equal(d.products, 3);
    assert_ok(ctx, pith_i_cg_near(ctx, &A, NULL, M, B, 1e-12, 30, X[1]));
    assert_true(worst_residual(ctx, &d, B, X[1]) < worst_residual(ctx, &d, B, X[0]));
    assert_ok(ctx, pith_i_cg_near(ctx, &A, NULL, M, B, 1e-3, 1000, X[0]));
    assert_true(worst_residual(ctx, &d, B, X[0]) <= 1e-3);
    pith_i_scratch_release(ctx, 0);
}

typedef struct task {
    pith_i_rows_map A;
    const double *B;
    double *X;
} task;

static pith_status solve(pith_ctx *ctx, void *arg)
{
    const task *t = arg;
    memset(t->X, 0, N * M * sizeof *t->X);
    return pith_i_cg(ctx, &t->A, NULL, M, t->B, 1e-6, 1000, t->X, NULL);
}

static void failing_allocations_are_survived(void **state)
{
    pith_ctx *ctx = *state;
    dense d = make(ctx, 5);
    double X[N * M];
    task t = {{.n = N, .self = &d, .apply = apply}, random_table(ctx, N, M, 1, 2), X};
    assert_survives_failing_allocations(ctx, solve, &t, 8);
    pith_i_scratch_release(ctx, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_residual_is_within_the_tolerance),
        TEST(a_solution_is_left_as_it_is),
        TEST(columns_do_not_see_each_other),
        TEST(too_few_steps_are_an_error),
        TEST(what_is_not_finite_is_an_error),
        TEST(failing_allocations_are_survived),
        TEST(where_near_will_do_few_steps_are_no_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
