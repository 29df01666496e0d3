#include "graph/models.h"

#include "core/parallel.h"
#include "graph/knn_top.h"
#include "linalg/cholesky.h"
#include "linalg/eigen.h"

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
    TRY(SCRATCH(ctx, m.factor, n * n));
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

/* Of G's lower triangle. */
static double gram(const pith_i_models *m, int64_t a, int64_t b)
{
    return a >= b ? m->factor[a * m->n + b] : m->factor[b * m->n + a];
}

/* The k - 1 rows nearest to every row by |x_a - x_b|^2 = G_aa + G_bb - 2 G_ab. */
static pith_status find_regions(pith_ctx *ctx, pith_i_models *m)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = m->n, others = m->k - 1;
    pith_i_near *heaps = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, heaps, others * pith_ctx_threads(ctx)));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic, 16)
    for (int64_t a = 0; a < n; a++) {
        pith_i_near *near = heaps + others * pith_i_thread();
        int64_t count = 0;
        for (int64_t b = 0; b < n; b++)
            if (b != a)
                pith_i_top_push(near, &count, others, (pith_i_near){gram(m, b, b) - 2 * gram(m, a, b), b});
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
            J[a * k + b] = gram(m, member(m, i, a), member(m, i, b));
    centre(k, J);
    for (int64_t a = 0; a < k; a++)
        J[a * k + a] += m->local;
    invert(k, J);
    centre(k, J);
}

/* ---- All samples --------------------------------------------------------------------------------------- */

/* G's lower triangle becomes that of global I + H G H. */
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
            mean[a] += gram(m, a, b) / (double)n;
        all += mean[a] / (double)n;
    }
    for (int64_t a = 0; a < n; a++) {
        for (int64_t b = 0; b <= a; b++)
            m->factor[a * n + b] += all - mean[a] - mean[b];
        m->factor[a * n + a] += m->global;
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_models_fit(pith_ctx *ctx, pith_i_models *m, const double *z, bool move)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = m->n, k = m->k;
    int64_t *met = NULL, most = 0;
    pith_status st = PITH_OK;
    pith_i_local_sum_free(&m->sum);
    TRY(pith_i_design_rows_gram(ctx, m->X, z, m->factor));
    if (move)
        TRY(find_regions(ctx, m));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(static, 16)
    for (int64_t i = 0; i < n; i++)
        fit_region(m, i, m->J + i * k * k);
    TRY(pith_i_local_sum_make(ctx, &m->regions, m->J, &m->sum));
    TRY(centre_gram(ctx, m));
    TRY(pith_i_cholesky(ctx, n, m->factor));
    /* local J_i <= I, so the sum is at most the number of regions that a sample is in; global J <= I. */
    TRY(SCRATCH_ZERO(ctx, met, n));
    for (int64_t i = 0; i < n; i++)
        for (int64_t t = 0; t < k; t++)
            met[member(m, i, t)]++;
    for (int64_t i = 0; i < n; i++)
        most = met[i] > most ? met[i] : most;
    m->bound = (double)most + m->alpha;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Off the columns of an n x m row-major block. */
static void centre_columns(int64_t n, int64_t m, double *B, double *mean)
{
    memset(mean, 0, (size_t)m * sizeof *mean);
    for (int64_t i = 0; i < n; i++)
        for (int64_t v = 0; v < m; v++)
            mean[v] += B[i * m + v] / (double)n;
    for (int64_t i = 0; i < n; i++)
        for (int64_t v = 0; v < m; v++)
            B[i * m + v] -= mean[v];
}

/* B (n x m, row-major) <- J B; mean: room for m numbers. */
static void apply_global(const pith_i_models *m, int64_t vectors, double *B, double *mean)
{
    centre_columns(m->n, vectors, B, mean);
    pith_i_cholesky_solve(m->n, m->factor, vectors, B);
    centre_columns(m->n, vectors, B, mean);
}

/* y = A x. */
static pith_status apply(pith_ctx *ctx, const void *self, int64_t vectors, const double *x, double *y)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_models *m = self;
    const pith_i_operator sum = pith_i_local_sum_operator(&m->sum);
    double *solved = NULL, mean = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, solved, m->n));
    TRY(sum.apply(ctx, sum.self, vectors, x, y));
    for (int64_t v = 0; v < vectors; v++) {
        memcpy(solved, x + v * m->n, (size_t)m->n * sizeof *solved);
        apply_global(m, 1, solved, &mean);
        for (int64_t i = 0; i < m->n; i++)
            y[v * m->n + i] = m->local * y[v * m->n + i] + m->alpha * m->global * solved[i];
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_models_objective(pith_ctx *ctx, const pith_i_models *m, int64_t vectors, const double *Y,
                                    double *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    double *AY = NULL, sum = 0, part = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, AY, m->n));
    for (int64_t v = 0; v < vectors; v++) {
        TRY(apply(ctx, m, 1, Y + v * m->n, AY));
        TRY(pith_i_dot(ctx, m->n, Y + v * m->n, AY, &part));
        sum += part;
    }
    *out = sum;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- Hidden labels --------------------------------------------------------------------------------------
 */

