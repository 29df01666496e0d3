/*
 * SNFS (Wei & Yu, AISTATS 2016): weights 0 <= w_t <= 1 of the features that preserve every sample's
 * stochastic neighbours. With p_ij the neighbours by all features, q_ij(w) those by weighted ones
 * (methods/snfs/stochastic.h), both with the widths that give p_i the wanted perplexity,
 *
 *     min_w  sum_i sum_j p_ij log(p_ij / q_ij(w))  +  lambda sum_t w_t
 *          = c0 + sum_t (lambda - c_t) w_t + sum_i log sum_j exp(b_i s_ij(w)) ,
 *
 * where c is the moment at w = 1, so that p is needed once and never stored. Convex. Scores are w, continued
 * beyond its bounds by the multipliers: 1 + |g_t| / gmax at 1, - g_t / gmax at 0.
 */
#include "graph/knn_rows.h"
#include "methods/method.h"
#include "methods/snfs/box.h"
#include "methods/snfs/stochastic.h"

#include <string.h>

struct snfs {
    pith_i_shared shared;
    int similarity;
    double perplexity, lambda, rho, alpha, eps, gtol;
    int64_t memory, max_iter;
};

enum { SIMILARITY_COSINE, SIMILARITY_SQEUCLID };
static const char *const similarity_words[] = {"cosine", "sqeuclid", NULL};

static const pith_i_param snfs_table[] = {
    ROW(struct snfs, similarity, "similarity", SIMILARITY_COSINE, 0, 0, false, similarity_words,
        "inner products of rows of unit norm, or squared distances with columns scaled to 0..1"),
    PARAM(struct snfs, perplexity, 30, 1.1, 1e4,
          "effective number of neighbours of a sample, at most a third of the other samples (2 if there are "
          "few)"),
    ROW(struct snfs, lambda, "lambda", (double)NAN, 0, 1e9, true, NULL,
        "L1 penalty on the weights; auto: rho times the smallest penalty at which all weights are 0"),
    PARAM(struct snfs, rho, 0.003, 0, 1,
          "the penalty relative to the smallest one at which all weights are 0"),
    PARAM(struct snfs, alpha, 0.1, 0, 1, "-n auto keeps the features with a weight above 1 - alpha"),
    PARAM(struct snfs, eps, 0.01, 0, 0.5, "weights closer than this to a bound may be fixed there"),
    PARAM(struct snfs, memory, 10, 1, 100,
          "number of past steps that the quasi-Newton method (L-BFGS) keeps"),
    PARAM(struct snfs, gtol, 1e-5, 0, 1, "stop when a gradient step would move no weight by more than this"),
    PARAM(struct snfs, max_iter, 300, 0, 1e5, "maximum number of steps"),
};

static const char *const snfs_grid[] = {"rho=0.001,0.003,0.01,0.03", NULL};

/* ---- The rows as the similarity takes them ------------------------------------------------------------- */

static pith_status scale_rows(pith_ctx *ctx, const pith_i_input *in, pith_i_scaling *out)
{
    pith_i_rows R = {0};
    double *factor = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, factor, in->n));
    TRY(pith_i_rows_open(ctx, in->X, PITH_I_COSINE, &R));
    memcpy(factor, R.factor, (size_t)in->n * sizeof *factor);
    out->row_scale = factor;
done:
    pith_i_rows_close(&R);
    return st;
}

/* Distances do not depend on a shift; dense columns are centred, so that no digits are lost to
 * cancellation. */
static pith_status scale_columns(pith_ctx *ctx, const pith_i_input *in, pith_i_scaling *out)
{
    const pith_i_column_stats *stats = &in->cache->stats;
    double *scale = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, scale, in->p));
    for (int64_t t = 0; t < in->p; t++) {
        scale[t] = 1 / (stats->max[t] - stats->min[t]);
        scale[t] = isfinite(scale[t]) ? scale[t] : 0;
    }
    out->scale = scale;
    out->shift = in->X->sparse ? NULL : stats->mean;
