/*
 * The rows as an approximate search sees them: floats, in an order that keeps near rows together. The squared
 * distance of points s and t is estimated as
 *
 *     norm_s + norm_t - 2 y_s'y_t
 *
 * y is z of knn_rows.h, or its projection onto fewer dimensions. The norms are those of z in either case:
 * what a projection loses of two rows is nearly orthogonal.
 */
#ifndef PITH_GRAPH_KNN_CLOUD_H
#define PITH_GRAPH_KNN_CLOUD_H

#include "graph/knn_project.h"

typedef struct pith_i_cloud {
    int64_t n, d, ld; /* y of point t: y + t * ld */
    int64_t wide; /* d, or d + 1: column d then holds the length of what the projection lost. d 0 and wide 1:
                 there is no y */
    float *y, *norm; /* norm: +inf for a row without a direction, which is no candidate */
    int32_t *row;    /* row[t] of the data is point t */
    int32_t *point;  /* the inverse */
} pith_i_cloud;

/* From scratch: the caller's mark gives it back. n <= INT32_MAX. */
pith_status pith_i_cloud_plain(pith_ctx *ctx, const pith_i_rows *R,
                               pith_i_cloud *out); /* without y, in the order of the rows */
pith_status pith_i_cloud_make(pith_ctx *ctx, const pith_i_rows *R, pith_i_cloud *out);

/* The steps of pith_i_cloud_make. n, d, ld and wide for the rows of X: */
pith_i_cloud pith_i_cloud_shape(const pith_i_data *X);
/* y of the rows in P->row, PITH_I_PROJECTED of them at a time; -1: no row. V NULL: no projection. */
pith_status pith_i_cloud_fill(pith_ctx *ctx, const pith_i_rows *R, const pith_i_directions *V,
                              pith_i_cloud *P);
float pith_i_cloud_norm(const pith_i_rows *R, int64_t i);
/* How many cells, of the leaders of round 0, n rows are sorted into; the points are in the order of these. */
int64_t pith_i_cloud_groups(int64_t n);

#endif
