/* How much features change along the edges of a graph, under several weightings of the same edges. */
#ifndef PITH_GRAPH_EDGE_SUMS_H
#define PITH_GRAPH_EDGE_SUMS_H

#include "graph/graph.h"

/*
 * Pairs (value_l, v_l), most often eigenpairs of the normalised Laplacian, in groups. With S the graph, D its
 * degrees and y_l = D^-1/2 v_l, each group weights the edges by
 *
 *     C_ik = S_ik sum over l in the group of (y_li - y_lk)^2 - value_l (y_li^2 + y_lk^2)
 *
 * that is the derivative of the group's sum of value_l, where these are eigenvalues, with respect to
 * ln S_ik.
 */
typedef struct pith_i_edge_weightings {
    int64_t pairs, groups;
    const double *value, *vector; /* v_l is vector + l * n */
    const int64_t *group;         /* of pair l, 0..groups-1 */
} pith_i_edge_weightings;

/*
 * For every column f of X and every one of m = groups weightings C_g:
 *
 *     out[f * m + g] = sum over edges i < k of C_g,ik (f_i - f_k)^2
 *
 * Computed from differences, which keep their digits in a column far from 0; a shift of the columns changes
 * nothing. T is X' where X is sparse. O(m p edges) dense, O(m stored edges / n) sparse; parallel over
 * features.
 */
pith_status pith_i_edge_sums(pith_ctx *ctx, const pith_i_graph *graph, const pith_i_data *X,
                             const pith_i_data *T, const pith_i_edge_weightings *weightings, double *out);

#endif
