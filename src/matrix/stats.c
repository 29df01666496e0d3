#include "matrix/stats.h"

#include "core/engine.h"
#include "core/parallel.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ROWS = PITH_I_TILE_ROWS, COLS = PITH_I_TILE_COLS };

/* COLS columns that one thread sums tile by tile, the rows of a column in order. */
typedef struct strip {
    double sum[COLS], lo[COLS], hi[COLS];
    int64_t nonzeros[COLS];
} strip;

/* Down one column of the tile after the other, so that the sums stay in registers. */
static void add_tile(int64_t rows, int64_t cols, const double *tile, strip *t)
{
    for (int64_t j = 0; j < cols; j++) {
        double sum = t->sum[j], lo = t->lo[j], hi = t->hi[j];
        int64_t nonzeros = 0;
        for (int64_t r = 0; r < rows; r++) {
            const double v = tile[r * COLS + j];
            sum += v;
            lo = v < lo ? v : lo;
            hi = v > hi ? v : hi;
            nonzeros += v != 0;
        }
        t->sum[j] = sum;
        t->lo[j] = lo;
        t->hi[j] = hi;
        t->nonzeros[j] += nonzeros;
    }
}

/* Adds dev = x - mean and dev^2. */
static void add_deviations(int64_t rows, int64_t cols, const double *tile, const double *mean, double *sum,
                           double *squares)
{
    for (int64_t j = 0; j < cols; j++) {
        double s = sum[j], q = squares[j];
        for (int64_t r = 0; r < rows; r++) {
            const double dev = tile[r * COLS + j] - mean[j];
            s += dev;
            q += dev * dev;
        }
        sum[j] = s;
        squares[j] = q;
    }
}

/*
 * From sums over dev_i = x_i - mean, where the mean still has the rounding errors of a sum of n terms:
 *
 *     variance = 1/n (sum_i dev_i^2 - (sum_i dev_i)^2 / n),   mean + rest = mean + 1/n sum_i dev_i
 *
 * The corrections are 0 but for the rounding of the mean, which is not small for a column far from 0.
 */
static void correct(pith_i_column_stats *s, int64_t j, double squares, double sum, int64_t n)
{
    const double about = squares - sum * sum / (double)n, was = s->mean[j], off = sum / (double)n;
    s->variance[j] = (about < 0 ? 0 : about) / (double)n; /* NaN stays */
    s->rest[j] = 0;
    if (!isfinite(off))
        return;
    s->mean[j] = was + off;
    s->rest[j] = was - s->mean[j] + off;
}

/* Two passes over the rows held here: sums, which become means, then sums about the means. */
typedef struct passes {
    const pith_i_data *X, *T; /* T: X' of sparse data */
    pith_i_column_stats s;    /* mean: sums at first */
    double *off, *squares;    /* of deviations */
    int64_t *stored;          /* entries by column, where sparse data has no T */
    pith_ctx *ctx;
} passes;

static void dense_sums(passes *w, int64_t col, int64_t cols)
{
    double tile[ROWS * COLS];
    strip t = {0};
    for (int64_t j = 0; j < COLS; j++) {
        t.lo[j] = INFINITY;
        t.hi[j] = -INFINITY;
    }
    for (int64_t i = 0; i < w->X->n; i += ROWS) {
        const int64_t rows = w->X->n - i < ROWS ? w->X->n - i : ROWS;
        pith_i_block(w->X, i, rows, col, cols, tile, COLS);
        add_tile(rows, cols, tile, &t);
    }
    for (int64_t j = 0; j < cols; j++) {
        w->s.mean[col + j] = t.sum[j];
        w->s.min[col + j] = t.lo[j];
        w->s.max[col + j] = t.hi[j];
        w->s.nonzeros[col + j] = t.nonzeros[j];
    }
}

