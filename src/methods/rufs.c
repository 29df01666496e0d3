/*
 * RUFS (Qian & Zhai, IJCAI 2013). Labels G that the data's features explain (N ~ G F), that neighbours share
 * (G'LG) and that few features predict (XW + 1h' ~ G), all but the neighbours' term by norms of rows, so that
 * no outlying sample counts by its square:
 *
 *     J = ||N - GF||_{2,1} / s + v tr(G'LG) + a ||XW + 1h' - G||_{2,1} + b ||W||_{2,1} + z/4 ||G'G - I||_F^2
 *
 * with G, F >= 0. X is the method's view, centred and N is X with each column's least value moved to 0; s is
 * the mean norm of N's rows, L local learning. Norms of rows are sqrt(||.||^2 + e^2). A sweep takes four
 * steps, each of which lowers J:
 *
 *     W   one reweighting: W = Q^-1 X' (X Q^-1 X' + b/a U^-1)^-1 (G - 1h'), u_i = 1 / (2 ||x_i W + h - g_i||)
 *     h   the mean of g_i - x_i W weighted by the new u
 *     G   multiplicative steps with fourth roots, F and T = XW + 1h' held
 *     F   F .* (G'PN) ./ (G'PG F), p_i = 1 / ||n_i - g_i F||
 *
 * Nothing of size p is touched while G moves: ||n_i - g_i F||^2 = ||n_i||^2 - 2 g_i (NF')_i' + g_i FF' g_i'.
 */
#include "graph/local_learning.h"
#include "linalg/cholesky.h"
#include "linalg/indicator.h"
#include "linalg/row_sparse.h"
#include "matrix/blas.h"
#include "methods/regression.h"

#include <string.h>

struct rufs {
    pith_i_shared shared;
    double v, a, rho, r, tol;
    int64_t max_iter, inner_iter, starts;
};

static const pith_i_param rufs_table[] = {
    RHO_PARAM(struct rufs, 0.2),
    PARAM(struct rufs, v, 1, 0, 1e6, "weight of the local term: neighbours should share a label"),
    PARAM(struct rufs, a, 1, 1e-6, 1e6, "weight of the regression that predicts the labels"),
    PARAM(struct rufs, r, 0.1, 1e-6, 1e6, "ridge penalty of local learning: the larger, the smoother"),
    ROW(struct rufs, shared.neighbors, "neighbors", 5, 1, 100, false, NULL,
        "nearest neighbours of each sample in local learning, at most samples - 1"),
    PARAM(struct rufs, max_iter, 30, 1, 200, "sweeps over weights, labels and centres"),
    PARAM(struct rufs, inner_iter, 50, 1, 200, "updates of the labels in each sweep"),
    TOL_PARAM(struct rufs),
    PARAM(struct rufs, starts, 10, 1, 1000, "k-means runs for the initial labels; the best one is used"),
    CLUSTERS_PARAM(struct rufs),
    START_PARAM(struct rufs),
    STANDARDIZE_PARAM(struct rufs),
};

static const char *const rufs_grid[] = {"rho=0.05,0.1,0.2,0.3,0.5", NULL};

typedef struct state {
    const struct rufs *o;
    int64_t n, p, c;
    pith_i_design X, N;
    pith_i_local_sum L;
    pith_i_row_sparse solver;
    double s, b, z, e_fit, e_label, e_weight;
    double *square;         /* n: ||n_i||^2 */
    double *G, *h, *T;      /* n x c, c, n x c: XW + 1h' */
    double *W, *F;          /* p x c each: F transposed */
    double *NF, *FF, *GFF;  /* n x c, c x c, n x c */
    double *fit, *u;        /* n: ||n_i - g_i F||, 1 / (2 ||t_i - g_i||) */
    double *pos, *neg;      /* n x c */
    double *target, *left;  /* n x c: G - 1h', what W leaves of it */
    double *product, *room; /* p x c; of the indicator's steps */
} state;

static double smooth(double square, double e)
{
    return sqrt(fmax(square, 0) + e * e);
}

/* sum_t (a_t - b_t)^2 */
static double apart(int64_t c, const double *a, const double *b)
{
    double sum = 0;
    for (int64_t t = 0; t < c; t++)
        sum += (a[t] - b[t]) * (a[t] - b[t]);
    return sum;
}

