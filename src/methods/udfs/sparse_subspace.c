#include "methods/udfs/sparse_subspace.h"

#include "core/engine.h"
#include "linalg/cholesky.h"
#include "linalg/eigen.h"
#include "matrix/blas.h"
#include "matrix/gather.h"
#include "matrix/stats.h"
#include "methods/udfs/by_steps.h"
#include "methods/udfs/shares.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 32 };

static bool is_left_out(const pith_i_sparse_subspace *s, int64_t r)
{
    return s->X->left_out != NULL && s->X->left_out[r];
}

/* ---- The start ------------------------------------------------------------------------------------- */

/* norm_r^2 <- (c / d0) (1 - norm_r): on entry, norm_r is the sum of e_jr^2. */
static void spread_evenly(pith_i_sparse_subspace *s, int64_t d0)
{
    for (int64_t r = 0; r < s->X->X->p; r++)
        s->norm[r] = is_left_out(s, r) ? 0 : sqrt((double)s->c / (double)d0 * fmax(1 - s->norm[r], 0));
}

/* S = diag(sqrt(mu)) V' from B's eigenpairs, without those that are only rounding. It takes the place of B,
 * which is formed first. */
static pith_status root_of(pith_ctx *ctx, const pith_i_operator *B, pith_i_sparse_subspace *s)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = B->n;
    double *unit = NULL, *value = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, unit, n * BLOCK));
    TRY(SCRATCH(ctx, value, n));
    for (int64_t i = 0; i < n; i += BLOCK) {
        memset(unit, 0, (size_t)(n * BLOCK) * sizeof *unit);
        for (int64_t t = 0; t < pith_i_min(BLOCK, n - i); t++)
            unit[t * n + i + t] = 1;
        TRY(B->apply(ctx, B->self, pith_i_min(BLOCK, n - i), unit, s->S + i * n));
    }
    TRY(pith_i_eigen_dense_in_place(ctx, n, s->S, value));
    for (int64_t v = 0; v < n; v++) {
        if (!(value[v] > 1e-14 * value[n - 1]))
            continue;
        for (int64_t i = 0; i < n; i++)
            s->S[s->rank * n + i] = s->S[v * n + i] * sqrt(value[v]);
        s->rank++;
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* G = S K S', from K's lower triangle. */
static void inside(const pith_i_sparse_subspace *s, double *G)
{
    const int n = (int)s->X->X->n, r = (int)s->rank;
    pith_i_blas_enter();
    cblas_dsymm(CblasRowMajor, CblasRight, CblasLower, r, n, 1, s->K, n, s->S, n, 0, s->half, n);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, r, r, n, 1, s->half, n, s->S, n, 0, G, r);
    pith_i_blas_leave();
}

/* norm_r = sum_j e_jr^2, e_j = X'S'u_j / sqrt(mu_j) over the pairs of S X X'S' above 1e-10 of the largest. */
static pith_status start_by_samples(pith_ctx *ctx, pith_i_sparse_subspace *s)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = s->X->X->n, p = s->X->X->p, rank = s->rank;
    double *value = NULL, *vector = NULL, *rows = NULL, *e = NULL;
    int64_t first = 0;
    pith_status st = PITH_OK;
    memset(s->norm, 0, (size_t)p * sizeof *s->norm);
    if (rank > 0) {
        TRY(SCRATCH(ctx, value, rank));
        TRY(SCRATCH(ctx, vector, n * BLOCK));
        TRY(SCRATCH(ctx, rows, n * BLOCK));
        TRY(SCRATCH(ctx, e, p * BLOCK));
        TRY(pith_i_design_rows_gram(ctx, s->X, NULL, s->K));
        inside(s, s->factor);
        TRY(pith_i_eigen_dense_in_place(ctx, rank, s->factor, value));
        while (first < rank && !(value[first] > 1e-10 * value[rank - 1]))
            first++;
    }
    for (int64_t j = first; j < rank; j += BLOCK) {
        const int64_t m = pith_i_min(BLOCK, rank - j);
        pith_i_blas_enter();
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)m, (int)n, (int)rank, 1,
                    s->factor + j * rank, (int)rank, s->S, (int)n, 0, vector, (int)n);
        pith_i_blas_leave();
        pith_i_transpose_panel(m, n, vector, rows);
        TRY(pith_i_design_multiply_t(ctx, s->X, m, rows, e));
        for (int64_t r = 0; r < p; r++)
            for (int64_t t = 0; t < m; t++)
                s->norm[r] += e[r * m + t] * e[r * m + t] / value[j + t];
    }
    spread_evenly(s, s->kept - (rank - first));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* The same of samples that are spread, without a matrix of all of them. */
