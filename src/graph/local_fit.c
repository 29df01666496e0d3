#include "graph/local_fit.h"

#include "core/parallel.h"
#include "graph/knn_find.h"
#include "graph/local_rows.h"
#include "linalg/cholesky.h"

#include <math.h>
#include <string.h>

/* Squared distances between i, row and column 0, and its neighbours. */
static void distances(const pith_i_rows *R, const pith_i_knn *knn, int64_t i, double *D)
{
    const int64_t k = knn->k, size = k + 1, *near = knn->index + i * k;
    D[0] = 0;
    for (int64_t a = 0; a < k; a++) {
        double *row = D + (a + 1) * size;
        row[0] = D[a + 1] = pith_i_rows_distance2(R, i, near[a]);
        for (int64_t b = 0; b < a; b++)
            row[b + 1] = D[(b + 1) * size + a + 1] = pith_i_rows_distance2(R, near[a], near[b]);
        row[a + 1] = 0;
    }
}

pith_status pith_i_local_distances(pith_ctx *ctx, const pith_i_data *X, const pith_i_knn *knn, double *blocks)
{
    const int64_t n = knn->n, cells = (knn->k + 1) * (knn->k + 1);
    pith_i_local_rows reached = {0};
    pith_i_rows R = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_local_rows_open(ctx, X, knn, &reached));
    TRY(pith_i_rows_open(ctx, &reached.X, PITH_I_EUCLIDEAN, &R));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic, 16)
    for (int64_t i = 0; i < n; i++)
        if (!pith_i_progress_stop(ctx, i, n))
            distances(&R, &reached.knn, i, blocks + i * cells);
    TRY(pith_i_stop_status(ctx));
done:
    pith_i_rows_close(&R);
    pith_i_local_rows_close(&reached);
    return st;
}

/* The neighbours of every sample, and blocks (scratch) of the squared distances between them. */
static pith_status find_distances(pith_ctx *ctx, const pith_i_data *X, int64_t k, pith_i_knn *knn,
                                  double **blocks)
{
    pith_status st = PITH_OK;
    TRY(pith_i_knn_find(ctx, X, k, PITH_I_EUCLIDEAN, knn));
    TRY(SCRATCH(ctx, *blocks, knn->n * (knn->k + 1) * (knn->k + 1)));
    TRY(pith_i_local_distances(ctx, X, knn, *blocks));
done:
    return st;
}

/* D becomes b b', b = (1, -w / sum(w)); differences' products are half of d_a + d_b - d_ab. */
static pith_status reconstruct(pith_ctx *ctx, int64_t k, double *room, double *D)
{
    const int64_t size = k + 1;
    double *G = room, *b = room + k * k, trace = 0, sum = 0;
    pith_status st = PITH_OK;
    for (int64_t a = 0; a < k; a++)
        trace += D[a + 1];
    for (int64_t a = 0; a < k; a++) {
        b[a + 1] = 1;
        for (int64_t l = 0; l <= a; l++)
            G[a * k + l] =
                (D[a + 1] + D[l + 1] - D[(a + 1) * size + l + 1]) / 2 + (a == l ? 1e-3 * trace : 0);
    }
    if (trace > 0) {
        TRY(pith_i_cholesky(ctx, k, G));
        pith_i_cholesky_solve(k, G, 1, b + 1);
    }
    for (int64_t a = 0; a < k; a++)
        sum += b[a + 1];
    b[0] = 1;
    for (int64_t a = 0; a < k; a++)
        b[a + 1] /= -sum;
    for (int64_t a = 0; a < size; a++)
        for (int64_t l = 0; l < size; l++)
            D[a * size + l] = b[a] * b[l];
done:
    return st;
}

pith_status pith_i_local_linear(pith_ctx *ctx, const pith_i_data *X, int64_t k, pith_i_local_sum *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_knn knn = {0};
    double *blocks = NULL, *room = NULL;
    pith_status st = PITH_OK;
    TRY(find_distances(ctx, X, k, &knn, &blocks));
    const int64_t cells = (knn.k + 1) * (knn.k + 1);
    TRY(SCRATCH(ctx, room, cells));
    for (int64_t i = 0; i < knn.n; i++)
        TRY(reconstruct(ctx, knn.k, room, blocks + i * cells));
    TRY(pith_i_local_sum_of(ctx, X, &knn, blocks, out));
done:
    pith_i_knn_free(&knn);
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* D <- factor H D H; returns the trace of the result. */
static double centre(int64_t size, double factor, double *D)
{
    double trace = 0;
    for (int pass = 0; pass < 2; pass++) /* rows, then columns */
        for (int64_t a = 0; a < size; a++) {
            double *line = pass == 0 ? D + a * size : D + a, mean = 0;
            const int64_t step = pass == 0 ? 1 : size;
            for (int64_t b = 0; b < size; b++)
                mean += line[b * step] / (double)size;
            for (int64_t b = 0; b < size; b++)
                line[b * step] -= mean;
        }
    for (int64_t e = 0; e < size * size; e++)
        D[e] *= factor;
    for (int64_t a = 0; a < size; a++)
        trace += D[a * size + a];
    return trace;
}

/* G = H X X' H becomes H (G + r I)^-1 H. */
static pith_status scatter(pith_ctx *ctx, int64_t size, double r, double *room, double *G)
{
    pith_status st = PITH_OK;
    memcpy(room, G, (size_t)(size * size) * sizeof *G);
    memset(G, 0, (size_t)(size * size) * sizeof *G);
    for (int64_t a = 0; a < size; a++) {
        room[a * size + a] += r;
        G[a * size + a] = 1;
    }
    TRY(pith_i_cholesky(ctx, size, room));
    pith_i_cholesky_solve(size, room, size, G);
    (void)centre(size, 1, G);
    for (int64_t a = 0; a < size; a++) /* equal to the last bit on both sides */
        for (int64_t b = 0; b < a; b++)
            G[a * size + b] = G[b * size + a] = (G[a * size + b] + G[b * size + a]) / 2;
done:
    return st;
}

pith_status pith_i_local_scatter(pith_ctx *ctx, const pith_i_data *X, int64_t k, double factor,
                                 pith_i_local_sum *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_knn knn = {0};
    double *blocks = NULL, *room = NULL, mean = 0;
    pith_status st = PITH_OK;
    TRY(find_distances(ctx, X, k, &knn, &blocks));
    const int64_t n = knn.n, size = knn.k + 1, cells = size * size;
    TRY(SCRATCH(ctx, room, cells));
    for (int64_t i = 0; i < n; i++) /* H X X' H = -1/2 H D H */
        mean += centre(size, -0.5, blocks + i * cells) / (double)knn.k / (double)n;
    if (!(mean > 0))
        FAIL(ctx, PITH_E_DATA,
             "all samples are identical to their neighbours: there is no local scatter to learn from");
    for (int64_t i = 0; i < n; i++)
        TRY(scatter(ctx, size, factor * mean, room, blocks + i * cells));
    TRY(pith_i_local_sum_make(ctx, &knn, blocks, out));
done:
    pith_i_knn_free(&knn);
    pith_i_scratch_release(ctx, mark);
    return st;
}
