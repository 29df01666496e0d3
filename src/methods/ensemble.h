/* Many weak clusterings of the samples, each seen through a random part of the features. */
#ifndef PITH_METHODS_ENSEMBLE_H
#define PITH_METHODS_ENSEMBLE_H

#include "methods/parts.h"

typedef struct pith_i_ensemble_options {
    int64_t draws, neighbors;
    double share;     /* of the features, each drawn by itself */
    int64_t clusters; /* c; 0: unknown */
} pith_i_ensemble_options;

typedef struct pith_i_ensemble {
    pith_i_ensemble_options options;
    bool counts; /* cosine graphs of the view sqrt-idf; else Euclidean graphs of z-scores */
    int64_t n;
    int64_t *groups; /* of every draw */
    int32_t *label;  /* of draw b: label + b * n */
    double seconds;
    struct pith_i_ensemble *next;
} pith_i_ensemble;

/*
 * Draw b keeps each varying feature with probability `share` and clusters the samples spectrally: the graph
 * of the nearest neighbours, the first k_b - 1 eigenvectors without the trivial one, rows to unit length,
 * k-means with 5 starts into k_b groups. k_b is c and 2c in turn, 4, 8 and 16 where c is unknown, at most
 * n/3 and at least 2. Kept in the parts: who asks for the same again gets the same. n >= 3.
 */
pith_status pith_i_ensemble_get(pith_ctx *ctx, pith_i_parts *parts, const pith_i_ensemble_options *options,
                                pith_i_reuse *reuse, const pith_i_ensemble **out);

/* Mean NMI (over the larger entropy) of a labelling with those of as many groups; NaN: there are none. */
pith_status pith_i_ensemble_agreement(pith_ctx *ctx, const pith_i_ensemble *e, int64_t groups,
                                      const int32_t *label, double *out);

/*
 * How well k-means (5 starts, the best by inertia) on the given columns alone finds the ensemble's groups:
 * the mean over all numbers of groups that stand for c. On the data as given, counts on their view sqrt-idf.
 */
pith_status pith_i_ensemble_judge(pith_ctx *ctx, pith_i_parts *parts, const pith_i_ensemble *e, int64_t count,
                                  const int64_t *columns, double *out);

void pith_i_ensembles_free(pith_i_ensemble *list);

#endif
