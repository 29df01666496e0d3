/* Neighbours of dense rows by matrix products on tiles. */
#include "core/parallel.h"
#include "graph/knn_find.h"
#include "matrix/blas.h"

#include <string.h>

enum {
    BLOCK = 512,       /* rows of a tile: its floats fit a level-2 cache */
    SMALL_BLOCK = 256, /* for fewer than MANY rows: less of the diagonal is done twice */
    MANY = 6000,
    CHUNK = 1024, /* columns of one product: keeps the rounding bound small for wide data */
    REDO_ROWS = 128,
    REDO_COLS = 256
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- Candidates: float products, the half I <= J ---------------------------------------------------- */

typedef struct floats {
    float *y; /* z in float, row-major */
    int64_t p, ld, chunk, chunks;
} floats;

/* Rows end on 64 bytes; a power of two would crowd them into few cache sets. */
static int64_t padded(int64_t p)
{
    const int64_t ld = (p + 15) / 16 * 16;
    return ld % 256 == 0 ? ld + 16 : ld;
}

static pith_status make_floats(pith_ctx *ctx, const pith_i_rows *R, floats *out)
{
    const int64_t n = R->X.n, p = R->X.p;
    floats F = {.p = p, .ld = padded(p), .chunks = (p + CHUNK - 1) / CHUNK};
    pith_status st = PITH_OK;
    F.chunk = F.chunks > 0 ? (p + F.chunks - 1) / F.chunks : 0;
    TRY(SCRATCH(ctx, F.y, n * F.ld));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx))
    for (int64_t i = 0; i < n; i++) {
        double part[256];
        for (int64_t col = 0; col < p; col += 256) {
            const int64_t cols = least(256, p - col);
            pith_i_rows_pack(R, NULL, i, 1, col, cols, part, 256);
            for (int64_t j = 0; j < cols; j++)
                F.y[i * F.ld + col + j] = (float)part[j];
        }
    }
    *out = F;
done:
    return st;
}

/* tile = -2 Y_I Y_J' */
static void multiply_tile(const floats *F, int64_t row, int64_t rows, int64_t col, int64_t cols, float *tile,
                          int64_t ld)
{
    for (int64_t c = 0; c < F->chunks; c++) {
        const int64_t from = c * F->chunk;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)cols,
                    (int)least(F->chunk, F->p - from), -2, F->y + row * F->ld + from, (int)F->ld,
                    F->y + col * F->ld + from, (int)F->ld, c == 0 ? 0 : 1, tile, (int)ld);
    }
}

/* Blocks I <= J. On the diagonal by strips, each only from its own first column on. */
static void merge_tile(const floats *F, pith_i_lists *L, int64_t block_i, int64_t block_j, float *tile)
{
    const int64_t row = block_i * L->block, rows = least(L->block, L->n - row);
    const int64_t col = block_j * L->block, cols = least(L->block, L->n - col);
    const int64_t strip = block_i == block_j ? L->block / 4 : rows;
    for (int64_t r = 0; r < rows; r += strip) {
        const int64_t skip = block_i == block_j ? r : 0, take = least(strip, rows - r);
        multiply_tile(F, row + r, take, col + skip, cols - skip, tile, L->block);
        pith_i_lists_merge(L, tile, L->block, row + r, take, col + skip, cols - skip);
    }
}

/*
 * Pair number t of the blocks, by diagonals: (0,0) (1,1) ... (0,1) (1,2) ... so that threads at work
 * next to each other seldom want the same lists.
 */
static void pair_at(int64_t t, int64_t blocks, int64_t *block_i, int64_t *block_j)
{
    int64_t diagonal = 0;
    while (t >= blocks - diagonal) {
        t -= blocks - diagonal;
        diagonal++;
    }
    *block_i = t;
    *block_j = t + diagonal;
}

