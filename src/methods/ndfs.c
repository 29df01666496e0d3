/*
 * NDFS (Li, Yang, Liu, Zhou & Lu, AAAI 2012). With Ln = I - A the normalised Laplacian of the graph,
 *
 *     min_{F, W} tr(F'Ln F) + a (||XW - F||_F^2 + b ||W||_{2,1}) + (g/2) ||F'F - I||_F^2,   F >= 0
 *
 * by turns: W is a reweighted ridge solution for F, then F takes one multiplicative step. For the W that
 * belongs to F, half the gradient over F is F - A F + a R plus the penalty's, R = F - XW, so that the paper's
 * n x n matrix Ln + a (I - X (X'X + bQ)^-1 X') is never formed. A feature's score is the norm of its row of
 * W.
 */
#include "cluster/spectral.h"
#include "linalg/indicator.h"
#include "linalg/row_sparse.h"
#include "matrix/gather.h"
#include "methods/regression.h"

#include <string.h>

struct ndfs {
    pith_i_shared shared;
    double a, rho, g, tol;
    int64_t max_iter, starts;
};

static const pith_i_param ndfs_table[] = {
    PARAM(struct ndfs, a, 1, 1e-6, 1e6, "weight of the regression relative to the graph"),
    RHO_PARAM(struct ndfs, 0.4),
    PARAM(struct ndfs, g, 1e8, 1e-3, 1e12,
          "weight of the orthogonality penalty; from about 1e3 on the clusters stay as they start"),
    MAX_ITER_PARAM(struct ndfs, 30),
    TOL_PARAM(struct ndfs),
    PARAM(struct ndfs, starts, 10, 1, 1000, "k-means runs for the initial clusters"),
    START_PARAM(struct ndfs),
    GRAPH_PARAMS(struct ndfs, 5, WEIGHT_HEAT),
    CLUSTERS_PARAM(struct ndfs),
    STANDARDIZE_PARAM(struct ndfs),
};

/* The paper's grid is 1e-6 .. 1e6, for its own b, which has the unit of the data. */
static const char *const ndfs_grid[] = {"rho=0.05,0.1,0.2,0.4,0.6,0.8", NULL};

typedef struct work {
    const pith_i_input *in;
    const struct ndfs *o;
    int64_t c;
    double b;
    pith_i_row_sparse fit;
    double *F, *R, *W; /* n x c, n x c, p x c, row-major */
    double *AF;        /* n x c: A F */
    double *pos, *neg; /* n x c: parts of the gradient; and F and A F by columns */
    double *room;
    double *norm; /* p */
} work;

static pith_status take_memory(pith_ctx *ctx, work *w)
{
    const int64_t n = w->in->n, c = w->c;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, w->F, n * c));
    TRY(SCRATCH(ctx, w->R, n * c));
    TRY(SCRATCH(ctx, w->W, w->in->p * c));
    TRY(SCRATCH(ctx, w->AF, n * c));
    TRY(SCRATCH(ctx, w->pos, n * c));
    TRY(SCRATCH(ctx, w->neg, n * c));
    TRY(SCRATCH(ctx, w->room, pith_i_indicator_room(n, c)));
    TRY(SCRATCH(ctx, w->norm, w->in->p));
done:
    return st;
}

/* The user's labels, or k-means on the rows of the graph's first c eigenvectors, the trivial one included. */
static pith_status start(pith_ctx *ctx, work *w)
{
    const pith_i_kmeans_options options = {.clusters = w->c, .restarts = w->o->starts};
    const pith_i_start *given = &w->o->shared.start;
    const pith_i_spectrum *spectrum = NULL;
    pith_i_kmeans runs = {0};
    pith_status st = PITH_OK;
    if (given->n == 0) {
        TRY(pith_i_input_spectrum(ctx, w->in, w->c, &spectrum));
        TRY(pith_i_spectral_cluster(ctx, w->in->X, w->c, spectrum->vector, &options, &runs));
    }
    TRY(pith_i_indicator_start(ctx, w->in->X, w->c, given->n > 0 ? given->label : pith_i_kmeans_best(&runs),
                               w->F));
done:
    pith_i_kmeans_free(&runs);
    return st;
}

/* A F; operators take vectors by columns, so F and A F are transposed. */
static pith_status smooth(pith_ctx *ctx, work *w)
{
    const pith_i_operator A = pith_i_affinity(w->in->graph);
    const int64_t n = w->in->n, c = w->c;
    pith_status st = PITH_OK;
    pith_i_transpose_panel(n, c, w->F, w->pos);
    TRY(A.apply(ctx, A.self, c, w->pos, w->neg));
    pith_i_transpose_panel(c, n, w->neg, w->AF);
done:
    return st;
}

