#include "methods/snfs/box.h"

#include "core/random.h"
#include "unit/support.h"

enum { N = 40 };

/* f(x) = 1/2 (x - c)'A(x - c) + 1/4 sum (x - c)^4, A positive definite. */
typedef struct bowl {
    double A[N * N], c[N], inverse[N];
} bowl;

static pith_status bowl_value(pith_ctx *ctx, const void *self, const double *x, double *f, double *g)
{
    const bowl *B = self;
    (void)ctx;
    *f = 0;
    for (int64_t i = 0; i < N; i++) {
        const double d = x[i] - B->c[i];
        double sum = 0;
        for (int64_t j = 0; j < N; j++)
            sum += B->A[i * N + j] * (x[j] - B->c[j]);
        assert_true(x[i] >= 0 && x[i] <= 1);
        g[i] = sum + d * d * d;
        *f += 0.5 * d * sum + 0.25 * d * d * d * d;
    }
    return PITH_OK;
}

/* Columns of scales 1 .. spread; the least point of the bowl lies in and out of the box. */
static bowl *new_bowl(double spread, uint64_t seed)
{
    bowl *B = calloc(1, sizeof *B);
    double F[N * N];
    pith_i_stream s = pith_i_stream_at(seed, PITH_I_RANDOM_BENCH, 0);
    assert_non_null(B);
    for (int64_t e = 0; e < (int64_t)N * N; e++)
        F[e] = pith_i_random_normal(&s) * pow(spread, (double)(e % N) / N) / sqrt(N);
    for (int64_t i = 0; i < N; i++) {
        for (int64_t j = 0; j < N; j++)
            for (int64_t k = 0; k < N; k++)
                B->A[i * N + j] += F[k * N + i] * F[k * N + j];
        B->A[i * N + i] += 0.1;
        B->c[i] = 0.5 + pith_i_random_normal(&s);
        B->inverse[i] = 1;
    }
    return B;
}

static pith_i_box box_over(const bowl *B)
{
    return (pith_i_box){.n = N,
                        .self = B,
                        .value = bowl_value,
                        .inverse = B->inverse,
                        .eps = 0.01,
                        .gtol = 1e-7,
                        .memory = 10,
                        .max_iter = 1000};
}

static pith_i_box_end minimized(pith_ctx *ctx, const pith_i_box *box, double *x, double *g)
{
    pith_i_box_end end;
    for (int64_t t = 0; t < N; t++)
        x[t] = 1;
    assert_ok(ctx, pith_i_box_minimize(ctx, box, x, g, &end));
    return end;
}

/* The gradient is 0 inside, points out of the box at a bound, and is the point's. */
static void the_end_satisfies_the_optimality_conditions(void **state)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        bowl *B = new_bowl(seed % 2 == 0 ? 30 : 1, seed);
        pith_i_box box = box_over(B);
        double x[N], g[N], again[N], f = 0;
        int inside = 0, low = 0, high = 0;
        box.memory = seed == 3 ? 1 : 10;
        const pith_i_box_end end = minimized(*state, &box, x, g);
        assert_ok(*state, bowl_value(*state, B, x, &f, again));
        assert_true(f == end.f);
        assert_memory_equal(g, again, sizeof g);
        assert_true(end.stationarity <= box.gtol);
        assert_true(end.iterations < box.max_iter && end.evaluations > end.iterations);
        for (int64_t t = 0; t < N; t++)
            if (x[t] == 0 || x[t] == 1) {
                assert_true(x[t] == 0 ? g[t] >= -1e-4 : g[t] <= 1e-4);
                low += x[t] == 0;
                high += x[t] == 1;
            } else {
                assert_near(g[t], 0, 1e-4);
                inside++;
            }
        assert_true(inside > 3 && low > 3 && high > 3);
        free(B);
    }
}

