/*
 * RSFS (Shi, Du & Shen, ICDM 2014). Labels Y that neighbours share and that few features predict, but for
 * sparse noise Z of the labels:
 *
 *     J = tr(Y'LY) + a ||Y - XW - 1h' - Z||_F^2 + b ||W||_{2,1} + 2 a tau ||Z||_1 + z/4 ||Y'Y - I||_F^2,
 *
 * Y >= 0 (the square with the l1 norm is a Huber loss with its bend at tau). X is the method's view, centred,
 * L local learning, the norms of W's rows are sqrt(||.||^2 + e^2). A sweep takes four steps, each of which
 * lowers J:
 *
 *     W   one reweighting: W = Q^-1 X' (X Q^-1 X' + b/a I)^-1 (Y - Z - 1h')
 *     h   the mean of Y - Z - XW
 *     Z   soft(Y - XW - 1h', tau)
 *     Y   multiplicative steps with fourth roots, A = XW + 1h' + Z held
 */
#include "graph/local_learning.h"
#include "linalg/indicator.h"
#include "linalg/row_sparse.h"
#include "methods/regression.h"

struct rsfs {
    pith_i_shared shared;
    double v, a, rho, r, tol;
    int64_t max_iter, inner_iter, starts;
};

static const pith_i_param rsfs_table[] = {
    RHO_PARAM(struct rsfs, 0.2),
    PARAM(struct rsfs, v, 0.5, 1e-3, 1e3,
          "size above which a label's error counts as noise, in units of a label's entry"),
    PARAM(struct rsfs, a, 1, 1e-6, 1e6, "weight of the regression that predicts the labels"),
    PARAM(struct rsfs, r, 0.1, 1e-6, 1e6, "ridge penalty of local learning: the larger, the smoother"),
    ROW(struct rsfs, shared.neighbors, "neighbors", 5, 1, 100, false, NULL,
        "nearest neighbours of each sample in local learning, at most samples - 1"),
    PARAM(struct rsfs, max_iter, 30, 1, 200, "sweeps over weights, noise and labels"),
    PARAM(struct rsfs, inner_iter, 50, 1, 200, "updates of the labels in each sweep"),
    TOL_PARAM(struct rsfs),
    PARAM(struct rsfs, starts, 10, 1, 1000, "k-means runs for the initial labels; the best one is used"),
    CLUSTERS_PARAM(struct rsfs),
    START_PARAM(struct rsfs),
    STANDARDIZE_PARAM(struct rsfs),
};

static const char *const rsfs_grid[] = {"rho=0.05,0.1,0.2,0.3,0.5", NULL};

typedef struct state {
    const struct rsfs *o;
    int64_t n, p, c;
    pith_i_design X;
    pith_i_local_sum L;
    pith_i_row_sparse solver;
    double tau, b, z, e_weight;
    double *Y, *h, *Z;        /* n x c, c, n x c */
    double *W;                /* p x c */
    double *fitted;           /* n x c: XW + 1h' */
    double *target, *left;    /* n x c: Y - Z - 1h', what W leaves of it */
    double *pos, *neg, *room; /* n x c; of the indicator's steps */
    double *norm;             /* p */
} state;

/* ---- The start ---------------------------------------------------------------------------------------- */

static pith_status open_state(pith_ctx *ctx, const pith_i_input *in, state *w)
{
    const int64_t n = w->n, p = w->p, c = w->c;
    double **by_label[] = {&w->Y, &w->fitted, &w->target, &w->left, &w->pos, &w->neg};
    pith_status st = PITH_OK;
    TRY(pith_i_input_design(ctx, in, &w->X));
    for (size_t i = 0; i < COUNT(by_label); i++)
        TRY(SCRATCH(ctx, *by_label[i], n * c));
    TRY(SCRATCH_ZERO(ctx, w->Z, n * c));
    TRY(SCRATCH(ctx, w->W, p * c));
    TRY(SCRATCH(ctx, w->norm, p));
    TRY(SCRATCH(ctx, w->h, c));
    TRY(SCRATCH(ctx, w->room, pith_i_indicator_room(n, c)));
    TRY(pith_i_row_sparse_open(ctx, &w->X, &w->solver));
done:
    return st;
}

