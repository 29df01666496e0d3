#include "cluster/eigengap.h"

int64_t pith_i_eigengap(int64_t m, const double *value)
{
    const double rounding = 1e-9;
    int64_t best = 2;
    for (int64_t c = 3; c < m; c++)
        if (value[c] - value[c - 1] > value[best] - value[best - 1] + rounding)
            best = c;
    return best;
}
