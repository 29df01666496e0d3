#include "methods/lgdfs/models.h"

#include "core/parallel.h"
#include "graph/knn_top.h"
#include "linalg/cholesky.h"
#include "linalg/eigen.h"
#include "matrix/blas.h"
#include "matrix/simd.h"
#include "methods/lgdfs/lu.h"

#include <math.h>
#include <string.h>

pith_status pith_i_models_open(pith_ctx *ctx, const pith_i_design *X, int64_t k, double alpha, double global,
                               double local, pith_i_models *out)
{
    const int64_t n = X->X->n;
    pith_i_models m = {.X = X, .n = n, .k = k, .alpha = alpha, .global = global, .local = local};
    pith_status st = PITH_OK;
    m.regions.n = n;
    m.regions.k = k - 1;
    TRY(SCRATCH(ctx, m.regions.index, n * (k - 1)));
    TRY(SCRATCH(ctx, m.J, n * k * k));
    TRY(SCRATCH(ctx, m.room, n * k * k));
    TRY(SCRATCH(ctx, m.M, n * n));
    TRY(SCRATCH(ctx, m.F, n * n));
    TRY(SCRATCH(ctx, m.pivot, n));
    *out = m;
done:
    return st;
}

void pith_i_models_close(pith_i_models *m)
{
    pith_i_local_sum_free(&m->sum);
}

/* ---- Regions ------------------------------------------------------------------------------------------- */

static int64_t member(const pith_i_models *m, int64_t i, int64_t t)
{
    return t == 0 ? i : m->regions.index[i * (m->k - 1) + t - 1];
}

/* The upper triangle from the lower, by blocks that stay in cache. */
static void mirror(int64_t n, double *M)
{
    enum { SIDE = 32 };
    for (int64_t A = 0; A < n; A += SIDE)
        for (int64_t B = 0; B <= A; B += SIDE)
            for (int64_t a = A; a < A + SIDE && a < n; a++)
                for (int64_t b = B; b < B + SIDE && b < a; b++)
                    M[b * n + a] = M[a * n + b];
}

/* The k - 1 rows nearest to every row by |x_a - x_b|^2 = G_aa + G_bb - 2 G_ab. */
static pith_status find_regions(pith_ctx *ctx, pith_i_models *m)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = m->n, others = m->k - 1;
    pith_i_near *heaps = NULL;
    double *square = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, heaps, others * pith_ctx_threads(ctx)));
    TRY(SCRATCH(ctx, square, n));
    for (int64_t b = 0; b < n; b++)
        square[b] = m->M[b * n + b];
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic, 16)
    for (int64_t a = 0; a < n; a++) {
        pith_i_near *near = heaps + others * pith_i_thread();
        const double *G = m->M + a * n;
        int64_t count = 0;
        for (int64_t b = 0; b < n; b++)
            if (b != a)
                pith_i_top_push(near, &count, others, (pith_i_near){square[b] - 2 * G[b], b});
        pith_i_top_sort(near, count);
        for (int64_t e = 0; e < others; e++)
            m->regions.index[a * others + e] = near[e].id;
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

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

static void fit_region(const pith_i_models *m, int64_t i, double *J)
{
    const int64_t k = m->k;
    for (int64_t a = 0; a < k; a++)
        for (int64_t b = 0; b < k; b++)
            J[a * k + b] = m->M[member(m, i, a) * m->n + member(m, i, b)];
    centre(k, J);
    for (int64_t a = 0; a < k; a++)
        J[a * k + a] += m->local;
    invert(k, J);
    centre(k, J);
}

/* ---- All samples --------------------------------------------------------------------------------------- */

/* G becomes M. */
static pith_status centre_gram(pith_ctx *ctx, pith_i_models *m)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = m->n;
    double *mean = NULL, all = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, mean, n));
    for (int64_t a = 0; a < n; a++) {
        mean[a] = 0;
        for (int64_t b = 0; b < n; b++)
            mean[a] += m->M[a * n + b] / (double)n;
        all += mean[a] / (double)n;
    }
    for (int64_t a = 0; a < n; a++) {
        for (int64_t b = 0; b < n; b++)
            m->M[a * n + b] += all - (mean[a] + mean[b]);
        m->M[a * n + a] += m->global;
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Row i of F in `count` columns from `first` on. */
PITH_I_CLONES
static void system_row(const pith_i_models *m, int64_t i, int64_t first, int64_t count)
{
    const int64_t n = m->n;
    const double *restrict M = m->M + first;
    double *restrict row = m->F + i * n + first;
    for (int64_t b = 0; b < count; b++)
        row[b] = m->shift * M[i * n + b];
    for (int64_t e = m->sum.row[i]; e < m->sum.row[i + 1]; e++) {
        const double weight = m->local * m->sum.value[e];
        const double *restrict other = M + (int64_t)m->sum.col[e] * n;
        for (int64_t b = 0; b < count; b++)
            row[b] += weight * other[b];
    }
    if (i >= first && i < first + count)
        row[i - first] += m->alpha * m->global;
}

/* F = (B + shift I) M + alpha global I, factored; by column tiles of M that stay in cache. */
static pith_status make_system(pith_ctx *ctx, pith_i_models *m)
{
    enum { TILE = 128 };
    const int64_t n = m->n;
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic)
    for (int64_t first = 0; first < n; first += TILE)
        for (int64_t i = 0; i < n; i++)
            system_row(m, i, first, n - first < TILE ? n - first : TILE);
    return pith_i_lu(ctx, n, m->F, m->pivot);
}

