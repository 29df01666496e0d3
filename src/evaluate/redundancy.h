/* How much selected features repeat each other. */
#ifndef PITH_EVALUATE_REDUNDANCY_H
#define PITH_EVALUATE_REDUNDANCY_H

#include "matrix/data.h"

/*
 * The mean of |Pearson correlation| over all pairs of the given columns, those that are constant left out;
 * NaN when fewer than two are left. O(count^2 n) time, sparse O(count * their entries); O(count n) memory,
 * sparse O(entries): never count x count.
 */
pith_status pith_i_redundancy(pith_ctx *ctx, const pith_i_data *X, int64_t count, const int64_t *columns,
                              double *out);

#endif
