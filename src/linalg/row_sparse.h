/*
 * Row-sparse regression by reweighting:
 *
 *     min_W sum_i u_i ||x_i W - f_i||^2 + b ||W||_{2,1}        u = 1 unless given
 *
 * is approached by ridge problems, each the exact minimum over W for its Q = diag(q), q_r = 1 / (2 ||w_r||):
 *
 *     W = (X'UX + b Q)^-1 X'U F                     p x p, in the scaled form E (E X'UX E + b I)^-1 E X'U F,
 *                                                   E = Q^-1/2, whose eigenvalues are at least b
 *     W = Q^-1 X' (X Q^-1 X' + b U^-1)^-1 F         n x n
 *
 * which are equal. The second is taken where n < p. Q^-1 is what is kept: Q spans a dozen decades. In the
 * second form the residual costs nothing: with T = (X Q^-1 X' + b U^-1)^-1 F it is F - XW = b U^-1 T. Nobody
 * forms a p x p matrix where n < p, nor an n x n one where n >= p.
 *
 * A feature that the penalty removes loses a constant factor of its norm in each sweep and never reaches 0,
 * so the number of sweeps is part of a method. From the second sweep on ||w_r|| becomes
 * ||w_r|| 2 ||f_r'U(F - XW)|| / b: that is the optimality condition when it stands still.
 */
#ifndef PITH_LINALG_ROW_SPARSE_H
#define PITH_LINALG_ROW_SPARSE_H

#include "linalg/design.h"

typedef struct pith_i_row_sparse {
    const pith_i_design *X;
    double *inverse_q; /* p: Q^-1, 1 at the start; 0 leaves the feature out of the next factor */
    bool by_samples;   /* the n x n form */
    double *factor;    /* Cholesky, n x n or p x p */
    double *gram;      /* X'UX where it is p x p */
    bool has_gram;     /* of u = 1, which does not change */
    double b;          /* of the last factor */
    const double *u;
} pith_i_row_sparse;

/* From scratch: lives until the caller's mark is released. */
pith_status pith_i_row_sparse_open(pith_ctx *ctx, const pith_i_design *X, pith_i_row_sparse *out);

/* Takes up Q^-1 as it stands; b > 0. u: n weights above 0, which must live as long as the factor is used;
 * NULL: 1. O(n^2 p + n^3) where n < p, else O(p^3), the first time and with u also O(n p^2). */
pith_status pith_i_row_sparse_factor(pith_ctx *ctx, pith_i_row_sparse *s, double b, const double *u);

/* W (p x m; NULL: not wanted) and R = F - XW (n x m; NULL likewise) for targets F, all row-major. */
pith_status pith_i_row_sparse_solve(pith_ctx *ctx, const pith_i_row_sparse *s, int64_t m, const double *F,
                                    double *W, double *R);

/* ||w_r|| of every row, and the largest of them. Reweighting is for the next factor: until then there is no
 * solving. */
double pith_i_row_norms(int64_t p, int64_t m, const double *W, double *norm);
/* Q^-1 = 2 max(||w_r||, 1e-12 max_r ||w_r||), 0 for features left out. */
void pith_i_row_sparse_reweight(pith_i_row_sparse *s, int64_t m, const double *W);
/* Q^-1 = 2 sqrt(||w_r||^2 + e^2): that of the penalty b sum_r sqrt(||w_r||^2 + e^2). */
void pith_i_row_sparse_reweight_smooth(pith_i_row_sparse *s, int64_t m, const double *W, double e);

#endif
