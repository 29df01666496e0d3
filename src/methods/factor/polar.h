/* The nearest matrix with orthonormal columns. */
#ifndef PITH_METHODS_FACTOR_POLAR_H
#define PITH_METHODS_FACTOR_POLAR_H

#include "matrix/data.h"

/*
 * U = argmax <U, N> over U'U = I, for N (n x k, k <= n, row-major): the polar factor S Q' of N = S T Q'. On
 * entry U is the previous factor, with orthonormal columns; on return, the new one. N is destroyed.
 *
 * By N'N where its condition allows it, else by the singular values of N itself. Where N is rank deficient
 * the factor is not unique: directions that N leaves open are chosen as near as possible to the previous U,
 * so that the answer does not depend on LAPACK's choice; *rank (may be NULL) gets the rank of N. O(n k^2). n,
 * and how rows are spread over processes, are those of `samples`, whose values are not read.
 */
pith_status pith_i_polar(pith_ctx *ctx, const pith_i_data *samples, int64_t k, double *N, double *U,
                         int64_t *rank);

#endif
