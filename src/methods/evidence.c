#include "methods/evidence.h"

#include "cluster/contingency.h"
#include "cluster/tested.h"
#include "core/engine.h"
#include "matrix/scale.h"

#include <math.h>
#include <string.h>

enum { FEWEST_NONZEROS = 5, LARGEST_PIXEL = 255 };
static const double CALLED = 0.05, LEAST_P = 1e-300; /* smaller p-values are raised to it */

const char *const pith_i_untested_texts[] = {
    [PITH_I_TESTED] = NULL,
    [PITH_I_UNTESTED_CONSTANT] = "constant",
    [PITH_I_UNTESTED_RARE] = "fewer than 5 values that are not 0",
    [PITH_I_UNTESTED_ALONE] = "too few features to test it against",
    [PITH_I_UNTESTED_LENGTH] = "nothing but the total counts of the samples",
};

void pith_i_evidence_free(pith_i_evidence *evidence)
{
    pith_i_free(evidence->lift);
    pith_i_free(evidence->p);
    pith_i_free(evidence->q);
    pith_i_free(evidence->why);
    *evidence = (pith_i_evidence){0};
}

pith_status pith_i_evidence_open(pith_ctx *ctx, const pith_i_cache *cache, pith_i_evidence *ev)
{
    const int64_t p = cache->X->p;
    const bool sparse = cache->counts || cache->X->sparse;
    pith_status st = PITH_OK;
    TRY(NEW(ctx, ev->lift, p));
    TRY(NEW(ctx, ev->p, p));
    TRY(NEW(ctx, ev->q, p));
    TRY(NEW_ZERO(ctx, ev->why, p));
    ev->shown = (pith_evidence){.features = p,
                                .lift = ev->lift,
                                .p = ev->p,
                                .q = ev->q,
                                .counts = cache->counts,
                                .halves = (double)NAN};
    for (int64_t j = 0; j < p; j++) {
        ev->lift[j] = ev->p[j] = (double)NAN;
        ev->why[j] = cache->constant[j]                                     ? PITH_I_UNTESTED_CONSTANT
                     : sparse && cache->stats.nonzeros[j] < FEWEST_NONZEROS ? PITH_I_UNTESTED_RARE
                                                                            : PITH_I_TESTED;
    }
done:
    return st;
}

pith_status pith_i_evidence_settle(pith_ctx *ctx, pith_i_evidence *ev)
{
    pith_evidence *s = &ev->shown;
    const int64_t p = s->features;
    pith_status st = PITH_OK;
    TRY(pith_i_q_values(ctx, p, ev->p, ev->q));
    s->smallest_q = (double)NAN;
    for (int64_t j = 0; j < p; j++) {
        if (isnan(ev->q[j]))
            continue;
        s->tested++;
        s->called += ev->q[j] <= CALLED;
        s->smallest_q = isnan(s->smallest_q) ? ev->q[j] : fmin(s->smallest_q, ev->q[j]);
    }
done:
    return st;
}

pith_status pith_i_counted_open(pith_ctx *ctx, pith_i_cache *cache, pith_i_counted *out)
{
    const pith_i_scale *scale = NULL;
    const double most = pith_i_largest(&cache->stats, cache->X->p);
    pith_status st = PITH_OK;
    *out = (pith_i_counted){0};
    TRY(pith_i_cache_scale(ctx, cache, &scale));
    if (!cache->counts && (scale->kind != PITH_SCALE_COUNTS || most <= LARGEST_PIXEL))
        return PITH_OK;
    if (scale->kind == PITH_SCALE_COUNTS && cache->X->sparse) {
        out->C = cache->X;
        return pith_i_cache_columns(ctx, cache, VIEW_NONE, &out->T);
    }
    TRY(pith_i_counts_again(ctx, cache->X, most, &out->made));
    TRY(pith_i_transpose(ctx, &out->made, &out->transpose));
    out->C = &out->made;
    out->T = &out->transpose;
done:
    return st;
}

void pith_i_counted_close(pith_i_counted *counted)
{
    pith_i_data_free(&counted->made);
    pith_i_data_free(&counted->transpose);
}

