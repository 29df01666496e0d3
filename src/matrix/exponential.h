/* exp of whole arrays, for kernels: libm's has no vector form that is the same on every machine. */
#ifndef PITH_MATRIX_EXPONENTIAL_H
#define PITH_MATRIX_EXPONENTIAL_H

#include <stdint.h>

/*
 * x_i <- exp(-factor x_i), and returns the sum of what it wrote, in a fixed order. x and factor are not
 * negative; the relative error beside that of the product is below 1e-15, and what lies below exp(-708) =
 * 3e-308 becomes 0.
 */
double pith_i_decay(int64_t n, double factor, double *x);

#endif
