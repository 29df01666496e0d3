/* Graphs that a user gives: entry (i, l) of a square matrix is the weight of the edge from sample i to l. */
#ifndef PITH_GRAPH_GIVEN_H
#define PITH_GRAPH_GIVEN_H

#include "graph/graph.h"

/*
 * The entries of X, dense or sparse, that are edges: owned CSR of doubles, without the diagonal and zeros. A
 * matrix that is not square, has weights that are negative or not finite, or no edge, is PITH_E_DATA; the
 * message begins with `where`.
 */
pith_status pith_i_given_edges(pith_ctx *ctx, const char *where, const pith_i_data *X, pith_i_data *out);

/*
 * The graph of A, which pith_i_given_edges made: an edge exists if either end has it, and its weight is the
 * larger of the two. Row i chose its own entries as neighbours, by decreasing weight, ties to the lower
 * index.
 */
pith_status pith_i_graph_from(pith_ctx *ctx, const pith_i_data *A, pith_i_graph **out);

#endif
