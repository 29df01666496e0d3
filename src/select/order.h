/* From a method's outcome to its ranking: sign, ties, diversity, and what the method asked for afterwards. */
#ifndef PITH_SELECT_ORDER_H
#define PITH_SELECT_ORDER_H

#include "methods/run.h"

/*
 * outcome is that of a run with these params and this cache. Its scores are flipped where needed, so that
 * higher is better; ranking gets all p features, best first. Facts about the ranking are added to the
 * outcome's.
 */
pith_status pith_i_order(pith_ctx *ctx, pith_i_cache *cache, const pith_params *params,
                         pith_i_outcome *outcome, int64_t *ranking);
/* The same for count k of the params, of an outcome with score_at. Flips score_at in place: call it once for
 * each k. */
pith_status pith_i_order_for(pith_ctx *ctx, pith_i_cache *cache, const pith_params *params,
                             pith_i_outcome *outcome, int64_t k, int64_t *ranking);

#endif
