/*
 * Neighbours between two blocks of rows: of every row of the one the nearest rows of the other, and the other
 * way round. A table that is cut into blocks is searched by the pairs of its blocks: neighbours in one block
 * and neighbours in another, both in the order of (distance, row), are merged without loss.
 */
#ifndef PITH_GRAPH_KNN_BETWEEN_H
#define PITH_GRAPH_KNN_BETWEEN_H

#include "graph/knn_lists.h"

typedef struct pith_i_between {
    const pith_i_rows *R; /* both blocks, one behind the other */
    int64_t first;        /* rows of the first of them */
    const double
        *limit; /* a row: what lies farther, as a squared distance, is not wanted; it may be infinite */
    pith_i_part part;
} pith_i_between;

/*
 * Lists of found->k for all rows, which the caller has made: nearest first, rows by their number in R. A list
 * ends with the index -1 at an infinite distance where there are no more rows, or none within the limit.
 * The exact ones, by the same distances as pith_i_knn_find. Half the work of a search of all pairs of both.
 */
pith_status pith_i_knn_between(pith_ctx *ctx, const pith_i_between *b, pith_i_knn *found);

#endif
