/* The parts of the search over processes. All processes call the functions that return a status together. */
#ifndef PITH_GRAPH_KNN_DEALT_INSIDE_H
#define PITH_GRAPH_KNN_DEALT_INSIDE_H

#include "graph/knn_approximate_inside.h"
#include "matrix/halo.h"

typedef struct pith_i_dealt {
    int ranks, rank;
    const pith_i_rows *R; /* rows held here, with the centre and the scale of all */
    int64_t n;            /* rows of all processes, and points: one for each row */
    int64_t *row_start;   /* first row of every process, ranks + 1 */
    int64_t *start;       /* first point, likewise; multiples of a tile but for the last */
    pith_i_cloud P;       /* points held here; row: numbers in the whole table; there is no `point` */
    int32_t *point;       /* number of the point of every row held here */
} pith_i_dealt;

/* Deals out the points. R is pith_i_rows_share's. From scratch. */
pith_status pith_i_dealt_open(pith_ctx *ctx, const pith_i_rows *R, pith_i_dealt *out);
/* Sets row_start; ranks, rank and R are set. */
pith_status pith_i_dealt_starts(pith_ctx *ctx, pith_i_dealt *D);
/* Sorts items, each about a row or a point, by the process that holds it: item e goes to place to[e], and
 * process r has the places at[r] to before at[r + 1]. start: D's row_start or start. From
 * scratch. */
pith_status pith_i_dealt_sort(pith_ctx *ctx, const pith_i_dealt *D, const int64_t *start, int64_t count,
                              const int64_t *ids, int64_t **at, int64_t **to);
/* The process that holds a row or a point. */
int pith_i_dealt_owner(const pith_i_dealt *D, const int64_t *start, int64_t id);
/* y of the given points, ld apart, in every process. */
pith_status pith_i_dealt_share(pith_ctx *ctx, const pith_i_dealt *D, int64_t count, const int32_t *points,
                               float *y);
/* How many steps all processes take together, if this one has `count` items, `each` in a step: the most that
 * any of them needs. */
pith_status pith_i_dealt_steps(pith_ctx *ctx, int64_t count, int64_t each, int64_t *steps);

/* As pith_i_found_by_cells and pith_i_found_by_neighbours. F has the lists of the points held here;
 * candidates have their numbers among all points. */
pith_status pith_i_dealt_by_cells(pith_ctx *ctx, const pith_i_dealt *D, int64_t each, uint64_t round,
                                  pith_i_found *F);
pith_status pith_i_dealt_by_neighbours(pith_ctx *ctx, const pith_i_dealt *D, int64_t k, pith_i_found *F);

/* ---- Sparse rows with few entries: points are rows, and have no floats --------------------------------- */

/* Every row is a point and stays where it is. From scratch. */
pith_status pith_i_dealt_plain(pith_ctx *ctx, const pith_i_rows *R, pith_i_dealt *out);
/* As pith_i_found_by_heaviest. Every process gets the inverted lists of all rows, and their squares. */
pith_status pith_i_dealt_by_heaviest(pith_ctx *ctx, const pith_i_dealt *D, int64_t round, pith_i_found *F);
/* New candidates for `count` of the points held here, from number `from` on: many[e] of them are at
 * point + e * stride. */
typedef struct pith_i_dealt_some {
    int64_t from, count, stride;
    const int32_t *point, *many;
} pith_i_dealt_some;
/* Puts them into the lists, with the screen's values. */
pith_status pith_i_dealt_screen(pith_ctx *ctx, const pith_i_dealt *D, const pith_i_dealt_some *some,
                                pith_i_found *F);

/* ---- Exact distances ----------------------------------------------------------------------------------- */

/* How many lists of m rows are handled together, so that all of their rows, fetched, take bounded memory. */
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
    double *limit; /* squared distance, the same in every process: nothing farther is searched for */
    pith_i_knn *knn;
} pith_i_dealt_few;

/* The first zero rows of the cosine metric, at most k, by their numbers; they are candidates of all rows. */
typedef struct pith_i_dealt_zeros {
    int64_t count, *row;
} pith_i_dealt_zeros;
pith_status pith_i_dealt_first_zeros(pith_ctx *ctx, const pith_i_dealt *D, int64_t k,
                                     pith_i_dealt_zeros *out);

/* Writes the k nearest of each list's candidates to knn, in the process that holds the row. */
pith_status pith_i_dealt_settle(pith_ctx *ctx, const pith_i_dealt *D, const pith_i_dealt_lists *lists,
                                const pith_i_dealt_zeros *zeros, pith_i_knn *knn);
/* Distances of all candidates to the lists' rows, in the order of the lists: F->m a list, infinite past its
 * end. */
pith_status pith_i_dealt_distances(pith_ctx *ctx, const pith_i_dealt *D, const pith_i_dealt_lists *lists,
                                   double *distance2);
/* The exact neighbours of a few rows, among all rows. */
pith_status pith_i_dealt_exact(pith_ctx *ctx, const pith_i_dealt *D, const pith_i_dealt_few *few);

#endif
