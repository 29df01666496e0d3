#include "cluster/kmeans.h"

#include "cluster/kmeans_runs.h"
#include "core/parallel.h"

#include <math.h>
#include <string.h>

enum {
    COLUMNS = 512,          /* centres that go side by side at most, unless one run has more */
    SPARSE_BYTES = 1 << 20, /* centres of sparse data are read at random: they should stay in cache */
    TILE_LEAST = 32,
    TILE_MOST = 256,
    MAX_ITER = 300,
    KEPT = 1 << 22, /* products kept at most, for centres that do not move */
};

/* ---- Centres ------------------------------------------------------------------------------------------ */

/* Centre k from the rows that have moved, or from all anew where that is less work. */
static void move_centre(const pith_i_kmeans_runs *g, pith_i_kmeans_one *run, int32_t k)
{
    const int64_t n = g->points->X->n;
    const bool anew = 2 * run->n_moved >= n;
    pith_i_centre *a = &run->centre[k];
    if (anew)
        pith_i_centre_clear(g->points, a);
    for (int64_t m = 0; m < (anew ? n : run->n_moved); m++) {
        const int64_t i = anew ? m : run->moved[m];
        const int times = (run->next[i] == k) - (!anew && run->label[i] == k);
        if (times != 0)
            pith_i_centre_add(g->points, i, times, a);
    }
    pith_i_centre_set(g->points, a);
}

static void list_moved(const pith_i_kmeans_runs *g, pith_i_kmeans_one *run)
{
    run->n_moved = 0;
    for (int64_t i = 0; i < g->points->X->n; i++)
        if (run->next[i] != run->label[i])
            run->moved[run->n_moved++] = (int32_t)i;
}

/* The active runs' centres, then labels, follow the rows that have moved. */
static void move(pith_i_kmeans_runs *g)
{
    const int64_t c = g->clusters;
#pragma omp parallel for num_threads(pith_ctx_threads(g->ctx)) schedule(dynamic) if (g->parallel)
    for (int64_t q = 0; q < g->n_active * c; q++)
        move_centre(g, g->active[q / c], (int32_t)(q % c));
    for (int64_t a = 0; a < g->n_active; a++)
        for (int64_t m = 0; m < g->active[a]->n_moved; m++) {
            const int32_t i = g->active[a]->moved[m];
            g->active[a]->label[i] = g->active[a]->next[i];
        }
}

/* ---- Empty clusters ----------------------------------------------------------------------------------- */

static double distance_to_own(const pith_i_kmeans_runs *g, const pith_i_kmeans_one *run, int64_t i)
{
    return pith_i_points_distance(g->points, i, &run->centre[run->label[i]]);
}

/* The row farthest from its centre that its cluster can spare, ties to the lower; -1: none is worth it. */
static int64_t farthest(const pith_i_kmeans_runs *g, const pith_i_kmeans_one *run, bool any)
{
    int64_t found = -1;
    double far = -1;
    for (int64_t i = 0; i < g->points->X->n; i++) {
        const pith_i_centre *a = &run->centre[run->label[i]];
        /* A mean of equal rows is off by rounding: such a distance is 0. */
        const bool apart = pith_i_points_directed(g->points, i) && g->distance[i] > 1e-24 * a->square;
        if (a->count > 1 && (any || apart) && g->distance[i] > far) {
            far = g->distance[i];
            found = i;
        }
    }
    return found;
}

/*
 * An empty cluster takes the row farthest from its centre. Where all rows lie on centres (fewer distinct
 * rows than clusters) it stays empty while centres move, so that equal rows do not change places for ever;
 * `any` gives it one of them at the end.
 */
static void fill_empty(pith_i_kmeans_runs *g, pith_i_kmeans_one *run, bool any)
{
    bool measured = false;
    for (int32_t k = 0; k < (int32_t)g->clusters; k++) {
        pith_i_centre *to = &run->centre[k];
        if (to->count > 0)
            continue;
        for (int64_t i = 0; !measured && i < g->points->X->n; i++)
            g->distance[i] = distance_to_own(g, run, i);
        measured = true;
        const int64_t i = farthest(g, run, any);
        if (i < 0)
            return;
        pith_i_centre *from = &run->centre[run->label[i]];
        pith_i_centre_add(g->points, i, -1, from);
        pith_i_centre_clear(g->points, to);
        pith_i_centre_add(g->points, i, 1, to);
        pith_i_centre_set(g->points, from);
        pith_i_centre_set(g->points, to);
        run->label[i] = k;
    }
}

/* ---- Rounds ------------------------------------------------------------------------------------------- */

