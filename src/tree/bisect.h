/* Bisecting spherical 2-means: a hierarchy of columns for tables too wide for all their distances. */
#ifndef PITH_TREE_BISECT_H
#define PITH_TREE_BISECT_H

#include "tree/columns.h"

enum { PITH_I_BISECT_LEVELS = 11 }; /* below the root */

/*
 * Splits the columns again and again into two by their products with two centroids, each the normalised mean
 * of its side; two splits make a level. A set of `leaf` columns or fewer is not split.
 *
 * label: PITH_I_BISECT_LEVELS x m; label[l * m + k] is the cluster of column kept[k] in level l (0: just
 * below the root), or -1 where its path has ended. clusters[l] is their number. Every split draws from the
 * stream of its own place, so that threads do not matter. Dense columns must have been unpacked.
 */
pith_status pith_i_bisect(pith_ctx *ctx, const pith_i_columns *columns, int64_t leaf, bool absolute,
                          int32_t *label, int32_t clusters[PITH_I_BISECT_LEVELS]);

#endif
