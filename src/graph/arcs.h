/* Directed edges, and the symmetric graph that they make. */
#ifndef PITH_GRAPH_ARCS_H
#define PITH_GRAPH_ARCS_H

#include "graph/graph.h"

typedef struct pith_i_arcs { /* CSR; columns in any order, each at most once in a row */
    int64_t *row;
    int32_t *col;
    double *weight;
} pith_i_arcs;

/* Scratch for n rows and at most count arcs; row is 0. */
pith_status pith_i_arcs_new(pith_ctx *ctx, int64_t n, int64_t count, pith_i_arcs *out);

/* Keeps which neighbours each row chose, in the order of A, in choice and chosen of G: the symmetric edges do
 * not show it. */
pith_status pith_i_arcs_keep(pith_ctx *ctx, const pith_i_arcs *A, pith_i_graph *G);

/* Writes the edges max(A, A') to row, col and weight of G. On entry n is set and row is zero. */
pith_status pith_i_arcs_unite(pith_ctx *ctx, const pith_i_arcs *A, pith_i_graph *G);

#endif
