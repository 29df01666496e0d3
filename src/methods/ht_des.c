/*
 * HT-DES (Wei, Xie, Cao & Yu): is a feature shared more often by near pairs of samples than by far ones? With
 * p_s, p_d the shares of n_s near and n_d far pairs in which both samples have the feature,
 *
 *     z = (p_s - p_d) / sqrt(q (1 - q) (1/n_s + 1/n_d)),    q = (p_s n_s + p_d n_d) / (n_s + n_d)
 *
 * the statistic of the test that two proportions are equal; 0 where it is 0/0. With `exact`, p_s and p_d are
 * those of all pairs, but only the near ones are counted: of the df (df - 1) / 2 pairs that share the
 * feature, those that are not near are far. n_s = n_d = pairs / 2 then scale z and leave the order alone;
 * with the true counts q would be about p_d, since there are thousands of times as many far pairs, and rare
 * features would win.
 */
#include "core/engine.h"
#include "core/parallel.h"
#include "graph/pairs.h"
#include "methods/method.h"

enum { MOST_COUNTERS = 8 }; /* threads that count: each has an array of its own, large on wide data */

struct ht_des {
    pith_i_shared shared;
    bool exact;
    int64_t pairs;
    int sampling, threshold;
};

enum { SAMPLING_COIN, SAMPLING_ALTERNATE };
enum { THRESHOLD_ZERO, THRESHOLD_MEAN };
static const char *const sampling_words[] = {"coin", "alternate", NULL};
static const char *const threshold_words[] = {"zero", "mean", NULL};

static const pith_i_param ht_des_table[] = {
    PARAM(struct ht_des, exact, 1, 0, 1, "count all pairs; no: only a random sample, as in the paper"),
    PARAM(struct ht_des, pairs, 40000, 2, 1e6,
          "pairs in the random sample; if all pairs are counted, this only scales the scores"),
    ROW(struct ht_des, sampling, "sampling", SAMPLING_COIN, 0, 0, false, sampling_words,
        "neighbouring and distant pairs are drawn by a coin toss, or alternately"),
    ROW(struct ht_des, threshold, "threshold", THRESHOLD_ZERO, 0, 0, false, threshold_words,
        "a sample has a feature if its value is not 0, or if it is above the column's mean"),
    ALIKE_PARAMS(struct ht_des, 5),
};

/* ---- Which features a sample has ----------------------------------------------------------------------- */

/* Row i has the columns col[row[i]] .. col[row[i + 1] - 1], ascending. */
typedef struct presence {
    const int64_t *row;
    const int32_t *col;
} presence;

/* The columns that row i has, to out unless it is NULL; returns how many. values: room for p. */
static int64_t list_row(const pith_i_data *X, const double *mean, int64_t i, double *values, int32_t *out)
{
    int64_t count = 0;
    if (X->sparse && mean == NULL) {
        for (int64_t e = X->indptr[i]; e < X->indptr[i + 1]; e++)
            if (pith_i_at(X, i, e) != 0) {
                if (out != NULL)
                    out[count] = X->indices[e];
                count++;
            }
        return count;
    }
    pith_i_block(X, i, 1, 0, X->p, values, X->p);
    for (int64_t j = 0; j < X->p; j++)
        if (mean != NULL ? values[j] > mean[j] : values[j] != 0) {
            if (out != NULL)
                out[count] = (int32_t)j;
            count++;
        }
    return count;
}

/* mean NULL: a row has the columns that are not 0. Sparse data without stored zeros lists them already. X:
 * the data, or those rows and some of other processes. */
