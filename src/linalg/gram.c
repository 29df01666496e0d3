/*
 * Weighted products of the data with itself, the costly part of row-sparse regression:
 *
 *     K = X diag(weight) X'  (samples)    C = X' diag(weight) X  (features)
 *
 * G = sum_t weight_t z_t z_t' over the inner index t: the features for K, the samples for C. G is cut into
 * square tiles and, if those are few, the sum into slices whose totals are added in order.
 */
#include "core/parallel.h"
#include "linalg/design.h"
#include "matrix/blas.h"

#include <math.h>
#include <string.h>

enum { TILE = 256, CHUNK = 256, SLICES = 4, FEW = 512 };

typedef struct gram {
    const pith_i_design *D;
    bool of_columns;        /* C; else K */
    const int32_t *feature; /* K: the features in the sum; NULL: all */
    int64_t outer, inner;   /* rows of G, terms of its sum */
    const double *root;     /* inner: sqrt(weight) */
    int64_t tiles, slices, slice;
    double *out;    /* slices of outer x outer; G itself if there is one slice */
    double *packed; /* two tiles of TILE x CHUNK for each thread */
} gram;

/* A pack's element (o, t) is at [t * TILE + o] if transposed, else at [o * CHUNK + t]: as in the data. */
static bool is_transposed(const gram *g)
{
    return g->of_columns != g->D->X->sparse;
}

static void copy_pack(const gram *g, int64_t o, int64_t rows, int64_t t, int64_t terms, double *to)
{
    const pith_i_design *D = g->D;
    if (g->of_columns && D->X->sparse)
        pith_i_block(D->T, o, rows, t, terms, to, CHUNK);
    else if (g->of_columns)
        pith_i_block(D->X, t, terms, o, rows, to, TILE);
    else if (!D->X->sparse)
        pith_i_block(D->X, o, rows, t, terms, to, CHUNK);
    else
        for (int64_t e = 0; e < terms; e++)
            pith_i_block(D->T, g->feature[t + e], 1, o, rows, to + e * TILE, TILE);
}

static void take_shift(const gram *g, int64_t o, int64_t rows, int64_t t, int64_t terms, double *to)
{
    const double *shift = g->D->shift;
    const bool transposed = is_transposed(g);
    for (int64_t row = 0; row < rows; row++)
        for (int64_t e = 0; e < terms; e++) {
            const int64_t feature = g->of_columns ? o + row : g->feature != NULL ? g->feature[t + e] : t + e;
            to[transposed ? e * TILE + row : row * CHUNK + e] -= shift[feature];
        }
}

/* Rows o.. of G's factor z, terms t..: (x - shift) sqrt(weight). */
static void pack(const gram *g, int64_t o, int64_t rows, int64_t t, int64_t terms, double *to)
{
    const double *root = g->root + t;
    copy_pack(g, o, rows, t, terms, to);
    if (g->D->shift != NULL)
        take_shift(g, o, rows, t, terms, to);
    if (is_transposed(g)) {
        for (int64_t e = 0; e < terms; e++)
            for (int64_t row = 0; row < rows; row++)
                to[e * TILE + row] *= root[e];
    } else {
        for (int64_t row = 0; row < rows; row++)
            for (int64_t e = 0; e < terms; e++)
                to[row * CHUNK + e] *= root[e];
    }
}

/* One slice of the sum for tile (I, J), I >= J. */
static void multiply_tile(const gram *g, int64_t I, int64_t J, int64_t slice)
{
    const int64_t o = I * TILE, q = J * TILE, rows = pith_i_min(TILE, g->outer - o),
                  cols = pith_i_min(TILE, g->outer - q);
    const int64_t from = slice * g->slice, to = pith_i_min(from + g->slice, g->inner);
    double *a = g->packed + (int64_t)pith_i_thread() * 2 * TILE * CHUNK, *b = a + (int64_t)TILE * CHUNK;
    double *out = g->out + slice * g->outer * g->outer + o * g->outer + q;
    const bool transposed = is_transposed(g);
    const int ld = transposed ? TILE : CHUNK, outer = (int)g->outer;
    for (int64_t i = 0; i < rows; i++)
        memset(out + i * g->outer, 0, (size_t)(I == J ? i + 1 : cols) * sizeof *out);
    for (int64_t t = from; t < to; t += CHUNK) {
        const int terms = (int)pith_i_min(CHUNK, to - t);
        pack(g, o, rows, t, terms, a);
        if (I == J) {
            cblas_dsyrk(CblasRowMajor, CblasLower, transposed ? CblasTrans : CblasNoTrans, (int)rows, terms,
                        1, a, ld, 1, out, outer);
            continue;
        }
        pack(g, q, cols, t, terms, b);
        cblas_dgemm(CblasRowMajor, transposed ? CblasTrans : CblasNoTrans,
                    transposed ? CblasNoTrans : CblasTrans, (int)rows, (int)cols, terms, 1, a, ld, b, ld, 1,
                    out, outer);
    }
}

