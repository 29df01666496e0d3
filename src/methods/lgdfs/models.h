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
 * A is never formed. With M = global I + H G H and B the sum over the regions, A = local B + alpha global
 * M^-1 but for the constant vector.
 *
 * The direct way: for any shift
 *
 *     (A + shift I)^-1 = M F^-1,   F = (local B + shift I) M + alpha global I:
 *
 * one LU factorisation per fit and no inverse. Two n x n arrays are held, M and F. O(n^2 p + n^3).
 *
 * The iterative way: B is sparse, at most n k^2 entries, and M u = global u + H X (z * X'u) is two products
 * with X. So A y = local B y + alpha global u is known for pairs y = M u, and eigenvectors are sought among
 * such pairs (linalg/davidson.h), from those of the last fit. J y = u comes with them. Nothing is n x n;
 * neighbours are found by graph/knn.h in a weighted copy of X.
 *
 * Neither forms anything that is p x p, n x k x p or n x p x c.
 */
#ifndef PITH_METHODS_LGDFS_MODELS_H
#define PITH_METHODS_LGDFS_MODELS_H

#include "linalg/row_sparse.h"
#include "methods/lgdfs/regions.h"

typedef struct pith_i_models_options {
    int64_t k;                   /* of a region, itself included, 2 <= k <= n */
    int64_t targets;             /* eigenvectors that will be asked for, or one more */
    double alpha, global, local; /* ridges above 0 */
    pith_i_way way;              /* for tests; the others leave it as it is */
} pith_i_models_options;

typedef struct pith_i_models {
    const pith_i_design *X;
    int64_t n, targets;
    double alpha, global, local;
    pith_i_regions regions;
    double bound; /* of A's eigenvalues */
    bool iterative;
    /* the direct way */
    double *M;  /* n x n, symmetric */
    double *F;  /* n x n, its factors */
    int *pivot; /* n, of F */
    double shift;
    /* the iterative way */
    double tolerance;      /* of an eigenvector's residual: pith_i_davidson_options */
    double *z;             /* p, of the last fit */
    double *diagonal;      /* n: alpha and that of local B */
    pith_i_nystrom sketch; /* of H G H */
    int64_t width;         /* of U (n x width): J Y of the last targets, and some more */
    double *U;
    int64_t fits;     /* whose targets were found, */
    int64_t products; /* and what the last took */
} pith_i_models;

/* Room from scratch, the sums owned: close before the caller's mark is released. Which way is taken is
 * decided here by the estimated cost of a fit; below 5e9 multiplications, about 2,000 samples, it is the
 * direct one. */
pith_status pith_i_models_open(pith_ctx *ctx, const pith_i_design *X, const pith_i_models_options *options,
                               pith_i_models *out);
void pith_i_models_close(pith_i_models *models);

/* Takes up the weights z; `move` chooses the regions anew, as is necessary the first time. */
pith_status pith_i_models_fit(pith_ctx *ctx, pith_i_models *models, const double *z, bool move);

/* The m eigenvectors of A of least eigenvalue beside the constant one, which is A's null vector; m < n.
 * Vector v is Y + v * n. Values ascend. */
pith_status pith_i_models_targets(pith_ctx *ctx, pith_i_models *models, int64_t m, double *value, double *Y);
/*
 * s_j = x_j'Q x_j + alpha global ||M'x_j||^2,  Q = local sum_i S_i M_i M_i' S_i',  M_i = J_i Y_i,  M = J Y
 *
 * so that z_j^2 s_j is the ridge-weighted sum of the squared row j of all W: the weights that are best for
 * these W are proportional to z_j sqrt(s_j). At least 0; 0 for columns left out. No W is formed. value and Y
 * as targets found them last, or the first m of these. O(nnz(Q) p + n p m).
 */
pith_status pith_i_models_energy(pith_ctx *ctx, pith_i_models *models, int64_t m, const double *value,
                                 const double *Y, double *s);

#endif
