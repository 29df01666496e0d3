#include "graph/knn_cloud.h"

#include "core/parallel.h"
#include "graph/knn_cells.h"
#include "graph/knn_project.h"
#include "graph/knn_tiles.h"
#include "matrix/blas.h"

#include <math.h>
#include <string.h>

enum {
    DIMENSIONS = 64, /* of the projection of dense rows */
    SPARSE_DIMENSIONS = 128,
    WIDE = 192 /* dense rows with more columns are projected; sparse rows always are */
};

/* y of `count` points, from number `from` on; P->row says which rows they are. */
static void fill_some(const pith_i_rows *R, const pith_i_directions *V, int64_t from, int64_t count,
                      float *room, pith_i_cloud *P)
{
    if (V != NULL)
        pith_i_project(R, V, count, P->row + from, room, P->y + from * P->ld, P->ld);
    for (int64_t t = from; t < from + count; t++) {
        const int64_t i = P->row[t];
        float *y = P->y + t * P->ld;
        if (i < 0)
            continue;
        if (V == NULL)
            pith_i_rows_floats(R, i, y);
        double left = R->square[i];
        for (int64_t j = 0; V != NULL && j < P->d; j++)
            left -= (double)y[j] * (double)y[j];
        if (V != NULL)
            y[P->d] = left > 0 ? (float)sqrt(left) : 0;
    }
}

pith_status pith_i_cloud_fill(pith_ctx *ctx, const pith_i_rows *R, const pith_i_directions *V,
                              pith_i_cloud *P)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t threads = pith_ctx_threads(ctx),
                  each = V != NULL && !R->X.sparse ? PITH_I_PROJECTED * R->X.p : 0;
    float *room = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, room, threads * each));
    pith_i_blas_enter();
#pragma omp parallel for num_threads((int)threads) schedule(dynamic, 4)
    for (int64_t t = 0; t < P->n; t += PITH_I_PROJECTED)
        if (!pith_i_progress_stop(ctx, t, P->n))
            fill_some(R, V, t, P->n - t < PITH_I_PROJECTED ? P->n - t : PITH_I_PROJECTED,
                      room + pith_i_thread() * each, P);
    pith_i_blas_leave();
    TRY(pith_i_stop_status(ctx));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

int64_t pith_i_cloud_groups(int64_t n)
{
    enum { TOGETHER = 256, MOST = 1024 };
    return pith_i_min(n / TOGETHER + 1, MOST);
}

/* Near rows side by side, so that a search for the neighbours of one finds those of the next in the cache. */
static pith_status sort_rows(pith_ctx *ctx, pith_i_cloud *P)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_cells cells = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_cells_make(ctx, P, pith_i_cloud_groups(P->n), 1, 0, &cells));
    for (int64_t t = 0; t < P->n; t++)
        P->row[t] = cells.member[t];
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Reorders y in place from the order of the rows to that of P->row, along the cycles of the permutation. */
static pith_status permute(pith_ctx *ctx, pith_i_cloud *P)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const size_t bytes = (size_t)P->ld * sizeof *P->y;
    float *held = NULL;
    bool *done = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, held, P->ld));
    TRY(SCRATCH_ZERO(ctx, done, P->n));
    for (int64_t first = 0; first < P->n; first++) {
        int64_t t = first;
        if (done[first])
            continue;
        memcpy(held, P->y + first * P->ld, bytes);
        for (; P->row[t] != first; t = P->row[t]) {
            memcpy(P->y + t * P->ld, P->y + P->row[t] * P->ld, bytes);
            done[t] = true;
        }
        memcpy(P->y + t * P->ld, held, bytes);
        done[t] = true;
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

float pith_i_cloud_norm(const pith_i_rows *R, int64_t i)
{
    return pith_i_row_is_zero(R, i) ? INFINITY : (float)R->square[i];
}

/* norm and point, from the order in P->row. */
static void set_norms(const pith_i_rows *R, pith_i_cloud *P)
{
    for (int64_t t = 0; t < P->n; t++) {
        const int64_t i = P->row[t];
        P->norm[t] = pith_i_cloud_norm(R, i);
        P->point[i] = (int32_t)t;
    }
}

pith_status pith_i_cloud_plain(pith_ctx *ctx, const pith_i_rows *R, pith_i_cloud *out)
{
    pith_i_cloud P = {.n = R->X.n, .wide = 1};
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, P.norm, P.n));
    TRY(SCRATCH(ctx, P.row, P.n));
    TRY(SCRATCH(ctx, P.point, P.n));
    for (int64_t i = 0; i < P.n; i++)
        P.row[i] = (int32_t)i;
    set_norms(R, &P);
    *out = P;
done:
    return st;
}

pith_i_cloud pith_i_cloud_shape(const pith_i_data *X)
{
    const int64_t most = X->sparse ? SPARSE_DIMENSIONS : DIMENSIONS;
    pith_i_cloud P = {.n = X->n, .d = X->p, .wide = X->p};
    if (X->sparse || X->p > WIDE) {
        P.d = pith_i_min(most, X->p);
        P.wide = P.d + 1;
    }
    P.ld = pith_i_tiles_stride(P.wide);
    return P;
}

pith_status pith_i_cloud_make(pith_ctx *ctx, const pith_i_rows *R, pith_i_cloud *out)
{
    const int64_t n = R->X.n;
    pith_i_cloud P = pith_i_cloud_shape(&R->X);
    pith_i_directions V = {0};
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, P.y, n * P.ld));
    TRY(SCRATCH(ctx, P.norm, n));
    TRY(SCRATCH(ctx, P.row, n));
    TRY(SCRATCH(ctx, P.point, n));
    for (int64_t i = 0; i < n; i++)
        P.row[i] = (int32_t)i;
    const size_t mark = pith_i_scratch_mark(ctx);
    if (P.wide > P.d)
        TRY(pith_i_directions_find(ctx, R, P.d, &V));
    TRY(pith_i_cloud_fill(ctx, R, P.wide > P.d ? &V : NULL, &P));
    pith_i_scratch_release(ctx, mark);
    TRY(sort_rows(ctx, &P));
    TRY(permute(ctx, &P));
    set_norms(R, &P);
    *out = P;
done:
    return st;
}
