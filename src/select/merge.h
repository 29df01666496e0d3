/* One ranking from those of several batches of the samples. */
#ifndef PITH_SELECT_MERGE_H
#define PITH_SELECT_MERGE_H

#include "core/core.h"

/* The rankings of `batches` batches: ranking[b * p + r] is the feature at place r of batch b, and
 * scored[b * p + j] says whether feature j has a score there. */
typedef struct pith_i_rankings {
    int64_t p, batches;
    int64_t *ranking;
    bool *scored;
} pith_i_rankings;

/*
 * Features by the number of batches in which they have a score and a rank of at most n (decreasing), then by
 * the median of their ranks there (increasing); those with no such batch by the median of their ranks in all
 * batches; those without a score in any batch last. Ties to the lower index. Ranks count from 1; the median
 * of an even number is the mean of the middle two. It is the order of highly_variable_genes with batch_key
 * and flavor seurat_v3_paper in scanpy.
 *
 *     score_j = among_j + 1 - median_j / (p + 1),    NaN without a score in any batch
 *
 * falls along that order, and its whole part is the number of batches. among, score and merged have p places.
 */
pith_status pith_i_merge_rankings(pith_ctx *ctx, const pith_i_rankings *in, int64_t n, int32_t *among,
                                  double *score, int64_t *merged);

#endif