/*
 * local J_i <= I, so the sum is at most the number of regions that a sample is in; global J <= I. The shift
 * makes (A + shift)^-1 tell the least eigenvalues apart whether they are near 0, where an inverse would see
 * the very least alone, or not.
 */
static pith_status bound_spectrum(pith_ctx *ctx, pith_i_models *m)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    int64_t *met = NULL, most = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, met, m->n));
    for (int64_t i = 0; i < m->n; i++)
        for (int64_t t = 0; t < m->k; t++)
            met[member(m, i, t)]++;
    for (int64_t i = 0; i < m->n; i++)
        most = met[i] > most ? met[i] : most;
    m->bound = (double)most + m->alpha;
    m->shift = 0.01 * m->bound;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_models_fit(pith_ctx *ctx, pith_i_models *m, const double *z, bool move)
{
    const int64_t n = m->n, k = m->k;
    pith_status st = PITH_OK;
    pith_i_local_sum_free(&m->sum);
    TRY(pith_i_design_rows_gram(ctx, m->X, z, m->M));
    mirror(n, m->M);
    if (move)
        TRY(find_regions(ctx, m));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(static, 16)
    for (int64_t i = 0; i < n; i++)
        fit_region(m, i, m->J + i * k * k);
    TRY(pith_i_local_sum_make(ctx, &m->regions, m->J, &m->sum));
    TRY(bound_spectrum(ctx, m));
    TRY(centre_gram(ctx, m));
    TRY(make_system(ctx, m));
done:
    return st;
}

static void centre_vector(int64_t n, double *x)
{
    double mean = 0;
    for (int64_t i = 0; i < n; i++)
        mean += x[i];
    mean /= (double)n;
    for (int64_t i = 0; i < n; i++)
        x[i] -= mean;
}

/* JY = J Y of eigenvectors: M^-1 y = (value + shift) F^-1 y. */
static void apply_global(const pith_i_models *m, int64_t vectors, const double *value, const double *Y,
                         double *JY)
{
    const int64_t n = m->n;
    memcpy(JY, Y, (size_t)(vectors * n) * sizeof *JY);
    for (int64_t v = 0; v < vectors; v++) {
        centre_vector(n, JY + v * n);
        for (int64_t i = 0; i < n; i++)
            JY[v * n + i] *= value[v] + m->shift;
    }
    pith_i_lu_solve(n, m->F, m->pivot, vectors, JY);
    for (int64_t v = 0; v < vectors; v++)
        centre_vector(n, JY + v * n);
}

/* ---- Hidden labels --------------------------------------------------------------------------------------
 */

/* y = shift (A + shift I)^-1 x without the constant: A's least eigenvalues are the largest here, all in 0..1.
 */
static pith_status inverse(pith_ctx *ctx, const void *self, int64_t vectors, const double *x, double *y)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_models *m = self;
    const int size = (int)m->n, count = (int)vectors;
    double *solved = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, solved, vectors * m->n));
    memcpy(solved, x, (size_t)(vectors * m->n) * sizeof *solved);
    pith_i_lu_solve(m->n, m->F, m->pivot, vectors, solved);
    pith_i_blas_enter();
    if (vectors == 1)
        cblas_dsymv(CblasColMajor, CblasLower, size, m->shift, m->M, size, solved, 1, 0, y, 1);
    else
        cblas_dsymm(CblasColMajor, CblasLeft, CblasLower, size, count, m->shift, m->M, size, solved, size, 0,
                    y, size);
    pith_i_blas_leave();
    for (int64_t v = 0; v < vectors; v++)
        centre_vector(m->n, y + v * m->n);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_models_targets(pith_ctx *ctx, const pith_i_models *m, int64_t vectors, double *value,
                                  double *Y)
{
    const pith_i_operator A = {.n = m->n, .self = m, .apply = inverse};
    /* A product costs more than keeping Lanczos vectors orthogonal: enough of them to end in one run. */
    const pith_i_eigen_options want = {.m = vectors, .tolerance = 1e-11, .basis = 3 * vectors + 40};
    pith_status st = PITH_OK;
    TRY(pith_i_eigen_largest(ctx, &A, &want, value, Y));
    for (int64_t v = 0; v < vectors; v++)
        value[v] = m->shift * (1 / value[v] - 1);
done:
    return st;
}

