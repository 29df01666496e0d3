/* How much features change along the edges of a graph, under several weightings of the same edges. */
#ifndef PITH_GRAPH_EDGE_SUMS_H
#define PITH_GRAPH_EDGE_SUMS_H

#include "graph/graph.h"

/*
 * For every column f of X and every one of m weightings C_l of the graph's edges:
 *
 *     out[f * m + l] = sum over edges i < k of C_l,ik (f_i - f_k)^2
 *
 * weighting[e * m + l] belongs to entry e of the graph's CSR, and is the same seen from both ends; it may be
 * negative. Differences, as nothing else keeps the digits of a column far from 0; so a shift of the columns
 * does not matter. T is X' where X is sparse. O(m p edges) dense, O(m stored edges / n) sparse; parallel over
 * features.
 */
pith_status pith_i_edge_sums(pith_ctx *ctx, const pith_i_graph *graph, const pith_i_data *X,
                             const pith_i_data *T, int64_t m, const double *weighting, double *out);

#endif
