#include "core/parallel.h"
#include "graph/sample_distances.h"
#include "matrix/blas.h"
#include "methods/method.h"
#include "methods/nrfs/layers.h"
#include "methods/nrfs/ridge.h"

#include <stdlib.h>
#include <string.h>

enum { KERNEL_AUTO, KERNEL_GAUSSIAN, KERNEL_COSINE };
enum { SAMPLING_REPRESENTATIVES, SAMPLING_NONE };
enum { SIGMA_AUTO, SIGMA_ALL, SIGMA_REPS };
enum { AGG_MAX, AGG_MEAN };
enum { RANK_ROUNDS, RANK_SCORE, RANK_PAPER };
static const char *const kernel_words[] = {"auto", "gaussian", "cosine", NULL};
static const char *const sampling_words[] = {"representatives", "none", NULL};
static const char *const sigma_words[] = {"auto", "all", "reps", NULL};
static const char *const agg_words[] = {"max", "mean", NULL};
static const char *const rank_words[] = {"rounds", "score", "paper", NULL};

struct nrfs {
    pith_i_shared shared;
    int kernel, sampling, sigma_from, agg, rank;
    int64_t q, k_prime, levels, fold, h;
    double ridge, remove, mu, temperature;
};

#define CHOICE(field, default_, words, text)                                                                 \
    ROW(struct nrfs, field, #field, default_, 0, 0, false, words, text)

static const pith_i_param nrfs_table[] = {
    PARAM(struct nrfs, q, 1, 1, 1e6, "features in a subspace: the feature itself and its q - 1 nearest"),
    CHOICE(kernel, KERNEL_AUTO, kernel_words,
           "similarity of samples; auto: cosine for counts, untransformed or as tf-idf, else gaussian"),
    PARAM(struct nrfs, ridge, 1, 1e-8, 1e8,
          "ridge penalty of the regressions, relative to trace(Gram) / samples"),
    CHOICE(sampling, SAMPLING_REPRESENTATIVES, sampling_words,
           "samples to compare with: representatives (NRFS-1 in the paper), or all samples (NRFS-2)"),
    PARAM(struct nrfs, remove, 0.1, 0, 0.9,
          "share of the samples, those of lowest density, that cannot be representatives"),
    ROW(struct nrfs, levels, "levels", (double)NAN, 0, 16, true, NULL,
        "how many times the samples are halved: 2^levels parts; auto: 2, and as many times more as keep the "
        "regressions below 4e13 operations"),
    PARAM(struct nrfs, fold, 0, 0, 65535, "the part used as representatives, counted from 0"),
    PARAM(struct nrfs, mu, 0.25, 1e-3, 10, "Fermi level, as a multiple of the median energy of the graph"),
    PARAM(struct nrfs, temperature, 0.1, 1e-3, 1e3, "Fermi temperature, as a multiple of the Fermi level"),
    ROW(struct nrfs, k_prime, "k_prime", (double)NAN, 1, 1e9, true, NULL,
        "the neighbour whose distance sets the kernel widths; auto: samples / clusters, rounded"),
    CHOICE(sigma_from, SIGMA_AUTO, sigma_words,
           "samples whose distances set the kernel widths; auto: all if q is 1, else the representatives"),
    CHOICE(agg, AGG_MAX, agg_words, "how coefficients are combined over the representatives"),
    CHOICE(
        rank, RANK_ROUNDS, rank_words,
        "ranking: eigenvectors take turns; by score; or each takes its share of h at once, as in the paper"),
    ROW(struct nrfs, h, "h", (double)NAN, 1, 1e9, true, NULL,
        "number of features to select, for rank paper; auto: all"),
    ROW(struct nrfs, shared.neighbors, "neighbors", 10, 1, 1e9, false, NULL,
        "nearest neighbours of each sample in the graph, doubled until the graph is connected (above 4,000 "
        "samples at most three times); samples - 1: all pairs"),
    CLUSTERS_PARAM(struct nrfs),
    STANDARDIZE_PARAM(struct nrfs),
};

static const char *const nrfs_grid[] = {"q=1,10,50", "ridge=0.01,1,100", NULL};

/* What the regressions share. */
typedef struct work {
    const struct nrfs *o;
    int64_t n, c; /* samples, clusters */
    bool cosine;
    double *Y;          /* c - 1 centred vectors of the graph's spectrum; vector v is Y + v * n */
    int64_t *rep, reps; /* representatives, ascending */
    pith_i_layers layers;
    double *best; /* (c - 1) x m: A' */
} work;

/* ---- Spectrum and representatives ---------------------------------------------------------------------- */

/* Operations of the regressions above which `levels` auto halves the representatives again. */
static const double MOST_WORK = 4e13;

static pith_status measure(pith_ctx *ctx, const pith_i_input *in, const work *w, pith_i_sample_distances *D,
                           double *sigma)
{
    pith_status st = PITH_OK;
    TRY(pith_i_sample_distances_open(ctx, in->X, w->cosine ? PITH_I_COSINE : PITH_I_EUCLIDEAN, D));
    TRY(pith_i_sample_width(ctx, D, w->o->k_prime, sigma));
    if (!(*sigma > 0))
        FAIL(ctx, PITH_E_DATA, "all samples are identical: there is no structure to find");
done:
    return st;
}

/* Operations of one regression on average: n m min(n, m) for its Gram matrix. With sparse cosines, m is the
 * number of features that the sample has. */
static double work_of_one(const pith_i_input *in, const work *w)
{
    const double n = (double)w->n;
    double live = 0, sum = 0;
    for (int64_t j = 0; j < in->p; j++)
        live += !in->constant[j];
    if (!w->cosine || !in->X->sparse)
        return n * live * fmin(n, live);
    for (int64_t i = 0; i < w->n; i++) {
        const double stored = (double)(in->X->indptr[i + 1] - in->X->indptr[i]);
        const double m = fmin(live, (double)w->o->q * stored);
        sum += m * fmin(n, m);
    }
    return sum;
}

/* Each further halving takes the first half of the part that was chosen before. */
static void settle_levels(const pith_i_input *in, const work *w, struct nrfs *o)
{
    if (o->levels != PITH_I_AUTO)
        return;
    const double one = work_of_one(in, w);
    o->levels = 2;
    while (o->levels < 16 && (double)(w->reps >> o->levels) > 1 &&
           one * (double)(w->reps >> o->levels) > MOST_WORK) {
        o->levels++;
        o->fold *= 2;
    }
}

static pith_status choose(pith_ctx *ctx, const pith_i_input *in, const pith_i_sample_distances *D,
                          const pith_i_graph *graph, const pith_i_spectrum *all, work *w)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    struct nrfs *o = (struct nrfs *)in->options;
    const int64_t dropped = pith_i_noisy_count(w->n, o->remove);
    double *rho = NULL, level = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, rho, w->n));
    TRY(pith_i_sample_density(ctx, D, graph, all, o->mu, o->temperature, rho, &level));
    pith_i_fact(in->facts, "fermi_level", level);
    TRY(pith_i_drop_noisy(ctx, w->n, rho, dropped, w->rep));
    w->reps = w->n - dropped;
    pith_i_fact(in->facts, "noisy_samples", (double)dropped);
    settle_levels(in, w, o);
    TRY(pith_i_progress_stage(ctx, "choosing representatives", 0.2, 0.3));
    TRY(pith_i_sample_choose(ctx, D, o->levels, o->fold, w->rep, &w->reps));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Y: vectors 1 .. c-1 of the spectrum, centred. Vector 0 is trivial: it shows degrees, not clusters. */
