#include "cluster/kmeans_points.h"

#include "core/engine.h"
#include "core/parallel.h"
#include "matrix/simd.h"
#include "matrix/stats.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { STRIP = 512 }; /* columns of a row handled at a time */

static double weight_of(const pith_i_points *P, int64_t i)
{
    return P->weight == NULL ? 1 : P->weight[i];
}

/* Columns col..col+cols-1 of row i as doubles: in place where they lie so, else copied to room. */
static const double *row_strip(const pith_i_data *X, int64_t i, int64_t col, int64_t cols, double room[STRIP])
{
    if (pith_i_is_plain(X))
        return (const double *)X->x + i * X->row_stride + col;
    pith_i_block(X, i, 1, col, cols, room, cols);
    return room;
}

/* sum_j (r x_j - h m_j - f a_j)^2 */
PITH_I_CLONES static double squared_gap(int64_t n, double r, const double *x, double h, const double *m,
                                        double f, const double *a)
{
    pith_i_double8 lanes = {0};
    double rest = 0;
    int64_t j = 0;
    for (; j + 8 <= n; j += 8) {
        const pith_i_double8 d = r * *(const pith_i_double8 *)(x + j) - h * *(const pith_i_double8 *)(m + j) -
                                 f * *(const pith_i_double8 *)(a + j);
        lanes += d * d;
    }
    for (; j < n; j++) {
        const double d = r * x[j] - h * m[j] - f * a[j];
        rest += d * d;
    }
    return PITH_I_SUM8(lanes) + rest;
}

/* a += times (r x - m) */
PITH_I_CLONES static void add_deviation(int64_t n, double times, double r, const double *restrict x,
                                        const double *restrict m, double *restrict a)
{
#pragma omp simd
    for (int64_t j = 0; j < n; j++)
        a[j] += times * (r * x[j] - m[j]);
}

/* z = (f a + h m) unit */
PITH_I_CLONES static void centre_to_float(int64_t n, double f, const double *restrict a, double h,
                                          const double *restrict m, double unit, float *restrict z)
{
#pragma omp simd
    for (int64_t j = 0; j < n; j++)
        z[j] = (float)((f * a[j] + h * m[j]) * unit);
}

/* y = (r x - mean) unit; returns |y|^2. */
PITH_I_CLONES static double centre_row(int64_t n, double r, const double *restrict x,
                                       const double *restrict mean, double unit, float *restrict y)
{
    pith_i_double8 lanes = {0};
    double rest = 0;
    int64_t j = 0;
#pragma omp simd
    for (int64_t t = 0; t < n; t++)
        y[t] = (float)((r * x[t] - mean[t]) * unit);
    for (; j + 8 <= n; j += 8) {
        const pith_i_double8 v = __builtin_convertvector(*(const pith_i_float8 *)(y + j), pith_i_double8);
        lanes += v * v;
    }
    for (; j < n; j++)
        rest += (double)y[j] * (double)y[j];
    return PITH_I_SUM8(lanes) + rest;
}

/* What one row adds to the sums and ranges of columns. */
PITH_I_CLONES static void note_row(int64_t n, double r, const double *restrict x, double *restrict sum,
                                   double *restrict low, double *restrict high)
{
#pragma omp simd
    for (int64_t j = 0; j < n; j++) {
        const double v = r * x[j];
        sum[j] += v;
        low[j] = v < low[j] ? v : low[j];
        high[j] = v > high[j] ? v : high[j];
    }
}

/* ---- Centres ------------------------------------------------------------------------------------------ */

void pith_i_centre_clear(const pith_i_points *P, pith_i_centre *a)
{
    memset(a->deviation, 0, (size_t)P->X->p * sizeof *a->deviation);
    a->count = 0;
    a->factor = a->share = a->square = 0;
    a->moved = true;
}

