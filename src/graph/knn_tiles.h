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
    const int64_t *first;  /* first column of each class, classes + 1 of them */
    const uint32_t *lists; /* those to which each class belongs, as bits */
} pith_i_floats;

/* Stride of rows of p floats: a multiple of 64 bytes, but not of 1024, which would crowd rows into few cache
 * sets. */
int64_t pith_i_tiles_stride(int64_t p);
/* Most terms that are added one after the other in a product of two rows, which bounds its rounding. */
int64_t pith_i_tiles_terms(const pith_i_floats *F);
/* Merges all pairs of rows into lists of one shape whose norms are set. Holds classes + 2 tiles a thread; one
 * for a single list and class. */
pith_status pith_i_tiles_merge(pith_ctx *ctx, const pith_i_floats *F, int64_t lists, pith_i_lists *L);
/* Merges into one list a row the pairs of a row in the first `blocks` blocks and a row in the others. */
pith_status pith_i_tiles_merge_between(pith_ctx *ctx, const pith_i_floats *F, int64_t blocks,
                                       const pith_i_part *part, pith_i_lists *L);

#endif
