#include "graph/smoothness.h"

#include "core/engine.h"
#include "core/parallel.h"
#include "graph/spread_inside.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { STRIP = 8 }; /* dense columns handled together: one cache line of each row */

typedef struct setting {
    const pith_i_graph *S;
    const pith_i_data *X, *T; /* with the rows of the halo, if there are any */
    const double *shift;
    double mass;           /* sum of degrees */
    double *base;          /* of every column: its value at the reference sample */
    double *mean;          /* of every column relative to base; a sum at first */
    double *stored_degree; /* sparse: the sum of degrees of the samples that have the column, */
    double *stored;        /* and how many have it */
    pith_i_smoothness out;
} setting;

/* The reference sample, to which columns are taken relative: that of largest degree, ties to the lower index.
 * An outlier, whose digits would hide those of all the others, has a small one. -1: another process has it.
 */
static pith_status heaviest(pith_ctx *ctx, const pith_i_graph *g, int64_t *out)
{
    int64_t base = 0;
    pith_status st = PITH_OK;
    for (int64_t i = 1; i < g->n; i++)
        if (g->degree[i] > g->degree[base])
            base = i;
    *out = base;
    if (!pith_i_graph_is_spread(g))
        return PITH_OK;
    double most = g->n > 0 ? g->degree[base] : -1;
    const double own = most;
    TRY(pith_i_sum_by(ctx, PITH_ENGINE_MOST, 1, &most));
    double first = own == most ? (double)(g->offset + base) : (double)INFINITY;
    TRY(pith_i_sum_by(ctx, PITH_ENGINE_LEAST, 1, &first));
    *out = own == most && first == (double)(g->offset + base) ? base : -1;
done:
    return st;
}

static pith_status find_base(pith_ctx *ctx, const pith_i_graph *g, const pith_i_data *X, double *base)
{
    int64_t row = 0;
    pith_status st = PITH_OK;
    TRY(heaviest(ctx, g, &row));
    memset(base, 0, (size_t)X->p * sizeof *base);
    if (row >= 0)
        pith_i_block(X, row, 1, 0, X->p, base, X->p);
    TRY(pith_i_sum(ctx, X->p, base));
done:
    return st;
}

/* ---- Dense --------------------------------------------------------------------------------------------- */

/* Columns col .. col+STRIP-1, padded with zeros, taken relative to one sample: a constant is then exactly 0;
 * else rounding would make it the best feature. */
static void load_strip(const setting *s, int64_t col, int64_t cols, double *f)
{
    double base[STRIP] = {0};
    memset(f, 0, (size_t)(s->X->n * STRIP) * sizeof *f);
    pith_i_block(s->X, 0, s->X->n, col, cols, f, STRIP);
    memcpy(base, s->base + col, (size_t)cols * sizeof *base);
    for (int64_t i = 0; i < s->X->n; i++)
        for (int t = 0; t < STRIP; t++)
            f[i * STRIP + t] -= base[t];
}

static void sum_strip(const setting *s, int64_t col, int64_t cols, const double *f)
{
    double sum[STRIP] = {0};
    for (int64_t i = 0; i < s->S->n; i++)
        for (int t = 0; t < STRIP; t++)
            sum[t] += s->S->degree[i] * f[i * STRIP + t];
    memcpy(s->mean + col, sum, (size_t)cols * sizeof *sum);
}

static void edges_of_row(const pith_i_graph *S, int64_t i, const double *f, double *rough)
{
    const double *fi = f + i * STRIP;
    for (int64_t e = S->row[i]; e < S->row[i + 1]; e++) {
        const double *fj = f + (int64_t)S->col[e] * STRIP, w = S->weight[e];
        if (pith_i_is_lower(S, i, S->col[e]))
            for (int t = 0; t < STRIP; t++) {
                const double d = fi[t] - fj[t];
                rough[t] += w * d * d;
            }
    }
}

static void weigh_strip(const setting *s, int64_t col, int64_t cols, const double *f)
{
    const pith_i_graph *S = s->S;
    double mean[STRIP] = {0}, rough[STRIP] = {0}, spread[STRIP] = {0};
    memcpy(mean, s->mean + col, (size_t)cols * sizeof *mean);
    for (int64_t i = 0; i < S->n; i++) {
        for (int t = 0; t < STRIP; t++) {
            const double dev = f[i * STRIP + t] - mean[t];
            spread[t] += S->degree[i] * dev * dev;
        }
        edges_of_row(S, i, f, rough);
    }
    memcpy(s->out.rough + col, rough, (size_t)cols * sizeof *rough);
    memcpy(s->out.spread + col, spread, (size_t)cols * sizeof *spread);
}

/* ---- Sparse -------------------------------------------------------------------------------------------- */

/* The end of column j's entries of samples held here: those of the halo come after them. */
static int64_t own_end(const setting *s, int64_t j)
{
    int64_t to = s->T->indptr[j + 1];
    while (to > s->T->indptr[j] && s->T->indices[to - 1] >= s->S->n)
        to--;
    return to;
}

