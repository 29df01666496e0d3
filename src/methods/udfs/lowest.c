#include "methods/udfs/lowest.h"

#include "core/parallel.h"
#include "linalg/cholesky.h"
#include "linalg/eigen.h"
#include "linalg/panel.h"
#include "matrix/blas.h"
#include "matrix/stats.h"

#include <math.h>
#include <string.h>

typedef struct run {
    pith_i_lowest *L;
    int64_t n, m, k; /* rows; columns of W; of (W, Z, D) */
    double *u;       /* n: P's diagonal; INFINITY for rows left out */
    double shift;
    double *S, *PS, *S_next, *PS_next; /* n x k: (W, Z, D) and its product with P */
    double *Z, *room;                  /* n x m */
    int64_t near, *row;                /* rows of the block, ascending */
    double *block, *factor;            /* near x near: P there, and the Cholesky factor of block - shift */
} run;

static bool is_out(const run *r, int64_t i)
{
    return isinf(r->u[i]);
}

/* PV = P V for `columns` columns. */
static pith_status multiply(pith_ctx *ctx, const run *r, int64_t columns, const double *V, double *PV)
{
    pith_status st = PITH_OK;
    TRY(r->L->A->apply(ctx, r->L->A->self, columns, V, PV));
    for (int64_t i = 0; i < r->n; i++)
        for (int64_t t = 0; t < columns; t++)
            PV[i * columns + t] = is_out(r, i) ? 0 : PV[i * columns + t] + r->L->d[i] * V[i * columns + t];
done:
    return st;
}

/* ---- The block ----------------------------------------------------------------------------------------- */

/* The rows with the smallest diagonal entries; ties go to the first. */
static pith_status choose_rows(pith_ctx *ctx, run *r)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    double *copy = NULL;
    int64_t below = 0, equal = 0, count = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, copy, r->n));
    memcpy(copy, r->u, (size_t)r->n * sizeof *copy);
    const double last = pith_i_kth_smallest(r->n, copy, r->near - 1);
    for (int64_t i = 0; i < r->n; i++)
        below += r->u[i] < last;
    for (int64_t i = 0; i < r->n; i++) {
        const bool taken = r->u[i] < last || (r->u[i] == last && equal < r->near - below);
        equal += r->u[i] == last;
        if (taken)
            r->row[count++] = i;
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status make_block(pith_ctx *ctx, run *r)
{
    enum { SOME = 32 };
    const size_t mark = pith_i_scratch_mark(ctx);
    double *unit = NULL, *product = NULL;
    pith_status st = PITH_OK;
    TRY(choose_rows(ctx, r));
    TRY(SCRATCH_ZERO(ctx, unit, r->n * SOME));
    TRY(SCRATCH(ctx, product, r->n * SOME));
    for (int64_t j = 0; j < r->near; j += SOME) {
        const int64_t count = pith_i_min(SOME, r->near - j);
        TRY(pith_i_stop_status(ctx));
        for (int64_t t = 0; t < count; t++)
            unit[r->row[j + t] * count + t] = 1;
        TRY(multiply(ctx, r, count, unit, product));
        for (int64_t i = 0; i < r->near; i++)
            for (int64_t t = 0; t < count; t++)
                r->block[i * r->near + j + t] = product[r->row[i] * count + t];
        for (int64_t t = 0; t < count; t++)
            unit[r->row[j + t] * count + t] = 0;
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/*
 * W from the block's lowest pairs: with E = diag(block)^-1/2 and F F' = E block E, those of the largest
 * eigenvalues 1 / value of F^-1 E^2 F^-T, w = E F^-T y. w'Pw = 1.
 */
static pith_status start(pith_ctx *ctx, run *r)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t near = r->near;
    double *e = NULL, *Y = NULL, *C = NULL, *theta = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, e, near));
    TRY(SCRATCH(ctx, theta, near));
    TRY(SCRATCH_ZERO(ctx, Y, near * near));
    TRY(SCRATCH(ctx, C, near * near));
    for (int64_t i = 0; i < near; i++)
        Y[i * near + i] = e[i] = 1 / sqrt(r->block[i * near + i]);
    for (int64_t i = 0; i < near; i++)
        for (int64_t l = 0; l < near; l++)
            r->factor[i * near + l] = e[i] * r->block[i * near + l] * e[l];
    TRY(pith_i_cholesky(ctx, near, r->factor));
    pith_i_cholesky_forward(near, r->factor, near, Y);
    pith_i_blas_enter();
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)near, (int)near, (int)near, 1, Y, (int)near, Y,
                (int)near, 0, C, (int)near);
    pith_i_blas_leave();
    TRY(pith_i_eigen_dense_in_place(ctx, near, C, theta));
    for (int64_t v = 0; v < r->m; v++) {
        double *y = C + (near - 1 - v) * near;
        r->L->value[v] = 1 / theta[near - 1 - v];
        pith_i_blas_enter();
        cblas_dtrsv(CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, (int)near, r->factor, (int)near, y,
                    1);
        pith_i_blas_leave();
        for (int64_t i = 0; i < near; i++)
            r->S[r->row[i] * r->k + v] = e[i] * y[i];
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* s is below the least value by as much as the largest is above it, but by at least a thousandth. */
static pith_status choose_shift(pith_ctx *ctx, run *r)
{
    const double *value = r->L->value;
    const int64_t near = r->near;
    r->shift = fmax(value[0] - fmax(value[r->m - 1] - value[0], 1e-3 * value[0]), 0);
    memcpy(r->factor, r->block, (size_t)(near * near) * sizeof *r->factor);
    for (int64_t i = 0; i < near; i++)
        r->factor[i * near + i] -= r->shift;
    return pith_i_cholesky(
        ctx, near,
        r->factor); /* positive definite: the least Ritz value is at most the block's least eigenvalue */
}

static double shifted(const run *r, int64_t i)
{
    return fmax(r->u[i] - r->shift, 1e-3 * r->L->value[0]);
}

/* Z <- about (P - s)^-1 Z */
static pith_status precondition(pith_ctx *ctx, const run *r)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t m = r->m;
    double *inside = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, inside, r->near * m));
    for (int64_t i = 0; i < r->near; i++)
        memcpy(inside + i * m, r->Z + r->row[i] * m, (size_t)m * sizeof *inside);
    pith_i_cholesky_solve(r->near, r->factor, m, inside);
    for (int64_t i = 0; i < r->n; i++)
        for (int64_t t = 0; t < m; t++)
            r->Z[i * m + t] = is_out(r, i) ? 0 : r->Z[i * m + t] / shifted(r, i);
    for (int64_t i = 0; i < r->near; i++)
        memcpy(r->Z + r->row[i] * m, inside + i * m, (size_t)m * sizeof *inside);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- Panels -------------------------------------------------------------------------------------------- */

