/*
 * Stochastic neighbours: row i picks row j with probability
 *
 *     q_ij(w) = exp(b_i s_ij(w)) / sum_{k != i} exp(b_i s_ik(w))
 *
 *     s_ij(w) = sum_t w_t x_it x_jt             inner product
 *     s_ij(w) = - sum_t w_t (x_it - x_jt)^2     squared Euclidean
 *
 * with a width 1 / b_i per row and a weight w_t >= 0 per feature. Nothing n x n is stored: rows are taken in
 * blocks, and only one tile of similarities per thread is held.
 */
#ifndef PITH_METHODS_SNFS_STOCHASTIC_H
#define PITH_METHODS_SNFS_STOCHASTIC_H

#include "matrix/data.h"

/*
 * The rows, x_it = (X_it - shift_t) scale_t row_scale_i (NULL: 0, 1, 1; shift for dense data only), in two
 * parts: columns that are nonzero in many rows, stored dense, for matrix products, and the others by row and
 * by column. Dense data has the first part only.
 */
typedef struct pith_i_stochastic_room pith_i_stochastic_room;

typedef struct pith_i_stochastic {
    int64_t n, p;
    bool euclidean;
    int64_t block;    /* rows of a block */
    int64_t m;        /* columns of the first part */
    int64_t *column;  /* m: their numbers, ascending */
    double *dense;    /* n x m, row-major */
    float *centred;   /* n x m: dense less the columns' means, for products in floats; NULL: in double */
    double *mean;     /* m: these means */
    int64_t *row;     /* n+1, second part by row: */
    int32_t *row_col; /* columns, ascending */
    double *row_value;
    int64_t *col; /* p+1, second part by column: */
    int32_t *col_row;
    double *col_value;
    double *b;                    /* n */
    pith_i_stochastic_room *room; /* for evaluations, which allocate nothing; one at a time */
} pith_i_stochastic;

typedef struct pith_i_scaling {
    const double *shift, *scale, *row_scale;
} pith_i_scaling;

/*
 * T is X' where X is sparse. All b_i are 1. From scratch: lives until the caller's mark is released. Memory:
 * the data twice, block (n + 768) and 256 n per thread of at most 16, and 16 times 2 p + 2 n. block is at
 * most 128, or 2^23 / n of large dense data.
 */
pith_status pith_i_stochastic_make(pith_ctx *ctx, const pith_i_data *X, const pith_i_data *T,
                                   const pith_i_scaling *scaling, bool euclidean, pith_i_stochastic *out);

/*
 * From now on computes moments and curvatures by products of floats, in half the time: with y = x - mean, and
 * since sum_j M_ij = b_i, sum_j M_ij x_jt = sum_j M_ij y_jt + b_i mean_t, so that only the deviation from the
 * mean is rounded to floats, with a relative error of about 1e-7. Values stay in double.
 * pith_i_stochastic_make calls it where n > 16,384 and there are 64 columns or more in the first part.
 * Memory: half the first part, and half of the tiles.
 */
pith_status pith_i_stochastic_single(pith_ctx *ctx, pith_i_stochastic *S);

/*
 * The widths at which every row has the given perplexity, w = 1: the entropy of q_i is log(perplexity), to
 * 1e-12. A row that cannot have it, because more rows than that are equally near, gets b_i of about 1e8 over
 * its mean distance below the nearest; one that is equally near to all keeps 1.
 */
pith_status pith_i_stochastic_calibrate(pith_ctx *ctx, pith_i_stochastic *S, double perplexity);

/*
 * At w:
 *
 *     value       sum_i log sum_{j != i} exp(b_i s_ij)
 *     moment_t    sum_i b_i sum_j q_ij ds_ij/dw_t          its gradient
 *     curvature_t sum_i b_i^2 Var_{j ~ q_i}(ds_ij/dw_t)    its second derivatives (NULL: not wanted)
 *
 * Euclidean curvatures of columns in the second part are upper bounds: rows where the feature is 0 count with
 * their mean square instead of their variance. Sparse: O(n^2 + sum of squared column lengths); dense: 4 n^2 m
 * operations, nearly all in GEMM.
 */
pith_status pith_i_stochastic_value(pith_ctx *ctx, const pith_i_stochastic *S, const double *w, double *value,
                                    double *moment, double *curvature);

/* The moments at w = 0, where all other rows are equally likely, up to rounding: O(n p), sparse O(stored). */
pith_status pith_i_stochastic_unweighted(pith_ctx *ctx, const pith_i_stochastic *S, double *moment);

#endif
