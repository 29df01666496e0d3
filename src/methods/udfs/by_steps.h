/*
 * Row-sparse subspaces (sparse_subspace.h) where n and p are both large, without a matrix of either size:
 * M = X'BX is known by its products, and a sweep is the block method of linalg/lowest.h.
 */
#ifndef PITH_METHODS_UDFS_BY_STEPS_H
#define PITH_METHODS_UDFS_BY_STEPS_H

#include "methods/udfs/sparse_subspace.h"

/* Features up to which the start comes from M itself. */
enum { PITH_I_FEW_FEATURES = 512 };

/* M as a map; s must outlive it. */
pith_i_rows_map pith_i_subspace_product(const pith_i_sparse_subspace *s);
/* Takes memory and M's diagonal. O(p nnz(B)). */
pith_status pith_i_subspace_steps_open(pith_ctx *ctx, pith_i_sparse_subspace *s);
/* norm of a start like the direct one's, for more than FEW_FEATURES: where it is the mean over M's null
 * space, it is estimated, see by_steps.c. */
pith_status pith_i_subspace_steps_start(pith_ctx *ctx, pith_i_sparse_subspace *s);
/* value and V of P = M + g Q, Q from inverse_q. */
pith_status pith_i_subspace_steps_sweep(pith_ctx *ctx, pith_i_sparse_subspace *s);

#endif
