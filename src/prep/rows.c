/* Steps that scale rows: to norm 1, or to the same total. A row of zeros is unchanged. */
#include "prep/step.h"

#include <math.h>

enum { ROW_SUM, ROW_ABS, ROW_SQUARE, ROW_MAX };

static double add(int kind, double sum, double v)
{
    switch (kind) {
    case ROW_SUM: return sum + v;
    case ROW_ABS: return sum + fabs(v);
    case ROW_SQUARE: return sum + v * v;
    default: return fabs(v) > sum ? fabs(v) : sum;
    }
}

/* If squares or sums might overflow or underflow, values are taken relative to the largest one. */
static double unit_of(double most)
{
    return most > 1e100 || most < 1e-100 ? most : 1;
}

/* Divides every row by its size (a sum or norm, by kind), and multiplies it by total. */
static void divide_rows(pith_ctx *ctx, pith_i_data *X, int kind, double total)
{
    void *cells = pith_i_cells(X);
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(static)
    for (int64_t i = 0; i < X->n; i++) {
        const int64_t from = pith_i_cells_from(X, i), to = pith_i_cells_to(X, i);
        double size = 0, most = 0;
        for (int64_t e = from; e < to; e++)
            most = add(ROW_MAX, most, pith_i_value(cells, X->dtype, e));
        const double unit = unit_of(most);
        for (int64_t e = from; most > 0 && e < to; e++)
            size = add(kind, size, pith_i_value(cells, X->dtype, e) / unit);
        size = kind == ROW_SQUARE ? sqrt(size) : size;
        for (int64_t e = from; size > 0 && e < to; e++)
            pith_i_set_value(cells, X->dtype, e, pith_i_value(cells, X->dtype, e) / unit / size * total);
    }
}

static pith_status l1(pith_ctx *ctx, pith_i_data *X, const double *values)
{
    (void)values;
    divide_rows(ctx, X, ROW_ABS, 1);
    return PITH_OK;
}

static pith_status l2(pith_ctx *ctx, pith_i_data *X, const double *values)
{
    (void)values;
    divide_rows(ctx, X, ROW_SQUARE, 1);
    return PITH_OK;
}

static pith_status max(pith_ctx *ctx, pith_i_data *X, const double *values)
{
    (void)values;
    divide_rows(ctx, X, ROW_MAX, 1);
    return PITH_OK;
}

static pith_status counts_per_10k(pith_ctx *ctx, pith_i_data *X, const double *values)
{
    pith_status st = PITH_OK;
    TRY(pith_i_refuse_negative(ctx, "counts-per-10k", X));
    divide_rows(ctx, X, ROW_SUM, values[0]);
done:
    return st;
}

const pith_i_step pith_i_step_l1 = {.name = "l1",
                                    .spreads = true,
                                    .title = "divides every sample by the sum of its absolute values",
                                    .change = l1};
const pith_i_step pith_i_step_l2 = {
    .name = "l2", .spreads = true, .title = "divides every sample by its Euclidean norm", .change = l2};
const pith_i_step pith_i_step_max = {.name = "max",
                                     .spreads = true,
                                     .title = "divides every sample by its largest absolute value",
                                     .change = max};
const pith_i_step pith_i_step_counts_per_10k = {
    .name = "counts-per-10k",
    .spreads = true,
    .title = "library-size normalisation: scales every sample to the same total, 10000 by default",
    .params = {{.name = "total",
                .help = "total count of every sample",
                .type = PITH_REAL,
                .def = 1e4,
                .lo = 1e-6,
                .hi = 1e12}},
    .change = counts_per_10k,
};
