#include "linalg/row_sparse.h"

#include "linalg/cholesky.h"
#include "matrix/blas.h"

#include <math.h>
#include <string.h>

pith_status pith_i_row_sparse_open(pith_ctx *ctx, const pith_i_design *X, pith_i_row_sparse *out)
{
    const int64_t n = X->X->n, p = X->X->p, size = n < p ? n : p;
    pith_i_row_sparse s = {.X = X, .by_samples = n < p};
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, s.inverse_q, p));
    TRY(SCRATCH(ctx, s.factor, size * size));
    if (!s.by_samples)
        TRY(SCRATCH(ctx, s.gram, size * size));
    for (int64_t j = 0; j < p; j++)
        s.inverse_q[j] = X->left_out != NULL && X->left_out[j] ? 0 : 1;
    *out = s;
done:
    return st;
}

static pith_status factor_by_samples(pith_ctx *ctx, pith_i_row_sparse *s)
{
    const int64_t n = s->X->X->n;
    pith_status st = PITH_OK;
    TRY(pith_i_design_rows_gram(ctx, s->X, s->inverse_q, s->factor));
    for (int64_t i = 0; i < n; i++)
        s->factor[i * n + i] += s->b / (s->u != NULL ? s->u[i] : 1);
    TRY(pith_i_cholesky(ctx, n, s->factor));
done:
    return st;
}

static pith_status factor_by_features(pith_ctx *ctx, pith_i_row_sparse *s)
{
    const int64_t p = s->X->X->p;
    pith_status st = PITH_OK;
    if (!s->has_gram || s->u != NULL)
        TRY(pith_i_design_columns_gram(ctx, s->X, s->u, s->gram));
    s->has_gram = s->u == NULL;
    for (int64_t i = 0; i < p; i++) {
        for (int64_t l = 0; l <= i; l++)
            s->factor[i * p + l] = s->gram[i * p + l] * sqrt(s->inverse_q[i]) * sqrt(s->inverse_q[l]);
        s->factor[i * p + i] += s->b;
    }
    TRY(pith_i_cholesky(ctx, p, s->factor));
done:
    return st;
}

pith_status pith_i_row_sparse_factor(pith_ctx *ctx, pith_i_row_sparse *s, double b, const double *u)
{
    s->b = b;
    s->u = u;
    return s->by_samples ? factor_by_samples(ctx, s) : factor_by_features(ctx, s);
}

/* Row r of W times factor_r. */
static void scale_rows(int64_t p, int64_t m, const double *square, bool root, double *W)
{
    for (int64_t r = 0; r < p; r++) {
        const double factor = root ? sqrt(square[r]) : square[r];
        for (int64_t t = 0; t < m; t++)
            W[r * m + t] *= factor;
    }
}

static pith_status solve_by_samples(pith_ctx *ctx, const pith_i_row_sparse *s, int64_t m, const double *F,
                                    double *W, double *R)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = s->X->X->n, p = s->X->X->p;
    double *T = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, T, n * m));
    memcpy(T, F, (size_t)(n * m) * sizeof *T);
    pith_i_cholesky_solve(n, s->factor, m, T);
    if (W != NULL) {
        TRY(pith_i_design_multiply_t(ctx, s->X, m, T, W));
        scale_rows(p, m, s->inverse_q, false, W);
    }
    for (int64_t i = 0; R != NULL && i < n; i++)
        for (int64_t t = 0; t < m; t++)
            R[i * m + t] = s->b * T[i * m + t] / (s->u != NULL ? s->u[i] : 1);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status solve_by_features(pith_ctx *ctx, const pith_i_row_sparse *s, int64_t m, const double *F,
                                     double *W, double *R)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = s->X->X->n, p = s->X->X->p;
    double *weighted = NULL;
    pith_status st = PITH_OK;
    if (s->u != NULL) {
        TRY(SCRATCH(ctx, weighted, n * m));
        for (int64_t i = 0; i < n; i++)
            for (int64_t t = 0; t < m; t++)
                weighted[i * m + t] = s->u[i] * F[i * m + t];
    }
    if (W == NULL)
        TRY(SCRATCH(ctx, W, p * m));
    TRY(pith_i_design_multiply_t(ctx, s->X, m, weighted != NULL ? weighted : F, W));
    scale_rows(p, m, s->inverse_q, true, W);
    pith_i_cholesky_solve(p, s->factor, m, W);
    scale_rows(p, m, s->inverse_q, true, W);
    if (R != NULL) {
        TRY(pith_i_design_multiply(ctx, s->X, m, W, R));
        for (int64_t e = 0; e < n * m; e++)
            R[e] = F[e] - R[e];
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_row_sparse_solve(pith_ctx *ctx, const pith_i_row_sparse *s, int64_t m, const double *F,
                                    double *W, double *R)
{
    return s->by_samples ? solve_by_samples(ctx, s, m, F, W, R) : solve_by_features(ctx, s, m, F, W, R);
}

double pith_i_row_norms(int64_t p, int64_t m, const double *W, double *norm)
{
    double largest = 0;
    for (int64_t r = 0; r < p; r++) {
        norm[r] = cblas_dnrm2((int)m, W + r * m, 1); /* scaled: no square under- or overflows */
        largest = fmax(largest, norm[r]);
    }
    return largest;
}

static void leave_out(pith_i_row_sparse *s)
{
    for (int64_t r = 0; s->X->left_out != NULL && r < s->X->X->p; r++)
        if (s->X->left_out[r])
            s->inverse_q[r] = 0;
}

void pith_i_row_sparse_reweight(pith_i_row_sparse *s, int64_t m, const double *W)
{
    const int64_t p = s->X->X->p;
    const double largest = pith_i_row_norms(p, m, W, s->inverse_q);
    for (int64_t r = 0; r < p; r++)
        s->inverse_q[r] = 2 * fmax(s->inverse_q[r], 1e-12 * largest);
    leave_out(s);
}

void pith_i_row_sparse_reweight_smooth(pith_i_row_sparse *s, int64_t m, const double *W, double e)
{
    pith_i_row_norms(s->X->X->p, m, W, s->inverse_q);
    for (int64_t r = 0; r < s->X->X->p; r++)
        s->inverse_q[r] = 2 * hypot(s->inverse_q[r], e);
    leave_out(s);
}
