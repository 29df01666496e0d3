/* Products of data with dense blocks. Tiles have a fixed shape, so threads do not change the sums. */
#include "core/parallel.h"
#include "matrix/blas.h"
#include "matrix/data.h"

#include <string.h>

/* A tile is long in the direction of the sum and short in that of the output, which threads share. */
enum { SHORT = 128, LONG = 512 };

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Waking threads costs more than a small product, of which an eigensolver asks thousands. */
static bool is_large(const pith_i_data *X, int64_t m)
{
    return (double)pith_i_stored(X) * (double)m > 1e5;
}

static void sparse_row(const pith_i_data *X, int64_t i, int64_t m, const double *B, double *y)
{
    memset(y, 0, (size_t)m * sizeof *y);
    for (int64_t e = X->indptr[i]; e < X->indptr[i + 1]; e++) {
        const double v = pith_i_value(X->values, X->dtype, e);
        const double *b = B + X->indices[e] * m;
        for (int64_t t = 0; t < m; t++)
            y[t] += v * b[t];
    }
}

/* A tile of the data for BLAS: where it is if it lies right, else a copy in `room`. */
static const double *tile_of(const pith_i_data *X, int64_t i, int64_t rows, int64_t j, int64_t cols,
                             double *room, int64_t room_ld, int *ld)
{
    if (X->dtype == PITH_F64 && X->col_stride == 1 && X->row_stride >= X->p && X->row_stride <= INT32_MAX) {
        *ld = (int)X->row_stride;
        return (const double *)X->x + i * X->row_stride + j;
    }
    pith_i_block(X, i, rows, j, cols, room, room_ld);
    *ld = (int)room_ld;
    return room;
}

/* Y += A B or A' B; one column is a matrix-vector product, which need not copy A. */
static void add_product(CBLAS_TRANSPOSE turned, int64_t rows, int64_t cols, int64_t m, const double *A,
                        int ld, const double *B, double *Y)
{
    const int64_t outer = turned == CblasTrans ? cols : rows, inner = turned == CblasTrans ? rows : cols;
    if (m == 1)
        cblas_dgemv(CblasRowMajor, turned, (int)rows, (int)cols, 1, A, ld, B, 1, 1, Y, 1);
    else
        cblas_dgemm(CblasRowMajor, turned, CblasNoTrans, (int)outer, (int)m, (int)inner, 1, A, ld, B, (int)m,
                    1, Y, (int)m);
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
#pragma omp parallel for num_threads(threads) schedule(dynamic, 64) if (is_large(X, m))
        for (int64_t i = 0; i < X->n; i++)
            sparse_row(X, i, m, B, Y + i * m);
        return PITH_OK;
    }
    TRY(SCRATCH(ctx, tiles, (int64_t)threads * SHORT * LONG));
    pith_i_blas_enter();
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (is_large(X, m))
    for (int64_t i = 0; i < X->n; i += SHORT) {
        double *tile = tiles + (int64_t)pith_i_thread() * SHORT * LONG;
        const int64_t rows = least(SHORT, X->n - i);
        memset(Y + i * m, 0, (size_t)(rows * m) * sizeof *Y);
        for (int64_t j = 0; j < X->p; j += LONG) {
            const int64_t cols = least(LONG, X->p - j);
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
        const int64_t cols = least(SHORT, X->p - j);
        memset(Y + j * m, 0, (size_t)(cols * m) * sizeof *Y);
        for (int64_t i = 0; i < X->n; i += LONG) {
            const int64_t rows = least(LONG, X->n - i);
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
