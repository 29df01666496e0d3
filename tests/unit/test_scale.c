/* What values are: raw counts, normalised, logged; and what follows from it. */
#include <stdio.h>
#include <string.h>

#include "core/random.h"
#include "matrix/scale.h"
#include "unit/support.h"

enum { N = 60, P = 200 };

typedef double change_fn(double count, double total, int64_t row, int64_t column);

/* Counts, one of five not 0, in rows of differing length; `cut`: of the sums of rows that leave out a column.
 */
static pith_info look(pith_ctx *ctx, change_fn *change, bool single, pith_matrix **out)
{
    static double x[N * P];
    static float f[N * P];
    pith_info info;
    for (int64_t i = 0; i < N; i++) {
        pith_i_stream s = pith_i_stream_at(5, PITH_I_RANDOM_BENCH, (uint64_t)i);
        double total = 0;
        for (int64_t j = 0; j < P; j++) {
            const double u = pith_i_random_uniform(&s);
            x[i * P + j] = u < 0.8 ? 0 : floor(1 + (double)(1 + i % 4) * 3 * (u - 0.8) / (1.001 - u) / 4);
            total += x[i * P + j];
        }
        for (int64_t j = 0; j < P; j++) {
            x[i * P + j] = change(x[i * P + j], total, i, j);
            f[i * P + j] = (float)x[i * P + j];
        }
    }
    assert_int_equal(
        pith_matrix_dense(ctx, N, P, single ? PITH_F32 : PITH_F64, single ? (void *)f : (void *)x, P, 1, out),
        PITH_OK);
    assert_int_equal(pith_matrix_info(ctx, *out, &info), PITH_OK);
    return info;
}

static double size_factor(int64_t row)
{
    return 1 + 0.5 * sin((double)row);
}

static double as_is(double c, double total, int64_t i, int64_t j)
{
    (void)total, (void)i, (void)j;
    return c;
}
static double estimated(double c, double total, int64_t i, int64_t j)
{
    (void)total;
    return c > 0 && (i + j) % 6 == 0 ? c - 0.37 : c;
}
static double per_10k(double c, double total, int64_t i, int64_t j)
{
    (void)i, (void)j;
    return c * 1e4 / total;
}
static double proportion(double c, double total, int64_t i, int64_t j)
{
    (void)i, (void)j;
    return c / total;
}
static double by_factor(double c, double total, int64_t i, int64_t j)
{
    (void)total, (void)j;
    return c / size_factor(i);
}
static double log_10k(double c, double total, int64_t i, int64_t j)
{
    return log1p(per_10k(c, total, i, j));
}
static double log2_million(double c, double total, int64_t i, int64_t j)
{
    (void)i, (void)j;
    return log2(1 + c * 1e6 / total);
}
static double log10_10k(double c, double total, int64_t i, int64_t j)
{
    return log10(1 + per_10k(c, total, i, j));
}
static double log2_by_factor(double c, double total, int64_t i, int64_t j)
{
    return log2(1 + by_factor(c, total, i, j));
}
static double corrected(double c, double total, int64_t i, int64_t j)
{
    (void)total;
    return 10 * c * (0.8 + 0.2 * fabs(sin((double)(i * P + j))));
}
static double stray(double c, double total, int64_t i, int64_t j)
{
    return i == 3 && j == 7 ? 9999 : log_10k(c, total, i, j);
}
static double root(double c, double total, int64_t i, int64_t j)
{
    (void)total, (void)i, (void)j;
    return sqrt(c);
}
static double negated(double c, double total, int64_t i, int64_t j)
{
    (void)total;
    return i == 3 && j == 7 ? -1 : c;
}

