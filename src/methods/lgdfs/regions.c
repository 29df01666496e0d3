#include "methods/lgdfs/regions.h"

#include "core/parallel.h"
#include "graph/knn_top.h"
#include "graph/local_fit.h"

#include <string.h>

pith_status pith_i_regions_open(pith_ctx *ctx, int64_t n, int64_t k, double ridge, pith_i_regions *out)
{
    pith_i_regions r = {.n = n, .k = k, .ridge = ridge, .near = {.n = n, .k = k - 1}};
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, r.near.index, n * (k - 1)));
    TRY(SCRATCH(ctx, r.J, n * k * k));
    TRY(SCRATCH(ctx, r.room, n * k * k));
    *out = r;
done:
    return st;
}

void pith_i_regions_close(pith_i_regions *r)
{
    pith_i_local_sum_free(&r->sum);
}

static int64_t member(const pith_i_regions *r, int64_t i, int64_t t)
{
    return t == 0 ? i : r->near.index[i * (r->k - 1) + t - 1];
}

/* ---- Neighbours ---------------------------------------------------------------------------------------- */

/* The k - 1 rows nearest to every row by |x_a - x_b|^2 = G_aa + G_bb - 2 G_ab. */
static pith_status find_by_products(pith_ctx *ctx, pith_i_regions *r, const double *G)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = r->n, others = r->k - 1;
    pith_i_near *heaps = NULL;
    double *square = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, heaps, others * pith_ctx_threads(ctx)));
    TRY(SCRATCH(ctx, square, n));
    for (int64_t b = 0; b < n; b++)
        square[b] = G[b * n + b];
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic, 16)
    for (int64_t a = 0; a < n; a++) {
        pith_i_near *near = heaps + others * pith_i_thread();
        const double *row = G + a * n;
        int64_t count = 0;
        for (int64_t b = 0; b < n; b++)
            if (b != a)
                pith_i_top_push(near, &count, others, (pith_i_near){square[b] - 2 * row[b], b});
        pith_i_top_sort(near, count);
        for (int64_t e = 0; e < others; e++)
            r->near.index[a * others + e] = near[e].id;
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status find_by_rows(pith_ctx *ctx, pith_i_regions *r, const pith_i_data *V)
{
    pith_i_knn found = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_knn_find(ctx, V, r->k - 1, PITH_I_EUCLIDEAN, &found));
    memcpy(r->near.index, found.index, (size_t)(r->n * (r->k - 1)) * sizeof *found.index);
done:
    pith_i_knn_free(&found);
    return st;
}

/* ---- Regressions --------------------------------------------------------------------------------------- */

/* Means of rows and columns off a symmetric k x k block. */
static void centre(int64_t k, double *A)
{
    for (int side = 0; side < 2; side++)
        for (int64_t a = 0; a < k; a++) {
            double *line = side == 0 ? A + a * k : A + a, mean = 0;
            const int64_t step = side == 0 ? 1 : k;
            for (int64_t b = 0; b < k; b++)
                mean += line[b * step] / (double)k;
            for (int64_t b = 0; b < k; b++)
                line[b * step] -= mean;
        }
}

/* A <- A^-1 of a positive definite k x k block by sweeps: no pivot is smaller than the least eigenvalue. */
static void invert(int64_t k, double *A)
{
    for (int64_t p = 0; p < k; p++) {
        const double d = 1 / A[p * k + p];
        for (int64_t a = 0; a < k; a++)
            for (int64_t b = 0; a != p && b < k; b++)
                if (b != p)
                    A[a * k + b] -= A[a * k + p] * A[p * k + b] * d;
        for (int64_t a = 0; a < k; a++) {
            A[a * k + p] *= a == p ? 0 : d;
            A[p * k + a] *= a == p ? 0 : d;
        }
        A[p * k + p] = -d;
    }
    for (int64_t e = 0; e < k * k; e++)
        A[e] = -A[e];
}

/* G_i in J becomes J_i; so does -D_i / 2 of squared distances, which differs by what H takes away. */
static void fit_region(const pith_i_regions *r, double *J)
{
    const int64_t k = r->k;
    centre(k, J);
    for (int64_t a = 0; a < k; a++)
        J[a * k + a] += r->ridge;
    invert(k, J);
    centre(k, J);
}

static pith_status add_up(pith_ctx *ctx, pith_i_regions *r)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = r->n, k = r->k;
    int64_t *met = NULL;
    pith_status st = PITH_OK;
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(static, 16)
    for (int64_t i = 0; i < n; i++)
        fit_region(r, r->J + i * k * k);
    pith_i_local_sum_free(&r->sum);
    TRY(pith_i_local_sum_make(ctx, &r->near, r->J, &r->sum));
    TRY(SCRATCH_ZERO(ctx, met, n));
    r->most = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t t = 0; t < k; t++)
            met[member(r, i, t)]++;
    for (int64_t i = 0; i < n; i++)
        r->most = pith_i_max(r->most, met[i]);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_regions_by_products(pith_ctx *ctx, pith_i_regions *r, const double *G, bool move)
{
    const int64_t n = r->n, k = r->k;
    pith_status st = PITH_OK;
    if (move)
        TRY(find_by_products(ctx, r, G));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(static, 16)
    for (int64_t i = 0; i < n; i++)
        for (int64_t a = 0; a < k; a++)
            for (int64_t b = 0; b < k; b++)
                r->J[(i * k + a) * k + b] = G[member(r, i, a) * n + member(r, i, b)];
    TRY(add_up(ctx, r));
done:
    return st;
}

