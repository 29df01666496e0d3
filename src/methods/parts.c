#include "methods/parts.h"

#include "graph/given.h"
#include "methods/ensemble.h"
#include "tree/build.h"

#include <float.h>
#include <string.h>

static void seen_free(pith_i_seen *seen)
{
    pith_i_view_free(&seen->view);
    pith_i_data_free(&seen->T);
    seen->kind = VIEW_AUTO;
}

static void grown_free(pith_i_grown *g)
{
    if (g == NULL)
        return;
    pith_i_free(g->text);
    pith_tree_free(g->tree);
    pith_i_free(g);
}

static void trees_free(pith_i_parts *parts)
{
    while (parts->trees != NULL) {
        pith_i_grown *next = parts->trees->next;
        grown_free(parts->trees);
        parts->trees = next;
    }
}

static void net_free(pith_i_net *net)
{
    if (net == NULL)
        return;
    pith_i_spectrum_free(&net->spectrum);
    pith_i_graph_free(net->graph);
    pith_i_given_drop(net->source.graph);
    pith_i_given_drop(net->source.rows);
    pith_i_free(net);
}

static void nets_free(pith_i_net *net)
{
    for (pith_i_net *next = NULL; net != NULL; net = next) {
        next = net->next;
        net_free(net);
    }
}

void pith_i_parts_trim(pith_i_parts *parts)
{
    pith_i_net **end = &parts->nets;
    for (int kept = 0; *end != NULL && kept < PITH_I_NETS_KEPT; kept++)
        end = &(*end)->next;
    nets_free(*end);
    *end = NULL;
}

void pith_i_parts_free(pith_i_parts *parts)
{
    trees_free(parts);
    nets_free(parts->nets);
    parts->nets = NULL;
    pith_i_ensembles_free(parts->ensembles);
    parts->ensembles = NULL;
    seen_free(&parts->other);
    seen_free(&parts->given);
}

static pith_status make_seen(pith_ctx *ctx, const pith_i_parts *parts, int kind, pith_i_seen *seen)
{
    pith_status st = PITH_OK;
    TRY(pith_i_view_make(ctx, parts->X, &parts->stats, kind, &seen->view));
    /* The values as given have one transpose, that of the data or the one made first; others need their own.
     */
    const bool as_given = seen->view.X.values == parts->X->values;
    const pith_i_data *T = kind == VIEW_NONE ? parts->X->turned : &parts->given.T;
    if (parts->X->sparse && as_given && T != NULL)
        seen->T = pith_i_data_rows(T, 0, T->n);
    else if (parts->X->sparse)
        TRY(pith_i_transpose(ctx, &seen->view.X, &seen->T));
    seen->kind = kind;
done:
    if (st != PITH_OK)
        seen_free(seen);
    return st;
}

