/* Steps that centre and scale columns, one of them also rows. A constant column becomes 0. */
#include "prep/step.h"

#include <math.h>

typedef struct affine {
    const double *shift, *divisor; /* of columns; a divisor of 0 makes the column 0 */
} affine;

static double affine_cell(const void *self, int64_t i, int64_t j, double v)
{
    const affine *a = self;
    (void)i;
    return a->divisor[j] > 0 ? (v - a->shift[j]) / a->divisor[j] : 0;
}

static pith_status center(pith_ctx *ctx, pith_i_data *X, const double *values)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_column_stats s;
    double *one = NULL;
    pith_status st = PITH_OK;
    (void)values;
    TRY(pith_i_make_dense(ctx, "center", X));
    TRY(pith_i_column_statistics(ctx, X, NULL, &s));
    TRY(SCRATCH(ctx, one, X->p));
    for (int64_t j = 0; j < X->p; j++)
        one[j] = 1;
    pith_i_each_cell(ctx, X, affine_cell, &(affine){s.mean, one});
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status zscore(pith_ctx *ctx, pith_i_data *X, const double *values)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_column_stats s;
    pith_status st = PITH_OK;
    (void)values;
    TRY(pith_i_make_dense(ctx, "zscore", X));
    TRY(pith_i_column_statistics(ctx, X, NULL, &s));
    for (int64_t j = 0; j < X->p; j++)
        s.variance[j] = sqrt(s.variance[j]);
    pith_i_each_cell(ctx, X, affine_cell, &(affine){s.mean, s.variance});
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* If no value is negative, sparse data stays sparse: a column with zeros that are not stored has the minimum
 * 0, and they stay 0. */
static pith_status minmax(pith_ctx *ctx, pith_i_data *X, const double *values)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_column_stats s;
    bool negative = false;
    pith_status st = PITH_OK;
    (void)values;
    TRY(pith_i_column_statistics(ctx, X, NULL, &s));
    for (int64_t j = 0; j < X->p; j++) {
        negative = negative || s.min[j] < 0;
        s.max[j] -= s.min[j];
    }
    if (negative)
        TRY(pith_i_make_dense(ctx, "minmax", X));
    pith_i_each_cell(ctx, X, affine_cell, &(affine){s.min, s.max});
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

typedef struct margins {
    const double *row, *column;
    double all;
} margins;

static double double_center_cell(const void *self, int64_t i, int64_t j, double v)
{
    const margins *m = self;
    return (v - m->row[i]) - (m->column[j] - m->all);
}

/* x - mean of its row - mean of its column + mean of all. */
static pith_status double_center(pith_ctx *ctx, pith_i_data *X, const double *values)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_column_stats s;
    double *row = NULL, all = 0;
    pith_status st = PITH_OK;
    (void)values;
    TRY(pith_i_make_dense(ctx, "double-center", X));
    TRY(pith_i_column_statistics(ctx, X, NULL, &s));
    TRY(SCRATCH_ZERO(ctx, row, X->n));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(static)
    for (int64_t i = 0; i < X->n; i++) {
        for (int64_t e = pith_i_cells_from(X, i); e < pith_i_cells_to(X, i); e++)
            row[i] += pith_i_value(X->x, X->dtype, e);
        row[i] /= (double)X->p;
    }
    for (int64_t j = 0; j < X->p; j++)
        all += s.mean[j];
    all /= (double)X->p;
    pith_i_each_cell(ctx, X, double_center_cell, &(margins){row, s.mean, all});
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

const pith_i_step pith_i_step_center = {
    .name = "center", .spreads = true, .title = "subtracts its mean from every feature", .change = center};
const pith_i_step pith_i_step_zscore = {
    .name = "zscore",
    .spreads = true,
    .title = "scales every feature to mean 0 and variance 1 (divided by n); constant ones become 0",
    .change = zscore};
const pith_i_step pith_i_step_minmax = {.name = "minmax",
                                        .spreads = true,
                                        .title = "scales every feature to 0..1; constant ones become 0",
                                        .change = minmax};
const pith_i_step pith_i_step_double_center = {
    .name = "double-center",
    .spreads = true,
    .title = "subtracts sample and feature means and adds the overall mean, so that every mean is 0",
    .change = double_center};
