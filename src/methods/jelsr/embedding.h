/*
 * Embeddings that a regression can fit: the lowest eigenvectors of
 *
 *     L + b R,    R = a (X Q^-1 X' + a I)^-1
 *
 * where R Y is the residual of Y in a ridge regression with weights Q. Products with R would be linear
 * systems; Davidson's method for pairs y = (X Q^-1 X' + a I) u (linalg/davidson.h), for which b R y = a b u,
 * needs products with X and with L only. Its preconditioner is the inverse of L + b R~, where R~ is R with
 * the sketch in place of X Q^-1 X'; it is applied by some steps of conjugate gradients, with products with L
 * and the sketch. The first call starts from the eigenvectors of L + b R~, every other from the vectors of
 * the call before.
 */
#ifndef PITH_METHODS_JELSR_EMBEDDING_H
#define PITH_METHODS_JELSR_EMBEDDING_H

#include "linalg/operator.h"
#include "linalg/row_sparse.h"

typedef struct pith_i_embedding {
    const pith_i_operator *L;     /* without negative eigenvalues */
    const pith_i_row_sparse *fit; /* its factor is a sketch: way PITH_I_ITERATIVE; no weights of samples */
    double b, bound;              /* bound: at least the largest eigenvalue of L + b R */
    int64_t c, width;             /* vectors wanted, and iterated */
    double *value;                /* width, ascending */
    double *Y, *U;                /* n x width, row-major; Y orthonormal */
    int64_t looks;                /* calls of find so far */
    int64_t products;             /* of the last call, with X Q^-1 X', counted by columns */
} pith_i_embedding;

/* From scratch; c + c / 4 + 5 <= n. L and fit must outlive it. */
pith_status pith_i_embedding_open(pith_ctx *ctx, const pith_i_operator *L, const pith_i_row_sparse *fit,
                                  double b, double bound, int64_t c, pith_i_embedding *out);
/*
 * The first m >= c pairs, m <= width, for the fit's last factor: ||(L + b R) y - value y|| is at most
 * tolerance (1 + value), where the tolerance is at least 16 times the rounding error of X Q^-1 X' / a.
 * PITH_E_NUMERIC if they do not converge.
 */
pith_status pith_i_embedding_find(pith_ctx *ctx, pith_i_embedding *e, int64_t m, double tolerance);

#endif
