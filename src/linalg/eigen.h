/* Eigenpairs of symmetric operators and matrices; every vector's entry of largest modulus is positive. */
#ifndef PITH_LINALG_EIGEN_H
#define PITH_LINALG_EIGEN_H

#include "linalg/filtered.h"
#include "linalg/operator.h"

/*
 * The m algebraically largest eigenpairs of A, descending, in the complement of `known`: n_known
 * orthonormal vectors that span an invariant subspace (n_known + m <= n). A's eigenvalues lie in [-1, 1];
 * a pair is done when ||A x - value x|| <= tolerance (1 + value). Vector v is vectors + v * n.
 *
 * ARPACK, or LAPACK on the dense matrix for small n or where m is a large share of n. An eigenvalue of
 * multiplicity r comes r times: after the Lanczos runs one more looks for what they missed. The start
 * vectors come from the context's seed. PITH_E_NUMERIC when there is no convergence.
 */
pith_status pith_i_eigen_largest(pith_ctx *ctx, const pith_i_operator *A, int64_t m, int64_t n_known,
                                 const double *known, double tolerance, double *values, double *vectors);

/* The same, with Lanczos runs that keep `basis` vectors from the start, where eigenvalues are known to lie
 * close: a basis too small is found out only after thousands of products. For maps that have no reason to
 * repeat an eigenvalue: no more than 200 products go into looking for a missed one. */
pith_status pith_i_eigen_largest_close(pith_ctx *ctx, const pith_i_operator *A, int64_t m, int64_t basis,
                                       double tolerance, double *values, double *vectors);

/* The same as pith_i_eigen_largest to a moderate tolerance, not below 1e-5, and many times as fast: by
 * filtered subspaces of floats, or where these find nothing as above. P is A for panels. */
pith_status pith_i_eigen_largest_rough(pith_ctx *ctx, const pith_i_operator *A,
                                       const pith_i_panel_operator *P, int64_t m, int64_t n_known,
                                       const double *known, double tolerance, double *values,
                                       double *vectors);

/* What all of the above ask first: the pairs from the context's engine, if that has a way of its own. */
pith_status pith_i_eigen_elsewhere(pith_ctx *ctx, const pith_i_operator *A, int64_t m, int64_t n_known,
                                   const double *known, double tolerance, bool *found, double *values,
                                   double *vectors);

/* All eigenpairs of the symmetric n x n matrix A (destroyed), ascending. LAPACK, one thread. */
pith_status pith_i_eigen_dense(pith_ctx *ctx, int64_t n, double *A, double *values, double *vectors);
/* The same with the vectors in A's place: vector v is A + v * n. Scratch: 2 n^2. */
pith_status pith_i_eigen_dense_in_place(pith_ctx *ctx, int64_t n, double *A, double *values);

/* Turns x so that its entry of largest modulus is positive: of entries equal but for rounding, the first. */
void pith_i_fix_sign(int64_t n, double *x);
/* Of a vector that may be spread as A is. */
pith_status pith_i_fix_sign_of_all(pith_ctx *ctx, const pith_i_operator *A, double *x);

#endif