/* C (rows x c) = A (rows x c) B (c x c), or A'B (c x c) of two with as many rows. */
static void product(bool inner, int64_t rows, int64_t c, const double *A, const double *B, double *C)
{
    pith_i_blas_enter();
    if (inner)
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)c, (int)c, (int)rows, 1, A, (int)c, B,
                    (int)c, 0, C, (int)c);
    else
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)c, (int)c, 1, A, (int)c, B,
                    (int)c, 0, C, (int)c);
    pith_i_blas_leave();
}

/* ---- The start ---------------------------------------------------------------------------------------- */

static pith_status open_state(pith_ctx *ctx, const pith_i_input *in, state *w)
{
    const int64_t n = w->n, p = w->p, c = w->c;
    pith_status st = PITH_OK;
    double **by_sample[] = {&w->square, &w->fit, &w->u};
    double **by_label[] = {&w->G, &w->T, &w->NF, &w->GFF, &w->pos, &w->neg, &w->target, &w->left};
    double **by_feature[] = {&w->W, &w->F, &w->product};
    TRY(pith_i_input_design(ctx, in, &w->X));
    for (size_t i = 0; i < COUNT(by_sample); i++)
        TRY(SCRATCH(ctx, *by_sample[i], n));
    for (size_t i = 0; i < COUNT(by_label); i++)
        TRY(SCRATCH(ctx, *by_label[i], n * c));
    for (size_t i = 0; i < COUNT(by_feature); i++)
        TRY(SCRATCH(ctx, *by_feature[i], p * c));
    TRY(SCRATCH(ctx, w->h, c));
    TRY(SCRATCH(ctx, w->FF, c * c));
    TRY(SCRATCH(ctx, w->room, pith_i_indicator_room(n, c)));
    TRY(pith_i_row_sparse_open(ctx, &w->X, &w->solver));
done:
    return st;
}

/* N is the stored data less its columns' minima: the view's shift, where there is one, drops out. */
static pith_status open_parts(pith_ctx *ctx, const pith_i_input *in, state *w)
{
    pith_i_column_stats stats;
    pith_status st = PITH_OK;
    TRY(pith_i_column_statistics(ctx, in->X, in->T, &stats));
    w->N = (pith_i_design){in->X, in->T, stats.min, in->constant};
    pith_i_design_row_squares(ctx, &w->N, w->square);
    for (int64_t i = 0; i < w->n; i++)
        w->s += sqrt(w->square[i]) / (double)w->n;
    TRY(pith_i_local_learning(ctx, in->X, in->options->neighbors, w->o->r, &w->L));
done:
    return st;
}

/* G of the first labels, h its column means, and b_max = a max_r ||sum_i x_ir (g_i - h) / ||g_i - h|| ||. */
static pith_status start_labels(pith_ctx *ctx, const pith_i_input *in, state *w)
{
    const int64_t n = w->n, c = w->c;
    double *norm = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, norm, w->p));
    TRY(pith_i_input_indicator(ctx, in, c, w->o->starts, w->G, w->h));
    for (int64_t i = 0; i < n; i++) {
        const double length = smooth(apart(c, w->G + i * c, w->h), w->e_label);
        for (int64_t t = 0; t < c; t++)
            w->pos[i * c + t] = (w->G[i * c + t] - w->h[t]) / length;
    }
    TRY(pith_i_design_multiply_t(ctx, &w->X, c, w->pos, w->product));
    w->b = w->o->rho * w->o->a * pith_i_row_norms(w->p, c, w->product, norm);
    if (!(w->b > 0 && isfinite(w->b)))
        FAIL(ctx, PITH_E_DATA, "rufs: no feature is related to the initial labels");
done:
    return st;
}

/* NF', FF' and ||n_i - g_i F|| of the present F and G. */
static pith_status take_up_centres(pith_ctx *ctx, state *w)
{
    const pith_status st = pith_i_design_multiply(ctx, &w->N, w->c, w->F, w->NF);
    product(true, w->p, w->c, w->F, w->F, w->FF);
    return st;
}

static void measure_fit(state *w)
{
    const int64_t c = w->c;
    product(false, w->n, c, w->G, w->FF, w->GFF);
    for (int64_t i = 0; i < w->n; i++) {
        double square = w->square[i];
        for (int64_t t = i * c; t < (i + 1) * c; t++)
            square += w->G[t] * (w->GFF[t] - 2 * w->NF[t]);
        w->fit[i] = smooth(square, w->e_fit);
    }
}

