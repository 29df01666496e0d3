/*
 * Ridge regressions of hidden labels Y on weighted features, one on all samples and one on every sample's
 * neighbourhood, as LGDFS has them (Du, Shen, Li, Zhou & Shen, ICDM 2013). With weights z on the features,
 * G = X diag(z) X', H the centring of its size, and G_i the part of G in region i (the sample and its
 * nearest others in the weighted space),
 *
 *     J_i = H (local I + H G_i H)^-1 H      k x k        W_i = diag(z) X_i' J_i Y_i
 *     J   = H (global I + H G H)^-1 H       n x n        W   = diag(z) X' J Y
 *
 * solve the problems  min ||H (X W - Y)||^2 + ridge sum_j ||w_j||^2 / z_j, whose values at the minimum add up
 * to
 *
 *     tr(Y' A Y),   A = local sum_i S_i J_i S_i' + alpha global J.
 *
 * A is never formed. With M = global I + H G H and B the sum over the regions, A = B + alpha global M^-1 but
 * for the constant vector, so that for any shift
 *
 *     (A + shift I)^-1 = M F^-1,   F = (B + shift I) M + alpha global I:
 *
 * one LU factorisation per fit and no inverse. Two n x n arrays are held, M and F. Nothing here is p x p,
 * n x k x p or n x p x c.
 */
#ifndef PITH_METHODS_LGDFS_MODELS_H
#define PITH_METHODS_LGDFS_MODELS_H

#include "graph/knn.h"
#include "graph/local_sum.h"
#include "linalg/design.h"

typedef struct pith_i_models {
    const pith_i_design *X;
    int64_t n, k; /* samples; of a region, itself included */
    double alpha, global, local;
    pith_i_knn regions;   /* the k - 1 others of every region, nearest first, ties to the lower row */
    double *J;            /* n blocks of k x k, the region's own sample first */
    double *M;            /* n x n, symmetric */
    double *F;            /* n x n, its factors */
    int *pivot;           /* n, of F */
    double *room;         /* n k^2 */
    pith_i_local_sum sum; /* sum_i S_i J_i S_i'; owned */
    double bound;         /* of A's eigenvalues */
    double shift;
} pith_i_models;

/* Room from scratch, the sums owned: close before the caller's mark is released. 2 <= k <= n; ridges > 0. */
pith_status pith_i_models_open(pith_ctx *ctx, const pith_i_design *X, int64_t k, double alpha, double global,
                               double local, pith_i_models *out);
void pith_i_models_close(pith_i_models *models);

/* Takes up the weights z; `move` chooses the regions anew, as is necessary the first time. O(n^2 p + n^3). */
pith_status pith_i_models_fit(pith_ctx *ctx, pith_i_models *models, const double *z, bool move);

/* The m eigenvectors of A of least eigenvalue beside the constant one, which is A's null vector; m < n.
 * Vector v is Y + v * n. Values ascend. */
pith_status pith_i_models_targets(pith_ctx *ctx, const pith_i_models *models, int64_t m, double *value,
                                  double *Y);
/*
 * s_j = x_j'Q x_j + alpha global ||M'x_j||^2,  Q = local sum_i S_i M_i M_i' S_i',  M_i = J_i Y_i,  M = J Y
 *
 * so that z_j^2 s_j is the ridge-weighted sum of the squared row j of all W: the weights that are best for
 * these W are proportional to z_j sqrt(s_j). At least 0; 0 for columns left out. No W is formed. value and Y
 * as targets finds them. O(nnz(Q) p + n p m).
 */
pith_status pith_i_models_energy(pith_ctx *ctx, pith_i_models *models, int64_t m, const double *value,
                                 const double *Y, double *s);

#endif
