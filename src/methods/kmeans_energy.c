#include "cluster/kmeans.h"
#include "core/engine.h"
#include "matrix/gather.h"
#include "methods/method.h"

struct kmeans_energy {
    pith_i_shared shared;
    int64_t starts;
};

static const pith_i_param kmeans_energy_table[] = {
    PARAM(struct kmeans_energy, starts, 10, 1, 1000,
          "k-means runs; the one with the lowest inertia is used (a single run with init_labels)"),
    CLUSTERS_PARAM(struct kmeans_energy),
    START_PARAM(struct kmeans_energy),
    STANDARDIZE_PARAM(struct kmeans_energy),
};

/* 1 where the row is in the cluster: n x c. */
static pith_status indicator(pith_ctx *ctx, int64_t n, int64_t c, const int32_t *label, double *size,
                             double **out)
{
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, *out, n * c));
    for (int64_t i = 0; i < n; i++) {
        (*out)[i * c + label[i]] = 1;
        size[label[i]]++;
    }
done:
    return st;
}

/*
 * Between-cluster energy of every column after one k-means into c groups:
 *
 *     score(f) = sum_k n_k mean_k(f)^2
 *
 * Dense columns are z-scored, so that this is the variance between clusters; counts are tf-idf rows of unit
 * norm, clustered by cosine and not centred. O(k-means + stored c).
 */
static pith_status kmeans_energy_score(pith_ctx *ctx, const pith_i_input *in, const void *params,
                                       double *score)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const struct kmeans_energy *o = params;
    pith_i_kmeans_options options = {.restarts = o->starts,
                                     .cosine = pith_i_view_unit_rows(o->shared.standardize)};
    pith_i_kmeans runs = {0};
    double *sum = NULL, *size = NULL, *member = NULL;
    pith_status st = PITH_OK;
    TRY(pith_i_input_clusters(ctx, in, &options.clusters));
    if (o->shared.start.n > 0) {
        options.init = o->shared.start.label;
        options.restarts = 1;
    }
    TRY(pith_i_kmeans_run(ctx, in->X, &options, &runs));
    TRY(SCRATCH_ZERO(ctx, size, options.clusters));
    TRY(indicator(ctx, in->n, options.clusters, pith_i_kmeans_best(&runs), size, &member));
    TRY(pith_i_sum(ctx, options.clusters, size));
    TRY(SCRATCH(ctx, sum, in->p * options.clusters));
    TRY(pith_i_multiply_t_all(ctx, in->X, options.clusters, member, sum));
    for (int64_t j = 0; j < in->p; j++) {
        score[j] = 0;
        for (int64_t k = 0; k < options.clusters; k++) {
            const double mean =
                sum[j * options.clusters + k] / size[k] - (in->shift != NULL ? in->shift[j] : 0);
            score[j] += size[k] * mean * mean;
        }
    }
done:
    pith_i_kmeans_free(&runs);
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* k-means multiplies the rows in single precision. */
static double kmeans_energy_need(const pith_i_data *X, const void *params)
{
    (void)params;
    return X->sparse ? 0 : (double)X->n * (double)X->p * (double)sizeof(float);
}

const pith_method pith_i_method_kmeans_energy = {
    .name = "kmeans-energy",
    .family = "clustering, one feature at a time",
    .reference = "the baseline that published methods should beat; no paper of its own",
    .title =
        "Clusters the samples once by k-means and ranks features by how much they vary between the clusters.",
    .notes = "By default columns are z-scored; counts (nothing negative, fewer than half nonzero) become "
             "tf-idf rows of unit norm, clustered by cosine.",
    .better = HIGHER,
    .spreads = true,
    .dense_view = VIEW_ZSCORE,
    .counts_view = VIEW_TFIDF,
    .table = kmeans_energy_table,
    .n_table = COUNT(kmeans_energy_table),
    .params_size = sizeof(struct kmeans_energy),
    .need = kmeans_energy_need,
    .score = kmeans_energy_score,
};
