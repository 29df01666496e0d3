/*
 * What hufs and eufs share: a factorisation whose rows choose features,
 *
 *     F(U,V) = ||X - U V'||_{2,1} + rows ||V||_{2,1} + groups sum_c sum_G w_G ||V[G,c]||_2 + graph tr(U'LU)
 *     subject to U'U = I, U >= 0
 *
 * X is n x p; U, n x k, says which cluster a sample is in, and V, p x k, how a feature looks in each. X is
 * divided by its mean row norm, so that the weights do not depend on its unit. L = I - A, A = D^-1/2 W
 * D^-1/2. Where samples are spread over processes, each has its own rows of U, and all have the same V.
 */
#ifndef PITH_METHODS_FACTOR_FACTOR_H
#define PITH_METHODS_FACTOR_FACTOR_H

#include "linalg/design.h"
#include "methods/method.h"
#include "tree/tree.h"

enum { SOLVER_MM, SOLVER_ADMM, SOLVER_ADMM_TREE };

typedef struct pith_i_factor_options {
    int64_t starts, max_iter;
    double tol, mu0, mu_max, step; /* NaN: the solver's default; step: the factor by which mu grows */
} pith_i_factor_options;

typedef struct pith_i_factor {
    const pith_i_input *in;
    pith_i_factor_options o;
    pith_i_design X; /* the data without constant columns, not yet divided by scale */
    int64_t n, p, k; /* n: samples held here, */
    int64_t all;     /* those of all processes */
    double rows, groups, graph;
    const char *rows_name;  /* what the user calls `rows` */
    const pith_tree *tree;  /* NULL: no groups */
    double *weight;         /* of its nodes; NULL: 1 */
    double scale;           /* mean row norm of the data */
    double *square;         /* n: ||x_i||^2 */
    double mean_square;     /* of them */
    double *U, *V, *Z;      /* n x k, p x k, n x k */
    double largest_start;   /* max_i ||v_i|| at the start */
    double *norm;           /* p: of the rows of V before the last shrink, */
    double threshold;       /* and what it subtracted: ||v_i|| = max(0, norm - threshold) / (1 + divisor) */
    const int32_t *divisor; /* p; NULL: 0 */
    int64_t iterations;
    double objective, gap, negative; /* F, ||Z - U|| / sqrt(k), ||min(U,0)|| / sqrt(k) */
} pith_i_factor;

/* From in and o: scale, row norms, clusters, initial U and V. From the caller's scratch. */
pith_status pith_i_factor_start(pith_ctx *ctx, pith_i_factor *f);
pith_status pith_i_factor_mm(pith_ctx *ctx, pith_i_factor *f);
/* nested: one copy of V for all nodes instead of one for each. */
pith_status pith_i_factor_admm(pith_ctx *ctx, pith_i_factor *f, bool nested);
/*
 * ||v_i||; for a removed feature, a negative number: how far it is from entering. Facts and warnings go to
 * the input. Where V has vanished: ||sum_i u_i x_ij / ||x_i|| || minus rows, or minus its largest value if
 * that is more: the distance from entering at V = 0.
 */
pith_status pith_i_factor_score(pith_ctx *ctx, pith_i_factor *f, double *score);

/* ---- For the solvers ----------------------------------------------------------------------------------- */

/* out (n x m) = X B, out (p x m) = X'B, X divided by scale; constant columns are 0. */
pith_status pith_i_factor_times(pith_ctx *ctx, const pith_i_factor *f, int64_t m, const double *B,
                                double *out);
pith_status pith_i_factor_times_t(pith_ctx *ctx, const pith_i_factor *f, int64_t m, const double *B,
                                  double *out);
/* out = c A B + out (n x k) if F has a graph term; else nothing. */
pith_status pith_i_factor_neighbours(pith_ctx *ctx, const pith_i_factor *f, double c, const double *B,
                                     double *out);
/* All of F but its first term, at U and V. room: pith_i_tree_room, if there is a tree. */
pith_status pith_i_factor_penalties(pith_ctx *ctx, const pith_i_factor *f, double *room, double *out);
/* gap and negative of U and Z. */
pith_status pith_i_factor_measure(pith_ctx *ctx, pith_i_factor *f);

/* The rows of a method's table that both have. */
extern const char *const pith_i_factor_solvers[], *const pith_i_factor_solvers_plain[];
#define FACTOR_PARAMS(record, solvers)                                                                       \
    ROW(record, solver, "solver", SOLVER_MM, 0, 0, false, solvers,                                           \
        "mm: iterative reweighting, keeps sparse data sparse; admm: as in the papers, holds a second copy "  \
        "of the data"),                                                                                      \
        ROW(record, o.starts, "starts", 10, 1, 1000, false, NULL,                                            \
            "k-means runs; the best one is the starting point"),                                             \
        ROW(record, o.max_iter, "max_iter", 100, 1, 10000, false, NULL, "maximum number of iterations"),     \
        ROW(record, o.tol, "tol", 1e-4, 0, 1, false, NULL,                                                   \
            "stop when the relative change of the objective is below this and the constraints hold"),        \
        ROW(record, o.mu0, "mu0", (double)NAN, 1e-8, 1e8, true, NULL,                                        \
            "initial weight of the constraints; auto: 0.01 for mm, 1 for admm"),                             \
        ROW(record, o.mu_max, "mu_max", (double)NAN, 1, 1e12, true, NULL,                                    \
            "maximum weight of the constraints; auto: 1e6 for mm, 1e10 for admm"),                           \
        ROW(record, o.step, "rho", 1.1, 1, 10, false, NULL,                                                  \
            "factor by which the weight of the constraints grows in each iteration")

#endif
