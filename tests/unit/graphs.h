/* Small graphs with known spectra, and what every set of eigenpairs must satisfy. */
#ifndef PITH_TESTS_UNIT_GRAPHS_H
#define PITH_TESTS_UNIT_GRAPHS_H

#include "core/random.h"
#include "graph/graph_inside.h"
#include "graph/spectrum.h"
#include "unit/support.h"

#include <stdlib.h>

/* Edges to be: a symmetric matrix of weights, dense, for small n. */
typedef struct sketch {
    int64_t n;
    double *weight;
} sketch;

static inline sketch new_sketch(int64_t n)
{
    sketch s = {n, calloc((size_t)(n * n), sizeof(double))};
    assert_non_null(s.weight);
    return s;
}

static inline void link_rows(sketch *s, int64_t i, int64_t j, double weight)
{
    s->weight[i * s->n + j] = s->weight[j * s->n + i] = weight;
}

/* The sketch as a graph; the sketch is gone. */
static inline pith_i_graph *new_graph(pith_ctx *ctx, sketch s)
{
    pith_i_graph *g = NULL;
    int64_t entries = 0;
    for (int64_t e = 0; e < s.n * s.n; e++)
        entries += s.weight[e] != 0;
    assert_ok(ctx, pith_i_graph_new(ctx, s.n, &g));
    assert_ok(ctx, NEW(ctx, g->col, entries));
    assert_ok(ctx, NEW(ctx, g->weight, entries));
    entries = 0;
    for (int64_t i = 0; i < s.n; i++) {
        for (int64_t j = 0; j < s.n; j++)
            if (s.weight[i * s.n + j] != 0) {
                g->col[entries] = (int32_t)j;
                g->weight[entries++] = s.weight[i * s.n + j];
            }
        g->row[i + 1] = entries;
    }
    free(s.weight);
    assert_ok(ctx, pith_i_graph_finish(ctx, g));
    return g;
}

static inline pith_i_graph *path_graph(pith_ctx *ctx, int64_t n)
{
    sketch s = new_sketch(n);
    for (int64_t i = 0; i + 1 < n; i++)
        link_rows(&s, i, i + 1, 1);
    return new_graph(ctx, s);
}

static inline pith_i_graph *cycle_graph(pith_ctx *ctx, int64_t n)
{
    sketch s = new_sketch(n);
    for (int64_t i = 0; i < n; i++)
        link_rows(&s, i, (i + 1) % n, 1);
    return new_graph(ctx, s);
}

/* Every row of `copies` equal parts of `size` linked to about `links` others of its part, with weights. */
static inline sketch equal_parts(int64_t copies, int64_t size, int links)
{
    sketch s = new_sketch(copies * size);
    for (int64_t i = 0; i < size; i++) {
        pith_i_stream random = pith_i_stream_at(5, PITH_I_RANDOM_BENCH, (uint64_t)i);
        link_rows(&s, i, (i + 1) % size, 0.5);
        for (int l = 0; l < links; l++) {
            const int64_t j = pith_i_random_below(&random, size);
            if (j != i)
                link_rows(&s, i, j, 0.25 + pith_i_random_uniform(&random));
        }
    }
    for (int64_t c = 1; c < copies; c++)
        for (int64_t i = 0; i < size; i++)
            for (int64_t j = 0; j < size; j++)
                s.weight[(c * size + i) * s.n + c * size + j] = s.weight[i * s.n + j];
    return s;
}

/* A ring of n rows, each linked to those 1, 7 and 50 away, with weights; for n too large for a sketch. */
static inline pith_i_graph *ring_graph(pith_ctx *ctx, int64_t n)
{
    static const int64_t away[] = {-50, -7, -1, 1, 7, 50};
    pith_i_graph *g = NULL;
    assert_ok(ctx, pith_i_graph_new(ctx, n, &g));
    assert_ok(ctx, NEW(ctx, g->col, n * (int64_t)COUNT(away)));
    assert_ok(ctx, NEW(ctx, g->weight, n * (int64_t)COUNT(away)));
    for (int64_t i = 0; i < n; i++) {
        for (size_t t = 0; t < COUNT(away); t++) {
            const int64_t e = i * (int64_t)COUNT(away) + (int64_t)t, j = (i + away[t] + n) % n;
            g->col[e] = (int32_t)j; /* not ascending at the ends, which no product minds */
            g->weight[e] = 1.25 + sin((double)(i + j)) * cos((double)(i * j % 1009));
        }
        g->row[i + 1] = (i + 1) * (int64_t)COUNT(away);
    }
    assert_ok(ctx, pith_i_graph_finish(ctx, g));
    return g;
}

/* ||A x - value x|| of every pair, and |x_u' x_v - (u == v)|, are within the tolerances. */
static inline void assert_eigenpairs(pith_ctx *ctx, const pith_i_operator *A, int64_t m, const double *value,
                                     const double *vector, double residual, double orthogonality)
{
    const int64_t n = A->n;
    double *y = malloc((size_t)(m * n) * sizeof *y);
    assert_non_null(y);
    assert_ok(ctx, A->apply(ctx, A->self, m, vector, y));
    for (int64_t v = 0; v < m; v++) {
        double square = 0;
        for (int64_t i = 0; i < n; i++) {
            const double r = y[v * n + i] - value[v] * vector[v * n + i];
            square += r * r;
        }
        assert_near(sqrt(square), 0, residual);
        for (int64_t u = 0; u <= v; u++) {
            double dot = 0;
            for (int64_t i = 0; i < n; i++)
                dot += vector[u * n + i] * vector[v * n + i];
            assert_near(dot, u == v, orthogonality);
        }
    }
    free(y);
}

/* The entry of largest modulus is positive; of those equal but for rounding, the first. */
static inline void assert_sign(int64_t n, const double *x)
{
    double largest = 0;
    int64_t i = 0;
    for (int64_t t = 0; t < n; t++)
        largest = fmax(largest, fabs(x[t]));
    while (fabs(x[i]) < largest * (1 - 1e-6))
        i++;
    assert_true(x[i] > 0);
}

static inline int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x > y ? -1 : x < y;
}

#endif
