#include "matrix/stats.h"
#include "unit/tables.h"

typedef struct truth {
    double mean, variance, min, max;
    int64_t nonzeros;
} truth;

/* About the first value: those differences are exact, so that a large mean costs nothing. */
static truth of_column(const double *x, int64_t n, int64_t p, int64_t j)
{
    truth t = {.min = INFINITY, .max = -INFINITY};
    const double base = x[j];
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < n; i++) {
        const double v = x[i * p + j];
        sum += v - base;
        t.min = fmin(t.min, v);
        t.max = fmax(t.max, v);
        t.nonzeros += v != 0;
    }
    for (int64_t i = 0; i < n; i++) {
        const double dev = x[i * p + j] - base - sum / (double)n;
        squares += dev * dev;
    }
    t.mean = base + sum / (double)n;
    t.variance = squares / (double)n;
    return t;
}

static void assert_statistics(pith_ctx *ctx, const pith_i_data *X, const pith_i_data *T, const double *x,
                              double tolerance)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_column_stats s;
    assert_ok(ctx, pith_i_column_statistics(ctx, X, T, &s));
    for (int64_t j = 0; j < X->p; j++) {
        const truth t = of_column(x, X->n, X->p, j);
        assert_near(s.mean[j], t.mean, tolerance * (fabs(t.mean) + sqrt(t.variance)));
        assert_near(s.variance[j], t.variance, tolerance * t.variance);
        assert_true(s.min[j] == t.min);
        assert_true(s.max[j] == t.max);
        assert_int_equal(s.nonzeros[j], t.nonzeros);
    }
    pith_i_scratch_release(ctx, mark);
}

/* Sums of multiples of 1/64 are exact; n + 4 roundings lie in each of the two sums of squares. */
static void statistics_are_the_same_in_every_form(void **state)
{
    pith_ctx *ctx = *state;
    static const int64_t shapes[][2] = {{1, 1}, {2, 3}, {33, 70}, {200, 5}, {31, 129}, {257, 33}};
    for (size_t s = 0; s < COUNT(shapes); s++)
        for (each_form(f, dtype)) {
            const int64_t n = shapes[s][0], p = shapes[s][1];
            double *x = random_table(ctx, n, p, 0.5, s);
            for (int64_t i = 0; i < n; i++) {
                x[i * p] = 0;                                            /* nothing */
                x[i * p + 1 % p] = 2.5;                                  /* the same everywhere */
                x[i * p + 2 % p] = -fabs(x[i * p + 2 % p]);              /* 0 is the largest */
                x[i * p + p - 1] = (double)((i + 1) * (i % 2 + 1)) / 64; /* no zero at all */
            }
            const pith_i_data X = as_form(ctx, x, n, p, (form)f, (pith_dtype)dtype);
            pith_i_data T = {0};
            assert_statistics(ctx, &X, NULL, x, 2.3e-16 * (double)(n + 4));
            assert_ok(ctx, pith_i_transpose(ctx, &X, &T));
            if (X.sparse)
                assert_statistics(ctx, &X, &T, x, 2.3e-16 * (double)(n + 4));
            pith_i_data_free(&T);
            pith_i_scratch_release(ctx, 0);
        }
}

/* One pass would lose everything here: 1e9 squared has no digit left for a spread of 1. */
static void a_large_mean_does_not_hide_the_spread(void **state)
{
    pith_ctx *ctx = *state;
    enum { N = 20000, P = 3 };
    double *x = pith_i_scratch(ctx, N * P, sizeof *x);
    pith_i_stream r = pith_i_stream_at(2, PITH_I_RANDOM_BENCH, 0);
    for (int64_t e = 0; e < N * P; e++)
        x[e] = (e % P == 0 ? 1e9 : e % P == 1 ? -3e12 : 1e-9) + pith_i_random_normal(&r);
    for (int f = 0; f <= CSR; f += CSR) {
        const pith_i_data X = as_form(ctx, x, N, P, (form)f, PITH_F64);
        assert_statistics(ctx, &X, NULL, x, 1e-12);
    }
    /* Floats, as they are: their own rounding is in the data, ours must not add to it. */
    float *y = pith_i_scratch(ctx, N * P, sizeof *y);
    for (int64_t e = 0; e < N * P; e++) {
        y[e] = 16000000.F + (float)(e % 7);
        x[e] = (double)y[e];
    }
    const pith_i_data Y = {.n = N, .p = P, .dtype = PITH_F32, .x = y, .row_stride = P, .col_stride = 1};
    assert_statistics(ctx, &Y, NULL, x, 1e-12);
    pith_i_scratch_release(ctx, 0);
}

