#include "graph/knn_between.h"

#include "core/parallel.h"
#include "graph/knn_find.h"
#include "graph/knn_index.h"
#include "graph/knn_tiles.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 512, STRIP = 32 }; /* rows of a dense tile, which share a lock; rows of a sparse tile */

/* Lists have a place for every row: the second block begins at `base`, a multiple of BLOCK; the places
 * between the two are unused. */
typedef struct places {
    const pith_i_between *b;
    int64_t first, second, base; /* rows of the two blocks; the second one's first place */
} places;

static int64_t place_of(const places *p, int64_t row)
{
    return row < p->first ? row : p->base + row - p->first;
}

static int64_t row_at(const places *p, int64_t place)
{
    return place < p->base ? place : p->first + place - p->base;
}

/* Only rows within the limit get in: bound + norm_i <= limit scale^2, plus a little for rounding. */
static float threshold_of(double limit, double scale, float norm)
{
    const double scaled = limit * scale * scale;
    if (!(scaled < (double)INFINITY) || isinf(norm))
        return isinf(norm) ? -INFINITY : INFINITY;
    const double most = scaled - (double)norm + 1e-12 * (scaled + fabs((double)norm));
    return nextafterf(nextafterf((float)most, INFINITY), INFINITY);
}

/* terms: of a product with row i; 0: as many as the row has entries. */
static pith_status open_lists(pith_ctx *ctx, const places *p, int64_t m, int64_t terms, pith_i_lists *L)
{
    const pith_i_rows *R = p->b->R;
    const pith_i_rows shape = {.X = {.n = p->base + p->second}, .scale = R->scale};
    pith_status st = PITH_OK;
    TRY(pith_i_lists_open(ctx, &shape, m, BLOCK, L));
    for (int64_t i = p->first; i < p->base; i++) {
        L->norm[i] = INFINITY;
        L->threshold[i] = -INFINITY;
    }
    for (int64_t i = 0; i < R->X.n; i++) {
        const int64_t at = place_of(p, i), own = terms > 0 ? terms : R->X.indptr[i + 1] - R->X.indptr[i];
        const bool zero = pith_i_row_is_zero(R, i);
        L->norm[at] = zero ? INFINITY : (float)pith_i_shrunk(R, R->square[i], own, false);
        L->threshold[at] = threshold_of(p->b->limit[i], R->scale, L->norm[at]);
    }
done:
    return st;
}

/* ---- Candidates ---------------------------------------------------------------------------------------- */

static pith_status dense_lists(pith_ctx *ctx, const places *p, int64_t m, pith_i_lists *L)
{
    static const uint32_t only = 1;
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_rows *R = p->b->R;
    const int64_t ld = pith_i_tiles_stride(R->X.p), first[2] = {0, R->X.p};
    float *y = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, y, (p->base + p->second) * ld));
    if (p->base > p->first)
        memset(y + p->first * ld, 0, (size_t)((p->base - p->first) * ld) * sizeof *y);
#pragma omp parallel for num_threads(pith_ctx_threads(ctx))
    for (int64_t i = 0; i < R->X.n; i++)
        pith_i_rows_floats(R, i, y + place_of(p, i) * ld);
    const pith_i_floats F = {.y = y, .ld = ld, .classes = 1, .first = first, .lists = &only};
    TRY(open_lists(ctx, p, m, pith_i_tiles_terms(&F), L));
    TRY(pith_i_tiles_merge_between(ctx, &F, p->base / BLOCK, &p->b->part, L));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Rows of the first block from `row` on against the slice of the second that begins at its row `from`. */
static void merge_strip(const places *p, const pith_i_index *index, pith_i_lists *L, int64_t row,
                        int64_t from, int64_t ld, float *tile)
{
    const int64_t rows = pith_i_min(STRIP, p->first - row);
    memset(tile, 0, (size_t)(rows * ld) * sizeof *tile);
    for (int64_t r = 0; r < rows; r++)
        pith_i_index_add_f32(index, p->b->R, row + r, -1, -2, tile + r * ld);
    for (int64_t col = 0; col < index->rows; col += BLOCK)
        pith_i_lists_merge(L, tile + col, ld, row, rows, p->base + from + col,
                           pith_i_min(BLOCK, index->rows - col));
}

