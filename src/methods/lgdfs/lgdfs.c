#include "methods/lgdfs/models.h"
#include "methods/method.h"

#include <string.h>

struct lgdfs {
    pith_i_shared shared;
    int64_t k, iters;
    double alpha, lam, lam_l, tol;
};

static const pith_i_param lgdfs_table[] = {
    PARAM(struct lgdfs, k, 5, 2, 1e9,
          "size of a neighbourhood: a sample and its k - 1 nearest neighbours, at most all samples"),
    PARAM(struct lgdfs, alpha, 1, 1e-4, 1e4, "weight of the global model relative to the local ones"),
    PARAM(struct lgdfs, lam, 1, 1e-4, 1e6, "ridge penalty of the global model"),
    PARAM(struct lgdfs, lam_l, 1, 1e-4, 1e6, "ridge penalty of the local models"),
    PARAM(struct lgdfs, iters, 20, 1, PITH_I_ROUNDS,
          "maximum number of iterations; the ranking changes little after 20"),
    PARAM(struct lgdfs, tol, 1e-4, 0, 2, "stop when the weights change by less than this in total"),
    CLUSTERS_PARAM(struct lgdfs),
    STANDARDIZE_PARAM(struct lgdfs),
};

static const char *const lgdfs_grid[] = {"alpha=0.01,0.1,1,10,100", "lam=0.01,0.1,1,10,100",
                                         "lam_l=0.01,0.1,1,10,100", NULL};

typedef struct work {
    pith_i_models models;
    int64_t p, targets;
    double *value, *Y; /* targets + 1 of each: the last one shows the gap */
    double *s;         /* p */
    double change;     /* sum of |change of z_j| in the last round */
} work;

static pith_status open_work(pith_ctx *ctx, const pith_i_design *X, const struct lgdfs *o, int64_t clusters,
                             work *w)
{
    const int64_t n = X->X->n;
    const pith_i_models_options models = {.k = pith_i_min(o->k, pith_i_all(X->X)),
                                          .targets = clusters - 1,
                                          .alpha = o->alpha,
                                          .global = o->lam,
                                          .local = o->lam_l};
    pith_status st = PITH_OK;
    w->p = X->X->p;
    w->targets = clusters - 1;
    TRY(SCRATCH(ctx, w->value, clusters));
    TRY(SCRATCH(ctx, w->Y, clusters * n));
    TRY(SCRATCH(ctx, w->s, w->p));
    TRY(pith_i_models_open(ctx, X, &models, &w->models));
done:
    return st;
}

/* z_j <- z_j sqrt(s_j), scaled to a sum of 1; uniform if all s_j are 0. */
static void reweight(work *w, double *z)
{
    double sum = 0;
    for (int64_t j = 0; j < w->p; j++)
        sum += w->s[j] = z[j] * sqrt(w->s[j]);
    w->change = 0;
    for (int64_t j = 0; j < w->p; j++) {
        const double next = sum > 0 ? w->s[j] / sum : 1 / (double)w->p;
        w->change += fabs(next - z[j]);
        z[j] = next;
    }
}

/* Round `round` of `rounds`: models for z, hidden labels, new z. The last round also finds the next
 * eigenvalue, for the gap. */
static pith_status step(pith_ctx *ctx, const pith_i_input *in, work *w, int64_t round, int64_t rounds,
                        double *z)
{
    const double share = 1 / (double)rounds, done = share * (double)round;
    const bool gap = round + 1 == rounds;
    const int64_t found = w->targets + (gap && w->targets + 1 < w->models.all ? 1 : 0);
    double objective = 0;
    pith_status st = PITH_OK;
    TRY(pith_i_progress_stage(ctx, "weighing features", done, done + share / 2));
    TRY(pith_i_models_fit(ctx, &w->models, z, true));
    TRY(pith_i_progress_stage(ctx, "weighing features", done + share / 2, done + share));
    TRY(pith_i_models_targets(ctx, &w->models, found, w->value, w->Y));
    for (int64_t v = 0; v < w->targets; v++)
        objective += w->value[v]; /* tr(Y'AY) of eigenvectors */
    pith_i_round(in->facts, objective);
    if (found > w->targets)
        pith_i_fact(in->facts, "eigengap", w->value[w->targets] - w->value[w->targets - 1]);
    TRY(pith_i_models_energy(ctx, &w->models, w->targets, w->value, w->Y, w->s));
    reweight(w, z);
done:
    return st;
}

/*
 * LGDFS (Du, Shen, Li, Zhou & Shen, ICDM 2013): finds weights z on the features, hidden labels Y, and
 * regressions of Y, W on all samples and W_i on every region (methods/lgdfs/models.h), that minimise
 *
 *     sum_i tr(Y_i' L_i Y_i) + alpha tr(Y' L Y)      Y'Y = I, z >= 0, sum z = 1
 *
 * in turn: Y becomes the c - 1 lowest eigenvectors without the constant one, then z_j becomes proportional to
 * the norm of the rows j of all W. Neither step can raise the objective while the regions are fixed; they are
 * chosen anew in each round, in the space weighted by z. The score is z. On small data, a round takes
 * O(n^2 p + n^3) and two n x n arrays; where that would take more than half a second, it takes a search for
 * neighbours and products with X.
 */
static pith_status lgdfs_score(pith_ctx *ctx, const pith_i_input *in, const void *params, double *z)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const struct lgdfs *o = params;
    /* Far from 0, products of rows are too large to tell distances: data that is not standardized is centred.
     */
    const double *shift =
        in->shift == NULL && o->shared.standardize == VIEW_NONE ? in->cache->stats.mean : in->shift;
    const pith_i_design X = {.X = in->X, .T = in->T, .shift = shift, .left_out = in->constant};
    work w = {0};
    int64_t clusters = 0, round = 0;
    pith_status st = PITH_OK;
    TRY(pith_i_input_clusters(ctx, in, &clusters));
    TRY(open_work(ctx, &X, o, clusters, &w));
    for (int64_t j = 0; j < in->p; j++)
        z[j] = 1 / (double)in->p;
    do {
        TRY(step(ctx, in, &w, round, o->iters, z));
        round++;
    } while (round < o->iters && !(w.change < o->tol));
    pith_i_fact(in->facts, "iterations", (double)round);
    pith_i_fact(in->facts, "weights_changed", w.change);
    pith_i_fact(in->facts, "objective", in->facts->objective[round - 1]);
done:
    pith_i_models_close(&w.models);
    pith_i_scratch_release(ctx, mark);
    return st;
}

const pith_method pith_i_method_lgdfs = {
    .name = "lgdfs",
    .family = "regression, weights on features",
    .reference =
        "Du, Shen, Li, Zhou & Shen, Local and global discriminative learning for unsupervised feature "
        "selection, ICDM 2013",
    .title = "Learns feature weights so that cluster labels can be predicted both globally and within every "
             "neighbourhood.",
    .notes = "The score is the feature's weight; the weights add up to 1. By default columns are z-scored, "
             "since the ridge parameters have the unit of a feature's variance; counts become tf-idf.",
    .better = HIGHER,
    .spreads = true,
    .dense_view = VIEW_ZSCORE,
    .counts_view = VIEW_TFIDF,
    .table = lgdfs_table,
    .n_table = COUNT(lgdfs_table),
    .params_size = sizeof(struct lgdfs),
    .grid = lgdfs_grid,
    .score = lgdfs_score,
};
