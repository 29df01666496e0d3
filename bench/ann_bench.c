/*
 * Times the approximate search for bench/ann.py, in CPU seconds of one thread:
 *
 *     ann_bench dense FILE N P METRIC K RECALL OUT [ROWS]     FILE holds N x P float32, row-major
 *     ann_bench sparse FILE N P METRIC K RECALL OUT [ROWS]    FILE holds N+1 int64 row pointers, then int32
 *                                                             columns, then float32 values
 *
 * Searches the first ROWS rows (all of them, if not given) among themselves, exactly if RECALL is 0. Writes
 * their int64 neighbours to OUT and prints "seconds recall peak_bytes".
 */
#include "core/search.h"
#include "graph/knn.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static double cpu_seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Mapped: sparse data may be too large to be held twice. */
static const char *map_whole(const char *path)
{
    struct stat about;
    const int file = open(path, O_RDONLY);
    if (file < 0 || fstat(file, &about) != 0)
        return NULL;
    void *block = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    (void)close(file);
    return block != MAP_FAILED ? block : NULL;
}

static int run(pith_ctx *ctx, const pith_i_data *X, pith_i_metric metric, int64_t k, double recall,
               const char *path)
{
    const double start = cpu_seconds();
    pith_i_knn knn = {0};
    (void)pith_i_searching_begin(ctx, recall > 0 ? PITH_I_SEARCH_APPROXIMATE : PITH_I_SEARCH_EXACT, recall);
    if (pith_i_knn_find(ctx, X, k, metric, &knn) != PITH_OK) {
        fprintf(stderr, "ann_bench: %s\n", pith_ctx_message(ctx));
        return 1;
    }
    printf("%.6f %.6f %lld\n", cpu_seconds() - start, knn.recall, (long long)pith_ctx_peak_bytes(ctx));
    FILE *out = fopen(path, "wb");
    const size_t all = (size_t)(knn.n * knn.k);
    const bool written =
        out != NULL && fwrite(knn.index, sizeof *knn.index, all, out) == all && fclose(out) == 0;
    pith_i_knn_free(&knn);
    return written ? 0 : 1;
}

int main(int argc, char **argv)
{
    pith_ctx *ctx = NULL;
    if (argc != 9 && argc != 10)
        return 2;
    const bool sparse = strcmp(argv[1], "sparse") == 0;
    const int64_t n = atoll(argv[3]), p = atoll(argv[4]);
    const char *block = map_whole(argv[2]);
    if (block == NULL || pith_ctx_new(&ctx) != PITH_OK || pith_ctx_set_threads(ctx, 1) != PITH_OK)
        return 1;
    pith_i_data X = {
        .n = n, .p = p, .dtype = PITH_F32, .sparse = sparse, .x = block, .row_stride = p, .col_stride = 1};
    if (sparse) {
        X.indptr = (const int64_t *)block;
        X.indices = (const int32_t *)(block + (n + 1) * 8);
        X.values = block + (n + 1) * 8 + X.indptr[n] * 4;
    }
    X.n = argc == 10 ? atoll(argv[9]) : n;
    const int failed = run(ctx, &X, strcmp(argv[5], "cosine") == 0 ? PITH_I_COSINE : PITH_I_EUCLIDEAN,
                           atoll(argv[6]), atof(argv[7]), argv[8]);
    pith_ctx_free(ctx);
    return failed;
}
