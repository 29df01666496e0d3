#include "graph/knn_tiles.h"

#include "core/parallel.h"
#include "matrix/blas.h"
#include "matrix/simd.h"

enum { CHUNK = 1024 }; /* columns of one product: keeps the rounding bound small for wide data */

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

typedef struct merging {
    const pith_i_floats *F;
    pith_i_lists *L; /* all of one shape */
    int64_t lists;
    float *product; /* of this thread: block x block */
    float *sum;     /* likewise, one a list; of a single list the product is the sum */
} merging;

int64_t pith_i_tiles_stride(int64_t p)
{
    const int64_t ld = (p + 15) / 16 * 16;
    return ld % 256 == 0 ? ld + 16 : ld;
}

pith_status pith_i_tiles_cut(pith_ctx *ctx, int64_t lists, const int64_t *first, pith_i_floats *F)
{
    const int64_t classes = INT64_C(1) << lists;
    pith_status st = PITH_OK;
    F->pieces = F->longest = 0;
    TRY(SCRATCH(ctx, F->piece, classes + first[classes] / CHUNK));
    for (int64_t c = 1; c < classes; c++) {
        const int64_t all = first[c + 1] - first[c], count = (all + CHUNK - 1) / CHUNK;
        const int64_t cols = count > 0 ? (all + count - 1) / count : 0; /* as even as can be */
        for (int64_t from = first[c]; from < first[c + 1]; from += cols)
            F->piece[F->pieces++] = (pith_i_piece){from, least(cols, first[c + 1] - from), (uint32_t)c};
        F->longest = cols > F->longest ? cols : F->longest;
    }
done:
    return st;
}

/* sum (+)= product, of which `cols` columns count. */
PITH_I_CLONES static void add_tile(int64_t rows, int64_t cols, int64_t ld, const float *restrict product,
                                   bool first, float *restrict sum)
{
    for (int64_t r = 0; r < rows; r++)
#pragma omp simd
        for (int64_t c = r * ld; c < r * ld + cols; c++)
            sum[c] = first ? product[c] : sum[c] + product[c];
}

/* The tiles of all lists, -2 Y_I Y_J' over the columns of each. A list without columns keeps its zeros. */
static void multiply_tile(const merging *w, int64_t row, int64_t rows, int64_t col, int64_t cols)
{
    const pith_i_floats *F = w->F;
    const int64_t ld = w->L->block;
    uint32_t begun = 0;
    for (int64_t t = 0; t < F->pieces; t++) {
        const pith_i_piece *a = &F->piece[t];
        const bool first = t == 0 || a[-1].lists != a->lists;
        const bool last = t + 1 == F->pieces || a[1].lists != a->lists;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)cols, (int)a->cols, -2,
                    F->y + row * F->ld + a->from, (int)F->ld, F->y + col * F->ld + a->from, (int)F->ld,
                    first ? 0 : 1, w->product, (int)ld);
        for (int64_t l = 0; last && w->lists > 1 && l < w->lists; l++)
            if (a->lists >> l & 1)
                add_tile(rows, cols, ld, w->product, !(begun >> l & 1), w->sum + l * ld * ld);
        begun |= last ? a->lists : 0;
    }
}

/* Blocks I <= J. On the diagonal by strips, each only from its own first column on. */
static void merge_tile(const merging *w, int64_t block_i, int64_t block_j)
{
    const int64_t n = w->L->n, block = w->L->block;
    const int64_t row = block_i * block, rows = least(block, n - row);
    const int64_t col = block_j * block, cols = least(block, n - col);
    const int64_t strip = block_i == block_j ? block / 4 : rows;
    for (int64_t r = 0; r < rows; r += strip) {
        const int64_t skip = block_i == block_j ? r : 0, take = least(strip, rows - r);
        multiply_tile(w, row + r, take, col + skip, cols - skip);
        for (int64_t l = 0; l < w->lists; l++)
            pith_i_lists_merge(&w->L[l], w->lists > 1 ? w->sum + l * block * block : w->product, block,
                               row + r, take, col + skip, cols - skip);
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

pith_status pith_i_tiles_merge(pith_ctx *ctx, const pith_i_floats *F, int64_t lists, pith_i_lists *L)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int threads = pith_ctx_threads(ctx);
    const int64_t pairs = L->blocks * (L->blocks + 1) / 2, cells = L->block * L->block;
    const int64_t each = cells * (lists > 1 ? lists + 1 : 1);
    pith_status st = PITH_OK;
    float *tiles = NULL;
    TRY(SCRATCH_ZERO(ctx, tiles, threads * each));
    pith_i_blas_enter();
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t t = 0; t < pairs; t++) {
        float *own = tiles + pith_i_thread() * each;
        const merging w = {F, L, lists, own, own + cells};
        int64_t block_i = 0, block_j = 0;
        if (pith_i_progress_stop(ctx, t, pairs))
            continue;
        pair_at(t, L->blocks, &block_i, &block_j);
        merge_tile(&w, block_i, block_j);
    }
    pith_i_blas_leave();
    TRY(pith_i_stop_status(ctx));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
