#include "prep/row_steps.h"

#include "graph/sample_distances.h"

enum { KERNEL_AUTO, KERNEL_GAUSSIAN, KERNEL_COSINE };
static const char *const kernel_words[] = {"auto", "gaussian", "cosine", NULL};

/* ---- Distances between the rows ------------------------------------------------------------------------ */

typedef struct geometry {
    pith_i_cache cache;
    const pith_i_data *X;
    pith_i_metric metric;
    pith_i_sample_distances D;
} geometry;

/* The view of the data, by default z-scores or, for counts, tf-idf, and the distances between its rows. The
 * caller must close it and release its mark, even after a failure. */
static pith_status look(pith_ctx *ctx, const pith_i_data *X, pith_i_shared *o, int kernel, geometry *s)
{
    const pith_i_viewed *viewed = NULL;
    pith_status st = PITH_OK;
    TRY(pith_i_cache_new(ctx, X, &s->cache));
    if (o->standardize == VIEW_AUTO)
        o->standardize = s->cache.counts ? VIEW_TFIDF : VIEW_ZSCORE;
    TRY(pith_i_cache_view(ctx, &s->cache, o->standardize, &viewed));
    const bool words =
        pith_i_view_unit_rows(o->standardize) || (o->standardize == VIEW_NONE && s->cache.counts);
    s->metric =
        kernel == KERNEL_COSINE || (kernel == KERNEL_AUTO && words) ? PITH_I_COSINE : PITH_I_EUCLIDEAN;
    if (s->metric == PITH_I_COSINE && viewed->view.shift != NULL)
        FAIL(ctx, PITH_E_PARAMETER,
             "cosines of centred columns would make sparse data dense: use standardize none or tfidf, or "
             "kernel gaussian");
    s->X = &viewed->view.X;
    TRY(pith_i_progress_stage(ctx, "measuring distances", 0, 0.5));
    TRY(pith_i_sample_distances_open(ctx, s->X, s->metric, &s->D));
    TRY(pith_i_progress_stage(ctx, "choosing samples", 0.5, 1));
done:
    return st;
}

static void close(geometry *s)
{
    pith_i_sample_distances_close(&s->D);
    pith_i_cache_free(&s->cache);
}

/* ---- drop-noisy --------------------------------------------------------------------------------------- */

struct drop_noisy {
    pith_i_shared shared;
    int kernel;
    int64_t k_prime;
    double remove, mu, temperature;
};

static const pith_i_param drop_noisy_table[] = {
    PARAM(struct drop_noisy, remove, 0.1, 0, 0.9, "share of the samples to drop, those of lowest density"),
    PARAM(struct drop_noisy, mu, 0.25, 1e-3, 10,
          "Fermi level, as a multiple of the median energy of the graph"),
    PARAM(struct drop_noisy, temperature, 0.1, 1e-3, 1e3,
          "Fermi temperature, as a multiple of the Fermi level"),
    ROW(struct drop_noisy, kernel, "kernel", KERNEL_AUTO, 0, 0, false, kernel_words,
        "similarity of samples; auto: cosine for counts, untransformed or as tf-idf, else gaussian"),
    ROW(struct drop_noisy, k_prime, "k_prime", (double)NAN, 1, 1e9, true, NULL,
        "the neighbour whose distance sets the kernel width; auto: samples / clusters, rounded"),
    ROW(struct drop_noisy, shared.neighbors, "neighbors", 10, 1, 1e9, false, NULL,
        "nearest neighbours of each sample in the graph, doubled until the graph is connected (above 4,000 "
        "samples at most three times); samples - 1: all pairs"),
    CLUSTERS_PARAM(struct drop_noisy),
    STANDARDIZE_PARAM(struct drop_noisy),
};

/* K': the user's, or n / c rounded; at most n - 1. */
static pith_status settle_k(pith_ctx *ctx, geometry *s, struct drop_noisy *o, int64_t *out)
{
    const int64_t n = s->X->n;
    pith_i_facts facts = {0};
    pith_i_reuse reuse = {0};
    const pith_i_input in = {.n = n,
                             .all = n,
                             .p = s->X->p,
                             .cache = &s->cache,
                             .reuse = &reuse,
                             .options = &o->shared,
                             .facts = &facts};
    int64_t clusters = 0;
    pith_status st = PITH_OK;
    if (o->k_prime == PITH_I_AUTO) {
        TRY(pith_i_input_clusters(ctx, &in, &clusters));
        o->k_prime = (int64_t)floor((double)n / (double)clusters + 0.5);
    }
    *out = o->k_prime < n ? o->k_prime : n - 1;
done:
    return st;
}

