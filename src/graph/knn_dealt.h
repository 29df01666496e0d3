/*
 * Approximate neighbours where the rows are spread over processes: the same as in one process, to the bit,
 * on any number of them. knn_approximate.h says how the search goes. Here
 *
 *     rows      stay where they are; those that get an exact distance are fetched, some at a time
 *     points    their floats are dealt out in the order of the points, in whole tiles
 *     cells     are dealt out; who has a cell is sent its points, and sends back what they found
 *
 * (of sparse rows with few entries every process gets the inverted lists of all rows, and screens its own)
 * so that a process holds its share of the points and of their lists, and pieces of bounded size. Every
 * process computes the directions of a projection, from the same rows of a sample, and meets all leaders:
 * they are few. What a product of matrices rounds depends on the shape of its tiles, so the tiles are those
 * of one process.
 */
#ifndef PITH_GRAPH_KNN_DEALT_H
#define PITH_GRAPH_KNN_DEALT_H

#include "graph/knn_rows.h"

/* Fills knn's lists for the rows held here, and its recall and excess, which are those of all. All processes
 * call it. */
pith_status pith_i_knn_dealt(pith_ctx *ctx, const pith_i_rows *R, double wanted, pith_i_knn *knn);

#endif
