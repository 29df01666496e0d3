/* The steps of a preparation: other people's numbers, and the law that each keeps whatever the data. */
#include "matrix/matrix.h"
#include "oracle/prep/numbers.h"
#include "unit/tables.h"

#include <stdio.h>

static pith_matrix *wrap(pith_ctx *ctx, pith_i_data X)
{
    pith_matrix *m = NULL;
    assert_ok(ctx, pith_i_matrix_new(ctx, &m));
    m->data = X;
    return m;
}

static pith_matrix *prep(pith_ctx *ctx, const pith_matrix *m, const char *steps)
{
    pith_matrix *out = NULL;
    const pith_status st = pith_prep(ctx, m, steps, &out);
    if (st != PITH_OK)
        fail_msg("%s: %s", steps, pith_ctx_message(ctx));
    assert_ok(ctx, pith_i_data_check(ctx, &out->data));
    return out;
}

/* ---- Oracle ----------------------------------------------------------------------------------------------
 */

static void assert_case(size_t k, const pith_i_data *X, pith_dtype dtype)
{
    const int n = oracle_cases[k].n, p = oracle_cases[k].p;
    const double *want = oracle_cases[k].values;
    double most = 0;
    assert_int_equal(X->n, n);
    assert_int_equal(X->p, p);
    for (int64_t e = 0; e < n * p; e++)
        most = fmax(most, fabs(want[e]));
    /* Float data is rounded before and after every step: a unit in its last place, and a few of them. */
    const double tolerance = (dtype == PITH_F64 ? 1e-13 : 2e-6) * most;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < p; j++)
            if (!(fabs(value_at(X, i, j) - want[i * p + j]) <= tolerance))
                fail_msg("%s (%lld, %lld): %.17g, not %.17g", oracle_cases[k].steps, (long long)i,
                         (long long)j, value_at(X, i, j), want[i * p + j]);
}

/* In every form that data can have: dense equals sparse. */
static void steps_give_the_numbers_of_scikit_learn(void **state)
{
    pith_ctx *ctx = *state;
    for (size_t k = 0; k < COUNT(oracle_cases); k++)
        for (each_form(f, dtype)) {
            const size_t mark = pith_i_scratch_mark(ctx);
            pith_matrix *m = wrap(ctx, as_form(ctx, oracle_cases[k].table == 0 ? oracle_counts : oracle_real,
                                               ORACLE_N, ORACLE_P, (form)f, (pith_dtype)dtype)),
                        *out = prep(ctx, m, oracle_cases[k].steps);
            assert_int_equal(out->data.dtype, dtype);
            assert_case(k, &out->data, (pith_dtype)dtype);
            pith_matrix_free(out);
            pith_matrix_free(m);
            pith_i_scratch_release(ctx, mark);
        }
}

/* ---- Sparse or dense -------------------------------------------------------------------------------------
 */

static void count_notes(const char *text, void *user)
{
    assert_non_null(strstr(text, "makes sparse data dense: "));
    ++*(int *)user;
}

static void sparse_data_stays_sparse_unless_a_note_says_otherwise(void **state)
{
    static const struct {
        const char *steps;
        bool of_counts, of_real; /* does it stay sparse? */
    } cases[] = {
        {"l1", true, true},
        {"l2", true, true},
        {"max", true, true},
        {"log10", true, true},
        {"binary", true, true},
        {"drop-constant", true, true},
        {"top-variance=2", true, true},
        {"center", false, false},
        {"zscore", false, false},
        {"quantile", false, false},
        {"double-center", false, false},
        {"minmax", true, false},
        {"drop-duplicates", true, true},
        {"min-df", true, true},
    };
    pith_ctx *ctx = *state;
    int notes = 0, dense = 0;
    pith_matrix *counts = wrap(ctx, as_csr(ctx, oracle_counts, ORACLE_N, ORACLE_P, PITH_F64, 0)),
                *real = wrap(ctx, as_csr(ctx, oracle_real, ORACLE_N, ORACLE_P, PITH_F64, 0));
    pith_ctx_set_note(ctx, count_notes, &notes);
    for (size_t k = 0; k < COUNT(cases); k++)
        for (int r = 0; r < 2; r++) {
            pith_matrix *out = prep(ctx, r == 0 ? counts : real, cases[k].steps);
            const bool sparse = r == 0 ? cases[k].of_counts : cases[k].of_real;
            if (out->data.sparse != sparse)
                fail_msg("%s: table %d", cases[k].steps, r);
            dense += !sparse;
            assert_int_equal(notes, dense);
            pith_matrix_free(out);
        }
    for (size_t k = 0; k < 4; k++) { /* of counts only */
        static const char *const steps[] = {"tfidf", "binormalize", "counts-per-10k", "log1p"};
        pith_matrix *out = prep(ctx, counts, steps[k]);
        assert_true(out->data.sparse);
        pith_matrix_free(out);
    }
    pith_matrix_free(counts);
    pith_matrix_free(real);
    pith_i_scratch_release(ctx, 0);
}

