/*
 * The products where nrfs and lgdfs spend their time: models_bench N P T prints the rates of the weighted
 * Gram matrix X diag(z) X' of lgdfs, of the system that it factors, and of a regression of T targets on a
 * layer of nrfs, one thread, in GFLOP/s and as shares of a plain product of square matrices in the same run.
 */
#include "linalg/design.h"
#include "matrix/blas.h"
#include "methods/lgdfs/lu.h"
#include "methods/nrfs/ridge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 7, SIDE = 1024 };

typedef struct bench {
    pith_ctx *ctx;
    int64_t n, p, targets;
    double *x, *y, *weight, *square, *work, *A, *C;
    int *pivot;
} bench;

static double *filled(int64_t count)
{
    double *x = malloc((size_t)count * sizeof *x);
    if (x == NULL)
        exit(1);
    for (int64_t i = 0; i < count; i++)
        x[i] = (double)(i * 7919 % 10007) / 10007 - 0.5;
    return x;
}

static void plain(bench *b)
{
    pith_i_blas_enter();
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, SIDE, SIDE, SIDE, 1, b->A, SIDE, b->A, SIDE, 0,
                b->C, SIDE);
    pith_i_blas_leave();
}

static void weighted_gram(bench *b)
{
    const pith_i_data X = {
        .n = b->n, .p = b->p, .dtype = PITH_F64, .x = b->x, .row_stride = b->p, .col_stride = 1};
    const pith_i_design D = {.X = &X};
    if (pith_i_design_rows_gram(b->ctx, &D, b->weight, b->square) != PITH_OK)
        exit(1);
}

static void factorisation(bench *b)
{
    for (int64_t i = 0; i < b->n; i++) {
        memcpy(b->square + i * b->n, b->x + i * b->p % (b->n * b->p - b->n + 1),
               (size_t)b->n * sizeof(double));
        b->square[i * b->n + i] += (double)b->n;
    }
    if (pith_i_lu(b->ctx, b->n, b->square, b->pivot) != PITH_OK)
        exit(1);
}

static void regression(bench *b)
{
    pith_i_blas_enter();
    if (!pith_i_ridge(b->n, b->p, b->targets, b->x, b->y, 1, b->square, b->work, b->A))
        exit(1);
    pith_i_blas_leave();
}

/* The best of several in CPU time, so that other work on the machine counts little. */
static double rate(bench *b, void (*what)(bench *), double flops)
{
    double best = 0;
    for (int run = 0; run < RUNS; run++) {
        const clock_t start = clock();
        what(b);
        const double now = flops * (double)CLOCKS_PER_SEC / (double)(clock() - start) / 1e9;
        best = now > best ? now : best;
    }
    return best;
}

int main(int argc, char **argv)
{
    bench b = {0};
    if (argc != 4 || pith_ctx_new(&b.ctx) != PITH_OK || pith_ctx_set_threads(b.ctx, 1) != PITH_OK)
        return 1;
    b.n = atoll(argv[1]);
    b.p = atoll(argv[2]);
    b.targets = atoll(argv[3]);
    const int64_t large = b.n > b.p ? b.n : b.p, small = b.n < b.p ? b.n : b.p, side = (int64_t)SIDE * SIDE;
    b.x = filled(b.n * b.p);
    b.y = filled(b.n * b.targets);
    b.weight = filled(b.p);
    for (int64_t j = 0; j < b.p; j++)
        b.weight[j] += 0.6;
    b.square = filled(b.n * b.n > small * small ? b.n * b.n : small * small);
    b.work = filled(pith_i_ridge_room(b.n, b.p, b.targets));
    b.A = filled(large * b.targets > side ? large * b.targets : side);
    b.C = filled(side);
    b.pivot = malloc((size_t)b.n * sizeof *b.pivot);
    const double n = (double)b.n, p = (double)b.p, s = (double)small, t = (double)b.targets;
    const double limit = rate(&b, plain, 2.0 * SIDE * SIDE * SIDE);
    const double gram = rate(&b, weighted_gram, n * n * p);
    const double factor = rate(&b, factorisation, 2 * n * n * n / 3);
    const double ridge = rate(&b, regression, n * p * s + s * s * s / 3 + 2 * n * p * t + 2 * s * s * t);
    (void)printf(
        "%lld x %lld: BLAS %.1f GFLOP/s; lgdfs's Gram matrix %.1f (%.0f %%), its factors %.1f (%.0f %%); "
        "nrfs's regressions %.1f (%.0f %%)\n",
        (long long)b.n, (long long)b.p, limit, gram, 100 * gram / limit, factor, 100 * factor / limit, ridge,
        100 * ridge / limit);
    free(b.x);
    free(b.y);
    free(b.weight);
    free(b.square);
    free(b.work);
    free(b.A);
    free(b.C);
    free(b.pivot);
    pith_ctx_free(b.ctx);
    return 0;
}