/* Columns first .. first + m - 1 of a panel of k columns <- a panel of m. */
static void place(const run *r, int64_t first, const double *V, double *S)
{
    for (int64_t i = 0; i < r->n; i++)
        memcpy(S + i * r->k + first, V + i * r->m, (size_t)r->m * sizeof *V);
}

static void clear(const run *r, int64_t first, double *S)
{
    for (int64_t i = 0; i < r->n; i++)
        memset(S + i * r->k + first, 0, (size_t)r->m * sizeof *S);
}

/*
 * M (q x q) with M'GM = I on the eigenvectors of G (q x q, symmetric, destroyed) whose eigenvalue is above
 * `least` times the largest, largest last; the other columns of M are 0. rank: the number of nonzero columns.
 */
static pith_status whiten(pith_ctx *ctx, int64_t q, double least, double *G, double *M, int64_t *rank)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    double *scale = NULL, *value = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, scale, q));
    TRY(SCRATCH(ctx, value, q));
    for (int64_t t = 0; t < q; t++)
        scale[t] = G[t * q + t] > 0 ? 1 / sqrt(G[t * q + t]) : 0;
    for (int64_t s = 0; s < q; s++)
        for (int64_t t = 0; t <= s; t++)
            G[s * q + t] = G[t * q + s] = scale[s] * scale[t] * (G[s * q + t] + G[t * q + s]) / 2;
    TRY(pith_i_eigen_dense_in_place(ctx, q, G, value));
    *rank = 0;
    for (int64_t t = 0; t < q; t++) {
        const bool kept = value[t] > least * value[q - 1] && value[q - 1] > 0;
        *rank += kept;
        for (int64_t s = 0; s < q; s++)
            M[s * q + t] = kept ? scale[s] * G[t * q + s] / sqrt(value[t]) : 0;
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Removes from Z its parts in W and D (P-orthonormal), then makes Z orthonormal in the norm of P's diagonal.
 */
static pith_status separate(pith_ctx *ctx, run *r)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = r->n, m = r->m, k = r->k;
    double *part = NULL, *G = NULL, *M = NULL;
    int64_t rank = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, part, k * m));
    TRY(SCRATCH(ctx, G, m * m));
    TRY(SCRATCH(ctx, M, m * m));
    for (int pass = 0; pass < 2; pass++) {
        TRY(pith_i_panel_inner(ctx, n, (pith_i_panel){k, k, r->PS}, (pith_i_panel){m, m, r->Z}, part));
        for (int64_t e = 0; e < k * m; e++)
            part[e] = -part[e];
        pith_i_panel_times(ctx, n, 1, (pith_i_panel){k, k, r->S}, (pith_i_panel){m, m, part}, 1, r->Z, m);
        for (int64_t i = 0; i < n; i++)
            for (int64_t t = 0; t < m; t++)
                r->room[i * m + t] = is_out(r, i) ? 0 : r->u[i] * r->Z[i * m + t];
        TRY(pith_i_panel_inner(ctx, n, (pith_i_panel){m, m, r->Z}, (pith_i_panel){m, m, r->room}, G));
        TRY(whiten(ctx, m, 1e-12, G, M, &rank));
        pith_i_panel_times(ctx, n, 1, (pith_i_panel){m, m, r->Z}, (pith_i_panel){m, m, M}, 0, r->room, m);
        double *swap = r->Z;
        r->Z = r->room;
        r->room = swap;
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- Ritz vectors -------------------------------------------------------------------------------------- */

typedef struct small {
    double *H, *T, *copy; /* k x k: S'PS, S'S */
    double *M;            /* M'HM = I */
    double *U, *theta;    /* eigenpairs of M'TM; vector v is U + v * k, ascending */
    double *coefficients; /* k x k: of the next (W, -, D) in S */
} small;

static void times_small(bool transposed, int64_t k, const double *A, const double *B, double *C)
{
    pith_i_blas_enter();
    cblas_dgemm(CblasRowMajor, transposed ? CblasTrans : CblasNoTrans, CblasNoTrans, (int)k, (int)k, (int)k,
                1, A, (int)k, B, (int)k, 0, C, (int)k);
    pith_i_blas_leave();
}

static pith_status solve_small(pith_ctx *ctx, const run *r, small *q)
{
    const int64_t n = r->n, k = r->k;
    int64_t rank = 0;
    pith_status st = PITH_OK;
    TRY(pith_i_panel_inner(ctx, n, (pith_i_panel){k, k, r->S}, (pith_i_panel){k, k, r->PS}, q->H));
    TRY(pith_i_panel_inner(ctx, n, (pith_i_panel){k, k, r->S}, (pith_i_panel){k, k, r->S}, q->T));
    memcpy(q->copy, q->H, (size_t)(k * k) * sizeof *q->H);
    TRY(whiten(ctx, k, 1e-12, q->copy, q->M, &rank));
    if (rank < r->m)
        FAIL(ctx, PITH_E_NUMERIC, "only %lld of %lld directions are independent", (long long)rank,
             (long long)r->m);
    times_small(false, k, q->T, q->M, q->copy);
    times_small(true, k, q->M, q->copy, q->U);
    TRY(pith_i_eigen_dense_in_place(ctx, k, q->U, q->theta));
    for (int64_t v = 0; v < r->m; v++)
        r->L->value[v] = 1 / q->theta[k - 1 - v];
done:
    return st;
}

/*
 * W: M u for the largest theta. D: the parts of these in the old Z and D, orthogonalised against W,
 * P-orthonormal. In the coordinates M'H x of a combination x the inner product of P is the plain one.
 */
static pith_status find_coefficients(pith_ctx *ctx, const run *r, small *q)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t k = r->k, m = r->m;
    double *G = NULL, *C = NULL, *part = NULL;
    int64_t rank = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, part, k * k));
    TRY(SCRATCH(ctx, G, k * k));
    TRY(SCRATCH(ctx, C, k * k));
    for (int64_t s = 0; s < k; s++) /* columns: the leading m vectors, then zeros */
        for (int64_t v = 0; v < k; v++)
            part[s * k + v] = v < m ? q->U[(k - 1 - v) * k + s] : 0;
    times_small(false, k, q->M, part, q->coefficients);
    memcpy(C, q->coefficients, (size_t)(k * k) * sizeof *C);
    memset(C, 0, (size_t)(m * k) * sizeof *C); /* without the old W */
    times_small(false, k, q->H, C, G);
    times_small(true, k, q->M, G, C); /* coordinates */
    times_small(true, k, part, C, G); /* their parts in W */
    times_small(false, k, part, G, q->copy);
    for (int64_t e = 0; e < k * k; e++)
        C[e] -= q->copy[e];
    times_small(true, k, C, C, G);
    TRY(whiten(ctx, k, 1e-8, G, q->copy, &rank));
    times_small(false, k, C, q->copy, G);
    times_small(false, k, q->M, G,
                C); /* the last columns have the largest eigenvalues; at most m are not 0 */
    for (int64_t s = 0; s < k; s++)
        for (int64_t v = 0; v < m; v++)
            q->coefficients[s * k + 2 * m + v] = C[s * k + k - m + v];
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static void take_turn(pith_ctx *ctx, run *r, const small *q)
{
    const int64_t n = r->n, k = r->k, m = r->m;
    double *from[] = {r->S, r->PS}, *to[] = {r->S_next, r->PS_next};
    for (int a = 0; a < 2; a++) {
        pith_i_panel_times(ctx, n, 1, (pith_i_panel){k, k, from[a]}, (pith_i_panel){m, k, q->coefficients}, 0,
                           to[a], k);
        clear(r, m, to[a]);
        pith_i_panel_times(ctx, n, 1, (pith_i_panel){k, k, from[a]},
                           (pith_i_panel){m, k, q->coefficients + 2 * m}, 0, to[a] + 2 * m, k);
    }
    r->S = to[0], r->PS = to[1], r->S_next = from[0], r->PS_next = from[1];
}

