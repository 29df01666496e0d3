/* Residuals of counts, given the length of the samples. */
#include "cluster/tested.h"
#include "core/engine.h"
#include "core/parallel.h"

#include <math.h>
#include <string.h>

enum { POWERS = 7 }; /* 0 to 6 */
/* Relative to a column's size: sums of powers over rows without the feature are differences, and less may be
 * nothing but rounding. A column of 10^9 reads a sample varies a thousand times as much. */
static const double ROUNDING = 1e-12;

typedef struct residuals {
    const pith_i_data *C, *T;
    int64_t n, p, count;
    double rows; /* of all processes */
    bool spread; /* the rows are spread over processes */
    const pith_i_grouping *at;
    double *sum;        /* of each column, */
    double *square;     /* and of its squares */
    double *length;     /* of each row */
    double *root;       /* sqrt(length) */
    double *noise;      /* F of each column */
    double total;       /* of the lengths, */
    double all[POWERS]; /* and sums of powers of the roots */
    int64_t *first;     /* first group of each grouping, count + 1 of them */
    double *size;       /* of each group, */
    double *roots;      /* and the sum of its rows' roots */
} residuals;

/* Entries of row j of T: those that are stored, or all of dense data. */
static int64_t entries(const pith_i_data *T, int64_t j, int64_t *from)
{
    *from = T->sparse ? T->indptr[j] : j * T->p;
    return T->sparse ? T->indptr[j + 1] : (j + 1) * T->p;
}

static int64_t place(const pith_i_data *T, int64_t j, int64_t e)
{
    return T->sparse ? T->indices[e] : e - j * T->p;
}

static double value(const pith_i_data *T, int64_t e)
{
    return pith_i_value(T->sparse ? T->values : T->x, T->dtype, e);
}

static pith_status sum_all(pith_ctx *ctx, const residuals *r, int64_t count, double *values)
{
    return r->spread ? pith_i_sum(ctx, count, values) : PITH_OK;
}

static pith_status add_columns(const residuals *r, pith_ctx *ctx)
{
    pith_status st = PITH_OK;
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic, 64)
    for (int64_t j = 0; j < r->p; j++) {
        int64_t from = 0;
        const int64_t to = entries(r->T, j, &from);
        r->sum[j] = r->square[j] = 0;
        for (int64_t e = from; e < to; e++) {
            r->sum[j] += value(r->T, e);
            r->square[j] += value(r->T, e) * value(r->T, e);
        }
    }
    TRY(sum_all(ctx, r, r->p, r->sum));
    TRY(sum_all(ctx, r, r->p, r->square));
done:
    return st;
}

/* The lengths, by the noise of the columns, scaled to a mean of 1. */
static pith_status find_lengths(residuals *r, pith_ctx *ctx)
{
    double total = 0;
    pith_status st = PITH_OK;
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic, 64)
    for (int64_t i = 0; i < r->n; i++) {
        int64_t from = 0;
        const int64_t to = entries(r->C, i, &from);
        r->length[i] = 0;
        for (int64_t e = from; e < to; e++)
            r->length[i] += value(r->C, e) / r->noise[place(r->C, i, e)];
    }
    for (int64_t i = 0; i < r->n; i++)
        total += r->length[i];
    TRY(sum_all(ctx, r, 1, &total));
    r->total = r->rows;
    for (int64_t i = 0; i < r->n; i++)
        r->length[i] *= total > 0 ? r->rows / total : 0;
done:
    return st;
}

