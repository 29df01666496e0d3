/*
 * RUFS (Qian & Zhai, IJCAI 2013). Labels G that the data's features explain (N ~ G F), that neighbours share
 * (G'LG) and that few features predict (XW + 1h' ~ G), all but the neighbours' term by norms of rows, not by
 * their squares, so that outlying samples count less:
 *
 *     J = ||N - GF||_{2,1} / s + v tr(G'LG) + a ||XW + 1h' - G||_{2,1} + b ||W||_{2,1} + z/4 ||G'G - I||_F^2
 *
 * with G, F >= 0. X is the method's view, centred, and N is X with each column shifted to minimum 0; s is the
 * mean norm of N's rows, and L that of local learning. Norms of rows are sqrt(||.||^2 + e^2). A sweep takes
 * four steps, each of which lowers J:
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
#include "matrix/blas.h"
#include "matrix/gather.h"
#include "methods/label_regression.h"

static const pith_i_param rufs_table[] = {
    RHO_PARAM(pith_i_label_options, 0.2),
    PARAM(pith_i_label_options, v, 1, 0, 1e6, "weight of the local term: neighbours should share a label"),
    LABEL_REGRESSION_PARAMS("sweeps over weights, labels and centres"),
};

static const char *const rufs_grid[] = {"rho=0.05,0.1,0.2,0.3,0.5", NULL};

typedef struct state {
    pith_i_label_regression labels; /* whose fitted is T */
    pith_i_design N;
    double s, e_fit, e_label;
    double *square;        /* n: ||n_i||^2 */
    double *F, *product;   /* p x c each: F transposed */
    double *NF, *FF, *GFF; /* n x c, c x c, n x c */
    double *fit, *u;       /* n: ||n_i - g_i F||, 1 / (2 ||t_i - g_i||) */
    double *below;         /* c */
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

/* C (rows x c) = A (rows x c) B (c x c); inner: C (c x c) = A'B, both rows x c. */
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

/* A'B over all samples. */
static pith_status inner_of_samples(pith_ctx *ctx, const state *w, const double *A, const double *B,
                                    double *C)
{
    const pith_i_label_regression *l = &w->labels;
    product(true, l->n, l->c, A, B, C);
    return pith_i_sum_over(ctx, l->X.X, l->c * l->c, C);
}

/* ---- The start ----------------------------------------------------------------------------------------- */

static pith_status take_memory(pith_ctx *ctx, state *w)
{
    const int64_t n = w->labels.n, p = w->labels.p, c = w->labels.c;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, w->square, n));
    TRY(SCRATCH(ctx, w->fit, n));
    TRY(SCRATCH(ctx, w->u, n));
    TRY(SCRATCH(ctx, w->NF, n * c));
    TRY(SCRATCH(ctx, w->GFF, n * c));
    TRY(SCRATCH(ctx, w->F, p * c));
    TRY(SCRATCH(ctx, w->product, p * c));
    TRY(SCRATCH(ctx, w->FF, c * c));
    TRY(SCRATCH(ctx, w->below, c));
done:
    return st;
}

/* N is the stored data minus the minima of its columns: the view's shift, if any, cancels. */
static pith_status open_parts(pith_ctx *ctx, const pith_i_input *in, state *w)
{
    pith_i_column_stats stats;
    pith_status st = PITH_OK;
    TRY(pith_i_column_statistics(ctx, in->X, in->T, &stats));
    w->N = (pith_i_design){in->X, in->T, stats.min, in->constant};
    pith_i_design_row_squares(ctx, &w->N, w->square);
    for (int64_t i = 0; i < in->n; i++)
        w->s += sqrt(w->square[i]) / (double)in->all;
    TRY(pith_i_sum_over(ctx, in->X, 1, &w->s));
    TRY(pith_i_local_learning(ctx, in->X, in->options->neighbors, w->labels.o->r, &w->labels.L));
done:
    return st;
}

/* G of the first labels, h its column means, and b_max = a max_r ||sum_i x_ir (g_i - h) / ||g_i - h|| ||. */
static pith_status start_labels(pith_ctx *ctx, const pith_i_input *in, state *w)
{
    pith_i_label_regression *l = &w->labels;
    const int64_t c = l->c;
    pith_status st = PITH_OK;
    TRY(pith_i_input_indicator(ctx, in, c, l->o->starts, l->G, l->h));
    for (int64_t i = 0; i < l->n; i++) {
        const double length = smooth(apart(c, l->G + i * c, l->h), w->e_label);
        for (int64_t t = 0; t < c; t++)
            l->target[i * c + t] = (l->G[i * c + t] - l->h[t]) / length;
    }
    TRY(pith_i_label_penalty(ctx, l, "rufs", 1));
done:
    return st;
}

