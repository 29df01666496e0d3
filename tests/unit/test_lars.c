#include "linalg/lars.h"
#include "unit/tables.h"

enum { N = 25, P = 40 };

/* A lasso problem with its Gram matrix. */
typedef struct problem {
    double x[N * P], y[N], G[P * P], correlation[P], largest;
} problem;

static void finish(problem *q)
{
    q->largest = 0;
    for (int64_t j = 0; j < P; j++) {
        q->correlation[j] = 0;
        for (int64_t i = 0; i < N; i++)
            q->correlation[j] += q->x[i * P + j] * q->y[i];
        q->largest = fmax(q->largest, fabs(q->correlation[j]));
        for (int64_t r = 0; r < P; r++) {
            q->G[j * P + r] = 0;
            for (int64_t i = 0; i < N; i++)
                q->G[j * P + r] += q->x[i * P + j] * q->x[i * P + r];
        }
    }
}

/* Correlated features, so that some are dropped on the way. */
static void make(pith_ctx *ctx, uint64_t place, problem *q)
{
    const double *x = random_table(ctx, N, P, 1, place), *y = random_table(ctx, N, 1, 1, place + 1000);
    for (int64_t i = 0; i < N; i++) {
        q->y[i] = y[i] / 64;
        for (int64_t j = 0; j < P; j++)
            q->x[i * P + j] = (x[i * P + j] + 2 * x[i * P + j / 4]) / 64;
    }
    finish(q);
    pith_i_scratch_release(ctx, 0);
}

/* What is seen along a path; every point of it is checked against the conditions of the minimum. */
typedef struct watcher {
    const problem *q;
    const bool *left_out;
    int64_t points, drops, active;
    double lambda;
    int64_t first_with[P + 1]; /* point at which so many were nonzero for the first time; -1: none */
    double tolerance;
} watcher;

static void check_point(void *user, double lambda, int64_t nonzero, int64_t count, const int32_t *active,
                        const double *coef)
{
    watcher *w = user;
    const problem *q = w->q;
    int64_t seen = 0;
    for (int64_t j = 0; j < P; j++) {
        double c = q->correlation[j], a_j = 0;
        for (int64_t a = 0; a < count; a++) {
            c -= q->G[j * P + active[a]] * coef[a];
            a_j += active[a] == j ? coef[a] : 0;
        }
        seen += a_j != 0;
        if (a_j != 0)
            assert_near(c, a_j > 0 ? lambda : -lambda, w->tolerance * q->largest);
        else if (w->left_out == NULL || !w->left_out[j])
            assert_true(fabs(c) <= lambda + w->tolerance * q->largest);
        else
            assert_near(a_j, 0, 0);
    }
    assert_int_equal(seen, nonzero);
    assert_true(lambda <= w->lambda);
    w->drops += count > nonzero + (w->active < count);
    w->lambda = lambda;
    w->active = count;
    if (w->first_with[nonzero] < 0)
        w->first_with[nonzero] = w->points;
    w->points++;
}

static pith_i_lars_point run(pith_ctx *ctx, const problem *q, const bool *left_out, int64_t most,
                             double lambda, double tolerance, watcher *w)
{
    static pith_i_gram_features features;
    features = (pith_i_gram_features){P, q->G};
    pith_i_lasso lasso = pith_i_lasso_of_gram(&features);
    lasso.left_out = left_out;
    *w = (watcher){.q = q, .left_out = left_out, .lambda = INFINITY, .tolerance = tolerance};
    for (int k = 0; k <= P; k++)
        w->first_with[k] = -1;
    const pith_i_lars_options options = {most, lambda, check_point, w};
    return pith_i_lars(&lasso, q->correlation, &options,
                       pith_i_scratch(ctx, (int64_t)pith_i_lars_room(P, most), 1));
}

static void every_breakpoint_satisfies_the_conditions_of_the_minimum(void **state)
{
    pith_ctx *ctx = *state;
    problem q;
    watcher w;
    int64_t drops = 0;
    for (uint64_t place = 1; place <= 10; place++) {
        make(ctx, place, &q);
        const pith_i_lars_point end = run(ctx, &q, NULL, P, 0, 1e-11, &w);
        assert_int_equal(end.end, PITH_I_LARS_LAMBDA);
        assert_near(end.lambda, 0, 1e-12 * q.largest);
        assert_in_range(end.count, N - 1, N); /* it interpolates */
        drops += w.drops;
        pith_i_scratch_release(ctx, 0);
    }
    assert_true(drops > 0); /* or the test would say nothing about them */
}

