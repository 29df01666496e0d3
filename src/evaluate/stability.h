/* How similar the features are that a method selects from subsamples of the data. */
#ifndef PITH_EVALUATE_STABILITY_H
#define PITH_EVALUATE_STABILITY_H

#include "core/core.h"

/*
 * Nogueira, Sechidis & Brown (JMLR 2018) over m sets of the features 0..p-1:
 *
 *     1 - mean_f( m/(m-1) q_f (1 - q_f) ) / ( q (1 - q) )
 *
 * q_f the share of sets that hold f, q their mean over f. 1: the same set every time; 0 on average: drawn
 * at random. error is its standard error for many sets. Both NaN for fewer than two sets, or where
 * nothing could be chosen: all of them empty, or all of them everything.
 */
typedef struct pith_i_stability {
    double index, error;
} pith_i_stability;

/* Set s holds the features set[s][0..size[s]-1], none twice. */
pith_status pith_i_stability_measure(pith_ctx *ctx, int64_t p, int64_t m, const int64_t *const *set,
                                     const int64_t *size, pith_i_stability *out);

#endif
