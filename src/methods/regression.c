#include "methods/regression.h"

#include "cluster/kmeans.h"
#include "linalg/indicator.h"
#include "matrix/gather.h"

static bool is_centred(int view)
{
    return view == VIEW_CENTER || view == VIEW_ZSCORE || view == VIEW_PARETO || view == VIEW_TFIDF_CENTER ||
           view == VIEW_CENTER_UNIT || view == VIEW_TFIDF_UNIT;
}

pith_status pith_i_input_design(pith_ctx *ctx, const pith_i_input *in, pith_i_design *out)
{
    pith_i_column_stats stats;
    pith_status st = PITH_OK;
    *out = (pith_i_design){.X = in->X, .T = in->T, .shift = in->shift, .left_out = in->constant};
    if (!is_centred(in->options->standardize)) {
        TRY(pith_i_column_statistics(ctx, in->X, in->T, &stats));
        out->shift = stats.mean;
    }
done:
    return st;
}

pith_status pith_i_penalty_bound(pith_ctx *ctx, const pith_i_design *X, double *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    double *norm = NULL, largest = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, norm, X->X->p));
    TRY(pith_i_design_norms(ctx, X, norm));
    for (int64_t j = 0; j < X->X->p; j++)
        largest = fmax(largest, norm[j]);
    if (!(largest > 0) || !isfinite(largest))
        FAIL(ctx, PITH_E_DATA, "no feature varies measurably with this --standardize");
    *out = 2 * largest;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_input_indicator(pith_ctx *ctx, const pith_i_input *in, int64_t c, int64_t starts,
                                   double *G, double *h)
{
    const pith_i_kmeans_options options = {.clusters = c, .restarts = starts};
    const pith_i_start *given = &in->options->start;
    pith_i_kmeans runs = {0};
    pith_status st = PITH_OK;
    if (given->n == 0)
        TRY(pith_i_kmeans_run(ctx, in->X, &options, &runs)); /* distances do not depend on the shift */
    TRY(pith_i_indicator_start(ctx, in->X, c, given->n > 0 ? given->label : pith_i_kmeans_best(&runs), G));
    for (int64_t t = 0; t < c; t++) {
        h[t] = 0;
        for (int64_t i = 0; i < in->n; i++)
            h[t] += G[i * c + t] / (double)in->all;
    }
    TRY(pith_i_sum_over(ctx, in->X, c, h));
done:
    pith_i_kmeans_free(&runs);
    return st;
}

pith_status pith_i_sweeps_run(pith_ctx *ctx, const pith_i_sweeps *s, pith_i_facts *facts)
{
    double now = INFINITY, before = 0;
    int64_t done_sweeps = 0;
    pith_status st = PITH_OK;
    do {
        TRY(pith_i_progress(ctx, done_sweeps, s->max_iter));
        before = now;
        TRY(s->sweep(ctx, s->self, &now));
        pith_i_round(facts, now);
    } while (++done_sweeps < s->max_iter && !(fabs(before - now) < s->tol * fabs(now)));
    pith_i_fact(facts, "iterations", (double)done_sweeps);
    pith_i_fact(facts, "objective", now);
done:
    return st;
}
