/* Every sample as a sparse combination of samples near it. */
#ifndef PITH_METHODS_FSASL_SELF_EXPRESSION_H
#define PITH_METHODS_FSASL_SELF_EXPRESSION_H

#include "graph/knn.h"
#include "linalg/design.h"
#include "methods/fsasl/combinations.h"

/* Where inner products come from: chosen by size; all of Z Z'; the candidates' rows; or the entries that
 * these share, if they are sparse. */
typedef enum pith_i_self_way {
    PITH_I_SELF_BY_SIZE,
    PITH_I_SELF_BY_ALL,
    PITH_I_SELF_BY_ROWS,
    PITH_I_SELF_BY_ENTRIES
} pith_i_self_way;

typedef struct pith_i_self_options {
    int64_t candidates;  /* nearest others that may take part; at most knn's k are used */
    double ratio;        /* of lambda to the largest |z_j'z_i|, 0 < ratio */
    pith_i_self_way way; /* for tests; otherwise 0 */
    int64_t at_a_time;   /* samples whose candidates are fetched together; for tests, otherwise 0 */
} pith_i_self_options;

/*
 * For every row z_i of Z
 *
 *     min_s  1/2 ||z_i - sum_j s_j z_j||^2 + mu/2 ||s||^2 + lambda ||s||_1
 *
 * over the candidates j of i; lambda = ratio max_j |z_j'z_i| and mu = 1e-6 times the mean of all ||z_j||^2.
 * Without mu, s would not be unique where samples are (nearly) equal. Row i of S (owned, zeros not stored) is
 * s; `unsolved` counts the rows, of all processes, whose optimality is violated by more than
 * 1e-11 max_j |z_j'z_i|.
 *
 * If n < p and n <= 5,000, inner products come from Z Z' (n x n). Otherwise nothing is n x n: they come from
 * the candidates' rows or, for more than 5,000 sparse rows, from the entries that these share. Time: O(n
 * (candidates^3 + candidates^2 p)); by Z Z', O(n^2 p + n candidates^3); by entries, O(n candidates^3) and one
 * product for each pair of entries in a column. Parallel over samples.
 *
 * If samples are spread over processes, knn has the numbers that they have in the whole table. The
 * candidates' rows are fetched for some samples at a time, about 64 MiB of rows.
 */
pith_status pith_i_self_expression(pith_ctx *ctx, const pith_i_design *Z, const pith_i_knn *knn,
                                   const pith_i_self_options *options, pith_i_combinations *S,
                                   int64_t *unsolved);

#endif