/* The lower triangle of G. Takes scratch, which the caller releases. */
static pith_status multiply(pith_ctx *ctx, gram *g, double *G)
{
    const int threads = pith_ctx_threads(ctx);
    const int64_t cells = g->outer * g->outer;
    pith_status st = PITH_OK;
    g->tiles = (g->outer + TILE - 1) / TILE;
    g->slices = g->outer <= FEW ? SLICES : 1;
    g->slice = (g->inner + g->slices - 1) / g->slices;
    g->out = G;
    if (g->slices > 1)
        TRY(SCRATCH(ctx, g->out, g->slices * cells));
    TRY(SCRATCH(ctx, g->packed, (int64_t)threads * 2 * TILE * CHUNK));
    const int64_t pairs = g->tiles * (g->tiles + 1) / 2;
    pith_i_blas_enter();
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (cells * g->inner > 100000)
    for (int64_t item = 0; item < pairs * g->slices; item++) {
        const int64_t pair = item / g->slices;
        int64_t I = 0;
        while ((I + 1) * (I + 2) / 2 <= pair)
            I++;
        multiply_tile(g, I, pair - I * (I + 1) / 2, item % g->slices);
    }
    pith_i_blas_leave();
    for (int64_t i = 0; g->slices > 1 && i < g->outer; i++)
        for (int64_t l = 0; l <= i; l++) {
            double sum = 0;
            for (int64_t s = 0; s < g->slices; s++)
                sum += g->out[s * cells + i * g->outer + l];
            G[i * g->outer + l] = sum;
        }
done:
    return st;
}

static pith_status roots(pith_ctx *ctx, int64_t count, const double *weight, double **out)
{
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, *out, count));
    for (int64_t t = 0; t < count; t++)
        (*out)[t] = weight != NULL ? sqrt(weight[t]) : 1;
done:
    return st;
}

pith_status pith_i_design_columns_gram(pith_ctx *ctx, const pith_i_design *D, const double *weight, double *C)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = D->X->n, p = D->X->p;
    gram g = {.D = D, .of_columns = true, .outer = p, .inner = n};
    double *root = NULL;
    pith_status st = PITH_OK;
    TRY(roots(ctx, n, weight, &root));
    g.root = root;
    TRY(multiply(ctx, &g, C));
    for (int64_t i = 0; D->left_out != NULL && i < p; i++)
        for (int64_t l = 0; l <= i; l++)
            if (D->left_out[i] || D->left_out[l])
                C[i * p + l] = 0;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- Sparse columns -------------------------------------------------------------------------------- */

/* Splits the features of positive weight: those with many nonzeros go to `heavy`, the roots of their weights
 * to `root`; `light` has the weights of the others. */
static int64_t separate_heavy(const pith_i_design *D, const double *weight, int32_t *heavy, double *root,
                              double *light)
{
    int64_t count = 0;
    for (int64_t j = 0; j < D->X->p; j++) {
        light[j] = D->left_out != NULL && D->left_out[j] ? 0 : weight != NULL ? weight[j] : 1;
        if (light[j] > 0 && D->T->indptr[j + 1] - D->T->indptr[j] > D->X->n / 4) {
            heavy[count] = (int32_t)j;
            root[count++] = sqrt(light[j]);
            light[j] = 0;
        }
    }
    return count;
}

/* Row i of K += sum over light features r of weight_r x_ir x_lr, l <= i; returns sum_r weight_r x_ir s_r. */
static double add_light_row(const pith_i_design *D, const double *light, int64_t i, double *K)
{
    const pith_i_data *X = D->X, *T = D->T;
    double crossed = 0;
    for (int64_t e = X->indptr[i]; e < X->indptr[i + 1]; e++) {
        const int64_t r = X->indices[e];
        const double v = light[r] * pith_i_at(X, i, e);
        if (v == 0)
            continue;
        crossed += v * (D->shift != NULL ? D->shift[r] : 0);
        for (int64_t t = T->indptr[r]; t < T->indptr[r + 1] && T->indices[t] <= i; t++)
            K[T->indices[t]] += v * pith_i_at(T, r, t);
    }
    return crossed;
}

/* K += (X - 1 s') diag(light) (X - 1 s')'. At most a quarter of a light column is not 0, so its mean is at
 * most 0.58 standard deviations, and the expanded product loses nothing by cancellation. */
static pith_status add_light(pith_ctx *ctx, const pith_i_design *D, const double *light, double *K)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = D->X->n;
    pith_status st = PITH_OK;
    double *crossed = NULL, square = 0;
    TRY(SCRATCH(ctx, crossed, n));
    for (int64_t j = 0; D->shift != NULL && j < D->X->p; j++)
        square += light[j] * D->shift[j] * D->shift[j];
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic, 16) if (n > 256)
    for (int64_t i = 0; i < n; i++)
        crossed[i] = add_light_row(D, light, i, K + i * n);
    for (int64_t i = 0; D->shift != NULL && i < n; i++)
        for (int64_t l = 0; l <= i; l++)
            K[i * n + l] += square - crossed[i] - crossed[l];
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_design_rows_gram(pith_ctx *ctx, const pith_i_design *D, const double *weight, double *K)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = D->X->n, p = D->X->p;
    gram g = {.D = D, .outer = n, .inner = p};
    double *root = NULL, *light = NULL;
    int32_t *heavy = NULL;
    pith_status st = PITH_OK;
    TRY(roots(ctx, p, weight, &root));
    g.root = root;
    if (D->X->sparse) {
        TRY(SCRATCH(ctx, heavy, p));
        TRY(SCRATCH(ctx, light, p));
        g.inner = separate_heavy(D, weight, heavy, root, light);
        g.feature = heavy;
    }
    for (int64_t j = 0; !D->X->sparse && D->left_out != NULL && j < p; j++)
        root[j] = D->left_out[j] ? 0 : root[j];
    TRY(multiply(ctx, &g, K));
    if (D->X->sparse)
        TRY(add_light(ctx, D, light, K));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
