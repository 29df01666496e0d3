/*
 * k-means timed: kmeans FILE CLUSTERS RESTARTS SEED THREADS. The file holds int64 n, p, then n x p doubles;
 * bench/kmeans.py writes it and runs this. Prints CPU and wall seconds, the best inertia and the mean number
 * of rounds, and writes the best labels to FILE.labels.
 */
#include "cluster/kmeans.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void need(bool ok, const char *what)
{
    if (ok)
        return;
    (void)fprintf(stderr, "kmeans: %s\n", what);
    exit(1);
}

static void read_data(pith_ctx *ctx, const char *path, pith_i_data *X)
{
    FILE *file = fopen(path, "rb");
    int64_t size[2];
    need(file != NULL && fread(size, sizeof *size, 2, file) == 2, "the data cannot be read");
    need(pith_i_data_new_dense(ctx, size[0], size[1], PITH_F64, X) == PITH_OK, "out of memory");
    const size_t cells = (size_t)(size[0] * size[1]);
    need(fread(pith_i_data_x(X), sizeof(double), cells, file) == cells, "the data file is cut short");
    (void)fclose(file);
}

int main(int argc, char **argv)
{
    pith_ctx *ctx = NULL;
    pith_i_data X = {0};
    pith_i_kmeans k = {0};
    double rounds = 0;
    need(argc == 6, "wants FILE CLUSTERS RESTARTS SEED THREADS");
    need(pith_ctx_new(&ctx) == PITH_OK && pith_ctx_set_threads(ctx, atoi(argv[5])) == PITH_OK, "no context");
    pith_ctx_set_seed(ctx, (uint64_t)atoll(argv[4]));
    read_data(ctx, argv[1], &X);
    const pith_i_kmeans_options options = {.clusters = atoi(argv[2]), .restarts = atoi(argv[3])};
    const clock_t cpu = clock();
    const double wall = pith_i_seconds();
    need(pith_i_kmeans_run(ctx, &X, &options, &k) == PITH_OK, pith_ctx_message(ctx));
    printf("%.6f %.6f", (double)(clock() - cpu) / CLOCKS_PER_SEC, pith_i_seconds() - wall);
    for (int64_t r = 0; r < k.restarts; r++)
        rounds += (double)k.iterations[r] / (double)k.restarts;
    printf(" %.17g %.1f\n", k.inertia[k.best], rounds);
    pith_i_kmeans_free(&k);
    pith_i_data_free(&X);
    pith_ctx_free(ctx);
    return 0;
}
