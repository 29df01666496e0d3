/* Eigenpairs by Lanczos runs of ARPACK, each in the complement of the vectors that earlier runs found. */
#include "linalg/arpack.h"
#include "linalg/eigen_inside.h"
#include "linalg/missed.h"

#include <string.h>

typedef struct search {
    pith_i_deflated map;
    int64_t m, found; /* found pairs, at most m, descending */
    int64_t basis;    /* Lanczos vectors to begin with */
    int64_t patience; /* most products spent on looking for a missed one */
    double tolerance, *values, *vectors;
} search;

/* Inserts a pair in descending order and drops the smallest of more than m. False: that would be this one. */
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

/* One run for the pairs still missing, or for one more. Adds its pairs to those found. */
static pith_status look(pith_ctx *ctx, search *s, pith_i_arpack *run, bool *found_more)
{
    enum { PRODUCTS = 4000 }; /* in a run; slower than that, a larger basis serves better than patience */
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = s->map.A->n;
    const pith_i_operator A = {.n = n, .self = &s->map, .apply = pith_i_deflated_apply};
    pith_status st = PITH_OK;
    double *values = NULL, *vectors = NULL, norm = 0;
    run->m = pith_i_max(1, s->m - s->found);
    run->basis = pith_i_min(n, pith_i_max(run->basis, 2 * run->m + 1));
    run->most_restarts = PRODUCTS / (run->basis - run->m) + 1;
    TRY(SCRATCH(ctx, values, run->m));
    TRY(SCRATCH(ctx, vectors, run->m * n));
    TRY(pith_i_arpack_largest(ctx, &A, run, values, vectors));
    /* They are orthogonal to each other, but to the earlier ones only as far as these have converged. */
    for (int64_t v = 0; v < run->found; v++)
        TRY(pith_i_basis_orthonormalize(ctx, &s->map.V, vectors + v * n, &norm));
    *found_more = false;
    for (int64_t v = run->found - 1; v >= 0; v--)
        *found_more |= insert(s, values[v] - 1, vectors + v * n);
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
    bool missed = true, found_more = false;
    int64_t products = 0;
    while (missed) {
        TRY(look(ctx, s, &run, &found_more));
        products += run.products;
        run.run++;
        if (run.found < run.m && run.basis >= pith_i_min(n, pith_i_max(LARGEST_BASIS, 4 * s->basis)))
            FAIL(ctx, PITH_E_NUMERIC,
                 "only %lld of %lld eigenvectors of %lld rows converged in %lld products: the eigenvalues "
                 "are too close together, as in a graph that is a long, thin chain; try more neighbours",
                 (long long)s->found, (long long)s->m, (long long)n, (long long)products);
        if (run.found < run.m)
            run.basis *= 2;
        missed = s->found < s->m;
        if (!missed && found_more && s->m > 1 && s->found < room)
            TRY(pith_i_missed_eigenvalue(ctx, s->map.A, &s->map.V, s->values[s->m - 1], 2 * s->tolerance,
                                         pith_i_min(pith_i_max(100, products), s->patience), &missed));
    }
    for (int64_t v = 0; v < s->m; v++)
        pith_i_fix_sign(n, s->vectors + v * n);
done:
    return st;
}

pith_status pith_i_eigen_by_arpack(pith_ctx *ctx, const pith_i_operator *A, const pith_i_eigen_options *want,
                                   double *values, double *vectors)
{
    enum { SMALLEST_BASIS = 20, FEW_PRODUCTS = 200 };
    search s = {.map = {A, {A->n, {want->n_known, 0}, {want->known, vectors}}},
                .m = want->m,
                .basis = want->basis > 0 ? want->basis : SMALLEST_BASIS,
                .patience = want->basis > 0 ? FEW_PRODUCTS : INT64_MAX,
                .tolerance = want->tolerance,
                .values = values,
                .vectors = vectors};
    return lanczos_largest(ctx, &s);
}
