#include "select/forecast.h"

#include "core/engine.h"
#include "core/random.h"
#include "graph/knn_work.h"
#include "methods/ensemble.h"
#include "methods/need.h"
#include "select/result.h"

#include <math.h>

enum { FIRST_SUBSET = 1000, FIRST_APPROXIMATE = 2000 }; /* fewer samples are searched exactly in any case */

typedef struct probe {
    int64_t samples, bytes;
    double seconds;
} probe;

double pith_i_extrapolate(double m1, double t1, double m2, double t2, double n)
{
    const double each = (t2 / m2 - t1 / m1) / (m2 - m1), most = t2 / (m2 * m2);
    const double b = each > most ? most : each > 0 ? each : 0;
    return (t2 / m2 - b * m2) * n + b * n * n;
}

double pith_i_extrapolate_line(double m1, double t1, double m2, double t2, double n)
{
    const double slope = (t2 - t1) / (m2 - m1), most = t2 / m2, least = most / 4;
    return t2 + (slope > most ? most : slope < least ? least : slope) * (n - m2);
}

/* Each subset of `count` rows is equally likely (Knuth, TAOCP 2, algorithm S); ascending. */
static void draw_rows(uint64_t seed, int64_t n, int64_t count, int64_t *rows)
{
    pith_i_stream s = pith_i_stream_at(seed, PITH_I_RANDOM_PROBE, (uint64_t)count);
    for (int64_t i = 0, taken = 0; taken < count; i++)
        if ((double)(n - i) * pith_i_random_uniform(&s) < (double)(count - taken))
            rows[taken++] = i;
}

/* Passes on requests to stop, but not the progress of the probe. */
static bool pass_on_stop(double done, const char *what, void *user)
{
    (void)done;
    (void)what;
    return !pith_i_progress_stop(user, 0, 1);
}

/* A context of its own: its memory is counted separately, and its notes are dropped, since the run itself
 * makes them. */
static pith_status open_context(pith_ctx *outer, pith_ctx **out)
{
    pith_ctx *ctx = NULL;
    pith_status st = pith_ctx_new(&ctx);
    if (st != PITH_OK)
        return pith_i_error(outer, st, "out of memory");
    pith_ctx_set_seed(ctx, pith_ctx_seed(outer));
    pith_ctx_set_progress(ctx, pass_on_stop, outer);
    TRY(pith_ctx_set_threads(ctx, pith_ctx_threads(outer)));
    TRY(pith_i_engine_use(ctx, pith_i_engine(outer)));
    *out = ctx;
    ctx = NULL;
done:
    pith_ctx_free(ctx);
    return st;
}

/* *works false: the method fails on the subset; the run itself will say why, if it does. */
static pith_status try_subset(pith_ctx *outer, const pith_matrix *m, const pith_params *params, int64_t count,
                              bool *works, probe *out)
{
    const size_t mark = pith_i_scratch_mark(outer);
    pith_ctx *ctx = NULL;
    pith_matrix *some = NULL;
    pith_result *result = NULL;
    int64_t *rows = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(outer, rows, count));
    draw_rows(pith_ctx_seed(outer), m->data.n, count, rows);
    TRY(open_context(outer, &ctx));
    TRY(pith_i_matrix_take_rows(outer, m, count, rows, &some));
    some->known_finite = m->known_finite;
    if (!pith_i_is_kept(outer, pith_i_stored(&m->data), sizeof(double)))
        (void)pith_i_keep_up_to(ctx, 0); /* so that the view of the subset is computed as the run's will be */
    *works = pith_run(ctx, some, params, &result) == PITH_OK;
    TRY(pith_i_stop_status(outer));
    if (*works)
        *out = (probe){count, pith_result_peak_bytes(result), pith_result_seconds(result)};
done:
    pith_result_free(result);
    pith_matrix_free(some);
    pith_ctx_free(ctx);
    pith_i_scratch_release(outer, mark);
    return st;
}

static bool can_be_cut(const pith_ctx *ctx, const pith_matrix *m, const pith_params *params)
{
    const pith_i_shared *o = pith_i_params_shared(params);
    return m->batch == NULL && o->own_graph == NULL && o->graph_rows == NULL && o->start.n == 0 &&
           pith_i_processes(ctx) == 1;
}

/* Will the run search for neighbours approximately? Then the subsets do so too, and nothing grows with
 * pairs. */
static pith_status settle_search(pith_ctx *ctx, const pith_matrix *m, pith_params *params, bool *approximate)
{
    pith_i_shared *o = pith_i_params_shared(params);
    double work = 0;
    pith_status st = PITH_OK;
    *approximate = false;
    if ((params->method->needs & NEEDS_GRAPH) == 0 && !params->method->tests)
        return PITH_OK;
    TRY(pith_i_knn_work(ctx, &m->data, &work));
    if (params->method->tests)
        work = pith_i_ensemble_work(&m->data, work, PITH_I_HALVES, true);
    *approximate = o->search == PITH_I_SEARCH_APPROXIMATE ||
                   (o->search == PITH_I_SEARCH_AUTO && work > PITH_I_EXACT_WORK);
    o->search = *approximate ? PITH_I_SEARCH_APPROXIMATE : PITH_I_SEARCH_EXACT;
done:
    return st;
}

static double seconds_for(const probe *before, const probe *last, bool linear, int64_t n)
{
    double (*const extrapolate)(double, double, double, double, double) =
        linear ? pith_i_extrapolate_line : pith_i_extrapolate;
    return extrapolate((double)before->samples, before->seconds, (double)last->samples, last->seconds,
                       (double)n);
}

/* At least two probes are needed. The next one takes up to four times as long as the last; together they must
 * not delay the run by more than a twentieth, or half a second. */
static bool worth_another(const probe *before, const probe *last, bool linear, int64_t n, double spent,
                          double budget)
{
    const double unnoticed = 0.5;
    if (before->samples == 0)
        return true;
    const double share = seconds_for(before, last, linear, n) / 20;
    const double most = share > unnoticed ? share : unnoticed;
    return spent + 4 * last->seconds < (most < budget ? most : budget);
}

pith_status pith_i_forecast(pith_ctx *ctx, const pith_matrix *m, const pith_params *params, double budget,
                            pith_forecast *out)
{
    const int64_t n = m->data.n;
    double spent = 0;
    bool works = can_be_cut(ctx, m, params), linear = false;
    probe before = {0}, last = {0};
    pith_params *settled = NULL;
    pith_status st = PITH_OK;
    *out = (pith_forecast){.seconds = (double)NAN};
    TRY(pith_i_check_need(ctx, &m->data, params));
    pith_i_progress_begin(ctx);
    TRY(pith_i_progress_stage(ctx, "estimating the time", 0, 0));
    TRY(pith_i_params_copy(ctx, params, &settled));
    if (works)
        TRY(settle_search(ctx, m, settled, &linear));
    for (int64_t count = linear ? FIRST_APPROXIMATE : FIRST_SUBSET;
         works && count <= n / 4 && worth_another(&before, &last, linear, n, spent, budget); count *= 2) {
        before = last;
        TRY(try_subset(ctx, m, settled, count, &works, &last));
        spent += last.seconds;
    }
    if (!works || before.samples == 0)
        goto done;
    const double growth = (double)(last.bytes - before.bytes) / (double)(last.samples - before.samples);
    out->samples = last.samples;
    out->bytes = last.bytes + (growth > 0 ? (int64_t)(growth * (double)(n - last.samples)) : 0);
    out->seconds = seconds_for(&before, &last, linear, n);
done:
    pith_params_free(settled);
    return st;
}
