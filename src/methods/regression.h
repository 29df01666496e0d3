/* Shared by methods that regress on the features. */
#ifndef PITH_METHODS_REGRESSION_H
#define PITH_METHODS_REGRESSION_H

#include "linalg/design.h"
#include "methods/method.h"

/* The method's view as a design matrix: columns centred, whatever the view, and without constant ones. From
 * the caller's scratch. */
pith_status pith_i_input_design(pith_ctx *ctx, const pith_i_input *in, pith_i_design *out);

/*
 * 2 max_r ||f_r||. A row-sparse regression on targets with orthonormal columns gives W = 0 for any penalty
 * above 2 max_r ||f_r'F||, which is at most this: `rho`, the share of it that is used, means the same on all
 * data. PITH_E_DATA if no column has a positive, finite norm.
 */
pith_status pith_i_penalty_bound(pith_ctx *ctx, const pith_i_design *X, double *out);

/* The indicator G (n x c) of labels to start from, and its column means h. The labels are the user's, or
 * those of k-means on the method's view, the best of `starts` runs. */
pith_status pith_i_input_indicator(pith_ctx *ctx, const pith_i_input *in, int64_t c, int64_t starts,
                                   double *G, double *h);

#define RHO_PARAM(record, default_)                                                                          \
    PARAM(record, rho, default_, 1e-6, 1,                                                                    \
          "row sparsity, relative to the penalty that removes every feature: the larger, the fewer "         \
          "features matter")
#define MAX_ITER_PARAM(record, default_)                                                                     \
    PARAM(record, max_iter, default_, 1, 1000, "number of sweeps; if tol is above 0, the maximum number")
#define TOL_PARAM(record)                                                                                    \
    PARAM(record, tol, 0, 0, 1,                                                                              \
          "stop when a sweep changes the objective by less than this, relatively; 0: never")

/* Residual at which an iterative regression inside a sweep stops, relative to its targets: a ten-thousandth
 * of the sweeps' tolerance, between 1e-12 and 1e-7; 1e-10 without a tolerance, since then all sweeps are
 * made. */
static inline double pith_i_inner_tolerance(double tol)
{
    return tol > 0 ? fmax(fmin(1e-4 * tol, 1e-7), 1e-12) : 1e-10;
}

/*
 * Sweeps until max_iter of them are done or one changes the objective by less than tol times its value. A
 * sweep changes self and returns the objective. The objective of every sweep and their number go into the
 * facts.
 */
typedef struct pith_i_sweeps {
    int64_t max_iter;
    double tol;
    pith_status (*sweep)(pith_ctx *ctx, void *self, double *objective);
    void *self;
} pith_i_sweeps;
pith_status pith_i_sweeps_run(pith_ctx *ctx, const pith_i_sweeps *s, pith_i_facts *facts);

#endif
