/*
 * Ridge regressions within neighbourhoods: region i consists of sample i and the k - 1 samples nearest to it
 * in the space of weighted features. With G_i the products of its rows in that space, H the centring matrix
 * of size k and
 *
 *     J_i = H (ridge I + H G_i H)^-1 H                      k x k
 *
 * ridge tr(Y_i' J_i Y_i) is the minimum of the regression of Y_i. S_i (n x k) selects the samples of region
 * i.
 */
#ifndef PITH_METHODS_LGDFS_REGIONS_H
#define PITH_METHODS_LGDFS_REGIONS_H

#include "graph/local_sum.h"
#include "linalg/design.h"

typedef struct pith_i_regions {
    int64_t n, k; /* samples held here; samples in a region, its own included */
    double ridge;
    pith_i_knn near; /* the k - 1 other samples of every region, by their numbers in the whole table: nearest
                        first, ties to the lower row; no distances */
    int64_t *place;  /* n x (k - 1): where these are, behind the samples held here those of sum.halo */
    double *J;       /* n blocks of k x k, the region's own sample first */
    double *room;    /* n k^2 */
    pith_i_local_sum sum; /* sum_i S_i J_i S_i'; owned */
    double bound;         /* at least the largest eigenvalue of ridge times the sum */
} pith_i_regions;

/* One region for every row of X, whose values are not read. Memory is scratch, but the sum is owned: close
 * before the caller's mark is released. 2 <= k <= rows of all processes; ridge > 0. */
pith_status pith_i_regions_open(pith_ctx *ctx, const pith_i_data *X, int64_t k, double ridge,
                                pith_i_regions *out);
void pith_i_regions_close(pith_i_regions *r);

/* From all products of rows, G (n x n, both triangles): O(n^2), with all samples in one process. `move`
 * chooses the regions anew, as is necessary the first time. */
pith_status pith_i_regions_by_products(pith_ctx *ctx, pith_i_regions *r, const double *G, bool move);
/* From the weighted rows: neighbours by the context's engine and search (graph/knn.h), then n k^2 / 2
 * distances. */
pith_status pith_i_regions_by_rows(pith_ctx *ctx, pith_i_regions *r, const pith_i_data *V, bool move);

/* s_j = x_j' (sum_i S_i J_i Y_i Y_i' J_i S_i') x_j for every column of X, which is not weighted; vector v is
 * Y + v * n. The sum is over the samples of all processes, whose rows are fetched piece by piece. Dense data
 * take O(n k^2 p); an entry of sparse data takes one step for every sample that shares a region with its
 * row. */
pith_status pith_i_regions_energy(pith_ctx *ctx, pith_i_regions *r, const pith_i_design *X, int64_t vectors,
                                  const double *Y, double *s);

#endif
