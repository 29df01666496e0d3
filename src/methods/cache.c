#include "methods/cache.h"

#include "graph/given.h"
#include "methods/ensemble.h"
#include "tree/build.h"

#include <float.h>
#include <string.h>

static void free_view(pith_i_viewed *viewed)
{
    pith_i_view_free(&viewed->view);
    pith_i_data_free(&viewed->T);
    viewed->kind = VIEW_AUTO;
}

static void free_tree(pith_i_cached_tree *g)
{
    if (g == NULL)
        return;
    pith_i_free(g->text);
    pith_tree_free(g->tree);
    pith_i_free(g);
}

static void free_trees(pith_i_cache *cache)
{
    while (cache->trees != NULL) {
        pith_i_cached_tree *next = cache->trees->next;
        free_tree(cache->trees);
        cache->trees = next;
    }
}

static void free_graph(pith_i_cached_graph *cached)
{
    if (cached == NULL)
        return;
    pith_i_spectrum_free(&cached->spectrum);
    pith_i_graph_free(cached->graph);
    pith_i_given_drop(cached->source.graph);
    pith_i_given_drop(cached->source.rows);
    pith_i_free(cached);
}

static void free_graphs(pith_i_cached_graph *cached)
{
    for (pith_i_cached_graph *next = NULL; cached != NULL; cached = next) {
        next = cached->next;
        free_graph(cached);
    }
}

void pith_i_cache_trim(pith_i_cache *cache)
{
    pith_i_cached_graph **end = &cache->graphs;
    for (int kept = 0; *end != NULL && kept < PITH_I_GRAPHS_KEPT; kept++)
        end = &(*end)->next;
    free_graphs(*end);
    *end = NULL;
}

void pith_i_cache_free(pith_i_cache *cache)
{
    free_trees(cache);
    free_graphs(cache->graphs);
    cache->graphs = NULL;
    pith_i_ensembles_free(cache->ensembles);
    cache->ensembles = NULL;
    free_view(&cache->other);
    free_view(&cache->given);
}

static pith_status make_view(pith_ctx *ctx, const pith_i_cache *cache, int kind, pith_i_viewed *viewed)
{
    pith_status st = PITH_OK;
    TRY(pith_i_view_make(ctx, cache->X, &cache->stats, kind, &viewed->view));
    viewed->kind = kind;
    return PITH_OK;
done:
    pith_i_view_free(&viewed->view);
    return st;
}

/* V' of a view V with the sparsity pattern of X, taken from X'. The entries of X', column by column, meet
 * those of every row of V in order. */
static pith_status transpose_values(pith_ctx *ctx, const pith_i_data *V, const pith_i_data *XT,
                                    pith_i_data *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const double *from = V->values;
    int64_t *next = NULL;
    double *values = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, next, V->n));
    values = pith_i_alloc_large(ctx, V->indptr[V->n], sizeof *values);
    if (values == NULL)
        TRY(PITH_E_NOMEM);
    memcpy(next, V->indptr, (size_t)V->n * sizeof *next);
    for (int64_t e = 0; e < V->indptr[V->n]; e++)
        values[e] = from[next[XT->indices[e]]++];
    *out = pith_i_data_rows(XT, 0, XT->n);
    out->dtype = PITH_F64;
    out->values = out->owned[2] = values;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* The same for a V without values of its own, only a map of those of X. */
static void transpose_map(const pith_i_data *V, const pith_i_data *XT, pith_i_data *out)
{
    *out = pith_i_data_rows(XT, 0, XT->n);
    out->dtype = PITH_F64;
    out->values = NULL;
    out->of.first = 0;
    out->of.map = V->of.map;
    out->of.values = XT->values;
    out->of.dtype = XT->dtype;
    out->of.across = true;
}

/* The data as given has one transpose: its own, or one made here. Views with its sparsity pattern share the
 * indices of that transpose, unless their values lie in a file, which would be read in random order. */
