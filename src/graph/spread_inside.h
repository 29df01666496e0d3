/*
 * Graphs whose rows are spread over processes. Each has the edges of its own rows; a row at the other end of
 * an edge that another process holds is in the graph's halo, and is numbered after the rows held here. All
 * processes call these together.
 */
#ifndef PITH_GRAPH_SPREAD_INSIDE_H
#define PITH_GRAPH_SPREAD_INSIDE_H

#include "graph/graph_inside.h"
#include "graph/weighing.h"

/* The edges of G. On entry n is set and row is zero; w.unit is made here. */
pith_status pith_i_spread_edges(pith_ctx *ctx, const pith_i_rows *R, int64_t neighbors, pith_i_weighing w,
                                pith_i_graph *G);
/* Components, numbered as in graph_inside.h, and isolated rows, of all processes. Degrees are set. */
pith_status pith_i_spread_components(pith_ctx *ctx, pith_i_graph *G);
/* The rows of X, which are those of G, and after them those of its halo; if sparse, with the transpose. */
pith_status pith_i_graph_rows(pith_ctx *ctx, const pith_i_graph *G, const pith_i_data *X, pith_i_data *with,
                              pith_i_data *transposed);
/* pith_i_mean_distance of all rows. */
pith_status pith_i_spread_mean_distance(pith_ctx *ctx, const pith_i_data *X, pith_i_metric metric,
                                        double *out);
/* The mean distance of the same random pairs as in one process. */
pith_status pith_i_spread_mean_distance_sampled(pith_ctx *ctx, const pith_i_data *X, pith_i_metric metric,
                                                int64_t pairs, double *out);

#endif
