/*
 * The columns of a table as points: centred and of unit norm, so that a product of two is their correlation
 * and the square of their distance is 2 (1 - corr). Constant columns have no direction and are left out.
 * Where rows are spread over processes, means, norms and distances are of all rows, the same in each process.
 */
#ifndef PITH_TREE_COLUMNS_H
#define PITH_TREE_COLUMNS_H

#include "matrix/view.h"

typedef struct pith_i_columns {
    const pith_i_data *X, *T; /* T: X' of sparse data */
    pith_i_data made;         /* T, where it was made here */
    pith_i_view centred;      /* X of sparse data with columns far from 0: in x'y their means would cancel */
    int64_t n, m;             /* rows held here; columns that vary */
    bool spread;              /* the rows, over processes */
    int32_t *kept;            /* m: which they are */
    int32_t *place;           /* p: where a column is in kept; -1: it is constant */
    double *mean, *norm;      /* p; of the centred column */
    float *unit;              /* m x n, where pith_i_columns_unpack was asked for it; else NULL */
} pith_i_columns;

/* From scratch: lives until the caller's mark is released, and pith_i_columns_free comes before that. */
pith_status pith_i_columns_make(pith_ctx *ctx, const pith_i_data *X, const pith_i_data *T,
                                pith_i_columns *out);
void pith_i_columns_free(pith_i_columns *columns);
/* All columns as rows of floats. 4 m n bytes of scratch. */
pith_status pith_i_columns_unpack(pith_ctx *ctx, pith_i_columns *columns);

/* 1 - corr, or 1 - |corr|, of all pairs times `factor`: the upper triangle of m x m, row by row (see
 * pith_i_pair). Dense 2 n p^2 operations in tiles of BLAS; sparse the sum of squared row lengths. */
pith_status pith_i_columns_distances(pith_ctx *ctx, const pith_i_columns *columns, bool absolute,
                                     double factor, float *distance);

/* Column kept[k] times a, over the rows held here; sum_a is the sum of a's entries. */
double pith_i_columns_dot(const pith_i_columns *columns, int64_t k, const double *a, double sum_a);
/* a += sign times column kept[k]. Of sparse data what is to be subtracted from every entry is added to
 * *shift. */
void pith_i_columns_add(const pith_i_columns *columns, int64_t k, double sign, double *a, double *shift);

#endif
