/* Making, checking, viewing and copying data. */
#include "matrix/data.h"

#include "core/parallel.h"

#include <math.h>
#include <string.h>

pith_status pith_i_data_check(pith_ctx *ctx, const pith_i_data *X)
{
    if (X->n < 0 || X->p < 0 || X->p > INT32_MAX)
        return pith_i_error(ctx, PITH_E_ARGUMENT,
                            "a matrix of %lld x %lld: rows must be 0 or more, columns 0..%d", (long long)X->n,
                            (long long)X->p, INT32_MAX);
    if (!X->sparse) {
        if (X->x == NULL && X->n > 0 && X->p > 0)
            return pith_i_error(ctx, PITH_E_ARGUMENT, "no array was given");
        if (X->row_stride < 0 || X->col_stride < 0)
            return pith_i_error(ctx, PITH_E_ARGUMENT, "strides must be 0 or more");
        return PITH_OK;
    }
    if (X->indptr == NULL || X->indptr[0] != 0)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "CSR: the first row pointer must be 0");
    for (int64_t i = 0; i < X->n; i++)
        if (X->indptr[i + 1] < X->indptr[i])
            return pith_i_error(ctx, PITH_E_ARGUMENT, "CSR: row pointers fall at row %lld", (long long)i);
    if (X->indptr[X->n] > 0 && (X->indices == NULL || X->values == NULL))
        return pith_i_error(ctx, PITH_E_ARGUMENT, "CSR: no columns or values were given");
    for (int64_t i = 0; i < X->n; i++)
        for (int64_t e = X->indptr[i]; e < X->indptr[i + 1]; e++)
            if (X->indices[e] < 0 || X->indices[e] >= X->p ||
                (e > X->indptr[i] && X->indices[e] <= X->indices[e - 1]))
                return pith_i_error(ctx, PITH_E_ARGUMENT,
                                    "CSR: columns of row %lld must ascend within 0..%lld", (long long)i,
                                    (long long)X->p - 1);
    return PITH_OK;
}

/* Column of the first value of row i that is not finite; -1: none. */
static int64_t bad_column(const pith_i_data *X, int64_t i)
{
    if (X->sparse) {
        for (int64_t e = X->indptr[i]; e < X->indptr[i + 1]; e++)
            if (!isfinite(pith_i_value(X->values, X->dtype, e)))
                return X->indices[e];
    } else {
        for (int64_t j = 0; j < X->p; j++)
            if (!isfinite(pith_i_value(X->x, X->dtype, i * X->row_stride + j * X->col_stride)))
                return j;
    }
    return -1;
}

pith_status pith_i_data_check_finite(pith_ctx *ctx, const pith_i_data *X)
{
    int64_t first = INT64_MAX;
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) reduction(min : first)
    for (int64_t i = 0; i < X->n; i++)
        if (i < first && bad_column(X, i) >= 0)
            first = i;
    if (first == INT64_MAX)
        return PITH_OK;
    return pith_i_error(ctx, PITH_E_DATA,
                        "row %lld, column %lld (counted from 1) is NaN or infinite; clean the data or choose "
                        "what to do with missing values",
                        (long long)first + 1, (long long)bad_column(X, first) + 1);
}

void pith_i_data_free(pith_i_data *X)
{
    for (size_t b = 0; b < COUNT(X->owned); b++)
        pith_i_free(X->owned[b]);
    *X = (pith_i_data){0};
}

pith_status pith_i_data_new_dense(pith_ctx *ctx, int64_t n, int64_t p, pith_dtype dtype, pith_i_data *out)
{
    int64_t cells = 0;
    if (__builtin_mul_overflow(n, p, &cells))
        return pith_i_error(ctx, PITH_E_NOMEM, "out of memory: %lld x %lld values are more than fits",
                            (long long)n, (long long)p);
    void *x = pith_i_alloc(ctx, cells, pith_i_dtype_size(dtype));
    if (x == NULL)
        return PITH_E_NOMEM;
    *out =
        (pith_i_data){.n = n, .p = p, .dtype = dtype, .x = x, .row_stride = p, .col_stride = 1, .owned = {x}};
    return PITH_OK;
}

pith_status pith_i_data_new_csr(pith_ctx *ctx, int64_t n, int64_t p, int64_t nnz, pith_dtype dtype,
                                pith_i_data *out)
{
    pith_i_data X = {.n = n, .p = p, .dtype = dtype, .sparse = true};
    X.owned[0] = pith_i_alloc_zero(ctx, n + 1, sizeof(int64_t));
    X.owned[1] = pith_i_alloc(ctx, nnz, sizeof(int32_t));
    X.owned[2] = pith_i_alloc(ctx, nnz, pith_i_dtype_size(dtype));
    if (X.owned[0] == NULL || X.owned[1] == NULL || X.owned[2] == NULL) {
        pith_i_data_free(&X);
        return PITH_E_NOMEM;
    }
    X.indptr = X.owned[0];
    X.indices = X.owned[1];
    X.values = X.owned[2];
    *out = X;
    return PITH_OK;
}

