#include "evaluate/structure.h"

#include "synth/null_data.h"

#include <string.h>

const pith_i_ensemble_options pith_i_structure_ensemble = {
    .draws = PITH_I_HALVES, .neighbors = 5, .share = 0.5, .tests = true};

static pith_status test(pith_ctx *ctx, pith_i_cache *cache, pith_i_evidence *out)
{
    const pith_i_ensemble *e = NULL;
    pith_i_reuse unused = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_ensemble_get(ctx, cache, &pith_i_structure_ensemble, &unused, &e));
    TRY(pith_i_progress_stage(ctx, "testing features against chance", 0.95, 1));
    TRY(pith_i_evidence_groups(ctx, cache, e, out));
done:
    return st;
}

const char *pith_i_structure_why_not(const pith_comparison *c, const pith_i_table *table)
{
    return c->m->batch != NULL                          ? "samples of a batch are not independent"
           : table->m->data.n < PITH_I_EVIDENCE_SAMPLES ? "fewer than 20 samples are too few"
                                                        : NULL;
}

pith_status pith_i_structure_find(pith_ctx *ctx, pith_comparison *c, pith_i_table *table)
{
    const char *why = pith_i_structure_why_not(c, table);
    pith_status st = PITH_OK;
    if (why == NULL && table->ensemble == NULL)
        why = "the samples could not be grouped";
    if (why != NULL && c->wants_control)
        pith_i_note(ctx,
                    "warning: there is no control, because the features cannot be tested against chance: %s",
                    why);
    if (why != NULL)
        return PITH_OK;
    TRY(test(ctx, &table->cache, &c->structure.evidence));
    c->structure.samples = table->m->data.n;
done:
    return st;
}

pith_status pith_i_structure_control(pith_ctx *ctx, pith_comparison *c, const pith_i_table *table)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_cache cache = {0};
    pith_i_data null = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_progress_stage(ctx, "making data without structure", 0, 0));
    TRY(pith_i_null_data(ctx, &table->m->data, &null, &c->structure.control_counts));
    TRY(pith_i_cache_new(ctx, &null, &cache));
    cache.counts = table->cache.counts; /* treated as the data is, even where chance makes it dense */
    TRY(test(ctx, &cache, &c->structure.control));
done:
    pith_i_cache_free(&cache);
    pith_i_data_free(&null);
    pith_i_scratch_release(ctx, mark);
    return st;
}

int64_t pith_i_curve_entry(const pith_comparison *c)
{
    for (int64_t i = 0; i < c->n_entries; i++)
        if (strcmp(c->entries[i].method, "consensus") == 0)
            return i;
    return -1;
}

void pith_i_structure_free(pith_i_structure *s)
{
    pith_i_evidence_free(&s->evidence);
    pith_i_evidence_free(&s->control);
}
