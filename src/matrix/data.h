/*
 * The numbers of a table: dense (any strides, float or double) or CSR (int64 row pointers, int32 columns
 * ascending in a row), owned or borrowed. No names and no labels: what a method is given cannot leak
 * them. Sparse data is never made dense as a whole.
 *
 * Data may also be a view of other data: then it holds no values, only a map that computes them, as doubles,
 * from the values of the other. pith_i_block, pith_i_column, pith_i_at and pith_i_cell read both kinds; code
 * that reads x or values itself first checks that there is no map.
 *
 * A data object is a contiguous block of the rows of a table that may be larger: `offset` is the global
 * number of its first row, and `all` the number of rows in total, if an engine spreads them over several
 * processes. Whatever depends on a row's identity (randomness, ties) uses offset + i.
 */
#ifndef PITH_MATRIX_DATA_H
#define PITH_MATRIX_DATA_H

#include "core/core.h"

#include <assert.h>
#include <math.h>

/*
 * The value that a view computes from x in row i and column j:
 *
 *     (((root(x) - shift_j) - rest_j) scale_j / norm_i - mean_j) factor
 *
 * root(x) is x, or sqrt(x), or sqrt(e^(x ln b) - 1). A term that is NULL is skipped, with the same bits as if
 * it were 0 or 1. Zeros that sparse data does not store stay 0.
 */
typedef struct pith_i_view_map {
    bool roots;
    double ln_base;                      /* ln b, if x is a logarithm to base b; 0: it is not */
    double *shift, *rest, *scale, *mean; /* by column, owned */
    double *norm;                        /* by row, owned */
    double factor;
} pith_i_view_map;

typedef struct pith_i_data {
    int64_t n, p;   /* rows held here, columns */
    int64_t offset; /* global number of row 0 */
    int64_t all;    /* rows of the whole table; 0: those held here */
    pith_dtype dtype;
    bool sparse;
    const void *x; /* dense: element (i, j) is x[i * row_stride + j * col_stride] */
    int64_t row_stride, col_stride;
    const int64_t *indptr; /* CSR: row i holds entries indptr[i] .. indptr[i+1]-1 */
    const int32_t *indices;
    const void *values;
    struct {                        /* of a view: */
        const pith_i_view_map *map; /* NULL: not a view. Borrowed; x and values are NULL, dtype is double */
        const void *values; /* x or values of the other data; strides, rows and columns are the same */
        pith_dtype dtype;   /* of these */
        bool across;        /* the rows here are the columns of the map */
        int64_t first;      /* number of row 0 in the map */
    } of;
    void *owned[3];                      /* blocks freed with the data; NULL where borrowed */
    void *mapped;                        /* file that arrays lie in (pith_i_map_file), freed with the data */
    const struct pith_i_data *transpose; /* X' of sparse data; NULL: computed where it is needed */
    struct pith_i_data *owned_transpose; /* the same if it is freed with the data, else NULL */
} pith_i_data;

/*
 * A reader whose file is stored by columns has X' already, and ranking needs it beside X. Kept with the data,
 * it is not computed again. It is as large as the data, so it is kept only on request
 * (pith_read_options.keep_columns): preparing or converting a table has no use for it. T is moved. Code that
 * changes X drops it first; the functions below that return arrays to write to check this.
 */
pith_status pith_i_data_keep_transpose(pith_ctx *ctx, pith_i_data *X, pith_i_data *T);
void pith_i_data_drop_transpose(pith_i_data *X);
/* What a borrowed array must satisfy: shapes, strides, row pointers and columns. Not the values. */
pith_status pith_i_data_check(pith_ctx *ctx, const pith_i_data *X);
/* PITH_E_DATA names the first value that is NaN or infinite. */
pith_status pith_i_data_check_finite(pith_ctx *ctx, const pith_i_data *X);
void pith_i_data_free(pith_i_data *X); /* frees what is owned and clears it */

