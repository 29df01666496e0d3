/* General square systems by A = P L U: LAPACK, on one thread. */
#ifndef PITH_METHODS_LGDFS_LU_H
#define PITH_METHODS_LGDFS_LU_H

#include "core/core.h"

/* A (row-major, n x n) becomes its factors, and pivot (n) gets the order of its rows. PITH_E_NUMERIC: A is
 * singular or not finite. */
pith_status pith_i_lu(pith_ctx *ctx, int64_t n, double *A, int *pivot);
/* x <- A^-1 x for m vectors; vector v is x + v * n. */
void pith_i_lu_solve(int64_t n, const double *factors, const int *pivot, int64_t m, double *x);

#endif