/* A mean of 1e14 is rounded to 1/64: what is lost there is kept beside it. */
static void mean_and_rest_together_are_the_mean_of_far_columns(void **state)
{
    pith_ctx *ctx = *state;
    enum { N = 1000, P = 3 };
    static const double far[P] = {1e6, -1e12, 1e14};
    double *x = pith_i_scratch(ctx, N * P, sizeof *x);
    pith_i_stream r = pith_i_stream_at(3, PITH_I_RANDOM_BENCH, 0);
    long double dev[P] = {0}; /* sums of differences from `far`, which are exact */
    for (int64_t e = 0; e < N * P; e++) {
        x[e] = far[e % P] + pith_i_random_normal(&r);
        dev[e % P] += (long double)(x[e] - far[e % P]);
    }
    for (int f = 0; f < FORMS; f++) {
        const pith_i_data X = as_form(ctx, x, N, P, (form)f, PITH_F64);
        pith_i_column_stats s;
        assert_ok(ctx, pith_i_column_statistics(ctx, &X, NULL, &s));
        for (int j = 0; j < P; j++)
            assert_near(s.mean[j] - far[j] + s.rest[j], (double)(dev[j] / N), 1e-14);
    }
    pith_i_scratch_release(ctx, 0);
}

static void a_column_varies_by_more_than_a_few_units_in_the_last_place(void **state)
{
    pith_ctx *ctx = *state;
    static const struct {
        double lo, hi;
        bool in_double, in_float;
    } cases[] = {
        {3, 3, false, false},
        {0.3, 0.1 + 0.2, false, false},     /* computed in two ways */
        {1.7e9, 1.7e9 + 1, true, false},    /* seconds: a float cannot tell them apart */
        {1.7e9, 1.7e9 + 86400, true, true}, /* a day of them */
        {1e15, 1e15 + 16, true, false},     /* 128 units of 1/8 */
        {1e16, 1e16 + 2, false, false},     /* 1 unit */
        {-1e308, 1e308, true, true},        /* the difference overflows */
        {0, 1e-30, true, true},
    };
    for (size_t t = 0; t < COUNT(cases); t++)
        for (each_form(f, dtype)) {
            if (dtype == PITH_F32 && cases[t].hi > 1e300)
                continue;
            const double x[4] = {cases[t].lo, cases[t].hi, cases[t].lo, cases[t].lo};
            const pith_i_data X = as_form(ctx, x, 4, 1, (form)f, (pith_dtype)dtype);
            pith_i_column_stats s;
            assert_ok(ctx, pith_i_column_statistics(ctx, &X, NULL, &s));
            assert_int_equal(pith_i_column_varies(&X, &s, 0),
                             dtype == PITH_F32 ? cases[t].in_float : cases[t].in_double);
            pith_i_scratch_release(ctx, 0);
        }
}

static void a_constant_has_exactly_no_variance(void **state)
{
    pith_ctx *ctx = *state;
    enum { N = 1001 };
    static const double constants[] = {0.1, -1e-300, 1e308, 1.0 / 3, 0};
    for (size_t t = 0; t < COUNT(constants); t++)
        for (int f = 0; f < FORMS; f++) {
            double x[N];
            for (int i = 0; i < N; i++)
                x[i] = constants[t];
            const pith_i_data X = as_form(ctx, x, N, 1, (form)f, PITH_F64);
            pith_i_column_stats s;
            assert_ok(ctx, pith_i_column_statistics(ctx, &X, NULL, &s));
            assert_true(s.variance[0] == 0);
            assert_true(s.mean[0] == constants[t]); /* the sum of 1e308 overflows; the mean does not */
            pith_i_scratch_release(ctx, 0);
        }
}

/* Equal but for one that is missing: not a constant whose mean we know. */
static void a_nan_is_not_hidden_by_equal_values(void **state)
{
    pith_ctx *ctx = *state;
    const double x[] = {0, 5, 1, 0, (double)NAN, 2, (double)NAN, 5, 3};
    for (int f = 0; f < FORMS; f++) {
        const pith_i_data X = as_form(ctx, x, 3, 3, (form)f, PITH_F64);
        pith_i_column_stats s;
        assert_ok(ctx, pith_i_column_statistics(ctx, &X, NULL, &s));
        for (int j = 0; j < 2; j++) {
            assert_true(isnan(s.mean[j]));
            assert_true(isnan(s.variance[j]));
        }
        assert_near(s.mean[2], 2, 1e-15);
        pith_i_scratch_release(ctx, 0);
    }
}

static void threads_do_not_change_a_bit_of_the_statistics(void **state)
{
    pith_ctx *ctx = *state;
    enum { N = 500, P = 150 };
    double *x = random_table(ctx, N, P, 0.5, 3);
    for (int64_t e = 0; e < N * P; e++)
        x[e] /= 7;
    for (int f = 0; f < FORMS; f++) {
        const pith_i_data X = as_form(ctx, x, N, P, (form)f, PITH_F64);
        pith_i_column_stats one, many;
        assert_ok(ctx, pith_ctx_set_threads(ctx, 1));
        assert_ok(ctx, pith_i_column_statistics(ctx, &X, NULL, &one));
        assert_ok(ctx, pith_ctx_set_threads(ctx, 8));
        assert_ok(ctx, pith_i_column_statistics(ctx, &X, NULL, &many));
        assert_memory_equal(one.mean, many.mean, P * sizeof(double));
        assert_memory_equal(one.variance, many.variance, P * sizeof(double));
    }
    pith_i_scratch_release(ctx, 0);
}

