/* pith_run: check, run, rank. */
#include "matrix/blas.h"
#include "methods/need.h"
#include "prep/steps.h"
#include "select/forecast.h"
#include "select/result.h"

#include <stdio.h>
#include <string.h>

/* What auto ranks: values that span orders of magnitude are prepared first (*made, the caller's), all else as
 * it is (NULL). Who asks for a method has it on the values as they are. */
static pith_status prepare(pith_ctx *ctx, const pith_matrix *m, const pith_params *params, const char **steps,
                           pith_matrix **made)
{
    const double share = 0.05; /* of the progress */
    pith_i_step_list list = {0};
    pith_status st = PITH_OK;
    TRY(pith_prep_auto(ctx, m, params->method, steps));
    if (*steps == NULL)
        goto done;
    TRY(pith_i_step_list_read(ctx, *steps, &list));
    TRY(pith_i_take_steps(ctx, &list, 0, share, m, made));
done:
    pith_i_step_list_free(&list);
    return st;
}

/* Logarithms have one scale: a feature that varies more says more. So consensus does not even them out. */
static pith_status choose_scaling(pith_ctx *ctx, const pith_matrix *m, pith_params *params)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_column_stats stats;
    char set[16] = "";
    bool logs = false;
    pith_status st = PITH_OK;
    TRY(pith_params_get(ctx, params, "scaling", set, sizeof set));
    if (strcmp(set, "auto") != 0)
        goto done;
    TRY(pith_i_column_statistics(ctx, &m->data, NULL, &stats));
    TRY(pith_i_may_be_logs(ctx, &m->data, &stats, &logs));
    if (logs)
        TRY(pith_i_params_set(ctx, params, "scaling", "pareto"));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* For consensus, which auto takes for all but counts. */
static pith_status suit(pith_ctx *ctx, const pith_matrix *m, pith_params *params, const char **steps,
                        pith_matrix **made)
{
    pith_status st = PITH_OK;
    *steps = NULL;
    if (!params->by_auto || strcmp(params->method->name, "consensus") != 0)
        return PITH_OK;
    TRY(prepare(ctx, m, params, steps, made));
    TRY(choose_scaling(ctx, *made != NULL ? *made : m, params));
done:
    return st;
}

static void tell_steps(const char *steps, pith_result *r)
{
    const char *more = r->facts.note;
    (void)snprintf(r->note, sizeof r->note,
                   "ranking after %s, since the values span orders of magnitude, as reads and intensities do "
                   "(a method by its name ranks them as they are)%s%s",
                   steps, more != NULL ? "; " : "", more != NULL ? more : "");
}

pith_status pith_run(pith_ctx *ctx, const pith_matrix *m, const pith_params *params, pith_result **out)
{
    pith_result *r = NULL;
    pith_matrix *made = NULL;
    const char *steps = NULL;
    int claim = 0;
    pith_status st = PITH_OK;
    if (ctx == NULL || m == NULL || params == NULL || out == NULL)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "no matrix, parameters or place for the result was given");
    const double start = pith_i_seconds();
    const int64_t held = pith_i_bytes_in_use(ctx), peak = pith_i_peak_begin(ctx);
    pith_i_progress_begin(ctx);
    TRY(pith_i_progress_stage(ctx, "preparing the data", 0, 0));
    TRY(pith_i_check_need(ctx, &m->data, params));
    TRY(pith_i_blas_begin(ctx, &claim));
    if (!m->known_finite)
        TRY(pith_i_data_check_finite(ctx, &m->data));
    TRY(NEW_ZERO(ctx, r, 1));
    TRY(pith_i_params_copy(ctx, params, &r->params));
    TRY(suit(ctx, m, r->params, &steps, &made));
    TRY(pith_i_result_fill(ctx, made != NULL ? made : m, r));
    if (made != NULL)
        tell_steps(steps, r);
    r->seed = pith_ctx_seed(ctx);
    pith_i_engine_noted(ctx, r->engine);
    r->seconds = pith_i_seconds() - start;
    r->peak_bytes = pith_ctx_peak_bytes(ctx) - held;
    *out = r;
    r = NULL;
done:
    pith_i_peak_end(ctx, peak);
    pith_i_blas_end(ctx, claim);
    pith_matrix_free(made);
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