static pith_status sparse_lists(pith_ctx *ctx, const places *p, int64_t m, pith_i_lists *L)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_rows *R = p->b->R;
    const pith_i_part part = p->b->part;
    const int64_t slice = pith_i_index_slice(R), threads = pith_ctx_threads(ctx);
    pith_i_index index = {.dtype = PITH_F32, .widens = true};
    int64_t *second = NULL;
    float *tiles = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, second, p->second));
    for (int64_t i = 0; i < p->second; i++)
        second[i] = p->first + i;
    TRY(open_lists(ctx, p, m, 0, L));
    TRY(pith_i_index_reserve(ctx, R, second, p->second, slice, &index));
    TRY(SCRATCH(ctx, tiles, threads * STRIP * slice));
    for (int64_t from = 0; from < p->second; from += slice) {
        pith_i_index_fill(&index, R, second, from, pith_i_min(slice, p->second - from));
#pragma omp parallel for num_threads((int)threads) schedule(dynamic)
        for (int64_t row = 0; row < p->first; row += STRIP)
            if (!pith_i_progress_stop(ctx, part.before * p->second + from, part.all * p->second))
                merge_strip(p, &index, L, row, from, slice, tiles + pith_i_thread() * STRIP * slice);
        TRY(pith_i_stop_status(ctx));
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- From candidates to neighbours ------------------------------------------------------------------- */

typedef struct settling {
    const places *p;
    pith_i_lists *L;
    const int64_t *zero[2]; /* of the cosine metric: the first k zero rows of either block, or fewer */
    int64_t zeros[2];
    pith_i_knn *found;
} settling;

/* The list of a zero row, which is equally far from all: the first rows of the other block. */
static void write_zero(const settling *s, int64_t i)
{
    const places *p = s->p;
    const int64_t k = s->found->k, others = i < p->first ? p->second : p->first,
                  begin = i < p->first ? p->first : 0;
    for (int64_t e = 0; e < k; e++) {
        s->found->index[i * k + e] = e < others ? begin + e : -1;
        s->found->distance2[i * k + e] = e < others ? 2 : (double)INFINITY;
    }
}

/*
 * The nearest candidates of row i by exact distance. True if no further row of the other block can belong to
 * the list: their lower bounds are at least the worst candidate's, which must exceed the limit or the k-th
 * distance.
 */
static bool settle_row(const settling *s, int64_t i, double *spread, pith_i_near *near)
{
    const places *p = s->p;
    const pith_i_rows *R = p->b->R;
    const int64_t k = s->found->k, at = place_of(p, i), count = s->L->count[at];
    const int other = i < p->first ? 1 : 0;
    pith_i_near *candidate = s->L->near + at * s->L->m;
    double far = p->b->limit[i];
    pith_i_probe probe;
    int64_t have = 0, c = 0;
    if (pith_i_row_is_zero(R, i)) {
        write_zero(s, i);
        return true;
    }
    for (int64_t e = 0; e < s->zeros[other]; e++)
        pith_i_top_push(near, &have, k, (pith_i_near){2, s->zero[other][e]});
    pith_i_top_sort(candidate, count);
    pith_i_probe_start(&probe, R, i, spread);
    for (; c < count; c++) {
        const double bound = candidate[c].value + (double)s->L->norm[at];
        far = have == k ? fmin(far, near[0].value) : far;
        if (bound > far * R->scale * R->scale)
            break;
        const int64_t l = row_at(p, candidate[c].id);
        pith_i_top_push(near, &have, k, (pith_i_near){pith_i_probe_distance2(&probe, l), l});
    }
    pith_i_probe_end(&probe);
    pith_i_top_sort(near, have);
    pith_i_knn_write(s->found, i, near, have);
    return c < count || count < s->L->m || s->L->m >= (other == 1 ? p->second : p->first);
}

static pith_status settle_all(pith_ctx *ctx, const settling *s, bool *again)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_rows *R = s->p->b->R;
    const int64_t n = R->X.n, k = s->found->k, threads = pith_ctx_threads(ctx),
                  width = R->X.sparse ? R->X.p : 0;
    pith_i_near *near = NULL;
    double *spread = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, near, threads * k));
    TRY(SCRATCH_ZERO(ctx, spread, threads * width));
