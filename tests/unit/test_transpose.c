/* A sparse file that is stored by columns: what becomes of the columns once the rows are made. */
#include "methods/cache.h"
#include "unit/files.h"
#include "unit/tables.h"

#include <math.h>

enum { N = 40, P = 9 };

/* .mat is CSC; NaN in the first stored entry where that is asked for. */
static const char *by_columns(pith_ctx *ctx, const char *name, bool bad)
{
    const double *x = random_table(ctx, N, P, 0.4, 3);
    const pith_i_data X = as_form(ctx, x, N, P, CSR, PITH_F64);
    pith_matrix *m = NULL;
    if (bad)
        pith_i_set_value((void *)X.values, PITH_F64, 0, (double)NAN);
    assert_ok(ctx, pith_matrix_csr(ctx, N, P, PITH_F64, X.indptr, X.indices, X.values, &m));
    assert_ok(ctx, pith_matrix_write(ctx, m, path_of(name)));
    pith_matrix_free(m);
    return path_of(name);
}

static pith_matrix *take(pith_ctx *ctx, const char *path, pith_read_options o)
{
    pith_matrix *m = NULL;
    assert_ok(ctx, pith_matrix_read(ctx, path, &o, &m));
    assert_true(m->data.sparse);
    return m;
}

static void assert_turned(pith_ctx *ctx, const pith_i_data *X)
{
    const pith_i_data *T = X->transpose;
    pith_i_data made = {0};
    assert_non_null(T);
    assert_ok(ctx, pith_i_transpose(ctx, X, &made));
    assert_true(T->n == made.n && T->p == made.p && T->dtype == made.dtype && T->offset == made.offset);
    assert_memory_equal(T->indptr, made.indptr, (size_t)(made.n + 1) * sizeof *made.indptr);
    assert_memory_equal(T->indices, made.indices, (size_t)pith_i_stored(&made) * sizeof *made.indices);
    assert_memory_equal(T->values, made.values, (size_t)pith_i_stored(&made) * sizeof(double));
    pith_i_data_free(&made);
}

static void columns_stay_where_they_are_asked_for(void **state)
{
    pith_ctx *ctx = *state;
    const char *path = by_columns(ctx, "x.mat", false);
    const int64_t before = pith_i_bytes_in_use(ctx);
    pith_matrix *m = take(ctx, path, (pith_read_options){0});
    const int64_t rows_alone = pith_i_bytes_in_use(ctx) - before, entries = pith_i_stored(&m->data);
    assert_null(m->data.transpose);
    pith_matrix_free(m);
    m = take(ctx, path, (pith_read_options){.keep_columns = true});
    assert_turned(ctx, &m->data);
    assert_true(pith_i_bytes_in_use(ctx) - before >= rows_alone + 12 * entries);
    pith_matrix_free(m);
    pith_i_scratch_release(ctx, 0);
}

static void a_table_that_is_turned_changes_places_with_its_columns(void **state)
{
    pith_ctx *ctx = *state;
    const char *path = by_columns(ctx, "x.mat", false);
    pith_matrix *plain = take(ctx, path, (pith_read_options){.transpose = true});
    pith_matrix *m = take(ctx, path, (pith_read_options){.transpose = true, .keep_columns = true});
    assert_null(plain->data.transpose);
    assert_turned(ctx, &m->data);
    assert_true(m->data.n == P && m->data.p == N);
    assert_memory_equal(m->data.indices, plain->data.indices,
                        (size_t)pith_i_stored(&plain->data) * sizeof *plain->data.indices);
    pith_matrix_free(m);
    pith_matrix_free(plain);
    pith_i_scratch_release(ctx, 0);
}

static void columns_go_where_values_change(void **state)
{
    static const pith_missing ways[] = {PITH_MISSING_ZERO, PITH_MISSING_MEAN, PITH_MISSING_DROP_ROWS};
    pith_ctx *ctx = *state;
    const char *path = by_columns(ctx, "bad.mat", true);
    for (size_t i = 0; i < COUNT(ways); i++) {
        pith_matrix *m = take(ctx, path, (pith_read_options){.missing = ways[i], .keep_columns = true});
        assert_null(m->data.transpose);
        pith_matrix_free(m);
    }
    pith_i_scratch_release(ctx, 0);
}

/* The cache takes the data's transpose, and that of what is centred is the same: neither is made. */
static void views_borrow_the_columns(void **state)
{
    pith_ctx *ctx = *state;
    const char *path = by_columns(ctx, "x.mat", false);
    pith_matrix *m = take(ctx, path, (pith_read_options){.keep_columns = true});
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_data *T = NULL;
    pith_i_cache cache = {0};
    assert_ok(ctx, pith_i_cache_new(ctx, &m->data, &cache));
    assert_ok(ctx, pith_i_cache_columns(ctx, &cache, VIEW_NONE, &T));
    assert_ptr_equal(T->values, m->data.transpose->values);
    assert_ok(ctx, pith_i_cache_columns(ctx, &cache, VIEW_CENTER, &T));
    assert_ptr_equal(T->values, m->data.transpose->values);
    assert_ok(ctx, pith_i_cache_columns(ctx, &cache, VIEW_ZSCORE, &T));
    assert_ptr_not_equal(T->values, m->data.transpose->values);
    assert_ptr_equal(T->indices, m->data.transpose->indices);
    pith_i_cache_free(&cache);
    pith_i_scratch_release(ctx, mark);
    pith_matrix_free(m);
    pith_i_scratch_release(ctx, 0);
}

