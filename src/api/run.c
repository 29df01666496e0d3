/* pith_run: check, run, rank. */
#include "methods/run.h"
#include "matrix/blas.h"
#include "matrix/matrix.h"
#include "select/order.h"
#include "select/result.h"

static pith_status fill_result(pith_ctx *ctx, const pith_matrix *m, pith_result *r)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_outcome outcome = {0};
    pith_i_parts parts = {0};
    pith_matrix *labelled = NULL;
    pith_status st = PITH_OK;
    pith_i_progress_begin(ctx);
    TRY(pith_i_progress_stage(ctx, "preparing the data", 0, 0));
    if (pith_method_needs_labels(pith_params_method(r->params)))
        TRY(pith_i_take_labelled(ctx, m, &labelled));
    const pith_matrix *used = labelled != NULL ? labelled : m;
    TRY(pith_i_parts_new(ctx, &used->data, &parts));
    parts.features = &m->features;
    parts.by_columns = m->by_columns;
    TRY(pith_i_run(ctx, &parts, used->label, (int32_t)used->classes.count, r->params, &outcome));
    TRY(NEW(ctx, r->ranking, m->data.p));
    TRY(pith_i_order(ctx, &parts, r->params, &outcome, r->ranking));
    if (outcome.score_at != NULL)
        TRY(NEW(ctx, r->ranking_for, r->params->n_counts * m->data.p));
    for (int64_t k = 0; r->ranking_for != NULL && k < r->params->n_counts; k++)
        TRY(pith_i_order_for(ctx, &parts, r->params, &outcome, k, r->ranking_for + k * m->data.p));
    r->score = outcome.score;
    r->reason = outcome.reason;
    outcome.score = NULL;
    outcome.reason = NULL;
    r->facts = outcome.facts;
    r->p = m->data.p;
done:
    pith_i_outcome_free(&outcome);
    pith_i_parts_free(&parts);
    pith_matrix_free(labelled);
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_run(pith_ctx *ctx, const pith_matrix *m, const pith_params *params, pith_result **out)
{
    pith_result *r = NULL;
    int claim = 0;
    pith_status st = PITH_OK;
    if (ctx == NULL || m == NULL || params == NULL || out == NULL)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "no matrix, parameters or place for the result was given");
    const double start = pith_i_seconds();
    const int64_t held = pith_i_bytes_in_use(ctx), peak = pith_i_peak_begin(ctx);
    TRY(pith_i_blas_begin(ctx, &claim));
    if (!m->known_finite)
        TRY(pith_i_data_check_finite(ctx, &m->data));
    TRY(NEW_ZERO(ctx, r, 1));
    TRY(pith_i_params_copy(ctx, params, &r->params));
    TRY(fill_result(ctx, m, r));
    r->seed = pith_ctx_seed(ctx);
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
