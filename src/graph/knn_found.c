#include "graph/knn_found.h"

#include "core/parallel.h"
#include "graph/knn_cells.h"
#include "graph/knn_lists.h"
#include "matrix/blas.h"
#include "matrix/simd.h"

#include <math.h>
#include <omp.h>
#include <string.h>

enum { STRIP = 64 }; /* rows of a tile: its floats fit a level-2 cache beside the leaf's */

pith_status pith_i_found_open(pith_ctx *ctx, int64_t n, int64_t m, pith_i_found *out)
{
    pith_i_found F = {.n = n, .m = m};
    omp_lock_t *locks = NULL;
    pith_status st = PITH_OK;
    TRY(NEW(ctx, F.list, n * m));
    TRY(NEW_ZERO(ctx, F.count, n));
    TRY(NEW(ctx, locks, PITH_I_FOUND_LOCKS));
    for (int64_t b = 0; b < PITH_I_FOUND_LOCKS; b++)
        omp_init_lock(&locks[b]);
    F.locks = locks;
    *out = F;
    return PITH_OK;
done:
    pith_i_found_close(&F);
    return st;
}

void pith_i_found_close(pith_i_found *F)
{
    omp_lock_t *locks = F->locks;
    for (int64_t b = 0; locks != NULL && b < PITH_I_FOUND_LOCKS; b++)
        omp_destroy_lock(&locks[b]);
    pith_i_free(locks);
    pith_i_free(F->list);
    pith_i_free(F->count);
    *F = (pith_i_found){0};
}

pith_status pith_i_found_copy(pith_ctx *ctx, const pith_i_found *F, int64_t m, pith_i_found *out)
{
    pith_i_found copy = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_found_open(ctx, F->n, m < F->n - 1 ? m : F->n - 1, &copy));
    for (int64_t s = 0; s < F->n; s++) {
        copy.count[s] = F->count[s];
        memcpy(copy.list + s * copy.m, F->list + s * F->m, (size_t)F->count[s] * sizeof *F->list);
    }
    *out = copy;
done:
    return st;
}

/* ---- All pairs of a leaf ------------------------------------------------------------------------------ */

typedef struct leaf_work { /* of one thread */
    const pith_i_cloud *P;
    pith_i_found *F;
    pith_i_lists L; /* of the leaf's points, by their place in it */
    float *y, *tile;
} leaf_work;

static omp_lock_t *lock_of(const pith_i_found *F, int32_t point)
{
    return (omp_lock_t *)F->locks + point % PITH_I_FOUND_LOCKS;
}

/* Copies the points of a leaf side by side. The thresholds keep out what is farther than the last of a
 * point's full list. */
static void enter_leaf(leaf_work *w, int64_t count, const int32_t *member)
{
    const pith_i_cloud *P = w->P;
    const pith_i_found *F = w->F;
    for (int64_t r = 0; r < count; r++) {
        const int32_t t = member[r];
        memcpy(w->y + r * P->ld, P->y + t * P->ld, (size_t)P->d * sizeof *w->y);
        w->L.norm[r] = P->norm[t];
        w->L.count[r] = 0;
        omp_set_lock(lock_of(F, t));
        w->L.threshold[r] = pith_i_found_limit(F, t);
        omp_unset_lock(lock_of(F, t));
        if (F->limit != NULL && F->limit[t] < w->L.threshold[r])
            w->L.threshold[r] = F->limit[t];
        if (isinf(P->norm[t]))
            w->L.threshold[r] = -INFINITY;
    }
    for (int64_t r = count; r < w->L.block; r++) {
        w->L.norm[r] = INFINITY;
        w->L.threshold[r] = -INFINITY;
    }
}