static pith_status find_constants(pith_ctx *ctx, pith_i_parts *parts)
{
    const int64_t p = parts->X->p;
    int64_t count = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, parts->constant, p));
    for (int64_t j = 0; j < p; j++) {
        const double variance = parts->stats.variance[j];
        parts->constant[j] = !pith_i_column_varies(parts->X, &parts->stats, j);
        count += parts->constant[j];
        if (!parts->constant[j] && !(variance >= DBL_MIN && variance <= DBL_MAX))
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

pith_status pith_i_parts_new(pith_ctx *ctx, const pith_i_data *X, pith_i_parts *out)
{
    pith_i_parts parts = {.X = X};
    pith_status st = PITH_OK;
    if (pith_i_all(X) < 2 || X->p < 1)
        FAIL(ctx, PITH_E_DATA, "%lld samples x %lld features: at least 2 samples and 1 feature are needed",
             (long long)pith_i_all(X), (long long)X->p);
    TRY(make_seen(ctx, &parts, VIEW_NONE, &parts.given));
    TRY(pith_i_column_statistics(ctx, X, X->sparse ? &parts.given.T : NULL, &parts.stats));
    parts.counts = pith_i_is_counts(X, &parts.stats);
    parts.density = pith_i_density(X, &parts.stats);
    TRY(find_constants(ctx, &parts));
    *out = parts;
    return PITH_OK;
done:
    pith_i_parts_free(&parts);
    return st;
}

pith_status pith_i_parts_scale(pith_ctx *ctx, pith_i_parts *parts, const pith_i_scale **out)
{
    bool negative = false;
    pith_status st = PITH_OK;
    for (int64_t j = 0; !parts->scaled && j < parts->X->p; j++)
        negative = negative || parts->stats.min[j] < 0;
    if (!parts->scaled && !negative)
        TRY(pith_i_scale_find(ctx, parts->X, pith_i_largest(&parts->stats, parts->X->p), &parts->scale));
    parts->scaled = true;
    *out = &parts->scale;
done:
    return st;
}

pith_status pith_i_parts_view(pith_ctx *ctx, pith_i_parts *parts, int kind, const pith_i_seen **out)
{
    pith_status st = PITH_OK;
    if (kind != VIEW_NONE && kind != parts->other.kind) {
        seen_free(&parts->other); /* first, so that two are never held beside the data */
        TRY(make_seen(ctx, parts, kind, &parts->other));
    }
    *out = kind == VIEW_NONE ? &parts->given : &parts->other;
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

static pith_status build_on_view(pith_ctx *ctx, const pith_i_seen *seen, pith_i_net *net)
{
    pith_status st = PITH_OK;
    if (seen->view.shift != NULL && net->options.metric == PITH_I_COSINE)
        FAIL(ctx, PITH_E_PARAMETER,
             "cosine neighbours of centred columns would make sparse data dense: use standardize none or "
             "tfidf, or metric euclidean");
    TRY(pith_i_graph_build(ctx, &seen->view.X, &net->options, &net->graph));
done:
    return st;
}

/* seen: NULL where it is made from what was given. */
static pith_status build_net(pith_ctx *ctx, const pith_i_seen *seen, const pith_i_source *from,
                             const pith_i_graph_options *options, pith_i_net **out)
{
    const double start = pith_i_seconds();
    const int64_t held = pith_i_bytes_in_use(ctx), peak = pith_i_peak_begin(ctx);
    pith_i_net *net = NULL;
    pith_status st = PITH_OK;
    TRY(NEW_ZERO(ctx, net, 1));
    net->source = *from;
    (void)pith_i_given_hold(from->graph);
    (void)pith_i_given_hold(from->rows);
    net->options = *options;
    if (from->graph != NULL)
        TRY(pith_i_graph_from(ctx, &from->graph->data, &net->graph));
    else if (from->rows != NULL)
        TRY(pith_i_graph_build(ctx, &from->rows->data, &net->options, &net->graph));
    else
        TRY(build_on_view(ctx, seen, net));
    net->graph_seconds = pith_i_seconds() - start;
    net->graph_peak = pith_ctx_peak_bytes(ctx) - held;
    *out = net;
    net = NULL;
done:
    pith_i_peak_end(ctx, peak);
    net_free(net);
    return st;
}

/* Moved to the front; NULL: there is none. */
static pith_i_net *find_net(pith_i_parts *parts, const pith_i_source *source,
                            const pith_i_graph_options *options)
{
    for (pith_i_net **at = &parts->nets; *at != NULL; at = &(*at)->next) {
        pith_i_net *net = *at;
        if (!same_source(&net->source, source) ||
            (source->graph == NULL && !same_options(&net->options, options)))
            continue;
        *at = net->next;
        net->next = parts->nets;
        return parts->nets = net;
    }
    return NULL;
}

pith_status pith_i_parts_net_of(pith_ctx *ctx, pith_i_parts *parts, pith_i_source source,
                                const pith_i_graph_options *options, pith_i_reuse *reuse, pith_i_net **out)
{
    pith_i_net *net = find_net(parts, &source, options);
    const pith_i_seen *seen = NULL;
    pith_status st = PITH_OK;
    if (net != NULL) {
        reuse->seconds += net->graph_seconds;
        reuse->peak = net->graph_peak > reuse->peak ? net->graph_peak : reuse->peak;
        *out = net;
        return PITH_OK;
    }
    /* Before the graph's cost is measured: whoever gets the graph from here has the view already. */
    if (source.graph == NULL && source.rows == NULL)
        TRY(pith_i_parts_view(ctx, parts, source.view, &seen));
    TRY(build_net(ctx, seen, &source, options, &net));
    parts->built++;
    net->next = parts->nets;
    parts->nets = *out = net;
done:
    return st;
}

pith_status pith_i_parts_net(pith_ctx *ctx, pith_i_parts *parts, int view,
                             const pith_i_graph_options *options, pith_i_reuse *reuse, pith_i_net **out)
{
    return pith_i_parts_net_of(ctx, parts, (pith_i_source){.view = view}, options, reuse, out);
}

pith_status pith_i_net_spectrum(pith_ctx *ctx, pith_i_net *net, int64_t m, pith_i_reuse *reuse)
{
    const double start = pith_i_seconds();
    pith_i_spectrum longer = {0};
    pith_status st = PITH_OK;
    if (net->spectrum.m >= m) {
        reuse->seconds += net->spectrum_seconds;
        return PITH_OK;
    }
    TRY(pith_i_spectrum_find(ctx, net->graph, m, &longer));
    pith_i_spectrum_free(&net->spectrum);
    net->spectrum = longer;
    net->spectrum_seconds = pith_i_seconds() - start;
done:
    return st;
}

static pith_status grow(pith_ctx *ctx, const pith_i_parts *parts, const char *text, pith_i_grown *out)
{
    const pith_i_table table = {.X = parts->X,
                                .T = parts->X->sparse ? &parts->given.T : NULL,
                                .names = parts->features,
                                .by_columns = parts->by_columns};
    pith_i_recipe recipe;
    pith_status st = PITH_OK;
    if (!pith_i_recipe_is_one(text))
        return pith_i_tree_read(ctx, text, parts->X->p, parts->features, &out->tree);
    TRY(pith_i_recipe_read(ctx, text, &recipe));
    TRY(pith_i_recipe_settle(ctx, &table, &recipe, out->became));
    TRY(pith_i_tree_build(ctx, &table, &recipe, &out->tree));
done:
    return st;
}

pith_status pith_i_parts_tree(pith_ctx *ctx, pith_i_parts *parts, const char *text, const pith_i_grown **out)
{
    pith_i_grown *g = parts->trees;
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
    TRY(grow(ctx, parts, text, g));
    *out = g;
    g->next = parts->trees;
    parts->trees = g;
    g = NULL;
done:
    grown_free(g);
    return st;
}
