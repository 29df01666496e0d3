/* Tables, as pith.h offers them. */
#include "matrix/matrix.h"
#include "matrix/scale.h"
#include "matrix/stats.h"

#include <math.h>

static pith_status missing_argument(pith_ctx *ctx)
{
    return pith_i_error(ctx, PITH_E_ARGUMENT, "no context, matrix, array or place for the result was given");
}

static pith_status adopt(pith_ctx *ctx, const pith_i_data *X, pith_matrix **out)
{
    pith_status st = PITH_OK;
    TRY(pith_i_data_check(ctx, X));
    TRY(pith_i_matrix_new(ctx, out));
    (*out)->data = *X;
done:
    return st;
}

pith_status pith_matrix_dense(pith_ctx *ctx, int64_t n, int64_t p, pith_dtype dtype, const void *x,
                              int64_t row_stride, int64_t col_stride, pith_matrix **out)
{
    if (ctx == NULL || out == NULL)
        return missing_argument(ctx);
    const pith_i_data X = {
        .n = n, .p = p, .dtype = dtype, .x = x, .row_stride = row_stride, .col_stride = col_stride};
    return adopt(ctx, &X, out);
}

pith_status pith_matrix_csr(pith_ctx *ctx, int64_t n, int64_t p, pith_dtype dtype, const int64_t *indptr,
                            const int32_t *indices, const void *values, pith_matrix **out)
{
    if (ctx == NULL || out == NULL)
        return missing_argument(ctx);
    const pith_i_data X = {.n = n,
                           .p = p,
                           .dtype = dtype,
                           .sparse = true,
                           .indptr = indptr,
                           .indices = indices,
                           .values = values};
    return adopt(ctx, &X, out);
}

int64_t pith_matrix_rows(const pith_matrix *m)
{
    return m->data.n;
}

int64_t pith_matrix_cols(const pith_matrix *m)
{
    return m->data.p;
}

bool pith_matrix_is_sparse(const pith_matrix *m)
{
    return m->data.sparse;
}

pith_dtype pith_matrix_dtype(const pith_matrix *m)
{
    return m->data.dtype;
}

int64_t pith_matrix_stored(const pith_matrix *m)
{
    return pith_i_stored(&m->data);
}

pith_arrays pith_matrix_arrays(const pith_matrix *m)
{
    const pith_i_data *X = &m->data;
    return X->sparse ? (pith_arrays){.indptr = X->indptr, .indices = X->indices, .values = X->values}
                     : (pith_arrays){.x = X->x, .row_stride = X->row_stride, .col_stride = X->col_stride};
}

pith_status pith_matrix_get_rows(pith_ctx *ctx, const pith_matrix *m, int64_t first, int64_t count,
                                 double *out)
{
    if (ctx == NULL || m == NULL || out == NULL)
        return missing_argument(ctx);
    if (first < 0 || count < 0 || first > m->data.n - count)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "%lld rows from row %lld on, but the matrix has %lld",
                            (long long)count, (long long)first, (long long)m->data.n);
    pith_i_block(&m->data, first, count, 0, m->data.p, out, m->data.p);
    return PITH_OK;
}

static pith_status set_names(pith_ctx *ctx, int64_t count, const char *const *texts, pith_i_names *names)
{
    pith_i_names copy = {0};
    const pith_status st = pith_i_names_copy(ctx, count, texts, &copy);
    if (st != PITH_OK)
        return st;
    pith_i_names_free(names);
    *names = copy;
    return PITH_OK;
}

pith_status pith_matrix_set_feature_names(pith_ctx *ctx, pith_matrix *m, const char *const *names)
{
    if (ctx == NULL || m == NULL || names == NULL)
        return missing_argument(ctx);
    return set_names(ctx, m->data.p, names, &m->features);
}

pith_status pith_matrix_set_sample_names(pith_ctx *ctx, pith_matrix *m, const char *const *names)
{
    if (ctx == NULL || m == NULL || names == NULL)
        return missing_argument(ctx);
    return set_names(ctx, m->data.n, names, &m->samples);
}

