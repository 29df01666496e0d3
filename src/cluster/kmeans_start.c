/*
 * First centres. Greedy k-means++ (Arthur & Vassilvitskii, SODA 2007): a centre is drawn with probability
 * proportional to the squared distance from the nearest one so far; of several candidates so drawn the one
 * that leaves the smallest sum of these distances is kept. All runs draw at once, so that one GEMM measures
 * the candidates of all of them. Distances are in units (kmeans_points.h).
 *
 * Where rows are spread over processes, all of these draw the same random numbers, and get the rows so drawn:
 * those that one process would draw, up to the rounding of sums.
 */
#include "cluster/kmeans_runs.h"
#include "core/engine.h"
#include "core/parallel.h"
#include "matrix/blas.h"
#include "matrix/gather.h"
#include "matrix/simd.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 64 };

/* Rows that have a direction: of all processes, of those with lower numbers, and here. */
typedef struct directions {
    int64_t all, before, here;
} directions;

/* `here` of every process, by rank, in scratch. */
static pith_status tell_numbers(pith_ctx *ctx, int64_t width, const double *here, double **out)
{
    const int64_t ranks = pith_i_processes(ctx), rank = pith_i_process(ctx);
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, *out, ranks * width));
    memcpy(*out + rank * width, here, (size_t)width * sizeof **out);
    TRY(pith_i_sum(ctx, ranks * width, *out));
done:
    return st;
}

static pith_status find_directions(const pith_i_kmeans_runs *g, directions *out)
{
    const size_t mark = pith_i_scratch_mark(g->ctx);
    const int rank = pith_i_process(g->ctx), ranks = pith_i_processes(g->ctx);
    directions d = {0};
    double *numbers = NULL;
    pith_status st = PITH_OK;
    for (int64_t i = 0; i < g->points->X->n; i++)
        d.here += pith_i_points_directed(g->points, i);
    d.all = d.here;
    if (g->spread) {
        TRY(tell_numbers(g->ctx, 1, &(double){(double)d.here}, &numbers));
        d.all = 0;
        for (int r = 0; r < ranks; r++) {
            d.before += r < rank ? (int64_t)numbers[r] : 0;
            d.all += (int64_t)numbers[r];
        }
    }
    *out = d;
done:
    pith_i_scratch_release(g->ctx, mark);
    return st;
}

/* The nth row that has a direction; where rows are spread its number in the whole table, or 0 if it is held
 * elsewhere. */
static int64_t nth_row(const pith_i_kmeans_runs *g, const directions *d, int64_t nth)
{
    int64_t i = 0;
    nth -= d->before;
    if (nth < 0 || nth >= d->here)
        return 0;
    if (g->points->weight == NULL)
        i = nth; /* all have one */
    else
        while (!pith_i_points_directed(g->points, i) || nth-- > 0)
            i++;
    return i + (g->spread ? g->points->X->offset : 0);
}

/* The drawn rows where they are, or, if rows are spread, copies that every process gets: drawn[q] tells their
 * places in `source`. Until the caller's mark is released, and `copies` freed. */
static pith_status fetch_drawn(pith_i_kmeans_runs *g, int64_t count, pith_i_data *copies)
{
    pith_status st = PITH_OK;
    g->source = *g->points;
    if (!g->spread)
        return PITH_OK;
    TRY(pith_i_sum_counts(g->ctx, count, g->drawn)); /* only the process that holds a row gave its number */
    TRY(pith_i_gather_rows(g->ctx, g->points->X, count, g->drawn, copies));
    TRY(pith_i_points_like(g->ctx, g->points, copies, &g->source));
    for (int64_t q = 0; q < count; q++)
        g->drawn[q] = q;
done:
    return st;
}

/* d = |y_i - y_j|^2 from products, d on entry; true: one is less than `least` times the two squares. */
PITH_I_CLONES static bool to_distances(int64_t rows, const float *restrict square, float square_j,
                                       float least, float *restrict d)
{
    int small = 0;
#pragma omp simd reduction(| : small)
    for (int64_t i = 0; i < rows; i++) {
        const float v = square[i] + square_j + d[i];
        d[i] = v < 0 ? 0 : v;
        small |= v < least * (square[i] + square_j);
    }
    return small != 0;
}

