#include "graph/spread_inside.h"

#include "core/engine.h"
#include "graph/knn_find.h"

#include <stdlib.h>
#include <string.h>

/* ---- Edges --------------------------------------------------------------------------------------------- */

typedef struct arc { /* rows by their numbers in the whole table */
    int64_t from, to;
    double weight;
} arc;

typedef struct arcs {
    int64_t count;
    arc *at;
} arcs;

static int by_ends(const void *x, const void *y)
{
    const arc *a = x, *b = y;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

/* The arcs that every row held here chose, nearest first. Cosine weights need the neighbours' rows, where the
 * metric is not cosine. */
static pith_status chosen_arcs(pith_ctx *ctx, const pith_i_rows *R, const pith_i_halo *near,
                               const pith_i_knn *knn, pith_i_weighing *w, arcs *out)
{
    pith_i_data with = {0};
    pith_i_rows unit = {0};
    pith_status st = PITH_OK;
    if (w->kind == PITH_I_COSINE_WEIGHT && R->metric != PITH_I_COSINE) {
        TRY(pith_i_halo_rows(ctx, near, &R->X, &with));
        TRY(pith_i_rows_open(ctx, &with, PITH_I_COSINE, &unit));
        w->unit = &unit;
    }
    TRY(SCRATCH(ctx, out->at, knn->n * knn->k));
    for (int64_t e = 0; e < knn->n * knn->k; e++) {
        const int64_t i = e / knn->k, l = knn->index[e];
        const int64_t place = w->unit != NULL ? pith_i_halo_place(near, l) : -1;
        const double weight = pith_i_weigh(w, i, place, knn->distance2[e]);
        if (weight > 0)
            out->at[out->count++] = (arc){near->offset + i, l, weight};
    }
done:
    w->unit = NULL;
    pith_i_rows_close(&unit);
    pith_i_data_free(&with);
    return st;
}

/* Who holds a row of the halo: the first process whose last one is not before it. */
static int owner_of(const pith_i_halo *near, int processes, int64_t row)
{
    int lo = 0, hi = processes - 1;
    while (lo < hi) {
        const int middle = lo + (hi - lo) / 2;
        const int64_t end = near->need_at[middle + 1];
        if (end == 0 || near->id[end - 1] < row)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

/* An arc is also an edge of the row that it leads to: it is sent, reversed, to that row's process. */
static pith_status incoming_arcs(pith_ctx *ctx, const pith_i_halo *near, const arcs *chosen, arcs *out)
{
    const int processes = pith_i_processes(ctx);
    int64_t *at = NULL, *came_at = NULL;
    int *owner = NULL;
    arc *send = NULL;
    void *came = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, at, processes + 1));
    TRY(SCRATCH(ctx, owner, chosen->count));
    TRY(SCRATCH(ctx, send, chosen->count));
    for (int64_t e = 0; e < chosen->count; e++) {
        const int64_t to = chosen->at[e].to;
        owner[e] = to >= near->offset && to < near->offset + near->n ? pith_i_process(ctx)
                                                                     : owner_of(near, processes, to);
        at[owner[e]]++;
    }
    for (int64_t r = 0, before = 0; r <= processes;
         r++) { /* ends of what each process is sent; filling makes them starts */
        before += r < processes ? at[r] : 0;
        at[r] = before;
    }
    for (int64_t e = chosen->count; e-- > 0;)
        send[--at[owner[e]]] = (arc){chosen->at[e].to, chosen->at[e].from, chosen->at[e].weight};
    for (int r = 0; r <= processes; r++)
        at[r] *= (int64_t)sizeof *send;
    TRY(pith_i_exchange(ctx, at, send, &came_at, &came));
    *out = (arcs){came_at[processes] / (int64_t)sizeof *send, came};
done:
    return st;
}

/* Sorts arcs by row. Those of one row keep their order: they came by processes, in the order of the other
 * end. */
static pith_status by_rows(pith_ctx *ctx, const pith_i_graph *G, const arcs *came, arcs *out)
{
    int64_t *at = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, at, G->n + 1));
    TRY(SCRATCH(ctx, out->at, came->count));
    out->count = came->count;
    for (int64_t e = 0; e < came->count; e++)
        at[came->at[e].from - G->offset + 1]++;
    for (int64_t i = 0; i < G->n; i++)
        at[i + 1] += at[i];
    for (int64_t e = 0; e < came->count; e++)
        out->at[at[came->at[e].from - G->offset]++] = came->at[e];