static void scales_are_told(void **state)
{
    static const struct {
        change_fn *change;
        pith_scale scale;
        double base, sum;
    } cases[] = {
        {as_is, PITH_SCALE_COUNTS, 0, NAN},
        {estimated, PITH_SCALE_COUNTS, 0, NAN},
        {per_10k, PITH_SCALE_NORMALISED, 0, 1e4},
        {proportion, PITH_SCALE_NORMALISED, 0, 1},
        {by_factor, PITH_SCALE_NORMALISED, 0, NAN},
        {corrected, PITH_SCALE_NORMALISED, 0, NAN},
        {log_10k, PITH_SCALE_LOGGED, 2.718281828459045, 1e4},
        {log2_million, PITH_SCALE_LOGGED, 2, 1e6},
        {log10_10k, PITH_SCALE_LOGGED, 10, 1e4},
        {log2_by_factor, PITH_SCALE_LOGGED, 2, NAN},
        {stray, PITH_SCALE_NORMALISED, 0, NAN},
        {root, PITH_SCALE_ROOTS, 0, NAN},
        {negated, PITH_SCALE_UNKNOWN, 0, NAN},
    };
    pith_ctx *ctx = *state;
    for (size_t c = 0; c < 2 * COUNT(cases); c++) {
        pith_matrix *m = NULL;
        const pith_info info = look(ctx, cases[c / 2].change, c % 2 == 1, &m);
        assert_int_equal(info.scale, cases[c / 2].scale);
        assert_true(info.log_base == cases[c / 2].base);
        assert_int_equal(isnan(info.row_sum), isnan(cases[c / 2].sum));
        if (!isnan(info.row_sum))
            assert_true(fabs(info.row_sum / cases[c / 2].sum - 1) < 1e-5);
        pith_matrix_free(m);
    }
}

static const char *steps_for(pith_ctx *ctx, change_fn *change, const char *method)
{
    const char *steps = NULL;
    pith_matrix *m = NULL;
    (void)look(ctx, change, false, &m);
    assert_int_equal(pith_prep_auto(ctx, m, method != NULL ? pith_method_find(method) : NULL, &steps),
                     PITH_OK);
    pith_matrix_free(m);
    return steps;
}

static void auto_prepares_raw_counts_alone(void **state)
{
    pith_ctx *ctx = *state;
    assert_string_equal(steps_for(ctx, as_is, NULL), "counts-per-10k,log1p");
    assert_string_equal(steps_for(ctx, as_is, "laplacian"), "counts-per-10k,log1p");
    assert_null(steps_for(ctx, as_is, "seurat-v3"));
    assert_null(steps_for(ctx, as_is, "energy"));
    assert_null(steps_for(ctx, log_10k, "laplacian"));
    assert_null(steps_for(ctx, per_10k, NULL));
    assert_null(steps_for(ctx, negated, NULL));
}

static void prep_takes_auto(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = NULL, *a = NULL, *b = NULL;
    double x[P], y[P];
    (void)look(ctx, as_is, false, &m);
    assert_int_equal(pith_prep_check(ctx, "auto"), PITH_OK);
    assert_int_equal(pith_prep(ctx, m, "auto", &a), PITH_OK);
    assert_int_equal(pith_prep(ctx, m, "counts-per-10k,log1p", &b), PITH_OK);
    assert_string_equal(pith_matrix_steps(a), pith_matrix_steps(b));
    for (int64_t i = 0; i < N; i++) {
        assert_int_equal(pith_matrix_get_rows(ctx, a, i, 1, x), PITH_OK);
        assert_int_equal(pith_matrix_get_rows(ctx, b, i, 1, y), PITH_OK);
        assert_memory_equal(x, y, sizeof x);
    }
    pith_matrix_free(b);
    assert_int_equal(pith_prep(ctx, a, "auto", &b), PITH_OK); /* a second time: nothing */
    assert_string_equal(pith_matrix_steps(a), pith_matrix_steps(b));
    assert_int_equal(pith_matrix_get_rows(ctx, b, N - 1, 1, y), PITH_OK);
    assert_memory_equal(x, y, sizeof x);
    pith_matrix_free(b);
    pith_matrix_free(a);
    pith_matrix_free(m);
}

/* The warning of a run; "": none. */
static void warning_of(pith_ctx *ctx, change_fn *change, const char *method, char said[200])
{
    pith_matrix *m = NULL;
    pith_params *params = NULL;
    pith_result *r = NULL;
    (void)look(ctx, change, false, &m);
    assert_int_equal(pith_params_new(ctx, pith_method_find(method), &params), PITH_OK);
    assert_int_equal(pith_run(ctx, m, params, &r), PITH_OK);
    (void)snprintf(said, 200, "%s", pith_result_warning(r) != NULL ? pith_result_warning(r) : "");
    pith_result_free(r);
    pith_params_free(params);
    pith_matrix_free(m);
}

