/*
 * The numbers of a feature that are tested for being more than chance (cluster/chance.h): how much of their
 * variation lies between the groups of each grouping, and the sums of their powers. Both up to a factor that
 * is the feature's own: what is tested is a ratio.
 */
#ifndef PITH_CLUSTER_TESTED_H
#define PITH_CLUSTER_TESTED_H

#include "cluster/chance.h"
#include "cluster/group_sums.h"
#include "matrix/stats.h"

/* The columns as they are. T is X' where X is sparse, else NULL; stats are those of X. */
pith_status pith_i_test_values(pith_ctx *ctx, const pith_i_data *X, const pith_i_data *T,
                               const pith_i_column_stats *stats, int64_t count,
                               const pith_i_grouping *groupings, double *between, pith_i_powers *powers);

#endif