static void row_squares_are_exact_in_every_form(void **state)
{
    pith_ctx *ctx = *state;
    enum { N = 150, P = 133 };
    const double *x = random_table(ctx, N, P, 0.5, 4);
    double found[N];
    for (each_form(f, dtype)) {
        const pith_i_data X = as_form(ctx, x, N, P, (form)f, (pith_dtype)dtype);
        pith_i_row_squares(ctx, &X, found);
        for (int i = 0; i < N; i++) {
            double sum = 0;
            for (int j = 0; j < P; j++)
                sum += x[i * P + j] * x[i * P + j];
            assert_true(found[i] == sum);
        }
    }
    pith_i_scratch_release(ctx, 0);
}

static bool counts_are(pith_ctx *ctx, const double *x, int64_t n, int64_t p, int f)
{
    const pith_i_data X = as_form(ctx, x, n, p, (form)f, PITH_F64);
    pith_i_column_stats s;
    assert_ok(ctx, pith_i_column_statistics(ctx, &X, NULL, &s));
    return pith_i_is_counts(&X, &s);
}

/* However they are stored: a sparse matrix may hold anything, and stored zeros are zeros. */
static void counts_have_no_negative_value_and_more_zeros_than_not(void **state)
{
    pith_ctx *ctx = *state;
    static const double less[] = {1, 0, 0, 2.5, 0, 0}, half[] = {1, 0, 0, 2, 3, 0},
                        negative[] = {1, 0, 0, -2, 0, 0}, all_zero[] = {0, 0, 0, 0, 0, 0};
    for (int f = 0; f < FORMS; f++) {
        assert_true(counts_are(ctx, less, 3, 2, f));
        assert_false(counts_are(ctx, half, 3, 2, f));
        assert_false(counts_are(ctx, negative, 3, 2, f));
        assert_true(counts_are(ctx, all_zero, 3, 2, f));
        pith_i_scratch_release(ctx, 0);
    }
}

static void columns_of_zeros_do_not_move_the_density(void **state)
{
    pith_ctx *ctx = *state;
    static const double with[] = {1, 0, 0, 0, 2, 0, 3, 0, 0}; /* 3 of 6 without the last column */
    for (int f = 0; f < FORMS; f++) {
        const pith_i_data X = as_form(ctx, with, 3, 3, (form)f, PITH_F64);
        pith_i_column_stats s;
        assert_ok(ctx, pith_i_column_statistics(ctx, &X, NULL, &s));
        assert_true(pith_i_density(&X, &s) == 0.5);
        assert_false(pith_i_is_counts(&X, &s));
        pith_i_scratch_release(ctx, 0);
    }
}

static void no_rows_have_no_statistics(void **state)
{
    pith_ctx *ctx = *state;
    static const int64_t zeros[2] = {0};
    const pith_i_data empty[] = {{.n = 0, .p = 2, .dtype = PITH_F64},
                                 {.n = 0, .p = 2, .dtype = PITH_F64, .sparse = true, .indptr = zeros}};
    for (size_t t = 0; t < COUNT(empty); t++) {
        pith_i_column_stats s;
        assert_ok(ctx, pith_i_column_statistics(ctx, &empty[t], NULL, &s));
        assert_true(isnan(s.mean[0]) && isnan(s.variance[1]));
        assert_int_equal(s.nonzeros[0], 0);
        assert_false(pith_i_is_counts(&empty[t], &s));
    }
    pith_i_scratch_release(ctx, 0);
}

static pith_status statistics(pith_ctx *ctx, void *arg)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_column_stats s;
    const pith_status st = pith_i_column_statistics(ctx, arg, NULL, &s);
    pith_i_scratch_release(ctx, mark);
    return st;
}

static void failing_allocations_are_survived(void **state)
{
    pith_ctx *ctx = *state;
    const double *x = random_table(ctx, 9, 4, 0.5, 9);
    pith_i_data dense = as_form(ctx, x, 9, 4, ROW_MAJOR, PITH_F64),
                sparse = as_form(ctx, x, 9, 4, CSR, PITH_F64);
    assert_survives_failing_allocations(ctx, statistics, &dense, 5);
    assert_survives_failing_allocations(ctx, statistics, &sparse, 8);
    pith_i_scratch_release(ctx, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(statistics_are_the_same_in_every_form),
        TEST(a_large_mean_does_not_hide_the_spread),
        TEST(mean_and_rest_together_are_the_mean_of_far_columns),
        TEST(a_column_varies_by_more_than_a_few_units_in_the_last_place),
        TEST(a_constant_has_exactly_no_variance),
        TEST(a_nan_is_not_hidden_by_equal_values),
        TEST(threads_do_not_change_a_bit_of_the_statistics),
        TEST(row_squares_are_exact_in_every_form),
        TEST(counts_have_no_negative_value_and_more_zeros_than_not),
        TEST(columns_of_zeros_do_not_move_the_density),
        TEST(no_rows_have_no_statistics),
        TEST(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