static void the_objective_falls_at_every_step(void **state)
{
    bowl *B = new_bowl(10, 6);
    pith_i_box box = box_over(B);
    double x[N], g[N], last = INFINITY;
    for (int64_t steps = 0; steps <= 25; steps++) {
        box.max_iter = steps;
        const pith_i_box_end end = minimized(*state, &box, x, g);
        assert_true(end.iterations <= steps);
        if (end.iterations == steps)
            assert_true(end.f < last);
        last = end.f;
    }
    free(B);
}

/* With a diagonal A and no fourth powers the answer is the clipped centre. */
static pith_status apart_value(pith_ctx *ctx, const void *self, const double *x, double *f, double *g)
{
    const bowl *B = self;
    (void)ctx;
    *f = 0;
    for (int64_t t = 0; t < N; t++) {
        g[t] = B->A[t] * (x[t] - B->c[t]);
        *f += 0.5 * g[t] * (x[t] - B->c[t]);
    }
    return PITH_OK;
}

static void variables_of_very_different_scale_need_few_steps_when_it_is_known(void **state)
{
    bowl *B = new_bowl(1, 7);
    pith_i_box box = box_over(B);
    double x[N], g[N];
    int64_t steps[2] = {0};
    box.value = apart_value;
    for (int known = 0; known < 2; known++) {
        for (int64_t t = 0; t < N; t++) {
            B->A[t] = pow(10, (double)(t % 5));
            B->inverse[t] = known ? 1 / B->A[t] : 1;
        }
        steps[known] = minimized(*state, &box, x, g).iterations;
        for (int64_t t = 0; t < N; t++)
            assert_near(x[t], fmin(1, fmax(0, B->c[t])),
                        2e-3); /* gtol times the largest over its own scale */
    }
    assert_true(2 * steps[1] < steps[0]);
    free(B);
}

static pith_status flat_value(pith_ctx *ctx, const void *self, const double *x, double *f, double *g)
{
    (void)ctx;
    (void)self;
    (void)x;
    *f = 3;
    memset(g, 0, N * sizeof *g);
    return PITH_OK;
}

static void a_stationary_start_is_the_end(void **state)
{
    bowl *B = new_bowl(1, 8);
    pith_i_box box = box_over(B);
    double x[N], g[N];
    box.value = flat_value;
    const pith_i_box_end end = minimized(*state, &box, x, g);
    assert_true(end.iterations == 0 && end.evaluations == 1 && end.f == 3 && end.stationarity == 0);
    for (int64_t t = 0; t < N; t++)
        assert_true(x[t] == 1);
    free(B);
}

/* The gradient promises what the function does not keep: every step is refused. */
static pith_status lying_value(pith_ctx *ctx, const void *self, const double *x, double *f, double *g)
{
    const pith_status st = bowl_value(ctx, self, x, f, g);
    for (int64_t t = 0; t < N; t++)
        g[t] = 1;
    *f = 1;
    return st;
}

static void it_ends_where_no_step_is_short_enough(void **state)
{
    bowl *B = new_bowl(1, 9);
    pith_i_box box = box_over(B);
    double x[N], g[N];
    box.value = lying_value;
    const pith_i_box_end end = minimized(*state, &box, x, g);
    assert_true(end.iterations == 0 && end.evaluations < 100 && end.stationarity == 1);
    free(B);
}

static pith_status minimize(pith_ctx *ctx, void *box)
{
    double x[N] = {0}, g[N];
    pith_i_box_end end;
    return pith_i_box_minimize(ctx, box, x, g, &end);
}

static void failing_allocations_are_survived(void **state)
{
    bowl *B = new_bowl(1, 10);
    pith_i_box box = box_over(B);
    assert_survives_failing_allocations(*state, minimize, &box, 7);
    free(B);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_end_satisfies_the_optimality_conditions),
        TEST(the_objective_falls_at_every_step),
        TEST(variables_of_very_different_scale_need_few_steps_when_it_is_known),
        TEST(a_stationary_start_is_the_end),
        TEST(it_ends_where_no_step_is_short_enough),
        TEST(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests_name("box", tests, NULL, NULL);
}