const char *pith_matrix_feature_name(const pith_matrix *m, int64_t j)
{
    return pith_i_name(&m->features, j);
}

const char *pith_matrix_sample_name(const pith_matrix *m, int64_t i)
{
    return pith_i_name(&m->samples, i);
}

pith_status pith_matrix_set_labels(pith_ctx *ctx, pith_matrix *m, const char *const *labels)
{
    pith_i_names names = {0};
    pith_status st = PITH_OK;
    if (ctx == NULL || m == NULL || labels == NULL)
        return missing_argument(ctx);
    TRY(pith_i_names_copy(ctx, m->data.n, labels, &names));
    TRY(pith_i_matrix_label(ctx, m, &names));
done:
    pith_i_names_free(&names);
    return st;
}

pith_status pith_matrix_set_batches(pith_ctx *ctx, pith_matrix *m, const char *const *batches)
{
    pith_i_names names = {0};
    pith_status st = PITH_OK;
    if (ctx == NULL || m == NULL || batches == NULL)
        return missing_argument(ctx);
    TRY(pith_i_names_copy(ctx, m->data.n, batches, &names));
    TRY(pith_i_matrix_batch(ctx, m, NULL, &names));
done:
    pith_i_names_free(&names);
    return st;
}

int32_t pith_matrix_batches(const pith_matrix *m)
{
    return (int32_t)m->batches.count;
}

int32_t pith_matrix_batch(const pith_matrix *m, int64_t i)
{
    return m->batch == NULL || i < 0 || i >= m->data.n ? -1 : m->batch[i];
}

const char *pith_matrix_batch_name(const pith_matrix *m, int32_t batch)
{
    return pith_i_name(&m->batches, batch);
}

int32_t pith_matrix_classes(const pith_matrix *m)
{
    return (int32_t)m->classes.count;
}

int32_t pith_matrix_label(const pith_matrix *m, int64_t i)
{
    return m->label == NULL || i < 0 || i >= m->data.n ? -1 : m->label[i];
}

const char *pith_matrix_class_name(const pith_matrix *m, int32_t klass)
{
    return pith_i_name(&m->classes, klass);
}