done:
    return st;
}

static void sort_rows(const arcs *a)
{
    for (int64_t from = 0, to = 0; from < a->count; from = to) {
        while (to < a->count && a->at[to].from == a->at[from].from)
            to++;
        qsort(a->at + from, (size_t)(to - from), sizeof *a->at, by_ends);
    }
}

/* Both, by rows and columns, each edge once with the larger weight. */
static pith_status unite(pith_ctx *ctx, const pith_i_graph *G, const arcs *chosen, const arcs *incoming,
                         arcs *out)
{
    arcs sorted = {.count = chosen->count}, other = {0};
    int64_t a = 0, b = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, out->at, chosen->count + incoming->count));
    TRY(SCRATCH(ctx, sorted.at, chosen->count));
    if (chosen->count > 0)
        memcpy(sorted.at, chosen->at, (size_t)chosen->count * sizeof *sorted.at);
    sort_rows(&sorted);
    TRY(by_rows(ctx, G, incoming, &other));
    while (a < sorted.count || b < other.count) {
        const int order = a == sorted.count  ? 1
                          : b == other.count ? -1
                                             : by_ends(&sorted.at[a], &other.at[b]);
        arc next = order <= 0 ? sorted.at[a] : other.at[b];
        if (order == 0 && other.at[b].weight > next.weight)
            next.weight = other.at[b].weight;
        out->at[out->count++] = next;
        a += order <= 0;
        b += order >= 0;
    }
done:
    return st;
}

static pith_status keep_edges(pith_ctx *ctx, const arcs *edges, pith_i_graph *G)
{
    int64_t *to = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, to, edges->count));
    for (int64_t e = 0; e < edges->count; e++) {
        to[e] = edges->at[e].to;
        G->row[edges->at[e].from - G->offset + 1]++;
    }
    TRY(pith_i_halo_new(ctx, G->n, G->offset, edges->count, to, &G->halo));
    TRY(pith_i_graph_room(ctx, G));
    for (int64_t e = 0; e < edges->count; e++) {
        G->col[e] = (int32_t)pith_i_halo_place(&G->halo, to[e]);
        G->weight[e] = edges->at[e].weight;
    }
done:
    return st;
}

static pith_status keep_choices(pith_ctx *ctx, const arcs *chosen, pith_i_graph *G)
{
    pith_status st = PITH_OK;
    TRY(NEW_ZERO(ctx, G->choice, G->n + 1));
    TRY(NEW(ctx, G->chosen, chosen->count));
    for (int64_t e = 0; e < chosen->count; e++) {
        G->choice[chosen->at[e].from - G->offset + 1]++;
        G->chosen[e] = (int32_t)pith_i_halo_place(&G->halo, chosen->at[e].to);
    }
    for (int64_t i = 0; i < G->n; i++)
        G->choice[i + 1] += G->choice[i];
done:
    return st;
}

pith_status pith_i_spread_edges(pith_ctx *ctx, const pith_i_rows *R, int64_t neighbors, pith_i_weighing w,
                                pith_i_graph *G)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    arcs chosen = {0}, incoming = {0}, edges = {0};
    pith_i_halo near = {0};
    pith_i_knn knn = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_knn_rows(ctx, R, neighbors, NULL, &knn));
    TRY(pith_i_halo_new(ctx, G->n, G->offset, knn.n * knn.k, knn.index, &near));
    TRY(chosen_arcs(ctx, R, &near, &knn, &w, &chosen));
    TRY(incoming_arcs(ctx, &near, &chosen, &incoming));
    TRY(unite(ctx, G, &chosen, &incoming, &edges));
    TRY(keep_edges(ctx, &edges, G));
    TRY(keep_choices(ctx, &chosen, G));
