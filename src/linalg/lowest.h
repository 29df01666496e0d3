/*
 * The lowest eigenpairs of P = A + diag(d), where A is known by its products alone, symmetric without
 * negative eigenvalues, and d > 0 may span many decades:
 *
 *     P w_j = value_j w_j,   value_1 <= value_2 <= ...
 *
 * By a block method (LOBPCG, Knyazev 2001): Ritz vectors of P in span(W, Z, D), Z the preconditioned
 * residuals of W and D the last step. The preconditioner is near (P - s)^-1, s a little below the least
 * value: that of the block of P over the rows of smallest diagonal, and of the diagonal itself elsewhere. The
 * block's own eigenvectors are the start. Everything is orthonormal by P or by its diagonal, so that a row of
 * W as small as 1 / d_r keeps its digits.
 */
#ifndef PITH_LINALG_LOWEST_H
#define PITH_LINALG_LOWEST_H

#include "linalg/cg.h"

typedef struct pith_i_lowest {
    const pith_i_rows_map *A;
    const double *diagonal; /* n: A's, or near it */
    const double *d;        /* n; INFINITY: W has 0 there, and A takes and gives nothing */
    int64_t wanted;         /* pairs, */
    int64_t width;          /* and so many to work with: wanted <= width <= rows that are not left out */
    int64_t near;           /* rows of the block; 0: 512 or 2 width */
    double tolerance;       /* of ||r||, r = P w - value w, by the preconditioner's norm relative to w's */
    int64_t most;           /* steps: then what there is must do */
    bool warm;              /* W holds columns that may be near */
    double *W;              /* n x width, row-major: the first `wanted` become orthonormal */
    double *value;          /* width */
    double residual;        /* the largest of the wanted */
    int64_t steps;
} pith_i_lowest;

/* Scratch: 14 n width and 3 near^2. A step is one product of A with `width` columns and O(n width^2). */
pith_status pith_i_lowest_pairs(pith_ctx *ctx, pith_i_lowest *L);

#endif
