/*
 * k-means: labels l that make the inertia small,
 *
 *     Euclidean   sum_i |x_i - m_l(i)|^2              m_k the mean of cluster k's rows
 *     cosine      sum_i 1 - cos(x_i, m_l(i))          m_k the sum of their unit rows
 *
 * by Lloyd's rounds from several starts. A row of zeros has cosine 0 with everything. No cluster ends empty.
 * A row changes its cluster only for one that is nearer in double precision: float products decide where the
 * difference exceeds their rounding, the rest is compared again in double.
 * Sparse data stays sparse. The answer is a function of data, options and the context's seed. Where rows are
 * spread over processes, each has the labels of its own rows; draws are those of one process.
 */
#ifndef PITH_CLUSTER_KMEANS_H
#define PITH_CLUSTER_KMEANS_H

#include "matrix/data.h"

typedef struct pith_i_kmeans_options {
    int64_t clusters; /* 1..n, else PITH_E_PARAMETER */
    int64_t restarts; /* runs; 0: 1 */
    int64_t max_iter; /* most rounds of a run; 0: 300 */
    bool cosine;
    bool random_start;   /* rows drawn uniformly, none twice; else greedy k-means++, 2 + ln c candidates */
    uint64_t first_run;  /* run r draws from stream first_run + r, so that calls can differ, or continue */
    const int32_t *init; /* n labels in 0..clusters-1 to start from, for one run; NULL: drawn centres */
} pith_i_kmeans_options;

typedef struct pith_i_kmeans {
    int64_t n, restarts; /* n: rows held here */
    int64_t best;        /* run of the least inertia; ties to the lower run */
    int32_t *labels;     /* run r's are labels + r * n */
    double *inertia;     /* of every run, computed in double */
    int64_t *iterations; /* of every run; max_iter: it may not have converged */
} pith_i_kmeans;

/*
 * O(n p c) time a round, sparse O(stored c). Takes, beside the answer, a float copy of dense data, and 12
 * bytes times c p and about 30 times n for each of the runs that go side by side. These are at least one;
 * more only as long as all of them have 512 centres at most, which take no more than the copy (or 4 MB; for
 * sparse data 1 MB). Finite data only.
 */
pith_status pith_i_kmeans_run(pith_ctx *ctx, const pith_i_data *X, const pith_i_kmeans_options *options,
                              pith_i_kmeans *out);
void pith_i_kmeans_free(pith_i_kmeans *kmeans);

static inline const int32_t *pith_i_kmeans_best(const pith_i_kmeans *kmeans)
{
    return kmeans->labels + kmeans->best * kmeans->n;
}

#endif
