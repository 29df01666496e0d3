#include "graph/averages.h"
#include "methods/method.h"

struct energy {
    pith_i_shared shared;
    double idf;
};

static const pith_i_param energy_table[] = {
    ALIKE_PARAMS(struct energy, 10),
    PARAM(struct energy, idf, 1, 0.5, 2,
          "exponent of ln(n / df) in the scored columns of counts; for the graph it is 1"),
    STANDARDIZE_PARAM(struct energy),
};

/* Columns of these views contain the factor ln(n / df): makes the score that of columns with its power
 * instead. */
static void weigh_again(const pith_i_input *in, double power, double *score)
{
    const int64_t *df = in->cache->stats.nonzeros;
    for (int64_t j = 0; j < in->p && pith_i_view_unit_rows(in->options->standardize); j++)
        if (df[j] > 0 && df[j] < in->all) /* else the column is 0, and so is its score */
            score[j] *= pow(log((double)in->all / (double)df[j]), 2 * (power - 1));
}

/* Recommends the effective number of features, (sum s)^2 / sum s^2; it is p if all scores are equal. */
static void keep_effective(const pith_i_input *in, const double *score)
{
    double sum = 0, squares = 0;
    for (int64_t j = 0; j < in->p; j++)
        if (!in->constant[j]) {
            sum += score[j];
            squares += score[j] * score[j];
        }
    pith_i_keep(in->facts, squares > 0 ? (int64_t)llround(sum * sum / squares) : 0);
}

/*
 * The energy that is left of a feature after averaging over neighbours:
 *
 *     score(f) = |A f_c|^2 ,   f_c = f - mean,   A = D^-1/2 W D^-1/2
 *
 * For counts, f is a column of sqrt(x) ln(n / df)^idf, each row divided by its norm at idf = 1, as in the
 * graph.
 */
static pith_status energy_score(pith_ctx *ctx, const pith_i_input *in, const void *params, double *score)
{
    const struct energy *o = params;
    pith_status st = PITH_OK;
    TRY(pith_i_averaged_energy(ctx, in->graph, in->X, in->T, score));
    weigh_again(in, o->idf, score);
    keep_effective(in, score);
done:
    return st;
}

const pith_method pith_i_method_energy = {
    .name = "energy",
    .family = "graph, one feature at a time",
    .reference = "pith's own; docs/methods/energy.md has the evidence",
    .title = "Smooths each feature over the nearest-neighbour graph and ranks features by the variance that "
             "remains.",
    .notes = "Made for counts, such as words in documents or transcripts in cells. Counts are weighted as "
             "sqrt(x) ln(n / df), with rows scaled to unit norm. Other data is used as it is: bring its "
             "columns to a common scale first.",
    .needs = NEEDS_GRAPH | NEEDS_ALIKE,
    .better = HIGHER,
    .spreads = true,
    .keeps = true,
    .dense_view = VIEW_NONE,
    .counts_view = VIEW_SQRT_IDF,
    .plain_relevance = true,
    .table = energy_table,
    .n_table = COUNT(energy_table),
    .params_size = sizeof(struct energy),
    .score = energy_score,
};
