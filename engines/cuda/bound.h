/*
 * What can be said about distances from products in half precision, and which rows may be among the
 * neighbours. Plain C: the engine, and tests that need no device, compile it.
 *
 * Rows as the metric sees them are u_i (euclidean x_i, cosine x_i / |x_i|). The device holds
 *
 *     z_i = S (u_i - c)         S a power of two, c any vector (means of a sample of rows)
 *     y_i                       z_i rounded to half precision, or to the sum of two halves
 *     N_i = |y_i|^2, delta_i >= |z_i - y_i|       measured in double, row by row, not estimated
 *
 * so that numbers out of the range of a half (they are clipped to its largest, or become 0) only make the
 * delta of their own row larger. Three steps lead from a product to a distance:
 *
 * 1. The product of y_i and y_l. Products of halves are exact in float. Tensor cores add 16 of them and the
 *    sum so far after aligning them to the largest, cutting off what is below its last place: each of the 17
 *    terms loses 2^-23 of the largest at most, and the result is cut once more. No term is larger than
 *    sum_j |y_ij y_lj| <= |y_i| |y_l|. A product of K columns takes K/16 such steps, so it is off by
 *
 *        gamma |y_i| |y_l|,    gamma = 18 ceil(K/16) 2^-23
 *
 *    Where columns come in slabs whose sums are added in float, Cauchy's inequality holds slab by slab:
 *    gamma is that of one slab, and each addition adds 2^-23. Twice the product is off by
 *    gamma (N_i + N_l), since 2 |y_i| |y_l| <= N_i + N_l.
 *    y = high + low: low_i'low_l is left out, twice of which is at most |low_i|^2 + |low_l|^2.
 * 2. The key of l in row i's list, for a weight w_l = (1 - g) N_l - kappa delta_l^2 - |low_l|^2:
 *
 *        key_il = w_l - 2 product     <= |y_i - y_l|^2 - kappa delta_l^2 - (1 - g) N_i + |low_i|^2
 *
 *    with g = gamma + 2^-21, which pays for rounding weight and key to float.
 * 3. |z_i - z_l| >= |y_i - y_l| - delta_i - delta_l. With B = key_il + (1 - g) N_i - |low_i|^2, the least
 *    over delta_l of sqrt(B + kappa delta_l^2) - delta_l is sqrt(B (1 - 1/kappa)), at
 *    delta_l^2 = B / (kappa (kappa - 1)):
 *
 *        |z_i - z_l| >= sqrt(B (1 - 1/kappa)) - delta_i
 *
 *    which grows with the key and does not depend on l otherwise. So all rows whose key is not below a
 *    threshold are at least that far: this is the certificate. kappa = 4096 costs 2^-13 of a distance; a row
 *    with a large delta looks nearer than it is, but no other row does.
 */
#ifndef PITH_CUDA_BOUND_H
#define PITH_CUDA_BOUND_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __CUDACC__
#define PITH_CUDA_BOTH __host__ __device__ static inline
#else
#define PITH_CUDA_BOTH static inline
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define PITH_CUDA_KAPPA 4096.0
enum {
    PITH_CUDA_MOST = 256,       /* most neighbours; for more, pith searches itself */
    PITH_CUDA_NARROW = 256,     /* columns up to which products and selection are one kernel */
    PITH_CUDA_STEP = 64,        /* columns are padded to a multiple of it */
    PITH_CUDA_SLAB = 1024,      /* columns that the tensor cores add up at a time, */
    PITH_CUDA_WIDE_SLAB = 2048, /* in very wide data, where more slabs cost more than they gain, */
    PITH_CUDA_FINE_SLAB = 256   /* and where precision matters most */
};

/* What holds for all rows of a search. */
typedef struct pith_cuda_bound {
    double g;      /* the share of N that rounding may take */
    double scale;  /* S */
    double shrink; /* 1 less the share of a squared distance that pith's own rounding may take */
    double slack;  /* what it may take whatever the distance: by cosine, and where squares underflow */
} pith_cuda_bound;

/* What is measured of a row. */
typedef struct pith_cuda_row {
    double norm;  /* N_i */
    double delta; /* delta_i */
    double low;   /* |low_i|^2 */
} pith_cuda_row;

/* Columns on the device: padded to a multiple of PITH_CUDA_STEP. */
int64_t pith_cuda_padded(int64_t columns);
int64_t pith_cuda_slab(int64_t width, bool fine);
/* gamma of a product of `width` columns in slabs of `slab`. */
double pith_cuda_gamma(int64_t width, int64_t slab);
pith_cuda_bound pith_cuda_bound_of(int64_t columns, int64_t width, int64_t slab, bool split, double scale,
                                   bool cosine);
/* w_l, rounded down. */
PITH_CUDA_BOTH float pith_cuda_weight(double g, const pith_cuda_row *row)
{
    const double w = (1 - g) * row->norm - PITH_CUDA_KAPPA * row->delta * row->delta - row->low;
    return nextafterf((float)w, -INFINITY);
}
/* A lower bound of the squared distances, as pith computes them, of row i to all rows of this key or a larger
 * one. */
double pith_cuda_least(const pith_cuda_bound *b, const pith_cuda_row *i, float key);
/* S for values up to this modulus: it becomes at most 2^9, so that values 64 times as large still fit a
 * half. */
double pith_cuda_scale(double largest);

/* ---- The neighbours of one row from its candidates ---- */

/* Squared distances of row i to `count` others. */
typedef void pith_cuda_distances(void *user, int64_t i, int64_t count, const int64_t *others, double *out);

typedef struct pith_cuda_candidates {
    int64_t i; /* the row, as pith numbers it */
    int64_t count;
    const float *key; /* ascending */
    const int32_t *id;
    float threshold; /* no row that is missing has a smaller key; +inf: none is missing */
    int64_t n_zeros; /* cosine: the first rows without direction, which are never candidates */
    const int64_t *zero;
} pith_cuda_candidates;

/* How many candidates to keep for k neighbours: enough to certify almost every row. */
int64_t pith_cuda_candidates_for(int64_t n, int64_t k);
/*
 * The k nearest candidates by distances, ties to the lower row. True: no other row can be among them. False:
 * the row must be searched again.
 */
bool pith_cuda_settle(const pith_cuda_bound *b, const pith_cuda_row *row, const pith_cuda_candidates *c,
                      int64_t k, pith_cuda_distances *distances, void *user, int64_t *index,
                      double *distance2);

#ifdef __cplusplus
}
#endif

#endif
