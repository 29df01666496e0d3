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

/* What every row chose, in the order of A, is kept as choice and chosen, since the edges no longer show it.
 */
pith_status pith_i_arcs_keep(pith_ctx *ctx, const pith_i_arcs *A, pith_i_graph *G);

/* The edges max(A, A') to row, col and weight of G, whose n and row (zero) are set. */
pith_status pith_i_arcs_unite(pith_ctx *ctx, const pith_i_arcs *A, pith_i_graph *G);

#endif
