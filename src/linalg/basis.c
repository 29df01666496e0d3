#include "linalg/basis.h"

#include "core/parallel.h"
#include "matrix/blas.h"

#include <math.h>

typedef struct projection {
    const pith_i_basis *V;
    const double *x;
} projection;

static void project_block(const void *self, int64_t lo, int64_t hi, double *sums)
{
    const projection *p = self;
    const pith_i_basis *V = p->V;
    for (int piece = 0; piece < 2; piece++) {
        if (V->count[piece] > 0)
            cblas_dgemv(CblasColMajor, CblasTrans, (int)(hi - lo), (int)V->count[piece], 1,
                        V->vector[piece] + lo, (int)V->n, p->x + lo, 1, 0, sums, 1);
        sums += V->count[piece];
    }
}

/* Rows lo..hi-1 of y += shift x - factor V sums. */
static void subtract_block(const projection *p, double shift, double factor, int64_t lo, int64_t hi,
                           const double *sums, double *y)
{
    const pith_i_basis *V = p->V;
    if (shift != 0)
        cblas_daxpy((int)(hi - lo), shift, p->x + lo, 1, y + lo, 1);
    for (int piece = 0; piece < 2; piece++) {
        if (V->count[piece] > 0)
            cblas_dgemv(CblasColMajor, CblasNoTrans, (int)(hi - lo), (int)V->count[piece], -factor,
                        V->vector[piece] + lo, (int)V->n, sums, 1, 1, y + lo, 1);
        sums += V->count[piece];
    }
}

/* here: every process holds whole vectors, so nothing is summed over processes. */
static pith_status subtract(pith_ctx *ctx, const pith_i_basis *V, bool here, double shift, double factor,
                            const double *x, double *y)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const projection p = {V, x};
    const int64_t n = V->n, count = V->count[0] + V->count[1];
    pith_status st = PITH_OK;
    double *sums = NULL;
    pith_i_blas_enter();
    TRY(SCRATCH(ctx, sums, count));
    TRY((here ? pith_i_reduce : pith_i_sum_rows)(ctx, n, count, project_block, &p, sums));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) if (n > PITH_I_SUM_BLOCK)
    for (int64_t lo = 0; lo < n; lo += PITH_I_SUM_BLOCK)
        subtract_block(&p, shift, factor, lo, lo + PITH_I_SUM_BLOCK < n ? lo + PITH_I_SUM_BLOCK : n, sums, y);
done:
    pith_i_blas_leave();
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_basis_subtract(pith_ctx *ctx, const pith_i_basis *V, double shift, double factor,
                                  const double *x, double *y)
{
    return subtract(ctx, V, false, shift, factor, x, y);
}

static pith_status orthonormalize(pith_ctx *ctx, const pith_i_basis *V, bool here, double *x, double *norm)
{
    pith_status st = PITH_OK;
    double square = 0;
    for (int pass = 0; pass < 2; pass++) /* twice is enough */
        TRY(subtract(ctx, V, here, 0, 1, x, x));
    TRY((here ? pith_i_dot_here : pith_i_dot)(ctx, V->n, x, x, &square));
    *norm = sqrt(square);
    for (int64_t i = 0; *norm > 0 && i < V->n; i++)
        x[i] /= *norm;
done:
    return st;
}

pith_status pith_i_basis_orthonormalize(pith_ctx *ctx, const pith_i_basis *V, double *x, double *norm)
{
    return orthonormalize(ctx, V, false, x, norm);
}

pith_status pith_i_basis_orthonormalize_here(pith_ctx *ctx, const pith_i_basis *V, double *x, double *norm)
{
    return orthonormalize(ctx, V, true, x, norm);
}