/* A column without gaps may be far from 0: it is taken relative to the reference sample, as if dense. */
static bool has_gaps(const setting *s, int64_t j)
{
    return s->stored[j] < (double)(pith_i_graph_is_spread(s->S) ? s->S->all : s->S->n);
}

static double base_of(const setting *s, int64_t j)
{
    return has_gaps(s, j) ? 0 : s->base[j];
}

static void sum_column(const setting *s, int64_t j)
{
    const pith_i_data *T = s->T;
    const double base = base_of(s, j);
    double sum = 0, stored_degree = 0;
    for (int64_t e = T->indptr[j], to = own_end(s, j); e < to; e++) {
        const int64_t i = T->indices[e];
        sum += s->S->degree[i] * (pith_i_at(T, j, e) - base);
        stored_degree += s->S->degree[i];
    }
    s->mean[j] = sum;
    s->stored_degree[j] = stored_degree;
}

/* An edge with both ends stored is seen from both and counts half each; with one, it is seen once. */
static double sparse_rough(const setting *s, int64_t j, const double *f, const bool *here)
{
    const pith_i_graph *S = s->S;
    double rough = 0;
    for (int64_t e = s->T->indptr[j], to = own_end(s, j); e < to; e++) {
        const int64_t i = s->T->indices[e];
        for (int64_t g = S->row[i]; g < S->row[i + 1]; g++) {
            const double d = f[i] - f[S->col[g]];
            rough += (here[S->col[g]] ? 0.5 : 1) * S->weight[g] * d * d;
        }
    }
    return rough;
}

/* f and here are zero on entry and on return. */
static void weigh_column(const setting *s, int64_t j, double *f, bool *here)
{
    const pith_i_data *T = s->T;
    const int64_t from = T->indptr[j], to = T->indptr[j + 1];
    const double base = base_of(s, j), mean = s->mean[j];
    double spread = 0;
    for (int64_t e = from; e < to; e++) {
        f[T->indices[e]] = pith_i_at(T, j, e) - base;
        here[T->indices[e]] = true;
    }
    for (int64_t e = from, end = own_end(s, j); e < end; e++) {
        const double dev = f[T->indices[e]] - mean;
        spread += s->S->degree[T->indices[e]] * dev * dev;
    }
    s->out.spread[j] = spread;
    s->out.rough[j] = sparse_rough(s, j, f, here);
    for (int64_t e = from; e < to; e++) {
        f[T->indices[e]] = 0;
        here[T->indices[e]] = false;
    }
}

/* ---- All columns --------------------------------------------------------------------------------------- */

typedef struct working {
    double *f;
    bool *here;
} working;

static void load_columns(const setting *s, int64_t col, int64_t cols, const working *r)
{
    if (s->T == NULL)
        load_strip(s, col, cols, r->f);
}

static void sum_columns(const setting *s, int64_t col, int64_t cols, const working *r)
{
    if (s->T == NULL)
        sum_strip(s, col, cols, r->f);
    for (int64_t j = col; s->T != NULL && j < col + cols; j++)
        sum_column(s, j);
}

static void take_means(const setting *s, int64_t col, int64_t cols)
{
    for (int64_t j = col; j < col + cols; j++)
        s->mean[j] /= s->mass;
}

static void weigh_columns(const setting *s, int64_t col, int64_t cols, const working *r)
{
    if (s->T == NULL)
        weigh_strip(s, col, cols, r->f);
    for (int64_t j = col; s->T != NULL && j < col + cols; j++)
        weigh_column(s, j, r->f, r->here);
}

enum { SUMS = 1, WEIGHTS = 2 };

/* One process does both for a strip once it is loaded; several add up their sums in between. */
static pith_status pass(pith_ctx *ctx, const setting *s, int what)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int threads = pith_ctx_threads(ctx);
    const int64_t n = s->X->n, p = s->X->p, wide = s->T == NULL ? n * STRIP : n;
    double *columns = NULL;
    bool *marks = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, columns, wide * threads));
    TRY(SCRATCH_ZERO(ctx, marks, s->T == NULL ? 0 : n * threads));
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t j = 0; j < p; j += STRIP) {
        const int64_t cols = p - j < STRIP ? p - j : STRIP;
        const working r = {columns + wide * pith_i_thread(),
                           s->T == NULL ? NULL : marks + n * pith_i_thread()};
        if (pith_i_progress_stop(ctx, j, p))
            continue;
        load_columns(s, j, cols, &r);
        if ((what & SUMS) != 0)
            sum_columns(s, j, cols, &r);
        if (what == (SUMS | WEIGHTS))
            take_means(s, j, cols);
        if ((what & WEIGHTS) != 0)
            weigh_columns(s, j, cols, &r);
    }
    TRY(pith_i_stop_status(ctx));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status both_passes(pith_ctx *ctx, const setting *s)
{
    const int64_t p = s->X->p;
    pith_status st = PITH_OK;
    if (!pith_i_graph_is_spread(s->S))
        return pass(ctx, s, SUMS | WEIGHTS);
    TRY(pass(ctx, s, SUMS));
    TRY(pith_i_sum(ctx, p, s->mean));
    TRY(pith_i_sum(ctx, p, s->stored_degree));
    take_means(s, 0, p);
    TRY(pass(ctx, s, WEIGHTS));
    TRY(pith_i_sum(ctx, p, s->out.spread));
    TRY(pith_i_sum(ctx, p, s->out.rough));
done:
    return st;
}