void pith_i_centre_add(const pith_i_points *P, int64_t i, int times, pith_i_centre *a)
{
    const pith_i_data *X = P->X;
    const double r = weight_of(P, i);
    double room[STRIP];
    a->count += times;
    a->moved = true;
    for (int64_t e = X->sparse ? X->indptr[i] : 0; X->sparse && e < X->indptr[i + 1]; e++)
        a->deviation[X->indices[e]] += times * r * pith_i_at(X, i, e);
    for (int64_t col = 0; !X->sparse && col < X->p; col += STRIP) {
        const int64_t cols = pith_i_min(STRIP, X->p - col);
        add_deviation(cols, times, r, row_strip(X, i, col, cols, room), P->mean + col, a->deviation + col);
    }
}

/* |f deviation + h mean|^2 */
static double square_of(const pith_i_points *P, const pith_i_centre *a, double f, double h)
{
    const double *mean = P->mean == NULL ? a->deviation : P->mean; /* h 0 where there is none */
    return squared_gap(P->X->p, f, a->deviation, P->mean == NULL ? 0 : -h, mean, 0, mean);
}

void pith_i_centre_set(const pith_i_points *P, pith_i_centre *a)
{
    a->factor = a->count > 0 ? 1 / (double)a->count : 0;
    a->share = a->count > 0; /* exactly 1: factor * count may not be, and the mean may be large */
    if (P->cosine && a->count > 0) {
        const double length = sqrt(square_of(P, a, a->factor, 1)); /* of the rows' mean: at most 1 */
        a->share = length > 1e-14 ? 1 / length : 0;
        a->factor *= a->share;
    }
    a->square = square_of(P, a, a->factor, a->share - 1);
}

void pith_i_centre_float(const pith_i_points *P, const pith_i_centre *a, float *z)
{
    centre_to_float(P->X->p, a->factor, a->deviation, a->share - 1, P->mean, P->unit, z);
}

/* ---- Distances ---------------------------------------------------------------------------------------- */

double pith_i_points_distance(const pith_i_points *P, int64_t i, const pith_i_centre *a)
{
    const pith_i_data *X = P->X;
    const double r = weight_of(P, i), f = a->factor;
    double d = 0, room[STRIP];
    if (P->cosine && (r == 0 || f == 0))
        return 2;
    if (X->sparse) { /* |a|^2 + sum of (x - a)^2 - a^2 over what is stored */
        for (int64_t e = X->indptr[i]; e < X->indptr[i + 1]; e++) {
            const double x = r * pith_i_at(X, i, e);
            d += x * (x - 2 * f * a->deviation[X->indices[e]]);
        }
        return fmax(a->square + d, 0);
    }
    for (int64_t col = 0; col < X->p; col += STRIP) {
        const int64_t cols = pith_i_min(STRIP, X->p - col);
        d += squared_gap(cols, r, row_strip(X, i, col, cols, room), a->share, P->mean + col, f,
                         a->deviation + col);
    }
    return d;
}

static double between_sparse(const pith_i_data *X, int64_t i, double ri, const pith_i_data *Y, int64_t j,
                             double rj)
{
    int64_t a = X->indptr[i], b = Y->indptr[j];
    const int64_t a_end = X->indptr[i + 1], b_end = Y->indptr[j + 1];
    double d = 0;
    while (a < a_end || b < b_end) {
        const int32_t col_a = a < a_end ? X->indices[a] : INT32_MAX;
        const int32_t col_b = b < b_end ? Y->indices[b] : INT32_MAX;
        const double u = col_a <= col_b ? ri * pith_i_at(X, i, a++) : 0;
        const double v = col_b <= col_a ? rj * pith_i_at(Y, j, b++) : 0;
        d += (u - v) * (u - v);
    }
    return d;
}

