/* All inner products of the features, for lasso paths that use them many times. */
#ifndef PITH_METHODS_MCFS_FEATURE_GRAM_H
#define PITH_METHODS_MCFS_FEATURE_GRAM_H

#include "linalg/design.h"

/*
 * G (p x p, row-major, both triangles) = X'X of the design; rows of columns left out are 0. Equal columns
 * have equal rows to the bit, which a product of matrices alone does not promise: ties between such features
 * then go to the lower index. O(n p^2), BLAS.
 */
pith_status pith_i_feature_gram(pith_ctx *ctx, const pith_i_design *X, double *G);

#endif