void pith_i_evidence_judge(const pith_i_null *null, const pith_i_powers *powers, double energy, int64_t j,
                           pith_i_evidence *ev)
{
    const double T = energy / powers->s2;
    double sd = 0, skew = 0;
    if (!(powers->s2 > 0) || !isfinite(T)) {
        ev->why[j] = PITH_I_UNTESTED_LENGTH;
        return;
    }
    pith_i_null_moments(null, powers, &sd, &skew);
    ev->lift[j] = T / null->tau;
    ev->p[j] = sd > 0 ? fmin(fmax(pith_i_tail((T - null->tau) / sd, skew), LEAST_P), 1) : 1;
}

/* ---- Groups -------------------------------------------------------------------------------------------- */

/* The groups to test on, without those that turned out empty. */
typedef struct tests {
    const pith_i_data *samples;
    int64_t n, all; /* rows held here, and in all processes */
    pith_i_grouping at[PITH_I_HALVES];
    const bool *saw_all;
} tests;

static pith_status take_tests(pith_ctx *ctx, const pith_i_ensemble *e, tests *out)
{
    const int64_t n = e->n;
    pith_status st = PITH_OK;
    *out = (tests){.samples = e->samples, .n = n, .all = e->all, .saw_all = e->saw_all};
    for (int64_t b = 0; b < PITH_I_HALVES; b++) {
        const int32_t *label = e->test_label + b * n;
        int64_t *number = NULL;
        int32_t *packed = NULL, groups = 0;
        TRY(SCRATCH(ctx, packed, n));
        TRY(SCRATCH_ZERO(ctx, number, e->test_groups[b]));
        for (int64_t i = 0; i < n; i++)
            number[label[i]] = 1;
        if (pith_i_is_spread(e->samples))
            TRY(pith_i_sum_counts(ctx, e->test_groups[b], number));
        for (int64_t k = 0; k < e->test_groups[b]; k++)
            number[k] = number[k] != 0 ? groups++ : -1;
        for (int64_t i = 0; i < n; i++)
            packed[i] = (int32_t)number[label[i]];
        out->at[b] = (pith_i_grouping){groups, packed};
    }
done:
    return st;
}

/* The tests that were made without a block: at most 11 of them. */
static int64_t tests_without(const tests *t, int block, int64_t draws[PITH_I_SPLITS])
{
    int64_t count = 0;
    for (int64_t b = 0; b < PITH_I_HALVES; b++)
        if (!pith_i_half_has(b, block) && !t->saw_all[b] && t->at[b].groups > 1)
            draws[count++] = b;
    return count;
}

/*
 * How well the two halves of a split find the same groups, mean over splits: (chi^2 / n - e) / (most - e),
 * where e is the expected value by chance and most the largest. 0: as by chance; 1: the same groups.
 */
static pith_status halves(pith_ctx *ctx, const tests *t, double *out)
{
    double sum = 0, count = 0;
    pith_status st = PITH_OK;
    for (int64_t b = 0; b < PITH_I_HALVES; b += 2) {
        const pith_i_grouping *x = &t->at[b], *y = &t->at[b + 1];
        const double e = (double)((x->groups - 1) * (y->groups - 1)) / (double)(t->all - 1);
        const double most = (double)((x->groups < y->groups ? x->groups : y->groups) - 1);
        pith_i_contingency table = {0};
        double share = -1; /* sum of n_kl^2 / (n_k n_l), less 1: chi^2 / n */
        if (t->saw_all[b] || t->saw_all[b + 1] || most <= e)
            continue;
        TRY(pith_i_is_spread(t->samples)
                ? pith_i_contingency_of_all(ctx, t->n, x->groups, x->label, y->groups, y->label, &table)
                : pith_i_contingency_make(ctx, t->n, x->label, y->label, &table));
        for (int64_t k = 0; k < table.rows; k++)
            for (int64_t c = table.start[k]; c < table.start[k + 1]; c++)
                share += (double)table.count[c] * (double)table.count[c] /
                         ((double)table.row_sum[k] * (double)table.col_sum[table.col[c]]);
        pith_i_contingency_free(&table);
        sum += (share - e) / (most - e);
        count++;
    }
    *out = count > 0 ? sum / count : (double)NAN;
done:
    return st;
}

