#include "graph/knn_subsets.h"

#include "core/engine.h"
#include "graph/knn_engine.h"
#include "graph/knn_find.h"
#include "graph/knn_tiles.h"

enum { BLOCK = 128 }; /* rows of a tile: those of a dozen classes fit a level-2 cache, or nearly */

/* |y_i|^2 over the columns of one subset. */
static void subset_squares(const pith_i_floats *F, int64_t n, int64_t subset, double *square)
{
    for (int64_t i = 0; i < n; i++) {
        square[i] = 0;
        for (int64_t c = 0; c < F->classes; c++)
            for (int64_t j = F->first[c]; (F->lists[c] >> subset & 1) != 0 && j < F->first[c + 1]; j++)
                square[i] += (double)F->y[i * F->ld + j] * (double)F->y[i * F->ld + j];
    }
}

bool pith_i_subsets_share(const pith_ctx *ctx)
{
    return !pith_i_engine_searches(ctx) || pith_i_engine(ctx)->knn_subsets != NULL;
}

pith_status pith_i_known_lists(pith_ctx *ctx, const pith_i_data *X, pith_i_metric metric, int64_t subsets,
                               const uint32_t *mask, int64_t k, bool *found, pith_i_lists *lists)
{
    pith_i_knn knn[PITH_I_MOST_PARTS] = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_knn_subsets_elsewhere(ctx, X, metric, subsets, mask, k < X->n - 1 ? k : X->n - 1, found, knn));
    for (int64_t l = 0; *found && l < subsets; l++)
        lists[l] = (pith_i_lists){.known = knn[l]};
done:
    return st;
}

/* Asks an engine, which takes the mask of every column: that of its class. */
static pith_status known_of_classes(pith_ctx *ctx, const pith_i_data *Y, int64_t subsets, int64_t classes,
                                    const int64_t *first, const uint32_t *mask, int64_t k, bool *found,
                                    pith_i_lists *lists)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    uint32_t *of_column = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, of_column, Y->p));
    for (int64_t c = 0; c < classes; c++)
        for (int64_t j = first[c]; j < first[c + 1]; j++)
            of_column[j] = mask[c];
    TRY(pith_i_known_lists(ctx, Y, PITH_I_EUCLIDEAN, subsets, of_column, k, found, lists));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_subset_lists(pith_ctx *ctx, const pith_i_data *Y, int64_t subsets, int64_t classes,
                                const int64_t *first, const uint32_t *mask, int64_t k, pith_i_lists *lists)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = Y->n, m = pith_i_knn_candidates(n, k < n - 1 ? k : n - 1);
    const pith_i_floats F = {Y->x, Y->row_stride, classes, first, mask};
    const int64_t terms = pith_i_tiles_terms(&F);
    pith_i_rows R = {.X = *Y, .metric = PITH_I_EUCLIDEAN, .scale = 1};
    pith_i_lists L[PITH_I_MOST_PARTS] = {0};
    bool found = false;
    pith_status st = PITH_OK;
    TRY(known_of_classes(ctx, Y, subsets, classes, first, mask, k, &found, lists));
    if (found)
        return PITH_OK;
    TRY(SCRATCH(ctx, R.factor, n));
    TRY(SCRATCH(ctx, R.square, n));
    for (int64_t i = 0; i < n; i++)
        R.factor[i] = 1;
    for (int64_t l = 0; l < subsets; l++) {
        TRY(pith_i_lists_open(ctx, &R, m, BLOCK, &L[l]));
        subset_squares(&F, n, l, R.square);
        for (int64_t i = 0; i < n; i++)
            pith_i_lists_set_norm(&L[l], &R, i, terms);
    }
    TRY(pith_i_tiles_merge(ctx, &F, subsets, L));
    for (int64_t l = 0; l < subsets; l++) {
        lists[l] = L[l];
        L[l] = (pith_i_lists){0};
    }
done:
    for (int64_t l = 0; l < subsets; l++)
        pith_i_lists_close(&L[l]);
    pith_i_scratch_release(ctx, mark);
    return st;
}
