/*
 * Representative samples: noisy samples are removed by their Fermi density, then a part of the rest is chosen
 * that preserves its density. From Huang, Yoo, Yu & Qin (NRFS, 2014), who take the first from Huang et al.
 * (anomaly detection by the Fermi Density Descriptor) and the second from Budka & Gabrys (density-preserving
 * sampling).
 */
#ifndef PITH_GRAPH_SAMPLING_H
#define PITH_GRAPH_SAMPLING_H

#include "graph/distance_stream.h"
#include "graph/graph.h"
#include "graph/spectrum.h"

/*
 * The graph of the k nearest neighbours, weights exp(-d^2 / (2 sigma^2)) or, by cosine, max(0, cos). If it is
 * disconnected, k is doubled, up to `most` or n - 1; the last graph is used as it is. `used` is the final k.
 */
pith_status pith_i_connected_graph(pith_ctx *ctx, const pith_i_data *X, pith_i_metric metric, int64_t k,
                                   int64_t most, double sigma, pith_i_graph **out, int64_t *used);

/*
 * rho_i = sum_k f(e_k) v_k(i)^2,   f(e) = 1 / (1 + exp((e - level) / temperature))
 *
 * over all n pairs (e_k, v_k) of a normalised Laplacian; level = mu median(e), temperature = heat level. Low
 * is anomalous: such a row takes little part in the smooth vectors. mu must put the level below the bulk of
 * the spectrum, since the sum over all energies is the same for every row. Returns the level.
 */
double pith_i_fermi_density(const pith_i_spectrum *all, double mu, double heat, double *rho);

/*
 * The same without eigenvectors: with A = I - L = D^-1/2 S D^-1/2 and T_k Chebyshev's polynomials,
 *
 *     rho_i = sum_k c_k (T_k(A))_ii,    f(1 - x) = sum_k c_k T_k(x)
 *
 * to 1e-5, the truncation of the series included. Every row's moments (T_k(A))_ii are exact up to the
 * rounding of floats, k to 96 as a rule: 48 products of A with n unit vectors. The median is that of the
 * density of energies by the same moments, smoothed by Jackson's kernel: to about 1e-2. Memory: 97 n numbers.
 */
pith_status pith_i_fermi_density_streamed(pith_ctx *ctx, const pith_i_graph *graph, double mu, double heat,
                                          double *rho, double *level);

/* floor(share n + 0.5), but not all n. */
int64_t pith_i_noisy_count(int64_t n, double share);
/* All rows but the `dropped` of least rho (ties: the lower row goes first), ascending, into kept. */
pith_status pith_i_drop_noisy(pith_ctx *ctx, int64_t n, const double *rho, int64_t dropped, int64_t *kept);

/*
 * Density-preserving sampling: the rows are split into halves `levels` times over and `rows` becomes part
 * number `fold` of the 2^levels, in ascending order; count follows. D holds all distances, n x n. A split
 * takes the closest pair of free rows (ties to the lower rows), and puts them into different halves, so
 * that the sum of the distances to the rows already in their own half is the larger; a row left over goes
 * where that sum is larger. Deterministic, but the very first pair is told apart by the order of the rows
 * alone. O(count^2) time as a rule. A part without rows is PITH_E_DATA.
 */
pith_status pith_i_density_sample(pith_ctx *ctx, int64_t n, const double *D, int64_t levels, int64_t fold,
                                  int64_t *rows, int64_t *count);
/*
 * The same without the table of all distances, which are computed tile by tile. The pairs come from lists of
 * each row's nearest, made once for all levels; a row whose list has no free row left is compared with all
 * free rows; after a number of such searches, all lists are made anew. If neighbours are searched exactly,
 * the pairs are the same, ties included; halves too, except where rounding decides between two sums. Memory:
 * 32 neighbours a row, and some tiles. O(n^2 p) time as a rule, mostly in GEMM.
 */
pith_status pith_i_density_sample_streamed(pith_ctx *ctx, const pith_i_data *X,
                                           const pith_i_distance_stream *S, int64_t levels, int64_t fold,
                                           int64_t *rows, int64_t *count);
/* PITH_E_PARAMETER if there is no part of this number. */
pith_status pith_i_density_sample_check(pith_ctx *ctx, int64_t levels, int64_t fold);

#endif
