#include "select/spread.h"

#include "core/engine.h"

/* What of the settings takes all samples in one place, or NULL. */
static const char *not_apart(const pith_matrix *m, const pith_i_shared *o)
{
    if (m->batch != NULL)
        return "batches";
    if (o->own_graph != NULL || o->graph_rows != NULL)
        return "a graph of your own";
    if (o->start.n > 0)
        return "initial labels";
    if (o->diversity > 0)
        return "diversity";
    if (o->evidence == EVIDENCE_GROUPS || o->evidence == EVIDENCE_LINEAR)
        return "evidence";
    if (o->graph == GRAPH_FULL)
        return "a graph of all pairs";
    return NULL;
}

/* The same table everywhere: processes that hold other columns hold another table. */
static pith_status check_columns(pith_ctx *ctx, int64_t p)
{
    double least = (double)p, most = (double)p;
    pith_status st = PITH_OK;
    TRY(pith_i_sum_by(ctx, PITH_ENGINE_LEAST, 1, &least));
    TRY(pith_i_sum_by(ctx, PITH_ENGINE_MOST, 1, &most));
    if (least != most)
        FAIL(ctx, PITH_E_DATA, "one process has %lld columns and another %lld: they hold different tables",
             (long long)least, (long long)most);
done:
    return st;
}

pith_status pith_i_spread_rows(pith_ctx *ctx, const pith_matrix *m, const pith_params *params, pith_i_data *X)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int processes = pith_i_processes(ctx), own = pith_i_process(ctx);
    const char *whole = not_apart(m, pith_i_params_shared(params));
    int64_t *rows = NULL;
    pith_status st = PITH_OK;
    if (processes == 1)
        return PITH_OK;
    if (!params->method->spreads)
        FAIL(ctx, PITH_E_PARAMETER,
             "%s needs all samples in one process, but engine %s spreads them over %d: use another method "
             "(see 'pith methods'), or one process",
             params->method->name, pith_ctx_engine(ctx), processes);
    if (whole != NULL)
        TRY(pith_i_one_process(ctx, whole));
    TRY(check_columns(ctx, X->p));
    TRY(SCRATCH_ZERO(ctx, rows, processes));
    rows[own] = X->n;
    TRY(pith_i_sum_counts(ctx, processes, rows));
    X->offset = X->all = 0;
    for (int r = 0; r < processes; r++) {
        X->offset += r < own ? rows[r] : 0;
        X->all += rows[r];
    }
    if (X->all == 0)
        FAIL(ctx, PITH_E_DATA, "no process has any rows");
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
