#include "matrix/view.h"
#include "unit/tables.h"

enum { N = 41, P = 9 };

/* Nonnegative and mostly zero, as counts are; some special columns and an empty row. */
static double *counts_table(pith_ctx *ctx)
{
    double *x = random_table(ctx, N, P, 0.35, 1);
    for (int64_t i = 0; i < N; i++) {
        for (int64_t j = 0; j < P; j++)
            x[i * P + j] = i == 7 ? 0 : fabs(x[i * P + j]);
        x[i * P + 2] = 0;                /* nowhere */
        x[i * P + 3] = i == 7 ? 0 : 2.5; /* in every row but the empty one */
        x[i * P + 4] = i == 5 ? 3 : 0;   /* in one row */
    }
    return x;
}

static double *signed_table(pith_ctx *ctx)
{
    double *x = random_table(ctx, N, P, 0.6, 2);
    for (int64_t i = 0; i < N; i++) {
        x[i * P] = 1.0 / 4;                 /* constant */
        x[i * P + 1] = 0;                   /* constant, and nothing stored */
        x[i * P + 2] = 1024 + x[i * P + 2]; /* far from 0 */
    }
    return x;
}

static void column_facts(const double *x, int64_t j, double *mean, double *sd, double *lo, double *hi)
{
    long double sum = 0, squares = 0;
    *lo = INFINITY;
    *hi = -INFINITY;
    for (int64_t i = 0; i < N; i++) {
        sum += x[i * P + j];
        *lo = fmin(*lo, x[i * P + j]);
        *hi = fmax(*hi, x[i * P + j]);
    }
    for (int64_t i = 0; i < N; i++)
        squares += (x[i * P + j] - sum / N) * (x[i * P + j] - sum / N);
    *mean = (double)(sum / N);
    *sd = (double)sqrtl(squares / N);
}

static bool of_counts(int kind)
{
    return kind == VIEW_TFIDF || kind == VIEW_TFIDF_CENTER || kind == VIEW_TFIDF_UNIT ||
           kind == VIEW_SQRT_IDF;
}

/* One factor for all, after which the mean of the variances is 1 over the columns that are not constant. */
static void to_unit_variance(const double *x, double *y)
{
    double total = 0, varying = 0;
    for (int64_t j = 0; j < P; j++) {
        double mean = 0, sd = 0, lo = 0, hi = 0;
        column_facts(x, j, &mean, &sd, &lo, &hi);
        varying += lo < hi;
        column_facts(y, j, &mean, &sd, &lo, &hi);
        total += sd * sd;
    }
    for (int64_t e = 0; e < N * P; e++)
        y[e] *= sqrt(varying / total);
}

/* What the header promises, cell by cell. */
static double *by_formula(pith_ctx *ctx, const double *x, int kind)
{
    double *y = pith_i_scratch(ctx, N * P, sizeof *y), norm[N] = {0}, means[P] = {0};
    for (int64_t j = 0; j < P; j++) {
        double mean = 0, sd = 0, lo = 0, hi = 0, df = 0;
        column_facts(x, j, &mean, &sd, &lo, &hi);
        for (int64_t i = 0; i < N; i++)
            df += x[i * P + j] != 0;
        for (int64_t i = 0; i < N; i++) {
            const double v = x[i * P + j];
            double *out = &y[i * P + j];
            switch (kind) {
            case VIEW_NONE: *out = v; break;
            case VIEW_CENTER:
            case VIEW_CENTER_UNIT: *out = v - mean; break;
            case VIEW_ZSCORE: *out = lo < hi ? (v - mean) / sd : 0; break;
            case VIEW_PARETO: *out = lo < hi ? (v - mean) / sqrt(sd) : 0; break;
            case VIEW_MINMAX: *out = lo < hi ? (v - lo) / (hi - lo) : 0; break;
            case VIEW_SQRT_IDF: *out = df > 0 ? sqrt(v) * log(N / df) : 0; break;
            default: *out = df > 0 ? v * log(N / df) : 0;
            }
            norm[i] += *out * *out;
        }
    }
    for (int64_t e = 0; of_counts(kind) && e < N * P; e++) {
        y[e] = norm[e / P] > 0 ? y[e] / sqrt(norm[e / P]) : 0;
        means[e % P] += y[e] / N;
    }
    for (int64_t e = 0; of_counts(kind) && kind != VIEW_TFIDF && kind != VIEW_SQRT_IDF && e < N * P; e++)
        y[e] -= means[e % P];
    if (kind == VIEW_CENTER_UNIT || kind == VIEW_TFIDF_UNIT)
        to_unit_variance(x, y);
    return y;
}