static pith_status list_rows(pith_ctx *ctx, const pith_i_input *in, const pith_i_data *X, const double *mean,
                             presence *out)
{
    const int threads = pith_ctx_threads(ctx);
    int64_t *row = NULL, nonzeros = 0;
    int32_t *col = NULL;
    double *values = NULL;
    pith_status st = PITH_OK;
    for (int64_t j = 0; j < in->p; j++)
        nonzeros += in->cache->stats.nonzeros[j];
    if (X->sparse && mean == NULL && !pith_i_is_spread(in->X) && nonzeros == pith_i_stored(X)) {
        *out = (presence){X->indptr, X->indices};
        return PITH_OK;
    }
    TRY(SCRATCH(ctx, row, X->n + 1));
    TRY(SCRATCH(ctx, values, threads * in->p));
    row[0] = 0;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < X->n; i++)
        row[i + 1] = list_row(X, mean, i, values + pith_i_thread() * in->p, NULL);
    for (int64_t i = 0; i < X->n; i++)
        row[i + 1] += row[i];
    TRY(SCRATCH(ctx, col, row[X->n]));
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < X->n; i++)
        (void)list_row(X, mean, i, values + pith_i_thread() * in->p, col + row[i]);
    *out = (presence){row, col};
done:
    return st;
}

/* ---- How many pairs share a feature -------------------------------------------------------------------- */

static void count_pair(const presence *has, int64_t i, int64_t j, int64_t *count)
{
    int64_t a = has->row[i], b = has->row[j];
    const int64_t a_end = has->row[i + 1], b_end = has->row[j + 1];
    while (a < a_end && b < b_end) {
        const int32_t ca = has->col[a], cb = has->col[b];
        if (ca == cb)
            count[ca]++;
        a += ca <= cb;
        b += cb <= ca;
    }
}

/* shared[0..p-1]: near pairs that share a feature; shared[p..2p-1]: far ones. */
static pith_status count_pairs(pith_ctx *ctx, const presence *has, const pith_i_pairs *pairs, int64_t p,
                               int64_t *shared)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int threads = pith_ctx_threads(ctx) < MOST_COUNTERS ? pith_ctx_threads(ctx) : MOST_COUNTERS;
    int64_t *counts = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, counts, threads * 2 * p));
#pragma omp parallel for num_threads(threads) schedule(dynamic, 256)
    for (int64_t t = 0; t < pairs->count; t++)
        if (!pith_i_progress_stop(ctx, t, pairs->count)) {
            int64_t *mine = counts + pith_i_thread() * 2 * p;
            count_pair(has, pairs->i[t], pairs->j[t], pairs->sign[t] > 0 ? mine : mine + p);
        }
    TRY(pith_i_stop_status(ctx));
    for (int64_t e = 0; e < 2 * p; e++) { /* whole numbers: the order does not matter */
        shared[e] = 0;
        for (int t = 0; t < threads; t++)
            shared[e] += counts[t * 2 * p + e];
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Samples that have the feature. */
static pith_status count_samples(pith_ctx *ctx, const presence *has, int64_t n, int64_t p, int64_t **out)
{
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, *out, p));
    for (int64_t e = has->row[0]; e < has->row[n]; e++)
        (*out)[has->col[e]]++;
done:
    return st;
}

/* ---- The score ----------------------------------------------------------------------------------------- */

static double z_score(double ps, double pd, double ns, double nd)
{
    const double q = (ps * ns + pd * nd) / (ns + nd);
    const double error = sqrt(q * (1 - q) * (1 / ns + 1 / nd));
    return error > 0 ? (ps - pd) / error : 0;
}

/* Without near or without far pairs no feature is better than another: they all score 0. */
static bool nothing_to_compare(const pith_i_input *in, double ns, double nd, double *score)
{
    if (ns > 0 && nd > 0)
        return false;
    for (int64_t j = 0; j < in->p; j++)
        score[j] = 0;
    in->facts->warning =
        ns == 0 ? "no two samples are neighbours: all features score 0"
                : "all samples are neighbours of each other, so all features score 0: use fewer neighbors";
    return true;
}

/* shared: as in count_pairs. df: how many of the samples held here have the feature. */
static pith_status count_shared(pith_ctx *ctx, const pith_i_input *in, const struct ht_des *o,
                                pith_i_pairs *pairs, int64_t **shared, int64_t **df)
{
    const double *mean = o->threshold == THRESHOLD_MEAN ? in->cache->stats.mean : NULL;
    pith_i_data with = {0};
    presence has = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_pairs_rows(ctx, in->X, pairs, &with));
    TRY(list_rows(ctx, in, &with, mean, &has));
    TRY(SCRATCH(ctx, *shared, 2 * in->p));
    TRY(count_pairs(ctx, &has, pairs, in->p, *shared));
    TRY(count_samples(ctx, &has, in->n, in->p, df));