/* Keeps those runs active in which rows moved, while they have rounds left. */
static void drop_finished(pith_i_kmeans_runs *g, int64_t max_iter)
{
    int64_t kept = 0;
#pragma omp parallel for num_threads(pith_ctx_threads(g->ctx)) if (g->parallel)
    for (int64_t a = 0; a < g->n_active; a++)
        list_moved(g, g->active[a]);
    for (int64_t a = 0; a < g->n_active; a++) {
        pith_i_kmeans_one *run = g->active[a];
        run->iterations++;
        if (run->n_moved > 0 && run->iterations < max_iter)
            g->active[kept++] = run;
        else
            g->done++;
    }
    g->n_active = kept;
}

static pith_status rounds(pith_i_kmeans_runs *g, int64_t max_iter)
{
    pith_status st = PITH_OK;
    for (int64_t a = 0; a < g->n_active; a++)
        list_moved(g, g->active[a]);
    while (g->n_active > 0) {
        TRY(pith_i_progress(g->ctx, g->done, g->total));
        move(g);
        for (int64_t a = 0; a < g->n_active; a++)
            fill_empty(g, g->active[a], false);
        TRY(pith_i_kmeans_assign(g));
        drop_finished(g, max_iter);
    }
done:
    return st;
}

/* The last moves of runs that were out of rounds, a row for every cluster still empty, inertia. */
static void settle(pith_i_kmeans_runs *g, double *inertia)
{
    const int threads = pith_ctx_threads(g->ctx);
    g->n_active = 0;
    for (int64_t r = 0; r < g->count; r++)
        if (g->run[r].n_moved > 0)
            g->active[g->n_active++] = &g->run[r];
    move(g);
    for (int64_t r = 0; r < g->count; r++)
        fill_empty(g, &g->run[r], true);
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (g->parallel)
    for (int64_t q = 0; q < g->count * g->tiles; q++) {
        const pith_i_kmeans_one *run = &g->run[q / g->tiles];
        const int64_t t = q % g->tiles, first = t * g->tile;
        double sum = 0;
        for (int64_t i = first; i < first + pith_i_tile_rows(g, t); i++)
            sum += distance_to_own(g, run, i);
        g->partial[q] = g->points->cosine ? sum / 2 : sum;
    }
    for (int64_t r = 0; r < g->count; r++) {
        inertia[r] = 0;
        for (int64_t t = 0; t < g->tiles; t++)
            inertia[r] += g->partial[r * g->tiles + t];
    }
}

/* ---- Runs side by side -------------------------------------------------------------------------------- */

static pith_status take_memory(pith_i_kmeans_runs *g, bool seeds)
{
    pith_ctx *ctx = g->ctx;
    const int64_t n = g->points->X->n, p = g->points->X->p, c = g->clusters;
    const int64_t threads = pith_ctx_threads(ctx), drawn = g->count * g->candidates;
    double *deviations = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, g->run, g->count));
    TRY(SCRATCH(ctx, g->active, g->count));
    if (g->points->X->sparse) {
        TRY(SCRATCH_ZERO(ctx, g->zt, p * pith_i_padded(g->columns)));
        TRY(SCRATCH(ctx, g->row, threads * pith_i_padded(g->columns)));
    } else {
        TRY(SCRATCH(ctx, g->z, g->columns * p));
    }
    TRY(SCRATCH(ctx, g->fresh, g->columns));
    TRY(SCRATCH(ctx, g->bias, g->columns));
    TRY(SCRATCH(ctx, g->scores, threads * g->columns * g->tile));
    if (g->tiles * g->tile * g->columns <= KEPT)
        TRY(SCRATCH(ctx, g->kept, g->tiles * g->tile * g->columns));
    TRY(SCRATCH(ctx, g->distance, n));
    TRY(SCRATCH(ctx, g->partial, g->columns * g->tiles));
    if (seeds) {
        TRY(SCRATCH(ctx, g->drawn, drawn));
        TRY(SCRATCH(ctx, g->drawn_distance, drawn * n));
        TRY(SCRATCH(ctx, g->left, g->count * g->tiles));
        TRY(SCRATCH(ctx, g->near, g->count * n));
    }
    for (int64_t r = 0; r < g->count; r++) {
        pith_i_kmeans_one *run = &g->run[r];
        TRY(SCRATCH(ctx, run->next, n));
        TRY(SCRATCH(ctx, run->moved, n));
        TRY(SCRATCH(ctx, run->centre, c));
        TRY(SCRATCH_ZERO(ctx, deviations, c * p));
        for (int64_t k = 0; k < c; k++)
            run->centre[k] = (pith_i_centre){.deviation = deviations + k * p};
    }
done:
    return st;
}

