/* Distances between rows, computed tile by tile, for data with too many rows for distances.h. */
#ifndef PITH_GRAPH_DISTANCE_STREAM_H
#define PITH_GRAPH_DISTANCE_STREAM_H

#include "graph/knn_rows.h"

typedef struct pith_i_distance_stream {
    pith_i_rows R;
    pith_i_data T; /* sparse: X', owned */
} pith_i_distance_stream;

/* X must outlive the stream. Sparse data are held a second time. */
pith_status pith_i_distance_stream_open(pith_ctx *ctx, const pith_i_data *X, pith_i_metric metric,
                                        pith_i_distance_stream *out);
void pith_i_distance_stream_close(pith_i_distance_stream *S);

/*
 * out[r * others + a] = |u_i - u_l|, i = rows[r], l = other[a] (other NULL: l = a). Computed from
 * products of rows, dense ones by GEMM: the distances of distances.h up to rounding, which is at most 1e-8
 * |u| where rows are equal. room has pith_i_distance_room(S, count) numbers. Allocates nothing, so threads
 * may call it.
 */
void pith_i_distance_tile(const pith_i_distance_stream *S, int64_t count, const int64_t *rows, int64_t others,
                          const int64_t *other, double *room, double *out);
int64_t pith_i_distance_room(const pith_i_distance_stream *S, int64_t count);

/*
 * pith_i_width (distances.h) without the table, from the distances of at most `most` rows to all n: one
 * row, drawn at random, from each of `most` equal stretches. The draw is the same for every seed.
 * O(rows n p) time, sparse at most O(n^2 + sum of squared column lengths); 128 n numbers a thread at most.
 */
pith_status pith_i_width_streamed(pith_ctx *ctx, const pith_i_distance_stream *S, int64_t k, int64_t most,
                                  double *out);

#endif
