/*
 * CL-DES (Wei, Xie, Cao & Yu): a linear classifier that tells near pairs of samples from far ones by what the
 * two samples share. With f = v_i .* v_j for the pair (i, j) and l = +1 near, -1 far,
 *
 *     min_w  1/m sum_pairs max(0, 1 - l w'f)  +  lambda |w|_1
 *
 * by one pass of proximal stochastic subgradient steps over m sampled pairs, and score = w. The subgradient
 * of the hinge is -l f (the paper's Eq. 12 has the opposite sign). A step touches the columns that the pair
 * shares; the shrinkage of all others is added up and applied when they are next touched, which gives the
 * same number, since soft thresholding by a and then by b is that by a + b.
 */
#include "core/parallel.h"
#include "core/random.h"
#include "graph/knn_rows.h"
#include "graph/pairs.h"
#include "methods/method.h"

#include <stdlib.h>
#include <string.h>

struct cl_des {
    pith_i_shared shared;
    double lambda;
    int values;
    double step;
    int schedule;
    int64_t pairs, epochs, runs;
    int sampling;
};

enum { VALUES_AUTO, VALUES_BINARY, VALUES_MAXABS, VALUES_UNIT, VALUES_NONE };
enum { SCHEDULE_SQRT, SCHEDULE_CONST };
enum { SAMPLING_COIN, SAMPLING_ALTERNATE };
enum { STREAM_EPOCH = 100 };
static const char *const values_words[] = {"auto", "binary", "maxabs", "unit", "none", NULL};
static const char *const schedule_words[] = {"sqrt", "const", NULL};
static const char *const sampling_words[] = {"coin", "alternate", NULL};

static const pith_i_param cl_des_table[] = {
    PARAM(struct cl_des, lambda, 1e-4, 0, 1e3,
          "L1 penalty: the larger, the fewer features get a nonzero weight"),
    ROW(struct cl_des, values, "values", VALUES_AUTO, 0, 0, false, values_words,
        "values multiplied for a pair: presence (0/1), x / max|x| per column, rows of unit norm, or x "
        "itself; auto: binary for counts, else maxabs"),
    PARAM(struct cl_des, step, 0.3, 1e-6, 1, "initial step size, relative to the mean |f|^2 of the pairs"),
    ROW(struct cl_des, schedule, "schedule", SCHEDULE_SQRT, 0, 0, false, schedule_words,
        "step sizes fall as 1 / sqrt(1 + 10 t / pairs), or stay constant (then --step 0.1 works better)"),
    PARAM(struct cl_des, pairs, 40000, 2, 1e6, "pairs drawn, which is also the number of steps in a pass"),
    PARAM(struct cl_des, epochs, 1, 1, 100, "passes over the pairs"),
    PARAM(struct cl_des, runs, 1, 1, 100, "independent runs on different pairs; their weights are averaged"),
    ROW(struct cl_des, sampling, "sampling", SAMPLING_COIN, 0, 0, false, sampling_words,
        "neighbouring and distant pairs are drawn by a coin toss, or alternately"),
    ALIKE_PARAMS(struct cl_des, 5),
};

static const char *const cl_des_grid[] = {"lambda=1e-6,1e-5,1e-4,1e-3", NULL};

/* ---- What a pair shares -------------------------------------------------------------------------------- */

typedef struct work {
    const pith_i_data *X;
    double *column, *row; /* v_ic = x_ic column_c row_i; NULL: 1 */
    bool binary;          /* a value that is not 0 counts as 1 */
    pith_i_pairs pairs;
    double *x;    /* 2 p per thread: the rows of a pair, where the data is dense */
    int32_t *col; /* p per thread: shared columns, ascending, */
    double *f;    /* and their products */
} work;

static double value(const work *w, int64_t i, int64_t c, double x)
{
    if (w->binary)
        return x != 0;
    return x * (w->column != NULL ? w->column[c] : 1) * (w->row != NULL ? w->row[i] : 1);
}