/* The next W and D, from the preconditioned residuals Z. */
static pith_status step(pith_ctx *ctx, run *r)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    small q = {0};
    double **rooms[] = {&q.H, &q.T, &q.copy, &q.M, &q.U, &q.coefficients};
    pith_status st = PITH_OK;
    for (size_t a = 0; a < COUNT(rooms); a++)
        TRY(SCRATCH_ZERO(ctx, *rooms[a], r->k * r->k));
    TRY(SCRATCH(ctx, q.theta, r->k));
    TRY(separate(ctx, r));
    TRY(multiply(ctx, r, r->m, r->Z, r->room));
    place(r, r->m, r->Z, r->S);
    place(r, r->m, r->room, r->PS);
    TRY(solve_small(ctx, r, &q));
    TRY(find_coefficients(ctx, r, &q));
    take_turn(ctx, r, &q);
    r->L->steps++;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- Steps --------------------------------------------------------------------------------------------- */

/* Computes PW afresh, without accumulated rounding errors. */
static pith_status renew(pith_ctx *ctx, run *r)
{
    pith_status st = PITH_OK;
    for (int64_t i = 0; i < r->n; i++)
        memcpy(r->Z + i * r->m, r->S + i * r->k, (size_t)r->m * sizeof *r->Z);
    TRY(multiply(ctx, r, r->m, r->Z, r->room));
    place(r, 0, r->room, r->PS);
done:
    return st;
}

