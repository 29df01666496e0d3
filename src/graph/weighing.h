/* The weight of an edge. */
#ifndef PITH_GRAPH_WEIGHING_H
#define PITH_GRAPH_WEIGHING_H

#include "graph/graph.h"
#include "graph/knn_rows.h"

#include <math.h>

typedef struct pith_i_weighing {
    pith_i_weight kind;
    double width;            /* heat: t */
    const pith_i_rows *unit; /* cosine weights where distances are not cosine ones; else NULL */
} pith_i_weighing;

/* The weight of edge (i, l), given their squared distance; 0 is no edge. Symmetric in i and l. */
static inline double pith_i_weigh(const pith_i_weighing *w, int64_t i, int64_t l, double distance2)
{
    switch (w->kind) {
    case PITH_I_BINARY: return 1;
    case PITH_I_HEAT: return exp(-distance2 / w->width);
    case PITH_I_COSINE_WEIGHT: break;
    }
    const double cosine = 1 - (w->unit != NULL ? pith_i_rows_distance2(w->unit, i, l) : distance2) / 2;
    return cosine > 0 ? cosine : 0;
}

#endif
