/* exp of whole arrays, for kernels: libm's has no vector form that is the same on every machine. */
#ifndef PITH_MATRIX_EXPONENTIAL_H
#define PITH_MATRIX_EXPONENTIAL_H

#include "matrix/simd.h"

/*
 * v <- exp(v) for eight values v <= 0, for functions with PITH_I_CLONES. With k = round(v / ln 2) and r = v -
 * k ln 2, ln 2 in two pieces, it is 2^k exp(r), exp(r) by its series to r^13 / 13!, whose remainder is below
 * 4e-18. The relative error is below 1e-15; results below exp(-708) = 3e-308 are 0.
 */
static inline PITH_I_INLINE void pith_i_exp8(pith_i_double8 *v)
{
    typedef int64_t long8 __attribute__((vector_size(64), aligned(8), may_alias));
    static const double series[] = {
        1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720,
        1.0 / 120,       1.0 / 24,       1.0 / 6,       1.0 / 2,      1.0,         1.0};
    const long8 whole = *v >= -708.0;
    const pith_i_double8 y = (pith_i_double8)((long8)*v & whole);
    /* Adding 1.5 * 2^52 rounds to a whole number, in the low bits. */
    const pith_i_double8 t = y * 0x1.71547652b82fep0 + 0x1.8p52, k = t - 0x1.8p52;
    const pith_i_double8 r = (y - k * 0x1.62e42fefa3800p-1) - k * 0x1.ef35793c76730p-45;
    pith_i_double8 e = r * (1.0 / 6227020800.0) + series[0];
    for (int d = 1; d < 13; d++)
        e = e * r + series[d];
    const long8 power = ((long8)t + 1023) << 52;
    *v = (pith_i_double8)((long8)(e * (pith_i_double8)power) & whole);
}

/*
 * x_i <- exp(-factor x_i); returns the sum of the results, in a fixed order. x and factor are not negative.
 */
double pith_i_decay(int64_t n, double factor, double *x);

#endif
