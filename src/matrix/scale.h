/* Recognises whether values are counts, or were derived from counts, and how. */
#ifndef PITH_MATRIX_SCALE_H
#define PITH_MATRIX_SCALE_H

#include "matrix/stats.h"

/*
 * For finite data without negative values. Zeros are ignored. The first that applies:
 *
 *   roots        all squares are whole numbers, but not all values are
 *   counts       at least three quarters of the values are whole (tools that divide reads among genes leave
 *                fractions)
 *   logged       b^x - 1, for b = e, 2 or 10, has the same sum in every row, or every row of it is whole
 *                numbers times a factor of its own
 *   normalised   the same holds for x itself; or more than one value in 10,000 is above 50, as no logarithm
 *                of a count is (counts that were corrected, or of which some columns were cut out)
 *   unknown      everything else
 *
 * Sums are the same if 99 of 100 rows lie within 1e-3 of the mean; if that holds for x and for b^x - 1, as in
 * rows of tiny values, the closer one is taken. The order of rows, and rows or columns of zeros, do not
 * matter.
 */
typedef struct pith_i_scale {
    pith_scale kind;
    double base; /* of the logarithm; 0: none */
    double sum;  /* of a row before the logarithm; NaN: they differ */
} pith_i_scale;

/* most: the largest value. Above 50 the data is not taken for logarithms: undone, they could overflow. Looks
 * at some 200 rows, drawn by a hash of their values. */
pith_status pith_i_scale_find(pith_ctx *ctx, const pith_i_data *X, double most, pith_i_scale *out);

/*
 * An owned copy, in doubles, in which the values are counts again as far as can be told: logarithms and roots
 * are undone, and rows that are whole multiples of their smallest value are divided by it. `most` as above.
 */
pith_status pith_i_counts_again(pith_ctx *ctx, const pith_i_data *X, double most, pith_i_data *out);

/*
 * Do the values span orders of magnitude, so that their logarithms are what should be compared? Reads of bulk
 * RNA and intensities of arrays do. True if, over the columns that vary by more than rounding, of which there
 * are at least 100,
 *
 *   - the largest value is above 1000, which no logarithm and no 8-bit pixel is;
 *   - the largest standard deviations are 10 times the smallest (95th and 5th percentile);
 *   - three quarters of the means m are positive, and there the standard deviations s grow with them:
 *     ln s and ln m are correlated by at least .7, and the median of s / m is at least .2;
 *   - where fewer than 100 columns make up the totals of samples, (sum m)^2 / sum m^2, dividing by the totals
 *     makes the median column vary less, or totals are the same to a thousandth. Not so columns in different
 *     units: dividing by the largest of them would give all the others its changes.
 *
 * Counts (pith_i_is_counts) are never among them: methods weigh them by themselves. On the arrays and the
 * simulated reads of bench/unlogged.py the ratio is 21 to 97, the correlation .82 to .99, the median .47 to
 * 1.2; of its images the ratio is 9 at most, and no value is above 255.
 */
pith_status pith_i_is_unlogged(pith_ctx *ctx, const pith_i_data *X, const pith_i_column_stats *stats,
                               bool *out);

/*
 * Could the values be logarithms of reads or intensities? True if at least 100 columns vary and none
 * outweighs all others (below), the largest modulus is above 2 and at most 50, and fewer than half of the
 * values are whole numbers, of at most 1000 rows. Pixels are whole numbers, or lie in 0..1. Counts are never
 * among them.
 */
pith_status pith_i_may_be_logs(pith_ctx *ctx, const pith_i_data *X, const pith_i_column_stats *stats,
                               bool *out);

/*
 * Columns that outweigh all others, as where columns have different units: their standard deviations are at
 * least 20 times the median of those of all columns that vary by more than rounding, they have nine tenths of
 * the variance, and fewer than ten columns matter, (sum v)^2 / sum v^2 < 10 for the variances v. Counts have
 * none.
 */
typedef struct pith_i_heavy {
    int64_t columns; /* 0: there are none */
    int64_t largest; /* one of them */
    double share;    /* of the variance, that they have together */
} pith_i_heavy;
pith_status pith_i_heavy_find(pith_ctx *ctx, const pith_i_data *X, const pith_i_column_stats *stats,
                              pith_i_heavy *out);

/* A value before the logarithm, if there was one. */
double pith_i_unlogged(const pith_i_scale *scale, double v);

#endif
