/* Eigenpairs of symmetric operators and matrices; every vector's entry of largest modulus is positive. */
#ifndef PITH_LINALG_EIGEN_H
#define PITH_LINALG_EIGEN_H

#include "linalg/operator.h"

/* Which eigenpairs are wanted. What is left 0 has no effect. */
typedef struct pith_i_eigen_options {
    int64_t m; /* so many, the algebraically largest, */
    /* in the complement of n_known orthonormal vectors that span an invariant subspace: n_known + m <= n. */
    int64_t n_known;
    const double *known;
    double tolerance; /* a pair is done when ||A x - value x|| <= tolerance (1 + value) */
    /* A again, for panels of floats: where a tolerance not below 1e-5 and vectors that are orthogonal to 1e-6
     * will do. Several times as fast. */
    const pith_i_panel_operator *panels;
    /* Lanczos vectors to begin with, where eigenvalues are known to lie close: a basis too small is found out
     * only after thousands of products. For maps that have no reason to repeat an eigenvalue: no more than
     * 200 products go into looking for a missed one. */
    int64_t basis;
    /* Products are cheap beside keeping a vector orthogonal to `basis` others: above 5,000 rows polynomials
     * of A are tried first. Not beside known vectors. */
    bool cheap;
} pith_i_eigen_options;

/*
 * The largest eigenpairs of A, whose eigenvalues lie in [-1, 1], descending. Vector v is vectors + v * n. An
 * eigenvalue of multiplicity r comes r times. Random vectors come from the context's seed. PITH_E_NUMERIC
 * when there is no convergence.
 *
 * Computed by the context's engine, if it has a way of its own (an engine for several processes that has one
 * only leaves panels to those below); by LAPACK on the dense matrix for small n or
 * where m is a large share of n; by filtered subspaces of floats if `panels` allow it; or, also where these
 * find nothing, by ARPACK, on a polynomial of A or on A itself.
 */
pith_status pith_i_eigen_largest(pith_ctx *ctx, const pith_i_operator *A, const pith_i_eigen_options *want,
                                 double *values, double *vectors);

/* Is the dense solver as fast as others for m pairs of n rows, in one process? */
bool pith_i_eigen_is_dense(int64_t n, int64_t m);
/* A basis for m eigenvalues that lie close: max(60, 4 m). */
int64_t pith_i_eigen_large_basis(int64_t m);
/* For the lowest of a Laplacian of n samples four times as many where n is above 5,000: there they lie closer
 * together. */
int64_t pith_i_eigen_lowest_basis(int64_t n, int64_t m);
/* The largest sum of moduli in a row of a square CSR matrix, `diagonal` added to each: above the modulus of
 * every eigenvalue. */
double pith_i_row_sum_bound(int64_t n, const int64_t *row, const double *value, double diagonal);

/* All eigenpairs of the symmetric n x n matrix A (destroyed), ascending. LAPACK, one thread. */
pith_status pith_i_eigen_dense(pith_ctx *ctx, int64_t n, double *A, double *values, double *vectors);
/* The same with the vectors in A's place: vector v is A + v * n. Scratch: 2 n^2. */
pith_status pith_i_eigen_dense_in_place(pith_ctx *ctx, int64_t n, double *A, double *values);

/* Turns x so that its entry of largest modulus is positive: of entries equal but for rounding, the first. */
void pith_i_fix_sign(int64_t n, double *x);
/* Of a vector that may be spread as A is. */
pith_status pith_i_fix_sign_of_all(pith_ctx *ctx, const pith_i_operator *A, double *x);

#endif