done:
    pith_i_knn_free(&knn);
    pith_i_halo_free(&near);
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- Components ---------------------------------------------------------------------------------------- */

/* Every row's label becomes the lowest number of a row that it is connected with: by neighbours within a
 * process until nothing changes, then by those of others, until nothing changes anywhere. */
static pith_status spread_labels(pith_ctx *ctx, const pith_i_graph *G, double *label)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = G->n, more = G->halo.count;
    double *before = NULL, changes = 1;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, before, more));
    for (int64_t i = 0; i < n + more; i++)
        label[i] = (double)(i < n ? G->offset + i : G->halo.id[i - n]);
    while (changes > 0) {
        for (bool again = true; again;) {
            again = false;
            for (int64_t i = 0; i < n; i++)
                for (int64_t e = G->row[i]; e < G->row[i + 1]; e++)
                    if (label[G->col[e]] < label[i]) {
                        label[i] = label[G->col[e]];
                        again = true;
                    }
        }
        if (more > 0)
            memcpy(before, label + n, (size_t)more * sizeof *before);
        TRY(pith_i_halo_numbers(ctx, &G->halo, 1, label, label + n));
        changes = 0;
        for (int64_t i = 0; i < more; i++)
            changes += label[n + i] != before[i];
        TRY(pith_i_sum(ctx, 1, &changes));
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

typedef struct component {
    double lowest, rows;
    int64_t number;
} component;

static int by_lowest(const void *x, const void *y)
{
    const component *a = x, *b = y;
    return (a->lowest > b->lowest) - (a->lowest < b->lowest);
}

static int by_size(const void *x, const void *y)
{
    const component *a = x, *b = y;
    return a->rows != b->rows ? (a->rows > b->rows ? -1 : 1) : by_lowest(x, y);
}

static bool is_isolated(const pith_i_graph *G, int64_t i)
{
    return G->row[i] == G->row[i + 1];
}

/* The lowest rows of all components, ascending, each told by the process that holds it. */
static pith_status list_components(pith_ctx *ctx, const pith_i_graph *G, const double *label, int64_t *count,
                                   double **lowest)
{
    const int processes = pith_i_processes(ctx);
    int64_t *at = NULL, own = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, at, processes + 1));
    for (int64_t i = 0; i < G->n; i++)
        own += !is_isolated(G, i) && label[i] == (double)(G->offset + i);
    at[pith_i_process(ctx) + 1] = own;
    TRY(pith_i_sum_counts(ctx, processes + 1, at));
    for (int r = 0; r < processes; r++)
        at[r + 1] += at[r];
    *count = at[processes];
    TRY(SCRATCH_ZERO(ctx, *lowest, *count));
    own = at[pith_i_process(ctx)];
    for (int64_t i = 0; i < G->n; i++)
        if (!is_isolated(G, i) && label[i] == (double)(G->offset + i))
            (*lowest)[own++] = label[i];
    TRY(pith_i_sum(ctx, *count, *lowest));
done:
    return st;
}

static pith_status number_components(pith_ctx *ctx, pith_i_graph *G, const double *label)
{
    double *lowest = NULL, *rows = NULL;
    component *found = NULL;
    int64_t count = 0;
    pith_status st = PITH_OK;
    TRY(list_components(ctx, G, label, &count, &lowest));
    TRY(SCRATCH_ZERO(ctx, rows, count));
    TRY(SCRATCH(ctx, found, count));
    for (int64_t c = 0; c < count; c++)
        found[c] = (component){.lowest = lowest[c]};
    for (int64_t i = 0; i < G->n; i++) {
        const component key = {.lowest = label[i]};
        const component *of =
            is_isolated(G, i) ? NULL : bsearch(&key, found, (size_t)count, sizeof *found, by_lowest);
        if (of != NULL)
            rows[of - found]++;
    }
    TRY(pith_i_sum(ctx, count, rows));
    for (int64_t c = 0; c < count; c++)
        found[c].rows = rows[c];
    qsort(found, (size_t)count, sizeof *found, by_size);
    for (int64_t c = 0; c < count; c++)
        found[c].number = c;
    qsort(found, (size_t)count, sizeof *found, by_lowest);
    G->components = count;
    for (int64_t i = 0; i < G->n; i++) {
        const component key = {.lowest = label[i]};
        const component *of =
            is_isolated(G, i) ? NULL : bsearch(&key, found, (size_t)count, sizeof *found, by_lowest);
        G->component[i] = of != NULL ? (int32_t)of->number : -1;
        G->isolated += of == NULL;
    }
    TRY(pith_i_sum_counts(ctx, 1, &G->isolated));
done:
    return st;
}

