/* What the search over processes consists of. All processes call these together. */
#ifndef PITH_GRAPH_KNN_DEALT_INSIDE_H
#define PITH_GRAPH_KNN_DEALT_INSIDE_H

#include "graph/knn_approximate_inside.h"
#include "matrix/halo.h"

typedef struct pith_i_dealt {
    int ranks, rank;
    const pith_i_rows *R; /* rows held here, with the centre and the scale of all */
    int64_t n;            /* rows of all processes, which are as many points */
    int64_t *row_start;   /* first row of every process, ranks + 1 */
    int64_t *start;       /* first point, likewise; multiples of a tile but for the last */
    pith_i_cloud P;       /* points held here; row: numbers in the whole table; there is no `point` */
    int32_t *point;       /* number of the point of every row held here */
} pith_i_dealt;

/* Deals out the points. R is pith_i_rows_share's. From scratch. */
pith_status pith_i_dealt_open(pith_ctx *ctx, const pith_i_rows *R, pith_i_dealt *out);
/* The first row of every process, which are ranks + 1; all else is set. */
pith_status pith_i_dealt_starts(pith_ctx *ctx, pith_i_dealt *D);
/* Things that go to who holds these rows, or points: `to` says where each is put, so that those of process r
 * are at[r] to before at[r + 1]. From scratch. */
pith_status pith_i_dealt_sort(pith_ctx *ctx, const pith_i_dealt *D, const int64_t *start, int64_t count,
                              const int64_t *ids, int64_t **at, int64_t **to);
/* The first of the processes behind whose rows, or points, lies this one. */
int pith_i_dealt_owner(const pith_i_dealt *D, const int64_t *start, int64_t id);
/* y of the given points, ld apart, in every process. */
pith_status pith_i_dealt_share(pith_ctx *ctx, const pith_i_dealt *D, int64_t count, const int32_t *points,
                               float *y);
/* Steps that every process takes if this one has `count` things to do, `each` in a step. */
pith_status pith_i_dealt_steps(pith_ctx *ctx, int64_t count, int64_t each, int64_t *steps);

/* pith_i_found_by_cells and pith_i_found_by_neighbours: F has the lists of the points held here, of points by
 * their numbers. */
pith_status pith_i_dealt_by_cells(pith_ctx *ctx, const pith_i_dealt *D, int64_t each, uint64_t round,
                                  pith_i_found *F);
pith_status pith_i_dealt_by_neighbours(pith_ctx *ctx, const pith_i_dealt *D, int64_t k, pith_i_found *F);

/* ---- Sparse rows with few entries: points are rows, and have no floats ----------------------------------
 */

/* Rows are points, where they are. From scratch. */
pith_status pith_i_dealt_plain(pith_ctx *ctx, const pith_i_rows *R, pith_i_dealt *out);
/* pith_i_found_by_heaviest. Every process gets all lists, and a few numbers of all rows. */
pith_status pith_i_dealt_by_heaviest(pith_ctx *ctx, const pith_i_dealt *D, int64_t round, pith_i_found *F);
/* Points for some of those held here, from number `from` on: many[e] of them, point + e * stride. */
typedef struct pith_i_dealt_some {
    int64_t from, count, stride;
    const int32_t *point, *many;
} pith_i_dealt_some;
/* Takes them into the lists, by the screen's values. */
pith_status pith_i_dealt_screen(pith_ctx *ctx, const pith_i_dealt *D, const pith_i_dealt_some *some,
                                pith_i_found *F);

/* ---- Exact distances ----------------------------------------------------------------------------------- */

/* So many lists of m rows that all of these rows, fetched together, take a bounded amount of memory. */
int64_t pith_i_dealt_piece(const pith_i_dealt *D, int64_t m);

/* Lists of candidates whose rows get exact distances: list[e] of F belongs to point[e] of those held here. */
typedef struct pith_i_dealt_lists {
    const pith_i_found *F;
    int64_t count;
    const int32_t *list, *point;
} pith_i_dealt_lists;

/* Neighbours of some rows, in every process: row e's list is number e of knn. */
typedef struct pith_i_dealt_few {
    int64_t count, *row;
    double *limit; /* squared distance, in every process the same: what lies farther is not looked for */
    pith_i_knn *knn;
} pith_i_dealt_few;

/* The first zero rows of the cosine metric, at most k, by their numbers; they are neighbours of all. */
typedef struct pith_i_dealt_zeros {
    int64_t count, *row;
} pith_i_dealt_zeros;
pith_status pith_i_dealt_first_zeros(pith_ctx *ctx, const pith_i_dealt *D, int64_t k,
                                     pith_i_dealt_zeros *out);

/* The k nearest of the lists' candidates, for the processes that hold the rows: knn's lists. */
pith_status pith_i_dealt_settle(pith_ctx *ctx, const pith_i_dealt *D, const pith_i_dealt_lists *lists,
                                const pith_i_dealt_zeros *zeros, pith_i_knn *knn);
/* Distances of all candidates to the lists' rows, in the order of the lists: F->m a list, infinite behind its
 * end. */
pith_status pith_i_dealt_distances(pith_ctx *ctx, const pith_i_dealt *D, const pith_i_dealt_lists *lists,
                                   double *distance2);
/* The exact neighbours of a few rows, among all rows. */
pith_status pith_i_dealt_exact(pith_ctx *ctx, const pith_i_dealt *D, const pith_i_dealt_few *few);

#endif
