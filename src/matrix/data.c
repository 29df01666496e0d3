/* Making, checking and viewing data. */
#include "matrix/data.h"

#include "core/parallel.h"
#include "matrix/simd.h"

#include <float.h>
#include <math.h>
#include <string.h>

static pith_status check_dense(pith_ctx *ctx, const pith_i_data *X)
{
    int64_t cells = 0, down = 0, along = 0, last = 0;
    if (X->x == NULL && X->n > 0 && X->p > 0)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "no array was given");
    if (X->row_stride < 0 || X->col_stride < 0)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "strides must be 0 or more");
    if (__builtin_mul_overflow(X->n, X->p, &cells) || __builtin_mul_overflow(X->n, X->row_stride, &down) ||
        __builtin_mul_overflow(X->p, X->col_stride, &along) || __builtin_add_overflow(down, along, &last) ||
        last > PTRDIFF_MAX / (int64_t)sizeof(double))
        return pith_i_error(ctx, PITH_E_ARGUMENT, "%lld x %lld values with these strides do not fit",
                            (long long)X->n, (long long)X->p);
    return PITH_OK;
}

static pith_status check_csr(pith_ctx *ctx, const pith_i_data *X)
{
    if (X->indptr == NULL || X->indptr[0] != 0)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "CSR: the first row pointer must be 0");
    for (int64_t i = 0; i < X->n; i++)
        if (X->indptr[i + 1] < X->indptr[i])
            return pith_i_error(ctx, PITH_E_ARGUMENT, "CSR: row pointers decrease at row %lld", (long long)i);
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

pith_status pith_i_data_check(pith_ctx *ctx, const pith_i_data *X)
{
    if (X->n < 0 || X->p < 0 || X->p > INT32_MAX)
        return pith_i_error(ctx, PITH_E_ARGUMENT,
                            "a matrix of %lld x %lld: rows must be 0 or more, columns 0..%d", (long long)X->n,
                            (long long)X->p, INT32_MAX);
    if (X->dtype != PITH_F32 && X->dtype != PITH_F64)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "values must be float or double, not type %d",
                            (int)X->dtype);
    return X->sparse ? check_csr(ctx, X) : check_dense(ctx, X);
}
static bool all_finite(int64_t count, const double *x)
{
    bool good = true;
    for (int64_t e = 0; e < count; e++)
        good &= fabs(x[e]) <= DBL_MAX; /* without a branch; false for NaN */
    return good;
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

/* Whether rows i .. i+rows-1, at most PITH_I_TILE_ROWS, hold a value that is not finite. */
static bool any_bad(const pith_i_data *X, int64_t i, int64_t rows)
{
    double tile[PITH_I_TILE_ROWS * PITH_I_TILE_COLS];
    bool good = true;
    for (int64_t j = 0; good && !X->sparse && j < X->p; j += PITH_I_TILE_COLS) {
        const int64_t cols = X->p - j < PITH_I_TILE_COLS ? X->p - j : PITH_I_TILE_COLS;
        pith_i_block(X, i, rows, j, cols, tile, cols);
        good = all_finite(rows * cols, tile);
    }
    for (int64_t r = i; good && X->sparse && r < i + rows; r++)
        good = bad_column(X, r) < 0;
    return !good;
}

pith_status pith_i_data_check_finite(pith_ctx *ctx, const pith_i_data *X)
{
    int64_t first = INT64_MAX, bad = -1;
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) reduction(min : first)
    for (int64_t i = 0; i < X->n; i += PITH_I_TILE_ROWS)
        if (i < first && any_bad(X, i, X->n - i < PITH_I_TILE_ROWS ? X->n - i : PITH_I_TILE_ROWS))
            first = i;
    if (first == INT64_MAX)
        return PITH_OK;
    for (; bad < 0; first++)
        bad = bad_column(X, first);
    return pith_i_error(ctx, PITH_E_DATA,
                        "row %lld, column %lld (counted from 1) is NaN or infinite; clean the data or choose "
                        "what to do with missing values",
                        (long long)first, (long long)bad + 1);
}

