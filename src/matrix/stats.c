#include "matrix/stats.h"

#include "core/parallel.h"

#include <math.h>
#include <string.h>

enum { STRIP = 256 }; /* columns that one thread sums at a time */

typedef struct strip {
    const pith_i_data *X;
    int64_t col, cols;
    pith_i_column_stats s; /* of the strip's first column on */
    double *row;           /* one row of the strip as doubles */
} strip;

static void start_strip(strip *t)
{
    for (int64_t j = 0; j < t->cols; j++) {
        t->s.mean[j] = t->s.variance[j] = 0;
        t->s.min[j] = INFINITY;
        t->s.max[j] = -INFINITY;
        t->s.nonzeros[j] = 0;
    }
}

static void dense_strip(strip *t)
{
    const int64_t n = t->X->n;
    start_strip(t);
    for (int64_t i = 0; i < n; i++) {
        pith_i_block(t->X, i, 1, t->col, t->cols, t->row, t->cols);
        for (int64_t j = 0; j < t->cols; j++) {
            const double v = t->row[j];
            t->s.mean[j] += v;
            t->s.min[j] = v < t->s.min[j] ? v : t->s.min[j];
            t->s.max[j] = v > t->s.max[j] ? v : t->s.max[j];
            t->s.nonzeros[j] += v != 0;
        }
    }
    for (int64_t j = 0; j < t->cols; j++)
        t->s.mean[j] /= (double)n;
    for (int64_t i = 0; i < n; i++) {
        pith_i_block(t->X, i, 1, t->col, t->cols, t->row, t->cols);
        for (int64_t j = 0; j < t->cols; j++)
            t->s.variance[j] += (t->row[j] - t->s.mean[j]) * (t->row[j] - t->s.mean[j]);
    }
    for (int64_t j = 0; j < t->cols; j++)
        t->s.variance[j] /= (double)n;
}

/* Column j is row j of T. The zeros that are not stored deviate from the mean by the mean. */
static void sparse_column(const pith_i_data *T, int64_t j, pith_i_column_stats *s)
{
    const int64_t n = T->p, from = T->indptr[j], to = T->indptr[j + 1];
    const bool gaps = to - from < n;
    double sum = 0, squares = 0, lo = gaps ? 0 : INFINITY, hi = gaps ? 0 : -INFINITY;
    int64_t nonzeros = 0;
    for (int64_t e = from; e < to; e++) {
        const double v = pith_i_value(T->values, T->dtype, e);
        sum += v;
        lo = v < lo ? v : lo;
        hi = v > hi ? v : hi;
        nonzeros += v != 0;
    }
    const double mean = sum / (double)n;
    for (int64_t e = from; e < to; e++) {
        const double dev = pith_i_value(T->values, T->dtype, e) - mean;
        squares += dev * dev;
    }
    s->mean[j] = mean;
    s->variance[j] = (squares + (double)(n - (to - from)) * mean * mean) / (double)n;
    s->min[j] = lo;
    s->max[j] = hi;
    s->nonzeros[j] = nonzeros;
}

static pith_status sparse_statistics(pith_ctx *ctx, const pith_i_data *X, const pith_i_data *T,
                                     pith_i_column_stats *s)
{
    pith_i_data made = {0};
    pith_status st = PITH_OK;
    if (T == NULL)
        TRY(pith_i_transpose(ctx, X, &made));
    T = T != NULL ? T : &made;
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic, 64)
    for (int64_t j = 0; j < X->p; j++)
        sparse_column(T, j, s);
done:
    pith_i_data_free(&made);
    return st;
}

/* A column whose values are all equal has no variance: rounding of its mean must not give it one. */
static void settle_constants(int64_t p, pith_i_column_stats *s)
{
    for (int64_t j = 0; j < p; j++)
        if (s->min[j] == s->max[j]) {
            s->mean[j] = s->min[j];
            s->variance[j] = 0;
        }
}

pith_status pith_i_column_statistics(pith_ctx *ctx, const pith_i_data *X, const pith_i_data *T,
                                     pith_i_column_stats *out)
{
    const int threads = pith_ctx_threads(ctx);
    pith_i_column_stats s = {0};
    pith_status st = PITH_OK;
    double *rows = NULL;
    TRY(SCRATCH(ctx, s.mean, X->p));
    TRY(SCRATCH(ctx, s.variance, X->p));
    TRY(SCRATCH(ctx, s.min, X->p));
    TRY(SCRATCH(ctx, s.max, X->p));
    TRY(SCRATCH(ctx, s.nonzeros, X->p));
    if (X->sparse) {
        TRY(sparse_statistics(ctx, X, T, &s));
    } else {
        TRY(SCRATCH(ctx, rows, (int64_t)threads * STRIP));
#pragma omp parallel for num_threads(threads) schedule(dynamic)
        for (int64_t j = 0; j < X->p; j += STRIP) {
            strip t = {X,
                       j,
                       X->p - j < STRIP ? X->p - j : STRIP,
                       {s.mean + j, s.variance + j, s.min + j, s.max + j, s.nonzeros + j},
                       rows + (int64_t)pith_i_thread() * STRIP};
            dense_strip(&t);
        }
    }
    settle_constants(X->p, &s);
    *out = s;
done:
    return st;
}

void pith_i_row_squares(pith_ctx *ctx, const pith_i_data *X, double *squares)
{
#pragma omp parallel for num_threads(pith_ctx_threads(ctx))
    for (int64_t i = 0; i < X->n; i++) {
        double sum = 0;
        const int64_t from = X->sparse ? X->indptr[i] : 0, to = X->sparse ? X->indptr[i + 1] : X->p;
        for (int64_t e = from; e < to; e++) {
            const double v = X->sparse ? pith_i_value(X->values, X->dtype, e)
                                       : pith_i_value(X->x, X->dtype, i * X->row_stride + e * X->col_stride);
            sum += v * v;
        }
        squares[i] = sum;
    }
}

bool pith_i_is_counts(const pith_i_data *X, const pith_i_column_stats *stats)
{
    int64_t nonzeros = 0;
    for (int64_t j = 0; j < X->p; j++) {
        if (stats->min[j] < 0)
            return false;
        nonzeros += stats->nonzeros[j];
    }
    return (double)nonzeros < 0.5 * (double)X->n * (double)X->p;
}
