#include "graph/smoothness.h"

#include "core/parallel.h"
#include "graph/graph_inside.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { STRIP = 8 }; /* dense columns handled together: one cache line of each row */

typedef struct setting {
    const pith_i_graph *S;
    const pith_i_data *X, *T;
    const double *shift;
    double mass;  /* sum of degrees */
    int64_t base; /* the sample that columns are taken relative to */
    pith_i_smoothness out;
} setting;

/* The sample of largest degree, ties to the lower index: an outlier, whose digits would hide those of all the
 * others, has a small one. */
static int64_t heaviest(const pith_i_graph *g)
{
    int64_t base = 0;
    for (int64_t i = 1; i < g->n; i++)
        if (g->degree[i] > g->degree[base])
            base = i;
    return base;
}

/* Columns col .. col+STRIP-1, padded with zeros, taken relative to one sample: a constant is then exactly 0;
 * else rounding would make it the best feature. */
static void load_strip(const setting *s, int64_t col, int64_t cols, double *f, double *base)
{
    memset(f, 0, (size_t)(s->X->n * STRIP) * sizeof *f);
    pith_i_block(s->X, 0, s->X->n, col, cols, f, STRIP);
    memcpy(base, f + s->base * STRIP, STRIP * sizeof *base);
    for (int64_t i = 0; i < s->X->n; i++)
        for (int t = 0; t < STRIP; t++)
            f[i * STRIP + t] -= base[t];
}

static void edges_of_row(const pith_i_graph *S, int64_t i, const double *f, double *rough)
{
    const double *fi = f + i * STRIP;
    for (int64_t e = S->row[i]; e < S->row[i + 1]; e++) {
        const double *fj = f + (int64_t)S->col[e] * STRIP, w = S->weight[e];
        if (S->col[e] > i) /* every edge once */
            for (int t = 0; t < STRIP; t++) {
                const double d = fi[t] - fj[t];
                rough[t] += w * d * d;
            }
    }
}

static void dense_strip(const setting *s, int64_t col, int64_t cols, double *f)
{
    const pith_i_graph *S = s->S;
    double base[STRIP], mean[STRIP] = {0}, rough[STRIP] = {0}, spread[STRIP] = {0};
    load_strip(s, col, cols, f, base);
    for (int64_t i = 0; i < S->n; i++)
        for (int t = 0; t < STRIP; t++)
            mean[t] += S->degree[i] * f[i * STRIP + t];
    for (int t = 0; t < STRIP; t++)
        mean[t] /= s->mass;
    for (int64_t i = 0; i < S->n; i++) {
        for (int t = 0; t < STRIP; t++) {
            const double dev = f[i * STRIP + t] - mean[t];
            spread[t] += S->degree[i] * dev * dev;
        }
        edges_of_row(S, i, f, rough);
    }
    for (int64_t t = 0; t < cols; t++) {
        const double whole = mean[t] + base[t];
        s->out.rough[col + t] = rough[t];
        s->out.spread[col + t] = spread[t];
        s->out.energy[col + t] = spread[t] + whole * whole * s->mass;
    }
}

/* An edge with both ends stored is seen from both and counts half each; with one, it is seen once. */
static double sparse_rough(const pith_i_graph *S, const pith_i_data *T, int64_t j, const double *f,
                           const bool *here)
{
    double rough = 0;
    for (int64_t e = T->indptr[j]; e < T->indptr[j + 1]; e++) {
        const int64_t i = T->indices[e];
        for (int64_t g = S->row[i]; g < S->row[i + 1]; g++) {
            const double d = f[i] - f[S->col[g]];
            rough += (here[S->col[g]] ? 0.5 : 1) * S->weight[g] * d * d;
        }
    }
    return rough;
}

/* f and here are zero on entry and on return. A column without gaps may be far from 0: it is taken relative
 * to one sample, as dense ones are. */
