/* Steps that map each value by itself. All of them keep 0, so sparse data stays sparse. */
#include "prep/step.h"

#include <math.h>

/* ---- Logarithms --------------------------------------------------------------------------------------- */

static double log1p_cell(const void *self, int64_t i, int64_t j, double v)
{
    (void)self, (void)i, (void)j;
    return log1p(v);
}

static pith_status log1p_change(pith_ctx *ctx, pith_i_data *X, const double *values)
{
    const void *cells = pith_i_cells(X);
    (void)values;
    for (int64_t i = 0; i < X->n; i++)
        for (int64_t e = pith_i_cells_from(X, i); e < pith_i_cells_to(X, i); e++)
            if (pith_i_value(cells, X->dtype, e) <= -1)
                return pith_i_error(
                    ctx, PITH_E_DATA,
                    "log1p: row %lld, column %lld (counted from 1) is -1 or less and has no logarithm",
                    (long long)i + 1, (long long)pith_i_cell_column(X, i, e) + 1);
    pith_i_each_cell(ctx, X, log1p_cell, NULL);
    return PITH_OK;
}

/* Values below 1 are background, or what is left after subtracting it: the floor makes them equal. */
static double log10_cell(const void *self, int64_t i, int64_t j, double v)
{
    (void)self, (void)i, (void)j;
    return v > 1 ? log10(v) : 0;
}

static pith_status log10_change(pith_ctx *ctx, pith_i_data *X, const double *values)
{
    const void *cells = pith_i_cells(X);
    double most = -INFINITY;
    for (int64_t e = 0; e < pith_i_stored(X); e++)
        most = fmax(most, pith_i_value(cells, X->dtype, e));
    if (most <= values[0]) {
        pith_i_note(
            ctx,
            "log10: no value is above %g, so the data is taken to be logarithms already and left unchanged",
            values[0]);
        return PITH_OK;
    }
    pith_i_each_cell(ctx, X, log10_cell, NULL);
    return PITH_OK;
}

/* ---- Presence ----------------------------------------------------------------------------------------- */

static double binary_cell(const void *self, int64_t i, int64_t j, double v)
{
    (void)i, (void)j;
    return v > *(const double *)self;
}

static pith_status binary_change(pith_ctx *ctx, pith_i_data *X, const double *values)
{
    pith_i_each_cell(ctx, X, binary_cell, values);
    return PITH_OK;
}

const pith_i_step pith_i_step_log1p = {
    .name = "log1p", .spreads = true, .title = "takes ln(1 + x) of every value", .change = log1p_change};
const pith_i_step pith_i_step_log10 = {
    .name = "log10",
    .title = "takes the base-10 logarithm of every value; values below 1 become 0",
    .params = {{.name = "logged",
                .help =
                    "data without a value above this is assumed to be logarithms already and left unchanged",
                .type = PITH_REAL,
                .def = 0,
                .lo = 0,
                .hi = 1e6}},
    .change = log10_change,
};
const pith_i_step pith_i_step_binary = {
    .name = "binary",
    .spreads = true,
    .title = "replaces every value by 1 if it is above the threshold, else by 0",
    .params =
        {{.name = "threshold", .help = "the threshold", .type = PITH_REAL, .def = 0, .lo = 0, .hi = 1e300}},
    .change = binary_change,
};
