/* How well clusters agree with known classes. */
#ifndef PITH_EVALUATE_AGREEMENT_H
#define PITH_EVALUATE_AGREEMENT_H

#include "cluster/contingency.h"

typedef struct pith_i_agreement {
    double acc;      /* share of samples whose cluster is matched with their class, one to one, at best */
    double nmi;      /* mutual information over the larger entropy: the papers' */
    double nmi_mean; /* over the entropies' arithmetic mean: scikit-learn's default */
    double nmi_geometric; /* over their geometric mean: Strehl & Ghosh, JMLR 2003 */
    double ari;           /* adjusted Rand index; 1: the same partition, about 0: chance */
    double purity;        /* share of samples in their cluster's largest class */
} pith_i_agreement;

/* n >= 1. Samples of class -1 are left out; PITH_E_DATA if none has a class. With a single class and a single
 * cluster, all measures are 1. */
pith_status pith_i_agreement_measure(pith_ctx *ctx, int64_t n, const int32_t *classes,
                                     const int32_t *clusters, pith_i_agreement *out);

/*
 * The largest sum of counts t_{a,b(a)} over matchings b of rows with columns, one to one; rows or columns
 * that are left over match none. Hungarian method by shortest augmenting paths, in integers. With
 * s = min(rows, cols), l = max: O(s^2 l) time, O(cells + l) memory. match (rows, or NULL): the column of
 * each row, -1: none.
 */
pith_status pith_i_best_matching(pith_ctx *ctx, const pith_i_contingency *table, int64_t *total,
                                 int32_t *match);

#endif
