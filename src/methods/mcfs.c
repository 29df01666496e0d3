/*
 * MCFS (Cai, Zhang & He, KDD 2010). The first c non-trivial eigenvectors xi_j of the graph's normalised
 * Laplacian, as y_j = D^-1/2 xi_j minus its mean, of unit norm, are each regressed on the centred columns:
 *
 *     a_j(lambda) = argmin 1/2 ||y_j - X a||^2 + lambda ||a||_1,      score(r) = max_j |a_rj|
 *
 * at the first breakpoint of the lasso's path with m nonzero coefficients. A feature that no path chose
 * scores half the smallest score times max_j |f_r'y_j| / ||f_r||, so that all are ranked.
 */
#include "core/parallel.h"
#include "linalg/lars.h"
#include "matrix/blas.h"
#include "methods/regression.h"

#include <string.h>

struct mcfs {
    pith_i_shared shared;
    int64_t mcfs_active;
};

static const pith_i_param mcfs_table[] = {
    PARAM(struct mcfs, mcfs_active, 50, 1, 1e6,
          "nonzero coefficients at which a path ends; at most (samples - 1) / 2 are used"),
    GRAPH_PARAMS(struct mcfs, 5, WEIGHT_HEAT),
    CLUSTERS_PARAM(struct mcfs),
    STANDARDIZE_PARAM(struct mcfs),
};

static const char *const mcfs_grid[] = {"mcfs_active=20,50,100,200", NULL};

/* The active columns of one path, and what its products need. */
typedef struct columns {
    const pith_i_design *X;
    double *active; /* column a is active + a * n */
    double *sum;    /* n */
} columns;

static void join(void *self, int64_t j, int64_t count, const int32_t *active, double *out)
{
    const columns *s = self;
    const int64_t n = s->X->X->n;
    double *f = s->active + count * n;
    (void)active;
    pith_i_design_column(s->X, j, f);
    cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)count + 1, (int)n, 1, s->active, (int)n, f, 1, 0, out, 1);
}

static void drop(void *self, int64_t at, int64_t count)
{
    const columns *s = self;
    const int64_t n = s->X->X->n;
    memmove(s->active + at * n, s->active + (at + 1) * n, (size_t)((count - at - 1) * n) * sizeof(double));
}

static void correlate(void *self, int64_t count, const int32_t *active, const double *coef, double *out)
{
    const columns *s = self;
    const int64_t n = s->X->X->n;
    (void)active;
    cblas_dgemv(CblasRowMajor, CblasTrans, (int)count, (int)n, 1, s->active, (int)n, coef, 1, 0, s->sum, 1);
    pith_i_design_correlate(s->X, s->sum, out);
}

typedef struct work {
    const pith_i_input *in;
    pith_i_design X;
    int64_t c, most;     /* paths, coefficients of each */
    double *y;           /* target j is y + j * n */
    double *correlation; /* c x p: f_r'y_j */
    int32_t *feature;    /* c x most: what path j chose; -1: no more */
    double *coef;        /* c x most */
    pith_i_lars_end *end;
    int64_t active; /* most columns active at once */
    double *columns;
    char *room; /* of every thread */
} work;

static pith_status take_memory(pith_ctx *ctx, work *w)
{
    const int64_t n = w->in->n, threads = pith_ctx_threads(ctx);
    pith_status st = PITH_OK;
    w->active = pith_i_lars_active(w->in->p, w->most);
    TRY(SCRATCH(ctx, w->y, w->c * n));
    TRY(SCRATCH(ctx, w->correlation, w->c * w->in->p));
    TRY(SCRATCH(ctx, w->feature, w->c * w->active));
    TRY(SCRATCH(ctx, w->coef, w->c * w->active));
    TRY(SCRATCH(ctx, w->end, w->c));
    TRY(SCRATCH(ctx, w->columns, threads * (w->active + 1) * n));
    TRY(SCRATCH(ctx, w->room, threads * (int64_t)((pith_i_lars_room(w->in->p, w->most) + 63) / 64 * 64)));
done:
    return st;
}

/* y = D^-1/2 xi minus its mean, of unit norm; 0 where nothing is left. */
static void make_target(const pith_i_graph *graph, const double *xi, double *y)
{
    const int64_t n = graph->n;
    double mean = 0, square = 0;
    for (int64_t i = 0; i < n; i++) {
        y[i] = graph->degree[i] > 0 ? xi[i] / sqrt(graph->degree[i]) : 0;
        mean += y[i] / (double)n;
    }
    for (int64_t i = 0; i < n; i++) {
        y[i] -= mean;
        square += y[i] * y[i];
    }
    for (int64_t i = 0; i < n; i++)
        y[i] = square > 0 ? y[i] / sqrt(square) : 0;
}

