/*
 * Ridge regressions of hidden labels Y on weighted features, one on all samples and one on every sample's
 * neighbourhood, as in LGDFS (Du, Shen, Li, Zhou & Shen, ICDM 2013). With weights z on the features,
 * G = X diag(z) X', H the centring matrix of the size at hand, and G_i the part of G in region i (the sample
 * and its nearest neighbours in the weighted space),
 *
 *     J_i = H (local I + H G_i H)^-1 H      k x k        W_i = diag(z) X_i' J_i Y_i
 *     J   = H (global I + H G H)^-1 H       n x n        W   = diag(z) X' J Y
 *
 * solve the problems  min ||H (X W - Y)||^2 + ridge sum_j ||w_j||^2 / z_j. Their minima add up to
 *
 *     tr(Y' A Y),   A = local sum_i S_i J_i S_i' + alpha global J.
 *
 * A is never formed. With M = global I + H G H and B the sum over the regions, A = local B + alpha global
 * M^-1 on all vectors that are orthogonal to the constant one.
 *
 * The direct way: for any shift
 *
 *     (A + shift I)^-1 = M F^-1,   F = (local B + shift I) M + alpha global I
 *
 * takes one LU factorisation per fit and no inverse. It holds two n x n arrays, M and F. O(n^2 p + n^3).
 *
 * The iterative way: B is sparse, with at most n k^2 entries, and M u = global u + H X (z * X'u) takes two
 * products with X. So A y = local B y + alpha global u is known for pairs y = M u, and eigenvectors are
 * sought among such pairs (linalg/davidson.h), starting from those of the last fit. J y = u comes with them.
 * Nothing is n x n; graph/knn.h finds the neighbours in a weighted copy of X. Samples that are spread over
 * processes always go this way: what is n x m has the rows held here, and sums over samples are over all of
 * them.
 *
 * Neither way forms anything of p x p, n x k x p or n x p x c.
 */
#ifndef PITH_METHODS_LGDFS_MODELS_H
#define PITH_METHODS_LGDFS_MODELS_H

#include "linalg/row_sparse.h"
#include "methods/lgdfs/regions.h"

typedef struct pith_i_models_options {
    int64_t k;                   /* samples in a region, 2 <= k <= all samples */
    int64_t targets;             /* eigenvectors that will be asked for; one more is allowed */
    double alpha, global, local; /* weight of the global model; ridges above 0 */
    pith_i_way way;              /* set by tests alone */
} pith_i_models_options;

typedef struct pith_i_models {
    const pith_i_design *X;
    int64_t n, all; /* samples held here, and those of all processes */
    int64_t targets;
    double alpha, global, local;
    pith_i_regions regions;
    double bound; /* at least A's largest eigenvalue */
    bool iterative;
    /* the direct way */
    double *M;  /* n x n, symmetric */
    double *F;  /* n x n, its factors */
    int *pivot; /* n, of F */
    double shift;
    /* the iterative way */
    double tolerance;      /* of an eigenvector's residual: pith_i_davidson_options */
    double *z;             /* p, of the last fit */
    double *diagonal;      /* n: alpha plus the diagonal of local B */
    pith_i_nystrom sketch; /* of H G H */
    int64_t width;
    double *U;        /* n x width: J Y of the last targets, and some more */
    int64_t fits;     /* fits whose targets were found */
    int64_t products; /* products with M that the last targets took, by columns */
} pith_i_models;

/* Memory is scratch, but the sums are owned: close before the caller's mark is released. The way is chosen
 * here by the estimated cost of a fit: the direct one below 5e9 multiplications, about 2,000 samples. */
pith_status pith_i_models_open(pith_ctx *ctx, const pith_i_design *X, const pith_i_models_options *options,
                               pith_i_models *out);
void pith_i_models_close(pith_i_models *models);

/* Fits the models for the weights z. `move`: regions are chosen anew, as is necessary the first time. */
pith_status pith_i_models_fit(pith_ctx *ctx, pith_i_models *models, const double *z, bool move);

/* The m lowest eigenvectors of A, without the constant one, which is A's null vector; m < all samples. Vector
 * v is Y + v * n. Values ascend. */
pith_status pith_i_models_targets(pith_ctx *ctx, pith_i_models *models, int64_t m, double *value, double *Y);
/*
 * s_j = x_j'Q x_j + alpha global ||M'x_j||^2,  Q = local sum_i S_i M_i M_i' S_i',  M_i = J_i Y_i,  M = J Y
 *
 * so that z_j^2 s_j is the sum of the squared rows j of all W, each times its ridge: the best weights for
 * these W are proportional to z_j sqrt(s_j). s_j >= 0; it is 0 for columns that are left out. No W is formed.
 * value and Y are those that pith_i_models_targets found last, or the first m of them. O(nnz(Q) p + n p m).
 */
pith_status pith_i_models_energy(pith_ctx *ctx, pith_i_models *models, int64_t m, const double *value,
                                 const double *Y, double *s);

#endif