/* F = the positive part of (G'G)^-1 G'N, plus a fifth of its mean entry, so that nothing is stuck at 0. */
static pith_status start_centres(pith_ctx *ctx, const pith_i_input *in, state *w)
{
    const int64_t c = w->c;
    double sum = 0, kept = 0;
    pith_status st = PITH_OK;
    product(true, w->n, c, w->G, w->G, w->FF);
    TRY(pith_i_cholesky(ctx, c, w->FF));
    TRY(pith_i_design_multiply_t(ctx, &w->N, c, w->G, w->F));
    for (int64_t j = 0; j < w->p; j++) {
        pith_i_cholesky_solve(c, w->FF, 1, w->F + j * c);
        kept += !in->constant[j];
        for (int64_t t = 0; t < c; t++)
            sum += w->F[j * c + t] = fmax(w->F[j * c + t], 0);
    }
    for (int64_t j = 0; j < w->p; j++)
        for (int64_t t = 0; t < c; t++)
            w->F[j * c + t] += in->constant[j] ? 0 : 0.2 * sum / (kept * (double)c);
    TRY(take_up_centres(ctx, w));
done:
    return st;
}

/* ---- The steps ---------------------------------------------------------------------------------------- */

/* u_i = 1 / (2 ||t_i - g_i||) */
static void weigh_samples(state *w)
{
    for (int64_t i = 0; i < w->n; i++)
        w->u[i] = 0.5 / smooth(apart(w->c, w->T + i * w->c, w->G + i * w->c), w->e_label);
}

/* W for the Q and u at hand (NULL: 1), and T = XW + 1h'. */
static pith_status solve_weights(pith_ctx *ctx, state *w, const double *u)
{
    const int64_t c = w->c;
    pith_status st = PITH_OK;
    for (int64_t i = 0; i < w->n; i++)
        for (int64_t t = 0; t < c; t++)
            w->target[i * c + t] = w->G[i * c + t] - w->h[t];
    TRY(pith_i_row_sparse_factor(ctx, &w->solver, w->b / w->o->a, u));
    TRY(pith_i_row_sparse_solve(ctx, &w->solver, c, w->target, w->W, w->left));
    for (int64_t e = 0; e < w->n * c; e++)
        w->T[e] = w->G[e] - w->left[e];
done:
    return st;
}

/* The first W is a ridge; the largest of its norms is the unit of their smoothing. */
static pith_status start_weights(pith_ctx *ctx, state *w)
{
    pith_status st = PITH_OK;
    TRY(solve_weights(ctx, w, NULL));
    w->e_weight = 1e-6 * pith_i_row_norms(w->p, w->c, w->W, w->product);
done:
    return st;
}

/* h and T move by the mean of what W leaves of the labels, weighted by u. */
static void move_intercept(state *w)
{
    const int64_t c = w->c;
    double total = 0;
    for (int64_t i = 0; i < w->n; i++)
        total += w->u[i];
    for (int64_t t = 0; t < c; t++) {
        double step = 0;
        for (int64_t i = 0; i < w->n; i++)
            step += w->u[i] / total * w->left[i * c + t];
        w->h[t] += step;
        for (int64_t i = 0; i < w->n; i++)
            w->T[i * c + t] += step;
    }
}

/*
 *     pos = p.(G FF') + 2v L^+ G + y.(G + T^-)    neg = p.(N F') + 2v L^- G + y.T^+
 *
 * p_i = 1 / (s ||n_i - g_i F||), y_i = a / ||t_i - g_i||; a dot scales rows.
 */
static void move_labels(pith_ctx *ctx, state *w)
{
    const int64_t c = w->c;
    measure_fit(w);
    weigh_samples(w);
    pith_i_local_sum_split(ctx, &w->L, c, w->G, w->pos, w->neg);
    for (int64_t i = 0; i < w->n; i++) {
        const double p = 1 / (w->s * w->fit[i]), y = 2 * w->o->a * w->u[i];
        for (int64_t e = i * c; e < (i + 1) * c; e++) {
            w->pos[e] = p * w->GFF[e] + 2 * w->o->v * w->pos[e] + y * (w->G[e] + fmax(-w->T[e], 0));
            w->neg[e] = p * w->NF[e] + 2 * w->o->v * w->neg[e] + y * fmax(w->T[e], 0);
        }
    }
    pith_i_indicator_step(w->n, c, w->z, w->pos, w->neg, PITH_I_FOURTH_ROOT, w->room, w->G);
}

