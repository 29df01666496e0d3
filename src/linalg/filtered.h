/*
 * The largest eigenpairs of a symmetric map to a moderate tolerance, by filtered subspace iteration (Zhou,
 * Saad, Tiago & Chelikowsky, J. Comput. Phys. 219, 2006): a Chebyshev polynomial of A damps the
 * unwanted part of the spectrum in a block of vectors, and a Rayleigh-Ritz step separates the eigenvectors.
 * Lanczos spends its time on keeping one vector after the other orthogonal; here a block is multiplied as a
 * whole. That is several times as fast down to a tolerance of about 1e-5, and multiple eigenvalues are found
 * with their multiplicity. The vectors are floats, so that a panel of them stays in a level-2 cache (16,000
 * rows in 512 KB); sums over rows are double.
 */
#ifndef PITH_LINALG_FILTERED_H
#define PITH_LINALG_FILTERED_H

#include "linalg/operator.h"

/*
 * The m largest eigenpairs of A, descending, in the complement of `known` (n_known orthonormal vectors that
 * span an invariant subspace), A's eigenvalues being in [-1, 1]: ||A x - value x|| <= tolerance, and x'y is
 * 0 or 1 within 1e-6, as for floats. Vector v is vectors + v * n, its entry of largest modulus positive.
 * *found false (values and vectors are then undefined): the eigenvalues lie too close together, or the block
 * has lost a dimension; use Lanczos. tolerance >= 1e-5. n_known + 5m/4 + 11 <= n. If rows are spread over
 * processes, the vectors are those of one process but for the rounding of sums over rows, and signs are left
 * to the caller.
 */
pith_status pith_i_eigen_filtered(pith_ctx *ctx, const pith_i_panel_operator *A, int64_t m, int64_t n_known,
                                  const double *known, double tolerance, bool *found, double *values,
                                  double *vectors);

#endif
