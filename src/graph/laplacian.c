/*
 * The matrices of a graph as operators:
 *
 *     S,    A = R S R,    Ln = I - R S R,        R = D^-1/2, 0 for an isolated row
 *
 * Products go row by row over the edges, rows in parallel, each row's sum in the order of its entries.
 */
#include "graph/spectrum.h"

#include "core/parallel.h"
#include "graph/graph_inside.h"
#include "matrix/simd.h"

#include <string.h>

#include <math.h>

enum { WIDTH = 8 }; /* vectors that share one walk over the edges */

typedef enum form { ADJACENCY, AFFINITY, LAPLACIAN } form;

static bool is_normalized(form f)
{
    return f != ADJACENCY;
}

/* Row i of the matrix times x, from sum = row i of S times z, where z = x for S and z = R x for A and Ln. */
static double finish(const pith_i_graph *g, form f, int64_t i, double sum, double x)
{
    switch (f) {
    case ADJACENCY: return sum;
    case AFFINITY: return pith_i_inverse_root(g, i) * sum;
    case LAPLACIAN: return x - pith_i_inverse_root(g, i) * sum;
    }
    return NAN;
}

static void multiply_one(pith_ctx *ctx, const pith_i_graph *g, form f, const double *z, const double *x,
                         double *y)
{
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(static, 256) if (g->row[g->n] > 20000)
    for (int64_t i = 0; i < g->n; i++) {
        double sum = 0;
        for (int64_t e = g->row[i]; e < g->row[i + 1]; e++)
            sum += g->weight[e] * z[g->col[e]];
        y[i] = finish(g, f, i, sum, x[i]);
    }
}

/* WIDTH vectors at once; z holds them interleaved: vector v of row i is z[i * WIDTH + v]. */
static void multiply_block(pith_ctx *ctx, const pith_i_graph *g, form f, const double *z, int64_t m,
                           const double *x, double *y)
{
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(static, 256) if (g->row[g->n] > 20000)
    for (int64_t i = 0; i < g->n; i++) {
        double sum[WIDTH] = {0};
        for (int64_t e = g->row[i]; e < g->row[i + 1]; e++)
            for (int v = 0; v < WIDTH; v++)
                sum[v] += g->weight[e] * z[(int64_t)g->col[e] * WIDTH + v];
        for (int64_t v = 0; v < m; v++)
            y[v * g->n + i] = finish(g, f, i, sum[v], x[v * g->n + i]);
    }
}

/* z = x or R x, interleaved `width` wide; vectors from m on are 0. */
static void gather(pith_ctx *ctx, const pith_i_graph *g, form f, int64_t m, const double *x, int width,
                   double *z)
{
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(static) if (g->n > 10000)
    for (int64_t i = 0; i < g->n; i++) {
        const double r = is_normalized(f) ? pith_i_inverse_root(g, i) : 1;
        for (int64_t v = 0; v < width; v++)
            z[i * width + v] = v < m ? r * x[v * g->n + i] : 0;
    }
}