/* NF' and FF' of the present F. */
static pith_status multiply_centres(pith_ctx *ctx, state *w)
{
    const pith_status st = pith_i_design_multiply(ctx, &w->N, w->labels.c, w->F, w->NF);
    product(true, w->labels.p, w->labels.c, w->F, w->F, w->FF);
    return st;
}

static void measure_fit(state *w)
{
    const int64_t n = w->labels.n, c = w->labels.c;
    const double *G = w->labels.G;
    product(false, n, c, G, w->FF, w->GFF);
    for (int64_t i = 0; i < n; i++) {
        double square = w->square[i];
        for (int64_t t = i * c; t < (i + 1) * c; t++)
            square += G[t] * (w->GFF[t] - 2 * w->NF[t]);
        w->fit[i] = smooth(square, w->e_fit);
    }
}

/* F = the positive part of (G'G)^-1 G'N, plus a fifth of its mean entry, so that nothing is stuck at 0. */
static pith_status start_centres(pith_ctx *ctx, const pith_i_input *in, state *w)
{
    const int64_t p = w->labels.p, c = w->labels.c;
    const double *G = w->labels.G;
    double sum = 0, kept = 0;
    pith_status st = PITH_OK;
    TRY(inner_of_samples(ctx, w, G, G, w->FF));
    TRY(pith_i_cholesky(ctx, c, w->FF));
    TRY(pith_i_design_multiply_t(ctx, &w->N, c, G, w->F));
    for (int64_t j = 0; j < p; j++) {
        pith_i_cholesky_solve(c, w->FF, 1, w->F + j * c);
        kept += !in->constant[j];
        for (int64_t t = 0; t < c; t++)
            sum += w->F[j * c + t] = fmax(w->F[j * c + t], 0);
    }
    for (int64_t j = 0; j < p; j++)
        for (int64_t t = 0; t < c; t++)
            w->F[j * c + t] += in->constant[j] ? 0 : 0.2 * sum / (kept * (double)c);
    TRY(multiply_centres(ctx, w));
done:
    return st;
}

static pith_status start(pith_ctx *ctx, const pith_i_input *in, void *self)
{
    state *w = self;
    pith_i_label_regression *l = &w->labels;
    const double size = (double)in->all / (double)l->c;
    pith_status st = PITH_OK;
    TRY(take_memory(ctx, w));
    TRY(pith_i_progress_stage(ctx, "finding neighbours", 0, 0.1));
    TRY(open_parts(ctx, in, w));
    w->e_fit = 1e-6 * w->s;
    w->e_label = 1e-6 / sqrt(size);
    l->z = 10 * (size + l->o->v + l->o->a * sqrt(size));
    TRY(pith_i_progress_stage(ctx, "clustering", 0.1, 0.2));
    TRY(start_labels(ctx, in, w));
    TRY(start_centres(ctx, in, w));
    TRY(pith_i_label_first_weights(ctx, l));
done:
    return st;
}

/* ---- The steps ----------------------------------------------------------------------------------------- */

/* u_i = 1 / (2 ||t_i - g_i||) */
static void weigh_samples(state *w)
{
    const pith_i_label_regression *l = &w->labels;
    for (int64_t i = 0; i < l->n; i++)
        w->u[i] = 0.5 / smooth(apart(l->c, l->fitted + i * l->c, l->G + i * l->c), w->e_label);
}

/*
 *     pos = p.(G FF') + 2v L^+ G + y.(G + T^-)    neg = p.(N F') + 2v L^- G + y.T^+
 *
 * p_i = 1 / (s ||n_i - g_i F||), y_i = a / ||t_i - g_i||; a dot scales rows.
 */
static pith_status move_labels(pith_ctx *ctx, state *w)
{
    pith_i_label_regression *l = &w->labels;
    const double *T = l->fitted;
    const int64_t c = l->c;
    pith_status st = PITH_OK;
    measure_fit(w);
    weigh_samples(w);
    TRY(pith_i_local_sum_split(ctx, &l->L, c, l->G, l->pos, l->neg));
    for (int64_t i = 0; i < l->n; i++) {
        const double p = 1 / (w->s * w->fit[i]), y = 2 * l->o->a * w->u[i];
        for (int64_t e = i * c; e < (i + 1) * c; e++) {
            l->pos[e] = p * w->GFF[e] + 2 * l->o->v * l->pos[e] + y * (l->G[e] + fmax(-T[e], 0));
            l->neg[e] = p * w->NF[e] + 2 * l->o->v * l->neg[e] + y * fmax(T[e], 0);
        }
    }
    TRY(pith_i_indicator_step(ctx, l->X.X, c, l->z, l->pos, l->neg, PITH_I_FOURTH_ROOT, l->room, l->G));
done:
    return st;
}

