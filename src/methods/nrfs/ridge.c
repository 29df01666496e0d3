#include "methods/nrfs/ridge.h"

#include "matrix/blas.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

extern void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t uplo_length);
extern void dpotrs_(const char *uplo, const int *n, const int *nrhs, const double *a, const int *lda,
                    double *b, const int *ldb, int *info, size_t uplo_length);
extern void spotrf_(const char *uplo, const int *n, float *a, const int *lda, int *info, size_t uplo_length);
extern void spotrs_(const char *uplo, const int *n, const int *nrhs, const float *a, const int *lda, float *b,
                    const int *ldb, int *info, size_t uplo_length);

enum { PANEL = 256, STEPS = 8 };
/* Operations of the Gram matrix, n m min(n, m), above which nine digits are enough. */
static const double LARGE = 1e10;

typedef struct problem {
    int n, m, targets, size; /* size of the system: the smaller of n and m */
    bool by_samples;         /* the n x n form */
    const double *B, *Y;
    double lambda;
    double *x;     /* size x targets: in the end (BB' + lambda I)^-1 Y, or A itself */
    double *other; /* B'x (m x targets), or Y - Bx (n x targets) */
    double *rest;  /* size x targets: the residual of the system */
    float *step;   /* size x targets: what is added to x */
    float *gram;   /* scaled so that its mean diagonal entry is 1 */
    float *panel;
    double scale; /* of B for that */
} problem;

/* If the factor alone leaves an error e, one step of refinement leaves e^2 and two leave e^3: nine digits
 * take one step, fourteen take two. Each reads all of B twice. */
double pith_i_ridge_error(int64_t n, int64_t m)
{
    return (double)n * (double)m * (double)(n < m ? n : m) > LARGE ? 1e-9 : 1e-14;
}

int64_t pith_i_ridge_room(int64_t n, int64_t m, int64_t targets)
{
    return targets * (n + 2 * (n < m ? n : m));
}

/* ---- Single precision ---------------------------------------------------------------------------------- */

/* Some columns of B, or some rows of all columns, as floats: one column, or part of one, after the other. */
static void fill_panel(const problem *q, int from, int count)
{
    const int64_t columns = q->by_samples ? count : q->m, rows = q->by_samples ? q->n : count;
    const double *B = q->B + (q->by_samples ? (int64_t)from * q->n : from);
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++)
            q->panel[j * rows + i] = (float)(q->scale * B[j * q->n + i]);
}

/* The Cholesky factor of the scaled Gram matrix plus lambda. In both forms that matrix is a sum over panels.
 */
static bool factor(const problem *q)
{
    const int size = q->size, length = q->by_samples ? q->m : q->n, most = PANEL < size ? PANEL : size;
    const float lambda = (float)(q->lambda * q->scale * q->scale);
    int info = 0;
    for (int from = 0; from < length; from += most) {
        const int count = length - from < most ? length - from : most;
        fill_panel(q, from, count);
        cblas_ssyrk(CblasRowMajor, CblasUpper, q->by_samples ? CblasTrans : CblasNoTrans, size, count, 1,
                    q->panel, q->by_samples ? size : count, from > 0, q->gram, size);
    }
    for (int64_t i = 0; i < size; i++)
        q->gram[i * size + i] += lambda;
    spotrf_("L", &size, q->gram, &size, &info, 1);
    return info == 0;
}

/* other and rest for the current x, which is 0 at first. */
static void find_rest(const problem *q, bool first)
{
    const int n = q->n, m = q->m, t = q->targets;
    memcpy(q->by_samples ? q->rest : q->other, q->Y, sizeof *q->Y * (size_t)n * (size_t)t);
    if (q->by_samples && !first) {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, t, m, n, 1, q->x, n, q->B, n, 0, q->other, m);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, t, n, m, -1, q->other, m, q->B, n, 1, q->rest,
                    n);
    }
    if (!q->by_samples) {
        if (!first)
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, t, n, m, -1, q->x, m, q->B, n, 1, q->other,
                        n);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, t, m, n, 1, q->other, n, q->B, n, 0, q->rest, m);
    }
    cblas_daxpy(q->size * t, -q->lambda, q->x, 1, q->rest, 1);
}