double pith_i_points_between(const pith_i_points *P, int64_t i, const pith_i_points *Q, int64_t j)
{
    const pith_i_data *X = P->X;
    const double ri = weight_of(P, i), rj = weight_of(Q, j);
    double d = 0, room[STRIP], other[STRIP];
    if (P->cosine && (ri == 0 || rj == 0))
        return 2;
    if (X->sparse)
        return between_sparse(X, i, ri, Q->X, j, rj);
    for (int64_t col = 0; col < X->p; col += STRIP) {
        const int64_t cols = pith_i_min(STRIP, X->p - col);
        const double *a = row_strip(X, i, col, cols, room), *b = row_strip(Q->X, j, col, cols, other);
        d += squared_gap(cols, ri, a, rj, b, 0, b);
    }
    return d;
}

/* Sums and ranges of columns col..col+cols-1. */
static void strip_sums(const pith_i_points *P, int64_t col, int64_t cols, double *sum, double *low,
                       double *high)
{
    double room[STRIP];
    for (int64_t j = 0; j < cols; j++) {
        sum[j] = 0;
        low[j] = INFINITY;
        high[j] = -INFINITY;
    }
    for (int64_t i = 0; i < P->X->n; i++)
        note_row(cols, weight_of(P, i), row_strip(P->X, i, col, cols, room), sum, low, high);
}

/* Means of the columns over all processes, and the largest distance of a value from its column's mean. */
static pith_status find_means(pith_ctx *ctx, const pith_i_points *P, double *far)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = P->X->n, p = P->X->p;
    double *low = NULL, *high = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, low, p));
    TRY(SCRATCH(ctx, high, p));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) if (n * p > 1 << 16)
    for (int64_t col = 0; col < p; col += STRIP)
        strip_sums(P, col, pith_i_min(STRIP, p - col), P->mean + col, low + col, high + col);
    if (pith_i_is_spread(P->X)) {
        TRY(pith_i_sum(ctx, p, P->mean));
        TRY(pith_i_sum_by(ctx, PITH_ENGINE_LEAST, p, low));
        TRY(pith_i_sum_by(ctx, PITH_ENGINE_MOST, p, high));
    }
    *far = 0;
    for (int64_t j = 0; j < p; j++) {
        P->mean[j] /= (double)pith_i_all(P->X);
        *far = fmax(*far, fmax(high[j] - P->mean[j], P->mean[j] - low[j]));
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* |row i| where the sum of squares over- or underflows: scaled by the largest value. */
static double norm_of(const pith_i_data *X, int64_t i)
{
    const int64_t from = X->sparse ? X->indptr[i] : 0, to = X->sparse ? X->indptr[i + 1] : X->p;
    double top = 0, sum = 0;
    for (int64_t e = from; e < to; e++)
        top = fmax(top, fabs(X->sparse ? pith_i_at(X, i, e) : pith_i_cell(X, i, e)));
    for (int64_t e = from; top > 0 && e < to; e++) {
        const double v = (X->sparse ? pith_i_at(X, i, e) : pith_i_cell(X, i, e)) / top;
        sum += v * v;
    }
    return top * sqrt(sum);
}

static pith_status set_unit(pith_ctx *ctx, double far, pith_i_points *P)
{
    if (!(far <= 1e150)) /* also NaN: a mean overflowed */
        return pith_i_error(ctx, PITH_E_DATA,
                            "the values are so large that squared distances overflow; scale the data");
    P->unit = far > 1e-150 ? 1 / far : 1;
    return PITH_OK;
}

/* Rounding errors add up like a random walk: their root mean square grows with the root of the number of
 * terms, and is less than a third of this without the 4. */
static float error_of(int64_t terms)
{
    return 4 * 0.5f * FLT_EPSILON * (1 + sqrtf((float)terms));
}

/* y and its squares, by the means and the unit. */
static pith_status fill_dense(pith_ctx *ctx, pith_i_points *P)
{
    const int64_t n = P->X->n, p = P->X->p;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, P->y, n * p));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) if (n * p > 1 << 16)
    for (int64_t i = 0; i < n; i++) {
        double square = 0, room[STRIP];
        for (int64_t col = 0; col < p; col += STRIP) {
            const int64_t cols = pith_i_min(STRIP, p - col);
            square += centre_row(cols, weight_of(P, i), row_strip(P->X, i, col, cols, room), P->mean + col,
                                 P->unit, P->y + i * p + col);
        }
        P->square[i] = (float)square;
    }
