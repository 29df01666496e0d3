/* Inverted lists over a slice of sparse rows: for every column the rows of the slice that have it. */
#ifndef PITH_GRAPH_KNN_INDEX_H
#define PITH_GRAPH_KNN_INDEX_H

#include "graph/knn_rows.h"

typedef struct pith_i_index {
    int64_t rows;   /* in the slice; numbered from 0 below */
    int64_t *start; /* p+1: column j has entries start[j] .. start[j+1]-1 */
    uint16_t *row;  /* ascending in a column */
    pith_dtype dtype;
    void *value; /* z */
    /* If `widens`, in float only, columns that many rows have are stored with their zeros: adding them is
     * then a loop without indirection. wide[j] is such a column's number, -1 for the others; it has no
     * entries above. */
    bool widens;
    int32_t *wide;
    float *column; /* column w is column + w * ld */
    int64_t ld;
} pith_i_index;

/* Rows of a slice, a power of two: a row's products fit a level-1 cache, the slice's lists a level-2 one. */
int64_t pith_i_index_slice(const pith_i_rows *R);
/* Room for any slice of up to `rows` rows, from scratch. The caller has set dtype and widens. */
pith_status pith_i_index_reserve(pith_ctx *ctx, const pith_i_rows *R, const int64_t *ids, int64_t total,
                                 int64_t rows, pith_i_index *index);
/* The rows ids[first], ids[first+1], ... (ids NULL: first, first+1, ...). */
void pith_i_index_fill(pith_i_index *index, const pith_i_rows *R, const int64_t *ids, int64_t first,
                       int64_t rows);

/* acc[r] += factor z_i'z_r for the rows r > after of the slice; others may get parts of it. */
void pith_i_index_add_f32(const pith_i_index *index, const pith_i_rows *R, int64_t i, int64_t after,
                          float factor, float *acc);
/* The same in double, columns in ascending order; touched (may be NULL): set to 1 for rows that share a
 * column with i. */
void pith_i_index_add_f64(const pith_i_index *index, const pith_i_rows *R, int64_t i, int64_t after,
                          double *acc, uint8_t *touched);

#endif
