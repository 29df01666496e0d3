/* Rows and sums over rows, given to every process, where the rows are spread over several. */
#ifndef PITH_MATRIX_GATHER_H
#define PITH_MATRIX_GATHER_H

#include "matrix/data.h"

/*
 * The given rows, by their numbers in the whole table, in the given order, repeated or not: doubles, owned,
 * dense or sparse as X is, and held by every process. All processes call it together with the same numbers.
 */
pith_status pith_i_gather_rows(pith_ctx *ctx, const pith_i_data *X, int64_t count, const int64_t *rows,
                               pith_i_data *out);
/* Turns sums over the rows of X held here into sums over all rows, if they are spread. */
pith_status pith_i_sum_over(pith_ctx *ctx, const pith_i_data *X, int64_t count, double *sums);
/* Y (p x m) = X' B (n x m) over the rows of all processes. */
pith_status pith_i_multiply_t_all(pith_ctx *ctx, const pith_i_data *X, int64_t m, const double *B, double *Y);

#endif