/* Undone as a logarithm it would be infinite. */
static void a_stray_value_makes_no_score_infinite(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = NULL;
    pith_params *params = NULL;
    pith_result *r = NULL;
    (void)look(ctx, stray, false, &m);
    assert_ok(ctx, pith_params_new(ctx, pith_method_find("energy"), &params));
    assert_ok(ctx, pith_run(ctx, m, params, &r));
    for (int64_t j = 0; j < P; j++)
        assert_true(isfinite(pith_result_scores(r)[j]));
    pith_result_free(r);
    pith_params_free(params);
    pith_matrix_free(m);
}

static void methods_warn_of_the_other_scale(void **state)
{
    pith_ctx *ctx = *state;
    char said[200];
    warning_of(ctx, log_10k, "seurat-v3", said);
    assert_non_null(strstr(said, "seurat-v3 is for raw counts, but these are logarithms of counts"));
    warning_of(ctx, as_is, "seurat-v3", said);
    assert_string_equal(said, "");
    warning_of(ctx, as_is, "laplacian", said);
    assert_non_null(strstr(said, "laplacian uses values as they are, and these are raw counts"));
    warning_of(ctx, log_10k, "laplacian", said);
    assert_string_equal(said, "");
    warning_of(ctx, as_is, "energy", said);
    assert_string_equal(said, "");
}

/* Values of columns of different size in rows of different depth, each changed by its means. */
typedef double size_fn(double read, int64_t row, int64_t column);
static double normal_at(uint64_t seed, int64_t i)
{
    pith_i_stream s = pith_i_stream_at(seed, PITH_I_RANDOM_BENCH, (uint64_t)i);
    return pith_i_random_normal(&s);
}
static pith_matrix *sized(pith_ctx *ctx, size_fn *change, int64_t p, bool single)
{
    static double x[N * P];
    static float f[N * P];
    pith_matrix *m = NULL;
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < p; j++) {
            const double read =
                exp(5 + 1.5 * normal_at(1, j) + 0.3 * normal_at(2, i) + 0.5 * normal_at(3, i * p + j));
            x[i * p + j] = change(read, i, j);
            f[i * p + j] = (float)x[i * p + j];
        }
    assert_ok(ctx, pith_matrix_dense(ctx, N, p, single ? PITH_F32 : PITH_F64, single ? (void *)f : (void *)x,
                                     p, 1, &m));
    return m;
}

static double a_read(double read, int64_t i, int64_t j)
{
    (void)i, (void)j;
    return floor(read);
}
static double an_intensity(double read, int64_t i, int64_t j)
{
    return read - 20 - 2 * normal_at(4, i * P + j);
}
static double a_logarithm(double read, int64_t i, int64_t j)
{
    (void)i, (void)j;
    return log2(1 + read);
}
static double a_pixel(double read, int64_t i, int64_t j)
{
    (void)i, (void)j;
    return fmin(floor(read), 255);
}
static double a_deep_pixel(double read, int64_t i, int64_t j)
{
    (void)j;
    return 3000 + 300 * normal_at(5, i) + 100 * log(read);
}
static double a_sensor(double read, int64_t i, int64_t j) /* in a unit of its own, and nearly constant */
{
    (void)i, (void)read;
    return exp(2 * normal_at(6, j)) * 500 * (1 + 0.02 * normal_at(7, i * P + j));
}
static double a_unit(double read, int64_t i, int64_t j) /* far from 0, the spread knows nothing of it */
{
    (void)read;
    return exp(2 * normal_at(6, j)) * 500 + exp(2 * normal_at(8, j)) * normal_at(7, i * P + j);
}
static double a_swing(double read, int64_t i, int64_t j) /* in a unit of its own, and not nearly constant */
{
    (void)i, (void)read;
    return exp(2 * normal_at(6, j)) * 500 * exp(0.5 * normal_at(7, i * P + j));
}
static double a_signed_swing(double read, int64_t i, int64_t j) /* every tenth on both sides of 0 */
{
    return j % 10 == 0 ? 200 * normal_at(7, i * P + j) : a_swing(read, i, j);
}
static double rarely(double read, int64_t i, int64_t j)
{
    return (i + j) % 3 == 0 ? read : 0;
}

