/*
 * The rows that neighbourhoods reach: those held here, and after them those of other processes that are
 * neighbours of rows held here. With one process these are the rows themselves.
 */
#ifndef PITH_GRAPH_LOCAL_ROWS_H
#define PITH_GRAPH_LOCAL_ROWS_H

#include "graph/knn.h"
#include "matrix/halo.h"

typedef struct pith_i_local_rows {
    pith_i_data X;  /* n rows of samples, then those of the halo */
    pith_i_knn knn; /* n lists of places in X; distances are those that knn had, borrowed */
    pith_i_halo halo;
    int64_t *place; /* knn.index, where it is owned */
} pith_i_local_rows;

/* knn: of the rows of X, by their numbers in the whole table. Both must outlive it. Owned. */
pith_status pith_i_local_rows_open(pith_ctx *ctx, const pith_i_data *X, const pith_i_knn *knn,
                                   pith_i_local_rows *out);
void pith_i_local_rows_close(pith_i_local_rows *rows);

#endif