static void sparse_column(const setting *s, int64_t j, double *f, bool *here)
{
    const pith_i_data *T = s->T;
    const int64_t from = T->indptr[j], to = T->indptr[j + 1];
    const bool full = to - from == s->S->n;
    const double base = full ? pith_i_value(T->values, T->dtype, from + s->base) : 0;
    double sum = 0, seen = 0, spread = 0;
    for (int64_t e = from; e < to; e++) {
        const int64_t i = T->indices[e];
        f[i] = pith_i_value(T->values, T->dtype, e) - base;
        here[i] = true;
        sum += s->S->degree[i] * f[i];
        seen += s->S->degree[i];
    }
    const double mean = sum / s->mass, rest = s->mass - seen;
    for (int64_t e = from; e < to; e++) {
        const double dev = f[T->indices[e]] - mean;
        spread += s->S->degree[T->indices[e]] * dev * dev;
    }
    spread += (rest > 0 && !full ? rest : 0) * mean * mean; /* the zeros that are not stored */
    const double whole = base - (s->shift != NULL ? s->shift[j] : 0) + mean;
    s->out.rough[j] = sparse_rough(s->S, T, j, f, here);
    s->out.spread[j] = spread;
    s->out.energy[j] = spread + whole * whole * s->mass;
    for (int64_t e = from; e < to; e++) {
        f[T->indices[e]] = 0;
        here[T->indices[e]] = false;
    }
}

static pith_status all_sparse(pith_ctx *ctx, const setting *s)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int threads = pith_ctx_threads(ctx);
    const int64_t n = s->S->n, p = s->X->p;
    double *columns = NULL;
    bool *marks = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, columns, n * threads));
    TRY(SCRATCH_ZERO(ctx, marks, n * threads));
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16)
    for (int64_t j = 0; j < p; j++)
        if (!pith_i_progress_stop(ctx, j, p))
            sparse_column(s, j, columns + n * pith_i_thread(), marks + n * pith_i_thread());
    TRY(pith_i_stop_status(ctx));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status all_dense(pith_ctx *ctx, const setting *s)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int threads = pith_ctx_threads(ctx);
    const int64_t n = s->S->n, p = s->X->p;
    double *strips = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, strips, n * STRIP * threads));
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t j = 0; j < p; j += STRIP)
        if (!pith_i_progress_stop(ctx, j, p))
            dense_strip(s, j, p - j < STRIP ? p - j : STRIP, strips + n * STRIP * pith_i_thread());
    TRY(pith_i_stop_status(ctx));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_smoothness_find(pith_ctx *ctx, const pith_i_graph *graph, const pith_i_data *X,
                                   const pith_i_data *T, const double *shift, pith_i_smoothness *out)
{
    setting s = {.S = graph, .X = X, .T = T, .shift = shift, .base = heaviest(graph)};
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, s.out.rough, X->p));
    TRY(SCRATCH(ctx, s.out.spread, X->p));
    TRY(SCRATCH(ctx, s.out.energy, X->p));
    for (int64_t i = 0; i < graph->n; i++)
        s.mass += graph->degree[i];
    if (!(s.mass > 0))
        FAIL(ctx, PITH_E_DATA, "the graph has no edge: no two samples are alike by this weight");
    TRY(X->sparse ? all_sparse(ctx, &s) : all_dense(ctx, &s));
    *out = s.out;
done:
    return st;
}

bool pith_i_smoothness_is_flat(const pith_i_smoothness *s, const pith_i_data *X, int64_t j)
{
    const double unit = 4 * (X->dtype == PITH_F32 ? (double)FLT_EPSILON : DBL_EPSILON);
    return !(s->spread[j] > unit * unit * s->energy[j]);
}

void pith_i_weighted_columns(const pith_i_graph *graph, const pith_i_data *X, const pith_i_data *T,
                             int64_t first, int64_t count, double *out)
{
    const int64_t n = graph->n, heavy = heaviest(graph);
    for (int64_t c = 0; c < count; c++, out += n) {
        if (X->sparse)
            pith_i_block(T, first + c, 1, 0, n, out, n);
        else
            pith_i_column(X, first + c, out);
        const double base = out[heavy]; /* so a constant is exactly 0 */
        double sum = 0, mass = 0;
        for (int64_t i = 0; i < n; i++) {
            out[i] -= base;
            sum += graph->degree[i] * out[i];
            mass += graph->degree[i];
        }
        for (int64_t i = 0; i < n; i++)
            out[i] = sqrt(graph->degree[i]) * (out[i] - sum / mass);
    }
}