pith_i_data pith_i_data_rows(const pith_i_data *X, int64_t first, int64_t count)
{
    pith_i_data view = *X;
    view.n = count;
    view.offset += first;
    memset(view.owned, 0, sizeof view.owned);
    if (X->sparse)
        view.indptr += first; /* row pointers keep counting from the start of the arrays */
    else if (X->x != NULL)
        view.x = (const char *)X->x + (size_t)(first * X->row_stride) * pith_i_dtype_size(X->dtype);
    return view;
}

static void dense_block(const pith_i_data *X, int64_t i, int64_t col, int64_t cols, double *out)
{
    if (X->dtype == PITH_F64) {
        const double *x = (const double *)X->x + i * X->row_stride + col * X->col_stride;
        for (int64_t j = 0; j < cols; j++)
            out[j] = x[j * X->col_stride];
    } else {
        const float *x = (const float *)X->x + i * X->row_stride + col * X->col_stride;
        for (int64_t j = 0; j < cols; j++)
            out[j] = (double)x[j * X->col_stride];
    }
}

/* First entry of row i whose column is at least col. */
static int64_t entry_from(const pith_i_data *X, int64_t i, int64_t col)
{
    int64_t lo = X->indptr[i], hi = X->indptr[i + 1];
    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;
        if (X->indices[mid] < col)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

void pith_i_block(const pith_i_data *X, int64_t row, int64_t rows, int64_t col, int64_t cols, double *out,
                  int64_t ld)
{
    for (int64_t i = row; i < row + rows; i++, out += ld) {
        if (!X->sparse) {
            dense_block(X, i, col, cols, out);
            continue;
        }
        memset(out, 0, (size_t)cols * sizeof *out);
        for (int64_t e = entry_from(X, i, col); e < X->indptr[i + 1] && X->indices[e] < col + cols; e++)
            out[X->indices[e] - col] = pith_i_value(X->values, X->dtype, e);
    }
}

void pith_i_column(const pith_i_data *X, int64_t j, double *f)
{
    for (int64_t i = 0; i < X->n; i++)
        f[i] = pith_i_value(X->x, X->dtype, i * X->row_stride + j * X->col_stride);
}

static pith_status transpose_dense(pith_ctx *ctx, const pith_i_data *X, pith_i_data *out)
{
    enum { TILE = 32 };
    const pith_status st = pith_i_data_new_dense(ctx, X->p, X->n, X->dtype, out);
    if (st != PITH_OK)
        return st;
    void *t = pith_i_data_x(out);
#pragma omp parallel for num_threads(pith_ctx_threads(ctx))
    for (int64_t j0 = 0; j0 < X->p; j0 += TILE)
        for (int64_t i0 = 0; i0 < X->n; i0 += TILE)
            for (int64_t j = j0; j < j0 + TILE && j < X->p; j++)
                for (int64_t i = i0; i < i0 + TILE && i < X->n; i++)
                    pith_i_set_value(t, X->dtype, j * X->n + i,
                                     pith_i_value(X->x, X->dtype, i * X->row_stride + j * X->col_stride));
    return PITH_OK;
}

pith_status pith_i_transpose(pith_ctx *ctx, const pith_i_data *X, pith_i_data *out)
{
    if (!X->sparse)
        return transpose_dense(ctx, X, out);
    if (X->n > INT32_MAX)
        return pith_i_error(ctx, PITH_E_DATA, "%lld rows: sparse data can be turned with at most %d",
                            (long long)X->n, INT32_MAX);
    const int64_t base = X->indptr[0], nnz = X->indptr[X->n] - base;
    const pith_status st = pith_i_data_new_csr(ctx, X->p, X->n, nnz, X->dtype, out);
    if (st != PITH_OK)
        return st;
    int64_t *start = pith_i_data_indptr(out);
    int32_t *row = pith_i_data_indices(out);
    void *value = pith_i_data_values(out);
    for (int64_t e = base; e < base + nnz; e++)
        start[X->indices[e] + 1]++;
    for (int64_t j = 0; j < X->p; j++)
        start[j + 1] += start[j];
    for (int64_t i = 0; i < X->n; i++)
        for (int64_t e = X->indptr[i]; e < X->indptr[i + 1]; e++) {
            const int64_t at = start[X->indices[e]]++;
            row[at] = (int32_t)i;
            pith_i_set_value(value, X->dtype, at, pith_i_value(X->values, X->dtype, e));
        }
    /* Filling moved every start to its end, which is the next one's start. */
    memmove(start + 1, start, (size_t)X->p * sizeof *start);
    start[0] = 0;
    return PITH_OK;
}

static pith_status take_sparse(pith_ctx *ctx, const pith_i_data *X, int64_t count, const int64_t *columns,
                               pith_i_data *out)
{
    /* Through the transpose, whose rows are our columns: any order, repeats too. */
    pith_i_data T = {0}, picked = {0};
    pith_status st = PITH_OK;
    int64_t nnz = 0;
    TRY(pith_i_transpose(ctx, X, &T));
    for (int64_t c = 0; c < count; c++)
        nnz += T.indptr[columns[c] + 1] - T.indptr[columns[c]];
    TRY(pith_i_data_new_csr(ctx, count, X->n, nnz, X->dtype, &picked));
    int64_t *start = pith_i_data_indptr(&picked);
    const size_t size = pith_i_dtype_size(X->dtype);
    for (int64_t c = 0; c < count; c++) {
        const int64_t from = T.indptr[columns[c]], many = T.indptr[columns[c] + 1] - from;
        memcpy(pith_i_data_indices(&picked) + start[c], T.indices + from, (size_t)many * sizeof(int32_t));
        memcpy((char *)pith_i_data_values(&picked) + (size_t)start[c] * size,
               (const char *)T.values + (size_t)from * size, (size_t)many * size);
        start[c + 1] = start[c] + many;
    }
    pith_i_data_free(&T);
    TRY(pith_i_transpose(ctx, &picked, out));
done:
    pith_i_data_free(&T);
    pith_i_data_free(&picked);
    return st;
}

pith_status pith_i_take_columns(pith_ctx *ctx, const pith_i_data *X, int64_t count, const int64_t *columns,
                                pith_i_data *out)
{
    if (X->sparse)
        return take_sparse(ctx, X, count, columns, out);
    const pith_status st = pith_i_data_new_dense(ctx, X->n, count, X->dtype, out);
    if (st != PITH_OK)
        return st;
    void *x = pith_i_data_x(out);
    for (int64_t i = 0; i < X->n; i++)
        for (int64_t c = 0; c < count; c++)
            pith_i_set_value(x, X->dtype, i * count + c,
                             pith_i_value(X->x, X->dtype, i * X->row_stride + columns[c] * X->col_stride));
    return PITH_OK;
}

static pith_status scaled_sparse(pith_ctx *ctx, const pith_i_data *X, pith_dtype dtype, const double *scale,
                                 const double *row_scale, pith_i_data *out)
{
    const int64_t base = X->indptr[0], nnz = X->indptr[X->n] - base;
    const pith_status st = pith_i_data_new_csr(ctx, X->n, X->p, nnz, dtype, out);
    if (st != PITH_OK)
        return st;
    int64_t *start = pith_i_data_indptr(out);
    memcpy(pith_i_data_indices(out), X->indices + base, (size_t)nnz * sizeof(int32_t));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx))
    for (int64_t i = 0; i < X->n; i++) {
        start[i + 1] = X->indptr[i + 1] - base;
        for (int64_t e = X->indptr[i]; e < X->indptr[i + 1]; e++)
            pith_i_set_value(pith_i_data_values(out), dtype, e - base,
                             pith_i_value(X->values, X->dtype, e) *
                                 (scale != NULL ? scale[X->indices[e]] : 1) *
                                 (row_scale != NULL ? row_scale[i] : 1));
    }
    return PITH_OK;
}