/* Runs first..first+count-1 from start to inertia. */
static pith_status run_together(pith_ctx *ctx, const pith_i_points *P, const pith_i_kmeans_options *o,
                                int64_t first, int64_t count, pith_i_kmeans *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = P->X->n, tile = pith_i_min(pith_i_max((n + 7) / 8, TILE_LEAST), TILE_MOST);
    pith_i_kmeans_runs g = {.ctx = ctx, .points = P, .clusters = o->clusters, .count = count, .tile = tile};
    pith_status st = PITH_OK;
    g.candidates = 2 + (int64_t)log((double)o->clusters);
    g.tiles = (n + tile - 1) / tile;
    g.columns = count * pith_i_max(o->clusters, g.candidates);
    g.done = first;
    g.total = out->restarts;
    g.parallel = (double)pith_i_stored(P->X) * (double)(count * o->clusters) > 2e6;
    TRY(take_memory(&g, o->init == NULL && !o->random_start));
    for (int64_t r = 0; r < count; r++) {
        pith_i_kmeans_one *run = &g.run[r];
        run->random =
            pith_i_stream_at(pith_ctx_seed(ctx), PITH_I_RANDOM_KMEANS, o->first_run + (uint64_t)(first + r));
        run->label = out->labels + (first + r) * n;
        run->iterations = 0;
        memset(run->label, -1, (size_t)n * sizeof *run->label);
        g.active[g.n_active++] = run;
    }
    if (o->init != NULL)
        memcpy(g.run[0].next, o->init, (size_t)n * sizeof *o->init);
    else
        TRY(pith_i_kmeans_start(&g, o->random_start));
    TRY(rounds(&g, o->max_iter > 0 ? o->max_iter : MAX_ITER));
    settle(&g, out->inertia + first);
    for (int64_t r = 0; r < count; r++)
        out->iterations[first + r] = g.run[r].iterations;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status check(pith_ctx *ctx, const pith_i_data *X, const pith_i_kmeans_options *o)
{
    if (o->clusters < 1)
        return pith_i_error(ctx, PITH_E_PARAMETER, "%lld clusters: at least 1 is needed",
                            (long long)o->clusters);
    if (o->clusters > X->n)
        return pith_i_error(ctx, PITH_E_PARAMETER, "%lld clusters cannot be made of %lld samples",
                            (long long)o->clusters, (long long)X->n);
    if (X->n > INT32_MAX)
        return pith_i_error(ctx, PITH_E_DATA, "%lld samples: k-means takes at most %d", (long long)X->n,
                            INT32_MAX);
    if (o->restarts < 0 || o->max_iter < 0)
        return pith_i_error(ctx, PITH_E_PARAMETER, "restarts and rounds of k-means must be 0 or more");
    if (o->init != NULL && o->restarts > 1)
        return pith_i_error(ctx, PITH_E_PARAMETER, "k-means from given labels is a single run, not %lld",
                            (long long)o->restarts);
    for (int64_t i = 0; o->init != NULL && i < X->n; i++)
        if (o->init[i] < 0 || o->init[i] >= o->clusters)
            return pith_i_error(ctx, PITH_E_PARAMETER, "label %d of sample %lld is not in 0..%lld",
                                (int)o->init[i], (long long)i + 1, (long long)o->clusters - 1);
    return PITH_OK;
}

/* Runs that go side by side, as even as can be. Centres of dense data may take what the copy does. */
static int64_t together(const pith_i_data *X, int64_t clusters, int64_t restarts)
{
    const int64_t p = pith_i_max(X->p, 1);
    const int64_t room =
        X->sparse ? SPARSE_BYTES / (4 * p) : pith_i_min(pith_i_max(X->n / 3, (1 << 18) / p), COLUMNS);
    const int64_t fit = pith_i_max(room / clusters, 1), groups = (restarts + fit - 1) / fit;
    return (restarts + groups - 1) / groups;
}

pith_status pith_i_kmeans_run(pith_ctx *ctx, const pith_i_data *X, const pith_i_kmeans_options *options,
                              pith_i_kmeans *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_kmeans k = {.n = X->n, .restarts = pith_i_max(options->restarts, 1)};
    pith_i_points points;
    pith_status st = PITH_OK;
    TRY(check(ctx, X, options));
    TRY(NEW(ctx, k.labels, k.restarts * X->n));
    TRY(NEW(ctx, k.inertia, k.restarts));
    TRY(NEW(ctx, k.iterations, k.restarts));
    TRY(pith_i_points_make(ctx, X, options->cosine, &points));
    const int64_t group = together(X, options->clusters, k.restarts);
    for (int64_t r = 0; r < k.restarts; r += group)
        TRY(run_together(ctx, &points, options, r, pith_i_min(group, k.restarts - r), &k));
    for (int64_t r = 1; r < k.restarts; r++)
        if (k.inertia[r] < k.inertia[k.best])
            k.best = r;
    *out = k;
    k = (pith_i_kmeans){0};
done:
    pith_i_kmeans_free(&k);
    pith_i_scratch_release(ctx, mark);
    return st;
}

void pith_i_kmeans_free(pith_i_kmeans *kmeans)
{
    pith_i_free(kmeans->labels);
    pith_i_free(kmeans->inertia);
    pith_i_free(kmeans->iterations);
    *kmeans = (pith_i_kmeans){0};
}
