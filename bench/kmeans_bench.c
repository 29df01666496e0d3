/*
 * Times k-means for bench/kmeans.py:
 *
 *     kmeans_bench dense FILE CLUSTERS RESTARTS SEED THREADS      FILE: int64 n, p, then n x p float64
 *     kmeans_bench sparse FILE CLUSTERS RESTARTS SEED THREADS     FILE: int64 n, p, entries, row pointers,
 *                                                                 then int32 columns, then float64 values
 *     kmeans_bench cosine ...                                     as sparse, by cosine
 *
 * Prints "cpu_seconds wall_seconds best_inertia mean_rounds".
 */
#include "cluster/kmeans.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void need(bool ok, const char *what)
{
    if (ok)
        return;
    (void)fprintf(stderr, "kmeans_bench: %s\n", what);
    exit(1);
}

static void read_array(FILE *file, void *into, size_t size, int64_t count)
{
    need(fread(into, size, (size_t)count, file) == (size_t)count, "the data file is cut short");
}

static void read_data(pith_ctx *ctx, const char *path, bool sparse, pith_i_data *X)
{
    FILE *file = fopen(path, "rb");
    int64_t n, p, entries;
    need(file != NULL, "the data cannot be opened");
    read_array(file, &n, sizeof n, 1);
    read_array(file, &p, sizeof p, 1);
    if (sparse) {
        read_array(file, &entries, sizeof entries, 1);
        need(pith_i_data_new_csr(ctx, n, p, entries, PITH_F64, X) == PITH_OK, "out of memory");
        read_array(file, pith_i_data_indptr(X), sizeof(int64_t), n + 1);
        read_array(file, pith_i_data_indices(X), sizeof(int32_t), entries);
        read_array(file, pith_i_data_values(X), sizeof(double), entries);
    } else {
        need(pith_i_data_new_dense(ctx, n, p, PITH_F64, X) == PITH_OK, "out of memory");
        read_array(file, pith_i_data_x(X), sizeof(double), n * p);
    }
    (void)fclose(file);
}

int main(int argc, char **argv)
{
    pith_ctx *ctx = NULL;
    pith_i_data X = {0};
    pith_i_kmeans k = {0};
    double rounds = 0;
    need(argc == 7, "wants dense|sparse|cosine FILE CLUSTERS RESTARTS SEED THREADS");
    need(pith_ctx_new(&ctx) == PITH_OK && pith_ctx_set_threads(ctx, atoi(argv[6])) == PITH_OK, "no context");
    pith_ctx_set_seed(ctx, (uint64_t)atoll(argv[5]));
    read_data(ctx, argv[2], strcmp(argv[1], "dense") != 0, &X);
    const pith_i_kmeans_options options = {
        .clusters = atoi(argv[3]), .restarts = atoi(argv[4]), .cosine = strcmp(argv[1], "cosine") == 0};
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
