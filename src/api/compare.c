/* pith_compare: plan, resume from an earlier run, run; and the accessors of a comparison. */
#include "cluster/eigengap.h"
#include "core/engine.h"
#include "core/options.h"
#include "evaluate/picture.h"
#include "evaluate/plan.h"
#include "evaluate/run_entries.h"
#include "evaluate/structure.h"
#include "matrix/blas.h"
#include "methods/run.h"
#include "report/resume.h"

#include <math.h>
#include <string.h>

void pith_comparison_free(pith_comparison *c)
{
    if (c == NULL)
        return;
    for (int64_t i = 0; i < c->n_entries; i++) {
        pith_i_entry_clear(&c->entries[i]);
        pith_i_free(c->entries[i].method);
        pith_i_free(c->entries[i].setting);
        pith_params_free(c->entries[i].params);
    }
    pith_i_free(c->entries);
    pith_i_free(c->counts);
    pith_i_free(c->settings);
    pith_i_free(c->no_agreement);
    pith_i_structure_free(&c->structure);
    pith_i_map_free(&c->map);
    pith_i_free(c);
}

/* The number of clusters for the judge, where neither the user nor labels give one. */
static pith_status settle_clusters(pith_ctx *ctx, pith_i_cache *cache, pith_i_protocol *p)
{
    const int64_t n = cache->X->n;
    const pith_i_graph_options options = pith_i_protocol_graph(p, PITH_I_JUDGE_NEIGHBORS, n);
    pith_i_spectrum spectrum = {0};
    pith_i_reuse unused = {0};
    pith_i_cached_graph *cached = NULL;
    int64_t m = 0;
    pith_status st = PITH_OK;
    if (p->clusters > 0)
        return PITH_OK;
    TRY(pith_i_cache_graph(ctx, cache, pith_i_protocol_view(p), &options, &unused, &cached));
    TRY(pith_i_eigengap_values(ctx, cached->graph, n, &m));
    /* Not kept with the graph: a method that shares it finds as many pairs as it needs, so that its scores do
     * not depend on what was computed before. */
    TRY(pith_i_spectrum_find(ctx, cached->graph, m, &spectrum));
    p->clusters = pith_i_eigengap(m, spectrum.value);
done:
    pith_i_spectrum_free(&spectrum);
    return st;
}

static void warn_of_units(pith_ctx *ctx, const pith_i_heavy *heavy, const pith_comparison *c)
{
    char made[24], which[64] = "the feature";
    if (heavy->columns > 1)
        (void)snprintf(which, sizeof which, "%lld of %lld features, most of all", (long long)heavy->columns,
                       (long long)c->m->data.p);
    pith_i_note(ctx,
                "warning: %.3g %% of the variance is that of %s %s, so clusters show hardly any other: where "
                "features have different units, prepare them first (zscore)",
                100 * heavy->share, which, pith_i_feature_label(c->m, heavy->largest, made));
}

/* The papers compare their data as they have it. */
static pith_status warn_of_values(pith_ctx *ctx, const pith_i_cache *cache, const pith_comparison *c)
{
    bool unlogged = false;
    pith_status st = PITH_OK;
    if (c->protocol.name != NULL || c->protocol.tfidf)
        return PITH_OK;
    TRY(pith_i_is_unlogged(ctx, cache->X, &cache->stats, &unlogged));
    if (unlogged)
        pith_i_note(ctx, "warning: the values span orders of magnitude, as reads and intensities do: compare "
                         "their logarithms, which prep auto takes");
    else if (cache->heavy.columns > 0)
        warn_of_units(ctx, &cache->heavy, c);
done:
    return st;
}

static pith_status plan(pith_ctx *ctx, const pith_compare_options *o, pith_i_cache *cache, pith_comparison *c)
{
    pith_status st = PITH_OK;
    TRY(pith_i_plan_protocol(ctx, c->m, cache, o, &c->protocol));
    TRY(warn_of_values(ctx, cache, c));
    TRY(settle_clusters(ctx, cache, &c->protocol));
    TRY(pith_i_plan_counts(ctx, c, o->features));
    TRY(pith_i_plan_entries(ctx, c, o));
    if (o->resume != NULL)
        TRY(pith_i_resume(ctx, c, o->resume));
done:
    return st;
}

