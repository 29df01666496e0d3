#include "matrix/matrix.h"
#include "unit/german.h"
#include "unit/tables.h"

static pith_matrix *borrow(pith_ctx *ctx, const pith_i_data *X)
{
    pith_matrix *m = NULL;
    if (X->sparse)
        assert_ok(ctx, pith_matrix_csr(ctx, X->n, X->p, X->dtype, X->indptr, X->indices, X->values, &m));
    else
        assert_ok(ctx, pith_matrix_dense(ctx, X->n, X->p, X->dtype, X->x, X->row_stride, X->col_stride, &m));
    return m;
}

static void a_matrix_borrows_and_tells_what_it_was_given(void **state)
{
    pith_ctx *ctx = *state;
    const double *x = random_table(ctx, 4, 3, 0.5, 1);
    for (each_form(f, dtype)) {
        const pith_i_data X = as_form(ctx, x, 4, 3, (form)f, (pith_dtype)dtype);
        if (f == CSR_PART)
            continue;
        pith_matrix *m = borrow(ctx, &X);
        double rows[2 * 3];
        assert_int_equal(pith_matrix_rows(m), 4);
        assert_int_equal(pith_matrix_cols(m), 3);
        assert_int_equal(pith_matrix_dtype(m), dtype);
        assert_int_equal(pith_matrix_is_sparse(m), X.sparse);
        assert_int_equal(pith_matrix_stored(m), pith_i_stored(&X));
        const pith_arrays at = pith_matrix_arrays(m);
        assert_ptr_equal(at.x, X.sparse ? NULL : X.x);
        assert_ptr_equal(at.values, X.sparse ? X.values : NULL);
        assert_ptr_equal(at.indptr, X.sparse ? X.indptr : NULL);
        assert_ptr_equal(at.indices, X.sparse ? X.indices : NULL);
        assert_true(X.sparse || (at.row_stride == X.row_stride && at.col_stride == X.col_stride));
        assert_ok(ctx, pith_matrix_get_rows(ctx, m, 1, 2, rows));
        assert_memory_equal(rows, x + 3, sizeof rows);
        pith_matrix_free(m);
    }
    pith_i_scratch_release(ctx, 0);
}

static void calls_that_make_no_sense_are_refused(void **state)
{
    pith_ctx *ctx = *state;
    const double x[6] = {0};
    double out[6];
    const int64_t picks[] = {0, 2}, beyond[] = {3}, below[] = {-1};
    const char *names[] = {"a", NULL, "c"};
    pith_matrix *m = NULL, *n = NULL;
    pith_info info;
    assert_int_equal(pith_matrix_dense(NULL, 2, 3, PITH_F64, x, 3, 1, &m), PITH_E_ARGUMENT);
    assert_int_equal(pith_matrix_dense(ctx, 2, 3, PITH_F64, x, 3, 1, NULL), PITH_E_ARGUMENT);
    assert_int_equal(pith_matrix_dense(ctx, -2, 3, PITH_F64, x, 3, 1, &m), PITH_E_ARGUMENT);
    assert_int_equal(pith_matrix_csr(ctx, 2, 3, PITH_F64, NULL, NULL, NULL, &m), PITH_E_ARGUMENT);
    assert_null(m);
    assert_ok(ctx, pith_matrix_dense(ctx, 2, 3, PITH_F64, x, 3, 1, &m));
    assert_int_equal(pith_matrix_get_rows(ctx, m, 1, 2, out), PITH_E_ARGUMENT);
    assert_int_equal(pith_matrix_get_rows(ctx, m, -1, 1, out), PITH_E_ARGUMENT);
    assert_int_equal(pith_matrix_get_rows(ctx, m, INT64_MAX, INT64_MAX, out), PITH_E_ARGUMENT);
    assert_int_equal(pith_matrix_get_rows(ctx, m, 0, 1, NULL), PITH_E_ARGUMENT);
    assert_int_equal(pith_matrix_get_rows(ctx, NULL, 0, 1, out), PITH_E_ARGUMENT);
    assert_ok(ctx, pith_matrix_get_rows(ctx, m, 2, 0, out));
    assert_int_equal(pith_matrix_set_feature_names(ctx, m, names), PITH_E_ARGUMENT);
    assert_non_null(strstr(pith_ctx_message(ctx), "text 1 (counted from 0) is NULL"));
    assert_int_equal(pith_matrix_set_feature_names(ctx, m, NULL), PITH_E_ARGUMENT);
    assert_int_equal(pith_matrix_set_sample_names(ctx, NULL, names), PITH_E_ARGUMENT);
    assert_int_equal(pith_matrix_set_labels(ctx, m, NULL), PITH_E_ARGUMENT);
    assert_int_equal(pith_matrix_set_labels(ctx, m, names), PITH_E_ARGUMENT);
    assert_int_equal(pith_matrix_select(ctx, m, 1, beyond, &n), PITH_E_ARGUMENT);
    assert_int_equal(pith_matrix_select(ctx, m, 1, below, &n), PITH_E_ARGUMENT);
    assert_int_equal(pith_matrix_select(ctx, m, -1, picks, &n), PITH_E_ARGUMENT);
    assert_int_equal(pith_matrix_select(ctx, m, 2, NULL, &n), PITH_E_ARGUMENT);
    assert_int_equal(pith_matrix_info(ctx, m, NULL), PITH_E_ARGUMENT);
    assert_int_equal(pith_matrix_info(ctx, NULL, &info), PITH_E_ARGUMENT);
    assert_null(n);
    assert_null(pith_matrix_feature_name(m, 0)); /* what failed has set nothing */
    assert_int_equal(pith_matrix_classes(m), 0);
    assert_int_equal(pith_matrix_label(m, 0), -1);
    pith_matrix_free(m);
    pith_matrix_free(NULL);
}

