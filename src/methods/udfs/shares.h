/*
 * The shares of features in the range of M = X'BX where samples are spread over processes and fewer than the
 * features:
 *
 *     share_r = sum_j e_jr^2,      e_j an orthonormal basis of M's range
 *
 * The rows of B X span that range. They are made orthonormal, BLOCK of them at a time, in the order of the
 * samples: against those before, which stay with the process that holds their samples, and then among
 * themselves. So no process has a matrix of all samples.
 */
#ifndef PITH_METHODS_UDFS_SHARES_H
#define PITH_METHODS_UDFS_SHARES_H

#include "linalg/design.h"
#include "linalg/operator.h"

/* share: p; 0 for features that are left out. A row of which others leave less than 1e-10 adds nothing to the
 * rank. O(n^2 p) over all processes; scratch: n p for the samples held here. */
pith_status pith_i_range_shares(pith_ctx *ctx, const pith_i_design *X, const pith_i_operator *B,
                                double *share, int64_t *rank);

#endif
