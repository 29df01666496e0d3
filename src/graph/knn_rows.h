/*
 * Rows as a metric sees them:
 *
 *     u_i = x_i                 euclidean
 *     u_i = x_i / |x_i|         cosine; a zero row stays 0
 *     z_i = scale (u_i - c)     for matrix products
 *
 * The centre c (dense data: the mean of u; sparse: 0) changes no distance but keeps products from losing
 * digits to cancellation; scale is a power of two that brings the longest z to at most 1, so that squares fit
 * a float whatever the units of the data.
 */
#ifndef PITH_GRAPH_KNN_ROWS_H
#define PITH_GRAPH_KNN_ROWS_H

#include "graph/knn.h"

typedef struct pith_i_rows {
    pith_i_data X; /* borrowed; dense rows are contiguous (a copy if the caller's are not) */
    pith_i_data copy;
    pith_i_metric metric;
    int64_t zeros;   /* cosine: rows without a direction, at distance sqrt 2 from every other; else 0 */
    double *factor;  /* u_i = factor_i x_i */
    double *power;   /* cosine: the power of two that brings the largest |x_ij| to 1/2 .. 1 */
    double *length2; /* cosine: |x_i|^2 power_i^2 */
    double *centre;  /* p; NULL for sparse data */
    double *square;  /* |z_i|^2 */
    double scale;
} pith_i_rows;

/* PITH_E_DATA where squared distances would overflow. X must outlive the rows. */
pith_status pith_i_rows_open(pith_ctx *ctx, const pith_i_data *X, pith_i_metric metric, pith_i_rows *out);
/* With the centre and the scale of `like`, for products with its rows. */
pith_status pith_i_rows_open_like(pith_ctx *ctx, const pith_i_data *X, const pith_i_rows *like,
                                  pith_i_rows *out);
void pith_i_rows_close(pith_i_rows *R);
/* Rows that are spread over processes, with the centre, the scale and the number of zero rows of all of them,
 * to the bit as in one process. All processes call it. The rest is borrowed from R; from scratch, not to be
 * closed. */
pith_status pith_i_rows_share(pith_ctx *ctx, const pith_i_rows *R, pith_i_rows *out);

static inline bool pith_i_row_is_zero(const pith_i_rows *R, int64_t i)
{
    return R->factor[i] == 0;
}

/* By cosine: does a row with this largest modulus count? The reciprocal of a smaller one would overflow. */
static inline bool pith_i_has_direction(double top)
{
    return top >= 1e-290;
}

/* Columns col.. of z for the given rows of dense data (ids NULL: first, first+1, ...), row-major. */
void pith_i_rows_pack(const pith_i_rows *R, const int64_t *ids, int64_t first, int64_t count, int64_t col,
                      int64_t cols, double *out, int64_t ld);

/* z of row i of dense data as floats. */
void pith_i_rows_floats(const pith_i_rows *R, int64_t i, float *out);

/*
 * The one formula for exact distances: everything else only says for which pairs it is needed. In double,
 * from the data itself:
 *
 *     euclidean   sum_j (u_ij - u_lj)^2
 *     cosine      2 - 2 c, c = (sum_j x_ij x_lj) / (|x_i| |x_l|), or where c > 0.999 as for euclidean
 *
 * so rows that share nothing are at exactly 2, counts with equal cosines tie exactly, near rows keep their
 * digits and parallel ones are at 0. Column j is summed in lane j mod 16, the lanes in a fixed tree:
 * symmetric in i and l, and to the bit the same for dense and sparse data, stored zeros or not.
 */
double pith_i_rows_distance2(const pith_i_rows *R, int64_t i, int64_t l);

/* Row i prepared for distances to several rows: the same numbers, faster. */
typedef struct pith_i_probe {
    const pith_i_rows *R;
    int64_t i;
    double *spread; /* sparse: row i with its zeros, p values, all 0 between probes */
} pith_i_probe;

/* spread: p zeros for sparse data (given back as zeros by end), NULL for dense. */
void pith_i_probe_start(pith_i_probe *probe, const pith_i_rows *R, int64_t i, double *spread);
double pith_i_probe_distance2(const pith_i_probe *probe, int64_t l);
void pith_i_probe_end(pith_i_probe *probe);

/*
 * What rounding does to |z_i - z_l|^2 computed as |z_i|^2 + |z_l|^2 - 2 z_i'z_l, the product being a sum of
 * `terms` terms in any order, with unit roundoff u:
 *
 *     |error| <= g (|z_i|^2 + |z_l|^2) + 2 t,    g = m u / (1 - m u)
 *
 * since 2 |z_i| |z_l| <= |z_i|^2 + |z_l|^2. In float m = terms + 16: terms for the product, 5 for rounding
 * z, the norms and the two additions, the rest to spare. In double m also covers the rounding of the
 * formula above: of at most 2 terms + 20 additions of squares that sum to 2 (|z_i|^2 + |z_l|^2) at most,
 * m = 6 terms + 400; by cosine 2 - 2 c is off by 2 (terms + 40) u while d^2 >= 0.002, m = 2000 (terms + 40).
 * So norms made smaller by their share of the bound turn the computed
 * value into a lower bound of the distance, pair by pair: square is |z_i|^2. t covers underflow and, by
 * cosine, the distances that the formula rounds to 0.
 */
double pith_i_shrunk(const pith_i_rows *R, double square, int64_t terms, bool in_double);

#endif
