/* Weighted graphs over the samples. */
#include "graph/graph.h"

#include "core/parallel.h"
#include "graph/knn_find.h"

#include <math.h>
#include <string.h>

enum { MOST_FULL = 5000 };

void pith_i_graph_free(pith_i_graph *G)
{
    pith_i_free(G->row);
    pith_i_free(G->col);
    pith_i_free(G->weight);
    pith_i_free(G->degree);
    pith_i_free(G->component);
    pith_i_free(G->choice);
    pith_i_free(G->chosen);
    *G = (pith_i_graph){0};
}

/* ---- Weights ------------------------------------------------------------------------------------------ */

typedef struct weighing {
    pith_i_weight kind;
    double width;            /* heat: t */
    const pith_i_rows *unit; /* cosine weights where distances are not cosine ones; else NULL */
} weighing;

/* The weight of edge (i, l), given their squared distance; 0 is no edge. Symmetric in i and l. */
static double weigh(const weighing *w, int64_t i, int64_t l, double distance2)
{
    switch (w->kind) {
    case PITH_I_BINARY: return 1;
    case PITH_I_HEAT: return exp(-distance2 / w->width);
    case PITH_I_COSINE_WEIGHT: break;
    }
    const double cosine = 1 - (w->unit != NULL ? pith_i_rows_distance2(w->unit, i, l) : distance2) / 2;
    return cosine > 0 ? cosine : 0;
}

static pith_status heat_width(pith_ctx *ctx, const pith_i_rows *R, const pith_i_graph_options *o, double *out)
{
    const double n = (double)R->X.n;
    double sigma = 0;
    pith_status st = PITH_OK;
    if (o->width_pairs > 0 && (double)o->width_pairs < n * (n - 1) / 2)
        sigma = pith_i_mean_distance_sampled(ctx, R, o->width_pairs);
    if (!(sigma > 0)) /* also where the pairs drawn are copies */
        TRY(pith_i_mean_distance_rows(ctx, R, &sigma));
    if (!(sigma > 0))
        FAIL(ctx, PITH_E_DATA, "all rows are equal: there are no distances to give the heat weights a width");
    *out = o->width_factor * sigma * sigma;
done:
    return st;
}

/* ---- Edges: neighbours in either direction ------------------------------------------------------------ */

typedef struct arcs { /* CSR of a directed graph */
    int64_t *row;
    int32_t *col;
    double *weight;
} arcs;

static pith_status new_arcs(pith_ctx *ctx, int64_t n, int64_t count, arcs *out)
{
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, out->row, n + 1));
    TRY(SCRATCH(ctx, out->col, count));
    TRY(SCRATCH(ctx, out->weight, count));
done:
    return st;
}

/* B = A'. Rows are visited in order, so the columns of B ascend. */
static void turn(int64_t n, const arcs *A, arcs *B)
{
    for (int64_t e = 0; e < A->row[n]; e++)
        B->row[A->col[e] + 1]++;
    for (int64_t i = 0; i < n; i++)
        B->row[i + 1] += B->row[i];
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = A->row[i]; e < A->row[i + 1]; e++) {
            const int64_t at = B->row[A->col[e]]++;
            B->col[at] = (int32_t)i;
            B->weight[at] = A->weight[e];
        }
    memmove(B->row + 1, B->row, (size_t)n * sizeof *B->row);
    B->row[0] = 0;
}

/* Row i of max(A, B), columns ascending, to out; returns its length. out NULL: only counts. */
static int64_t unite_row(const arcs *A, const arcs *B, int64_t i, int32_t *col, double *weight)
{
    int64_t a = A->row[i], b = B->row[i], count = 0;
    while (a < A->row[i + 1] || b < B->row[i + 1]) {
        const int32_t ca = a < A->row[i + 1] ? A->col[a] : INT32_MAX;
        const int32_t cb = b < B->row[i + 1] ? B->col[b] : INT32_MAX;
        const int32_t c = ca < cb ? ca : cb;
        const double wa = ca == c ? A->weight[a++] : 0, wb = cb == c ? B->weight[b++] : 0;
        if (col != NULL) {
            col[count] = c;
            weight[count] = wa > wb ? wa : wb;
        }
        count++;
    }
    return count;
}

