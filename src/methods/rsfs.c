/*
 * RSFS (Shi, Du & Shen, ICDM 2014). Labels Y that neighbours share and that few features predict, up to
 * sparse noise Z in the labels:
 *
 *     J = tr(Y'LY) + a ||Y - XW - 1h' - Z||_F^2 + b ||W||_{2,1} + 2 a tau ||Z||_1 + z/4 ||Y'Y - I||_F^2,
 *
 * Y >= 0 (the square with the l1 norm is a Huber loss with its bend at tau). X is the method's view, centred,
 * L is that of local learning, and norms of W's rows are sqrt(||.||^2 + e^2). A sweep takes four steps, each
 * of which lowers J:
 *
 *     W   one reweighting: W = Q^-1 X' (X Q^-1 X' + b/a I)^-1 (Y - Z - 1h')
 *     h   the mean of Y - Z - XW
 *     Z   soft(Y - XW - 1h', tau)
 *     Y   multiplicative steps with fourth roots, A = XW + 1h' + Z held
 */
#include "graph/local_learning.h"
#include "linalg/indicator.h"
#include "matrix/gather.h"
#include "methods/label_regression.h"

static const pith_i_param rsfs_table[] = {
    RHO_PARAM(pith_i_label_options, 0.2),
    PARAM(pith_i_label_options, v, 0.5, 1e-3, 1e3,
          "size above which a label's error counts as noise, in units of a label's entry"),
    LABEL_REGRESSION_PARAMS("sweeps over weights, noise and labels"),
};

static const char *const rsfs_grid[] = {"rho=0.05,0.1,0.2,0.3,0.5", NULL};

typedef struct state {
    pith_i_label_regression labels; /* whose G is Y */
    double tau;
    double *Z; /* n x c */
} state;

/* ---- The start ----------------------------------------------------------------------------------------- */

/* b_max = 2 a max_r ||f_r'C||, C = Y - 1h' clipped to [-tau, tau]: the part of the labels that is not noise
 * at W = 0. */
static pith_status find_penalty(pith_ctx *ctx, state *w)
{
    pith_i_label_regression *l = &w->labels;
    for (int64_t i = 0; i < l->n; i++)
        for (int64_t t = 0; t < l->c; t++)
            l->target[i * l->c + t] = fmin(fmax(l->G[i * l->c + t] - l->h[t], -w->tau), w->tau);
    return pith_i_label_penalty(ctx, l, "rsfs", 2);
}

static pith_status start(pith_ctx *ctx, const pith_i_input *in, void *self)
{
    state *w = self;
    pith_i_label_regression *l = &w->labels;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, w->Z, l->n * l->c));
    TRY(pith_i_progress_stage(ctx, "finding neighbours", 0, 0.1));
    TRY(pith_i_local_learning(ctx, in->X, in->options->neighbors, l->o->r, &l->L));
    TRY(pith_i_progress_stage(ctx, "clustering", 0.1, 0.2));
    TRY(pith_i_input_indicator(ctx, in, l->c, l->o->starts, l->G, l->h));
    w->tau = l->o->v * sqrt((double)l->c / (double)in->all);
    l->z = 10 * (1 + l->o->a);
    TRY(find_penalty(ctx, w));
    TRY(pith_i_label_first_weights(ctx, l));
done:
    return st;
}

/* ---- The steps ----------------------------------------------------------------------------------------- */

static void move_noise(state *w)
{
    const pith_i_label_regression *l = &w->labels;
    for (int64_t e = 0; e < l->n * l->c; e++) {
        const double misfit = l->G[e] - l->fitted[e];
        w->Z[e] = misfit > w->tau ? misfit - w->tau : misfit < -w->tau ? misfit + w->tau : 0;
    }
}