/* The columns c with f_c = v_ic v_jc not 0; returns how many. */
static int64_t share_sparse(const work *w, int64_t i, int64_t j, int32_t *col, double *f)
{
    const pith_i_data *X = w->X;
    int64_t a = X->indptr[i], b = X->indptr[j], count = 0;
    const int64_t a_end = X->indptr[i + 1], b_end = X->indptr[j + 1];
    while (a < a_end && b < b_end) {
        const int32_t ca = X->indices[a], cb = X->indices[b];
        if (ca == cb) {
            col[count] = ca;
            f[count] = value(w, i, ca, pith_i_at(X, i, a)) * value(w, j, ca, pith_i_at(X, j, b));
            count += f[count] != 0;
        }
        a += ca <= cb;
        b += cb <= ca;
    }
    return count;
}

static void load_row(const work *w, int64_t i, double *v)
{
    const int64_t p = w->X->p;
    pith_i_block(w->X, i, 1, 0, p, v, p);
    for (int64_t c = 0; w->binary && c < p; c++)
        v[c] = v[c] != 0;
    for (int64_t c = 0; w->column != NULL && c < p; c++)
        v[c] *= w->column[c];
    for (int64_t c = 0; w->row != NULL && c < p; c++)
        v[c] *= w->row[i];
}

static int64_t share(const work *w, int64_t t, int32_t *col, double *f)
{
    const int64_t i = w->pairs.i[t], j = w->pairs.j[t], p = w->X->p;
    if (w->X->sparse)
        return share_sparse(w, i, j, col, f);
    double *x = w->x + pith_i_thread() * 2 * p, *y = x + p;
    int64_t count = 0;
    load_row(w, i, x);
    load_row(w, j, y);
    for (int64_t c = 0; c < p; c++) {
        col[count] = (int32_t)c;
        f[count] = x[c] * y[c];
        count += f[count] != 0;
    }
    return count;
}

/* The factors that make v of x: columns for maxabs, rows of X for unit. A column too small to have a finite
 * reciprocal counts as 0. Scratch. */
static pith_status find_scales(pith_ctx *ctx, const pith_i_input *in, const pith_i_data *X, int values,
                               work *w)
{
    const pith_i_column_stats *stats = &in->cache->stats;
    pith_i_rows R = {0};
    pith_status st = PITH_OK;
    w->X = X;
    w->column = w->row = NULL;
    w->binary = values == VALUES_BINARY;
    if (values == VALUES_MAXABS) {
        TRY(SCRATCH(ctx, w->column, in->p));
        for (int64_t j = 0; j < in->p; j++) {
            const double largest = fmax(fabs(stats->min[j]), fabs(stats->max[j]));
            w->column[j] = isfinite(1 / largest) ? 1 / largest : 0;
        }
    } else if (values == VALUES_UNIT) {
        TRY(SCRATCH(ctx, w->row, X->n));
        TRY(pith_i_rows_open(ctx, X, PITH_I_COSINE, &R));
        memcpy(w->row, R.factor, (size_t)X->n * sizeof *w->row);
    }
done:
    pith_i_rows_close(&R);
    return st;
}

/* ---- Sums over the pairs ------------------------------------------------------------------------------- */

/* The mean over the pairs of |f|^2 (weight NULL) or of the hinge max(0, 1 - l weight'f). */
static pith_status mean_over_pairs(pith_ctx *ctx, const work *w, const double *weight, double *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t m = w->pairs.count, p = w->X->p;
    double *term = NULL, sum = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, term, m));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic, 64)
    for (int64_t t = 0; t < m; t++) {
        int32_t *col = w->col + pith_i_thread() * p;
        double *f = w->f + pith_i_thread() * p, s = 0;
        const int64_t count = pith_i_progress_stop(ctx, 0, 1) ? 0 : share(w, t, col, f);
        for (int64_t e = 0; e < count; e++)
            s += f[e] * (weight != NULL ? weight[col[e]] : f[e]);
        term[t] = weight != NULL ? fmax(0, 1 - w->pairs.sign[t] * s) : s;
    }
    TRY(pith_i_stop_status(ctx));
    for (int64_t t = 0; t < m; t++)
        sum += term[t];
    *out = m > 0 ? sum / (double)m : 0;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- The steps ----------------------------------------------------------------------------------------- */

