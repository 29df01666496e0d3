#include "evaluate/spread_ranking.h"

#include "evaluate/plan.h"
#include "select/spread.h"

#include <string.h>

pith_status pith_i_spread_ranking_open(pith_ctx *ctx, const pith_matrix *part, pith_i_spread_ranking *out)
{
    bool by_columns = part->by_columns;
    pith_status st = PITH_OK;
    out->X = pith_i_data_rows(&part->data, 0, part->data.n);
    TRY(pith_i_spread_place(ctx, &out->X));
    TRY(pith_i_spread_columns(ctx, part, &out->columns, &by_columns));
    TRY(pith_i_cache_new(ctx, &out->X, &out->table.cache));
    out->table.m = part;
    out->table.cache.features = out->columns.start != NULL ? &out->columns : &part->features;
    out->table.cache.by_columns = by_columns;
done:
    return st;
}

void pith_i_spread_ranking_close(pith_i_spread_ranking *spread)
{
    pith_i_cache_free(&spread->table.cache);
    pith_i_names_free(&spread->columns);
}

bool pith_i_fails_everywhere(pith_status st)
{
    return st == PITH_E_DATA || st == PITH_E_NUMERIC || st == PITH_E_PARAMETER;
}

/* ---- Messages ------------------------------------------------------------------------------------------ */

typedef struct said { /* followed by the counts, the method and the setting, with their final zeros */
    int64_t more, clusters, n_counts, method, setting;
} said;

/* From process 0 to all others. */
static pith_status tell(pith_ctx *ctx, const pith_i_wish *w)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int processes = pith_i_processes(ctx);
    const said head = {w->more, w->clusters, w->n_counts, (int64_t)strlen(w->method) + 1,
                       (int64_t)strlen(w->setting) + 1};
    const int64_t counts = w->n_counts * (int64_t)sizeof *w->counts,
                  bytes = (int64_t)sizeof head + counts + head.method + head.setting;
    int64_t *send_at = NULL, *came_at = NULL;
    char *send = NULL;
    void *came = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, send_at, processes + 1));
    TRY(SCRATCH(ctx, send, processes * bytes));
    send_at[0] = 0;
    for (int r = 0; r < processes; r++) {
        char *to = send + send_at[r];
        send_at[r + 1] = r == 0 ? 0 : send_at[r] + bytes;
        if (r == 0)
            continue;
        memcpy(to, &head, sizeof head);
        if (counts > 0)
            memcpy(to + sizeof head, w->counts, (size_t)counts);
        memcpy(to + (int64_t)sizeof head + counts, w->method, (size_t)head.method);
        memcpy(to + (int64_t)sizeof head + counts + head.method, w->setting, (size_t)head.setting);
    }
    TRY(pith_i_exchange(ctx, send_at, send, &came_at, &came));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_spread_ranking_hear(pith_ctx *ctx, pith_i_wish *out)
{
    int64_t *send_at = NULL, *came_at = NULL;
    void *came = NULL;
    said head = {0};
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, send_at, pith_i_processes(ctx) + 1));
    TRY(pith_i_exchange(ctx, send_at, NULL, &came_at, &came));
    memcpy(&head, came, sizeof head);
    const char *texts = (const char *)came + sizeof head + (size_t)head.n_counts * sizeof *out->counts;
    *out = (pith_i_wish){.more = head.more != 0,
                         .clusters = head.clusters,
                         .n_counts = head.n_counts,
                         .counts = (const int64_t *)((const char *)came + sizeof head),
                         .method = texts,
                         .setting = texts + head.method};
done:
    return st;
}

/* ---- Process 0 ----------------------------------------------------------------------------------------- */

/* If only some samples have a label, these form a table of their own, which is not spread over processes. */
static pith_status check(pith_ctx *ctx, const pith_i_spread_ranking *spread, const pith_comparison *c,
                         const pith_i_entry *e)
{
    if (pith_method_needs_labels(pith_params_method(e->params)) && pith_i_labelled(c->m) < c->m->data.n)
        return pith_i_one_process(ctx, "labels of some of the samples only");
    return pith_i_spread_check(ctx, spread->table.m, e->params);
}

pith_status pith_i_spread_ranking_begin(pith_ctx *ctx, pith_i_spread_ranking *spread,
                                        const pith_comparison *c, const pith_i_entry *e)
{
    pith_status st = PITH_OK;
    pith_i_engine_take_up(ctx, spread->engine);
    TRY(check(ctx, spread, c, e));
    spread->broken = true;
    TRY(tell(ctx, &(pith_i_wish){.more = true,
                                 .method = e->method,
                                 .setting = e->setting,
                                 .clusters = pith_i_told_clusters(&c->protocol),
                                 .n_counts = c->n_counts,
                                 .counts = c->counts}));
done:
    if (st != PITH_OK)
        spread->engine = pith_i_engine_set_aside(ctx);
    return st;
}

pith_status pith_i_spread_ranking_end(pith_ctx *ctx, pith_i_spread_ranking *spread, pith_status st)
{
    spread->broken = st != PITH_OK && !pith_i_fails_everywhere(st);
    spread->engine = pith_i_engine_set_aside(ctx);
    return st;
}

pith_status pith_i_spread_ranking_finish(pith_ctx *ctx, pith_i_spread_ranking *spread)
{
    pith_i_engine_take_up(ctx, spread->engine);
    return spread->broken ? PITH_OK : tell(ctx, &(pith_i_wish){.method = "", .setting = ""});
}
