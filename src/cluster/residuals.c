/* Residuals of counts, given the length of the samples. */
#include "cluster/tested.h"
#include "core/parallel.h"

#include <math.h>
#include <string.h>

enum { POWERS = 7 }; /* 0 to 6 */
/* Of a column's size: sums of powers over absent rows are differences, and of less there may be nothing. A
 * column of 10^9 reads a sample has a thousand times as much. */
static const double ROUNDING = 1e-12;

typedef struct residuals {
    const pith_i_data *C, *T;
    int64_t n, p, count;
    const pith_i_grouping *at;
    double *sum;        /* of each column, */
    double *square;     /* and of its squares */
    double *length;     /* of each row */
    double *root;       /* sqrt(length) */
    double *noise;      /* F of each column */
    double total;       /* of the lengths, */
    double all[POWERS]; /* and sums of powers of the roots */
    int64_t *first;     /* group of each grouping, count + 1 of them */
    double *size;       /* of each group, */
    double *roots;      /* and the roots that it has */
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

static void add_columns(const residuals *r, pith_ctx *ctx)
{
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
}

/* The lengths by the noise of the columns, of mean 1. */
static void find_lengths(residuals *r, pith_ctx *ctx)
{
    double total = 0;
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
    r->total = (double)r->n;
    for (int64_t i = 0; i < r->n; i++)
        r->length[i] *= total > 0 ? (double)r->n / total : 0;
}

/* F of the columns given the lengths; without: about their means. */
static void find_noise(const residuals *r, pith_ctx *ctx, bool given)
{
    double squares = 0;
    for (int64_t i = 0; given && i < r->n; i++)
        squares += r->length[i] * r->length[i];
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic, 64)
    for (int64_t j = 0; j < r->p; j++) {
        const double share = given ? r->sum[j] / r->total : 0;
        int64_t from = 0;
        const int64_t to = entries(r->T, j, &from);
        double both = 0;
        for (int64_t e = from; given && e < to; e++)
            both += value(r->T, e) * r->length[place(r->T, j, e)];
        const double rest = given ? r->square[j] - 2 * share * both + share * share * squares
                                  : r->square[j] - r->sum[j] * r->sum[j] / (double)r->n;
        r->noise[j] = r->sum[j] > 0 ? fmax(1, rest / r->sum[j]) : 1;
    }
}

static pith_status measure(pith_ctx *ctx, residuals *r)
{
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, r->sum, r->p));
    TRY(SCRATCH(ctx, r->square, r->p));
    TRY(SCRATCH(ctx, r->noise, r->p));
    TRY(SCRATCH(ctx, r->length, r->n));
    TRY(SCRATCH(ctx, r->root, r->n));
    add_columns(r, ctx);
    find_noise(r, ctx, false);
    find_lengths(r, ctx);
    find_noise(r, ctx, true);
    find_lengths(r, ctx);
    for (int64_t i = 0; i < r->n; i++) {
        double power = 1;
        r->root[i] = sqrt(r->length[i]);
        for (int q = 0; q < POWERS; q++) {
            r->all[q] += power;
            power *= r->root[i];
        }
    }
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

/* What a sample has of column j, over its share and the root of the length: residuals are this less the root.
 */
static double had(const residuals *r, int64_t j, int64_t e)
{
    return value(r->T, e) / (r->sum[j] / r->total * r->root[place(r->T, j, e)]);
}

static void find_powers(const residuals *r, int64_t j, double mean, pith_i_powers *out)
{
    double absent[POWERS], size = r->all[2];
    int64_t from = 0;
    const int64_t to = entries(r->T, j, &from);
    *out = (pith_i_powers){0};
    memcpy(absent, r->all, sizeof absent);
    for (int64_t e = from; e < to; e++) {
        if (value(r->T, e) == 0)
            continue;
        const double x = had(r, j, e), root = r->root[place(r->T, j, e)];
        const double off = x - root - mean, square = off * off;
        size += x * x;
        double power = 1;
        for (int q = 0; q < POWERS; q++) {
            absent[q] -= power;
            power *= root;
        }
        out->s2 += square;
        out->s3 += square * off;
        out->s4 += square * square;
        out->s6 += square * square * square;
    }
    out->s2 += power_of_absent(2, mean, absent);
    out->s3 += power_of_absent(3, mean, absent);
    out->s4 += power_of_absent(4, mean, absent);
    out->s6 += power_of_absent(6, mean, absent);
    if (!(out->s2 > ROUNDING * size))
        *out = (pith_i_powers){0};
}

/* sums: room for the groups of all groupings. */
static void test_column(const residuals *r, int64_t j, uint32_t wanted, double *sums, double *between,
                        pith_i_powers *powers)
{
    int64_t from = 0;
    const int64_t to = entries(r->T, j, &from);
    double mean = -r->all[1];
    *powers = (pith_i_powers){0};
    if (!(r->sum[j] > 0))
        return;
    memset(sums, 0, (size_t)r->first[r->count] * sizeof *sums);
    for (int64_t e = from; e < to; e++) {
        const int64_t i = place(r->T, j, e);
        if (value(r->T, e) == 0)
            continue;
        const double x = had(r, j, e);
        mean += x;
        for (uint32_t left = wanted; left != 0; left &= left - 1) {
            const int g = __builtin_ctz(left);
            sums[r->first[g] + r->at[g].label[i]] += x;
        }
    }
    mean /= (double)r->n;
    for (uint32_t left = wanted; left != 0; left &= left - 1) {
        const int g = __builtin_ctz(left);
        double energy = 0;
        for (int64_t k = r->first[g]; k < r->first[g + 1]; k++) {
            const double off = sums[k] - r->roots[k] - r->size[k] * mean;
            energy += r->size[k] > 0 ? off * off / r->size[k] : 0;
        }
        between[g * r->p + j] = energy;
    }
    find_powers(r, j, mean, powers);
}

pith_status pith_i_test_residuals(pith_ctx *ctx, const pith_i_data *C, const pith_i_data *T, int64_t count,
                                  const pith_i_grouping *groupings, const uint32_t *wanted, double *between,
                                  pith_i_powers *powers)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    residuals r = {.C = C, .T = T, .n = C->n, .p = C->p, .count = count, .at = groupings};
    double *sums = NULL;
    pith_status st = PITH_OK;
    TRY(measure(ctx, &r));
    TRY(lay_out(ctx, &r));
    const int64_t groups = r.first[count];
    TRY(SCRATCH(ctx, sums, pith_ctx_threads(ctx) * groups));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic, 16)
    for (int64_t j = 0; j < r.p; j++)
        test_column(&r, j, wanted[j], sums + pith_i_thread() * groups, between, &powers[j]);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* |Y' r|^2 of the residuals of column j; product: room for width numbers; base = Y' root. */
static double square_of_products(const residuals *r, int64_t j, int64_t width, const double *Y,
                                 const double *base, double *product)
{
    int64_t from = 0;
    const int64_t to = entries(r->T, j, &from);
    double square = 0;
    for (int64_t c = 0; c < width; c++)
        product[c] = -base[c];
    for (int64_t e = from; e < to; e++) {
        const double *y = Y + place(r->T, j, e) * width, x = value(r->T, e) != 0 ? had(r, j, e) : 0;
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
    residuals r = {.C = C, .T = T, .n = C->n, .p = C->p};
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