static double shrunk(double w, double by)
{
    const double left = fabs(w) - by;
    return left > 0 ? copysign(left, w) : 0;
}

typedef struct keyed {
    double key;
    int64_t t;
} keyed;

static int by_key(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->t > y->t) - (x->t < y->t);
}

/* The order of the pairs in pass `epoch`: as drawn in the first, then by random keys. */
static void order_pairs(int64_t m, int64_t epoch, uint64_t seed, keyed *order)
{
    for (int64_t t = 0; t < m; t++)
        order[t] = (keyed){
            epoch > 0 ? pith_i_splitmix_uniform(seed, (uint64_t)(STREAM_EPOCH + epoch), (uint64_t)t) : 0, t};
    if (epoch > 0)
        qsort(order, (size_t)m, sizeof *order, by_key);
}

typedef struct descent {
    double *weight, *applied; /* p: weights, and the shrinkage applied to each so far */
    double due;               /* the shrinkage of all steps so far */
    double lambda;
} descent;

static void take_step(const work *w, int64_t t, double eta, descent *d)
{
    const int64_t count = share(w, t, w->col, w->f);
    double s = 0;
    for (int64_t e = 0; e < count; e++) {
        const int32_t c = w->col[e];
        d->weight[c] = shrunk(d->weight[c], d->due - d->applied[c]);
        d->applied[c] = d->due;
        s += d->weight[c] * w->f[e];
    }
    if (w->pairs.sign[t] * s < 1)
        for (int64_t e = 0; e < count; e++)
            d->weight[w->col[e]] += eta * w->pairs.sign[t] * w->f[e];
    d->due += eta * d->lambda;
}

/* All passes; at the end, all shrinkage is applied. */
static pith_status descend(pith_ctx *ctx, const work *w, const struct cl_des *o, double eta0, uint64_t seed,
                           double *weight)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t m = w->pairs.count, p = w->X->p;
    descent d = {.weight = weight, .lambda = o->lambda};
    keyed *order = NULL;
    pith_status st = PITH_OK;
    memset(weight, 0, (size_t)p * sizeof *weight);
    TRY(SCRATCH_ZERO(ctx, d.applied, p));
    TRY(SCRATCH(ctx, order, m));
    for (int64_t epoch = 0; epoch < o->epochs; epoch++) {
        order_pairs(m, epoch, seed, order);
        for (int64_t r = 0; r < m; r++) {
            const double t = (double)(epoch * m + r);
            if (r % 1024 == 0)
                TRY(pith_i_progress(ctx, epoch * m + r, o->epochs * m));
            take_step(w, order[r].t,
                      o->schedule == SCHEDULE_SQRT ? eta0 / sqrt(1 + 10 * t / (double)m) : eta0, &d);
        }
    }
    for (int64_t c = 0; c < p; c++)
        weight[c] = shrunk(weight[c], d.due - d.applied[c]);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Draws the pairs of a run, and takes their rows and the factors that scale these. */
static pith_status draw_pairs(pith_ctx *ctx, const pith_i_input *in, const struct cl_des *o, uint64_t seed,
                              pith_i_data *with, work *w)
{
    pith_status st = PITH_OK;
    TRY(pith_i_pairs_sample(ctx, in->graph, o->pairs, o->sampling == SAMPLING_ALTERNATE, seed, &w->pairs));
    pith_i_data_free(with);
    TRY(pith_i_pairs_rows(ctx, in->X, &w->pairs, with));
    TRY(find_scales(ctx, in, with, o->values, w));
done:
    return st;
}