static void names_are_copied_and_may_be_replaced(void **state)
{
    pith_ctx *ctx = *state;
    const double x[6] = {0};
    char first[] = "first";
    const char *names[] = {first, "", "dritt\xC3\xA9"}, *others[] = {"x", "y", "z"}, *rows[] = {"r0", "r1"};
    char made[24];
    pith_matrix *m = NULL;
    assert_ok(ctx, pith_matrix_dense(ctx, 2, 3, PITH_F64, x, 3, 1, &m));
    assert_null(pith_matrix_feature_name(m, 1));
    assert_string_equal(pith_i_feature_label(m, 2, made), "f2");
    assert_ok(ctx, pith_matrix_set_feature_names(ctx, m, names));
    assert_ok(ctx, pith_matrix_set_sample_names(ctx, m, rows));
    first[0] = 'X';
    assert_string_equal(pith_matrix_feature_name(m, 0), "first");
    assert_string_equal(pith_matrix_feature_name(m, 1), "");
    assert_string_equal(pith_i_feature_label(m, 2, made), "dritt\xC3\xA9");
    assert_string_equal(pith_matrix_sample_name(m, 1), "r1");
    assert_null(pith_matrix_feature_name(m, 3));
    assert_null(pith_matrix_feature_name(m, -1));
    assert_null(pith_matrix_sample_name(m, 2));
    assert_ok(ctx, pith_matrix_set_feature_names(ctx, m, others));
    assert_string_equal(pith_matrix_feature_name(m, 0), "x");
    pith_matrix_free(m);
}

static pith_matrix *labelled(pith_ctx *ctx, int64_t n, const char *const *labels)
{
    static const double zero[16] = {0};
    pith_matrix *m = NULL;
    assert_ok(ctx, pith_matrix_dense(ctx, n, 1, PITH_F64, zero, 1, 1, &m));
    assert_ok(ctx, pith_matrix_set_labels(ctx, m, labels));
    return m;
}

static void assert_classes(const pith_matrix *m, int32_t count, const char *const *names,
                           const int32_t *label)
{
    assert_int_equal(pith_matrix_classes(m), count);
    for (int32_t c = 0; c < count; c++)
        assert_string_equal(pith_matrix_class_name(m, c), names[c]);
    assert_null(pith_matrix_class_name(m, count));
    assert_null(pith_matrix_class_name(m, -1));
    for (int64_t i = 0; i < pith_matrix_rows(m); i++)
        assert_int_equal(pith_matrix_label(m, i), label[i]);
    assert_int_equal(pith_matrix_label(m, pith_matrix_rows(m)), -1);
}

static void classes_that_are_numbers_are_ordered_by_value(void **state)
{
    pith_ctx *ctx = *state;
    const char *labels[] = {"10", "9", "-1", "9", "1e1", "2.5"};
    pith_matrix *m = labelled(ctx, 6, labels);
    /* 10 and 1e1 are equal in value and two texts: two classes, by bytes. */
    assert_classes(m, 5, (const char *[]){"-1", "2.5", "9", "10", "1e1"},
                   (const int32_t[]){3, 2, 0, 2, 4, 1});
    pith_matrix_free(m);
}

