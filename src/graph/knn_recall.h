/*
 * How many of the true neighbours a search has found: measured on a sample of rows, whose exact neighbours
 * are searched for. A neighbour counts if it is as near as the k-th true one, so that ties cannot be missed.
 */
#ifndef PITH_GRAPH_KNN_RECALL_H
#define PITH_GRAPH_KNN_RECALL_H

#include "graph/knn_cloud.h"

enum { PITH_I_SAMPLED_ROWS = 1000 };

typedef struct pith_i_sample {
    int64_t count, *row; /* ascending */
    double *kth;         /* exact squared distance to the k-th neighbour */
} pith_i_sample;

/* min(wanted, n) rows of n, drawn at random, one from each of so many equal parts. From scratch. */
pith_status pith_i_sample_draw(pith_ctx *ctx, int64_t n, int64_t wanted, pith_i_sample *out);
/* Sets kth. The lists in knn of the sampled rows hold what was found so far, which says how far to look; they
 * are left as they are. */
pith_status pith_i_sample_search(pith_ctx *ctx, const pith_i_rows *R, const pith_i_cloud *P, pith_i_knn *knn,
                                 pith_i_sample *sample);
/* The share of right entries in the sampled rows' lists. A list that is not full counts as right: its row
 * will be searched exactly. */
double pith_i_sample_recall(const pith_i_sample *sample, const pith_i_knn *knn);
/* The mean over the sampled rows of d / d* - 1, with d the distance of the k-th neighbour found and d* that
 * of the true one. Where all rows are about equally far apart, few true neighbours are found, but others are
 * nearly as near, which this number shows. */
double pith_i_sample_excess(const pith_i_sample *sample, const pith_i_knn *knn);

#endif
