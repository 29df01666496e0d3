/* The run of a planned comparison. */
#ifndef PITH_EVALUATE_COMPARE_H
#define PITH_EVALUATE_COMPARE_H

#include "evaluate/comparison.h"

/* Runs every entry of c that is not done yet. PITH_E_STOPPED leaves those that are. parts are those of c->m,
 * with what the plan has built; they are used up. */
pith_status pith_i_compare(pith_ctx *ctx, pith_comparison *c, pith_i_parts *parts);

#endif
