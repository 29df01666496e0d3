#include "cluster/kmeans.h"

#include "cluster/kmeans_runs.h"
#include "core/engine.h"
#include "core/parallel.h"
#include "matrix/gather.h"

#include <math.h>
#include <string.h>

enum {
    COLUMNS = 512,          /* most centres side by side, unless one run has more */
    SPARSE_BYTES = 1 << 20, /* centres of sparse data are read at random: they should stay in cache */
    TILE_LEAST = 32,
    TILE_MOST = 256,
    MAX_ITER = 300,
    KEPT = 1 << 22, /* most products that are kept, for centres that do not move */
};

/* ---- Centres ------------------------------------------------------------------------------------------ */

/* Is it less work to sum the centres anew than to update them by the rows that have moved? */
static bool goes_anew(const pith_i_kmeans_runs *g, const pith_i_kmeans_one *run)
{
    return 2 * run->all_moved >= pith_i_all(g->points->X);
}

/* Updates a by the rows held here that come to centre k or leave it (anew: adds all rows of k); returns how
 * many these are. */
static int64_t add_moved(const pith_i_kmeans_runs *g, const pith_i_kmeans_one *run, bool anew, int32_t k,
                         pith_i_centre *a)
{
    int64_t touched = 0;
    for (int64_t m = 0; m < (anew ? g->points->X->n : run->n_moved); m++) {
        const int64_t i = anew ? m : run->moved[m];
        const int times = (run->next[i] == k) - (!anew && run->label[i] == k);
        if (times != 0)
            pith_i_centre_add(g->points, i, times, a);
        touched += times != 0;
    }
    return touched;
}

static void move_centre(const pith_i_kmeans_runs *g, pith_i_kmeans_one *run, int32_t k)
{
    const bool anew = goes_anew(g, run);
    pith_i_centre *a = &run->centre[k];
    if (anew)
        pith_i_centre_clear(g->points, a);
    (void)add_moved(g, run, anew, k, a);
    pith_i_centre_set(g->points, a);
}

/* The change of centre k: p sums of deviations, that of its count, and how many rows came or left. */
static void find_change(const pith_i_kmeans_runs *g, const pith_i_kmeans_one *run, int32_t k, double *change)
{
    const int64_t p = g->points->X->p;
    pith_i_centre here = {.deviation = change};
    const int64_t touched = add_moved(g, run, goes_anew(g, run), k, &here);
    change[p] = (double)here.count;
    change[p + 1] = (double)touched;
}

static void take_change(const pith_i_kmeans_runs *g, pith_i_kmeans_one *run, int32_t k, const double *change)
{
    const int64_t p = g->points->X->p;
    pith_i_centre *a = &run->centre[k];
    if (goes_anew(g, run))
        pith_i_centre_clear(g->points, a);
    for (int64_t j = 0; j < p; j++)
        a->deviation[j] += change[j];
    a->count += (int64_t)change[p];
    a->moved = a->moved || change[p + 1] > 0;
    pith_i_centre_set(g->points, a);
}

/* The centres of a run where rows are spread: the changes of all processes are summed. */
static pith_status move_spread(pith_i_kmeans_runs *g, pith_i_kmeans_one *run)
{
    const size_t mark = pith_i_scratch_mark(g->ctx);
    const int threads = pith_ctx_threads(g->ctx);
    const int64_t c = g->clusters, width = g->points->X->p + 2;
    double *change = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(g->ctx, change, c * width));
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (g->parallel)
    for (int64_t k = 0; k < c; k++)
        find_change(g, run, (int32_t)k, change + k * width);
    TRY(pith_i_sum(g->ctx, c * width, change));
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (g->parallel)
    for (int64_t k = 0; k < c; k++)
        take_change(g, run, (int32_t)k, change + k * width);
done:
    pith_i_scratch_release(g->ctx, mark);
    return st;
}

static void list_moved(const pith_i_kmeans_runs *g, pith_i_kmeans_one *run)
{
    run->n_moved = 0;
    for (int64_t i = 0; i < g->points->X->n; i++)
        if (run->next[i] != run->label[i])
            run->moved[run->n_moved++] = (int32_t)i;
}