static pith_status start_by_shares(pith_ctx *ctx, const pith_i_operator *B, pith_i_sparse_subspace *s)
{
    int64_t rank = 0;
    pith_status st = PITH_OK;
    TRY(pith_i_range_shares(ctx, s->X, B, s->norm, &rank));
    spread_evenly(s, s->kept - rank);
done:
    return st;
}

/* Forms M's lower triangle, BLOCK columns at a time. */
static pith_status make_product(pith_ctx *ctx, const pith_i_operator *B, pith_i_sparse_subspace *s)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = s->X->X->n, p = s->X->X->p;
    double *column = NULL, *moved = NULL, *rows = NULL, *product = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, column, n * BLOCK));
    TRY(SCRATCH(ctx, moved, n * BLOCK));
    TRY(SCRATCH(ctx, rows, n * BLOCK));
    TRY(SCRATCH(ctx, product, p * BLOCK));
    for (int64_t j = 0; j < p; j += BLOCK) {
        const int64_t m = pith_i_min(BLOCK, p - j);
        for (int64_t t = 0; t < m; t++)
            pith_i_design_column(s->X, j + t, column + t * n);
        TRY(B->apply(ctx, B->self, m, column, moved));
        pith_i_transpose_panel(m, n, moved, rows);
        TRY(pith_i_design_multiply_t(ctx, s->X, m, rows, product));
        for (int64_t r = j; r < p; r++)
            for (int64_t t = 0; t < m && j + t <= r; t++)
                s->M[r * p + j + t] = product[r * m + t];
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status start_by_features(pith_ctx *ctx, pith_i_sparse_subspace *s)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t p = s->X->X->p;
    double *value = NULL, trace = 0;
    int64_t null = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, value, p));
    for (int64_t r = 0; r < p; r++) {
        trace += s->M[r * p + r];
        for (int64_t l = 0; l <= r; l++)
            s->factor[r * p + l] = s->factor[l * p + r] = s->M[r * p + l];
    }
    for (int64_t r = 0; r < p; r++)
        if (is_left_out(s, r)) /* its eigenvalue is above all others */
            s->factor[r * p + r] = 2 * trace + 1;
    TRY(pith_i_eigen_dense_in_place(ctx, p, s->factor, value));
    while (null < s->kept && !(value[null] > 1e-10 * value[s->kept - 1]))
        null++;
    s->rank = s->kept - null;
    memset(s->norm, 0, (size_t)p * sizeof *s->norm);
    const int64_t from = null >= s->c ? null : 0, to = null >= s->c ? s->kept : s->c;
    for (int64_t v = from; v < to; v++)
        for (int64_t r = 0; r < p; r++)
            s->norm[r] += s->factor[v * p + r] * s->factor[v * p + r];
    if (null >= s->c)
        spread_evenly(s, null);
    for (int64_t r = 0; null < s->c && r < p; r++)
        s->norm[r] = is_left_out(s, r) ? 0 : sqrt(s->norm[r]);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status take_memory(pith_ctx *ctx, pith_i_sparse_subspace *s)
{
    const int64_t n = s->X->X->n, p = s->X->X->p, size = s->by_samples ? n : p;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, s->inverse_q, p));
    TRY(SCRATCH(ctx, s->shifted, p));
    TRY(SCRATCH(ctx, s->norm, p));
    TRY(SCRATCH(ctx, s->value, s->c));
    TRY(SCRATCH(ctx, s->V, s->c * p));
    if (s->iterative)
        TRY(pith_i_subspace_steps_open(ctx, s));
    if (s->iterative && p > PITH_I_FEW_FEATURES)
        goto done;
    TRY(SCRATCH(ctx, s->factor, size * size));
    if (s->by_samples) {
        TRY(SCRATCH(ctx, s->S, n * n));
        TRY(SCRATCH(ctx, s->K, n * n));
        TRY(SCRATCH(ctx, s->half, n * n));
    } else {
        TRY(SCRATCH(ctx, s->M, p * p));
    }
