#include "methods/run.h"

#include "cluster/eigengap.h"

#include <string.h>

/* Eigenvalues looked at for --clusters auto: up to MOST_CLUSTERS clusters are found. */
enum { MOST_CLUSTERS = 20 };

/* Everything that one run builds, in the order in which it is built. */
typedef struct run {
    const pith_i_data *X; /* the data as given */
    pith_params *params;
    pith_i_shared *options;
    pith_i_data given_t;       /* X' of sparse data */
    pith_i_column_stats stats; /* of X */
    bool counts;
    pith_i_view view;
    pith_i_data view_t; /* its transpose, where the view is no longer X */
    bool *constant;
    pith_i_graph graph;
    pith_i_spectrum spectrum;
    pith_i_input in;
    bool ordered;
} run;

static void run_free(run *r)
{
    pith_i_spectrum_free(&r->spectrum);
    pith_i_graph_free(&r->graph);
    pith_i_data_free(&r->view_t);
    pith_i_view_free(&r->view);
    pith_i_data_free(&r->given_t);
}

static bool needs(const run *r, unsigned what)
{
    return (r->params->method->needs & what) != 0;
}

/* Shape, transpose, statistics, constant columns. */
static pith_status look_at_data(pith_ctx *ctx, run *r)
{
    const pith_i_data *X = r->X;
    pith_status st = PITH_OK;
    int64_t constant = 0;
    if (X->n < 2 || X->p < 1)
        FAIL(ctx, PITH_E_DATA, "%lld samples x %lld features: at least 2 samples and 1 feature are needed",
             (long long)X->n, (long long)X->p);
    if (X->sparse)
        TRY(pith_i_transpose(ctx, X, &r->given_t));
    TRY(pith_i_column_statistics(ctx, X, X->sparse ? &r->given_t : NULL, &r->stats));
    r->counts = pith_i_is_counts(X, &r->stats);
    TRY(SCRATCH(ctx, r->constant, X->p));
    for (int64_t j = 0; j < X->p; j++) {
        r->constant[j] = r->stats.min[j] == r->stats.max[j];
        constant += r->constant[j];
    }
    if (constant == X->p)
        FAIL(ctx, PITH_E_DATA, "every feature is constant: there is no structure to find");
done:
    return st;
}

/* The method's own view of the columns, and its transpose. */
static pith_status make_view(pith_ctx *ctx, run *r)
{
    const pith_method *m = r->params->method;
    pith_status st = PITH_OK;
    if (r->options->standardize == VIEW_AUTO)
        r->options->standardize = r->counts ? m->counts_view : m->dense_view;
    TRY(pith_i_view_make(ctx, r->X, &r->stats, r->options->standardize, &r->view));
    if (r->X->sparse && r->options->standardize != VIEW_NONE) {
        pith_i_data_free(&r->given_t); /* that of the view takes its place */
        TRY(pith_i_transpose(ctx, &r->view.X, &r->view_t));
    }
    r->in.X = &r->view.X;
    r->in.shift = r->view.shift;
    if (r->X->sparse)
        r->in.T = r->options->standardize == VIEW_NONE ? &r->given_t : &r->view_t;
done:
    return st;
}

static pith_status make_graph(pith_ctx *ctx, run *r)
{
    static const pith_i_weight weights[] = {PITH_I_BINARY, PITH_I_HEAT, PITH_I_COSINE_WEIGHT};
    pith_i_shared *o = r->options;
    pith_status st = PITH_OK;
    if (o->metric == METRIC_AUTO)
        o->metric = r->counts && o->standardize == VIEW_NONE ? METRIC_COSINE : METRIC_EUCLIDEAN;
    if (r->in.shift != NULL && o->metric == METRIC_COSINE)
        FAIL(ctx, PITH_E_PARAMETER,
             "cosine neighbours of centred columns would make sparse data dense: use standardize none or "
             "tfidf, or metric euclidean");
    if (o->neighbors > r->X->n - 1)
        o->neighbors = r->X->n - 1;
    const pith_i_graph_options options = {
        .full = o->graph == GRAPH_FULL,
        .neighbors = o->neighbors,
        .metric = o->metric == METRIC_COSINE ? PITH_I_COSINE : PITH_I_EUCLIDEAN,
        .weight = weights[o->weight],
        .width_factor = o->t_factor,
    };
    TRY(pith_i_progress_stage(ctx, "building the graph", 0, 0.8));
    TRY(pith_i_graph_build(ctx, r->in.X, r->in.T, &options, &r->graph));
    r->in.graph = &r->graph;
    pith_i_fact(r->in.facts, "graph_components", (double)r->graph.components);
    pith_i_fact(r->in.facts, "isolated_samples", (double)r->graph.isolated);
    if (!isnan(r->graph.heat_width))
        pith_i_fact(r->in.facts, "heat_width", r->graph.heat_width);
done:
    return st;
}

