#include "select/diverse.h"
#include "unit/support.h"
#include "unit/tables.h"

#include "core/random.h"
#include "select/rank.h"

enum { N = 40, P = 60 };

/* Columns that repeat each other more or less: mixtures of eight. */
static void make_columns(double *x)
{
    double base[N][8];
    for (int i = 0; i < N; i++) {
        pith_i_stream s = pith_i_stream_at(3, PITH_I_RANDOM_BENCH, (uint64_t)i);
        for (int k = 0; k < 8; k++)
            base[i][k] = pith_i_random_normal(&s);
        for (int j = 0; j < P; j++) {
            const double v = base[i][j % 8] + (0.2 + 0.3 * (j % 5)) * pith_i_random_normal(&s);
            x[i * P + j] = v > 0.4 ? v : 0; /* zeros, so that it can be sparse */
        }
    }
}

static double correlation(const double *x, int64_t a, int64_t b)
{
    double ma = 0, mb = 0, ab = 0, aa = 0, bb = 0;
    for (int i = 0; i < N; i++) {
        ma += x[i * P + a] / N;
        mb += x[i * P + b] / N;
    }
    for (int i = 0; i < N; i++) {
        ab += (x[i * P + a] - ma) * (x[i * P + b] - mb);
        aa += (x[i * P + a] - ma) * (x[i * P + a] - ma);
        bb += (x[i * P + b] - mb) * (x[i * P + b] - mb);
    }
    return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}

/* Every candidate against every chosen one, every time. */
static void by_brute_force(const double *x, const double *score, double worst, double power, int64_t top,
                           int64_t *ranking)
{
    for (int64_t t = 0; t < top; t++) {
        int64_t best = -1;
        double most = -1;
        for (int64_t r = t; r < P; r++) {
            double corr = 0;
            for (int64_t c = 0; c < t; c++)
                corr = fmax(corr, pow(correlation(x, ranking[r], ranking[c]), 2));
            const double worth = (score[ranking[r]] - worst) * pow(fmax(0, 1 - corr), power);
            if (best < 0 || worth > most || (worth == most && ranking[r] < ranking[best])) {
                best = r;
                most = worth;
            }
        }
        const int64_t taken = ranking[best];
        memmove(ranking + t + 1, ranking + t, (size_t)(best - t) * sizeof *ranking);
        ranking[t] = taken;
    }
}

static void the_order_is_that_of_brute_force(void **state)
{
    pith_ctx *ctx = *state;
    double x[N * P], score[P];
    const pith_i_data X = {.n = N, .p = P, .dtype = PITH_F64, .x = x, .row_stride = P, .col_stride = 1};
    make_columns(x);
    pith_i_data C = as_csr(ctx, x, N, P, PITH_F64, 0), T = {0};
    assert_ok(ctx, pith_i_transpose(ctx, &C, &T));
    for (int trial = 0; trial < 12; trial++) {
        pith_i_stream s = pith_i_stream_at(4, PITH_I_RANDOM_BENCH, (uint64_t)trial);
        const bool as_it_is = trial % 2 == 1, sparse = trial % 4 >= 2;
        const double power = (const double[]){0.5, 1, 3}[trial % 3];
        const int64_t top = trial < 6 ? 25 : P;
        const pith_i_diversity options = {power, top, as_it_is};
        int64_t want[P], got[P];
        double worst = INFINITY;
        for (int j = 0; j < P; j++) {
            score[j] = pith_i_random_uniform(&s) + 0.5;
            worst = fmin(worst, score[j]);
        }
        assert_ok(ctx, pith_i_rank(ctx, P, score, NULL, NULL, want));
        memcpy(got, want, sizeof got);
        by_brute_force(x, score, as_it_is ? 0 : worst, power, top, want);
        assert_ok(ctx, pith_ctx_set_threads(ctx, 1 + trial % 3));
        assert_ok(ctx, pith_i_diverse(ctx, sparse ? &C : &X, sparse ? &T : NULL, score, &options, got));
        assert_memory_equal(got, want, sizeof got);
    }
    pith_i_data_free(&T);
    pith_i_scratch_release(ctx, 0);
}

static void copies_of_a_feature_go_behind_all_that_differs(void **state)
{
    pith_ctx *ctx = *state;
    enum { ROWS = 5, COLS = 5 };
    /* f0, f1 and f3 are the same but for scale and sign; f2 and f4 are not. */
    static const double x[ROWS * COLS] = {1,  2, 0, -1, 3, 2,  4, 1, -2, 1, 3,  6, 5,
                                          -3, 4, 4, 8,  2, -4, 1, 5, 10, 9, -5, 5};
    const pith_i_data X = {
        .n = ROWS, .p = COLS, .dtype = PITH_F64, .x = x, .row_stride = COLS, .col_stride = 1};
    const double score[COLS] = {1, 0.9, 0.2, 0.8, 0.1};
    int64_t ranking[COLS] = {0, 1, 3, 2, 4};
    assert_ok(ctx, pith_i_diverse(ctx, &X, NULL, score, &(pith_i_diversity){1, COLS, true}, ranking));
    assert_int_equal(ranking[0], 0);
    assert_true(ranking[1] == 2 || ranking[1] == 4);
    assert_true(ranking[2] == 2 || ranking[2] == 4);
}

static void nothing_moves_without_diversity_and_the_scoreless_stay_last(void **state)
{
    pith_ctx *ctx = *state;
    double x[N * P], score[P];
    const pith_i_data X = {.n = N, .p = P, .dtype = PITH_F64, .x = x, .row_stride = P, .col_stride = 1};
    int64_t before[P], after[P];
    make_columns(x);
    for (int j = 0; j < P; j++)
        score[j] = j % 6 == 1 ? (double)NAN : (double)(j * 7 % P);
    assert_ok(ctx, pith_i_rank(ctx, P, score, NULL, NULL, before));
    memcpy(after, before, sizeof after);
    assert_ok(ctx, pith_i_diverse(ctx, &X, NULL, score, &(pith_i_diversity){0, P, false}, after));
    assert_memory_equal(after, before, sizeof after);
    assert_ok(ctx, pith_i_diverse(ctx, &X, NULL, score, &(pith_i_diversity){1, P, false}, after));
    assert_true(memcmp(after, before, sizeof after) != 0);
    assert_memory_equal(after + 50, before + 50, 10 * sizeof *after);
}

typedef struct job {
    const pith_i_data *X;
    const double *score;
} job;

static pith_status run(pith_ctx *ctx, void *arg)
{
    const job *j = arg;
    int64_t ranking[P];
    for (int64_t r = 0; r < P; r++)
        ranking[r] = r;
    return pith_i_diverse(ctx, j->X, NULL, j->score, &(pith_i_diversity){1, 10, true}, ranking);
}

static void failing_allocations_are_survived(void **state)
{
    pith_ctx *ctx = *state;
    double x[N * P], score[P];
    const pith_i_data X = {.n = N, .p = P, .dtype = PITH_F64, .x = x, .row_stride = P, .col_stride = 1};
    make_columns(x);
    for (int j = 0; j < P; j++)
        score[j] = P - j;
    assert_survives_failing_allocations(ctx, run, &(job){&X, score}, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_order_is_that_of_brute_force),
        TEST(copies_of_a_feature_go_behind_all_that_differs),
        TEST(nothing_moves_without_diversity_and_the_scoreless_stay_last),
        TEST(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