static pith_status apply(pith_ctx *ctx, const pith_i_graph *g, form f, int64_t m, const double *x, double *y)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const bool as_is = m == 1 && !is_normalized(f) && !pith_i_graph_is_spread(g);
    const int width = m == 1 ? 1 : WIDTH;
    pith_status st = PITH_OK;
    double *z = NULL;
    if (!as_is)
        TRY(SCRATCH(ctx, z, (g->n + g->halo.count) * width));
    for (int64_t v = 0; v < m; v += WIDTH) {
        const int64_t take = m - v < WIDTH ? m - v : WIDTH;
        if (!as_is)
            gather(ctx, g, f, take, x + v * g->n, width, z);
        if (pith_i_graph_is_spread(g))
            TRY(pith_i_halo_numbers(ctx, &g->halo, width, z, z + g->n * width));
        if (m == 1)
            multiply_one(ctx, g, f, as_is ? x : z, x, y);
        else
            multiply_block(ctx, g, f, z, take, x + v * g->n, y + v * g->n);
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status adjacency_apply(pith_ctx *ctx, const void *self, int64_t m, const double *x, double *y)
{
    return apply(ctx, self, ADJACENCY, m, x, y);
}

static pith_status affinity_apply(pith_ctx *ctx, const void *self, int64_t m, const double *x, double *y)
{
    return apply(ctx, self, AFFINITY, m, x, y);
}

static pith_status laplacian_apply(pith_ctx *ctx, const void *self, int64_t m, const double *x, double *y)
{
    return apply(ctx, self, LAPLACIAN, m, x, y);
}

pith_i_operator pith_i_adjacency(const pith_i_graph *graph)
{
    return (pith_i_operator){
        .n = graph->n, .offset = graph->offset, .all = graph->all, .self = graph, .apply = adjacency_apply};
}

pith_i_operator pith_i_affinity(const pith_i_graph *graph)
{
    return (pith_i_operator){
        .n = graph->n, .offset = graph->offset, .all = graph->all, .self = graph, .apply = affinity_apply};
}

pith_i_operator pith_i_laplacian(const pith_i_graph *graph)
{
    return (pith_i_operator){
        .n = graph->n, .offset = graph->offset, .all = graph->all, .self = graph, .apply = laplacian_apply};
}

pith_status pith_i_affinity_add(pith_ctx *ctx, const pith_i_graph *g, double c, int64_t m, const double *B,
                                double *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    double *root = NULL, *with = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, root, g->n + g->halo.count));
    for (int64_t i = 0; i < g->n; i++)
        root[i] = pith_i_inverse_root(g, i);
    if (pith_i_graph_is_spread(g)) { /* the rows of the halo as well */
        TRY(SCRATCH(ctx, with, (g->n + g->halo.count) * m));
        if (g->n > 0)
            memcpy(with, B, (size_t)(g->n * m) * sizeof *with);
        TRY(pith_i_halo_numbers(ctx, &g->halo, 1, root, root + g->n));
        TRY(pith_i_halo_numbers(ctx, &g->halo, m, with, with + g->n * m));
        B = with;
    }
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(static) if (g->n * m > 20000)
    for (int64_t i = 0; i < g->n; i++)
        for (int64_t e = g->row[i]; e < g->row[i + 1]; e++) {
            const int64_t j = g->col[e];
            const double a = c * g->weight[e] * root[i] * root[j];
            for (int64_t t = 0; t < m; t++)
                out[i * m + t] += a * B[j * m + t];
        }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* y = a S x + b x + c y in rows lo to before hi */
PITH_I_CLONES static void multiply_panel(const pith_i_float_graph *g, int64_t lo, int64_t hi, float a,
                                         const float *x, float b, float c, float *y)
{
    for (int64_t i = lo; i < hi; i++) {
        pith_i_float8 sum = {0}, *to = (pith_i_float8 *)(y + i * PITH_I_PANEL);
        for (int64_t e = g->row[i]; e < g->row[i + 1]; e++)
            sum += g->weight[e] * *(const pith_i_float8 *)(x + (int64_t)g->col[e] * PITH_I_PANEL);
        *to = a * sum + b * *(const pith_i_float8 *)(x + i * PITH_I_PANEL) + c * *to;
    }
}

static void panel_apply(const void *self, float a, const float *x, float b, float c, float *y)
{
    const pith_i_float_graph *g = self;
    multiply_panel(g, 0, g->n, a, x, b, c, y);
}

pith_i_panel_operator pith_i_adjacency_panels(const pith_i_float_graph *graph)
{
    return (pith_i_panel_operator){.n = graph->n, .self = graph, .apply = panel_apply};
}

static pith_status spread_apply(pith_ctx *ctx, const void *self, float a, const float *x, float b, float c,
                                float *y)
{
    enum {
        ROWS = 1024,
        WIDE = PITH_I_PANEL * sizeof(float) / sizeof(double) /* a row's floats, sent as so many doubles */
    };
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_float_spread *s = self;
    const int64_t n = s->of.n;
    double *with = NULL; /* x, and after it the rows of the halo */
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, with, (n + s->halo->count) * WIDE));
    if (n > 0)
        memcpy(with, x, (size_t)(n * WIDE) * sizeof *with);
    TRY(pith_i_halo_numbers(ctx, s->halo, WIDE, with, with + n * WIDE));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(static) if (n > ROWS)
    for (int64_t i = 0; i < n; i += ROWS)
        multiply_panel(&s->of, i, pith_i_min(n, i + ROWS), a, (const float *)with, b, c, y);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_i_panel_operator pith_i_spread_panels(const pith_i_float_spread *graph, int64_t all,
                                           const int64_t *number)
{
    return (pith_i_panel_operator){
        .n = graph->of.n, .self = graph, .all = all, .apply_all = spread_apply, .number = number};
}