/* Adds the factor's solution for the residual to x. Returns the length of this step relative to that of x,
 * for the worst target. */
static double move(const problem *q)
{
    const int64_t size = q->size;
    const double square = q->scale * q->scale;
    double worst = 0;
    int info = 0;
    for (int64_t e = 0; e < size * q->targets; e++)
        q->step[e] = (float)(square * q->rest[e]);
    spotrs_("L", &q->size, &q->targets, q->gram, &q->size, q->step, &q->size, &info, 1);
    for (int64_t v = 0; v < q->targets; v++) {
        double moved = 0, length = 0;
        for (int64_t e = v * size; e < (v + 1) * size; e++) {
            q->x[e] += (double)q->step[e];
            moved += (double)q->step[e] * (double)q->step[e];
            length += q->x[e] * q->x[e];
        }
        worst = fmax(worst, length > 0 ? sqrt(moved / length) : 0);
    }
    return info == 0 ? worst : (double)NAN;
}

/* Steps shrink by a constant factor, so the last two tell the error that is left. */
static bool refine(const problem *q)
{
    const double enough = pith_i_ridge_error(q->n, q->m);
    memset(q->x, 0, sizeof *q->x * (size_t)q->size * (size_t)q->targets);
    double before = 1, now = 1;
    for (int k = 0; k < STEPS; k++) {
        find_rest(q, k == 0);
        before = now;
        now = move(q);
        if (!(now < (k == 0 ? 1.5 : 0.5 * before)))
            return false;
        if (k > 0 && now * now / before <= enough)
            return true;
    }
    return false;
}

/* ---- Double precision ---------------------------------------------------------------------------------- */

static bool solve_in_double(const problem *q, double *gram)
{
    const int n = q->n, m = q->m, t = q->targets, size = q->size;
    int info = 0;
    cblas_dsyrk(CblasRowMajor, CblasUpper, q->by_samples ? CblasTrans : CblasNoTrans, size,
                q->by_samples ? m : n, 1, q->B, n, 0, gram, size);
    for (int64_t i = 0; i < size; i++)
        gram[i * size + i] += q->lambda;
    if (q->by_samples)
        memcpy(q->x, q->Y, sizeof *q->Y * (size_t)n * (size_t)t);
    else
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, t, m, n, 1, q->Y, n, q->B, n, 0, q->x, m);
    dpotrf_("L", &size, gram, &size, &info, 1); /* the upper half by rows is the lower half by columns */
    if (info == 0)
        dpotrs_("L", &size, &t, gram, &size, q->x, &size, &info, 1);
    return info == 0;
}

bool pith_i_ridge(int64_t n, int64_t m, int64_t targets, const double *B, const double *Y, double ridge,
                  double *gram, double *work, double *A)
{
    const bool by_samples = m > n;
    const int64_t size = by_samples ? n : m;
    double trace = 0;
    for (int64_t j = 0; j < m; j++)
        trace += cblas_ddot((int)n, B + j * n, 1, B + j * n, 1);
    if (!(trace > 0) || !isfinite(trace))
        return false;
    problem q = {.n = (int)n,
                 .m = (int)m,
                 .targets = (int)targets,
                 .size = (int)size,
                 .by_samples = by_samples,
                 .B = B,
                 .Y = Y,
                 .lambda = ridge * trace / (double)n,
                 .scale = sqrt((double)size / trace)};
    q.x = by_samples ? work : A;
    q.other = by_samples ? A : work;
    q.rest = work + n * targets;
    q.step = (float *)(q.rest + size * targets);
    q.gram = (float *)gram;
    q.panel = q.gram + size * size;
    if (!(factor(&q) && refine(&q)) && !solve_in_double(&q, gram))
        return false;
    if (by_samples)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, q.targets, q.m, q.n, 1, q.x, q.n, B, q.n, 0, A,
                    q.m);
    return true;
}
