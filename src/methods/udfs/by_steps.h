/*
 * Row-sparse subspaces (sparse_subspace.h) where n and p are both large. No n x n or p x p matrix is formed:
 * M = X'BX is used through its products alone, and a sweep runs the block method of lowest.h.
 */
#ifndef PITH_METHODS_UDFS_BY_STEPS_H
#define PITH_METHODS_UDFS_BY_STEPS_H

#include "methods/udfs/sparse_subspace.h"

/* Up to this number of features, M is formed for the start. */
enum { PITH_I_FEW_FEATURES = 512 };

/* M as a linear map; s must outlive it. */
pith_i_rows_map pith_i_subspace_product(const pith_i_sparse_subspace *s);
/* Allocates memory and computes M's diagonal. O(p nnz(B)). */
pith_status pith_i_subspace_steps_open(pith_ctx *ctx, pith_i_sparse_subspace *s);
/* The row norms to start from, for more than FEW_FEATURES. They are those of the direct way, except that a
 * mean over M's null space is estimated (see by_steps.c). */
pith_status pith_i_subspace_steps_start(pith_ctx *ctx, pith_i_sparse_subspace *s);
/* Computes value and V of P = M + g Q, with Q from inverse_q. */
pith_status pith_i_subspace_steps_sweep(pith_ctx *ctx, pith_i_sparse_subspace *s);

#endif
