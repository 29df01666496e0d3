/*
 * The least eigenpairs of a symmetric map A that contains an inverse, as B + c M^-1 does, by Davidson's
 * method with thick restarts (Stathopoulos, Saad & Wu, SIAM J. Sci. Comput. 19, 1998). A product with such a
 * map is a linear system. But if a vector comes with its image,
 *
 *     y = M u,     A y = B y + c u,
 *
 * nothing is to be solved. So the space in which pairs are sought (Rayleigh and Ritz, y orthonormal) is one
 * of pairs (u, y). It grows by u = P r for the residuals r = A y - value y, where P is near (A M)^-1, and a
 * new pair costs one product with M. An error of P costs steps and no digits. A start near the solution saves
 * most of them.
 */
#ifndef PITH_LINALG_DAVIDSON_H
#define PITH_LINALG_DAVIDSON_H

#include "core/core.h"

/* Of m columns each, n x m, row-major. Where rows are spread over processes, n are those held here. */
typedef struct pith_i_paired_map {
    int64_t n;
    const void *self;
    pith_status (*image)(pith_ctx *ctx, const void *self, int64_t m, const double *U,
                         double *Y); /* Y = M U */
    pith_status (*apply)(pith_ctx *ctx, const void *self, int64_t m, const double *U, const double *Y,
                         double *AY); /* Y = M U is given */
    pith_status (*precondition)(pith_ctx *ctx, const void *self, int64_t m, const double *R, double *U);
    int64_t all; /* rows of all processes; 0: they are not spread */
} pith_i_paired_map;

typedef struct pith_i_davidson_options {
    int64_t m;        /* pairs wanted, */
    int64_t width;    /* of so many that are carried along, m <= width; the others need not converge */
    double tolerance; /* ||A y - value y|| <= tolerance (1 + |value|) */
    int64_t most;     /* products with M, counted by columns */
} pith_i_davidson_options;

/*
 * The m algebraically least eigenpairs of A, ascending, in the space that U, M and P do not leave. U (n x
 * width) holds a start, columns that depend on the others do no harm, and gets those of the solution; Y (n x
 * width) their images, orthonormal; values: width. products (may be NULL): by columns. Only the space that
 * the start reaches is searched: an eigenvector that is orthogonal to it may be missed, so some of its
 * columns should be random. PITH_E_NUMERIC after `most` products, or where the start has fewer than m
 * directions. The same bits for any number of threads. Scratch: some 13 n width.
 */
pith_status pith_i_davidson_least(pith_ctx *ctx, const pith_i_paired_map *A,
                                  const pith_i_davidson_options *want, double *values, double *U, double *Y,
                                  int64_t *products);

#endif
