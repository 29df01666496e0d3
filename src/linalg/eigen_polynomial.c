/*
 * Eigenpairs that lie close together at the end of a wide spectrum, by Lanczos runs on a polynomial of A:
 *
 *     q(A) = T_d((A - center) / half) / T_d((1 - center) / half),    [low, cut] = center -+ half
 *
 * T_d (Chebyshev) is within -1 and 1 on [low, cut], where what is not wanted lies, and grows from there: as
 * far as those that are wanted are apart in A, they are some d^2 times as far in q(A). So a d-th of the
 * Lanczos vectors will do, and keeping these orthogonal is what Lanczos spends its time on where a product is
 * cheap. `low` and `cut` come from a first run of Lanczos on A itself: whatever its start is, A has at least
 * as many eigenvalues above its k-th Ritz value as k, so that all that are wanted are above the cut.
 */
#include "core/parallel.h"
#include "core/random.h"
#include "linalg/eigen_inside.h"
#include "matrix/blas.h"

#include <math.h>
#include <string.h>

typedef struct polynomial {
    const pith_i_operator *A;
    double center, half;
    int64_t degree;
    double *room[3]; /* n each */
} polynomial;

/* y = q(A) x. The recurrence of T_d, divided by its values at 1 as it goes: nothing grows. */
static pith_status apply_to_one(pith_ctx *ctx, const polynomial *q, const double *x, double *y)
{
    const int64_t n = q->A->n;
    const double first = q->half / (1 - q->center);
    double *last = q->room[0], *now = q->room[1], *product = q->room[2], sigma = first;
    pith_status st = PITH_OK;
    memcpy(last, x, (size_t)n * sizeof *last);
    TRY(q->A->apply(ctx, q->A->self, 1, x, now));
    for (int64_t i = 0; i < n; i++)
        now[i] = first / q->half * (now[i] - q->center * x[i]);
    for (int64_t d = 2; d <= q->degree; d++) {
        const double next = 1 / (2 / first - sigma), a = 2 * next / q->half;
        double *free_one = last;
        TRY(q->A->apply(ctx, q->A->self, 1, now, product));
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

/* Ritz values of A after so many steps, ascending, and how far the ends may be beyond them. */
static pith_status look(pith_ctx *ctx, const pith_i_operator *A, int64_t steps, double *ritz, double *rest)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = A->n;
    double *V = NULL, *tridiagonal = NULL, norm = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, V, (steps + 1) * n));
    TRY(SCRATCH_ZERO(ctx, tridiagonal, steps * steps));
    for (int64_t i = 0; i < n; i++) {
        pith_i_stream s = pith_i_stream_at(pith_ctx_seed(ctx), PITH_I_RANDOM_START_BLOCK, (uint64_t)i);
        V[i] = pith_i_random_normal(&s);
    }
    TRY(pith_i_basis_orthonormalize(ctx, &(pith_i_basis){.n = n}, V, &norm));
    for (int64_t j = 0; j < steps; j++) {
        TRY(pith_i_progress(ctx, j, steps));
        TRY(lanczos_step(ctx, A, steps, j, V, tridiagonal, rest));
    }
    TRY(pith_i_eigen_dense_in_place(ctx, steps, tridiagonal, ritz));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* The least degree, odd so that what lies below `low` is far from what is wanted, at which T_d grows to
 * GROWTH at the largest Ritz value. Much higher, and digits of those that grow less are lost. */
static int64_t degree_for(const polynomial *q, double top)
{
    enum { GROWTH = 300, HIGHEST = 200 };
    const double x = fmax((top - q->center) / q->half, 1 + 1e-9);
    return (int64_t)fmin(ceil(acosh(GROWTH) / acosh(x)), HIGHEST) | 1;
}

static pith_status set_up(pith_ctx *ctx, const pith_i_eigen_options *want, polynomial *q)
{
    const int64_t steps = want->basis, n = q->A->n;
    double *ritz = NULL, rest = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, ritz, steps));
    TRY(look(ctx, q->A, steps, ritz, &rest));
    const double low = fmax(ritz[0] - rest, -1), cut = ritz[steps - 1 - 3 * want->m / 2];
    q->center = (low + cut) / 2;
    q->half = (cut - low) / 2;
    q->degree = q->half > 0 ? degree_for(q, ritz[steps - 1]) : 1;
    for (size_t t = 0; t < COUNT(q->room); t++)
        TRY(SCRATCH(ctx, q->room[t], n));
done:
    return st;
}

/* ---- What was found ------------------------------------------------------------------------------------ */

/* Values of A in place of those of q(A), and whether the pairs are as good as they should be. */
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
    enum { LOWEST = 5 }; /* degree that is worth it */
    const size_t mark = pith_i_scratch_mark(ctx);
    polynomial q = {.A = A};
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
