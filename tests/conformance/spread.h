/* Runs whose rows are spread over members that go in lockstep, for the claims of the suite. */
#ifndef PITH_TESTS_CONFORMANCE_SPREAD_H
#define PITH_TESTS_CONFORMANCE_SPREAD_H

#include "pith.h"

/*
 * pith_run with the rows of m in three blocks, one of them empty. The context lends its seed and its number
 * of threads, and gets the message of a failure. All members must succeed with the same bytes; else the
 * status is that of the lowest one that failed by itself.
 */
pith_status run_spread(pith_ctx *ctx, const pith_matrix *m, const pith_params *params, pith_result **out);

#endif
