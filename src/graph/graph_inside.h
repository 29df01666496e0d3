/* What a graph consists of. For the .c files of this folder and for tests; everything else uses graph.h, so
 * that the rows of a graph may be held by several processes (spread_inside.h). */
#ifndef PITH_GRAPH_GRAPH_INSIDE_H
#define PITH_GRAPH_GRAPH_INSIDE_H

#include "graph/graph.h"
#include "linalg/operator.h"
#include "matrix/halo.h"

#include <math.h>

/* CSR, zero diagonal. */
struct pith_i_graph {
    int64_t n;           /* rows held here */
    int64_t offset, all; /* number of the first, and rows of all processes; all 0: they are not spread */
    pith_i_halo halo;    /* rows of other processes that edges lead to: columns n and above */
    int64_t *row;        /* n+1 */
    int32_t *col;        /* ascending in a row; if spread, by number in the whole graph */
    double *weight;
    double *degree;     /* row sums of weight; 0: isolated */
    int32_t *component; /* numbered by decreasing row count, ties by the lowest row; isolated rows: -1 */
    int64_t components; /* that have edges */
    int64_t isolated;   /* rows without an edge */
    double heat_width;  /* t; NaN where there is none */
    /* The neighbours with an edge that row i itself chose, nearest first: chosen[choice[i]] to before
     * chosen[choice[i + 1]]. NULL in a graph of all pairs. */
    int64_t *choice;
    int32_t *chosen;
};

/* n rows without an edge yet: row is 0. */
pith_status pith_i_graph_new(pith_ctx *ctx, int64_t n, pith_i_graph **out);
/* Row lengths in row[i + 1] become row starts, with room for the edges. */
pith_status pith_i_graph_room(pith_ctx *ctx, pith_i_graph *graph);
/* Degrees and components of a graph whose row, col and weight are set. */
pith_status pith_i_graph_finish(pith_ctx *ctx, pith_i_graph *graph);

/* Are the rows spread over processes? */
static inline bool pith_i_graph_is_spread(const pith_i_graph *graph)
{
    return graph->all > 0;
}

/* The number of row i, held here or in the halo, in the whole graph. */
static inline int64_t pith_i_graph_number(const pith_i_graph *graph, int64_t i)
{
    return i < graph->n ? graph->offset + i : graph->halo.id[i - graph->n];
}

/* Is row i's number lower than that of l? Seen from the lower one, every edge is met once. */
static inline bool pith_i_is_lower(const pith_i_graph *graph, int64_t i, int64_t l)
{
    return l < graph->n ? i < l : pith_i_graph_number(graph, i) < pith_i_graph_number(graph, l);
}

/* Entry i of D^-1/2; 0 for an isolated row. */
static inline double pith_i_inverse_root(const pith_i_graph *graph, int64_t i)
{
    return graph->degree[i] > 0 ? 1 / sqrt(graph->degree[i]) : 0;
}

/* S applied to panels of vectors, with weights in float. */
typedef struct pith_i_float_graph {
    int64_t n;
    const int64_t *row;
    const int32_t *col;
    const float *weight;
} pith_i_float_graph;
pith_i_panel_operator pith_i_adjacency_panels(const pith_i_float_graph *graph);
/* The same where rows are spread: columns from n on are rows of the halo. */
typedef struct pith_i_float_spread {
    pith_i_float_graph of;
    const pith_i_halo *halo;
} pith_i_float_spread;
pith_i_panel_operator pith_i_spread_panels(const pith_i_float_spread *graph, int64_t all,
                                           const int64_t *number);

/* A = D^-1/2 S D^-1/2 in the order in which its products are fast: row t is row order[t] of the graph. */
typedef struct pith_i_arranged {
    pith_i_graph A;
    float *weight; /* of A again: for panels of floats */
    int32_t *order;
} pith_i_arranged;
/* From scratch: lives until the caller's mark is released. */
pith_status pith_i_arrange(pith_ctx *ctx, const pith_i_graph *graph, pith_i_arranged *out);

#endif
