#include "cluster/kmeans_runs.h"
#include "core/parallel.h"
#include "matrix/blas.h"
#include "matrix/simd.h"

#include <math.h>
#include <string.h>

/* Writes the fresh centres to the columns of zt. */
static void lay_out_sparse(pith_i_kmeans_runs *g)
{
    enum { STRIP = 64 };
    const int64_t p = g->points->X->p, ld = pith_i_padded(g->n_fresh);
#pragma omp parallel for num_threads(pith_ctx_threads(g->ctx)) if (g->parallel)
    for (int64_t from = 0; from < p; from += STRIP)
        for (int64_t q = 0; q < ld; q++) {
            const pith_i_centre *a = pith_i_centre_at(g, g->fresh[q < g->n_fresh ? q : 0]);
            const double factor = q < g->n_fresh ? a->factor * g->points->unit : 0;
            for (int64_t j = from; j < from + STRIP && j < p; j++)
                g->zt[j * ld + q] = (float)(factor * a->deviation[j]);
        }
}

/* Lists the centres of the active runs that have moved, or all of them if no products are kept. */
static void list_fresh(pith_i_kmeans_runs *g)
{
    g->n_fresh = 0;
    for (int64_t a = 0; a < g->n_active; a++)
        for (int64_t k = 0; k < g->clusters; k++) {
            pith_i_centre *centre = &g->active[a]->centre[k];
            if (g->kept == NULL || centre->moved)
                g->fresh[g->n_fresh++] = (g->active[a] - g->run) * g->clusters + k;
            centre->moved = false;
        }
}

static void prepare(pith_i_kmeans_runs *g)
{
    const pith_i_points *P = g->points;
    const int64_t p = P->X->p, c = g->clusters;
    const double unit2 = P->unit * P->unit;
    list_fresh(g);
    if (P->X->sparse)
        lay_out_sparse(g);
#pragma omp parallel for num_threads(pith_ctx_threads(g->ctx)) schedule(dynamic) if (g->parallel)
    for (int64_t q = 0; q < g->n_fresh; q++) {
        const pith_i_centre *a = pith_i_centre_at(g, g->fresh[q]);
        if (!P->X->sparse)
            pith_i_centre_float(P, a, g->z + q * p);
        /* A centre without a direction has cosine 0: distance 2 from every row, where |x - 0|^2 is 1. */
        const double square = a->square + (P->cosine && a->factor == 0 ? 1 : 0);
        g->bias[g->fresh[q]] = a->count > 0 ? (float)(square * unit2) : INFINITY;
    }
    for (int64_t r = 0; r < g->n_active; r++) {
        const float *bias = g->bias + (g->active[r] - g->run) * c;
        float largest = 0;
        for (int64_t k = 0; k < c; k++)
            if (g->active[r]->centre[k].count > 0)
                largest = fmaxf(largest, bias[k]);
        g->active[r]->reach = sqrtf(largest);
    }
}

/* sum += v_e z_col(e), ld columns at a time. */
PITH_I_CLONES static void add_products(int64_t count, const int32_t *col, const float *v, const float *zt,
                                       int64_t ld, float *sum)
{
    int64_t q = 0;
    for (; q + 16 <= ld; q += 16) {
        pith_i_float8 s0 = *(const pith_i_float8 *)(sum + q), s1 = *(const pith_i_float8 *)(sum + q + 8);
        for (int64_t e = 0; e < count; e++) {
            const float *z = zt + col[e] * ld + q;
            s0 += v[e] * *(const pith_i_float8 *)z;
            s1 += v[e] * *(const pith_i_float8 *)(z + 8);
        }
        *(pith_i_float8 *)(sum + q) = s0;
        *(pith_i_float8 *)(sum + q + 8) = s1;
    }
    if (q < ld) {
        pith_i_float8 s0 = *(const pith_i_float8 *)(sum + q);
        for (int64_t e = 0; e < count; e++)
            s0 += v[e] * *(const pith_i_float8 *)(zt + col[e] * ld + q);
        *(pith_i_float8 *)(sum + q) = s0;
    }
}

static void sparse_products(const pith_i_kmeans_runs *g, int64_t columns, int64_t t, float *out, int64_t ld)
{
    enum { CHUNK = 256 };
    const pith_i_points *P = g->points;
    const pith_i_data *X = P->X;
    const int64_t wide = pith_i_padded(columns);
    float *sum = g->row + pith_i_thread() * pith_i_padded(g->columns), v[CHUNK];
    for (int64_t row = 0, i = t * g->tile; row < pith_i_tile_rows(g, t); row++, i++) {
        const double scale = -2 * P->unit * (P->weight == NULL ? 1 : P->weight[i]);
        memset(sum, 0, (size_t)wide * sizeof *sum);
        for (int64_t e = X->indptr[i]; e < X->indptr[i + 1]; e += CHUNK) {
            const int64_t many = X->indptr[i + 1] - e < CHUNK ? X->indptr[i + 1] - e : CHUNK;
            for (int64_t m = 0; m < many; m++)
                v[m] = (float)(scale * pith_i_at(X, i, e + m));
            add_products(many, X->indices + e, v, g->zt, wide, sum);
        }
        for (int64_t q = 0; q < columns; q++)
            out[q * ld + row] = sum[q];
    }
}

