#include "graph/knn_project.h"

#include "core/parallel.h"
#include "core/random.h"
#include "linalg/basis.h"
#include "matrix/blas.h"
#include "matrix/simd.h"

#include <math.h>
#include <string.h>

enum { SAMPLE = 2048, LARGEST = 32768, SHARE = 16, ITERATIONS = 6, LANES = 16 };

/* y = V'z of row i, 64 directions at a time: their sums stay in registers. */
PITH_I_CLONES static void project_sparse(const pith_i_rows *R, const pith_i_directions *V, int64_t i,
                                         float *y)
{
    enum { AHEAD = 8, WIDE = 64 };
    const int32_t *index = R->X.indices;
    const int64_t first = R->X.indptr[i], end = R->X.indptr[i + 1], d = V->d;
    const double factor = R->factor[i] * R->scale;
    int64_t from = 0;
    for (; from + WIDE <= d; from += WIDE) {
        pith_i_float8 sum[WIDE / 8] = {{0}};
        for (int64_t e = first; e < end; e++) {
            const float z = (float)(pith_i_at(&R->X, i, e) * factor);
            const float *v = V->v + index[e] * d + from;
            if (e + AHEAD < end)
                for (int64_t j = 0; j < WIDE; j += LANES)
                    __builtin_prefetch(V->v + index[e + AHEAD] * d + from + j);
#pragma GCC unroll 8
            for (int c = 0; c < WIDE / 8; c++)
                sum[c] += z * *(const pith_i_float8 *)(v + 8 * (int64_t)c);
        }
        memcpy(y + from, sum, sizeof sum);
    }
    memset(y + from, 0, (size_t)(d - from) * sizeof *y);
    for (int64_t e = first; from < d && e < end; e++)
        for (int64_t j = from; j < d; j++)
            y[j] += (float)(pith_i_at(&R->X, i, e) * factor) * V->v[index[e] * d + j];
}

/* sum_j += z_j w for the columns j of row i; LANES numbers each. */
PITH_I_CLONES static void add_row(const pith_i_rows *R, int64_t i, const float *w, float *sum)
{
    const double factor = R->factor[i] * R->scale;
    const pith_i_float8 a = *(const pith_i_float8 *)w, b = *(const pith_i_float8 *)(w + 8);
    for (int64_t e = R->X.indptr[i]; e < R->X.indptr[i + 1]; e++) {
        const float z = (float)(pith_i_at(&R->X, i, e) * factor);
        float *to = sum + (int64_t)R->X.indices[e] * LANES;
        *(pith_i_float8 *)to += z * a;
        *(pith_i_float8 *)(to + 8) += z * b;
    }
}

void pith_i_project(const pith_i_rows *R, const pith_i_directions *V, int64_t count, const int32_t *rows,
                    float *room, float *y, int64_t ld)
{
    for (int64_t r = 0; r < count; r++)
        if (rows[r] < 0)
            memset(R->X.sparse ? y + r * ld : room + r * R->X.p, 0,
                   (size_t)(R->X.sparse ? V->d : V->p) * sizeof *y);
        else if (R->X.sparse)
            project_sparse(R, V, rows[r], y + r * ld);
        else
            pith_i_rows_floats(R, rows[r], room + r * R->X.p);
    if (!R->X.sparse)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)count, (int)V->d, (int)V->p, 1, room,
                    (int)V->p, V->v, (int)V->d, 0, y, (int)ld);
}

/* ---- Finding the directions ---------------------------------------------------------------------------- */

typedef struct sampled {
    const pith_i_rows *R;
    int64_t count;
    const int64_t *row;
    float *z; /* dense: the rows, count x p */
    float *w; /* count x d */
} sampled;

/* LANES columns of v = Z'w, from `from` on, for sparse rows. sum: p x LANES, side by side; in v itself they
 * would lie far apart. */
static void back_some(pith_ctx *ctx, const sampled *s, int64_t from, float *sum, pith_i_directions *V)
{
    const int64_t p = V->p, d = V->d, lanes = d - from < LANES ? d - from : LANES;
    float w[LANES] = {0};
    memset(sum, 0, (size_t)(p * LANES) * sizeof *sum);
    for (int64_t r = 0; r < s->count && !pith_i_stop_asked(ctx); r++) {
        memcpy(w, s->w + r * d + from, (size_t)lanes * sizeof *w);
        add_row(s->R, s->row[r], w, sum);
    }
    for (int64_t j = 0; j < p; j++)
        memcpy(V->v + j * d + from, sum + j * LANES, (size_t)lanes * sizeof *sum);
}

/* v = Z'w. Threads have different columns. */
static pith_status back(pith_ctx *ctx, const sampled *s, pith_i_directions *V)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t p = V->p, d = V->d, threads = pith_ctx_threads(ctx);
    float *sum = NULL;
    pith_status st = PITH_OK;
    if (!s->R->X.sparse) {
        pith_i_blas_enter();
        cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)p, (int)d, (int)s->count, 1, s->z, (int)p,
                    s->w, (int)d, 0, V->v, (int)d);
        pith_i_blas_leave();
        return PITH_OK;
    }
    TRY(SCRATCH(ctx, sum, threads * p * LANES));
#pragma omp parallel for num_threads((int)threads) schedule(dynamic)
    for (int64_t from = 0; from < d; from += LANES)
        back_some(ctx, s, from, sum + pith_i_thread() * p * LANES, V);
    TRY(pith_i_stop_status(ctx));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* w = Z v */
