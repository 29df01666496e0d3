/* The nearest matrix with orthonormal columns. */
#ifndef PITH_METHODS_FACTOR_POLAR_H
#define PITH_METHODS_FACTOR_POLAR_H

#include "matrix/data.h"

/*
 * U = argmax <U, N> over U'U = I, for N (n x k, k <= n, row-major): the polar factor S Q' of N = S T Q'. In,
 * U is the factor before, with orthonormal columns; out, the new one. N is destroyed.
 *
 * By N'N where its condition allows it, else by the singular values of N itself. Where N is rank deficient
 * the factor is not unique: directions that N leaves open are taken as near as possible to the U before, so
 * the answer does not depend on what LAPACK puts there; *rank (may be NULL) tells. O(n k^2). n, and where the
 * rows lie if they are spread over processes, is that of `samples`, whose values are not read.
 */
pith_status pith_i_polar(pith_ctx *ctx, const pith_i_data *samples, int64_t k, double *N, double *U,
                         int64_t *rank);

#endif
