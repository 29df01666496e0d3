#include "graph/knn_heavy.h"

#include "core/parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LIGHT = 500,   /* inverted lists beat projections if rows have fewer entries on average than this, */
    LIGHTEST = 64, /* and fewer than this */
    RARE = 50,     /* or than one column in so many */
    ENTRIES = 16,  /* of a row in the first round, */
    LIST = 1024,   /* and rows of a list; both grow */
    MORE = 16,     /* entries added with every round */
    MOST_ENTRIES = 128
};

typedef struct entry {
    float weight; /* |z| */
    int32_t at;   /* column of a row, or row of a column */
} entry;

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

/* Keeps the `most` heaviest, the heaviest first; returns how many these are. */
static int64_t keep_heaviest(int64_t count, entry *entries, int64_t most)
{
    qsort(entries, (size_t)count, sizeof *entries, by_weight);
    return count < most ? count : most;
}

/* ---- The lists ----------------------------------------------------------------------------------------- */

pith_status pith_i_heavy_take(pith_ctx *ctx, const pith_i_rows *R, int64_t most, int64_t *taken)
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

/* Truncates a list that is too long to its heaviest rows, the heaviest first. */
static void cut_list(pith_i_heavy *H, int64_t j, int64_t most, entry *room, float *z)
{
    const int64_t first = H->start[j], count = H->length[j];
    if (count <= most)
        return;
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
    H->length[j] = most;
}

pith_status pith_i_heavy_cut(pith_ctx *ctx, int64_t most, pith_i_heavy *H)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    int64_t longest = 0;
    entry *room = NULL;
    float *z = NULL;
    pith_status st = PITH_OK;
    for (int64_t j = 0; j < H->p; j++)
        longest = pith_i_max(longest, H->length[j]);
    TRY(SCRATCH(ctx, room, longest));
    TRY(SCRATCH(ctx, z, pith_i_min(longest, most)));
    for (int64_t j = 0; j < H->p; j++)
        cut_list(H, j, most, room, z);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_heavy_lists(pith_ctx *ctx, const pith_i_rows *R, int64_t entries, const int64_t *taken,
                               int64_t most, pith_i_heavy *H)
{
    const pith_i_data *X = &R->X;
    const int64_t n = X->n, p = X->p;
    pith_status st = PITH_OK;
    H->p = p;
    TRY(SCRATCH_ZERO(ctx, H->start, p + 2));
    TRY(SCRATCH(ctx, H->length, p));
    TRY(SCRATCH(ctx, H->row, n * entries));
    TRY(SCRATCH(ctx, H->z, n * entries));
    TRY(SCRATCH(ctx, H->square, n));
    for (int64_t i = 0; i < n; i++)
        H->square[i] = (float)R->square[i];
    for (int64_t e = 0; e < n * entries; e++)
        if (taken[e] >= 0)
            H->start[X->indices[taken[e]] + 2]++;
    for (int64_t j = 0; j < p; j++)
        H->start[j + 2] += H->start[j + 1];
    for (int64_t e = 0; e < n * entries; e++)
        if (taken[e] >= 0) {
            const int64_t at = H->start[X->indices[taken[e]] + 1]++;
            H->row[at] = (int32_t)(X->offset + e / entries);
            H->z[at] = z_of(R, e / entries, taken[e]);
        }
    for (int64_t j = 0; j < p; j++)
        H->length[j] = H->start[j + 1] - H->start[j];
    TRY(pith_i_heavy_cut(ctx, most, H));
done:
    return st;
}

/* ---- Candidates ---------------------------------------------------------------------------------------- */

int32_t pith_i_heavy_best(const pith_i_rows *R, const pith_i_heavy *H, int64_t entries, const int64_t *taken,
                          int64_t i, int64_t most, const pith_i_heavy_room *w, pith_i_candidate *best)
{
    int64_t touched = 0;
    int32_t count = 0;
    for (int64_t e = 0; e < entries && taken[e] >= 0; e++) {
        const int64_t j = R->X.indices[taken[e]];
        const float z = z_of(R, i, taken[e]);
        for (int64_t x = H->start[j]; x < H->start[j] + H->length[j]; x++) {
            if (w->sum[H->row[x]] == 0)
                w->touched[touched++] = H->row[x];
            w->sum[H->row[x]] += z * H->z[x];
        }
    }
    for (int64_t t = 0; t < touched; t++) {
        const int32_t l = w->touched[t];
        const float value = H->square[l] - 2 * w->sum[l];
        w->sum[l] = 0;
        if (l != R->X.offset + i && (count < most || value <= best[most - 1].value))
            pith_i_candidate_put(best, &count, most, (pith_i_candidate){value, l});
    }
    return count;
}

/* Adds points to the list of row i, with the screen's values. */
static void screen_some(const pith_i_screen *screen, int64_t i, int64_t count, const int32_t *point,
                        float *spread, pith_i_found *F)
{
    pith_i_screen_start(screen, i, spread);
    for (int64_t e = 0; e < count; e++)
        pith_i_candidate_put(F->list + i * F->m, &F->count[i], F->m,
                             (pith_i_candidate){pith_i_screen_value(screen, spread, point[e]), point[e]});
    pith_i_screen_end(screen, i, spread);
}

pith_i_heavy_size pith_i_heavy_size_of(int64_t round)
{
    return (pith_i_heavy_size){pith_i_min(ENTRIES + MORE * (round - 1), MOST_ENTRIES),
                               (int64_t)LIST << (round - 1)};
}

pith_status pith_i_heavy_rooms(pith_ctx *ctx, int64_t n, pith_i_heavy_size size, pith_i_heavy_room **out)
{
    const int threads = pith_ctx_threads(ctx);
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, *out, threads));
    for (int t = 0; t < threads; t++) {
        TRY(SCRATCH_ZERO(ctx, (*out)[t].sum, n));
        TRY(SCRATCH(ctx, (*out)[t].touched, size.entries * size.rows));
    }
done:
    return st;
}

pith_status pith_i_found_by_heaviest(pith_ctx *ctx, const pith_i_screen *screen, int64_t round,
                                     pith_i_found *F)
{
    const pith_i_rows *R = screen->R;
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = F->n, m = F->m, p = R->X.p, threads = pith_ctx_threads(ctx);
    const pith_i_heavy_size size = pith_i_heavy_size_of(round);
    int64_t *taken = NULL;
    pith_i_heavy H = {0};
    pith_i_heavy_room *work = NULL;
    float *spread = NULL;
    pith_i_candidate *best = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, taken, n * size.entries));
    TRY(SCRATCH_ZERO(ctx, spread, threads * p));
    TRY(SCRATCH(ctx, best, threads * m));
    TRY(pith_i_heavy_rooms(ctx, n, size, &work));
    TRY(pith_i_heavy_take(ctx, R, size.entries, taken));
    TRY(pith_i_heavy_lists(ctx, R, size.entries, taken, size.rows, &H));
#pragma omp parallel for num_threads((int)threads) schedule(dynamic, 64)
    for (int64_t i = 0; i < n; i++) {
        const int64_t t = pith_i_thread();
        pith_i_candidate *own = best + t * m;
        if (pith_i_progress_stop(ctx, i, n) || pith_i_row_is_zero(R, i))
            continue;
        const int32_t count =
            pith_i_heavy_best(R, &H, size.entries, taken + i * size.entries, i, m, &work[t], own);
        for (int32_t e = 0; e < count; e++)
            work[t].touched[e] = own[e].point;
        screen_some(screen, i, count, work[t].touched, spread + t * p, F);
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
