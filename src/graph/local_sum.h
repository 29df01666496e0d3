/*
 * Sums of small matrices over neighbourhoods: with S_i (0/1, n x (k+1)), whose columns select i and its k
 * neighbours, and M_i symmetric,
 *
 *     B = sum_i S_i M_i S_i'        n x n, symmetric, at most n (k+1)^2 entries
 *
 * as CSR. Local learning, local discrimination and locally linear embedding have this form.
 */
#ifndef PITH_GRAPH_LOCAL_SUM_H
#define PITH_GRAPH_LOCAL_SUM_H

#include "graph/knn.h"
#include "linalg/operator.h"
#include "matrix/halo.h"

typedef struct pith_i_local_sum {
    int64_t n;           /* rows held here */
    int64_t offset, all; /* number of the first, and rows of all processes; all 0: they are not spread */
    pith_i_halo halo;    /* rows of other processes: columns n and above */
    int64_t *row;        /* n + 1 */
    int32_t *col;        /* ascending in a row, by number in the whole matrix */
    double *value;
} pith_i_local_sum;

/* blocks: n matrices (k+1) x (k+1), symmetric; their row 0 is the sample, row 1 + t its neighbour t. Entries
 * are added in the order of the samples. Owned. O(n k^2 log(k)) time. */
pith_status pith_i_local_sum_make(pith_ctx *ctx, const pith_i_knn *knn, const double *blocks,
                                  pith_i_local_sum *out);
/* The same where the rows of X may be spread over processes; knn has their numbers in the whole table. */
pith_status pith_i_local_sum_of(pith_ctx *ctx, const pith_i_data *X, const pith_i_knn *knn,
                                const double *blocks, pith_i_local_sum *out);
void pith_i_local_sum_free(pith_i_local_sum *B);

/* B as an operator; B must outlive it. */
pith_i_operator pith_i_local_sum_operator(const pith_i_local_sum *B);
/* Y = B F for F of n x m, row-major. */
pith_status pith_i_local_sum_multiply(pith_ctx *ctx, const pith_i_local_sum *B, int64_t m, const double *F,
                                      double *Y);
/* plus = B^+ F and minus = B^- F for F of n x m, row-major: B^+ and B^- are the positive and negative parts
 * of B by entry, B = B^+ - B^-. */
pith_status pith_i_local_sum_split(pith_ctx *ctx, const pith_i_local_sum *B, int64_t m, const double *F,
                                   double *plus, double *minus);

#endif