static void leave_leaf(leaf_work *w, int64_t count, const int32_t *member)
{
    pith_i_found *F = w->F;
    for (int64_t r = 0; r < count; r++) {
        const pith_i_near *near = w->L.near + r * w->L.m;
        const int32_t t = member[r];
        if (w->L.count[r] == 0)
            continue;
        omp_set_lock(lock_of(F, t));
        for (int64_t e = w->L.count[r] - 1; e >= 0; e--)
            pith_i_candidate_put(F->list + t * F->m, &F->count[t], F->m,
                                 (pith_i_candidate){(float)near[e].value, member[near[e].id]});
        omp_unset_lock(lock_of(F, t));
    }
}

static void meet_in_leaf(void *self, int64_t count, const int32_t *member)
{
    leaf_work *w = self;
    const int64_t ld = w->P->ld;
    enter_leaf(w, count, member);
    for (int64_t r = 0; r < count; r += STRIP) {
        const int64_t rows = count - r < STRIP ? count - r : STRIP, cols = count - r;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)cols, (int)w->P->d, -2,
                    w->y + r * ld, (int)ld, w->y + r * ld, (int)ld, 0, w->tile, PITH_I_LEAF);
        pith_i_lists_merge(&w->L, w->tile, PITH_I_LEAF, r, rows, r, cols);
    }
    leave_leaf(w, count, member);
}

static pith_status open_work(pith_ctx *ctx, const pith_i_cloud *P, pith_i_found *F, leaf_work *w)
{
    const pith_i_rows leaf = {.X = {.n = PITH_I_LEAF}, .scale = 1};
    pith_status st = PITH_OK;
    w->P = P;
    w->F = F;
    TRY(SCRATCH_ZERO(ctx, w->y, PITH_I_LEAF * P->ld));
    TRY(SCRATCH_ZERO(ctx, w->tile, STRIP * PITH_I_LEAF));
    TRY(pith_i_lists_open(ctx, &leaf, F->m, PITH_I_LEAF, &w->L));
done:
    return st;
}

int64_t pith_i_found_leaders(int64_t n, int64_t each)
{
    enum { MOST = 1500 };
    const int64_t wanted = 2 * n * each / PITH_I_LEAF + 2;
    const int64_t most = wanted < MOST ? wanted : MOST;
    return most < n ? most : n;
}

pith_status pith_i_found_in_cells(pith_ctx *ctx, const pith_i_cloud *P, const pith_i_cells *cells,
                                  uint64_t round, pith_i_found *F)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int threads = pith_ctx_threads(ctx);
    const uint64_t seed = pith_ctx_seed(ctx);
    pith_i_cutter *cutter = NULL;
    leaf_work *work = NULL;
    int64_t largest = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, work, threads));
    TRY(SCRATCH_ZERO(ctx, cutter, threads));
    for (int64_t c = 0; c < cells->count; c++)
        largest = pith_i_max(largest, cells->start[c + 1] - cells->start[c]);
    for (int t = 0; t < threads; t++) {
        TRY(pith_i_cutter_make(ctx, P, largest, &cutter[t]));
        TRY(open_work(ctx, P, F, &work[t]));
    }
    pith_i_blas_enter();
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t c = 0; c < cells->count; c++) {
        const int64_t t = pith_i_thread(), number = cells->number != NULL ? cells->number[c] : c;
        if (!pith_i_progress_stop(ctx, c, cells->count))
            pith_i_cut(&cutter[t], P, seed, (round << 32) + (uint64_t)(number + 1) * 1024,
                       cells->start[c + 1] - cells->start[c], cells->member + cells->start[c], meet_in_leaf,
                       &work[t]);
    }
    pith_i_blas_leave();
    TRY(pith_i_stop_status(ctx));
done:
    for (int t = 0; work != NULL && t < threads; t++)
        pith_i_lists_close(&work[t].L);
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_found_by_cells(pith_ctx *ctx, const pith_i_cloud *P, int64_t each, uint64_t round,
                                  pith_i_found *F)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_cells cells = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_cells_make(ctx, P, pith_i_found_leaders(P->n, each), each, round << 32, &cells));
    TRY(pith_i_found_in_cells(ctx, P, &cells, round, F));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- Neighbours of neighbours ------------------------------------------------------------------------- */