done:
    return st;
}

/*
 * Costs of 20 sweeps, in multiplications as BLAS does them with large blocks. One multiplication of a sparse
 * product takes as long as about eight of these, one of a dense product with few columns as long as two. The
 * number of steps is a guess, but where it matters the costs differ by orders of magnitude.
 */
static const double SWEEPS = 20;

static double direct_cost(const pith_i_sparse_subspace *s)
{
    const pith_i_data *X = s->X->X;
    const double n = (double)pith_i_all(X), p = (double)X->p;
    const double start = s->by_samples ? 20 * n * n * n : 10 * p * p * p + n * p * p;
    const double sweep = s->by_samples ? 2.2 * n * n * n + (X->sparse ? 0 : n * n * p / 2) : p * p * p / 6;
    return start + SWEEPS * sweep;
}

/* stored: values of all samples, where these are sparse. */
static double cost_of_steps(const pith_i_sparse_subspace *s, double stored)
{
    const double STEPS = 30, PROBES = 128 * 200;
    const pith_i_data *X = s->X->X;
    const double n = (double)pith_i_all(X), p = (double)X->p, width = 2 * (double)s->c + 10;
    const double product = 2 * (X->sparse ? 8 * stored : 2 * n * p);
    const double columns = PROBES + SWEEPS * (PITH_I_FEW_FEATURES + STEPS * width);
    return columns * product + SWEEPS * STEPS * 50 * width * width * p;
}

/*
 * LITTLE is some ten seconds: smaller data keep the direct way, and the bytes of their rankings. Samples that
 * are spread go the way that they would go in one process, with the p x p factor in place of the n x n one.
 * If that would not be little, they go by steps, but from the start of the direct way.
 */
static pith_status choose_way(pith_ctx *ctx, pith_i_way way, pith_i_sparse_subspace *s)
{
    const double LITTLE = 2e11;
    const pith_i_data *X = s->X->X;
    double stored = X->sparse ? (double)pith_i_stored(X) : 0;
    pith_status st = PITH_OK;
    TRY(pith_i_sum_over(ctx, X, 1, &stored));
    s->by_samples = s->kept - s->c >= pith_i_all(X);
    const double direct = direct_cost(s);
    s->iterative = way == PITH_I_BY_COST ? direct > LITTLE && cost_of_steps(s, stored) < direct
                                         : way == PITH_I_ITERATIVE;
    s->wide = s->by_samples && pith_i_is_spread(X);
    s->by_samples = s->by_samples && !s->wide && !s->iterative;
    if (s->wide && !s->iterative && way == PITH_I_BY_COST && direct_cost(s) > LITTLE)
        s->iterative = s->exact = true;
done:
    return st;
}

pith_status pith_i_sparse_subspace_open(pith_ctx *ctx, const pith_i_design *X, const pith_i_operator *B,
                                        double g, int64_t c, pith_i_way way, pith_i_sparse_subspace *out)
{
    pith_i_sparse_subspace s = {.X = X, .c = c, .g = g, .B = *B};
    pith_status st = PITH_OK;
    for (int64_t r = 0; r < X->X->p; r++)
        s.kept += !is_left_out(&s, r);
    if (s.kept < c)
        FAIL(ctx, PITH_E_DATA, "%lld directions cannot be found with only %lld features that vary",
             (long long)c, (long long)s.kept);
    TRY(choose_way(ctx, way, &s));
    TRY(take_memory(ctx, &s));
    if (s.exact) {
        TRY(start_by_shares(ctx, B, &s));
    } else if (s.iterative && X->X->p > PITH_I_FEW_FEATURES) {
        TRY(pith_i_subspace_steps_start(ctx, &s));
    } else if (s.by_samples) {
        TRY(root_of(ctx, B, &s));
        TRY(start_by_samples(ctx, &s));
    } else {
        TRY(make_product(ctx, B, &s));
        TRY(start_by_features(ctx, &s));
    }
    *out = s;
done:
    return st;
}

