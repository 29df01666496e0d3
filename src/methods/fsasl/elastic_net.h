/* Strictly convex lasso problems, solved to the last digits. */
#ifndef PITH_METHODS_FSASL_ELASTIC_NET_H
#define PITH_METHODS_FSASL_ELASTIC_NET_H

#include "core/core.h"

/*
 *     min_s  1/2 s'Gs - c's + lambda ||s||_1        G (p x p, row-major) symmetric, positive definite
 *
 * If G is the Gram matrix of features plus mu on its diagonal, this is an elastic net. The path of the lasso
 * is followed down to lambda > 0. If ties end it early, coordinate descent continues from there. The answer
 * is the exact solution for the support and the signs found. Returns the largest violation of optimality,
 *
 *     |c_j - (Gs)_j - lambda sign(s_j)| where s_j is not 0,    |c_j - (Gs)_j| - lambda elsewhere,
 *
 * as a share of max_j |c_j|: at most 1e-11, unless rounding or the limit of 200 rounds of descent left more.
 * Allocates nothing, so that threads can solve problems side by side, each in its own `room`.
 */
double pith_i_elastic_net(int64_t p, const double *G, const double *c, double lambda, double *s, void *room);
/* The size of `room` in bytes. */
size_t pith_i_elastic_net_room(int64_t p);

#endif