pith_status pith_i_input_spectrum(pith_ctx *ctx, const pith_i_input *in, int64_t m,
                                  const pith_i_spectrum **out)
{
    pith_status st = PITH_OK;
    if (in->spectrum->m < m) {
        pith_i_spectrum_free(in->spectrum);
        TRY(pith_i_spectrum_find(ctx, in->graph, m, in->spectrum));
    }
    *out = in->spectrum;
done:
    return st;
}

static pith_status read_off_clusters(pith_ctx *ctx, const pith_i_input *in, int64_t *out)
{
    const int64_t connected = in->n - in->graph->isolated;
    const int64_t m = connected < MOST_CLUSTERS + 1 ? connected : MOST_CLUSTERS + 1;
    const pith_i_spectrum *spectrum = NULL;
    pith_status st = PITH_OK;
    if (m < 3)
        FAIL(ctx, PITH_E_DATA, "the graph has too few edges to read a number of clusters off it: give one");
    TRY(pith_i_input_spectrum(ctx, in, m, &spectrum));
    *out = pith_i_eigengap(m, spectrum->value);
done:
    return st;
}

pith_status pith_i_input_clusters(pith_ctx *ctx, const pith_i_input *in, int64_t *out)
{
    pith_status st = PITH_OK;
    if (in->n < 3)
        FAIL(ctx, PITH_E_DATA, "%lld samples cannot be clustered: at least 3 are needed", (long long)in->n);
    if (in->options->clusters == PITH_I_AUTO)
        TRY(read_off_clusters(ctx, in, &in->options->clusters));
    if (in->options->clusters > in->n - 1)
        FAIL(ctx, PITH_E_PARAMETER, "clusters: %lld is more than samples - 1 = %lld",
             (long long)in->options->clusters, (long long)in->n - 1);
    *out = in->options->clusters;
done:
    return st;
}

static pith_status prepare(pith_ctx *ctx, run *r)
{
    pith_status st = PITH_OK;
    TRY(pith_i_progress_stage(ctx, "preparing the data", 0, 0));
    r->in.n = r->X->n;
    r->in.p = r->X->p;
    r->in.options = r->options;
    TRY(look_at_data(ctx, r));
    TRY(make_view(ctx, r));
    if (needs(r, NEEDS_GRAPH))
        TRY(make_graph(ctx, r));
    r->in.constant = r->constant;
done:
    return st;
}

pith_status pith_i_run(pith_ctx *ctx, const pith_i_data *X, const int32_t *labels, int32_t classes,
                       pith_params *params, pith_i_outcome *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_outcome outcome = {0};
    run r = {.X = X, .params = params, .options = pith_i_params_shared(params)};
    pith_status st = PITH_OK;
    r.in.facts = &outcome.facts;
    r.in.spectrum = &r.spectrum;
    r.in.ordered = &r.ordered;
    if (needs(&r, NEEDS_LABELS) && labels == NULL)
        FAIL(ctx, PITH_E_DATA, "%s is supervised and needs labels; the data has none", params->method->name);
    if (needs(&r, NEEDS_LABELS)) {
        r.in.labels = labels;
        r.in.classes = classes;
    }
    TRY(prepare(ctx, &r));
    TRY(NEW(ctx, outcome.score, X->p));
    TRY(NEW(ctx, outcome.order, X->p));
    r.in.order = outcome.order;
    TRY(pith_i_progress_stage(ctx, "scoring features", needs(&r, NEEDS_GRAPH) ? 0.9 : 0, 1));
    TRY(params->method->score(ctx, &r.in, params->values, outcome.score));
    for (int64_t j = 0; j < X->p; j++)
        if (r.constant[j])
            outcome.score[j] = (double)NAN;
    if (!r.ordered) {
        pith_i_free(outcome.order);
        outcome.order = NULL;
    }
    *out = outcome;
    memset(&outcome, 0, sizeof outcome);
done:
    pith_i_outcome_free(&outcome);
    run_free(&r);
    pith_i_scratch_release(ctx, mark);
    return st;
}

void pith_i_outcome_free(pith_i_outcome *outcome)
{
    pith_i_free(outcome->score);
    pith_i_free(outcome->order);
    *outcome = (pith_i_outcome){0};
}