pith_status pith_i_scaled(pith_ctx *ctx, const pith_i_data *X, pith_dtype dtype, const double *shift,
                          const double *scale, const double *row_scale, pith_i_data *out)
{
    pith_status st = PITH_OK;
    if (X->sparse && shift != NULL)
        return pith_i_error(ctx, PITH_E_BUG, "sparse data cannot be shifted");
    if (X->sparse)
        st = scaled_sparse(ctx, X, dtype, scale, row_scale, out);
    else
        st = pith_i_data_new_dense(ctx, X->n, X->p, dtype, out);
    if (st != PITH_OK)
        return st;
    out->offset = X->offset;
    if (X->sparse)
        return PITH_OK;
#pragma omp parallel for num_threads(pith_ctx_threads(ctx))
    for (int64_t i = 0; i < X->n; i++)
        for (int64_t j = 0; j < X->p; j++) {
            const double v = pith_i_value(X->x, X->dtype, i * X->row_stride + j * X->col_stride);
            pith_i_set_value(pith_i_data_x(out), dtype, i * X->p + j,
                             (v - (shift != NULL ? shift[j] : 0)) * (scale != NULL ? scale[j] : 1) *
                                 (row_scale != NULL ? row_scale[i] : 1));
        }
    return PITH_OK;
}
