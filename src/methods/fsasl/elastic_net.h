/* Lasso problems that are strictly convex, to the last digits. */
#ifndef PITH_METHODS_FSASL_ELASTIC_NET_H
#define PITH_METHODS_FSASL_ELASTIC_NET_H

#include "core/core.h"

/*
 *     min_s  1/2 s'Gs - c's + lambda ||s||_1        G (p x p, row-major) symmetric, positive definite
 *
 * With G the Gram matrix of features plus mu on its diagonal this is an elastic net. The lasso's path is
 * followed down to lambda > 0; where ties break it, coordinate descent goes on from there; and the answer is
 * the exact solution for its support and signs. Returns the largest violation of optimality,
 *
 *     |c_j - (Gs)_j - lambda sign(s_j)| where s_j is not 0,    |c_j - (Gs)_j| - lambda elsewhere,
 *
 * as a share of max_j |c_j|: at most 1e-11, but where rounding or 200 rounds of descent left more. Takes no
 * memory: problems are solved side by side, each in a room of its own.
 */
double pith_i_elastic_net(int64_t p, const double *G, const double *c, double lambda, double *s, void *room);
/* Bytes of room. */
size_t pith_i_elastic_net_room(int64_t p);

#endif
