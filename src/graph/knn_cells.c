#include "graph/knn_cells.h"

#include "core/parallel.h"
#include "core/random.h"
#include "matrix/blas.h"
#include "matrix/simd.h"

#include <math.h>
#include <string.h>

enum {
    ROWS = PITH_I_MEETING,
    CUT_LEADERS = 32 /* most leaders of a cell that is cut */
};

/* ---- Nearest leaders --------------------------------------------------------------------------------- */

float pith_i_leader_norm(const float *y, int64_t d)
{
    float square = 0;
    for (int64_t j = 0; j < d; j++)
        square += y[j] * y[j];
    return square;
}

/* Copies the y of some points, ld apart; norm (may be NULL): |y|^2 of each. */
static void gather(const pith_i_cloud *P, int64_t count, const int32_t *member, float *to, float *norm)
{
    for (int64_t r = 0; r < count; r++) {
        const float *y = P->y + member[r] * P->ld;
        memcpy(to + r * P->ld, y, (size_t)P->d * sizeof *to);
        if (norm != NULL)
            norm[r] = pith_i_leader_norm(y, P->d);
    }
}

/* nearest: the leaders with the `each` smallest of norm + tile, ties to the lower number. */
PITH_I_CLONES static void pick(int64_t leaders, const float *norm, const float *tile, int64_t each,
                               int32_t *nearest)
{
    enum { AT_ONCE = 16 };
    float best[PITH_I_CELLS_EACH];
    for (int64_t e = 0; e < each; e++) {
        best[e] = INFINITY;
        nearest[e] = (int32_t)(e < leaders ? e : 0);
    }
    for (int64_t first = 0; first < leaders; first += AT_ONCE) {
        const int64_t end = first + AT_ONCE < leaders ? first + AT_ONCE : leaders;
        const float worst = best[each - 1];
        int hits = 0;
#pragma omp simd reduction(| : hits)
        for (int64_t c = first; c < end; c++)
            hits |= norm[c] + tile[c] < worst;
        for (int64_t c = first; hits != 0 && c < end; c++) {
            const float value = norm[c] + tile[c];
            int64_t at = each;
            for (; at > 0 && value < best[at - 1]; at--)
                if (at < each) {
                    best[at] = best[at - 1];
                    nearest[at] = nearest[at - 1];
                }
            if (at < each) {
                best[at] = value;
                nearest[at] = (int32_t)c;
            }
        }
    }
}

/* The `each` nearest leaders of row r, from nearest[r * each] on, for up to ROWS gathered rows. */
static void meet_leaders(const pith_i_cloud *P, int64_t count, const float *rows, int64_t leaders,
                         const float *leader, const float *norm, int64_t each, float *tile, int32_t *nearest)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, (int)leaders, (int)P->d, -2, rows,
                (int)P->ld, leader, (int)P->ld, 0, tile, (int)leaders);
    for (int64_t r = 0; r < count; r++)
        pick(leaders, norm, tile + r * leaders, each, nearest + r * each);
}

/* `count` different numbers below n, ascending: a random one from each of `count` equal stretches. */
static void draw_some(pith_i_stream *s, int64_t n, int64_t count, int32_t *out)
{
    for (int64_t c = 0; c < count; c++) {
        const int64_t lo = c * n / count, hi = (c + 1) * n / count;
        out[c] = (int32_t)(lo + pith_i_random_below(s, hi - lo));
    }
}

void pith_i_leaders_draw(uint64_t seed, uint64_t round, int64_t n, int64_t count, int32_t *out)
{
    pith_i_stream s = pith_i_stream_at(seed, PITH_I_RANDOM_LEADERS, round);
    draw_some(&s, n, count, out);
}

pith_status pith_i_leaders_meet(pith_ctx *ctx, const pith_i_cloud *P, const pith_i_leaders *L, int64_t each,
                                int32_t *nearest)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int threads = pith_ctx_threads(ctx);
    const int64_t n = P->n;
    float *tiles = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, tiles, threads * ROWS * L->count));
    pith_i_blas_enter();
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4)
    for (int64_t t = 0; t < n; t += ROWS)
        if (!pith_i_progress_stop(ctx, t, n))
            meet_leaders(P, n - t < ROWS ? n - t : ROWS, P->y + t * P->ld, L->count, L->y, L->norm, each,
                         tiles + pith_i_thread() * ROWS * L->count, nearest + t * each);
    pith_i_blas_leave();
    TRY(pith_i_stop_status(ctx));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- The first cut, with overlap --------------------------------------------------------------------- */

void pith_i_cells_sort(int64_t n, int64_t each, const int32_t *nearest, pith_i_cells *cells)
{
    memset(cells->start, 0, (size_t)(cells->count + 1) * sizeof *cells->start);
    for (int64_t e = 0; e < n * each; e++)
        cells->start[nearest[e] + 1]++;
    for (int64_t c = 0; c < cells->count; c++)
        cells->start[c + 1] += cells->start[c];
    for (int64_t t = 0; t < n; t++)
        for (int64_t e = 0; e < each; e++)
            cells->member[cells->start[nearest[t * each + e]]++] = (int32_t)t;
    /* Filling moved every start to its end, which is the next one's start. */
    memmove(cells->start + 1, cells->start, (size_t)cells->count * sizeof *cells->start);
    cells->start[0] = 0;
}

