/*
 * Candidates from float products on tiles, the half I <= J. The columns may be those of several subsets of
 * the data, which overlap: columns that the same subsets have are a class, and are multiplied once for all of
 * them. A subset's tile is the sum of the tiles of its classes.
 */
#ifndef PITH_GRAPH_KNN_TILES_H
#define PITH_GRAPH_KNN_TILES_H

#include "graph/knn_lists.h"

typedef struct pith_i_floats {
    const float *y; /* z, row-major */
    int64_t ld, classes;
    const int64_t *first;  /* column of each class, classes + 1 of them */
    const uint32_t *lists; /* that a class counts for, by bits */
} pith_i_floats;

/* Room for a row of p floats: ends on 64 bytes; a power of two would crowd rows into few cache sets. */
int64_t pith_i_tiles_stride(int64_t p);
/* Most terms that are added one after the other in a product of two rows, which bounds its rounding. */
int64_t pith_i_tiles_terms(const pith_i_floats *F);
/* All pairs of rows into lists of one shape whose norms are set. Holds classes + 2 tiles a thread,
 * one where there is nothing to add. */
pith_status pith_i_tiles_merge(pith_ctx *ctx, const pith_i_floats *F, int64_t lists, pith_i_lists *L);
/* One list a row: the rows of the first `blocks` blocks against all others, no pair within either. */
pith_status pith_i_tiles_merge_between(pith_ctx *ctx, const pith_i_floats *F, int64_t blocks,
                                       const pith_i_part *part, pith_i_lists *L);

#endif
