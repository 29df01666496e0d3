/* How many features to keep: where k-means on them agrees best with the groups found on halves of the
 * features. */
#ifndef PITH_SELECT_KEEP_H
#define PITH_SELECT_KEEP_H

#include "methods/ensemble.h"

/* Agreement over the number of features. */
enum { PITH_I_CURVE_POINTS = 64 };
typedef struct pith_i_curve {
    int64_t count, features[PITH_I_CURVE_POINTS];
    double agreement[PITH_I_CURVE_POINTS];
} pith_i_curve;

/*
 * Agreement of the first 5, 10, 20, 30, 50, 75, 100, 150, 200, 300, 500, 700, 1000, 1500, ... of `count`
 * features, and of all of them: k-means with 10 starts, mean over starts and over the ensemble's groups.
 */
pith_status pith_i_curve_make(pith_ctx *ctx, pith_i_cache *cache, const pith_i_ensemble *e, int64_t count,
                              const int64_t *ranking, pith_i_curve *out);
/* The number of features where the mean agreement of three neighbouring points is largest, the ends counted
 * twice; thrifty: the fewest features with 95 % of the largest agreement. Ties to the smaller number. -1: the
 * agreement reaches 0.15 nowhere. */
int64_t pith_i_curve_choose(const pith_i_curve *curve, bool thrifty);
/* Agreement at point i, and how many features that is, if `features` is not NULL; NaN past the end. */
double pith_i_curve_at(const pith_i_curve *curve, int64_t i, int64_t *features);
/* The number to keep where the curve gives none: 300, or all features if there are fewer. */
int64_t pith_i_curve_usual(const pith_i_curve *curve);

#endif
