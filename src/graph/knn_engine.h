/* Neighbours by the engine of the context, if that has a way of its own. */
#ifndef PITH_GRAPH_KNN_ENGINE_H
#define PITH_GRAPH_KNN_ENGINE_H

#include "graph/knn_lists.h"

/* Fills lists of k neighbours of R's rows; found: false where the engine has no such operation. An engine
 * that breaks its word in what is cheap to see is PITH_E_BUG: rows out of range, their order, copies, NaN. */
pith_status pith_i_knn_elsewhere(pith_ctx *ctx, const pith_i_rows *R, int64_t k, bool *found,
                                 pith_i_knn *knn);
/* The same in every subset of the columns: bit l of mask[j] says that subset l has column j. Distances are
 * not set yet: */
pith_status pith_i_knn_subsets_elsewhere(pith_ctx *ctx, const pith_i_data *X, pith_i_metric metric,
                                         int64_t subsets, const uint32_t *mask, int64_t k, bool *found,
                                         pith_i_knn *knn);

/* Distances of R's rows to those in the lists, which are put in order. */
pith_status pith_i_knn_rank(pith_ctx *ctx, const pith_i_rows *R, pith_i_knn *knn);
/* As lists, for pith_i_graph_build; knn_subsets.c. */
pith_status pith_i_known_lists(pith_ctx *ctx, const pith_i_data *X, pith_i_metric metric, int64_t subsets,
                               const uint32_t *mask, int64_t k, bool *found, pith_i_lists *lists);

#endif
