#include "linalg/design.h"

#include "core/parallel.h"
#include "matrix/blas.h"
#include "matrix/gather.h"
#include "matrix/simd.h"
#include "matrix/stats.h"

#include <math.h>
#include <string.h>

static bool is_left_out(const pith_i_design *D, int64_t j)
{
    return D->left_out != NULL && D->left_out[j];
}

static double shift_of(const pith_i_design *D, int64_t j)
{
    return D->shift != NULL ? D->shift[j] : 0;
}

typedef struct sums_of {
    int64_t m;
    const double *weight, *B; /* weight NULL: 1 */
} sums_of;

/* sum_i weight_i B_i over rows lo..hi-1. */
static void weighted_rows(const void *self, int64_t lo, int64_t hi, double *sums)
{
    const sums_of *s = self;
    for (int64_t i = lo; i < hi; i++)
        for (int64_t t = 0; t < s->m; t++)
            sums[t] += (s->weight != NULL ? s->weight[i] : 1) * s->B[i * s->m + t];
}

pith_status pith_i_design_multiply(pith_ctx *ctx, const pith_i_design *D, int64_t m, const double *B,
                                   double *Y)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = D->X->n, p = D->X->p;
    const sums_of shifted = {m, D->shift, B};
    double *kept = NULL, *sum = NULL;
    pith_status st = PITH_OK;
    if (D->left_out != NULL) {
        TRY(SCRATCH(ctx, kept, p * m));
        for (int64_t j = 0; j < p; j++)
            for (int64_t t = 0; t < m; t++)
                kept[j * m + t] = D->left_out[j] ? 0 : B[j * m + t];
    }
    const sums_of of_kept = {m, D->shift, kept};
    TRY(pith_i_multiply(ctx, D->X, m, kept != NULL ? kept : B, Y));
    if (D->shift == NULL)
        goto done;
    TRY(SCRATCH(ctx, sum, m));
    TRY(pith_i_reduce(ctx, p, m, weighted_rows, kept != NULL ? &of_kept : &shifted, sum));
    for (int64_t i = 0; i < n; i++)
        for (int64_t t = 0; t < m; t++)
            Y[i * m + t] -= sum[t];
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Rows i .. i+rows-1 of Y, each summed over the features in order. */
static void multiply_rows(const pith_i_design *D, int64_t i, int64_t rows, int64_t m, const double *B,
                          double *Y)
{
    double tile[PITH_I_TILE_ROWS * PITH_I_TILE_COLS];
    memset(Y + i * m, 0, (size_t)(rows * m) * sizeof *Y);
    for (int64_t j = 0; j < D->X->p; j += PITH_I_TILE_COLS) {
        const int64_t left = D->X->p - j, cols = left < PITH_I_TILE_COLS ? left : PITH_I_TILE_COLS;
        pith_i_block(D->X, i, rows, j, cols, tile, cols);
        for (int64_t r = 0; r < rows; r++)
            for (int64_t c = 0; c < cols; c++)
                for (int64_t t = 0; t < m && !is_left_out(D, j + c); t++)
                    Y[(i + r) * m + t] += (tile[r * cols + c] - shift_of(D, j + c)) * B[(j + c) * m + t];
    }
}

pith_status pith_i_design_multiply_alike(pith_ctx *ctx, const pith_i_design *D, int64_t m, const double *B,
                                         double *Y)
{
    const int64_t n = D->X->n;
    if (D->X->sparse) /* that is done row by row in any case */
        return pith_i_design_multiply(ctx, D, m, B, Y);
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(static)
    for (int64_t i = 0; i < n; i += PITH_I_TILE_ROWS)
        multiply_rows(D, i, n - i < PITH_I_TILE_ROWS ? n - i : PITH_I_TILE_ROWS, m, B, Y);
    return PITH_OK;
}