/* measure() for counts: of their residuals given the totals of the samples. */
static pith_status measure_counts(pith_ctx *ctx, const pith_i_counted *c, const pith_i_ensemble *e,
                                  const tests *t, double *between, pith_i_powers *powers)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t p = c->C->p;
    int64_t draws[PITH_I_SPLITS];
    uint32_t *wanted = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, wanted, p));
    for (int64_t j = 0; j < p; j++)
        for (int64_t r = tests_without(t, e->block[j], draws); r-- > 0;)
            wanted[j] |= UINT32_C(1) << draws[r];
    TRY(pith_i_test_residuals(ctx, c->C, c->T, PITH_I_HALVES, t->at, wanted, between, powers));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Of every feature: the energy between the groups of each test, and the sums of powers for its null. */
static pith_status measure(pith_ctx *ctx, pith_i_cache *cache, const pith_i_ensemble *e, const tests *t,
                           double *between, pith_i_powers *powers)
{
    const pith_i_data *T = NULL;
    pith_i_counted counted = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_cache_columns(ctx, cache, VIEW_NONE, &T));
    TRY(pith_i_counted_open(ctx, cache, &counted));
    TRY(counted.C != NULL
            ? measure_counts(ctx, &counted, e, t, between, powers)
            : pith_i_test_values(ctx, cache->X, T, &cache->stats, PITH_I_HALVES, t->at, between, powers));
done:
    pith_i_counted_close(&counted);
    return st;
}

/* The null distribution of a block, and lift and p-value of its features. */
static pith_status judge_block(pith_ctx *ctx, const pith_i_ensemble *e, const tests *t, int block, int64_t p,
                               const double *between, const pith_i_powers *powers, pith_i_evidence *ev)
{
    pith_i_grouping without[PITH_I_SPLITS];
    int64_t draws[PITH_I_SPLITS];
    const int64_t count = tests_without(t, block, draws);
    pith_i_null null = {0};
    pith_status st = PITH_OK;
    for (int64_t r = 0; r < count; r++)
        without[r] = t->at[draws[r]];
    if (count > 0)
        TRY(pith_i_null_make(ctx, t->n, t->samples->all, count, without, &null));
    for (int64_t j = 0; j < p; j++) {
        double T = 0;
        if (e->block[j] != block || ev->why[j] != PITH_I_TESTED)
            continue;
        if (count == 0) {
            ev->why[j] = PITH_I_UNTESTED_ALONE;
            continue;
        }
        for (int64_t r = 0; r < count; r++)
            T += between[draws[r] * p + j] / (double)(without[r].groups - 1);
        pith_i_evidence_judge(&null, &powers[j], T, j, ev);
    }
done:
    return st;
}

pith_status pith_i_evidence_groups(pith_ctx *ctx, pith_i_cache *cache, const pith_i_ensemble *e,
                                   pith_i_evidence *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t p = cache->X->p;
    pith_i_evidence ev = {0};
    pith_i_powers *powers = NULL;
    double *between = NULL;
    tests t;
    pith_status st = PITH_OK;
    TRY(pith_i_evidence_open(ctx, cache, &ev));
    TRY(take_tests(ctx, e, &t));
    TRY(SCRATCH(ctx, between, PITH_I_HALVES * p));
    TRY(SCRATCH(ctx, powers, p));
    TRY(measure(ctx, cache, e, &t, between, powers));
    for (int block = 0; block < PITH_I_BLOCKS; block++)
        TRY(judge_block(ctx, e, &t, block, p, between, powers, &ev));
    TRY(halves(ctx, &t, &ev.shown.halves));
    TRY(pith_i_evidence_settle(ctx, &ev));
    *out = ev;
    ev = (pith_i_evidence){0};
done:
    pith_i_evidence_free(&ev);
    pith_i_scratch_release(ctx, mark);
    return st;
}