static void one_word_among_numbers_makes_all_of_them_words(void **state)
{
    pith_ctx *ctx = *state;
    const char *words[] = {"10", "9", "none", "9"}, *text[] = {"sport", "Politics", "sport", "art"};
    pith_matrix *m = labelled(ctx, 4, words);
    assert_classes(m, 3, (const char *[]){"10", "9", "none"}, (const int32_t[]){0, 1, 2, 1});
    pith_matrix_free(m);
    m = labelled(ctx, 4, text);
    assert_classes(m, 3, (const char *[]){"Politics", "art", "sport"}, (const int32_t[]){2, 0, 2, 1});
    assert_ok(ctx, pith_matrix_set_labels(ctx, m, words)); /* replaced as a whole */
    assert_classes(m, 3, (const char *[]){"10", "9", "none"}, (const int32_t[]){0, 1, 2, 1});
    pith_matrix_free(m);
}

static void missing_labels_are_no_class(void **state)
{
    pith_ctx *ctx = *state;
    const char *labels[] = {"10", "", "9", "NaN", "NA", "9", "<NA>", "nan"}, *none[] = {"", "NA", "nan"};
    pith_matrix *m = labelled(ctx, 8, labels), *known = NULL;
    assert_classes(m, 2, (const char *[]){"9", "10"}, (const int32_t[]){1, -1, 0, -1, -1, 0, -1, -1});
    assert_int_equal(pith_i_labelled(m), 3);
    assert_ok(ctx, pith_i_take_labelled(ctx, m, &known));
    assert_classes(known, 2, (const char *[]){"9", "10"}, (const int32_t[]){1, 0, 0});
    pith_matrix_free(known);
    pith_matrix_free(m);
    m = labelled(ctx, 3, none);
    assert_int_equal(pith_matrix_classes(m), 0);
    assert_null(m->label);
    pith_matrix_free(m);
}

static void the_order_of_classes_does_not_follow_the_locale(void **state)
{
    pith_ctx *ctx = *state;
    const char *labels[] = {"10.5", "9.5", "9.5"};
    skip_unless_german();
    pith_matrix *m = labelled(ctx, 3, labels);
    (void)setlocale(LC_ALL, "C");
    assert_classes(m, 2, (const char *[]){"9.5", "10.5"}, (const int32_t[]){1, 0, 0});
    pith_matrix_free(m);
}

/* An owned matrix in that form, with names and labels. */
static pith_matrix *owned(pith_ctx *ctx, const double *x, int64_t n, int64_t p, form f, pith_dtype dtype)
{
    pith_matrix *m = NULL;
    const pith_i_data X = as_form(ctx, x, n, p, f == CSR ? CSR : ROW_MAJOR, dtype);
    assert_ok(ctx, pith_i_matrix_new(ctx, &m));
    if (f == COLUMN_MAJOR) { /* as a reader of column-major files may leave it */
        assert_ok(ctx, pith_i_transpose(ctx, &X, &m->data));
        m->data.n = n;
        m->data.p = p;
        m->data.row_stride = 1;
        m->data.col_stride = n;
    } else {
        assert_ok(ctx, pith_i_scaled(ctx, &X, dtype, NULL, NULL, NULL, &m->data));
    }
    return m;
}

static void kept_rows_take_their_names_and_labels_along(void **state)
{
    pith_ctx *ctx = *state;
    enum { N = 7, P = 5 };
    static const form forms[] = {ROW_MAJOR, COLUMN_MAJOR, CSR};
    static const int64_t some[] = {0, 2, 3, 6}, all[] = {0, 1, 2, 3, 4, 5, 6}, last[] = {6};
    static const struct {
        const int64_t *kept;
        int64_t count;
    } choices[] = {{some, 4}, {all, 7}, {last, 1}, {some, 0}};
    const char *rows[N] = {"a", "b", "c", "d", "e", "f", "g"},
               *labels[N] = {"3", "2", "3", "1", "2", "2", "3"};
    for (size_t k = 0; k < COUNT(choices); k++)
        for (int t = 0; t < 6; t++) {
            const double *x = random_table(ctx, N, P, 0.5, 2);
            double y[N * P];
            pith_matrix *m = owned(ctx, x, N, P, forms[t / 2], t % 2 == 0 ? PITH_F32 : PITH_F64);
            assert_ok(ctx, pith_matrix_set_sample_names(ctx, m, rows));
            assert_ok(ctx, pith_matrix_set_labels(ctx, m, labels));
            assert_ok(ctx, pith_i_matrix_keep_rows(ctx, m, choices[k].count, choices[k].kept));
            assert_ok(ctx, pith_i_data_check(ctx, &m->data));
            for (int64_t i = 0; i < choices[k].count; i++) {
                const int64_t was = choices[k].kept[i];
                memcpy(y + i * P, x + was * P, P * sizeof *y);
                assert_string_equal(pith_matrix_sample_name(m, i), rows[was]);
                assert_string_equal(pith_matrix_class_name(m, pith_matrix_label(m, i)), labels[was]);
            }
            assert_is_table(&m->data, choices[k].count, P, y);
            assert_null(pith_matrix_sample_name(m, choices[k].count));
            if (choices[k].count == 1) /* a class that nobody is in any more is gone */
                assert_int_equal(pith_matrix_classes(m), 1);
            pith_matrix_free(m);
            pith_i_scratch_release(ctx, 0);
        }
}