/* The plan and the methods share one cache. */
static pith_status plan_and_run(pith_ctx *ctx, const pith_compare_options *o, pith_i_spread_ranking *spread,
                                pith_comparison *c, bool *planned)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_cache cache = {0};
    pith_i_search_mode mode = PITH_I_SEARCH_AUTO;
    double recall = 0;
    pith_status st = pith_i_plan_search(ctx, o, &mode, &recall);
    if (st != PITH_OK)
        return st;
    const pith_i_searching before = pith_i_searching_begin(ctx, mode, recall);
    pith_i_progress_begin(ctx);
    TRY(pith_i_progress_stage(ctx, "preparing the data", 0, 0));
    TRY(pith_i_cache_new(ctx, &c->m->data, &cache));
    TRY(plan(ctx, o, &cache, c));
    c->graphs = cache.built; /* pith_i_run_entries adds those built from here on */
    cache.built = 0;
    *planned = true;
    if (spread != NULL && c->protocol.subset_draws > 0)
        FAIL(ctx, PITH_E_PARAMETER,
             "protocol %s draws classes of samples, which processes cannot share: use one process",
             c->protocol.name);
    TRY(pith_i_run_entries(ctx, c, &cache, spread));
done:
    c->recall = pith_i_searching_end(ctx, before).measured;
    pith_i_cache_free(&cache);
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* In this process alone, except that all processes rank if spread is given. */
static pith_status compare(pith_ctx *ctx, const pith_matrix *m, const pith_compare_options *o,
                           pith_i_spread_ranking *spread, const char *engine, pith_comparison **out)
{
    pith_comparison *c = NULL;
    bool planned = false;
    pith_status st = PITH_OK;
    TRY(NEW_ZERO(ctx, c, 1));
    c->m = m;
    c->seed = pith_ctx_seed(ctx);
    memcpy(c->engine, engine, sizeof c->engine);
    c->wants_control = o->control;
    pith_i_fingerprint_make(ctx, m, &c->fingerprint);
    if (!m->known_finite)
        TRY(pith_i_data_check_finite(ctx, &m->data));
    st = plan_and_run(ctx, o, spread, c, &planned);
    if (st == PITH_OK || (st == PITH_E_STOPPED && planned)) {
        *out = c;
        c = NULL;
    }
done:
    pith_comparison_free(c);
    return st;
}

/* For an engine that spreads the samples over processes. */
static pith_status compare_parts(pith_ctx *ctx, const pith_matrix *m, const pith_compare_options *o,
                                 const char *engine, pith_comparison **out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_spread_ranking spread = {0};
    pith_i_search_mode mode = PITH_I_SEARCH_AUTO;
    double recall = 0;
    pith_status st = PITH_OK;
    *out = NULL;
    if (o->part == NULL)
        TRY(pith_i_one_process(ctx, "compare"));
    if (o->stability > 0)
        TRY(pith_i_one_process(ctx, "stability"));
    if (!o->part->known_finite)
        TRY(pith_i_data_check_finite(ctx, &o->part->data));
    TRY(pith_i_spread_ranking_open(ctx, o->part, &spread));
    if (pith_i_process(ctx) == 0) {
        spread.engine = pith_i_engine_set_aside(ctx);
        st = compare(ctx, m, o, &spread, engine, out);
        const pith_status told = pith_i_spread_ranking_finish(ctx, &spread);
        st = st != PITH_OK ? st : told;
    } else {
        TRY(pith_i_plan_search(ctx, o, &mode, &recall));
        const pith_i_searching before = pith_i_searching_begin(ctx, mode, recall);
        st = pith_i_help_entries(ctx, o, &spread);
        (void)pith_i_searching_end(ctx, before);
    }
done:
    pith_i_spread_ranking_close(&spread);
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_compare(pith_ctx *ctx, const pith_matrix *m, const pith_compare_options *options,
                         pith_comparison **out)
{
    char engine[PITH_I_ENGINE_NAME];
    pith_compare_options o;
    int claim = 0;
    pith_status st = PITH_OK;
    if (ctx == NULL || m == NULL || out == NULL)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "no matrix or place for the comparison was given");
    TRY(TAKE_OPTIONS(ctx, pith_compare_options, options, &o));
    TRY(pith_i_blas_begin(ctx, &claim));
    pith_i_engine_noted(ctx, engine);
    TRY(pith_i_processes(ctx) > 1 ? compare_parts(ctx, m, &o, engine, out)
                                  : compare(ctx, m, &o, NULL, engine, out));
done:
    pith_i_blas_end(ctx, claim);
    return st;
}