pith_status pith_i_design_multiply_t(pith_ctx *ctx, const pith_i_design *D, int64_t m, const double *B,
                                     double *Y)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = D->X->n, p = D->X->p;
    const sums_of all = {m, NULL, B};
    double *sum = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, sum, m));
    TRY(D->X->sparse ? pith_i_multiply(ctx, D->T, m, B, Y) : pith_i_multiply_t(ctx, D->X, m, B, Y));
    TRY(pith_i_reduce(ctx, n, m, weighted_rows, &all, sum));
    for (int64_t j = 0; j < p; j++)
        for (int64_t t = 0; t < m; t++)
            Y[j * m + t] = is_left_out(D, j) ? 0 : Y[j * m + t] - (D->shift ? D->shift[j] * sum[t] : 0);
    TRY(pith_i_sum_over(ctx, D->X, p * m, Y));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_design_norms(pith_ctx *ctx, const pith_i_design *D, double *norm)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_column_stats stats;
    pith_status st = PITH_OK;
    TRY(pith_i_column_statistics(ctx, D->X, D->T, &stats));
    for (int64_t j = 0; j < D->X->p; j++) {
        const double mean = stats.mean[j] - (D->shift != NULL ? D->shift[j] : 0);
        norm[j] = is_left_out(D, j) ? 0 : sqrt((double)pith_i_all(D->X) * (stats.variance[j] + mean * mean));
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

void pith_i_design_column(const pith_i_design *D, int64_t j, double *f)
{
    const double shift = D->shift != NULL ? D->shift[j] : 0;
    if (D->X->sparse)
        pith_i_block(D->T, j, 1, 0, D->X->n, f, D->X->n);
    else
        pith_i_column(D->X, j, f);
    for (int64_t i = 0; i < D->X->n; i++)
        f[i] = is_left_out(D, j) ? 0 : f[i] - shift;
}

/* out += X'u of a tile. Not by BLAS: it rounds the last columns of a matrix differently from the others, and
 * equal columns must stay equal. */
PITH_I_CLONES static void correlate_tile(int64_t rows, int64_t cols, const double *x, int64_t stride,
                                         const double *u, double *out)
{
    int64_t i = 0;
    for (; i + 4 <= rows; i += 4, x += 4 * stride)
        for (int64_t j = 0; j < cols; j++)
            out[j] = out[j] + x[j] * u[i] + x[stride + j] * u[i + 1] + x[2 * stride + j] * u[i + 2] +
                     x[3 * stride + j] * u[i + 3];
    for (; i < rows; i++, x += stride)
        for (int64_t j = 0; j < cols; j++)
            out[j] += x[j] * u[i];
}

/* out += X'u for dense data of any layout. */
static void correlate_dense(const pith_i_data *X, const double *u, double *out)
{
    double tile[PITH_I_TILE_ROWS * PITH_I_TILE_COLS];
    const bool as_it_is = pith_i_is_plain(X);
    for (int64_t j = 0; j < X->p; j += PITH_I_TILE_COLS)
        for (int64_t i = 0; i < X->n; i += PITH_I_TILE_ROWS) {
            const int64_t cols = X->p - j < PITH_I_TILE_COLS ? X->p - j : PITH_I_TILE_COLS;
            const int64_t rows = X->n - i < PITH_I_TILE_ROWS ? X->n - i : PITH_I_TILE_ROWS;
            if (!as_it_is)
                pith_i_block(X, i, rows, j, cols, tile, cols);
            correlate_tile(rows, cols, as_it_is ? (const double *)X->x + i * X->row_stride + j : tile,
                           as_it_is ? X->row_stride : cols, u + i, out + j);
        }
}

void pith_i_design_correlate(const pith_i_design *D, const double *u, double *out)
{
    const pith_i_data *X = D->X;
    double sum = 0;
    memset(out, 0, (size_t)X->p * sizeof *out);
    if (!X->sparse)
        correlate_dense(X, u, out);
    for (int64_t i = 0; X->sparse && i < X->n; i++)
        for (int64_t e = X->indptr[i]; e < X->indptr[i + 1]; e++)
            out[X->indices[e]] += u[i] * pith_i_at(X, i, e);
    for (int64_t i = 0; i < X->n; i++)
        sum += u[i];
    for (int64_t j = 0; j < X->p; j++)
        out[j] = is_left_out(D, j) ? 0 : out[j] - (D->shift != NULL ? D->shift[j] * sum : 0);
}

/* Rows i .. i+rows-1 of dense data, tile by tile. */
static void dense_squares(const pith_i_design *D, int64_t i, int64_t rows, double *square)
{
    double tile[PITH_I_TILE_ROWS * PITH_I_TILE_COLS];
    memset(square, 0, (size_t)rows * sizeof *square);
    for (int64_t j = 0; j < D->X->p; j += PITH_I_TILE_COLS) {
        const int64_t left = D->X->p - j, cols = left < PITH_I_TILE_COLS ? left : PITH_I_TILE_COLS;
        pith_i_block(D->X, i, rows, j, cols, tile, PITH_I_TILE_COLS);
        for (int64_t r = 0; r < rows; r++)
            for (int64_t c = 0; c < cols; c++) {
                const double v = tile[r * PITH_I_TILE_COLS + c] - shift_of(D, j + c);
                square[r] += is_left_out(D, j + c) ? 0 : v * v;
            }
    }
}

/* `zeros` is the square of a row of zeros, shifted; stored entries change their terms of it. */
static double sparse_square(const pith_i_design *D, int64_t i, double zeros)
{
    double sum = 0;
    for (int64_t e = D->X->indptr[i]; e < D->X->indptr[i + 1]; e++) {
        const int64_t j = D->X->indices[e];
        const double v = pith_i_at(D->X, i, e);
        sum += is_left_out(D, j) ? 0 : v * (v - 2 * shift_of(D, j));
    }
    return fmax(zeros + sum, 0);
}

void pith_i_design_row_squares(pith_ctx *ctx, const pith_i_design *D, double *square)
{
    const int64_t n = D->X->n;
    double zeros = 0;
    for (int64_t j = 0; j < D->X->p; j++)
        zeros += is_left_out(D, j) ? 0 : shift_of(D, j) * shift_of(D, j);
#pragma omp parallel for num_threads(pith_ctx_threads(ctx))
    for (int64_t i = 0; i < n; i += PITH_I_TILE_ROWS) {
        const int64_t rows = n - i < PITH_I_TILE_ROWS ? n - i : PITH_I_TILE_ROWS;
        if (!D->X->sparse)
            dense_squares(D, i, rows, square + i);
        for (int64_t r = i; D->X->sparse && r < i + rows; r++)
            square[r] = sparse_square(D, r, zeros);
    }
}
