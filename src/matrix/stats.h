/* Statistics of columns and rows, zeros included, in double, in a fixed order of operations. */
#ifndef PITH_MATRIX_STATS_H
#define PITH_MATRIX_STATS_H

#include "matrix/data.h"

typedef struct pith_i_column_stats {
    double *mean, *variance; /* population variance, about the mean: two passes, no cancellation */
    double *rest;            /* the mean minus its rounding to `mean` */
    double *min, *max;
    int64_t *nonzeros; /* entries that are not 0, stored zeros not counted */
} pith_i_column_stats;

/* Arrays of p taken from scratch: they live until the caller's mark is released. T is X' of sparse data, if
 * the caller has it (NULL: that kept with X, or else by rows, more slowly). */
pith_status pith_i_column_statistics(pith_ctx *ctx, const pith_i_data *X, const pith_i_data *T,
                                     pith_i_column_stats *out);
/* Do the values of column j differ by more than rounding, a few units in the last place of the largest? If
 * not, the column is a constant that was computed in different ways. stats are those of X. */
bool pith_i_column_varies(const pith_i_data *X, const pith_i_column_stats *stats, int64_t j);
/* sum_j x_ij^2 of every row. */
void pith_i_row_squares(pith_ctx *ctx, const pith_i_data *X, double *squares);
/* Share of entries that are not 0; columns of zeros are ignored. */
double pith_i_density(const pith_i_data *X, const pith_i_column_stats *stats);
/* No negative value, and a density below one half, however the entries are stored. */
bool pith_i_is_counts(const pith_i_data *X, const pith_i_column_stats *stats);
/* The largest value of p columns. */
double pith_i_largest(const pith_i_column_stats *stats, int64_t p);
/* The k-th smallest of x[0..n-1], 0 <= k < n. Reorders x. */
double pith_i_kth_smallest(int64_t n, double *x, int64_t k);

#endif
