/* A ranking without redundant features at the top: redundancy control over any method's scores. */
#ifndef PITH_SELECT_DIVERSE_H
#define PITH_SELECT_DIVERSE_H

#include "matrix/data.h"

typedef struct pith_i_diversity {
    double power;  /* a; 0: nothing is done */
    int64_t top;   /* features chosen this way; the rest keep their order */
    bool as_it_is; /* relevance is the score; else the score minus the pool's worst */
} pith_i_diversity;

/*
 * Greedy: among the max(10 top, 2000) best features of the ranking, chooses `top` times the one with the
 * largest
 *
 *     relevance(f) (1 - max over the chosen g of corr(f, g)^2)^a
 *
 * ties to the lower index. ranking (best first, those without a score last) is reordered in place. X is the
 * method's view of the data, T its transpose if it is sparse (NULL: dense); a shift of columns does not
 * matter. The value of a feature can only fall as more are chosen, so one is compared with the chosen ones
 * only when it comes to the front. Takes `top` columns of n doubles.
 */
pith_status pith_i_diverse(pith_ctx *ctx, const pith_i_data *X, const pith_i_data *T, const double *score,
                           const pith_i_diversity *options, int64_t *ranking);

#endif
