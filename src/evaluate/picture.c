#include "evaluate/picture.h"

#include "cluster/kmeans.h"
#include "evaluate/plan.h"
#include "graph/spectrum.h"

#include <stdlib.h>
#include <string.h>

int64_t pith_i_middle_count(const pith_comparison *c)
{
    return c->counts[(c->n_counts - 1) / 2];
}

/* mark: p entries, false on entry and on return. */
double pith_i_overlap(const pith_comparison *c, int64_t a, int64_t b, int64_t features, bool *mark)
{
    const int64_t *x = c->entries[a].ranking, *y = c->entries[b].ranking;
    int64_t shared = 0;
    for (int64_t i = 0; i < features; i++)
        mark[x[i]] = true;
    for (int64_t i = 0; i < features; i++)
        shared += mark[y[i]];
    for (int64_t i = 0; i < features; i++)
        mark[x[i]] = false;
    return (double)shared / (double)features;
}

/* Rows to be drawn, and where the graphs come from. */
typedef struct canvas {
    const pith_i_protocol *protocol;
    const pith_i_data *X;
    pith_i_cache *cache; /* of the table, if X is its whole view; else NULL */
    pith_i_graph *own;   /* owned, if there is no cache */
    const pith_i_graph *graph;
} canvas;

static pith_status build(pith_ctx *ctx, canvas *v, int64_t neighbors)
{
    const pith_i_graph_options options = pith_i_protocol_graph(v->protocol, neighbors, v->X->n);
    pith_i_reuse unused = {0};
    pith_i_cached_graph *cached = NULL;
    pith_status st = PITH_OK;
    pith_i_graph_free(v->own);
    v->own = NULL;
    if (v->cache != NULL)
        TRY(pith_i_cache_graph(ctx, v->cache, pith_i_protocol_view(v->protocol), &options, &unused, &cached));
    else
        TRY(pith_i_graph_build(ctx, v->X, &options, &v->own));
    v->graph = cached != NULL ? cached->graph : v->own;
done:
    return st;
}

/* A connected graph, since a map of several components would show nothing else: the number of neighbours is
 * doubled until it is connected. It is never the judge's graph, as it is doubled at least once. */
static pith_status build_connected(pith_ctx *ctx, canvas *v)
{
    int64_t neighbors = PITH_I_JUDGE_NEIGHBORS;
    pith_status st = PITH_OK;
    do {
        neighbors *= 2;
        TRY(build(ctx, v, neighbors));
    } while (pith_i_graph_summarize(v->graph).components > 1 && neighbors < v->X->n - 1);
done:
    return st;
}

/* Two coordinates for every row. */
static pith_status embed(pith_ctx *ctx, canvas *v, double *x, double *y)
{
    const int64_t n = v->X->n;
    pith_i_spectrum s = {0};
    pith_status st = PITH_OK;
    if (n < 4)
        FAIL(ctx, PITH_E_DATA, "%lld samples are too few for a map", (long long)n);
    TRY(build_connected(ctx, v));
    if (n - pith_i_graph_summarize(v->graph).isolated < 3)
        FAIL(ctx, PITH_E_DATA, "too few samples have neighbours for a map");
    TRY(pith_i_spectrum_find(ctx, v->graph, 3, &s));
    const double *degree = pith_i_graph_degree(v->graph);
    for (int64_t i = 0; i < n; i++) {
        const double root = degree[i] > 0 ? 1 / sqrt(degree[i]) : 0;
        x[i] = root * s.vector[n + i];
        y[i] = root * s.vector[2 * n + i];
    }
done:
    pith_i_spectrum_free(&s);
    pith_i_graph_free(v->own);
    v->own = NULL;
    return st;
}

