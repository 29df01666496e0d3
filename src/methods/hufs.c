#include "methods/factor/factor.h"

enum { GROUP_ONE, GROUP_SQRT };

struct hufs {
    pith_i_shared shared;
    double alpha, beta;
    int solver, group_weight;
    pith_i_factor_options o;
};

static const char *const group_words[] = {"one", "sqrt", NULL};

static const pith_i_param hufs_table[] = {
    TREE_PARAM(struct hufs),
    PARAM(struct hufs, alpha, 0.001, 0, 1e6, "weight of the tree's groups; 0: the tree has no effect"),
    PARAM(struct hufs, beta, 0.01, 0, 1e6,
          "weight of the row-sparsity penalty: the larger, the fewer features matter"),
    ROW(struct hufs, group_weight, "group_weight", GROUP_ONE, 0, 0, false, group_words,
        "weight of each group: 1, or the square root of its size"),
    FACTOR_PARAMS(struct hufs, pith_i_factor_solvers),
    CLUSTERS_PARAM(struct hufs),
    START_PARAM(struct hufs),
    STANDARDIZE_PARAM(struct hufs),
};

static const char *const hufs_grid[] = {"alpha=1e-4,1e-3,1e-2", "beta=1e-3,1e-2,1e-1", NULL};

static pith_status weigh_groups(pith_ctx *ctx, const pith_tree *tree, double **out)
{
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, *out, tree->n_nodes));
    for (int32_t g = 0; g < tree->n_nodes; g++)
        (*out)[g] = sqrt((double)pith_i_tree_size(tree, g));
done:
    return st;
}

/*
 * HUFS (Wang et al.): samples are clustered and features chosen in one factorisation,
 *
 *     min ||X - U V'||_{2,1} + beta ||V||_{2,1} + alpha sum_k sum_G w_G ||V[G,k]||_2,   U'U = I, U >= 0
 *
 * G the nodes of the tree, the root among them. score(f) = ||v_f||. See factor.h for the solvers; mm takes
 * O(stored K + (n + p) K^2 + R K) an iteration, R the features of all nodes.
 */
static pith_status hufs_score(pith_ctx *ctx, const pith_i_input *in, const void *params, double *score)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const struct hufs *o = params;
    /* With alpha = 0 the tree is left out: its copies of V would slow down the method of multipliers. */
    pith_i_factor f = {.in = in,
                       .o = o->o,
                       .rows = o->beta,
                       .rows_name = "beta",
                       .groups = o->alpha,
                       .tree = o->alpha > 0 ? in->tree : NULL};
    pith_status st = PITH_OK;
    if (f.tree != NULL && o->group_weight == GROUP_SQRT)
        TRY(weigh_groups(ctx, f.tree, &f.weight));
    TRY(pith_i_factor_start(ctx, &f));
    TRY(o->solver == SOLVER_MM ? pith_i_factor_mm(ctx, &f)
                               : pith_i_factor_admm(ctx, &f, o->solver == SOLVER_ADMM_TREE));
    TRY(pith_i_factor_score(ctx, &f, score));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

const pith_method pith_i_method_hufs = {
    .name = "hufs",
    .family = "clustering, sparse factorisation, groups of features",
    .reference =
        "Wang et al., \"Exploiting Hierarchical Structures for Unsupervised Feature Selection\", SDM 2017",
    .title = "Clusters the samples by a sparse matrix factorisation, and uses a tree of feature groups to "
             "select or drop related features together.",
    .notes = "Uses a tree over the features, and chooses one if none is given. A feature with a score below "
             "0 was dropped; the score says how far it is from coming back. By default columns are z-scored; "
             "counts (nothing negative, fewer than half nonzero) become tf-idf rows of unit norm.",
    .needs = NEEDS_TREE,
    .better = HIGHER,
    .spreads = true,
    .dense_view = VIEW_ZSCORE,
    .counts_view = VIEW_TFIDF,
    .table = hufs_table,
    .n_table = COUNT(hufs_table),
    .params_size = sizeof(struct hufs),
    .grid = hufs_grid,
    .score = hufs_score,
};
