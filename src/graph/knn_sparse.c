/* Neighbours of sparse rows by inverted lists, a slice of rows at a time. */
#include "core/parallel.h"
#include "graph/knn_find.h"
#include "graph/knn_index.h"

#include <string.h>

enum { BLOCK = 512, STRIP = 32 }; /* rows that share a lock; rows of a tile */

/* ---- Candidates: every row against the rows of the slice that come after it -------------------------- */

static void merge_strip(const pith_i_rows *R, const pith_i_index *index, pith_i_lists *L, int64_t row,
                        int64_t first, int64_t ld, float *tile)
{
    const int64_t rows = pith_i_min(STRIP, L->n - row), end = first + index->rows;
    memset(tile, 0, (size_t)(rows * ld) * sizeof *tile);
    for (int64_t r = 0; r < rows; r++)
        pith_i_index_add_f32(index, R, row + r, row + r - first, -2, tile + r * ld);
    for (int64_t col = first; col < end; col += BLOCK)
        if (col + BLOCK > row)
            pith_i_lists_merge(L, tile + (col - first), ld, row, rows, col, pith_i_min(BLOCK, end - col));
}

/* Pairs done at `row` of the slice first..end; those of all rows before the slice are done. */
static int64_t work_done(int64_t first, int64_t end, int64_t row)
{
    return (int64_t)(0.5 * (double)first * (double)first + 0.5 * (double)row * (double)(end - first));
}

static pith_status merge_slices(pith_ctx *ctx, const pith_i_rows *R, pith_i_lists *L)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = R->X.n, slice = pith_i_index_slice(R), threads = pith_ctx_threads(ctx);
    pith_status st = PITH_OK;
    pith_i_index index = {.dtype = PITH_F32, .widens = true};
    float *tiles = NULL;
    TRY(pith_i_index_reserve(ctx, R, NULL, n, slice, &index));
    TRY(SCRATCH(ctx, tiles, threads * STRIP * slice));
    for (int64_t first = 0; first < n; first += slice) {
        pith_i_index_fill(&index, R, NULL, first, pith_i_min(slice, n - first));
        const int64_t end = first + index.rows;
#pragma omp parallel for num_threads((int)threads) schedule(dynamic)
        for (int64_t row = 0; row < end; row += STRIP)
            if (!pith_i_progress_stop(ctx, work_done(first, end, row), work_done(n, n, 0)))
                merge_strip(R, &index, L, row, first, slice, tiles + pith_i_thread() * STRIP * slice);
        TRY(pith_i_stop_status(ctx));
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_knn_sparse_lists(pith_ctx *ctx, const pith_i_rows *R, int64_t m, pith_i_lists *out)
{
    pith_i_lists L = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_lists_open(ctx, R, m, BLOCK, &L));
    /* Two rows share at most as many columns as the shorter has, so each norm allows for its own length. */
    for (int64_t i = 0; i < R->X.n; i++)
        pith_i_lists_set_norm(&L, R, i, R->X.indptr[i + 1] - R->X.indptr[i]);
    TRY(merge_slices(ctx, R, &L));
    *out = L;
    return PITH_OK;
done:
    pith_i_lists_close(&L);
    return st;
}

/* ---- Again in double --------------------------------------------------------------------------------- */

typedef struct redo {
    const pith_i_rows *R;
    const double *norm; /* lowered for bounds in double: pith_i_shrunk */
    const pith_i_index *index;
    const pith_i_among *among;
    int64_t first;    /* place in `among` of the index's row 0 */
    double *acc;      /* products with the rows of the slice */
    uint8_t *touched; /* likewise */
    double *spread;   /* p zeros */
} redo;

static void redo_row(const redo *w, pith_i_search *s)
{
    const pith_i_rows *R = w->R;
    const int64_t rows = w->index->rows;
    const double apart = 2 * R->scale * R->scale;
    pith_i_probe probe;
    memset(w->acc, 0, (size_t)rows * sizeof *w->acc);
    memset(w->touched, 0, (size_t)rows);
    pith_i_index_add_f64(w->index, R, s->i, -1, w->acc, w->touched);
    pith_i_probe_start(&probe, R, s->i, w->spread);
    for (int64_t r = 0; r < rows; r++) {
        const int64_t l = pith_i_among_at(w->among, w->first + r);
        /* Cosines of rows that share nothing are 0 without rounding: their many ties cost nothing. */
        const bool known = R->metric == PITH_I_COSINE && !w->touched[r];
        if (pith_i_search_wants(s, l, known ? apart : w->norm[s->i] + w->norm[l] - 2 * w->acc[r]))
            pith_i_search_take(s, l, known ? 2 : pith_i_probe_distance2(&probe, l));
    }
    pith_i_probe_end(&probe);
}

static void shrink_norms(const pith_i_rows *R, double *norm)
{
    int64_t most = 0;
    for (int64_t i = 0; i < R->X.n; i++) {
        const int64_t entries = R->X.indptr[i + 1] - R->X.indptr[i];
        most = entries > most ? entries : most;
    }
    for (int64_t i = 0; i < R->X.n; i++)
        norm[i] = pith_i_shrunk(R, R->square[i], most, true);
}

pith_status pith_i_knn_sparse_redo(pith_ctx *ctx, const pith_i_rows *R, int64_t count, const int64_t *rows,
                                   const pith_i_among *among, pith_i_knn *knn)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t total = among->count, p = R->X.p, slice = pith_i_index_slice(R),
                  threads = pith_ctx_threads(ctx);
    pith_status st = PITH_OK;
    pith_i_index index = {.dtype = PITH_F64};
    double *acc = NULL, *spread = NULL, *norm = NULL;
    uint8_t *touched = NULL;
    pith_i_search *search = NULL;
    pith_i_near *near = NULL;
    TRY(pith_i_index_reserve(ctx, R, among->ids, total, slice, &index));
    TRY(SCRATCH(ctx, acc, threads * slice));
    TRY(SCRATCH(ctx, touched, threads * slice));
    TRY(SCRATCH_ZERO(ctx, spread, threads * p));
    TRY(SCRATCH(ctx, norm, R->X.n));
    TRY(SCRATCH(ctx, search, count));
    TRY(SCRATCH(ctx, near, count * knn->k));
    shrink_norms(R, norm);
    for (int64_t s = 0; s < count; s++)
        pith_i_search_start(&search[s], R, knn, rows[s], near + s * knn->k);
    for (int64_t first = 0; first < total; first += slice) {
        pith_i_index_fill(&index, R, among->ids, first, pith_i_min(slice, total - first));
#pragma omp parallel for num_threads((int)threads) schedule(dynamic, 16)
        for (int64_t s = 0; s < count; s++) {
            const int64_t t = pith_i_thread();
            const redo w = {
                R, norm, &index, among, first, acc + t * slice, touched + t * slice, spread + t * p};
            if (!pith_i_progress_stop(ctx, among->before + first, among->all))
                redo_row(&w, &search[s]);
        }
        TRY(pith_i_stop_status(ctx));
    }
    for (int64_t s = 0; s < count; s++)
        pith_i_search_end(&search[s], knn);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
