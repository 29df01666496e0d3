#include "graph/knn_project.h"

#include "core/parallel.h"
#include "core/random.h"
#include "linalg/basis.h"
#include "matrix/blas.h"
#include "matrix/simd.h"

#include <math.h>
#include <string.h>

enum { SAMPLE = 2048, ITERATIONS = 3, LANES = 16 };

static float sparse_z(const pith_i_rows *R, int64_t i, int64_t e)
{
    return (float)(pith_i_at(&R->X, i, e) * R->factor[i] * R->scale);
}

/* y += z v */
PITH_I_CLONES static void add_scaled(int64_t d, float z, const float *v, float *y)
{
#pragma omp simd
    for (int64_t j = 0; j < d; j++)
        y[j] += z * v[j];
}

static void project_sparse(const pith_i_rows *R, const pith_i_directions *V, int64_t i, float *y)
{
    enum { AHEAD = 8 };
    const int64_t end = R->X.indptr[i + 1];
    memset(y, 0, (size_t)V->d * sizeof *y);
    for (int64_t e = R->X.indptr[i]; e < end; e++) {
        if (e + AHEAD < end)
            for (int64_t j = 0; j < V->d; j += LANES)
                __builtin_prefetch(V->v + R->X.indices[e + AHEAD] * V->d + j);
        add_scaled(V->d, sparse_z(R, i, e), V->v + R->X.indices[e] * V->d, y);
    }
}

void pith_i_project(const pith_i_rows *R, const pith_i_directions *V, int64_t count, const int32_t *rows,
                    float *room, float *y, int64_t ld)
{
    for (int64_t r = 0; r < count; r++)
        if (R->X.sparse)
            project_sparse(R, V, rows[r], y + r * ld);
        else
            pith_i_rows_floats(R, rows[r], room + r * R->X.p);
    if (!R->X.sparse)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)count, (int)V->d, (int)V->p, 1, room,
                    (int)V->p, V->v, (int)V->d, 0, y, (int)ld);
}

/* ---- Finding them -------------------------------------------------------------------------------------- */

typedef struct sampled {
    const pith_i_rows *R;
    int64_t count;
    int32_t *row;
    float *z; /* dense: the rows, count x p */
    float *w; /* count x d */
} sampled;

/* v = Z'w. Every thread has columns of its own. */
static void back(pith_ctx *ctx, const sampled *s, pith_i_directions *V)
{
    const pith_i_data *X = &s->R->X;
    const int64_t p = V->p, d = V->d;
    if (!X->sparse) {
        pith_i_blas_enter();
        cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)p, (int)d, (int)s->count, 1, s->z, (int)p,
                    s->w, (int)d, 0, V->v, (int)d);
        pith_i_blas_leave();
        return;
    }
    memset(V->v, 0, (size_t)(p * d) * sizeof *V->v);
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic)
    for (int64_t from = 0; from < d; from += LANES)
        for (int64_t r = 0; r < s->count; r++)
            for (int64_t i = s->row[r], e = X->indptr[i]; e < X->indptr[i + 1]; e++)
                add_scaled(d - from < LANES ? d - from : LANES, sparse_z(s->R, i, e), s->w + r * d + from,
                           V->v + X->indices[e] * d + from);
}

/* w = Z v */
static void forth(pith_ctx *ctx, const sampled *s, const pith_i_directions *V)
{
    const int64_t p = V->p, d = V->d;
    if (!s->R->X.sparse) {
        pith_i_blas_enter();
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)s->count, (int)d, (int)p, 1, s->z, (int)p,
                    V->v, (int)d, 0, s->w, (int)d);
        pith_i_blas_leave();
        return;
    }
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic, 16)
    for (int64_t r = 0; r < s->count; r++)
        project_sparse(s->R, V, s->row[r], s->w + r * d);
}

/* Columns that the ones before them span up to rounding become 0. q: room for d x p. */
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
        TRY(pith_i_basis_orthonormalize(ctx, &found, x, &norm));
        const bool kept = norm > 1e-5 * sqrt(before) && before > 0;
        for (int64_t j = 0; j < p; j++)
            V->v[j * d + a] = kept ? (float)x[j] : 0;
        held += kept;
    }
done:
    return st;
}

static pith_status open_sample(pith_ctx *ctx, const pith_i_rows *R, int64_t d, sampled *s)
{
    const int64_t n = R->X.n, p = R->X.p, fit = ((int64_t)1 << 25) / p;
    const int64_t most = R->X.sparse || fit > SAMPLE ? SAMPLE : fit < 4 * d ? 4 * d : fit;
    pith_status st = PITH_OK;
    s->R = R;
    s->count = most < n ? most : n;
    TRY(SCRATCH(ctx, s->row, s->count));
    TRY(SCRATCH(ctx, s->w, s->count * d));
    TRY(SCRATCH(ctx, s->z, R->X.sparse ? 0 : s->count * p));
    for (int64_t r = 0; r < s->count; r++) {
        pith_i_stream random = pith_i_stream_at(pith_ctx_seed(ctx), PITH_I_RANDOM_DIRECTIONS, (uint64_t)r);
        s->row[r] = (int32_t)(r * n / s->count);
        for (int64_t j = 0; j < d; j++)
            s->w[r * d + j] = (float)pith_i_random_normal(&random);
        if (!R->X.sparse)
            pith_i_rows_floats(R, s->row[r], s->z + r * p);
    }
done:
    return st;
}

pith_status pith_i_directions_find(pith_ctx *ctx, const pith_i_rows *R, int64_t most, pith_i_directions *out)
{
    pith_i_directions V = {.p = R->X.p, .d = most < R->X.p ? most : R->X.p};
    sampled s = {0};
    double *q = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, V.v, V.p * V.d));
    const size_t mark = pith_i_scratch_mark(ctx);
    TRY(open_sample(ctx, R, V.d, &s));
    TRY(SCRATCH(ctx, q, V.p * V.d));
    for (int t = 0; t < ITERATIONS; t++) {
        if (t > 0)
            forth(ctx, &s, &V);
        back(ctx, &s, &V);
        TRY(orthonormalize(ctx, &V, q));
    }
    pith_i_scratch_release(ctx, mark);
    *out = V;
done:
    return st;
}
