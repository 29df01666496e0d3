#include "select/spread.h"

#include "core/engine.h"

#include <string.h>

/* The setting that needs all samples in one process, or NULL. */
static const char *needs_one_process(const pith_matrix *m, const pith_i_shared *o)
{
    if (m->batch != NULL)
        return "batches";
    if (o->own_graph != NULL || o->graph_rows != NULL)
        return "a graph of your own";
    if (o->start.n > 0)
        return "initial labels";
    if (o->evidence == EVIDENCE_LINEAR)
        return "evidence linear";
    if (o->graph == GRAPH_FULL)
        return "a graph of all pairs";
    return NULL;
}

/* All processes must hold rows of one table, so the number of columns must be the same. */
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

pith_status pith_i_spread_check(pith_ctx *ctx, const pith_matrix *m, const pith_params *params)
{
    const int processes = pith_i_processes(ctx);
    const char *whole = needs_one_process(m, pith_i_params_shared(params));
    if (processes > 1 && !params->method->spreads)
        return pith_i_error(
            ctx, PITH_E_PARAMETER,
            "%s needs all samples in one process, but engine %s spreads them over %d: use another method "
            "(see 'pith methods'), or one process",
            params->method->name, pith_ctx_engine(ctx), processes);
    return whole != NULL ? pith_i_one_process(ctx, whole) : PITH_OK;
}

pith_status pith_i_spread_place(pith_ctx *ctx, pith_i_data *X)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int processes = pith_i_processes(ctx), own = pith_i_process(ctx);
    int64_t *rows = NULL;
    pith_status st = PITH_OK;
    if (processes == 1)
        return PITH_OK;
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

pith_status pith_i_spread_rows(pith_ctx *ctx, const pith_matrix *m, const pith_params *params, pith_i_data *X)
{
    pith_status st = PITH_OK;
    if (pith_i_processes(ctx) == 1)
        return PITH_OK;
    TRY(pith_i_spread_check(ctx, m, params));
    TRY(pith_i_spread_place(ctx, X));
done:
    return st;
}

/* ---- Labels -------------------------------------------------------------------------------------------- */

pith_status pith_i_spread_labelled(pith_ctx *ctx, const pith_matrix *m, pith_matrix **out)
{
    double most = (double)pith_i_labelled(m);
    pith_status st = PITH_OK;
    TRY(pith_i_sum_by(ctx, PITH_ENGINE_MOST, 1, &most));
    if (most > 0 && m->label == NULL && m->data.n > 0) /* all of the labelled ones are elsewhere */
        TRY(pith_i_matrix_take_rows(ctx, m, 0, NULL, out));
    else
        TRY(pith_i_take_labelled(ctx, m, out));
done:
    return st;
}

/* Sends the names, one text after another, to the first `to` processes. *came, in scratch, is what arrives:
 * from process r, the bytes came_at[r] .. came_at[r + 1] - 1. */
static pith_status send_names(pith_ctx *ctx, const pith_i_names *names, int to, int64_t **came_at,
                              const char **came)
{
    const int processes = pith_i_processes(ctx);
    int64_t *send_at = NULL, bytes = 0;
    char *send = NULL;
    void *received = NULL;
    pith_status st = PITH_OK;
    for (int64_t k = 0; k < names->count; k++)
        bytes += (int64_t)strlen(pith_i_name(names, k)) + 1;
    TRY(SCRATCH(ctx, send_at, processes + 1));
    TRY(SCRATCH(ctx, send, bytes * processes));
    send_at[0] = 0;
    for (int r = 0; r < processes; r++) {
        int64_t at = send_at[r];
        for (int64_t k = 0; r < to && k < names->count; k++) {
            const size_t size = strlen(pith_i_name(names, k)) + 1;
            memcpy(send + at, pith_i_name(names, k), size);
            at += (int64_t)size;
        }
        send_at[r + 1] = at;
    }
    TRY(pith_i_exchange(ctx, send_at, send, came_at, &received));
    *came = received;
done:
    return st;
}

/* Copies what arrived into names; those from process `rank` begin at *own. */
static pith_status keep_names(pith_ctx *ctx, const int64_t *came_at, const char *came, int rank,
                              pith_i_names *out, int64_t *own)
{
    const int64_t bytes = came_at[pith_i_processes(ctx)];
    const char **texts = NULL;
    int64_t count = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, texts, bytes));
    for (int64_t at = 0; at < bytes; at += (int64_t)strlen(came + at) + 1) {
        if (at == came_at[rank])
            *own = count;
        texts[count++] = came + at;
    }
    TRY(pith_i_names_copy(ctx, count, texts, out));
done:
    return st;
}

/* The names of all classes of all processes, rank by rank; those of this one begin at *own. */
static pith_status gather_classes(pith_ctx *ctx, const pith_i_names *classes, pith_i_names *all, int64_t *own)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    int64_t *came_at = NULL;
    const char *came = NULL;
    pith_status st = PITH_OK;
    TRY(send_names(ctx, classes, pith_i_processes(ctx), &came_at, &came));
    TRY(keep_names(ctx, came_at, came, pith_i_process(ctx), all, own));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_spread_classes(pith_ctx *ctx, const pith_matrix *m, const int32_t **label,
                                  int32_t *classes)
{
    pith_matrix *all = NULL; /* its rows are the classes of all processes: numbered as labels are */
    pith_i_names names = {0};
    int32_t *mine = NULL;
    int64_t own = 0;
    pith_status st = PITH_OK;
    *label = m->label;
    *classes = (int32_t)m->classes.count;
    if (pith_i_processes(ctx) == 1)
        return PITH_OK;
    TRY(SCRATCH(ctx, mine, m->data.n));
    TRY(gather_classes(ctx, &m->classes, &names, &own));
    TRY(pith_i_matrix_new(ctx, &all));
    TRY(pith_i_matrix_label(ctx, all, &names));
    for (int64_t i = 0; m->label != NULL && i < m->data.n; i++)
        mine[i] = all->label[own + m->label[i]];
    *label = all->label != NULL ? mine : NULL;
    *classes = (int32_t)all->classes.count;
done:
    pith_i_names_free(&names);
    pith_matrix_free(all);
    return st;
}

/* ---- Columns ------------------------------------------------------------------------------------------- */

pith_status pith_i_spread_names(pith_ctx *ctx, const pith_i_names *names, pith_i_names *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int to = pith_i_process(ctx) == 0 ? pith_i_processes(ctx) : 0; /* the others send none */
    int64_t *came_at = NULL, own = 0;
    const char *came = NULL;
    pith_status st = PITH_OK;
    TRY(send_names(ctx, names, to, &came_at, &came));
    if (came_at[pith_i_processes(ctx)] > 0)
        TRY(keep_names(ctx, came_at, came, 0, out, &own));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_spread_columns(pith_ctx *ctx, const pith_matrix *m, pith_i_names *names, bool *by_columns)
{
    double told = pith_i_process(ctx) == 0 && *by_columns;
    pith_status st = PITH_OK;
    if (pith_i_processes(ctx) == 1)
        return PITH_OK;
    TRY(pith_i_sum(ctx, 1, &told));
    *by_columns = told > 0;
    TRY(pith_i_spread_names(ctx, &m->features, names));
done:
    return st;
}