/* What a view's transpose takes from that of the data is what transposing the view gives. */
static void the_transpose_of_a_view_is_that_of_its_values(void **state)
{
    static const int kinds[] = {VIEW_ZSCORE, VIEW_MINMAX, VIEW_TFIDF, VIEW_SQRT_IDF, VIEW_TFIDF_UNIT};
    pith_ctx *ctx = *state;
    double *x = (double *)(uintptr_t)random_table(ctx, N, P, 0.4, 3);
    for (int e = 0; e < N * P; e++)
        x[e] = ceil(fabs(x[e])); /* counts */
    const pith_i_data X = as_form(ctx, x, N, P, CSR, PITH_F32);
    for (size_t k = 0; k < COUNT(kinds); k++) {
        const size_t mark = pith_i_scratch_mark(ctx);
        const pith_i_viewed *viewed = NULL;
        const pith_i_data *T = NULL;
        pith_i_data made = {0};
        pith_i_cache cache = {0};
        assert_ok(ctx, pith_i_cache_new(ctx, &X, &cache));
        assert_ok(ctx, pith_i_cache_columns(ctx, &cache, kinds[k], &T));
        assert_ok(ctx, pith_i_cache_view(ctx, &cache, kinds[k], &viewed));
        assert_ok(ctx, pith_i_transpose(ctx, &viewed->view.X, &made));
        assert_ptr_equal(viewed->view.X.indices, X.indices);
        assert_memory_equal(T->indptr, made.indptr, (P + 1) * sizeof *made.indptr);
        assert_memory_equal(T->values, made.values, (size_t)pith_i_stored(&made) * sizeof(double));
        pith_i_data_free(&made);
        pith_i_cache_free(&cache);
        pith_i_scratch_release(ctx, mark);
    }
    pith_i_scratch_release(ctx, 0);
}

static void assert_same_scores(pith_ctx *ctx, const pith_matrix *a, const pith_matrix *b, const char *method)
{
    pith_params *params = NULL;
    pith_result *x = NULL, *y = NULL;
    assert_ok(ctx, pith_params_new(ctx, pith_method_find(method), &params));
    assert_ok(ctx, pith_run(ctx, a, params, &x));
    assert_ok(ctx, pith_run(ctx, b, params, &y));
    assert_memory_equal(pith_result_scores(x), pith_result_scores(y), P * sizeof(double));
    if (strcmp(method, "variance") == 0) /* it goes by rows: nobody makes the columns */
        assert_true(pith_result_peak_bytes(x) - pith_result_peak_bytes(y) < 12 * pith_i_stored(&a->data));
    pith_result_free(x);
    pith_result_free(y);
    pith_params_free(params);
}

static void no_score_hangs_on_kept_columns(void **state)
{
    static const char *const methods[] = {"variance", "laplacian", "spec", "mcfs", "consensus"};
    static const int64_t picked[] = {7, 2, 5};
    pith_ctx *ctx = *state;
    const char *path = by_columns(ctx, "x.mat", false);
    pith_matrix *a = take(ctx, path, (pith_read_options){0}), *some = NULL;
    pith_matrix *b = take(ctx, path, (pith_read_options){.keep_columns = true}), *other = NULL;
    for (size_t i = 0; i < COUNT(methods); i++)
        assert_same_scores(ctx, a, b, methods[i]);
    assert_ok(ctx, pith_matrix_select(ctx, a, COUNT(picked), picked, &some));
    assert_ok(ctx, pith_matrix_select(ctx, b, COUNT(picked), picked, &other));
    assert_int_equal(pith_i_stored(&some->data), pith_i_stored(&other->data));
    assert_memory_equal(some->data.values, other->data.values,
                        (size_t)pith_i_stored(&some->data) * sizeof(double));
    pith_matrix_free(other);
    pith_matrix_free(some);
    pith_matrix_free(b);
    pith_matrix_free(a);
    pith_i_scratch_release(ctx, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(columns_stay_where_they_are_asked_for),
        TEST(a_table_that_is_turned_changes_places_with_its_columns),
        TEST(columns_go_where_values_change),
        TEST(views_borrow_the_columns),
        TEST(the_transpose_of_a_view_is_that_of_its_values),
        TEST(no_score_hangs_on_kept_columns),
    };
    return cmocka_run_group_tests_name("transpose", tests, make_folder, remove_folder);
}
