/*
 * Squared distances to the last bit as pith computes them (src/graph/knn_rows.h has the formula): column j is
 * added in lane j mod 16, the lanes in a fixed tree, nothing is contracted. Within a subset of the columns, j
 * is a column's place in it. Needed where pith gives no distances: in subsets, and on the device (exact.cu
 * repeats it).
 */
#ifndef PITH_CUDA_EXACT_H
#define PITH_CUDA_EXACT_H

#include <pith-engine.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PITH_CUDA_LANES = 16 };

typedef struct pith_cuda_exact {
    const pith_engine_rows *rows;
    bool cosine;
    int64_t count;                    /* columns of the subset, */
    const int32_t *column;            /* which they are, ascending; NULL: all */
    const int32_t *place;             /* of every column its place in the subset, -1: outside; NULL: all */
    double *power, *length2, *factor; /* cosine: of every row, filled by pith_cuda_exact_row; else NULL */
} pith_cuda_exact;

/* Fills row i's power, length2 and factor. */
void pith_cuda_exact_row(pith_cuda_exact *e, int64_t i);
double pith_cuda_exact_distance2(const pith_cuda_exact *e, int64_t i, int64_t l);

#ifdef __cplusplus
}
#endif

#endif
