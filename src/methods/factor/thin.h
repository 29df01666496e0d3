/* Products of thin matrices (many rows, few columns), row-major, the same for any number of threads. */
#ifndef PITH_METHODS_FACTOR_THIN_H
#define PITH_METHODS_FACTOR_THIN_H

#include "core/core.h"

/* G (k x k) = A'B, or A' diag(w) B; A and B are n x k. w NULL: 1. Sums in blocks of fixed size. */
pith_status pith_i_thin_gram(pith_ctx *ctx, int64_t n, int64_t k, const double *A, const double *w,
                             const double *B, double *G);
/* C (n x k) = a A M + b C, M k x k. C must not be A. */
void pith_i_thin_times(pith_ctx *ctx, int64_t n, int64_t k, double a, const double *A, const double *M,
                       double b, double *C);
/* V <- V M + b B in place, V and B n x k; M k x k. */
pith_status pith_i_thin_step(pith_ctx *ctx, int64_t n, int64_t k, const double *M, double b, const double *B,
                             double *V);

/*
 * Shrinks the rows of V: v_i <- v_i max(0, 1 - t / ||v_i||), the minimiser of 1/2 ||W - V||^2 + t
 * ||W||_{2,1}. norm (may be NULL): p, ||v_i|| before.
 */
void pith_i_row_shrink(pith_ctx *ctx, int64_t p, int64_t k, double t, double *V, double *norm);
/* ||V||_{2,1}, and the largest ||v_i|| unless `largest` is NULL. */
pith_status pith_i_row_norm_sum(pith_ctx *ctx, int64_t p, int64_t k, const double *V, double *sum,
                                double *largest);

#endif