static pith_status select_names(pith_ctx *ctx, const pith_matrix *m, int64_t count, const int64_t *features,
                                pith_matrix *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_status st = PITH_OK;
    const char **texts = NULL;
    char(*made)[24] = NULL;
    TRY(SCRATCH(ctx, texts, count));
    TRY(SCRATCH(ctx, made, count));
    for (int64_t c = 0; c < count; c++)
        texts[c] = pith_i_feature_label(m, features[c], made[c]);
    TRY(pith_i_names_copy(ctx, count, texts, &out->features));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_matrix_select(pith_ctx *ctx, const pith_matrix *m, int64_t count, const int64_t *features,
                               pith_matrix **out)
{
    pith_matrix *picked = NULL;
    pith_status st = PITH_OK;
    if (ctx == NULL || m == NULL || features == NULL || out == NULL)
        return missing_argument(ctx);
    if (count < 0 || count > INT32_MAX)
        FAIL(ctx, PITH_E_ARGUMENT, "%lld features: the count must lie in 0..%d", (long long)count, INT32_MAX);
    for (int64_t c = 0; c < count; c++)
        if (features[c] < 0 || features[c] >= m->data.p)
            FAIL(ctx, PITH_E_ARGUMENT, "no feature %lld: the matrix has %lld columns", (long long)features[c],
                 (long long)m->data.p);
    TRY(pith_i_matrix_new(ctx, &picked));
    TRY(pith_i_take_columns(ctx, &m->data, count, features, &picked->data));
    picked->known_finite = m->known_finite;
    TRY(select_names(ctx, m, count, features, picked));
    TRY(pith_i_names_take(ctx, &m->samples, m->data.n, NULL, &picked->samples));
    TRY(pith_i_labels_copy(ctx, m, picked));
    TRY(pith_i_samples_copy(ctx, m, picked));
    TRY(pith_i_place_take(ctx, m->place, m->data.n, NULL, count, features, &picked->place));
    *out = picked;
    picked = NULL;
done:
    pith_matrix_free(picked);
    return st;
}

/* Adds a value to the summary. */
static void look_at(double v, pith_info *info)
{
    info->nonzeros += v != 0;
    if (!isfinite(v)) {
        info->nonfinite++;
        return;
    }
    info->min = v < info->min ? v : info->min;
    info->max = v > info->max ? v : info->max;
    info->integers = info->integers && v == floor(v);
}

static void look_at_sparse_row(const pith_i_data *X, int64_t i, pith_info *info)
{
    const int64_t before = info->nonzeros;
    for (int64_t e = X->indptr[i]; e < X->indptr[i + 1]; e++)
        look_at(pith_i_value(X->values, X->dtype, e), info);
    if (X->indptr[i + 1] - X->indptr[i] < X->p) { /* zeros that are not stored */
        info->min = info->min > 0 ? 0 : info->min;
        info->max = info->max < 0 ? 0 : info->max;
    }
    info->empty_rows += info->nonzeros == before;
}

static void look_at_dense_rows(const pith_i_data *X, int64_t i, int64_t rows, pith_info *info)
{
    enum { COLS = PITH_I_TILE_COLS };
    double tile[PITH_I_TILE_ROWS * COLS];
    bool empty[PITH_I_TILE_ROWS];
    for (int64_t r = 0; r < rows; r++)
        empty[r] = true;
    for (int64_t j = 0; j < X->p; j += COLS) {
        const int64_t cols = X->p - j < COLS ? X->p - j : COLS;
        pith_i_block(X, i, rows, j, cols, tile, COLS);
        for (int64_t r = 0; r < rows; r++)
            for (int64_t c = 0; c < cols; c++) {
                look_at(tile[r * COLS + c], info);
                empty[r] = empty[r] && tile[r * COLS + c] == 0;
            }
    }
    for (int64_t r = 0; r < rows; r++)
        info->empty_rows += empty[r];
}

static void look_at_rows(const pith_i_data *X, pith_info *info)
{
    for (int64_t i = 0; X->sparse && i < X->n; i++)
        look_at_sparse_row(X, i, info);
    for (int64_t i = 0; !X->sparse && i < X->n; i += PITH_I_TILE_ROWS)
        look_at_dense_rows(X, i, X->n - i < PITH_I_TILE_ROWS ? X->n - i : PITH_I_TILE_ROWS, info);
    info->nonnegative = info->min >= 0;
    if (info->min > info->max) /* no value was finite */
        info->min = info->max = (double)NAN;
}

pith_status pith_matrix_info(pith_ctx *ctx, const pith_matrix *m, pith_info *out)
{
    pith_i_column_stats stats;
    pith_status st = PITH_OK;
    if (ctx == NULL || m == NULL || out == NULL)
        return missing_argument(ctx);
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_data *X = &m->data;
    pith_info info = {.rows = X->n, .cols = X->p, .min = INFINITY, .max = -INFINITY, .integers = true};
    look_at_rows(X, &info);
    TRY(pith_i_column_statistics(ctx, X, NULL, &stats));
    for (int64_t j = 0; j < X->p; j++)
        info.constant_cols += stats.min[j] == stats.max[j] && !isnan(stats.mean[j]);
    info.counts = pith_i_is_counts(X, &stats);
    pith_i_scale scale = {.sum = (double)NAN};
    if (info.nonnegative && info.nonfinite == 0)
        TRY(pith_i_scale_find(ctx, X, info.max, &scale));
    info.scale = scale.kind;
    info.log_base = scale.base;
    info.row_sum = scale.sum;
    if (info.nonfinite == 0)
        TRY(pith_i_is_unlogged(ctx, X, &stats, &info.unlogged));
    *out = info;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
