/*
 * EVSC, after Jiang & Ren 2011: a feature matters if its weight moves the small eigenvalues of the graph.
 * With
 *
 *     S_ij = exp(-sum_r w_r (x_ir - x_jr)^2 / t)    on the edges of the neighbours at w = 1,
 *     L y = lambda D y,  y'Dy = 1,
 *
 * first-order perturbation gives at w = 1, with t and the edges fixed,
 *
 *     d lambda / d w_r = -1/t sum_{i<j} S_ij (x_ir - x_jr)^2 [(y_i - y_j)^2 - lambda (y_i^2 + y_j^2)]
 *
 * that is, one weighting of the edges for each eigenvalue. For a multiple eigenvalue only the sum of the
 * derivatives is defined (the trace over its eigenspace), so that equal eigenvalues share a weighting.
 */
#include "graph/edge_sums.h"
#include "methods/method.h"

static const double same = 1e-8; /* eigenvalues nearer than this count as one multiple eigenvalue */

enum { SIGN_ABS, SIGN_DOWN };
static const char *const sign_words[] = {"abs", "down", NULL};

struct evsc {
    pith_i_shared shared;
    int sign;
};

static const pith_i_param evsc_table[] = {
    ROW(struct evsc, shared.neighbors, "neighbors", 5, 1, 1e9, false, NULL,
        "nearest neighbours of each sample in the graph, at most samples - 1"),
    ROW(struct evsc, shared.t_factor, "t_factor", 0.25, 1e-6, 1e6, false, NULL,
        "scale of the heat kernel's width: t = t_factor * (mean distance over all pairs)^2"),
    ROW(struct evsc, sign, "sign", SIGN_ABS, 0, 0, false, sign_words,
        "abs: changes of the eigenvalues in either direction; down: decreases minus increases"),
    CLUSTERS_PARAM(struct evsc),
    STANDARDIZE_PARAM(struct evsc),
};

static const char *const evsc_grid[] = {"t_factor=0.0625,0.25,1,4,16", NULL};

static pith_status build_graph(pith_ctx *ctx, const pith_i_input *in, pith_i_cached_graph **out)
{
    pith_i_shared *o = in->options;
    pith_status st = PITH_OK;
    if (o->neighbors > in->all - 1)
        o->neighbors = in->all - 1;
    const pith_i_graph_options options = {.neighbors = o->neighbors,
                                          .metric = PITH_I_EUCLIDEAN,
                                          .weight = PITH_I_HEAT,
                                          .width_factor = o->t_factor};
    TRY(pith_i_progress_stage(ctx, "building the graph", 0, 0.6));
    TRY(pith_i_cache_graph(ctx, in->cache, o->standardize, &options, in->reuse, out));
    const pith_i_graph_summary about = pith_i_graph_summarize((*out)->graph);
    pith_i_fact(in->facts, "graph_components", (double)about.components);
    pith_i_fact(in->facts, "isolated_samples", (double)about.isolated);
    pith_i_fact(in->facts, "heat_width", about.heat_width);
done:
    return st;
}

/* *end: past the c smallest positive eigenvalues, and past those that equal the last of them. */
static pith_status find_pairs(pith_ctx *ctx, const pith_i_input *in, int64_t c, pith_i_cached_graph *cached,
                              int64_t *end)
{
    const pith_i_graph_summary about = pith_i_graph_summarize(cached->graph);
    const int64_t first = about.components, most = about.rows - about.isolated;
    int64_t last = first + c;
    pith_status st = PITH_OK;
    if (last > most)
        FAIL(ctx, PITH_E_DATA,
             "clusters: the graph of %lld samples that have a neighbour, in %lld components, has %lld "
             "positive eigenvalues, fewer than %lld",
             (long long)most, (long long)first, (long long)(most - first), (long long)c);
    for (int64_t want = last + 1;; want = 2 * last) {
        TRY(pith_i_cached_spectrum(ctx, cached, want < most ? want : most, in->reuse));
        while (last < cached->spectrum.m &&
               cached->spectrum.value[last] - cached->spectrum.value[last - 1] < same)
            last++;
        if (last < cached->spectrum.m || last == most)
            break;
    }
    *end = last;
done:
    return st;
}

/* Groups of equal eigenvalues; with `one`, a single group, in which signs may cancel. Returns their
 * number. */
static int64_t find_groups(const double *value, int64_t first, int64_t end, bool one, int64_t *group)
{
    int64_t groups = 1;
    group[0] = 0;
    for (int64_t l = first + 1; l < end; l++) {
        groups += !one && value[l] - value[l - 1] >= same;
        group[l - first] = groups - 1;
    }
    return groups;
}

/*
 *     abs    sum over groups of |sum over the group of d lambda / d w_r|
 *     down   - sum of d lambda / d w_r
 *
 * over the c smallest positive eigenvalues. O(graph + c p edges).
 */
static pith_status evsc_score(pith_ctx *ctx, const pith_i_input *in, const void *params, double *score)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const struct evsc *o = params;
    pith_i_cached_graph *cached = NULL;
    int64_t c = 0, end = 0, *group = NULL;
    double *sums = NULL;
    pith_status st = PITH_OK;
    TRY(pith_i_input_clusters(ctx, in, &c));
    TRY(build_graph(ctx, in, &cached));
    TRY(pith_i_progress_stage(ctx, "finding eigenvalues", 0.6, 0.8));
    TRY(find_pairs(ctx, in, c, cached, &end));
    const pith_i_graph_summary about = pith_i_graph_summarize(cached->graph);
    const int64_t first = about.components;
    TRY(SCRATCH(ctx, group, end - first));
    const int64_t groups = find_groups(cached->spectrum.value, first, end, o->sign == SIGN_DOWN, group);
    const pith_i_edge_weightings weightings = {.pairs = end - first,
                                               .groups = groups,
                                               .value = cached->spectrum.value + first,
                                               .vector = cached->spectrum.vector + first * in->n,
                                               .group = group};
    TRY(SCRATCH(ctx, sums, in->p * groups));
    TRY(pith_i_progress_stage(ctx, "scoring features", 0.8, 1));
    TRY(pith_i_edge_sums(ctx, cached->graph, in->X, in->T, &weightings, sums));
    for (int64_t j = 0; j < in->p; j++) {
        score[j] = 0;
        for (int64_t g = 0; g < groups; g++) {
            const double fall = sums[j * groups + g] / about.heat_width;
            score[j] += o->sign == SIGN_DOWN ? fall : fabs(fall);
        }
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

const pith_method pith_i_method_evsc = {
    .name = "evsc",
    .family = "graph, one feature at a time",
    .reference = "after Jiang & Ren, Eigenvalue sensitive feature selection, ICML 2011",
    .title =
        "Ranks features by how much their weight changes the smallest eigenvalues of the graph Laplacian.",
    .notes = "We derived the formula from the paper's idea, the derivative of each eigenvalue with respect "
             "to the weight of a feature. We had the abstract and descriptions by others, not the full text. "
             "By default columns are z-scored; counts become tf-idf rows of unit norm with centred columns.",
    .better = HIGHER,
    .spreads = true,
    .dense_view = VIEW_ZSCORE,
    .counts_view = VIEW_TFIDF_CENTER,
    .table = evsc_table,
    .n_table = COUNT(evsc_table),
    .params_size = sizeof(struct evsc),
    .grid = evsc_grid,
    .score = evsc_score,
};