/* b = rho b_max, b_max = 2 a max_r ||f_r'C||, C = Y - 1h' cut off at -tau and tau: what of the labels is not
 * noise when W is 0. */
static pith_status find_penalty(pith_ctx *ctx, state *w)
{
    const int64_t c = w->c;
    pith_status st = PITH_OK;
    for (int64_t i = 0; i < w->n; i++)
        for (int64_t t = 0; t < c; t++)
            w->target[i * c + t] = fmin(fmax(w->Y[i * c + t] - w->h[t], -w->tau), w->tau);
    TRY(pith_i_design_multiply_t(ctx, &w->X, c, w->target, w->W));
    w->b = 2 * w->o->rho * w->o->a * pith_i_row_norms(w->p, c, w->W, w->norm);
    if (!(w->b > 0 && isfinite(w->b)))
        FAIL(ctx, PITH_E_DATA, "rsfs: no feature is related to the initial labels");
done:
    return st;
}

/* ---- The steps ---------------------------------------------------------------------------------------- */

/* W for the Q at hand, then fitted = XW + 1h' for the present h. */
static pith_status solve_weights(pith_ctx *ctx, state *w)
{
    const int64_t c = w->c;
    pith_status st = PITH_OK;
    for (int64_t i = 0; i < w->n; i++)
        for (int64_t t = 0; t < c; t++)
            w->target[i * c + t] = w->Y[i * c + t] - w->Z[i * c + t] - w->h[t];
    TRY(pith_i_row_sparse_factor(ctx, &w->solver, w->b / w->o->a, NULL));
    TRY(pith_i_row_sparse_solve(ctx, &w->solver, c, w->target, w->W, w->left));
    for (int64_t e = 0; e < w->n * c; e++)
        w->fitted[e] = w->Y[e] - w->Z[e] - w->left[e];
done:
    return st;
}

/* h moves by the mean of what W leaves; where X is centred, h becomes the mean of Y - Z. */
static void move_intercept(state *w)
{
    const int64_t c = w->c;
    for (int64_t t = 0; t < c; t++) {
        double step = 0;
        for (int64_t i = 0; i < w->n; i++)
            step += w->left[i * c + t] / (double)w->n;
        w->h[t] += step;
        for (int64_t i = 0; i < w->n; i++)
            w->fitted[i * c + t] += step;
    }
}

static void move_noise(state *w)
{
    for (int64_t e = 0; e < w->n * w->c; e++) {
        const double misfit = w->Y[e] - w->fitted[e];
        w->Z[e] = misfit > w->tau ? misfit - w->tau : misfit < -w->tau ? misfit + w->tau : 0;
    }
}

/* pos = 2 L^+ Y + 2a (Y + A^-), neg = 2 L^- Y + 2a A^+, A = fitted + Z. */
static void move_labels(pith_ctx *ctx, state *w)
{
    pith_i_local_sum_split(ctx, &w->L, w->c, w->Y, w->pos, w->neg);
    for (int64_t e = 0; e < w->n * w->c; e++) {
        const double A = w->fitted[e] + w->Z[e];
        w->pos[e] = 2 * w->pos[e] + 2 * w->o->a * (w->Y[e] + fmax(-A, 0));
        w->neg[e] = 2 * w->neg[e] + 2 * w->o->a * fmax(A, 0);
    }
    pith_i_indicator_step(w->n, w->c, w->z, w->pos, w->neg, PITH_I_FOURTH_ROOT, w->room, w->Y);
}

static double objective(pith_ctx *ctx, state *w)
{
    double smoothness = 0, misfit = 0, noise = 0, weights = 0;
    pith_i_local_sum_split(ctx, &w->L, w->c, w->Y, w->pos, w->neg);
    for (int64_t e = 0; e < w->n * w->c; e++) {
        const double left = w->Y[e] - w->fitted[e] - w->Z[e];
        smoothness += w->Y[e] * (w->pos[e] - w->neg[e]);
        misfit += left * left;
        noise += fabs(w->Z[e]);
    }
    pith_i_row_norms(w->p, w->c, w->W, w->norm);
    for (int64_t j = 0; j < w->p; j++)
        weights += hypot(w->norm[j], w->e_weight);
    return smoothness + w->o->a * (misfit + 2 * w->tau * noise) + w->b * weights +
           w->z / 4 * pith_i_indicator_defect(w->n, w->c, w->Y, w->room);
}

