/* Points dealt out to processes. */
#include "core/engine.h"
#include "graph/knn_dealt_inside.h"
#include "matrix/gather.h"

#include <string.h>

enum { TILE = 1024 }; /* a process has whole tiles of points: the reach uses tiles of 1024, leaders of 128 */

int pith_i_dealt_owner(const pith_i_dealt *D, const int64_t *start, int64_t id)
{
    int lo = 0, hi = D->ranks - 1;
    while (lo < hi) {
        const int middle = lo + (hi - lo) / 2;
        if (start[middle + 1] > id)
            hi = middle;
        else
            lo = middle + 1;
    }
    return lo;
}

pith_status pith_i_dealt_sort(pith_ctx *ctx, const pith_i_dealt *D, const int64_t *start, int64_t count,
                              const int64_t *ids, int64_t **at, int64_t **to)
{
    int64_t *next = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, *at, D->ranks + 1));
    TRY(SCRATCH(ctx, *to, count));
    TRY(SCRATCH(ctx, next, D->ranks));
    for (int64_t e = 0; e < count; e++)
        (*at)[pith_i_dealt_owner(D, start, ids[e]) + 1]++;
    for (int r = 0; r < D->ranks; r++) {
        next[r] = (*at)[r];
        (*at)[r + 1] += (*at)[r];
    }
    for (int64_t e = 0; e < count; e++)
        (*to)[e] = next[pith_i_dealt_owner(D, start, ids[e])]++;
done:
    return st;
}

pith_status pith_i_dealt_steps(pith_ctx *ctx, int64_t count, int64_t each, int64_t *steps)
{
    double most = (double)((count + each - 1) / each);
    const pith_status st = pith_i_sum_by(ctx, PITH_ENGINE_MOST, 1, &most);
    *steps = (int64_t)most;
    return st;
}

/* Gives every process the floats of the given points. This one holds the points first to first + P->n - 1. */
static pith_status share(pith_ctx *ctx, const pith_i_cloud *P, int64_t first, int64_t count,
                         const int32_t *points, float *y)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t d = P->d;
    double *all = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, all, count * d));
    for (int64_t e = 0; e < count; e++) {
        const int64_t t = points[e] - first;
        for (int64_t j = 0; t >= 0 && t < P->n && j < d; j++)
            all[e * d + j] = (double)P->y[t * P->ld + j];
    }
    TRY(pith_i_sum(ctx, count * d, all));
    for (int64_t e = 0; e < count; e++)
        for (int64_t j = 0; j < d; j++)
            y[e * P->ld + j] = (float)all[e * d + j];
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_dealt_share(pith_ctx *ctx, const pith_i_dealt *D, int64_t count, const int32_t *points,
                               float *y)
{
    return share(ctx, &D->P, D->start[D->rank], count, points, y);
}

/* ---- Rows as points, in the order of the rows ---------------------------------------------------------- */

/* From the same sample of rows in every process. */
static pith_status find_directions(pith_ctx *ctx, const pith_i_rows *R, int64_t most, pith_i_directions *out)
{
    int64_t *rows = NULL, count = 0;
    pith_i_data sample = {0};
    pith_i_rows few = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_directions_draw(ctx, &R->X, most, &count, &rows));
    TRY(pith_i_gather_rows(ctx, &R->X, count, rows, &sample));
    TRY(pith_i_rows_open_like(ctx, &sample, R, &few));
    for (int64_t r = 0; r < count; r++)
        rows[r] = r;
    TRY(pith_i_directions_of(ctx, &few, count, rows, most, out));
done:
    pith_i_rows_close(&few);
    pith_i_data_free(&sample);
    return st;
}

/* The rows held here, as points, at their places in whole tiles of the table; places of other processes' rows
 * stay empty. *first: the row number of the first place. */