/* sum of min(near, d), in eight lanes. */
PITH_I_CLONES static double sum_of_least(int64_t rows, const float *near, const float *d)
{
    pith_i_double8 lanes = {0};
    double rest = 0;
    int64_t i = 0;
    for (; i + 8 <= rows; i += 8) {
        const pith_i_float8 a = *(const pith_i_float8 *)(near + i), b = *(const pith_i_float8 *)(d + i);
        const pith_i_int8 less = a < b;
        const pith_i_int8 v = ((pith_i_int8)a & less) | ((pith_i_int8)b & ~less);
        lanes += __builtin_convertvector((pith_i_float8)v, pith_i_double8);
    }
    for (; i < rows; i++)
        rest += (double)(near[i] < d[i] ? near[i] : d[i]);
    return PITH_I_SUM8(lanes) + rest;
}

/* Computes again in double the distances that have fewer than two digits or so in float; those that the
 * rounding of the rows themselves leaves between equal rows become 0. */
static void refine(const pith_i_points *P, int64_t first, int64_t rows, const pith_i_points *Q, int64_t j,
                   float least, float *d)
{
    for (int64_t row = 0; row < rows; row++) {
        const float both = P->square[first + row] + Q->square[j];
        if (d[row] >= least * both)
            continue;
        const double exact = pith_i_points_between(P, first + row, Q, j) * P->unit * P->unit;
        d[row] = exact > 1e-28 * (double)both ? (float)exact : 0;
    }
}

/* For the candidates of all runs: distances from the rows of tile t, and the sum that each would leave. */
static void measure_tile(const pith_i_kmeans_runs *g, int64_t columns, int64_t per_run, int64_t t)
{
    const pith_i_points *P = g->points, *Q = &g->source;
    const int64_t n = P->X->n, first = t * g->tile, rows = pith_i_tile_rows(g, t);
    const float least = 64 * P->error;
    pith_i_kmeans_products(g, columns, t, g->drawn_distance + first, n);
    for (int64_t q = 0; q < columns; q++) {
        const int64_t j = g->drawn[q];
        float *d = g->drawn_distance + q * n + first;
        for (int64_t from = 0; from < rows; from += BLOCK) {
            const int64_t many = rows - from < BLOCK ? rows - from : BLOCK;
            if (to_distances(many, P->square + first + from, Q->square[j], least, d + from))
                refine(P, first + from, many, Q, j, least, d + from);
        }
        g->partial[q * g->tiles + t] = sum_of_least(rows, g->near + q / per_run * n + first, d);
    }
}

/* Writes the drawn rows to z or zt; `clear` makes those of sparse data zeros again. */
static void lay_out(const pith_i_kmeans_runs *g, int64_t columns, bool clear)
{
    const pith_i_points *P = &g->source;
    const pith_i_data *X = P->X;
    const int64_t ld = pith_i_padded(columns);
    for (int64_t q = 0; q < columns; q++) {
        const int64_t i = g->drawn[q];
        const double scale = clear ? 0 : P->unit * (P->weight == NULL ? 1 : P->weight[i]);
        for (int64_t e = X->sparse ? X->indptr[i] : 0; X->sparse && e < X->indptr[i + 1]; e++)
            g->zt[X->indices[e] * ld + q] = (float)(scale * pith_i_at(X, i, e));
        if (!X->sparse && !clear)
            memcpy(g->z + q * X->p, P->y + i * X->p, (size_t)X->p * sizeof *g->z);
    }
}

static pith_status measure(pith_i_kmeans_runs *g, int64_t per_run)
{
    const int64_t columns = g->n_active * per_run;
    lay_out(g, columns, false);
    pith_i_blas_enter();
#pragma omp parallel for num_threads(pith_ctx_threads(g->ctx)) schedule(dynamic) if (g->parallel)
    for (int64_t t = 0; t < g->tiles; t++)
        if (!pith_i_progress_stop(g->ctx, g->done, g->total))
            measure_tile(g, columns, per_run, t);
    pith_i_blas_leave();
    lay_out(g, columns, true);
    return pith_i_stop_status(g->ctx);
}

