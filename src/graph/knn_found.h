/*
 * The best candidates of every point found so far, by estimated distance. A list holds the m best by (least
 * estimate, number), whichever thread finds them, in any order and any number of times.
 */
#ifndef PITH_GRAPH_KNN_FOUND_H
#define PITH_GRAPH_KNN_FOUND_H

#include "graph/knn_cells.h"

#include <math.h>

typedef struct pith_i_candidate {
    float value; /* norm_t - 2 y_s'y_t: the estimate without norm_s */
    int32_t point;
} pith_i_candidate;

typedef struct pith_i_found {
    int64_t n, m;
    pith_i_candidate *list; /* of point s: list + s * m, nearest first */
    int32_t *count;
    const float *limit; /* of each point: only candidates with values below it are searched for; NULL: all */
    void *locks;        /* PITH_I_FOUND_LOCKS of them; point s has number s mod PITH_I_FOUND_LOCKS */
} pith_i_found;
enum { PITH_I_FOUND_LOCKS = 4096 };

/* Empty lists; owned. */
pith_status pith_i_found_open(pith_ctx *ctx, int64_t n, int64_t m, pith_i_found *out);
void pith_i_found_close(pith_i_found *F);
/* The same lists with room for m, which is not less than before. */
pith_status pith_i_found_copy(pith_ctx *ctx, const pith_i_found *F, int64_t m, pith_i_found *out);

static inline bool pith_i_candidate_before(pith_i_candidate a, pith_i_candidate b)
{
    return a.value < b.value || (a.value == b.value && a.point < b.point);
}

/* Inserts a candidate into a list of at most m. */
static inline void pith_i_candidate_put(pith_i_candidate *list, int32_t *count, int64_t m, pith_i_candidate x)
{
    int64_t at = 0;
    const int64_t held = *count;
    if (held == m && !pith_i_candidate_before(x, list[m - 1]))
        return;
    while (at < held && list[at].point != x.point)
        at++;
    if (at < held && !(x.value < list[at].value)) /* estimates of one pair may differ by rounding */
        return;
    if (at == held && held < m)
        (*count)++;
    at = at < m ? at : m - 1;
    for (; at > 0 && pith_i_candidate_before(x, list[at - 1]); at--)
        list[at] = list[at - 1];
    list[at] = x;
}

/* Only candidates with values below this can get into the list of point t. */
static inline float pith_i_found_limit(const pith_i_found *F, int64_t t)
{
    return F->count[t] < F->m ? INFINITY : nextafterf(F->list[t * F->m + F->m - 1].value, INFINITY);
}

/* The number of leaders of a partition: cells of about one leaf, as long as comparing points with leaders
 * costs no more than the leaves do. */
int64_t pith_i_found_leaders(int64_t n, int64_t each);
/* All pairs of the points in each leaf of these cells, whose members are put into the order of the leaves. */
pith_status pith_i_found_in_cells(pith_ctx *ctx, const pith_i_cloud *P, const pith_i_cells *cells,
                                  uint64_t round, pith_i_found *F);
/* All pairs of the points in each leaf of one more partition, every point in `each` cells of it. */
pith_status pith_i_found_by_cells(pith_ctx *ctx, const pith_i_cloud *P, int64_t each, uint64_t round,
                                  pith_i_found *F);
/* The candidates of the first k candidates of point s that are not its own: at most k^2. Returns how many.
 * seen: n numbers, 0 before the first call, that only this function changes. */
int64_t pith_i_found_hops(const pith_i_found *F, int64_t k, int64_t s, int32_t *seen, int32_t *hops);
/* Adds points to the list of point s: points hop[h] of P, under the numbers number[h]. */
void pith_i_found_take_hops(const pith_i_cloud *P, int64_t s, int64_t hops, const int32_t *hop,
                            const int32_t *number, int64_t m, pith_i_candidate *list, int32_t *count);
/* Adds to every list the candidates of its first k candidates. */
pith_status pith_i_found_by_neighbours(pith_ctx *ctx, const pith_i_cloud *P, int64_t k, pith_i_found *F);

#endif
