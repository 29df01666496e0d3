/*
 * A sparse matrix of samples by samples whose row i is the combination of samples that represents sample i.
 * Its rows may be spread over processes: each process has those of its own samples, and all processes call
 * these functions together.
 */
#ifndef PITH_METHODS_FSASL_COMBINATIONS_H
#define PITH_METHODS_FSASL_COMBINATIONS_H

#include "matrix/halo.h"

typedef struct pith_i_combinations {
    pith_i_data M;    /* CSR; the entries of a row ascend by the samples' numbers in the whole table */
    pith_i_halo halo; /* where they are spread: samples of other processes, columns n and above */
} pith_i_combinations;

/* For the rows of X. id: the sample of each of the `stored` entries, by its number in the whole table. The
 * caller fills in row pointers and values. Owned. */
pith_status pith_i_combinations_new(pith_ctx *ctx, const pith_i_data *X, int64_t stored, const int64_t *id,
                                    pith_i_combinations *out);
void pith_i_combinations_free(pith_i_combinations *C);

/* The transpose, owned. Over processes, every entry is sent to the process that holds its new row. */
pith_status pith_i_combinations_transpose(pith_ctx *ctx, const pith_i_combinations *C,
                                          pith_i_combinations *out);
/* y = (I - M) x. The sums are the same for any number of processes, to the bit. */
pith_status pith_i_combinations_rest(pith_ctx *ctx, const pith_i_combinations *C, const double *x, double *y);
/* ||I - M||_inf over the rows of all processes, for M without a diagonal. */
pith_status pith_i_combinations_bound(pith_ctx *ctx, const pith_i_combinations *C, double *out);

#endif