pith_status pith_i_cells_make(pith_ctx *ctx, const pith_i_cloud *P, int64_t leaders, int64_t each,
                              uint64_t round, pith_i_cells *out)
{
    const int64_t n = P->n;
    pith_i_cells cells = {.count = leaders};
    pith_i_leaders L = {.count = leaders};
    int32_t *drawn = NULL, *nearest = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, cells.start, leaders + 1));
    TRY(SCRATCH(ctx, cells.member, n * each));
    const size_t mark = pith_i_scratch_mark(ctx);
    TRY(SCRATCH(ctx, drawn, leaders));
    TRY(SCRATCH(ctx, L.y, leaders * P->ld));
    TRY(SCRATCH(ctx, L.norm, leaders));
    TRY(SCRATCH(ctx, nearest, n * each));
    pith_i_leaders_draw(pith_ctx_seed(ctx), round, n, leaders, drawn);
    gather(P, leaders, drawn, L.y, L.norm);
    TRY(pith_i_leaders_meet(ctx, P, &L, each, nearest));
    pith_i_cells_sort(n, each, nearest, &cells);
    pith_i_scratch_release(ctx, mark);
    *out = cells;
done:
    return st;
}

/* ---- Cells cut again --------------------------------------------------------------------------------- */

pith_status pith_i_cutter_make(pith_ctx *ctx, const pith_i_cloud *P, int64_t largest, pith_i_cutter *out)
{
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, out->rows, ROWS * P->ld));
    TRY(SCRATCH_ZERO(ctx, out->leaders, CUT_LEADERS * P->ld));
    TRY(SCRATCH(ctx, out->norm, CUT_LEADERS));
    TRY(SCRATCH(ctx, out->tile, ROWS * CUT_LEADERS));
    TRY(SCRATCH(ctx, out->nearest, largest));
    TRY(SCRATCH(ctx, out->sorted, largest));
done:
    return st;
}

/* Orders the members by their nearest leader; start[c] is where those of leader c begin. */
static void sort_by_leader(const pith_i_cutter *k, int64_t leaders, int64_t count, int32_t *member,
                           int64_t start[CUT_LEADERS + 1])
{
    int64_t at[CUT_LEADERS + 1] = {0};
    for (int64_t r = 0; r < count; r++)
        at[k->nearest[r] + 1]++;
    for (int64_t c = 0; c < leaders; c++)
        at[c + 1] += at[c];
    memcpy(start, at, (size_t)(leaders + 1) * sizeof *at);
    for (int64_t r = 0; r < count; r++)
        k->sorted[at[k->nearest[r]]++] = member[r];
    memcpy(member, k->sorted, (size_t)count * sizeof *member);
}

static int64_t cut_once(const pith_i_cutter *k, const pith_i_cloud *P, pith_i_stream *s, int64_t count,
                        int32_t *member, int64_t start[CUT_LEADERS + 1])
{
    const int64_t wanted = 2 * ((count + PITH_I_LEAF - 1) / PITH_I_LEAF),
                  leaders = wanted < CUT_LEADERS ? wanted : CUT_LEADERS;
    int32_t drawn[CUT_LEADERS];
    draw_some(s, count, leaders, drawn);
    for (int64_t c = 0; c < leaders; c++)
        drawn[c] = member[drawn[c]];
    gather(P, leaders, drawn, k->leaders, k->norm);
    for (int64_t r = 0; r < count; r += ROWS) {
        const int64_t rows = count - r < ROWS ? count - r : ROWS;
        gather(P, rows, member + r, k->rows, NULL);
        meet_leaders(P, rows, k->rows, leaders, k->leaders, k->norm, 1, k->tile, k->nearest + r);
    }
    sort_by_leader(k, leaders, count, member, start);
    return leaders;
}

void pith_i_cut(const pith_i_cutter *cutter, const pith_i_cloud *P, uint64_t seed, uint64_t place,
                int64_t count, int32_t *member, pith_i_leaf_fn *leaf, void *self)
{
    int64_t start[CUT_LEADERS + 1] = {0}, largest = 0;
    if (count <= PITH_I_LEAF) {
        leaf(self, count, member);
        return;
    }
    pith_i_stream s = pith_i_stream_at(seed, PITH_I_RANDOM_LEADERS, place);
    const int64_t cells = cut_once(cutter, P, &s, count, member, start);
    for (int64_t c = 0; c < cells; c++)
        largest = start[c + 1] - start[c] > largest ? start[c + 1] - start[c] : largest;
    if (largest > count - count / 8) { /* copies of one row: any cut is as good */
        for (int64_t first = 0; first < count; first += PITH_I_LEAF)
            leaf(self, count - first < PITH_I_LEAF ? count - first : PITH_I_LEAF, member + first);
        return;
    }
    for (int64_t c = 0; c < cells; c++)
        pith_i_cut(cutter, P, seed, place * CUT_LEADERS + (uint64_t)c + 1, start[c + 1] - start[c],
                   member + start[c], leaf, self);
}
