/* Sets of orthonormal vectors, and orthogonalization against them. */
#ifndef PITH_LINALG_BASIS_H
#define PITH_LINALG_BASIS_H

#include "core/core.h"

/* Orthonormal vectors of length n in two pieces: those known beforehand and those found since. Vector v of
 * a piece is vector[piece] + v * n. Borrowed. */
typedef struct pith_i_basis {
    int64_t n, count[2];
    const double *vector[2];
} pith_i_basis;

/* y <- y + shift x - factor V V' x, with sums in blocks of fixed size. Where shift is 0, y may be x. */
pith_status pith_i_basis_subtract(pith_ctx *ctx, const pith_i_basis *V, double shift, double factor,
                                  const double *x, double *y);
/* Removes from x its part in V and scales the rest to norm 1; *norm is its norm before that. If it is 0, x
 * stays 0. */
pith_status pith_i_basis_orthonormalize(pith_ctx *ctx, const pith_i_basis *V, double *x, double *norm);
/* The same for vectors that every process holds whole. */
pith_status pith_i_basis_orthonormalize_here(pith_ctx *ctx, const pith_i_basis *V, double *x, double *norm);

#endif
