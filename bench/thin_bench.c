/*
 * Products of dense data with thin matrices, where a round of hufs spends its time: thin_bench N P K prints
 * the rates of X V and X'U on one thread in GFLOP/s, and that of BLAS on square matrices in the same run.
 */
#include "matrix/blas.h"
#include "matrix/data.h"

#include <stdio.h>
#include <stdlib.h>

static double *filled(int64_t count)
{
    double *x = aligned_alloc(64, (size_t)(count + 8) * sizeof *x / 64 * 64 + 64);
    if (x == NULL)
        exit(1);
    for (int64_t i = 0; i < count; i++)
        x[i] = (double)(i % 1009) / 1009 - 0.5;
    return x;
}

/* The best of nine, so that other work on the machine counts little. */
static double rate(double flops, pith_ctx *ctx, const pith_i_data *X, int64_t k, const double *B, double *Y,
                   bool turned)
{
    double best = 0;
    for (int run = 0; run < 9; run++) {
        const double start = pith_i_seconds();
        if ((turned ? pith_i_multiply_t(ctx, X, k, B, Y) : pith_i_multiply(ctx, X, k, B, Y)) != PITH_OK)
            exit(1);
        const double now = flops / (pith_i_seconds() - start) / 1e9;
        best = now > best ? now : best;
    }
    return best;
}

static double square_rate(void)
{
    enum { SIDE = 1024 };
    double *A = filled(SIDE * SIDE), *B = filled(SIDE * SIDE), *C = filled(SIDE * SIDE), best = 0;
    pith_i_blas_enter();
    for (int run = 0; run < 5; run++) {
        const double start = pith_i_seconds();
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, SIDE, SIDE, SIDE, 1, A, SIDE, B, SIDE, 0, C,
                    SIDE);
        const double now = 2.0 * SIDE * SIDE * SIDE / (pith_i_seconds() - start) / 1e9;
        best = now > best ? now : best;
    }
    pith_i_blas_leave();
    free(A);
    free(B);
    free(C);
    return best;
}

int main(int argc, char **argv)
{
    pith_ctx *ctx = NULL;
    if (argc != 4 || pith_ctx_new(&ctx) != PITH_OK || pith_ctx_set_threads(ctx, 1) != PITH_OK)
        return 1;
    const int64_t n = atoll(argv[1]), p = atoll(argv[2]), k = atoll(argv[3]);
    double *x = filled(n * p), *U = filled(n * k), *V = filled(p * k);
    const pith_i_data X = {.n = n, .p = p, .dtype = PITH_F64, .x = x, .row_stride = p, .col_stride = 1};
    const double flops = 2.0 * (double)n * (double)p * (double)k, limit = square_rate();
    const double forward = rate(flops, ctx, &X, k, V, U, false), back = rate(flops, ctx, &X, k, U, V, true);
    (void)printf("%lld x %lld, K = %lld: X V %.1f GFLOP/s (%.0f %%), X'U %.1f (%.0f %%), BLAS %.1f\n",
                 (long long)n, (long long)p, (long long)k, forward, 100 * forward / limit, back,
                 100 * back / limit, limit);
    free(x);
    free(U);
    free(V);
    pith_ctx_free(ctx);
    return 0;
}
