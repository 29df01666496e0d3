/*
 * Ridge regressions within neighbourhoods: region i is sample i and the k - 1 samples nearest to it in the
 * space of weighted features. With G_i the products of its rows in that space and H the centring of size k,
 *
 *     J_i = H (ridge I + H G_i H)^-1 H                      k x k
 *
 * and S_i (n x k) picking its samples, ridge tr(Y_i' J_i Y_i) is what regressions of Y_i leave.
 */
#ifndef PITH_METHODS_LGDFS_REGIONS_H
#define PITH_METHODS_LGDFS_REGIONS_H

#include "graph/local_sum.h"
#include "linalg/design.h"

typedef struct pith_i_regions {
    int64_t n, k; /* samples; of a region, itself included */
    double ridge;
    pith_i_knn
        near;     /* the k - 1 others of every region, nearest first, ties to the lower row; no distances */
    double *J;    /* n blocks of k x k, the region's own sample first */
    double *room; /* n k^2 */
    pith_i_local_sum sum; /* sum_i S_i J_i S_i'; owned */
    int64_t most; /* regions that one sample is in, at most: J_i <= I / ridge, so the sum is below that */
} pith_i_regions;

/* Room from scratch, the sum owned: close before the caller's mark is released. 2 <= k <= n; ridge > 0. */
pith_status pith_i_regions_open(pith_ctx *ctx, int64_t n, int64_t k, double ridge, pith_i_regions *out);
void pith_i_regions_close(pith_i_regions *r);

/* From all products of rows, G (n x n, both triangles): O(n^2). `move` chooses the regions anew, as is
 * necessary the first time. */
pith_status pith_i_regions_by_products(pith_ctx *ctx, pith_i_regions *r, const double *G, bool move);
/* From the rows themselves, weighted: neighbours by the context's engine and search (graph/knn.h), then n k^2
 * / 2 distances. */
pith_status pith_i_regions_by_rows(pith_ctx *ctx, pith_i_regions *r, const pith_i_data *V, bool move);

/* s_j = x_j' (sum_i S_i J_i Y_i Y_i' J_i S_i') x_j for every column of X, not weighted; vector v is Y + v *
 * n. O(n k^2 p) dense, each entry of sparse data once for each that its row meets in a region. */
pith_status pith_i_regions_energy(pith_ctx *ctx, pith_i_regions *r, const pith_i_design *X, int64_t vectors,
                                  const double *Y, double *s);

#endif
