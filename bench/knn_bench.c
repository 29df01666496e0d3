/*
 * Times the neighbour search for bench/knn.py, in CPU seconds:
 *
 *     knn_bench dense FILE N P METRIC K THREADS      FILE holds N x P float64, row-major
 *     knn_bench sparse FILE N P METRIC K THREADS     FILE holds N+1 int64 row pointers, then int32 columns,
 *                                                    then float64 values
 *     knn_bench mean-dense | mean-sparse ...         the mean distance instead
 *     knn_bench sgemm                                the rate of a 2048^3 product on one thread
 *
 * Prints "seconds checksum peak_bytes"; the checksum is the sum of all squared distances.
 */
#include "graph/knn.h"
#include "matrix/blas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double cpu_seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *read_whole(const char *path, int64_t *bytes)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL || fseek(f, 0, SEEK_END) != 0)
        return NULL;
    *bytes = ftell(f);
    rewind(f);
    void *block = aligned_alloc(64, ((size_t)*bytes + 63) / 64 * 64);
    if (block != NULL && fread(block, 1, (size_t)*bytes, f) != (size_t)*bytes) {
        free(block);
        block = NULL;
    }
    (void)fclose(f);
    return block;
}

static int sgemm_rate(void)
{
    enum { SIZE = 2048 };
    float *a = calloc(3 * SIZE * SIZE, sizeof *a);
    double best = 1e30;
    if (a == NULL)
        return 1;
    for (int64_t e = 0; e < 2 * SIZE * SIZE; e++)
        a[e] = (float)(e % 17) * 0.1F;
    pith_i_blas_enter();
    for (int round = 0; round < 5; round++) {
        const double start = cpu_seconds();
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, SIZE, SIZE, SIZE, 1, a, SIZE, a + SIZE * SIZE,
                    SIZE, 0, a + 2 * SIZE * SIZE, SIZE);
        const double took = cpu_seconds() - start;
        best = took < best ? took : best;
    }
    pith_i_blas_leave();
    free(a);
    printf("%.6g\n", 2.0 * SIZE * SIZE * SIZE / best);
    return 0;
}

static int run(pith_ctx *ctx, const pith_i_data *X, bool mean, pith_i_metric metric, int64_t k)
{
    const double start = cpu_seconds();
    double sum = 0;
    pith_i_knn knn = {0};
    const pith_status st =
        mean ? pith_i_mean_distance(ctx, X, metric, &sum) : pith_i_knn_find(ctx, X, k, metric, &knn);
    const double took = cpu_seconds() - start;
    if (st != PITH_OK) {
        fprintf(stderr, "knn_bench: %s\n", pith_ctx_message(ctx));
        return 1;
    }
    for (int64_t e = 0; e < knn.n * knn.k; e++)
        sum += knn.distance2[e];
    printf("%.6f %.17g %lld\n", took, sum, (long long)pith_ctx_peak_bytes(ctx));
    pith_i_knn_free(&knn);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "sgemm") == 0)
        return sgemm_rate();
    if (argc != 8)
        return 2;
    const bool mean = strncmp(argv[1], "mean-", 5) == 0, sparse = strstr(argv[1], "sparse") != NULL;
    const int64_t n = atoll(argv[3]), p = atoll(argv[4]), k = atoll(argv[6]);
    const pith_i_metric metric = strcmp(argv[5], "cosine") == 0 ? PITH_I_COSINE : PITH_I_EUCLIDEAN;
    pith_ctx *ctx = NULL;
    int64_t bytes = 0;
    char *block = read_whole(argv[2], &bytes);
    if (block == NULL || pith_ctx_new(&ctx) != PITH_OK ||
        pith_ctx_set_threads(ctx, atoi(argv[7])) != PITH_OK) {
        fprintf(stderr, "knn_bench: %s cannot be read\n", argv[2]);
        return 1;
    }
    pith_i_data X = {.n = n, .p = p, .dtype = PITH_F64, .sparse = sparse};
    if (sparse) {
        X.indptr = (const int64_t *)block;
        X.indices = (const int32_t *)(block + (n + 1) * 8);
        X.values = block + (n + 1) * 8 + X.indptr[n] * 4;
    } else {
        X.x = block;
        X.row_stride = p;
        X.col_stride = 1;
    }
    const int failed = run(ctx, &X, mean, metric, k);
    pith_ctx_free(ctx);
    free(block);
    return failed;
}
