/*
 * How many candidates of a row must get their exact distance, where the distances that the search sees are
 * estimates from a projection: what is not among the best m by estimate is not found, however many partitions
 * there are.
 */
#ifndef PITH_GRAPH_KNN_REACH_H
#define PITH_GRAPH_KNN_REACH_H

#include "graph/knn_found.h"
#include "graph/knn_recall.h"

enum { PITH_I_REACH_STEP = 4 }; /* one sampled row in so many gets all `most` candidates */

typedef struct pith_i_reach {
    int64_t count, most; /* rows; candidates of each, the best by estimate of all points */
    double *distance2;   /* exact, count x most, by rank of the estimate */
} pith_i_reach;

/* The sampled rows as points, and the candidates of each. */
typedef struct pith_i_asked {
    int64_t count, k, most;
    int64_t *point;         /* numbers of the points */
    float *y;               /* their floats, as in the cloud */
    pith_i_candidate *best; /* count x most: the best by estimate, nearest first */
    int32_t *held;          /* how many: up to `most` for every STEP-th row, 2 k for the others */
} pith_i_asked;

/* The most candidates that sampled row e gets. */
int64_t pith_i_asked_of(const pith_i_asked *q, int64_t e);
/* From scratch; y is 0. */
pith_status pith_i_asked_open(pith_ctx *ctx, int64_t count, int64_t k, int64_t most, int64_t ld,
                              pith_i_asked *out);
/* The candidates among the points of P, whose numbers begin with `first`. */
pith_status pith_i_reach_collect(pith_ctx *ctx, const pith_i_cloud *P, int64_t first, const pith_i_asked *q);

/* For so many sampled rows, all distances 0; from scratch. */
pith_status pith_i_reach_open(pith_ctx *ctx, int64_t sampled, int64_t most, pith_i_reach *out);
/* Measures every PITH_I_REACH_STEP-th sampled row; most < n. From scratch. The lists of the whole sample in
 * knn become the best k of these candidates, or of the first 2 k by estimate. */
pith_status pith_i_reach_measure(pith_ctx *ctx, const pith_i_rows *R, const pith_i_cloud *P, int64_t most,
                                 const pith_i_sample *sample, pith_i_knn *knn, pith_i_reach *out);
/* The recall of the best m by estimate. Needs the sample's exact neighbours. */
double pith_i_reach_recall(const pith_i_reach *reach, const pith_i_sample *sample, int64_t k, int64_t m);

#endif
