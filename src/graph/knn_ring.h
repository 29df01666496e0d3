/*
 * Exact neighbours where the rows are spread over processes: blocks of rows go round, and every process
 * searches its own against those that come by. The same neighbours on any number of processes as on one.
 *
 * Of `ranks` processes, process r meets the blocks of r + 1, r + 2, ... up to half of them, so that every
 * pair of blocks is searched once, for both its sides; what was found for the other side is sent back. If the
 * number is even, two processes meet in the last step both ways, and each takes half of the rows of the lower
 * one. While one block is searched, the next is under way. A process sends, with B the bytes of its block,
 *
 *     (ranks / 2) (B + 8 n + 16 n k) bytes at most, where n is rows of a process
 *
 * and holds a copy of its own block, two others, and the floats of two (dense).
 */
#ifndef PITH_GRAPH_KNN_RING_H
#define PITH_GRAPH_KNN_RING_H

#include "graph/knn_rows.h"

/* Fills knn's lists, of k neighbours, for the rows held here. All processes call it. */
pith_status pith_i_knn_ring(pith_ctx *ctx, const pith_i_rows *R, pith_i_knn *knn);

#endif
