#include "matrix/scale.h"

#include "core/parallel.h"

#include <math.h>

/* What a value may be a logarithm to. The last is none. */
enum { GUESSES = 4, PLAIN = GUESSES - 1 };
static const double bases[GUESSES] = {2.718281828459045, 2, 10, 0};

static double undo(double base, double v)
{
    return base == 0 ? v : expm1(v * log(base));
}

double pith_i_unlogged(const pith_i_scale *scale, double v)
{
    return undo(scale->base, v);
}

static int64_t row_from(const pith_i_data *X, int64_t i)
{
    return X->sparse ? X->indptr[i] : 0;
}

static int64_t row_to(const pith_i_data *X, int64_t i)
{
    return X->sparse ? X->indptr[i + 1] : X->p;
}

static double entry(const pith_i_data *X, int64_t i, int64_t e)
{
    return X->sparse ? pith_i_value(X->values, X->dtype, e)
                     : pith_i_value(X->x, X->dtype, i * X->row_stride + e * X->col_stride);
}

/* How many values there are, how many of them are whole, have a whole square, are larger than logarithms get.
 */
enum { VALUES, WHOLE, SQUARE, LARGE, RANGE_SUMS, MOST_LOGGED = 50 };
static void add_range(const void *self, int64_t lo, int64_t hi, double *sums)
{
    const pith_i_data *X = self;
    for (int64_t i = lo; i < hi; i++)
        for (int64_t e = row_from(X, i); e < row_to(X, i); e++) {
            const double v = entry(X, i, e);
            sums[VALUES] += v != 0;
            sums[WHOLE] += v != 0 && v == floor(v);
            sums[SQUARE] += v != 0 && fabs(v * v - round(v * v)) <= 1e-6 * v * v;
            sums[LARGE] += v > MOST_LOGGED;
        }
}

/* The sums of row i under every guess. False: the row is empty. */
static bool row_sums(const pith_i_data *X, int64_t i, double sum[GUESSES])
{
    bool any = false;
    for (int g = 0; g < GUESSES; g++)
        sum[g] = 0;
    for (int64_t e = row_from(X, i); e < row_to(X, i); e++) {
        const double v = entry(X, i, e);
        for (int g = 0; v != 0 && g < GUESSES; g++)
            sum[g] += undo(bases[g], v);
        any = any || v != 0;
    }
    return any;
}

/* Their means: totals, then the rows that are not empty. */
enum { TOTALS = GUESSES + 1 };
static void add_totals(const void *self, int64_t lo, int64_t hi, double *sums)
{
    const pith_i_data *X = self;
    double sum[GUESSES];
    for (int64_t i = lo; i < hi; i++) {
        const bool any = row_sums(X, i, sum);
        for (int g = 0; any && g < GUESSES; g++)
            sums[g] += sum[g];
        sums[GUESSES] += any;
    }
}

/* The share by which they differ from the means, and how many rows do so by more than a thousandth. */
typedef struct spread {
    const pith_i_data *X;
    double mean[GUESSES];
} spread;
static void add_spread(const void *self, int64_t lo, int64_t hi, double *sums)
{
    const spread *s = self;
    double sum[GUESSES];
    for (int64_t i = lo; i < hi; i++) {
        const bool any = row_sums(s->X, i, sum);
        for (int g = 0; any && g < GUESSES; g++) {
            const double off = fabs(sum[g] / s->mean[g] - 1);
            sums[2 * g] += off;
            sums[2 * g + 1] += !(off <= 1e-3);
        }
    }
}

/*
 * Counts of 1 are the smallest of nearly every sample: a value is then so many times the smallest of its row.
 * Up to MOST times, beyond which rounding of single precision could pass for a fraction. Values equal to the
 * smallest say nothing.
 */
enum { MOST = 100, FEWEST = 4 }; /* FEWEST: chance would pass one value of fifty */
static void add_multiples(const void *self, int64_t lo, int64_t hi, double *sums)
{
    const pith_i_data *X = self;
    for (int64_t i = lo; i < hi; i++) {
        double least = INFINITY;
        for (int64_t e = row_from(X, i); e < row_to(X, i); e++) {
            const double v = entry(X, i, e);
            least = v != 0 && v < least ? v : least;
        }
        for (int64_t e = row_from(X, i); e < row_to(X, i); e++)
            for (int g = 0; g < GUESSES; g++) {
                const double times = undo(bases[g], entry(X, i, e)) / undo(bases[g], least);
                const bool telling = times > 1.01 && times < MOST;
                sums[2 * g] += telling;
                sums[2 * g + 1] += telling && fabs(times - round(times)) < 0.01;
            }
    }
}

/* The guess under which rows have one sum; -1: none. */
static pith_status find_sum(pith_ctx *ctx, const pith_i_data *X, int *guess, double *sum)
{
    double totals[TOTALS] = {0}, off[2 * GUESSES] = {0};
    spread s = {.X = X};
    pith_status st = PITH_OK;
    TRY(pith_i_reduce(ctx, X->n, TOTALS, add_totals, X, totals));
    for (int g = 0; g < GUESSES; g++)
        s.mean[g] = totals[g] / totals[GUESSES];
    TRY(pith_i_reduce(ctx, X->n, 2 * (int64_t)GUESSES, add_spread, &s, off));
    *guess = -1;
    for (int g = 0; g < GUESSES && totals[GUESSES] >= 2; g++)
        if (off[2 * g + 1] <= 0.01 * totals[GUESSES] && (*guess < 0 || off[2 * g] < off[2 * (*guess)])) {
            *guess = g;
            *sum = s.mean[g];
        }
done:
    return st;
}

/* The guess under which rows are multiples; -1: none. */
static pith_status find_multiples(pith_ctx *ctx, const pith_i_data *X, int *guess)
{
    double found[2 * GUESSES] = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_reduce(ctx, X->n, 2 * (int64_t)GUESSES, add_multiples, X, found));
    double best = 0.95;
    *guess = -1;
    for (int g = GUESSES; g-- > 0;) {
        const double share = found[2 * g] >= FEWEST ? found[2 * g + 1] / found[2 * g] : 0;
        if (share > best || (share == best && *guess < 0)) {
            *guess = g;
            best = share;
        }
    }
done:
    return st;
}

pith_status pith_i_scale_find(pith_ctx *ctx, const pith_i_data *X, pith_i_scale *out)
{
    double seen[RANGE_SUMS] = {0};
    int guess = -1;
    pith_status st = PITH_OK;
    *out = (pith_i_scale){.kind = PITH_SCALE_UNKNOWN, .sum = (double)NAN};
    TRY(pith_i_reduce(ctx, X->n, RANGE_SUMS, add_range, X, seen));
    if (seen[VALUES] == 0)
        return PITH_OK;
    const bool roots = seen[SQUARE] == seen[VALUES] && seen[WHOLE] < seen[VALUES];
    if (roots || seen[WHOLE] >= 0.75 * seen[VALUES]) {
        out->kind = roots ? PITH_SCALE_ROOTS : PITH_SCALE_COUNTS;
        return PITH_OK;
    }
    TRY(find_sum(ctx, X, &guess, &out->sum));
    if (guess < 0)
        TRY(find_multiples(ctx, X, &guess));
    if (guess >= 0) {
        out->kind = guess == PLAIN ? PITH_SCALE_NORMALISED : PITH_SCALE_LOGGED;
        out->base = bases[guess];
    } else if (seen[LARGE] > 1e-4 * seen[VALUES]) {
        out->kind = PITH_SCALE_NORMALISED;
    }
done:
    return st;
}