static void follow_path(const work *w, int64_t j)
{
    const int64_t n = w->in->n, p = w->in->p, thread = pith_i_thread();
    const int64_t room = (int64_t)((pith_i_lars_room(p, w->most) + 63) / 64 * 64);
    double *active = w->columns + thread * (w->active + 1) * n;
    columns self = {&w->X, active, active + w->active * n};
    const pith_i_lasso lasso = {p, w->X.left_out, &self, join, drop, correlate};
    const pith_i_lars_options options = {.most = w->most};
    pith_i_design_correlate(&w->X, w->y + j * n, w->correlation + j * p);
    const pith_i_lars_point point =
        pith_i_lars(&lasso, w->correlation + j * p, &options, w->room + thread * room);
    for (int64_t a = 0; a < w->active; a++) {
        w->feature[j * w->active + a] = a < point.count ? point.active[a] : -1;
        w->coef[j * w->active + a] = a < point.count ? point.coef[a] : 0;
    }
    w->end[j] = point.end;
}

static pith_status follow_paths(pith_ctx *ctx, const work *w)
{
    int64_t lost = 0;
    pith_status st = PITH_OK;
    pith_i_blas_enter();
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic)
    for (int64_t j = 0; j < w->c; j++)
        if (!pith_i_progress_stop(ctx, j, w->c))
            follow_path(w, j);
    pith_i_blas_leave();
    TRY(pith_i_stop_status(ctx));
    for (int64_t j = 0; j < w->c; j++)
        lost += w->end[j] == PITH_I_LARS_LOST;
    pith_i_fact(w->in->facts, "coefficients", (double)w->most);
    if (lost > 0) {
        pith_i_fact(w->in->facts, "paths_lost_in_ties", (double)lost);
        w->in->facts->warning =
            "equal correlations ended a path early: it has fewer coefficients than wanted";
    }
done:
    return st;
}

/* The largest coefficient of each feature, and for those without one a share of the smallest. */
static pith_status rate(pith_ctx *ctx, const work *w, double *score)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t p = w->in->p;
    double *norm = NULL, least = INFINITY;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, norm, p));
    TRY(pith_i_design_norms(ctx, &w->X, norm));
    memset(score, 0, (size_t)p * sizeof *score);
    for (int64_t e = 0; e < w->c * w->active; e++)
        if (w->feature[e] >= 0)
            score[w->feature[e]] = fmax(score[w->feature[e]], fabs(w->coef[e]));
    for (int64_t r = 0; r < p; r++)
        least = score[r] > 0 ? fmin(least, score[r]) : least;
    for (int64_t r = 0; r < p; r++) {
        double closest = 0;
        if (score[r] > 0 || !(norm[r] > 0) || isinf(least))
            continue;
        for (int64_t j = 0; j < w->c; j++)
            closest = fmax(closest, fabs(w->correlation[j * p + r]));
        score[r] = 0.5 * least * closest / norm[r];
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status mcfs_score(pith_ctx *ctx, const pith_i_input *in, const void *params, double *score)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const struct mcfs *o = params;
    const pith_i_spectrum *spectrum = NULL;
    work w = {.in = in, .most = o->mcfs_active};
    pith_status st = PITH_OK;
    TRY(pith_i_input_clusters(ctx, in, &w.c));
    TRY(pith_i_input_design(ctx, in, &w.X));
    if (w.most > (in->n - 1) / 2)
        w.most = (in->n - 1) / 2;
    if (w.most > in->p)
        w.most = in->p;
    TRY(pith_i_input_spectrum(ctx, in, w.c + 1, &spectrum));
    TRY(take_memory(ctx, &w));
    for (int64_t j = 0; j < w.c; j++)
        make_target(in->graph, spectrum->vector + (j + 1) * in->n, w.y + j * in->n);
    TRY(follow_paths(ctx, &w));
    TRY(rate(ctx, &w, score));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

const pith_method pith_i_method_mcfs = {
    .name = "mcfs",
    .family = "spectral, sparse regression",
    .reference = "Cai, Zhang & He, Unsupervised feature selection for multi-cluster data, KDD 2010",
    .title = "Prefers features that a lasso chooses to predict the eigenvectors of the samples' graph.",
    .notes =
        "Features that no lasso chose come after those that one did, by their correlation. Default view: "
        "z-scores; for counts tf-idf rows of unit norm, columns centred, one factor.",
    .needs = NEEDS_GRAPH,
    .better = HIGHER,
    .dense_view = VIEW_ZSCORE,
    .counts_view = VIEW_TFIDF_UNIT,
    .table = mcfs_table,
    .n_table = COUNT(mcfs_table),
    .params_size = sizeof(struct mcfs),
    .grid = mcfs_grid,
    .score = mcfs_score,
};
