/* Neighbours with weights that adapt to their distances. */
#ifndef PITH_METHODS_FSASL_ADAPTIVE_H
#define PITH_METHODS_FSASL_ADAPTIVE_H

#include "graph/local_sum.h"

/*
 * Row i of P solves (Nie, Wang & Huang, KDD 2014)
 *
 *     min_{P_i}  sum_j d_ij P_ij + m P_ij^2,    P_i >= 0,  sum_j P_ij = 1,
 *
 * over the k nearest neighbours j of i, where d are squared distances: the projection of -d/(2m) onto the
 * simplex. m is the mean over i of (k d_i(k+1) - sum_{j<=k} d_i(j)) / 2, which leaves about k weights above
 * 0; if m is 0, all weights are 1/k. Returns the Laplacian diag(A1) - A of A = (P + P')/2, owned. knn has the
 * neighbours of the rows of X, which may be spread over processes: at least k + 1, nearest first.
 */
pith_status pith_i_adaptive_laplacian(pith_ctx *ctx, const pith_i_data *X, const pith_i_knn *knn, int64_t k,
                                      pith_i_local_sum *out);

#endif
