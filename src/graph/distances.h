/* All distances between rows at once, and the width of a Gaussian from them. For data of some thousand rows;
 * for nearest neighbours only, use knn.h. */
#ifndef PITH_GRAPH_DISTANCES_H
#define PITH_GRAPH_DISTANCES_H

#include "graph/knn.h"

enum { PITH_I_MOST_DISTANCES = 30000 }; /* rows, beyond which n x n is refused */

/*
 * D_ab = |x_a - x_b| (cosine: of the unit rows), n x n, symmetric, 0 on the diagonal; the same formula as
 * for neighbours, so equal rows are at exactly 0 and ties are ties. O(n^2 p) time. Too many rows, or squares
 * that overflow, are PITH_E_DATA.
 */
pith_status pith_i_distances(pith_ctx *ctx, const pith_i_data *X, pith_i_metric metric, double *D);

/*
 * The mean over rows a of the distance to the k-th nearest other row, 1 <= k < n; where ties make that
 * (nearly) 0, at most 1e-6 of the mean of all n^2 distances, it is the latter. 0: all rows are equal.
 */
pith_status pith_i_width(pith_ctx *ctx, int64_t n, const double *D, int64_t k, double *out);
/* The same rule, from sums over some of the n rows: of their k-th distances, and of all their distances. */
double pith_i_width_rule(int64_t n, int64_t rows, double kth_sum, double sum);
/* The same for the values of one column, sorted in place: |x_a - x_b| is their distance. O(n log n). */
double pith_i_width_of_column(int64_t n, double *x, int64_t k);

#endif