done:
    return st;
}

static void fill_sparse(const double *norm, pith_i_points *P)
{
    for (int64_t i = 0; i < P->X->n; i++) {
        const double length = weight_of(P, i) * norm[i] * P->unit;
        P->square[i] = (float)(length * length);
    }
}

/* Weights of the rows and, where they are needed, norms; else out is NULL. */
static pith_status weigh(pith_ctx *ctx, pith_i_points *P, double **out)
{
    const pith_i_data *X = P->X;
    double *norm = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, P->square, X->n));
    if (P->cosine)
        TRY(SCRATCH(ctx, P->weight, X->n));
    if (P->cosine || X->sparse) {
        TRY(SCRATCH(ctx, norm, X->n));
        pith_i_row_squares(ctx, X, norm);
        for (int64_t i = 0; i < X->n; i++)
            norm[i] = norm[i] > 1e-290 && norm[i] < 1e290 ? sqrt(norm[i]) : norm_of(X, i);
    }
    for (int64_t i = 0; P->cosine && i < X->n; i++)
        P->weight[i] = norm[i] > 1e-290 ? 1 / norm[i] : 0;
    *out = norm;
done:
    return st;
}

static pith_status measure_sparse(pith_ctx *ctx, const double *norm, pith_i_points *P)
{
    double most[2] = {0}; /* the farthest from 0, and the most entries of a row */
    pith_status st = PITH_OK;
    for (int64_t i = 0; i < P->X->n; i++) {
        most[0] = fmax(most[0], weight_of(P, i) * norm[i]);
        most[1] = fmax(most[1], (double)(P->X->indptr[i + 1] - P->X->indptr[i]));
    }
    if (pith_i_is_spread(P->X))
        TRY(pith_i_sum_by(ctx, PITH_ENGINE_MOST, 2, most));
    TRY(set_unit(ctx, most[0], P));
    P->error = error_of((int64_t)most[1]);
done:
    return st;
}

static pith_status measure_dense(pith_ctx *ctx, pith_i_points *P)
{
    double far = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, P->mean, P->X->p));
    TRY(find_means(ctx, P, &far));
    TRY(set_unit(ctx, far, P));
    P->error = error_of(P->X->p);
done:
    return st;
}

pith_status pith_i_points_make(pith_ctx *ctx, const pith_i_data *X, bool cosine, pith_i_points *out)
{
    pith_i_points P = {.X = X, .cosine = cosine};
    pith_status st = PITH_OK;
    double *norm = NULL;
    TRY(weigh(ctx, &P, &norm));
    if (X->sparse) {
        TRY(measure_sparse(ctx, norm, &P));
        fill_sparse(norm, &P);
    } else {
        TRY(measure_dense(ctx, &P));
        TRY(fill_dense(ctx, &P));
    }
    for (int64_t i = 0; i < X->n; i++)
        P.longest = fmaxf(P.longest, P.square[i]);
    if (pith_i_is_spread(X)) {
        double longest = (double)P.longest;
        TRY(pith_i_sum_by(ctx, PITH_ENGINE_MOST, 1, &longest));
        P.longest = (float)longest;
    }
    *out = P;
done:
    return st;
}

pith_status pith_i_points_like(pith_ctx *ctx, const pith_i_points *like, const pith_i_data *X,
                               pith_i_points *out)
{
    pith_i_points P = *like;
    pith_status st = PITH_OK;
    double *norm = NULL;
    P.X = X;
    P.weight = NULL;
    TRY(weigh(ctx, &P, &norm));
    if (X->sparse)
        fill_sparse(norm, &P);
    else
        TRY(fill_dense(ctx, &P));
    *out = P;
done:
    return st;
}
