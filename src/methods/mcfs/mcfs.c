/*
 * MCFS (Cai, Zhang & He, KDD 2010). The first c non-trivial eigenvectors xi_j of the graph's normalised
 * Laplacian, as y_j = D^-1/2 xi_j minus its mean, of unit norm, are each regressed on the centred columns:
 *
 *     a_j(lambda) = argmin 1/2 ||y_j - X a||^2 + lambda ||a||_1,      score(r) = max_j |a_rj|
 *
 * at the first breakpoint of the lasso's path with m nonzero coefficients. A feature that no path chose
 * scores half the smallest score times max_j |f_r'y_j| / ||f_r||, so that all are ranked. With m = count the
 * path to the largest count is followed once, and read off at each.
 */
#include "core/engine.h"
#include "core/parallel.h"
#include "linalg/lars.h"
#include "matrix/blas.h"
#include "methods/mcfs/feature_gram.h"
#include "methods/regression.h"

#include <string.h>

struct mcfs {
    pith_i_shared shared;
    int64_t mcfs_active;
};

static const pith_i_param mcfs_table[] = {
    {{.name = "mcfs_active",
      .help = "nonzero coefficients at which a lasso path stops, at most (samples - 1) / 2; count: as many "
              "as the features asked for (select and compare), as in the paper",
      .type = PITH_INT,
      .def = 50,
      .lo = 1,
      .hi = 1e6,
      .can_be_auto = true,
      .auto_word = "count"},
     offsetof(struct mcfs, mcfs_active)},
    GRAPH_PARAMS(struct mcfs, 5, WEIGHT_HEAT),
    CLUSTERS_PARAM(struct mcfs),
    STANDARDIZE_PARAM(struct mcfs),
};

static const char *const mcfs_grid[] = {"mcfs_active=20,50,100,200", NULL};

/* The active columns of one path, and what its products need. Where rows are spread, the products of all
 * processes are summed; paths are then followed one after another, and all processes take the same steps. */
typedef struct columns {
    const pith_i_design *X;
    double *active; /* column a is active + a * n */
    double *sum;    /* n */
    pith_ctx *ctx;  /* NULL: one process has all rows */
    pith_status st; /* of the sums */
} columns;

static void add_up(columns *s, int64_t count, double *values)
{
    if (s->ctx != NULL && s->st == PITH_OK)
        s->st = pith_i_sum(s->ctx, count, values);
}

static void join(void *self, int64_t j, int64_t count, const int32_t *active, double *out)
{
    columns *s = self;
    const int64_t n = s->X->X->n;
    double *f = s->active + count * n;
    (void)active;
    pith_i_design_column(s->X, j, f);
    if (n > 0)
        cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)count + 1, (int)n, 1, s->active, (int)n, f, 1, 0, out,
                    1);
    else
        memset(out, 0, (size_t)(count + 1) * sizeof *out);
    add_up(s, count + 1, out);
}

static void drop(void *self, int64_t at, int64_t count)
{
    const columns *s = self;
    const int64_t n = s->X->X->n;
    memmove(s->active + at * n, s->active + (at + 1) * n, (size_t)((count - at - 1) * n) * sizeof(double));
}

static void correlate(void *self, int64_t count, const int32_t *active, const double *coef, double *out)
{
    columns *s = self;
    const int64_t n = s->X->X->n;
    (void)active;
    if (n > 0)
        cblas_dgemv(CblasRowMajor, CblasTrans, (int)count, (int)n, 1, s->active, (int)n, coef, 1, 0, s->sum,
                    1);
    pith_i_design_correlate(s->X, s->sum, out);
    add_up(s, s->X->X->p, out);
}

typedef struct work {
    const pith_i_input *in;
    pith_i_design X;
    int64_t c, most;     /* paths, coefficients of each */
    int64_t n_stops;     /* numbers of coefficients at which a path is read off, */
    int64_t *stop;       /* most the largest of them */
    double *y;           /* target j is y + j * n */
    double *correlation; /* c x p: f_r'y_j */
    int32_t *feature;    /* c x n_stops x active: the active features; -1: no more */
    double *coef;        /* c x n_stops x active */
    bool *reached;       /* c x n_stops */
    pith_i_lars_end *end;
    int64_t active; /* most columns active at once */
    double *gram;   /* p x p; NULL: paths use the columns themselves */
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
    TRY(SCRATCH(ctx, w->feature, w->c * w->n_stops * w->active));
    TRY(SCRATCH(ctx, w->coef, w->c * w->n_stops * w->active));
    TRY(SCRATCH_ZERO(ctx, w->reached, w->c * w->n_stops));
    TRY(SCRATCH(ctx, w->end, w->c));
    if (w->gram == NULL)
        TRY(SCRATCH(ctx, w->columns, threads * (w->active + 1) * n));
    TRY(SCRATCH(ctx, w->room, threads * (int64_t)((pith_i_lars_room(w->in->p, w->most) + 63) / 64 * 64)));
done:
    return st;
}

