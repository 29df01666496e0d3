#include "methods/lgdfs/direct.h"

#include "core/parallel.h"
#include "linalg/eigen.h"
#include "matrix/blas.h"
#include "matrix/simd.h"
#include "methods/lgdfs/lu.h"

#include <string.h>

pith_status pith_i_direct_open(pith_ctx *ctx, pith_i_models *m)
{
    const int64_t n = m->n;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, m->M, n * n));
    TRY(SCRATCH(ctx, m->F, n * n));
    TRY(SCRATCH(ctx, m->pivot, n));
done:
    return st;
}

/* Copies the lower triangle to the upper one, by blocks that stay in cache. */
static void mirror(int64_t n, double *M)
{
    enum { SIDE = 32 };
    for (int64_t A = 0; A < n; A += SIDE)
        for (int64_t B = 0; B <= A; B += SIDE)
            for (int64_t a = A; a < A + SIDE && a < n; a++)
                for (int64_t b = B; b < B + SIDE && b < a; b++)
                    M[b * n + a] = M[a * n + b];
}

/* G becomes M. */
static pith_status centre_gram(pith_ctx *ctx, pith_i_models *m)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = m->n;
    double *mean = NULL, all = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, mean, n));
    for (int64_t a = 0; a < n; a++) {
        mean[a] = 0;
        for (int64_t b = 0; b < n; b++)
            mean[a] += m->M[a * n + b] / (double)n;
        all += mean[a] / (double)n;
    }
    for (int64_t a = 0; a < n; a++) {
        for (int64_t b = 0; b < n; b++)
            m->M[a * n + b] += all - (mean[a] + mean[b]);
        m->M[a * n + a] += m->global;
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Row i of F, `count` columns from column `first` on. */
PITH_I_CLONES
static void system_row(const pith_i_models *m, int64_t i, int64_t first, int64_t count)
{
    const int64_t n = m->n;
    const double *restrict M = m->M + first;
    double *restrict row = m->F + i * n + first;
    for (int64_t b = 0; b < count; b++)
        row[b] = m->shift * M[i * n + b];
    for (int64_t e = m->regions.sum.row[i]; e < m->regions.sum.row[i + 1]; e++) {
        const double weight = m->local * m->regions.sum.value[e];
        const double *restrict other = M + (int64_t)m->regions.sum.col[e] * n;
        for (int64_t b = 0; b < count; b++)
            row[b] += weight * other[b];
    }
    if (i >= first && i < first + count)
        row[i - first] += m->alpha * m->global;
}

/* Forms F = (local B + shift I) M + alpha global I, by column tiles of M that stay in cache, and factors it.
 */
static pith_status make_system(pith_ctx *ctx, pith_i_models *m)
{
    enum { TILE = 128 };
    const int64_t n = m->n;
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic)
    for (int64_t first = 0; first < n; first += TILE)
        for (int64_t i = 0; i < n; i++)
            system_row(m, i, first, n - first < TILE ? n - first : TILE);
    return pith_i_lu(ctx, n, m->F, m->pivot);
}

pith_status pith_i_direct_fit(pith_ctx *ctx, pith_i_models *m, const double *z, bool move)
{
    pith_status st = PITH_OK;
    TRY(pith_i_design_rows_gram(ctx, m->X, z, m->M));
    mirror(m->n, m->M);
    TRY(pith_i_regions_by_products(ctx, &m->regions, m->M, move));
    m->bound = m->regions.bound + m->alpha;
    m->shift = 0.01 * m->bound;
    TRY(centre_gram(ctx, m));
    TRY(make_system(ctx, m));
done:
    return st;
}

static void centre_vector(int64_t n, double *x)
{
    double mean = 0;
    for (int64_t i = 0; i < n; i++)
        mean += x[i];
    mean /= (double)n;
    for (int64_t i = 0; i < n; i++)
        x[i] -= mean;
}

/* JY = J Y of eigenvectors: M^-1 y = (value + shift) F^-1 y. */
void pith_i_direct_global(const pith_i_models *m, int64_t vectors, const double *value, const double *Y,
                          double *JY)
{
    const int64_t n = m->n;
    memcpy(JY, Y, (size_t)(vectors * n) * sizeof *JY);
    for (int64_t v = 0; v < vectors; v++) {
        centre_vector(n, JY + v * n);
        for (int64_t i = 0; i < n; i++)
            JY[v * n + i] *= value[v] + m->shift;
    }
    pith_i_lu_solve(n, m->F, m->pivot, vectors, JY);
    for (int64_t v = 0; v < vectors; v++)
        centre_vector(n, JY + v * n);
}

/* y = shift (A + shift I)^-1 x, then centred: A's lowest eigenvalues are the largest here, and all lie in
 * 0..1. */
static pith_status inverse(pith_ctx *ctx, const void *self, int64_t vectors, const double *x, double *y)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_models *m = self;
    const int size = (int)m->n, count = (int)vectors;
    double *solved = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, solved, vectors * m->n));
    memcpy(solved, x, (size_t)(vectors * m->n) * sizeof *solved);
    pith_i_lu_solve(m->n, m->F, m->pivot, vectors, solved);
    pith_i_blas_enter();
    if (vectors == 1)
        cblas_dsymv(CblasColMajor, CblasLower, size, m->shift, m->M, size, solved, 1, 0, y, 1);
    else
        cblas_dsymm(CblasColMajor, CblasLeft, CblasLower, size, count, m->shift, m->M, size, solved, size, 0,
                    y, size);
    pith_i_blas_leave();
    for (int64_t v = 0; v < vectors; v++)
        centre_vector(m->n, y + v * m->n);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_direct_targets(pith_ctx *ctx, const pith_i_models *m, int64_t vectors, double *value,
                                  double *Y)
{
    const pith_i_operator A = {.n = m->n, .self = m, .apply = inverse};
    /* A product costs more than keeping a Lanczos vector orthogonal, so there are enough to need no restart.
     */
    const pith_i_eigen_options want = {.m = vectors, .tolerance = 1e-11, .basis = 3 * vectors + 40};
    pith_status st = PITH_OK;
    TRY(pith_i_eigen_largest(ctx, &A, &want, value, Y));
    for (int64_t v = 0; v < vectors; v++)
        value[v] = m->shift * (1 / value[v] - 1);
done:
    return st;
}
