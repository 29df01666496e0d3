#include "graph/knn_heavy.h"

#include "core/parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LIGHT = 500,   /* entries of a row on average, below which lists beat projections */
    LIGHTEST = 64, /* in any case; else only if columns are as rare as words, one in */
    RARE = 50,
    ENTRIES = 16, /* of a row in the first round, */
    LIST = 1024,  /* and rows of a list; both grow */
    MORE = 16,    /* entries with every round */
    MOST_ENTRIES = 128
};

typedef struct entry {
    float weight; /* |z| */
    int32_t at;   /* column of a row, or row of a column */
} entry;

typedef struct heavy {
    int64_t *start; /* of every column, p + 1 */
    int32_t *row;
    float *z;
} heavy;

bool pith_i_are_light(int64_t n, int64_t p, int64_t stored)
{
    return stored < LIGHT * n && (stored < LIGHTEST * n || stored / n < p / RARE);
}

bool pith_i_is_light(const pith_i_data *X)
{
    return X->sparse && pith_i_are_light(X->n, X->p, pith_i_stored(X));
}

static float z_of(const pith_i_rows *R, int64_t i, int64_t e)
{
    return (float)(pith_i_at(&R->X, i, e) * R->factor[i] * R->scale);
}

static int by_weight(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    return x->weight != y->weight ? (x->weight > y->weight ? -1 : 1) : (x->at > y->at) - (x->at < y->at);
}

/* Keeps the `most` heaviest, the heaviest first; returns how many there are. */
static int64_t keep_heaviest(int64_t count, entry *entries, int64_t most)
{
    qsort(entries, (size_t)count, sizeof *entries, by_weight);
    return count < most ? count : most;
}

/* ---- The lists ------------------------------------------------------------------------------------------
 */

/* taken[i * most ..]: entries of row i, by their place in the data; -1 after the last. */
static pith_status take_entries(pith_ctx *ctx, const pith_i_rows *R, int64_t most, int64_t *taken)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_data *X = &R->X;
    const int64_t threads = pith_ctx_threads(ctx);
    int64_t longest = 0;
    entry *room = NULL;
    pith_status st = PITH_OK;
    for (int64_t i = 0; i < X->n; i++)
        longest = X->indptr[i + 1] - X->indptr[i] > longest ? X->indptr[i + 1] - X->indptr[i] : longest;
    TRY(SCRATCH(ctx, room, threads * longest));
#pragma omp parallel for num_threads((int)threads) schedule(dynamic, 256)
    for (int64_t i = 0; i < X->n; i++) {
        const int64_t first = X->indptr[i], count = X->indptr[i + 1] - first;
        entry *own = room + pith_i_thread() * longest;
        for (int64_t e = 0; e < count; e++)
            own[e] = (entry){fabsf(z_of(R, i, first + e)), (int32_t)e};
        const int64_t kept = keep_heaviest(count, own, most);
        for (int64_t e = 0; e < most; e++)
            taken[i * most + e] = e < kept && own[e].weight > 0 ? first + own[e].at : -1;
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Of a list that is too long the heaviest rows stay, in front. */
static int64_t cut_list(heavy *H, int64_t j, int64_t most, entry *room, float *z)
{
    const int64_t first = H->start[j], count = H->start[j + 1] - first;
    if (count <= most)
        return count;
    for (int64_t e = 0; e < count; e++)
        room[e] = (entry){fabsf(H->z[first + e]), (int32_t)e};
    (void)keep_heaviest(count, room, most);
    for (int64_t e = 0; e < most; e++) {
        z[e] = H->z[first + room[e].at];
        room[e].at = H->row[first + room[e].at];
    }
    for (int64_t e = 0; e < most; e++) {
        H->z[first + e] = z[e];
        H->row[first + e] = room[e].at;
    }
    return most;
}

static pith_status make_lists(pith_ctx *ctx, const pith_i_rows *R, int64_t entries, const int64_t *taken,
                              int64_t most, heavy *H, int64_t *length)
{
    const pith_i_data *X = &R->X;
    const int64_t n = X->n, p = X->p;
    entry *room = NULL;
    float *z = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, H->start, p + 2));
    TRY(SCRATCH(ctx, H->row, n * entries));
    TRY(SCRATCH(ctx, H->z, n * entries));
    TRY(SCRATCH(ctx, room, n));
    TRY(SCRATCH(ctx, z, n));
    for (int64_t e = 0; e < n * entries; e++)
        if (taken[e] >= 0)
            H->start[X->indices[taken[e]] + 2]++;
    for (int64_t j = 0; j < p; j++)
        H->start[j + 2] += H->start[j + 1];
    for (int64_t e = 0; e < n * entries; e++)
        if (taken[e] >= 0) {
            const int64_t at = H->start[X->indices[taken[e]] + 1]++;
            H->row[at] = (int32_t)(e / entries);
            H->z[at] = z_of(R, e / entries, taken[e]);
        }
    for (int64_t j = 0; j < p; j++)
        length[j] = cut_list(H, j, most, room, z);
