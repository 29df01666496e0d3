#include "matrix/exponential.h"

#include "matrix/simd.h"

#include <string.h>

typedef int64_t long8 __attribute__((vector_size(64)));
typedef double real8 __attribute__((vector_size(64)));

enum { LANES = 8 };

#define ALL(v)                                                                                               \
    (real8)                                                                                                  \
    {                                                                                                        \
        (v), (v), (v), (v), (v), (v), (v), (v)                                                               \
    }

/*
 * With t = -a: exp(t) = 2^k exp(r), k = round(t / ln 2), r = t - k ln 2 in two pieces, |r| <= ln 2 / 2, and
 * exp(r) by its series to r^13 / 13!, whose rest is below 4e-18.
 */
static inline PITH_I_INLINE void decay8(double factor, double *x)
{
    static const double series[] = {1.0 / 6227020800,
                                    1.0 / 479001600,
                                    1.0 / 39916800,
                                    1.0 / 3628800,
                                    1.0 / 362880,
                                    1.0 / 40320,
                                    1.0 / 5040,
                                    1.0 / 720,
                                    1.0 / 120,
                                    1.0 / 24,
                                    1.0 / 6,
                                    1.0 / 2,
                                    1.0,
                                    1.0};
    const real8 shift = ALL(0x1.8p52); /* added, it leaves a whole number in the low bits */
    real8 a = *(pith_i_double8 *)x;
    a = a * ALL(-factor);
    const long8 tiny = a < ALL(-708.0);
    const real8 biased = a * ALL(0x1.71547652b82fep0) + shift, k = biased - shift;
    const real8 r = (a - k * ALL(0x1.62e42fee00000p-1)) - k * ALL(0x1.a39ef35793c76p-33);
    real8 e = ALL(series[0]);
    for (int d = 1; d < 14; d++)
        e = e * r + ALL(series[d]);
    const long8 power = ((long8)biased + 1023) << 52;
    e = e * (real8)power;
    *(pith_i_double8 *)x = (real8)((long8)e & ~tiny);
}

PITH_I_CLONES static double decay(int64_t n, double factor, double *x)
{
    real8 sums = ALL(0.0);
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        decay8(factor, x + i);
        sums += *(pith_i_double8 *)(x + i);
    }
    if (i < n) {
        double rest[LANES] = {0};
        memcpy(rest, x + i, (size_t)(n - i) * sizeof *x);
        decay8(factor, rest);
        memcpy(x + i, rest, (size_t)(n - i) * sizeof *x);
        memset(rest + (n - i), 0, (size_t)(i + LANES - n) * sizeof *x);
        sums += *(pith_i_double8 *)rest;
    }
    return PITH_I_SUM8(sums);
}

double pith_i_decay(int64_t n, double factor, double *x)
{
    return decay(n, factor, x); /* a clone itself would be seen from outside the library */
}