static pith_status place_rows(pith_ctx *ctx, const pith_i_rows *R, int64_t *first, pith_i_cloud *out)
{
    const pith_i_data *X = &R->X;
    const int64_t end = (X->offset + X->n + PITH_I_MEETING - 1) / PITH_I_MEETING * PITH_I_MEETING;
    pith_i_cloud S = pith_i_cloud_shape(X);
    pith_i_directions V = {0};
    pith_status st = PITH_OK;
    *first = X->offset / PITH_I_MEETING * PITH_I_MEETING;
    S.n = X->n > 0 ? pith_i_min(end, pith_i_all(X)) - *first : 0;
    TRY(SCRATCH_ZERO(ctx, S.y, S.n * S.ld));
    TRY(SCRATCH(ctx, S.row, S.n));
    for (int64_t t = 0; t < S.n; t++) {
        const int64_t i = *first + t - X->offset;
        S.row[t] = i >= 0 && i < X->n ? (int32_t)i : -1;
    }
    const size_t mark = pith_i_scratch_mark(ctx);
    if (S.wide > S.d)
        TRY(find_directions(ctx, R, S.d, &V));
    TRY(pith_i_cloud_fill(ctx, R, S.wide > S.d ? &V : NULL, &S));
    pith_i_scratch_release(ctx, mark);
    *out = S;
done:
    return st;
}

/* The nearest leader of every place. */
static pith_status meet(pith_ctx *ctx, const pith_i_dealt *D, const pith_i_cloud *S, int64_t first,
                        int64_t leaders, int32_t *nearest)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_leaders L = {.count = leaders};
    int32_t *drawn = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, drawn, leaders));
    TRY(SCRATCH_ZERO(ctx, L.y, leaders * S->ld));
    TRY(SCRATCH(ctx, L.norm, leaders));
    pith_i_leaders_draw(pith_ctx_seed(ctx), 0, D->n, leaders, drawn);
    const pith_i_cloud own = {.n = D->R->X.n,
                              .d = S->d,
                              .ld = S->ld,
                              .y = S->n > 0 ? S->y + (D->R->X.offset - first) * S->ld : NULL};
    TRY(share(ctx, &own, D->R->X.offset, leaders, drawn, L.y));
    for (int64_t c = 0; c < leaders; c++)
        L.norm[c] = pith_i_leader_norm(L.y + c * S->ld, S->d);
    TRY(pith_i_leaders_meet(ctx, S, &L, 1, nearest));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Points are numbered by cells, and by rows within a cell. */
static pith_status number(pith_ctx *ctx, const pith_i_dealt *D, int64_t cells, const int32_t *cell)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    int64_t *count = NULL, *next = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, count, D->ranks * cells));
    TRY(SCRATCH(ctx, next, cells));
    for (int64_t i = 0; i < D->R->X.n; i++)
        count[D->rank * cells + cell[i]]++;
    TRY(pith_i_sum_counts(ctx, D->ranks * cells, count));
    for (int64_t c = 0, before = 0; c < cells; c++)
        for (int r = 0; r < D->ranks; r++) {
            if (r == D->rank)
                next[c] = before;
            before += count[r * cells + c];
        }
    for (int64_t i = 0; i < D->R->X.n; i++)
        D->point[i] = (int32_t)next[cell[i]]++;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- Points, in their order --------------------------------------------------------------------------- */

typedef struct sent { /* a point without its floats */
    int32_t point, row;
    float norm;
} sent;

/* One of the two arrays that are sent, `size` bytes a point. */
static pith_status send_array(pith_ctx *ctx, const pith_i_dealt *D, const int64_t *at, int64_t size,
                              const void *send, int64_t *count, void **came)
{
    int64_t *bytes_at = NULL, *came_at = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, bytes_at, D->ranks + 1));
    for (int r = 0; r <= D->ranks; r++)
        bytes_at[r] = at[r] * size;
    TRY(pith_i_exchange(ctx, bytes_at, send, &came_at, came));
    *count = came_at[D->ranks] / size;
done:
    return st;
}

