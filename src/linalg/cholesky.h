/* Positive definite systems: A = L L', LAPACK on one thread. */
#ifndef PITH_LINALG_CHOLESKY_H
#define PITH_LINALG_CHOLESKY_H

#include "core/core.h"

/* A's lower triangle (row-major, n x n) becomes L; what is above it is not read. PITH_E_NUMERIC: A is not
 * positive definite in double. */
pith_status pith_i_cholesky(pith_ctx *ctx, int64_t n, double *A);
/* The same for callers with an alternative: false if A is not positive definite, and then the contents of A
 * are undefined. */
bool pith_i_cholesky_try(int64_t n, double *A);
/* B (n x m, row-major) <- A^-1 B, and <- L^-1 B alone. */
void pith_i_cholesky_solve(int64_t n, const double *L, int64_t m, double *B);
void pith_i_cholesky_forward(int64_t n, const double *L, int64_t m, double *B);

#endif
