#include "graph/knn_reach.h"

#include "core/parallel.h"
#include "graph/knn_find.h"
#include "graph/knn_found.h"
#include "matrix/blas.h"
#include "matrix/simd.h"

#include <math.h>
#include <string.h>

enum { ROWS = 64, COLS = 1024, GROUP = 32 }; /* of a tile; columns tested together */

/* ---- Candidates ---------------------------------------------------------------------------------------- */

/* Is one of these estimates below `limit`? */
PITH_I_CLONES static bool has_hit(const float *tile, const float *norm, int64_t cols, float limit)
{
    int hits = 0;
#pragma omp simd reduction(| : hits)
    for (int64_t c = 0; c < cols; c++)
        hits |= tile[c] + norm[c] < limit;
    return hits != 0;
}

int64_t pith_i_asked_of(const pith_i_asked *q, int64_t e)
{
    return e % PITH_I_REACH_STEP == 0 || 2 * q->k > q->most ? q->most : 2 * q->k;
}

/* Lists are kept sorted. Heaps would not pay: after the first few thousand points hardly any is taken. */
static void take(const pith_i_cloud *P, int64_t first, const pith_i_asked *q, int64_t e, const float *tile,
                 int64_t col, int64_t cols)
{
    const int64_t most = pith_i_asked_of(q, e), own = q->point[e] - first;
    pith_i_candidate *best = q->best + e * q->most;
    int32_t *count = &q->held[e];
    for (int64_t from = 0; from < cols; from += GROUP) {
        const int64_t end = from + GROUP < cols ? from + GROUP : cols;
        const float limit = *count < most ? INFINITY : best[most - 1].value;
        if (!has_hit(tile + from, P->norm + col + from, end - from, limit))
            continue;
        for (int64_t c = from; c < end; c++) {
            const float value = tile[c] + P->norm[col + c];
            if (col + c != own && value < (*count < most ? INFINITY : best[most - 1].value))
                pith_i_candidate_put(best, count, most,
                                     (pith_i_candidate){value, (int32_t)(first + col + c)});
        }
    }
}

static void collect_some(const pith_i_cloud *P, int64_t first, const pith_i_asked *q, int64_t from,
                         int64_t count, float *tile)
{
    for (int64_t col = 0; col < P->n; col += COLS) {
        const int64_t cols = P->n - col < COLS ? P->n - col : COLS;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, (int)cols, (int)P->d, -2,
                    q->y + from * P->ld, (int)P->ld, P->y + col * P->ld, (int)P->ld, 0, tile, COLS);
        for (int64_t r = 0; r < count; r++)
            take(P, first, q, from + r, tile + r * COLS, col, cols);
    }
}

pith_status pith_i_reach_collect(pith_ctx *ctx, const pith_i_cloud *P, int64_t first, const pith_i_asked *q)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t blocks = (q->count + ROWS - 1) / ROWS, threads = pith_ctx_threads(ctx),
                  team = threads < blocks ? threads : blocks;
    float *tile = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, tile, team * ROWS * COLS));
    memset(q->held, 0, (size_t)q->count * sizeof *q->held);
    pith_i_blas_enter();
#pragma omp parallel for num_threads((int)team) schedule(dynamic)
    for (int64_t from = 0; from < q->count; from += ROWS)
        if (!pith_i_progress_stop(ctx, from, q->count))
            collect_some(P, first, q, from, q->count - from < ROWS ? q->count - from : ROWS,
                         tile + pith_i_thread() * ROWS * COLS);
    pith_i_blas_leave();
    TRY(pith_i_stop_status(ctx));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_asked_open(pith_ctx *ctx, int64_t count, int64_t k, int64_t most, int64_t ld,
                              pith_i_asked *out)
{
    pith_i_asked q = {.count = count, .k = k, .most = most};
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, q.point, count));
    TRY(SCRATCH_ZERO(ctx, q.y, count * ld));
    TRY(SCRATCH(ctx, q.best, count * most));
    TRY(SCRATCH(ctx, q.held, count));
    *out = q;
done:
    return st;
}

