/* Inner products among a few sparse rows. */
#ifndef PITH_METHODS_FSASL_CANDIDATE_GRAM_H
#define PITH_METHODS_FSASL_CANDIDATE_GRAM_H

#include "linalg/design.h"

/*
 * G = Z Z' for `count` rows of sparse data with the shift taken off, from the entries that meet in a column.
 * As in pith_i_design_rows_gram, columns with more than a quarter of nonzeros are heavy: they are made dense
 * for these rows, since their shift may be far larger than their spread. For the others
 *
 *     z_a'z_b = x_a'x_b - x_a's - x_b's + s's
 */
typedef struct pith_i_candidates {
    const pith_i_design *Z;
    int64_t count, n_heavy, longest; /* rows at a time; heavy columns; entries of the longest row */
    int32_t *place;                  /* p: -1 takes no part, 0 light, 1 + number of a heavy one */
    const int32_t *heavy;            /* n_heavy: their columns */
    double *crossed, square;         /* n: x_i's; s's; both over light columns */
} pith_i_candidates;

/* From scratch: lives until the caller's mark is released. */
pith_status pith_i_candidate_gram_open(pith_ctx *ctx, const pith_i_design *Z, int64_t count,
                                       pith_i_candidates *out);
/* Bytes that one thread needs, and that much of its own set up. */
int64_t pith_i_candidate_gram_room(const pith_i_candidates *g);
void pith_i_candidate_gram_start(const pith_i_candidates *g, void *room);
/* G (count x count), both triangles, of the rows row[0 .. count-1]. O(the squared numbers of rows that
 * columns have in common). */
void pith_i_candidate_gram(const pith_i_candidates *g, const int64_t *row, double *G, void *room);

#endif
