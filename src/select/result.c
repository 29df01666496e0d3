#include "select/result.h"

#include <math.h>

void pith_result_free(pith_result *r)
{
    if (r == NULL)
        return;
    pith_params_free(r->params);
    pith_i_free(r->score);
    pith_i_free(r->reason);
    pith_i_free(r->ranking);
    pith_i_free(r->ranking_for);
    pith_i_free(r->batches);
    pith_i_evidence_free(&r->evidence);
    pith_i_free(r);
}

int64_t pith_result_features(const pith_result *r)
{
    return r->p;
}

const double *pith_result_scores(const pith_result *r)
{
    return r->score;
}

const char *pith_result_reason(const pith_result *r, int64_t feature)
{
    return feature >= 0 && feature < r->p ? pith_i_reason_texts[r->reason[feature]] : NULL;
}

const int64_t *pith_result_ranking(const pith_result *r)
{
    return r->ranking;
}

const int64_t *pith_result_ranking_for(const pith_result *r, int64_t count)
{
    for (int64_t k = 0; r->ranking_for != NULL && k < r->params->n_counts; k++)
        if (r->params->counts[k] == count)
            return r->ranking_for + k * r->p;
    return r->ranking;
}

const int32_t *pith_result_batches(const pith_result *r)
{
    return r->batches;
}

int32_t pith_result_n_batches(const pith_result *r)
{
    return r->n_batches;
}

const pith_params *pith_result_params(const pith_result *r)
{
    return r->params;
}

double pith_result_seconds(const pith_result *r)
{
    return r->seconds;
}

int64_t pith_result_peak_bytes(const pith_result *r)
{
    return r->peak_bytes;
}

const char *pith_result_fact(const pith_result *r, size_t i, double *value)
{
    if (i >= r->facts.count)
        return NULL;
    if (value != NULL)
        *value = r->facts.value[i];
    return r->facts.name[i];
}

const char *pith_result_note(const pith_result *r)
{
    return r->note[0] != '\0' ? r->note : r->facts.note;
}

const char *pith_result_warning(const pith_result *r)
{
    return r->facts.warning != NULL ? r->facts.warning : r->facts.said[0] != '\0' ? r->facts.said : NULL;
}

int64_t pith_result_keep(const pith_result *r)
{
    const pith_method *m = r->params->method;
    return m->keeps && (!m->tests || r->curve.count > 0) ? r->facts.keep : -1;
}

double pith_result_curve(const pith_result *r, int64_t i, int64_t *features)
{
    return pith_i_curve_at(&r->curve, i, features);
}

const pith_evidence *pith_result_evidence(const pith_result *r)
{
    return r->evidence.shown.features > 0 ? &r->evidence.shown : NULL;
}

const char *pith_result_untested(const pith_result *r, int64_t feature)
{
    const bool known = feature >= 0 && feature < r->evidence.shown.features;
    return known ? pith_i_untested_texts[r->evidence.why[feature]] : NULL;
}

int64_t pith_result_called(const pith_result *r, double fdr, int64_t *features)
{
    int64_t count = 0;
    for (int64_t i = 0; i < r->evidence.shown.features; i++)
        if (r->evidence.q[r->ranking[i]] <= fdr) {
            if (features != NULL)
                features[count] = r->ranking[i];
            count++;
        }
    return count;
}

int64_t pith_result_rounds(const pith_result *r)
{
    return r->facts.rounds;
}

double pith_result_objective(const pith_result *r, int64_t round)
{
    return round >= 0 && round < r->facts.rounds ? r->facts.objective[round] : (double)NAN;
}