/* A step of F; R = F - XW is updated, XW is not. */
static pith_status move_indicator(pith_ctx *ctx, work *w)
{
    const int64_t cells = w->in->n * w->c;
    const double a = w->o->a;
    pith_status st = PITH_OK;
    for (int64_t e = 0; e < cells; e++) {
        w->pos[e] = w->F[e] + a * fmax(w->R[e], 0);
        w->neg[e] = w->AF[e] + a * fmax(-w->R[e], 0);
        w->R[e] -= w->F[e];
    }
    TRY(pith_i_indicator_step(ctx, w->in->X, w->c, w->o->g, w->pos, w->neg, PITH_I_WHOLE_STEP, w->room,
                              w->F));
    TRY(pith_i_indicator_rescale(ctx, w->in->X, w->c, w->F));
    for (int64_t e = 0; e < cells; e++)
        w->R[e] += w->F[e];
done:
    return st;
}

static pith_status objective(pith_ctx *ctx, const work *w, double *J)
{
    double sum[2] = {0}, rows = 0, defect = 0; /* sum: the graph's term, and the squared residual */
    pith_status st = PITH_OK;
    for (int64_t e = 0; e < w->in->n * w->c; e++) {
        sum[0] += w->F[e] * (w->F[e] - w->AF[e]);
        sum[1] += w->R[e] * w->R[e];
    }
    TRY(pith_i_sum_over(ctx, w->in->X, COUNT(sum), sum));
    TRY(pith_i_indicator_defect(ctx, w->in->X, w->c, w->F, w->room, &defect));
    for (int64_t j = 0; j < w->in->p; j++)
        rows += w->norm[j];
    *J = sum[0] + w->o->a * (sum[1] + w->b * rows) + w->o->g / 2 * defect;
done:
    return st;
}

/* Ends with W and its row norms, not refitted to the new F. */
static pith_status sweep(pith_ctx *ctx, void *self, double *J)
{
    work *w = self;
    pith_status st = PITH_OK;
    TRY(pith_i_row_sparse_factor(ctx, &w->fit, w->b, NULL));
    TRY(pith_i_row_sparse_solve(ctx, &w->fit, w->c, w->F, w->W, w->R));
    pith_i_row_sparse_reweight(&w->fit, w->c, w->W);
    pith_i_row_norms(w->in->p, w->c, w->W, w->norm);
    TRY(move_indicator(ctx, w));
    TRY(smooth(ctx, w));
    TRY(objective(ctx, w, J));
done:
    return st;
}

static pith_status ndfs_score(pith_ctx *ctx, const pith_i_input *in, const void *params, double *score)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    work w = {.in = in, .o = params};
    pith_i_design X;
    pith_status st = PITH_OK;
    TRY(pith_i_input_clusters(ctx, in, &w.c));
    TRY(pith_i_input_design(ctx, in, &X));
    TRY(pith_i_penalty_bound(ctx, &X, &w.b));
    w.b *= w.o->rho;
    TRY(take_memory(ctx, &w));
    TRY(start(ctx, &w));
    TRY(pith_i_row_sparse_open(ctx, &X, w.c, &w.fit));
    w.fit.tolerance = pith_i_inner_tolerance(w.o->tol);
    TRY(smooth(ctx, &w));
    TRY(pith_i_sweeps_run(ctx, &(pith_i_sweeps){w.o->max_iter, w.o->tol, sweep, &w}, in->facts));
    pith_i_fact(in->facts, "penalty", w.b);
    memcpy(score, w.norm, (size_t)in->p * sizeof *score);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

const pith_method pith_i_method_ndfs = {
    .name = "ndfs",
    .family = "spectral clustering, row-sparse regression",
    .reference = "Li, Yang, Liu, Zhou & Lu, Unsupervised feature selection using nonnegative spectral "
                 "analysis, AAAI 2012",
    .title = "Learns nonnegative cluster indicators by spectral analysis, jointly with a row-sparse "
             "regression that predicts them.",
    .notes = "rho is relative to 2 max ||f||, a penalty above which no feature would be left. With the "
             "default g the clusters stay as they were at the start (from spectral clustering or "
             "--init-labels). By default columns are z-scored; counts become tf-idf rows of unit norm with "
             "centred columns and one common scale.",
    .needs = NEEDS_GRAPH,
    .better = HIGHER,
    .spreads = true,
    .dense_view = VIEW_ZSCORE,
    .counts_view = VIEW_TFIDF_UNIT,
    .table = ndfs_table,
    .n_table = COUNT(ndfs_table),
    .params_size = sizeof(struct ndfs),
    .grid = ndfs_grid,
    .score = ndfs_score,
};
