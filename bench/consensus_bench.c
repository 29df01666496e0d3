/*
 * Times consensus beside one plain spectral clustering for bench/consensus.py:
 *
 *     consensus_bench DATA CLUSTERS THREADS
 *     consensus_bench random ROWS COLUMNS CLUSTERS
 *
 * The plain clustering: the graph of the five nearest neighbours on all features, its first CLUSTERS
 * eigenvectors, k-means with 20 starts on their rows. Prints "graph spectrum kmeans consensus peak_bytes":
 * CPU seconds, and the most memory that consensus held beyond the data. For ROWS x COLUMNS random numbers,
 * prints the last two only.
 */
#include "cluster/spectral.h"
#include "core/random.h"
#include "matrix/matrix.h"
#include "methods/ensemble.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void need(bool ok, const char *what)
{
    if (ok)
        return;
    (void)fprintf(stderr, "consensus_bench: %s\n", what);
    exit(1);
}

static double cpu(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void plain(pith_ctx *ctx, const pith_matrix *m, int64_t clusters)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_cache cache = {0};
    pith_i_cached_graph *cached = NULL;
    pith_i_reuse reuse = {0};
    pith_i_kmeans runs = {0};
    const double start = cpu();
    need(pith_i_cache_new(ctx, &m->data, &cache) == PITH_OK, pith_ctx_message(ctx));
    const bool text = cache.counts;
    const pith_i_graph_options graph = {.neighbors = 5,
                                        .metric = text ? PITH_I_COSINE : PITH_I_EUCLIDEAN,
                                        .weight = text ? PITH_I_COSINE_WEIGHT : PITH_I_HEAT,
                                        .width_factor = 1};
    need(pith_i_cache_graph(ctx, &cache, text ? VIEW_TFIDF : VIEW_ZSCORE, &graph, &reuse, &cached) == PITH_OK,
         pith_ctx_message(ctx));
    const double built = cpu();
    need(pith_i_cached_spectrum(ctx, cached, clusters, &reuse) == PITH_OK, pith_ctx_message(ctx));
    const double solved = cpu();
    const pith_i_kmeans_options options = {.clusters = clusters, .restarts = 20};
    need(pith_i_spectral_cluster(ctx, &m->data, clusters, cached->spectrum.vector, &options, &runs) ==
             PITH_OK,
         pith_ctx_message(ctx));
    printf("%.6f %.6f %.6f ", built - start, solved - built, cpu() - solved);
    pith_i_kmeans_free(&runs);
    pith_i_cache_free(&cache);
    pith_i_scratch_release(ctx, mark);
}

static void consensus(pith_ctx *ctx, const pith_matrix *m, const char *clusters)
{
    pith_params *params = NULL;
    pith_result *r = NULL;
    need(pith_params_new(ctx, pith_method_find("consensus"), &params) == PITH_OK &&
             pith_params_set(ctx, params, "clusters", clusters) == PITH_OK,
         pith_ctx_message(ctx));
    const double start = cpu();
    need(pith_run(ctx, m, params, &r) == PITH_OK, pith_ctx_message(ctx));
    printf("%.6f %lld\n", cpu() - start, (long long)pith_result_peak_bytes(r));
    pith_result_free(r);
    pith_params_free(params);
}

static double *random_values(int64_t count)
{
    pith_i_stream s = pith_i_stream_at(1, PITH_I_RANDOM_BENCH, 0);
    double *x = malloc((size_t)count * sizeof *x);
    need(x != NULL, "out of memory");
    for (int64_t e = 0; e < count; e++)
        x[e] = pith_i_random_uniform(&s);
    return x;
}

int main(int argc, char **argv)
{
    pith_ctx *ctx = NULL;
    pith_matrix *m = NULL;
    double *x = NULL;
    need(argc == 4 || argc == 5, "wants DATA CLUSTERS THREADS or random ROWS COLUMNS CLUSTERS");
    need(pith_ctx_new(&ctx) == PITH_OK && pith_ctx_set_threads(ctx, argc == 4 ? atoi(argv[3]) : 1) == PITH_OK,
         "no context");
    if (argc == 4) {
        need(pith_matrix_read(ctx, argv[1], NULL, &m) == PITH_OK, pith_ctx_message(ctx));
        plain(ctx, m, atoi(argv[2]));
        consensus(ctx, m, argv[2]);
    } else {
        const int64_t rows = atoll(argv[2]), columns = atoll(argv[3]);
        x = random_values(rows * columns);
        need(pith_matrix_dense(ctx, rows, columns, PITH_F64, x, columns, 1, &m) == PITH_OK,
             pith_ctx_message(ctx));
        consensus(ctx, m, argv[4]);
    }
    pith_matrix_free(m);
    pith_ctx_free(ctx);
    free(x);
    return 0;
}
