/* How features change along the edges of a graph: the sums behind laplacian and spec. */
#ifndef PITH_GRAPH_SMOOTHNESS_H
#define PITH_GRAPH_SMOOTHNESS_H

#include "graph/graph.h"

/*
 * For every column f of X, with degrees d and mean = sum_i d_i f_i / sum_i d_i:
 *
 *     rough(f)  = 1/2 sum_ij S_ij (f_i - f_j)^2
 *     spread(f) = sum_i d_i (f_i - mean)^2
 *     energy(f) = sum_i d_i f_i^2
 *
 * Differences, not f'Df - f'Sf: those nearly cancel on smooth features, the ones we want. For sparse
 * data T is X'; shift is subtracted from its columns (NULL: 0). Each array has p entries. The mean does
 * not cost digits: rough and spread are sums over values relative to one sample. O(p (n + edges)) dense,
 * O(stored * edges / n) sparse; parallel over features.
 */
typedef struct pith_i_smoothness {
    double *rough, *spread, *energy;
} pith_i_smoothness;

/* Is spread[j] no more than what the rounding of X's values makes? Then feature j is constant where the graph
 * has weight, and has no score. */
bool pith_i_smoothness_is_flat(const pith_i_smoothness *s, const pith_i_data *X, int64_t j);

/* The arrays come from scratch and live until the caller's mark is released. */
pith_status pith_i_smoothness_find(pith_ctx *ctx, const pith_i_graph *graph, const pith_i_data *X,
                                   const pith_i_data *T, const double *shift, pith_i_smoothness *out);

/*
 * Columns first..first+count-1 as v = sqrt(d) .* (f - mean), mean weighted by d as above: vector v is
 * out + v * n. T is X' where X is sparse. room: 2 count + 1 numbers. Threads may call it, where one process
 * has all rows.
 */
pith_status pith_i_weighted_columns(pith_ctx *ctx, const pith_i_graph *graph, const pith_i_data *X,
                                    const pith_i_data *T, int64_t first, int64_t count, double *room,
                                    double *out);

#endif