/* Row lengths to row starts, and room for the edges. */
static pith_status new_edges(pith_ctx *ctx, pith_i_graph *G)
{
    pith_status st = PITH_OK;
    for (int64_t i = 0; i < G->n; i++)
        G->row[i + 1] += G->row[i];
    TRY(NEW(ctx, G->col, G->row[G->n]));
    TRY(NEW(ctx, G->weight, G->row[G->n]));
done:
    return st;
}

/* The arcs of all neighbours whose weight is not 0. */
static void neighbour_arcs(pith_ctx *ctx, const pith_i_knn *knn, const weighing *w, arcs *A)
{
    const int64_t n = knn->n, k = knn->k;
    int64_t at = 0;
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic, 256)
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = i * k; e < (i + 1) * k; e++)
            A->weight[e] = weigh(w, i, knn->index[e], knn->distance2[e]);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t e = i * k; e < (i + 1) * k; e++)
            if (A->weight[e] > 0) {
                A->weight[at] = A->weight[e];
                A->col[at++] = (int32_t)knn->index[e];
            }
        A->row[i + 1] = at;
    }
}

/* What every row chose, kept beside the edges, which no longer tell. */
static pith_status keep_choices(pith_ctx *ctx, const arcs *A, pith_i_graph *G)
{
    pith_status st = PITH_OK;
    TRY(NEW(ctx, G->choice, G->n + 1));
    TRY(NEW(ctx, G->chosen, A->row[G->n]));
    memcpy(G->choice, A->row, (size_t)(G->n + 1) * sizeof *G->choice);
    memcpy(G->chosen, A->col, (size_t)A->row[G->n] * sizeof *G->chosen);
done:
    return st;
}

static pith_status neighbour_edges(pith_ctx *ctx, const pith_i_rows *R, const pith_i_graph_options *o,
                                   const weighing *w, pith_i_graph *G)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = R->X.n;
    pith_i_knn knn = {0};
    pith_status st = PITH_OK;
    arcs A = {0}, B = {0}, C = {0};
    TRY(pith_i_knn_rows(ctx, R, o->neighbors, o->candidates, &knn));
    TRY(new_arcs(ctx, n, n * knn.k, &A));
    neighbour_arcs(ctx, &knn, w, &A);
    pith_i_knn_free(&knn);
    TRY(keep_choices(ctx, &A, G));
    TRY(new_arcs(ctx, n, A.row[n], &B));
    TRY(new_arcs(ctx, n, A.row[n], &C));
    turn(n, &A, &B);
    turn(n, &B, &C); /* A again, with ascending columns */
    for (int64_t i = 0; i < n; i++)
        G->row[i + 1] = unite_row(&B, &C, i, NULL, NULL);
    TRY(new_edges(ctx, G));
    for (int64_t i = 0; i < n; i++)
        (void)unite_row(&B, &C, i, G->col + G->row[i], G->weight + G->row[i]);
done:
    pith_i_knn_free(&knn);
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- Edges: every pair --------------------------------------------------------------------------------- */

/* Edge (i, l) of n rows in a list that leaves out (i, i). */
static int64_t place(int64_t n, int64_t i, int64_t l)
{
    return i * (n - 1) + (l < i ? l : l - 1);
}

/* Edges whose weight is 0 are none: the others move up. */
static void drop_zeros(pith_i_graph *G)
{
    int64_t at = 0;
    for (int64_t i = 0; i < G->n; i++) {
        const int64_t from = G->row[i], to = G->row[i + 1];
        G->row[i] = at;
        for (int64_t e = from; e < to; e++)
            if (G->weight[e] > 0) {
                G->col[at] = G->col[e];
                G->weight[at++] = G->weight[e];
            }
    }
    G->row[G->n] = at;
}

