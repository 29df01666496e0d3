/* The run of a planned comparison. */
#ifndef PITH_EVALUATE_COMPARE_H
#define PITH_EVALUATE_COMPARE_H

#include "evaluate/comparison.h"

/* Runs every entry of c that is not done yet. PITH_E_STOPPED leaves those that are. */
pith_status pith_i_compare(pith_ctx *ctx, pith_comparison *c);

#endif