/* One run on its own pairs; its weights are added to score. */
static pith_status run_once(pith_ctx *ctx, const pith_i_input *in, const struct cl_des *o, uint64_t seed,
                            pith_i_data *with, work *w, double *score, double *objective)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    double *weight = NULL, square = 0, hinge = 0, norm = 0;
    pith_status st = PITH_OK;
    TRY(draw_pairs(ctx, in, o, seed, with, w));
    TRY(mean_over_pairs(ctx, w, NULL, &square));
    if (!isfinite(square))
        FAIL(ctx, PITH_E_DATA, "values: the products of two samples overflow; use maxabs or unit");
    if (!(square > 0) || !isfinite(o->step / square)) {
        in->facts->warning = "none of the drawn pairs shares a feature: there is nothing to learn from";
        goto done;
    }
    TRY(SCRATCH(ctx, weight, in->p));
    TRY(descend(ctx, w, o, o->step / square, seed, weight));
    TRY(mean_over_pairs(ctx, w, weight, &hinge));
    for (int64_t j = 0; j < in->p; j++) {
        score[j] += weight[j] / (double)o->runs;
        norm += fabs(weight[j]);
    }
    *objective += (hinge + o->lambda * norm) / (double)o->runs;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status cl_des_score(pith_ctx *ctx, const pith_i_input *in, const void *params, double *score)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const struct cl_des *o = params;
    const int64_t threads = pith_ctx_threads(ctx);
    work w = {0};
    pith_i_data with = {0};
    double objective = 0;
    int64_t positive = 0;
    pith_status st = PITH_OK;
    if (o->values == VALUES_AUTO) /* the shared options are the head of the run's copy of params */
        ((struct cl_des *)in->options)->values = in->cache->counts ? VALUES_BINARY : VALUES_MAXABS;
    memset(score, 0, (size_t)in->p * sizeof *score);
    TRY(SCRATCH(ctx, w.col, threads * in->p));
    TRY(SCRATCH(ctx, w.f, threads * in->p));
    TRY(SCRATCH(ctx, w.x, in->X->sparse ? 0 : threads * 2 * in->p));
    for (int64_t r = 0; r < o->runs; r++)
        TRY(run_once(ctx, in, o, pith_ctx_seed(ctx) + (uint64_t)r, &with, &w, score, &objective));
    for (int64_t j = 0; j < in->p; j++)
        positive += score[j] > 0 && !in->constant[j];
    pith_i_fact(in->facts, "objective", objective);
    pith_i_keep(in->facts, positive);
done:
    pith_i_data_free(&with);
    pith_i_scratch_release(ctx, mark);
    return st;
}

const pith_method pith_i_method_cl_des = {
    .name = "cl-des",
    .family = "pairs of samples, sparse classifier",
    .reference =
        "Wei, Xie, Cao & Yu, Rethinking unsupervised feature selection: from pseudo labels to pseudo "
        "must-links",
    .title = "Trains a sparse linear classifier to tell neighbouring pairs of samples from distant ones, and "
             "ranks features by its weights.",
    .notes = "A negative weight means that distant pairs share the feature; such features rank last. The "
             "method is one pass of gradient steps: optimizing further makes the ranking worse. Which pairs "
             "a seed draws depends on the order of the samples.",
    .needs = NEEDS_GRAPH | NEEDS_ALIKE,
    .by_rows = true,
    .better = HIGHER,
    .spreads = true,
    .draws_rows = true,
    .keeps = true,
    .dense_view = VIEW_NONE,
    .counts_view = VIEW_NONE,
    .table = cl_des_table,
    .n_table = COUNT(cl_des_table),
    .params_size = sizeof(struct cl_des),
    .grid = cl_des_grid,
    .score = cl_des_score,
};
