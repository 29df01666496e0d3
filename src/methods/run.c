#include "methods/run.h"

#include "cluster/eigengap.h"
#include "methods/evidence.h"

#include <stdio.h>
#include <string.h>

/* For --clusters auto. */
enum { MOST_CLUSTERS = 20 };

static bool needs(const pith_params *params, unsigned what)
{
    return (params->method->needs & what) != 0;
}

/* Warns if the data would be counts but for a few columns: these few change how all of it is treated. */
static void warn_of_stray_negatives(const pith_i_cache *cache, pith_i_facts *facts)
{
    int64_t first = -1, columns = 0;
    for (int64_t j = 0; j < cache->X->p; j++)
        if (cache->stats.min[j] < 0) {
            first = first < 0 ? j : first;
            columns++;
        }
    if (columns > 0 && cache->density < 0.5 && columns <= 1 + cache->X->p / 100)
        pith_i_warn(facts,
                    "column %lld (counted from 1) has negative values, but hardly any other does: the "
                    "data is not treated as counts; correct or drop them",
                    (long long)first + 1);
}

/* Reads and intensities have such columns, too: of them it has been said that logarithms are needed, and
 * z-scores would not do. */
void pith_i_warn_of_units(const pith_i_cache *cache, const char *method, pith_i_facts *facts)
{
    char which[64] = "one feature";
    if (cache->heavy.columns == 0 || facts->said[0] != '\0')
        return;
    if (cache->heavy.columns > 1)
        (void)snprintf(which, sizeof which, "%lld of %lld features", (long long)cache->heavy.columns,
                       (long long)cache->X->p);
    pith_i_warn(facts,
                "%.3g %% of the variance is that of %s, so %s finds neighbours by hardly any other: where "
                "features have different units, prepare them first (zscore)",
                100 * cache->heavy.share, which, method);
}

static bool has_graph_of_values(const pith_method *m, const pith_i_shared *o)
{
    return (m->needs & NEEDS_GRAPH) != 0 && o->standardize == VIEW_NONE && o->own_graph == NULL &&
           o->graph_rows == NULL;
}

/* The method's own view of the columns. */
static pith_status make_view(pith_ctx *ctx, pith_i_cache *cache, const pith_method *m, pith_i_input *in)
{
    const pith_i_viewed *viewed = NULL;
    pith_status st = PITH_OK;
    if (in->options->standardize == VIEW_AUTO && m->counts_view != m->dense_view)
        warn_of_stray_negatives(cache, in->facts);
    if (in->options->standardize == VIEW_AUTO)
        in->options->standardize = cache->counts ? m->counts_view : m->dense_view;
    if (has_graph_of_values(m, in->options))
        pith_i_warn_of_units(cache, m->name, in->facts);
    TRY(pith_i_cache_view(ctx, cache, in->options->standardize, &viewed));
    in->X = &viewed->view.X;
    if (!m->by_rows)
        TRY(pith_i_cache_columns(ctx, cache, in->options->standardize, &in->T));
    in->shift = viewed->view.shift;
done:
    return st;
}