static pith_status drop_noisy_choose(pith_ctx *ctx, const pith_i_data *X, void *params, int64_t *rows,
                                     int64_t *count)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = X->n;
    struct drop_noisy *o = params;
    geometry s = {0};
    pith_i_graph *graph = NULL;
    pith_i_spectrum spectrum = {0};
    double *rho = NULL, sigma = 0, level = 0;
    int64_t k = 0, used = 0;
    pith_status st = PITH_OK;
    TRY(look(ctx, X, &o->shared, o->kernel, &s));
    TRY(settle_k(ctx, &s, o, &k));
    TRY(pith_i_sample_width(ctx, &s.D, k, &sigma));
    if (!(sigma > 0))
        FAIL(ctx, PITH_E_DATA, "all samples are identical: none is noisier than another");
    const int64_t most = pith_i_sample_neighbors(&s.D, o->shared.neighbors);
    TRY(pith_i_connected_graph(ctx, s.X, s.metric, o->shared.neighbors, most, sigma, &graph, &used));
    if (pith_i_sample_pairs(&s.D) > 0)
        TRY(pith_i_spectrum_find(ctx, graph, pith_i_sample_pairs(&s.D), &spectrum));
    TRY(SCRATCH(ctx, rho, n));
    TRY(pith_i_sample_density(ctx, &s.D, graph, &spectrum, o->mu, o->temperature, rho, &level));
    const int64_t dropped = pith_i_noisy_count(n, o->remove);
    TRY(pith_i_drop_noisy(ctx, n, rho, dropped, rows));
    *count = n - dropped;
done:
    pith_i_spectrum_free(&spectrum);
    pith_i_graph_free(graph);
    close(&s);
    pith_i_scratch_release(ctx, mark);
    return st;
}

const pith_i_row_step pith_i_step_drop_noisy = {
    .about = {.name = "drop-noisy",
              .title = "drops the samples with the lowest Fermi density in the nearest-neighbour graph",
              .table = drop_noisy_table,
              .n_table = COUNT(drop_noisy_table),
              .params_size = sizeof(struct drop_noisy)},
    .choose = drop_noisy_choose,
};

/* ---- representatives ---------------------------------------------------------------------------------- */

struct representatives {
    pith_i_shared shared;
    int kernel;
    int64_t levels, fold;
};

static const pith_i_param representatives_table[] = {
    PARAM(struct representatives, levels, 2, 0, 16, "how many times the samples are halved: 2^levels parts"),
    PARAM(struct representatives, fold, 0, 0, 65535, "which part to keep, counted from 0"),
    ROW(struct representatives, kernel, "kernel", KERNEL_AUTO, 0, 0, false, kernel_words,
        "distance between samples: cosine for counts, untransformed or as tf-idf, else Euclidean (gaussian)"),
    STANDARDIZE_PARAM(struct representatives),
};

static pith_status representatives_choose(pith_ctx *ctx, const pith_i_data *X, void *params, int64_t *rows,
                                          int64_t *count)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    struct representatives *o = params;
    geometry s = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_density_sample_check(ctx, o->levels, o->fold));
    TRY(look(ctx, X, &o->shared, o->kernel, &s));
    for (int64_t i = 0; i < X->n; i++)
        rows[i] = i;
    *count = X->n;
    TRY(pith_i_sample_choose(ctx, &s.D, o->levels, o->fold, rows, count));
done:
    close(&s);
    pith_i_scratch_release(ctx, mark);
    return st;
}

const pith_i_row_step pith_i_step_representatives = {
    .about = {.name = "representatives",
              .title = "keeps a subset of the samples, by default a quarter, that preserves their density",
              .table = representatives_table,
              .n_table = COUNT(representatives_table),
              .params_size = sizeof(struct representatives)},
    .choose = representatives_choose,
};