/* Sets all_moved of the active runs, over all processes. */
static pith_status count_moved(pith_i_kmeans_runs *g)
{
    const size_t mark = pith_i_scratch_mark(g->ctx);
    int64_t *moved = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(g->ctx, moved, g->n_active));
    for (int64_t a = 0; a < g->n_active; a++)
        moved[a] = g->active[a]->n_moved;
    if (g->spread)
        TRY(pith_i_sum_counts(g->ctx, g->n_active, moved));
    for (int64_t a = 0; a < g->n_active; a++)
        g->active[a]->all_moved = moved[a];
done:
    pith_i_scratch_release(g->ctx, mark);
    return st;
}

/* Updates the centres of the active runs, then the labels, by the rows that have moved. */
static pith_status move(pith_i_kmeans_runs *g)
{
    const int64_t c = g->clusters;
    pith_status st = PITH_OK;
    for (int64_t a = 0; g->spread && a < g->n_active; a++)
        TRY(move_spread(g, g->active[a]));
#pragma omp parallel for num_threads(pith_ctx_threads(g->ctx)) schedule(dynamic) if (g->parallel)
    for (int64_t q = g->spread ? g->n_active * c : 0; q < g->n_active * c; q++)
        move_centre(g, g->active[q / c], (int32_t)(q % c));
    for (int64_t a = 0; a < g->n_active; a++)
        for (int64_t m = 0; m < g->active[a]->n_moved; m++) {
            const int32_t i = g->active[a]->moved[m];
            g->active[a]->label[i] = g->active[a]->next[i];
        }
done:
    return st;
}

/* ---- Empty clusters ----------------------------------------------------------------------------------- */

static double distance_to_own(const pith_i_kmeans_runs *g, const pith_i_kmeans_one *run, int64_t i)
{
    return pith_i_points_distance(g->points, i, &run->centre[run->label[i]]);
}

/* The row farthest from its centre whose cluster has others, ties to the lower; -1: none. Without `any`, rows
 * that lie on their centre do not count. */
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

/* Moves row i of P from cluster `was` to cluster k, which is empty. */
static void give_row(const pith_i_points *P, pith_i_kmeans_one *run, int64_t i, int32_t was, int32_t k)
{
    pith_i_centre *from = &run->centre[was], *to = &run->centre[k];
    pith_i_centre_add(P, i, -1, from);
    pith_i_centre_clear(P, to);
    pith_i_centre_add(P, i, 1, to);
    pith_i_centre_set(P, from);
    pith_i_centre_set(P, to);
}

/* Moves the farthest row of all processes to cluster k; `found` is that of this process, or -1. given false:
 * there is none. */
static pith_status give_spread(pith_i_kmeans_runs *g, pith_i_kmeans_one *run, int64_t found, int32_t k,
                               bool *given)
{
    const size_t mark = pith_i_scratch_mark(g->ctx);
    const pith_i_data *X = g->points->X;
    const double own = found >= 0 ? g->distance[found] : -1;
    double far = own, row, was;
    pith_i_data copy = {0};
    pith_i_points point;
    pith_status st = PITH_OK;
    TRY(pith_i_sum_by(g->ctx, PITH_ENGINE_MOST, 1, &far));
    *given = far >= 0;
    if (!*given)
        goto done;
    row = own == far ? (double)(X->offset + found) : (double)X->all; /* ties to the lower */
    TRY(pith_i_sum_by(g->ctx, PITH_ENGINE_LEAST, 1, &row));
    const bool mine = found >= 0 && (int64_t)row == X->offset + found;
    was = mine ? run->label[found] : 0;
    TRY(pith_i_sum(g->ctx, 1, &was));
    TRY(pith_i_gather_rows(g->ctx, X, 1, &(int64_t){(int64_t)row}, &copy));
    TRY(pith_i_points_like(g->ctx, g->points, &copy, &point));
    give_row(&point, run, 0, (int32_t)was, k);
    if (mine)
        run->label[found] = k;
done:
    pith_i_data_free(&copy);
    pith_i_scratch_release(g->ctx, mark);
    return st;
}

/*
 * An empty cluster takes the row farthest from its centre. Where all rows lie on centres (fewer distinct
 * rows than clusters) it stays empty while centres move, so that equal rows do not change places for ever;
 * `any` gives it one of them at the end.
 */
