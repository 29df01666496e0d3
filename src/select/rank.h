/* From scores to a ranking: sign, ties and missing scores, in this one place. */
#ifndef PITH_SELECT_RANK_H
#define PITH_SELECT_RANK_H

#include "core/core.h"

/* Turns the sign of scores that are better when lower; -0 becomes 0. */
void pith_i_turn(int64_t p, double *score);
/*
 * Features best first: by falling score, ties to the lower index, NaN last. order, if not NULL, is the
 * method's own; those without a score still go last.
 */
pith_status pith_i_rank(pith_ctx *ctx, int64_t p, const double *score, const int64_t *order,
                        int64_t *ranking);

#endif
