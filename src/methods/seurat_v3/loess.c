#include "methods/seurat_v3/loess.h"

#include <math.h>
#include <stdlib.h>

typedef struct point {
    double x, y;
    int64_t at; /* its place in the caller's arrays */
} point;

typedef struct knot {
    double at, value, slope;
} knot;

/* Points lo..hi between two knots. */
typedef struct cell {
    int64_t lo, hi;
    double left, right;
} cell;

static int by_x(const void *a, const void *b)
{
    const point *p = a, *q = b;
    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    return (p->at > q->at) - (p->at < q->at);
}

static int by_place(const void *a, const void *b)
{
    const double p = ((const knot *)a)->at, q = ((const knot *)b)->at;
    return (p > q) - (p < q);
}

/* Where dloess cuts a cell: at the median, or at the point nearest to it that a larger one follows, looking
 * up before down; the median where an end of the cell comes first. */
static int64_t cut(const point *p, int64_t lo, int64_t hi)
{
    const int64_t m = lo + (hi - lo) / 2;
    int64_t step = 0;
    while (m + step >= lo && m + step < hi && p[m + step].x == p[m + step + 1].x)
        step = step > 0 ? -step : 1 - step;
    return m + step >= lo && m + step < hi ? m + step : m;
}

/* At most n + 2 knots, ascending. cells: room for n + 1. */
static int64_t place_knots(int64_t n, const point *p, int64_t leaf, cell *cells, knot *knots)
{
    const double lo = p[0].x, hi = p[n - 1].x;
    const double margin = 0.005 * fmax(hi - lo, 1e-10 * fmax(fabs(lo), fabs(hi)) + 1e-30);
    int64_t count = 0, open = 0;
    knots[count++].at = lo - margin;
    knots[count++].at = hi + margin;
    cells[open++] = (cell){0, n - 1, lo - margin, hi + margin};
    while (open > 0) {
        const cell c = cells[--open];
        if (c.hi - c.lo + 1 <= leaf)
            continue;
        const int64_t m = cut(p, c.lo, c.hi);
        const double at = p[m].x;
        if (at <= c.left || at >= c.right)
            continue;
        knots[count++].at = at;
        cells[open++] = (cell){c.lo, m, c.left, at};
        if (m < c.hi)
            cells[open++] = (cell){m + 1, c.hi, at, c.right};
    }
    qsort(knots, (size_t)count, sizeof *knots, by_place);
    return count;
}

/* The q points nearest to `at` are p[*from .. *from + q - 1]. */
static void nearest(int64_t n, const point *p, int64_t q, double at, int64_t *from)
{
    int64_t lo = 0, hi = n - q;
    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;
        if (at - p[mid].x > p[mid + q].x - at)
            lo = mid + 1;
        else
            hi = mid;
    }
    *from = lo;
}

static double tricube(double distance, double h)
{
    const double u = h > 0 ? distance / h : 0, rest = 1 - u * u * u;
    return u >= 0.999 ? 0 : u > 0.001 ? rest * rest * rest : 1;
}

/* The polynomials orthogonal under the weights, at z: P0 = 1, P1 = z - mean, P2 = (z - a) P1 - b. */
typedef struct basis {
    double mean, a, b;
    double norm[3], coefficient[3];
} basis;

static void polynomials(const basis *s, double z, double *P)
{
    P[0] = 1;
    P[1] = z - s->mean;
    P[2] = (z - s->a) * P[1] - s->b;
}

/* A sum over the near points: of w P_k^2, with z of w P_k^2 z, or with y of w P_k y. */
static double sum_of(const basis *s, int64_t count, const point *p, double at, double h, int k, bool with_y,
                     bool with_z)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        double P[3];
        const double z = p[i].x - at;
        polynomials(s, z, P);
        sum += tricube(fabs(z), h) * P[k] * (with_y ? p[i].y : with_z ? P[k] * z : P[k]);
    }
    return sum;
}

/* Fits value and slope at a knot. h is the distance of the q-th nearest point; 0: a mean, all weights 1. */
static void fit_knot(int64_t count, const point *p, double h, knot *k)
{
    const double at = k->at, least = 1e-20 * h * h;
    basis s = {0};
    double P[3];
    s.norm[0] = sum_of(&s, count, p, at, h, 0, false, false);
    s.mean = sum_of(&s, count, p, at, h, 0, false, true) / s.norm[0];
    s.norm[1] = sum_of(&s, count, p, at, h, 1, false, false);
    const bool line = h > 0 && s.norm[1] > least * s.norm[0];
    if (line) {
        s.a = sum_of(&s, count, p, at, h, 1, false, true) / s.norm[1];
        s.b = s.norm[1] / s.norm[0];
        s.norm[2] = sum_of(&s, count, p, at, h, 2, false, false);
    }
    const bool curve = line && s.norm[2] > least * s.norm[1];
    for (int t = 0; t < 1 + line + curve; t++)
        s.coefficient[t] = sum_of(&s, count, p, at, h, t, true, false) / s.norm[t];
    polynomials(&s, 0, P);
    k->value = s.coefficient[0] + s.coefficient[1] * P[1] + s.coefficient[2] * P[2];
    k->slope = s.coefficient[1] + s.coefficient[2] * (P[1] - s.a);
}

static double blend(const knot *a, const knot *b, double x)
{
    const double h = b->at - a->at, t = (x - a->at) / h, r = 1 - t;
    return (1 + 2 * t) * r * r * a->value + t * t * (3 - 2 * t) * b->value +
           h * (t * r * r * a->slope - t * t * r * b->slope);
}

static void fit_all(int64_t n, const point *p, int64_t q, int64_t count, knot *knots, double *fit)
{
    for (int64_t k = 0, from = 0; k < count; k++) {
        nearest(n, p, q, knots[k].at, &from);
        const double h = fmax(fabs(knots[k].at - p[from].x), fabs(p[from + q - 1].x - knots[k].at));
        int64_t first = from, last = from + q - 1; /* all points at distance 0 count, even beyond q */
        while (h <= 0 && first > 0 && p[first - 1].x == knots[k].at)
            first--;
        while (h <= 0 && last < n - 1 && p[last + 1].x == knots[k].at)
            last++;
        const bool differ = p[from].x < p[from + q - 1].x; /* else all are at distance h, with weight 0 */
        fit_knot(last - first + 1, p + first, differ ? h : 0, &knots[k]);
    }
    for (int64_t i = 0, k = 0; i < n; i++) {
        while (k < count - 2 && knots[k + 1].at <= p[i].x)
            k++;
        fit[p[i].at] = blend(&knots[k], &knots[k + 1], p[i].x);
    }
}

pith_status pith_i_loess(pith_ctx *ctx, int64_t n, const double *x, const double *y, double span, double *fit)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const double share = (double)n * span;
    const int64_t few = n < 4 ? n : 4, many = (int64_t)floor(share + 1e-5);
    const int64_t q = many > n ? n : many > few ? many : few, leaf = (int64_t)floor(share / 5);
    point *p = NULL;
    knot *knots = NULL;
    cell *cells = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, p, n));
    TRY(SCRATCH_ZERO(ctx, knots, n + 2));
    TRY(SCRATCH(ctx, cells, n + 1));
    for (int64_t i = 0; i < n; i++)
        p[i] = (point){x[i], y[i], i};
    qsort(p, (size_t)n, sizeof *p, by_x);
    const int64_t count = place_knots(n, p, leaf > 1 ? leaf : 1, cells, knots);
    fit_all(n, p, q, count, knots, fit);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
