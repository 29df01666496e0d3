/* From scores to a ranking: sign, ties and missing scores, in this one place. */
#ifndef PITH_SELECT_RANK_H
#define PITH_SELECT_RANK_H

#include "core/core.h"

/* Turns the sign of scores that are better when lower; -0 becomes 0. */
void pith_i_flip_signs(int64_t p, double *score);
/*
 * Features best first: by decreasing score, ties to the lower index. order, if not NULL, is the method's own.
 * Those without a score (NaN) go last: by decreasing variance (NULL: not known), so that constants come at
 * the very end, ties to the lower index.
 */
pith_status pith_i_rank(pith_ctx *ctx, int64_t p, const double *score, const double *variance,
                        const int64_t *order, int64_t *ranking);

#endif