/* ---- Sweeps ---------------------------------------------------------------------------------------- */

static pith_status factor(pith_ctx *ctx, pith_i_sparse_subspace *s)
{
    const int64_t p = s->X->X->p, size = s->by_samples ? s->rank : p;
    pith_status st = PITH_OK;
    if (s->by_samples) {
        TRY(pith_i_design_rows_gram(ctx, s->X, s->shifted, s->K));
        inside(s, s->factor);
    }
    for (int64_t i = 0; i < size; i++) {
        for (int64_t l = 0; l <= i; l++)
            s->factor[i * size + l] = s->by_samples
                                          ? s->factor[i * size + l] / s->g
                                          : s->M[i * p + l] * sqrt(s->shifted[i]) * sqrt(s->shifted[l]);
        s->factor[i * size + i] += s->by_samples ? 1 : s->g;
    }
    TRY(pith_i_cholesky(ctx, size, s->factor));
done:
    return st;
}

/* rows (p x m) <- (P - g t)^-1 rows. */
static pith_status invert_by_samples(pith_ctx *ctx, const pith_i_sparse_subspace *s, int64_t m, double *rows)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = s->X->X->n, p = s->X->X->p, rank = s->rank;
    double *u = NULL, *t = NULL, *back = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, u, n * m));
    TRY(SCRATCH(ctx, t, n * m));
    TRY(SCRATCH(ctx, back, p * m));
    for (int64_t r = 0; r < p; r++)
        for (int64_t v = 0; v < m; v++)
            rows[r * m + v] *= s->shifted[r] / s->g;
    if (rank == 0)
        goto done;
    TRY(pith_i_design_multiply(ctx, s->X, m, rows, u));
    pith_i_blas_enter();
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rank, (int)m, (int)n, 1, s->S, (int)n, u,
                (int)m, 0, t, (int)m);
    pith_i_cholesky_solve(rank, s->factor, m, t);
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)n, (int)m, (int)rank, 1, s->S, (int)n, t,
                (int)m, 0, u, (int)m);
    pith_i_blas_leave();
    TRY(pith_i_design_multiply_t(ctx, s->X, m, u, back));
    for (int64_t r = 0; r < p; r++)
        for (int64_t v = 0; v < m; v++)
            rows[r * m + v] -= s->shifted[r] / s->g * back[r * m + v];
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static void invert_by_features(const pith_i_sparse_subspace *s, int64_t m, double *rows)
{
    const int64_t p = s->X->X->p;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t r = 0; r < p; r++)
            for (int64_t v = 0; v < m; v++)
                rows[r * m + v] *= sqrt(s->shifted[r]);
        if (pass == 0)
            pith_i_cholesky_solve(p, s->factor, m, rows);
    }
}

/* y = (P - g t)^-1 x for m vectors; vector v is x + v * p. */
static pith_status apply(pith_ctx *ctx, const pith_i_sparse_subspace *s, int64_t m, const double *x,
                         double *y)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t p = s->X->X->p;
    double *rows = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, rows, p * m));
    pith_i_transpose_panel(m, p, x, rows);
    if (s->by_samples)
        TRY(invert_by_samples(ctx, s, m, rows));
    else
        invert_by_features(s, m, rows);
    pith_i_transpose_panel(p, m, rows, y);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* (P - g t)^-1 with eigenvalues within [0, 1]. */
static pith_status scaled(pith_ctx *ctx, const void *self, int64_t m, const double *x, double *y)
{
    const pith_i_sparse_subspace *s = self;
    const pith_status st = apply(ctx, s, m, x, y);
    for (int64_t e = 0; st == PITH_OK && e < m * s->X->X->p; e++)
        y[e] /= s->bound;
    return st;
}