static pith_status fill_empty(pith_i_kmeans_runs *g, pith_i_kmeans_one *run, bool any)
{
    bool measured = false, given = true;
    pith_status st = PITH_OK;
    for (int32_t k = 0; k < (int32_t)g->clusters && given; k++) {
        if (run->centre[k].count > 0)
            continue;
        for (int64_t i = 0; !measured && i < g->points->X->n; i++)
            g->distance[i] = distance_to_own(g, run, i);
        measured = true;
        const int64_t i = farthest(g, run, any);
        if (g->spread) {
            TRY(give_spread(g, run, i, k, &given));
            continue;
        }
        given = i >= 0;
        if (given) {
            give_row(g->points, run, i, run->label[i], k);
            run->label[i] = k;
        }
    }
done:
    return st;
}

/* ---- Rounds ------------------------------------------------------------------------------------------- */

/* Keeps those runs active in which rows moved, while they have rounds left. */
static pith_status drop_finished(pith_i_kmeans_runs *g, int64_t max_iter)
{
    int64_t kept = 0;
    pith_status st = PITH_OK;
#pragma omp parallel for num_threads(pith_ctx_threads(g->ctx)) if (g->parallel)
    for (int64_t a = 0; a < g->n_active; a++)
        list_moved(g, g->active[a]);
    TRY(count_moved(g));
    for (int64_t a = 0; a < g->n_active; a++) {
        pith_i_kmeans_one *run = g->active[a];
        run->iterations++;
        if (run->all_moved > 0 && run->iterations < max_iter)
            g->active[kept++] = run;
        else
            g->done++;
    }
    g->n_active = kept;
done:
    return st;
}

static pith_status rounds(pith_i_kmeans_runs *g, int64_t max_iter)
{
    pith_status st = PITH_OK;
    for (int64_t a = 0; a < g->n_active; a++)
        list_moved(g, g->active[a]);
    TRY(count_moved(g));
    while (g->n_active > 0) {
        TRY(pith_i_progress(g->ctx, g->done, g->total));
        TRY(move(g));
        for (int64_t a = 0; a < g->n_active; a++)
            TRY(fill_empty(g, g->active[a], false));
        TRY(pith_i_kmeans_assign(g));
        TRY(drop_finished(g, max_iter));
    }
done:
    return st;
}

/* Ends the runs: last moves of those that were out of rounds, rows for clusters still empty, inertia. */
static pith_status settle(pith_i_kmeans_runs *g, double *inertia)
{
    const int threads = pith_ctx_threads(g->ctx);
    pith_status st = PITH_OK;
    g->n_active = 0;
    for (int64_t r = 0; r < g->count; r++)
        if (g->run[r].all_moved > 0)
            g->active[g->n_active++] = &g->run[r];
    TRY(move(g));
    for (int64_t r = 0; r < g->count; r++)
        TRY(fill_empty(g, &g->run[r], true));
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
    if (g->spread)
        TRY(pith_i_sum(g->ctx, g->count, inertia));
done:
    return st;
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
    TRY(SCRATCH(ctx, g->drawn, g->columns));
    if (seeds) {
        TRY(SCRATCH(ctx, g->drawn_sum, drawn));
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
    pith_i_kmeans_runs g = {.ctx = ctx,
                            .points = P,
                            .spread = pith_i_is_spread(P->X),
                            .clusters = o->clusters,
                            .count = count,
                            .tile = tile};
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
    TRY(settle(&g, out->inertia + first));
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
    if (o->clusters > pith_i_all(X))
        return pith_i_error(ctx, PITH_E_PARAMETER, "%lld clusters cannot be made of %lld samples",
                            (long long)o->clusters, (long long)pith_i_all(X));
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

/* How many runs go side by side, in groups of nearly equal size. Centres of dense data may take as much
 * memory as the float copy. */
static int64_t together(const pith_i_data *X, int64_t clusters, int64_t restarts)
{
    const int64_t p = pith_i_max(X->p, 1);
    const int64_t room = X->sparse ? SPARSE_BYTES / (4 * p)
                                   : pith_i_min(pith_i_max(pith_i_all(X) / 3, (1 << 18) / p), COLUMNS);
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
