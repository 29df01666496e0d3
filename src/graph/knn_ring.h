/*
 * Exact neighbours where the rows are spread over processes: blocks of rows are passed round, and every
 * process searches its own rows against each block that arrives. The neighbours are the same on any number of
 * processes.
 *
 * Of `ranks` processes, process r meets the blocks of r + 1, r + 2, ... up to half of them, so that every
 * pair of blocks is searched once, for both sides; what was found for the other side is sent back. If the
 * number of processes is even, two of them would meet twice in the last step, so each of them takes half of
 * the lower one's rows. While one block is searched, the next is under way. A process with n rows of B bytes
 * sends at most
 *
 *     (ranks / 2) (B + 8 n + 16 n k) bytes
 *
 * and holds a copy of its own block, two other blocks, and the floats of two blocks (dense).
 */
#ifndef PITH_GRAPH_KNN_RING_H
#define PITH_GRAPH_KNN_RING_H

#include "graph/knn_rows.h"

/* Fills knn's lists, of k neighbours, for the rows held here. All processes call it. */
pith_status pith_i_knn_ring(pith_ctx *ctx, const pith_i_rows *R, pith_i_knn *knn);

#endif
