/* Matrices that describe the geometry of the samples within each neighbourhood. */
#ifndef PITH_GRAPH_LOCAL_FIT_H
#define PITH_GRAPH_LOCAL_FIT_H

#include "graph/local_sum.h"

/* Squared distances, Euclidean, within every neighbourhood of knn: n blocks (k+1) x (k+1), in which the
 * sample itself is row and column 0. The distances in knn are not used. */
pith_status pith_i_local_distances(pith_ctx *ctx, const pith_i_data *X, const pith_i_knn *knn,
                                   double *blocks);

/*
 * Locally linear embedding (Roweis & Saul, 2000):
 *
 *     L = (I - A)'(I - A),   A_i = w / sum(w) on i's neighbours,   (G + 1e-3 tr(G) I) w = 1,
 *
 * G the Gram matrix of the neighbours' differences to x_i; where they all equal x_i, equal weights.
 */
pith_status pith_i_local_linear(pith_ctx *ctx, const pith_i_data *X, int64_t k, pith_i_local_sum *out);

/*
 * Local scatter (Yang, Shen, Ma, Huang & Zhou, 2011): with X_i the k + 1 rows of i and its neighbours and
 * H = I - 11'/(k+1),
 *
 *     B = sum_i S_i H (H X_i X_i' H + r I)^-1 H S_i',     r = factor times the mean of tr(H X_i X_i' H) / k
 *
 * tr(F'BF) is small where F, on every neighbourhood, is predicted well from X. B 1 = 0. PITH_E_DATA where
 * every neighbourhood is a single point.
 *
 * For both: the neighbours are the min(k, n-1) nearest (Euclidean, not symmetrised). Owned; 8 n
 * (k+1)^2 bytes while it runs.
 */
pith_status pith_i_local_scatter(pith_ctx *ctx, const pith_i_data *X, int64_t k, double factor,
                                 pith_i_local_sum *out);

#endif
