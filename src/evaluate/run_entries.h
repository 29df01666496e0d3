/* The run of a planned comparison. */
#ifndef PITH_EVALUATE_RUN_ENTRIES_H
#define PITH_EVALUATE_RUN_ENTRIES_H

#include "evaluate/comparison.h"

/* Runs every entry of c that is not done yet. PITH_E_STOPPED leaves those that are. The cache is that of
 * c->m, with what the plan has built; it is used up. */
pith_status pith_i_run_entries(pith_ctx *ctx, pith_comparison *c, pith_i_cache *cache);

#endif