int64_t pith_comparison_entries(const pith_comparison *c)
{
    return c->n_entries;
}

static const pith_i_entry *entry_at(const pith_comparison *c, int64_t entry)
{
    return entry >= 0 && entry < c->n_entries ? &c->entries[entry] : NULL;
}

const char *pith_comparison_method(const pith_comparison *c, int64_t entry)
{
    const pith_i_entry *e = entry_at(c, entry);
    return e != NULL ? e->method : NULL;
}

const char *pith_comparison_setting(const pith_comparison *c, int64_t entry)
{
    const pith_i_entry *e = entry_at(c, entry);
    return e != NULL ? e->setting : NULL;
}

const char *pith_comparison_error(const pith_comparison *c, int64_t entry)
{
    const pith_i_entry *e = entry_at(c, entry);
    return e != NULL ? e->error : NULL;
}

double pith_comparison_seconds(const pith_comparison *c, int64_t entry)
{
    const pith_i_entry *e = entry_at(c, entry);
    return e != NULL ? e->seconds : (double)NAN;
}

const int64_t *pith_comparison_ranking(const pith_comparison *c, int64_t entry, int64_t *count)
{
    const pith_i_entry *e = entry_at(c, entry);
    const int64_t *ranking = e != NULL ? e->ranking : NULL;
    if (count != NULL)
        *count = ranking != NULL ? c->n_kept : 0;
    return ranking;
}

int64_t pith_comparison_features(const pith_comparison *c, int64_t entry, int64_t row)
{
    const pith_i_entry *e = entry_at(c, entry);
    return e != NULL && row >= 0 && row < e->n_rows ? e->rows[row].features : 0;
}

/* The figure of that name; NULL: not measured. */
static const pith_i_figure *find_figure(const pith_comparison *c, int64_t entry, int64_t row,
                                        const char *measure)
{
    const pith_i_entry *e = entry_at(c, entry);
    for (int m = 0; e != NULL && row >= 0 && row < e->n_rows && m < MEASURES; m++) {
        const pith_i_figure *f = &e->rows[row].figure[m];
        if (strcmp(pith_i_measure_names[m], measure) == 0 && !isnan(f->mean))
            return f;
    }
    return NULL;
}

bool pith_comparison_figure(const pith_comparison *c, int64_t entry, int64_t row, const char *measure,
                            double *mean, double *sd)
{
    const pith_i_figure *f = find_figure(c, entry, row, measure);
    if (f == NULL)
        return false;
    *mean = f->mean;
    *sd = f->sd;
    return true;
}

int64_t pith_comparison_runs(const pith_comparison *c, int64_t entry, int64_t row, const char *measure)
{
    const pith_i_figure *f = find_figure(c, entry, row, measure);
    return f != NULL ? f->runs : 0;
}

const char *pith_comparison_measure(size_t i)
{
    return i < MEASURES ? pith_i_measure_names[i] : NULL;
}

int64_t pith_comparison_peak_bytes(const pith_comparison *c, int64_t entry)
{
    const pith_i_entry *e = entry_at(c, entry);
    return e != NULL ? e->peak_bytes : 0;
}

static const pith_evidence *shown(const pith_i_evidence *evidence)
{
    return evidence->shown.features > 0 ? &evidence->shown : NULL;
}

const pith_evidence *pith_comparison_evidence(const pith_comparison *c)
{
    return shown(&c->structure.evidence);
}

const pith_evidence *pith_comparison_control(const pith_comparison *c)
{
    return shown(&c->structure.control);
}

double pith_comparison_curve(const pith_comparison *c, int64_t i, int64_t *features)
{
    return pith_i_curve_at(&c->structure.curve, i, features);
}

int64_t pith_comparison_keep(const pith_comparison *c)
{
    return c->structure.curve.count > 0 ? c->structure.keep : -1;
}
