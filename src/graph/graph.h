/* Symmetric weighted graphs over the samples, without loops. */
#ifndef PITH_GRAPH_GRAPH_H
#define PITH_GRAPH_GRAPH_H

#include "graph/knn.h"

typedef enum pith_i_weight { PITH_I_BINARY, PITH_I_HEAT, PITH_I_COSINE_WEIGHT } pith_i_weight;

typedef struct pith_i_graph_options {
    bool full;         /* every pair is an edge; refused above 5000 rows */
    int64_t neighbors; /* at most n-1 are used */
    pith_i_metric metric;
    pith_i_weight weight;
    double width_factor; /* heat: exp(-d^2 / t), t = factor * (mean distance of all pairs)^2 */
    double width;        /* heat: t itself; 0: from the factor */
    int64_t width_pairs; /* heat: where there are more pairs, the mean of this many random ones; 0: of all */
    struct pith_i_lists *candidates; /* from pith_i_subset_lists, consumed; NULL: they are searched for */
    const pith_i_batches
        *batches; /* neighbours are balanced over these; NULL: not balanced. Not with `full` */
} pith_i_graph_options;

/* What a graph consists of is known to this folder alone (graph_inside.h). Everything above asks for what it
 * needs: here, and in spectrum.h (products, eigenpairs), smoothness.h, averages.h, edge_sums.h and pairs.h.
 */
typedef struct pith_i_graph pith_i_graph;

/* Of the rows of all processes, except for edges: those of the rows held here. */
typedef struct pith_i_graph_summary {
    int64_t rows, edges;
    int64_t components; /* that have edges */
    int64_t isolated;   /* rows without an edge */
    double heat_width;  /* t; NaN where there is none */
} pith_i_graph_summary;

/*
 * An edge exists if either end chose the other; its weight is the larger of the two (they are equal).
 * A cosine weight of 0 or less is no edge. Heat with all rows equal is PITH_E_DATA.
 */
pith_status pith_i_graph_build(pith_ctx *ctx, const pith_i_data *X, const pith_i_graph_options *options,
                               pith_i_graph **out);
void pith_i_graph_free(pith_i_graph *graph);

pith_i_graph_summary pith_i_graph_summarize(const pith_i_graph *graph);
/* The sum of the weights at every row, 0 where it is isolated. Lives as long as the graph. */
const double *pith_i_graph_degree(const pith_i_graph *graph);

#endif