enum { DENSE = 128 }; /* samples up to which all eigenvectors of the formed A are found as fast */

/* y = x - A x / bound: A's least eigenvalues are the largest here, all in 0..1. */
static pith_status turned(pith_ctx *ctx, const void *self, int64_t vectors, const double *x, double *y)
{
    const pith_i_models *m = self;
    const pith_status st = apply(ctx, m, vectors, x, y);
    for (int64_t e = 0; st == PITH_OK && e < vectors * m->n; e++)
        y[e] = x[e] - y[e] / m->bound;
    return st;
}

static pith_status some_targets(pith_ctx *ctx, const pith_i_models *m, int64_t vectors, double *value,
                                double *Y)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const double tolerance = 1e-11;
    const pith_i_operator A = {m->n, m, turned};
    double *constant = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, constant, m->n));
    for (int64_t i = 0; i < m->n; i++)
        constant[i] = 1 / sqrt((double)m->n);
    TRY(pith_i_eigen_largest(ctx, &A, vectors, 1, constant, tolerance, value, Y));
    for (int64_t v = 0; v < vectors; v++)
        value[v] = m->bound * (1 - value[v]);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* The same from A itself, with the constant vector moved to the far end of the spectrum. */
static pith_status all_targets(pith_ctx *ctx, const pith_i_models *m, int64_t vectors, double *value,
                               double *Y)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = m->n;
    double *A = NULL, *mean = NULL, *all = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, A, n * n));
    TRY(SCRATCH(ctx, mean, n));
    TRY(SCRATCH(ctx, all, n));
    for (int64_t i = 0; i < n; i++)
        A[i * n + i] = m->alpha * m->global;
    apply_global(m, n, A, mean);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t l = 0; l < n; l++)
            A[i * n + l] += 2 * m->bound / (double)n;
        for (int64_t e = m->sum.row[i]; e < m->sum.row[i + 1]; e++)
            A[i * n + m->sum.col[e]] += m->local * m->sum.value[e];
    }
    TRY(pith_i_eigen_dense_in_place(ctx, n, A, all));
    memcpy(value, all, (size_t)vectors * sizeof *value);
    memcpy(Y, A, (size_t)(vectors * n) * sizeof *Y);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_models_targets(pith_ctx *ctx, const pith_i_models *m, int64_t vectors, double *value,
                                  double *Y)
{
    return m->n <= DENSE ? all_targets(ctx, m, vectors, value, Y) : some_targets(ctx, m, vectors, value, Y);
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

pith_status pith_i_models_energy(pith_ctx *ctx, pith_i_models *m, int64_t vectors, const double *Y, double *s)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = m->n, p = m->X->X->p;
    pith_i_local_sum Q = {0};
    double *M = NULL, *mean = NULL, *XM = NULL;
    pith_status st = PITH_OK;
    TRY(square_regions(ctx, m, vectors, Y));
    TRY(pith_i_local_sum_make(ctx, &m->regions, m->room, &Q));
    TRY(quadratic(ctx, m, &Q, s));
    TRY(SCRATCH(ctx, M, n * vectors));
    TRY(SCRATCH(ctx, mean, vectors));
    TRY(SCRATCH(ctx, XM, p * vectors));
    for (int64_t i = 0; i < n; i++)
        for (int64_t v = 0; v < vectors; v++)
            M[i * vectors + v] = Y[v * n + i];
    apply_global(m, vectors, M, mean);
    TRY(pith_i_design_multiply_t(ctx, m->X, vectors, M, XM));
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
