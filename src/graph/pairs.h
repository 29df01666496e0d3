/*
 * Pairs of rows that are near or far in a graph. {i, j} is near if either row chose the other, that is, if
 * the graph has the edge, and far otherwise.
 */
#ifndef PITH_GRAPH_PAIRS_H
#define PITH_GRAPH_PAIRS_H

#include "graph/graph.h"

typedef struct pith_i_pairs {
    int64_t count, near; /* pairs, and near ones among them */
    int32_t *i, *j;      /* numbers of rows in the whole table */
    int8_t *sign;        /* +1 near, -1 far */
} pith_i_pairs;

/* Every near pair once, i < j, in order. From scratch: lives until the caller's mark is released. Where rows
 * are spread, each process has those whose lower row it holds. */
pith_status pith_i_pairs_near(pith_ctx *ctx, const pith_i_graph *graph, pith_i_pairs *out);

/*
 * `draws` draws, near and far with equal chance (alternate: in turn, near first):
 *
 *     near   a row, uniformly among those that chose a neighbour, then one of its choices, uniformly
 *     far    two rows, uniformly, again until they are far, at most 64 times
 *
 * A draw is left out where no row chose a neighbour, or no try gave a far pair.
 *
 * Draw t depends on (seed, t) and on the numbers of the rows: it is the published sampler, by splitmix64, so
 * that another program can draw the same. From scratch. Where rows are spread, every process has all of them.
 */
pith_status pith_i_pairs_sample(pith_ctx *ctx, const pith_i_graph *graph, int64_t draws, bool alternate,
                                uint64_t seed, pith_i_pairs *out);

/* Fetches the rows of the pairs: i and j become numbers of rows of `with`, which begins with the rows of X
 * held here. With one process `with` is X itself, borrowed, and nothing changes. */
pith_status pith_i_pairs_rows(pith_ctx *ctx, const pith_i_data *X, pith_i_pairs *pairs, pith_i_data *with);

#endif