/* pos = 2 L^+ Y + 2a (Y + A^-), neg = 2 L^- Y + 2a A^+, A = fitted + Z. */
static pith_status move_labels(pith_ctx *ctx, state *w)
{
    pith_i_label_regression *l = &w->labels;
    pith_status st = PITH_OK;
    TRY(pith_i_local_sum_split(ctx, &l->L, l->c, l->G, l->pos, l->neg));
    for (int64_t e = 0; e < l->n * l->c; e++) {
        const double A = l->fitted[e] + w->Z[e];
        l->pos[e] = 2 * l->pos[e] + 2 * l->o->a * (l->G[e] + fmax(-A, 0));
        l->neg[e] = 2 * l->neg[e] + 2 * l->o->a * fmax(A, 0);
    }
    TRY(pith_i_indicator_step(ctx, l->X.X, l->c, l->z, l->pos, l->neg, PITH_I_FOURTH_ROOT, l->room, l->G));
done:
    return st;
}

static pith_status objective(pith_ctx *ctx, state *w, double *J)
{
    pith_i_label_regression *l = &w->labels;
    double sum[3] = {0}, defect = 0; /* sum: smoothness, squared residual, noise */
    pith_status st = PITH_OK;
    TRY(pith_i_local_sum_split(ctx, &l->L, l->c, l->G, l->pos, l->neg));
    for (int64_t e = 0; e < l->n * l->c; e++) {
        const double left = l->G[e] - l->fitted[e] - w->Z[e];
        sum[0] += l->G[e] * (l->pos[e] - l->neg[e]);
        sum[1] += left * left;
        sum[2] += fabs(w->Z[e]);
    }
    TRY(pith_i_sum_over(ctx, l->X.X, COUNT(sum), sum));
    TRY(pith_i_indicator_defect(ctx, l->X.X, l->c, l->G, l->room, &defect));
    *J = sum[0] + l->o->a * (sum[1] + 2 * w->tau * sum[2]) + l->b * pith_i_label_weight_norm(l) +
         l->z / 4 * defect;
done:
    return st;
}

static pith_status sweep(pith_ctx *ctx, void *self, double *J)
{
    state *w = self;
    pith_i_label_regression *l = &w->labels;
    pith_status st = PITH_OK;
    pith_i_row_sparse_reweight_smooth(&l->solver, l->c, l->W, l->e_weight);
    TRY(pith_i_label_weights(ctx, l, w->Z, NULL));
    TRY(pith_i_label_intercept(ctx, l, NULL)); /* X is centred, so h becomes the mean of Y - Z */
    move_noise(w);
    for (int64_t k = 0; k < l->o->inner_iter; k++)
        TRY(move_labels(ctx, w));
    TRY(objective(ctx, w, J));
done:
    return st;
}

/* Share of the labels' entries that are noise. */
static pith_status noise_share(pith_ctx *ctx, const state *w, double *out)
{
    const pith_i_label_regression *l = &w->labels;
    double count = 0;
    pith_status st = PITH_OK;
    for (int64_t e = 0; e < l->n * l->c; e++)
        count += w->Z[e] != 0;
    TRY(pith_i_sum_over(ctx, l->X.X, 1, &count));
    *out = count / ((double)pith_i_all(l->X.X) * (double)l->c);
done:
    return st;
}

/* score(f) = ||w_f||. O(n^2 p + n^3 + n p c) a sweep where n < p, else O(p^3) and once O(n p^2); where both
 * are large O(stored c) for each step of the regression. */
static pith_status rsfs_score(pith_ctx *ctx, const pith_i_input *in, const void *params, double *score)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_label_steps steps = {start, sweep};
    state w = {.labels = {.o = params}};
    double noise = 0;
    pith_status st = PITH_OK;
    TRY(pith_i_label_regression_run(ctx, in, &steps, &w.labels, score));
    TRY(noise_share(ctx, &w, &noise));
    pith_i_fact(in->facts, "noise_share", noise);
done:
    pith_i_label_regression_free(&w.labels);
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
    .spreads = true,
    .dense_view = VIEW_ZSCORE,
    .counts_view = VIEW_TFIDF_UNIT,
    .table = rsfs_table,
    .n_table = COUNT(rsfs_table),
    .params_size = sizeof(pith_i_label_options),
    .grid = rsfs_grid,
    .score = rsfs_score,
};
