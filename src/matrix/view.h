/* A method's own view of the columns: what --standardize asks for. The data itself is never changed. */
#ifndef PITH_MATRIX_VIEW_H
#define PITH_MATRIX_VIEW_H

#include "matrix/data.h"
#include "matrix/stats.h"

/* The order is that of pith_i_view_words. */
enum {
    VIEW_AUTO,
    VIEW_NONE,
    VIEW_CENTER,
    VIEW_ZSCORE,
    VIEW_MINMAX,
    VIEW_TFIDF,
    VIEW_TFIDF_CENTER,
    VIEW_CENTER_UNIT,
    VIEW_TFIDF_UNIT,
    VIEW_SQRT_IDF,
    VIEW_PARETO,
    VIEW_SQRT_IDF_LENGTHS /* internal: it has no word by which a user could ask for it */
};
extern const char *const pith_i_view_words[];

/*
 * center   x - mean
 * zscore   (x - mean) / sd, population sd; columns that do not vary (pith_i_column_varies) become 0
 * pareto   (x - mean) / sqrt(sd), halfway between center and zscore; columns that do not vary likewise
 * minmax   (x - min) / (max - min); columns that do not vary likewise
 * tfidf    x ln(n / df), then rows to unit norm; refused where a value is negative
 * tfidf-center   the same, then columns minus their means
 * center-unit, tfidf-unit   center and tfidf-center, then everything times one factor, so that the columns
 * that vary in the data have a mean variance of 1
 * sqrt-idf   sqrt(x) ln(n / df), then rows to unit norm; refused as tfidf is. Multiplying a row by a factor
 * does not change its result, so counts and counts per 10,000 give the same; a column of zeros has no effect.
 * Logarithms of counts are undone, and values of unknown scale are taken to be sqrt(x) already
 * (matrix/scale.h)
 * sqrt-idf with lengths   the same, but rows keep their lengths: then no column affects another
 *
 * Sparse data stays sparse: its columns are only scaled, and shift says what to subtract from each. A column
 * far from 0 (no zeros, its mean beyond 1000 sd) is shifted itself, as in dense data: without that, its
 * values would lose the digits by which they differ.
 */
typedef struct pith_i_view {
    pith_i_data X; /* borrowed for `none`, and for `center` of sparse data; else a map of the data, or for
                      small data the values that it computes: both are the same to the bit */
    double *shift; /* p, owned; NULL: nothing to subtract */
    pith_i_view_map *map; /* owned; NULL: X has none */
} pith_i_view;

/* Do rows have unit norm, with no column centred, so that their products are cosines? */
bool pith_i_view_unit_rows(int kind);

/*
 * kind is not VIEW_AUTO. stats are those of X, which must outlive the view. Values are computed where they
 * are read, and take no memory. Only if a table of them is small (pith_i_is_kept) are they stored, because
 * that is faster. Engines that search themselves, and rows that are spread over processes, always need the
 * table.
 */
pith_status pith_i_view_make(pith_ctx *ctx, const pith_i_data *X, const pith_i_column_stats *stats, int kind,
                             pith_i_view *out);
void pith_i_view_free(pith_i_view *view);

#endif
