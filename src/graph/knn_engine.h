/* Neighbours found by the context's engine, if it has that operation. */
#ifndef PITH_GRAPH_KNN_ENGINE_H
#define PITH_GRAPH_KNN_ENGINE_H

#include "graph/knn_lists.h"

/* Fills lists of k neighbours of R's rows; found: false where the engine has no such operation. What is cheap
 * to check is checked: rows out of range, a wrong order, a row listed twice, and NaN are PITH_E_BUG. */
pith_status pith_i_knn_elsewhere(pith_ctx *ctx, const pith_i_rows *R, int64_t k, bool *found,
                                 pith_i_knn *knn);
/* The same in every subset of the columns: bit l of mask[j] says that subset l has column j. Distances are
 * left to pith_i_knn_rank. */
pith_status pith_i_knn_subsets_elsewhere(pith_ctx *ctx, const pith_i_data *X, pith_i_metric metric,
                                         int64_t subsets, const uint32_t *mask, int64_t k, bool *found,
                                         pith_i_knn *knn);

/* Sets the distances of R's rows to those in their lists, and sorts the lists. */
pith_status pith_i_knn_rank(pith_ctx *ctx, const pith_i_rows *R, pith_i_knn *knn);
/* The engine's neighbours in every subset, as lists for pith_i_graph_build. In knn_subsets.c. */
pith_status pith_i_known_lists(pith_ctx *ctx, const pith_i_data *X, pith_i_metric metric, int64_t subsets,
                               const uint32_t *mask, int64_t k, bool *found, pith_i_lists *lists);

#endif
