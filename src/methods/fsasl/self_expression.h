/* Every sample as a sparse combination of samples near it. */
#ifndef PITH_METHODS_FSASL_SELF_EXPRESSION_H
#define PITH_METHODS_FSASL_SELF_EXPRESSION_H

#include "graph/knn.h"
#include "linalg/design.h"

/* Where inner products come from: what the size suggests; Z Z'; the candidates' rows; their entries, if
 * sparse. */
typedef enum pith_i_self_way {
    PITH_I_SELF_BY_SIZE,
    PITH_I_SELF_BY_ALL,
    PITH_I_SELF_BY_ROWS,
    PITH_I_SELF_BY_ENTRIES
} pith_i_self_way;

typedef struct pith_i_self_options {
    int64_t candidates;  /* nearest others that may take part; at most knn's k are used */
    double ratio;        /* of lambda to the largest |z_j'z_i|, 0 < ratio */
    pith_i_self_way way; /* for tests; others leave it as it is */
} pith_i_self_options;

/*
 * For every row z_i of Z
 *
 *     min_s  1/2 ||z_i - sum_j s_j z_j||^2 + mu/2 ||s||^2 + lambda ||s||_1
 *
 * over the candidates j of i; lambda = ratio max_j |z_j'z_i| and mu = 1e-6 times the mean of all ||z_j||^2.
 * Without mu, (near) duplicates have no unique s. Row i of S (n x n, CSR, owned, columns ascending, zeros not
 * stored) is s; `unsolved` counts rows whose optimality is violated by more than 1e-11 max_j |z_j'z_i|.
 *
 * Inner products come from Z Z' (n x n) where n < p and n <= 5,000. Else nothing is n x n: they come from the
 * candidates' rows or, of more than 5,000 sparse rows, from the entries that these have in common. O(n
 * (candidates^3 + candidates^2 p)), by Z Z' O(n^2 p + n candidates^3), by entries O(n candidates^3) and what
 * they have in common; parallel over samples.
 */
pith_status pith_i_self_expression(pith_ctx *ctx, const pith_i_design *Z, const pith_i_knn *knn,
                                   const pith_i_self_options *options, pith_i_data *S, int64_t *unsolved);

#endif
