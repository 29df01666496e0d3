/*
 * The lowest eigenpairs of P = A + diag(d), where A is positive semidefinite and given by its products only,
 * and d > 0 may span many decades:
 *
 *     P w_j = value_j w_j,   value_1 <= value_2 <= ...
 *
 * By a block method (LOBPCG, Knyazev 2001): Ritz vectors of P in span(W, Z, D), where Z are the
 * preconditioned residuals of W and D is the last step. The preconditioner approximates (P - s)^-1, with s a
 * little below the least eigenvalue: it inverts the block of P for the rows of smallest diagonal, and the
 * diagonal elsewhere. The eigenvectors of that block are the start. Vectors are orthonormal in the inner
 * product of P or of its diagonal, so that a row of W as small as 1 / d_r keeps its digits.
 */
#ifndef PITH_METHODS_UDFS_LOWEST_H
#define PITH_METHODS_UDFS_LOWEST_H

#include "linalg/cg.h"

typedef struct pith_i_lowest {
    const pith_i_rows_map *A;
    const double *diagonal; /* n: A's, or an approximation */
    const double *d;  /* n; INFINITY: the row is left out, W is 0 there, and so are A's row and column */
    int64_t wanted;   /* pairs to find */
    int64_t width;    /* columns to iterate on: wanted <= width <= rows that are not left out */
    int64_t near;     /* rows of the block; 0: the larger of 512 and 2 width */
    double tolerance; /* for ||P w - value w|| in the preconditioner's norm, relative to w's */
    int64_t most;     /* steps; the pairs reached then are returned */
    bool warm;        /* W holds a start */
    double *W;        /* n x width, row-major: the first `wanted` become orthonormal */
    double *value;    /* width */
    double residual;  /* the largest of the wanted pairs */
    int64_t steps;
} pith_i_lowest;

/* Scratch: 14 n width and 3 near^2. A step is one product of A with `width` columns and O(n width^2). */
pith_status pith_i_lowest_pairs(pith_ctx *ctx, pith_i_lowest *L);

#endif
