/*
 * The data of a regression, n samples in rows: dense or CSR, with a shift subtracted from its columns without
 * making sparse data dense. In everything below, X stands for X - 1 shift' without the columns left out.
 */
#ifndef PITH_LINALG_DESIGN_H
#define PITH_LINALG_DESIGN_H

#include "matrix/data.h"

typedef struct pith_i_design {
    const pith_i_data *X;
    const pith_i_data *T; /* X' where X is sparse, else NULL */
    const double *shift;  /* p; NULL: 0 */
    const bool *left_out; /* p; columns that are ignored; NULL: none */
} pith_i_design;

/* Y (n x m) = X B, and Y (p x m) = X' B with 0 in the rows of columns left out. Row-major. If samples are
 * spread over processes, n counts those held here, and X' B is over all of them, the same in each process. */
pith_status pith_i_design_multiply(pith_ctx *ctx, const pith_i_design *D, int64_t m, const double *B,
                                   double *Y);
pith_status pith_i_design_multiply_t(pith_ctx *ctx, const pith_i_design *D, int64_t m, const double *B,
                                     double *Y);
/* X B such that equal rows of X have equal rows of Y to the bit, which BLAS does not promise: for rows that
 * are compared afterwards. Slower. */
pith_status pith_i_design_multiply_alike(pith_ctx *ctx, const pith_i_design *D, int64_t m, const double *B,
                                         double *Y);
/* ||f_r|| of every column; 0 for those left out. */
pith_status pith_i_design_norms(pith_ctx *ctx, const pith_i_design *D, double *norm);
/* ||x_i||^2 of every row. */
void pith_i_design_row_squares(pith_ctx *ctx, const pith_i_design *D, double *square);

/* Column j (n), and X' u for one vector (p; 0 for columns left out). Both run on the calling thread and
 * allocate nothing: for loops that are parallel themselves. Equal columns have equal products. */
void pith_i_design_column(const pith_i_design *D, int64_t j, double *f);
void pith_i_design_correlate(const pith_i_design *D, const double *u, double *out);

/*
 * The lower triangle (row-major, n x n) of K = X diag(weight) X', weight >= 0 (NULL: 1). In tiles whose shape
 * depends on n and p alone, so that threads change no bit. O(n^2 p) dense. Sparse: O(n^2 p_heavy + the sum of
 * the squared numbers of nonzeros of the other columns). Columns with more than a quarter of nonzeros are
 * heavy; their shift is subtracted before they are multiplied, since it may be far larger than their standard
 * deviation. Scratch: small; for n up to 512 another 4 n^2.
 */
pith_status pith_i_design_rows_gram(pith_ctx *ctx, const pith_i_design *D, const double *weight, double *K);
/* The lower triangle (p x p) of C = X' diag(weight) X, weight over the samples. O(n p^2). */
pith_status pith_i_design_columns_gram(pith_ctx *ctx, const pith_i_design *D, const double *weight,
                                       double *C);

#endif