static pith_status make_graph(pith_ctx *ctx, pith_i_cache *cache, bool alike, pith_i_input *in)
{
    static const pith_i_weight weights[] = {PITH_I_BINARY, PITH_I_HEAT, PITH_I_COSINE_WEIGHT};
    pith_i_shared *o = in->options;
    const pith_i_source source = {o->standardize, o->own_graph, o->graph_rows};
    const bool own = o->own_graph != NULL || o->graph_rows != NULL;
    pith_status st = PITH_OK;
    if (alike && in->shift != NULL && !own)
        FAIL(ctx, PITH_E_PARAMETER,
             "cosine weights of centred columns would make sparse data dense: use standardize none, tfidf or "
             "sqrt-idf");
    if (alike)
        o->weight = WEIGHT_COSINE;
    if (cache->batches != NULL && o->graph == GRAPH_FULL)
        FAIL(ctx, PITH_E_PARAMETER,
             "a graph of all pairs cannot be balanced across batches: use either graph full or the batch "
             "graph");
    if (o->metric == METRIC_AUTO)
        o->metric = !own && cache->counts && o->standardize == VIEW_NONE ? METRIC_COSINE : METRIC_EUCLIDEAN;
    if (o->neighbors > in->all - 1)
        o->neighbors = in->all - 1;
    const pith_i_graph_options options = {
        .full = o->graph == GRAPH_FULL,
        .neighbors = o->neighbors,
        .metric = o->metric == METRIC_COSINE ? PITH_I_COSINE : PITH_I_EUCLIDEAN,
        .weight = weights[o->weight],
        .width_factor = o->t_factor,
        .batches = cache->batches,
    };
    TRY(pith_i_progress_stage(ctx, "building the graph", 0, 0.8));
    TRY(pith_i_cache_graph_of(ctx, cache, source, &options, in->reuse, &in->cached));
    in->graph = in->cached->graph;
    const pith_i_graph_summary about = pith_i_graph_summarize(in->graph);
    pith_i_fact(in->facts, "graph_components", (double)about.components);
    pith_i_fact(in->facts, "isolated_samples", (double)about.isolated);
    if (!isnan(about.heat_width))
        pith_i_fact(in->facts, "heat_width", about.heat_width);
done:
    return st;
}

pith_status pith_i_input_spectrum(pith_ctx *ctx, const pith_i_input *in, int64_t m,
                                  const pith_i_spectrum **out)
{
    const pith_status st = pith_i_cached_spectrum(ctx, in->cached, m, in->reuse);
    if (st == PITH_OK)
        *out = &in->cached->spectrum;
    return st;
}

pith_status pith_i_eigengap_values(pith_ctx *ctx, const pith_i_graph *graph, int64_t samples, int64_t *out)
{
    *out = pith_i_min(samples - pith_i_graph_summarize(graph).isolated, MOST_CLUSTERS + 1);
    if (*out < 3)
        return pith_i_error(ctx, PITH_E_DATA,
                            "the graph has too few edges to estimate the number of clusters: give a number");
    return PITH_OK;
}

static pith_status read_off_clusters(pith_ctx *ctx, const pith_i_input *in, int64_t *out)
{
    const pith_i_graph_options options = {.neighbors = in->all - 1 < 5 ? in->all - 1 : 5,
                                          .metric = PITH_I_EUCLIDEAN,
                                          .weight = PITH_I_HEAT,
                                          .width_factor = 1,
                                          .batches = in->cache->batches};
    pith_i_cached_graph *cached = in->cached;
    pith_status st = PITH_OK;
    if (cached == NULL)
        TRY(pith_i_cache_graph(ctx, in->cache, in->options->standardize, &options, in->reuse, &cached));
    int64_t m = 0;
    TRY(pith_i_eigengap_values(ctx, cached->graph, in->all, &m));
    TRY(pith_i_cached_spectrum(ctx, cached, m, in->reuse));
    *out = pith_i_eigengap(m, cached->spectrum.value);
done:
    return st;
}

pith_status pith_i_input_clusters(pith_ctx *ctx, const pith_i_input *in, int64_t *out)
{
    pith_status st = PITH_OK;
    if (in->all < 3)
        FAIL(ctx, PITH_E_DATA, "%lld samples cannot be clustered: at least 3 are needed", (long long)in->all);
    const pith_i_start *start = &in->options->start;
    if (start->n > 0 && in->options->clusters == PITH_I_AUTO)
        in->options->clusters = start->clusters;
    if (start->n > 0 && in->options->clusters != start->clusters)
        FAIL(ctx, PITH_E_PARAMETER, "clusters: %lld, but the initial labels have %d",
             (long long)in->options->clusters, (int)start->clusters);
    if (in->options->clusters == PITH_I_AUTO)
        TRY(read_off_clusters(ctx, in, &in->options->clusters));
    if (in->options->clusters > in->all - 1)
        FAIL(ctx, PITH_E_PARAMETER, "clusters: %lld is more than samples - 1 = %lld",
             (long long)in->options->clusters, (long long)in->all - 1);
    *out = in->options->clusters;
done:
    return st;
}