#pragma omp parallel for num_threads((int)threads) schedule(dynamic, 64)
    for (int64_t i = 0; i < n; i++) {
        const int64_t t = pith_i_thread();
        if (!pith_i_progress_stop(ctx, s->p->b->part.before + 1, s->p->b->part.all))
            again[i] = !settle_row(s, i, width > 0 ? spread + t * width : NULL, near + t * k);
    }
    TRY(pith_i_stop_status(ctx));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Searches the rows of one block that candidates did not settle, by bounds in double. */
static pith_status search_again(pith_ctx *ctx, const places *p, const bool *again, bool second,
                                pith_i_knn *found)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_rows *R = p->b->R;
    const int64_t k = found->k, from = second ? p->first : 0, to = second ? R->X.n : p->first;
    const int64_t others = second ? p->first : p->second;
    int64_t *rows = NULL, *other = NULL, count = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, rows, to - from));
    TRY(SCRATCH(ctx, other, others));
    for (int64_t i = 0; i < others; i++)
        other[i] = second ? i : p->first + i;
    for (int64_t i = from; i < to; i++)
        if (again[i]) { /* nothing is known but how far to look */
            found->index[i * k + k - 1] = INT64_MAX;
            found->distance2[i * k + k - 1] = p->b->limit[i];
            rows[count++] = i;
        }
    const pith_i_among among = {others, other, p->b->part.before * others, p->b->part.all * others};
    if (count > 0)
        TRY(R->X.sparse ? pith_i_knn_sparse_redo(ctx, R, count, rows, &among, found)
                        : pith_i_knn_dense_redo(ctx, R, count, rows, &among, found));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static int64_t list_zeros(const pith_i_rows *R, int64_t from, int64_t to, int64_t room, int64_t *zero)
{
    int64_t zeros = 0;
    for (int64_t i = from; R->zeros > 0 && i < to && zeros < room; i++)
        if (pith_i_row_is_zero(R, i))
            zero[zeros++] = i;
    return zeros;
}

static pith_status settle(pith_ctx *ctx, const places *p, pith_i_lists *L, pith_i_knn *found)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = p->b->R->X.n, k = found->k;
    int64_t *zero = NULL;
    bool *again = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, zero, 2 * k));
    TRY(SCRATCH(ctx, again, n));
    const settling s = {
        p,
        L,
        {zero, zero + k},
        {list_zeros(p->b->R, 0, p->first, k, zero), list_zeros(p->b->R, p->first, n, k, zero + k)},
        found};
    TRY(settle_all(ctx, &s, again));
    pith_i_lists_close(L);
    TRY(search_again(ctx, p, again, false, found));
    TRY(search_again(ctx, p, again, true, found));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_knn_between(pith_ctx *ctx, const pith_i_between *b, pith_i_knn *found)
{
    const places p = {.b = b,
                      .first = b->first,
                      .second = b->R->X.n - b->first,
                      .base = (b->first + BLOCK - 1) / BLOCK * BLOCK};
    const int64_t m = pith_i_knn_candidates(pith_i_max(p.first, p.second) + 1, found->k);
    pith_i_lists L = {0};
    pith_status st = PITH_OK;
    if (p.first == 0 || p.second == 0) {
        for (int64_t i = 0; i < found->n; i++)
            pith_i_knn_write(found, i, NULL, 0);
        return PITH_OK;
    }
    TRY(b->R->X.sparse ? sparse_lists(ctx, &p, m, &L) : dense_lists(ctx, &p, m, &L));
    TRY(settle(ctx, &p, &L, found));
done:
    pith_i_lists_close(&L);
    return st;
}
