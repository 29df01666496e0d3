/*
 * The columns of a table as points: centred and of unit norm, so that the product of two is their correlation
 * and the square of their distance is 2 (1 - corr). Constant columns have no direction and are left out. If
 * rows are spread over processes, means, norms and distances are those of all rows, the same in each process.
 */
#ifndef PITH_TREE_COLUMNS_H
#define PITH_TREE_COLUMNS_H

#include "matrix/view.h"

typedef struct pith_i_columns {
    const pith_i_data *X, *T; /* T: X' of sparse data */
    pith_i_data made;         /* T, if it was made here */
    pith_i_view centred;      /* X, if sparse data has columns far from 0: x'y - n mean mean would cancel */
    int64_t n, m;             /* rows held here; columns that vary */
    bool spread;              /* the rows, over processes */
    int32_t *kept;            /* m: the columns that vary, ascending */
    int32_t *place;           /* p: the index of a column in kept; -1: it is constant */
    double *mean, *norm;      /* p; norm: of the centred column */
    float *unit;              /* m x n, after pith_i_columns_unpack; else NULL */
} pith_i_columns;

/* Uses scratch: call pith_i_columns_free, and then release the mark. */
pith_status pith_i_columns_make(pith_ctx *ctx, const pith_i_data *X, const pith_i_data *T,
                                pith_i_columns *out);
void pith_i_columns_free(pith_i_columns *columns);
/* All columns as rows of floats. 4 m n bytes of scratch. */
pith_status pith_i_columns_unpack(pith_ctx *ctx, pith_i_columns *columns);

/* 1 - corr, or 1 - |corr|, of all pairs times `factor`: the upper triangle of m x m, row by row (see
 * pith_i_pair). Dense: n p^2 operations in tiles of BLAS, 2 n m p if rows are spread; sparse: the sum of
 * squared row lengths. */
pith_status pith_i_columns_distances(pith_ctx *ctx, const pith_i_columns *columns, bool absolute,
                                     double factor, float *distance);

/* Column kept[k] times a, over the rows held here; sum_a is the sum of a's entries. */
double pith_i_columns_dot(const pith_i_columns *columns, int64_t k, const double *a, double sum_a);
/* a += sign times column kept[k]. For sparse data, what is still to be subtracted from every entry of a is
 * added to *shift. */
void pith_i_columns_add(const pith_i_columns *columns, int64_t k, double sign, double *a, double *shift);

#endif
