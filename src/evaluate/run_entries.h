/* The run of a planned comparison. */
#ifndef PITH_EVALUATE_RUN_ENTRIES_H
#define PITH_EVALUATE_RUN_ENTRIES_H

#include "evaluate/spread_ranking.h"

/* Runs every entry of c that is not done yet. On PITH_E_STOPPED, those that are done stay. The cache is that
 * of c->m, with what the plan has built; it is freed. spread: if methods rank over several processes (process
 * 0 calls this), else NULL. */
pith_status pith_i_run_entries(pith_ctx *ctx, pith_comparison *c, pith_i_cache *cache,
                               pith_i_spread_ranking *spread);
/* What the other processes do meanwhile: they take part in every ranking, until process 0 has finished. */
pith_status pith_i_help_entries(pith_ctx *ctx, const pith_compare_options *o, pith_i_spread_ranking *spread);

#endif
