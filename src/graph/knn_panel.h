/* Exact neighbours of a few sparse rows among all of them. */
#ifndef PITH_GRAPH_KNN_PANEL_H
#define PITH_GRAPH_KNN_PANEL_H

#include "graph/knn_find.h"

/*
 * The same answer as pith_i_knn_sparse_redo among all rows. Inverted lists add one product at a time, at
 * places far apart. Here 64 of the given rows are the columns of a dense matrix, and an entry of a row is
 * multiplied with all of them at once: several times as fast for a thousand rows, unless hardly any two rows
 * share a column. Memory: at most 256 MB, or what 64 rows take: 256 bytes for each column that they have, 4
 * bytes for each other.
 */
pith_status pith_i_knn_panel(pith_ctx *ctx, const pith_i_rows *R, int64_t count, const int64_t *rows,
                             pith_i_knn *knn);

#endif
