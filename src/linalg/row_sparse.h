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
 * Where n and p are both large, neither is formed: the second form is solved by conjugate gradients on
 *
 *     (E X Q^-1 X' E + b I) S = E F,    T = E S,    E = U^1/2,
 *
 * from the last solution, preconditioned by a sketch of the first term (linalg/nystrom.h). Which way is taken
 * is decided at every factor by its estimated cost: the sketch tells how many steps to expect. Below LITTLE
 * multiplications the direct way is always taken.
 *
 * Where samples are spread over processes, no process has an n x n matrix: it is the p x p form, or where p
 * is above the number of all samples and that is not little, steps. All processes have the same W.
 *
 * A feature that the penalty removes loses a constant factor of its norm in each sweep and never reaches 0,
 * so the number of sweeps is part of a method. From the second sweep on ||w_r|| becomes
 * ||w_r|| 2 ||f_r'U(F - XW)|| / b: that is the optimality condition when it stands still.
 */
#ifndef PITH_LINALG_ROW_SPARSE_H
#define PITH_LINALG_ROW_SPARSE_H

#include "linalg/design.h"
#include "linalg/nystrom.h"

typedef enum pith_i_way { PITH_I_BY_COST, PITH_I_DIRECT, PITH_I_ITERATIVE } pith_i_way;

typedef struct pith_i_row_sparse {
    const pith_i_design *X;
    double *inverse_q; /* p: Q^-1, 1 at the start; 0 leaves the feature out of the next factor */
    bool by_samples;   /* the n x n form */
    double rows;       /* of all processes, */
    double stored;     /* and the entries of X */
    double *factor;    /* Cholesky, n x n or p x p */
    double *gram;      /* X'UX where it is p x p */
    bool has_gram;     /* of u = 1, which does not change */
    double b;          /* of the last factor */
    const double *u;
    pith_i_way way;        /* for tests; the others leave it as it is */
    int64_t columns;       /* targets that one factor is for */
    double tolerance;      /* of a target's residual in its system, where steps solve it */
    bool iterative;        /* the last factor was none: a sketch */
    pith_i_nystrom sketch; /* of E X Q^-1 X' E; U NULL: none yet */
    double *root;          /* n: E */
    double *solution;      /* n x columns: the last S */
} pith_i_row_sparse;

/* From scratch: lives until the caller's mark is released. `columns`: how many targets a factor is for, all
 * its solves together. */
pith_status pith_i_row_sparse_open(pith_ctx *ctx, const pith_i_design *X, int64_t columns,
                                   pith_i_row_sparse *out);

/* Takes up Q^-1 as it stands; b > 0. u: n weights above 0, which must live as long as the factor is used;
 * NULL: 1. O(n^2 p + n^3) where n < p, else O(p^3), the first time and with u also O(n p^2); by steps,
 * products of X with some hundred columns. May take scratch, which is the opener's. */
pith_status pith_i_row_sparse_factor(pith_ctx *ctx, pith_i_row_sparse *s, double b, const double *u);

/* W (p x m; NULL: not wanted) and R = F - XW (n x m; NULL likewise) for targets F, all row-major. */
pith_status pith_i_row_sparse_solve(pith_ctx *ctx, const pith_i_row_sparse *s, int64_t m, const double *F,
                                    double *W, double *R);

/* Does a factor for `columns` targets take more than LITTLE multiplications? */
bool pith_i_row_sparse_is_large(const pith_i_row_sparse *s);
/* For who has a use for the system itself, after a factor by steps without u. V = (X Q^-1 X' + b I) S for m
 * columns. */
pith_status pith_i_row_sparse_image(pith_ctx *ctx, const pith_i_row_sparse *s, int64_t m, const double *S,
                                    double *V);
/* S near (X Q^-1 X' + b I)^-1 V: every column's residual is at most `tolerance` of it. */
pith_status pith_i_row_sparse_near(pith_ctx *ctx, const pith_i_row_sparse *s, int64_t m, double tolerance,
                                   const double *V, double *S);
/* What the next solve of `columns` targets begins with: the first columns of S, whose rows are `step` apart.
 */
void pith_i_row_sparse_begin(pith_i_row_sparse *s, int64_t step, const double *S);

/* ||w_r|| of every row, and the largest of them. Reweighting is for the next factor: until then there is no
 * solving. */
double pith_i_row_norms(int64_t p, int64_t m, const double *W, double *norm);
/* Q^-1 = 2 max(||w_r||, 1e-12 max_r ||w_r||), 0 for features left out. */
void pith_i_row_sparse_reweight(pith_i_row_sparse *s, int64_t m, const double *W);
/* Q^-1 = 2 sqrt(||w_r||^2 + e^2): that of the penalty b sum_r sqrt(||w_r||^2 + e^2). */
void pith_i_row_sparse_reweight_smooth(pith_i_row_sparse *s, int64_t m, const double *W, double e);

#endif
