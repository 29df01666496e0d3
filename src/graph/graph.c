/* Weighted graphs over the samples. */
#include "graph/arcs.h"

#include "core/parallel.h"
#include "graph/knn_find.h"
#include "graph/spread_inside.h"

#include <math.h>

enum { MOST_FULL = 5000 };

pith_status pith_i_graph_new(pith_ctx *ctx, int64_t n, pith_i_graph **out)
{
    pith_i_graph *G = NULL;
    pith_status st = PITH_OK;
    TRY(NEW_ZERO(ctx, G, 1));
    G->n = n;
    G->heat_width = (double)NAN;
    TRY(NEW_ZERO(ctx, G->row, n + 1));
    *out = G;
    G = NULL;
done:
    pith_i_graph_free(G);
    return st;
}

pith_status pith_i_graph_room(pith_ctx *ctx, pith_i_graph *G)
{
    pith_status st = PITH_OK;
    for (int64_t i = 0; i < G->n; i++)
        G->row[i + 1] += G->row[i];
    TRY(NEW(ctx, G->col, G->row[G->n]));
    TRY(NEW(ctx, G->weight, G->row[G->n]));
done:
    return st;
}

void pith_i_graph_free(pith_i_graph *G)
{
    if (G == NULL)
        return;
    pith_i_free(G->row);
    pith_i_free(G->col);
    pith_i_free(G->weight);
    pith_i_free(G->degree);
    pith_i_free(G->component);
    pith_i_free(G->choice);
    pith_i_free(G->chosen);
    pith_i_halo_free(&G->halo);
    pith_i_free(G);
}

pith_i_graph_summary pith_i_graph_summarize(const pith_i_graph *G)
{
    return (pith_i_graph_summary){.rows = pith_i_graph_is_spread(G) ? G->all : G->n,
                                  .edges = G->row[G->n] / 2,
                                  .components = G->components,
                                  .isolated = G->isolated,
                                  .heat_width = G->heat_width};
}

const double *pith_i_graph_degree(const pith_i_graph *G)
{
    return G->degree;
}

/* ---- Weights ------------------------------------------------------------------------------------------ */

static pith_status heat_width(pith_ctx *ctx, const pith_i_rows *R, const pith_i_graph_options *o, double *out)
{
    const double n = (double)pith_i_all(&R->X);
    const bool spread = pith_i_is_spread(&R->X),
               sampled = o->width_pairs > 0 && (double)o->width_pairs < n * (n - 1) / 2;
    double sigma = 0;
    pith_status st = PITH_OK;
    if (sampled && spread)
        TRY(pith_i_spread_mean_distance_sampled(ctx, &R->X, R->metric, o->width_pairs, &sigma));
    else if (sampled)
        sigma = pith_i_mean_distance_sampled(ctx, R, o->width_pairs);
    if (!(sigma > 0)) /* also where all pairs drawn are of equal rows */
        TRY(spread ? pith_i_spread_mean_distance(ctx, &R->X, R->metric, &sigma)
                   : pith_i_mean_distance_rows(ctx, R, &sigma));
    if (!(sigma > 0))
        FAIL(ctx, PITH_E_DATA,
             "all rows are equal: the width of the heat kernel cannot be set from their distances");
    *out = o->width_factor * sigma * sigma;
done:
    return st;
}

/* ---- Edges: neighbours in either direction ------------------------------------------------------------ */

/* The arcs to all neighbours whose weight is above 0; places of the lists without a neighbour are skipped. */
static void neighbour_arcs(pith_ctx *ctx, const pith_i_knn *knn, const pith_i_weighing *w, pith_i_arcs *A)
{
    const int64_t n = knn->n, k = knn->k;
    int64_t at = 0;
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic, 256)
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = i * k; e < (i + 1) * k; e++)
            A->weight[e] = knn->index[e] >= 0 ? pith_i_weigh(w, i, knn->index[e], knn->distance2[e]) : 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t e = i * k; e < (i + 1) * k; e++)
            if (A->weight[e] > 0) {
                A->weight[at] = A->weight[e];
                A->col[at++] = (int32_t)knn->index[e];
            }
        A->row[i + 1] = at;
    }
}

static pith_status neighbour_edges(pith_ctx *ctx, const pith_i_rows *R, const pith_i_graph_options *o,
                                   const pith_i_weighing *w, pith_i_graph *G)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = R->X.n;
    pith_i_knn knn = {0};
    pith_status st = PITH_OK;
    pith_i_arcs A = {0};
    TRY(o->batches != NULL ? pith_i_knn_balanced_rows(ctx, R, o->neighbors, o->batches, &knn)
                           : pith_i_knn_rows(ctx, R, o->neighbors, o->candidates, &knn));
    TRY(pith_i_arcs_new(ctx, n, n * knn.k, &A));
    neighbour_arcs(ctx, &knn, w, &A);
    pith_i_knn_free(&knn);
    TRY(pith_i_arcs_keep(ctx, &A, G));
    TRY(pith_i_arcs_unite(ctx, &A, G));
