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
    VIEW_SQRT_IDF_LENGTHS /* for no user to ask for: it has no word */
};
extern const char *const pith_i_view_words[];

/*
 * center   x - mean
 * zscore   (x - mean) / sd, population sd; columns that do not vary (pith_i_column_varies) become 0
 * minmax   (x - min) / (max - min); the same
 * tfidf    x ln(n / df), then rows to unit norm; refused where a value is negative
 * tfidf-center   the same, then columns minus their means
 * center-unit, tfidf-unit   center and tfidf-center, then everything times one factor, so that the columns
 * that vary in the data have a mean variance of 1
 * sqrt-idf   sqrt(x) ln(n / df), then rows to unit norm; refused as tfidf is. A row times a factor gives the
 * same row, so counts and counts per 10,000 are seen alike; a column of zeros has no part in it. Logarithms
 * of counts are undone, and values of unknown scale taken for sqrt(x) already (matrix/scale.h)
 * sqrt-idf with lengths   the same, but rows keep their lengths: then no column has a part in another
 *
 * Sparse data stays sparse: its columns are scaled only, and shift says what to subtract from each. A column
 * far from 0 (its mean beyond 1000 sd) has no zero to keep and is shifted itself, as in dense data: scaled,
 * its values would lose the digits by which they differ.
 */
typedef struct pith_i_view {
    pith_i_data X; /* borrowed for `none`, and for `center` of sparse data; else a map of the data, or of
                      small   data the values that it makes: both are the same to the bit */
    double *shift; /* p, owned; NULL: nothing to subtract */
    pith_i_view_map *map; /* owned; NULL: X has none */
} pith_i_view;

/* Rows have unit norm and no column is centred: their likeness is the cosine. */
bool pith_i_view_unit_rows(int kind);

/*
 * kind is not VIEW_AUTO. stats are those of X, which must outlive the view. Values are made where they are
 * read, and take no memory, unless a table of them is small (pith_i_is_kept): it is faster to read. Engines
 * with a search of their own, and rows that are spread over processes, need the table in any case.
 */
pith_status pith_i_view_make(pith_ctx *ctx, const pith_i_data *X, const pith_i_column_stats *stats, int kind,
                             pith_i_view *out);
void pith_i_view_free(pith_i_view *view);

#endif
