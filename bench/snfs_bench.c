/*
 * Times the gradient of snfs on dense data for bench/snfs.py, on one thread, in CPU seconds:
 *
 *     snfs_bench N P
 *
 * Prints "gradient_gflops dgemm_gflops": 4 N^2 P operations per evaluation against a product of 2048 x 2048
 * doubles, the best of five rounds each, in turn.
 */
#include "core/random.h"
#include "matrix/blas.h"
#include "methods/snfs/stochastic.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SIZE = 2048, ROUNDS = 5 };

static void need(bool ok, const char *what)
{
    if (ok)
        return;
    (void)fprintf(stderr, "snfs_bench: %s\n", what);
    exit(1);
}

static double cpu_seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double *random_values(int64_t count)
{
    double *x = calloc((size_t)count, sizeof *x);
    pith_i_stream s = pith_i_stream_at(1, PITH_I_RANDOM_BENCH, 0);
    need(x != NULL, "out of memory");
    for (int64_t e = 0; e < count; e++)
        x[e] = pith_i_random_uniform(&s);
    return x;
}

static double gemm_rate(const double *a, double *out)
{
    const double start = cpu_seconds();
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, SIZE, SIZE, SIZE, 1, a, SIZE, a, SIZE, 0, out, SIZE);
    return 2e-9 * SIZE * SIZE * SIZE / (cpu_seconds() - start);
}

int main(int argc, char **argv)
{
    pith_ctx *ctx = NULL;
    pith_i_stochastic S;
    const pith_i_scaling none = {0};
    need(argc == 3, "wants N P");
    const int64_t n = atoll(argv[1]), p = atoll(argv[2]);
    double *x = random_values(n * p), *w = random_values(p), *moment = random_values(p), value = 0;
    double *a = random_values(SIZE * SIZE), *out = random_values(SIZE * SIZE), best = 0, limit = 0;
    const pith_i_data X = {.n = n, .p = p, .dtype = PITH_F64, .x = x, .row_stride = p, .col_stride = 1};
    need(pith_ctx_new(&ctx) == PITH_OK && pith_ctx_set_threads(ctx, 1) == PITH_OK, "no context");
    pith_i_blas_enter();
    need(pith_i_stochastic_make(ctx, &X, NULL, &none, false, &S) == PITH_OK, pith_ctx_message(ctx));
    for (int round = 0; round < ROUNDS; round++) {
        const double start = cpu_seconds();
        need(pith_i_stochastic_value(ctx, &S, w, &value, moment, NULL) == PITH_OK, pith_ctx_message(ctx));
        const double rate = 4e-9 * (double)n * (double)n * (double)p / (cpu_seconds() - start);
        const double gemm = gemm_rate(a, out);
        best = rate > best ? rate : best;
        limit = gemm > limit ? gemm : limit;
    }
    pith_i_blas_leave();
    (void)printf("%.2f %.2f\n", best, limit);
    pith_i_scratch_release(ctx, 0);
    pith_ctx_free(ctx);
    free(x);
    free(w);
    free(moment);
    free(a);
    free(out);
    return 0;
}
