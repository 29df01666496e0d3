#include "evaluate/tables.h"

#include "core/random.h"
#include "evaluate/plan.h"

/* The rows of some classes, drawn; in the order of the data. */
static pith_status rows_of_classes(pith_ctx *ctx, const pith_comparison *c, int64_t number, int64_t *kept,
                                   int64_t *count)
{
    pith_i_stream s = pith_i_stream_at(c->seed, PITH_I_RANDOM_SUBSETS, (uint64_t)number);
    int64_t *order = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, order, c->m->classes.count));
    pith_i_random_subset(&s, c->m->classes.count, c->protocol.subset_classes, order);
    *count = 0;
    for (int64_t i = 0; i < c->m->data.n; i++)
        for (int64_t k = 0; k < c->protocol.subset_classes; k++)
            if (c->m->label[i] == order[k])
                kept[(*count)++] = i;
done:
    return st;
}

/* Four fifths of the rows, drawn; in the order of the data. */
static pith_status some_rows(pith_ctx *ctx, const pith_comparison *c, int64_t number, int64_t *kept,
                             int64_t *count)
{
    const int64_t n = c->m->data.n, taken = n - n / 5;
    pith_i_stream s = pith_i_stream_at(c->seed, PITH_I_RANDOM_SUBSAMPLES, (uint64_t)number);
    int64_t *order = NULL;
    bool *in = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, order, n));
    TRY(SCRATCH_ZERO(ctx, in, n));
    pith_i_random_subset(&s, n, taken, order);
    for (int64_t i = 0; i < taken; i++)
        in[order[i]] = true;
    *count = 0;
    for (int64_t i = 0; i < n; i++)
        if (in[i])
            kept[(*count)++] = i;
done:
    return st;
}

typedef pith_status pick_fn(pith_ctx *ctx, const pith_comparison *c, int64_t number, int64_t *kept,
                            int64_t *count);

static pith_status take(pith_ctx *ctx, const pith_comparison *c, int64_t number, pick_fn *pick,
                        pith_i_table *a)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    int64_t *kept = NULL, count = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, kept, c->m->data.n));
    TRY(pick(ctx, c, number, kept, &count));
    TRY(pith_i_matrix_take_rows(ctx, c->m, count, kept, &a->owned));
    a->m = a->owned;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static void name_columns(const pith_comparison *c, pith_i_table *a)
{
    a->cache.features = &c->m->features; /* drawn rows come without names */
    a->cache.by_columns = c->m->by_columns;
}

static pith_status make(pith_ctx *ctx, const pith_comparison *c, int64_t count, pick_fn *pick,
                        pith_i_tables *out)
{
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, out->at, count));
    for (int64_t i = 0; i < count; i++) {
        pith_i_table *a = &out->at[out->count++];
        TRY(take(ctx, c, i, pick, a));
        TRY(pith_i_cache_new(ctx, &a->m->data, &a->cache));
        name_columns(c, a);
    }
done:
    return st;
}

/* The data as it is. */
static pith_status take_all(pith_ctx *ctx, const pith_comparison *c, pith_i_cache *cache, pith_i_tables *out)
{
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, out->at, 1));
    out->count = 1;
    out->at[0].m = c->m;
    out->at[0].cache = *cache;
    *cache = (pith_i_cache){0};
    name_columns(c, &out->at[0]);
done:
    return st;
}

pith_status pith_i_tables_judged(pith_ctx *ctx, const pith_comparison *c, pith_i_cache *cache,
                                 pith_i_tables *out)
{
    const int64_t draws = c->protocol.subset_draws;
    pith_status st = PITH_OK;
    if (draws > 0)
        pith_i_cache_free(cache); /* of the whole data, on which nothing is run */
    TRY(draws > 0 ? make(ctx, c, draws, rows_of_classes, out) : take_all(ctx, c, cache, out));
    for (int64_t i = 0; i < out->count; i++)
        TRY(pith_i_view_make(ctx, &out->at[i].m->data, &out->at[i].cache.stats,
                             pith_i_protocol_view(&c->protocol), &out->at[i].view));
done:
    return st;
}

pith_status pith_i_tables_subsamples(pith_ctx *ctx, const pith_comparison *c, pith_i_tables *out)
{
    return make(ctx, c, c->protocol.subsamples, some_rows, out);
}

void pith_i_tables_free(pith_i_tables *tables)
{
    for (int64_t i = 0; i < tables->count; i++) {
        pith_i_view_free(&tables->at[i].view);
        pith_i_cache_free(&tables->at[i].cache);
        pith_matrix_free(tables->at[i].owned);
    }
    tables->count = 0;
}
