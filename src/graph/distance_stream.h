/* Distances between rows made tile by tile, for data of which distances.h could not hold all pairs. */
#ifndef PITH_GRAPH_DISTANCE_STREAM_H
#define PITH_GRAPH_DISTANCE_STREAM_H

#include "graph/knn_rows.h"

typedef struct pith_i_distance_stream {
    pith_i_rows R;
    pith_i_data T; /* sparse: by column; owned */
} pith_i_distance_stream;

/* X must outlive it. Memory: sparse data once more. */
pith_status pith_i_distance_stream_open(pith_ctx *ctx, const pith_i_data *X, pith_i_metric metric,
                                        pith_i_distance_stream *out);
void pith_i_distance_stream_close(pith_i_distance_stream *S);

/*
 * out[r * others + a] = |u_i - u_l|, i = rows[r], l = other[a] (other NULL: l = a). From products of rows,
 * dense ones by GEMM: the distances of distances.h but for rounding, which 1e-8 |u| bounds where rows are
 * equal. Numbers of room: pith_i_distance_room. Allocates nothing, so that threads may call it.
 */
void pith_i_distance_tile(const pith_i_distance_stream *S, int64_t count, const int64_t *rows, int64_t others,
                          const int64_t *other, double *room, double *out);
int64_t pith_i_distance_room(const pith_i_distance_stream *S, int64_t count);

/*
 * pith_i_width (distances.h) without the table, from the distances of at most `most` rows to all n: the mean
 * over rows is that of one row, drawn at random, in each of `most` equal stretches, the same for every seed.
 * O(rows n p) time, sparse at most O(n^2 + sum of squared column lengths); 128 n numbers a thread at most.
 */
pith_status pith_i_width_streamed(pith_ctx *ctx, const pith_i_distance_stream *S, int64_t k, int64_t most,
                                  double *out);

#endif