/* The row at which the sum of `near` so far passes `at`; left: its sums over tiles. Row 0 if all are 0. */
static int64_t row_at(const pith_i_kmeans_runs *g, double at, const float *near, const double *left)
{
    int64_t t = 0, i, last = 0;
    while (t + 1 < g->tiles && at >= left[t])
        at -= left[t++];
    for (i = t * g->tile; i < t * g->tile + pith_i_tile_rows(g, t); i++)
        if (near[i] > 0) {
            last = i;
            if (at < (double)near[i])
                break;
            at -= (double)near[i];
        }
    return last; /* rounding may lead past the end: then the last that is not 0 */
}

static double sum_of_tiles(const pith_i_kmeans_runs *g, const double *of)
{
    double total = 0;
    for (int64_t t = 0; t < g->tiles; t++)
        total += of[t];
    return total;
}

/* A row with probability proportional to `near`. */
static int64_t draw(const pith_i_kmeans_runs *g, pith_i_stream *random, const float *near, const double *left)
{
    const double total = sum_of_tiles(g, left);
    return row_at(g, pith_i_random_uniform(random) * total, near, left);
}

/* The same over processes, each with its part of the sum, in the order of the rows. The row's number in the
 * whole table, or 0 if another process holds it. */
static int64_t draw_spread(const pith_i_kmeans_runs *g, pith_i_stream *random, int64_t a, const double *parts)
{
    const int ranks = pith_i_processes(g->ctx);
    double total = 0;
    int found = -1;
    for (int r = 0; r < ranks; r++)
        total += parts[r * g->n_active + a];
    double at = pith_i_random_uniform(random) * total;
    for (int r = 0; r < ranks; r++)
        if (parts[r * g->n_active + a] > 0) {
            found = r;
            if (at < parts[r * g->n_active + a])
                break;
            at -= parts[r * g->n_active + a];
        }
    if (found != pith_i_process(g->ctx))
        return 0;
    return g->points->X->offset + row_at(g, at, g->near + a * g->points->X->n, g->left + a * g->tiles);
}

/* The candidates of every run for centre k. */
static pith_status draw_candidates(pith_i_kmeans_runs *g, const directions *d, int64_t per_run, int32_t k)
{
    const size_t mark = pith_i_scratch_mark(g->ctx);
    const int64_t n = g->points->X->n;
    double *here = NULL, *parts = NULL;
    pith_status st = PITH_OK;
    if (g->spread && k > 0) {
        TRY(SCRATCH(g->ctx, here, g->n_active));
        for (int64_t a = 0; a < g->n_active; a++)
            here[a] = sum_of_tiles(g, g->left + a * g->tiles);
        TRY(tell_numbers(g->ctx, g->n_active, here, &parts));
    }
    for (int64_t q = 0; q < g->n_active * per_run; q++) {
        const int64_t a = q / per_run;
        pith_i_stream *random = &g->active[a]->random;
        if (k > 0 && g->spread)
            g->drawn[q] = draw_spread(g, random, a, parts);
        else if (k > 0)
            g->drawn[q] = draw(g, random, g->near + a * n, g->left + a * g->tiles);
        else
            g->drawn[q] = d->all > 0 ? nth_row(g, d, pith_i_random_below(random, d->all)) : 0;
    }
done:
    pith_i_scratch_release(g->ctx, mark);
    return st;
}

/* A row that is as near to centre k as to an earlier one, up to rounding, stays with the earlier. */
PITH_I_CLONES static void keep_nearer(int64_t n, const float *restrict d, const float *restrict square,
                                      float rounding, float longest, int32_t k, float *restrict near,
                                      int32_t *restrict label)
{
#pragma omp simd
    for (int64_t i = 0; i < n; i++) {
        label[i] = d[i] + rounding * (square[i] + longest) < near[i] ? k : label[i];
        near[i] = d[i] < near[i] ? d[i] : near[i];
    }
}