PITH_I_INLINE static inline float dot(int64_t d, const float *a, const float *b)
{
    pith_i_float8 s = {0}, t = {0};
    int64_t j = 0;
    for (; j + 16 <= d; j += 16) {
        s += *(const pith_i_float8 *)(a + j) * *(const pith_i_float8 *)(b + j);
        t += *(const pith_i_float8 *)(a + j + 8) * *(const pith_i_float8 *)(b + j + 8);
    }
    s += t;
    float sum = PITH_I_SUM8(s);
    for (; j < d; j++)
        sum += a[j] * b[j];
    return sum;
}

int64_t pith_i_found_hops(const pith_i_found *F, int64_t k, int64_t s, int32_t *seen, int32_t *hops)
{
    const int64_t m = F->m, own = F->count[s];
    const pith_i_candidate *mine = F->list + s * m;
    const int32_t now = (int32_t)s + 1;
    int64_t count = 0;
    seen[s] = now;
    for (int64_t e = 0; e < own; e++)
        seen[mine[e].point] = now;
    for (int64_t e = 0; e < own && e < k; e++) {
        const int64_t via = mine[e].point, many = F->count[via] < k ? F->count[via] : k;
        const pith_i_candidate *others = F->list + via * m;
        for (int64_t o = 0; o < many; o++) {
            const int32_t t = others[o].point;
            if (seen[t] != now)
                hops[count++] = t;
            seen[t] = now;
        }
    }
    return count;
}

PITH_I_CLONES static void take_hops(const pith_i_cloud *P, int64_t s, int64_t hops, const int32_t *hop,
                                    const int32_t *number, int64_t m, pith_i_candidate *list, int32_t *count)
{
    const float *y = P->y + s * P->ld;
    for (int64_t h = 0; h < hops; h++) {
        const float value = P->norm[hop[h]] - 2 * dot(P->d, y, P->y + hop[h] * P->ld);
        if (*count < m || value <= list[m - 1].value)
            pith_i_candidate_put(list, count, m, (pith_i_candidate){value, number[h]});
    }
}

void pith_i_found_take_hops(const pith_i_cloud *P, int64_t s, int64_t hops, const int32_t *hop,
                            const int32_t *number, int64_t m, pith_i_candidate *list, int32_t *count)
{
    take_hops(P, s, hops, hop, number, m, list, count);
}

pith_status pith_i_found_by_neighbours(pith_ctx *ctx, const pith_i_cloud *P, int64_t k, pith_i_found *F)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int threads = pith_ctx_threads(ctx);
    const int64_t n = F->n, m = F->m;
    int32_t *seen = NULL, *hops = NULL;
    pith_i_found next = {0};
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, seen, threads * n));
    TRY(SCRATCH(ctx, hops, threads * k * k));
    TRY(pith_i_found_copy(ctx, F, m, &next));
#pragma omp parallel for num_threads(threads) schedule(dynamic, 64)
    for (int64_t s = 0; s < n; s++) {
        int32_t *hop = hops + pith_i_thread() * k * k;
        if (pith_i_progress_stop(ctx, s, n))
            continue;
        const int64_t count = pith_i_found_hops(F, k, s, seen + pith_i_thread() * n, hop);
        for (int64_t h = 0; h < count; h++) /* they lie far apart in memory */
            for (int64_t j = 0; j < P->d; j += 16)
                __builtin_prefetch(P->y + hop[h] * P->ld + j);
        take_hops(P, s, count, hop, hop, m, next.list + s * m, &next.count[s]);
    }
    TRY(pith_i_stop_status(ctx));
    pith_i_found_close(F);
    *F = next;
    next = (pith_i_found){0};
done:
    pith_i_found_close(&next);
    pith_i_scratch_release(ctx, mark);
    return st;
}
