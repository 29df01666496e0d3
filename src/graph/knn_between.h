/*
 * Neighbours between two blocks of rows: for every row of either block, the nearest rows of the other. A
 * table that is cut into blocks is searched one pair of blocks at a time: lists of neighbours in different
 * blocks, each in the order of (distance, row), are merged without loss.
 */
#ifndef PITH_GRAPH_KNN_BETWEEN_H
#define PITH_GRAPH_KNN_BETWEEN_H

#include "graph/knn_lists.h"

typedef struct pith_i_between {
    const pith_i_rows *R; /* both blocks, one after the other */
    int64_t first;        /* rows of the first of them */
    const double *limit;  /* a squared distance for each row, beyond which nothing is searched; may be inf */
    pith_i_part part;
} pith_i_between;

/*
 * Fills lists of found->k for all rows, which the caller has allocated: nearest first, rows by their number
 * in R. A list ends with the index -1 at an infinite distance where there are no more rows, or none within
 * the limit. Exact, with the same distances as pith_i_knn_find. Half the work of searching all pairs in R.
 */
pith_status pith_i_knn_between(pith_ctx *ctx, const pith_i_between *b, pith_i_knn *found);

#endif
