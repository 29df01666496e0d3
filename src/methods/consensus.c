#include "cluster/group_sums.h"
#include "methods/ensemble.h"
#include "methods/method.h"

struct consensus {
    pith_i_shared shared;
    int64_t draws;
    double share;
    int scaling;
    bool judge, thrifty;
};

enum { SCALING_AUTO, SCALING_ZSCORE, SCALING_PARETO };
static const char *const scaling_words[] = {"auto", "zscore", "pareto", NULL};

static const pith_i_param consensus_table[] = {
    PARAM(struct consensus, draws, 22, 1, 1000,
          "number of clusterings, each on its own subset of the features; 22: a balanced set of halves"),
    PARAM(
        struct consensus, share, 0.5, 0.01, 1,
        "share of the features in each subset; 0.5: balanced halves, else features are drawn independently"),
    ROW(struct consensus, shared.neighbors, "neighbors", 5, 1, 1e9, false, NULL,
        "nearest neighbours of each sample in the graphs, at most samples - 1"),
    ROW(struct consensus, shared.clusters, "clusters", (double)NAN, 2, 1e9, true, NULL,
        "number of clusters c: the clusterings alternate between c and 2c groups; auto: 4, 8 and 16"),
    ROW(struct consensus, scaling, "scaling", SCALING_AUTO, 0, 0, false, scaling_words,
        "how features are scaled before samples are clustered: all alike (zscore), or so that those that "
        "vary "
        "more keep some of that (pareto), but for counts; auto: zscore, of logarithms pareto if method auto "
        "chose"),
    DIVERSITY_PARAM(struct consensus, 0.5),
    ROW(struct consensus, shared.top, "top", 300, 1, 1e9, false, NULL,
        "number of top features that are ranked with diversity and judged by agreement"),
    PARAM(struct consensus, judge, 0, 0, 1,
          "use the ranking of kmeans-energy instead if its top features agree better with the groups"),
    PARAM(struct consensus, thrifty, 0, 0, 1,
          "-n auto keeps the fewest features that reach 95 % of the best agreement"),
};

/*
 * Mean over draws of the share of a column that lies between the groups of the draw:
 *
 *     relevance(f) = mean_b between_b(f) / total(f)^p,     each b first scaled to mean 1 over features
 *
 * total = n times the variance; p = 1, but 1/2 on counts, so that there the total matters too.
 */
static pith_status relevance(pith_ctx *ctx, const pith_i_input *in, const pith_i_ensemble *e, double *score)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_viewed *viewed = NULL; /* not in->X: the ensemble has asked for another view since */
    const int64_t draws = e->options.draws, p = in->p;
    pith_i_column_stats stats;
    pith_i_grouping *groupings = NULL;
    double *between = NULL;
    pith_status st = PITH_OK;
    TRY(pith_i_cache_view(ctx, in->cache, in->options->standardize, &viewed));
    const pith_i_data *X = &viewed->view.X, *T = NULL;
    TRY(pith_i_cache_columns(ctx, in->cache, in->options->standardize, &T));
    TRY(pith_i_column_statistics(ctx, X, T, &stats));
    TRY(SCRATCH(ctx, groupings, draws));
    TRY(SCRATCH(ctx, between, draws * p));
    for (int64_t b = 0; b < draws; b++)
        groupings[b] = (pith_i_grouping){e->groups[b], e->label + b * e->n};
    TRY(pith_i_between(ctx, X, T, stats.mean, draws, groupings, between));
    for (int64_t j = 0; j < p; j++)
        score[j] = 0;
    for (int64_t b = 0; b < draws; b++) {
        double *of = between + b * p, sum = 0, varying = 0;
        for (int64_t j = 0; j < p; j++) {
            const double total = (double)in->all * stats.variance[j];
            of[j] = in->constant[j] || total <= 0 ? 0 : of[j] / (e->counts ? sqrt(total) : total);
            sum += of[j];
            varying += !in->constant[j];
        }
        for (int64_t j = 0; j < p && sum > 0; j++)
            score[j] += of[j] * varying / sum / (double)draws;
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status consensus_score(pith_ctx *ctx, const pith_i_input *in, const void *params, double *score)
{
    const struct consensus *o = params;
    struct consensus *settled = (struct consensus *)in->options; /* the same, which the result shows */
    if (o->scaling == SCALING_AUTO)
        settled->scaling = SCALING_ZSCORE;
    const pith_i_ensemble_options options = {
        .pareto = o->scaling == SCALING_PARETO,
        .draws = o->draws,
        .neighbors = o->shared.neighbors < in->all - 1 ? o->shared.neighbors : in->all - 1,
        .share = o->share,
        .clusters = o->shared.clusters == PITH_I_AUTO ? 0 : o->shared.clusters,
        .tests = o->draws == PITH_I_HALVES && o->share == 0.5 && o->shared.evidence == EVIDENCE_GROUPS,
    };
    const pith_i_ensemble *e = NULL;
    pith_status st = PITH_OK;
    if (options.clusters > in->all - 1)
        FAIL(ctx, PITH_E_PARAMETER, "clusters: %lld is more than samples - 1 = %lld",
             (long long)options.clusters, (long long)in->all - 1);
    TRY(pith_i_ensemble_get(ctx, in->cache, &options, in->reuse, &e));
    TRY(relevance(ctx, in, e, score));
    *in->after = (pith_i_after){e, o->judge ? "kmeans-energy" : NULL, o->thrifty};
done:
    return st;
}

const pith_method pith_i_method_consensus = {
    .name = "consensus",
    .family = "consensus clustering",
    .reference = "pith's own; docs/methods/consensus.md has the evidence",
    .title = "Clusters the samples many times on random subsets of the features, and prefers features that "
             "vary between the resulting groups and are not redundant.",
    .notes = "The reported agreement says, without labels, how well the top features recover the groups; "
             "below 0.15, do not trust the selection. Counts (nothing negative, fewer than half nonzero) are "
             "weighted as sqrt(x) ln(n / df) with rows of unit norm; other data is z-scored.",
    .needs = MAKES_GRAPHS,
    .better = HIGHER,
    .dense_view = VIEW_NONE,
    .counts_view = VIEW_SQRT_IDF,
    .plain_relevance = true,
    .keeps = true,
    .tests = true,
    .order_matters = true,
    .draws_features = true,
    .by_rows = true, /* not before the subsets are clustered: X' and a subset would be held at once */
    .spreads = true,
    .table = consensus_table,
    .n_table = COUNT(consensus_table),
    .params_size = sizeof(struct consensus),
    .score = consensus_score,
};