/* ---- Laws ------------------------------------------------------------------------------------------------
 */

enum { N = 37, P = 23 };

static double *law_table(pith_ctx *ctx, bool counts)
{
    double *x = random_table(ctx, N, P, 0.5, counts ? 5 : 6);
    for (int64_t e = 0; counts && e < N * P; e++)
        x[e] = fabs(x[e]);
    for (int64_t j = 0; j < P; j++)
        x[3 * P + j] = 0;
    return x;
}

/* Every law is asked of dense and sparse data: `check` sees the table before and after. */
typedef void law(const double *x, const double *y);

static void assert_law(pith_ctx *ctx, const char *steps, bool counts, law *check)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const double *x = law_table(ctx, counts);
    double *y = pith_i_scratch(ctx, N * P, sizeof *y);
    for (int sparse = 0; sparse < 2; sparse++) {
        pith_matrix *m = wrap(ctx, as_form(ctx, x, N, P, sparse ? CSR : ROW_MAJOR, PITH_F64)),
                    *out = prep(ctx, m, steps);
        assert_ok(ctx, pith_matrix_get_rows(ctx, out, 0, N, y));
        check(x, y);
        pith_matrix_free(out);
        pith_matrix_free(m);
    }
    pith_i_scratch_release(ctx, mark);
}

/* Sum of |y|^power over a row or a column, or of y itself for power 0. */
static double total(const double *y, int64_t i, int64_t j, double power)
{
    double sum = 0;
    for (int64_t e = 0; e < (i >= 0 ? P : N); e++) {
        const double v = i >= 0 ? y[i * P + e] : y[e * P + j];
        sum += power == 0 ? v : pow(fabs(v), power);
    }
    return sum;
}

static void rows_of_length(const double *y, double power, double length)
{
    for (int64_t i = 0; i < N; i++)
        assert_near(total(y, i, -1, power), i == 3 ? 0 : length, 1e-12 * length);
}

/* Divided by, not moved: the ratios within a row stay. */
static void ratios_stay(const double *x, const double *y)
{
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 1; j < P; j++)
            assert_near(y[i * P + j] * x[i * P], x[i * P + j] * y[i * P], 1e-9);
}

static void law_l1(const double *x, const double *y)
{
    rows_of_length(y, 1, 1);
    ratios_stay(x, y);
}

static void law_l2(const double *x, const double *y)
{
    rows_of_length(y, 2, 1);
    ratios_stay(x, y);
}

static void law_max(const double *x, const double *y)
{
    for (int64_t i = 0; i < N; i++) {
        double most = 0;
        for (int64_t j = 0; j < P; j++)
            most = fmax(most, fabs(y[i * P + j]));
        assert_true(most == (i == 3 ? 0 : 1));
    }
    ratios_stay(x, y);
}

static void law_total(const double *x, const double *y)
{
    rows_of_length(y, 1, 1e4);
    ratios_stay(x, y);
}

static void law_log1p(const double *x, const double *y)
{
    for (int64_t e = 0; e < N * P; e++)
        assert_near(expm1(y[e]), x[e], 1e-12 * (1 + x[e]));
}

static void law_log10(const double *x, const double *y)
{
    for (int64_t e = 0; e < N * P; e++)
        assert_near(pow(10, y[e]), fmax(x[e], 1), 1e-12 * (1 + x[e]));
}

static void law_center(const double *x, const double *y)
{
    for (int64_t j = 0; j < P; j++) {
        assert_near(total(y, -1, j, 0), 0, 1e-11);
        for (int64_t i = 1; i < N; i++) /* moved only */
            assert_near(y[i * P + j] - y[j], x[i * P + j] - x[j], 1e-12);
    }
}

