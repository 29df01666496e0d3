/* The variance of features that remains after each sample is replaced by the average of its neighbours. */
#ifndef PITH_GRAPH_AVERAGES_H
#define PITH_GRAPH_AVERAGES_H

#include "graph/graph.h"

/*
 * For every column f of X, with S the graph and D its degrees:
 *
 *     out[f] = |A (f - mean)|^2,   mean = sum_i f_i / n,   A = D^-1/2 S D^-1/2
 *
 * A shift of the columns changes nothing, since they are centred. T is X' where X is sparse. A graph without
 * an edge is PITH_E_DATA. O(neighbours^2) per stored value, at most O(edges) per column; parallel over
 * features.
 */
pith_status pith_i_averaged_energy(pith_ctx *ctx, const pith_i_graph *graph, const pith_i_data *X,
                                   const pith_i_data *T, double *out);

#endif
