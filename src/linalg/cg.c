#include "linalg/cg.h"

#include "core/engine.h"
#include "core/parallel.h"

#include <math.h>
#include <string.h>

enum { FEW = 20 }; /* after no more steps than this, the true residual is not checked */

typedef struct run {
    const pith_i_rows_map *A, *P;
    int64_t n, m;
    const double *B;
    double *X;
    double *R, *D, *AD, *Z; /* n x m: residual, direction, its product, P R */
    double *goal;           /* m: tolerance ||b|| */
    double *rz, *dot, *by;  /* m: r'z; a sum; the length of a step */
    int64_t steps, most;
    bool must_converge; /* else it may stop after `most` steps */
} run;

typedef struct pair {
    int64_t m;
    const double *A, *B;
} pair;

static void dot_part(const void *self, int64_t lo, int64_t hi, double *sums)
{
    const pair *v = self;
    for (int64_t i = lo; i < hi; i++)
        for (int64_t t = 0; t < v->m; t++)
            sums[t] += v->A[i * v->m + t] * v->B[i * v->m + t];
}

/* out_t = a_t'b_t over the columns of A and B. */
static pith_status dots(pith_ctx *ctx, const run *r, const double *A, const double *B, double *out)
{
    const pair v = {r->m, A, B};
    pith_status st = PITH_OK;
    TRY(pith_i_reduce(ctx, r->n, r->m, dot_part, &v, out));
    if (r->A->all > 0)
        TRY(pith_i_sum(ctx, r->m, out));
done:
    return st;
}

/* Y += sign by_t A, column by column; scaled: Y = by_t Y + A. */
static void add_columns(pith_ctx *ctx, const run *r, double sign, const double *A, bool scaled, double *Y)
{
    const int64_t n = r->n, m = r->m;
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(static) if (n * m > 100000)
    for (int64_t i = 0; i < n; i++)
        for (int64_t t = 0; t < m; t++) {
            const int64_t e = i * m + t;
            Y[e] = scaled ? A[e] + r->by[t] * Y[e] : Y[e] + sign * r->by[t] * A[e];
        }
}

/* Is X zero, in all processes? */
static pith_status is_zero(pith_ctx *ctx, const run *r, bool *out)
{
    const int64_t count = r->n * r->m;
    pith_status st = PITH_OK;
    int64_t e = 0;
    while (e < count && r->X[e] == 0)
        e++;
    double some = e < count;
    if (r->A->all > 0)
        TRY(pith_i_sum(ctx, 1, &some));
    *out = some == 0;
done:
    return st;
}

/* R = B - A X; worst: the largest ||r|| / goal. */
static pith_status find_residual(pith_ctx *ctx, run *r, double *worst)
{
    const int64_t cells = r->n * r->m;
    bool zero = false;
    pith_status st = PITH_OK;
    memcpy(r->R, r->B, (size_t)cells * sizeof *r->R);
    TRY(is_zero(ctx, r, &zero));
    if (!zero) {
        TRY(r->A->apply(ctx, r->A->self, r->m, r->X, r->AD));
        r->steps++;
        for (int64_t e = 0; e < cells; e++)
            r->R[e] -= r->AD[e];
    }
    TRY(dots(ctx, r, r->R, r->R, r->dot));
    *worst = 0;
    for (int64_t t = 0; t < r->m; t++) {
        if (!isfinite(r->dot[t]))
            FAIL(ctx, PITH_E_NUMERIC, "the residual of a linear system is not finite");
        if (r->goal[t] > 0)
            *worst = fmax(*worst, sqrt(r->dot[t]) / r->goal[t]);
    }
done:
    return st;
}

static pith_status precondition(pith_ctx *ctx, run *r)
{
    if (r->P != NULL)
        return r->P->apply(ctx, r->P->self, r->m, r->R, r->Z);
    memcpy(r->Z, r->R, (size_t)(r->n * r->m) * sizeof *r->Z);
    return PITH_OK;
}

/* Is ||r_t|| above its goal in any column? dot holds the squares. */
static bool is_wanting(const run *r)
{
    for (int64_t t = 0; t < r->m; t++)
        if (!(sqrt(r->dot[t]) <= r->goal[t]) && r->goal[t] > 0)
            return true;
    return false;
}

