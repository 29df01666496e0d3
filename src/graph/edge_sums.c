#include "graph/edge_sums.h"

#include "core/engine.h"
#include "core/parallel.h"
#include "graph/spread_inside.h"

#include <string.h>

enum { STRIP = 8 }; /* columns handled together: one cache line of each row */

typedef struct setting {
    const pith_i_graph *S;
    const pith_i_data *X, *T;
    int64_t m;
    double *C;      /* edge e, group l: C[e * m + l]; equal for both directions of an edge */
    double *sums;   /* threads x m x STRIP */
    double *strips; /* threads x n x STRIP; sparse: threads x n, zero between columns */
    bool *here;     /* threads x n, false between columns; sparse */
    double *out;
} setting;

static void dense_strip(const setting *s, int64_t col, int64_t cols)
{
    const int64_t n = s->X->n, m = s->m;
    double *f = s->strips + pith_i_thread() * n * STRIP, *sums = s->sums + pith_i_thread() * m * STRIP;
    memset(f, 0, (size_t)(n * STRIP) * sizeof *f);
    memset(sums, 0, (size_t)(m * STRIP) * sizeof *sums);
    pith_i_block(s->X, 0, n, col, cols, f, STRIP);
    for (int64_t i = 0; i < s->S->n; i++)
        for (int64_t e = s->S->row[i]; e < s->S->row[i + 1]; e++) {
            const double *fi = f + i * STRIP, *fk = f + (int64_t)s->S->col[e] * STRIP;
            double square[STRIP];
            if (!pith_i_is_lower(s->S, i, s->S->col[e])) /* every edge once */
                continue;
            for (int t = 0; t < STRIP; t++)
                square[t] = (fi[t] - fk[t]) * (fi[t] - fk[t]);
            for (int64_t l = 0; l < m; l++)
                for (int t = 0; t < STRIP; t++)
                    sums[l * STRIP + t] += s->C[e * m + l] * square[t];
        }
    for (int64_t t = 0; t < cols; t++)
        for (int64_t l = 0; l < m; l++)
            s->out[(col + t) * m + l] = sums[l * STRIP + t];
}

/* An edge with both ends stored is seen from both and counts half each; with one, it is seen once. */
static void sparse_column(const setting *s, int64_t j)
{
    const int64_t m = s->m, from = s->T->indptr[j], to = s->T->indptr[j + 1];
    double *f = s->strips + pith_i_thread() * s->X->n, *out = s->out + j * m;
    bool *here = s->here + pith_i_thread() * s->X->n;
    memset(out, 0, (size_t)m * sizeof *out);
    for (int64_t at = from; at < to; at++) {
        f[s->T->indices[at]] = pith_i_at(s->T, j, at);
        here[s->T->indices[at]] = true;
    }
    for (int64_t at = from; at < to && s->T->indices[at] < s->S->n; at++) { /* rows held here come first */
        const int64_t i = s->T->indices[at];
        for (int64_t e = s->S->row[i]; e < s->S->row[i + 1]; e++) {
            const int64_t k = s->S->col[e];
            const double square = (here[k] ? 0.5 : 1) * (f[i] - f[k]) * (f[i] - f[k]);
            for (int64_t l = 0; l < m; l++)
                out[l] += s->C[e * m + l] * square;
        }
    }
    for (int64_t at = from; at < to; at++) {
        f[s->T->indices[at]] = 0;
        here[s->T->indices[at]] = false;
    }
}

static void strip(const setting *s, int64_t col, int64_t cols)
{
    if (!s->X->sparse)
        dense_strip(s, col, cols);
    for (int64_t j = col; s->X->sparse && j < col + cols; j++)
        sparse_column(s, j);
}

static pith_status weight_edges(pith_ctx *ctx, const pith_i_edge_weightings *w, setting *s)
{
    const pith_i_graph *S = s->S;
    double *y = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, s->C, S->row[S->n] * s->m));
    TRY(SCRATCH(ctx, y, S->n + S->halo.count));
    for (int64_t l = 0; l < w->pairs; l++) {
        const double lambda = w->value[l];
        for (int64_t i = 0; i < S->n; i++)
            y[i] = S->degree[i] > 0 ? w->vector[l * S->n + i] / sqrt(S->degree[i]) : 0;
        if (pith_i_graph_is_spread(S))
            TRY(pith_i_halo_numbers(ctx, &S->halo, 1, y, y + S->n));
        for (int64_t i = 0; i < S->n; i++)
            for (int64_t e = S->row[i]; e < S->row[i + 1]; e++) {
                const double yi = y[i], yj = y[S->col[e]];
                s->C[e * s->m + w->group[l]] +=
                    S->weight[e] * ((yi - yj) * (yi - yj) - lambda * (yi * yi + yj * yj));
            }
    }
done:
    return st;
}

pith_status pith_i_edge_sums(pith_ctx *ctx, const pith_i_graph *graph, const pith_i_data *X,
                             const pith_i_data *T, const pith_i_edge_weightings *weightings, double *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t threads = pith_ctx_threads(ctx), p = X->p;
    setting s = {.S = graph, .X = X, .T = T, .m = weightings->groups, .out = out};
    pith_i_data with = {0}, transposed = {0};
    pith_status st = PITH_OK;
    if (pith_i_graph_is_spread(graph)) {
        TRY(pith_i_graph_rows(ctx, graph, X, &with, &transposed));
        s.X = &with;
        s.T = X->sparse ? &transposed : NULL;
    }
    TRY(weight_edges(ctx, weightings, &s));
    TRY(SCRATCH_ZERO(ctx, s.strips, threads * s.X->n * (X->sparse ? 1 : STRIP)));
    if (X->sparse)
        TRY(SCRATCH_ZERO(ctx, s.here, threads * s.X->n));
    else
        TRY(SCRATCH(ctx, s.sums, threads * s.m * STRIP));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic)
    for (int64_t j = 0; j < p; j += STRIP)
        if (!pith_i_progress_stop(ctx, j, p))
            strip(&s, j, p - j < STRIP ? p - j : STRIP);
    TRY(pith_i_stop_status(ctx));
    TRY(pith_i_sum(ctx, p * s.m, out));
done:
    pith_i_data_free(&with);
    pith_i_data_free(&transposed);
    pith_i_scratch_release(ctx, mark);
    return st;
}
