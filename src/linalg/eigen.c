/*
 * One front end, four solvers. Why not fewer: CPU seconds of one thread for 10 pairs, ARPACK with its check
 * for missed eigenvalues beside a Chebyshev filter. Graphs by `python3 bench/eigen.py --solvers --nodes 2000
 * 10000` (which prints more), methods by calling bench/filtered_double.c in ARPACK's place in this file.
 *
 *                                              tolerance   ARPACK   filter
 *     graph, 10,000 nodes: clear clusters          1e-4     0.136    0.034   floats
 *                          overlapping clusters    1e-4     0.054    0.025
 *                          23-fold eigenvalue      1e-4     0.100    0.010
 *     graph, 10,000 nodes: clear clusters          1e-8     0.142    0.093   doubles
 *                          overlapping clusters    1e-8     0.116    0.082
 *                          no clusters             1e-8     0.146    0.077
 *                          23-fold eigenvalue      1e-8     0.174    0.087
 *     graph, 50,000 nodes: overlapping clusters    1e-8      2.76     2.66
 *                          23-fold eigenvalue      1e-8      1.55     3.99
 *     jelsr, 2000 samples                          1e-11    0.065     0.17   doubles
 *     lgdfs, 2000 samples                          1e-11     0.27     1.01
 *     udfs, 240 features                           1e-11   0.0033    0.064
 *     fsasl, 2000 samples                          1e-11    0.078     3.27
 *
 * For graphs the filter wins by far in floats, and mostly in doubles. The maps of the methods (8 to 13 pairs,
 * figures per call) have close eigenvalues and costly products, of which Lanczos needs fewer: there the
 * filter takes 3 to 40 times as long. So ARPACK stays, and with it the check. A filter in doubles would be a
 * fifth solver that saves about a third of what the spectrum of a graph takes.
 *
 * Where samples and features are both many, three maps have solvers of their own. TDT2 (9,394 x 36,771),
 * whole runs of two sweeps (udfs: three) on one thread, with another solver put in its place:
 *
 *     jelsr    Davidson on pairs (davidson.c)    21 s    ARPACK, products by conjugate gradients    102 s
 *     fsasl    ARPACK on a polynomial            52 s    ARPACK                                     117 s
 *     udfs     LOBPCG (udfs/lowest.c)            79 s    Davidson on pairs (u, P u)                  44 s
 *
 * The last is faster, but wrong: of 30 eigenvalues between 1.83797 and 1.83869 it misses one, which LOBPCG
 * finds. lgdfs has a map of jelsr's kind.
 */
#include "linalg/eigen.h"

#include "core/engine.h"
#include "linalg/eigen_inside.h"
#include "linalg/filtered.h"

#include <math.h>

enum { MANY = 5000 }; /* rows of a large map */

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

pith_status pith_i_deflated_apply(pith_ctx *ctx, const void *self, int64_t m, const double *x, double *y)
{
    const pith_i_deflated *d = self;
    const int64_t n = d->A->n;
    pith_status st = PITH_OK;
    TRY(d->A->apply(ctx, d->A->self, m, x, y));
    for (int64_t v = 0; v < m; v++)
        TRY(pith_i_basis_subtract(ctx, &d->V, 1, 3, x + v * n, y + v * n));
done:
    return st;
}

int64_t pith_i_eigen_large_basis(int64_t m)
{
    return m > 15 ? 4 * m : 60;
}

int64_t pith_i_eigen_lowest_basis(int64_t n, int64_t m)
{
    return pith_i_eigen_large_basis(m) * (n > MANY ? 4 : 1);
}

/* Measured: for n up to 100, and where a fifth of all pairs is wanted, the dense solver is as fast. */
bool pith_i_eigen_is_dense(int64_t n, int64_t m)
{
    return n <= 100 || m > n / 5;
}

static pith_status choose_solver(pith_ctx *ctx, const pith_i_operator *A, const pith_i_eigen_options *want,
                                 double *values, double *vectors)
{
    pith_status st = PITH_OK;
    bool found = false;
    /* What is rough is the same wherever it is found: rows that are spread go through the filter, too. */
    if (want->panels == NULL || pith_i_engine(ctx)->place == NULL)
        TRY(pith_i_eigen_by_engine(ctx, A, want, &found, values, vectors));
    if (!found && pith_i_eigen_is_dense(A->n, want->m)) {
        TRY(pith_i_eigen_by_lapack(ctx, A, want, values, vectors));
        found = true;
    }
    if (!found && want->panels != NULL)
        TRY(pith_i_eigen_filtered(ctx, want->panels, want->m, want->n_known, want->known, want->tolerance,
                                  &found, values, vectors));
    if (!found && want->cheap && A->n > MANY && A->all == 0)
        TRY(pith_i_eigen_by_polynomial(ctx, A, want, &found, values, vectors));
    if (!found)
        TRY(pith_i_eigen_by_arpack(ctx, A, want, values, vectors));
done:
    return st;
}

pith_status pith_i_eigen_largest(pith_ctx *ctx, const pith_i_operator *A, const pith_i_eigen_options *want,
                                 double *values, double *vectors)
{
    const int64_t all = A->all > 0 ? A->all : A->n;
    if (want->m < 1 || want->n_known < 0 || want->m > all - want->n_known || A->n > INT32_MAX)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "%lld eigenvectors of %lld rows beside %lld known ones",
                            (long long)want->m, (long long)all, (long long)want->n_known);
    const pith_status st = choose_solver(ctx, A, want, values, vectors);
    for (int64_t v = 0; v < want->m && st == PITH_OK; v++)
        if (!isfinite(values[v])) /* neither LAPACK nor ARPACK complains */
            return pith_i_error(ctx, PITH_E_NUMERIC, "a matrix of %lld rows has entries that are not finite",
                                (long long)A->n);
    return st;
}

double pith_i_row_sum_bound(int64_t n, const int64_t *row, const double *value, double diagonal)
{
    double largest = 0;
    for (int64_t i = 0; i < n; i++) {
        double sum = diagonal;
        for (int64_t e = row[i]; e < row[i + 1]; e++)
            sum += fabs(value[e]);
        largest = fmax(largest, sum);
    }
    return largest;
}