static void square_part(const void *self, int64_t lo, int64_t hi, double *sums)
{
    const run *r = self;
    for (int64_t i = lo; i < hi; i++)
        for (int64_t t = 0; t < r->m && !is_out(r, i); t++)
            sums[t] += r->Z[i * r->m + t] * r->Z[i * r->m + t] / shifted(r, i);
}

/* Z = PW - W diag(value), and the largest norm among the wanted columns, relative to w in the norm of P - s;
 * W'PW = I. */
static pith_status find_residual(pith_ctx *ctx, run *r)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const double *value = r->L->value;
    double *square = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, square, r->m));
    for (int64_t i = 0; i < r->n; i++)
        for (int64_t t = 0; t < r->m; t++)
            r->Z[i * r->m + t] = r->PS[i * r->k + t] - value[t] * r->S[i * r->k + t];
    TRY(pith_i_reduce(ctx, r->n, r->m, square_part, r, square));
    r->L->residual = 0;
    for (int64_t t = 0; t < r->L->wanted; t++)
        r->L->residual = fmax(r->L->residual, sqrt(square[t] * value[t] / (value[t] - r->shift)));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status iterate(pith_ctx *ctx, run *r)
{
    bool fresh = true;
    pith_status st = PITH_OK;
    while (true) {
        TRY(pith_i_stop_status(ctx));
        TRY(choose_shift(ctx, r));
        TRY(find_residual(ctx, r));
        if (!isfinite(r->L->residual))
            FAIL(ctx, PITH_E_NUMERIC, "a matrix of %lld rows has entries that are not finite",
                 (long long)r->n);
        const bool done = r->L->residual <= r->L->tolerance || r->L->steps >= r->L->most;
        if (done && fresh)
            break;
        if (done) { /* check again with a fresh product */
            TRY(renew(ctx, r));
            fresh = true;
            continue;
        }
        TRY(precondition(ctx, r));
        TRY(step(ctx, r));
        fresh = false;
    }
done:
    return st;
}

