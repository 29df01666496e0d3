/* Bisecting spherical 2-means: a hierarchy of columns where there are too many for a distance matrix. */
#ifndef PITH_TREE_BISECT_H
#define PITH_TREE_BISECT_H

#include "tree/columns.h"

enum { PITH_I_BISECT_LEVELS = 11 }; /* below the root */

/*
 * Splits the columns recursively into two by their products with two centroids, each the normalised mean of
 * its half; two successive splits make one level. A set of `leaf` columns or fewer is not split.
 *
 * label: PITH_I_BISECT_LEVELS x m; label[l * m + k] is the cluster of column kept[k] in level l (0: just
 * below the root), or -1 where its path has ended. clusters[l] is their number. Every split has its own
 * random stream, keyed by its place in the tree, so that the result does not depend on threads. Dense columns
 * must have been unpacked.
 */
pith_status pith_i_bisect(pith_ctx *ctx, const pith_i_columns *columns, int64_t leaf, bool absolute,
                          int32_t *label, int32_t clusters[PITH_I_BISECT_LEVELS]);

#endif
