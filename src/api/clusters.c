/* k-means and its agreement with classes, as pith.h offers them. */
#include "cluster/kmeans.h"
#include "core/engine.h"
#include "core/options.h"
#include "evaluate/agreement.h"
#include "matrix/blas.h"
#include "matrix/matrix.h"

#include <string.h>

enum { RESTARTS = 20 }; /* as in pith compare */

pith_status pith_kmeans(pith_ctx *ctx, const pith_matrix *m, const pith_kmeans_options *options,
                        int32_t *labels, double *inertia, int64_t *iterations)
{
    pith_kmeans_options given;
    pith_i_kmeans k = {0};
    int claim = 0;
    pith_status st = PITH_OK;
    if (ctx == NULL || m == NULL || options == NULL || labels == NULL)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "no matrix, options or place for the labels was given");
    TRY(pith_i_one_process(ctx, "k-means"));
    TRY(TAKE_OPTIONS(ctx, pith_kmeans_options, options, &given));
    if (given.restarts < 0 || given.max_iter < 0)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "restarts and max_iter must be 0 or more");
    const pith_i_kmeans_options o = {.clusters = given.clusters,
                                     .restarts = given.restarts > 0 ? given.restarts : RESTARTS,
                                     .max_iter = given.max_iter,
                                     .cosine = given.cosine,
                                     .random_start = given.random_start};
    TRY(pith_i_blas_begin(ctx, &claim));
    if (!m->known_finite)
        TRY(pith_i_data_check_finite(ctx, &m->data));
    pith_i_progress_begin(ctx);
    TRY(pith_i_progress_stage(ctx, "clustering", 0, 1));
    TRY(pith_i_kmeans_run(ctx, &m->data, &o, &k));
    memcpy(labels, pith_i_kmeans_best(&k), (size_t)k.n * sizeof *labels);
    if (inertia != NULL)
        *inertia = k.inertia[k.best];
    if (iterations != NULL)
        *iterations = k.iterations[k.best];
done:
    pith_i_kmeans_free(&k);
    pith_i_blas_end(ctx, claim);
    return st;
}

pith_status pith_agreement_measure(pith_ctx *ctx, int64_t n, const int32_t *classes, const int32_t *clusters,
                                   pith_agreement *out)
{
    pith_i_agreement a;
    if (ctx == NULL || classes == NULL || clusters == NULL || out == NULL)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "no classes, clusters or place for the result was given");
    if (n < 1)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "%lld samples: at least 1 is needed", (long long)n);
    const pith_status st = pith_i_agreement_measure(ctx, n, classes, clusters, &a);
    if (st == PITH_OK)
        *out = (pith_agreement){.acc = a.acc,
                                .nmi = a.nmi,
                                .nmi_mean = a.nmi_mean,
                                .nmi_geometric = a.nmi_geometric,
                                .ari = a.ari,
                                .purity = a.purity};
    return st;
}