/* F <- F .* (G'PN) ./ (G'PG F), by rows of F'. */
static pith_status move_centres(pith_ctx *ctx, state *w)
{
    const int64_t c = w->c;
    double *GPG = w->FF, *PG = w->pos, *below = w->GFF;
    pith_status st = PITH_OK;
    measure_fit(w);
    for (int64_t i = 0; i < w->n; i++)
        for (int64_t t = 0; t < c; t++)
            PG[i * c + t] = w->G[i * c + t] / w->fit[i];
    product(true, w->n, c, w->G, PG, GPG);
    TRY(pith_i_design_multiply_t(ctx, &w->N, c, PG, w->product));
    for (int64_t j = 0; j < w->p; j++) {
        double *f = w->F + j * c;
        for (int64_t t = 0; t < c; t++) {
            below[t] = 0;
            for (int64_t l = 0; l < c; l++)
                below[t] += f[l] * GPG[l * c + t];
        }
        for (int64_t t = 0; t < c; t++)
            f[t] *= w->product[j * c + t] / fmax(below[t], 1e-300);
    }
    TRY(take_up_centres(ctx, w));
done:
    return st;
}

static double objective(pith_ctx *ctx, state *w)
{
    const int64_t c = w->c;
    double fit = 0, labels = 0, smoothness = 0, weights = 0, *norm = w->product;
    measure_fit(w);
    weigh_samples(w);
    pith_i_local_sum_split(ctx, &w->L, c, w->G, w->pos, w->neg);
    pith_i_row_norms(w->p, c, w->W, norm);
    for (int64_t i = 0; i < w->n; i++) {
        fit += w->fit[i];
        labels += 0.5 / w->u[i];
        for (int64_t e = i * c; e < (i + 1) * c; e++)
            smoothness += w->G[e] * (w->pos[e] - w->neg[e]);
    }
    for (int64_t j = 0; j < w->p; j++)
        weights += hypot(norm[j], w->e_weight);
    return fit / w->s + w->o->v * smoothness + w->o->a * labels + w->b * weights +
           w->z / 4 * pith_i_indicator_defect(w->n, c, w->G, w->room);
}

static pith_status sweep(pith_ctx *ctx, void *self, double *J)
{
    state *w = self;
    pith_status st = PITH_OK;
    weigh_samples(w);
    pith_i_row_sparse_reweight_smooth(&w->solver, w->c, w->W, w->e_weight);
    TRY(solve_weights(ctx, w, w->u));
    weigh_samples(w);
    move_intercept(w);
    for (int64_t k = 0; k < w->o->inner_iter; k++)
        move_labels(ctx, w);
    TRY(move_centres(ctx, w));
    *J = objective(ctx, w);
done:
    return st;
}

static pith_status start(pith_ctx *ctx, const pith_i_input *in, state *w)
{
    const double size = (double)w->n / (double)w->c;
    pith_status st = PITH_OK;
    TRY(open_state(ctx, in, w));
    TRY(pith_i_progress_stage(ctx, "finding neighbours", 0, 0.1));
    TRY(open_parts(ctx, in, w));
    w->e_fit = 1e-6 * w->s;
    w->e_label = 1e-6 / sqrt(size);
    w->z = 10 * (size + w->o->v + w->o->a * sqrt(size));
    TRY(pith_i_progress_stage(ctx, "clustering", 0.1, 0.2));
    TRY(start_labels(ctx, in, w));
    TRY(start_centres(ctx, in, w));
    TRY(start_weights(ctx, w));
done:
    return st;
}

/* score(f) = ||w_f||. O(n^2 p + n^3 + n p c) a sweep where n < p, else O(p^3 + n p^2). */
static pith_status rufs_score(pith_ctx *ctx, const pith_i_input *in, const void *params, double *score)
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
done:
    pith_i_local_sum_free(&w.L);
    pith_i_scratch_release(ctx, mark);
    return st;
}

const pith_method pith_i_method_rufs = {
    .name = "rufs",
    .family = "labels and sparse regression, robust",
    .reference = "Qian & Zhai, Robust unsupervised feature selection, IJCAI 2013",
    .title = "Learns cluster labels jointly with a sparse regression that predicts them, using L2,1 norms "
             "that are robust to outliers.",
    .notes = "rho is relative to the penalty that removes every feature at the start. The terms are "
             "normalized and the regression has an intercept, so the authors' settings and rankings do not "
             "carry over. By default columns are z-scored; counts become tf-idf rows of unit norm with "
             "centred columns and one common scale.",
    .better = HIGHER,
    .dense_view = VIEW_ZSCORE,
    .counts_view = VIEW_TFIDF_UNIT,
    .table = rufs_table,
    .n_table = COUNT(rufs_table),
    .params_size = sizeof(struct rufs),
    .grid = rufs_grid,
    .score = rufs_score,
};
