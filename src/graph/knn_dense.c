/* Neighbours of dense rows by matrix products on tiles. */
#include "core/parallel.h"
#include "graph/knn_find.h"
#include "graph/knn_tiles.h"
#include "matrix/blas.h"

#include <string.h>

enum {
    BLOCK = 512,       /* rows of a tile: its floats fit a level-2 cache */
    SMALL_BLOCK = 256, /* for fewer than MANY rows: less of the diagonal is computed twice */
    MANY = 6000,
    CHUNK = 1024, /* columns of one product in double */
    REDO_ROWS = 128,
    REDO_COLS = 256
};

/* ---- Candidates ---------------------------------------------------------------------------------------- */

/* The rows in float; all columns are one class. */
static pith_status make_floats(pith_ctx *ctx, const pith_i_rows *R, pith_i_floats *out)
{
    static const uint32_t only = 1;
    const int64_t n = R->X.n, p = R->X.p, ld = pith_i_tiles_stride(p);
    int64_t *first = NULL;
    float *y = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, first, 2));
    TRY(SCRATCH(ctx, y, n * ld));
    first[0] = 0;
    first[1] = p;
#pragma omp parallel for num_threads(pith_ctx_threads(ctx))
    for (int64_t i = 0; i < n; i++)
        pith_i_rows_floats(R, i, y + i * ld);
    *out = (pith_i_floats){.y = y, .ld = ld, .classes = 1, .first = first, .lists = &only};
done:
    return st;
}

pith_status pith_i_knn_dense_lists(pith_ctx *ctx, const pith_i_rows *R, int64_t m, pith_i_lists *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_lists L = {0};
    pith_status st = PITH_OK;
    pith_i_floats F = {0};
    TRY(make_floats(ctx, R, &F));
    TRY(pith_i_lists_open(ctx, R, m, R->X.n < MANY ? SMALL_BLOCK : BLOCK, &L));
    const int64_t terms = pith_i_tiles_terms(&F);
    for (int64_t i = 0; i < R->X.n; i++)
        pith_i_lists_set_norm(&L, R, i, terms);
    TRY(pith_i_tiles_merge(ctx, &F, 1, &L));
    *out = L;
    L = (pith_i_lists){0};
done:
    pith_i_lists_close(&L);
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- Again in double --------------------------------------------------------------------------------- */

typedef struct redo {
    const pith_i_rows *R;
    const double *norm; /* lowered for bounds in double: pith_i_shrunk */
    const int64_t *rows;
    const pith_i_among *among;
    pith_i_knn *knn;
    double *a, *b, *tile;  /* REDO_ROWS x CHUNK, REDO_COLS x CHUNK, REDO_ROWS x REDO_COLS */
    pith_i_search *search; /* REDO_ROWS */
    pith_i_near *near;     /* REDO_ROWS x k */
} redo;

/* tile = z_I'z_J: I are the rows to search, from `first` on, J those to search among, from col on. */
static void redo_tile(const redo *w, int64_t first, int64_t count, int64_t col, int64_t cols)
{
    const int64_t p = w->R->X.p;
    for (int64_t from = 0; from < p; from += CHUNK) {
        const int64_t width = pith_i_min(CHUNK, p - from);
        if (col == 0 || p > CHUNK) /* a single chunk is still packed from the first tile */
            pith_i_rows_pack(w->R, w->rows, first, count, from, width, w->a, CHUNK);
        pith_i_rows_pack(w->R, w->among->ids, col, cols, from, width, w->b, CHUNK);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, (int)cols, (int)width, 1, w->a,
                    CHUNK, w->b, CHUNK, from == 0 ? 0 : 1, w->tile, REDO_COLS);
    }
}

static void redo_rows(const redo *w, int64_t first, int64_t count)
{
    const int64_t n = w->among->count;
    for (int64_t r = 0; r < count; r++)
        pith_i_search_start(&w->search[r], w->R, w->knn, w->rows[first + r], w->near + r * w->knn->k);
    for (int64_t col = 0; col < n; col += REDO_COLS) {
        const int64_t cols = pith_i_min(REDO_COLS, n - col);
        redo_tile(w, first, count, col, cols);
        for (int64_t r = 0; r < count; r++) {
            pith_i_search *s = &w->search[r];
            const pith_i_probe probe = {w->R, s->i, NULL};
            for (int64_t c = 0; c < cols; c++) {
                const int64_t l = pith_i_among_at(w->among, col + c);
                const double bound = w->norm[s->i] + w->norm[l] - 2 * w->tile[r * REDO_COLS + c];
                if (pith_i_search_wants(s, l, bound))
                    pith_i_search_take(s, l, pith_i_probe_distance2(&probe, l));
            }
        }
    }
    for (int64_t r = 0; r < count; r++)
        pith_i_search_end(&w->search[r], w->knn);
}

pith_status pith_i_knn_dense_redo(pith_ctx *ctx, const pith_i_rows *R, int64_t count, const int64_t *rows,
                                  const pith_i_among *among, pith_i_knn *knn)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = R->X.n, k = knn->k, threads = pith_ctx_threads(ctx);
    pith_status st = PITH_OK;
    double *a = NULL, *b = NULL, *tile = NULL, *norm = NULL;
    pith_i_search *search = NULL;
    pith_i_near *near = NULL;
    TRY(SCRATCH(ctx, a, threads * REDO_ROWS * CHUNK));
    TRY(SCRATCH(ctx, b, threads * REDO_COLS * CHUNK));
    TRY(SCRATCH_ZERO(ctx, tile, threads * REDO_ROWS * REDO_COLS));
    TRY(SCRATCH(ctx, search, threads * REDO_ROWS));
    TRY(SCRATCH(ctx, near, threads * REDO_ROWS * k));
    TRY(SCRATCH(ctx, norm, n));
    for (int64_t i = 0; i < n; i++)
        norm[i] = pith_i_shrunk(R, R->square[i], R->X.p, true);
    pith_i_blas_enter();
#pragma omp parallel for num_threads((int)threads) schedule(dynamic)
    for (int64_t first = 0; first < count; first += REDO_ROWS) {
        const int64_t t = pith_i_thread();
        const redo w = {R,
                        norm,
                        rows,
                        among,
                        knn,
                        a + t * REDO_ROWS * CHUNK,
                        b + t * REDO_COLS * CHUNK,
                        tile + t * REDO_ROWS * REDO_COLS,
                        search + t * REDO_ROWS,
                        near + t * REDO_ROWS * k};
        if (!pith_i_progress_stop(ctx, among->before * count + among->count * first, among->all * count))
            redo_rows(&w, first, pith_i_min(REDO_ROWS, count - first));
    }
    pith_i_blas_leave();
    TRY(pith_i_stop_status(ctx));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