static void law_zscore(const double *x, const double *y)
{
    (void)x;
    for (int64_t j = 0; j < P; j++) {
        assert_near(total(y, -1, j, 0), 0, 1e-12 * N);
        assert_near(total(y, -1, j, 2), N, 1e-12 * N);
    }
}

static void law_minmax(const double *x, const double *y)
{
    (void)x;
    for (int64_t j = 0; j < P; j++) {
        double lo = 2, hi = -1;
        for (int64_t i = 0; i < N; i++) {
            lo = fmin(lo, y[i * P + j]);
            hi = fmax(hi, y[i * P + j]);
        }
        assert_true(lo == 0 && hi == 1);
    }
}

static void law_double_center(const double *x, const double *y)
{
    for (int64_t i = 0; i < N; i++)
        assert_near(total(y, i, -1, 0), 0, 1e-11);
    for (int64_t j = 0; j < P; j++)
        assert_near(total(y, -1, j, 0), 0, 1e-11);
    for (int64_t i = 1; i < N; i++) /* what rows and columns do not explain stays */
        for (int64_t j = 1; j < P; j++)
            assert_near(y[i * P + j] - y[i * P] - y[j] + y[0], x[i * P + j] - x[i * P] - x[j] + x[0], 1e-11);
}

/* Ranks stay, ties too, and every sample has the same mean. */
static void law_quantile(const double *x, const double *y)
{
    for (int64_t i = 0; i < N; i++) {
        assert_near(total(y, i, -1, 0), total(y, 0, -1, 0), 1e-10);
        for (int64_t j = 0; j < P; j++)
            for (int64_t k = 0; k < P; k++) {
                if (x[i * P + j] == x[i * P + k])
                    assert_true(y[i * P + j] == y[i * P + k]);
                if (x[i * P + j] < x[i * P + k])
                    assert_true(y[i * P + j] <= y[i * P + k]);
            }
    }
}

/* The roots of the totals are the leading singular pair, with the singular value 1. */
static void law_binormalize(const double *x, const double *y)
{
    for (int64_t i = 0; i < N; i++) {
        double sum = 0;
        for (int64_t j = 0; j < P; j++)
            sum += y[i * P + j] * sqrt(total(x, -1, j, 1));
        assert_near(sum, sqrt(total(x, i, -1, 1)), 1e-11);
    }
}

static void law_binary(const double *x, const double *y)
{
    for (int64_t e = 0; e < N * P; e++)
        assert_true(y[e] == (x[e] > 0));
}

/* Each column is multiplied by one factor, that of a rarer one being larger. */
static void law_tfidf(const double *x, const double *y)
{
    double factor[P], df[P];
    for (int64_t j = 0; j < P; j++) {
        df[j] = total(x, -1, j, 1e-300); /* x^tiny is 1 */
        factor[j] = total(y, -1, j, 1) / total(x, -1, j, 1);
        for (int64_t i = 0; i < N; i++)
            assert_near(y[i * P + j], factor[j] * x[i * P + j], 1e-12 * x[i * P + j]);
    }
    for (int64_t j = 1; j < P; j++)
        assert_true(df[j] == df[0] || (df[j] < df[0]) == (factor[j] > factor[0]));
}

static void every_step_keeps_its_law(void **state)
{
    pith_ctx *ctx = *state;
    assert_law(ctx, "l1", false, law_l1);
    assert_law(ctx, "l2", false, law_l2);
    assert_law(ctx, "max", false, law_max);
    assert_law(ctx, "counts-per-10k", true, law_total);
    assert_law(ctx, "log1p", true, law_log1p);
    assert_law(ctx, "log10", true, law_log10);
    assert_law(ctx, "center", false, law_center);
    assert_law(ctx, "zscore", false, law_zscore);
    assert_law(ctx, "minmax", false, law_minmax);
    assert_law(ctx, "minmax", true, law_minmax);
    assert_law(ctx, "double-center", false, law_double_center);
    assert_law(ctx, "quantile", false, law_quantile);
    assert_law(ctx, "binormalize", true, law_binormalize);
    assert_law(ctx, "binary", false, law_binary);
    assert_law(ctx, "tfidf", true, law_tfidf);
    assert_law(ctx, "tfidf=smooth", true, law_tfidf);
}

/* Samples of depths of their own, of which some have five times as much of three features: the others are the
 * same everywhere after the step. Row 3 is empty, row 4 has what the others have not. */