static void take_targets(const pith_i_spectrum *s, work *w)
{
    for (int64_t v = 0; v < w->c - 1; v++) {
        const double *from = s->vector + (v + 1) * w->n;
        double sum = 0;
        for (int64_t i = 0; i < w->n; i++)
            sum += from[i];
        for (int64_t i = 0; i < w->n; i++)
            w->Y[v * w->n + i] = from[i] - sum / (double)w->n;
    }
}

static pith_status see_samples(pith_ctx *ctx, const pith_i_input *in, work *w)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_metric metric = w->cosine ? PITH_I_COSINE : PITH_I_EUCLIDEAN;
    const bool sampled = w->o->sampling == SAMPLING_REPRESENTATIVES;
    pith_i_graph *graph = NULL;
    pith_i_spectrum spectrum = {0};
    pith_i_sample_distances D = {0};
    double sigma = 0;
    int64_t used = 0;
    pith_status st = PITH_OK;
    TRY(pith_i_progress_stage(ctx, "measuring distances", 0, 0.1));
    TRY(measure(ctx, in, w, &D, &sigma));
    const int64_t k = w->o->shared.neighbors, most = pith_i_sample_neighbors(&D, k);
    TRY(pith_i_connected_graph(ctx, in->X, metric, k, most, sigma, &graph, &used));
    pith_i_fact(in->facts, "graph_neighbors", (double)used);
    const pith_i_graph_summary about = pith_i_graph_summarize(graph);
    pith_i_fact(in->facts, "graph_components", (double)about.components);
    pith_i_fact(in->facts, "sigma", sigma);
    if (w->n - about.isolated < w->c)
        FAIL(ctx, PITH_E_DATA, "clusters: %lld is more than the %lld samples that have a neighbour",
             (long long)w->c, (long long)(w->n - about.isolated));
    TRY(pith_i_progress_stage(ctx, "finding noisy samples", 0.1, 0.2));
    TRY(pith_i_spectrum_find(ctx, graph, sampled ? pith_i_max(w->c, pith_i_sample_pairs(&D)) : w->c,
                             &spectrum));
    take_targets(&spectrum, w);
    if (sampled)
        TRY(choose(ctx, in, &D, graph, &spectrum, w));
    pith_i_fact(in->facts, "representatives", (double)w->reps);