/* Centre k of run a: the candidate that leaves the smallest sum; ties, up to rounding, to the first drawn. */
static void keep_best(const pith_i_kmeans_runs *g, int64_t a, int64_t per_run, int32_t k)
{
    const pith_i_points *P = g->points;
    const int64_t n = P->X->n;
    int64_t best = a * per_run;
    double least = INFINITY;
    for (int64_t q = a * per_run; q < (a + 1) * per_run; q++)
        if (g->drawn_sum[q] < least * (1 - 1e-6)) {
            least = g->drawn_sum[q];
            best = q;
        }
    memcpy(g->left + a * g->tiles, g->partial + best * g->tiles, (size_t)g->tiles * sizeof *g->left);
    keep_nearer(n, g->drawn_distance + best * n, P->square, 2 * P->error, P->longest, k, g->near + a * n,
                g->active[a]->next);
}

static pith_status add_centre(pith_i_kmeans_runs *g, const directions *d, int32_t k)
{
    const size_t mark = pith_i_scratch_mark(g->ctx);
    const int64_t per_run = k == 0 ? 1 : g->candidates, columns = g->n_active * per_run;
    pith_i_data copies = {0};
    pith_status st = PITH_OK;
    TRY(draw_candidates(g, d, per_run, k));
    TRY(pith_i_progress(g->ctx, g->done, g->total));
    TRY(fetch_drawn(g, columns, &copies));
    TRY(measure(g, per_run));
    for (int64_t q = 0; q < columns; q++)
        g->drawn_sum[q] = sum_of_tiles(g, g->partial + q * g->tiles);
    if (g->spread)
        TRY(pith_i_sum(g->ctx, columns, g->drawn_sum));
#pragma omp parallel for num_threads(pith_ctx_threads(g->ctx)) if (g->parallel)
    for (int64_t a = 0; a < g->n_active; a++)
        keep_best(g, a, per_run, k);
done:
    pith_i_data_free(&copies);
    pith_i_scratch_release(g->ctx, mark);
    return st;
}

static pith_status plus_plus(pith_i_kmeans_runs *g, const directions *d)
{
    const pith_i_points *P = g->points;
    const int64_t n = P->X->n;
    pith_status st = PITH_OK;
    for (int64_t a = 0; a < g->n_active; a++) {
        for (int64_t i = 0; i < n; i++)
            g->near[a * n + i] = pith_i_points_directed(P, i) ? INFINITY : 0;
        memset(g->active[a]->next, 0, (size_t)n * sizeof *g->active[a]->next);
    }
    for (int32_t k = 0; k < (int32_t)g->clusters; k++)
        TRY(add_centre(g, d, k));
done:
    return st;
}

/* Centres from rows drawn uniformly, none twice: each row in turn with probability (centres still to draw) /
 * (rows left). */
static pith_status draw_centres(pith_i_kmeans_runs *g, const directions *d, pith_i_kmeans_one *run)
{
    const size_t mark = pith_i_scratch_mark(g->ctx);
    int64_t left = d->all, count = 0;
    pith_i_data copies = {0};
    pith_status st = PITH_OK;
    for (int64_t nth = 0; nth < d->all && count < g->clusters; nth++)
        if (pith_i_random_uniform(&run->random) * (double)left-- < (double)(g->clusters - count))
            g->drawn[count++] = nth_row(g, d, nth);
    TRY(fetch_drawn(g, count, &copies));
    for (int64_t k = 0; k < count; k++) {
        pith_i_centre_add(&g->source, g->drawn[k], 1, &run->centre[k]);
        pith_i_centre_set(&g->source, &run->centre[k]);
    }
done:
    pith_i_data_free(&copies);
    pith_i_scratch_release(g->ctx, mark);
    return st;
}

pith_status pith_i_kmeans_start(pith_i_kmeans_runs *g, bool random_rows)
{
    directions d;
    pith_status st = PITH_OK;
    TRY(find_directions(g, &d));
    if (!random_rows)
        return plus_plus(g, &d);
    for (int64_t a = 0; a < g->n_active; a++)
        TRY(draw_centres(g, &d, g->active[a]));
    TRY(pith_i_kmeans_assign(g));
done:
    return st;
}
