/*
 * Eigenpairs that lie close together at the end of a wide spectrum, by Lanczos runs on a polynomial of A:
 *
 *     q(A) = T_d((A - center) / half) / T_d((1 - center) / half),    [low, cut] = center -+ half
 *
 * T_d (Chebyshev) lies within [-1, 1] on [low, cut], the unwanted part of the spectrum, and grows above it:
 * the gaps between the wanted eigenvalues are about d^2 times as large in q(A) as in A. So about a d-th of
 * the Lanczos vectors suffices; keeping them orthogonal is what Lanczos spends its time on if products are
 * cheap. `low` and `cut` come from a first Lanczos run on A itself: for any start vector, A has at least k
 * eigenvalues above the k-th largest Ritz value, so that all wanted eigenvalues are above the cut.
 *
 * A few eigenvalues may lie far off at the other end, and d grows with the square root of the width. The
 * first run has found these, and they are moved to the centre: A (I - O O') + center O O'.
 */
#include "core/parallel.h"
#include "core/random.h"
#include "linalg/eigen_inside.h"
#include "matrix/blas.h"

#include <math.h>
#include <string.h>

typedef struct polynomial {
    const pith_i_operator *A;
    pith_i_basis outer; /* O */
    double center, half;
    int64_t degree;
    double *room[4]; /* n each */
} polynomial;

/* y = (A (I - O O') + center O O') x */
static pith_status apply_inner(pith_ctx *ctx, const polynomial *q, const double *x, double *y)
{
    const int64_t n = q->A->n;
    double *inner = q->room[3];
    pith_status st = PITH_OK;
    if (q->outer.count[0] == 0)
        return q->A->apply(ctx, q->A->self, 1, x, y);
    memcpy(inner, x, (size_t)n * sizeof *inner);
    TRY(pith_i_basis_subtract(ctx, &q->outer, 0, 1, x, inner));
    TRY(q->A->apply(ctx, q->A->self, 1, inner, y));
    for (int64_t i = 0; i < n; i++)
        y[i] += q->center * (x[i] - inner[i]);
done:
    return st;
}

/* y = q(A) x. The recurrence of T_d, divided by its values at 1 as it goes: nothing grows. */
static pith_status apply_to_one(pith_ctx *ctx, const polynomial *q, const double *x, double *y)
{
    const int64_t n = q->A->n;
    const double first = q->half / (1 - q->center);
    double *last = q->room[0], *now = q->room[1], *product = q->room[2], sigma = first;
    pith_status st = PITH_OK;
    memcpy(last, x, (size_t)n * sizeof *last);
    TRY(apply_inner(ctx, q, x, now));
    for (int64_t i = 0; i < n; i++)
        now[i] = first / q->half * (now[i] - q->center * x[i]);
    for (int64_t d = 2; d <= q->degree; d++) {
        const double next = 1 / (2 / first - sigma), a = 2 * next / q->half;
        double *free_one = last;
        TRY(apply_inner(ctx, q, now, product));
        for (int64_t i = 0; i < n; i++)
            last[i] = a * (product[i] - q->center * now[i]) - sigma * next * last[i];
        last = now;
        now = free_one;
        sigma = next;
    }
    memcpy(y, now, (size_t)n * sizeof *y);
done:
    return st;
}

static pith_status apply(pith_ctx *ctx, const void *self, int64_t m, const double *x, double *y)
{
    const polynomial *q = self;
    pith_status st = PITH_OK;
    for (int64_t v = 0; v < m; v++)
        TRY(apply_to_one(ctx, q, x + v * q->A->n, y + v * q->A->n));
done:
    return st;
}

/* ---- Where the spectrum lies --------------------------------------------------------------------------- */

/* Column j of the tridiagonal matrix (steps x steps), and vector j + 1 of V. */
static pith_status lanczos_step(pith_ctx *ctx, const pith_i_operator *A, int64_t steps, int64_t j, double *V,
                                double *tridiagonal, double *rest)
{
    const int64_t n = A->n;
    const pith_i_basis basis = {n, {j + 1, 0}, {V, NULL}};
    double *next = V + (j + 1) * n;
    pith_status st = PITH_OK;
    TRY(A->apply(ctx, A->self, 1, V + j * n, next));
    TRY(pith_i_dot(ctx, n, V + j * n, next, tridiagonal + j * steps + j));
    TRY(pith_i_basis_orthonormalize(ctx, &basis, next, rest));
    if (j + 1 < steps)
        tridiagonal[j * steps + j + 1] = tridiagonal[(j + 1) * steps + j] = *rest;
done:
    return st;
}

typedef struct view {
    int64_t steps;
    double *V;        /* steps + 1 Lanczos vectors */
    double *ritz;     /* steps, ascending */
    double *rotation; /* steps x steps: Ritz vector k is V' (rotation + k steps) */
    double rest;      /* the error of a Ritz value is at most this times the last entry of its rotation */
} view;