static pith_status merge_all(pith_ctx *ctx, const floats *F, pith_i_lists *L)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int threads = pith_ctx_threads(ctx);
    const int64_t pairs = L->blocks * (L->blocks + 1) / 2, cells = L->block * L->block;
    pith_status st = PITH_OK;
    float *tiles = NULL;
    TRY(SCRATCH_ZERO(ctx, tiles, threads * cells));
    pith_i_blas_enter();
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t t = 0; t < pairs; t++) {
        int64_t block_i = 0, block_j = 0;
        if (pith_i_progress_stop(ctx, t, pairs))
            continue;
        pair_at(t, L->blocks, &block_i, &block_j);
        merge_tile(F, L, block_i, block_j, tiles + pith_i_thread() * cells);
    }
    pith_i_blas_leave();
    TRY(pith_i_stop_status(ctx));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_knn_dense_lists(pith_ctx *ctx, const pith_i_rows *R, int64_t m, pith_i_lists *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_lists L = {0};
    pith_status st = PITH_OK;
    floats F = {0};
    TRY(make_floats(ctx, R, &F));
    TRY(pith_i_lists_open(ctx, R, m, R->X.n < MANY ? SMALL_BLOCK : BLOCK, &L));
    for (int64_t i = 0; i < R->X.n; i++)
        pith_i_lists_set_norm(&L, R, i, F.chunk + F.chunks);
    TRY(merge_all(ctx, &F, &L));
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
    const double *norm; /* shrunk for double */
    const int64_t *rows;
    pith_i_knn *knn;
    double *a, *b, *tile;  /* REDO_ROWS x CHUNK, REDO_COLS x CHUNK, REDO_ROWS x REDO_COLS */
    pith_i_search *search; /* REDO_ROWS */
    pith_i_near *near;     /* REDO_ROWS x k */
} redo;

/* tile = z_I'z_J for the rows listed from `first` on and the rows from col on. */
static void redo_tile(const redo *w, int64_t first, int64_t count, int64_t col, int64_t cols)
{
    const int64_t p = w->R->X.p;
    for (int64_t from = 0; from < p; from += CHUNK) {
        const int64_t width = least(CHUNK, p - from);
        if (col == 0 || p > CHUNK) /* a single chunk is still there from the first columns */
            pith_i_rows_pack(w->R, w->rows, first, count, from, width, w->a, CHUNK);
        pith_i_rows_pack(w->R, NULL, col, cols, from, width, w->b, CHUNK);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, (int)cols, (int)width, 1, w->a,
                    CHUNK, w->b, CHUNK, from == 0 ? 0 : 1, w->tile, REDO_COLS);
    }
}

static void redo_rows(const redo *w, int64_t first, int64_t count)
{
    const int64_t n = w->R->X.n;
    for (int64_t r = 0; r < count; r++)
        pith_i_search_start(&w->search[r], w->R, w->knn, w->rows[first + r], w->near + r * w->knn->k);
    for (int64_t col = 0; col < n; col += REDO_COLS) {
        const int64_t cols = least(REDO_COLS, n - col);
        redo_tile(w, first, count, col, cols);
        for (int64_t r = 0; r < count; r++) {
            pith_i_search *s = &w->search[r];
            const pith_i_probe probe = {w->R, s->i, NULL};
            for (int64_t c = 0; c < cols; c++) {
                const double bound = w->norm[s->i] + w->norm[col + c] - 2 * w->tile[r * REDO_COLS + c];
                if (pith_i_search_wants(s, col + c, bound))
                    pith_i_search_take(s, col + c, pith_i_probe_distance2(&probe, col + c));
            }
        }
    }
    for (int64_t r = 0; r < count; r++)
        pith_i_search_end(&w->search[r], w->knn);
}

pith_status pith_i_knn_dense_redo(pith_ctx *ctx, const pith_i_rows *R, int64_t count, const int64_t *rows,
                                  pith_i_knn *knn)
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
        norm[i] = pith_i_shrunk(R, i, R->X.p, true);
    pith_i_blas_enter();
#pragma omp parallel for num_threads((int)threads) schedule(dynamic)
    for (int64_t first = 0; first < count; first += REDO_ROWS) {
        const int64_t t = pith_i_thread();
        const redo w = {R,
                        norm,
                        rows,
                        knn,
                        a + t * REDO_ROWS * CHUNK,
                        b + t * REDO_COLS * CHUNK,
                        tile + t * REDO_ROWS * REDO_COLS,
                        search + t * REDO_ROWS,
                        near + t * REDO_ROWS * k};
        if (!pith_i_progress_stop(ctx, first, count))
            redo_rows(&w, first, least(REDO_ROWS, count - first));
    }
    pith_i_blas_leave();
    TRY(pith_i_stop_status(ctx));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
