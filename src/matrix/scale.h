/* What numbers of counts have gone through before they came here. */
#ifndef PITH_MATRIX_SCALE_H
#define PITH_MATRIX_SCALE_H

#include "matrix/data.h"

/*
 * Of finite data without negative values, zeros left aside; in this order:
 *
 *   roots        all squares are whole, and not all values
 *   counts       at least three quarters of the values are whole (tools that share reads out among genes
 *                leave fractions)
 *   logged       b^x - 1, for b = e, 2 or 10, has the same sum in every row, or every row of it is whole
 *                numbers times a factor of its own
 *   normalised   the same of x itself; or one value of 10,000 is above 50, which no logarithm of a count is
 *                (counts that were corrected, or of which some columns were cut out)
 *   unknown      all else
 *
 * Sums are the same when 99 of 100 rows lie within 1e-3 of the mean; where that holds for x and for b^x - 1,
 * as in rows of tiny values, the closer one is it. No order of rows, no row or column of zeros matters.
 */
typedef struct pith_i_scale {
    pith_scale kind;
    double base; /* of the logarithm; 0: none */
    double sum;  /* of a row before the logarithm; NaN: they differ */
} pith_i_scale;

/* most: the largest value; no logarithm of a count is above 50, and a stray one that is must not be undone.
 * Looks at some 200 rows, drawn by what is in them. */
pith_status pith_i_scale_find(pith_ctx *ctx, const pith_i_data *X, double most, pith_i_scale *out);

/*
 * An owned copy, of doubles, in which the values are counts again as far as can be told: logarithms and roots
 * undone, and rows that are whole multiples of their smallest value divided by it. `most` as above.
 */
pith_status pith_i_counts_again(pith_ctx *ctx, const pith_i_data *X, double most, pith_i_data *out);

/* A value before the logarithm, if there was one. */
double pith_i_unlogged(const pith_i_scale *scale, double v);

#endif
