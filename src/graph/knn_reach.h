/*
 * How many candidates of a row must get their exact distance, where the distances that the search sees are
 * estimates from a projection: what is not among the best m by estimate is not found, however many partitions
 * there are.
 */
#ifndef PITH_GRAPH_KNN_REACH_H
#define PITH_GRAPH_KNN_REACH_H

#include "graph/knn_found.h"
#include "graph/knn_recall.h"

enum { PITH_I_REACH_STEP = 4 }; /* the share of the sample that is looked at so closely */

typedef struct pith_i_reach {
    int64_t count, most; /* rows; candidates of each, the best by estimate of all points */
    double *distance2;   /* exact, count x most, by rank of the estimate */
} pith_i_reach;

/* The sampled rows as points, and the candidates of each. */
typedef struct pith_i_asked {
    int64_t count, k, most;
    int64_t *point;         /* their numbers, */
    float *y;               /* and where they are, as of points */
    pith_i_candidate *best; /* count x most: the best by estimate, nearest first; of every STEP-th `most`, */
    int32_t *held;          /* of the others 2 k, if there are so many */
} pith_i_asked;

/* Candidates of the sampled row e, at most. */
int64_t pith_i_asked_of(const pith_i_asked *q, int64_t e);
/* From scratch; y is 0. */
pith_status pith_i_asked_open(pith_ctx *ctx, int64_t count, int64_t k, int64_t most, int64_t ld,
                              pith_i_asked *out);
/* The candidates among the points of P, whose numbers begin with `first`. */
pith_status pith_i_reach_collect(pith_ctx *ctx, const pith_i_cloud *P, int64_t first, const pith_i_asked *q);

/* Distances 0, of so many sampled rows; from scratch. */
pith_status pith_i_reach_open(pith_ctx *ctx, int64_t sampled, int64_t most, pith_i_reach *out);
/* Of every PITH_I_REACH_STEP-th sampled row; most < n. From scratch. The lists of the whole sample in knn
 * become the best k of these candidates, or of the first 2 k by estimate. */
pith_status pith_i_reach_measure(pith_ctx *ctx, const pith_i_rows *R, const pith_i_cloud *P, int64_t most,
                                 const pith_i_sample *sample, pith_i_knn *knn, pith_i_reach *out);
/* The recall of the best m by estimate. Needs the sample's exact neighbours. */
double pith_i_reach_recall(const pith_i_reach *reach, const pith_i_sample *sample, int64_t k, int64_t m);

#endif
