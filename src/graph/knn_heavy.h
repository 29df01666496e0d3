/*
 * Candidates of sparse rows with few entries, such as texts, from inverted lists that are cut twice: a row is
 * in the lists of its heaviest entries only, and a list keeps the rows that are heaviest in it.
 */
#ifndef PITH_GRAPH_KNN_HEAVY_H
#define PITH_GRAPH_KNN_HEAVY_H

#include "graph/knn_found.h"
#include "graph/knn_screen.h"

/* Does the data have so few entries a row? Else rows are projected. */
bool pith_i_is_light(const pith_i_data *X);
/* Do so many sparse rows of so many entries? */
bool pith_i_are_light(int64_t n, int64_t p, int64_t stored);

/* Takes the best by products of heaviest entries into the lists; later rounds cut less. Values are those of
 * the screen. */
pith_status pith_i_found_by_heaviest(pith_ctx *ctx, const pith_i_screen *screen, int64_t round,
                                     pith_i_found *F);
/* Candidates of the first k candidates of every row. */
pith_status pith_i_found_by_hops(pith_ctx *ctx, const pith_i_screen *screen, int64_t k, pith_i_found *F);

/* ---- Its parts, where rows are spread over processes --------------------------------------------------- */

/* The inverted lists. Rows are called by their numbers in the whole table. */
typedef struct pith_i_heavy {
    int64_t p;
    int64_t *start, *length; /* list j has length[j] rows, from place start[j] on */
    int32_t *row;
    float *z;
    float *square; /* |z|^2 of every row */
} pith_i_heavy;

typedef struct pith_i_heavy_size {
    int64_t entries, rows; /* of a row, of a list; at most */
} pith_i_heavy_size;
pith_i_heavy_size pith_i_heavy_size_of(int64_t round);

/* What one thread needs to ask them. */
typedef struct pith_i_heavy_room {
    float *sum; /* zeros, one for each row of the whole table; all of them zeros again between rows */
    int32_t *touched;
} pith_i_heavy_room;
pith_status pith_i_heavy_rooms(pith_ctx *ctx, int64_t n, pith_i_heavy_size size, pith_i_heavy_room **out);

/* taken[i * most ..]: the heaviest entries of row i, by their place in the data; -1 after the last. */
pith_status pith_i_heavy_take(pith_ctx *ctx, const pith_i_rows *R, int64_t most, int64_t *taken);
/* Lists of at most `most` rows, of R's rows; from scratch. */
pith_status pith_i_heavy_lists(pith_ctx *ctx, const pith_i_rows *R, int64_t entries, const int64_t *taken,
                               int64_t most, pith_i_heavy *H);
/* Cuts lists of more. */
pith_status pith_i_heavy_cut(pith_ctx *ctx, int64_t most, pith_i_heavy *H);
/* Puts the rows with the largest products with row i of R into `best`, at most `most`; returns how many. */
int32_t pith_i_heavy_best(const pith_i_rows *R, const pith_i_heavy *H, int64_t entries, const int64_t *taken,
                          int64_t i, int64_t most, const pith_i_heavy_room *w, pith_i_candidate *best);

#endif
