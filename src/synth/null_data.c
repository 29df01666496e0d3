#include "synth/null_data.h"

#include "core/parallel.h"
#include "core/random.h"
#include "matrix/scale.h"
#include "matrix/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Columns shuffled ---------------------------------------------------------------------------------- */

static pith_status shuffle_dense(pith_ctx *ctx, const pith_i_data *X, pith_i_data *out)
{
    pith_status st = PITH_OK;
    TRY(pith_i_scaled(ctx, X, X->dtype, NULL, NULL, NULL, out));
    void *x = pith_i_data_x(out);
#pragma omp parallel for num_threads(pith_ctx_threads(ctx))
    for (int64_t j = 0; j < X->p; j++) {
        pith_i_stream s = pith_i_stream_at(pith_ctx_seed(ctx), PITH_I_RANDOM_NULL, (uint64_t)j);
        for (int64_t i = X->n - 1; i > 0; i--) {
            const int64_t other = pith_i_random_below(&s, i + 1);
            const double a = pith_i_value(x, X->dtype, i * X->p + j),
                         b = pith_i_value(x, X->dtype, other * X->p + j);
            pith_i_set_value(x, X->dtype, i * X->p + j, b);
            pith_i_set_value(x, X->dtype, other * X->p + j, a);
        }
    }
done:
    return st;
}

/* Makes the first `count` of `order` random, without repeats; `swapped` is for undo_draw. */
static void draw_rows(pith_i_stream *s, int64_t n, int64_t count, int32_t *order, int32_t *swapped)
{
    for (int64_t t = 0; t < count; t++) {
        const int64_t other = t + pith_i_random_below(s, n - t);
        const int32_t row = order[t];
        swapped[t] = (int32_t)other;
        order[t] = order[other];
        order[other] = row;
    }
}

static void undo_draw(int64_t count, int32_t *order, const int32_t *swapped)
{
    for (int64_t t = count; t-- > 0;) {
        const int32_t row = order[t];
        order[t] = order[swapped[t]];
        order[swapped[t]] = row;
    }
}

typedef struct placed {
    int32_t row;
    double value;
} placed;

static int by_row(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    return (x->row > y->row) - (x->row < y->row);
}

/* Moves the entries of every column of X, a row of T = X', to rows drawn at random; in place. */
static pith_status move_entries(pith_ctx *ctx, pith_i_data *T)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = T->p, threads = pith_ctx_threads(ctx);
    int32_t *order = NULL, *swapped = NULL;
    placed *list = NULL;
    int32_t *rows = pith_i_data_indices(T);
    void *values = pith_i_data_values(T);
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, order, threads * n));
    TRY(SCRATCH(ctx, swapped, threads * n));
    TRY(SCRATCH(ctx, list, threads * n));
    for (int64_t t = 0; t < threads * n; t++)
        order[t] = (int32_t)(t % n);