/* ---- Distances of the candidates ----------------------------------------------------------------------- */

/* Exact distances of the candidates; the best k are the row's list. */
static void settle(const pith_i_rows *R, const pith_i_cloud *P, const pith_i_sample *sample,
                   const pith_i_asked *q, int64_t e, pith_i_near *room, double *spread, pith_i_knn *knn,
                   pith_i_reach *reach)
{
    const int64_t i = sample->row[e], k = knn->k, most = reach->most, count = q->held[e];
    const pith_i_candidate *best = q->best + e * most;
    double *kept = e % PITH_I_REACH_STEP == 0 ? reach->distance2 + e / PITH_I_REACH_STEP * most : NULL;
    pith_i_probe probe;
    int64_t found = 0;
    for (int64_t c = count; kept != NULL && c < most; c++)
        kept[c] = INFINITY;
    pith_i_probe_start(&probe, R, i, spread);
    for (int64_t c = 0; c < count; c++) {
        const int64_t l = P->row[best[c].point];
        const double distance2 = pith_i_probe_distance2(&probe, l);
        pith_i_top_push(room, &found, k, (pith_i_near){distance2, l});
        if (kept != NULL)
            kept[c] = distance2;
    }
    pith_i_probe_end(&probe);
    pith_i_top_sort(room, found);
    pith_i_knn_write(knn, i, room, found);
}

static pith_status settle_all(pith_ctx *ctx, const pith_i_rows *R, const pith_i_cloud *P,
                              const pith_i_sample *sample, const pith_i_asked *q, pith_i_knn *knn,
                              pith_i_reach *reach)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t threads = pith_ctx_threads(ctx), width = R->X.sparse ? R->X.p : 0;
    pith_i_near *near = NULL;
    double *spread = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, near, threads * knn->k));
    TRY(SCRATCH_ZERO(ctx, spread, threads * width));
#pragma omp parallel for num_threads((int)threads) schedule(dynamic, 16)
    for (int64_t e = 0; e < sample->count; e++) {
        const int64_t t = pith_i_thread();
        if (!pith_i_progress_stop(ctx, sample->count, sample->count))
            settle(R, P, sample, q, e, near + t * knn->k, width > 0 ? spread + t * width : NULL, knn, reach);
    }
    TRY(pith_i_stop_status(ctx));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_reach_open(pith_ctx *ctx, int64_t sampled, int64_t most, pith_i_reach *out)
{
    pith_i_reach reach = {.count = (sampled + PITH_I_REACH_STEP - 1) / PITH_I_REACH_STEP, .most = most};
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, reach.distance2, reach.count * most));
    *out = reach;
done:
    return st;
}

pith_status pith_i_reach_measure(pith_ctx *ctx, const pith_i_rows *R, const pith_i_cloud *P, int64_t most,
                                 const pith_i_sample *sample, pith_i_knn *knn, pith_i_reach *out)
{
    pith_i_asked q = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_reach_open(ctx, sample->count, most, out));
    const size_t mark = pith_i_scratch_mark(ctx);
    TRY(pith_i_asked_open(ctx, sample->count, knn->k, most, P->ld, &q));
    for (int64_t e = 0; e < sample->count; e++) {
        q.point[e] = P->point[sample->row[e]];
        memcpy(q.y + e * P->ld, P->y + q.point[e] * P->ld, (size_t)P->d * sizeof *q.y);
    }
    TRY(pith_i_reach_collect(ctx, P, 0, &q));
    TRY(settle_all(ctx, R, P, sample, &q, knn, out));
    pith_i_scratch_release(ctx, mark);
done:
    return st;
}

double pith_i_reach_recall(const pith_i_reach *reach, const pith_i_sample *sample, int64_t k, int64_t m)
{
    int64_t right = 0;
    for (int64_t e = 0; e < reach->count; e++) {
        int64_t near = 0;
        for (int64_t c = 0; c < m && c < reach->most; c++)
            near += reach->distance2[e * reach->most + c] <= sample->kth[e * PITH_I_REACH_STEP];
        right += near < k ? near : k;
    }
    return (double)right / (double)(reach->count * k);
}