static void it_ends_at_the_first_point_with_as_many_as_wanted(void **state)
{
    pith_ctx *ctx = *state;
    problem q;
    watcher whole, w;
    make(ctx, 3, &q);
    (void)run(ctx, &q, NULL, P, 0, 1e-11, &whole);
    for (int64_t most = 1; most < N - 2; most++) {
        const pith_i_lars_point end = run(ctx, &q, NULL, most, 0, 1e-11, &w);
        assert_int_equal(end.end, PITH_I_LARS_MOST);
        assert_int_equal(end.count, most);
        assert_int_equal(w.points, whole.first_with[most] + 1);
        pith_i_scratch_release(ctx, 0);
    }
}

static void it_ends_at_a_lambda_between_breakpoints(void **state)
{
    pith_ctx *ctx = *state;
    problem q;
    watcher w;
    make(ctx, 4, &q);
    for (int tenth = 1; tenth < 10; tenth++) {
        const double lambda = q.largest * tenth / 10;
        const pith_i_lars_point end = run(ctx, &q, NULL, P, lambda, 1e-11, &w);
        assert_int_equal(end.end, PITH_I_LARS_LAMBDA);
        assert_near(end.lambda, lambda, 1e-14 * q.largest);
        assert_near(w.lambda, lambda, 1e-14 * q.largest); /* and that point was checked */
        pith_i_scratch_release(ctx, 0);
    }
    const pith_i_lars_point none = run(ctx, &q, NULL, P, 2 * q.largest, 1e-11, &w);
    assert_int_equal(none.end, PITH_I_LARS_LAMBDA);
    assert_near(none.coef[0], 0, 0);
    pith_i_scratch_release(ctx, 0);
}

static void features_left_out_never_join(void **state)
{
    pith_ctx *ctx = *state;
    problem q;
    watcher w;
    bool left_out[P] = {false};
    make(ctx, 5, &q);
    for (int64_t j = 0; j < P; j++)
        left_out[j] = fabs(q.correlation[j]) > 0.6 * q.largest || j % 3 == 0;
    const pith_i_lars_point end = run(ctx, &q, left_out, 10, 0, 1e-11, &w);
    assert_int_equal(end.end, PITH_I_LARS_MOST);
    for (int64_t a = 0; a < end.count; a++)
        assert_false(left_out[end.active[a]]);
    pith_i_scratch_release(ctx, 0);
}

/* Equal columns tie at every point; the lower one joins and the other stays out. */
static void of_equal_features_the_lower_index_joins(void **state)
{
    pith_ctx *ctx = *state;
    problem q;
    watcher w;
    make(ctx, 6, &q);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < P / 2; j++)
            q.x[i * P + P - 1 - j] = q.x[i * P + j];
    finish(&q);
    const pith_i_lars_point end = run(ctx, &q, NULL, 12, 0, 1e-10, &w);
    assert_int_equal(end.end, PITH_I_LARS_MOST);
    for (int64_t a = 0; a < end.count; a++)
        assert_true(end.active[a] < P / 2);
    pith_i_scratch_release(ctx, 0);
}

/* Whole numbers, many equal correlations: the path may be lost, but every point on the way is right. */
static void ties_lead_to_no_wrong_point(void **state)
{
    pith_ctx *ctx = *state;
    problem q;
    watcher w;
    int64_t whole = 0;
    for (uint64_t place = 1; place <= 30; place++) {
        pith_i_stream s = pith_i_stream_at(5, PITH_I_RANDOM_BENCH, place);
        for (int64_t e = 0; e < N * P; e++)
            q.x[e] = (double)pith_i_random_below(&s, 3) - 1;
        for (int64_t i = 0; i < N; i++)
            q.y[i] = (double)pith_i_random_below(&s, 3) - 1;
        finish(&q);
        const pith_i_lars_point end = run(ctx, &q, NULL, 12, 0, 1e-10, &w);
        whole += end.end == PITH_I_LARS_MOST;
        pith_i_scratch_release(ctx, 0);
    }
    assert_true(whole >= 25);
}

static void nothing_correlated_is_an_empty_path(void **state)
{
    pith_ctx *ctx = *state;
    problem q;
    watcher w;
    make(ctx, 7, &q);
    memset(q.correlation, 0, sizeof q.correlation);
    const pith_i_lars_point end = run(ctx, &q, NULL, 5, 0, 1e-10, &w);
    assert_int_equal(end.end, PITH_I_LARS_LAMBDA);
    assert_int_equal(end.count, 0);
    assert_int_equal(w.points, 0);
    pith_i_scratch_release(ctx, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_breakpoint_satisfies_the_conditions_of_the_minimum),
        TEST(it_ends_at_the_first_point_with_as_many_as_wanted),
        TEST(it_ends_at_a_lambda_between_breakpoints),
        TEST(features_left_out_never_join),
        TEST(of_equal_features_the_lower_index_joins),
        TEST(ties_lead_to_no_wrong_point),
        TEST(nothing_correlated_is_an_empty_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
