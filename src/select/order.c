#include "select/order.h"

#include "methods/ensemble.h"
#include "select/diverse.h"
#include "select/rank.h"

#include <string.h>

enum { JUDGE_STARTS = 5 };
/* Below this the selection does not show the structure that it was made for. */
static const double POOR_AGREEMENT = 0.15;

/* The ranking from the scores, or from the method's own order (NULL: none). */
static pith_status order_scores(pith_ctx *ctx, pith_i_cache *cache, const pith_params *params, double *score,
                                const int64_t *order, int64_t *ranking)
{
    const pith_i_shared *o = pith_i_params_shared(params);
    const pith_i_diversity diversity = {o->diversity, o->top, params->method->plain_relevance};
    const pith_i_viewed *viewed = NULL;
    const pith_i_data *T = NULL;
    pith_status st = PITH_OK;
    if (params->method->better == LOWER)
        pith_i_flip_signs(cache->X->p, score);
    TRY(pith_i_rank(ctx, cache->X->p, score, cache->stats.variance, order, ranking));
    if (diversity.power > 0) {
        TRY(pith_i_progress_stage(ctx, "moving redundant features down", 0.9, 1));
        TRY(pith_i_cache_view(ctx, cache, o->standardize, &viewed));
        TRY(pith_i_cache_columns(ctx, cache, o->standardize, &T));
        TRY(pith_i_diverse(ctx, &viewed->view.X, T, score, &diversity, ranking));
    }
done:
    return st;
}

/* The agreement of the first `top` features, or of all that have a score; these come first. */
static pith_status judge(pith_ctx *ctx, pith_i_cache *cache, const pith_i_ensemble *e,
                         const pith_i_outcome *outcome, int64_t top, const int64_t *ranking, double *out)
{
    int64_t count = 0;
    while (count < top && count < cache->X->p && !isnan(outcome->score[ranking[count]]))
        count++;
    return pith_i_ensemble_judge(ctx, cache, e, JUDGE_STARTS, false, count, ranking, out);
}

/* The rival's scores and ranking take the place of the method's own if they agree better than `least`. */
static pith_status try_rival(pith_ctx *ctx, pith_i_cache *cache, const pith_params *params, const char *name,
                             double least, pith_i_outcome *outcome, int64_t *ranking)
{
    const int64_t p = cache->X->p, top = pith_i_params_shared(params)->top;
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_params *settings = NULL;
    pith_i_outcome rival = {0};
    int64_t *other = NULL;
    double agreement = 0;
    pith_status st = PITH_OK;
    TRY(pith_params_new(ctx, pith_method_find(name), &settings));
    pith_i_params_shared(settings)->clusters = pith_i_params_shared(params)->clusters;
    TRY(pith_i_run(ctx, cache, NULL, 0, settings, &rival));
    TRY(SCRATCH(ctx, other, p));
    TRY(order_scores(ctx, cache, settings, rival.score, rival.order, other));
    TRY(judge(ctx, cache, outcome->after.ensemble, &rival, top, other, &agreement));
    pith_i_fact(&outcome->facts, "rival_agreement", agreement);
    if (agreement > least) {
        memcpy(ranking, other, (size_t)p * sizeof *ranking);
        memcpy(outcome->score, rival.score, (size_t)p * sizeof *rival.score);
        memcpy(outcome->reason, rival.reason, (size_t)p * sizeof *rival.reason);
        outcome->facts.note = "using the ranking of kmeans-energy, which agrees better with the groups";
    }
done:
    pith_i_outcome_free(&rival);
    pith_params_free(settings);
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_order(pith_ctx *ctx, pith_i_cache *cache, const pith_params *params,
                         pith_i_outcome *outcome, int64_t *ranking)
{
    const pith_i_ensemble *e = outcome->after.ensemble;
    double agreement = 0;
    pith_status st = PITH_OK;
    TRY(order_scores(ctx, cache, params, outcome->score, outcome->order, ranking));
    if (e == NULL)
        goto done;
    TRY(judge(ctx, cache, e, outcome, pith_i_params_shared(params)->top, ranking, &agreement));
    pith_i_fact(&outcome->facts, "agreement", agreement);
    if (outcome->after.rival != NULL)
        TRY(try_rival(ctx, cache, params, outcome->after.rival, agreement, outcome, ranking));
    else if (agreement < POOR_AGREEMENT && params->by_auto)
        TRY(try_rival(ctx, cache, params, "kmeans-energy", POOR_AGREEMENT, outcome, ranking));
    /* What the method itself doubts, such as a stray negative value, can be the cause, and comes first. */
    if (agreement < POOR_AGREEMENT && outcome->facts.note == NULL && outcome->facts.said[0] == '\0')
        outcome->facts.warning =
            "agreement is below 0.15: the top features alone do not show the groups that "
            "they were selected for; see whether another number does (-n auto), or do not trust them";
done:
    return st;
}

pith_status pith_i_order_for(pith_ctx *ctx, pith_i_cache *cache, const pith_params *params,
                             pith_i_outcome *outcome, int64_t k, int64_t *ranking)
{
    return order_scores(ctx, cache, params, outcome->score_at + k * cache->X->p, NULL, ranking);
}