static void finish_column(const setting *s, int64_t j)
{
    const double base = s->T != NULL ? base_of(s, j) - (s->shift != NULL ? s->shift[j] : 0) : s->base[j];
    const double mean = s->mean[j], rest = s->mass - s->stored_degree[j];
    if (s->T != NULL && has_gaps(s, j) && rest > 0) /* the zeros that are not stored */
        s->out.spread[j] += rest * mean * mean;
    const double whole = s->T != NULL ? base + mean : mean + base;
    s->out.energy[j] = s->out.spread[j] + whole * whole * s->mass;
}

static pith_status find(pith_ctx *ctx, setting *s)
{
    const int64_t p = s->X->p;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, s->mean, p));
    TRY(SCRATCH_ZERO(ctx, s->stored_degree, p));
    TRY(SCRATCH_ZERO(ctx, s->stored, p));
    for (int64_t j = 0; s->T != NULL && j < p; j++)
        s->stored[j] = (double)(own_end(s, j) - s->T->indptr[j]);
    TRY(pith_i_sum(ctx, p, s->stored));
    TRY(both_passes(ctx, s));
    for (int64_t j = 0; j < p; j++)
        finish_column(s, j);
done:
    return st;
}

pith_status pith_i_smoothness_find(pith_ctx *ctx, const pith_i_graph *graph, const pith_i_data *X,
                                   const pith_i_data *T, const double *shift, pith_i_smoothness *out)
{
    setting s = {.S = graph, .X = X, .T = X->sparse ? T : NULL, .shift = shift};
    pith_i_data with = {0}, transposed = {0};
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, s.out.rough, X->p));
    TRY(SCRATCH(ctx, s.out.spread, X->p));
    TRY(SCRATCH(ctx, s.out.energy, X->p));
    const size_t mark = pith_i_scratch_mark(ctx);
    for (int64_t i = 0; i < graph->n; i++)
        s.mass += graph->degree[i];
    TRY(pith_i_sum(ctx, 1, &s.mass));
    if (!(s.mass > 0))
        FAIL(ctx, PITH_E_DATA, "the graph has no edges: no two samples are similar by this weight");
    TRY(SCRATCH(ctx, s.base, X->p));
    TRY(find_base(ctx, graph, X, s.base));
    if (pith_i_graph_is_spread(graph)) {
        TRY(pith_i_graph_rows(ctx, graph, X, &with, &transposed));
        s.X = &with;
        s.T = X->sparse ? &transposed : NULL;
    }
    TRY(find(ctx, &s));
    *out = s.out;
    pith_i_scratch_release(ctx, mark);
done:
    pith_i_data_free(&with);
    pith_i_data_free(&transposed);
    return st;
}

bool pith_i_smoothness_is_flat(const pith_i_smoothness *s, const pith_i_data *X, int64_t j)
{
    const double unit = 4 * (X->dtype == PITH_F32 ? (double)FLT_EPSILON : DBL_EPSILON);
    return !(s->spread[j] > unit * unit * s->energy[j]);
}

pith_status pith_i_weighted_columns(pith_ctx *ctx, const pith_i_graph *graph, const pith_i_data *X,
                                    const pith_i_data *T, int64_t first, int64_t count, double *room,
                                    double *out)
{
    const int64_t n = graph->n;
    int64_t heavy = 0;
    double *base = room, *sum = room + count; /* of every column; after the sums the mass */
    pith_status st = PITH_OK;
    memset(room, 0, (size_t)(2 * count + 1) * sizeof *room);
    TRY(heaviest(ctx, graph, &heavy));
    for (int64_t c = 0; c < count; c++) {
        if (X->sparse)
            pith_i_block(T, first + c, 1, 0, n, out + c * n, n);
        else
            pith_i_column(X, first + c, out + c * n);
        base[c] = heavy >= 0 ? out[c * n + heavy] : 0;
    }
    TRY(pith_i_sum(ctx, count, base));
    for (int64_t i = 0; i < n; i++)
        sum[count] += graph->degree[i];
    for (int64_t c = 0; c < count; c++)
        for (int64_t i = 0; i < n; i++) {
            out[c * n + i] -= base[c]; /* so a constant is exactly 0 */
            sum[c] += graph->degree[i] * out[c * n + i];
        }
    TRY(pith_i_sum(ctx, count + 1, sum));
    for (int64_t c = 0; c < count; c++)
        for (int64_t i = 0; i < n; i++)
            out[c * n + i] = sqrt(graph->degree[i]) * (out[c * n + i] - sum[c] / sum[count]);
done:
    return st;
}
