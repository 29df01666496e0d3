#include "linalg/indicator.h"

#include "core/engine.h"
#include "matrix/blas.h"
#include "matrix/gather.h"

#include <float.h>
#include <math.h>

/* Norms of columns that are spread over processes, from the norms of the parts held here. */
static pith_status spread_norms(pith_ctx *ctx, int64_t c, double *norm)
{
    for (int64_t k = 0; k < c; k++)
        norm[k] *= norm[k];
    const pith_status st = pith_i_sum(ctx, c, norm);
    for (int64_t k = 0; k < c; k++)
        norm[k] = sqrt(norm[k]);
    return st;
}

static pith_status unit_columns(pith_ctx *ctx, const pith_i_data *samples, int64_t c, double *F)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = samples->n;
    double *norm = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, norm, c));
    for (int64_t k = 0; k < c; k++)
        norm[k] = cblas_dnrm2((int)n, F + k, (int)c);
    if (pith_i_is_spread(samples))
        TRY(spread_norms(ctx, c, norm));
    for (int64_t k = 0; k < c; k++)
        for (int64_t i = 0; i < n; i++)
            F[i * c + k] /= norm[k];
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_indicator_start(pith_ctx *ctx, const pith_i_data *samples, int64_t c, const int32_t *label,
                                   double *F)
{
    for (int64_t i = 0; i < samples->n; i++)
        for (int64_t k = 0; k < c; k++)
            F[i * c + k] = 0.2 + (label[i] == k);
    return unit_columns(ctx, samples, c, F);
}

/* G = F'F, both triangles. */
static pith_status inner_products(pith_ctx *ctx, const pith_i_data *samples, int64_t c, const double *F,
                                  double *G)
{
    pith_i_blas_enter();
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, (int)c, (int)samples->n, 1, F, (int)c, 0, G, (int)c);
    pith_i_blas_leave();
    for (int64_t a = 0; a < c; a++)
        for (int64_t b = 0; b < a; b++)
            G[a * c + b] = G[b * c + a];
    return pith_i_sum_over(ctx, samples, c * c, G);
}

pith_status pith_i_indicator_step(pith_ctx *ctx, const pith_i_data *samples, int64_t c, double g,
                                  const double *pos, const double *neg, pith_i_indicator_rate rate,
                                  double *room, double *F)
{
    const int64_t n = samples->n;
    double *G = room, *FG = room + c * c;
    pith_status st = PITH_OK;
    TRY(inner_products(ctx, samples, c, F, G));
    pith_i_blas_enter();
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)c, (int)c, 1, F, (int)c, G, (int)c, 0,
                FG, (int)c);
    pith_i_blas_leave();
    for (int64_t e = 0; e < n * c; e++) {
        const double quotient = (neg[e] + g * F[e]) / fmax(pos[e] + g * FG[e], DBL_MIN);
        F[e] *= rate == PITH_I_FOURTH_ROOT ? sqrt(sqrt(quotient)) : quotient;
    }
done:
    return st;
}

pith_status pith_i_indicator_rescale(pith_ctx *ctx, const pith_i_data *samples, int64_t c, double *F)
{
    for (int64_t e = 0; e < samples->n * c; e++)
        F[e] = fmax(F[e], 1e-12);
    return unit_columns(ctx, samples, c, F);
}

pith_status pith_i_indicator_defect(pith_ctx *ctx, const pith_i_data *samples, int64_t c, const double *F,
                                    double *room, double *out)
{
    pith_status st = PITH_OK;
    double sum = 0;
    TRY(inner_products(ctx, samples, c, F, room));
    for (int64_t a = 0; a < c; a++)
        for (int64_t b = 0; b < c; b++) {
            const double off = room[a * c + b] - (a == b);
            sum += off * off;
        }
    *out = sum;
done:
    return st;
}