/* Sends the rows held here, as points, to the processes that get them. y: the rows' floats. */
static pith_status send_points(pith_ctx *ctx, const float *y, pith_i_dealt *D)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = D->R->X.n, ld = D->P.ld, first = D->start[D->rank], line = ld * (int64_t)sizeof *y;
    int64_t *point = NULL, *at = NULL, *to = NULL, count = 0;
    sent *head = NULL;
    float *floats = NULL;
    void *heads = NULL, *came = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, point, n));
    for (int64_t i = 0; i < n; i++)
        point[i] = D->point[i];
    TRY(pith_i_dealt_sort(ctx, D, D->start, n, point, &at, &to));
    TRY(SCRATCH(ctx, head, n));
    TRY(SCRATCH(ctx, floats, n * ld));
    for (int64_t i = 0; i < n; i++) {
        head[to[i]] = (sent){D->point[i], (int32_t)(D->R->X.offset + i), pith_i_cloud_norm(D->R, i)};
        memcpy(floats + to[i] * ld, y + i * ld, (size_t)line);
    }
    TRY(send_array(ctx, D, at, sizeof *head, head, &count, &heads));
    TRY(send_array(ctx, D, at, line, floats, &count, &came));
    for (int64_t e = 0; e < count; e++) {
        const sent *h = (const sent *)heads + e;
        const int64_t t = h->point - first;
        memcpy(D->P.y + t * ld, (const float *)came + e * ld, (size_t)line);
        D->P.norm[t] = h->norm;
        D->P.row[t] = h->row;
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_dealt_starts(pith_ctx *ctx, pith_i_dealt *D)
{
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, D->row_start, D->ranks + 1));
    D->row_start[D->rank + 1] = D->R->X.n;
    TRY(pith_i_sum_counts(ctx, D->ranks + 1, D->row_start));
    for (int r = 0; r < D->ranks; r++)
        D->row_start[r + 1] += D->row_start[r];
done:
    return st;
}

/* The same number of points for every process, up to a tile. */
static pith_status deal_points(pith_ctx *ctx, pith_i_dealt *D)
{
    const int64_t tiles = (D->n + TILE - 1) / TILE;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, D->start, D->ranks + 1));
    for (int64_t r = 0; r <= D->ranks; r++)
        D->start[r] = pith_i_min(D->n, tiles * r / D->ranks * TILE);
    D->P.n = D->start[D->rank + 1] - D->start[D->rank];
done:
    return st;
}

pith_status pith_i_dealt_open(pith_ctx *ctx, const pith_i_rows *R, pith_i_dealt *out)
{
    pith_i_dealt D = {.ranks = pith_i_processes(ctx),
                      .rank = pith_i_process(ctx),
                      .R = R,
                      .n = pith_i_all(&R->X),
                      .P = pith_i_cloud_shape(&R->X)};
    const int64_t cells = pith_i_cloud_groups(D.n);
    pith_i_cloud S = {0};
    int32_t *nearest = NULL;
    int64_t first = 0;
    pith_status st = PITH_OK;
    TRY(pith_i_dealt_starts(ctx, &D));
    TRY(deal_points(ctx, &D));
    TRY(SCRATCH(ctx, D.P.y, D.P.n * D.P.ld));
    TRY(SCRATCH(ctx, D.P.norm, D.P.n));
    TRY(SCRATCH(ctx, D.P.row, D.P.n));
    TRY(SCRATCH(ctx, D.point, R->X.n));
    const size_t mark = pith_i_scratch_mark(ctx);
    TRY(place_rows(ctx, R, &first, &S));
    TRY(SCRATCH(ctx, nearest, S.n));
    TRY(meet(ctx, &D, &S, first, cells, nearest));
    const int64_t before = S.n > 0 ? R->X.offset - first : 0;
    TRY(number(ctx, &D, cells, nearest + before));
    TRY(send_points(ctx, S.y + before * S.ld, &D));
    pith_i_scratch_release(ctx, mark);
    *out = D;
done:
    return st;
}
