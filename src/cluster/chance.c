#include "cluster/chance.h"

#include "core/parallel.h"

#include <math.h>
#include <stdlib.h>

/* A group of a partition is a vector of length sqrt(w): sqrt(w) (1_k / sqrt(n_k) - sqrt(n_k) / n). */
typedef struct frame {
    int64_t n, count, width; /* width: groups of all partitions together */
    const pith_i_grouping *at;
    int64_t *first;  /* of each partition, in 0..width-1 */
    double *size;    /* of each group */
    double *weight;  /* w of each partition; 0: it has one group only */
    double *product; /* width x width: of the groups' vectors, A; M and A have the same nonzero eigenvalues */
    double *diagonal, *square; /* of M and of M^2, n each */
} frame;

static int64_t group_of(const frame *f, int64_t r, int64_t i)
{
    return f->first[r] + f->at[r].label[i];
}

static pith_status frame_new(pith_ctx *ctx, int64_t n, int64_t count, const pith_i_grouping *at, frame *f)
{
    pith_status st = PITH_OK;
    *f = (frame){.n = n, .count = count, .at = at};
    TRY(SCRATCH(ctx, f->first, count + 1));
    TRY(SCRATCH(ctx, f->weight, count));
    for (int64_t r = 0; r < count; r++) {
        f->first[r] = f->width;
        f->width += at[r].groups;
        f->weight[r] = at[r].groups > 1 ? 1 / (double)(at[r].groups - 1) : 0;
    }
    f->first[count] = f->width;
    TRY(SCRATCH_ZERO(ctx, f->size, f->width));
    TRY(SCRATCH_ZERO(ctx, f->product, f->width * f->width));
    TRY(SCRATCH_ZERO(ctx, f->diagonal, n));
    TRY(SCRATCH_ZERO(ctx, f->square, n));
    for (int64_t r = 0; r < count; r++)
        for (int64_t i = 0; i < n; i++)
            f->size[group_of(f, r, i)]++;
done:
    return st;
}

static void fill_product(frame *f)
{
    for (int64_t i = 0; i < f->n; i++)
        for (int64_t r = 0; r < f->count; r++)
            for (int64_t s = 0; s < f->count; s++)
                f->product[group_of(f, r, i) * f->width + group_of(f, s, i)]++;
    for (int64_t r = 0; r < f->count; r++)
        for (int64_t k = f->first[r]; k < f->first[r + 1]; k++)
            for (int64_t s = 0; s < f->count; s++)
                for (int64_t l = f->first[s]; l < f->first[s + 1]; l++) {
                    const double root = sqrt(f->size[k] * f->size[l]);
                    double *a = &f->product[k * f->width + l];
                    *a = sqrt(f->weight[r] * f->weight[s]) * (*a / root - root / (double)f->n);
                }
}

static void fill_diagonals(frame *f)
{
    for (int64_t i = 0; i < f->n; i++)
        for (int64_t r = 0; r < f->count; r++) {
            const int64_t k = group_of(f, r, i);
            f->diagonal[i] += f->weight[r] * (1 / f->size[k] - 1 / (double)f->n);
            for (int64_t s = 0; s < f->count; s++) {
                const int64_t l = group_of(f, s, i);
                f->square[i] += sqrt(f->weight[r] * f->weight[s] / (f->size[k] * f->size[l])) *
                                f->product[k * f->width + l];
            }
        }
}

/* Traces of M^2 and M^3, by A. */
static void traces(const frame *f, double *second, double *third)
{
    *second = *third = 0;
    for (int64_t k = 0; k < f->width; k++)
        for (int64_t l = 0; l < f->width; l++) {
            const double a = f->product[k * f->width + l];
            double both = 0;
            for (int64_t m = 0; m < f->width; m++)
                both += f->product[k * f->width + m] * f->product[l * f->width + m];
            *second += a * a;
            *third += a * both;
        }
}

/* x'Mx of x that need not be centred. */
static pith_status quadratic(pith_ctx *ctx, const frame *f, const double *x, double *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    double *sum = NULL, total = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, sum, f->width));
    for (int64_t i = 0; i < f->n; i++) {
        total += x[i];
        for (int64_t r = 0; r < f->count; r++)
            sum[group_of(f, r, i)] += x[i];
    }
    *out = 0;
    for (int64_t r = 0; r < f->count; r++) {
        double between = -total * total / (double)f->n;
        for (int64_t k = f->first[r]; k < f->first[r + 1]; k++)
            between += sum[k] * sum[k] / f->size[k];
        *out += f->weight[r] * between;
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Twice the cubes of M' above the diagonal, of rows lo..hi-1. */
typedef struct cubes {
    const frame *f;
    double rest; /* of an entry, whatever the groups */
} cubes;
static void add_cubes(const void *self, int64_t lo, int64_t hi, double *sums)
{
    const cubes *c = self;
    const frame *f = c->f;
    for (int64_t i = lo; i < hi; i++)
        for (int64_t j = i + 1; j < f->n; j++) {
            double entry = c->rest;
            for (int64_t r = 0; r < f->count; r++)
                if (f->at[r].label[i] == f->at[r].label[j])
                    entry += f->weight[r] / f->size[group_of(f, r, i)];
            sums[0] += 2 * entry * entry * entry;
        }
}

pith_status pith_i_null_make(pith_ctx *ctx, int64_t n, int64_t count, const pith_i_grouping *groupings,
                             pith_i_null *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_null null = {.n = n};
    frame f;
    double trace = 0, second = 0, third = 0, own = 0, weights = 0;
    pith_status st = PITH_OK;
    TRY(frame_new(ctx, n, count, groupings, &f));
    fill_product(&f);
    fill_diagonals(&f);
    traces(&f, &second, &third);
    for (int64_t r = 0; r < count; r++) {
        trace += f.weight[r] > 0;
        weights += f.weight[r];
    }
    null.tau = trace / (double)(n - 1);
    null.b = second - trace * trace / (double)(n - 1);
    null.invariant[1] = third - 3 * null.tau * second + 3 * null.tau * null.tau * trace -
                        null.tau * null.tau * null.tau * (double)(n - 1);
    for (int64_t i = 0; i < n; i++) {
        const double e = f.diagonal[i] - trace / (double)n;
        const double square =
            f.square[i] - 2 * null.tau * f.diagonal[i] + null.tau * null.tau * (1 - 1 / (double)n);
        null.a += e * e;
        null.invariant[0] += e * e * e;
        null.invariant[2] += e * square;
    }
    const cubes c = {&f, (null.tau - weights) / (double)n};
    TRY(pith_i_reduce(ctx, n, 1, add_cubes, &c, &null.invariant[3]));
    null.invariant[3] += null.invariant[0];
    TRY(quadratic(ctx, &f, f.diagonal, &own));
    null.invariant[4] = own - null.tau * null.a;
    *out = null;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Of E[(T - tau)^3] = invariants' (sum_b K_b / n (n-1) .. (n-b+1)) x: from the set partitions of the six
 * indices of a product of three entries, by Moebius inversion; tests/oracle/evidence derives them anew. */
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
    if (from <= 0) /* beyond where the distribution begins, or ends */
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