pith_status pith_i_regions_by_rows(pith_ctx *ctx, pith_i_regions *r, const pith_i_data *V, bool move)
{
    pith_status st = PITH_OK;
    if (move)
        TRY(find_by_rows(ctx, r, V));
    TRY(pith_i_local_distances(ctx, V, &r->near, r->J));
    for (int64_t e = 0; e < r->n * r->k * r->k; e++)
        r->J[e] /= -2;
    TRY(add_up(ctx, r));
done:
    return st;
}

/* ---- What every feature does --------------------------------------------------------------------------- */

/* M_i M_i' of every region, into room: M_i is k x vectors. */
static pith_status square_regions(pith_ctx *ctx, const pith_i_regions *r, int64_t vectors, const double *Y)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = r->n, k = r->k;
    double *rooms = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, rooms, k * vectors * pith_ctx_threads(ctx)));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(static, 16)
    for (int64_t i = 0; i < n; i++) {
        const double *J = r->J + i * k * k;
        double *M = rooms + k * vectors * pith_i_thread(), *out = r->room + i * k * k;
        memset(M, 0, (size_t)(k * vectors) * sizeof *M);
        for (int64_t a = 0; a < k; a++)
            for (int64_t v = 0; v < vectors; v++)
                for (int64_t b = 0; b < k; b++)
                    M[a * vectors + v] += J[a * k + b] * Y[v * n + member(r, i, b)];
        for (int64_t a = 0; a < k; a++)
            for (int64_t b = 0; b < k; b++) {
                out[a * k + b] = 0;
                for (int64_t v = 0; v < vectors; v++)
                    out[a * k + b] += M[a * vectors + v] * M[b * vectors + v];
            }
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

enum { WIDE = 32 };

/* s_j = x_j'Q x_j for the columns first.. of dense data. tile: n x WIDE. */
static void quadratic_tile(const pith_i_design *D, const pith_i_local_sum *Q, int64_t first, double *tile,
                           double *s)
{
    const pith_i_data *X = D->X;
    const int64_t count = X->p - first < WIDE ? X->p - first : WIDE;
    pith_i_block(X, 0, X->n, first, count, tile, WIDE);
    for (int64_t i = 0; D->shift != NULL && i < X->n; i++)
        for (int64_t c = 0; c < count; c++)
            tile[i * WIDE + c] -= D->shift[first + c];
    memset(s + first, 0, (size_t)count * sizeof *s);
    for (int64_t i = 0; i < X->n; i++) {
        double row[WIDE] = {0};
        for (int64_t e = Q->row[i]; e < Q->row[i + 1]; e++) {
            const double q = Q->value[e], *x = tile + (int64_t)Q->col[e] * WIDE;
            for (int64_t c = 0; c < WIDE; c++)
                row[c] += q * x[c];
        }
        for (int64_t c = 0; c < count; c++)
            s[first + c] += tile[i * WIDE + c] * row[c];
    }
}

/* The same for one sparse column; its shift adds nothing, since the rows of Q add up to 0. x: n zeros. */
static double quadratic_column(const pith_i_data *T, const pith_i_local_sum *Q, int64_t j, double *x)
{
    double s = 0;
    for (int64_t t = T->indptr[j]; t < T->indptr[j + 1]; t++)
        x[T->indices[t]] = pith_i_at(T, j, t);
    for (int64_t t = T->indptr[j]; t < T->indptr[j + 1]; t++) {
        const int64_t i = T->indices[t];
        double sum = 0;
        for (int64_t e = Q->row[i]; e < Q->row[i + 1]; e++)
            sum += Q->value[e] * x[Q->col[e]];
        s += x[i] * sum;
    }
    for (int64_t t = T->indptr[j]; t < T->indptr[j + 1]; t++)
        x[T->indices[t]] = 0;
    return s;
}

static pith_status quadratic(pith_ctx *ctx, const pith_i_design *D, const pith_i_local_sum *Q, double *s)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const bool sparse = D->X->sparse;
    const int64_t width = sparse ? 1 : WIDE, p = D->X->p;
    double *rooms = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, rooms, D->X->n * width * pith_ctx_threads(ctx)));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic)
    for (int64_t first = 0; first < p; first += WIDE) {
        double *room = rooms + D->X->n * width * pith_i_thread();
        const int64_t end = first + WIDE < p ? first + WIDE : p;
        if (!sparse)
            quadratic_tile(D, Q, first, room, s);
        for (int64_t j = first; sparse && j < end; j++)
            s[j] = quadratic_column(D->T, Q, j, room);
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_regions_energy(pith_ctx *ctx, pith_i_regions *r, const pith_i_design *X, int64_t vectors,
                                  const double *Y, double *s)
{
    pith_i_local_sum Q = {0};
    pith_status st = PITH_OK;
    TRY(square_regions(ctx, r, vectors, Y));
    TRY(pith_i_local_sum_make(ctx, &r->near, r->room, &Q));
    TRY(quadratic(ctx, X, &Q, s));
done:
    pith_i_local_sum_free(&Q);
    return st;
}
