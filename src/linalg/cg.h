/* Positive definite systems that are known by their products alone: conjugate gradients. */
#ifndef PITH_LINALG_CG_H
#define PITH_LINALG_CG_H

#include "core/core.h"

/* A symmetric map of n rows: Y = A X for m vectors at once, the columns of X and Y (n x m, row-major). */
typedef struct pith_i_rows_map {
    int64_t n;
    const void *self;
    pith_status (*apply)(pith_ctx *ctx, const void *self, int64_t m, const double *X, double *Y);
    int64_t offset, all; /* where rows are spread over processes: the first held here, of so many; else 0 */
} pith_i_rows_map;

/*
 * A X = B for m right sides, each by steps of its own that share their products; P (NULL: the identity) is
 * near A^-1, symmetric and positive definite. X holds a start and gets the solution:
 *
 *     ||b - A x|| <= tolerance ||b||
 *
 * in every column, by the residual that the steps carry along. After more than FEW steps that of X itself is
 * computed; where rounding has set it apart, the steps go on from there as long as it falls. `steps` (may be
 * NULL): products with A; a start of zeros saves the first. PITH_E_NUMERIC after `most` steps. The same bits
 * for any number of threads. Scratch: 4 n m.
 */
pith_status pith_i_cg(pith_ctx *ctx, const pith_i_rows_map *A, const pith_i_rows_map *P, int64_t m,
                      const double *B, double tolerance, int64_t most, double *X, int64_t *steps);
/* The same where something near X will do: what `most` steps give is no error. */
pith_status pith_i_cg_near(pith_ctx *ctx, const pith_i_rows_map *A, const pith_i_rows_map *P, int64_t m,
                           const double *B, double tolerance, int64_t most, double *X);

#endif