/* ---- What every feature does -----------------------------------------------------------------------------
 */

/* M_i M_i' of every region, into room: M_i is k x vectors. */
static pith_status square_regions(pith_ctx *ctx, const pith_i_models *m, int64_t vectors, const double *Y)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = m->n, k = m->k;
    double *rooms = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, rooms, k * vectors * pith_ctx_threads(ctx)));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(static, 16)
    for (int64_t i = 0; i < n; i++) {
        const double *J = m->J + i * k * k;
        double *M = rooms + k * vectors * pith_i_thread(), *out = m->room + i * k * k;
        memset(M, 0, (size_t)(k * vectors) * sizeof *M);
        for (int64_t a = 0; a < k; a++)
            for (int64_t v = 0; v < vectors; v++)
                for (int64_t b = 0; b < k; b++)
                    M[a * vectors + v] += J[a * k + b] * Y[v * n + member(m, i, b)];
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
static void quadratic_tile(const pith_i_models *m, const pith_i_local_sum *Q, int64_t first, double *tile,
                           double *s)
{
    const pith_i_data *X = m->X->X;
    const int64_t count = X->p - first < WIDE ? X->p - first : WIDE;
    pith_i_block(X, 0, X->n, first, count, tile, WIDE);
    for (int64_t i = 0; m->X->shift != NULL && i < X->n; i++)
        for (int64_t c = 0; c < count; c++)
            tile[i * WIDE + c] -= m->X->shift[first + c];
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
        x[T->indices[t]] = pith_i_value(T->values, T->dtype, t);
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

static pith_status quadratic(pith_ctx *ctx, const pith_i_models *m, const pith_i_local_sum *Q, double *s)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const bool sparse = m->X->X->sparse;
    const int64_t width = sparse ? 1 : WIDE, p = m->X->X->p;
    double *rooms = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, rooms, m->n * width * pith_ctx_threads(ctx)));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic)
    for (int64_t first = 0; first < p; first += WIDE) {
        double *room = rooms + m->n * width * pith_i_thread();
        const int64_t end = first + WIDE < p ? first + WIDE : p;
        if (!sparse)
            quadratic_tile(m, Q, first, room, s);
        for (int64_t j = first; sparse && j < end; j++)
            s[j] = quadratic_column(m->X->T, Q, j, room);
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_models_energy(pith_ctx *ctx, pith_i_models *m, int64_t vectors, const double *value,
                                 const double *Y, double *s)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = m->n, p = m->X->X->p;
    pith_i_local_sum Q = {0};
    double *JY = NULL, *transposed = NULL, *XM = NULL;
    pith_status st = PITH_OK;
    TRY(square_regions(ctx, m, vectors, Y));
    TRY(pith_i_local_sum_make(ctx, &m->regions, m->room, &Q));
    TRY(quadratic(ctx, m, &Q, s));
    TRY(SCRATCH(ctx, JY, n * vectors));
    TRY(SCRATCH(ctx, transposed, n * vectors));
    TRY(SCRATCH(ctx, XM, p * vectors));
    apply_global(m, vectors, value, Y, JY);
    pith_i_transpose_panel(vectors, n, JY, transposed);
    TRY(pith_i_design_multiply_t(ctx, m->X, vectors, transposed, XM));
    for (int64_t j = 0; j < p; j++) {
        double square = 0;
        for (int64_t v = 0; v < vectors; v++)
            square += XM[j * vectors + v] * XM[j * vectors + v];
        s[j] = m->local * s[j] + m->alpha * m->global * square;
        if (!(s[j] > 0) || (m->X->left_out != NULL && m->X->left_out[j]))
            s[j] = 0;
    }
done:
    pith_i_local_sum_free(&Q);
    pith_i_scratch_release(ctx, mark);
    return st;
}
