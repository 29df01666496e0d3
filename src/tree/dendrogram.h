/*
 * Hierarchical clustering by chains of nearest neighbours (Benzecri 1982; Murtagh 1983). Average linkage and
 * Ward's are reducible, so merging reciprocal nearest neighbours as a chain meets them gives the dendrogram
 * of the greedy algorithm; sorted by height, its merges are the greedy ones.
 */
#ifndef PITH_TREE_DENDROGRAM_H
#define PITH_TREE_DENDROGRAM_H

#include "core/core.h"

/* Two clusters, each named by one of its points, become one. */
typedef struct pith_i_merge {
    int32_t a, b;
    double height;
    int64_t step; /* when the chain met it: orders merges of equal height */
} pith_i_merge;

static inline int64_t pith_i_pairs(int64_t n)
{
    return n * (n - 1) / 2;
}
/* Where the distance of i < j is in the upper triangle, row by row. */
static inline int64_t pith_i_pair(int64_t n, int64_t i, int64_t j)
{
    return i * (2 * n - i - 1) / 2 + (j - i - 1);
}

/*
 * The n - 1 merges, by height. distance: pith_i_pairs(n), destroyed; for Ward's they are squared, and so are
 * the heights. Ties go to the cluster before in the chain, then to the smaller number. O(n^2) time.
 */
pith_status pith_i_dendrogram(pith_ctx *ctx, int64_t n, bool ward, float *distance, pith_i_merge *merges);

/*
 * Ward's without a matrix of distances: points are rows of `unit` (n x dims, destroyed: they become
 * centroids), whose distances are computed when they are asked for. O(n^2 dims) time.
 */
pith_status pith_i_dendrogram_ward(pith_ctx *ctx, int64_t n, int64_t dims, float *unit, pith_i_merge *merges);

/* The clusters, numbered 0.. by their first point, after all but clusters - 1 of the sorted merges. */
pith_status pith_i_dendrogram_cut(pith_ctx *ctx, int64_t n, const pith_i_merge *merges, int64_t clusters,
                                  int32_t *label);

#endif