static void spans_of_magnitude_are_told(void **state)
{
    static const struct {
        size_fn *change;
        int64_t columns;
        const char *steps; /* NULL: it is none */
    } cases[] = {
        {a_read, P, "size-factors,log1p"},
        {a_read, 100, "size-factors,log1p"},
        {a_read, 99, NULL},
        {an_intensity, P, "log10,quantile,double-center"},
        {a_logarithm, P, NULL},
        {a_pixel, P, NULL},
        {a_deep_pixel, P, NULL},
        {a_sensor, P, NULL},
        {a_unit, P, NULL},
        {a_swing, P, NULL},
        {a_swing, 100, NULL},
        {a_signed_swing, P, NULL},
    };
    pith_ctx *ctx = *state;
    for (size_t c = 0; c < 2 * COUNT(cases); c++) {
        pith_matrix *m = sized(ctx, cases[c / 2].change, cases[c / 2].columns, c % 2 == 1), *made = NULL;
        const char *want = cases[c / 2].steps, *steps = NULL;
        pith_info info;
        assert_ok(ctx, pith_matrix_info(ctx, m, &info));
        assert_int_equal(info.unlogged, want != NULL);
        assert_ok(ctx, pith_prep_auto(ctx, m, pith_method_find("consensus"), &steps));
        assert_int_equal(steps != NULL, want != NULL);
        if (want != NULL) {
            assert_string_equal(steps, want);
            assert_ok(ctx, pith_prep(ctx, m, "auto", &made));
            assert_ok(ctx, pith_matrix_info(ctx, made, &info));
            assert_false(info.unlogged);
            assert_ok(ctx, pith_prep_auto(ctx, m, pith_method_find("seurat-v3"), &steps));
            assert_null(steps);
        }
        pith_matrix_free(made);
        pith_matrix_free(m);
    }
}

/* Standard deviations of columns, and which of them outweigh the others. */
static void columns_that_outweigh_all_others_are_found(void **state)
{
    enum { WIDE = 6 };
    static const struct {
        double sd[WIDE];
        int64_t largest, columns;
    } cases[] = {
        {{1, 2, 1, 400, 1, 3}, 3, 1},
        {{1, 2, 1, 19, 1, 1}, -1, 0},
        {{1, 1, 1, 20.1, 1, 1}, 3, 1},
        {{1, 1, 100, 100, 1, 1}, 2, 2},
        {{1, 100, 100, 100, 1, 1}, -1, 0}, /* they are half of all */
        {{1, 1, 100, 90, 0.9, 0.8}, 2, 2},
        {{0, 0, 0, 400, 0, 0}, -1, 0},
        {{0, 0, 1, 400, 1, 0}, 3, 1},
        {{0, 0, 0, 0, 0, 0}, -1, 0},
        {{1e145, 1e145, 1e145, 1e150, 1e145, 1e145}, 3, 1},
    };
    pith_ctx *ctx = *state;
    for (size_t c = 0; c < COUNT(cases); c++) {
        double variance[WIDE], mean[WIDE] = {0};
        double least[WIDE] = {-1, -1, -1, -1, -1, -1};
        int64_t nonzeros[WIDE] = {9, 9, 9, 9, 9, 9};
        pith_i_heavy heavy;
        for (int64_t j = 0; j < WIDE; j++)
            variance[j] = cases[c].sd[j] * cases[c].sd[j];
        const pith_i_data X = {.n = 9, .p = WIDE};
        const pith_i_column_stats stats = {
            .mean = mean, .variance = variance, .min = least, .max = mean, .nonzeros = nonzeros};
        assert_ok(ctx, pith_i_heavy_find(ctx, &X, &stats, &heavy));
        assert_int_equal(heavy.columns, cases[c].columns);
        assert_int_equal(heavy.columns > 0 ? heavy.largest : -1, cases[c].largest);
        assert_true(heavy.columns == 0 || (heavy.share > 0.9 && heavy.share <= 1));
    }
}

/* Of 24 columns, as with some pressures in Pa among other sensors: up to nine are told, if they have nearly
 * all of the variance; pixels and lines of spectra are more, or less alone. */
