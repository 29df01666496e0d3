#include "cluster/chance_inside.h"

#include "core/engine.h"

#include <math.h>
#include <stdlib.h>

pith_status pith_i_null_of_terms(pith_ctx *ctx, const pith_i_null_terms *M, pith_i_null *out)
{
    const int64_t all = M->all > 0 ? M->all : M->n;
    const double n = (double)all, tau = M->trace / (n - 1);
    pith_i_null null = {.n = all, .tau = tau, .b = M->second - M->trace * tau};
    double sum[3] = {0}; /* over the rows */
    pith_status st = PITH_OK;
    for (int64_t i = 0; i < M->n; i++) {
        const double e = M->diagonal[i] - M->trace / n;
        const double square = M->square[i] - 2 * tau * M->diagonal[i] + tau * tau * (1 - 1 / n);
        sum[0] += e * e;
        sum[1] += e * e * e;
        sum[2] += e * square;
    }
    if (M->all > 0)
        TRY(pith_i_sum(ctx, COUNT(sum), sum));
    null.a = sum[0];
    null.invariant[0] = sum[1];
    null.invariant[1] = M->third - 3 * tau * M->second + 3 * tau * tau * M->trace - tau * tau * tau * (n - 1);
    null.invariant[2] = sum[2];
    null.invariant[3] = M->cubes + null.invariant[0];
    null.invariant[4] = M->own - tau * null.a;
    *out = null;
done:
    return st;
}

/* The K_b of E[(T - tau)^3] = invariants' (sum_b K_b / n (n-1) .. (n-b+1)) x: from the set partitions of the
 * six indices of a product of three entries, by Moebius inversion; tests/oracle/evidence derives them anew.
 */
static const double third_moment[6][5][4] = {
    {{1, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}},
    {{31, -15, -10, 0}, {0, 0, 0, 0}, {-12, 12, 0, 0}, {-4, 0, 4, 0}, {-6, 0, 6, 0}},
    {{360, -240, -120, 30}, {16, -24, 0, 8}, {-192, 168, 48, -36}, {-48, 24, 24, 0}, {-72, 36, 36, 0}},
    {{2340, -1710, -780, 270},
     {144, -120, -48, 24},
     {-1368, 1044, 456, -180},
     {-312, 228, 104, -36},
     {-468, 342, 156, -54}},
    {{8640, -6480, -2880, 1080},
     {576, -432, -192, 72},
     {-5184, 3888, 1728, -648},
     {-1152, 864, 384, -144},
     {-1728, 1296, 576, -216}},
    {{14400, -10800, -4800, 1800},
     {960, -720, -320, 120},
     {-8640, 6480, 2880, -1080},
     {-1920, 1440, 640, -240},
     {-2880, 2160, 960, -360}},
};

void pith_i_null_moments(const pith_i_null *null, const pith_i_powers *x, double *sd, double *skew)
{
    const double n = (double)null->n, n2 = n * (n - 1), n3 = n2 * (n - 2), n4 = n3 * (n - 3);
    const double k4 = x->s4 / (x->s2 * x->s2), a = null->a, b = null->b;
    const double of_x[4] = {x->s6 / (x->s2 * x->s2 * x->s2), k4, x->s3 * x->s3 / (x->s2 * x->s2 * x->s2), 1};
    const double variance = a * k4 / n + 4 * a * k4 / n2 + (2 * b - 3 * a) * (1 - k4) / n2 +
                            (12 * a - 4 * b) * (2 * k4 - 1) / n3 + (2 * b - 6 * a) * (3 - 6 * k4) / n4;
    double third = 0, falling = 1;
    for (int order = 0; order < 6; order++) {
        falling *= n - order;
        for (int m = 0; m < 5; m++)
            for (int k = 0; k < 4; k++)
                third += null->invariant[m] * third_moment[order][m][k] * of_x[k] / falling;
    }
    *sd = sqrt(variance > 0 ? variance : 0);
    *skew = variance > 0 ? third / (variance * *sd) : 0;
}

double pith_i_tail(double z, double skew)
{
    const double side = skew < 0 ? -1 : 1,
                 g = fabs(skew); /* a negative skew: the mirror image, and its other tail */
    if (g < 0.01)
        return erfc(z / sqrt(2)) / 2;
    const double u = cbrt(1 + g * g / 2 + g * sqrt(1 + g * g / 4)), w = u + 1 / u - 1;
    const double s = sqrt(log(w)), m = 1 / sqrt(w * (w - 1)), from = side * z + m * sqrt(w);
    if (from <= 0) /* outside the support of the distribution */
        return side > 0 ? 1 : 0;
    return erfc(side * log(from / m) / (s * sqrt(2))) / 2;
}

typedef struct tested {
    double p;
    int64_t at;
} tested;

static int by_p(const void *a, const void *b)
{
    const tested *x = a, *y = b;
    return x->p != y->p ? (x->p > y->p) - (x->p < y->p) : (x->at > y->at) - (x->at < y->at);
}

pith_status pith_i_q_values(pith_ctx *ctx, int64_t m, const double *p, double *q)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    tested *list = NULL;
    int64_t count = 0;
    double least = 1;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, list, m));
    for (int64_t j = 0; j < m; j++) {
        q[j] = (double)NAN;
        if (!isnan(p[j]))
            list[count++] = (tested){p[j], j};
    }
    qsort(list, (size_t)count, sizeof *list, by_p);
    for (int64_t r = count; r-- > 0;) {
        const double raised = list[r].p * (double)count / (double)(r + 1);
        least = raised < least ? raised : least;
        q[list[r].at] = least;
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
