/*
 * Candidates of sparse rows with few entries, such as texts, from inverted lists that are truncated twice:
 * a row is in the lists of its heaviest entries only, and a list keeps the rows that are heaviest in it.
 */
#ifndef PITH_GRAPH_KNN_HEAVY_H
#define PITH_GRAPH_KNN_HEAVY_H

#include "graph/knn_found.h"
#include "graph/knn_screen.h"

/* Do the rows have few enough entries for these lists? If not, they are projected. */
bool pith_i_is_light(const pith_i_data *X);
/* The same for n sparse rows with `stored` entries in all. */
bool pith_i_are_light(int64_t n, int64_t p, int64_t stored);

/* Adds the best candidates by the products of heaviest entries; later rounds truncate less. Values are the
 * screen's. */
pith_status pith_i_found_by_heaviest(pith_ctx *ctx, const pith_i_screen *screen, int64_t round,
                                     pith_i_found *F);
/* Adds to every list the candidates of its first k candidates. */
pith_status pith_i_found_by_hops(pith_ctx *ctx, const pith_i_screen *screen, int64_t k, pith_i_found *F);

/* ---- The steps, where rows are spread over processes --------------------------------------------------- */

/* The inverted lists. Rows have their numbers in the whole table. */
typedef struct pith_i_heavy {
    int64_t p;
    int64_t *start, *length; /* list j has length[j] rows, from place start[j] on */
    int32_t *row;
    float *z;
    float *square; /* |z|^2 of every row */
} pith_i_heavy;

typedef struct pith_i_heavy_size {
    int64_t entries, rows; /* most entries of a row, and rows of a list */
} pith_i_heavy_size;
pith_i_heavy_size pith_i_heavy_size_of(int64_t round);

/* Work space of one thread for pith_i_heavy_best. */
typedef struct pith_i_heavy_room {
    float *sum; /* one number for each row of the whole table; all 0 between calls */
    int32_t *touched;
} pith_i_heavy_room;
pith_status pith_i_heavy_rooms(pith_ctx *ctx, int64_t n, pith_i_heavy_size size, pith_i_heavy_room **out);

/* taken[i * most ..]: the heaviest entries of row i, by their place in the data; -1 after the last. */
pith_status pith_i_heavy_take(pith_ctx *ctx, const pith_i_rows *R, int64_t most, int64_t *taken);
/* The lists of R's rows, truncated to `most` rows each; from scratch. */
pith_status pith_i_heavy_lists(pith_ctx *ctx, const pith_i_rows *R, int64_t entries, const int64_t *taken,
                               int64_t most, pith_i_heavy *H);
/* Truncates lists of more than `most` rows. */
pith_status pith_i_heavy_cut(pith_ctx *ctx, int64_t most, pith_i_heavy *H);
/* The rows with the smallest distances to row i of R, estimated by the lists, in `best`: at most `most`;
 * returns how many. */
int32_t pith_i_heavy_best(const pith_i_rows *R, const pith_i_heavy *H, int64_t entries, const int64_t *taken,
                          int64_t i, int64_t most, const pith_i_heavy_room *w, pith_i_candidate *best);

#endif
