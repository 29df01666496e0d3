#include "matrix/scale.h"

#include "core/engine.h"
#include "core/parallel.h"

#include <math.h>
#include <string.h>

/* Bases of the logarithm that a value may be; the last, 0: it is none. */
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
    return X->sparse ? pith_i_at(X, i, e) : pith_i_cell(X, i, e);
}

/*
 * The rows that are looked at: all, or about ROWS if there are more, drawn by a hash of their first nonzero
 * values, so that neither the order of the rows nor empty columns affect the choice.
 */
enum { ROWS = 200, FIRST = 8 };
typedef struct sample {
    const pith_i_data *X;
    int64_t count, *row;
} sample;

static uint64_t mixed(uint64_t v)
{
    v = (v ^ (v >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    v = (v ^ (v >> 27)) * UINT64_C(0x94d049bb133111eb);
    return v ^ (v >> 31);
}

static uint64_t ticket(const pith_i_data *X, int64_t i)
{
    uint64_t sum = 0;
    int64_t seen = 0;
    for (int64_t e = row_from(X, i); e < row_to(X, i) && seen < FIRST; e++) {
        const double v = entry(X, i, e);
        uint64_t bits = 0;
        memcpy(&bits, &v, sizeof bits);
        if (v != 0) {
            sum = mixed(sum + bits);
            seen++;
        }
    }
    return mixed(sum);
}

static pith_status draw_rows(pith_ctx *ctx, const pith_i_data *X, sample *s)
{
    const int64_t all = pith_i_all(X);
    const uint64_t below = all <= ROWS ? UINT64_MAX : UINT64_MAX / (uint64_t)all * ROWS;
    int64_t drawn = 0;
    pith_status st = PITH_OK;
    *s = (sample){.X = X};
    TRY(SCRATCH(ctx, s->row, X->n));
    for (int64_t i = 0; i < X->n; i++)
        if (ticket(X, i) <= below)
            s->row[s->count++] = i;
    drawn = s->count;
    TRY(pith_i_sum_counts(ctx, 1, &drawn));
    if (drawn < ROWS / 4) /* rows that begin with the same values have the same ticket */
        for (s->count = 0; s->count < X->n; s->count++)
            s->row[s->count] = s->count;
done:
    return st;
}

/* The number of values, and how many are whole, have a whole square, or are too large for a logarithm. */
enum { VALUES, WHOLE, SQUARE, LARGE, RANGE_SUMS, MOST_LOGGED = 50 };
static void add_range(const void *self, int64_t lo, int64_t hi, double *sums)
{
    const sample *of = self;
    const pith_i_data *X = of->X;
    for (int64_t t = lo; t < hi; t++)
        for (int64_t i = of->row[t], e = row_from(X, i); e < row_to(X, i); e++) {
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

/* For the means of the row sums: totals, then the number of rows that are not empty. */
enum { TOTALS = GUESSES + 1 };
static void add_totals(const void *self, int64_t lo, int64_t hi, double *sums)
{
    const sample *of = self;
    const pith_i_data *X = of->X;
    double sum[GUESSES];
    for (int64_t t = lo; t < hi; t++) {
        const int64_t i = of->row[t];
        const bool any = row_sums(X, i, sum);
        for (int g = 0; any && g < GUESSES; g++)
            sums[g] += sum[g];
        sums[GUESSES] += any;
    }
}

/* The relative differences of row sums from their mean, and how many exceed a thousandth. */
typedef struct spread {
    const sample *of;
    double mean[GUESSES];
} spread;
static void add_spread(const void *self, int64_t lo, int64_t hi, double *sums)
{
    const spread *s = self;
    double sum[GUESSES];
    for (int64_t t = lo; t < hi; t++) {
        const bool any = row_sums(s->of->X, s->of->row[t], sum);
        for (int g = 0; any && g < GUESSES; g++) {
            const double off = fabs(sum[g] / s->mean[g] - 1);
            sums[2 * g] += off;
            sums[2 * g + 1] += !(off <= 1e-3);
        }
    }
}

/*
 * Nearly every sample has counts of 1, so a value over the smallest of its row is a whole number. Only ratios
 * below MOST are used: above, rounding of single precision could pass for a fraction. Values equal to the
 * smallest tell nothing.
 */
enum { MOST = 100, FEWEST = 4 }; /* FEWEST: by chance one value in fifty passes */
static void add_multiples(const void *self, int64_t lo, int64_t hi, double *sums)
{
    const sample *of = self;
    const pith_i_data *X = of->X;
    for (int64_t t = lo; t < hi; t++) {
        const int64_t i = of->row[t];
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

/* The guess under which all rows have the same sum; -1: none. */
static pith_status find_sum(pith_ctx *ctx, const sample *of, int *guess, double *sum)
{
    double totals[TOTALS] = {0}, off[2 * GUESSES] = {0};
    spread s = {.of = of};
    pith_status st = PITH_OK;
    TRY(pith_i_sum_rows(ctx, of->count, TOTALS, add_totals, of, totals));
    for (int g = 0; g < GUESSES; g++)
        s.mean[g] = totals[g] / totals[GUESSES];
    TRY(pith_i_sum_rows(ctx, of->count, 2 * (int64_t)GUESSES, add_spread, &s, off));
    *guess = -1;
    for (int g = 0; g < GUESSES && totals[GUESSES] >= 2; g++)
        if (off[2 * g + 1] <= 0.01 * totals[GUESSES] && (*guess < 0 || off[2 * g] < off[2 * (*guess)])) {
            *guess = g;
            *sum = s.mean[g];
        }
done:
    return st;
}

/* The guess under which rows are whole multiples of their smallest value; -1: none. */
static pith_status find_multiples(pith_ctx *ctx, const sample *of, int *guess)
{
    double found[2 * GUESSES] = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_sum_rows(ctx, of->count, 2 * (int64_t)GUESSES, add_multiples, of, found));
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

pith_status pith_i_scale_find(pith_ctx *ctx, const pith_i_data *X, double most, pith_i_scale *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    double seen[RANGE_SUMS] = {0};
    sample of;
    int guess = -1;
    pith_status st = PITH_OK;
    *out = (pith_i_scale){.kind = PITH_SCALE_UNKNOWN, .sum = (double)NAN};
    TRY(draw_rows(ctx, X, &of));
    TRY(pith_i_sum_rows(ctx, of.count, RANGE_SUMS, add_range, &of, seen));
    if (seen[VALUES] == 0)
        goto done;
    const bool roots = seen[SQUARE] == seen[VALUES] && seen[WHOLE] < seen[VALUES];
    if (roots || seen[WHOLE] >= 0.75 * seen[VALUES]) {
        out->kind = roots ? PITH_SCALE_ROOTS : PITH_SCALE_COUNTS;
        goto done;
    }
    TRY(find_sum(ctx, &of, &guess, &out->sum));
    if (guess < 0)
        TRY(find_multiples(ctx, &of, &guess));
    if (guess >= 0 && guess != PLAIN && most > MOST_LOGGED) { /* undone, it could overflow */
        guess = -1;
        out->sum = (double)NAN;
    }
    if (guess >= 0) {
        out->kind = guess == PLAIN ? PITH_SCALE_NORMALISED : PITH_SCALE_LOGGED;
        out->base = bases[guess];
    } else if (seen[LARGE] > 1e-4 * seen[VALUES]) {
        out->kind = PITH_SCALE_NORMALISED;
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Divides every row of owned double data by its smallest value. */
static void by_least(pith_i_data *X)
{
    double *x = X->sparse ? pith_i_data_values(X) : pith_i_data_x(X);
    for (int64_t i = 0; i < X->n; i++) {
        double least = INFINITY;
        for (int64_t e = row_from(X, i); e < row_to(X, i); e++) {
            const double v = entry(X, i, e);
            least = v != 0 && v < least ? v : least;
        }
        for (int64_t e = row_from(X, i); e < row_to(X, i); e++)
            x[X->sparse ? e : i * X->p + e] /= least;
    }
}

pith_status pith_i_counts_again(pith_ctx *ctx, const pith_i_data *X, double most, pith_i_data *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_data made = {0};
    pith_i_scale scale;
    sample of;
    int guess = -1;
    pith_status st = PITH_OK;
    TRY(pith_i_scale_find(ctx, X, most, &scale));
    TRY(pith_i_scaled(ctx, X, PITH_F64, NULL, NULL, NULL, &made));
    double *x = made.sparse ? pith_i_data_values(&made) : pith_i_data_x(&made);
    for (int64_t e = 0; scale.kind != PITH_SCALE_COUNTS && e < pith_i_stored(&made); e++)
        x[e] = scale.kind == PITH_SCALE_ROOTS ? x[e] * x[e] : pith_i_unlogged(&scale, x[e]);
    if (scale.kind == PITH_SCALE_NORMALISED || scale.kind == PITH_SCALE_LOGGED) {
        TRY(draw_rows(ctx, &made, &of));
        TRY(find_multiples(ctx, &of, &guess));
        if (guess == PLAIN)
            by_least(&made);
    }
    *out = made;
    made = (pith_i_data){0};
done:
    pith_i_data_free(&made);
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- Values without logarithms --------------------------------------------------------------------------
 */

/* Correlation of x and y. */
static double correlation(int64_t n, const double *x, const double *y)
{
    double mx = 0, my = 0, xx = 0, yy = 0, xy = 0;
    for (int64_t i = 0; i < n; i++) {
        mx += x[i] / (double)n;
        my += y[i] / (double)n;
    }
    for (int64_t i = 0; i < n; i++) {
        xx += (x[i] - mx) * (x[i] - mx);
        yy += (y[i] - my) * (y[i] - my);
        xy += (x[i] - mx) * (y[i] - my);
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
}

/* Does the spread of columns grow with their means, as a factor would let it? sd, mean: of the columns that
 * vary. Reorders neither. */
static pith_status grows(pith_ctx *ctx, int64_t columns, const double *sd, const double *mean, bool *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    double *s = NULL, *m = NULL, *ratio = NULL;
    int64_t positive = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, s, columns));
    TRY(SCRATCH(ctx, m, columns));
    TRY(SCRATCH(ctx, ratio, columns));
    for (int64_t c = 0; c < columns; c++)
        if (mean[c] > 0) {
            s[positive] = log(sd[c]);
            m[positive] = log(mean[c]);
            ratio[positive++] = sd[c] / mean[c];
        }
    *out = 4 * positive >= 3 * columns && correlation(positive, s, m) >= 0.7 &&
           pith_i_kth_smallest(positive, ratio, positive / 2) >= 0.2;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Sums over rows, d_i + 1 being the total of row i over the mean of the totals: d_i x_ij of every column,
 * d_i^2 and d_i. */
typedef struct totals {
    const pith_i_data *X;
    double mean;
} totals;
static void add_products(const void *self, int64_t lo, int64_t hi, double *sums)
{
    const totals *of = self;
    const pith_i_data *X = of->X;
    for (int64_t i = lo; i < hi; i++) {
        double d = -1;
        for (int64_t e = row_from(X, i); e < row_to(X, i); e++)
            d += entry(X, i, e) / of->mean;
        for (int64_t e = row_from(X, i); e < row_to(X, i); e++)
            sums[X->sparse ? X->indices[e] : e] += d * entry(X, i, e);
        sums[X->p] += d * d;
        sums[X->p + 1] += d;
    }
}

/*
 * Do samples have a depth, which columns follow? Dividing by the total t adds its variance to that of a
 * column x and takes twice their covariance away (all relative to the means): x varies less after it if the
 * slope
 *
 *     cov(x, t) / var(t) * mean(t) / mean(x)
 *
 * is above 1/2. Asked of the median column, where fewer than FEW make up the total, (sum m)^2 / sum m^2: the
 * changes of these would come into all others. Totals that are the same to a thousandth do no harm.
 */
static pith_status follow_total(pith_ctx *ctx, const pith_i_data *X, const pith_i_column_stats *stats,
                                bool *out)
{
    enum { FEW = 100 };
    const size_t mark = pith_i_scratch_mark(ctx);
    const double same = 1e-3;
    totals of = {.X = X};
    double *sums = NULL, *slope = NULL, made = 0, squares = 0;
    int64_t positive = 0;
    pith_status st = PITH_OK;
    for (int64_t j = 0; j < X->p; j++) {
        const double m = stats->mean[j];
        of.mean += m;
        made += m > 0 ? m : 0;
        squares += m > 0 ? m * m : 0;
    }
    *out = made * made >= FEW * squares;
    if (*out || of.mean <= 0)
        goto done;
    TRY(SCRATCH(ctx, sums, X->p + 2));
    TRY(SCRATCH(ctx, slope, X->p));
    TRY(pith_i_sum_rows(ctx, X->n, X->p + 2, add_products, &of, sums));
    const double own = sums[X->p], off = sums[X->p + 1];
    *out = own <= same * same * (double)pith_i_all(X);
    for (int64_t j = 0; j < X->p && !*out; j++)
        if (stats->variance[j] > 0 && stats->mean[j] > 0)
            slope[positive++] = (sums[j] / stats->mean[j] - off) / own;
    *out = *out || pith_i_kth_smallest(positive, slope, positive / 2) > 0.5;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* By more than rounding, as of times far from 0. */
static bool varies(const pith_i_data *X, const pith_i_column_stats *stats, int64_t j)
{
    return stats->variance[j] > 0 && pith_i_column_varies(X, stats, j);
}

pith_status pith_i_is_unlogged(pith_ctx *ctx, const pith_i_data *X, const pith_i_column_stats *stats,
                               bool *out)
{
    enum { LEAST_COLUMNS = 100, LARGEST = 1000, SPREAD = 10 };
    const size_t mark = pith_i_scratch_mark(ctx);
    double *sd = NULL, *mean = NULL;
    int64_t columns = 0;
    pith_status st = PITH_OK;
    *out = false;
    if (pith_i_is_counts(X, stats) || pith_i_largest(stats, X->p) <= LARGEST)
        return PITH_OK;
    TRY(SCRATCH(ctx, sd, X->p));
    TRY(SCRATCH(ctx, mean, X->p));
    for (int64_t j = 0; j < X->p; j++)
        if (varies(X, stats, j)) {
            sd[columns] = sqrt(stats->variance[j]);
            mean[columns++] = stats->mean[j];
        }
    if (columns < LEAST_COLUMNS)
        goto done;
    TRY(grows(ctx, columns, sd, mean, out));
    const double low = pith_i_kth_smallest(columns, sd, columns / 20);
    *out = *out && pith_i_kth_smallest(columns, sd, columns - 1 - columns / 20) >= SPREAD * low;
    if (*out)
        TRY(follow_total(ctx, X, stats, out));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- Columns in different units -------------------------------------------------------------------------
 */

pith_status pith_i_heavy_find(pith_ctx *ctx, const pith_i_data *X, const pith_i_column_stats *stats,
                              pith_i_heavy *out)
{
    enum { TIMES = 20, MATTER = 10 };
    const size_t mark = pith_i_scratch_mark(ctx);
    const double most_of = 0.9;
    double *variance = NULL, largest = 0, sum = 0, squares = 0, heavy = 0;
    int64_t varying = 0, most = -1, columns = 0;
    pith_status st = PITH_OK;
    *out = (pith_i_heavy){.columns = 0};
    if (pith_i_is_counts(X, stats))
        return PITH_OK;
    TRY(SCRATCH(ctx, variance, X->p));
    for (int64_t j = 0; j < X->p; j++) {
        if (!varies(X, stats, j))
            continue;
        variance[varying++] = stats->variance[j];
        most = stats->variance[j] > largest ? j : most;
        largest = fmax(largest, stats->variance[j]);
    }
    for (int64_t c = 0; c < varying; c++) { /* relative to the largest: their squares may overflow */
        const double v = variance[c] / largest;
        sum += v;
        squares += v * v;
    }
    if (varying == 0 || sum * sum >= MATTER * squares)
        goto done;
    const double median = pith_i_kth_smallest(varying, variance, varying / 2);
    for (int64_t c = 0; c < varying; c++)
        if (sqrt(variance[c] / median) >= TIMES) {
            heavy += variance[c] / largest;
            columns++;
        }
    if (heavy >= most_of * sum)
        *out = (pith_i_heavy){columns, most, heavy / sum};
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- Logarithms -----------------------------------------------------------------------------------------
 */

/* The share of whole numbers among all values of `rows` rows, evenly spaced. */
static double whole_share(const pith_i_data *X, int64_t rows)
{
    int64_t whole = 0;
    for (int64_t r = 0; r < rows; r++) {
        const int64_t i = r * X->n / rows;
        whole += X->p - (row_to(X, i) - row_from(X, i)); /* zeros that are not stored */
        for (int64_t e = row_from(X, i); e < row_to(X, i); e++) {
            const double v = entry(X, i, e);
            whole += v == floor(v);
        }
    }
    return (double)whole / ((double)rows * (double)X->p);
}

pith_status pith_i_may_be_logs(pith_ctx *ctx, const pith_i_data *X, const pith_i_column_stats *stats,
                               bool *out)
{
    enum { LEAST_COLUMNS = 100, ROWS_SEEN = 1000 };
    pith_i_heavy heavy;
    double most = 0;
    int64_t columns = 0;
    pith_status st = PITH_OK;
    *out = false;
    for (int64_t j = 0; j < X->p; j++) {
        most = fmax(most, fmax(stats->max[j], -stats->min[j]));
        columns += varies(X, stats, j);
    }
    if (columns < LEAST_COLUMNS || most <= 2 || most > MOST_LOGGED || pith_i_is_counts(X, stats))
        return PITH_OK;
    TRY(pith_i_heavy_find(ctx, X, stats, &heavy));
    *out = heavy.columns == 0 && whole_share(X, pith_i_min(X->n, ROWS_SEEN)) < 0.5;
done:
    return st;
}