/* One more Jacobi step for the rows that a large d makes small, which gives them their digits; then W'W = I.
 */
static pith_status finish(pith_ctx *ctx, run *r)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = r->n, m = r->m, c = r->L->wanted;
    const double *value = r->L->value;
    double *G = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, G, c * c));
    for (int64_t i = 0; i < n; i++) {
        const bool held = !is_out(r, i) && r->L->d[i] > 10 * fmax(value[c - 1], r->u[i] - r->L->d[i]);
        for (int64_t t = 0; t < m; t++)
            r->L->W[i * m + t] =
                (r->S[i * r->k + t] - (held && t < c ? r->Z[i * m + t] / (r->u[i] - value[t]) : 0)) *
                sqrt(value[t]);
    }
    for (int pass = 0; pass < 2; pass++) {
        TRY(pith_i_panel_inner(ctx, n, (pith_i_panel){c, m, r->L->W}, (pith_i_panel){c, m, r->L->W}, G));
        TRY(pith_i_cholesky(ctx, c, G));
        pith_i_blas_enter();
        cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)n, (int)c, 1, G,
                    (int)c, r->L->W, (int)m);
        pith_i_blas_leave();
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status take_memory(pith_ctx *ctx, run *r)
{
    double **panels[] = {&r->S, &r->PS, &r->S_next, &r->PS_next};
    int64_t live = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, r->u, r->n));
    for (int64_t i = 0; i < r->n; i++) {
        r->u[i] = r->L->d[i] + r->L->diagonal[i];
        live += !is_out(r, i);
    }
    r->near = pith_i_min(live, r->L->near > 0 ? pith_i_max(r->L->near, r->m) : pith_i_max(512, 2 * r->m));
    TRY(SCRATCH(ctx, r->row, r->near));
    TRY(SCRATCH(ctx, r->block, r->near * r->near));
    TRY(SCRATCH(ctx, r->factor, r->near * r->near));
    for (size_t a = 0; a < COUNT(panels); a++)
        TRY(SCRATCH_ZERO(ctx, *panels[a], r->n * r->k));
    TRY(SCRATCH(ctx, r->Z, r->n * r->m));
    TRY(SCRATCH(ctx, r->room, r->n * r->m));
done:
    return st;
}

pith_status pith_i_lowest_pairs(pith_ctx *ctx, pith_i_lowest *L)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    run r = {.L = L, .n = L->A->n, .m = L->width, .k = 3 * L->width};
    pith_status st = PITH_OK;
    L->steps = 0;
    TRY(take_memory(ctx, &r));
    TRY(make_block(ctx, &r));
    TRY(start(ctx, &r));
    TRY(renew(ctx, &r));
    if (L->warm) {
        memcpy(r.Z, L->W, (size_t)(r.n * r.m) * sizeof *r.Z);
        TRY(step(ctx, &r));
    }
    TRY(iterate(ctx, &r));
    TRY(finish(ctx, &r));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