static void free_blocks(pith_i_data *X)
{
    for (size_t b = 0; b < COUNT(X->owned); b++)
        pith_i_free(X->owned[b]);
    pith_i_free(X->mapped);
}

void pith_i_data_free(pith_i_data *X)
{
    pith_i_data_drop_transpose(X);
    free_blocks(X);
    *X = (pith_i_data){0};
}

void pith_i_data_drop_transpose(pith_i_data *X)
{
    pith_i_data *T = X->owned_transpose;
    if (T != NULL)
        free_blocks(T); /* it has no transpose of its own */
    pith_i_free(T);
    X->transpose = X->owned_transpose = NULL;
}

pith_status pith_i_data_keep_transpose(pith_ctx *ctx, pith_i_data *X, pith_i_data *T)
{
    pith_status st = PITH_OK;
    pith_i_data_drop_transpose(T);
    pith_i_data_drop_transpose(X);
    TRY(NEW(ctx, X->owned_transpose, 1));
    *X->owned_transpose = *T;
    X->transpose = X->owned_transpose;
    *T = (pith_i_data){0};
done:
    return st;
}

pith_status pith_i_data_new_dense(pith_ctx *ctx, int64_t n, int64_t p, pith_dtype dtype, pith_i_data *out)
{
    int64_t cells = 0;
    if (n < 0 || p < 0 || __builtin_mul_overflow(n, p, &cells))
        return pith_i_error(ctx, PITH_E_NOMEM, "out of memory: %lld x %lld values do not fit", (long long)n,
                            (long long)p);
    void *x = pith_i_alloc_large(ctx, cells, pith_i_dtype_size(dtype));
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
    X.owned[0] =
        pith_i_alloc_large_zero(ctx, n < INT64_MAX ? n + 1 : n, sizeof(int64_t)); /* INT64_MAX: fails */
    X.owned[1] = pith_i_alloc_large(ctx, nnz, sizeof(int32_t));
    X.owned[2] = pith_i_alloc_large(ctx, nnz, pith_i_dtype_size(dtype));
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

pith_status pith_i_data_own(pith_ctx *ctx, pith_i_data *X)
{
    pith_i_data copy = {0};
    pith_status st = PITH_OK;
    if (X->mapped == NULL && X->owned[0] != NULL)
        return PITH_OK;
    TRY(pith_i_scaled(ctx, X, X->dtype, NULL, NULL, NULL, &copy));
    pith_i_data_free(X);
    *X = copy;
done:
    return st;
}

pith_i_data pith_i_data_rows(const pith_i_data *X, int64_t first, int64_t count)
{
    pith_i_data view = *X;
    view.n = count;
    view.offset += first;
    memset(view.owned, 0, sizeof view.owned);
    view.mapped = NULL;
    view.transpose = first == 0 && count == X->n ? X->transpose : NULL;
    view.owned_transpose = NULL;
    if (X->sparse)
        view.indptr += first; /* row pointers keep counting from the start of the arrays */
    else if (X->x != NULL)
        view.x = (const char *)X->x + (size_t)(first * X->row_stride) * pith_i_dtype_size(X->dtype);
    else if (X->of.values != NULL)
        view.of.values =
            (const char *)X->of.values + (size_t)(first * X->row_stride) * pith_i_dtype_size(X->of.dtype);
    view.of.first += first;
    return view;
}

/* count stored values, `step` apart from number `from` on, as doubles. */
static void copy_line(const pith_i_data *X, int64_t from, int64_t step, int64_t count, double *out)
{
    const void *values = X->of.map != NULL ? X->of.values : X->x;
    const pith_dtype dtype = X->of.map != NULL ? X->of.dtype : X->dtype;
    if (dtype == PITH_F64 && step == 1) {
        memcpy(out, (const double *)values + from, (size_t)count * sizeof *out);
    } else if (dtype == PITH_F64) {
        const double *x = (const double *)values + from;
        for (int64_t e = 0; e < count; e++)
            out[e] = x[e * step];
    } else {
        const float *x = (const float *)values + from;
        for (int64_t e = 0; e < count; e++)
            out[e] = (double)x[e * step];
    }
}

/* One step of a map over the columns of a row. */
PITH_I_CLONES static void shift_line(int64_t count, const double *restrict by, double *restrict x)
{
#pragma omp simd
    for (int64_t j = 0; j < count; j++)
        x[j] -= by[j];
}

PITH_I_CLONES static void scale_line(int64_t count, const double *restrict by, double *restrict x)
{
#pragma omp simd
    for (int64_t j = 0; j < count; j++)
        x[j] *= by[j];
}

PITH_I_CLONES static void shift_and_scale_line(int64_t count, const double *restrict shift,
                                               const double *restrict scale, double *restrict x)
{
#pragma omp simd
    for (int64_t j = 0; j < count; j++)
        x[j] = (x[j] - shift[j]) * scale[j];
}

PITH_I_CLONES static void divide_line(int64_t count, double by, double *x)
{
#pragma omp simd
    for (int64_t j = 0; j < count; j++)
        x[j] /= by;
}

PITH_I_CLONES static void multiply_line(int64_t count, double by, double *x)
{
#pragma omp simd
    for (int64_t j = 0; j < count; j++)
        x[j] *= by;
}

/* pith_i_seen of the stored values of row i from column col on, one step of the map after the other. */
static void see_line(const pith_i_data *X, int64_t i, int64_t col, int64_t cols, double *x)
{
    const pith_i_view_map *m = X->of.map;
    if (m->roots || X->of.across) {
        for (int64_t j = 0; j < cols; j++)
            x[j] = pith_i_seen(X, i, col + j, x[j]);
        return;
    }
    const bool both = m->shift != NULL && m->rest == NULL && m->scale != NULL;
    if (both)
        shift_and_scale_line(cols, m->shift + col, m->scale + col, x);
    if (m->shift != NULL && !both)
        shift_line(cols, m->shift + col, x);
    if (m->rest != NULL)
        shift_line(cols, m->rest + col, x);
    if (m->scale != NULL && !both)
        scale_line(cols, m->scale + col, x);
    if (m->norm != NULL)
        divide_line(cols, m->norm[i + X->of.first], x);
    if (m->mean != NULL)
        shift_line(cols, m->mean + col, x);
    if (m->factor != 1)
        multiply_line(cols, m->factor, x);
}

/* If columns are contiguous, a few of them at a time: their cache lines stay until all rows in them have been
 * read. */
static void dense_block(const pith_i_data *X, int64_t row, int64_t rows, int64_t col, int64_t cols,
                        double *out, int64_t ld)
{
    const int64_t width = X->row_stride < X->col_stride ? 8 : cols;
    for (int64_t j = 0; j < cols; j += width)
        for (int64_t i = 0; i < rows; i++)
            copy_line(X, (row + i) * X->row_stride + (col + j) * X->col_stride, X->col_stride,
                      cols - j < width ? cols - j : width, out + i * ld + j);
    for (int64_t i = 0; X->of.map != NULL && i < rows; i++)
        see_line(X, row + i, col, cols, out + i * ld);
}

int64_t pith_i_entry_from(const pith_i_data *X, int64_t i, int64_t col)
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
    if (cols == 0)
        return;
    if (!X->sparse) {
        dense_block(X, row, rows, col, cols, out, ld);
        return;
    }
    for (int64_t i = row; i < row + rows; i++, out += ld) {
        memset(out, 0, (size_t)cols * sizeof *out);
        for (int64_t e = pith_i_entry_from(X, i, col); e < X->indptr[i + 1] && X->indices[e] < col + cols;
             e++)
            out[X->indices[e] - col] = pith_i_at(X, i, e);
    }
}

void pith_i_column(const pith_i_data *X, int64_t j, double *f)
{
    copy_line(X, j * X->col_stride, X->row_stride, X->n, f);
    for (int64_t i = 0; X->of.map != NULL && i < X->n; i++)
        f[i] = pith_i_seen(X, i, j, f[i]);
}
