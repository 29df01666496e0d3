/* Spectral clustering's second half (Ng, Jordan & Weiss, NIPS 2001): clusters of the rows of eigenvectors. */
#ifndef PITH_CLUSTER_SPECTRAL_H
#define PITH_CLUSTER_SPECTRAL_H

#include "cluster/kmeans.h"

/*
 * k-means on the rows of the n x m matrix of eigenvectors, each row brought to unit norm (one of zeros, an
 * isolated sample's, stays). Vector v is vectors + v * n, as in a pith_i_spectrum; the paper takes the first
 * m = clusters of the normalised Laplacian. n and how the rows are spread over processes are those of
 * `samples`, whose values are not read. options->cosine must be false.
 */
pith_status pith_i_spectral_cluster(pith_ctx *ctx, const pith_i_data *samples, int64_t m,
                                    const double *vectors, const pith_i_kmeans_options *options,
                                    pith_i_kmeans *out);

#endif