static void size_factors_do_not_follow_what_some_samples_have_more_of(void **state)
{
    pith_ctx *ctx = *state;
    for (each_form(f, dtype)) {
        double *x = pith_i_scratch(ctx, N * P, sizeof *x), y[N * P], sum = 0;
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0; j < P; j++)
                x[i * P + j] =
                    i == 3 || (i == 4) == (j < P - 1)
                        ? 0
                        : (double)(1 + i % 5) * (double)(1 << j % 6) * (i % 2 == 0 && j < 3 ? 5 : 1);
        pith_matrix *m = wrap(ctx, as_form(ctx, x, N, P, (form)f, (pith_dtype)dtype)),
                    *out = prep(ctx, m, "size-factors=600");
        const double digits = dtype == PITH_F64 ? 1e-12 : 1e-5;
        assert_ok(ctx, pith_matrix_get_rows(ctx, out, 0, N, y));
        for (int64_t i = 0; i < N; i++) {
            for (int64_t j = 3; j < P - 1 && i != 3 && i != 4; j++)
                assert_near(y[i * P + j], y[j], digits * y[j]);
            sum += i == 3 || i == 4 ? 0 : total(y, i, -1, 0);
            assert_true(i != 3 || total(y, i, -1, 1) == 0);
        }
        assert_near(sum, 600 * (N - 2), 600 * N * digits);
        assert_near(y[4 * P + P - 1], 600, 600 * digits);
        pith_matrix_free(out);
        pith_matrix_free(m);
        pith_i_scratch_release(ctx, 0);
    }
}

static void lengths_of_extreme_samples_do_not_leave_the_range(void **state)
{
    pith_ctx *ctx = *state;
    const double x[] = {3e200, 4e200, 3e-200, 4e-200, 1e308, 1e308};
    static const char *const steps[] = {"l2", "l1", "max"};
    const double want[][2] = {{0.6, 0.8}, {3.0 / 7, 4.0 / 7}, {0.75, 1}}, half[] = {sqrt(0.5), 0.5, 1};
    pith_matrix *m = NULL;
    assert_ok(ctx, pith_matrix_dense(ctx, 3, 2, PITH_F64, x, 2, 1, &m));
    for (size_t k = 0; k < COUNT(steps); k++) {
        pith_matrix *out = prep(ctx, m, steps[k]);
        for (int64_t i = 0; i < 3; i++)
            for (int64_t j = 0; j < 2; j++)
                assert_near(value_at(&out->data, i, j), i == 2 ? half[k] : want[k][j], 1e-15);
        pith_matrix_free(out);
    }
    pith_matrix_free(m);
}

/* ---- Threads, refusals, memory ---------------------------------------------------------------------------
 */

static const char all_of_counts[] =
    "tfidf,binormalize,l2,counts-per-10k,log1p,quantile,double-center,zscore,minmax,"
    "drop-duplicates,top-variance=7";

static void threads_do_not_matter(void **state)
{
    pith_ctx *ctx = *state;
    const double *x = law_table(ctx, true);
    pith_matrix *m = wrap(ctx, as_form(ctx, x, N, P, CSR, PITH_F64));
    double one[N * 7], other[N * 7];
    for (int threads = 1; threads <= 8; threads += 7) {
        assert_ok(ctx, pith_ctx_set_threads(ctx, threads));
        pith_matrix *out = prep(ctx, m, all_of_counts);
        assert_int_equal(out->data.p, 7);
        assert_ok(ctx, pith_matrix_get_rows(ctx, out, 0, N, threads == 1 ? one : other));
        pith_matrix_free(out);
    }
    assert_memory_equal(one, other, sizeof one);
    pith_matrix_free(m);
    pith_i_scratch_release(ctx, 0);
}