static void few_columns_that_outweigh_all_others_are_counted(void **state)
{
    enum { WIDE = 24 };
    static const struct {
        int64_t heavy;
        double sd, rest; /* of the heavy ones, and of the last column; of the others it is 1 */
        int64_t columns;
    } cases[] = {{6, 500, 1, 6}, {9, 500, 1, 9}, {10, 500, 1, 0}, {6, 19, 1, 0}, {3, 25, 15, 0}};
    pith_ctx *ctx = *state;
    for (size_t c = 0; c < COUNT(cases); c++) {
        double variance[WIDE], zero[WIDE] = {0}, least[WIDE];
        int64_t nonzeros[WIDE];
        pith_i_heavy heavy;
        for (int64_t j = 0; j < WIDE; j++) {
            const double sd = j < cases[c].heavy ? cases[c].sd : j == WIDE - 1 ? cases[c].rest : 1;
            variance[j] = sd * sd;
            least[j] = -1;
            nonzeros[j] = 9;
        }
        const pith_i_data X = {.n = 9, .p = WIDE};
        const pith_i_column_stats stats = {
            .mean = zero, .variance = variance, .min = least, .max = zero, .nonzeros = nonzeros};
        assert_ok(ctx, pith_i_heavy_find(ctx, &X, &stats, &heavy));
        assert_int_equal(heavy.columns, cases[c].columns);
    }
}

/* Times of one moment, which differ by rounding alone, have no unit of their own. */
static void columns_that_vary_by_rounding_outweigh_nothing(void **state)
{
    enum { WIDE = 7 };
    static double x[N * WIDE];
    pith_ctx *ctx = *state;
    pith_matrix *m = NULL;
    pith_params *params = NULL;
    pith_result *r = NULL;
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < WIDE; j++)
            x[i * WIDE + j] = j < 2 ? normal_at(9, i * WIDE + j) : (double)j * 1e8 + (double)(i % 2) * 5e-8;
    assert_ok(ctx, pith_matrix_dense(ctx, N, WIDE, PITH_F64, x, WIDE, 1, &m));
    assert_ok(ctx, pith_params_new(ctx, pith_method_find("laplacian"), &params));
    assert_ok(ctx, pith_run(ctx, m, params, &r));
    assert_string_equal(pith_result_reason(r, 2), "constant up to rounding");
    assert_null(pith_result_warning(r));
    pith_result_free(r);
    pith_params_free(params);
    pith_matrix_free(m);
}

static void methods_warn_of_units(void **state)
{
    static const struct {
        const char *method, *parameter, *value;
        bool warns;
    } cases[] = {{"laplacian", "standardize", "auto", true}, {"energy", "standardize", "auto", true},
                 {"snfs", "similarity", "cosine", true},     {"laplacian", "standardize", "zscore", false},
                 {"spec", "standardize", "auto", false},     {"variance", "standardize", "auto", false},
                 {"snfs", "similarity", "sqeuclid", false}};
    static const char *const said[] = {NULL, "100 % of the variance is that of one feature",
                                       "100 % of the variance is that of 2 of 8 features",
                                       "100 % of the variance is that of 3 of 8 features"};
    static double x[N * 8];
    pith_ctx *ctx = *state;
    for (size_t c = 0; c < 3 * COUNT(cases); c++) {
        const int64_t heavy = 1 + (int64_t)c % 3;
        pith_matrix *m = NULL;
        pith_params *params = NULL;
        pith_result *r = NULL;
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0; j < 8; j++)
                x[i * 8 + j] = normal_at(9, i * 8 + j) * (j < heavy ? 1000 : 1);
        assert_ok(ctx, pith_matrix_dense(ctx, N, 8, PITH_F64, x, 8, 1, &m));
        assert_ok(ctx, pith_params_new(ctx, pith_method_find(cases[c / 3].method), &params));
        assert_ok(ctx, pith_params_set(ctx, params, cases[c / 3].parameter, cases[c / 3].value));
        assert_ok(ctx, pith_run(ctx, m, params, &r));
        const char *warning = pith_result_warning(r);
        assert_int_equal(warning != NULL && strstr(warning, said[heavy]) != NULL, cases[c / 3].warns);
        pith_result_free(r);
        pith_params_free(params);
        pith_matrix_free(m);
    }
}

/* Totals that are the same do no harm, however few columns make them up. */
static void reads_per_million_span_magnitudes(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = sized(ctx, a_read, 100, false), *made = NULL;
    pith_info info;
    assert_ok(ctx, pith_prep(ctx, m, "counts-per-10k:total=1e6", &made));
    assert_ok(ctx, pith_matrix_info(ctx, made, &info));
    assert_true(info.unlogged);
    pith_matrix_free(made);
    pith_matrix_free(m);
}