/* y = D^-1/2 xi minus its mean, of unit norm; 0 where nothing is left. */
static pith_status make_target(pith_ctx *ctx, const pith_i_input *in, const double *xi, double *y)
{
    const double *degree = pith_i_graph_degree(in->graph);
    double mean = 0, square = 0;
    pith_status st = PITH_OK;
    for (int64_t i = 0; i < in->n; i++) {
        y[i] = degree[i] > 0 ? xi[i] / sqrt(degree[i]) : 0;
        mean += y[i] / (double)in->all;
    }
    TRY(pith_i_sum(ctx, 1, &mean));
    for (int64_t i = 0; i < in->n; i++) {
        y[i] -= mean;
        square += y[i] * y[i];
    }
    TRY(pith_i_sum(ctx, 1, &square));
    for (int64_t i = 0; i < in->n; i++)
        y[i] = square > 0 ? y[i] / sqrt(square) : 0;
done:
    return st;
}

/* One path and the stops that it has yet to reach. */
typedef struct reader {
    const work *w;
    int64_t j;
    bool *reached; /* n_stops */
} reader;

static void note_down(const reader *r, int64_t k, int64_t count, const int32_t *active, const double *coef)
{
    const int64_t at = (r->j * r->w->n_stops + k) * r->w->active;
    for (int64_t a = 0; a < r->w->active; a++) {
        r->w->feature[at + a] = a < count ? active[a] : -1;
        r->w->coef[at + a] = a < count ? coef[a] : 0;
    }
    r->reached[k] = true;
}

static void read_off(void *user, double lambda, int64_t nonzero, int64_t count, const int32_t *active,
                     const double *coef)
{
    const reader *r = user;
    (void)lambda;
    for (int64_t k = 0; k < r->w->n_stops; k++)
        if (!r->reached[k] && nonzero >= r->w->stop[k])
            note_down(r, k, count, active, coef);
}

/*
 * The Gram matrix of all features, if p < n and it costs less than the products of the paths without it: a
 * path reads the data about `active` times, at about a quarter of the speed of a matrix product. Below LITTLE
 * multiplications there is nothing to gain.
 */
static pith_status choose_gram(pith_ctx *ctx, work *w)
{
    const double LITTLE = 2e8, n = (double)w->in->all, p = (double)w->in->p;
    double once = (double)pith_i_stored(w->X.X);
    pith_status st = PITH_OK;
    TRY(pith_i_sum(ctx, 1, &once));
    const double paths = 4 * once * (double)w->c * (double)pith_i_lars_active(w->in->p, w->most);
    if (!(p < n && paths > 4 * LITTLE && n * p * p / 2 < paths))
        goto done;
    TRY(SCRATCH(ctx, w->gram, w->in->p * w->in->p));
    TRY(pith_i_feature_gram(ctx, &w->X, w->gram));
done:
    return st;
}

/* ctx: NULL unless rows are spread. */
static pith_status follow_path(pith_ctx *ctx, const work *w, int64_t j)
{
    const int64_t n = w->in->n, p = w->in->p, thread = pith_i_thread();
    const int64_t room = (int64_t)((pith_i_lars_room(p, w->most) + 63) / 64 * 64);
    double *active = w->gram == NULL ? w->columns + thread * (w->active + 1) * n : NULL;
    columns self = {&w->X, active, active != NULL ? active + w->active * n : NULL, ctx, PITH_OK};
    pith_i_gram_features features = {p, w->gram};
    pith_i_lasso lasso = {p, NULL, &self, join, drop, correlate};
    if (w->gram != NULL)
        lasso = pith_i_lasso_of_gram(&features);
    lasso.left_out = w->X.left_out;
    reader r = {w, j, w->reached + j * w->n_stops};
    const pith_i_lars_options options = {.most = w->most, .at = read_off, .user = &r};
    pith_i_design_correlate(&w->X, w->y + j * n, w->correlation + j * p);
    add_up(&self, p, w->correlation + j * p);
    const pith_i_lars_point point =
        pith_i_lars(&lasso, w->correlation + j * p, &options, w->room + thread * room);
    for (int64_t k = 0; k < w->n_stops; k++)
        if (!r.reached[k]) /* the path ended before */
            note_down(&r, k, point.count, point.active, point.coef);
    w->end[j] = point.end;
    return self.st;
}

