/* What an exact search for neighbours costs, and whether an approximate one replaces it. */
#ifndef PITH_GRAPH_KNN_WORK_H
#define PITH_GRAPH_KNN_WORK_H

#include "matrix/data.h"

/*
 * Floating-point operations of an exact search of all rows, in which each pair is computed once:
 *
 *     dense     n^2 p
 *     sparse    64 sum_j c_j^2 / 2,    c_j the entries of column j
 *
 * A product of two entries found by lists takes as long as 64 operations on dense rows (measured). Rows of
 * other processes count, so all processes call it.
 */
pith_status pith_i_knn_work(pith_ctx *ctx, const pith_i_data *X, double *out);

/* Is a search of `work` operations approximate, by the context's setting? Data of a single leaf and long
 * lists are always searched exactly: there is nothing to gain. */
bool pith_i_knn_is_approximate(pith_ctx *ctx, const pith_i_data *X, int64_t k, double work);

#endif