/* V <- V (P - g t)^-1, then made orthonormal again. */
static pith_status refine(pith_ctx *ctx, pith_i_sparse_subspace *s)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t p = s->X->X->p, c = s->c;
    double *next = NULL, *gram = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, next, c * p));
    TRY(SCRATCH(ctx, gram, c * c));
    TRY(apply(ctx, s, c, s->V, next));
    for (int64_t v = 0; v < c; v++)
        for (int64_t r = 0; r < p; r++)
            s->V[v * p + r] = next[v * p + r] / s->value[v];
    pith_i_blas_enter();
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, (int)c, (int)p, 1, s->V, (int)p, 0, gram, (int)c);
    pith_i_blas_leave();
    TRY(pith_i_cholesky(ctx, c, gram));
    pith_i_cholesky_forward(c, gram, p, s->V);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* The row norms, and the objective J = tr(W'PW) - g tr(W'QW) + g ||W||_{2,1}. */
static void take_stock(pith_i_sparse_subspace *s)
{
    const int64_t p = s->X->X->p;
    s->objective = 0;
    for (int64_t v = 0; v < s->c; v++)
        s->objective += 1 / s->value[v];
    for (int64_t r = 0; r < p; r++) {
        s->norm[r] = cblas_dnrm2((int)s->c, s->V + r, (int)p);
        if (s->inverse_q[r] > 0)
            s->objective += s->g * (s->norm[r] - s->norm[r] * (s->norm[r] / s->inverse_q[r]));
    }
}

/* t = q_1 - (q_k - q_1) of the sorted q, k = c + rank; 0 if that is negative or there are fewer than k. */
static pith_status choose_shift(pith_ctx *ctx, pith_i_sparse_subspace *s)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t p = s->X->X->p, k = s->c + s->rank;
    double *sorted = NULL, largest = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, sorted, p));
    for (int64_t r = 0; r < p; r++) {
        sorted[r] = -s->inverse_q[r];
        largest = fmax(largest, s->inverse_q[r]);
    }
    s->t = 0;
    if ((s->by_samples || s->wide) && k <= s->kept) {
        const double apart = 1 / -pith_i_kth_smallest(p, sorted, k - 1) - 1 / largest;
        s->t = fmax(1 / largest - fmax(apart, 1e-6 / largest), 0);
    }
    for (int64_t r = 0; r < p; r++)
        s->shifted[r] = s->inverse_q[r] / (1 - s->t * s->inverse_q[r]);
    s->bound = largest / (1 - s->t * largest) / s->g;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* value and V of the inverse. Where samples are spread, every process has all of it: an engine for several
 * processes would take its rows for a part of them. */
static pith_status find_largest(pith_ctx *ctx, pith_i_sparse_subspace *s)
{
    const pith_i_operator inverse = {.n = s->X->X->p, .self = s, .apply = scaled};
    const pith_i_eigen_options want = {
        .m = s->c, .tolerance = 1e-11, .basis = pith_i_eigen_large_basis(s->c)};
    if (!pith_i_is_spread(s->X->X))
        return pith_i_eigen_largest(ctx, &inverse, &want, s->value, s->V);
    const pith_i_engine_held held = pith_i_engine_set_aside(ctx);
    const pith_status st = pith_i_eigen_largest(ctx, &inverse, &want, s->value, s->V);
    pith_i_engine_take_up(ctx, held);
    return st;
}

static pith_status sweep_directly(pith_ctx *ctx, pith_i_sparse_subspace *s)
{
    pith_status st = PITH_OK;
    TRY(choose_shift(ctx, s));
    TRY(factor(ctx, s));
    TRY(find_largest(ctx, s));
    for (int64_t v = 0; v < s->c; v++)
        s->value[v] *= s->bound;
    TRY(refine(ctx, s));
    for (int64_t v = 0; v < s->c; v++)
        s->value[v] = 1 / (1 / s->value[v] + s->g * s->t);
done:
    return st;
}

pith_status pith_i_sparse_subspace_sweep(pith_ctx *ctx, pith_i_sparse_subspace *s)
{
    const int64_t p = s->X->X->p;
    double largest = 0;
    pith_status st = PITH_OK;
    for (int64_t r = 0; r < p; r++)
        largest = fmax(largest, s->norm[r]);
    for (int64_t r = 0; r < p; r++)
        s->inverse_q[r] = is_left_out(s, r) ? 0 : 2 * fmax(s->norm[r], 1e-12 * largest);
    TRY(s->iterative ? pith_i_subspace_steps_sweep(ctx, s) : sweep_directly(ctx, s));
    take_stock(s);
done:
    return st;
}