pith_status pith_i_start_check(pith_ctx *ctx, const pith_i_start *start, int64_t n)
{
    if (start->n > 0 && start->n != n)
        return pith_i_error(ctx, PITH_E_DATA, "%s: %lld initial labels, one per sample, for %lld samples",
                            start->path != NULL ? start->path : "init_labels", (long long)start->n,
                            (long long)n);
    return PITH_OK;
}

static pith_status check_given(pith_ctx *ctx, const pith_i_shared *o, int64_t n)
{
    const pith_i_given *given = o->own_graph != NULL ? o->own_graph : o->graph_rows;
    if (given == NULL || given->data.n == n)
        return PITH_OK;
    return pith_i_error(ctx, PITH_E_DATA, "%s: %s %lld samples, but the data has %lld",
                        given->path != NULL     ? given->path
                        : given == o->own_graph ? "graph"
                                                : "graph_rows",
                        given == o->own_graph ? "a graph of" : "rows of", (long long)given->data.n,
                        (long long)n);
}

/* The user's tree, or one built here; what was chosen for auto is written to the run's options. */
static pith_status find_tree(pith_ctx *ctx, pith_i_cache *cache, pith_i_input *in)
{
    pith_i_tree_choice *tree = &in->options->tree;
    const pith_i_cached_tree *found = NULL;
    pith_status st = PITH_OK;
    if (tree->given != NULL && tree->given->n_features != in->p)
        FAIL(ctx, PITH_E_DATA, "tree is for %d features, the data has %lld", tree->given->n_features,
             (long long)in->p);
    in->tree = tree->given;
    TRY(pith_i_progress_stage(ctx, "building the tree", 0, 0.5));
    if (tree->given == NULL) {
        TRY(pith_i_cache_tree(ctx, cache, tree->text != NULL ? tree->text : "auto", &found));
        in->tree = found->tree;
    }
    if (found != NULL && found->became[0] != '\0') {
        pith_i_free(tree->text);
        if ((tree->text = pith_i_strdup(ctx, found->became)) == NULL)
            TRY(PITH_E_NOMEM);
    }
    pith_i_fact(in->facts, "tree_nodes", (double)in->tree->n_nodes);
    pith_i_fact(in->facts, "tree_levels", (double)in->tree->depth);
done:
    return st;
}

/* Even if the method would not fail: a negative count has no logarithm, and its rank would be noise. */
static pith_status check_counts(pith_ctx *ctx, const pith_i_cache *cache, const pith_method *m)
{
    for (int64_t j = 0; m->counts_only && j < cache->X->p; j++)
        if (cache->stats.min[j] < 0)
            return pith_i_error(ctx, PITH_E_DATA,
                                "%s is for counts: column %lld (counted from 1) has negative values", m->name,
                                (long long)j + 1);
    return PITH_OK;
}

/* Warns if the values are not on the scale that the method expects. */
static pith_status warn_of_scale(pith_ctx *ctx, pith_i_cache *cache, const pith_method *m,
                                 pith_i_facts *facts)
{
    static const char *const called[] = {
        [PITH_SCALE_UNKNOWN] = "not whole numbers",    [PITH_SCALE_COUNTS] = "raw counts",
        [PITH_SCALE_NORMALISED] = "normalised counts", [PITH_SCALE_LOGGED] = "logarithms of counts",
        [PITH_SCALE_ROOTS] = "square roots of counts",
    };
    const pith_i_scale *scale = NULL;
    bool unlogged = false;
    pith_status st = PITH_OK;
    if (m->wants != WANTS_COUNTS && !cache->counts) /* a batch of counts may be dense */
        TRY(pith_i_is_unlogged(ctx, cache->X, &cache->stats, &unlogged));
    if (unlogged)
        pith_i_warn(facts,
                    "the values span orders of magnitude, as reads and intensities do, and %s sees them "
                    "as they are: prep auto takes their logarithms",
                    m->name);
    if (m->wants == WANTS_ANY || (m->wants == WANTS_LOGS && !cache->counts))
        return PITH_OK;
    TRY(pith_i_cache_scale(ctx, cache, &scale));
    if (m->wants == WANTS_COUNTS && scale->kind != PITH_SCALE_COUNTS)
        pith_i_warn(facts, "%s is for raw counts, but these are %s: use the raw counts", m->name,
                    called[scale->kind]);
    if (m->wants == WANTS_LOGS && scale->kind == PITH_SCALE_COUNTS)
        pith_i_warn(
            facts,
            "%s uses values as they are, and these are raw counts: prep auto takes ln(1 + counts per 10,000)",
            m->name);
done:
    return st;
}