#pragma omp parallel for num_threads((int)threads)
    for (int64_t j = 0; j < T->n; j++) {
        const int64_t own = pith_i_thread() * n, from = T->indptr[j], count = T->indptr[j + 1] - from;
        pith_i_stream s = pith_i_stream_at(pith_ctx_seed(ctx), PITH_I_RANDOM_NULL, (uint64_t)j);
        draw_rows(&s, n, count, order + own, swapped + own);
        for (int64_t t = 0; t < count; t++)
            list[own + t] = (placed){order[own + t], pith_i_value(values, T->dtype, from + t)};
        undo_draw(count, order + own, swapped + own);
        qsort(list + own, (size_t)count, sizeof *list, by_row);
        for (int64_t t = 0; t < count; t++) {
            rows[from + t] = list[own + t].row;
            pith_i_set_value(values, T->dtype, from + t, list[own + t].value);
        }
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_null_shuffle(pith_ctx *ctx, const pith_i_data *X, pith_i_data *out)
{
    pith_i_data T = {0};
    pith_status st = PITH_OK;
    if (!X->sparse)
        return shuffle_dense(ctx, X, out);
    TRY(pith_i_transpose(ctx, X, &T));
    TRY(move_entries(ctx, &T));
    TRY(pith_i_transpose(ctx, &T, out));
done:
    pith_i_data_free(&T);
    return st;
}

/* ---- Counts without a topic ---------------------------------------------------------------------------- */

typedef struct corpus {
    int64_t n, p;
    uint64_t seed;
    double *length; /* of every row */
    double *up_to;  /* p + 1: sums of the columns before each; the last is the total */
} corpus;

static pith_status corpus_new(pith_ctx *ctx, const pith_i_data *X, corpus *c)
{
    double *one = NULL, *sum = NULL;
    pith_status st = PITH_OK;
    *c = (corpus){.n = X->n, .p = X->p, .seed = pith_ctx_seed(ctx)};
    TRY(SCRATCH(ctx, c->length, X->n));
    TRY(SCRATCH(ctx, c->up_to, X->p + 1));
    TRY(SCRATCH(ctx, one, X->n > X->p ? X->n : X->p));
    TRY(SCRATCH(ctx, sum, X->p));
    for (int64_t i = 0; i < X->n || i < X->p; i++)
        one[i] = 1;
    TRY(pith_i_multiply(ctx, X, 1, one, c->length));
    TRY(pith_i_multiply_t(ctx, X, 1, one, sum));
    c->up_to[0] = 0;
    for (int64_t j = 0; j < X->p; j++)
        c->up_to[j + 1] = c->up_to[j] + sum[j];
done:
    return st;
}

/* The column that a number in [0, total) falls into. */
static int64_t column_at(const corpus *c, double v)
{
    int64_t lo = 0, hi = c->p;
    while (hi - lo > 1) {
        const int64_t middle = (lo + hi) / 2;
        if (v < c->up_to[middle])
            hi = middle;
        else
            lo = middle;
    }
    return lo;
}

/* ln k! */
static double log_factorial(double k)
{
    double sum = 0;
    if (k >= 10) /* Stirling's series: the next term is below 1e-10 */
        return (k + 0.5) * log(k) - k + log(2 * acos(-1)) / 2 +
               (1 - (1 - 2 / (7 * k * k)) / (30 * k * k)) / (12 * k);
    for (int f = 2; f <= (int)k; f++)
        sum += log((double)f);
    return sum;
}

/* A Poisson count: below a mean of 10 by the gaps of a Poisson process, above it by PTRS (Hormann, Insurance:
 * Mathematics and Economics, 1993), whose cost does not grow with the mean. */
static double poisson(pith_i_stream *s, double mean)
{
    double k = 0;
    if (mean < 10) {
        double at = -log1p(-pith_i_random_uniform(s));
        while (at < mean) {
            at -= log1p(-pith_i_random_uniform(s));
            k++;
        }
        return k;
    }
    const double b = 0.931 + 2.53 * sqrt(mean), a = -0.059 + 0.02483 * b;
    const double scale = 1.1239 + 1.1328 / (b - 3.4), inside = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
        const double u = pith_i_random_uniform(s) - 0.5, v = pith_i_random_uniform(s), side = 0.5 - fabs(u);
        k = floor((2 * a / side + b) * u + mean + 0.43);
        if (side >= 0.07 && v <= inside)
            return k;
        if (k < 0 || (side < 0.013 && v > side))
            continue;
        if (log(v * scale / (a / (side * side) + b)) <= k * log(mean) - mean - log_factorial(k))
            return k;
    }
}

/* Row i as counts, which are 0 on entry: a short row word by word, each drawn by the shares of the columns; a
 * long one column by column. Returns how many columns are not 0; they stand in `touched`,
 * ascending. */
static int64_t draw_row(const corpus *c, int64_t i, double *count, int32_t *touched)
{
    pith_i_stream s = pith_i_stream_at(c->seed, PITH_I_RANDOM_NULL, (uint64_t)i);
    const double total = c->up_to[c->p], length = c->length[i];
    const bool few = length < (double)c->p;
    const int64_t words = few ? (int64_t)poisson(&s, length) : 0;
    int64_t found = 0;
    for (int64_t w = 0; w < words; w++)
        count[column_at(c, total * pith_i_random_uniform(&s))]++;
    for (int64_t j = 0; j < c->p && !few; j++)
        count[j] = poisson(&s, length / total * (c->up_to[j + 1] - c->up_to[j]));
    for (int64_t j = 0; j < c->p; j++)
        if (count[j] > 0)
            touched[found++] = (int32_t)j;
    return found;
}