static pith_status full_edges(pith_ctx *ctx, const pith_i_rows *R, const weighing *w, pith_i_graph *G)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = R->X.n, width = R->X.sparse ? R->X.p : 0, threads = pith_ctx_threads(ctx);
    pith_status st = PITH_OK;
    double *spread = NULL;
    for (int64_t i = 0; i < n; i++)
        G->row[i + 1] = n - 1;
    TRY(new_edges(ctx, G));
    TRY(SCRATCH_ZERO(ctx, spread, threads * width));
#pragma omp parallel for num_threads((int)threads) schedule(dynamic)
    for (int64_t i = 0; i < n; i++) {
        pith_i_probe probe;
        if (pith_i_progress_stop(ctx, i * (2 * n - i) / 2, n * n / 2))
            continue;
        pith_i_probe_start(&probe, R, i, width > 0 ? spread + pith_i_thread() * width : NULL);
        for (int64_t l = i + 1; l < n; l++) {
            const int64_t there = place(n, i, l), back = place(n, l, i);
            G->weight[there] = G->weight[back] = weigh(w, i, l, pith_i_probe_distance2(&probe, l));
            G->col[there] = (int32_t)l;
            G->col[back] = (int32_t)i;
        }
        pith_i_probe_end(&probe);
    }
    TRY(pith_i_stop_status(ctx));
    drop_zeros(G);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- Building ----------------------------------------------------------------------------------------- */

static pith_status check(pith_ctx *ctx, const pith_i_data *X, const pith_i_graph_options *o)
{
    if (X->n < 2)
        return pith_i_error(ctx, PITH_E_DATA, "a graph needs at least 2 rows, there is %lld",
                            (long long)X->n);
    if (X->n > INT32_MAX)
        return pith_i_error(ctx, PITH_E_DATA, "%lld rows: a graph can have at most %d", (long long)X->n,
                            INT32_MAX);
    if (o->full && X->n > MOST_FULL)
        return pith_i_error(ctx, PITH_E_DATA,
                            "%lld rows are too many for a graph of all pairs, which takes at most %d: use "
                            "nearest neighbours (--neighbors) or fewer rows",
                            (long long)X->n, MOST_FULL);
    if (!o->full && o->neighbors < 1)
        return pith_i_error(ctx, PITH_E_PARAMETER, "neighbors must be 1 or more, not %lld",
                            (long long)o->neighbors);
    if (o->weight == PITH_I_HEAT && !(o->width > 0) && (!(o->width_factor > 0) || !isfinite(o->width_factor)))
        return pith_i_error(ctx, PITH_E_PARAMETER, "the factor of the heat width must be above 0, not %g",
                            o->width_factor);
    return PITH_OK;
}

pith_status pith_i_graph_build(pith_ctx *ctx, const pith_i_data *X, const pith_i_graph_options *options,
                               pith_i_graph *out)
{
    pith_i_rows R = {0}, unit = {0};
    pith_i_graph G = {.heat_width = (double)NAN};
    weighing w = {.kind = options->weight, .width = (double)NAN};
    pith_status st = PITH_OK;
    TRY(check(ctx, X, options));
    TRY(pith_i_rows_open(ctx, X, options->metric, &R));
    if (w.kind == PITH_I_HEAT && options->width > 0)
        w.width = options->width;
    else if (w.kind == PITH_I_HEAT)
        TRY(heat_width(ctx, &R, options, &w.width));
    if (w.kind == PITH_I_COSINE_WEIGHT && options->metric != PITH_I_COSINE) {
        TRY(pith_i_rows_open(ctx, X, PITH_I_COSINE, &unit));
        w.unit = &unit;
    }
    G.n = X->n;
    G.heat_width = w.width;
    TRY(NEW_ZERO(ctx, G.row, G.n + 1));
    TRY(options->full ? full_edges(ctx, &R, &w, &G) : neighbour_edges(ctx, &R, options, &w, &G));
    TRY(pith_i_graph_finish(ctx, &G));
    *out = G;
    G = (pith_i_graph){0};
done:
    pith_i_rows_close(&R);
    pith_i_rows_close(&unit);
    pith_i_graph_free(&G);
    return st;
}
