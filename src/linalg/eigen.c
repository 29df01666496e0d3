#include "linalg/eigen.h"

#include "core/engine.h"
#include "core/parallel.h"
#include "linalg/arpack.h"
#include "linalg/basis.h"
#include "linalg/missed.h"

#include <math.h>
#include <string.h>

pith_status pith_i_fix_sign_of_all(pith_ctx *ctx, const pith_i_operator *A, double *x)
{
    double largest = 0, first = INFINITY, sign = 0;
    pith_status st = PITH_OK;
    if (A->all == 0) {
        pith_i_fix_sign(A->n, x);
        return PITH_OK;
    }
    for (int64_t i = 0; i < A->n; i++)
        largest = fmax(largest, fabs(x[i]));
    TRY(pith_i_sum_by(ctx, PITH_ENGINE_MOST, 1, &largest));
    for (int64_t i = A->n; i-- > 0;)
        first = fabs(x[i]) < (1 - 1e-6) * largest ? first : (double)(A->offset + i);
    const double own = first;
    TRY(pith_i_sum_by(ctx, PITH_ENGINE_LEAST, 1, &first));
    sign = own == first && x[(int64_t)own - A->offset] < 0;
    TRY(pith_i_sum(ctx, 1, &sign));
    for (int64_t i = 0; sign > 0 && i < A->n; i++)
        x[i] = -x[i];
done:
    return st;
}

void pith_i_fix_sign(int64_t n, double *x)
{
    double largest = 0;
    int64_t i = 0;
    for (int64_t t = 0; t < n; t++)
        largest = fmax(largest, fabs(x[t]));
    while (i < n && fabs(x[i]) < (1 - 1e-6) * largest)
        i++;
    if (i < n && x[i] < 0)
        for (int64_t t = 0; t < n; t++)
            x[t] = -x[t];
}

/* ---- Deflation ------------------------------------------------------------------------------------ */

typedef struct deflated {
    const pith_i_operator *A;
    pith_i_basis V;
} deflated;

/*
 * y = (A + I - 3 V V') x. The shift makes ARPACK's relative tolerance an absolute one; eigenvalues of A in
 * [-1, 1] become 0..2 here and those of V fall to -1 and below, under all that can be wanted.
 */
static pith_status deflated_apply(pith_ctx *ctx, const void *self, int64_t m, const double *x, double *y)
{
    const deflated *d = self;
    const int64_t n = d->A->n;
    pith_status st = PITH_OK;
    TRY(d->A->apply(ctx, d->A->self, m, x, y));
    for (int64_t v = 0; v < m; v++)
        TRY(pith_i_basis_subtract(ctx, &d->V, 1, 3, x + v * n, y + v * n));
done:
    return st;
}

/* ---- Small or nearly full: dense ------------------------------------------------------------------ */

