/*
 * What rufs and rsfs share: nonnegative cluster labels G (n x c) that neighbours share and that a row-sparse
 * regression predicts, XW + 1h' ~ G. Labels and regression are learnt in turn; the methods differ in what
 * they minimise over G.
 */
#ifndef PITH_METHODS_LABEL_REGRESSION_H
#define PITH_METHODS_LABEL_REGRESSION_H

#include "graph/local_sum.h"
#include "linalg/row_sparse.h"
#include "methods/regression.h"

typedef struct pith_i_label_options {
    pith_i_shared shared;
    double v, a, rho, r, tol;
    int64_t max_iter, inner_iter, starts;
} pith_i_label_options;

/* The rows of the parameter table that are the same in both, those after v; `sweeps` explains max_iter. */
#define LABEL_REGRESSION_PARAMS(sweeps)                                                                      \
    PARAM(pith_i_label_options, a, 1, 1e-6, 1e6, "weight of the regression that predicts the labels"),       \
        PARAM(pith_i_label_options, r, 0.1, 1e-6, 1e6,                                                       \
              "ridge penalty of local learning: the larger, the smoother"),                                  \
        ROW(pith_i_label_options, shared.neighbors, "neighbors", 5, 1, 100, false, NULL,                     \
            "nearest neighbours of each sample in local learning, at most samples - 1"),                     \
        PARAM(pith_i_label_options, max_iter, 30, 1, 200, sweeps),                                           \
        PARAM(pith_i_label_options, inner_iter, 50, 1, 200, "updates of the labels in each sweep"),          \
        TOL_PARAM(pith_i_label_options),                                                                     \
        PARAM(pith_i_label_options, starts, 10, 1, 1000,                                                     \
              "k-means runs for the initial labels; the best one is used"),                                  \
        CLUSTERS_PARAM(pith_i_label_options), START_PARAM(pith_i_label_options),                             \
        STANDARDIZE_PARAM(pith_i_label_options)

typedef struct pith_i_label_regression {
    const pith_i_label_options *o;
    int64_t n, p, c;
    pith_i_design X;
    pith_i_local_sum L; /* local learning; owned */
    pith_i_row_sparse solver;
    double b, z;           /* weight of ||W||_{2,1}; of ||G'G - I||^2 / 4 */
    double e_weight;       /* smoothing of the norms of W's rows */
    double *G, *h;         /* n x c, c */
    double *W;             /* p x c */
    double *fitted;        /* n x c: XW + 1h' */
    double *target, *left; /* n x c: targets of the regression, and its residual */
    double *pos, *neg;     /* n x c: the two parts of the gradient over G */
    double *room, *norm;   /* room for the indicator's steps; p */
} pith_i_label_regression;

/* What a method adds; `self` begins with its pith_i_label_regression. */
typedef struct pith_i_label_steps {
    /* Memory, constants and the first labels and weights; called after the common memory is allocated. */
    pith_status (*start)(pith_ctx *ctx, const pith_i_input *in, void *self);
    pith_status (*sweep)(pith_ctx *ctx, void *self, double *objective);
} pith_i_label_steps;

/* Starts, sweeps, and writes score(f) = ||w_f||. The caller's mark holds the memory; free afterwards. */
pith_status pith_i_label_regression_run(pith_ctx *ctx, const pith_i_input *in,
                                        const pith_i_label_steps *steps, pith_i_label_regression *w,
                                        double *score);
void pith_i_label_regression_free(pith_i_label_regression *w);

/* b = factor rho a max_r ||f_r'C|| for C in w->target; at rho = 1 it is the least penalty that leaves no
 * feature. PITH_E_DATA where it is 0. */
pith_status pith_i_label_penalty(pith_ctx *ctx, pith_i_label_regression *w, const char *method,
                                 double factor);
/* W for the solver's Q, sample weights u (NULL: 1) and the targets G - noise - 1h' (noise NULL: 0), then
 * fitted for the present h. */
pith_status pith_i_label_weights(pith_ctx *ctx, pith_i_label_regression *w, const double *noise,
                                 const double *u);
/* The first W, a ridge regression; e_weight is 1e-6 times its largest row norm. */
pith_status pith_i_label_first_weights(pith_ctx *ctx, pith_i_label_regression *w);
/* Moves h and fitted by the mean residual of W, weighted by u (NULL: 1). */
pith_status pith_i_label_intercept(pith_ctx *ctx, pith_i_label_regression *w, const double *u);
/* sum_r sqrt(||w_r||^2 + e_weight^2). */
double pith_i_label_weight_norm(pith_i_label_regression *w);

#endif