/* F of the columns: about L_i f_j if the lengths are given, else about the column means. */
static pith_status find_noise(const residuals *r, pith_ctx *ctx, bool given)
{
    double squares = 0, *both = r->noise; /* products of the columns with the lengths, until F is known */
    pith_status st = PITH_OK;
    for (int64_t i = 0; given && i < r->n; i++)
        squares += r->length[i] * r->length[i];
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic, 64)
    for (int64_t j = 0; j < r->p; j++) {
        int64_t from = 0;
        const int64_t to = entries(r->T, j, &from);
        both[j] = 0;
        for (int64_t e = from; given && e < to; e++)
            both[j] += value(r->T, e) * r->length[place(r->T, j, e)];
    }
    TRY(sum_all(ctx, r, 1, &squares));
    TRY(sum_all(ctx, r, r->p, both));
    for (int64_t j = 0; j < r->p; j++) {
        const double share = given ? r->sum[j] / r->total : 0;
        const double rest = given ? r->square[j] - 2 * share * both[j] + share * share * squares
                                  : r->square[j] - r->sum[j] * r->sum[j] / r->rows;
        r->noise[j] = r->sum[j] > 0 ? fmax(1, rest / r->sum[j]) : 1;
    }
done:
    return st;
}

static pith_status measure(pith_ctx *ctx, residuals *r)
{
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, r->sum, r->p));
    TRY(SCRATCH(ctx, r->square, r->p));
    TRY(SCRATCH(ctx, r->noise, r->p));
    TRY(SCRATCH(ctx, r->length, r->n));
    TRY(SCRATCH(ctx, r->root, r->n));
    TRY(add_columns(r, ctx));
    TRY(find_noise(r, ctx, false));
    TRY(find_lengths(r, ctx));
    TRY(find_noise(r, ctx, true));
    TRY(find_lengths(r, ctx));
    for (int64_t i = 0; i < r->n; i++) {
        double power = 1;
        r->root[i] = sqrt(r->length[i]);
        for (int q = 0; q < POWERS; q++) {
            r->all[q] += power;
            power *= r->root[i];
        }
    }
    TRY(sum_all(ctx, r, POWERS, r->all));
done:
    return st;
}

static pith_status lay_out(pith_ctx *ctx, residuals *r)
{
    int64_t groups = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, r->first, r->count + 1));
    for (int64_t g = 0; g < r->count; g++) {
        r->first[g] = groups;
        groups += r->at[g].groups;
    }
    r->first[r->count] = groups;
    TRY(SCRATCH_ZERO(ctx, r->size, groups));
    TRY(SCRATCH_ZERO(ctx, r->roots, groups));
    for (int64_t i = 0; i < r->n; i++)
        for (int64_t g = 0; g < r->count; g++) {
            r->size[r->first[g] + r->at[g].label[i]]++;
            r->roots[r->first[g] + r->at[g].label[i]] += r->root[i];
        }
    TRY(sum_all(ctx, r, groups, r->size));
    TRY(sum_all(ctx, r, groups, r->roots));
done:
    return st;
}

/* The sum over rows without the feature of (-root - mean)^q; absent: sums of powers of their roots. */
static double power_of_absent(int q, double mean, const double absent[POWERS])
{
    double sum = 0, binomial = 1;
    for (int t = 0; t <= q; t++) {
        sum += binomial * pow(mean, q - t) * absent[t];
        binomial *= (double)(q - t) / (t + 1);
    }
    return q % 2 == 0 ? sum : -sum;
}

/* x_ij / (f_j sqrt(L_i)); less sqrt(L_i), that is the residual over f_j. */
static double scaled_count(const residuals *r, int64_t j, int64_t e)
{
    return value(r->T, e) / (r->sum[j] / r->total * r->root[place(r->T, j, e)]);
}

/* Sums over the rows that have a column. In one process `absent` and size begin with the sums of all rows; of
 * several processes they are added to these at the end. */
typedef struct present {
    pith_i_powers powers;
    double absent[POWERS]; /* powers of the roots, subtracted: the rows without the feature are left */
    double size;
} present;
enum { PRESENT = sizeof(present) / sizeof(double) };

static present begin_powers(const residuals *r)
{
    present out = {0};
    if (!r->spread) {
        memcpy(out.absent, r->all, sizeof out.absent);
        out.size = r->all[2];
    }
    return out;
}

