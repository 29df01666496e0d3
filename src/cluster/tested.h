/*
 * The values of a feature that are tested against chance (cluster/chance.h): how much of their variation lies
 * between the groups of each grouping, and the sums of their powers. Both are for values divided by a scale
 * of the feature's own: the statistic is a ratio, and sixth powers would soon overflow. All 0 where the
 * feature does not vary. Groupings are of the rows held here; where rows are spread over processes, the
 * results are over all of them.
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

/*
 * Residuals of counts, (x_ij - L_i f_j) / sqrt(L_i): what is left of a count when the sample's length L is
 * known. C are counts, T is C'. L is not the sum of the row, but weights each column by its noise,
 *
 *     L_i = sum_j x_ij / F_j,   f_j = sum_i x_ij / sum_i L_i,
 *     F_j = max(1, sum_i (x_ij - L_i f_j)^2 / sum_i x_ij),
 *
 * found in two steps: otherwise a column that holds much of all counts, and varies on its own, would change
 * the lengths of samples, and so move the residuals of all other columns against its own. A column whose
 * residuals are nothing but rounding has powers of 0. wanted[j]: as bits, the groupings for which between is
 * set; the others are left as they are. Sparse stays sparse.
 */
pith_status pith_i_test_residuals(pith_ctx *ctx, const pith_i_data *C, const pith_i_data *T, int64_t count,
                                  const pith_i_grouping *groupings, const uint32_t *wanted, double *between,
                                  pith_i_powers *powers);

/* All rows in one process: x'YY'x of the wanted columns, x scaled as above; Y is n x width, row-major, its
 * columns centred. */
pith_status pith_i_test_value_rows(pith_ctx *ctx, const pith_i_data *X, const pith_i_data *T,
                                   const pith_i_column_stats *stats, const bool *wanted, int64_t width,
                                   const double *Y, double *quadratic);
pith_status pith_i_test_residual_rows(pith_ctx *ctx, const pith_i_data *C, const pith_i_data *T,
                                      const bool *wanted, int64_t width, const double *Y, double *quadratic);

#endif
