/* Eigenpairs of symmetric operators and matrices; every vector's entry of largest modulus is positive. */
#ifndef PITH_LINALG_EIGEN_H
#define PITH_LINALG_EIGEN_H

#include "linalg/operator.h"

/*
 * The m algebraically largest eigenpairs of A, descending, in the complement of `known` (n_known
 * orthonormal vectors spanning an invariant subspace whose eigenvalues are at most 1 in modulus: they are
 * deflated by A - 2 sum v v'). ARPACK, or LAPACK on the dense matrix for small n or where m is a large
 * share of n. Vector v is vectors + v * n. The start vector comes from the context's seed.
 */
pith_status pith_i_eigen_largest(pith_ctx *ctx, const pith_i_operator *A, int64_t m, int64_t n_known,
                                 const double *known, double tolerance, double *values, double *vectors);

/* All eigenpairs of the symmetric n x n matrix A (destroyed), ascending. LAPACK, one thread. */
pith_status pith_i_eigen_dense(pith_ctx *ctx, int64_t n, double *A, double *values, double *vectors);

#endif