static void add_powers(const residuals *r, int64_t j, double mean, present *out)
{
    int64_t from = 0;
    const int64_t to = entries(r->T, j, &from);
    for (int64_t e = from; e < to; e++) {
        if (value(r->T, e) == 0)
            continue;
        const double x = scaled_count(r, j, e), root = r->root[place(r->T, j, e)];
        const double off = x - root - mean, square = off * off;
        out->size += x * x;
        double power = 1;
        for (int q = 0; q < POWERS; q++) {
            out->absent[q] -= power;
            power *= root;
        }
        out->powers.s2 += square;
        out->powers.s3 += square * off;
        out->powers.s4 += square * square;
        out->powers.s6 += square * square * square;
    }
}

static pith_i_powers finish_powers(const residuals *r, double mean, const present *found)
{
    present all = *found;
    pith_i_powers out = all.powers;
    for (int q = 0; r->spread && q < POWERS; q++)
        all.absent[q] += r->all[q];
    all.size += r->spread ? r->all[2] : 0;
    out.s2 += power_of_absent(2, mean, all.absent);
    out.s3 += power_of_absent(3, mean, all.absent);
    out.s4 += power_of_absent(4, mean, all.absent);
    out.s6 += power_of_absent(6, mean, all.absent);
    return out.s2 > ROUNDING * all.size ? out : (pith_i_powers){0};
}

/* The sums of the scaled counts of column j, over the groups of the wanted groupings and over all samples. */
static void add_groups(const residuals *r, int64_t j, uint32_t wanted, double *sums, double *total)
{
    int64_t from = 0;
    const int64_t to = entries(r->T, j, &from);
    memset(sums, 0, (size_t)r->first[r->count] * sizeof *sums);
    for (int64_t e = from; e < to; e++) {
        const int64_t i = place(r->T, j, e);
        if (value(r->T, e) == 0)
            continue;
        const double x = scaled_count(r, j, e);
        *total += x;
        for (uint32_t left = wanted; left != 0; left &= left - 1) {
            const int g = __builtin_ctz(left);
            sums[r->first[g] + r->at[g].label[i]] += x;
        }
    }
}

static void finish_groups(const residuals *r, int64_t j, uint32_t wanted, double mean, const double *sums,
                          double *between)
{
    for (uint32_t left = wanted; left != 0; left &= left - 1) {
        const int g = __builtin_ctz(left);
        double energy = 0;
        for (int64_t k = r->first[g]; k < r->first[g + 1]; k++) {
            const double off = sums[k] - r->roots[k] - r->size[k] * mean;
            energy += r->size[k] > 0 ? off * off / r->size[k] : 0;
        }
        between[g * r->p + j] = energy;
    }
}

/* sums: room for the groups of all groupings. */
static void test_column(const residuals *r, int64_t j, uint32_t wanted, double *sums, double *between,
                        pith_i_powers *powers)
{
    double mean = -r->all[1];
    present found = begin_powers(r);
    *powers = (pith_i_powers){0};
    if (!(r->sum[j] > 0))
        return;
    add_groups(r, j, wanted, sums, &mean);
    mean /= r->rows;
    finish_groups(r, j, wanted, mean, sums, between);
    add_powers(r, j, mean, &found);
    *powers = finish_powers(r, mean, &found);
}

/* `count` columns from `first` on, where rows are spread: every process adds up its own rows, twice, since
 * powers are about the mean. sums: for each column a total and the groups of all groupings. */
static pith_status test_spread(pith_ctx *ctx, const residuals *r, int64_t first, int64_t count,
                               const uint32_t *wanted, double *sums, present *found, double *between,
                               pith_i_powers *powers)
{
    const int64_t each = 1 + r->first[r->count];
    pith_status st = PITH_OK;
    memset(sums, 0, (size_t)(count * each) * sizeof *sums);
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic, 16)
    for (int64_t c = 0; c < count; c++)
        if (r->sum[first + c] > 0)
            add_groups(r, first + c, wanted[first + c], sums + c * each + 1, sums + c * each);
    TRY(pith_i_sum(ctx, count * each, sums));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic, 16)
    for (int64_t c = 0; c < count; c++) {
        const int64_t j = first + c;
        found[c] = begin_powers(r);
        if (!(r->sum[j] > 0))
            continue;
        sums[c * each] = (sums[c * each] - r->all[1]) / r->rows; /* the mean, in place of its total */
        finish_groups(r, j, wanted[j], sums[c * each], sums + c * each + 1, between);
        add_powers(r, j, sums[c * each], &found[c]);
    }
    TRY(pith_i_sum(ctx, count * PRESENT, (double *)found));
    for (int64_t c = 0; c < count; c++)
        powers[first + c] =
            r->sum[first + c] > 0 ? finish_powers(r, sums[c * each], &found[c]) : (pith_i_powers){0};
