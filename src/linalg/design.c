#include "linalg/design.h"

#include "core/parallel.h"
#include "matrix/stats.h"

#include <math.h>
#include <string.h>

static bool is_left_out(const pith_i_design *D, int64_t j)
{
    return D->left_out != NULL && D->left_out[j];
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
        norm[j] = is_left_out(D, j) ? 0 : sqrt((double)D->X->n * (stats.variance[j] + mean * mean));
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