/* Owned large blocks, values not set: dense row-major; CSR with indptr[0..n], indices and values for nnz
 * entries. */
pith_status pith_i_data_new_dense(pith_ctx *ctx, int64_t n, int64_t p, pith_dtype dtype, pith_i_data *out);
pith_status pith_i_data_new_csr(pith_ctx *ctx, int64_t n, int64_t p, int64_t nnz, pith_dtype dtype,
                                pith_i_data *out);
/* Arrays that are borrowed, or lie in a mapped file, become owned ones that may be written to. */
pith_status pith_i_data_own(pith_ctx *ctx, pith_i_data *X);
/* The owned arrays, to write to: only for code that made the data or has called pith_i_data_own. */
static inline void *pith_i_data_x(pith_i_data *X)
{
    assert(X->mapped == NULL);
    return X->owned[0];
}
static inline int64_t *pith_i_data_indptr(pith_i_data *X)
{
    assert(X->transpose == NULL && X->mapped == NULL);
    return X->owned[0];
}
static inline int32_t *pith_i_data_indices(pith_i_data *X)
{
    assert(X->transpose == NULL && X->mapped == NULL);
    return X->owned[1];
}
static inline void *pith_i_data_values(pith_i_data *X)
{
    assert(X->transpose == NULL && X->mapped == NULL);
    return X->owned[2];
}

/* Rows of the whole table. */
static inline int64_t pith_i_all(const pith_i_data *X)
{
    return X->all > 0 ? X->all : X->n;
}
/* Are the rows spread over several processes? One of them may hold none. */
static inline bool pith_i_is_spread(const pith_i_data *X)
{
    return X->all > 0;
}
/* Says that the rows of Y are those of X. */
static inline void pith_i_same_rows(const pith_i_data *X, pith_i_data *Y)
{
    Y->offset = X->offset;
    Y->all = X->all;
}

static inline double pith_i_value(const void *values, pith_dtype dtype, int64_t at)
{
    return dtype == PITH_F64 ? ((const double *)values)[at] : (double)((const float *)values)[at];
}
static inline void pith_i_set_value(void *values, pith_dtype dtype, int64_t at, double v)
{
    if (dtype == PITH_F64)
        ((double *)values)[at] = v;
    else
        ((float *)values)[at] = (float)v;
}
/* The value that a view computes from x in row i, column j. */
static inline double pith_i_seen(const pith_i_data *X, int64_t i, int64_t j, double x)
{
    const pith_i_view_map *m = X->of.map;
    const int64_t row = X->of.across ? j : i + X->of.first, col = X->of.across ? i + X->of.first : j;
    if (m->roots)
        x = sqrt(m->ln_base != 0 ? expm1(x * m->ln_base) : x);
    if (m->shift != NULL)
        x -= m->shift[col];
    if (m->rest != NULL)
        x -= m->rest[col];
    if (m->scale != NULL)
        x *= m->scale[col];
    if (m->norm != NULL)
        x /= m->norm[row];
    if (m->mean != NULL)
        x -= m->mean[col];
    return x * m->factor;
}
/* Entry e of sparse data, which lies in row i. */
static inline double pith_i_at(const pith_i_data *X, int64_t i, int64_t e)
{
    return X->of.map == NULL ? pith_i_value(X->values, X->dtype, e)
                             : pith_i_seen(X, i, X->indices[e], pith_i_value(X->of.values, X->of.dtype, e));
}
/* Value (i, j) of dense data. */
static inline double pith_i_cell(const pith_i_data *X, int64_t i, int64_t j)
{
    const int64_t at = i * X->row_stride + j * X->col_stride;
    return X->of.map == NULL ? pith_i_value(X->x, X->dtype, at)
                             : pith_i_seen(X, i, j, pith_i_value(X->of.values, X->of.dtype, at));
}
/* Are rows contiguous doubles that may be read where they are? */
static inline bool pith_i_is_plain(const pith_i_data *X)
{
    return !X->sparse && X->of.map == NULL && X->dtype == PITH_F64 && X->col_stride == 1;
}
static inline size_t pith_i_dtype_size(pith_dtype dtype)
{
    return dtype == PITH_F64 ? 8 : 4;
}
static inline int64_t pith_i_stored(const pith_i_data *X)
{
    return X->sparse ? X->indptr[X->n] - X->indptr[0] : X->n * X->p;
}

