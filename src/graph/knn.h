/* Nearest neighbours: exact, unless the context allows an approximate search. */
#ifndef PITH_GRAPH_KNN_H
#define PITH_GRAPH_KNN_H

#include "matrix/data.h"

typedef enum pith_i_metric { PITH_I_EUCLIDEAN, PITH_I_COSINE } pith_i_metric;

/* Row i's neighbours are index[i*k .. i*k+k-1], nearest first, ties to the lower index, i left out. */
typedef struct pith_i_knn {
    int64_t n, k;
    int64_t *index;
    double *distance2; /* squared distance; by cosine 2 - 2 cos, that of the unit rows (a zero row: cos 0) */
    double recall;     /* measured, of an approximate search; NaN: the neighbours are exact */
    double excess;     /* of an approximate search: how much farther they are, see knn_recall.h */
} pith_i_knn;

/*
 * The min(k, n-1) nearest rows of every row, compared by (distance in double, index). n >= 2, k >= 1.
 * Dense: float GEMM tiles; sparse: inverted lists over slices of rows. Candidates are re-ranked in double;
 * each row is certified or searched again in double. (An approximate search: knn_approximate.h.)
 * O(n^2 p) resp. O(n^2 + sum of squared column lengths) time; never n x n memory. Dense and sparse data
 * give the same bytes.
 */
pith_status pith_i_knn_find(pith_ctx *ctx, const pith_i_data *X, int64_t k, pith_i_metric metric,
                            pith_i_knn *out);
void pith_i_knn_free(pith_i_knn *knn);

/* The batch of every row, 0..count-1; each has a row. */
typedef struct pith_i_batches {
    int32_t count;
    const int32_t *of;
} pith_i_batches;

/*
 * Neighbours that are balanced over batches (Polanski et al., Bioinformatics 2020): of every row the
 * min(ceil(k / count), n_b) nearest rows of each batch b, of its own at most n_b - 1. Together they
 * are the row's list, nearest first; a list shorter than the longest ends with the index -1 at an infinite
 * distance. The same distances, ties and bytes as above. One pass over all pairs, whatever the number of
 * batches, in double.
 */
pith_status pith_i_knn_balanced(pith_ctx *ctx, const pith_i_data *X, int64_t k, pith_i_metric metric,
                                const pith_i_batches *batches, pith_i_knn *out);

/* Mean distance of all pairs i < j; above 3000 rows, of the rows floor(i n / 3000). In double. */
pith_status pith_i_mean_distance(pith_ctx *ctx, const pith_i_data *X, pith_i_metric metric, double *out);

#endif
