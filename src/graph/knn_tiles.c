#include "graph/knn_tiles.h"

#include "core/parallel.h"
#include "matrix/blas.h"
#include "matrix/simd.h"

enum {
    CHUNK = 1024, /* columns of one product: keeps the rounding bound small for wide data */
    SIX = 6       /* tiles that are added at once */
};

typedef struct merging {
    const pith_i_floats *F;
    pith_i_lists *L; /* all of one shape */
    int64_t lists, cells;
    float *product;    /* of this thread: a tile of block x block cells for each class, */
    float *sum, *zero; /* one for a list, and one of zeros */
} merging;

int64_t pith_i_tiles_stride(int64_t p)
{
    const int64_t ld = (p + 15) / 16 * 16;
    return ld % 256 == 0 ? ld + 16 : ld;
}

/* Products that a class takes, of at most CHUNK columns each. */
static int64_t chunks_of(const pith_i_floats *F, int64_t c)
{
    return (F->first[c + 1] - F->first[c] + CHUNK - 1) / CHUNK;
}

int64_t pith_i_tiles_terms(const pith_i_floats *F)
{
    int64_t longest = 0, chunks = 0;
    for (int64_t c = 0; c < F->classes; c++) {
        const int64_t columns = pith_i_min(F->first[c + 1] - F->first[c], CHUNK);
        longest = columns > longest ? columns : longest;
        chunks += chunks_of(F, c);
    }
    return longest + chunks + SIX;
}

/* The tile of a class, -2 Y_I Y_J' over its columns, in chunks of nearly equal width. */
static void multiply_class(const merging *w, int64_t c, int64_t row, int64_t rows, int64_t col, int64_t cols)
{
    const pith_i_floats *F = w->F;
    const int64_t end = F->first[c + 1], chunks = chunks_of(F, c), ld = w->L->block;
    const int64_t each = chunks > 0 ? (end - F->first[c] + chunks - 1) / chunks : 0;
    for (int64_t from = F->first[c]; from < end; from += each)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)cols,
                    (int)pith_i_min(each, end - from), -2, F->y + row * F->ld + from, (int)F->ld,
                    F->y + col * F->ld + from, (int)F->ld, from == F->first[c] ? 0 : 1,
                    w->product + c * w->cells, (int)ld);
}

#define EIGHT(x) (*(const pith_i_float8 *)(x))

/* sum = six tiles if `first`, else sum += six tiles, over `cols` columns rounded up to a multiple of 8.
 * Vectorised by hand: the compiler does not vectorise a loop with this branch. */
PITH_I_CLONES static void add_tiles(int64_t rows, int64_t cols, int64_t ld, const float *const from[SIX],
                                    bool first, float *sum)
{
    for (int64_t r = 0; r < rows; r++) {
        const float *a = from[0] + r * ld, *b = from[1] + r * ld, *c = from[2] + r * ld;
        const float *d = from[3] + r * ld, *e = from[4] + r * ld, *f = from[5] + r * ld;
        float *to = sum + r * ld;
        for (int64_t x = 0; x < cols; x += 8) {
            pith_i_float8 four = (EIGHT(a + x) + EIGHT(b + x)) + (EIGHT(c + x) + EIGHT(d + x));
            const pith_i_float8 two = EIGHT(e + x) + EIGHT(f + x);
            if (!first)
                four = EIGHT(to + x) + four;
            *(pith_i_float8 *)(to + x) = four + two;
        }
    }
}

/* With one list and one class there is nothing to add: the product is the tile. */
static bool is_one(const pith_i_floats *F, int64_t lists)
{
    return lists == 1 && F->classes == 1;
}

