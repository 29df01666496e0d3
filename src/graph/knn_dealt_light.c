/* Candidates of sparse rows with few entries, where rows are spread over processes. */
#include "core/engine.h"
#include "core/parallel.h"
#include "graph/knn_dealt_inside.h"
#include "graph/knn_heavy.h"

#include <stdlib.h>
#include <string.h>

pith_status pith_i_dealt_plain(pith_ctx *ctx, const pith_i_rows *R, pith_i_dealt *out)
{
    pith_i_dealt D = {.ranks = pith_i_processes(ctx),
                      .rank = pith_i_process(ctx),
                      .R = R,
                      .n = pith_i_all(&R->X),
                      .P = {.n = R->X.n, .wide = 1}};
    pith_status st = PITH_OK;
    TRY(pith_i_dealt_starts(ctx, &D));
    D.start = D.row_start;
    TRY(SCRATCH(ctx, D.P.row, R->X.n));
    for (int64_t i = 0; i < R->X.n; i++)
        D.P.row[i] = (int32_t)(R->X.offset + i);
    D.point = D.P.row;
    *out = D;
done:
    return st;
}

/* ---- The lists of all rows ----------------------------------------------------------------------------- */

/* The bytes of all processes, one after the other, in every process; from scratch. */
static pith_status gather(pith_ctx *ctx, const pith_i_dealt *D, int64_t bytes, const void *mine, int64_t **at,
                          void **out)
{
    int64_t *send_at = NULL;
    char *send = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, send_at, D->ranks + 1));
    TRY(SCRATCH(ctx, send, bytes * D->ranks));
    for (int r = 0; r <= D->ranks; r++) {
        send_at[r] = r * bytes;
        if (r < D->ranks && bytes > 0)
            memcpy(send + r * bytes, mine, (size_t)bytes);
    }
    TRY(pith_i_exchange(ctx, send_at, send, at, out));
done:
    return st;
}

typedef struct listed {
    int32_t row;
    float z;
} listed;

/* The lists of one process, list by list, without gaps. */
static pith_status pack(pith_ctx *ctx, const pith_i_heavy *H, int32_t **length, listed **out, int64_t *count)
{
    pith_status st = PITH_OK;
    *count = 0;
    TRY(SCRATCH(ctx, *length, H->p));
    for (int64_t j = 0; j < H->p; j++) {
        (*length)[j] = (int32_t)H->length[j];
        *count += H->length[j];
    }
    TRY(SCRATCH(ctx, *out, *count));
    for (int64_t j = 0, at = 0; j < H->p; j++)
        for (int64_t e = 0; e < H->length[j]; e++)
            (*out)[at++] = (listed){H->row[H->start[j] + e], H->z[H->start[j] + e]};
done:
    return st;
}

static int by_row(const void *x, const void *y)
{
    const listed *a = x, *b = y;
    return (a->row > b->row) - (a->row < b->row);
}

/* Joins the lists of all processes into those of `all`, and truncates them. */
static pith_status unpack(pith_ctx *ctx, const pith_i_dealt *D, int64_t most, const int32_t *lengths,
                          const listed *entries, pith_i_heavy *all)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t p = all->p;
    const listed **next = NULL;
    listed *list = NULL;
    int64_t longest = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, next, D->ranks));
    for (int r = 0; r < D->ranks; r++) {
        next[r] = entries;
        for (int64_t j = 0; j < p; j++)
            entries += lengths[r * p + j];
    }
    for (int64_t j = 0; j < p; j++) {
        all->length[j] = 0;
        for (int r = 0; r < D->ranks; r++)
            all->length[j] += lengths[r * p + j];
        all->start[j + 1] = all->start[j] + all->length[j];
        longest = pith_i_max(longest, all->length[j]);
    }
    TRY(SCRATCH(ctx, list, longest));
    for (int64_t j = 0; j < p; j++) {
        int64_t count = 0;
        for (int r = 0; r < D->ranks; r++) {
            memcpy(list + count, next[r], (size_t)lengths[r * p + j] * sizeof *list);
            next[r] += lengths[r * p + j];
            count += lengths[r * p + j];
        }
        /* Parts that were truncated are in the order of weights; in one process rows ascend here. */
        if (count > most)
            qsort(list, (size_t)count, sizeof *list, by_row);
        for (int64_t e = 0; e < count; e++) {
            all->row[all->start[j] + e] = list[e].row;
            all->z[all->start[j] + e] = list[e].z;
        }
    }
    TRY(pith_i_heavy_cut(ctx, most, all));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* The lists of all rows, in every process. */
