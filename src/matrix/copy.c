/* Copies of data: transposed, with some of the columns, or with its columns and rows scaled. */
#include "core/parallel.h"
#include "matrix/scatter.h"

#include <stdlib.h>
#include <string.h>

/* v becomes (v - shift_j) * scale_j * row_scale_i; NULL: 0, 1, 1. */
typedef struct map {
    const double *shift, *scale, *row_scale;
} map;

static void map_row(const map *m, int64_t i, int64_t col, int64_t cols, double *x)
{
    for (int64_t j = 0; m->shift != NULL && j < cols; j++)
        x[j] -= m->shift[col + j];
    for (int64_t j = 0; m->scale != NULL && j < cols; j++)
        x[j] *= m->scale[col + j];
    for (int64_t j = 0; m->row_scale != NULL && j < cols; j++)
        x[j] *= m->row_scale[i];
}

static void store_row(int64_t count, const double *x, pith_dtype dtype, void *out, int64_t at)
{
    if (dtype == PITH_F64)
        memcpy((double *)out + at, x, (size_t)count * sizeof *x);
    else
        for (int64_t e = 0; e < count; e++)
            ((float *)out)[at + e] = (float)x[e];
}

/* Dense data as owned, row-major data, by tiles, so that both arrays are accessed by whole cache lines. */
static pith_status copy_dense(pith_ctx *ctx, const pith_i_data *X, pith_dtype dtype, const map *m,
                              pith_i_data *out)
{
    enum { ROWS = PITH_I_TILE_ROWS, COLS = PITH_I_TILE_COLS };
    const pith_status st = pith_i_data_new_dense(ctx, X->n, X->p, dtype, out);
    if (st != PITH_OK)
        return st;
    void *x = pith_i_data_x(out);
#pragma omp parallel for num_threads(pith_ctx_threads(ctx))
    for (int64_t i = 0; i < X->n; i += ROWS)
        for (int64_t j = 0; j < X->p; j += COLS) {
            double tile[ROWS * COLS];
            const int64_t rows = X->n - i < ROWS ? X->n - i : ROWS, cols = X->p - j < COLS ? X->p - j : COLS;
            pith_i_block(X, i, rows, j, cols, tile, COLS);
            for (int64_t r = 0; r < rows; r++) {
                map_row(m, i + r, j, cols, tile + r * COLS);
                store_row(cols, tile + r * COLS, dtype, x, (i + r) * X->p + j);
            }
        }
    return PITH_OK;
}

static pith_status transpose_dense(pith_ctx *ctx, const pith_i_data *X, pith_i_data *out)
{
    pith_i_data transposed = *X;
    transposed.n = X->p;
    transposed.p = X->n;
    transposed.row_stride = X->col_stride;
    transposed.col_stride = X->row_stride;
    transposed.of.across = !X->of.across;
    return copy_dense(ctx, &transposed, X->dtype, &(map){0}, out);
}

/* Goes through X row by row, which also suits data in a file. */
static pith_status fill_transpose(pith_ctx *ctx, const pith_i_data *X, pith_i_data *out)
{
    const int64_t entry_bytes = 4 + (int64_t)pith_i_dtype_size(X->dtype);
    int64_t *start = pith_i_data_indptr(out);
    pith_i_scatter s = {0};
    pith_status st = PITH_OK;
    for (int64_t i = 0; i < X->n && !pith_i_stop_asked(ctx); i++) {
        for (int64_t e = X->indptr[i]; e < X->indptr[i + 1]; e++)
            start[X->indices[e] + 1]++;
        pith_i_touched(ctx, (X->indptr[i + 1] - X->indptr[i]) * entry_bytes);
    }
    TRY(pith_i_stop_status(ctx));
    for (int64_t j = 0; j < X->p; j++)
        start[j + 1] += start[j];
    TRY(pith_i_scatter_begin(ctx, out, 0, &s));
    for (int64_t i = 0; i < X->n && !pith_i_stop_asked(ctx); i++) {
        for (int64_t e = X->indptr[i]; e < X->indptr[i + 1]; e++)
            pith_i_scatter_put(&s, X->indices[e], i, pith_i_at(X, i, e));
        pith_i_touched(ctx, (X->indptr[i + 1] - X->indptr[i]) * 3 * entry_bytes);
    }
    TRY(pith_i_stop_status(ctx));
    TRY(pith_i_scatter_end(ctx, &s, out));
done:
    pith_i_scatter_free(&s);
    if (st != PITH_OK)
        pith_i_data_free(out);
    return st;
}