done:
    pith_i_sample_distances_close(&D);
    pith_i_spectrum_free(&spectrum);
    pith_i_graph_free(graph);
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- Regressions --------------------------------------------------------------------------------------- */

/* Work space for one representative. */
typedef struct room {
    double *B, *gram, *solved, *A, *space;
    int32_t *active;
    int64_t count; /* columns of the layer; 0: all of them are constant */
    bool failed;
} room;

static pith_status new_rooms(pith_ctx *ctx, const work *w, int64_t count, room **out)
{
    const int64_t n = w->n, m = pith_i_layers_widest(&w->layers, w->reps, w->rep), least = n < m ? n : m;
    pith_status st = PITH_OK;
    room *rooms = NULL;
    TRY(SCRATCH_ZERO(ctx, rooms, count));
    for (int64_t d = 0; d < count; d++) {
        TRY(SCRATCH(ctx, rooms[d].B, n * m));
        TRY(SCRATCH(ctx, rooms[d].gram, least * least));
        TRY(SCRATCH(ctx, rooms[d].solved, pith_i_ridge_room(n, m, w->c - 1)));
        TRY(SCRATCH(ctx, rooms[d].A, m * (w->c - 1)));
        TRY(SCRATCH(ctx, rooms[d].space, pith_i_layer_space(&w->layers)));
        TRY(SCRATCH(ctx, rooms[d].active, w->layers.m));
    }
    *out = rooms;
done:
    return st;
}

/* |A| for representative i, with the coefficients for each eigenvector scaled to unit norm. */
static void regress(const work *w, int64_t i, room *d)
{
    d->failed = false;
    d->count = pith_i_layer(&w->layers, i, d->space, d->active, d->B);
    if (d->count == 0)
        return;
    d->failed = !pith_i_ridge(w->n, d->count, w->c - 1, d->B, w->Y, w->o->ridge, d->gram, d->solved, d->A);
    for (int64_t v = 0; v < w->c - 1 && !d->failed; v++) {
        double *a = d->A + v * d->count, sum = 0;
        for (int64_t e = 0; e < d->count; e++)
            sum += a[e] * a[e];
        for (int64_t e = 0; e < d->count; e++)
            a[e] = sum > 0 ? fabs(a[e]) / sqrt(sum) : 0;
    }
}

/* Adds the coefficients of one representative to A', by maximum or mean. */
static void gather(const work *w, const room *d)
{
    const int64_t m = w->layers.m;
    for (int64_t v = 0; v < w->c - 1; v++)
        for (int64_t e = 0; e < d->count; e++) {
            double *at = w->best + v * m + d->active[e];
            const double a = d->A[v * d->count + e];
            *at = w->o->agg == AGG_MEAN ? *at + a / (double)w->reps : a > *at ? a : *at;
        }
}

/* As many representatives at a time as there are threads. Their coefficients are added in order, so that sums
 * do not depend on the number of threads. */
