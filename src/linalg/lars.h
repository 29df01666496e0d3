/*
 * The lasso's path by least angle regression with drops (Efron, Hastie, Johnstone & Tibshirani, 2004):
 *
 *     a(lambda) = argmin 1/2 ||y - sum_j a_j f_j||^2 + lambda ||a||_1,    lambda from max_j |f_j'y| down
 *
 * a is linear in lambda between breakpoints, where a feature joins, or is dropped because its coefficient
 * becomes 0. At every point f_j'(y - Xa) = lambda sign(a_j) where a_j is not 0, and at most lambda in modulus
 * elsewhere. Of equal correlations the lower index joins. A feature that is a linear combination of the
 * active ones does not join as long as these are active.
 *
 * The problem is given by inner products only, so that features may be columns of data or rows of a Gram
 * matrix. No memory is allocated: paths run side by side in a parallel loop, each in memory of the caller.
 */
#ifndef PITH_LINALG_LARS_H
#define PITH_LINALG_LARS_H

#include "core/core.h"

typedef struct pith_i_lasso {
    int64_t p;
    const bool *left_out; /* p; features that never join; NULL: none */
    void *self;           /* of one path: the functions may keep state there */
    /* Feature j joins as number `count`, after active[0..count-1]: out[a] = f_j'f_active[a], out[count] =
     * f_j'f_j. */
    void (*join)(void *self, int64_t j, int64_t count, const int32_t *active, double *out);
    /* Number `at` of `count` leaves, those after it move up; NULL: nothing to do. */
    void (*drop)(void *self, int64_t at, int64_t count);
    /* out_j = f_j' sum_a coef_a f_active[a], for all j. */
    void (*correlate)(void *self, int64_t count, const int32_t *active, const double *coef, double *out);
} pith_i_lasso;

/* Called at every breakpoint with the coefficients there, `nonzero` of which are not 0. */
typedef void pith_i_lars_fn(void *user, double lambda, int64_t nonzero, int64_t count, const int32_t *active,
                            const double *coef);

typedef struct pith_i_lars_options {
    int64_t most;       /* ends at the first breakpoint with this many nonzero coefficients */
    double lambda;      /* or at this lambda, between breakpoints; 0: at the path's end */
    pith_i_lars_fn *at; /* NULL: not called */
    void *user;
} pith_i_lars_options;

typedef enum pith_i_lars_end {
    PITH_I_LARS_MOST,   /* as many coefficients as wanted */
    PITH_I_LARS_LAMBDA, /* at lambda, the path's end included */
    PITH_I_LARS_LOST    /* ties or rounding made it cycle; the point is still on the path */
} pith_i_lars_end;

/* Where a path ended. */
typedef struct pith_i_lars_point {
    pith_i_lars_end end;
    double lambda;
    int64_t count, steps;
    const int32_t *active; /* in the order in which they joined */
    const double *coef;
} pith_i_lars_point;

/* The most features that may be active on the way to `most` coefficients: several may join at one point. */
int64_t pith_i_lars_active(int64_t p, int64_t most);
/* Bytes of room for a path. */
size_t pith_i_lars_room(int64_t p, int64_t most);

/* correlation: f_j'y. The point's arrays lie in room. O(most) products with all features. */
pith_i_lars_point pith_i_lars(const pith_i_lasso *problem, const double *correlation,
                              const pith_i_lars_options *options, void *room);

/* Features given by their Gram matrix G (p x p, row-major, symmetric). */
typedef struct pith_i_gram_features {
    int64_t p;
    const double *G;
} pith_i_gram_features;
pith_i_lasso pith_i_lasso_of_gram(pith_i_gram_features *features);

#endif