/* One step of every column; columns that have converged do not change. */
static pith_status step(pith_ctx *ctx, run *r)
{
    pith_status st = PITH_OK;
    TRY(r->A->apply(ctx, r->A->self, r->m, r->D, r->AD));
    r->steps++;
    for (int64_t t = 0; t < r->m; t++)
        r->by[t] = sqrt(r->dot[t]) > r->goal[t] ? r->rz[t] : 0;
    TRY(dots(ctx, r, r->D, r->AD, r->dot));
    for (int64_t t = 0; t < r->m; t++)
        r->by[t] = r->dot[t] > 0 ? r->by[t] / r->dot[t] : 0;
    add_columns(ctx, r, 1, r->D, false, r->X);
    add_columns(ctx, r, -1, r->AD, false, r->R);
    TRY(precondition(ctx, r));
    TRY(dots(ctx, r, r->R, r->Z, r->dot));
    for (int64_t t = 0; t < r->m; t++) {
        r->by[t] = r->rz[t] > 0 ? r->dot[t] / r->rz[t] : 0;
        r->rz[t] = r->dot[t];
    }
    add_columns(ctx, r, 1, r->Z, true, r->D);
    TRY(dots(ctx, r, r->R, r->R, r->dot));
    for (int64_t t = 0; t < r->m; t++)
        if (!isfinite(r->dot[t]))
            FAIL(ctx, PITH_E_NUMERIC, "the residual of a linear system is not finite");
done:
    return st;
}

/* Steps from X until the residual of the recurrence is within the goals. R and dot belong to X at first. */
static pith_status descend(pith_ctx *ctx, run *r)
{
    pith_status st = PITH_OK;
    if (!is_wanting(r))
        goto done;
    TRY(precondition(ctx, r));
    memcpy(r->D, r->Z, (size_t)(r->n * r->m) * sizeof *r->D);
    TRY(dots(ctx, r, r->R, r->Z, r->rz));
    TRY(dots(ctx, r, r->R, r->R, r->dot));
    while (is_wanting(r) && (r->must_converge || r->steps < r->most)) {
        if (r->steps >= r->most)
            FAIL(ctx, PITH_E_NUMERIC,
                 "a system of %lld rows was not solved in %lld steps of conjugate gradients: the values "
                 "differ too much in magnitude, or a penalty is too small",
                 (long long)r->n, (long long)r->most);
        TRY(pith_i_stop_status(ctx));
        TRY(step(ctx, r));
    }
done:
    return st;
}

/* The goals; a column of zeros is solved by zeros. */
static pith_status set_goals(pith_ctx *ctx, run *r, double tolerance)
{
    pith_status st = PITH_OK;
    TRY(dots(ctx, r, r->B, r->B, r->dot));
    for (int64_t t = 0; t < r->m; t++) {
        if (!isfinite(r->dot[t]))
            FAIL(ctx, PITH_E_NUMERIC, "the right side of a linear system is not finite");
        r->goal[t] = tolerance * sqrt(r->dot[t]);
        for (int64_t i = 0; r->dot[t] == 0 && i < r->n; i++)
            r->X[i * r->m + t] = 0;
    }
done:
    return st;
}

static pith_status solve(pith_ctx *ctx, run *r, double tolerance)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    double **panels[] = {&r->R, &r->D, &r->AD, &r->Z}, **rows[] = {&r->goal, &r->rz, &r->dot, &r->by};
    double worst = INFINITY, before = INFINITY;
    pith_status st = PITH_OK;
    for (size_t k = 0; k < COUNT(panels); k++) {
        TRY(SCRATCH(ctx, *panels[k], r->n * r->m));
        TRY(SCRATCH(ctx, *rows[k], r->m));
    }
    TRY(set_goals(ctx, r, tolerance));
    for (int64_t first = 0;; first = r->steps) {
        before = worst;
        TRY(find_residual(ctx, r, &worst));
        if (worst <= 1 || !(worst < before / 2)) /* the second: rounding allows no better */
            break;
        TRY(descend(ctx, r));
        if (r->steps - first <= FEW || (!r->must_converge && r->steps >= r->most))
            break;
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_cg(pith_ctx *ctx, const pith_i_rows_map *A, const pith_i_rows_map *P, int64_t m,
                      const double *B, double tolerance, int64_t most, double *X, int64_t *steps)
{
    run r = {.A = A, .P = P, .n = A->n, .m = m, .B = B, .X = X, .most = most, .must_converge = true};
    const pith_status st = solve(ctx, &r, tolerance);
    if (steps != NULL)
        *steps = r.steps;
    return st;
}

pith_status pith_i_cg_near(pith_ctx *ctx, const pith_i_rows_map *A, const pith_i_rows_map *P, int64_t m,
                           const double *B, double tolerance, int64_t most, double *X)
{
    run r = {.A = A, .P = P, .n = A->n, .m = m, .B = B, .X = X, .most = most};
    return solve(ctx, &r, tolerance);
}
