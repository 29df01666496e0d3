#include "methods/factor/polar.h"

#include "core/engine.h"
#include "linalg/eigen.h"
#include "matrix/blas.h"
#include "methods/factor/thin.h"

#include <math.h>
#include <string.h>

/* Below this share of the largest, a singular value is not taken from N'N: its error there is eps / share^2.
 */
static const double well_conditioned = 1e-3;
static const double no_direction = 1e-12; /* below this share, it is rounding */

extern void dgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, double *a,
                    const int *lda, double *s, double *u, const int *ldu, double *vt, const int *ldvt,
                    double *work, const int *lwork, int *info, size_t jobu_length, size_t jobvt_length);

/* N = B diag(s) A', s descending: B (n x k) row-major, column v of A is A + v * k. N is destroyed. */
static pith_status singular(pith_ctx *ctx, int64_t n, int64_t k, double *N, double *s, double *A, double *B)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int rows = (int)k, cols = (int)n, ask = -1;
    int info = 0, size = 0;
    double best = 0, *work = NULL;
    pith_status st = PITH_OK;
    if (n > 100000000 || k > 30000)
        FAIL(ctx, PITH_E_NUMERIC, "%lld x %lld is too large for singular values", (long long)n, (long long)k);
    /* Fortran sees row-major N as N'. */
    dgesvd_("S", "S", &rows, &cols, N, &rows, s, A, &rows, B, &rows, &best, &ask, &info, 1, 1);
    size = (int)best;
    TRY(SCRATCH(ctx, work, size));
    pith_i_blas_enter();
    dgesvd_("S", "S", &rows, &cols, N, &rows, s, A, &rows, B, &rows, work, &size, &info, 1, 1);
    pith_i_blas_leave();
    if (info != 0)
        FAIL(ctx, PITH_E_NUMERIC, "no singular values of a %lld x %lld matrix (LAPACK dgesvd: %d)",
             (long long)n, (long long)k, info);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* The rows that this process holds. */
typedef struct part {
    int64_t n, offset, all;
    bool spread;
} part;

static pith_status sum_all(pith_ctx *ctx, const part *r, int64_t count, double *values)
{
    return r->spread ? pith_i_sum(ctx, count, values) : PITH_OK;
}

/*
 * The same for rows spread over processes: every process reduces its own rows, padded with zero rows to at
 * least k, to S_r = diag(s_r) A_r', where N_r = B_r S_r. The stacked S_r have the singular values of N; of
 * their left vectors every process takes its own k rows L_r, and its part of B is B_r L_r.
 */
static pith_status singular_spread(pith_ctx *ctx, const part *r, int64_t k, double *N, double *s, double *A,
                                   double *B)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t rows = pith_i_max(r->n, k), own = (int64_t)pith_i_process(ctx) * k * k;
    const int64_t all = (int64_t)pith_i_processes(ctx) * k;
    double *filled = NULL, *left = NULL, *stacked = NULL, *top = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, filled, rows * k));
    TRY(SCRATCH(ctx, left, rows * k));
    TRY(SCRATCH_ZERO(ctx, stacked, all * k));
    TRY(SCRATCH(ctx, top, all * k));
    if (r->n > 0) {
        memcpy(filled, N, (size_t)(r->n * k) * sizeof *N);
        TRY(singular(ctx, rows, k, filled, s, A, left));
        for (int64_t v = 0; v < k; v++)
            for (int64_t c = 0; c < k; c++)
                stacked[own + v * k + c] = s[v] * A[v * k + c];
    }
    TRY(pith_i_sum(ctx, all * k, stacked));
    TRY(singular(ctx, all, k, stacked, s, A, top));
    pith_i_thin_times(ctx, r->n, k, 1, left, top + own, 0, B);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* x (length n, stride ldx) without its part in columns 0..count-1 of B (n x k); norm: of what is left. */
static pith_status take_out(pith_ctx *ctx, const part *r, int64_t k, int64_t count, const double *B,
                            double *x, int64_t ldx, double *norm)
{
    double square = 0;
    pith_status st = PITH_OK;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t c = 0; c < count; c++) {
            double dot = 0;
            for (int64_t i = 0; i < r->n; i++)
                dot += B[i * k + c] * x[i * ldx];
            TRY(sum_all(ctx, r, 1, &dot));
            for (int64_t i = 0; i < r->n; i++)
                x[i * ldx] -= dot * B[i * k + c];
        }
    for (int64_t i = 0; i < r->n; i++)
        square += x[i * ldx] * x[i * ldx];
    TRY(sum_all(ctx, r, 1, &square));
    *norm = sqrt(square);
done:
    return st;
}

/* Column `at` of B becomes a unit vector orthogonal to those before it: the part of a unit vector e_row that
 * lies outside their span, for the first row where it is large enough. */
static pith_status invent(pith_ctx *ctx, const part *r, int64_t k, int64_t at, double *B)
{
    pith_status st = PITH_OK;
    for (int64_t row = 0; row < r->all; row++) {
        double norm = 0;
        for (int64_t i = 0; i < r->n; i++)
            B[i * k + at] = r->offset + i == row;
        TRY(take_out(ctx, r, k, at, B, B + at, k, &norm));
        if (norm * norm * 2 * (double)r->all < (double)(r->all - at))
            continue; /* the threshold is half the mean over all rows, so some row passes */
        for (int64_t i = 0; i < r->n; i++)
            B[i * k + at] /= norm;
        break;
    }
done:
    return st;
}

