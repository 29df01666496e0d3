/* Products of data with dense blocks. Tiles have a fixed shape, so threads do not change the sums. */
#include "core/parallel.h"
#include "matrix/blas.h"
#include "matrix/data.h"
#include "matrix/simd.h"

#include <string.h>

/* A tile is long in the direction of the sum and short in that of the output, which is split over threads. */
enum { SHORT = 128, LONG = 512, SOME = 64 }; /* SOME: sparse rows at a time */

/* Waking threads costs more than a small product, and an eigensolver computes thousands of those. */
static bool is_large(const pith_i_data *X, int64_t m)
{
    return (double)pith_i_stored(X) * (double)m > 1e5;
}

/* ---- Sparse ------------------------------------------------------------------------------------------- */

/* How entries are stored: each kind is compiled into a loop of its own. */
typedef enum kind { DOUBLES, FLOATS, VIEW } kind;

PITH_I_INLINE static inline double entry(const pith_i_data *X, kind how, int64_t i, int64_t e)
{
    return how == VIEW ? pith_i_at(X, i, e)
                       : pith_i_value(X->values, how == DOUBLES ? PITH_F64 : PITH_F32, e);
}

enum { LANES = 8, VECTORS = 4, AHEAD = 12 }; /* AHEAD: rows of B are prefetched this many entries ahead */

/*
 * `vectors` vectors of row i of X B from column `first` on, held in registers while the row is read. The last
 * one may overlap the one before: its columns are then summed twice, to the same bits.
 */
PITH_I_INLINE static inline void sparse_strip(const pith_i_data *X, kind how, int64_t i, int64_t m,
                                              const double *B, int64_t first, int vectors, double *y)
{
    const int64_t stored = X->indptr[X->n];
    pith_i_double8 sum[VECTORS] = {{0}};
    int64_t at[VECTORS];
    for (int q = 0; q < vectors; q++)
        at[q] = pith_i_min(first + q * LANES, m - LANES);
    for (int64_t e = X->indptr[i]; e < X->indptr[i + 1]; e++) {
        const double v = entry(X, how, i, e), *b = B + X->indices[e] * m;
        const double *next = B + X->indices[e + AHEAD < stored ? e + AHEAD : e] * m;
#pragma GCC unroll 4
        for (int q = 0; q < vectors; q++) {
            __builtin_prefetch(next + at[q]);
            sum[q] += v * *(const pith_i_double8 *)(b + at[q]);
        }
    }
    for (int q = 0; q < vectors; q++)
        *(pith_i_double8 *)(y + at[q]) = sum[q];
}

/* Row i of X B if B has fewer columns than a vector has lanes. */
PITH_I_INLINE static inline void sparse_row(const pith_i_data *X, kind how, int64_t i, int64_t m,
                                            const double *B, double *y)
{
    double sum[LANES] = {0};
    for (int64_t e = X->indptr[i]; e < X->indptr[i + 1]; e++) {
        const double v = entry(X, how, i, e), *b = B + X->indices[e] * m;
        for (int64_t t = 0; t < m; t++)
            sum[t] += v * b[t];
    }
    memcpy(y, sum, (size_t)m * sizeof *y);
}

PITH_I_INLINE static inline void sparse_rows_of(const pith_i_data *X, kind how, int64_t lo, int64_t hi,
                                                int64_t m, const double *B, double *Y)
{
    for (int64_t i = lo; i < hi; i++) {
        double *y = Y + i * m;
        int64_t t = 0;
        if (m < LANES)
            sparse_row(X, how, i, m, B, y);
        for (; m >= LANES && t + (VECTORS - 1) * LANES < m; t += VECTORS * LANES)
            sparse_strip(X, how, i, m, B, t, VECTORS, y);
        if (m >= LANES && t + 2 * LANES < m)
            sparse_strip(X, how, i, m, B, t, 3, y);
        else if (m >= LANES && t + LANES < m)
            sparse_strip(X, how, i, m, B, t, 2, y);
        else if (m >= LANES && t < m)
            sparse_strip(X, how, i, m, B, t, 1, y);
    }
}

/* Rows lo..hi-1 of X B. */
PITH_I_CLONES
static void sparse_rows(const pith_i_data *X, int64_t lo, int64_t hi, int64_t m, const double *B, double *Y)
{
    if (X->of.map != NULL)
        sparse_rows_of(X, VIEW, lo, hi, m, B, Y);
    else if (X->dtype == PITH_F64)
        sparse_rows_of(X, DOUBLES, lo, hi, m, B, Y);
    else
        sparse_rows_of(X, FLOATS, lo, hi, m, B, Y);
}