done:
    return st;
}

static pith_status test_all_spread(pith_ctx *ctx, const residuals *r, const uint32_t *wanted, double *between,
                                   pith_i_powers *powers)
{
    enum { ABREAST = 512 };
    double *sums = NULL;
    present *found = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, sums, ABREAST * (1 + r->first[r->count])));
    TRY(SCRATCH(ctx, found, ABREAST));
    for (int64_t j = 0; j < r->p; j += ABREAST)
        TRY(test_spread(ctx, r, j, pith_i_min(r->p - j, ABREAST), wanted, sums, found, between, powers));
done:
    return st;
}

static residuals residuals_of(const pith_i_data *C, const pith_i_data *T)
{
    return (residuals){
        .C = C, .T = T, .n = C->n, .p = C->p, .rows = (double)pith_i_all(C), .spread = pith_i_is_spread(C)};
}

pith_status pith_i_test_residuals(pith_ctx *ctx, const pith_i_data *C, const pith_i_data *T, int64_t count,
                                  const pith_i_grouping *groupings, const uint32_t *wanted, double *between,
                                  pith_i_powers *powers)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    residuals r = residuals_of(C, T);
    double *sums = NULL;
    pith_status st = PITH_OK;
    r.count = count;
    r.at = groupings;
    TRY(measure(ctx, &r));
    TRY(lay_out(ctx, &r));
    if (r.spread) {
        TRY(test_all_spread(ctx, &r, wanted, between, powers));
        goto done;
    }
    const int64_t groups = r.first[count];
    TRY(SCRATCH(ctx, sums, pith_ctx_threads(ctx) * groups));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic, 16)
    for (int64_t j = 0; j < r.p; j++)
        test_column(&r, j, wanted[j], sums + pith_i_thread() * groups, between, &powers[j]);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* |Y'e|^2, e the residuals of column j over f_j; product: room for width numbers; base = Y' root. */
static double square_of_products(const residuals *r, int64_t j, int64_t width, const double *Y,
                                 const double *base, double *product)
{
    int64_t from = 0;
    const int64_t to = entries(r->T, j, &from);
    double square = 0;
    for (int64_t c = 0; c < width; c++)
        product[c] = -base[c];
    for (int64_t e = from; e < to; e++) {
        const double *y = Y + place(r->T, j, e) * width, x = value(r->T, e) != 0 ? scaled_count(r, j, e) : 0;
        for (int64_t c = 0; x != 0 && c < width; c++)
            product[c] += x * y[c];
    }
    for (int64_t c = 0; c < width; c++)
        square += product[c] * product[c];
    return square;
}

pith_status pith_i_test_residual_rows(pith_ctx *ctx, const pith_i_data *C, const pith_i_data *T,
                                      const bool *wanted, int64_t width, const double *Y, double *quadratic)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    residuals r = residuals_of(C, T);
    double *base = NULL, *room = NULL;
    pith_status st = PITH_OK;
    TRY(measure(ctx, &r));
    TRY(SCRATCH_ZERO(ctx, base, width));
    TRY(SCRATCH(ctx, room, pith_ctx_threads(ctx) * width));
    for (int64_t i = 0; i < r.n; i++)
        for (int64_t c = 0; c < width; c++)
            base[c] += r.root[i] * Y[i * width + c];
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic, 16)
    for (int64_t j = 0; j < r.p; j++)
        if (wanted[j])
            quadratic[j] = square_of_products(&r, j, width, Y, base, room + pith_i_thread() * width);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
