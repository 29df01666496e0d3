/* What each paper did, as far as it says. */
#include "evaluate/plan.h"

#include "core/text.h"

#include <string.h>

typedef struct paper {
    const char *name;
    const char *features;
    bool cosine, random_start, best_inertia, grids;
    int64_t restarts, subset_classes, subset_draws;
    pith_i_measure sort;
} paper;

static const paper papers[] = {
    /* Section 5: cosine k-means, 20 runs, mean; baselines at best and median over their grids. */
    {"des", "100,200,300,400,600", true, true, false, true, 20, 0, 0, MEASURE_NMI},
    /* The supplement's tables: NMI, best and median over grids. */
    {"snfs", "100,200,400,600", true, true, false, true, 20, 0, 0, MEASURE_NMI},
    /* Section IV: Euclidean k-means, of 100 starts the one of least inertia counts; NMI as its reference 37
     * has it, over the entropies' geometric mean; no grids. */
    {"nrfs", "200,300,500,800,1000,1200,1500,1800", false, true, true, false, 100, 0, 0,
     MEASURE_NMI_GEOMETRIC},
    /* Section IV-D: 20 draws of 5 classes, of 10 random starts the one of least inertia counts; best over
     * grids. The counts are read off its figures. */
    {"lgdfs", "20,40,60,80,100,120,140,160,180,200", false, true, true, true, 10, 5, 20, MEASURE_ACC},
    /* Section 5.2: k-means 20 times, mean; best over grids. */
    {"hufs", "50,100,150,200,250,300", false, true, false, true, 20, 0, 0, MEASURE_ACC},
};

static const paper *find_paper(const char *name)
{
    for (size_t i = 0; name != NULL && i < COUNT(papers); i++)
        if (strcmp(papers[i].name, name) == 0)
            return &papers[i];
    return NULL;
}

const char *pith_i_protocol_features(const char *name)
{
    const paper *p = find_paper(name);
    return p != NULL ? p->features : NULL;
}

pith_i_graph_options pith_i_protocol_graph(const pith_i_protocol *p, int64_t neighbors, int64_t n)
{
    return (pith_i_graph_options){.neighbors = neighbors < n - 1 ? neighbors : n - 1,
                                  .metric = p->cosine ? PITH_I_COSINE : PITH_I_EUCLIDEAN,
                                  .weight = PITH_I_HEAT,
                                  .width_factor = 1};
}

int pith_i_protocol_view(const pith_i_protocol *p)
{
    return p->tfidf ? VIEW_TFIDF : VIEW_NONE;
}

/* One of two words, or the default where none is given. */
static pith_status choose(pith_ctx *ctx, const char *what, const char *given, const char *no, const char *yes,
                          bool *out)
{
    const char *const words[] = {no, yes, NULL};
    if (given == NULL)
        return PITH_OK;
    if (strcmp(given, no) != 0 && strcmp(given, yes) != 0) {
        const char *near = pith_nearest(given, words);
        return pith_i_error(ctx, PITH_E_PARAMETER, "%s: '%s' or '%s' expected, not '%s'%s%s%s", what, no, yes,
                            given, near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                            near != NULL ? "'?" : "");
    }
    *out = strcmp(given, yes) == 0;
    return PITH_OK;
}

static pith_status take_paper(pith_ctx *ctx, const char *name, pith_i_protocol *out)
{
    const char *words[COUNT(papers) + 1] = {0};
    const paper *p = find_paper(name);
    for (size_t i = 0; i < COUNT(papers); i++)
        words[i] = papers[i].name;
    if (p == NULL) {
        const char *near = pith_nearest(name, words);
        return pith_i_error(
            ctx, PITH_E_PARAMETER, "protocol: '%s' is not one of des, snfs, nrfs, lgdfs, hufs%s%s%s", name,
            near != NULL ? "; did you mean '" : "", near != NULL ? near : "", near != NULL ? "'?" : "");
    }
    out->name = p->name;
    out->cosine = p->cosine;
    out->random_start = p->random_start;
    out->best_inertia = p->best_inertia;
    out->grids = p->grids;
    out->restarts = p->restarts;
    out->subset_classes = p->subset_classes;
    out->subset_draws = p->subset_draws;
    out->sort = p->sort;
    out->clusters_to_methods = true;
    return PITH_OK;
}

enum { MANY_SAMPLES = 20 }; /* fewer may all be different */

