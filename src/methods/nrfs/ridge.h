/* Ridge regression of several targets on the same columns, in whichever of its two forms is smaller. */
#ifndef PITH_METHODS_NRFS_RIDGE_H
#define PITH_METHODS_NRFS_RIDGE_H

#include <stdbool.h>
#include <stdint.h>

/*
 *     min_A ||B A - Y||_F^2 + lambda ||A||_F^2,    lambda = ridge trace(B B') / n
 *
 *     m > n:   A = B' (B B' + lambda I)^-1 Y       n x n
 *     else     A = (B'B + lambda I)^-1 B'Y         m x m
 *
 * B has n rows and m columns; column j is B + j * n. Target v is Y + v * n, its coefficients A + v * m.
 *
 * The Gram matrix and its factor are computed in single precision, which takes half the time. Iterative
 * refinement, with residuals in double, then brings the error down to pith_i_ridge_error, relative to A. If
 * it does not converge, because lambda is too small, everything is done in double.
 *
 * gram has room for min(n, m)^2 numbers, work for pith_i_ridge_room. O(n m min(n, m)) time in BLAS and
 * LAPACK, which the caller has set to one thread. Allocates nothing, so that threads may call it.
 *
 * False: B is all 0, or so large that its squares overflow, and A is not set. n, m, targets >= 1, ridge > 0.
 */
bool pith_i_ridge(int64_t n, int64_t m, int64_t targets, const double *B, const double *Y, double ridge,
                  double *gram, double *work, double *A);
/* The error of each target's coefficients, relative to their norm: 1e-14, or 1e-9 for large regressions. That
 * is enough for a ranking: data have fewer digits, so weights of different features differ by more. */
double pith_i_ridge_error(int64_t n, int64_t m);
int64_t pith_i_ridge_room(int64_t n, int64_t m, int64_t targets);

#endif
