/*
 * Tests of features against chance. A feature is tested by groupings of the samples, made without it:
 *
 *     T = sum_r w_r between_r / total,     w_r = 1 / (groups_r - 1),
 *
 * the share of its variation that lies between groups. If the feature has nothing to do with the groupings,
 * every order of its values is equally likely, and mean, variance and third moment of T over all n! orders
 * are known exactly: sums of products of terms of the groupings (pith_i_null) and terms of the values
 * (pith_i_powers).
 *
 * With P_r the centred projection on the groups of r, M = sum_r w_r P_r and T = x'Mx / x'x of centred x. M
 * has the trace R, the number of groupings with two groups or more, and M 1 = 0. M' = M - tau H, tau = R
 * / (n - 1), H = I - 11'/n, is M without its mean: the central moments are those of x'M'x / x'x.
 */
#ifndef PITH_CLUSTER_CHANCE_H
#define PITH_CLUSTER_CHANCE_H

#include "cluster/group_sums.h"

typedef struct pith_i_null {
    int64_t n;
    double tau;  /* the mean of T */
    double a, b; /* sum of squares of the diagonal of M', and of M' */
    /* Of M', for the third moment: sum of cubes of the diagonal; trace of the cube; diagonal times that of
     * the square; sum of cubes of all entries; d'M'd of the diagonal d. */
    double invariant[5];
} pith_i_null;

/* From partitions of n rows: of all rows (all 0), or of those held here where `all` rows are spread over
 * processes. Needs 6 rows. O(count^3 n / 6 + K^3), K the number of groups in all. */
pith_status pith_i_null_make(pith_ctx *ctx, int64_t n, int64_t all, int64_t count,
                             const pith_i_grouping *partitions, pith_i_null *out);

/*
 * From M = Y Y', Y row-major n x r with ld >= r, its columns centred: T is then the sum of the squared
 * products of x with the columns of Y, over x'x. Needs n >= 6 and Y other than 0. Exact up to 5,000 rows, O(n
 * r (n + r)); for more, the sum of cubes of all entries is estimated from 2,500 rows drawn by the seed.
 * Memory: r x r, and tiles.
 */
pith_status pith_i_null_of_rows(pith_ctx *ctx, int64_t n, int64_t r, const double *Y, int64_t ld,
                                pith_i_null *out);

/* Sums of powers of a column about its mean. */
typedef struct pith_i_powers {
    double s2, s3, s4, s6;
} pith_i_powers;
enum { PITH_I_POWERS = sizeof(pith_i_powers) / sizeof(double) };

/* Standard deviation and skewness of T over all orders of a column. s2 > 0. */
void pith_i_null_moments(const pith_i_null *null, const pith_i_powers *x, double *sd, double *skew);

/* The probability of a T at least z sd above its mean, by the shifted lognormal with these three moments. */
double pith_i_tail(double z, double skew);

/* Benjamini and Hochberg's q-values of m p-values; NaN: not tested and not counted. */
pith_status pith_i_q_values(pith_ctx *ctx, int64_t m, const double *p, double *q);

#endif
