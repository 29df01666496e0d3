#include "methods/factor/thin.h"

#include "core/parallel.h"
#include "matrix/blas.h"
#include "matrix/simd.h"

#include <math.h>
#include <string.h>

enum { ROWS = 512 }; /* of one product */

typedef struct pair {
    int64_t k;
    const double *A, *w, *B;
} pair;

/* With weights, small blocks of rows are weighted first: BLAS has no weighted product. */
static void gram_part(const void *self, int64_t lo, int64_t hi, double *sums)
{
    enum { SOME = 2048 };
    const pair *v = self;
    const int k = (int)v->k;
    double room[SOME];
    if (v->w == NULL) {
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, k, k, (int)(hi - lo), 1, v->A + lo * k, k,
                    v->B + lo * k, k, 1, sums, k);
        return;
    }
    const int64_t step = SOME / k;
    if (step < 1) { /* more columns than room: one row after the other */
        for (int64_t i = lo; i < hi; i++)
            cblas_dger(CblasRowMajor, k, k, v->w[i], v->A + i * k, 1, v->B + i * k, 1, sums, k);
        return;
    }
    for (int64_t i = lo; i < hi; i += step) {
        const int64_t rows = hi - i < step ? hi - i : step;
        for (int64_t r = 0; r < rows; r++)
            for (int64_t c = 0; c < k; c++)
                room[r * k + c] = v->w[i + r] * v->A[(i + r) * k + c];
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, k, k, (int)rows, 1, room, k, v->B + i * k, k, 1,
                    sums, k);
    }
}

pith_status pith_i_thin_gram(pith_ctx *ctx, int64_t n, int64_t k, const double *A, const double *w,
                             const double *B, double *G)
{
    const pair v = {k, A, w, B};
    pith_i_blas_enter();
    const pith_status st = pith_i_reduce(ctx, n, k * k, gram_part, &v, G);
    pith_i_blas_leave();
    return st;
}

void pith_i_thin_times(pith_ctx *ctx, int64_t n, int64_t k, double a, const double *A, const double *M,
                       double b, double *C)
{
    const int threads = pith_ctx_threads(ctx), columns = (int)k;
    pith_i_blas_enter();
#pragma omp parallel for num_threads(threads) schedule(static) if (n * k * k > 1000000)
    for (int64_t i = 0; i < n; i += ROWS)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)(n - i < ROWS ? n - i : ROWS), columns,
                    columns, a, A + i * k, columns, M, columns, b, C + i * k, columns);
    pith_i_blas_leave();
}

pith_status pith_i_thin_step(pith_ctx *ctx, int64_t n, int64_t k, const double *M, double b, const double *B,
                             double *V)
{
    enum { PIECE = 4096 }; /* old values held while rows are replaced */
    const size_t mark = pith_i_scratch_mark(ctx);
    const int threads = pith_ctx_threads(ctx), columns = (int)k;
    const int64_t rows = k < PIECE ? PIECE / k : 1;
    double *room = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, room, threads * rows * k));
    pith_i_blas_enter();
#pragma omp parallel for num_threads(threads) schedule(static) if (n * k * k > 1000000)
    for (int64_t i = 0; i < n; i += rows) {
        const int64_t count = n - i < rows ? n - i : rows;
        double *v = V + i * k, *old = room + pith_i_thread() * rows * k;
        memcpy(old, v, (size_t)(count * k) * sizeof *old);
        for (int64_t e = 0; e < count * k; e++)
            v[e] = b * B[i * k + e];
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)count, columns, columns, 1, old, columns,
                    M, columns, 1, v, columns);
    }
    pith_i_blas_leave();
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ||v||, its squares added in eight lanes. */
PITH_I_INLINE static inline double norm_of(int64_t k, const double *v)
{
    pith_i_double8 lanes = {0};
    int64_t c = 0;
    for (; c + 8 <= k; c += 8)
        lanes += *(const pith_i_double8 *)(v + c) * *(const pith_i_double8 *)(v + c);
    double sum = PITH_I_SUM8(lanes);
    for (; c < k; c++)
        sum += v[c] * v[c];
    return sqrt(sum);
}

PITH_I_CLONES static void shrink_rows(int64_t count, int64_t k, double t, double *restrict V,
                                      double *restrict norm)
{
    for (int64_t i = 0; i < count; i++) {
        double *v = V + i * k;
        const double length = norm_of(k, v), factor = length > t ? 1 - t / length : 0;
        for (int64_t c = 0; c < k; c++)
            v[c] *= factor;
        if (norm != NULL)
            norm[i] = length;
    }
}

void pith_i_row_shrink(pith_ctx *ctx, int64_t p, int64_t k, double t, double *V, double *norm)
{
    const int threads = pith_ctx_threads(ctx);
#pragma omp parallel for num_threads(threads) schedule(static) if (p * k > 100000)
    for (int64_t i = 0; i < p; i += ROWS)
        shrink_rows(p - i < ROWS ? p - i : ROWS, k, t, V + i * k, norm != NULL ? norm + i : NULL);
}

PITH_I_CLONES static double norms_of(int64_t count, int64_t k, const double *V)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += norm_of(k, V + i * k);
    return sum;
}

static void norm_part(const void *self, int64_t lo, int64_t hi, double *sums)
{
    const pair *v = self;
    sums[0] += norms_of(hi - lo, v->k, v->A + lo * v->k);
}

pith_status pith_i_row_norm_sum(pith_ctx *ctx, int64_t p, int64_t k, const double *V, double *sum,
                                double *largest)
{
    const pair v = {.k = k, .A = V};
    if (largest != NULL) {
        *largest = 0;
        for (int64_t i = 0; i < p; i++) {
            const double norm = norm_of(k, V + i * k);
            *largest = norm > *largest ? norm : *largest;
        }
    }
    return pith_i_reduce(ctx, p, 1, norm_part, &v, sum);
}
