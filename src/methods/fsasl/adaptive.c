#include "methods/fsasl/adaptive.h"

#include "matrix/gather.h"
#include "methods/fsasl/simplex.h"

#include <assert.h>
#include <string.h>

static pith_status find_width(pith_ctx *ctx, const pith_i_data *X, const pith_i_knn *knn, int64_t k,
                              double *out)
{
    const double all = (double)pith_i_all(X);
    double m = 0;
    for (int64_t i = 0; i < knn->n; i++) {
        const double *d = knn->distance2 + i * knn->k;
        double gap = 0;
        for (int64_t t = 0; t < k; t++)
            gap += d[k] - d[t];
        m += gap / 2 / all;
    }
    *out = m;
    return pith_i_sum_over(ctx, X, 1, out);
}

/* sum_t P_t/2 (e_0 - e_t)(e_0 - e_t)' */
static void fill_block(int64_t k, const double *P, double *block)
{
    memset(block, 0, (size_t)((k + 1) * (k + 1)) * sizeof *block);
    for (int64_t t = 0; t < k; t++) {
        block[0] += P[t] / 2;
        block[(t + 1) * (k + 2)] = P[t] / 2;
        block[t + 1] = block[(t + 1) * (k + 1)] = -P[t] / 2;
    }
}

pith_status pith_i_adaptive_laplacian(pith_ctx *ctx, const pith_i_data *X, const pith_i_knn *knn, int64_t k,
                                      pith_i_local_sum *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = knn->n, size = (k + 1) * (k + 1);
    pith_i_knn nearest = {.n = n, .k = k};
    double *blocks = NULL, *P = NULL, m = 0;
    pith_status st = PITH_OK;
    assert(k >= 1 && k < knn->k);
    TRY(find_width(ctx, X, knn, k, &m));
    TRY(SCRATCH(ctx, nearest.index, n * k));
    TRY(SCRATCH(ctx, blocks, n * size));
    TRY(SCRATCH(ctx, P, k));
    for (int64_t i = 0; i < n; i++) {
        memcpy(nearest.index + i * k, knn->index + i * knn->k, (size_t)k * sizeof *nearest.index);
        for (int64_t t = 0; t < k; t++)
            P[t] = m > 0 ? -knn->distance2[i * knn->k + t] / (2 * m) : 0;
        pith_i_simplex_project(k, P);
        fill_block(k, P, blocks + i * size);
    }
    TRY(pith_i_local_sum_of(ctx, X, &nearest, blocks, out));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
