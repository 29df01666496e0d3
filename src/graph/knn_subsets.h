/* Candidates for the nearest neighbours in several subsets of the columns, from one pass over the data. */
#ifndef PITH_GRAPH_KNN_SUBSETS_H
#define PITH_GRAPH_KNN_SUBSETS_H

#include "graph/knn_lists.h"

enum { PITH_I_MOST_PARTS = 24 };

/* Can several subsets be searched in one pass? Not if an engine searches that lacks this operation: then
 * every subset is searched by itself. */
bool pith_i_subsets_share(const pith_ctx *ctx);

/*
 * Euclidean, for k neighbours; lists[l] goes to pith_i_graph_build with the columns of subset l alone, in any
 * order. Y: dense floats whose squares fit a float, rows contiguous, columns sorted by class: those of
 * first[c] to before first[c + 1] are in the subsets whose bits are in mask[c]. A column is multiplied once,
 * however many subsets have it: 22 halves of the columns cost one full search and sums of tiles, not 11.
 */
pith_status pith_i_subset_lists(pith_ctx *ctx, const pith_i_data *Y, int64_t subsets, int64_t classes,
                                const int64_t *first, const uint32_t *mask, int64_t k, pith_i_lists *lists);
/* The same of sparse rows by either metric: bit l of mask[j] says that subset l has column j. */
pith_status pith_i_sparse_subset_lists(pith_ctx *ctx, const pith_i_data *X, pith_i_metric metric,
                                       int64_t subsets, const uint32_t *mask, int64_t k, pith_i_lists *lists);

#endif
