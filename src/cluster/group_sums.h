/* Sums of columns over groups of rows, for several groupings in one pass over the data. */
#ifndef PITH_CLUSTER_GROUP_SUMS_H
#define PITH_CLUSTER_GROUP_SUMS_H

#include "matrix/data.h"

typedef struct pith_i_grouping {
    int64_t groups;
    const int32_t *label; /* n, in 0..groups-1 */
} pith_i_grouping;

/*
 * between[g * p + j] = sum over groups k of grouping g of n_k (mean of column j in k - mean of column j)^2.
 * T is X' where X is sparse, else NULL; mean are the column means of X. A shift of columns does not matter.
 * Where rows are spread over processes, labels are those of the rows held here, and groups consist of all
 * rows. O(stored * groupings); threads split the columns.
 */
pith_status pith_i_between(pith_ctx *ctx, const pith_i_data *X, const pith_i_data *T, const double *mean,
                           int64_t count, const pith_i_grouping *groupings, double *between);

#endif
