/*
 * The rows as k-means sees them, x_i = r_i times row i of the data with r_i = 1, or by cosine 1/|row i| (a
 * row of zeros: 0). They are read in two ways: from the data in double, and for dense data from the copy
 *
 *     y_i = (x_i - mean) unit    in float, |y| components at most 1
 *
 * whose products are computed by GEMM. Centred, because distances of rows far from 0 are lost in float's
 * rounding; in units, because squares may overflow. Sparse data is neither copied nor centred.
 */
#ifndef PITH_CLUSTER_KMEANS_POINTS_H
#define PITH_CLUSTER_KMEANS_POINTS_H

#include "matrix/data.h"

typedef struct pith_i_points {
    const pith_i_data *X;
    bool cosine;
    double *weight; /* r; NULL: 1 */
    double *mean;   /* p; NULL: 0 */
    double unit;
    float *y;      /* n x p; NULL: sparse */
    float *square; /* |y_i|^2; sparse: |unit x_i|^2 */
    float longest; /* the largest of these */
    float error;   /* bound for a product of y and z in float, relative to |y| |z| */
} pith_i_points;

/* From scratch: lives until the caller's mark is released. Mean, unit, longest and error are those of all
 * processes where rows are spread. */
pith_status pith_i_points_make(pith_ctx *ctx, const pith_i_data *X, bool cosine, pith_i_points *out);
/* Other rows, or copies of some, with the mean and the unit of `like`; copies have the same bits as there. */
pith_status pith_i_points_like(pith_ctx *ctx, const pith_i_points *like, const pith_i_data *X,
                               pith_i_points *out);
/* False for a row of zeros under cosine, which is as far from one centre as from another. */
static inline bool pith_i_points_directed(const pith_i_points *P, int64_t i)
{
    return P->weight == NULL || P->weight[i] > 0;
}

/*
 * A centre is the mean of rows, or by cosine their sum scaled to unit norm. It is kept as the sum of the
 * rows' deviations from the mean of all, so that rows can be added and removed without the rounding of a
 * large offset:
 *
 *     deviation = sum of x_i - mean    centre = factor deviation + share mean
 *
 * with factor 1 / count and share 1; by cosine factor = 1 / |deviation + count mean| and share = factor
 * count, both 0 where there is no direction.
 */
typedef struct pith_i_centre {
    double *deviation; /* p */
    int64_t count;     /* rows; 0: there is no centre */
    double factor, share;
    double square; /* |centre - mean|^2 */
    bool moved;    /* since this was last set to false */
} pith_i_centre;

void pith_i_centre_clear(const pith_i_points *P, pith_i_centre *a);
/* Adds (times 1) or removes (times -1) row i; after the last one, call pith_i_centre_set. */
void pith_i_centre_add(const pith_i_points *P, int64_t i, int times, pith_i_centre *a);
void pith_i_centre_set(const pith_i_points *P, pith_i_centre *a);
/* (centre - mean) unit in float, to z. */
void pith_i_centre_float(const pith_i_points *P, const pith_i_centre *a, float *z);

/* In double: |x_i - centre|^2, by cosine 2 - 2 cos. */
double pith_i_points_distance(const pith_i_points *P, int64_t i, const pith_i_centre *a);
/* The same for row i of P and row j of Q, one of which was made like the other. */
double pith_i_points_between(const pith_i_points *P, int64_t i, const pith_i_points *Q, int64_t j);

#endif
