#include "methods/factor/factor.h"

struct eufs {
    pith_i_shared shared;
    double alpha, beta;
    int solver;
    pith_i_factor_options o;
};

static const pith_i_param eufs_table[] = {
    PARAM(struct eufs, alpha, 0.01, 0, 1e6, "weight of the row-sparsity penalty (called beta in hufs)"),
    PARAM(struct eufs, beta, 0.1, 0, 1e6,
          "weight of the graph term, which puts neighbours into the same cluster"),
    FACTOR_PARAMS(struct eufs, pith_i_factor_solvers_plain),
    GRAPH_PARAMS(struct eufs, 5, WEIGHT_HEAT),
    CLUSTERS_PARAM(struct eufs),
    START_PARAM(struct eufs),
    STANDARDIZE_PARAM(struct eufs),
};

static const char *const eufs_grid[] = {"alpha=1e-3,1e-2,1e-1", "beta=1e-2,1e-1,1", NULL};

/*
 * EUFS (Wang, Tang & Liu): as hufs, with the graph of the samples instead of a tree,
 *
 *     min ||X - U V'||_{2,1} + alpha ||V||_{2,1} + beta tr(U'LU),   U'U = I, U >= 0
 *
 * L is the normalised Laplacian: with the unnormalised one, the steps of the method of multipliers flip
 * signs. score(f) = ||v_f||.
 */
static pith_status eufs_score(pith_ctx *ctx, const pith_i_input *in, const void *params, double *score)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const struct eufs *o = params;
    pith_i_factor f = {.in = in, .o = o->o, .rows = o->alpha, .rows_name = "alpha", .graph = o->beta};
    pith_status st = PITH_OK;
    TRY(pith_i_factor_start(ctx, &f));
    TRY(o->solver == SOLVER_MM ? pith_i_factor_mm(ctx, &f) : pith_i_factor_admm(ctx, &f, false));
    TRY(pith_i_factor_score(ctx, &f, score));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

const pith_method pith_i_method_eufs = {
    .name = "eufs",
    .family = "clustering, sparse factorisation, graph of the samples",
    .reference = "Wang, Tang & Liu, \"Embedded Unsupervised Feature Selection\", AAAI 2015",
    .title = "Clusters the samples by a sparse matrix factorisation that keeps nearest neighbours in the "
             "same cluster.",
    .notes = "A feature with a score below 0 was dropped; the score says how far it is from coming back. By "
             "default columns are z-scored; counts (nothing negative, fewer than half nonzero) become tf-idf "
             "rows of unit norm.",
    .needs = NEEDS_GRAPH,
    .better = HIGHER,
    .spreads = true,
    .dense_view = VIEW_ZSCORE,
    .counts_view = VIEW_TFIDF,
    .table = eufs_table,
    .n_table = COUNT(eufs_table),
    .params_size = sizeof(struct eufs),
    .grid = eufs_grid,
    .score = eufs_score,
};
