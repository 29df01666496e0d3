/* How well samples are predicted from their neighbours. */
#ifndef PITH_GRAPH_LOCAL_LEARNING_H
#define PITH_GRAPH_LOCAL_LEARNING_H

#include "graph/local_sum.h"

/*
 * Kernel regression of every sample from its neighbours N (Wu & Schoelkopf, NIPS 2006):
 *
 *     L = (I - A)'(I - A),   A_i = K_iN (K_NN + r I)^-1,   K = exp(-d^2 / t),  K_jj = 1
 *
 * N are the min(k, n-1) nearest others (Euclidean, not symmetrised) and t is the square of the mean distance
 * of all pairs. Rows of A do not sum to 1. f'Lf is small where f is predicted well. r > 0. All rows equal is
 * PITH_E_DATA. Owned; takes 8 n (k+1)^2 bytes while it runs.
 */
pith_status pith_i_local_learning(pith_ctx *ctx, const pith_i_data *X, int64_t k, double r,
                                  pith_i_local_sum *out);

#endif