static pith_status sweep(pith_ctx *ctx, void *self, double *J)
{
    state *w = self;
    pith_status st = PITH_OK;
    pith_i_row_sparse_reweight_smooth(&w->solver, w->c, w->W, w->e_weight);
    TRY(solve_weights(ctx, w));
    move_intercept(w);
    move_noise(w);
    for (int64_t k = 0; k < w->o->inner_iter; k++)
        move_labels(ctx, w);
    *J = objective(ctx, w);
done:
    return st;
}

/* The first W is a ridge; the largest of its norms is the unit of their smoothing. */
static pith_status start(pith_ctx *ctx, const pith_i_input *in, state *w)
{
    pith_status st = PITH_OK;
    TRY(open_state(ctx, in, w));
    TRY(pith_i_progress_stage(ctx, "finding neighbours", 0, 0.1));
    TRY(pith_i_local_learning(ctx, in->X, in->options->neighbors, w->o->r, &w->L));
    TRY(pith_i_progress_stage(ctx, "clustering", 0.1, 0.2));
    TRY(pith_i_input_indicator(ctx, in, w->c, w->o->starts, w->Y, w->h));
    w->tau = w->o->v * sqrt((double)w->c / (double)w->n);
    w->z = 10 * (1 + w->o->a);
    TRY(find_penalty(ctx, w));
    TRY(solve_weights(ctx, w));
    w->e_weight = 1e-6 * pith_i_row_norms(w->p, w->c, w->W, w->norm);
done:
    return st;
}

/* Share of the labels' entries that are noise. */
static double noise_share(const state *w)
{
    int64_t count = 0;
    for (int64_t e = 0; e < w->n * w->c; e++)
        count += w->Z[e] != 0;
    return (double)count / (double)(w->n * w->c);
}

/* score(f) = ||w_f||. O(n^2 p + n^3 + n p c) a sweep where n < p, else O(p^3) and once O(n p^2). */
static pith_status rsfs_score(pith_ctx *ctx, const pith_i_input *in, const void *params, double *score)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    state w = {.o = params, .n = in->n, .p = in->p};
    const pith_i_sweeps sweeps = {w.o->max_iter, w.o->tol, sweep, &w};
    pith_status st = PITH_OK;
    TRY(pith_i_input_clusters(ctx, in, &w.c));
    if (in->options->neighbors > in->n - 1)
        in->options->neighbors = in->n - 1;
    TRY(start(ctx, in, &w));
    TRY(pith_i_progress_stage(ctx, "sweeping", 0.2, 1));
    TRY(pith_i_sweeps_run(ctx, &sweeps, in->facts));
    pith_i_row_norms(w.p, w.c, w.W, score);
    pith_i_fact(in->facts, "penalty", w.b);
    pith_i_fact(in->facts, "noise_share", noise_share(&w));
done:
    pith_i_local_sum_free(&w.L);
    pith_i_scratch_release(ctx, mark);
    return st;
}

const pith_method pith_i_method_rsfs = {
    .name = "rsfs",
    .family = "labels and sparse regression, robust",
    .reference = "Shi, Du & Shen, Robust spectral learning for unsupervised feature selection, ICDM 2014",
    .title = "Learns cluster labels jointly with a sparse regression that predicts them, and models label "
             "errors as sparse noise.",
    .notes = "rho is relative to the penalty that removes every feature at the start. Local learning stands "
             "in for the paper's own local fit, which is not public. By default columns are z-scored; counts "
             "become tf-idf rows of unit norm with centred columns and one common scale.",
    .better = HIGHER,
    .dense_view = VIEW_ZSCORE,
    .counts_view = VIEW_TFIDF_UNIT,
    .table = rsfs_table,
    .n_table = COUNT(rsfs_table),
    .params_size = sizeof(struct rsfs),
    .grid = rsfs_grid,
    .score = rsfs_score,
};