static pith_status join(pith_ctx *ctx, const pith_i_dealt *D, int64_t most, const pith_i_heavy *own,
                        pith_i_heavy *out)
{
    pith_i_heavy all = {.p = own->p};
    int64_t *at = NULL, count = 0;
    int32_t *length = NULL;
    listed *packed = NULL;
    void *lengths = NULL, *entries = NULL, *squares = NULL;
    pith_status st = PITH_OK;
    TRY(pack(ctx, own, &length, &packed, &count));
    TRY(gather(ctx, D, own->p * (int64_t)sizeof *length, length, &at, &lengths));
    TRY(gather(ctx, D, D->R->X.n * (int64_t)sizeof *own->square, own->square, &at, &squares));
    TRY(gather(ctx, D, count * (int64_t)sizeof *packed, packed, &at, &entries));
    count = at[D->ranks] / (int64_t)sizeof *packed;
    TRY(SCRATCH_ZERO(ctx, all.start, all.p + 1));
    TRY(SCRATCH(ctx, all.length, all.p));
    TRY(SCRATCH(ctx, all.row, count));
    TRY(SCRATCH(ctx, all.z, count));
    all.square = squares;
    TRY(unpack(ctx, D, most, lengths, entries, &all));
    *out = all;
done:
    return st;
}

/* ---- Candidates ---------------------------------------------------------------------------------------- */

pith_status pith_i_dealt_screen(pith_ctx *ctx, const pith_i_dealt *D, const pith_i_dealt_some *some,
                                pith_i_found *F)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_data *X = &D->R->X;
    const int64_t threads = pith_ctx_threads(ctx), first = X->offset + some->from, m = F->m;
    int64_t *wanted = NULL, count = 0;
    float *spread = NULL;
    pith_i_halo rows = {0};
    pith_i_data T = {0};
    pith_i_rows R = {0};
    pith_i_screen screen = {0};
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, wanted, some->count * (some->stride + 1)));
    TRY(SCRATCH_ZERO(ctx, spread, threads * X->p));
    for (int64_t s = 0; s < some->count; s++) {
        wanted[count++] = first + s;
        for (int32_t e = 0; e < some->many[s]; e++)
            wanted[count++] = some->point[s * some->stride + e];
    }
    TRY(pith_i_fetch_new(ctx, X->n, X->offset, count, wanted, &rows));
    TRY(pith_i_fetch_rows(ctx, &rows, X, &T));
    TRY(pith_i_rows_open_like(ctx, &T, D->R, &R));
    TRY(pith_i_screen_make(ctx, &R, &screen));
#pragma omp parallel for num_threads((int)threads) schedule(dynamic, 64)
    for (int64_t s = 0; s < some->count; s++) {
        const int64_t place = pith_i_halo_place(&rows, first + s), i = some->from + s;
        float *own = spread + pith_i_thread() * X->p;
        pith_i_screen_start(&screen, place, own);
        for (int32_t e = 0; e < some->many[s]; e++) {
            const int32_t l = some->point[s * some->stride + e];
            const float value = pith_i_screen_value(&screen, own, pith_i_halo_place(&rows, l));
            pith_i_candidate_put(F->list + i * m, &F->count[i], m, (pith_i_candidate){value, l});
        }
        pith_i_screen_end(&screen, place, own);
    }
done:
    pith_i_rows_close(&R);
    pith_i_data_free(&T);
    pith_i_halo_free(&rows);
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* The best candidates in the inverted lists for `count` of the rows held here, screened. */
static pith_status ask(pith_ctx *ctx, const pith_i_dealt *D, const pith_i_heavy *H, int64_t entries,
                       const int64_t *taken, const pith_i_heavy_room *work, int64_t from, int64_t count,
                       pith_i_found *F)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t m = F->m, threads = pith_ctx_threads(ctx);
    pith_i_candidate *best = NULL;
    int32_t *point = NULL, *many = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, best, threads * m));
    TRY(SCRATCH(ctx, point, count * m));
    TRY(SCRATCH_ZERO(ctx, many, count));
#pragma omp parallel for num_threads((int)threads) schedule(dynamic, 64)
    for (int64_t s = 0; s < count; s++) {
        const int64_t t = pith_i_thread(), i = from + s;
        if (pith_i_row_is_zero(D->R, i))
            continue;
        many[s] = pith_i_heavy_best(D->R, H, entries, taken + i * entries, i, m, &work[t], best + t * m);
        for (int32_t e = 0; e < many[s]; e++)
            point[s * m + e] = best[t * m + e].point;
    }
    TRY(pith_i_dealt_screen(ctx, D, &(pith_i_dealt_some){from, count, m, point, many}, F));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_dealt_by_heaviest(pith_ctx *ctx, const pith_i_dealt *D, int64_t round, pith_i_found *F)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_heavy_size size = pith_i_heavy_size_of(round);
    const int64_t n = D->R->X.n, each = pith_i_dealt_piece(D, F->m);
    int64_t *taken = NULL, steps = 0;
    pith_i_heavy own = {0}, all = {0};
    pith_i_heavy_room *work = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, taken, n * size.entries));
    TRY(pith_i_heavy_take(ctx, D->R, size.entries, taken));
    TRY(pith_i_heavy_lists(ctx, D->R, size.entries, taken, size.rows, &own));
    TRY(join(ctx, D, size.rows, &own, &all));
    TRY(pith_i_heavy_rooms(ctx, D->n, size, &work));
    TRY(pith_i_dealt_steps(ctx, n, each, &steps));
    for (int64_t b = 0; b < steps; b++) {
        const int64_t from = pith_i_min(n, b * each);
        TRY(pith_i_progress(ctx, b, steps));
        TRY(ask(ctx, D, &all, size.entries, taken, work, from, pith_i_min(each, n - from), F));
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
