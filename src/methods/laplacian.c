#include "graph/smoothness.h"
#include "methods/method.h"

struct laplacian {
    pith_i_shared shared;
};

static const pith_i_param laplacian_table[] = {
    GRAPH_PARAMS(struct laplacian, 5, WEIGHT_HEAT),
    STANDARDIZE_PARAM(struct laplacian),
};

/* Factors of the squared width for widths 4^-3 .. 4^3 times the mean distance. */
static const char *const laplacian_grid[] = {"t_factor=0.000244140625,0.00390625,0.0625,1,16,256,4096", NULL};

/*
 * Laplacian score of every feature (He, Cai & Niyogi, NIPS 2005):
 *
 *     score(f) = 1/2 sum_ij S_ij (f_i - f_j)^2  /  sum_i d_i (f_i - mean)^2
 *
 * d are the degrees of S and weight the mean. Low is good: f changes little between neighbours for the
 * spread it has. A feature without spread where the graph has weight has no score.
 */
static pith_status laplacian_score(pith_ctx *ctx, const pith_i_input *in, const void *params, double *score)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_smoothness s;
    pith_status st = PITH_OK;
    (void)params;
    TRY(pith_i_smoothness_find(ctx, in->graph, in->X, in->T, in->shift, &s));
    for (int64_t j = 0; j < in->p; j++)
        score[j] = pith_i_smoothness_is_flat(&s, in->X, j) ? pith_i_unscored(in, j, PITH_I_FLAT)
                                                           : s.rough[j] / s.spread[j];
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

const pith_method pith_i_method_laplacian = {
    .name = "laplacian",
    .family = "graph, one feature at a time",
    .reference = "He, Cai & Niyogi, Laplacian score for feature selection, NIPS 2005",
    .title = "Ranks features by the Laplacian score: how little they vary between nearest neighbours, "
             "relative to their overall variance.",
    .notes = "In the paper a low score is good. pith flips the sign, so that higher is better. How the "
             "columns are scaled often matters more than the choice of method: try --standardize zscore.",
    .needs = NEEDS_GRAPH,
    .better = LOWER,
    .spreads = true,
    .dense_view = VIEW_NONE,
    .counts_view = VIEW_NONE,
    .wants = WANTS_LOGS,
    .table = laplacian_table,
    .n_table = COUNT(laplacian_table),
    .params_size = sizeof(struct laplacian),
    .grid = laplacian_grid,
    .score = laplacian_score,
};
