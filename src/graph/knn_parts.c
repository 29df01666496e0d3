#include "graph/knn_parts.h"

#include "graph/knn_find.h"
#include "graph/knn_tiles.h"

enum { BLOCK = 256 }; /* rows of a tile: those of all parts fit a level-2 cache */

/* |y_i|^2 over the columns of one part. */
static void part_squares(const pith_i_floats *F, int64_t n, uint32_t part, double *square)
{
    for (int64_t i = 0; i < n; i++) {
        square[i] = 0;
        for (int64_t t = 0; t < F->pieces; t++) {
            const float *y = F->y + i * F->ld + F->piece[t].from;
            for (int64_t j = 0; (F->piece[t].lists & part) != 0 && j < F->piece[t].cols; j++)
                square[i] += (double)y[j] * (double)y[j];
        }
    }
}

pith_status pith_i_part_lists(pith_ctx *ctx, const pith_i_data *Y, int64_t parts, const int64_t *first,
                              int64_t k, pith_i_lists *lists)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = Y->n, m = pith_i_knn_candidates(n, k < n - 1 ? k : n - 1);
    pith_i_rows R = {.X = *Y, .metric = PITH_I_EUCLIDEAN, .scale = 1};
    pith_i_floats F = {.y = Y->x, .ld = Y->row_stride};
    pith_i_lists L[PITH_I_MOST_PARTS] = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_tiles_cut(ctx, parts, first, &F));
    TRY(SCRATCH(ctx, R.factor, n));
    TRY(SCRATCH(ctx, R.square, n));
    for (int64_t i = 0; i < n; i++)
        R.factor[i] = 1;
    for (int64_t l = 0; l < parts; l++) {
        TRY(pith_i_lists_open(ctx, &R, m, BLOCK, &L[l]));
        part_squares(&F, n, UINT32_C(1) << l, R.square);
        for (int64_t i = 0; i < n; i++)
            pith_i_lists_set_norm(&L[l], &R, i, F.longest + F.pieces);
    }
    TRY(pith_i_tiles_merge(ctx, &F, parts, L));
    for (int64_t l = 0; l < parts; l++) {
        lists[l] = L[l];
        L[l] = (pith_i_lists){0};
    }
done:
    for (int64_t l = 0; l < parts; l++)
        pith_i_lists_close(&L[l]);
    pith_i_scratch_release(ctx, mark);
    return st;
}
