/* Inner products among a few sparse rows. */
#ifndef PITH_METHODS_FSASL_CANDIDATE_GRAM_H
#define PITH_METHODS_FSASL_CANDIDATE_GRAM_H

#include "linalg/design.h"

/*
 * G = Z Z' for `count` rows of sparse data with the shift taken off, from the entries that rows share. As in
 * pith_i_design_rows_gram, columns with more than a quarter of nonzeros are heavy: they are made dense for
 * these rows, since their shift may be far larger than their spread. For the other columns
 *
 *     z_a'z_b = x_a'x_b - x_a's - x_b's + s's
 */
typedef struct pith_i_candidates {
    const pith_i_design *Z;
    int64_t count, n_heavy; /* rows of a Gram matrix; heavy columns */
    int32_t *place;         /* p: -1: left out; 0: light; h + 1: heavy column number h */
    const int32_t *heavy;   /* n_heavy: their columns */
    double square;          /* s's over light columns */
    const pith_i_data *X;   /* the rows to choose from: */
    int64_t longest;        /* entries of the longest, */
    double *crossed;        /* x_i's over light columns */
} pith_i_candidates;

/* Finds the heavy columns of all samples, which may be spread over processes. In scratch: it lives until the
 * caller's mark is released. */
pith_status pith_i_candidate_gram_open(pith_ctx *ctx, const pith_i_design *Z, int64_t count,
                                       pith_i_candidates *out);
/* The rows to choose from, with the columns of Z, until the next call; also in scratch. */
pith_status pith_i_candidate_gram_rows(pith_ctx *ctx, const pith_i_data *X, pith_i_candidates *g);
/* Bytes that each thread needs for these rows; every thread's have to be set up once. */
int64_t pith_i_candidate_gram_room(const pith_i_candidates *g);
void pith_i_candidate_gram_start(const pith_i_candidates *g, void *bytes);
/* G (count x count), both triangles, for the rows row[0 .. count-1] of X. Time: for each column, the square
 * of the number of rows that have it. */
void pith_i_candidate_gram(const pith_i_candidates *g, const int64_t *row, double *G, void *bytes);

#endif
