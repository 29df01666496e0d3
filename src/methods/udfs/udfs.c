/*
 * UDFS (Yang, Shen, Ma, Huang & Zhou, IJCAI 2011):
 *
 *     min_{W'W = I}  tr(W'X'BXW) + g ||W||_{2,1}
 *
 * B is the local scatter of graph/local_fit.h: tr(W'X'BXW) is small if, in every neighbourhood, the projected
 * samples are predicted well from the samples themselves. A feature's score is the norm of its row of W.
 */
#include "graph/local_fit.h"
#include "methods/regression.h"
#include "methods/udfs/sparse_subspace.h"

#include <string.h>

struct udfs {
    pith_i_shared shared;
    double l, g, tol;
    int64_t max_iter;
};

static const pith_i_param udfs_table[] = {
    PARAM(struct udfs, l, 1, 1e-6, 1e6,
          "ridge penalty within neighbourhoods, in units of their mean scatter"),
    PARAM(struct udfs, g, 0.1, 1e-4, 1e4,
          "weight of the row-sparsity penalty; from about 1 on, only as many features matter as there are "
          "clusters"),
    MAX_ITER_PARAM(struct udfs, 20),
    TOL_PARAM(struct udfs),
    ROW(struct udfs, shared.neighbors, "neighbors", 5, 1, 1000, false, NULL,
        "nearest neighbours of each sample (Euclidean), at most samples - 1"),
    CLUSTERS_PARAM(struct udfs),
    STANDARDIZE_PARAM(struct udfs),
};

static const char *const udfs_grid[] = {"g=1e-3,1e-2,0.1,1,10,100,1000", NULL};

static pith_status sweep(pith_ctx *ctx, void *self, double *J)
{
    pith_i_sparse_subspace *s = self;
    const pith_status st = pith_i_sparse_subspace_sweep(ctx, s);
    *J = s->objective;
    return st;
}

/* The subspace has as many directions as there are clusters. If the user gave no number, it is reduced to
 * what the data allows. */
static pith_status directions(pith_ctx *ctx, const pith_i_input *in, int64_t *out)
{
    const bool asked = in->options->clusters != PITH_I_AUTO;
    int64_t vary = 0;
    const pith_status st = pith_i_input_clusters(ctx, in, out);
    for (int64_t j = 0; j < in->p; j++)
        vary += !in->constant[j];
    if (st == PITH_OK && !asked && vary > 0 && *out > vary) {
        *out = vary;
        pith_i_fact(in->facts, "directions", (double)vary);
    }
    return st;
}

/* A direction with hardly any variance costs hardly anything, so rounding decides which of such features are
 * taken. */
static void warn_of_scales(const pith_i_input *in)
{
    const double *variance = in->cache->stats.variance;
    const int view = in->options->standardize;
    double lo = INFINITY, hi = 0;
    for (int64_t j = 0; j < in->p; j++)
        if (!in->constant[j]) {
            lo = fmin(lo, variance[j]);
            hi = fmax(hi, variance[j]);
        }
    if ((view == VIEW_NONE || view == VIEW_CENTER || view == VIEW_CENTER_UNIT) && hi / lo > 1e12)
        pith_i_warn(in->facts,
                    "the variances of the features differ by a factor of %.0e, and udfs prefers the "
                    "smallest: try --standardize zscore",
                    hi / lo);
}

static pith_status udfs_score(pith_ctx *ctx, const pith_i_input *in, const void *params, double *score)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const struct udfs *o = params;
    pith_i_local_sum B = {0};
    pith_i_sparse_subspace s;
    pith_i_design X;
    int64_t c = 0;
    pith_status st = PITH_OK;
    TRY(directions(ctx, in, &c));
    TRY(pith_i_input_design(ctx, in, &X));
    TRY(pith_i_local_scatter(ctx, in->X, o->shared.neighbors, o->l, &B));
    const pith_i_operator scatter = pith_i_local_sum_operator(&B);
    TRY(pith_i_sparse_subspace_open(ctx, &X, &scatter, o->g, c, PITH_I_BY_COST, &s));
    TRY(pith_i_sweeps_run(ctx, &(pith_i_sweeps){o->max_iter, o->tol, sweep, &s}, in->facts));
    memcpy(score, s.norm, (size_t)in->p * sizeof *score);
    if (s.residual > 1e-6)
        pith_i_warn(
            in->facts,
            "the eigenvectors of a sweep were found only to %.0e: features of nearly the same score may "
            "change places",
            s.residual);
    warn_of_scales(in);
done:
    pith_i_local_sum_free(&B);
    pith_i_scratch_release(ctx, mark);
    return st;
}

const pith_method pith_i_method_udfs = {
    .name = "udfs",
    .family = "local discrimination, row sparsity",
    .reference = "Yang, Shen, Ma, Huang & Zhou, l2,1-norm regularized discriminative feature selection for "
                 "unsupervised learning, IJCAI 2011",
    .title =
        "Finds a row-sparse projection that preserves the local discriminative structure of the samples.",
    .notes = "By default columns are centred and scaled by one common factor to a mean variance of 1; counts "
             "become tf-idf rows of unit norm first.",
    .better = HIGHER,
    .spreads = true,
    .dense_view = VIEW_CENTER_UNIT,
    .counts_view = VIEW_TFIDF_UNIT,
    .table = udfs_table,
    .n_table = COUNT(udfs_table),
    .params_size = sizeof(struct udfs),
    .grid = udfs_grid,
    .score = udfs_score,
};