static void assert_view(pith_ctx *ctx, const double *x, int kind, const pith_i_data *X)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const double *y = by_formula(ctx, x, kind);
    pith_i_column_stats stats;
    pith_i_view view;
    assert_ok(ctx, pith_i_column_statistics(ctx, X, NULL, &stats));
    assert_ok(ctx, pith_i_view_make(ctx, X, &stats, kind, &view));
    assert_int_equal(view.X.sparse, X->sparse);
    assert_true(X->sparse || view.shift == NULL);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < P; j++) {
            const double v = value_at(&view.X, i, j) - (view.shift != NULL ? view.shift[j] : 0);
            assert_near(v, y[i * P + j],
                        1e-13 * (1 + fabs(y[i * P + j]) +
                                 (kind == VIEW_CENTER || kind == VIEW_CENTER_UNIT ? 1024 : 0)));
        }
    pith_i_view_free(&view);
    pith_i_scratch_release(ctx, mark);
}

/* Sparse data stands for itself minus the shift, and that is the same table as from dense data. */
static void every_view_is_its_formula_in_every_form(void **state)
{
    pith_ctx *ctx = *state;
    for (int kind = VIEW_NONE; kind <= VIEW_PARETO; kind++)
        for (each_form(f, dtype)) {
            const double *counts = counts_table(ctx), *any = signed_table(ctx);
            const pith_i_data C = as_form(ctx, counts, N, P, (form)f, (pith_dtype)dtype);
            const pith_i_data X = as_form(ctx, any, N, P, (form)f, (pith_dtype)dtype);
            assert_view(ctx, counts, kind, &C);
            if (!of_counts(kind))
                assert_view(ctx, any, kind, &X);
            pith_i_scratch_release(ctx, 0);
        }
}

static void constants_become_exactly_0(void **state)
{
    pith_ctx *ctx = *state;
    const double *x = signed_table(ctx);
    static const int kinds[] = {VIEW_CENTER, VIEW_ZSCORE, VIEW_PARETO, VIEW_MINMAX, VIEW_CENTER_UNIT};
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (int f = 0; f < FORMS; f++) {
            const pith_i_data X = as_form(ctx, x, N, P, (form)f, PITH_F64);
            pith_i_column_stats stats;
            pith_i_view view;
            assert_ok(ctx, pith_i_column_statistics(ctx, &X, NULL, &stats));
            assert_ok(ctx, pith_i_view_make(ctx, &X, &stats, kinds[k], &view));
            for (int64_t i = 0; i < N; i++)
                for (int64_t j = 0; j < 2; j++)
                    assert_true(value_at(&view.X, i, j) - (view.shift != NULL ? view.shift[j] : 0) == 0);
            pith_i_view_free(&view);
        }
    pith_i_scratch_release(ctx, 0);
}

/* Means of 1e3 .. 1e14 with a spread of about 1. By differences from the mean's power of ten, which are
 * exact. */
static void columns_far_from_0_keep_their_digits(void **state)
{
    pith_ctx *ctx = *state;
    enum { FAR = 12 };
    static const int kinds[] = {VIEW_CENTER, VIEW_ZSCORE, VIEW_PARETO, VIEW_MINMAX};
    double x[N * FAR], near[N * FAR];
    pith_i_stream s = pith_i_stream_at(7, PITH_I_RANDOM_BENCH, 0);
    for (int64_t e = 0; e < N * FAR; e++) {
        x[e] = pow(10, (double)(3 + e % FAR)) + pith_i_random_normal(&s);
        near[e] = x[e] - pow(10, (double)(3 + e % FAR));
    }
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (int f = 0; f < FORMS; f++) {
            const pith_i_data X = as_form(ctx, x, N, FAR, (form)f, PITH_F64);
            const pith_i_data Y = as_form(ctx, near, N, FAR, ROW_MAJOR, PITH_F64);
            pith_i_column_stats far_stats, near_stats;
            pith_i_view far, want;
            assert_ok(ctx, pith_i_column_statistics(ctx, &X, NULL, &far_stats));
            assert_ok(ctx, pith_i_column_statistics(ctx, &Y, NULL, &near_stats));
            assert_ok(ctx, pith_i_view_make(ctx, &X, &far_stats, kinds[k], &far));
            assert_ok(ctx, pith_i_view_make(ctx, &Y, &near_stats, kinds[k], &want));
            for (int64_t i = 0; i < N; i++)
                for (int64_t j = 0; j < FAR; j++)
                    assert_near(value_at(&far.X, i, j) - (far.shift != NULL ? far.shift[j] : 0),
                                value_at(&want.X, i, j), j == 0 && far.shift != NULL ? 1e-12 : 1e-14);
            pith_i_view_free(&far);
            pith_i_view_free(&want);
        }
    pith_i_scratch_release(ctx, 0);
}

