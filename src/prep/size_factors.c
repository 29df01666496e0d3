/*
 * Size factors of samples as the median of ratios (Anders & Huber, Genome Biology 2010): for sample i
 *
 *     s_i = median of x_ij / g_j over the reference features j with x_ij > 0
 *
 * g_j is the geometric mean of the positive x_ij of feature j. Features that are positive in at least nine of
 * ten samples are for reference. A total follows the largest features; the median does not, however many
 * features a few samples have more of.
 */
#include "prep/step.h"

#include "core/parallel.h"

#include <math.h>

/* Sums over rows: ln x_ij where it is positive, and how many of these there are. */
static void add_logs(const void *self, int64_t lo, int64_t hi, double *sums)
{
    const pith_i_data *X = self;
    const void *cells = X->sparse ? X->values : X->x;
    for (int64_t i = lo; i < hi; i++)
        for (int64_t e = pith_i_cells_from(X, i); e < pith_i_cells_to(X, i); e++) {
            const double v = pith_i_value(cells, X->dtype, e);
            const int64_t j = pith_i_cell_column(X, i, e);
            sums[j] += v > 0 ? log(v) : 0;
            sums[X->p + j] += v > 0;
        }
}

/* ln g_j; NaN: not for reference. */
static pith_status find_references(pith_ctx *ctx, const pith_i_data *X, double *mean)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    double *sums = NULL;
    int64_t references = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, sums, 2 * X->p));
    TRY(pith_i_sum_rows(ctx, X->n, 2 * X->p, add_logs, X, sums));
    for (int64_t j = 0; j < X->p; j++) {
        const double count = sums[X->p + j];
        const bool refers = 10 * count >= 9 * (double)X->n;
        mean[j] = refers ? sums[j] / count : (double)NAN;
        references += refers;
    }
    if (references == 0)
        FAIL(
            ctx, PITH_E_DATA,
            "size-factors compares features that are above 0 in nine of ten samples, and there is none: take "
            "counts-per-10k");
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static double median(int64_t count, double *x)
{
    const double upper = pith_i_kth_smallest(count, x, count / 2);
    return count % 2 == 1 ? upper : 0.5 * (upper + pith_i_kth_smallest(count, x, count / 2 - 1));
}

/* ln s_i, NaN if no reference feature is positive, and the total of row i. */
static double log_factor(const pith_i_data *X, const double *mean, int64_t i, double *room, double *total)
{
    const void *cells = X->sparse ? X->values : X->x;
    int64_t count = 0;
    *total = 0;
    for (int64_t e = pith_i_cells_from(X, i); e < pith_i_cells_to(X, i); e++) {
        const double v = pith_i_value(cells, X->dtype, e), m = mean[pith_i_cell_column(X, i, e)];
        *total += v;
        if (v > 0 && !isnan(m))
            room[count++] = log(v) - m;
    }
    return count > 0 ? median(count, room) : (double)NAN;
}

static double scaled_cell(const void *self, int64_t i, int64_t j, double v)
{
    (void)j;
    return v * ((const double *)self)[i];
}

/* What each row is multiplied by: 1 / s_i, and then what makes the mean of the totals `wanted`. A row that
 * has nothing for reference is scaled to this total itself. */
static void find_multiples(const pith_i_data *X, double wanted, const double *total, double *factor)
{
    double sum = 0, rows = 0;
    for (int64_t i = 0; i < X->n; i++)
        if (!isnan(factor[i])) {
            sum += total[i] / exp(factor[i]);
            rows++;
        }
    for (int64_t i = 0; i < X->n; i++)
        factor[i] = !isnan(factor[i]) ? wanted * rows / sum / exp(factor[i])
                    : total[i] > 0    ? wanted / total[i]
                                      : 1;
}

static pith_status size_factors(pith_ctx *ctx, pith_i_data *X, const double *values)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t threads = pith_ctx_threads(ctx);
    double *mean = NULL, *factor = NULL, *total = NULL, *room = NULL;
    pith_status st = PITH_OK;
    TRY(pith_i_refuse_negative(ctx, "size-factors", X));
    TRY(SCRATCH(ctx, mean, X->p));
    TRY(SCRATCH(ctx, factor, X->n));
    TRY(SCRATCH(ctx, total, X->n));
    TRY(SCRATCH(ctx, room, threads * X->p));
    TRY(find_references(ctx, X, mean));
#pragma omp parallel for num_threads((int)threads) schedule(static)
    for (int64_t i = 0; i < X->n; i++)
        factor[i] = log_factor(X, mean, i, room + pith_i_thread() * X->p, &total[i]);
    find_multiples(X, values[0], total, factor);
    pith_i_each_cell(ctx, X, scaled_cell, factor);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

const pith_i_step pith_i_step_size_factors = {
    .name = "size-factors",
    .title = "scales every sample by the median ratio of its features to their means over the samples: as "
             "counts-per-10k, but what some features have more of does not lower the others",
    .params = {{.name = "total",
                .help = "mean total of the samples",
                .type = PITH_REAL,
                .def = 1e4,
                .lo = 1e-6,
                .hi = 1e12}},
    .change = size_factors,
};
