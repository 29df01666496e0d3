/* Small data sets in every layout, and neighbours the slow way, for the tests of graph/. */
#ifndef PITH_TESTS_UNIT_GRAPH_DATA_H
#define PITH_TESTS_UNIT_GRAPH_DATA_H

#include "core/random.h"
#include "graph/knn.h"
#include "unit/support.h"

#include <stdlib.h>
#include <string.h>

typedef enum layout {
    ROWS_F64,
    ROWS_F32,
    COLUMNS_F64,
    COLUMNS_F32,
    STRIDED_F64,
    CSR_F64,
    CSR_F32,
    LAYOUTS
} layout;

/* Values of row-major x (n x p) in another layout; CSR keeps every 23rd zero as a stored one. Owned. */
static inline pith_i_data laid_out(pith_ctx *ctx, const double *x, int64_t n, int64_t p, layout how)
{
    const pith_dtype dtype = how == ROWS_F32 || how == COLUMNS_F32 || how == CSR_F32 ? PITH_F32 : PITH_F64;
    pith_i_data X = {0};
    if (how == CSR_F64 || how == CSR_F32) {
        int64_t at = 0;
        assert_ok(ctx, pith_i_data_new_csr(ctx, n, p, n * p, dtype, &X));
        for (int64_t e = 0; e < n * p; e++) {
            if (x[e] != 0 || e % 23 == 3) {
                pith_i_data_indices(&X)[at] = (int32_t)(e % p);
                pith_i_set_value(pith_i_data_values(&X), dtype, at++, x[e]);
            }
            pith_i_data_indptr(&X)[e / p + 1] = at;
        }
        return X;
    }
    assert_ok(ctx, pith_i_data_new_dense(ctx, how == STRIDED_F64 ? 3 * n : n, p, dtype, &X));
    X.n = n;
    X.row_stride = how == COLUMNS_F64 || how == COLUMNS_F32 ? 1 : how == STRIDED_F64 ? 3 * p : p;
    X.col_stride = how == COLUMNS_F64 || how == COLUMNS_F32 ? n : 1;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < p; j++)
            pith_i_set_value(pith_i_data_x(&X), dtype, i * X.row_stride + j * X.col_stride, x[i * p + j]);
    return X;
}

/* By definition, in long double: |u_i - u_l|^2; by cosine 2 - 2 cos, and parallel rows at 0. */
static inline long double slow_distance2(const double *a, const double *b, int64_t p, pith_i_metric metric)
{
    long double aa = 0, bb = 0, ab = 0, difference = 0;
    for (int64_t j = 0; j < p; j++) {
        aa += (long double)a[j] * a[j];
        bb += (long double)b[j] * b[j];
        ab += (long double)a[j] * b[j];
        difference += ((long double)a[j] - b[j]) * ((long double)a[j] - b[j]);
    }
    if (metric == PITH_I_EUCLIDEAN)
        return difference;
    if (aa == 0 || bb == 0)
        return 2;
    const long double cosine = copysignl(sqrtl(ab * ab / (aa * bb)), ab);
    if (cosine <= 0.999L)
        return 2 - 2 * cosine;
    difference = 0;
    for (int64_t j = 0; j < p; j++) {
        const long double d = a[j] / sqrtl(aa) - b[j] / sqrtl(bb);
        difference += d * d;
    }
    return difference < 1e-30L ? 0 : difference;
}

typedef struct slow_near {
    long double value;
    int64_t id;
} slow_near;

static inline int slow_order(const void *x, const void *y)
{
    const slow_near *a = x, *b = y;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return a->id < b->id ? -1 : 1;
}

/* All other rows of row i, nearest first, ties to the lower index. */
static inline void slow_neighbours(const double *x, int64_t n, int64_t p, pith_i_metric metric, int64_t i,
                                   slow_near *near)
{
    int64_t count = 0;
    for (int64_t l = 0; l < n; l++)
        if (l != i)
            near[count++] = (slow_near){slow_distance2(x + i * p, x + l * p, p, metric), l};
    qsort(near, (size_t)count, sizeof *near, slow_order);
}

/* Normal deviates, rounded to float so that every layout holds the same numbers. */
static inline void fill_normal(double *x, int64_t count, uint64_t seed)
{
    pith_i_stream s = pith_i_stream_at(seed, PITH_I_RANDOM_BENCH, 0);
    for (int64_t e = 0; e < count; e++)
        x[e] = (double)(float)pith_i_random_normal(&s);
}

/* Integers 0..top-1, 0 with the given probability besides. */
static inline void fill_counts(double *x, int64_t count, int64_t top, double zeros, uint64_t seed)
{
    pith_i_stream s = pith_i_stream_at(seed, PITH_I_RANDOM_BENCH, 1);
    for (int64_t e = 0; e < count; e++) {
        const bool zero = pith_i_random_uniform(&s) < zeros;
        x[e] = zero ? 0 : (double)pith_i_random_below(&s, top);
    }
}

static inline double *new_values(int64_t count)
{
    double *x = calloc((size_t)(count > 0 ? count : 1), sizeof *x);
    assert_non_null(x);
    return x;
}

/* Rows of `hidden` dimensions in p columns, with some noise. */
static inline double *structured(int64_t n, int64_t p, int64_t hidden, uint64_t seed)
{
    double *x = new_values(n * p), *z = new_values(n * hidden), *a = new_values(hidden * p);
    fill_normal(x, n * p, seed);
    fill_normal(z, n * hidden, seed + 1);
    fill_normal(a, hidden * p, seed + 2);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < p; j++) {
            x[i * p + j] *= 0.05;
            for (int64_t h = 0; h < hidden; h++)
                x[i * p + j] += z[i * hidden + h] * a[h * p + j];
        }
    free(z);
    free(a);
    return x;
}

#endif
