/* How a search is cut into pieces that fit a device. Plain C, like bound.h. */
#ifndef PITH_CUDA_PLAN_H
#define PITH_CUDA_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PITH_CUDA_TILE = 128 }; /* rows of a tile of the fused kernel; rows on the device are padded to it */

/*
 * Queries are searched `queries` at a time. For each such block all rows are passed in chunks. If the halves
 * of all rows fit, they are resident and loaded once; else two chunks are held, and rows are loaded again for
 * every block.
 */
typedef struct pith_cuda_plan {
    int64_t width;      /* numbers of a row on the device: padded columns, three times those if split */
    int64_t slab;       /* columns of one product */
    int64_t keep, room; /* candidates of a row that are kept, and the capacity of its list */
    bool narrow;        /* products and selection in one kernel */
    bool resident;
    bool own_queries; /* queries are stored apart from the rows */
    int64_t queries, chunk;
    int64_t tile_queries, tile_rows; /* of products that are written to memory; 0 if narrow */
} pith_cuda_plan;

/* The plan for `count` queries among n rows. fused: products and selection may be one kernel. False: there is
 * too little memory even for the smallest pieces. */
bool pith_cuda_plan_make(int64_t count, int64_t n, int64_t columns, int64_t k, bool fused, bool split,
                         int64_t memory, int multiprocessors, pith_cuda_plan *out);
/* Bytes that a plan takes. */
int64_t pith_cuda_plan_bytes(const pith_cuda_plan *plan, int64_t n);
/* How many rows from `first` on have at most `entries` stored numbers; at least one and at most `most`. */
int64_t pith_cuda_rows_that_fit(const int64_t *indptr, int64_t columns, int64_t first, int64_t n,
                                int64_t entries, int64_t most);
/* A stride for a walk through 0..count-1 that is spread evenly, so that adjacent rows do not follow each
 * other: coprime to count, about its golden section. */
int64_t pith_cuda_stride(int64_t count);
/* Capacity of a list that is cut to `keep` entries: a power of two. */
int64_t pith_cuda_room(int64_t keep);

#ifdef __cplusplus
}
#endif

#endif
