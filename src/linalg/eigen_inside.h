/* The solvers that pith_i_eigen_largest chooses from, all asked the same way. */
#ifndef PITH_LINALG_EIGEN_INSIDE_H
#define PITH_LINALG_EIGEN_INSIDE_H

#include "linalg/basis.h"
#include "linalg/eigen.h"

/*
 * y = (A + I - 3 V V') x. The shift by I makes ARPACK's relative tolerance an absolute one; eigenvalues of A
 * in [-1, 1] become 0..2 here and those of V fall to -1 and below, under all that can be wanted.
 */
typedef struct pith_i_deflated {
    const pith_i_operator *A;
    pith_i_basis V;
} pith_i_deflated;

/* Its product with m vectors; self is a pith_i_deflated. */
pith_status pith_i_deflated_apply(pith_ctx *ctx, const void *self, int64_t m, const double *x, double *y);

/* By the engine of the context. *found false: the engine has no eigensolver. */
pith_status pith_i_eigen_by_engine(pith_ctx *ctx, const pith_i_operator *A, const pith_i_eigen_options *want,
                                   bool *found, double *values, double *vectors);
/* By LAPACK, which finds all eigenpairs of A as a dense matrix. Scratch: 3 n^2. */
pith_status pith_i_eigen_by_lapack(pith_ctx *ctx, const pith_i_operator *A, const pith_i_eigen_options *want,
                                   double *values, double *vectors);
/* By runs of ARPACK, followed by a check for copies of multiple eigenvalues that they have missed.
 * PITH_E_NUMERIC if eigenvalues lie too close together to converge. */
pith_status pith_i_eigen_by_arpack(pith_ctx *ctx, const pith_i_operator *A, const pith_i_eigen_options *want,
                                   double *values, double *vectors);
/* By runs of ARPACK on a polynomial of A, chosen after want->basis Lanczos steps on A. want->n_known is 0,
 * 2 m < want->basis < n. *found false: the spectrum is so narrow that plain Lanczos is as good, or the
 * residuals are too large. Scratch: some (basis + 50) n. */
pith_status pith_i_eigen_by_polynomial(pith_ctx *ctx, const pith_i_operator *A,
                                       const pith_i_eigen_options *want, bool *found, double *values,
                                       double *vectors);

#endif
