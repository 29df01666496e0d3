/* Exponentials of rows, eight at a time: the same bits on every processor, and within 2 ulp of exp. */
#ifndef PITH_METHODS_SNFS_SOFTMAX_H
#define PITH_METHODS_SNFS_SOFTMAX_H

#include <stdint.h>

/* x_j <- b exp(b x_j) / sum_k exp(b x_k); returns log sum_k exp(b x_k). b > 0; x_j may be -INFINITY, but not
 * all of them. */
double pith_i_softmax(int64_t n, double b, double *x);

/* moments[m] = sum_j a_j^m exp(b a_j) for m = 0, 1, 2; all a_j <= 0 and finite, b >= 0. */
void pith_i_exp_moments(int64_t n, double b, const double *a, double moments[3]);

#endif
