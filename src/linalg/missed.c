#include "linalg/missed.h"

#include "core/parallel.h"
#include "core/random.h"
#include "matrix/blas.h"

#include <math.h>

/* The Lanczos matrix: a on the diagonal, b beside it. */
typedef struct tridiagonal {
    int64_t n;
    double *a, *b;
} tridiagonal;

/* How many eigenvalues are above x, by Sturm's count. */
static int64_t count_above(const tridiagonal *T, double x)
{
    int64_t above = 0;
    double pivot = 1;
    for (int64_t i = 0; i < T->n; i++) {
        pivot = T->a[i] - x - (i > 0 ? T->b[i - 1] * T->b[i - 1] / pivot : 0);
        if (pivot == 0)
            pivot = -1e-300;
        above += pivot > 0;
    }
    return above;
}

/* The largest x with at least `count` eigenvalues above it: 1 gives the largest, n the smallest of all. */
static double ritz_value(const tridiagonal *T, int64_t count)
{
    double lo = -2, hi = 2;
    for (int halving = 0; halving < 54; halving++) {
        const double middle = 0.5 * (lo + hi);
        if (count_above(T, middle) >= count)
            lo = middle;
        else
            hi = middle;
    }
    return lo;
}

typedef struct recurrence {
    const pith_i_operator *A;
    const pith_i_basis *V;
    tridiagonal T;
    double *last, *now, *next;
} recurrence;

static void diagonal_part(const void *self, int64_t lo, int64_t hi, double *sums)
{
    const recurrence *r = self;
    sums[0] = cblas_ddot((int)(hi - lo), r->now + lo, 1, r->next + lo, 1);
}

/* next -= a now + b last, and its square. */
static void update_part(const void *self, int64_t lo, int64_t hi, double *sums)
{
    const recurrence *r = self;
    const int64_t j = r->T.n;
    const double a = r->T.a[j], b = j > 0 ? r->T.b[j - 1] : 0;
    for (int64_t i = lo; i < hi; i++)
        r->next[i] -= a * r->now[i] + b * r->last[i];
    sums[0] = cblas_ddot((int)(hi - lo), r->next + lo, 1, r->next + lo, 1);
}

static void scale_part(const void *self, int64_t lo, int64_t hi, double *sums)
{
    const recurrence *r = self;
    (void)sums;
    cblas_dscal((int)(hi - lo), 1 / r->T.b[r->T.n], r->next + lo, 1);
}

/* b next = A now - a now - b_last last; the three vectors then move on by one. */
static pith_status step(pith_ctx *ctx, recurrence *r)
{
    const int64_t n = r->A->n, j = r->T.n;
    double *a = r->T.a + j, *b = r->T.b + j, square = 0, *free_one = r->last;
    pith_status st = PITH_OK;
    TRY(r->A->apply(ctx, r->A->self, 1, r->now, r->next));
    TRY(pith_i_sum_rows(ctx, n, 1, diagonal_part, r, a));
    TRY(pith_i_sum_rows(ctx, n, 1, update_part, r, &square));
    /* Rounding brings parts in V back, growing about tenfold per step. Removing them in two steps in a row
     * cleans both terms of the recurrence. */
    if (j % 16 < 2) {
        TRY(pith_i_basis_subtract(ctx, r->V, 0, 1, r->next, r->next));
        TRY(pith_i_dot(ctx, n, r->next, r->next, &square));
    }
    *b = sqrt(square);
    if (*b > 0)
        TRY(pith_i_sum_rows(ctx, n, 1, scale_part, r, &square));
    r->last = r->now;
    r->now = r->next;
    r->next = free_one;
    r->T.n++;
done:
    return st;
}

/* The chance that there is an eigenvalue at `value` that the steps so far do not show. */
static double chance_hidden(const recurrence *r, double value, double largest)
{
    const double width = value - ritz_value(&r->T, r->T.n), short_of = fmax(0, value - largest);
    return 1.648 * sqrt((double)r->A->n) * exp(-(2 * (double)r->T.n - 1) * sqrt(short_of / width));
}

static pith_status start(pith_ctx *ctx, recurrence *r, int64_t most_steps)
{
    const int64_t n = r->A->n;
    pith_status st = PITH_OK;
    double norm = 0;
    TRY(SCRATCH(ctx, r->T.a, most_steps));
    TRY(SCRATCH(ctx, r->T.b, most_steps));
    TRY(SCRATCH_ZERO(ctx, r->last, n));
    TRY(SCRATCH(ctx, r->now, n));
    TRY(SCRATCH(ctx, r->next, n));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) if (n > 10000)
    for (int64_t i = 0; i < n; i++) {
        pith_i_stream s =
            pith_i_stream_at(pith_ctx_seed(ctx), PITH_I_RANDOM_CHECK_VECTOR, (uint64_t)(r->A->offset + i));
        r->now[i] = pith_i_random_normal(&s);
    }
    TRY(pith_i_basis_orthonormalize(ctx, r->V, r->now, &norm));
done:
    return st;
}

/*
 * Is the search decided after step j? If the Krylov space cannot grow, it shows all it holds. A Ritz value
 * that did not move in the last quarter of the steps is the largest eigenvalue.
 */
static bool is_settled(const recurrence *r, double value, double tolerance, double largest)
{
    const tridiagonal before = {r->T.n - r->T.n / 4, r->T.a, r->T.b};
    return largest > value + tolerance || chance_hidden(r, value, largest) < 0.01 ||
           r->T.b[r->T.n - 1] < 1e-13 || (r->T.n > 20 && largest - ritz_value(&before, 1) < tolerance);
}

pith_status pith_i_missed_eigenvalue(pith_ctx *ctx, const pith_i_operator *A, const pith_i_basis *V,
                                     double value, double tolerance, int64_t most_steps, bool *missed)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    recurrence r = {.A = A, .V = V};
    pith_status st = PITH_OK;
    double largest = -1;
    int64_t test = 1; /* at growing intervals: the cost of a test grows with the number of steps */
    pith_i_blas_enter();
    TRY(start(ctx, &r, most_steps));
    for (bool settled = false; !settled && r.T.n < most_steps;) {
        TRY(pith_i_progress(ctx, r.T.n, most_steps));
        TRY(step(ctx, &r));
        if (r.T.n < test && r.T.b[r.T.n - 1] >= 1e-13)
            continue;
        test += 1 + test / 16;
        largest = ritz_value(&r.T, 1);
        settled = is_settled(&r, value, tolerance, largest);
    }
    *missed = largest > value + tolerance;
done:
    pith_i_blas_leave();
    pith_i_scratch_release(ctx, mark);
    return st;
}