static pith_status make_transpose(pith_ctx *ctx, pith_i_cache *cache, pith_i_viewed *viewed)
{
    const pith_i_data *X = cache->X, *V = &viewed->view.X, *XT = NULL;
    if (V->of.map == NULL && V->values == X->values && X->transpose != NULL) {
        viewed->T = pith_i_data_rows(X->transpose, 0, X->p);
        return PITH_OK;
    }
    if (viewed == &cache->given || V->indices != X->indices || pith_i_is_in_file(V->owned[2]))
        return pith_i_transpose(ctx, V, &viewed->T);
    const pith_status st = pith_i_cache_columns(ctx, cache, VIEW_NONE, &XT);
    if (st != PITH_OK)
        return st;
    if (V->of.map != NULL)
        transpose_map(V, XT, &viewed->T);
    else if (V->values != X->values)
        return transpose_values(ctx, V, XT, &viewed->T);
    else
        viewed->T = pith_i_data_rows(XT, 0, XT->n);
    return PITH_OK;
}

pith_status pith_i_cache_columns(pith_ctx *ctx, pith_i_cache *cache, int kind, const pith_i_data **out)
{
    const pith_i_viewed *seen = NULL;
    pith_status st = PITH_OK;
    *out = NULL;
    if (!cache->X->sparse)
        return PITH_OK;
    TRY(pith_i_cache_view(ctx, cache, kind, &seen));
    pith_i_viewed *viewed = seen == &cache->given ? &cache->given : &cache->other;
    if (viewed->T.indptr == NULL)
        TRY(make_transpose(ctx, cache, viewed));
    *out = &viewed->T;
done:
    return st;
}

static pith_status find_constants(pith_ctx *ctx, pith_i_cache *cache)
{
    const int64_t p = cache->X->p;
    int64_t count = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, cache->constant, p));
    for (int64_t j = 0; j < p; j++) {
        const double variance = cache->stats.variance[j];
        cache->constant[j] = !pith_i_column_varies(cache->X, &cache->stats, j);
        count += cache->constant[j];
        if (!cache->constant[j] && !(variance >= DBL_MIN && variance <= DBL_MAX))
            FAIL(ctx, PITH_E_DATA,
                 "column %lld (counted from 1) has values too %s to have a variance; scale the data",
                 (long long)j + 1, variance < DBL_MIN ? "small" : "large");
    }
    if (count == p)
        FAIL(ctx, PITH_E_DATA,
             "every feature is constant, or varies only by rounding errors: there is no structure to find");
done:
    return st;
}

pith_status pith_i_cache_new(pith_ctx *ctx, const pith_i_data *X, pith_i_cache *out)
{
    pith_i_cache cache = {.X = X};
    pith_status st = PITH_OK;
    if (pith_i_all(X) < 2 || X->p < 1)
        FAIL(ctx, PITH_E_DATA, "%lld samples x %lld features: at least 2 samples and 1 feature are needed",
             (long long)pith_i_all(X), (long long)X->p);
    TRY(make_view(ctx, &cache, VIEW_NONE, &cache.given));
    TRY(pith_i_column_statistics(ctx, X, NULL, &cache.stats));
    cache.counts = pith_i_is_counts(X, &cache.stats);
    cache.density = pith_i_density(X, &cache.stats);
    TRY(pith_i_heavy_find(ctx, X, &cache.stats, &cache.heavy));
    TRY(find_constants(ctx, &cache));
    *out = cache;
    return PITH_OK;
done:
    pith_i_cache_free(&cache);
    return st;
}

pith_status pith_i_cache_scale(pith_ctx *ctx, pith_i_cache *cache, const pith_i_scale **out)
{
    bool negative = false;
    pith_status st = PITH_OK;
    for (int64_t j = 0; !cache->scaled && j < cache->X->p; j++)
        negative = negative || cache->stats.min[j] < 0;
    if (!cache->scaled && !negative)
        TRY(pith_i_scale_find(ctx, cache->X, pith_i_largest(&cache->stats, cache->X->p), &cache->scale));
    cache->scaled = true;
    *out = &cache->scale;
done:
    return st;
}