static void selected_columns_know_where_they_came_from(void **state)
{
    pith_ctx *ctx = *state;
    enum { N = 6, P = 4 };
    static const int64_t picks[] = {3, 1};
    const char *names[P] = {"w", "x", "y", "z"}, *rows[N] = {"a", "b", "c", "d", "e", "f"};
    const char *labels[N] = {"u", "v", "u", "u", "v", "v"};
    const double *x = random_table(ctx, N, P, 0.6, 3);
    double y[N * 2];
    for (int64_t e = 0; e < N * 2; e++)
        y[e] = x[e / 2 * P + picks[e % 2]];
    for (each_form(f, dtype)) {
        const pith_i_data X = as_form(ctx, x, N, P, (form)f, (pith_dtype)dtype);
        if (f == CSR_PART)
            continue;
        pith_matrix *m = borrow(ctx, &X), *few = NULL;
        assert_ok(ctx, pith_matrix_select(ctx, m, 2, picks, &few));
        assert_string_equal(pith_matrix_feature_name(few, 0), "f3"); /* its number in the whole */
        assert_null(pith_matrix_sample_name(few, 0));
        assert_int_equal(pith_matrix_classes(few), 0);
        pith_matrix_free(few);
        assert_ok(ctx, pith_matrix_set_feature_names(ctx, m, names));
        assert_ok(ctx, pith_matrix_set_sample_names(ctx, m, rows));
        assert_ok(ctx, pith_matrix_set_labels(ctx, m, labels));
        assert_ok(ctx, pith_matrix_select(ctx, m, 2, picks, &few));
        pith_matrix_free(m); /* the selection stands alone */
        assert_is_table(&few->data, N, 2, y);
        assert_string_equal(pith_matrix_feature_name(few, 0), "z");
        assert_string_equal(pith_matrix_feature_name(few, 1), "x");
        assert_string_equal(pith_matrix_sample_name(few, 5), "f");
        assert_classes(few, 2, (const char *[]){"u", "v"}, (const int32_t[]){0, 1, 0, 0, 1, 1});
        pith_matrix_free(few);
    }
    pith_i_scratch_release(ctx, 0);
}

static void info_counts_what_is_there_not_what_is_stored(void **state)
{
    pith_ctx *ctx = *state;
    const double x[] = {0, 2, 0, 3, /**/ 0, 2, 0, 0, /**/ 0, 2, 0, 1.5, /**/ 0, 2, 0, 0};
    for (int f = 0; f < CSR_PART; f++) {
        const pith_i_data X = as_form(ctx, x, 4, 4, (form)f, PITH_F32);
        pith_matrix *m = borrow(ctx, &X);
        pith_info info;
        assert_ok(ctx, pith_matrix_info(ctx, m, &info));
        assert_int_equal(info.rows, 4);
        assert_int_equal(info.cols, 4);
        assert_int_equal(info.nonzeros, 6);
        assert_int_equal(info.constant_cols, 3);
        assert_int_equal(info.empty_rows, 0);
        assert_int_equal(info.nonfinite, 0);
        assert_true(info.min == 0 && info.max == 3);
        assert_true(info.nonnegative && !info.integers);
        assert_false(info.counts); /* 6 of 8: columns of zeros are left out */
        pith_matrix_free(m);
    }
    pith_i_scratch_release(ctx, 0);
}