void pith_i_kmeans_products(const pith_i_kmeans_runs *g, int64_t columns, int64_t t, float *out, int64_t ld)
{
    const int64_t p = g->points->X->p;
    if (g->points->X->sparse)
        sparse_products(g, columns, t, out, ld);
    else
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)columns, (int)pith_i_tile_rows(g, t),
                    (int)p, -2, g->z, (int)p, g->points->y + t * g->tile * p, (int)p, 0, out, (int)ld);
}

/* The two least of the c scores of every row, and which centre has the least. */
PITH_I_CLONES static void two_least(int64_t c, int64_t rows, const float *restrict score, int64_t ld,
                                    const float *restrict bias, float *restrict least, float *restrict second,
                                    int32_t *restrict which)
{
    for (int64_t i = 0; i < rows; i++) {
        least[i] = second[i] = INFINITY;
        which[i] = 0;
    }
    for (int64_t k = 0; k < c; k++) {
        const float b = bias[k], *s = score + k * ld;
#pragma omp simd
        for (int64_t i = 0; i < rows; i++) {
            const float v = s[i] + b, old = least[i], other = second[i];
            const float loser = v < old ? old : v;
            second[i] = loser < other ? loser : other;
            least[i] = v < old ? v : old;
            which[i] = v < old ? (int32_t)k : which[i];
        }
    }
}

/*
 * The nearest centre of row i in double, among those whose scores are within the margin of the least. Ties,
 * up to the rounding of double, go to the present one, or else to the first.
 */
static int32_t nearest_exactly(const pith_i_kmeans_runs *g, const pith_i_kmeans_one *run, int64_t i,
                               const float *score, const float *bias, float least, float margin)
{
    const int32_t own = run->label[i], c = (int32_t)g->clusters;
    double nearest = INFINITY;
    int32_t which = 0;
    for (int32_t q = own < 0 ? 0 : -1; q < c; q++) {
        const int32_t k = q < 0 ? own : q; /* the present one goes first */
        if (run->centre[k].count == 0 || score[k * g->tile] + bias[k] - least > margin)
            continue;
        const double d = pith_i_points_distance(g->points, i, &run->centre[k]);
        if (d < nearest * (1 - 1e-12)) {
            nearest = d;
            which = k;
        }
    }
    return which;
}

enum { TILE_MOST = 256 };

/* The products of tile t with the centres of the active runs; those of a run are contiguous. If products are
 * kept, they are at their centres' places; if not, the active runs follow each other. */
static const float *tile_scores(const pith_i_kmeans_runs *g, int64_t t)
{
    float *scores = g->scores + pith_i_thread() * g->columns * g->tile;
    pith_i_kmeans_products(g, g->n_fresh, t, scores, g->tile);
    if (g->kept == NULL)
        return scores;
    float *kept = g->kept + t * g->columns * g->tile;
    for (int64_t q = 0; q < g->n_fresh; q++)
        memcpy(kept + g->fresh[q] * g->tile, scores + q * g->tile, (size_t)g->tile * sizeof *kept);
    return kept;
}

static void assign_tile(const pith_i_kmeans_runs *g, int64_t t)
{
    const int64_t c = g->clusters, rows = pith_i_tile_rows(g, t), first = t * g->tile;
    const float error = g->points->error, *scores = tile_scores(g, t);
    float least[TILE_MOST], second[TILE_MOST];
    int32_t which[TILE_MOST];
    for (int64_t a = 0; a < g->n_active; a++) {
        pith_i_kmeans_one *run = g->active[a];
        const int64_t r = run - g->run;
        const float *score = scores + (g->kept == NULL ? a : r) * c * g->tile, *bias = g->bias + r * c;
        two_least(c, rows, score, g->tile, bias, least, second, which);
        for (int64_t row = 0; row < rows; row++) {
            const int64_t i = first + row;
            const float margin = error * run->reach * (4 * sqrtf(g->points->square[i]) + 2 * run->reach);
            if (second[row] - least[row] > margin)
                run->next[i] = which[row];
            else
                run->next[i] = nearest_exactly(g, run, i, score + row, bias, least[row], margin);
        }
    }
}

pith_status pith_i_kmeans_assign(pith_i_kmeans_runs *g)
{
    prepare(g);
    pith_i_blas_enter();
#pragma omp parallel for num_threads(pith_ctx_threads(g->ctx)) schedule(dynamic) if (g->parallel)
    for (int64_t t = 0; t < g->tiles; t++)
        if (!pith_i_progress_stop(g->ctx, g->done, g->total))
            assign_tile(g, t);
    pith_i_blas_leave();
    return pith_i_stop_status(g->ctx);
}
