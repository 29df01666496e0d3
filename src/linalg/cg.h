/* Conjugate gradients, for positive definite systems given by products alone. */
#ifndef PITH_LINALG_CG_H
#define PITH_LINALG_CG_H

#include "core/core.h"

/* A symmetric map of n rows: Y = A X for m vectors at once, the columns of X and Y (n x m, row-major). */
typedef struct pith_i_rows_map {
    int64_t n;
    const void *self;
    pith_status (*apply)(pith_ctx *ctx, const void *self, int64_t m, const double *X, double *Y);
    int64_t offset, all; /* if rows are spread over processes: the first held here, and all rows; else 0 */
} pith_i_rows_map;

/*
 * A X = B for m right sides, each with its own steps, which share the products with A. The preconditioner P
 * (NULL: the identity) is near A^-1, symmetric and positive definite. X holds a start and gets the solution:
 *
 *     ||b - A x|| <= tolerance ||b||
 *
 * in every column, by the residual that the recurrence updates. After more than 20 steps the true residual of
 * X is computed; if rounding has made it too large, the steps start again from X, as long as that halves it.
 * `steps` (may be NULL): products with A; a start of zeros saves the first. PITH_E_NUMERIC after `most`
 * steps. The same bits for any number of threads. Scratch: 4 n m.
 */
pith_status pith_i_cg(pith_ctx *ctx, const pith_i_rows_map *A, const pith_i_rows_map *P, int64_t m,
                      const double *B, double tolerance, int64_t most, double *X, int64_t *steps);
/* The same for an approximate solution: to stop after `most` steps is no error. */
pith_status pith_i_cg_near(pith_ctx *ctx, const pith_i_rows_map *A, const pith_i_rows_map *P, int64_t m,
                           const double *B, double tolerance, int64_t most, double *X);

#endif