done:
    return st;
}

/* ---- Candidates -----------------------------------------------------------------------------------------
 */

typedef struct asking { /* of one thread */
    float *sum;         /* n zeros, all of them between rows */
    int32_t *touched;
    float *spread; /* p zeros, likewise */
} asking;

/* Puts the rows with the largest products into `best`, at most `most`; the sums are 0 again afterwards. */
static int32_t best_products(const pith_i_rows *R, const heavy *H, const int64_t *length, int64_t entries,
                             const int64_t *taken, int64_t i, int64_t most, const asking *w,
                             pith_i_candidate *best)
{
    int64_t touched = 0;
    int32_t count = 0;
    for (int64_t e = 0; e < entries && taken[e] >= 0; e++) {
        const int64_t j = R->X.indices[taken[e]];
        const float z = z_of(R, i, taken[e]);
        for (int64_t x = H->start[j]; x < H->start[j] + length[j]; x++) {
            if (w->sum[H->row[x]] == 0)
                w->touched[touched++] = H->row[x];
            w->sum[H->row[x]] += z * H->z[x];
        }
    }
    for (int64_t t = 0; t < touched; t++) {
        const int32_t l = w->touched[t];
        const float value = (float)R->square[l] - 2 * w->sum[l];
        w->sum[l] = 0;
        if (l != i && (count < most || value <= best[most - 1].value))
            pith_i_candidate_put(best, &count, most, (pith_i_candidate){value, l});
    }
    return count;
}

/* Takes points into the list of row i. */
static void screen_some(const pith_i_screen *screen, int64_t i, int64_t count, const int32_t *point,
                        float *spread, pith_i_found *F)
{
    pith_i_screen_start(screen, i, spread);
    for (int64_t e = 0; e < count; e++)
        pith_i_candidate_put(F->list + i * F->m, &F->count[i], F->m,
                             (pith_i_candidate){pith_i_screen_value(screen, spread, point[e]), point[e]});
    pith_i_screen_end(screen, i, spread);
}

pith_status pith_i_found_by_heaviest(pith_ctx *ctx, const pith_i_screen *screen, int64_t round,
                                     pith_i_found *F)
{
    const pith_i_rows *R = screen->R;
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = F->n, m = F->m, threads = pith_ctx_threads(ctx), grown = ENTRIES + MORE * (round - 1);
    const int64_t entries = grown < MOST_ENTRIES ? grown : MOST_ENTRIES, most = (int64_t)LIST << (round - 1);
    int64_t *taken = NULL, *length = NULL;
    heavy H = {0};
    asking all = {0};
    pith_i_candidate *best = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, taken, n * entries));
    TRY(SCRATCH(ctx, length, R->X.p));
    TRY(SCRATCH_ZERO(ctx, all.sum, threads * n));
    TRY(SCRATCH(ctx, all.touched, threads * entries * most));
    TRY(SCRATCH_ZERO(ctx, all.spread, threads * R->X.p));
    TRY(SCRATCH(ctx, best, threads * m));
    TRY(take_entries(ctx, R, entries, taken));
    TRY(make_lists(ctx, R, entries, taken, most, &H, length));
#pragma omp parallel for num_threads((int)threads) schedule(dynamic, 64)
    for (int64_t i = 0; i < n; i++) {
        const int64_t t = pith_i_thread();
        const asking w = {all.sum + t * n, all.touched + t * entries * most, all.spread + t * R->X.p};
        pith_i_candidate *own = best + t * m;
        if (pith_i_progress_stop(ctx, i, n) || pith_i_row_is_zero(R, i))
            continue;
        const int32_t count = best_products(R, &H, length, entries, taken + i * entries, i, m, &w, own);
        for (int32_t e = 0; e < count; e++)
            w.touched[e] = own[e].point;
        screen_some(screen, i, count, w.touched, w.spread, F);
    }
    TRY(pith_i_stop_status(ctx));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_found_by_hops(pith_ctx *ctx, const pith_i_screen *screen, int64_t k, pith_i_found *F)
{
    const pith_i_rows *R = screen->R;
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = F->n, m = F->m, p = R->X.p, threads = pith_ctx_threads(ctx);
    int32_t *seen = NULL, *hops = NULL;
    float *spread = NULL;
    pith_i_found next = {0};
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, seen, threads * n));
    TRY(SCRATCH(ctx, hops, threads * k * k));
    TRY(SCRATCH_ZERO(ctx, spread, threads * p));
    TRY(pith_i_found_copy(ctx, F, m, &next));
#pragma omp parallel for num_threads((int)threads) schedule(dynamic, 64)
    for (int64_t i = 0; i < n; i++) {
        const int64_t t = pith_i_thread();
        int32_t *hop = hops + t * k * k;
        if (pith_i_progress_stop(ctx, i, n) || pith_i_row_is_zero(R, i))
            continue;
        const int64_t count = pith_i_found_hops(F, k, i, seen + t * n, hop);
        screen_some(screen, i, count, hop, spread + t * p, &next);
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