/* Sparse counts are weighed by the methods themselves, whatever their size. */
static void counts_span_nothing(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = sized(ctx, rarely, P, false);
    pith_info info;
    assert_ok(ctx, pith_matrix_info(ctx, m, &info));
    assert_true(info.counts && !info.unlogged);
    pith_matrix_free(m);
}

static void methods_warn_of_missing_logarithms(void **state)
{
    pith_ctx *ctx = *state;
    static const struct {
        const char *method, *said;
    } cases[] = {{"laplacian", "laplacian sees them as they are: prep auto takes their logarithms"},
                 {"consensus", "consensus sees them as they are: prep auto takes their logarithms"},
                 {"deviance", NULL}};
    for (size_t c = 0; c < COUNT(cases); c++) {
        pith_matrix *m = sized(ctx, a_read, P, false);
        pith_params *params = NULL;
        pith_result *r = NULL;
        assert_ok(ctx, pith_params_new(ctx, pith_method_find(cases[c].method), &params));
        assert_ok(ctx, pith_run(ctx, m, params, &r));
        if (cases[c].said == NULL)
            assert_null(pith_result_warning(r));
        else
            assert_non_null(strstr(pith_result_warning(r), cases[c].said));
        pith_result_free(r);
        pith_params_free(params);
        pith_matrix_free(m);
    }
}

/* What `method` warns of; "": nothing. */
static const char *warned(pith_ctx *ctx, const pith_matrix *m, const char *method, char text[512])
{
    pith_params *params = NULL;
    pith_result *r = NULL;
    assert_ok(ctx, pith_params_new(ctx, pith_method_find(method), &params));
    assert_ok(ctx, pith_run(ctx, m, params, &r));
    const char *said = pith_result_warning(r);
    (void)snprintf(text, 512, "%s", said != NULL ? said : "");
    pith_result_free(r);
    pith_params_free(params);
    return text;
}

/* Gene 3 has most of the reads of every sample, as haemoglobin has in blood. */
static double a_read_or_many(double read, int64_t i, int64_t j)
{
    return floor(j == 3 ? 1e6 * exp(0.3 * normal_at(2, i)) : read);
}

/* A feature with most of the variance is what reads have, too: z-scores would be no remedy. */
static void reads_need_logarithms_and_not_scores(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = sized(ctx, a_read_or_many, P, false);
    char text[512];
    assert_non_null(strstr(warned(ctx, m, "laplacian", text), "prep auto takes their logarithms"));
    assert_null(strstr(text, "of the variance"));
    pith_matrix_free(m);
}

/* Counts: of the first 25 rows one value of 7 is 0, of the others all but one of 20. */
static double by_two_runs(double read, int64_t i, int64_t j)
{
    return (i < 25 ? (i + j) % 7 != 0 : (i + j) % 20 == 0) ? 1 + a_read_or_many(read, i, j) : 0;
}

/* Counts are counts in every batch, however dense one may be: methods weigh them by themselves there, too. */
static void a_dense_batch_of_counts_spans_nothing(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = sized(ctx, by_two_runs, P, false);
    const char *batch[N];
    char text[512];
    for (int64_t i = 0; i < N; i++)
        batch[i] = i < 25 ? "a" : "b";
    assert_ok(ctx, pith_matrix_set_batches(ctx, m, batch));
    assert_string_equal(warned(ctx, m, "energy", text), "");
    assert_string_equal(warned(ctx, m, "spec", text), "");
    assert_null(strstr(warned(ctx, m, "laplacian", text), "of the variance"));
    assert_null(strstr(text, "orders of magnitude"));
    pith_matrix_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(scales_are_told),
        TEST(spans_of_magnitude_are_told),
        TEST(reads_per_million_span_magnitudes),
        TEST(counts_span_nothing),
        TEST(columns_that_outweigh_all_others_are_found),
        TEST(few_columns_that_outweigh_all_others_are_counted),
        TEST(columns_that_vary_by_rounding_outweigh_nothing),
        TEST(methods_warn_of_units),
        TEST(methods_warn_of_missing_logarithms),
        TEST(auto_prepares_raw_counts_alone),
        TEST(reads_need_logarithms_and_not_scores),
        TEST(a_dense_batch_of_counts_spans_nothing),
        TEST(prep_takes_auto),
        TEST(a_stray_value_makes_no_score_infinite),
        TEST(methods_warn_of_the_other_scale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