static void info_of_negative_and_missing_values(void **state)
{
    pith_ctx *ctx = *state;
    const double x[] = {0, 0, -4, /**/ (double)NAN, 5, (double)INFINITY, /**/ 0, 5, -7, /**/ 0, 0, 0};
    for (int f = 0; f < CSR_PART; f++) {
        const pith_i_data X = as_form(ctx, x, 4, 3, (form)f, PITH_F64);
        pith_matrix *m = borrow(ctx, &X);
        pith_info info;
        assert_ok(ctx, pith_matrix_info(ctx, m, &info));
        assert_int_equal(info.nonfinite, 2);
        assert_int_equal(info.empty_rows, 1);
        assert_int_equal(info.constant_cols, 0); /* NaN, 0, 0 is none */
        assert_true(info.min == -7 && info.max == 5);
        assert_true(!info.nonnegative && !info.counts && info.integers);
        pith_matrix_free(m);
    }
    pith_i_scratch_release(ctx, 0);
}

/* More than a tile in both directions. */
static void info_agrees_between_forms_on_larger_data(void **state)
{
    pith_ctx *ctx = *state;
    enum { N = 275, P = 75 };
    double *x = random_table(ctx, N, P, 0.3, 4);
    memset(x + 33 * P, 0, P * sizeof *x);
    int64_t nonzeros = 0;
    for (int64_t e = 0; e < N * P; e++)
        nonzeros += x[e] != 0;
    for (each_form(f, dtype)) {
        const pith_i_data X = as_form(ctx, x, N, P, (form)f, (pith_dtype)dtype);
        if (f == CSR_PART)
            continue;
        pith_matrix *m = borrow(ctx, &X);
        pith_info info;
        assert_ok(ctx, pith_matrix_info(ctx, m, &info));
        assert_int_equal(info.nonzeros, nonzeros);
        assert_int_equal(info.empty_rows, 1);
        assert_int_equal(info.constant_cols, 0);
        pith_matrix_free(m);
    }
    pith_i_scratch_release(ctx, 0);
}

static void info_of_nothing_is_nothing(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = NULL;
    pith_info info;
    assert_ok(ctx, pith_matrix_dense(ctx, 0, 3, PITH_F64, NULL, 3, 1, &m));
    assert_ok(ctx, pith_matrix_info(ctx, m, &info));
    assert_true(isnan(info.min) && isnan(info.max));
    assert_int_equal(info.constant_cols, 0);
    assert_false(info.counts);
    pith_matrix_free(m);
}

typedef struct job {
    const double *x;
    form f;
} job;

static pith_status use_all(pith_ctx *ctx, void *arg)
{
    const job *j = arg;
    static const int64_t picks[] = {2, 0};
    const char *names[] = {"x", "y", "z"}, *rows[] = {"a", "b"};
    pith_matrix *m = NULL, *few = NULL;
    pith_info info;
    pith_status st = PITH_OK;
    TRY(pith_i_matrix_new(ctx, &m));
    TRY(j->f == CSR ? pith_i_data_new_csr(ctx, 2, 3, 0, PITH_F64, &m->data)
                    : pith_i_data_new_dense(ctx, 2, 3, PITH_F64, &m->data));
    if (j->f != CSR)
        memcpy(pith_i_data_x(&m->data), j->x, 6 * sizeof *j->x);
    TRY(pith_matrix_set_feature_names(ctx, m, names));
    TRY(pith_matrix_set_sample_names(ctx, m, rows));
    TRY(pith_matrix_set_labels(ctx, m, rows));
    TRY(pith_matrix_info(ctx, m, &info));
    TRY(pith_matrix_select(ctx, m, 2, picks, &few));
    TRY(pith_i_matrix_keep_rows(ctx, few, 1, picks + 1));
done:
    pith_matrix_free(m);
    pith_matrix_free(few);
    return st;
}

static void failing_allocations_are_survived(void **state)
{
    const double x[6] = {1, 2, 3, 4, 5, 6};
    job dense = {x, ROW_MAJOR}, sparse = {x, CSR};
    assert_survives_failing_allocations(*state, use_all, &dense, 40);
    assert_survives_failing_allocations(*state, use_all, &sparse, 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_matrix_borrows_and_tells_what_it_was_given),
        TEST(calls_that_make_no_sense_are_refused),
        TEST(names_are_copied_and_may_be_replaced),
        TEST(classes_that_are_numbers_are_ordered_by_value),
        TEST(one_word_among_numbers_makes_all_of_them_words),
        TEST(missing_labels_are_no_class),
        TEST(the_order_of_classes_does_not_follow_the_locale),
        TEST(kept_rows_take_their_names_and_labels_along),
        TEST(selected_columns_know_where_they_came_from),
        TEST(info_counts_what_is_there_not_what_is_stored),
        TEST(info_of_negative_and_missing_values),
        TEST(info_agrees_between_forms_on_larger_data),
        TEST(info_of_nothing_is_nothing),
        TEST(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests_name("matrix", tests, NULL, NULL);
}