/* F <- F .* (G'PN) ./ (G'PG F), by rows of F'. */
static pith_status move_centres(pith_ctx *ctx, state *w)
{
    const int64_t n = w->labels.n, c = w->labels.c;
    const double *G = w->labels.G;
    double *GPG = w->FF, *PG = w->labels.pos, *below = w->below;
    pith_status st = PITH_OK;
    measure_fit(w);
    for (int64_t i = 0; i < n; i++)
        for (int64_t t = 0; t < c; t++)
            PG[i * c + t] = G[i * c + t] / w->fit[i];
    TRY(inner_of_samples(ctx, w, G, PG, GPG));
    TRY(pith_i_design_multiply_t(ctx, &w->N, c, PG, w->product));
    for (int64_t j = 0; j < w->labels.p; j++) {
        double *f = w->F + j * c;
        for (int64_t t = 0; t < c; t++) {
            below[t] = 0;
            for (int64_t l = 0; l < c; l++)
                below[t] += f[l] * GPG[l * c + t];
        }
        for (int64_t t = 0; t < c; t++)
            f[t] *= w->product[j * c + t] / fmax(below[t], 1e-300);
    }
    TRY(multiply_centres(ctx, w));
done:
    return st;
}

static pith_status objective(pith_ctx *ctx, state *w, double *J)
{
    pith_i_label_regression *l = &w->labels;
    const int64_t c = l->c;
    double sum[3] = {0}, defect = 0; /* sum: fit, labels, smoothness */
    pith_status st = PITH_OK;
    measure_fit(w);
    weigh_samples(w);
    TRY(pith_i_local_sum_split(ctx, &l->L, c, l->G, l->pos, l->neg));
    for (int64_t i = 0; i < l->n; i++) {
        sum[0] += w->fit[i];
        sum[1] += 0.5 / w->u[i];
        for (int64_t e = i * c; e < (i + 1) * c; e++)
            sum[2] += l->G[e] * (l->pos[e] - l->neg[e]);
    }
    TRY(pith_i_sum_over(ctx, l->X.X, COUNT(sum), sum));
    TRY(pith_i_indicator_defect(ctx, l->X.X, c, l->G, l->room, &defect));
    *J = sum[0] / w->s + l->o->v * sum[2] + l->o->a * sum[1] + l->b * pith_i_label_weight_norm(l) +
         l->z / 4 * defect;
done:
    return st;
}

static pith_status sweep(pith_ctx *ctx, void *self, double *J)
{
    state *w = self;
    pith_i_label_regression *l = &w->labels;
    pith_status st = PITH_OK;
    weigh_samples(w);
    pith_i_row_sparse_reweight_smooth(&l->solver, l->c, l->W, l->e_weight);
    TRY(pith_i_label_weights(ctx, l, NULL, w->u));
    weigh_samples(w);
    TRY(pith_i_label_intercept(ctx, l, w->u));
    for (int64_t k = 0; k < l->o->inner_iter; k++)
        TRY(move_labels(ctx, w));
    TRY(move_centres(ctx, w));
    TRY(objective(ctx, w, J));
done:
    return st;
}

/* score(f) = ||w_f||. O(n^2 p + n^3 + n p c) a sweep where n < p, else O(p^3 + n p^2); where both are large
 * O(stored c) for each step of the regression. */
static pith_status rufs_score(pith_ctx *ctx, const pith_i_input *in, const void *params, double *score)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_label_steps steps = {start, sweep};
    state w = {.labels = {.o = params}};
    const pith_status st = pith_i_label_regression_run(ctx, in, &steps, &w.labels, score);
    pith_i_label_regression_free(&w.labels);
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
    .spreads = true,
    .dense_view = VIEW_ZSCORE,
    .counts_view = VIEW_TFIDF_UNIT,
    .table = rufs_table,
    .n_table = COUNT(rufs_table),
    .params_size = sizeof(pith_i_label_options),
    .grid = rufs_grid,
    .score = rufs_score,
};