static void the_data_itself_is_never_changed(void **state)
{
    pith_ctx *ctx = *state;
    const double *x = counts_table(ctx);
    for (int kind = VIEW_NONE; kind <= VIEW_PARETO; kind++)
        for (each_form(f, dtype)) {
            const pith_i_data X = as_form(ctx, x, N, P, (form)f, (pith_dtype)dtype);
            assert_view(ctx, x, kind, &X);
            assert_is_table(&X, N, P, x);
        }
    pith_i_scratch_release(ctx, 0);
}

static void tfidf_of_negative_values_is_refused(void **state)
{
    pith_ctx *ctx = *state;
    double *x = counts_table(ctx);
    x[3 * P + 6] = -1;
    for (int kind = VIEW_TFIDF; kind <= VIEW_SQRT_IDF; kind++)
        for (int f = 0; f < FORMS && of_counts(kind); f++) {
            const pith_i_data X = as_form(ctx, x, N, P, (form)f, PITH_F64);
            pith_i_column_stats stats;
            pith_i_view view;
            assert_ok(ctx, pith_i_column_statistics(ctx, &X, NULL, &stats));
            assert_int_equal(pith_i_view_make(ctx, &X, &stats, kind, &view), PITH_E_DATA);
            assert_non_null(strstr(pith_ctx_message(ctx), "column 7 (counted from 1)"));
        }
    pith_i_scratch_release(ctx, 0);
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Everything that reads data reads a view by its map as it reads the table of its values. */
static void assert_reads_alike(pith_ctx *ctx, const pith_i_data *V, const pith_i_data *Y)
{
    double whole[N * P], other[N * P];
    pith_i_data A = {0}, B = {0};
    for (int from = 0; from <= 11; from += 11) {
        const pith_i_data v = pith_i_data_rows(V, from, N - from), y = pith_i_data_rows(Y, from, N - from);
        pith_i_block(&v, 3, 20, 1, P - 1, whole, P);
        pith_i_block(&y, 3, 20, 1, P - 1, other, P);
        for (int64_t e = 0; e < 20 * P; e++)
            assert_true(e % P == P - 1 || same_bits(whole[e], other[e]));
        for (int64_t i = 0; i < N - from; i++)
            for (int64_t j = 0; j < P; j++)
                assert_true(same_bits(value_at(&v, i, j), value_at(&y, i, j)));
    }
    for (int64_t j = 0; j < P && !V->sparse; j++) {
        pith_i_column(V, j, whole);
        pith_i_column(Y, j, other);
        assert_memory_equal(whole, other, N * sizeof *whole);
    }
    assert_ok(ctx, pith_i_transpose(ctx, V, &A));
    assert_ok(ctx, pith_i_transpose(ctx, Y, &B));
    for (int64_t j = 0; j < P; j++)
        for (int64_t i = 0; i < N; i++)
            assert_true(same_bits(value_at(&A, j, i), value_at(&B, j, i)));
    pith_i_data_free(&A);
    pith_i_data_free(&B);
    static const int64_t rows[] = {N - 1, 0, 7};
    assert_ok(ctx, pith_i_take_rows(ctx, V, COUNT(rows), rows, &A));
    assert_ok(ctx, pith_i_take_rows(ctx, Y, COUNT(rows), rows, &B));
    for (int64_t i = 0; i < (int64_t)COUNT(rows); i++)
        for (int64_t j = 0; j < P; j++) {
            assert_true(same_bits(value_at(&A, i, j), value_at(&B, i, j)));
            assert_true(same_bits(value_at(&A, i, j), value_at(Y, rows[i], j)));
        }
    pith_i_data_free(&A);
    pith_i_data_free(&B);
}

static void a_view_without_a_table_has_the_same_values(void **state)
{
    pith_ctx *ctx = *state;
    for (int kind = VIEW_CENTER; kind <= VIEW_SQRT_IDF_LENGTHS; kind++)
        for (each_form(f, dtype)) {
            double *x =
                of_counts(kind) || kind == VIEW_SQRT_IDF_LENGTHS ? counts_table(ctx) : signed_table(ctx);
            for (int64_t e = 0; kind >= VIEW_SQRT_IDF && e < N * P; e++)
                x[e] = log1p(floor(3 * x[e])); /* logarithms, which are undone */
            const pith_i_data X = as_form(ctx, x, N, P, (form)f, (pith_dtype)dtype);
            pith_i_column_stats stats;
            pith_i_view table, none;
            assert_ok(ctx, pith_i_column_statistics(ctx, &X, NULL, &stats));
            assert_ok(ctx, pith_i_view_make(ctx, &X, &stats, kind, &table));
            (void)pith_i_keep_up_to(ctx, 0);
            const int64_t before = pith_i_bytes_in_use(ctx);
            assert_ok(ctx, pith_i_view_make(ctx, &X, &stats, kind, &none));
            (void)pith_i_keep_up_to(ctx, PITH_I_KEPT);
            assert_null(table.map);
            assert_true(none.map != NULL || (X.sparse && kind == VIEW_CENTER)); /* that borrows in any case */
            assert_true(none.map == NULL || (none.X.values == NULL && none.X.x == NULL));
            assert_true(pith_i_bytes_in_use(ctx) - before <= (N + 4 * P) * 8 + (int64_t)sizeof *none.map);
            assert_reads_alike(ctx, &none.X, &table.X);
            for (int64_t j = 0; none.shift != NULL && j < P; j++)
                assert_true(same_bits(none.shift[j], table.shift[j]));
            pith_i_view_free(&table);
            pith_i_view_free(&none);
            pith_i_scratch_release(ctx, 0);
        }
}

/* What need not be copied is not: 100,000 x 20,000 must fit. */
static void plain_and_centred_sparse_views_borrow(void **state)
{
    pith_ctx *ctx = *state;
    const double *x = counts_table(ctx);
    for (int kind = VIEW_NONE; kind <= VIEW_CENTER; kind++) {
        const pith_i_data X = as_form(ctx, x, N, P, CSR, PITH_F32);
        pith_i_column_stats stats;
        pith_i_view view;
        assert_ok(ctx, pith_i_column_statistics(ctx, &X, NULL, &stats));
        const int64_t before = pith_i_bytes_in_use(ctx);
        assert_ok(ctx, pith_i_view_make(ctx, &X, &stats, kind, &view));
        assert_ptr_equal(view.X.values, X.values);
        assert_int_equal(pith_i_bytes_in_use(ctx) - before, kind == VIEW_NONE ? 0 : P * 8);
        pith_i_view_free(&view);
        assert_int_equal(pith_i_bytes_in_use(ctx), before);
    }
    pith_i_scratch_release(ctx, 0);
}

static void the_words_are_in_the_order_of_the_kinds(void **state)
{
    (void)state;
    static const char *const words[] = {[VIEW_AUTO] = "auto",
                                        [VIEW_NONE] = "none",
                                        [VIEW_CENTER] = "center",
                                        [VIEW_ZSCORE] = "zscore",
                                        [VIEW_MINMAX] = "minmax",
                                        [VIEW_TFIDF] = "tfidf",
                                        [VIEW_TFIDF_CENTER] = "tfidf-center",
                                        [VIEW_CENTER_UNIT] = "center-unit",
                                        [VIEW_TFIDF_UNIT] = "tfidf-unit",
                                        [VIEW_SQRT_IDF] = "sqrt-idf",
                                        [VIEW_PARETO] = "pareto"};
    for (size_t w = 0; w < COUNT(words); w++)
        assert_string_equal(pith_i_view_words[w], words[w]);
    assert_null(pith_i_view_words[COUNT(words)]);
}

typedef struct job {
    const pith_i_data *X;
    const pith_i_column_stats *stats;
    int kind;
} job;

static pith_status make(pith_ctx *ctx, void *arg)
{
    const job *j = arg;
    pith_i_view view = {0};
    const pith_status st = pith_i_view_make(ctx, j->X, j->stats, j->kind, &view);
    pith_i_view_free(&view);
    return st;
}

static void failing_allocations_are_survived(void **state)
{
    pith_ctx *ctx = *state;
    static const int64_t least[][2] = {{0, 0},   {4, 3}, {4, 4},   {4, 4}, {4, 4},
                                       {12, 12}, {4, 4}, {12, 12}, {5, 5}, {4, 4}};
    const double *x = counts_table(ctx);
    for (int kind = VIEW_NONE; kind <= VIEW_PARETO; kind++)
        for (int sparse = 0; sparse < 2; sparse++) {
            const pith_i_data X = as_form(ctx, x, N, P, sparse ? CSR : COLUMN_MAJOR, PITH_F32);
            pith_i_column_stats stats;
            assert_ok(ctx, pith_i_column_statistics(ctx, &X, NULL, &stats));
            job j = {&X, &stats, kind};
            assert_survives_failing_allocations(ctx, make, &j, least[kind - VIEW_NONE][sparse]);
        }
    pith_i_scratch_release(ctx, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_view_is_its_formula_in_every_form),
        TEST(constants_become_exactly_0),
        TEST(columns_far_from_0_keep_their_digits),
        TEST(the_data_itself_is_never_changed),
        TEST(tfidf_of_negative_values_is_refused),
        TEST(a_view_without_a_table_has_the_same_values),
        TEST(plain_and_centred_sparse_views_borrow),
        cmocka_unit_test(the_words_are_in_the_order_of_the_kinds),
        TEST(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests_name("view", tests, NULL, NULL);
}
