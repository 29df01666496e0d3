#include "graph/knn_reach.h"

#include "core/parallel.h"
#include "graph/knn_find.h"
#include "graph/knn_found.h"
#include "matrix/blas.h"
#include "matrix/simd.h"

#include <math.h>
#include <string.h>

enum { ROWS = 64, COLS = 1024, GROUP = 32 }; /* of a tile; columns that are looked at together */

typedef struct measuring { /* of one thread */
    const pith_i_rows *R;
    const pith_i_cloud *P;
    const pith_i_sample *sample;
    pith_i_reach *reach;
    pith_i_knn *knn;
    float *y, *tile;
    pith_i_candidate *best; /* ROWS x most */
    pith_i_near *near;      /* k */
    double *spread;
} measuring;

/* Does one of them come before `limit`? */
PITH_I_CLONES static bool has_hit(const float *tile, const float *norm, int64_t cols, float limit)
{
    int hits = 0;
#pragma omp simd reduction(| : hits)
    for (int64_t c = 0; c < cols; c++)
        hits |= tile[c] + norm[c] < limit;
    return hits != 0;
}

/* Candidates of the sampled row e. */
static int64_t asked(const measuring *w, int64_t e)
{
    const int64_t few = 2 * w->knn->k, most = w->reach->most;
    return e % PITH_I_REACH_STEP == 0 || few > most ? most : few;
}

/* Heaps would not pay: after the first few thousand points hardly one is taken. */
static void take(const measuring *w, int64_t e, const float *tile, int64_t col, int64_t cols,
                 pith_i_candidate *best, int32_t *count)
{
    const int64_t most = asked(w, e), own = w->P->point[w->sample->row[e]];
    for (int64_t from = 0; from < cols; from += GROUP) {
        const int64_t end = from + GROUP < cols ? from + GROUP : cols;
        const float limit = *count < most ? INFINITY : best[most - 1].value;
        if (!has_hit(tile + from, w->P->norm + col + from, end - from, limit))
            continue;
        for (int64_t c = from; c < end; c++) {
            const float value = tile[c] + w->P->norm[col + c];
            if (col + c != own && value < (*count < most ? INFINITY : best[most - 1].value))
                pith_i_candidate_put(best, count, most, (pith_i_candidate){value, (int32_t)(col + c)});
        }
    }
}

/* Exact distances of the candidates; the best k are the row's list. */
static void settle(const measuring *w, int64_t e, const pith_i_candidate *best, int64_t count)
{
    const int64_t i = w->sample->row[e], k = w->knn->k, most = w->reach->most;
    double *kept = e % PITH_I_REACH_STEP == 0 ? w->reach->distance2 + e / PITH_I_REACH_STEP * most : NULL;
    pith_i_probe probe;
    int64_t found = 0;
    for (int64_t c = count; kept != NULL && c < most; c++)
        kept[c] = INFINITY;
    pith_i_probe_start(&probe, w->R, i, w->spread);
    for (int64_t c = 0; c < count; c++) {
        const int64_t l = w->P->row[best[c].point];
        const double distance2 = pith_i_probe_distance2(&probe, l);
        pith_i_top_push(w->near, &found, k, (pith_i_near){distance2, l});
        if (kept != NULL)
            kept[c] = distance2;
    }
    pith_i_probe_end(&probe);
    pith_i_top_sort(w->near, found);
    pith_i_knn_write(w->knn, i, w->near, found);
}

static void measure_rows(const measuring *w, int64_t first, int64_t count)
{
    const pith_i_cloud *P = w->P;
    const int64_t most = w->reach->most;
    int32_t held[ROWS] = {0};
    for (int64_t r = 0; r < count; r++)
        memcpy(w->y + r * P->ld, P->y + P->point[w->sample->row[first + r]] * P->ld,
               (size_t)P->d * sizeof *w->y);
    for (int64_t col = 0; col < P->n; col += COLS) {
        const int64_t cols = P->n - col < COLS ? P->n - col : COLS;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, (int)cols, (int)P->d, -2, w->y,
                    (int)P->ld, P->y + col * P->ld, (int)P->ld, 0, w->tile, COLS);
        for (int64_t r = 0; r < count; r++)
            take(w, first + r, w->tile + r * COLS, col, cols, w->best + r * most, &held[r]);
    }
    for (int64_t r = 0; r < count; r++)
        settle(w, first + r, w->best + r * most, held[r]);
}

static pith_status open_work(pith_ctx *ctx, measuring *w)
{
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, w->y, ROWS * w->P->ld));
    TRY(SCRATCH(ctx, w->tile, ROWS * COLS));
    TRY(SCRATCH(ctx, w->best, ROWS * w->reach->most));
    TRY(SCRATCH(ctx, w->near, w->knn->k));
    if (w->R->X.sparse)
        TRY(SCRATCH_ZERO(ctx, w->spread, w->R->X.p));
done:
    return st;
}

pith_status pith_i_reach_measure(pith_ctx *ctx, const pith_i_rows *R, const pith_i_cloud *P, int64_t most,
                                 const pith_i_sample *sample, pith_i_knn *knn, pith_i_reach *out)
{
    const int64_t blocks = (sample->count + ROWS - 1) / ROWS, threads = pith_ctx_threads(ctx),
                  team = threads < blocks ? threads : blocks;
    pith_i_reach reach = {.count = (sample->count + PITH_I_REACH_STEP - 1) / PITH_I_REACH_STEP, .most = most};
    measuring *work = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, reach.distance2, reach.count * most));
    const size_t mark = pith_i_scratch_mark(ctx);
    TRY(SCRATCH(ctx, work, team));
    for (int64_t t = 0; t < team; t++) {
        work[t] = (measuring){.R = R, .P = P, .sample = sample, .reach = &reach, .knn = knn};
        TRY(open_work(ctx, &work[t]));
    }
    pith_i_blas_enter();
#pragma omp parallel for num_threads((int)team) schedule(dynamic)
    for (int64_t first = 0; first < sample->count; first += ROWS)
        if (!pith_i_progress_stop(ctx, first, sample->count))
            measure_rows(&work[pith_i_thread()], first,
                         sample->count - first < ROWS ? sample->count - first : ROWS);
    pith_i_blas_leave();
    TRY(pith_i_stop_status(ctx));
    pith_i_scratch_release(ctx, mark);
    *out = reach;
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
