/*
 * Principal directions of the rows, from a sample of them: V, p x d with orthonormal columns, so that y = V'z
 * keeps most of the differences between rows. By subspace iteration on the sample.
 */
#ifndef PITH_GRAPH_KNN_PROJECT_H
#define PITH_GRAPH_KNN_PROJECT_H

#include "graph/knn_rows.h"

typedef struct pith_i_directions {
    int64_t p, d;
    float *v; /* row-major, p x d; from scratch */
} pith_i_directions;

/* d = min(most, p) directions; those beyond the rank of the sample are 0. */
pith_status pith_i_directions_find(pith_ctx *ctx, const pith_i_rows *R, int64_t most, pith_i_directions *out);
/* The same in two steps, if the rows are spread over processes: the sampled rows' numbers in the whole table,
 * from scratch, */
pith_status pith_i_directions_draw(pith_ctx *ctx, const pith_i_data *X, int64_t most, int64_t *count,
                                   int64_t **rows);
/* and the directions of these rows of R, wherever they came from. */
pith_status pith_i_directions_of(pith_ctx *ctx, const pith_i_rows *R, int64_t count, const int64_t *rows,
                                 int64_t most, pith_i_directions *out);

enum { PITH_I_PROJECTED = 64 }; /* most rows in one call of pith_i_project */
/* y_r = V'z of the given rows, ld apart; of row -1 it is 0. room: PITH_I_PROJECTED x p floats for dense data,
 * else NULL. */
void pith_i_project(const pith_i_rows *R, const pith_i_directions *V, int64_t count, const int32_t *rows,
                    float *room, float *y, int64_t ld);

#endif
