/*
 * Approximate neighbours where the rows are spread over processes: the same as in one process, to the bit,
 * for any number of processes. knn_approximate.c says how the search goes. Here
 *
 *     rows      stay where they are; those that need an exact distance are fetched, some at a time
 *     points    are dealt out as floats, in their order, in whole tiles
 *     cells     are dealt out; their processes are sent the points, and send back candidates
 *
 * (where sparse rows have few entries, every process gets the inverted lists of all rows and screens its own)
 * so that a process holds its share of the points and of their lists, and pieces of bounded size. Every
 * process computes the directions of a projection, from the same sample of rows, and compares its points with
 * all leaders, which are few. The rounding of a matrix product depends on the shape of its tiles, so the
 * tiles are those of the search in one process.
 */
#ifndef PITH_GRAPH_KNN_DEALT_H
#define PITH_GRAPH_KNN_DEALT_H

#include "graph/knn_rows.h"

/* Fills knn's lists for the rows held here, and its recall and excess, which are over all rows. All
 * processes call it. */
pith_status pith_i_knn_dealt(pith_ctx *ctx, const pith_i_rows *R, double wanted, pith_i_knn *knn);

#endif