static void what_a_step_cannot_take_is_refused(void **state)
{
    static const struct {
        const char *steps, *said;
        pith_status st;
    } cases[] = {
        {"tfidf", "tfidf is for counts: row 2, column 1 (counted from 1) is negative", PITH_E_DATA},
        {"binormalize", "binormalize is for counts", PITH_E_DATA},
        {"counts", "counts-per-10k is for counts", PITH_E_DATA},
        {"reads", "size-factors is for counts: row 2, column 1 (counted from 1) is negative", PITH_E_DATA},
        {"binary=5,size-factors", "there is none: take counts-per-10k", PITH_E_DATA},
        {"log1p", "row 2, column 1 (counted from 1) is -1 or less", PITH_E_DATA},
        {"min-df=3", "min-df leaves no feature", PITH_E_DATA},
        {"binary=5,drop-constant", "drop-constant leaves no feature", PITH_E_DATA},
        {"tfidf=smoth", "idf: 'smoth' is not one of plain, smooth, shifted; did you mean 'smooth'?",
         PITH_E_PARAMETER},
        {"l2=3", "l2 takes no value, but '3' was given", PITH_E_PARAMETER},
        {"l2:x=3", "l2 has no parameter 'x'", PITH_E_PARAMETER},
        {"top-variance:cuont=3", "did you mean 'count'?", PITH_E_PARAMETER},
        {"top-variance=0", "count: a whole number in 1..2147483647 expected, not '0'", PITH_E_PARAMETER},
        {"top-variance=1.5", "a whole number", PITH_E_PARAMETER},
        {"top-variance=", "expected, not ''", PITH_E_PARAMETER},
        {"micro-array", "did you mean 'microarray'?", PITH_E_PARAMETER},
        {"microarray:logged=3", "the recipe microarray takes no parameters; it stands for log10",
         PITH_E_PARAMETER},
        {"l2,,l1", "a step without a name; steps are written like this, without blanks: tfidf,l2",
         PITH_E_PARAMETER},
    };
    pith_ctx *ctx = *state;
    const double x[] = {1, 1, -1, -1};
    pith_matrix *m = NULL, *out = NULL;
    assert_ok(ctx, pith_matrix_dense(ctx, 2, 2, PITH_F64, x, 2, 1, &m));
    for (size_t k = 0; k < COUNT(cases); k++) {
        const char *steps = cases[k].steps;
        assert_int_equal(pith_prep(ctx, m, steps, &out), cases[k].st);
        assert_null(out);
        if (strstr(pith_ctx_message(ctx), cases[k].said) == NULL)
            fail_msg("%s: %s", steps, pith_ctx_message(ctx));
        if (cases[k].st == PITH_E_PARAMETER)
            assert_int_equal(pith_prep_check(ctx, steps), PITH_E_PARAMETER);
    }
    pith_matrix_free(m);
}

static pith_status act(pith_ctx *ctx, void *m)
{
    pith_matrix *out = NULL;
    const pith_status st = pith_prep(ctx, m, all_of_counts, &out);
    pith_matrix_free(out);
    return st;
}

static void every_failing_allocation_is_survived(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = wrap(ctx, as_form(ctx, law_table(ctx, true), N, P, CSR, PITH_F64));
    assert_survives_failing_allocations(ctx, act, m, 30);
    pith_matrix_free(m);
    pith_i_scratch_release(ctx, 0);
}

/* ---- What comes along ------------------------------------------------------------------------------------
 */

static void names_labels_and_origin_follow_what_is_kept(void **state)
{
    pith_ctx *ctx = *state;
    const double x[] = {1, 5, 0, 2, 1, 6, 0, 2, 1, 7, 3, 2, 1, 5, 0, 2};
    const char *features[] = {"same", "wide", "rare", "also"}, *samples[] = {"a", "b", "c", "d"},
               *labels[] = {"x", "y", "x", "y"};
    pith_matrix *m = NULL;
    assert_ok(ctx, pith_matrix_dense(ctx, 4, 4, PITH_F64, x, 4, 1, &m));
    assert_ok(ctx, pith_matrix_set_feature_names(ctx, m, features));
    assert_ok(ctx, pith_matrix_set_sample_names(ctx, m, samples));
    assert_ok(ctx, pith_matrix_set_labels(ctx, m, labels));
    assert_null(pith_matrix_steps(m));
    assert_int_equal(pith_matrix_origin(m, 3), 3);
    pith_matrix *out = prep(ctx, m, "drop-constant,drop-duplicates=samples,log1p"),
                *again = prep(ctx, out, "top-variance=1,l2");
    assert_int_equal(pith_matrix_cols(out), 2);
    assert_int_equal(pith_matrix_rows(out), 3);
    assert_string_equal(pith_matrix_feature_name(out, 0), "wide");
    assert_int_equal(pith_matrix_origin(out, 0), 1);
    assert_int_equal(pith_matrix_origin(out, 1), 2);
    assert_string_equal(pith_matrix_sample_name(out, 2), "c");
    assert_string_equal(pith_matrix_class_name(out, pith_matrix_label(out, 1)), "y");
    assert_string_equal(pith_matrix_steps(out), "drop-constant,drop-duplicates:of=samples,log1p");
    assert_int_equal(pith_matrix_origin(again, 0),
                     2); /* ln 1, ln 1, ln 4 varies more than ln 6, ln 7, ln 8 */
    assert_string_equal(pith_matrix_feature_name(again, 0), "rare");
    assert_string_equal(pith_matrix_steps(again),
                        "drop-constant,drop-duplicates:of=samples,log1p,top-variance:count=1,l2");
    pith_matrix_free(again);
    pith_matrix_free(out);
    pith_matrix_free(m);
}