pith_status pith_i_spread_components(pith_ctx *ctx, pith_i_graph *G)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    double *label = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, label, G->n + G->halo.count));
    TRY(spread_labels(ctx, G, label));
    TRY(number_components(ctx, G, label));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- The mean distance --------------------------------------------------------------------------------- */

/* Rows of any process that are needed here. */
typedef struct fetched {
    pith_i_halo halo;
    pith_i_data rows;
    pith_i_rows R;
} fetched;

static void release(fetched *f)
{
    pith_i_rows_close(&f->R);
    pith_i_data_free(&f->rows);
    pith_i_halo_free(&f->halo);
}

static pith_status fetch(pith_ctx *ctx, const pith_i_data *X, pith_i_metric metric, int64_t count,
                         const int64_t *wanted, fetched *out)
{
    pith_status st = PITH_OK;
    TRY(pith_i_fetch_new(ctx, X->n, X->offset, count, wanted, &out->halo));
    TRY(pith_i_fetch_rows(ctx, &out->halo, X, &out->rows));
    TRY(pith_i_rows_open(ctx, &out->rows, metric, &out->R));
done:
    return st;
}

/* The rows whose pairs make the mean are few: every process gets them all, in order. */
pith_status pith_i_spread_mean_distance(pith_ctx *ctx, const pith_i_data *X, pith_i_metric metric,
                                        double *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t count = pith_i_mean_distance_count(X->all);
    int64_t *row = NULL;
    fetched f = {0};
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, row, count));
    for (int64_t i = 0; i < count; i++)
        row[i] = pith_i_mean_distance_row(X->all, i);
    TRY(fetch(ctx, X, metric, count, row, &f));
    TRY(pith_i_mean_distance_shared(ctx, &f.R, out));
done:
    release(&f);
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* A pair belongs to the process that holds its first row. */
pith_status pith_i_spread_mean_distance_sampled(pith_ctx *ctx, const pith_i_data *X, pith_i_metric metric,
                                                int64_t pairs, double *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_stream s = pith_i_pairs_begin(ctx);
    int64_t *both = NULL, count = 0;
    fetched f = {0};
    double sum = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, both, 2 * pairs));
    for (int64_t t = 0; t < pairs; t++) {
        pith_i_pairs_next(&s, X->all, &both[count], &both[count + 1]);
        count += both[count] >= X->offset && both[count] < X->offset + X->n ? 2 : 0;
    }
    TRY(fetch(ctx, X, metric, count, both, &f));
    for (int64_t t = 0; t < count; t += 2)
        sum += sqrt(pith_i_rows_distance2(&f.R, pith_i_halo_place(&f.halo, both[t]),
                                          pith_i_halo_place(&f.halo, both[t + 1])));
    TRY(pith_i_sum(ctx, 1, &sum));
    *out = sum / (double)pairs;
done:
    release(&f);
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_graph_rows(pith_ctx *ctx, const pith_i_graph *G, const pith_i_data *X, pith_i_data *with,
                              pith_i_data *transposed)
{
    pith_status st = PITH_OK;
    TRY(pith_i_halo_rows(ctx, &G->halo, X, with));
    if (X->sparse)
        TRY(pith_i_transpose(ctx, with, transposed));
done:
    return st;
}