static pith_status compare(pith_ctx *ctx, work *w)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t threads = pith_ctx_threads(ctx), team = threads < w->reps ? threads : w->reps;
    room *rooms = NULL;
    pith_status st = PITH_OK;
    TRY(pith_i_progress_stage(ctx, "comparing with representatives", 0.4, 1));
    TRY(new_rooms(ctx, w, team, &rooms));
    for (int64_t first = 0; first < w->reps; first += team) {
        const int64_t here = w->reps - first < team ? w->reps - first : team;
        TRY(pith_i_progress(ctx, first, w->reps));
        pith_i_blas_enter();
#pragma omp parallel for num_threads((int)team) schedule(static, 1)
        for (int64_t d = 0; d < here; d++)
            regress(w, w->rep[first + d], &rooms[d]);
        pith_i_blas_leave();
        for (int64_t d = 0; d < here; d++) {
            if (rooms[d].failed)
                FAIL(ctx, PITH_E_NUMERIC,
                     "the regression on sample %lld has no solution: a larger ridge helps",
                     (long long)w->rep[first + d] + 1);
            gather(w, &rooms[d]);
        }
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- Order --------------------------------------------------------------------------------------------- */

typedef struct weighted {
    double weight; /* rounded: features with equal layers have equal weights, in spite of rounding errors */
    int64_t j;
} weighted;

static int by_weight(const void *a, const void *b)
{
    const weighted *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return (x->j > y->j) - (x->j < y->j);
}

typedef struct turns {
    int64_t m, spectra, *next;
    weighted *list; /* m for each spectrum, best first */
    bool *taken;
} turns;

/* Takes the best feature of spectrum v that is not taken yet; -1: there is none. */
static int64_t take(turns *t, int64_t v)
{
    for (int64_t *at = &t->next[v]; *at < t->m; ++*at) {
        const int64_t j = t->list[v * t->m + *at].j;
        if (!t->taken[j]) {
            t->taken[j] = true;
            return j;
        }
    }
    return -1;
}

/* Weights are rounded to multiples of 2^-bits, which is more than their error. */
static int bits_of_weights(const work *w)
{
    const int64_t widest = pith_i_layers_widest(&w->layers, w->reps, w->rep);
    return pith_i_ridge_error(w->n, widest) > 1e-12 ? 27 : 40;
}

/* With rank paper, each spectrum first takes its share of h. Then spectra take turns. Constant features come
 * last. */
static pith_status order_by_turns(pith_ctx *ctx, const pith_i_input *in, const work *w)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    turns t = {.m = w->layers.m, .spectra = w->c - 1};
    const int bits = bits_of_weights(w);
    int64_t placed = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, t.list, t.m * t.spectra));
    TRY(SCRATCH_ZERO(ctx, t.next, t.spectra));
    TRY(SCRATCH_ZERO(ctx, t.taken, t.m));
    for (int64_t v = 0; v < t.spectra; v++) {
        for (int64_t j = 0; j < t.m; j++)
            t.list[v * t.m + j] = (weighted){nearbyint(ldexp(w->best[v * t.m + j], bits)), j};
        qsort(t.list + v * t.m, (size_t)t.m, sizeof *t.list, by_weight);
    }
    const int64_t share = (w->o->h < t.m ? w->o->h : t.m) / t.spectra;
    for (int64_t v = 0; w->o->rank == RANK_PAPER && v < t.spectra; v++)
        for (int64_t e = 0; e < share; e++)
            in->order[placed++] = w->layers.feature[take(&t, v)];
    while (placed < t.m)
        for (int64_t v = 0; v < t.spectra && placed < t.m; v++)
            in->order[placed++] = w->layers.feature[take(&t, v)];
    for (int64_t j = 0; j < in->p; j++)
        if (in->constant[j])
            in->order[placed++] = j;
    *in->ordered = true;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- The whole ----------------------------------------------------------------------------------------- */

/* Fills in what was auto; the result shows it. */
static void settle(const pith_i_input *in, struct nrfs *o, int64_t clusters)
{
    const int view = o->shared.standardize;
    const bool words = pith_i_view_unit_rows(view) || (view == VIEW_NONE && in->cache->counts);
    if (o->kernel == KERNEL_AUTO)
        o->kernel = words ? KERNEL_COSINE : KERNEL_GAUSSIAN;
    if (o->k_prime == PITH_I_AUTO)
        o->k_prime = (int64_t)floor((double)in->n / (double)clusters + 0.5);
    if (o->k_prime > in->n - 1)
        o->k_prime = in->n - 1;
    if (o->sigma_from == SIGMA_AUTO)
        o->sigma_from = o->q == 1 ? SIGMA_ALL : SIGMA_REPS;
    if (o->rank == RANK_PAPER && o->h == PITH_I_AUTO)
        o->h = in->p;
}