typedef struct room {
    double *count;
    int32_t *touched;
} room;

/* Row i of out, or only its number of entries where out is NULL. */
static int64_t make_row(const corpus *c, const room *r, int64_t i, pith_i_data *out)
{
    double *count = r->count + pith_i_thread() * c->p;
    int32_t *touched = r->touched + pith_i_thread() * c->p;
    const int64_t found = draw_row(c, i, count, touched);
    for (int64_t t = 0; t < found; t++) {
        const int64_t j = touched[t];
        if (out != NULL && out->sparse) {
            pith_i_data_indices(out)[out->indptr[i] + t] = (int32_t)j;
            pith_i_set_value(pith_i_data_values(out), out->dtype, out->indptr[i] + t, count[j]);
        } else if (out != NULL) {
            pith_i_set_value(pith_i_data_x(out), out->dtype, i * c->p + j, count[j]);
        }
        count[j] = 0;
    }
    return found;
}

static pith_status make_place(pith_ctx *ctx, const pith_i_data *X, const corpus *c, const room *r,
                              pith_i_data *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    int64_t *first = NULL;
    pith_status st = PITH_OK;
    if (!X->sparse) {
        TRY(pith_i_data_new_dense(ctx, c->n, c->p, X->dtype, out));
        memset(pith_i_data_x(out), 0, (size_t)(c->n * c->p) * pith_i_dtype_size(X->dtype));
        goto done;
    }
    TRY(SCRATCH(ctx, first, c->n + 1));
    first[0] = 0;
#pragma omp parallel for num_threads(pith_ctx_threads(ctx))
    for (int64_t i = 0; i < c->n; i++)
        first[i + 1] = make_row(c, r, i, NULL);
    for (int64_t i = 0; i < c->n; i++)
        first[i + 1] += first[i];
    TRY(pith_i_data_new_csr(ctx, c->n, c->p, first[c->n], X->dtype, out));
    memcpy(pith_i_data_indptr(out), first, (size_t)(c->n + 1) * sizeof *first);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_null_counts(pith_ctx *ctx, const pith_i_data *X, pith_i_data *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t threads = pith_ctx_threads(ctx);
    pith_i_data made = {0};
    corpus c;
    room r = {0};
    pith_status st = PITH_OK;
    TRY(corpus_new(ctx, X, &c));
    TRY(SCRATCH_ZERO(ctx, r.count, threads * X->p));
    TRY(SCRATCH(ctx, r.touched, threads * X->p));
    TRY(make_place(ctx, X, &c, &r, &made));
#pragma omp parallel for num_threads((int)threads)
    for (int64_t i = 0; i < X->n; i++)
        (void)make_row(&c, &r, i, &made); /* as in the first pass: a row has random numbers of its own */
    *out = made;
    made = (pith_i_data){0};
done:
    pith_i_data_free(&made);
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- Which of the two ---------------------------------------------------------------------------------- */

static pith_status is_raw(pith_ctx *ctx, const pith_i_data *X, bool *raw)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_column_stats stats;
    pith_i_scale scale;
    pith_status st = PITH_OK;
    *raw = false;
    TRY(pith_i_column_statistics(ctx, X, NULL, &stats));
    if (pith_i_is_counts(X, &stats)) {
        TRY(pith_i_scale_find(ctx, X, pith_i_largest(&stats, X->p), &scale));
        *raw = scale.kind == PITH_SCALE_COUNTS;
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_null_data(pith_ctx *ctx, const pith_i_data *X, pith_i_data *out, bool *counts)
{
    pith_status st = PITH_OK;
    TRY(is_raw(ctx, X, counts));
    TRY(*counts ? pith_i_null_counts(ctx, X, out) : pith_i_null_shuffle(ctx, X, out));
done:
    return st;
}