pith_status pith_i_transpose(pith_ctx *ctx, const pith_i_data *X, pith_i_data *out)
{
    if (!X->sparse)
        return transpose_dense(ctx, X, out);
    if (X->n > INT32_MAX)
        return pith_i_error(ctx, PITH_E_DATA, "%lld rows: sparse data can be transposed with at most %d",
                            (long long)X->n, INT32_MAX);
    const int64_t base = X->indptr[0], nnz = X->indptr[X->n] - base;
    const pith_status st = pith_i_data_new_csr(ctx, X->p, X->n, nnz, X->dtype, out);
    if (st != PITH_OK)
        return st;
    return fill_transpose(ctx, X, out);
}

static bool ascend(int64_t count, const int64_t *columns)
{
    for (int64_t c = 1; c < count; c++)
        if (columns[c] <= columns[c - 1])
            return false;
    return true;
}

/* For ascending columns: the entries of every row stay in order. */
static pith_status filter_sparse(pith_ctx *ctx, const pith_i_data *X, int64_t count, const int64_t *columns,
                                 pith_i_data *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    int32_t *place = NULL; /* number of every column in the result, or -1 */
    pith_i_data kept = {0};
    int64_t nnz = 0, at = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, place, X->p));
    for (int64_t j = 0; j < X->p; j++)
        place[j] = -1;
    for (int64_t c = 0; c < count; c++)
        place[columns[c]] = (int32_t)c;
    for (int64_t i = 0; i < X->n && !pith_i_stop_asked(ctx); i++)
        for (int64_t e = X->indptr[i]; e < X->indptr[i + 1]; e++)
            nnz += place[X->indices[e]] >= 0;
    TRY(pith_i_stop_status(ctx));
    TRY(pith_i_data_new_csr(ctx, X->n, count, nnz, X->dtype, &kept));
    for (int64_t i = 0; i < X->n && !pith_i_stop_asked(ctx); i++) {
        for (int64_t e = X->indptr[i]; e < X->indptr[i + 1]; e++) {
            const int32_t j = place[X->indices[e]];
            if (j < 0)
                continue;
            pith_i_data_indices(&kept)[at] = j;
            pith_i_set_value(pith_i_data_values(&kept), X->dtype, at++, pith_i_at(X, i, e));
        }
        pith_i_data_indptr(&kept)[i + 1] = at;
    }
    TRY(pith_i_stop_status(ctx));
    *out = kept;
    kept = (pith_i_data){0};
done:
    pith_i_data_free(&kept);
    pith_i_scratch_release(ctx, mark);
    return st;
}

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The columns of X that are asked for, in ascending order and each once; place: of each asked for in these.
 */
static pith_status keep_asked(pith_ctx *ctx, const pith_i_data *X, int64_t count, const int64_t *columns,
                              int64_t *place, pith_i_data *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    int64_t *sorted = NULL, distinct = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, sorted, count));
    memcpy(sorted, columns, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, by_number);
    for (int64_t c = 0; c < count; c++)
        if (c == 0 || sorted[c] != sorted[distinct - 1])
            sorted[distinct++] = sorted[c];
    for (int64_t c = 0; c < count; c++)
        place[c] =
            (const int64_t *)bsearch(&columns[c], sorted, (size_t)distinct, sizeof *sorted, by_number) -
            sorted;
    TRY(filter_sparse(ctx, X, distinct, sorted, out));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Rows of T, in any order, repeats too. */
static pith_status pick_rows(pith_ctx *ctx, const pith_i_data *T, int64_t count, const int64_t *rows,
                             pith_i_data *out)
{
    const size_t size = pith_i_dtype_size(T->dtype);
    int64_t nnz = 0;
    for (int64_t c = 0; c < count; c++)
        nnz += T->indptr[rows[c] + 1] - T->indptr[rows[c]];
    const pith_status st = pith_i_data_new_csr(ctx, count, T->p, nnz, T->dtype, out);
    if (st != PITH_OK)
        return st;
    int64_t *start = pith_i_data_indptr(out);
    for (int64_t c = 0; c < count; c++) {
        const int64_t from = T->indptr[rows[c]], many = T->indptr[rows[c] + 1] - from;
        memcpy(pith_i_data_indices(out) + start[c], T->indices + from, (size_t)many * sizeof(int32_t));
        memcpy((char *)pith_i_data_values(out) + (size_t)start[c] * size,
               (const char *)T->values + (size_t)from * size, (size_t)many * size);
        start[c + 1] = start[c] + many;
    }
    return PITH_OK;
}

/* In any order: through a transpose, whose rows are the columns. Of data that has none, only the columns that
 * are asked for are transposed: all of them would take as much memory as the data, and as long as reading it.
 */