/* Rows first..first+count-1 of X, borrowed, with their offset. The transpose is kept only for all rows. */
pith_i_data pith_i_data_rows(const pith_i_data *X, int64_t first, int64_t count);
/* The data behind a view; X itself if it is not a view. Borrowed. */
static inline pith_i_data pith_i_data_stored(const pith_i_data *X)
{
    pith_i_data Y = pith_i_data_rows(X, 0, X->n);
    if (X->of.map != NULL) {
        Y.dtype = X->of.dtype;
        *(X->sparse ? &Y.values : &Y.x) = X->of.values;
        Y.of.map = NULL;
        Y.of.values = NULL;
    }
    return Y;
}

/* A good tile for loops over dense data, whatever its strides: as doubles it fits the stack and the caches,
 * and column-major data is read by whole cache lines. */
enum { PITH_I_TILE_ROWS = 128, PITH_I_TILE_COLS = 32 };

/* Dense blocks as doubles, row-major; for CSR the zeros are written out. ld >= the columns taken. */
void pith_i_block(const pith_i_data *X, int64_t row, int64_t rows, int64_t col, int64_t cols, double *out,
                  int64_t ld);
/* First entry of row i of sparse data whose column is at least col; the end of the row if there is none. */
int64_t pith_i_entry_from(const pith_i_data *X, int64_t i, int64_t col);
/* Column j of dense data as doubles. For sparse data transpose first and use its rows. */
void pith_i_column(const pith_i_data *X, int64_t j, double *f);

/* X' as owned data (CSR of the transpose, or a row-major copy), same dtype. Columns ascend. O(stored). */
pith_status pith_i_transpose(pith_ctx *ctx, const pith_i_data *X, pith_i_data *out);
/* The transpose of a row-major rows x cols array: vectors one after the other become columns, or back. */
void pith_i_transpose_panel(int64_t rows, int64_t cols, const double *from, double *to);
/* The given rows, in the given order, owned; of a view, the values that it computes. */
pith_status pith_i_take_rows(pith_ctx *ctx, const pith_i_data *X, int64_t count, const int64_t *rows,
                             pith_i_data *out);
/* The given columns in the given order, owned, same dtype. */
pith_status pith_i_take_columns(pith_ctx *ctx, const pith_i_data *X, int64_t count, const int64_t *columns,
                                pith_i_data *out);
/* An owned copy with every stored value (x_ij - shift_j) * scale_j * row_scale_i; NULL: 0, 1, 1. Dense
 * results are row-major; a shift is for dense data only. */
pith_status pith_i_scaled(pith_ctx *ctx, const pith_i_data *X, pith_dtype dtype, const double *shift,
                          const double *scale, const double *row_scale, pith_i_data *out);

/* Stores the values that a view computes. For sparse data only the values are owned; row pointers and columns
 * stay borrowed. */
pith_status pith_i_data_keep_values(pith_ctx *ctx, pith_i_data *X);

/* Y (n x m) = X B (p x m), row-major doubles, ld = m. Fixed order of sums for any number of threads. */
pith_status pith_i_multiply(pith_ctx *ctx, const pith_i_data *X, int64_t m, const double *B, double *Y);
/* Y (p x m) = X' B (n x m). */
pith_status pith_i_multiply_t(pith_ctx *ctx, const pith_i_data *X, int64_t m, const double *B, double *Y);

#endif
