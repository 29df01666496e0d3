#include "matrix/exponential.h"

#include <string.h>

enum { LANES = 8 };

PITH_I_CLONES static double decay(int64_t n, double factor, double *x)
{
    pith_i_double8 sums = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        pith_i_double8 *v = (pith_i_double8 *)(x + i);
        *v *= -factor;
        pith_i_exp8(v);
        sums += *v;
    }
    if (i < n) {
        double rest[LANES] = {0};
        pith_i_double8 *v = (pith_i_double8 *)rest;
        memcpy(rest, x + i, (size_t)(n - i) * sizeof *x);
        *v *= -factor;
        pith_i_exp8(v);
        memcpy(x + i, rest, (size_t)(n - i) * sizeof *x);
        memset(rest + (n - i), 0, (size_t)(i + LANES - n) * sizeof *x);
        sums += *v;
    }
    return PITH_I_SUM8(sums);
}

double pith_i_decay(int64_t n, double factor, double *x)
{
    return decay(n, factor, x); /* clones are static: simd.h */
}
