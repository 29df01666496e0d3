#include "evaluate/judge.h"

#include "cluster/kmeans.h"
#include "cluster/spectral.h"
#include "evaluate/agreement.h"
#include "evaluate/plan.h"
#include "evaluate/redundancy.h"
#include "evaluate/silhouette.h"
#include "graph/spectrum.h"

const char *const pith_i_measure_names[MEASURES] = {"acc",        "nmi",      "nmi_mean",  "nmi_geometric",
                                                    "ari",        "purity",   "agreement", "silhouette",
                                                    "redundancy", "stability"};

void pith_i_tally_add(pith_i_tally *t, double value)
{
    if (isnan(value))
        return;
    const double before = value - t->mean;
    t->count++;
    t->mean += before / (double)t->count;
    t->squares += before * (value - t->mean);
}

pith_i_figure pith_i_tally_figure(const pith_i_tally *t)
{
    if (t->count == 0)
        return (pith_i_figure){(double)NAN, (double)NAN, 0};
    return (pith_i_figure){t->mean, t->count > 1 ? sqrt(t->squares / (double)(t->count - 1)) : 0, t->count};
}

/* The silhouette is that of the best run, on SILHOUETTE_ROWS samples; redundancy is that of at most
 * REDUNDANCY_COLUMNS columns. */
enum { SILHOUETTE_ROWS = 1000, REDUNDANCY_COLUMNS = 1000 };

/* With more than REDUNDANCY_COLUMNS columns, only that many are used, at even steps through the selection. */
static pith_status redundancy(pith_ctx *ctx, const pith_matrix *m, int64_t count, const int64_t *columns,
                              double *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t taken = count < REDUNDANCY_COLUMNS ? count : REDUNDANCY_COLUMNS;
    int64_t *some = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, some, taken));
    for (int64_t j = 0; j < taken; j++)
        some[j] = columns != NULL ? columns[j * count / taken] : j * count / taken;
    TRY(pith_i_redundancy(ctx, &m->data, taken, some, out));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* The first eigenvectors of the graph of the rows. The graph on all features comes from the cache, since the
 * number of clusters may have been estimated from it; that of a selection is used once. */
static pith_status embed(pith_ctx *ctx, pith_i_table *table, const pith_i_data *X, const pith_i_protocol *p,
                         pith_i_spectrum *out)
{
    const pith_i_graph_options options = pith_i_protocol_graph(p, PITH_I_JUDGE_NEIGHBORS, X->n);
    pith_i_reuse unused = {0};
    pith_i_graph *own = NULL;
    pith_i_cached_graph *cached = NULL;
    pith_status st = PITH_OK;
    if (X == &table->view.X)
        TRY(pith_i_cache_graph(ctx, &table->cache, pith_i_protocol_view(p), &options, &unused, &cached));
    else
        TRY(pith_i_graph_build(ctx, X, &options, &own));
    TRY(pith_i_spectrum_find(ctx, cached != NULL ? cached->graph : own, p->clusters, out));
done:
    pith_i_graph_free(own);
    return st;
}

/* Every run's labels: of k-means on the rows, or on the leading eigenvectors of their graph. */
static pith_status cluster(pith_ctx *ctx, pith_i_table *table, const pith_i_data *X, const pith_i_protocol *p,
                           int64_t restarts, uint64_t place, pith_i_kmeans *out)
{
    const pith_i_kmeans_options options = {
        .clusters = p->clusters,
        .restarts = restarts,
        .cosine = p->cosine && p->clusterer == CLUSTER_KMEANS, /* eigenvectors are compared by distance */
        .random_start = p->random_start,
        .first_run = place << 20, /* no protocol has a million restarts */
    };
    pith_i_spectrum spectrum = {0};
    pith_status st = PITH_OK;
    if (p->clusterer == CLUSTER_KMEANS)
        return pith_i_kmeans_run(ctx, X, &options, out);
    TRY(embed(ctx, table, X, p, &spectrum));
    TRY(pith_i_spectral_cluster(ctx, X, spectrum.m, spectrum.vector, &options, out));
done:
    pith_i_spectrum_free(&spectrum);
    return st;
}

/* Measures against the labels, of every run, or of the best one only. */
static pith_status measure_labels(pith_ctx *ctx, const pith_matrix *m, const pith_i_protocol *p,
                                  const pith_i_kmeans *runs, pith_i_tally *tally)
{
    pith_status st = PITH_OK;
    for (int64_t r = 0; m->label != NULL && r < runs->restarts; r++) {
        pith_i_agreement a;
        if (p->best_inertia && r != runs->best)
            continue;
        TRY(pith_i_agreement_measure(ctx, m->data.n, m->label, runs->labels + r * runs->n, &a));
        pith_i_tally_add(&tally[MEASURE_ACC], a.acc);
        pith_i_tally_add(&tally[MEASURE_NMI], a.nmi);
        pith_i_tally_add(&tally[MEASURE_NMI_MEAN], a.nmi_mean);
        pith_i_tally_add(&tally[MEASURE_NMI_GEOMETRIC], a.nmi_geometric);
        pith_i_tally_add(&tally[MEASURE_ARI], a.ari);
        pith_i_tally_add(&tally[MEASURE_PURITY], a.purity);
    }
done:
    return st;
}

/* Agreement of the best run of each of a few groups of starts, so that its spread shows what the starts alone
 * decide. */
enum { START_GROUPS = 4 };
static pith_status measure_agreement(pith_ctx *ctx, const pith_i_ensemble *ensemble,
                                     const pith_i_kmeans *runs, pith_i_tally *tally)
{
    const int64_t groups = runs->restarts < START_GROUPS ? runs->restarts : START_GROUPS;
    pith_status st = PITH_OK;
    for (int64_t g = 0; g < groups; g++) {
        double value = 0;
        int64_t best = g;
        for (int64_t r = g; r < runs->restarts; r += groups)
            best = runs->inertia[r] < runs->inertia[best] ? r : best;
        TRY(pith_i_ensemble_agreement(ctx, ensemble, ensemble->groups[0], runs->labels + best * runs->n,
                                      &value));
        pith_i_tally_add(&tally[MEASURE_AGREEMENT], value);
    }
done:
    return st;
}

pith_status pith_i_judge(pith_ctx *ctx, pith_i_table *table, const pith_i_protocol *protocol, int64_t count,
                         const int64_t *columns, int64_t restarts, uint64_t place, pith_i_tally *tally)
{
    const pith_i_data *X = &table->view.X;
    pith_i_data picked = {0};
    pith_i_kmeans runs = {0};
    double value = 0;
    pith_status st = PITH_OK;
    if (columns != NULL) {
        TRY(pith_i_take_columns(ctx, X, count, columns, &picked));
        X = &picked;
    }
    TRY(cluster(ctx, table, X, protocol, restarts, place, &runs));
    TRY(measure_labels(ctx, table->m, protocol, &runs, tally));
    if (table->ensemble != NULL)
        TRY(measure_agreement(ctx, table->ensemble, &runs, tally));
    TRY(pith_i_silhouette(ctx, X, pith_i_kmeans_best(&runs), protocol->cosine, SILHOUETTE_ROWS, &value));
    pith_i_tally_add(&tally[MEASURE_SILHOUETTE], value);
    TRY(redundancy(ctx, table->m, count, columns, &value));
    pith_i_tally_add(&tally[MEASURE_REDUNDANCY], value);
done:
    pith_i_kmeans_free(&runs);
    pith_i_data_free(&picked);
    return st;
}
