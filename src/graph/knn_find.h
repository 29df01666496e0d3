/* The two ways to find candidates, and the way to settle the rows for which candidates do not suffice. */
#ifndef PITH_GRAPH_KNN_FIND_H
#define PITH_GRAPH_KNN_FIND_H

#include "core/random.h"
#include "graph/knn_lists.h"

/* The search over rows already opened; pith_i_knn_find and pith_i_mean_distance open them themselves.
 * candidates NULL: they are searched for; else they are consumed. */
pith_status pith_i_knn_rows(pith_ctx *ctx, const pith_i_rows *R, int64_t k, pith_i_lists *candidates,
                            pith_i_knn *out);
pith_status pith_i_knn_balanced_rows(pith_ctx *ctx, const pith_i_rows *R, int64_t k,
                                     const pith_i_batches *batches, pith_i_knn *out);
/* The rows whose pairs make the mean distance, all n or some where n is large: how many, and the i-th. */
int64_t pith_i_mean_distance_count(int64_t n);
int64_t pith_i_mean_distance_row(int64_t n, int64_t i);
/* Of rows that every process holds: each does its share of the pairs. All processes call it. */
pith_status pith_i_mean_distance_shared(pith_ctx *ctx, const pith_i_rows *R, double *out);
pith_status pith_i_mean_distance_rows(pith_ctx *ctx, const pith_i_rows *R, double *out);
/* Pairs of different rows of n, drawn at random, one after the other. */
pith_i_stream pith_i_pairs_begin(const pith_ctx *ctx);
void pith_i_pairs_next(pith_i_stream *s, int64_t n, int64_t *i, int64_t *l);
/* The mean distance of so many of these pairs. */
double pith_i_mean_distance_sampled(pith_ctx *ctx, const pith_i_rows *R, int64_t pairs);

/* Fills knn's lists of k < n by the exact search; all rows are in this process. */
pith_status pith_i_knn_exact(pith_ctx *ctx, const pith_i_rows *R, pith_i_knn *knn);
/* The length of lists that certify k neighbours of almost every row. */
int64_t pith_i_knn_candidates(int64_t n, int64_t k);
/* Lists of at most m candidates, with the smallest lower bounds in float. */
pith_status pith_i_knn_dense_lists(pith_ctx *ctx, const pith_i_rows *R, int64_t m, pith_i_lists *out);
pith_status pith_i_knn_sparse_lists(pith_ctx *ctx, const pith_i_rows *R, int64_t m, pith_i_lists *out);

/* The rows to search among, ascending; ids NULL: the rows 0 to count - 1. */
typedef struct pith_i_among {
    int64_t count;
    const int64_t *ids;
    int64_t before, all; /* for progress: rows searched among before these, and in all */
} pith_i_among;

static inline int64_t pith_i_among_at(const pith_i_among *among, int64_t at)
{
    return among->ids != NULL ? among->ids[at] : at;
}

/*
 * The neighbours of the given rows from lower bounds in double: every row whose bound does not exceed the
 * k-th distance known so far gets its exact distance, so the answer needs no certificate. On entry row i's
 * list in `knn` holds k true distances, or infinite ones; the last says how far to look. Where there are
 * fewer than k others, the list ends with the index -1 at an infinite distance.
 */
pith_status pith_i_knn_dense_redo(pith_ctx *ctx, const pith_i_rows *R, int64_t count, const int64_t *rows,
                                  const pith_i_among *among, pith_i_knn *knn);
pith_status pith_i_knn_sparse_redo(pith_ctx *ctx, const pith_i_rows *R, int64_t count, const int64_t *rows,
                                   const pith_i_among *among, pith_i_knn *knn);
/* Writes row i's list: `count` neighbours in order, then the index -1 at an infinite distance. */
void pith_i_knn_write(pith_i_knn *knn, int64_t i, const pith_i_near *sorted, int64_t count);
/* Writes the list of a zero row of the cosine metric, whose number among all rows is `number`: it is equally
 * far from all, so its neighbours are the first rows. */
void pith_i_knn_write_zero(pith_i_knn *knn, int64_t i, int64_t number);
/* The first zero rows of the cosine metric, at most `room`; returns how many. They are at distance sqrt 2
 * from all. */
int64_t pith_i_first_zeros(const pith_i_rows *R, int64_t room, int64_t *zero);

/* One row being searched again. */
typedef struct pith_i_search {
    int64_t i, k, count;
    pith_i_near *near; /* heap of at most k */
    pith_i_near limit; /* nothing after it in order can be a neighbour */
    double scaled;     /* limit's value in the units of z */
    double scale;
} pith_i_search;

void pith_i_search_start(pith_i_search *s, const pith_i_rows *R, const pith_i_knn *knn, int64_t i,
                         pith_i_near *near);
/* Could row l be a neighbour? `bound` is at most its squared distance, in the units of z. */
static inline bool pith_i_search_wants(const pith_i_search *s, int64_t l, double bound)
{
    const double least = bound > 0 ? bound : 0;
    return (least < s->scaled || (least == s->scaled && l <= s->limit.id)) && l != s->i;
}
void pith_i_search_take(pith_i_search *s, int64_t l, double distance2);
void pith_i_search_end(pith_i_search *s, pith_i_knn *knn);

#endif
