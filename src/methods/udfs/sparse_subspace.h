/*
 * Subspaces that few features span, by reweighting:
 *
 *     min_{W'W = I}  tr(W'MW) + g ||W||_{2,1},      M = X'BX,   W of p x c
 *
 * B (n x n) is symmetric without negative eigenvalues and known as an operator. A sweep takes the c lowest
 * eigenvectors of P = M + g Q, q_r = 1 / (2 ||w_r||). P has entries over a dozen decades, so they are had as
 * the largest of its inverse: with Y = Q^-1 / g and S'S = B
 *
 *     P^-1 = Y - Y X'S' (I + S X Y X'S')^-1 S X Y          an n x n factor, where p - c >= n
 *     P^-1 = E (E M E + g I)^-1 E,   E = Q^-1/2            a p x p factor, else
 *
 * and are multiplied by P^-1 once more, which gives small rows their digits. Where Q's smallest entries are
 * near each other so are P's eigenvalues: at most rank(M) of them are above the sorted entries of g Q by more
 * than that many places. Q - t then stands for Q above, t below its smallest entry by as much as the entry c
 * + rank(M) places on is above: the same vectors, eigenvalues less g t, and those wanted are now far apart.
 *
 * Where n and p are both large neither factor is made: by_steps.h finds the vectors by products of M with
 * blocks of columns. Which way is taken is decided once, by estimated cost.
 */
#ifndef PITH_METHODS_UDFS_SPARSE_SUBSPACE_H
#define PITH_METHODS_UDFS_SPARSE_SUBSPACE_H

#include "linalg/design.h"
#include "linalg/operator.h"
#include "linalg/row_sparse.h"

typedef struct pith_i_sparse_subspace {
    const pith_i_design *X;
    int64_t c, kept; /* columns of W, features that take part */
    double g;
    bool by_samples;
    int64_t rank;      /* by samples: rows of S */
    double *S;         /* by samples: rank x n */
    double *K, *half;  /* by samples: n x n, rank x n */
    double *M;         /* by features: p x p, lower triangle */
    double *factor;    /* rank x rank or p x p */
    double *inverse_q; /* p: Q^-1; 0 for features left out */
    double t;          /* what is taken from Q */
    double *shifted;   /* p: (Q - t)^-1 */
    double bound;      /* above all eigenvalues of (P - g t)^-1 */
    double *value, *V; /* c largest eigenvalues of P^-1; W', c x p */
    double *norm;      /* p: ||w_r|| */
    double objective;  /* after a sweep */
    bool iterative;    /* by_steps.h; the rest is for that */
    pith_i_operator B;
    int64_t near;         /* 0, or for tests: see linalg/lowest.h */
    int64_t width;        /* columns of W */
    double *diagonal, *d; /* p: of M, and g Q */
    double *W, *values;   /* p x width, row-major: the last sweep's, and more; width */
    bool warm;            /* there was a sweep */
    double residual;      /* the largest that a sweep has left */
} pith_i_sparse_subspace;

/*
 * Takes memory (scratch) and the weights of a start that no eigensolver decides: where M's null space has d0
 * >= c dimensions, W could be any c of them, and ||w_r||^2 is the mean over all, (c / d0) (1 - sum_j e_jr^2),
 * e_j the eigenvectors of M whose eigenvalue is above 1e-10 of the largest; else W are the c lowest. norm
 * holds them. PITH_E_DATA where fewer than c features take part. O(n^3 + n^2 p) or O(p^3 + n p^2); by steps,
 * where that is estimated to take less than the factors (`way` of tests apart), a few hundred products of M
 * with a hundred columns. B must outlive what it opens.
 */
pith_status pith_i_sparse_subspace_open(pith_ctx *ctx, const pith_i_design *X, const pith_i_operator *B,
                                        double g, int64_t c, pith_i_way way, pith_i_sparse_subspace *out);
/* One sweep: Q from norm, then V, value, norm and objective. */
pith_status pith_i_sparse_subspace_sweep(pith_ctx *ctx, pith_i_sparse_subspace *s);
#endif