static pith_status follow_paths(pith_ctx *ctx, const work *w)
{
    const bool spread = pith_i_is_spread(w->X.X);
    int64_t lost = 0;
    pith_status st = PITH_OK;
    pith_i_blas_enter();
    for (int64_t j = 0; spread && j < w->c && st == PITH_OK; j++)
        if (!pith_i_progress_stop(ctx, j, w->c))
            st = follow_path(ctx, w, j);
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic) if (!spread)
    for (int64_t j = spread ? w->c : 0; j < w->c; j++)
        if (!pith_i_progress_stop(ctx, j, w->c))
            (void)follow_path(NULL, w, j);
    pith_i_blas_leave();
    TRY(st);
    TRY(pith_i_stop_status(ctx));
    for (int64_t j = 0; j < w->c; j++)
        lost += w->end[j] == PITH_I_LARS_LOST;
    pith_i_fact(w->in->facts, "coefficients", (double)w->most);
    if (lost > 0) {
        pith_i_fact(w->in->facts, "paths_lost_in_ties", (double)lost);
        w->in->facts->warning =
            "tied correlations ended a lasso path early: it has fewer coefficients than requested";
    }
done:
    return st;
}

/* At stop k the largest coefficient of each feature, and for those without one a share of the smallest. */
static void rate(const work *w, const double *norm, int64_t k, double *score)
{
    const int64_t p = w->in->p;
    double least = INFINITY;
    memset(score, 0, (size_t)p * sizeof *score);
    for (int64_t j = 0; j < w->c; j++)
        for (int64_t a = 0; a < w->active; a++) {
            const int64_t e = (j * w->n_stops + k) * w->active + a;
            if (w->feature[e] >= 0)
                score[w->feature[e]] = fmax(score[w->feature[e]], fabs(w->coef[e]));
        }
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
}

/* Where paths are read off: at mcfs_active coefficients, or at the numbers of features asked for. */
static pith_status choose_stops(pith_ctx *ctx, const struct mcfs *o, work *w)
{
    const pith_i_input *in = w->in;
    const bool by_count = o->mcfs_active == PITH_I_AUTO;
    const int64_t limit = pith_i_min((in->all - 1) / 2, in->p);
    pith_status st = PITH_OK;
    if (by_count && in->n_counts == 0)
        FAIL(ctx, PITH_E_PARAMETER,
             "mcfs_active: 'count' needs the number of features; pith select and pith compare give it");
    w->n_stops = by_count ? in->n_counts : 1;
    TRY(SCRATCH(ctx, w->stop, w->n_stops));
    for (int64_t k = 0; k < w->n_stops; k++) {
        const int64_t wanted = by_count ? in->counts[k] : o->mcfs_active;
        w->stop[k] = wanted < limit ? wanted : limit;
        w->most = w->stop[k] > w->most ? w->stop[k] : w->most;
    }
done:
    return st;
}

/* The scores at the last stop and, with `count`, at every stop. */
static pith_status rate_all(pith_ctx *ctx, const struct mcfs *o, const work *w, double *score)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t p = w->in->p;
    int64_t last = 0;
    double *norm = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, norm, p));
    TRY(pith_i_design_norms(ctx, &w->X, norm));
    for (int64_t k = 0; k < w->n_stops; k++)
        last = w->stop[k] > w->stop[last] ? k : last;
    rate(w, norm, last, score);
    *w->in->scored_at = o->mcfs_active == PITH_I_AUTO;
    for (int64_t k = 0; *w->in->scored_at && k < w->n_stops; k++) {
        rate(w, norm, k, w->in->score_at + k * p);
        for (int64_t r = 0; r < p; r++)
            if (w->in->constant[r])
                w->in->score_at[k * p + r] = (double)NAN;
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
    work w = {.in = in};
    pith_status st = PITH_OK;
    TRY(pith_i_input_clusters(ctx, in, &w.c));
    TRY(pith_i_input_design(ctx, in, &w.X));
    TRY(choose_stops(ctx, o, &w));
    TRY(pith_i_input_spectrum(ctx, in, w.c + 1, &spectrum));
    TRY(choose_gram(ctx, &w));
    TRY(take_memory(ctx, &w));
    for (int64_t j = 0; j < w.c; j++)
        TRY(make_target(ctx, in, spectrum->vector + (j + 1) * in->n, w.y + j * in->n));
    TRY(follow_paths(ctx, &w));
    TRY(rate_all(ctx, o, &w, score));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

const pith_method pith_i_method_mcfs = {
    .name = "mcfs",
    .family = "spectral, sparse regression",
    .reference = "Cai, Zhang & He, Unsupervised feature selection for multi-cluster data, KDD 2010",
    .title = "Predicts the eigenvectors of the nearest-neighbour graph by lasso regression and ranks "
             "features by their largest coefficient.",
    .notes = "Features that no lasso selected come last, in order of their correlation with the "
             "eigenvectors. By default columns are z-scored; counts become tf-idf rows of unit norm with "
             "centred columns and one common scale.",
    .needs = NEEDS_GRAPH,
    .spreads = true,
    .counts_matter = true,
    .better = HIGHER,
    .dense_view = VIEW_ZSCORE,
    .counts_view = VIEW_TFIDF_UNIT,
    .table = mcfs_table,
    .n_table = COUNT(mcfs_table),
    .params_size = sizeof(struct mcfs),
    .grid = mcfs_grid,
    .score = mcfs_score,
};
