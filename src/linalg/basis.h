/* Sets of orthonormal vectors, and what is left of a vector without them. */
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
/* x without its part in V, and the norm of the rest before x is scaled to 1; a rest of 0 is left alone. */
pith_status pith_i_basis_orthonormalize(pith_ctx *ctx, const pith_i_basis *V, double *x, double *norm);
/* The same of vectors that every process has whole. */
pith_status pith_i_basis_orthonormalize_here(pith_ctx *ctx, const pith_i_basis *V, double *x, double *norm);

#endif
