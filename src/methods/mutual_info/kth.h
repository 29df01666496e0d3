/* Order statistics of columns whose rows are spread over processes. */
#ifndef PITH_METHODS_MUTUAL_INFO_KTH_H
#define PITH_METHODS_MUTUAL_INFO_KTH_H

#include "core/core.h"

/* The values of a column that this process holds. */
typedef struct pith_i_sorted {
    int64_t count;
    const double *value; /* those that are not 0, ascending, finite */
    int64_t zeros;
} pith_i_sorted;

/*
 * out[c * many + b]: the k[b]-th smallest value of column c over all processes, 1 <= k[b] <= values of a
 * column. All processes call it together, with the same columns and k. Bisection over the representable
 * numbers between the smallest and the largest value: at most 64 sums of columns * many counts, and no value
 * leaves its process.
 */
pith_status pith_i_kth_of_all(pith_ctx *ctx, int64_t columns, const pith_i_sorted *column, int64_t many,
                              const int64_t *k, double *out);

#endif