static pith_status dense_largest(pith_ctx *ctx, const deflated *d, int64_t m, double *values, double *vectors)
{
    enum { BLOCK = 16 };
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = d->A->n;
    pith_status st = PITH_OK;
    double *matrix = NULL, *unit = NULL, *all = NULL;
    TRY(SCRATCH(ctx, matrix, n * n));
    TRY(SCRATCH(ctx, unit, n * BLOCK));
    TRY(SCRATCH(ctx, all, n));
    for (int64_t j = 0; j < n; j += BLOCK) {
        const int64_t cols = n - j < BLOCK ? n - j : BLOCK;
        TRY(pith_i_progress(ctx, j, 2 * n));
        memset(unit, 0, (size_t)(n * cols) * sizeof *unit);
        for (int64_t t = 0; t < cols; t++)
            unit[t * n + j + t] = 1;
        TRY(deflated_apply(ctx, d, cols, unit, matrix + j * n));
    }
    TRY(pith_i_eigen_dense_in_place(ctx, n, matrix, all));
    for (int64_t v = 0; v < m; v++) { /* from ascending to descending */
        values[v] = all[n - 1 - v] - 1;
        memcpy(vectors + v * n, matrix + (n - 1 - v) * n, (size_t)n * sizeof *vectors);
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- Large: Lanczos ------------------------------------------------------------------------------- */

typedef struct search {
    deflated map;
    int64_t m, found; /* found pairs, at most m, descending */
    int64_t basis;    /* Lanczos vectors to begin with */
    int64_t patience; /* most products spent on looking for a missed one */
    double tolerance, *values, *vectors;
} search;

/* Puts a pair in its place; of more than m the smallest goes. False: it would be that one itself. */
static bool insert(search *s, double value, const double *vector)
{
    const int64_t n = s->map.A->n;
    if (s->found == s->m && value <= s->values[s->m - 1] + s->tolerance)
        return false;
    int64_t at = s->found < s->m ? s->found++ : s->m - 1;
    for (; at > 0 && s->values[at - 1] < value; at--) {
        s->values[at] = s->values[at - 1];
        memcpy(s->vectors + at * n, s->vectors + (at - 1) * n, (size_t)n * sizeof *vector);
    }
    s->values[at] = value;
    memcpy(s->vectors + at * n, vector, (size_t)n * sizeof *vector);
    s->map.V.count[1] = s->found;
    return true;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* One run for what is still wanted, or for one pair more. Its pairs join those found. */
static pith_status look(pith_ctx *ctx, search *s, pith_i_arpack *run, bool *grown)
{
    enum { PRODUCTS = 4000 }; /* in a run; slower than that, a larger basis serves better than patience */
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = s->map.A->n;
    const pith_i_operator A = {.n = n, .self = &s->map, .apply = deflated_apply};
    pith_status st = PITH_OK;
    double *values = NULL, *vectors = NULL, norm = 0;
    run->m = most(1, s->m - s->found);
    run->basis = least(n, most(run->basis, 2 * run->m + 1));
    run->most_restarts = PRODUCTS / (run->basis - run->m) + 1;
    TRY(SCRATCH(ctx, values, run->m));
    TRY(SCRATCH(ctx, vectors, run->m * n));
    TRY(pith_i_arpack_largest(ctx, &A, run, values, vectors));
    /* Orthogonal to each other as they come, but to those before only as far as these have converged. */
    for (int64_t v = 0; v < run->found; v++)
        TRY(pith_i_basis_orthonormalize(ctx, &s->map.V, vectors + v * n, &norm));
    *grown = false;
    for (int64_t v = run->found - 1; v >= 0; v--)
        *grown |= insert(s, values[v] - 1, vectors + v * n);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/*
 * Runs until m pairs are found and none is missed: a Lanczos run sees a multiple eigenvalue once, or as
 * often as rounding happens to show it, and reports success.
 */
static pith_status lanczos_largest(pith_ctx *ctx, search *s)
{
    enum { LARGEST_BASIS = 320 };
    const int64_t n = s->map.A->n, room = n - s->map.V.count[0];
    pith_i_arpack run = {.basis = s->basis, .tolerance = s->tolerance};
    pith_status st = PITH_OK;
    bool missed = true, grown = false;
    int64_t products = 0;
    while (missed) {
        TRY(look(ctx, s, &run, &grown));
        products += run.products;
        run.run++;
        if (run.found < run.m && run.basis >= least(n, most(LARGEST_BASIS, 4 * s->basis)))
            FAIL(ctx, PITH_E_NUMERIC,
                 "only %lld of %lld eigenvectors of %lld rows converged in %lld products: the eigenvalues "
                 "are too close together, as in a graph that is a long, thin chain; try more neighbours",
                 (long long)s->found, (long long)s->m, (long long)n, (long long)products);
        if (run.found < run.m)
            run.basis *= 2;
        missed = s->found < s->m;
        if (!missed && grown && s->m > 1 && s->found < room)
            TRY(pith_i_missed_eigenvalue(ctx, s->map.A, &s->map.V, s->values[s->m - 1], 2 * s->tolerance,
                                         least(most(100, products), s->patience), &missed));
    }
    for (int64_t v = 0; v < s->m; v++)
        pith_i_fix_sign(n, s->vectors + v * n);
done:
    return st;
}

/* Measured: for n up to 100, and where a fifth of all pairs is wanted, the dense solver is as fast. */
static bool dense_wins(int64_t n, int64_t m)
{
    return n <= 100 || m > n / 5;
}

static pith_status find_largest(pith_ctx *ctx, const pith_i_operator *A, int64_t m, int64_t n_known,
                                const double *known, int64_t basis, int64_t patience, double tolerance,
                                double *values, double *vectors)
{
    search s = {.map = {A, {A->n, {n_known, 0}, {known, vectors}}},
                .m = m,
                .basis = basis,
                .patience = patience,
                .tolerance = tolerance,
                .values = values,
                .vectors = vectors};
    const int64_t all = A->all > 0 ? A->all : A->n;
    bool found = false;
    if (m < 1 || n_known < 0 || m > all - n_known || A->n > INT32_MAX)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "%lld eigenvectors of %lld rows beside %lld known ones",
                            (long long)m, (long long)all, (long long)n_known);
    pith_status st = pith_i_eigen_elsewhere(ctx, A, m, n_known, known, tolerance, &found, values, vectors);
    if (st == PITH_OK && !found)
        st = dense_wins(A->n, m) ? dense_largest(ctx, &s.map, m, values, vectors) : lanczos_largest(ctx, &s);
    for (int64_t v = 0; v < m && st == PITH_OK; v++)
        if (!isfinite(values[v])) /* neither solver complains */
            return pith_i_error(ctx, PITH_E_NUMERIC, "a matrix of %lld rows has entries that are not finite",
                                (long long)A->n);
    return st;
}

pith_status pith_i_eigen_largest(pith_ctx *ctx, const pith_i_operator *A, int64_t m, int64_t n_known,
                                 const double *known, double tolerance, double *values, double *vectors)
{
    enum { SMALLEST_BASIS = 20 };
    return find_largest(ctx, A, m, n_known, known, SMALLEST_BASIS, INT64_MAX, tolerance, values, vectors);
}

pith_status pith_i_eigen_largest_close(pith_ctx *ctx, const pith_i_operator *A, int64_t m, int64_t basis,
                                       double tolerance, double *values, double *vectors)
{
    enum { PATIENCE = 200 };
    return find_largest(ctx, A, m, 0, NULL, basis, PATIENCE, tolerance, values, vectors);
}

pith_status pith_i_eigen_largest_rough(pith_ctx *ctx, const pith_i_operator *A,
                                       const pith_i_panel_operator *P, int64_t m, int64_t n_known,
                                       const double *known, double tolerance, double *values, double *vectors)
{
    pith_status st = PITH_OK;
    bool found = false;
    if (!dense_wins(A->n, m) && pith_i_engine(ctx)->eigen == NULL)
        TRY(pith_i_eigen_filtered(ctx, P, m, n_known, known, tolerance, &found, values, vectors));
    if (!found)
        TRY(pith_i_eigen_largest(ctx, A, m, n_known, known, tolerance, values, vectors));
done:
    return st;
}
