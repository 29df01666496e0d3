#include "linalg/indicator.h"
#include "unit/tables.h"

enum { N = 30, C = 3 };

/* tr(F'MF) + (g/2) ||F'F - I||^2 for a symmetric M, and its half gradient's parts. */
typedef struct problem {
    double M[N * N], F[N * C], pos[N * C], neg[N * C], room[N * C + C * C], g;
} problem;

static void start(pith_ctx *ctx, double g, problem *q)
{
    const double *Z = random_table(ctx, N, N, 1, 1);
    int32_t label[N];
    for (int64_t i = 0; i < N; i++) {
        label[i] = (int32_t)(i % C);
        for (int64_t l = 0; l < N; l++)
            q->M[i * N + l] = (Z[i * N + l] + Z[l * N + i]) / 128 + (i == l ? 6 : 0);
    }
    q->g = g;
    assert_ok(ctx, pith_i_indicator_start(ctx, &(pith_i_data){.n = N}, C, label, q->F));
    assert_int_equal(pith_i_indicator_room(N, C), COUNT(q->room));
}

static void split(problem *q)
{
    memset(q->pos, 0, sizeof q->pos);
    memset(q->neg, 0, sizeof q->neg);
    for (int64_t i = 0; i < N; i++)
        for (int64_t l = 0; l < N; l++)
            for (int64_t k = 0; k < C; k++) {
                const double v = q->M[i * N + l] * q->F[l * C + k];
                if (v > 0)
                    q->pos[i * C + k] += v;
                else
                    q->neg[i * C + k] -= v;
            }
}

static double defect(problem *q)
{
    double out = (double)NAN;
    assert_ok(NULL, pith_i_indicator_defect(NULL, &(pith_i_data){.n = N}, C, q->F, q->room, &out));
    return out;
}

static double objective(problem *q)
{
    double sum = 0;
    split(q);
    for (int64_t e = 0; e < N * C; e++)
        sum += q->F[e] * (q->pos[e] - q->neg[e]);
    return sum + q->g / 2 * defect(q);
}

/* Half the gradient of the whole at entry (i, k). */
static double gradient(const problem *q, int64_t i, int64_t k)
{
    double sum = q->pos[i * C + k] - q->neg[i * C + k] - q->g * q->F[i * C + k];
    for (int64_t a = 0; a < C; a++)
        for (int64_t l = 0; l < N; l++)
            sum += q->g * q->F[i * C + a] * q->F[l * C + a] * q->F[l * C + k];
    return sum;
}

static void labels_stand_out_in_the_start_whatever_the_size_of_clusters(void **state)
{
    pith_ctx *ctx = *state;
    enum { MANY = 10000 };
    static int32_t label[MANY];
    static double F[MANY * 2];
    label[7] = 1;
    assert_ok(ctx, pith_i_indicator_start(ctx, &(pith_i_data){.n = MANY}, 2, label, F));
    for (int64_t k = 0; k < 2; k++) {
        double square = 0;
        for (int64_t i = 0; i < MANY; i++)
            square += F[i * 2 + k] * F[i * 2 + k];
        assert_near(square, 1, 1e-12);
    }
    assert_near(F[7 * 2 + 1] / F[6 * 2 + 1], 6, 1e-12);
    assert_near(F[6 * 2] / F[7 * 2], 6, 1e-12);
}

static void steps_never_raise_the_objective(void **state)
{
    pith_ctx *ctx = *state;
    static const double penalties[] = {0.1, 10, 1e3, 1e8};
    problem q;
    for (size_t s = 0; s < COUNT(penalties); s++) {
        start(ctx, penalties[s], &q);
        double last = objective(&q);
        for (int step = 0; step < 300; step++) {
            assert_ok(ctx, pith_i_indicator_step(ctx, &(pith_i_data){.n = N}, C, q.g, q.pos, q.neg,
                                                 PITH_I_FOURTH_ROOT, q.room, q.F));
            const double J = objective(&q);
            assert_true(J <= last + 1e-14 * (fabs(last) + q.g * C));
            last = J;
        }
        pith_i_scratch_release(ctx, 0);
    }
}

/* At the end: F >= 0, gradient 0 where F is not, and not negative where F is 0. */
static void steps_end_at_a_stationary_point(void **state)
{
    pith_ctx *ctx = *state;
    problem q;
    start(ctx, 10, &q);
    for (int step = 0; step < 6000; step++) {
        split(&q);
        assert_ok(ctx, pith_i_indicator_step(ctx, &(pith_i_data){.n = N}, C, q.g, q.pos, q.neg,
                                             PITH_I_FOURTH_ROOT, q.room, q.F));
    }
    split(&q);
    int64_t zeros = 0;
    for (int64_t i = 0; i < N; i++)
        for (int64_t k = 0; k < C; k++) {
            const double slope = gradient(&q, i, k);
            assert_true(q.F[i * C + k] >= 0);
            assert_near(q.F[i * C + k] * slope, 0, 1e-6);
            assert_true(slope > -1e-6);
            zeros += q.F[i * C + k] < 1e-6;
        }
    assert_in_range(zeros, 1, N * C - N);
    pith_i_scratch_release(ctx, 0);
}

/* With a penalty far above everything else, F becomes the scaled 0/1 indicator of its start. */
static void a_huge_penalty_restores_the_labels(void **state)
{
    pith_ctx *ctx = *state;
    problem q;
    start(ctx, 1e8, &q);
    for (int step = 0; step < 30; step++) {
        split(&q);
        assert_ok(ctx, pith_i_indicator_step(ctx, &(pith_i_data){.n = N}, C, q.g, q.pos, q.neg,
                                             PITH_I_WHOLE_STEP, q.room, q.F));
        assert_ok(ctx, pith_i_indicator_rescale(ctx, &(pith_i_data){.n = N}, C, q.F));
    }
    for (int64_t i = 0; i < N; i++)
        for (int64_t k = 0; k < C; k++)
            assert_near(q.F[i * C + k], i % C == k ? 1 / sqrt(N / C) : 0, 1e-6);
    assert_near(defect(&q), 0, 1e-10);
    pith_i_scratch_release(ctx, 0);
}

static void zeros_divide_nothing(void **state)
{
    double F[4] = {0, 0, 0, 0}, none[4] = {0}, room[8];
    pith_ctx *ctx = *state;
    assert_ok(ctx, pith_i_indicator_step(ctx, &(pith_i_data){.n = 2}, 2, 1, none, none, PITH_I_WHOLE_STEP,
                                         room, F));
    for (int e = 0; e < 4; e++)
        assert_near(F[e], 0, 0);
    assert_ok(ctx, pith_i_indicator_rescale(ctx, &(pith_i_data){.n = 2}, 2, F));
    for (int e = 0; e < 4; e++)
        assert_near(F[e], sqrt(0.5), 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(labels_stand_out_in_the_start_whatever_the_size_of_clusters),
        TEST(steps_never_raise_the_objective),
        TEST(steps_end_at_a_stationary_point),
        TEST(a_huge_penalty_restores_the_labels),
        TEST(zeros_divide_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
