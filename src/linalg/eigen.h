/* Eigenpairs of symmetric operators and matrices; every vector's entry of largest modulus is positive. */
#ifndef PITH_LINALG_EIGEN_H
#define PITH_LINALG_EIGEN_H

#include "linalg/operator.h"

/* Which eigenpairs to find. Fields left 0 have no effect. */
typedef struct pith_i_eigen_options {
    int64_t m; /* the m algebraically largest, in the complement of the known vectors */
    /* n_known orthonormal vectors that span an invariant subspace: n_known + m <= n. */
    int64_t n_known;
    const double *known;
    double tolerance; /* a pair has converged when ||A x - value x|| <= tolerance (1 + value) */
    /* A again, for panels of floats: several times as fast, if a tolerance of at least 1e-5 and vectors
     * orthogonal to 1e-6 are good enough. */
    const pith_i_panel_operator *panels;
    /* Initial number of Lanczos vectors, for eigenvalues that lie close together: with too few, thousands of
     * products are wasted before that shows. Set it only for maps whose eigenvalues are simple: at most 200
     * products are spent on the check for a missed copy. */
    int64_t basis;
    /* A product costs less than keeping a vector orthogonal to `basis` others: above 5,000 rows, Lanczos on a
     * polynomial of A is tried first. Not with known vectors. */
    bool cheap;
} pith_i_eigen_options;

/*
 * The largest eigenpairs of A, whose eigenvalues lie in [-1, 1], descending. Vector v is vectors + v * n. An
 * eigenvalue of multiplicity r is returned r times. Random vectors come from the context's seed.
 * PITH_E_NUMERIC when there is no convergence.
 *
 * The solver is the first of these that applies and succeeds: the context's engine, if it has one (with
 * `panels`, an engine for several processes is passed over); LAPACK on the dense matrix, if n is small or m
 * is a large share of n; the filter in floats, if there are `panels`; ARPACK on a polynomial of A, if
 * products are `cheap`; ARPACK on A. eigen.c has the measurements behind this.
 */
pith_status pith_i_eigen_largest(pith_ctx *ctx, const pith_i_operator *A, const pith_i_eigen_options *want,
                                 double *values, double *vectors);

/* Is the dense solver the fastest for m pairs of n rows, in one process? */
bool pith_i_eigen_is_dense(int64_t n, int64_t m);
/* A basis for m eigenvalues that lie close together: max(60, 4 m). */
int64_t pith_i_eigen_large_basis(int64_t m);
/* For the lowest eigenvalues of a Laplacian of n samples: four times as many if n is above 5,000, where they
 * lie closer together. */
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
