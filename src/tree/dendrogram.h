/*
 * Hierarchical clustering by chains of nearest neighbours (Benzecri 1982; Murtagh 1983). Average linkage and
 * Ward's are reducible, so merging reciprocal nearest neighbours as a chain meets them gives the dendrogram
 * of the greedy algorithm; sorted by height, its merges are the greedy ones.
 */
#ifndef PITH_TREE_DENDROGRAM_H
#define PITH_TREE_DENDROGRAM_H

#include "core/core.h"

/* Two clusters, each identified by one of its points, become one. */
typedef struct pith_i_merge {
    int32_t a, b;
    double height;
    int64_t step; /* the order in which the chain found it; breaks ties of height */
} pith_i_merge;

static inline int64_t pith_i_pairs(int64_t n)
{
    return n * (n - 1) / 2;
}
/* The index of the distance of i < j in the upper triangle, row by row. */
static inline int64_t pith_i_pair(int64_t n, int64_t i, int64_t j)
{
    return i * (2 * n - i - 1) / 2 + (j - i - 1);
}

/*
 * The n - 1 merges, sorted by height. distance: pith_i_pairs(n), overwritten; for Ward's linkage distances
 * are squared, and so are the heights. Ties go to the previous cluster of the chain, then to the smaller
 * number. O(n^2) time.
 */
pith_status pith_i_dendrogram(pith_ctx *ctx, int64_t n, bool ward, float *distance, pith_i_merge *merges);

/*
 * Ward's linkage without a distance matrix: points are rows of `unit` (n x dims, overwritten by centroids),
 * whose distances are computed when they are needed. O(n^2 dims) time.
 */
pith_status pith_i_dendrogram_ward(pith_ctx *ctx, int64_t n, int64_t dims, float *unit, pith_i_merge *merges);

/* Labels of the clusters after all but the last clusters - 1 of the sorted merges, numbered 0, 1, ... by
 * their first point. */
pith_status pith_i_dendrogram_cut(pith_ctx *ctx, int64_t n, const pith_i_merge *merges, int64_t clusters,
                                  int32_t *label);

#endif
