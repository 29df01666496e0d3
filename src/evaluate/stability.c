#include "evaluate/stability.h"

#include <math.h>

static pith_status check(pith_ctx *ctx, int64_t p, int64_t m, const int64_t *const *set, const int64_t *size)
{
    for (int64_t s = 0; s < m; s++)
        for (int64_t e = 0; e < size[s]; e++)
            if (set[s][e] < 0 || set[s][e] >= p)
                return pith_i_error(ctx, PITH_E_ARGUMENT, "feature %lld is not in 0..%lld",
                                    (long long)set[s][e], (long long)p - 1);
    return PITH_OK;
}

/*
 * The index's variance for large m, as derived there: 4/m^2 sum_s (phi_s - mean phi)^2 with
 *
 *     phi_s = ( mean_f(z_sf q_f) - k_s q/p + index/2 (2 q k_s/p - k_s/p - q + 1) ) / ( q (1 - q) )
 *
 * z_sf: set s holds f; k_s its size.
 */
static double variance(int64_t p, int64_t m, const int64_t *const *set, const int64_t *size,
                       const double *share, double q, double index)
{
    double mean = 0, moment = 0; /* Welford: no room for the m terms is needed */
    for (int64_t s = 0; s < m; s++) {
        const double k = (double)size[s] / (double)p;
        double common = 0;
        for (int64_t e = 0; e < size[s]; e++)
            common += share[set[s][e]];
        const double phi = (common / (double)p - k * q + index / 2 * (2 * q * k - k - q + 1)) / (q * (1 - q));
        const double step = phi - mean;
        mean += step / (double)(s + 1);
        moment += step * (phi - mean);
    }
    return 4 / ((double)m * (double)m) * moment;
}

pith_status pith_i_stability_measure(pith_ctx *ctx, int64_t p, int64_t m, const int64_t *const *set,
                                     const int64_t *size, pith_i_stability *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_status st = PITH_OK;
    double *share = NULL, q = 0, spread = 0;
    TRY(check(ctx, p, m, set, size));
    TRY(SCRATCH_ZERO(ctx, share, p));
    for (int64_t s = 0; s < m; s++) {
        q += (double)size[s] / ((double)p * (double)m);
        for (int64_t e = 0; e < size[s]; e++)
            share[set[s][e]] += 1;
    }
    *out = (pith_i_stability){NAN, NAN};
    bool choice = false; /* from the counts, not from q: its rounding would make 0/0 a number */
    for (int64_t f = 0; f < p; f++) {
        choice |= share[f] != share[0] || (share[f] > 0 && share[f] < (double)m);
        share[f] /= (double)m;
        spread += share[f] * (1 - share[f]);
    }
    if (m < 2 || !choice)
        goto done;
    const double index = 1 - (double)m / (double)(m - 1) * spread / (double)p / (q * (1 - q));
    *out = (pith_i_stability){index, sqrt(variance(p, m, set, size, share, q, index))};
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