static void dense_deviations(passes *w, int64_t col, int64_t cols)
{
    double tile[ROWS * COLS], sum[COLS] = {0}, squares[COLS] = {0};
    for (int64_t i = 0; i < w->X->n; i += ROWS) {
        const int64_t rows = w->X->n - i < ROWS ? w->X->n - i : ROWS;
        pith_i_block(w->X, i, rows, col, cols, tile, COLS);
        add_deviations(rows, cols, tile, w->s.mean + col, sum, squares);
    }
    memcpy(w->off + col, sum, (size_t)cols * sizeof *sum);
    memcpy(w->squares + col, squares, (size_t)cols * sizeof *squares);
}

/* Column j is row j of T. */
static void sparse_sums(passes *w, int64_t j)
{
    const pith_i_data *T = w->T;
    const int64_t from = T->indptr[j], to = T->indptr[j + 1];
    const bool gaps = to - from < T->p;
    double sum = 0, lo = gaps ? 0 : INFINITY, hi = gaps ? 0 : -INFINITY;
    int64_t nonzeros = 0;
    for (int64_t e = from; e < to; e++) {
        const double v = pith_i_at(T, j, e);
        sum += v;
        lo = v < lo ? v : lo;
        hi = v > hi ? v : hi;
        nonzeros += v != 0;
    }
    w->s.mean[j] = sum;
    w->s.min[j] = lo;
    w->s.max[j] = hi;
    w->s.nonzeros[j] = nonzeros;
}

/* The zeros that are not stored deviate from the mean by the mean. */
static void sparse_deviations(passes *w, int64_t j)
{
    const pith_i_data *T = w->T;
    const int64_t from = T->indptr[j], to = T->indptr[j + 1];
    const double mean = w->s.mean[j], zeros = (double)(T->p - (to - from));
    double off = 0, squares = 0;
    for (int64_t e = from; e < to; e++) {
        const double dev = pith_i_at(T, j, e) - mean;
        off += dev;
        squares += dev * dev;
    }
    w->off[j] = off - zeros * mean;
    w->squares[j] = squares + zeros * mean * mean;
}

/* The same as by T, to the last bit, without its memory: the rows of each column are added in order. */
static void row_sums(passes *w, int64_t col, int64_t cols)
{
    const pith_i_data *X = w->X;
    for (int64_t j = col; j < col + cols; j++) {
        w->s.mean[j] = 0;
        w->s.min[j] = INFINITY;
        w->s.max[j] = -INFINITY;
        w->s.nonzeros[j] = w->stored[j] = 0;
    }
    for (int64_t i = 0; i < X->n && !pith_i_stop_asked(w->ctx); i++)
        for (int64_t e = pith_i_entry_from(X, i, col); e < X->indptr[i + 1] && X->indices[e] < col + cols;
             e++) {
            const double v = pith_i_at(X, i, e);
            const int32_t j = X->indices[e];
            w->s.mean[j] += v;
            w->s.min[j] = v < w->s.min[j] ? v : w->s.min[j];
            w->s.max[j] = v > w->s.max[j] ? v : w->s.max[j];
            w->s.nonzeros[j] += v != 0;
            w->stored[j]++;
        }
    for (int64_t j = col; j < col + cols; j++)
        if (w->stored[j] < X->n) { /* zeros that are not stored */
            w->s.min[j] = w->s.min[j] < 0 ? w->s.min[j] : 0;
            w->s.max[j] = w->s.max[j] > 0 ? w->s.max[j] : 0;
        }
}

static void row_deviations(passes *w, int64_t col, int64_t cols)
{
    const pith_i_data *X = w->X;
    for (int64_t j = col; j < col + cols; j++)
        w->off[j] = w->squares[j] = 0;
    for (int64_t i = 0; i < X->n && !pith_i_stop_asked(w->ctx); i++)
        for (int64_t e = pith_i_entry_from(X, i, col); e < X->indptr[i + 1] && X->indices[e] < col + cols;
             e++) {
            const int32_t j = X->indices[e];
            const double dev = pith_i_at(X, i, e) - w->s.mean[j];
            w->off[j] += dev;
            w->squares[j] += dev * dev;
        }
    for (int64_t j = col; j < col + cols; j++) {
        const double mean = w->s.mean[j], zeros = (double)(X->n - w->stored[j]);
        w->off[j] -= zeros * mean;
        w->squares[j] += zeros * mean * mean;
    }
}

