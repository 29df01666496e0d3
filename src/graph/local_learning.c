#include "graph/local_learning.h"

#include "core/parallel.h"
#include "graph/knn_find.h"
#include "graph/local_rows.h"
#include "graph/spread_inside.h"
#include "linalg/cholesky.h"

#include <math.h>

/* (k+1) x (k+1): the kernel of sample i, in row and column 0, and its neighbours. */
static void kernel(const pith_i_rows *R, const pith_i_knn *knn, double t, int64_t i, double *K)
{
    const int64_t k = knn->k, *near = knn->index + i * k;
    K[0] = 1;
    for (int64_t a = 0; a < k; a++) {
        double *row = K + (a + 1) * (k + 1);
        row[0] = K[a + 1] = exp(-knn->distance2[i * k + a] / t);
        for (int64_t b = 0; b < a; b++)
            row[b + 1] = K[(b + 1) * (k + 1) + a + 1] = exp(-pith_i_rows_distance2(R, near[a], near[b]) / t);
        row[a + 1] = 1;
    }
}

/* The kernel becomes b b', b = (-1, A_i), whose sign does not matter. */
static pith_status learn(pith_ctx *ctx, int64_t k, double r, double *room, double *K)
{
    double *N = room, *b = room + k * k;
    pith_status st = PITH_OK;
    b[0] = -1;
    for (int64_t a = 0; a < k; a++) {
        b[a + 1] = K[a + 1];
        for (int64_t l = 0; l < k; l++)
            N[a * k + l] = K[(a + 1) * (k + 1) + l + 1] + (a == l ? r : 0);
    }
    TRY(pith_i_cholesky(ctx, k, N));
    pith_i_cholesky_solve(k, N, 1, b + 1);
    for (int64_t a = 0; a <= k; a++)
        for (int64_t l = 0; l <= k; l++)
            K[a * (k + 1) + l] = b[a] * b[l];
done:
    return st;
}

static pith_status find_blocks(pith_ctx *ctx, const pith_i_data *X, const pith_i_knn *knn, double r,
                               double *blocks)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = knn->n, k = knn->k, size = (k + 1) * (k + 1);
    pith_i_local_rows reached = {0};
    pith_i_rows R = {0};
    double mean = 0, *room = NULL;
    pith_status st = PITH_OK;
    TRY(pith_i_local_rows_open(ctx, X, knn, &reached));
    TRY(pith_i_rows_open(ctx, &reached.X, PITH_I_EUCLIDEAN, &R));
    TRY(pith_i_is_spread(X) ? pith_i_spread_mean_distance(ctx, X, PITH_I_EUCLIDEAN, &mean)
                            : pith_i_mean_distance_rows(ctx, &R, &mean));
    if (!(mean > 0))
        FAIL(ctx, PITH_E_DATA, "all samples are identical: there are no neighbours to learn from");
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic, 16)
    for (int64_t i = 0; i < n; i++)
        if (!pith_i_progress_stop(ctx, i, n))
            kernel(&R, &reached.knn, mean * mean, i, blocks + i * size);
    TRY(pith_i_stop_status(ctx));
    TRY(SCRATCH(ctx, room, size));
    for (int64_t i = 0; i < n; i++)
        TRY(learn(ctx, k, r, room, blocks + i * size));
done:
    pith_i_rows_close(&R);
    pith_i_local_rows_close(&reached);
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_local_learning(pith_ctx *ctx, const pith_i_data *X, int64_t k, double r,
                                  pith_i_local_sum *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_knn knn = {0};
    double *blocks = NULL;
    pith_status st = PITH_OK;
    TRY(pith_i_knn_find(ctx, X, k, PITH_I_EUCLIDEAN, &knn));
    TRY(SCRATCH(ctx, blocks, knn.n * (knn.k + 1) * (knn.k + 1)));
    TRY(find_blocks(ctx, X, &knn, r, blocks));
    TRY(pith_i_local_sum_of(ctx, X, &knn, blocks, out));
done:
    pith_i_knn_free(&knn);
    pith_i_scratch_release(ctx, mark);
    return st;
}