/* The best entry that selected something without labels, by the measure the protocol sorts by. */
static pith_status best_selection(pith_ctx *ctx, const pith_comparison *c, pith_i_map *map)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_standing *s = NULL;
    int64_t count = 0;
    pith_status st = PITH_OK;
    TRY(pith_i_standings(ctx, c, 0, &count, &s));
    map->entry = -1;
    for (int64_t i = 0; i < count && map->entry < 0; i++) {
        const pith_i_best *b = &s[i].by[c->protocol.sort];
        if (!s[i].supervised && b->entry >= 0 && c->entries[b->entry].ranking != NULL) {
            map->entry = b->entry;
            map->features = b->features;
        }
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Labels of the rows shown, or clusters on all features where there are none. */
static pith_status colour_rows(pith_ctx *ctx, const pith_comparison *c, const pith_i_data *X, pith_i_map *map)
{
    const pith_i_kmeans_options options = {.clusters =
                                               c->protocol.clusters < X->n ? c->protocol.clusters : X->n,
                                           .restarts = 5,
                                           .cosine = c->protocol.cosine};
    pith_i_kmeans runs = {0};
    pith_status st = PITH_OK;
    map->colours = c->m->label != NULL ? (int32_t)c->m->classes.count : (int32_t)options.clusters;
    if (c->m->label == NULL)
        TRY(pith_i_kmeans_run(ctx, X, &options, &runs));
    for (int64_t i = 0; i < map->count; i++)
        map->colour[i] = c->m->label != NULL ? c->m->label[map->sample[i]] : pith_i_kmeans_best(&runs)[i];
done:
    pith_i_kmeans_free(&runs);
    return st;
}

static pith_status map_arrays(pith_ctx *ctx, int64_t n, pith_i_map *map)
{
    pith_status st = PITH_OK;
    map->count = n < PITH_I_MAP_SAMPLES ? n : PITH_I_MAP_SAMPLES;
    TRY(NEW(ctx, map->sample, map->count));
    TRY(NEW(ctx, map->x, map->count));
    TRY(NEW(ctx, map->y, map->count));
    TRY(NEW(ctx, map->colour, map->count));
    for (int64_t i = 0; i < map->count; i++)
        map->sample[i] = i * n / map->count;
done:
    return st;
}

void pith_i_map_free(pith_i_map *map)
{
    pith_i_free(map->sample);
    pith_i_free(map->x);
    pith_i_free(map->y);
    pith_i_free(map->sx);
    pith_i_free(map->sy);
    pith_i_free(map->colour);
    *map = (pith_i_map){0};
}

/* The rows shown, in the view that the judge clusters. */
static pith_status see(pith_ctx *ctx, const pith_comparison *c, const pith_i_map *map, pith_i_view *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_matrix *shown = NULL;
    pith_i_column_stats stats;
    pith_status st = PITH_OK;
    TRY(pith_i_matrix_take_rows(ctx, c->m, map->count, map->sample, &shown));
    TRY(pith_i_column_statistics(ctx, &shown->data, NULL, &stats));
    TRY(pith_i_view_make(ctx, &shown->data, &stats, pith_i_protocol_view(&c->protocol), out));
    TRY(pith_i_data_own(ctx, &out->X)); /* the rows are freed below */
done:
    pith_matrix_free(shown);
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* On the features that the best entry selected, if there is one. */
static pith_status embed_selected(pith_ctx *ctx, const pith_comparison *c, const pith_i_data *X,
                                  pith_i_map *map)
{
    pith_i_data picked = {0};
    canvas v = {.protocol = &c->protocol, .X = &picked};
    pith_status st = PITH_OK;
    TRY(best_selection(ctx, c, map));
    if (map->entry < 0)
        return PITH_OK;
    TRY(NEW(ctx, map->sx, map->count));
    TRY(NEW(ctx, map->sy, map->count));
    TRY(pith_i_take_columns(ctx, X, map->features, c->entries[map->entry].ranking, &picked));
    TRY(embed(ctx, &v, map->sx, map->sy));
done:
    pith_i_data_free(&picked);
    return st;
}

pith_status pith_i_map_make(pith_ctx *ctx, const pith_comparison *c, pith_i_table *whole, pith_i_map *out)
{
    pith_i_map map = {0};
    pith_i_view some = {0};
    canvas v = {.protocol = &c->protocol, .X = &some.X};
    pith_status st = PITH_OK;
    TRY(map_arrays(ctx, c->m->data.n, &map));
    if (whole != NULL && map.count == c->m->data.n) {
        v.X = &whole->view.X;
        v.cache = &whole->cache;
    } else {
        TRY(see(ctx, c, &map, &some));
    }
    TRY(embed(ctx, &v, map.x, map.y));
    TRY(colour_rows(ctx, c, v.X, &map));
    TRY(embed_selected(ctx, c, v.X, &map));
    *out = map;
    map = (pith_i_map){0};
done:
    pith_i_map_free(&map);
    pith_i_view_free(&some);
    return st;
}

/* ---- Evidence ------------------------------------------------------------------------------------------ */

typedef struct point {
    double q, lift;
    int64_t feature;
} point;

static int by_number(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_lift(const void *a, const void *b)
{
    const point *x = a, *y = b;
    const int lift = (y->lift > x->lift) - (y->lift < x->lift);
    return lift != 0 ? lift : by_number(x->feature, y->feature);
}

static int by_q(const void *a, const void *b)
{
    const point *x = a, *y = b;
    const int q = (x->q > y->q) - (x->q < y->q);
    return q != 0 ? q : by_lift(a, b);
}

/* Marks the features whose points are drawn. */
static void thin(int64_t count, point *points, bool *drawn)
{
    int64_t marked = 0, passed = 0, rest;
    qsort(points, (size_t)count, sizeof *points, by_lift);
    for (int64_t i = 0; i < PITH_I_PLOT_EXTREMES; i++)
        drawn[points[i].feature] = true;
    qsort(points, (size_t)count, sizeof *points, by_q);
    for (int64_t i = 0; i < PITH_I_PLOT_EXTREMES; i++)
        drawn[points[i].feature] = true;
    for (int64_t i = 0; i < count; i++)
        marked += drawn[points[i].feature];
    rest = count - marked;
    for (int64_t i = 0; i < count; i++) {
        if (drawn[points[i].feature])
            continue;
        /* At even steps: just `room` of the rest are taken. */
        const int64_t room = PITH_I_PLOT_POINTS - marked;
        drawn[points[i].feature] = (passed + 1) * room / rest > passed * room / rest;
        passed++;
    }
}

pith_status pith_i_points_pick(pith_ctx *ctx, const pith_evidence *e, int64_t *count, int64_t **features)
{
    point *points = NULL;
    bool *drawn = NULL;
    int64_t tested = 0, kept = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, points, e->features));
    TRY(SCRATCH_ZERO(ctx, drawn, e->features));
    TRY(SCRATCH(ctx, *features, e->features));
    for (int64_t j = 0; j < e->features; j++)
        if (!isnan(e->q[j]))
            points[tested++] = (point){e->q[j], e->lift[j], j};
    if (tested > PITH_I_PLOT_POINTS)
        thin(tested, points, drawn);
    else
        qsort(points, (size_t)tested, sizeof *points, by_q);
    for (int64_t i = 0; i < tested; i++)
        if (tested <= PITH_I_PLOT_POINTS || drawn[points[i].feature])
            (*features)[kept++] = points[i].feature;
    *count = kept;
done:
    return st;
}