/*
 * Columns rank.. of B, where N has no direction: as near as possible to the previous U. B2 is the polar
 * factor of W = (I - B1 B1') U A2, so that B A' is the answer.
 */
static pith_status complete(pith_ctx *ctx, const part *r, int64_t k, int64_t rank, const double *A,
                            const double *U, double *B)
{
    const int64_t n = r->n, m = k - rank;
    double *W = NULL, *s = NULL, *Q = NULL, *P = NULL, norm = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, W, n * m));
    TRY(SCRATCH(ctx, s, m));
    TRY(SCRATCH(ctx, Q, m * m));
    TRY(SCRATCH(ctx, P, pith_i_max(n, 1) * m));
    if (n > 0)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)n, (int)m, (int)k, 1, U, (int)k,
                    A + rank * k, (int)k, 0, W, (int)m);
    for (int64_t c = 0; c < m; c++)
        TRY(take_out(ctx, r, k, rank, B, W + c, m, &norm));
    TRY(r->spread ? singular_spread(ctx, r, m, W, s, Q, P) : singular(ctx, n, m, W, s, Q, P));
    /* First the left singular vectors of W, orthogonal to B1; then their product with Q'. */
    for (int64_t c = 0; c < m; c++) {
        for (int64_t i = 0; i < n; i++)
            B[i * k + rank + c] = P[i * m + c];
        norm = 0;
        if (s[c] > 1e-8)
            TRY(take_out(ctx, r, k, rank + c, B, B + rank + c, k, &norm));
        for (int64_t i = 0; i < n && norm > 0; i++)
            B[i * k + rank + c] /= norm;
        if (!(norm > 0))
            TRY(invent(ctx, r, k, rank + c, B));
    }
    for (int64_t i = 0; i < n; i++) {
        memcpy(P, B + i * k + rank, (size_t)m * sizeof *P);
        for (int64_t c = 0; c < m; c++) {
            double sum = 0;
            for (int64_t d = 0; d < m; d++)
                sum += P[d] * Q[d * m + c];
            B[i * k + rank + c] = sum;
        }
    }
done:
    return st;
}

static pith_status by_singular_values(pith_ctx *ctx, const part *r, int64_t k, double *N, double *U,
                                      int64_t *rank)
{
    double *s = NULL, *A = NULL, *B = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, s, k));
    TRY(SCRATCH(ctx, A, k * k));
    TRY(SCRATCH(ctx, B, r->n * k));
    TRY(r->spread ? singular_spread(ctx, r, k, N, s, A, B) : singular(ctx, r->n, k, N, s, A, B));
    for (*rank = 0; *rank < k && s[*rank] > no_direction * s[0];)
        ++*rank;
    if (*rank < k)
        TRY(complete(ctx, r, k, *rank, A, U, B));
    pith_i_thin_times(ctx, r->n, k, 1, B, A, 0, U); /* row v of A' is column v of A */
done:
    return st;
}

pith_status pith_i_polar(pith_ctx *ctx, const pith_i_data *samples, int64_t k, double *N, double *U,
                         int64_t *rank)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const part r = {samples->n, samples->offset, pith_i_all(samples), pith_i_is_spread(samples)};
    const int64_t n = r.n;
    double *G = NULL, *M = NULL, *t = NULL, largest = 0;
    int64_t found = 0;
    pith_status st = PITH_OK;
    for (int64_t e = 0; e < n * k; e++)
        largest = fabs(N[e]) > largest ? fabs(N[e]) : largest;
    if (r.spread)
        TRY(pith_i_sum_by(ctx, PITH_ENGINE_MOST, 1, &largest));
    if (largest == 0 || !isfinite(largest)) {
        if (largest != 0)
            FAIL(ctx, PITH_E_NUMERIC, "values so large that their squares overflow");
        goto done; /* N = 0: any U is a maximum, so it stays */
    }
    for (int64_t e = 0; e < n * k; e++)
        N[e] /= largest;
    TRY(SCRATCH(ctx, G, k * k));
    TRY(SCRATCH(ctx, M, k * k));
    TRY(SCRATCH(ctx, t, k));
    TRY(pith_i_thin_gram(ctx, n, k, N, NULL, N, G));
    TRY(sum_all(ctx, &r, k * k, G));
    TRY(pith_i_eigen_dense_in_place(ctx, k, G, t));
    if (t[0] > well_conditioned * well_conditioned * t[k - 1]) {
        for (int64_t v = 0; v < k; v++)
            for (int64_t c = 0; c < k; c++)
                G[v * k + c] /= sqrt(sqrt(t[v]));
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)k, (int)k, (int)k, 1, G, (int)k, G, (int)k,
                    0, M, (int)k);
        pith_i_thin_times(ctx, n, k, 1, N, M, 0, U);
        found = k;
    } else {
        TRY(by_singular_values(ctx, &r, k, N, U, &found));
    }
done:
    if (rank != NULL)
        *rank = found;
    pith_i_scratch_release(ctx, mark);
    return st;
}