static void features_without_names_are_called_by_their_old_number(void **state)
{
    pith_ctx *ctx = *state;
    const double x[] = {1, 5, 1, 6};
    pith_matrix *m = NULL;
    assert_ok(ctx, pith_matrix_dense(ctx, 2, 2, PITH_F64, x, 2, 1, &m));
    pith_matrix *out = prep(ctx, m, "drop-constant"), *same = prep(ctx, m, "l2");
    assert_string_equal(pith_matrix_feature_name(out, 0), "f1");
    assert_null(pith_matrix_feature_name(same, 0));
    pith_matrix_free(same);
    pith_matrix_free(out);
    pith_matrix_free(m);
}

static void remember(const char *text, void *user)
{
    (void)snprintf(user, 200, "%s", text);
}

static void logarithms_are_left_alone_by_the_recipe(void **state)
{
    pith_ctx *ctx = *state;
    const double x[] = {1, 12, 3, 11.5};
    char said[200] = "";
    pith_matrix *m = NULL;
    assert_ok(ctx, pith_matrix_dense(ctx, 2, 2, PITH_F64, x, 2, 1, &m));
    pith_ctx_set_note(ctx, remember, said);
    pith_matrix *out = prep(ctx, m, "log10:logged=50"), *logs = prep(ctx, m, "log10");
    assert_non_null(strstr(said, "logarithms already"));
    assert_near(value_at(&out->data, 0, 1), 12, 0);
    assert_near(value_at(&logs->data, 0, 1), log10(12), 1e-15);
    pith_matrix_free(logs);
    pith_matrix_free(out);
    pith_matrix_free(m);
}

/* Each recipe is a list that can be read, and its record says the same again. */
static void recipes_and_records_can_be_read_again(void **state)
{
    pith_ctx *ctx = *state;
    double *x = law_table(ctx, true);
    for (int64_t i = 0; i < N; i++)
        x[i * P] = (double)(1 + i); /* for `reads` */
    pith_matrix *m = wrap(ctx, as_form(ctx, x, N, P, ROW_MAJOR, PITH_F64));
    const char *name = NULL, *steps = NULL, *title = NULL;
    size_t i = 0;
    for (; (name = pith_recipe_at(i, &steps, &title)) != NULL; i++) {
        pith_matrix *a = prep(ctx, m, name), *b = prep(ctx, m, steps),
                    *c = prep(ctx, m, pith_matrix_steps(a));
        assert_string_equal(pith_matrix_steps(a), pith_matrix_steps(b));
        assert_string_equal(pith_matrix_steps(a), pith_matrix_steps(c));
        assert_true(strlen(title) > 10);
        pith_matrix_free(a);
        pith_matrix_free(b);
        pith_matrix_free(c);
    }
    assert_true(i >= 3);
    pith_matrix *noisy = prep(ctx, m, "drop-noisy:clusters=3:k-prime=auto"),
                *again = prep(ctx, m, pith_matrix_steps(noisy));
    assert_string_equal(pith_matrix_steps(noisy), pith_matrix_steps(again));
    pith_matrix_free(again);
    pith_matrix_free(noisy);
    pith_matrix_free(m);
    pith_i_scratch_release(ctx, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(steps_give_the_numbers_of_scikit_learn),
        TEST(sparse_data_stays_sparse_unless_a_note_says_otherwise),
        TEST(every_step_keeps_its_law),
        TEST(size_factors_do_not_follow_what_some_samples_have_more_of),
        TEST(lengths_of_extreme_samples_do_not_leave_the_range),
        TEST(threads_do_not_matter),
        TEST(what_a_step_cannot_take_is_refused),
        TEST(every_failing_allocation_is_survived),
        TEST(names_labels_and_origin_follow_what_is_kept),
        TEST(features_without_names_are_called_by_their_old_number),
        TEST(logarithms_are_left_alone_by_the_recipe),
        TEST(recipes_and_records_can_be_read_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
