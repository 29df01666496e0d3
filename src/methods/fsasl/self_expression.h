/* Every sample as a sparse combination of samples near it. */
#ifndef PITH_METHODS_FSASL_SELF_EXPRESSION_H
#define PITH_METHODS_FSASL_SELF_EXPRESSION_H

#include "graph/knn.h"
#include "linalg/design.h"

typedef struct pith_i_self_options {
    int64_t candidates; /* nearest others that may take part; at most knn's k are used */
    double ratio;       /* of lambda to the largest |z_j'z_i|, 0 < ratio */
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
 * Inner products come from Z Z' where n < p, else from the candidates' rows, so that nothing is n x n there.
 * O(n (candidates^3 + candidates^2 p)), resp. O(n^2 p + n candidates^3); parallel over samples.
 */
pith_status pith_i_self_expression(pith_ctx *ctx, const pith_i_design *Z, const pith_i_knn *knn,
                                   const pith_i_self_options *options, pith_i_data *S, int64_t *unsolved);

#endif
