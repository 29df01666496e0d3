/* How well clusters are separated, without known classes (Rousseeuw 1987). */
#ifndef PITH_EVALUATE_SILHOUETTE_H
#define PITH_EVALUATE_SILHOUETTE_H

#include "matrix/data.h"

/*
 * The mean over samples of
 *
 *     (b - a) / max(a, b)    a: mean distance to the others of its cluster, b: least mean distance to another
 *
 * and 0 for a cluster's only sample. Distances are Euclidean, or 1 - cos with cosine 0 for rows of zeros.
 * Above `rows` samples (0: never) the mean is over `rows` of them, drawn evenly without repeats from the
 * context's seed, each still measured against all n. NaN unless there are 2 to n-1 clusters. Labels are 0 or
 * more.
 *
 * O(min(n, rows) n p) time, sparse O(min(n, rows) stored). Memory for some rows; never n x n.
 */
pith_status pith_i_silhouette(pith_ctx *ctx, const pith_i_data *X, const int32_t *label, bool cosine,
                              int64_t rows, double *out);

#endif