static void take_means(passes *w, int64_t col, int64_t cols)
{
    for (int64_t j = col; j < col + cols; j++)
        w->s.mean[j] /= (double)pith_i_all(w->X);
}

static void take_sums(passes *w, int64_t col, int64_t cols)
{
    if (w->stored != NULL)
        row_sums(w, col, cols);
    else if (w->T == NULL)
        dense_sums(w, col, cols);
    for (int64_t j = col; w->T != NULL && j < col + cols; j++)
        sparse_sums(w, j);
}

static void take_deviations(passes *w, int64_t col, int64_t cols)
{
    if (w->stored != NULL)
        row_deviations(w, col, cols);
    else if (w->T == NULL)
        dense_deviations(w, col, cols);
    for (int64_t j = col; w->T != NULL && j < col + cols; j++)
        sparse_deviations(w, j);
}

/* Adds the rows of other processes: all need the means before the second pass. */
static pith_status join_sums(pith_ctx *ctx, passes *w)
{
    const int64_t p = w->X->p;
    pith_status st = PITH_OK;
    TRY(pith_i_sum(ctx, p, w->s.mean));
    TRY(pith_i_sum_by(ctx, PITH_ENGINE_LEAST, p, w->s.min));
    TRY(pith_i_sum_by(ctx, PITH_ENGINE_MOST, p, w->s.max));
    TRY(pith_i_sum_counts(ctx, p, w->s.nonzeros));
    take_means(w, 0, p);
done:
    return st;
}

/* Strip by strip, so that the second pass over a column finds it in the caches, if one process has all rows.
 * Without T, one strip per thread: every strip goes through all rows. */
static pith_status both_passes(pith_ctx *ctx, passes *w)
{
    const bool spread = pith_i_is_spread(w->X);
    const int64_t p = w->X->p, threads = pith_ctx_threads(ctx);
    const int64_t width = w->stored != NULL ? (p + threads - 1) / threads : COLS;
    pith_status st = PITH_OK;
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic)
    for (int64_t j = 0; j < p; j += width) {
        const int64_t cols = p - j < width ? p - j : width;
        if (pith_i_stop_asked(ctx))
            continue;
        take_sums(w, j, cols);
        if (!spread) {
            take_means(w, j, cols);
            take_deviations(w, j, cols);
        }
    }
    TRY(pith_i_stop_status(ctx));
    if (!spread)
        return PITH_OK;
    TRY(join_sums(ctx, w));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic)
    for (int64_t j = 0; j < p; j += width)
        if (!pith_i_stop_asked(ctx))
            take_deviations(w, j, p - j < width ? p - j : width);
    TRY(pith_i_stop_status(ctx));
    TRY(pith_i_sum(ctx, p, w->off));
    TRY(pith_i_sum(ctx, p, w->squares));
done:
    return st;
}

/* A column whose values are all equal has no variance: rounding of its mean must not give it one. Nor must
 * this hide a NaN among equal values. */
static void settle_constants(int64_t p, pith_i_column_stats *s)
{
    for (int64_t j = 0; j < p; j++)
        if (s->min[j] == s->max[j] && !isnan(s->mean[j])) {
            s->mean[j] = s->min[j];
            s->variance[j] = s->rest[j] = 0;
        }
}

pith_status pith_i_column_statistics(pith_ctx *ctx, const pith_i_data *X, const pith_i_data *T,
                                     pith_i_column_stats *out)
{
    passes w = {.ctx = ctx, .X = X, .T = X->sparse && T == NULL ? X->transpose : X->sparse ? T : NULL};
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, w.s.mean, X->p));
    TRY(SCRATCH(ctx, w.s.variance, X->p));
    TRY(SCRATCH(ctx, w.s.rest, X->p));
    TRY(SCRATCH(ctx, w.s.min, X->p));
    TRY(SCRATCH(ctx, w.s.max, X->p));
    TRY(SCRATCH(ctx, w.s.nonzeros, X->p));
    const size_t mark = pith_i_scratch_mark(ctx);
    TRY(SCRATCH(ctx, w.off, X->p));
    TRY(SCRATCH(ctx, w.squares, X->p));
    if (X->sparse && w.T == NULL)
        TRY(SCRATCH(ctx, w.stored, X->p));
    TRY(both_passes(ctx, &w));
    for (int64_t j = 0; j < X->p; j++)
        correct(&w.s, j, w.squares[j], w.off[j], pith_i_all(X));
    settle_constants(X->p, &w.s);
    *out = w.s;
    pith_i_scratch_release(ctx, mark);