pith_status pith_i_cache_view(pith_ctx *ctx, pith_i_cache *cache, int kind, const pith_i_viewed **out)
{
    pith_status st = PITH_OK;
    if (kind != VIEW_NONE && kind != cache->other.kind) {
        free_view(&cache->other); /* first, so that two are never held beside the data */
        TRY(make_view(ctx, cache, kind, &cache->other));
    }
    *out = kind == VIEW_NONE ? &cache->given : &cache->other;
done:
    return st;
}

static bool same_options(const pith_i_graph_options *a, const pith_i_graph_options *b)
{
    return a->full == b->full && (a->full || a->neighbors == b->neighbors) && a->metric == b->metric &&
           a->weight == b->weight && a->batches == b->batches &&
           (a->weight != PITH_I_HEAT || (a->width_factor == b->width_factor && a->width == b->width));
}

static bool same_source(const pith_i_source *a, const pith_i_source *b)
{
    return pith_i_given_same(a->graph, b->graph) && pith_i_given_same(a->rows, b->rows) &&
           (a->graph != NULL || a->rows != NULL || a->view == b->view);
}

static pith_status build_on_view(pith_ctx *ctx, const pith_i_viewed *viewed, pith_i_cached_graph *cached)
{
    pith_status st = PITH_OK;
    if (viewed->view.shift != NULL && cached->options.metric == PITH_I_COSINE)
        FAIL(ctx, PITH_E_PARAMETER,
             "cosine neighbours of centred columns would make sparse data dense: use standardize none or "
             "tfidf, or metric euclidean");
    TRY(pith_i_graph_build(ctx, &viewed->view.X, &cached->options, &cached->graph));
done:
    return st;
}

/* viewed: NULL if the user gave the graph or its rows. */
static pith_status build_graph(pith_ctx *ctx, const pith_i_viewed *viewed, const pith_i_source *from,
                               const pith_i_graph_options *options, pith_i_cached_graph **out)
{
    const double start = pith_i_seconds();
    const int64_t held = pith_i_bytes_in_use(ctx), peak = pith_i_peak_begin(ctx);
    const pith_i_searching how = *pith_i_searching_of(ctx),
                           before = pith_i_searching_begin(ctx, how.mode, how.wanted);
    pith_i_cached_graph *cached = NULL;
    pith_status st = PITH_OK;
    TRY(NEW_ZERO(ctx, cached, 1));
    cached->source = *from;
    (void)pith_i_given_hold(from->graph);
    (void)pith_i_given_hold(from->rows);
    cached->options = *options;
    if (from->graph != NULL)
        TRY(pith_i_graph_from(ctx, &from->graph->data, &cached->graph));
    else if (from->rows != NULL)
        TRY(pith_i_graph_build(ctx, &from->rows->data, &cached->options, &cached->graph));
    else
        TRY(build_on_view(ctx, viewed, cached));
    cached->graph_seconds = pith_i_seconds() - start;
    cached->graph_peak = pith_ctx_peak_bytes(ctx) - held;
    cached->searching = *pith_i_searching_of(ctx);
    *out = cached;
    cached = NULL;
done:
    (void)pith_i_searching_end(ctx, before);
    pith_i_peak_end(ctx, peak);
    free_graph(cached);
    return st;
}

/* Moves the graph to the front of the list; NULL: there is none. */
static pith_i_cached_graph *find_graph(pith_i_cache *cache, const pith_i_source *source,
                                       const pith_i_graph_options *options, const pith_i_searching *how)
{
    for (pith_i_cached_graph **at = &cache->graphs; *at != NULL; at = &(*at)->next) {
        pith_i_cached_graph *cached = *at;
        if (!same_source(&cached->source, source) ||
            (source->graph == NULL &&
             !(same_options(&cached->options, options) && pith_i_same_search(&cached->searching, how))))
            continue;
        *at = cached->next;
        cached->next = cache->graphs;
        return cache->graphs = cached;
    }
    return NULL;
}

