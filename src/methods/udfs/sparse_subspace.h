/*
 * Subspaces that few features span, by reweighting:
 *
 *     min_{W'W = I}  tr(W'MW) + g ||W||_{2,1},      M = X'BX,   W of p x c
 *
 * B (n x n) is symmetric, has no negative eigenvalues and is given as an operator. A sweep takes the c lowest
 * eigenvectors of P = M + g Q, q_r = 1 / (2 ||w_r||). The entries of P span a dozen orders of magnitude, so
 * these are computed as the largest of the inverse: with Y = Q^-1 / g and S'S = B,
 *
 *     P^-1 = Y - Y X'S' (I + S X Y X'S')^-1 S X Y          with an n x n factor, if p - c >= n
 *     P^-1 = E (E M E + g I)^-1 E,   E = Q^-1/2            with a p x p factor, otherwise
 *
 * and then multiplied by P^-1 once more, which makes small rows accurate. If the smallest entries of Q are
 * close together, so are the eigenvalues of P: the j-th of them lies between entries j and j + rank(M) of
 * sorted g Q. Then Q - t takes the place of Q above. t is as far below the smallest entry as entry c +
 * rank(M) is above it. The vectors are the same, the eigenvalues are smaller by g t, and those wanted are far
 * apart.
 *
 * If n and p are both large, neither factor is formed: by_steps.h finds the vectors by products of M with
 * blocks of columns. The way is chosen once, by estimated cost.
 *
 * If the samples are spread over processes, W and all that has p rows is the same in every process, and
 * products with X' are summed. There is no n x n factor then: M is summed, too, and factored in every
 * process, or the vectors are found by products.
 */
#ifndef PITH_METHODS_UDFS_SPARSE_SUBSPACE_H
#define PITH_METHODS_UDFS_SPARSE_SUBSPACE_H

#include "linalg/design.h"
#include "linalg/operator.h"
#include "linalg/row_sparse.h"

typedef struct pith_i_sparse_subspace {
    const pith_i_design *X;
    int64_t c, kept; /* columns of W; features that are not left out */
    double g;
    bool by_samples;
    bool wide;         /* would be by samples, but these are spread */
    int64_t rank;      /* by samples: rows of S; by features: rank of M */
    double *S;         /* by samples: rank x n */
    double *K, *half;  /* by samples: n x n, rank x n */
    double *M;         /* by features: p x p, lower triangle */
    double *factor;    /* rank x rank or p x p */
    double *inverse_q; /* p: Q^-1; 0 for features left out */
    double t;          /* subtracted from Q */
    double *shifted;   /* p: (Q - t)^-1 */
    double bound;      /* above all eigenvalues of (P - g t)^-1 */
    double *value, *V; /* c largest eigenvalues of P^-1; W', c x p */
    double *norm;      /* p: ||w_r|| */
    double objective;  /* after a sweep */
    bool exact;        /* by steps, from the start of the direct way: shares.h */
    bool iterative;    /* by_steps.h, which needs the rest */
    pith_i_operator B;
    int64_t near;         /* 0, or for tests: see lowest.h */
    int64_t width;        /* columns of W */
    double *diagonal, *d; /* p: of M, and g Q */
    double *W, *values;   /* the last sweep's vectors, and some more: p x width, row-major; width */
    bool warm;            /* there was a sweep */
    double residual;      /* the largest one of all sweeps */
} pith_i_sparse_subspace;

/*
 * Allocates memory (scratch) and finds the row norms to start from; these do not depend on an eigensolver's
 * choice. If M's null space has d0 >= c dimensions, W could be any c of them, and ||w_r||^2 is the mean over
 * all choices: (c / d0) (1 - sum_j e_jr^2), where e_j are the eigenvectors of M with an eigenvalue above
 * 1e-10 of the largest. Otherwise W are the c lowest eigenvectors. norm holds the result.
 *
 * O(n^3 + n^2 p) or O(p^3 + n p^2); by steps, a few hundred products of M with a hundred columns. Only tests
 * choose a `way`. PITH_E_DATA if fewer than c features are not left out. B must outlive `out`.
 */
pith_status pith_i_sparse_subspace_open(pith_ctx *ctx, const pith_i_design *X, const pith_i_operator *B,
                                        double g, int64_t c, pith_i_way way, pith_i_sparse_subspace *out);
/* One sweep: computes Q from norm, then V, value, norm and objective. */
pith_status pith_i_sparse_subspace_sweep(pith_ctx *ctx, pith_i_sparse_subspace *s);
#endif