done:
    return st;
}

bool pith_i_column_varies(const pith_i_data *X, const pith_i_column_stats *stats, int64_t j)
{
    const double unit = X->dtype == PITH_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
    const double lo = stats->min[j], hi = stats->max[j];
    return hi - lo > 4 * unit * fmax(fabs(lo), fabs(hi));
}

static void dense_squares(const pith_i_data *X, int64_t i, int64_t rows, double *squares)
{
    double tile[ROWS * COLS];
    memset(squares, 0, (size_t)rows * sizeof *squares);
    for (int64_t j = 0; j < X->p; j += COLS) {
        const int64_t cols = X->p - j < COLS ? X->p - j : COLS;
        pith_i_block(X, i, rows, j, cols, tile, COLS);
        for (int64_t r = 0; r < rows; r++)
            for (int64_t c = 0; c < cols; c++)
                squares[r] += tile[r * COLS + c] * tile[r * COLS + c];
    }
}

static double sparse_square(const pith_i_data *X, int64_t i)
{
    double sum = 0;
    for (int64_t e = X->indptr[i]; e < X->indptr[i + 1]; e++) {
        const double v = pith_i_at(X, i, e);
        sum += v * v;
    }
    return sum;
}

void pith_i_row_squares(pith_ctx *ctx, const pith_i_data *X, double *squares)
{
#pragma omp parallel for num_threads(pith_ctx_threads(ctx))
    for (int64_t i = 0; i < X->n; i += ROWS) {
        const int64_t rows = X->n - i < ROWS ? X->n - i : ROWS;
        for (int64_t r = i; X->sparse && r < i + rows; r++)
            squares[r] = sparse_square(X, r);
        if (!X->sparse)
            dense_squares(X, i, rows, squares + i);
    }
}

double pith_i_largest(const pith_i_column_stats *stats, int64_t p)
{
    double most = -INFINITY;
    for (int64_t j = 0; j < p; j++)
        most = stats->max[j] > most ? stats->max[j] : most;
    return most;
}

double pith_i_density(const pith_i_data *X, const pith_i_column_stats *stats)
{
    int64_t nonzeros = 0, columns = 0;
    for (int64_t j = 0; j < X->p; j++) {
        nonzeros += stats->nonzeros[j];
        columns += stats->nonzeros[j] > 0;
    }
    return (double)nonzeros / ((double)pith_i_all(X) * (double)(columns > 0 ? columns : 1));
}

bool pith_i_is_counts(const pith_i_data *X, const pith_i_column_stats *stats)
{
    for (int64_t j = 0; j < X->p; j++)
        if (stats->min[j] < 0)
            return false;
    return pith_i_density(X, stats) < 0.5;
}

static double middle(double a, double b, double c)
{
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* Hoare's selection: afterwards, values before x[k] are at most x[k], those after it at least x[k]. */
double pith_i_kth_smallest(int64_t n, double *x, int64_t k)
{
    for (int64_t lo = 0, hi = n - 1; lo < hi;) {
        const double pivot = middle(x[lo], x[lo + (hi - lo) / 2], x[hi]);
        int64_t i = lo, j = hi;
        while (i <= j) {
            while (x[i] < pivot)
                i++;
            while (pivot < x[j])
                j--;
            if (i <= j) {
                const double swap = x[i];
                x[i++] = x[j];
                x[j--] = swap;
            }
        }
        if (k > j && k < i) /* all between equal the pivot */
            break;
        if (k <= j)
            hi = j;
        else
            lo = i;
    }
    return x[k];
}
