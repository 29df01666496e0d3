/* pith_run: check, run, rank. */
#include "matrix/blas.h"
#include "methods/need.h"
#include "select/forecast.h"
#include "select/result.h"

pith_status pith_run(pith_ctx *ctx, const pith_matrix *m, const pith_params *params, pith_result **out)
{
    pith_result *r = NULL;
    int claim = 0;
    pith_status st = PITH_OK;
    if (ctx == NULL || m == NULL || params == NULL || out == NULL)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "no matrix, parameters or place for the result was given");
    const double start = pith_i_seconds();
    const int64_t held = pith_i_bytes_in_use(ctx), peak = pith_i_peak_begin(ctx);
    TRY(pith_i_check_need(ctx, &m->data, params));
    TRY(pith_i_blas_begin(ctx, &claim));
    if (!m->known_finite)
        TRY(pith_i_data_check_finite(ctx, &m->data));
    TRY(NEW_ZERO(ctx, r, 1));
    TRY(pith_i_params_copy(ctx, params, &r->params));
    TRY(pith_i_result_fill(ctx, m, r));
    r->seed = pith_ctx_seed(ctx);
    pith_i_engine_noted(ctx, r->engine);
    r->seconds = pith_i_seconds() - start;
    r->peak_bytes = pith_ctx_peak_bytes(ctx) - held;
    *out = r;
    r = NULL;
done:
    pith_i_peak_end(ctx, peak);
    pith_i_blas_end(ctx, claim);
    pith_result_free(r);
    return st;
}

pith_status pith_run_forecast(pith_ctx *ctx, const pith_matrix *m, const pith_params *params, double budget,
                              pith_forecast *out)
{
    if (ctx == NULL || m == NULL || params == NULL || out == NULL)
        return pith_i_error(ctx, PITH_E_ARGUMENT,
                            "no matrix, parameters or place for the forecast was given");
    return pith_i_forecast(ctx, m, params, budget, out);
}
