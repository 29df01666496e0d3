/*
 * Row-sparse regression by reweighting:
 *
 *     min_W sum_i u_i ||x_i W - f_i||^2 + b ||W||_{2,1}        u = 1 unless given
 *
 * is solved by a sequence of ridge problems, each exactly, with Q = diag(q), q_r = 1 / (2 ||w_r||):
 *
 *     W = (X'UX + b Q)^-1 X'U F                     p x p, in the scaled form E (E X'UX E + b I)^-1 E X'U F,
 *                                                   E = Q^-1/2, whose eigenvalues are at least b
 *     W = Q^-1 X' (X Q^-1 X' + b U^-1)^-1 F         n x n
 *
 * which are equal. The second is used if n < p. Q^-1 is stored instead of Q, which spans a dozen decades. In
 * the second form the residual costs nothing: with T = (X Q^-1 X' + b U^-1)^-1 F it is F - XW = b U^-1 T. No
 * p x p matrix is formed if n < p, and no n x n one if n >= p.
 *
 * If n and p are both large, neither is formed: the second form is solved by conjugate gradients on
 *
 *     (E X Q^-1 X' E + b I) S = E F,    T = E S,    here with E = U^1/2,
 *
 * from the last solution, preconditioned by a sketch of the first term (linalg/nystrom.h). Every factor
 * chooses the cheaper way by an estimate: the sketch tells how many steps to expect. Below LITTLE
 * multiplications the direct way is always taken.
 *
 * If samples are spread over processes, no n x n matrix is formed: it is the p x p form or conjugate
 * gradients, and always the latter if p exceeds the number of all samples and the cost exceeds LITTLE. All
 * processes have the same W.
 *
 * The norm of a feature that the penalty removes falls by a constant factor in each sweep and never reaches
 * 0, so the number of sweeps is part of a method. From the second sweep on ||w_r|| becomes
 * ||w_r|| 2 ||f_r'U(F - XW)|| / b: at a fixed point this is the optimality condition.
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
    double rows;       /* samples of all processes, */
    double stored;     /* and their stored entries */
    double *factor;    /* Cholesky, n x n or p x p */
    double *gram;      /* X'UX, in the p x p form */
    bool has_gram;     /* gram is that of u = 1, which does not change */
    double b;          /* of the last factor */
    const double *u;
    pith_i_way way;        /* set to force one; at first PITH_I_BY_COST */
    int64_t columns;       /* targets that one factor is for */
    double tolerance;      /* of a target's residual in its system, for conjugate gradients */
    bool iterative;        /* the last factor is only a sketch, for conjugate gradients */
    pith_i_nystrom sketch; /* of E X Q^-1 X' E; U NULL: none yet */
    double *root;          /* n: E */
    double *solution;      /* n x columns: the last S */
} pith_i_row_sparse;

/* From scratch: lives until the caller's mark is released. `columns`: how many targets a factor is for, all
 * its solves together. */
pith_status pith_i_row_sparse_open(pith_ctx *ctx, const pith_i_design *X, int64_t columns,
                                   pith_i_row_sparse *out);

/* Factors the system of the current Q^-1; b > 0. u: n weights above 0, which must live as long as the factor
 * is used; NULL: 1. O(n^2 p + n^3) if n < p, else O(p^3), the first time and with u also O(n p^2); for
 * conjugate gradients, products of X with some hundred columns. May take scratch, which lives as long as that
 * of open. */
pith_status pith_i_row_sparse_factor(pith_ctx *ctx, pith_i_row_sparse *s, double b, const double *u);

/* W (p x m; NULL: not wanted) and R = F - XW (n x m; NULL likewise) for targets F, all row-major. */
pith_status pith_i_row_sparse_solve(pith_ctx *ctx, const pith_i_row_sparse *s, int64_t m, const double *F,
                                    double *W, double *R);

/* Does a factor for `columns` targets take more than LITTLE multiplications? */
bool pith_i_row_sparse_is_large(const pith_i_row_sparse *s);
/* The system itself, after a factor for conjugate gradients without u: V = (X Q^-1 X' + b I) S for m columns.
 */
pith_status pith_i_row_sparse_image(pith_ctx *ctx, const pith_i_row_sparse *s, int64_t m, const double *S,
                                    double *V);
/* S near (X Q^-1 X' + b I)^-1 V: the residual of every column is at most `tolerance` times the column. */
pith_status pith_i_row_sparse_near(pith_ctx *ctx, const pith_i_row_sparse *s, int64_t m, double tolerance,
                                   const double *V, double *S);
/* The next solve of `columns` targets starts from the first columns of S, whose rows are `step` apart. */
void pith_i_row_sparse_begin(pith_i_row_sparse *s, int64_t step, const double *S);

/* ||w_r|| of every row; returns the largest. */
double pith_i_row_norms(int64_t p, int64_t m, const double *W, double *norm);
/* Q^-1 = 2 max(||w_r||, 1e-12 max_r ||w_r||), 0 for features left out. After reweighting, factor again before
 * the next solve. */
void pith_i_row_sparse_reweight(pith_i_row_sparse *s, int64_t m, const double *W);
/* The same for the penalty b sum_r sqrt(||w_r||^2 + e^2): Q^-1 = 2 sqrt(||w_r||^2 + e^2). */
void pith_i_row_sparse_reweight_smooth(pith_i_row_sparse *s, int64_t m, const double *W, double e);

#endif
