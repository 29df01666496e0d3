/* Neighbours that are nearly all the exact ones, at a cost linear in the number of rows. */
#ifndef PITH_GRAPH_KNN_APPROXIMATE_H
#define PITH_GRAPH_KNN_APPROXIMATE_H

#include "graph/knn_rows.h"

/*
 * Fills lists of k neighbours of R's rows whose recall on a sample of rows (knn_recall.h) is at least
 * `wanted`, if enough rounds can achieve that; knn->recall is what was measured.
 */
pith_status pith_i_knn_approximate(pith_ctx *ctx, const pith_i_rows *R, double wanted, pith_i_knn *knn);

#endif
