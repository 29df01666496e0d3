/*
 * Candidates of sparse rows with few entries, such as texts, from inverted lists that are cut twice: a row is
 * in the lists of its heaviest entries only, and a list keeps the rows that are heaviest in it.
 */
#ifndef PITH_GRAPH_KNN_HEAVY_H
#define PITH_GRAPH_KNN_HEAVY_H

#include "graph/knn_found.h"
#include "graph/knn_screen.h"

/* Does the data have so few entries a row? Else rows are projected. */
bool pith_i_is_light(const pith_i_data *X);
/* Do so many sparse rows of so many entries? */
bool pith_i_are_light(int64_t n, int64_t p, int64_t stored);

/* Takes the best by products of heaviest entries into the lists; later rounds cut less. Values are those of
 * the screen. */
pith_status pith_i_found_by_heaviest(pith_ctx *ctx, const pith_i_screen *screen, int64_t round,
                                     pith_i_found *F);
/* Candidates of the first k candidates of every row. */
pith_status pith_i_found_by_hops(pith_ctx *ctx, const pith_i_screen *screen, int64_t k, pith_i_found *F);

#endif