static pith_status look(pith_ctx *ctx, const pith_i_operator *A, view *s)
{
    const int64_t n = A->n, steps = s->steps;
    double norm = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, s->V, (steps + 1) * n));
    TRY(SCRATCH(ctx, s->ritz, steps));
    TRY(SCRATCH_ZERO(ctx, s->rotation, steps * steps));
    for (int64_t i = 0; i < n; i++) {
        pith_i_stream numbers = pith_i_stream_at(pith_ctx_seed(ctx), PITH_I_RANDOM_START_BLOCK, (uint64_t)i);
        s->V[i] = pith_i_random_normal(&numbers);
    }
    TRY(pith_i_basis_orthonormalize(ctx, &(pith_i_basis){.n = n}, s->V, &norm));
    for (int64_t j = 0; j < steps; j++) {
        TRY(pith_i_progress(ctx, j, steps));
        TRY(lanczos_step(ctx, A, steps, j, s->V, s->rotation, &s->rest));
    }
    TRY(pith_i_eigen_dense_in_place(ctx, steps, s->rotation, s->ritz));
done:
    return st;
}

static double off_by(const view *s, int64_t k)
{
    return s->rest * fabs(s->rotation[k * s->steps + s->steps - 1]);
}

/* How many Ritz values at the low end are to be moved: those that have converged so well that deflating
 * them changes no digit of the wanted vectors; 0 if none of them lies much farther out than the first that
 * has not converged. */
static int64_t count_outer(const view *s)
{
    enum { MOST = 40 };
    const double top = s->ritz[s->steps - 1];
    int64_t k = 0;
    while (k < MOST && k < s->steps / 4 && off_by(s, k) <= 1e-12 * (top - s->ritz[k]))
        k++;
    return top - s->ritz[0] > 2 * (top - s->ritz[k]) ? k : 0;
}

/* O: the first Ritz vectors. */
static pith_status take_outer(pith_ctx *ctx, const view *s, int64_t count, pith_i_basis *out)
{
    const int64_t n = out->n;
    double *O = NULL, norm = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, O, count * n));
    for (int64_t k = 0; k < count; k++) {
        const pith_i_basis before = {n, {k, 0}, {O, NULL}};
        for (int64_t j = 0; j < s->steps; j++)
            cblas_daxpy((int)n, s->rotation[k * s->steps + j], s->V + j * n, 1, O + k * n, 1);
        TRY(pith_i_basis_orthonormalize(ctx, &before, O + k * n, &norm));
    }
    out->count[0] = count;
    out->vector[0] = O;
done:
    return st;
}

/* The least degree at which T_d reaches GROWTH at the largest Ritz value; odd, so that T_d is negative below
 * `low`. With a much higher degree, wanted vectors that grow less would lose digits. */
static int64_t degree_for(const polynomial *q, double top)
{
    enum { GROWTH = 300, HIGHEST = 200 };
    const double x = fmax((top - q->center) / q->half, 1 + 1e-9);
    return (int64_t)fmin(ceil(acosh(GROWTH) / acosh(x)), HIGHEST) | 1;
}

static pith_status set_up(pith_ctx *ctx, const pith_i_eigen_options *want, polynomial *q)
{
    const int64_t n = q->A->n;
    view s = {.steps = want->basis};
    pith_status st = PITH_OK;
    for (size_t t = 0; t < COUNT(q->room); t++)
        TRY(SCRATCH(ctx, q->room[t], n));
    TRY(look(ctx, q->A, &s));
    const int64_t outer = count_outer(&s);
    const double low = fmax(s.ritz[outer] - off_by(&s, outer), -1), top = s.ritz[s.steps - 1],
                 cut = s.ritz[s.steps - 1 - 3 * want->m / 2];
    q->center = (low + cut) / 2;
    q->half = (cut - low) / 2;
    q->degree = q->half > 0 ? degree_for(q, top) : 1;
    TRY(take_outer(ctx, &s, outer, &q->outer));
done:
    return st;
}

/* ---- What was found ------------------------------------------------------------------------------------ */

/* Replaces the eigenvalues of q(A) by Rayleigh quotients of A, and checks the residuals. */
static pith_status take_values(pith_ctx *ctx, const pith_i_operator *A, const pith_i_eigen_options *want,
                               bool *good, double *values, const double *vectors)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = A->n;
    double *y = NULL, square = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, y, n));
    *good = true;
    for (int64_t v = 0; v < want->m; v++) {
        const double *x = vectors + v * n;
        TRY(A->apply(ctx, A->self, 1, x, y));
        TRY(pith_i_dot(ctx, n, x, y, &values[v]));
        for (int64_t i = 0; i < n; i++)
            y[i] -= values[v] * x[i];
        TRY(pith_i_dot(ctx, n, y, y, &square));
        *good = *good && sqrt(square) <= want->tolerance * (1 + values[v]);
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_eigen_by_polynomial(pith_ctx *ctx, const pith_i_operator *A,
                                       const pith_i_eigen_options *want, bool *found, double *values,
                                       double *vectors)
{
    enum { LOWEST = 5 }; /* with a lower degree, plain Lanczos is as fast */
    const size_t mark = pith_i_scratch_mark(ctx);
    polynomial q = {.A = A, .outer = {.n = A->n}};
    const pith_i_operator map = {.n = A->n, .self = &q, .apply = apply};
    pith_i_eigen_options here = {.m = want->m, .tolerance = want->tolerance};
    pith_status st = PITH_OK;
    *found = false;
    TRY(set_up(ctx, want, &q));
    if (q.degree < LOWEST)
        goto done;
    here.basis = pith_i_eigen_large_basis(want->m);
    TRY(pith_i_eigen_by_arpack(ctx, &map, &here, values, vectors));
    TRY(take_values(ctx, A, want, found, values, vectors));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
