/*
 * First centres. Greedy k-means++ (Arthur & Vassilvitskii, SODA 2007): a centre is drawn with probability
 * proportional to the squared distance from the nearest one so far; of several candidates so drawn the one
 * that leaves the smallest sum of these distances is kept. All runs draw at once, so that one GEMM measures
 * the candidates of all of them. Distances are in units (kmeans_points.h).
 */
#include "cluster/kmeans_runs.h"
#include "core/parallel.h"
#include "matrix/blas.h"
#include "matrix/simd.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 64 };

static int64_t rows_with_direction(const pith_i_points *P)
{
    int64_t count = 0;
    for (int64_t i = 0; i < P->X->n; i++)
        count += pith_i_points_directed(P, i);
    return count;
}

/* The nth row that has a direction. */
static int64_t nth_row(const pith_i_points *P, int64_t nth)
{
    int64_t i = 0;
    while (!pith_i_points_directed(P, i) || nth-- > 0)
        i++;
    return i;
}

/* d = |y_i - y_j|^2 from products, d on entry; true: one of them is smaller than `least`. */
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

/* Distances that float cannot tell from 0 to two digits or so, again in double; what rounding of the rows
 * themselves leaves of equal ones is 0. */
static void refine(const pith_i_points *P, int64_t first, int64_t rows, int64_t j, float least, float *d)
{
    for (int64_t row = 0; row < rows; row++) {
        const float both = P->square[first + row] + P->square[j];
        if (d[row] >= least * both)
            continue;
        const double exact = pith_i_points_between(P, first + row, j) * P->unit * P->unit;
        d[row] = exact > 1e-28 * (double)both ? (float)exact : 0;
    }
}

/* Candidate q of all runs: its distances from tile t, and what they leave of the sum. */
static void measure_tile(const pith_i_kmeans_runs *g, int64_t columns, int64_t per_run, int64_t t)
{
    const pith_i_points *P = g->points;
    const int64_t n = P->X->n, first = t * g->tile, rows = pith_i_tile_rows(g, t);
    const float least = 64 * P->error;
    pith_i_kmeans_products(g, columns, t, g->drawn_distance + first, n);
    for (int64_t q = 0; q < columns; q++) {
        const int64_t j = g->drawn[q];
        float *d = g->drawn_distance + q * n + first;
        for (int64_t from = 0; from < rows; from += BLOCK) {
            const int64_t many = rows - from < BLOCK ? rows - from : BLOCK;
            if (to_distances(many, P->square + first + from, P->square[j], least, d + from))
                refine(P, first + from, many, j, least, d + from);
        }
        g->partial[q * g->tiles + t] = sum_of_least(rows, g->near + q / per_run * n + first, d);
    }
}

/* The drawn rows as centres of products; `clear` wipes those of sparse data again. */
static void lay_out(const pith_i_kmeans_runs *g, int64_t columns, bool clear)
{
    const pith_i_points *P = g->points;
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

/* A row with probability proportional to `near`, whose sums over tiles are left; row 0 if all are 0. */
static int64_t draw(const pith_i_kmeans_runs *g, pith_i_stream *random, const float *near, const double *left)
{
    double total = 0, at;
    int64_t t = 0, i, last = 0;
    for (int64_t s = 0; s < g->tiles; s++)
        total += left[s];
    at = pith_i_random_uniform(random) * total;
    while (t + 1 < g->tiles && at >= left[t])
        at -= left[t++];
    for (i = t * g->tile; i < t * g->tile + pith_i_tile_rows(g, t); i++)
        if (near[i] > 0) {
            last = i;
            if (at < (double)near[i])
                break;
            at -= (double)near[i];
        }
    return last; /* rounding may lead past the end: then the last that could be meant */
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

/* Centre k of run a: the candidate that leaves the smallest sum; as small up to rounding: the first drawn. */
static void keep_best(const pith_i_kmeans_runs *g, int64_t a, int64_t per_run, int32_t k)
{
    const pith_i_points *P = g->points;
    const int64_t n = P->X->n;
    int64_t best = a * per_run;
    double least = INFINITY;
    for (int64_t q = a * per_run; q < (a + 1) * per_run; q++) {
        double sum = 0;
        for (int64_t t = 0; t < g->tiles; t++)
            sum += g->partial[q * g->tiles + t];
        if (sum < least * (1 - 1e-6)) {
            least = sum;
            best = q;
        }
    }
    memcpy(g->left + a * g->tiles, g->partial + best * g->tiles, (size_t)g->tiles * sizeof *g->left);
    keep_nearer(n, g->drawn_distance + best * n, P->square, 2 * P->error, P->longest, k, g->near + a * n,
                g->active[a]->next);
}

static pith_status plus_plus(pith_i_kmeans_runs *g)
{
    const pith_i_points *P = g->points;
    const int64_t n = P->X->n, directed = rows_with_direction(P);
    pith_status st = PITH_OK;
    for (int64_t a = 0; a < g->n_active; a++) {
        for (int64_t i = 0; i < n; i++)
            g->near[a * n + i] = pith_i_points_directed(P, i) ? INFINITY : 0;
        memset(g->active[a]->next, 0, (size_t)n * sizeof *g->active[a]->next);
    }
    for (int32_t k = 0; k < (int32_t)g->clusters; k++) {
        const int64_t per_run = k == 0 ? 1 : g->candidates;
        for (int64_t q = 0; q < g->n_active * per_run; q++) {
            const int64_t a = q / per_run;
            pith_i_stream *random = &g->active[a]->random;
            if (k > 0)
                g->drawn[q] = draw(g, random, g->near + a * n, g->left + a * g->tiles);
            else
                g->drawn[q] = directed > 0 ? nth_row(P, pith_i_random_below(random, directed)) : 0;
        }
        TRY(pith_i_progress(g->ctx, g->done, g->total));
        TRY(measure(g, per_run));
#pragma omp parallel for num_threads(pith_ctx_threads(g->ctx)) if (g->parallel)
        for (int64_t a = 0; a < g->n_active; a++)
            keep_best(g, a, per_run, k);
    }
done:
    return st;
}

/* Centres from rows drawn evenly, none twice: row i of those left with probability wanted / left. */
static void draw_centres(const pith_i_kmeans_runs *g, int64_t directed, pith_i_kmeans_one *run)
{
    int64_t left = directed, k = 0;
    for (int64_t i = 0; i < g->points->X->n && k < g->clusters; i++) {
        if (!pith_i_points_directed(g->points, i))
            continue;
        if (pith_i_random_uniform(&run->random) * (double)left-- >= (double)(g->clusters - k))
            continue;
        pith_i_centre_add(g->points, i, 1, &run->centre[k]);
        pith_i_centre_set(g->points, &run->centre[k++]);
    }
}

pith_status pith_i_kmeans_start(pith_i_kmeans_runs *g, bool random_rows)
{
    if (!random_rows)
        return plus_plus(g);
    const int64_t directed = rows_with_direction(g->points);
    for (int64_t a = 0; a < g->n_active; a++)
        draw_centres(g, directed, g->active[a]);
    return pith_i_kmeans_assign(g);
}