/* Evidence assumes that samples are independent; those of a batch are not. */
static pith_status settle_evidence(pith_ctx *ctx, const pith_i_cache *cache, const pith_method *m,
                                   pith_i_shared *o)
{
    const int64_t n = pith_i_all(cache->X);
    const bool can = n >= PITH_I_EVIDENCE_SAMPLES && cache->batches == NULL;
    if (o->evidence == EVIDENCE_AUTO)
        o->evidence = m->tests && can ? EVIDENCE_GROUPS : EVIDENCE_NONE;
    if (o->evidence == EVIDENCE_NONE || can)
        return PITH_OK;
    if (cache->batches != NULL)
        return pith_i_error(ctx, PITH_E_PARAMETER,
                            "evidence assumes independent samples, and those of a batch are not: use either "
                            "evidence or batches");
    return pith_i_error(ctx, PITH_E_DATA, "evidence needs at least %d samples, but there are %lld",
                        PITH_I_EVIDENCE_SAMPLES, (long long)n);
}

static pith_status prepare(pith_ctx *ctx, pith_i_cache *cache, const int32_t *labels, int32_t classes,
                           const pith_params *params, pith_i_input *in)
{
    pith_status st = PITH_OK;
    if (needs(params, NEEDS_LABELS)) {
        if (labels == NULL)
            FAIL(ctx, PITH_E_DATA, "%s is supervised and needs labels; the data has none",
                 params->method->name);
        in->labels = labels;
        in->classes = classes;
    }
    in->n = cache->X->n;
    in->all = pith_i_all(cache->X);
    in->p = cache->X->p;
    in->constant = cache->constant;
    in->options = pith_i_params_shared(params);
    for (int64_t k = 0; k < in->n_counts; k++) /* all features asked for are chosen with diversity */
        in->options->top = in->counts[k] > in->options->top ? in->counts[k] : in->options->top;
    TRY(pith_i_start_check(ctx, &in->options->start, in->n));
    TRY(check_given(ctx, in->options, in->n));
    in->cache = cache;
    TRY(settle_evidence(ctx, cache, params->method, in->options));
    TRY(check_counts(ctx, cache, params->method));
    TRY(warn_of_scale(ctx, cache, params->method, in->facts));
    TRY(make_view(ctx, cache, params->method, in));
    if (needs(params, NEEDS_TREE))
        TRY(find_tree(ctx, cache, in));
    if (needs(params, NEEDS_GRAPH))
        TRY(make_graph(ctx, cache, needs(params, NEEDS_ALIKE), in));
done:
    return st;
}

const char *const pith_i_reason_texts[] = {
    [PITH_I_SCORED] = NULL,
    [PITH_I_CONSTANT] = "constant",
    [PITH_I_ROUNDING] = "constant up to rounding",
    [PITH_I_FLAT] = "constant among connected samples",
    [PITH_I_OVERFLOW] = "not a finite number",
};

/* Every score is finite, or NaN with its reason. */
static void settle_scores(const pith_i_cache *cache, int64_t n_counts, pith_i_outcome *out)
{
    const int64_t p = cache->X->p;
    int64_t scored = 0;
    for (int64_t j = 0; j < p; j++) {
        if (cache->constant[j])
            out->reason[j] = cache->stats.min[j] == cache->stats.max[j] ? PITH_I_CONSTANT : PITH_I_ROUNDING;
        else if (isfinite(out->score[j]))
            out->reason[j] = PITH_I_SCORED;
        else if (out->reason[j] == PITH_I_SCORED)
            out->reason[j] = PITH_I_OVERFLOW;
        if (out->reason[j] != PITH_I_SCORED)
            out->score[j] = (double)NAN;
        scored += out->reason[j] == PITH_I_SCORED;
    }
    for (int64_t e = 0; out->score_at != NULL && e < n_counts * p; e++)
        if (out->reason[e % p] != PITH_I_SCORED)
            out->score_at[e] = (double)NAN;
    if (scored == 0)
        out->facts.warning = "no feature has a score: the ranking is meaningless";
}