static pith_status check_protocol(pith_ctx *ctx, const pith_matrix *m, const pith_i_protocol *p)
{
    const int64_t classes = m->classes.count, n = m->data.n;
    if (p->name != NULL && classes == 0)
        return pith_i_error(ctx, PITH_E_DATA, "protocol %s evaluates against labels, but the data has none",
                            p->name);
    if (classes == 1)
        return pith_i_error(ctx, PITH_E_DATA,
                            "the labels have only one class: there is nothing to evaluate against; ignore "
                            "them with --no-labels");
    if (p->clusters > n)
        return pith_i_error(ctx, PITH_E_PARAMETER,
                            "%lld clusters of %lld samples: clusters must lie in 2..samples",
                            (long long)p->clusters, (long long)n);
    if (p->subset_classes > classes)
        return pith_i_error(ctx, PITH_E_DATA, "protocol %s draws %lld classes, but the data has %lld",
                            p->name, (long long)p->subset_classes, (long long)classes);
    if (n >= MANY_SAMPLES && 2 * classes > n)
        pith_i_note(
            ctx,
            "warning: the labels have %lld classes in %lld samples: if these are names or measurements "
            "rather than classes, figures against them say nothing",
            (long long)classes, (long long)n);
    return PITH_OK;
}

/* By default counts, raw or normalised, are clustered by tf-idf, as is usual for text. The papers' protocols
 * cluster the values. */
static pith_status settle_weights(pith_ctx *ctx, pith_i_cache *cache, const pith_compare_options *o,
                                  pith_i_protocol *p)
{
    const pith_i_scale *scale = NULL;
    pith_status st = PITH_OK;
    if (p->name == NULL && o->cluster_on == NULL && cache->counts) {
        TRY(pith_i_cache_scale(ctx, cache, &scale));
        p->tfidf = scale->kind == PITH_SCALE_COUNTS || scale->kind == PITH_SCALE_NORMALISED;
    }
    TRY(choose(ctx, "cluster_on", o->cluster_on, "values", "tf-idf", &p->tfidf));
    for (int64_t j = 0; p->tfidf && j < cache->X->p; j++)
        if (cache->stats.min[j] < 0)
            FAIL(ctx, PITH_E_DATA,
                 "cluster_on tf-idf is for counts: column %lld (counted from 1) has negative values",
                 (long long)j + 1);
done:
    return st;
}

pith_status pith_i_plan_protocol(pith_ctx *ctx, const pith_matrix *m, pith_i_cache *cache,
                                 const pith_compare_options *o, pith_i_protocol *out)
{
    pith_i_protocol p = {.cosine = cache->counts, .restarts = 20};
    bool spectral = false;
    pith_status st = PITH_OK;
    p.sort = m->classes.count > 0 ? MEASURE_NMI : MEASURE_AGREEMENT;
    if (o->protocol != NULL)
        TRY(take_paper(ctx, o->protocol, &p));
    TRY(settle_weights(ctx, cache, o, &p));
    TRY(choose(ctx, "clusterer", o->clusterer, "kmeans", "spectral", &spectral));
    TRY(choose(ctx, "metric", o->metric, "euclidean", "cosine", &p.cosine));
    TRY(choose(ctx, "start", o->start, "k-means++", "random", &p.random_start));
    p.clusterer = spectral ? CLUSTER_SPECTRAL : CLUSTER_KMEANS;
    if (o->restarts < 0 || o->restarts > 10000)
        FAIL(ctx, PITH_E_PARAMETER, "restarts must lie in 1..10000, not %lld", (long long)o->restarts);
    if (o->restarts > 0)
        p.restarts = o->restarts;
    if (o->stability != 0 && (o->stability < 2 || o->stability > 1000))
        FAIL(ctx, PITH_E_PARAMETER, "stability needs 2..1000 subsamples, not %lld", (long long)o->stability);
    p.subsamples = o->stability;
    if (o->clusters < 0 || o->clusters == 1)
        FAIL(ctx, PITH_E_PARAMETER, "clusters must lie in 2..samples, not %lld", (long long)o->clusters);
    p.clusters = o->clusters > 0 ? o->clusters : p.subset_classes > 0 ? p.subset_classes : m->classes.count;
    p.clusters_from = o->clusters > 0 ? "user" : m->classes.count > 0 ? "labels" : "eigengap";
    p.clusters_to_methods = p.clusters_to_methods || o->clusters > 0;
    TRY(check_protocol(ctx, m, &p));
    *out = p;
done:
    return st;
}