static pith_status take_sparse(pith_ctx *ctx, const pith_i_data *X, int64_t count, const int64_t *columns,
                               pith_i_data *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_data kept = {0}, made = {0}, picked = {0};
    int64_t *place = NULL;
    pith_status st = PITH_OK;
    if (ascend(count, columns))
        return filter_sparse(ctx, X, count, columns, out);
    if (X->transpose != NULL) {
        TRY(pick_rows(ctx, X->transpose, count, columns, &picked));
    } else {
        TRY(SCRATCH(ctx, place, count));
        TRY(keep_asked(ctx, X, count, columns, place, &kept));
        TRY(pith_i_transpose(ctx, &kept, &made));
        pith_i_data_free(&kept);
        TRY(pick_rows(ctx, &made, count, place, &picked));
        pith_i_data_free(&made);
    }
    TRY(pith_i_transpose(ctx, &picked, out));
done:
    pith_i_data_free(&kept);
    pith_i_data_free(&made);
    pith_i_data_free(&picked);
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status take_dense(pith_ctx *ctx, const pith_i_data *X, int64_t count, const int64_t *columns,
                              pith_i_data *out)
{
    const pith_status st = pith_i_data_new_dense(ctx, X->n, count, X->dtype, out);
    if (st != PITH_OK)
        return st;
    void *x = pith_i_data_x(out);
    for (int64_t i = 0; i < X->n; i++)
        for (int64_t c = 0; c < count; c++)
            pith_i_set_value(x, X->dtype, i * count + c, pith_i_cell(X, i, columns[c]));
    return PITH_OK;
}

pith_status pith_i_take_columns(pith_ctx *ctx, const pith_i_data *X, int64_t count, const int64_t *columns,
                                pith_i_data *out)
{
    const pith_status st =
        X->sparse ? take_sparse(ctx, X, count, columns, out) : take_dense(ctx, X, count, columns, out);
    if (st == PITH_OK)
        pith_i_same_rows(X, out);
    return st;
}

static pith_status scaled_sparse(pith_ctx *ctx, const pith_i_data *X, pith_dtype dtype, const double *scale,
                                 const double *row_scale, pith_i_data *out)
{
    const int64_t base = X->indptr[0], nnz = X->indptr[X->n] - base;
    const pith_status st = pith_i_data_new_csr(ctx, X->n, X->p, nnz, dtype, out);
    if (st != PITH_OK)
        return st;
    int64_t *start = pith_i_data_indptr(out);
    if (nnz > 0) /* else a borrowed array may be NULL */
        memcpy(pith_i_data_indices(out), X->indices + base, (size_t)nnz * sizeof(int32_t));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx))
    for (int64_t i = 0; i < X->n; i++) {
        start[i + 1] = X->indptr[i + 1] - base;
        for (int64_t e = X->indptr[i]; e < X->indptr[i + 1]; e++)
            pith_i_set_value(pith_i_data_values(out), dtype, e - base,
                             pith_i_at(X, i, e) * (scale != NULL ? scale[X->indices[e]] : 1) *
                                 (row_scale != NULL ? row_scale[i] : 1));
    }
    return PITH_OK;
}

pith_status pith_i_scaled(pith_ctx *ctx, const pith_i_data *X, pith_dtype dtype, const double *shift,
                          const double *scale, const double *row_scale, pith_i_data *out)
{
    if (X->sparse && shift != NULL)
        return pith_i_error(ctx, PITH_E_BUG, "sparse data cannot be shifted");
    const pith_status st = X->sparse ? scaled_sparse(ctx, X, dtype, scale, row_scale, out)
                                     : copy_dense(ctx, X, dtype, &(map){shift, scale, row_scale}, out);
    if (st == PITH_OK)
        pith_i_same_rows(X, out);
    return st;
}

pith_status pith_i_data_keep_values(pith_ctx *ctx, pith_i_data *X)
{
    pith_i_data kept = {0};
    pith_status st = PITH_OK;
    if (X->of.map == NULL)
        return PITH_OK;
    if (!X->sparse || X->indptr[0] != 0) {
        TRY(pith_i_scaled(ctx, X, PITH_F64, NULL, NULL, NULL, &kept));
        *X = kept;
        return PITH_OK;
    }
    double *values = pith_i_alloc_large(ctx, X->indptr[X->n], sizeof *values);
    if (values == NULL)
        return PITH_E_NOMEM;
#pragma omp parallel for num_threads(pith_ctx_threads(ctx))
    for (int64_t i = 0; i < X->n; i++)
        for (int64_t e = X->indptr[i]; e < X->indptr[i + 1]; e++)
            values[e] = pith_i_at(X, i, e);
    X->values = X->owned[2] = values;
    X->of.map = NULL;
    X->of.values = NULL;
done:
    return st;
}

void pith_i_transpose_panel(int64_t rows, int64_t cols, const double *from, double *to)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            to[j * rows + i] = from[i * cols + j];
}