done:
    pith_i_knn_free(&knn);
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- Edges: every pair --------------------------------------------------------------------------------- */

/* Place of edge (i, l) in the list of all pairs by rows, without (i, i). */
static int64_t place(int64_t n, int64_t i, int64_t l)
{
    return i * (n - 1) + (l < i ? l : l - 1);
}

/* Removes the edges whose weight is 0. */
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

static pith_status full_edges(pith_ctx *ctx, const pith_i_rows *R, const pith_i_weighing *w, pith_i_graph *G)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = R->X.n, width = R->X.sparse ? R->X.p : 0, threads = pith_ctx_threads(ctx);
    pith_status st = PITH_OK;
    double *spread = NULL;
    for (int64_t i = 0; i < n; i++)
        G->row[i + 1] = n - 1;
    TRY(pith_i_graph_room(ctx, G));
    TRY(SCRATCH_ZERO(ctx, spread, threads * width));
#pragma omp parallel for num_threads((int)threads) schedule(dynamic)
    for (int64_t i = 0; i < n; i++) {
        pith_i_probe probe;
        if (pith_i_progress_stop(ctx, i * (2 * n - i) / 2, n * n / 2))
            continue;
        pith_i_probe_start(&probe, R, i, width > 0 ? spread + pith_i_thread() * width : NULL);
        for (int64_t l = i + 1; l < n; l++) {
            const int64_t there = place(n, i, l), back = place(n, l, i);
            G->weight[there] = G->weight[back] = pith_i_weigh(w, i, l, pith_i_probe_distance2(&probe, l));
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
    if (pith_i_all(X) < 2)
        return pith_i_error(ctx, PITH_E_DATA, "a graph needs at least 2 rows, there is %lld",
                            (long long)pith_i_all(X));
    if (X->n > INT32_MAX)
        return pith_i_error(ctx, PITH_E_DATA, "%lld rows: a graph can have at most %d", (long long)X->n,
                            INT32_MAX);
    if (o->full && X->n > MOST_FULL)
        return pith_i_error(ctx, PITH_E_DATA,
                            "%lld rows are too many for a graph of all pairs, which is limited to %d: use "
                            "nearest neighbours (--neighbors) or fewer rows",
                            (long long)X->n, MOST_FULL);
    if (!o->full && o->neighbors < 1)
        return pith_i_error(ctx, PITH_E_PARAMETER, "neighbors must be 1 or more, not %lld",
                            (long long)o->neighbors);
    if (o->weight == PITH_I_HEAT && !(o->width > 0) && (!(o->width_factor > 0) || !isfinite(o->width_factor)))
        return pith_i_error(ctx, PITH_E_PARAMETER,
                            "the width factor of the heat kernel must be above 0, not %g", o->width_factor);
    return PITH_OK;
}

pith_status pith_i_graph_build(pith_ctx *ctx, const pith_i_data *X, const pith_i_graph_options *options,
                               pith_i_graph **out)
{
    pith_i_rows R = {0}, unit = {0};
    pith_i_graph *G = NULL;
    pith_i_weighing w = {.kind = options->weight, .width = (double)NAN};
    pith_status st = PITH_OK;
    TRY(check(ctx, X, options));
    TRY(pith_i_rows_open(ctx, X, options->metric, &R));
    if (w.kind == PITH_I_HEAT && options->width > 0)
        w.width = options->width;
    else if (w.kind == PITH_I_HEAT)
        TRY(heat_width(ctx, &R, options, &w.width));
    if (!pith_i_is_spread(X) && w.kind == PITH_I_COSINE_WEIGHT && options->metric != PITH_I_COSINE) {
        TRY(pith_i_rows_open(ctx, X, PITH_I_COSINE, &unit));
        w.unit = &unit;
    }
    TRY(pith_i_graph_new(ctx, X->n, &G));
    G->offset = X->offset;
    G->all = X->all;
    G->heat_width = w.width;
    TRY(pith_i_is_spread(X) ? pith_i_spread_edges(ctx, &R, options->neighbors, w, G)
        : options->full     ? full_edges(ctx, &R, &w, G)
                            : neighbour_edges(ctx, &R, options, &w, G));
    TRY(pith_i_graph_finish(ctx, G));
    *out = G;
    G = NULL;
done:
    pith_i_rows_close(&R);
    pith_i_rows_close(&unit);
    pith_i_graph_free(G);
    return st;
}