pith_status pith_i_cache_graph_of(pith_ctx *ctx, pith_i_cache *cache, pith_i_source source,
                                  const pith_i_graph_options *options, pith_i_reuse *reuse,
                                  pith_i_cached_graph **out)
{
    pith_i_cached_graph *cached = find_graph(cache, &source, options, pith_i_searching_of(ctx));
    const pith_i_viewed *viewed = NULL;
    pith_status st = PITH_OK;
    if (cached != NULL) {
        pith_i_searching_add(ctx, &cached->searching);
        reuse->seconds += cached->graph_seconds;
        reuse->peak = cached->graph_peak > reuse->peak ? cached->graph_peak : reuse->peak;
        *out = cached;
        return PITH_OK;
    }
    /* Not part of the graph's cost: a run that reuses the graph has made the view already. */
    if (source.graph == NULL && source.rows == NULL)
        TRY(pith_i_cache_view(ctx, cache, source.view, &viewed));
    TRY(build_graph(ctx, viewed, &source, options, &cached));
    cache->built++;
    cached->next = cache->graphs;
    cache->graphs = *out = cached;
done:
    return st;
}

pith_status pith_i_cache_graph(pith_ctx *ctx, pith_i_cache *cache, int view,
                               const pith_i_graph_options *options, pith_i_reuse *reuse,
                               pith_i_cached_graph **out)
{
    return pith_i_cache_graph_of(ctx, cache, (pith_i_source){.view = view}, options, reuse, out);
}

pith_status pith_i_cached_spectrum(pith_ctx *ctx, pith_i_cached_graph *cached, int64_t m, pith_i_reuse *reuse)
{
    const double start = pith_i_seconds();
    pith_i_spectrum longer = {0};
    pith_status st = PITH_OK;
    if (cached->spectrum.m >= m) {
        reuse->seconds += cached->spectrum_seconds;
        return PITH_OK;
    }
    TRY(pith_i_spectrum_find(ctx, cached->graph, m, &longer));
    pith_i_spectrum_free(&cached->spectrum);
    cached->spectrum = longer;
    cached->spectrum_seconds = pith_i_seconds() - start;
done:
    return st;
}

static pith_status make_tree(pith_ctx *ctx, pith_i_cache *cache, const char *text, pith_i_cached_tree *out)
{
    pith_i_table table = {.X = cache->X, .names = cache->features, .by_columns = cache->by_columns};
    pith_i_recipe recipe;
    pith_status st = PITH_OK;
    if (!pith_i_recipe_is_one(text))
        return pith_i_tree_read(ctx, text, cache->X->p, cache->features, &out->tree);
    TRY(pith_i_cache_columns(ctx, cache, VIEW_NONE, &table.T));
    TRY(pith_i_recipe_read(ctx, text, &recipe));
    TRY(pith_i_recipe_settle(ctx, &table, &recipe, out->became));
    TRY(pith_i_tree_build(ctx, &table, &recipe, &out->tree));
done:
    return st;
}

pith_status pith_i_cache_tree(pith_ctx *ctx, pith_i_cache *cache, const char *text,
                              const pith_i_cached_tree **out)
{
    pith_i_cached_tree *g = cache->trees;
    pith_status st = PITH_OK;
    while (g != NULL && strcmp(g->text, text) != 0)
        g = g->next;
    if (g != NULL) {
        *out = g;
        return PITH_OK;
    }
    TRY(NEW_ZERO(ctx, g, 1));
    if ((g->text = pith_i_strdup(ctx, text)) == NULL)
        TRY(PITH_E_NOMEM);
    TRY(make_tree(ctx, cache, text, g));
    *out = g;
    g->next = cache->trees;
    cache->trees = g;
    g = NULL;
done:
    free_tree(g);
    return st;
}