done:
    return st;
}

/* Few samples cannot have many neighbours. */
static double possible_perplexity(double wanted, int64_t n)
{
    const double others = (double)(n - 1), most = fmax(others / 3, fmin(2, 0.6 * others));
    return fmin(wanted, most);
}

/* ---- The objective ------------------------------------------------------------------------------------- */

typedef struct problem {
    pith_i_stochastic S;
    double lambda, lambda_max;
    double c0, *c;
    double at_one;   /* the value at w = 1, where the moments are c */
    double *inverse; /* of the curvatures at w = 1 */
} problem;

/* Above this cost of an evaluation, about a second, the moments at w = 0 come from sums of columns: the same
 * up to rounding. */
static const double MOST_OPERATIONS = 4e10;

static bool all_one(int64_t p, const double *w)
{
    for (int64_t t = 0; t < p; t++)
        if (w[t] != 1)
            return false;
    return true;
}

static pith_status objective(pith_ctx *ctx, const void *self, const double *w, double *f, double *g)
{
    const problem *P = self;
    const int64_t p = P->S.p;
    pith_status st = PITH_OK;
    if (all_one(p, w)) {
        *f = P->at_one;
        memcpy(g, P->c, (size_t)p * sizeof *g);
    } else {
        TRY(pith_i_stochastic_value(ctx, &P->S, w, f, g, NULL));
    }
    *f += P->c0;
    for (int64_t t = 0; t < p; t++) {
        *f += (P->lambda - P->c[t]) * w[t];
        g[t] += P->lambda - P->c[t];
    }
done:
    return st;
}

/* At w = 1 the moments are c and KL is 0; w = 0 is optimal if no component of its gradient is negative. */
static pith_status find_constants(pith_ctx *ctx, problem *P, double *w, double *moment)
{
    const int64_t p = P->S.p;
    const double n = (double)P->S.n;
    double value = 0, largest = 0;
    pith_status st = PITH_OK;
    for (int64_t t = 0; t < p; t++)
        w[t] = 1;
    TRY(pith_i_stochastic_value(ctx, &P->S, w, &P->at_one, P->c, P->inverse));
    P->c0 = -P->at_one;
    for (int64_t t = 0; t < p; t++) {
        P->c0 += P->c[t];
        largest = fmax(largest, P->inverse[t]);
    }
    for (int64_t t = 0; t < p; t++)
        P->inverse[t] = largest > 0 ? 1 / (P->inverse[t] / largest + 1e-3) : 1;
    memset(w, 0, (size_t)p * sizeof *w);
    TRY(n * n * (4 * (double)P->S.m + 1) > MOST_OPERATIONS
            ? pith_i_stochastic_unweighted(ctx, &P->S, moment)
            : pith_i_stochastic_value(ctx, &P->S, w, &value, moment, NULL));
    for (int64_t t = 0; t < p; t++)
        P->lambda_max = fmax(P->lambda_max, P->c[t] - moment[t]);
done:
    return st;
}

static pith_status prepare(pith_ctx *ctx, const pith_i_input *in, struct snfs *o, problem *P)
{
    pith_i_scaling scaling = {0};
    double *w = NULL, *moment = NULL;
    pith_status st = PITH_OK;
    if (o->similarity == SIMILARITY_COSINE) /* the other scales columns */
        pith_i_warn_of_units(in->cache, "snfs", in->facts);
    TRY(o->similarity == SIMILARITY_COSINE ? scale_rows(ctx, in, &scaling)
                                           : scale_columns(ctx, in, &scaling));
    TRY(pith_i_stochastic_make(ctx, in->X, in->T, &scaling, o->similarity == SIMILARITY_SQEUCLID, &P->S));
    o->perplexity = possible_perplexity(o->perplexity, in->n);
    TRY(pith_i_progress_stage(ctx, "finding the neighbours", 0, 0.1));
    TRY(pith_i_stochastic_calibrate(ctx, &P->S, o->perplexity));
    TRY(SCRATCH(ctx, P->c, in->p));
    TRY(SCRATCH(ctx, P->inverse, in->p));
    TRY(SCRATCH(ctx, w, in->p));
    TRY(SCRATCH(ctx, moment, in->p));
    TRY(pith_i_progress_stage(ctx, "weighing the features", 0.1, 1));
    TRY(find_constants(ctx, P, w, moment));
    if (isnan(o->lambda))
        o->lambda = o->rho * P->lambda_max;
    P->lambda = o->lambda;
done:
    return st;
}

