/* Smooth functions over the unit box. */
#ifndef PITH_METHODS_SNFS_BOX_H
#define PITH_METHODS_SNFS_BOX_H

#include "core/core.h"

typedef struct pith_i_box {
    int64_t n;
    const void *self;
    /* f and its gradient g at x, 0 <= x <= 1. */
    pith_status (*value)(pith_ctx *ctx, const void *self, const double *x, double *f, double *g);
    const double *inverse; /* n, > 0: about the inverse of the Hessian's diagonal */
    double eps;            /* a variable this near to a bound is held there if the gradient points beyond */
    double gtol;           /* stop where max_t |P(x - g / scale) - x| <= gtol */
    int64_t memory;        /* pairs of steps and gradient changes kept */
    int64_t max_iter;
} pith_i_box;

typedef struct pith_i_box_end {
    double f;
    double stationarity; /* max_t |P(x - g / scale) - x| */
    int64_t iterations, evaluations;
} pith_i_box_end;

/*
 * min f(x), 0 <= x <= 1, from x by projected L-BFGS (two-metric projection, Bertsekas 1982): variables at a
 * bound that the gradient holds there take a gradient step, the others a quasi-Newton step of their own, all
 * are clipped to the box and the step is halved until f satisfies Armijo's condition. scale is the largest
 * |g| at the start. f never rises. Also ends when no step lowers f, which happens at the level of its
 * rounding error. x and g are those of the last point. Memory: 2 memory n.
 */
pith_status pith_i_box_minimize(pith_ctx *ctx, const pith_i_box *box, double *x, double *g,
                                pith_i_box_end *out);

#endif
