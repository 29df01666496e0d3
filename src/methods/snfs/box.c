#include "methods/snfs/box.h"

#include <math.h>
#include <string.h>

static const double curved = 1e-12;   /* a pair is used if s'y is above this share of |s| |y| */
static const double shortest = 1e-12; /* the least step length tried */
static const double armijo = 1e-4;

typedef struct search {
    const pith_i_box *box;
    double *x, *g;        /* the point and its gradient */
    double *next, *slope; /* the point tried, and its gradient */
    double *d;            /* direction */
    double *free;         /* 1: moves freely, 0: held at its bound */
    double *s, *y;        /* memory x n, a ring */
    double *alpha, *rho;  /* memory; rho 0: the pair is not used, for want of curvature */
    int64_t pairs, newest;
    double scale, largest; /* the largest |g| at the start, and of inverse */
    pith_i_box_end end;
} search;

static double clip(double x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

/* sum_t a_t b_t over the free variables. */
static double free_dot(const search *q, const double *a, const double *b)
{
    double sum = 0;
    for (int64_t t = 0; t < q->box->n; t++)
        sum += q->free[t] * a[t] * b[t];
    return sum;
}

static pith_status evaluate(pith_ctx *ctx, search *q, const double *x, double *f, double *g)
{
    q->end.evaluations++;
    return q->box->value(ctx, q->box->self, x, f, g);
}

static double stationarity(const search *q)
{
    double most = 0;
    for (int64_t t = 0; t < q->box->n; t++)
        most = fmax(most, fabs(clip(q->x[t] - q->g[t] / q->scale) - q->x[t]));
    return most;
}

static void find_free(search *q)
{
    const double e = fmin(q->box->eps, q->end.stationarity);
    for (int64_t t = 0; t < q->box->n; t++)
        q->free[t] = !((q->x[t] <= e && q->g[t] > 0) || (q->x[t] >= 1 - e && q->g[t] < 0));
}

/* The k-th newest pair. */
static int64_t pair_at(const search *q, int64_t k)
{
    return (q->newest - k + q->box->memory) % q->box->memory;
}

/* d = H g over the free variables by the two-loop recursion, H0 = gamma * inverse. */
static void quasi_newton(search *q)
{
    const int64_t n = q->box->n;
    double gamma = 0;
    for (int64_t t = 0; t < n; t++)
        q->d[t] = q->free[t] * q->g[t];
    for (int64_t k = 0; k < q->pairs; k++) {
        const int64_t at = pair_at(q, k);
        const double *s = q->s + at * n, *y = q->y + at * n;
        const double sy = free_dot(q, s, y);
        q->rho[at] = 0;
        if (!(sy > curved * sqrt(free_dot(q, s, s) * free_dot(q, y, y))))
            continue;
        q->rho[at] = 1 / sy;
        if (gamma == 0) {
            double yhy = 0;
            for (int64_t t = 0; t < n; t++)
                yhy += q->free[t] * y[t] * y[t] * q->box->inverse[t];
            gamma = sy / yhy;
        }
        q->alpha[at] = q->rho[at] * free_dot(q, s, q->d);
        for (int64_t t = 0; t < n; t++)
            q->d[t] -= q->alpha[at] * q->free[t] * y[t];
    }
    if (gamma == 0)
        gamma = 0.1 / (q->scale * q->largest);
    for (int64_t t = 0; t < n; t++)
        q->d[t] *= gamma * q->box->inverse[t];
    for (int64_t k = q->pairs - 1; k >= 0; k--) {
        const int64_t at = pair_at(q, k);
        if (q->rho[at] == 0)
            continue;
        const double beta = q->rho[at] * free_dot(q, q->y + at * n, q->d);
        for (int64_t t = 0; t < n; t++)
            q->d[t] += (q->alpha[at] - beta) * q->free[t] * q->s[at * n + t];
    }
}

static void find_direction(search *q)
{
    const int64_t n = q->box->n;
    find_free(q);
    quasi_newton(q);
    if (free_dot(q, q->g, q->d) < 0) { /* -d is no descent direction */
        q->pairs = 0;
        for (int64_t t = 0; t < n; t++)
            q->d[t] = -0.1 * q->g[t] / q->scale;
        return;
    }
    for (int64_t t = 0; t < n; t++)
        q->d[t] = q->free[t] > 0 ? -q->d[t] : -q->g[t] / q->scale;
}

/* The first of x + d, x + d/2, ... , clipped, at which f falls enough; its f, or NaN if there is none. */
static pith_status backtrack(pith_ctx *ctx, search *q, double *out)
{
    pith_status st = PITH_OK;
    *out = (double)NAN;
    for (double a = 1; a >= shortest; a /= 2) {
        double f = 0, promised = 0;
        for (int64_t t = 0; t < q->box->n; t++) {
            q->next[t] = clip(q->x[t] + a * q->d[t]);
            promised += q->g[t] * (q->next[t] - q->x[t]);
        }
        TRY(evaluate(ctx, q, q->next, &f, q->slope));
        if (f <= q->end.f + armijo * promised && f < q->end.f) { /* the second where `promised` is rounding */
            *out = f;
            break;
        }
    }
done:
    return st;
}

/* Moves to the point found and remembers the step. */
static void accept(search *q, double f)
{
    const int64_t n = q->box->n, at = (q->newest + 1) % q->box->memory;
    double *s = q->s + at * n, *y = q->y + at * n, sy = 0, ss = 0, yy = 0;
    for (int64_t t = 0; t < n; t++) {
        s[t] = q->next[t] - q->x[t];
        y[t] = q->slope[t] - q->g[t];
        sy += s[t] * y[t];
        ss += s[t] * s[t];
        yy += y[t] * y[t];
        q->x[t] = q->next[t];
        q->g[t] = q->slope[t];
    }
    q->end.f = f;
    if (sy > curved * sqrt(ss * yy)) {
        q->newest = at;
        q->pairs += q->pairs < q->box->memory;
    }
}

static pith_status search_on(pith_ctx *ctx, search *q)
{
    pith_status st = PITH_OK;
    bool fresh = true; /* no pairs in memory: if this step fails, the search ends */
    for (;;) {
        double f = 0;
        q->end.stationarity = stationarity(q);
        if (q->end.stationarity <= q->box->gtol || q->end.iterations == q->box->max_iter)
            break;
        TRY(pith_i_progress(ctx, q->end.iterations, q->box->max_iter));
        find_direction(q);
        fresh = q->pairs == 0;
        TRY(backtrack(ctx, q, &f));
        if (isnan(f)) {
            if (fresh)
                break;
            q->pairs = 0;
            continue;
        }
        accept(q, f);
        q->end.iterations++;
    }
done:
    return st;
}

pith_status pith_i_box_minimize(pith_ctx *ctx, const pith_i_box *box, double *x, double *g,
                                pith_i_box_end *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = box->n;
    search q = {.box = box, .x = x, .g = g};
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, q.next, n));
    TRY(SCRATCH(ctx, q.slope, n));
    TRY(SCRATCH(ctx, q.d, n));
    TRY(SCRATCH(ctx, q.free, n));
    TRY(SCRATCH(ctx, q.s, box->memory * n));
    TRY(SCRATCH(ctx, q.y, box->memory * n));
    TRY(SCRATCH(ctx, q.alpha, box->memory));
    TRY(SCRATCH(ctx, q.rho, box->memory));
    TRY(evaluate(ctx, &q, x, &q.end.f, g));
    for (int64_t t = 0; t < n; t++) {
        q.scale = fmax(q.scale, fabs(g[t]));
        q.largest = fmax(q.largest, box->inverse[t]);
    }
    if (q.scale > 0) /* else x is stationary */
        TRY(search_on(ctx, &q));
    *out = q.end;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
