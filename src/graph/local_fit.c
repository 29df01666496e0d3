#include "graph/local_fit.h"

#include "core/parallel.h"
#include "graph/knn_find.h"
#include "graph/local_pieces.h"
#include "linalg/cholesky.h"
#include "matrix/gather.h"

#include <math.h>
#include <string.h>

/* Squared distances between i, row and column 0, and its k neighbours. */
static void distances(const pith_i_rows *R, int64_t i, int64_t k, const int64_t *near, double *D)
{
    const int64_t size = k + 1;
    D[0] = 0;
    for (int64_t a = 0; a < k; a++) {
        double *row = D + (a + 1) * size;
        row[0] = D[a + 1] = pith_i_rows_distance2(R, i, near[a]);
        for (int64_t b = 0; b < a; b++)
            row[b + 1] = D[(b + 1) * size + a + 1] = pith_i_rows_distance2(R, near[a], near[b]);
        row[a + 1] = 0;
    }
}

static pith_status distances_here(pith_ctx *ctx, const pith_i_data *X, const pith_i_knn *knn, double *blocks)
{
    const int64_t n = knn->n, k = knn->k, cells = (k + 1) * (k + 1);
    pith_i_rows R = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_rows_open(ctx, X, PITH_I_EUCLIDEAN, &R));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic, 16)
    for (int64_t i = 0; i < n; i++)
        if (!pith_i_progress_stop(ctx, i, n))
            distances(&R, i, k, knn->index + i * k, blocks + i * cells);
    TRY(pith_i_stop_status(ctx));
done:
    pith_i_rows_close(&R);
    return st;
}

typedef struct spread_blocks {
    int64_t n, k;
    double *blocks;
} spread_blocks;

/* Blocks of a piece, whose lists begin with the sample itself. */
static pith_status distances_of_piece(pith_ctx *ctx, void *self, const pith_i_piece *piece)
{
    const spread_blocks *b = self;
    const int64_t k = b->k, cells = (k + 1) * (k + 1);
    pith_i_rows R = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_rows_open(ctx, &piece->X, PITH_I_EUCLIDEAN, &R));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic, 16)
    for (int64_t i = piece->lo; i < piece->hi; i++)
        if (!pith_i_progress_stop(ctx, i, b->n)) {
            const int64_t *place = piece->place + (i - piece->lo) * (k + 1);
            distances(&R, place[0], k, place + 1, b->blocks + i * cells);
        }
    TRY(pith_i_stop_status(ctx));
done:
    pith_i_rows_close(&R);
    return st;
}

static pith_status distances_spread(pith_ctx *ctx, const pith_i_data *X, const pith_i_knn *knn,
                                    double *blocks)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = knn->n, k = knn->k, size = k + 1;
    spread_blocks all = {n, k, blocks};
    int64_t *start = NULL, *id = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, start, n + 1));
    TRY(SCRATCH(ctx, id, n * size));
    for (int64_t i = 0; i < n; i++)
        for (int64_t t = 0; t < size; t++)
            id[i * size + t] = t == 0 ? X->offset + i : knn->index[i * k + t - 1];
    for (int64_t i = 0; i <= n; i++)
        start[i] = i * size;
    TRY(pith_i_in_pieces(ctx, X, &(pith_i_row_lists){n, start, id}, distances_of_piece, &all));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_local_distances(pith_ctx *ctx, const pith_i_data *X, const pith_i_knn *knn, double *blocks)
{
    return (pith_i_is_spread(X) ? distances_spread : distances_here)(ctx, X, knn, blocks);
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

/* D becomes b b', b = (1, -w / sum(w)); products of differences are (d_a + d_b - d_ab) / 2. */
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
    for (int64_t a = 0; a < size; a++) /* symmetric to the last bit */
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
        mean += centre(size, -0.5, blocks + i * cells) / (double)knn.k / (double)pith_i_all(X);
    TRY(pith_i_sum_over(ctx, X, 1, &mean));
    if (!(mean > 0))
        FAIL(ctx, PITH_E_DATA,
             "all samples are identical to their neighbours: there is no local scatter to learn from");
    for (int64_t i = 0; i < n; i++)
        TRY(scatter(ctx, size, factor * mean, room, blocks + i * cells));
    TRY(pith_i_local_sum_of(ctx, X, &knn, blocks, out));
done:
    pith_i_knn_free(&knn);
    pith_i_scratch_release(ctx, mark);
    return st;
}