/* The tile of list l. */
static const float *tile_of_list(const merging *w, int64_t l, int64_t rows, int64_t cols)
{
    const pith_i_floats *F = w->F;
    const float *from[SIX] = {w->zero, w->zero, w->zero, w->zero, w->zero, w->zero};
    int64_t count = 0;
    bool first = true;
    if (is_one(F, w->lists))
        return w->product;
    for (int64_t c = 0; c < F->classes; c++) {
        if ((F->lists[c] >> l & 1) == 0 || chunks_of(F, c) == 0)
            continue;
        if (count == SIX) {
            add_tiles(rows, cols, w->L->block, from, first, w->sum);
            first = false;
            for (count = 0; count < SIX; count++)
                from[count] = w->zero;
            count = 0;
        }
        from[count++] = w->product + c * w->cells;
    }
    add_tiles(rows, cols, w->L->block, from, first, w->sum);
    return w->sum;
}

/* Blocks I <= J. On the diagonal by strips, each only from its own first column on. */
static void merge_tile(const merging *w, int64_t block_i, int64_t block_j)
{
    const int64_t n = w->L->n, block = w->L->block;
    const int64_t row = block_i * block, rows = pith_i_min(block, n - row);
    const int64_t col = block_j * block, cols = pith_i_min(block, n - col);
    const int64_t strip = block_i == block_j ? block / 4 : rows;
    for (int64_t r = 0; r < rows; r += strip) {
        const int64_t skip = block_i == block_j ? r : 0, take = pith_i_min(strip, rows - r);
        for (int64_t c = 0; c < w->F->classes; c++)
            multiply_class(w, c, row + r, take, col + skip, cols - skip);
        for (int64_t l = 0; l < w->lists; l++)
            pith_i_lists_merge(&w->L[l], tile_of_list(w, l, take, cols - skip), block, row + r, take,
                               col + skip, cols - skip);
    }
}

/*
 * Pair number t of the blocks, by diagonals: (0,0) (1,1) ... (0,1) (1,2) ... so that threads at work
 * at the same time seldom need the same lists.
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

typedef struct course { /* which pairs of blocks are visited */
    int64_t first;      /* blocks of the one side, against all others; 0: all blocks, the half I <= J */
    pith_i_part part;
} course;

static int64_t pairs_of(const course *c, int64_t blocks)
{
    return c->first > 0 ? c->first * (blocks - c->first) : blocks * (blocks + 1) / 2;
}

static void course_at(const course *c, int64_t t, int64_t blocks, int64_t *block_i, int64_t *block_j)
{
    if (c->first == 0) {
        pair_at(t, blocks, block_i, block_j);
        return;
    }
    *block_i = t % c->first; /* by diagonals here, too */
    *block_j = c->first + (t / c->first + *block_i) % (blocks - c->first);
}

static pith_status merge_pairs(pith_ctx *ctx, const pith_i_floats *F, const course *c, int64_t lists,
                               pith_i_lists *L)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int threads = pith_ctx_threads(ctx);
    const int64_t pairs = pairs_of(c, L->blocks), cells = L->block * L->block;
    const int64_t each = cells * (is_one(F, lists) ? 1 : F->classes + 2);
    pith_status st = PITH_OK;
    float *tiles = NULL;
    TRY(SCRATCH_ZERO(ctx, tiles, threads * each));
    pith_i_blas_enter();
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t t = 0; t < pairs; t++) {
        float *own = tiles + pith_i_thread() * each;
        const merging w = {F, L, lists, cells, own, own + F->classes * cells, own + (F->classes + 1) * cells};
        int64_t block_i = 0, block_j = 0;
        if (pith_i_progress_stop(ctx, c->part.before * pairs + t, c->part.all * pairs))
            continue;
        course_at(c, t, L->blocks, &block_i, &block_j);
        merge_tile(&w, block_i, block_j);
    }
    pith_i_blas_leave();
    TRY(pith_i_stop_status(ctx));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_tiles_merge(pith_ctx *ctx, const pith_i_floats *F, int64_t lists, pith_i_lists *L)
{
    return merge_pairs(ctx, F, &(course){.part = {0, 1}}, lists, L);
}

pith_status pith_i_tiles_merge_between(pith_ctx *ctx, const pith_i_floats *F, int64_t blocks,
                                       const pith_i_part *part, pith_i_lists *L)
{
    return merge_pairs(ctx, F, &(course){blocks, *part}, 1, L);
}