static pith_status begin(pith_ctx *ctx, const pith_i_input *in, work *w)
{
    struct nrfs *o = (struct nrfs *)in->options; /* the run's copy of the parameters */
    pith_status st = PITH_OK;
    TRY(pith_i_density_sample_check(ctx, o->levels == PITH_I_AUTO ? 2 : o->levels, o->fold));
    TRY(pith_i_input_clusters(ctx, in, &w->c));
    settle(in, o, w->c);
    w->o = o;
    w->n = in->n;
    w->cosine = o->kernel == KERNEL_COSINE;
    if (w->cosine && in->shift != NULL)
        FAIL(ctx, PITH_E_PARAMETER,
             "cosines of centred columns would make sparse data dense: use standardize none or tfidf, or "
             "kernel gaussian");
    TRY(SCRATCH(ctx, w->Y, w->n * (w->c - 1)));
    TRY(SCRATCH(ctx, w->rep, w->n));
    w->reps = w->n;
    for (int64_t i = 0; i < w->n; i++)
        w->rep[i] = i;
done:
    return st;
}

/*
 * NRFS (Huang, Yoo, Yu & Qin 2014). Y are the first c - 1 eigenvectors of the samples' graph after the
 * trivial one; each is called a spectrum. For every representative i and its layer of similarities B_i
 * (methods/nrfs/layers.h),
 *
 *     A_i = argmin ||B_i A - Y||^2 + lambda ||A||^2,   A'_jk = max_i |A_ijk| / sqrt(sum_g A_igk^2)
 *
 * score(j) = max_k A'_jk. In the ranking, the spectra k take turns. Each thread holds one layer, never the
 * whole cube: 8 (n m + min(n, m)^2 + m c) bytes. Time: n^3 + reps (n m q + n m min(n, m)).
 */
static pith_status nrfs_score(pith_ctx *ctx, const pith_i_input *in, const void *params, double *score)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const struct nrfs *o = params;
    work w = {0};
    pith_status st = PITH_OK;
    TRY(begin(ctx, in, &w));
    TRY(see_samples(ctx, in, &w));
    TRY(pith_i_progress_stage(ctx, "comparing features", 0.3, 0.4));
    TRY(pith_i_layers_open(ctx, in->X, in->shift, in->constant, w.cosine, o->q, &w.layers));
    if (!w.cosine)
        TRY(pith_i_layers_widths(ctx, &w.layers, o->k_prime, w.reps,
                                 o->sigma_from == SIGMA_ALL ? NULL : w.rep));
    TRY(SCRATCH_ZERO(ctx, w.best, (w.c - 1) * w.layers.m));
    TRY(compare(ctx, &w));
    for (int64_t j = 0; j < w.layers.m; j++) {
        double *at = &score[w.layers.feature[j]];
        *at = w.best[j];
        for (int64_t v = 1; v < w.c - 1; v++)
            *at = fmax(*at, w.best[v * w.layers.m + j]);
    }
    if (o->rank != RANK_SCORE)
        TRY(order_by_turns(ctx, in, &w));
done:
    pith_i_layers_close(&w.layers);
    pith_i_scratch_release(ctx, mark);
    return st;
}

const pith_method pith_i_method_nrfs = {
    .name = "nrfs",
    .family = "spectral, regression on similarities",
    .reference = "Huang, Yoo, Yu & Qin, Noise-resistant unsupervised feature selection via multi-perspective "
                 "correlations, ICDM 2014",
    .title = "Ranks features by how well similarity to representative samples in that feature predicts the "
             "eigenvectors of the nearest-neighbour graph.",
    .notes = "The eigenvectors of the graph take turns to pick their best unused feature; the score is the "
             "largest weight over the eigenvectors. By default columns are z-scored; text becomes tf-idf "
             "rows of unit norm, compared by cosine.",
    .better = HIGHER,
    .dense_view = VIEW_ZSCORE,
    .counts_view = VIEW_TFIDF,
    .order_matters = true,
    .table = nrfs_table,
    .n_table = COUNT(nrfs_table),
    .params_size = sizeof(struct nrfs),
    .grid = nrfs_grid,
    .score = nrfs_score,
};