/* Records what the searches of the run achieved: the recall, and what was chosen for auto. */
static void tell_searches(const pith_i_searching *done, pith_i_shared *o, pith_i_facts *facts)
{
    const size_t used = strlen(facts->said);
    if (done->count == 0)
        return;
    if (o->search == PITH_I_SEARCH_AUTO)
        o->search = isnan(done->measured) ? PITH_I_SEARCH_EXACT : PITH_I_SEARCH_APPROXIMATE;
    pith_i_fact(facts, "search_operations", done->work);
    if (isnan(done->measured))
        return;
    pith_i_fact(facts, "recall", done->measured);
    pith_i_fact(facts, "distance_excess", done->excess);
    if (done->measured < done->wanted)
        (void)snprintf(
            facts->said + used, sizeof facts->said - used,
            "%sthe approximate search found %.3g of the true neighbours, less than the recall of "
            "%.3g that was asked for; the last neighbours it found are %.2g %% farther than the true "
            "ones on average: search exact finds all, but takes longer",
            used > 0 ? "; " : "", done->measured, done->wanted, 100 * done->excess);
}

pith_status pith_i_run(pith_ctx *ctx, pith_i_cache *cache, const int32_t *labels, int32_t classes,
                       pith_params *params, pith_i_outcome *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t p = cache->X->p;
    bool ordered = false, scored_at = false;
    pith_i_outcome outcome = {0};
    pith_i_input in = {
        .facts = &outcome.facts,
        .reuse = &outcome.reuse,
        .after = &outcome.after,
        .ordered = &ordered,
        .n_counts = params->n_counts,
        .counts = params->counts,
        .scored_at = &scored_at,
    };
    const pith_i_shared *o = pith_i_params_shared(params);
    const double wanted = o->recall > 0 ? o->recall : PITH_I_RECALL; /* 0: the method has no such option */
    const pith_i_searching before = pith_i_searching_begin(ctx, (pith_i_search_mode)o->search, wanted);
    pith_status st = PITH_OK;
    TRY(prepare(ctx, cache, labels, classes, params, &in));
    TRY(NEW(ctx, outcome.score, p));
    TRY(NEW_ZERO(ctx, outcome.reason, p));
    TRY(NEW(ctx, outcome.order, p));
    in.order = outcome.order;
    in.reason = outcome.reason;
    if (params->method->counts_matter)
        TRY(NEW_ZERO(ctx, outcome.score_at, params->n_counts * p));
    in.score_at = outcome.score_at;
    TRY(pith_i_progress_stage(ctx, "scoring features",
                              needs(params, NEEDS_GRAPH)  ? 0.9
                              : needs(params, NEEDS_TREE) ? 0.5
                                                          : 0,
                              1));
    TRY(params->method->score(ctx, &in, params->values, outcome.score));
    settle_scores(cache, params->n_counts, &outcome);
    tell_searches(pith_i_searching_of(ctx), in.options, &outcome.facts);
    if (!ordered) {
        pith_i_free(outcome.order);
        outcome.order = NULL;
    }
    if (!scored_at) {
        pith_i_free(outcome.score_at);
        outcome.score_at = NULL;
    }
    *out = outcome;
    memset(&outcome, 0, sizeof outcome);
done:
    (void)pith_i_searching_end(ctx, before);
    pith_i_outcome_free(&outcome);
    pith_i_scratch_release(ctx, mark);
    return st;
}

void pith_i_outcome_free(pith_i_outcome *outcome)
{
    pith_i_free(outcome->score);
    pith_i_free(outcome->reason);
    pith_i_free(outcome->order);
    pith_i_free(outcome->score_at);
    *outcome = (pith_i_outcome){0};
}
