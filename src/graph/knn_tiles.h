/*
 * Candidates from float products on tiles, the half I <= J. The columns may be those of several parts of the
 * data, which overlap: every column is in the class of the parts that have it, and is multiplied once for
 * all of them. A part's tile is the sum of the tiles of its classes.
 */
#ifndef PITH_GRAPH_KNN_TILES_H
#define PITH_GRAPH_KNN_TILES_H

#include "graph/knn_lists.h"

/* Columns that are multiplied at once, and by bits the lists that they count for. */
typedef struct pith_i_piece {
    int64_t from, cols;
    uint32_t lists;
} pith_i_piece;

typedef struct pith_i_floats {
    const float *y; /* z, row-major */
    int64_t ld, pieces;
    pith_i_piece *piece; /* those of the same lists stand together */
    int64_t longest;     /* columns of a piece */
} pith_i_floats;

/* Room for a row of p floats: ends on 64 bytes; a power of two would crowd rows into few cache sets. */
int64_t pith_i_tiles_stride(int64_t p);
/* The pieces, in scratch: the columns first[c] to before first[c + 1] count for the lists whose bits are in
 * c, 0 < c < 2^lists. A product of a row with another is then a sum of longest + pieces terms at most. */
pith_status pith_i_tiles_cut(pith_ctx *ctx, int64_t lists, const int64_t *first, pith_i_floats *F);
/* All pairs of rows into lists of one shape whose norms are set. */
pith_status pith_i_tiles_merge(pith_ctx *ctx, const pith_i_floats *F, int64_t lists, pith_i_lists *L);

#endif