/* ---- Scores -------------------------------------------------------------------------------------------- */

static void set_scores(int64_t p, const double *w, const double *g, double *score)
{
    double largest = 0;
    for (int64_t t = 0; t < p; t++)
        largest = fmax(largest, fabs(g[t]));
    for (int64_t t = 0; t < p; t++) {
        const double multiplier = largest > 0 ? g[t] / largest : 0;
        score[t] = w[t];
        if (w[t] == 1)
            score[t] += fmax(0, -multiplier);
        else if (w[t] == 0)
            score[t] -= fmax(0, multiplier);
    }
}

static void tell(const pith_i_input *in, const problem *P, const pith_i_box_end *end, const double *w,
                 double alpha)
{
    int64_t keep = 0;
    for (int64_t t = 0; t < in->p; t++)
        keep += w[t] > 1 - alpha && !in->constant[t];
    pith_i_fact(in->facts, "lambda_max", P->lambda_max);
    pith_i_fact(in->facts, "objective", end->f);
    pith_i_fact(in->facts, "stationarity", end->stationarity);
    pith_i_fact(in->facts, "iterations", (double)end->iterations);
    pith_i_fact(in->facts, "evaluations", (double)end->evaluations);
    pith_i_keep(in->facts, keep);
}

static pith_status snfs_score(pith_ctx *ctx, const pith_i_input *in, const void *params, double *score)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    struct snfs *o = (struct snfs *)in->options; /* the run's copy of params: auto is filled in there */
    problem P = {0};
    pith_i_box_end end;
    double *w = NULL, *g = NULL;
    pith_status st = PITH_OK;
    (void)params;
    TRY(prepare(ctx, in, o, &P));
    const pith_i_box box = {.n = in->p,
                            .self = &P,
                            .value = objective,
                            .inverse = P.inverse,
                            .eps = o->eps,
                            .gtol = o->gtol,
                            .memory = o->memory,
                            .max_iter = o->max_iter};
    TRY(SCRATCH(ctx, w, in->p));
    TRY(SCRATCH(ctx, g, in->p));
    for (int64_t t = 0; t < in->p; t++)
        w[t] = 1;
    TRY(pith_i_box_minimize(ctx, &box, w, g, &end));
    set_scores(in->p, w, g, score);
    tell(in, &P, &end, w, o->alpha);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

const pith_method pith_i_method_snfs = {
    .name = "snfs",
    .family = "stochastic neighbours, sparse weights",
    .reference = "Wei & Yu, Unsupervised feature selection by preserving stochastic neighbors, AISTATS 2016",
    .title = "Learns sparse feature weights that preserve the stochastic-neighbour probabilities of the full "
             "data.",
    .notes = "Scores between 0 and 1 are weights. Above 1 the weight is 1, below 0 it is 0; the excess says "
             "how strongly the weight is held at that bound.",
    .better = HIGHER,
    .keeps = true,
    .dense_view = VIEW_NONE,
    .counts_view = VIEW_NONE,
    .wants = WANTS_LOGS,
    .table = snfs_table,
    .n_table = COUNT(snfs_table),
    .params_size = sizeof(struct snfs),
    .grid = snfs_grid,
    .score = snfs_score,
};