done:
    pith_i_data_free(&with);
    return st;
}

static pith_status exact_scores(pith_ctx *ctx, const pith_i_input *in, const struct ht_des *o, double *score)
{
    const double half = (double)o->pairs / 2, all = (double)in->all * (double)(in->all - 1) / 2;
    pith_i_pairs near;
    int64_t *shared = NULL, *df = NULL;
    pith_status st = PITH_OK;
    TRY(pith_i_pairs_near(ctx, in->graph, &near));
    double ns = (double)near.count;
    TRY(pith_i_sum(ctx, 1, &ns));
    const double nd = all - ns;
    if (nothing_to_compare(in, ns, nd, score))
        goto done;
    TRY(count_shared(ctx, in, o, &near, &shared, &df));
    TRY(pith_i_sum_counts(ctx, 2 * in->p, shared));
    TRY(pith_i_sum_counts(ctx, in->p, df));
    for (int64_t j = 0; j < in->p; j++) {
        const double both = (double)df[j] * (double)(df[j] - 1) / 2, a = (double)shared[j];
        score[j] = z_score(a / ns, (both - a) / nd, half, half);
    }
    pith_i_fact(in->facts, "near_pairs", ns);
done:
    return st;
}

static pith_status sampled_scores(pith_ctx *ctx, const pith_i_input *in, const struct ht_des *o,
                                  double *score)
{
    pith_i_pairs pairs;
    int64_t *shared = NULL, *df = NULL;
    pith_status st = PITH_OK;
    TRY(pith_i_pairs_sample(ctx, in->graph, o->pairs, o->sampling == SAMPLING_ALTERNATE, pith_ctx_seed(ctx),
                            &pairs));
    const double ns = (double)pairs.near, nd = (double)(pairs.count - pairs.near);
    if (nothing_to_compare(in, ns, nd, score))
        goto done;
    TRY(count_shared(ctx, in, o, &pairs, &shared, &df));
    for (int64_t j = 0; j < in->p; j++)
        score[j] = z_score((double)shared[j] / ns, (double)shared[in->p + j] / nd, ns, nd);
    pith_i_fact(in->facts, "near_pairs", ns);
    pith_i_fact(in->facts, "far_pairs", nd);
done:
    return st;
}

static pith_status ht_des_score(pith_ctx *ctx, const pith_i_input *in, const void *params, double *score)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const struct ht_des *o = params;
    pith_status st = PITH_OK;
    if (o->threshold == THRESHOLD_ZERO && in->cache->density > 0.5)
        in->facts->warning = "more than half of the values are nonzero: ht-des compares which samples have a "
                             "feature, and most have most; try threshold mean or another method";
    TRY(o->exact ? exact_scores(ctx, in, o, score) : sampled_scores(ctx, in, o, score));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

const pith_method pith_i_method_ht_des = {
    .name = "ht-des",
    .family = "pairs of samples, one feature at a time",
    .reference =
        "Wei, Xie, Cao & Yu, Rethinking unsupervised feature selection: from pseudo labels to pseudo "
        "must-links",
    .title = "Tests for each feature whether neighbouring samples share it more often than distant ones do, "
             "and ranks by the test statistic.",
    .notes = "For counts and other sparse data: a sample has a feature if the value is not 0. All pairs are "
             "counted. The paper draws a random sample of pairs instead, as --exact no does.",
    .needs = NEEDS_GRAPH | NEEDS_ALIKE,
    .by_rows = true,
    .better = HIGHER,
    .spreads = true,
    .dense_view = VIEW_NONE,
    .counts_view = VIEW_NONE,
    .table = ht_des_table,
    .n_table = COUNT(ht_des_table),
    .params_size = sizeof(struct ht_des),
    .score = ht_des_score,
};