static pith_status forth(pith_ctx *ctx, const sampled *s, const pith_i_directions *V)
{
    const int64_t p = V->p, d = V->d;
    if (!s->R->X.sparse) {
        pith_i_blas_enter();
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)s->count, (int)d, (int)p, 1, s->z, (int)p,
                    V->v, (int)d, 0, s->w, (int)d);
        pith_i_blas_leave();
        return PITH_OK;
    }
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic, 16)
    for (int64_t r = 0; r < s->count; r++)
        if (!pith_i_stop_asked(ctx))
            project_sparse(s->R, V, s->row[r], s->w + r * d);
    return pith_i_stop_status(ctx);
}

/* Orthonormalises the columns of V; one that depends on those before it, up to rounding, becomes 0. q: room
 * for d x p. */
static pith_status orthonormalize(pith_ctx *ctx, pith_i_directions *V, double *q)
{
    const int64_t p = V->p, d = V->d;
    pith_status st = PITH_OK;
    int64_t held = 0;
    for (int64_t a = 0; a < d; a++) {
        double *x = q + held * p, norm = 0, before = 0;
        const pith_i_basis found = {.n = p, .count = {held, 0}, .vector = {q, NULL}};
        for (int64_t j = 0; j < p; j++) {
            x[j] = (double)V->v[j * d + a];
            before += x[j] * x[j];
        }
        (void)pith_i_stop_asked(ctx);
        TRY(pith_i_stop_status(ctx));
        TRY(pith_i_basis_orthonormalize_here(ctx, &found, x, &norm));
        const bool kept = norm > 1e-5 * sqrt(before) && before > 0;
        for (int64_t j = 0; j < p; j++)
            V->v[j * d + a] = kept ? (float)x[j] : 0;
        held += kept;
    }
done:
    return st;
}

/*
 * The size of the sample. Directions of weak clusters are lost in a sample with fewer rows than columns,
 * however many rows there are in all, so a sample of sparse rows, which costs little, grows with n. Dense
 * rows must fit into memory as floats.
 */
static int64_t sample_size(const pith_i_data *X, int64_t d)
{
    const int64_t n = pith_i_all(X), fit = ((int64_t)1 << 25) / X->p, share = n / SHARE;
    const int64_t dense = fit > SAMPLE ? SAMPLE : fit < 4 * d ? 4 * d : fit;
    const int64_t sparse = share < SAMPLE ? SAMPLE : share > LARGEST ? LARGEST : share;
    const int64_t size = X->sparse ? sparse : dense;
    return size < n ? size : n;
}

/* Random numbers of the sample's row r; the first, `which`, decides which row of the data that is. */
static pith_i_stream random_of(const pith_ctx *ctx, int64_t r, double *which)
{
    pith_i_stream random = pith_i_stream_at(pith_ctx_seed(ctx), PITH_I_RANDOM_DIRECTIONS, (uint64_t)r);
    *which = pith_i_random_uniform(&random);
    return random;
}

pith_status pith_i_directions_draw(pith_ctx *ctx, const pith_i_data *X, int64_t most, int64_t *count,
                                   int64_t **rows)
{
    const int64_t n = pith_i_all(X), size = sample_size(X, pith_i_min(most, X->p));
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, *rows, size));
    *count = size;
    for (int64_t r = 0; r < size; r++) {
        const int64_t low = r * n / size, high = (r + 1) * n / size;
        double which = 0;
        (void)random_of(ctx, r, &which);
        /* A random row of each stretch: a fixed step could miss what recurs at regular intervals. */
        (*rows)[r] = low + (int64_t)(which * (double)(high - low));
    }
done:
    return st;
}

static pith_status open_sample(pith_ctx *ctx, const pith_i_rows *R, int64_t count, const int64_t *rows,
                               int64_t d, sampled *s)
{
    const int64_t p = R->X.p;
    pith_status st = PITH_OK;
    s->R = R;
    s->count = count;
    s->row = rows;
    TRY(SCRATCH(ctx, s->w, count * d));
    TRY(SCRATCH(ctx, s->z, R->X.sparse ? 0 : count * p));
    for (int64_t r = 0; r < count; r++) {
        double which = 0;
        pith_i_stream random = random_of(ctx, r, &which);
        for (int64_t j = 0; j < d; j++)
            s->w[r * d + j] = (float)pith_i_random_normal(&random);
        if (!R->X.sparse)
            pith_i_rows_floats(R, rows[r], s->z + r * p);
    }
done:
    return st;
}

pith_status pith_i_directions_of(pith_ctx *ctx, const pith_i_rows *R, int64_t count, const int64_t *rows,
                                 int64_t most, pith_i_directions *out)
{
    pith_i_directions V = {.p = R->X.p, .d = most < R->X.p ? most : R->X.p};
    sampled s = {0};
    double *q = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, V.v, V.p * V.d));
    const size_t mark = pith_i_scratch_mark(ctx);
    TRY(open_sample(ctx, R, count, rows, V.d, &s));
    TRY(SCRATCH(ctx, q, V.p * V.d));
    for (int t = 0; t < ITERATIONS; t++) {
        if (t > 0)
            TRY(forth(ctx, &s, &V));
        TRY(back(ctx, &s, &V));
        TRY(orthonormalize(ctx, &V, q));
    }
    pith_i_scratch_release(ctx, mark);
    *out = V;
done:
    return st;
}

pith_status pith_i_directions_find(pith_ctx *ctx, const pith_i_rows *R, int64_t most, pith_i_directions *out)
{
    int64_t *rows = NULL, count = 0;
    pith_status st = PITH_OK;
    TRY(pith_i_directions_draw(ctx, &R->X, most, &count, &rows));
    TRY(pith_i_directions_of(ctx, R, count, rows, most, out));
done:
    return st;
}
