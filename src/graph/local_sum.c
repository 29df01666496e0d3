#include "graph/local_sum.h"

#include "core/parallel.h"

#include <stdlib.h>
#include <string.h>

void pith_i_local_sum_free(pith_i_local_sum *B)
{
    pith_i_free(B->row);
    pith_i_free(B->col);
    pith_i_free(B->value);
    *B = (pith_i_local_sum){0};
}

/* Where row r occurs: places start[r] .. start[r+1]-1 of at, each sample * (k+1) + its row of the block. */
typedef struct places {
    const pith_i_knn *knn;
    int64_t *start, *at;
} places;

static int64_t member(const pith_i_knn *knn, int64_t i, int64_t t)
{
    return t == 0 ? i : knn->index[i * knn->k + t - 1];
}

static pith_status find_places(pith_ctx *ctx, const pith_i_knn *knn, places *out)
{
    const int64_t n = knn->n, size = knn->k + 1;
    pith_status st = PITH_OK;
    out->knn = knn;
    TRY(SCRATCH_ZERO(ctx, out->start, n + 2));
    TRY(SCRATCH(ctx, out->at, n * size));
    for (int64_t i = 0; i < n; i++)
        for (int64_t t = 0; t < size; t++)
            out->start[member(knn, i, t) + 2]++;
    for (int64_t r = 0; r < n; r++)
        out->start[r + 2] += out->start[r + 1];
    for (int64_t i = 0; i < n; i++) /* in the order of the samples */
        for (int64_t t = 0; t < size; t++)
            out->at[out->start[member(knn, i, t) + 1]++] = i * size + t;
done:
    return st;
}

static int ascending(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* The columns of row r, each once, into found; seen[] == r marks them. Returns their number. */
static int64_t columns_of(const places *P, int64_t r, int64_t *seen, int32_t *found)
{
    const int64_t size = P->knn->k + 1;
    int64_t count = 0;
    for (int64_t e = P->start[r]; e < P->start[r + 1]; e++)
        for (int64_t t = 0; t < size; t++) {
            const int64_t l = member(P->knn, P->at[e] / size, t);
            if (seen[l] != r) {
                seen[l] = r;
                found[count++] = (int32_t)l;
            }
        }
    return count;
}

static void fill_row(const places *P, const double *blocks, int64_t r, double *sum, pith_i_local_sum *B)
{
    const int64_t size = P->knn->k + 1, from = B->row[r], count = B->row[r + 1] - from;
    for (int64_t e = P->start[r]; e < P->start[r + 1]; e++)
        for (int64_t t = 0; t < size; t++)
            sum[member(P->knn, P->at[e] / size, t)] += blocks[P->at[e] * size + t];
    qsort(B->col + from, (size_t)count, sizeof *B->col, ascending);
    for (int64_t e = from; e < from + count; e++) {
        B->value[e] = sum[B->col[e]];
        sum[B->col[e]] = 0;
    }
}

pith_status pith_i_local_sum_make(pith_ctx *ctx, const pith_i_knn *knn, const double *blocks,
                                  pith_i_local_sum *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = knn->n, size = knn->k + 1;
    pith_i_local_sum B = {.n = n};
    places P = {0};
    int64_t *seen = NULL;
    int32_t *found = NULL;
    double *sum = NULL;
    pith_status st = PITH_OK;
    TRY(find_places(ctx, knn, &P));
    TRY(SCRATCH(ctx, seen, n));
    TRY(SCRATCH(ctx, found, n));
    TRY(SCRATCH_ZERO(ctx, sum, n));
    memset(seen, 0xff, (size_t)n * sizeof *seen); /* -1: no row */
    TRY(NEW_ZERO(ctx, B.row, n + 1));
    TRY(NEW(ctx, B.col, n * size * size));
    for (int64_t r = 0; r < n; r++) {
        const int64_t count = columns_of(&P, r, seen, found);
        memcpy(B.col + B.row[r], found, (size_t)count * sizeof *found);
        B.row[r + 1] = B.row[r] + count;
    }
    TRY(NEW(ctx, B.value, B.row[n]));
    for (int64_t r = 0; r < n; r++)
        fill_row(&P, blocks, r, sum, &B);
    *out = B;
    B = (pith_i_local_sum){0};
done:
    pith_i_local_sum_free(&B);
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status apply(pith_ctx *ctx, const void *self, int64_t m, const double *x, double *y)
{
    const pith_i_local_sum *B = self;
    for (int64_t v = 0; v < m; v++) {
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(static, 256) if (B->row[B->n] > 20000)
        for (int64_t i = 0; i < B->n; i++) {
            double sum = 0;
            for (int64_t e = B->row[i]; e < B->row[i + 1]; e++)
                sum += B->value[e] * x[v * B->n + B->col[e]];
            y[v * B->n + i] = sum;
        }
    }
    return PITH_OK;
}

pith_i_operator pith_i_local_sum_operator(const pith_i_local_sum *B)
{
    return (pith_i_operator){.n = B->n, .self = B, .apply = apply};
}

void pith_i_local_sum_multiply(pith_ctx *ctx, const pith_i_local_sum *B, int64_t m, const double *F,
                               double *Y)
{
#pragma omp parallel for num_threads(pith_ctx_threads(ctx))                                                  \
    schedule(static, 64) if (B->row[B->n] * m > 500000)
    for (int64_t i = 0; i < B->n; i++) {
        double *y = Y + i * m;
        memset(y, 0, (size_t)m * sizeof *y);
        for (int64_t e = B->row[i]; e < B->row[i + 1]; e++)
            for (int64_t t = 0; t < m; t++)
                y[t] += B->value[e] * F[B->col[e] * m + t];
    }
}

void pith_i_local_sum_split(pith_ctx *ctx, const pith_i_local_sum *B, int64_t m, const double *F,
                            double *plus, double *minus)
{
#pragma omp parallel for num_threads(pith_ctx_threads(ctx))                                                  \
    schedule(static, 64) if (B->row[B->n] * m > 500000)
    for (int64_t i = 0; i < B->n; i++) {
        memset(plus + i * m, 0, (size_t)m * sizeof *plus);
        memset(minus + i * m, 0, (size_t)m * sizeof *minus);
        for (int64_t e = B->row[i]; e < B->row[i + 1]; e++) {
            const double v = B->value[e], size = v > 0 ? v : -v, *f = F + B->col[e] * m;
            double *y = v > 0 ? plus + i * m : minus + i * m;
            for (int64_t t = 0; t < m; t++)
                y[t] += size * f[t];
        }
    }
}
