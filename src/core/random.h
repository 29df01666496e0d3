/*
 * Random numbers by counter (Philox4x32-10, Salmon et al., SC 2011): the k-th number of a stream is a
 * function of (seed, purpose, place, k) and of nothing else, so neither the number of threads nor the order
 * in which rows are processed can change a result. As place, use the number of a row or feature in the whole
 * table.
 */
#ifndef PITH_CORE_RANDOM_H
#define PITH_CORE_RANDOM_H

#include <stdint.h>

/* One per use of randomness: two uses never share a stream. Append only, so that results do not change. */
typedef enum pith_i_purpose {
    PITH_I_RANDOM_SYNTH = 1,
    PITH_I_RANDOM_START_VECTOR,
    PITH_I_RANDOM_BENCH,
    PITH_I_RANDOM_CHECK_VECTOR,
    PITH_I_RANDOM_KMEANS,
    PITH_I_RANDOM_SILHOUETTE,
    PITH_I_RANDOM_SUBSETS,
    PITH_I_RANDOM_COLUMNS,
    PITH_I_RANDOM_SUBSAMPLES,
    PITH_I_RANDOM_MASKS,
    PITH_I_RANDOM_PIXELS,
    PITH_I_RANDOM_BISECT,
    PITH_I_RANDOM_START_BLOCK,
    PITH_I_RANDOM_PAIRS,
    PITH_I_RANDOM_NULL,
    PITH_I_RANDOM_NULL_ROWS,
    PITH_I_RANDOM_SIGNS,
    PITH_I_RANDOM_PROBE,
    PITH_I_RANDOM_SKETCH = 40,
    PITH_I_RANDOM_LEADERS,
    PITH_I_RANDOM_RECALL,
    PITH_I_RANDOM_DIRECTIONS,
    PITH_I_RANDOM_NULL_SPACE,
    PITH_I_RANDOM_WIDTH,
    PITH_I_RANDOM_JUDGED,
} pith_i_purpose;

typedef struct pith_i_stream {
    uint32_t key[2], counter[4], out[4];
    int left; /* numbers of `out` not handed out yet */
} pith_i_stream;

pith_i_stream pith_i_stream_at(uint64_t seed, pith_i_purpose purpose, uint64_t place);
uint32_t pith_i_random_u32(pith_i_stream *s);
double pith_i_random_uniform(pith_i_stream *s);                        /* [0, 1), 53 bits */
int64_t pith_i_random_below(pith_i_stream *s, int64_t n);              /* 0..n-1, each equally likely */
double pith_i_random_normal(pith_i_stream *s);                         /* mean 0, sd 1 */
void pith_i_random_order(pith_i_stream *s, int64_t n, int64_t *order); /* 0..n-1, shuffled */
/* A permutation of 0..n-1 in `order`, whose first `count` entries are a random subset. */
void pith_i_random_subset(pith_i_stream *s, int64_t n, int64_t count, int64_t *order);

/*
 * Number `counter` of stream `stream` under a seed by splitmix64, [0, 1) in 53 bits: the generator with which
 * the pair samplers are documented, so that another program can draw the same pairs. Everything else uses the
 * streams above.
 */
double pith_i_splitmix_uniform(uint64_t seed, uint64_t stream, uint64_t counter);
void pith_i_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

#endif