/* ---- Dense -------------------------------------------------------------------------------------------- */

/* A tile of the data for BLAS: in place if its rows are contiguous doubles, else a copy in `room`. */
static const double *tile_of(const pith_i_data *X, int64_t i, int64_t rows, int64_t j, int64_t cols,
                             double *room, int64_t room_ld, int *ld)
{
    if (pith_i_is_plain(X) && X->row_stride >= X->p && X->row_stride <= INT32_MAX) {
        *ld = (int)X->row_stride;
        return (const double *)X->x + i * X->row_stride + j;
    }
    pith_i_block(X, i, rows, j, cols, room, room_ld);
    *ld = (int)room_ld;
    return room;
}

/* Y += A B or A' B; one column is a matrix-vector product, which need not copy A. */
static void add_product(CBLAS_TRANSPOSE transposed, int64_t rows, int64_t cols, int64_t m, const double *A,
                        int ld, const double *B, double *Y)
{
    const int64_t outer = transposed == CblasTrans ? cols : rows,
                  inner = transposed == CblasTrans ? rows : cols;
    if (m == 1)
        cblas_dgemv(CblasRowMajor, transposed, (int)rows, (int)cols, 1, A, ld, B, 1, 1, Y, 1);
    else
        cblas_dgemm(CblasRowMajor, transposed, CblasNoTrans, (int)outer, (int)m, (int)inner, 1, A, ld, B,
                    (int)m, 1, Y, (int)m);
}

pith_status pith_i_multiply(pith_ctx *ctx, const pith_i_data *X, int64_t m, const double *B, double *Y)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int threads = pith_ctx_threads(ctx);
    pith_status st = PITH_OK;
    double *tiles = NULL;
    if (m == 0) /* BLAS wants a leading dimension */
        return PITH_OK;
    if (X->sparse) {
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (is_large(X, m))
        for (int64_t i = 0; i < X->n; i += SOME)
            sparse_rows(X, i, pith_i_min(i + SOME, X->n), m, B, Y);
        return PITH_OK;
    }
    TRY(SCRATCH(ctx, tiles, (int64_t)threads * SHORT * LONG));
    pith_i_blas_enter();
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (is_large(X, m))
    for (int64_t i = 0; i < X->n; i += SHORT) {
        double *tile = tiles + (int64_t)pith_i_thread() * SHORT * LONG;
        const int64_t rows = pith_i_min(SHORT, X->n - i);
        memset(Y + i * m, 0, (size_t)(rows * m) * sizeof *Y);
        for (int64_t j = 0; j < X->p; j += LONG) {
            const int64_t cols = pith_i_min(LONG, X->p - j);
            int ld = 0;
            const double *A = tile_of(X, i, rows, j, cols, tile, LONG, &ld);
            add_product(CblasNoTrans, rows, cols, m, A, ld, B + j * m, Y + i * m);
        }
    }
    pith_i_blas_leave();
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status multiply_t_sparse(pith_ctx *ctx, const pith_i_data *X, int64_t m, const double *B,
                                     double *Y)
{
    pith_i_data T = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_transpose(ctx, X, &T));
    TRY(pith_i_multiply(ctx, &T, m, B, Y));
done:
    pith_i_data_free(&T);
    return st;
}

pith_status pith_i_multiply_t(pith_ctx *ctx, const pith_i_data *X, int64_t m, const double *B, double *Y)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int threads = pith_ctx_threads(ctx);
    pith_status st = PITH_OK;
    double *tiles = NULL;
    if (m == 0)
        return PITH_OK;
    if (X->sparse)
        return multiply_t_sparse(ctx, X, m, B, Y);
    TRY(SCRATCH(ctx, tiles, (int64_t)threads * LONG * SHORT));
    pith_i_blas_enter();
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (is_large(X, m))
    for (int64_t j = 0; j < X->p; j += SHORT) {
        double *tile = tiles + (int64_t)pith_i_thread() * LONG * SHORT;
        const int64_t cols = pith_i_min(SHORT, X->p - j);
        memset(Y + j * m, 0, (size_t)(cols * m) * sizeof *Y);
        for (int64_t i = 0; i < X->n; i += LONG) {
            const int64_t rows = pith_i_min(LONG, X->n - i);
            int ld = 0;
            const double *A = tile_of(X, i, rows, j, cols, tile, SHORT, &ld);
            add_product(CblasTrans, rows, cols, m, A, ld, B + i * m, Y + j * m);
        }
    }
    pith_i_blas_leave();
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
