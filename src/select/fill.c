/* From a table to a result: one ranking of it, or rankings of its batches, merged. */
#include "core/bytes.h"
#include "matrix/stats.h"
#include "select/merge.h"
#include "select/order.h"
#include "select/result.h"
#include "select/spread.h"

#include <stdio.h>
#include <string.h>

enum {
    LEAST_SAMPLES = 20, /* of a batch: with fewer, its ranking says too little */
    USUAL_BEST = 2000,  /* features that count as the best of a batch by default */
    SHOWN = 8,          /* batches that are named in a message */
    SHOWN_BYTES = 60,   /* of a name */
    MOST_ROWS = 64      /* parameters of a method */
};

/* ---- One table ----------------------------------------------------------------------------------------- */

/* What is ranked: a table, or some rows of it. */
typedef struct subject {
    const pith_matrix *rows;
    const pith_matrix *whole;      /* has the names */
    const bool *counts;            /* is the whole table counts? NULL: decided by the rows */
    const pith_i_batches *batches; /* that graphs are balanced over; NULL: none */
} subject;

/* One warning is enough: that there is no structure matters more than that the top features agree poorly. */
static void warn_of_chance(pith_i_facts *facts)
{
    const size_t used = strlen(facts->said);
    if (used == 0)
        facts->warning = pith_i_no_structure;
    else
        (void)snprintf(facts->said + used, sizeof facts->said - used, "; %s", pith_i_no_structure);
}

/* Evidence of the features beside the ranking, whatever the method. */
static pith_status add_evidence(pith_ctx *ctx, pith_i_cache *cache, pith_i_outcome *outcome, pith_result *r)
{
    const int64_t n = pith_i_all(cache->X);
    const pith_i_ensemble_options options = {
        .draws = PITH_I_HALVES, .neighbors = n - 1 < 5 ? n - 1 : 5, .share = 0.5, .tests = true};
    const pith_i_ensemble *e = outcome->after.ensemble;
    const pith_evidence *shown = &r->evidence.shown;
    const int kind = pith_i_params_shared(r->params)->evidence;
    pith_status st = PITH_OK;
    if (kind == EVIDENCE_NONE)
        return PITH_OK;
    TRY(pith_i_progress_stage(ctx, "testing features against chance", 0.9, 1));
    if (kind == EVIDENCE_LINEAR) {
        TRY(pith_i_evidence_linear(ctx, cache, &r->evidence));
    } else {
        if (e == NULL || e->test_label == NULL)
            TRY(pith_i_ensemble_get(ctx, cache, &options, &outcome->reuse, &e));
        TRY(pith_i_evidence_groups(ctx, cache, e, &r->evidence));
    }
    pith_i_fact(&outcome->facts, "tested", (double)shown->tested);
    pith_i_fact(&outcome->facts, "called", (double)shown->called);
    if (shown->tested > 0)
        pith_i_fact(&outcome->facts, "smallest_q", shown->smallest_q);
    if (!isnan(shown->halves))
        pith_i_fact(&outcome->facts, "halves_agreement", shown->halves);
    if (shown->called == 0)
        warn_of_chance(&outcome->facts);
done:
    return st;
}

/* How many features to keep, for methods that decide it by an ensemble. */
static pith_status add_keep(pith_ctx *ctx, pith_i_cache *cache, pith_i_outcome *outcome, pith_result *r)
{
    int64_t count = 0;
    pith_status st = PITH_OK;
    if (outcome->after.ensemble == NULL || !r->params->wants_keep)
        return PITH_OK;
    while (count < cache->X->p && !isnan(outcome->score[r->ranking[count]]))
        count++;
    TRY(pith_i_curve_make(ctx, cache, outcome->after.ensemble, count, r->ranking, &r->curve));
    const int64_t chosen = pith_i_curve_choose(&r->curve, outcome->after.thrifty);
    pith_i_keep(&outcome->facts, chosen > 0 ? chosen : pith_i_curve_usual(&r->curve));
    if (chosen < 0 && outcome->facts.note == NULL)
        outcome->facts.note = "no number of features reaches an agreement of 0.15 with the groups: the "
                              "default of 300 features is kept, or all that have a score";
done:
    return st;
}

static pith_status rank_subject(pith_ctx *ctx, const subject *s, pith_result *r)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_matrix *m = s->rows;
    pith_i_outcome outcome = {0};
    pith_i_cache cache = {0};
    pith_i_data X = pith_i_data_rows(&m->data, 0, m->data.n);
    pith_i_names columns = {0};
    bool by_columns = s->whole->by_columns;
    const int32_t *label = m->label;
    int32_t classes = (int32_t)m->classes.count;
    pith_status st = PITH_OK;
    TRY(pith_i_spread_rows(ctx, m, r->params, &X));
    if (pith_method_needs_labels(r->params->method))
        TRY(pith_i_spread_classes(ctx, m, &label, &classes));
    if ((r->params->method->needs & NEEDS_TREE) != 0)
        TRY(pith_i_spread_columns(ctx, s->whole, &columns, &by_columns));
    TRY(pith_i_cache_new(ctx, &X, &cache));
    cache.features = columns.start != NULL ? &columns : &s->whole->features;
    cache.by_columns = by_columns;
    cache.batches = s->batches;
    cache.counts = s->counts != NULL ? *s->counts : cache.counts;
    if (cache.counts)
        cache.heavy.columns = 0;
    TRY(pith_i_run(ctx, &cache, label, classes, r->params, &outcome));
    TRY(NEW(ctx, r->ranking, m->data.p));
    TRY(pith_i_order(ctx, &cache, r->params, &outcome, r->ranking));
    if (outcome.score_at != NULL)
        TRY(NEW(ctx, r->ranking_for, r->params->n_counts * m->data.p));
    for (int64_t k = 0; r->ranking_for != NULL && k < r->params->n_counts; k++)
        TRY(pith_i_order_for(ctx, &cache, r->params, &outcome, k, r->ranking_for + k * m->data.p));
    TRY(add_keep(ctx, &cache, &outcome, r));
    TRY(add_evidence(ctx, &cache, &outcome, r));
    r->score = outcome.score;
    r->reason = outcome.reason;
    outcome.score = NULL;
    outcome.reason = NULL;
    r->facts = outcome.facts;
    r->p = m->data.p;
done:
    pith_i_outcome_free(&outcome);
    pith_i_cache_free(&cache);
    pith_i_names_free(&columns);
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- Which batches count ------------------------------------------------------------------------------- */

typedef struct batches {
    int32_t all, used;
    int64_t *size;
} batches;

/* Bytes of a name that a message shows. */
static int shown(const char *name)
{
    return (int)pith_i_utf8_prefix(name, SHOWN_BYTES);
}

/* Appends "c (7 samples)" to the line. */
static void add_batch(const pith_matrix *m, int32_t b, int64_t size, bool first, char *line, size_t room)
{
    const size_t used = strlen(line);
    const char *name = pith_i_name(&m->batches, b);
    (void)snprintf(line + used, room - used, "%s%.*s (%lld sample%s)", first ? "" : ", ", shown(name), name,
                   (long long)size, size == 1 ? "" : "s");
}

/* Counts the samples of each batch, and notes which batches are left out; PITH_E_DATA if all are. */
static pith_status count_batches(pith_ctx *ctx, const pith_matrix *m, batches *out)
{
    batches B = {.all = (int32_t)m->batches.count};
    char line[SHOWN * 100 + 32] = "";
    int32_t left = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, B.size, B.all));
    for (int64_t i = 0; i < m->data.n; i++)
        B.size[m->batch[i]]++;
    for (int32_t b = 0; b < B.all; b++) {
        B.used += B.size[b] >= LEAST_SAMPLES;
        if (B.size[b] < LEAST_SAMPLES && left++ < SHOWN)
            add_batch(m, b, B.size[b], left == 1, line, sizeof line);
    }
    if (left > SHOWN)
        (void)snprintf(line + strlen(line), sizeof line - strlen(line), " and %d more", (int)left - SHOWN);
    if (B.used == 0)
        FAIL(ctx, PITH_E_DATA, "no batch has the %d samples that a ranking needs: %s", LEAST_SAMPLES, line);
    if (left > 0)
        pith_i_note(ctx, "batches of fewer than %d samples are left out: %s", LEAST_SAMPLES, line);
    *out = B;
done:
    return st;
}

/* The rows of batch b; b = -1: of all batches that are not left out. */
static int64_t find_rows(const pith_matrix *m, const batches *B, int32_t b, int64_t *rows)
{
    int64_t count = 0;
    for (int64_t i = 0; i < m->data.n; i++)
        if (b >= 0 ? m->batch[i] == b : B->size[m->batch[i]] >= LEAST_SAMPLES)
            rows[count++] = i;
    return count;
}

/* Cuts the initial labels, if there are any, to the given rows. */
static pith_status cut_start(pith_ctx *ctx, int64_t n, int64_t count, const int64_t *rows,
                             pith_params *params)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_start *start = &pith_i_params_shared(params)->start;
    int32_t *label = NULL;
    pith_status st = PITH_OK;
    if (start->n == 0)
        return PITH_OK;
    TRY(pith_i_start_check(ctx, start, n));
    TRY(SCRATCH(ctx, label, count));
    for (int64_t i = 0; i < count; i++)
        label[i] = start->label[rows[i]];
    TRY(pith_i_params_start(ctx, params, NULL, count, label));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- One graph over all batches ------------------------------------------------------------------------ */

static pith_status rank_balanced(pith_ctx *ctx, const pith_matrix *m, pith_result *r)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_matrix *kept = NULL;
    int64_t *rows = NULL;
    batches B = {0};
    pith_status st = PITH_OK;
    TRY(count_batches(ctx, m, &B));
    TRY(SCRATCH(ctx, rows, m->data.n));
    const int64_t count = find_rows(m, &B, -1, rows);
    if (count < m->data.n) {
        TRY(pith_i_matrix_take_rows(ctx, m, count, rows, &kept));
        TRY(cut_start(ctx, m->data.n, count, rows, r->params));
    }
    const pith_matrix *used = kept != NULL ? kept : m;
    const pith_i_batches balanced = {B.used, used->batch};
    TRY(rank_subject(ctx, &(subject){.rows = used, .whole = m, .batches = &balanced}, r));
    pith_i_fact(&r->facts, "batches", B.used);
    pith_i_fact(&r->facts, "batches_left_out", B.all - B.used);
done:
    pith_matrix_free(kept);
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- A ranking of each batch --------------------------------------------------------------------------- */

/* Data that is counts is counts in every batch, however dense one of them may be. */
static pith_status find_counts(pith_ctx *ctx, const pith_matrix *m, bool *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_column_stats stats;
    pith_status st = PITH_OK;
    TRY(pith_i_column_statistics(ctx, &m->data, NULL, &stats));
    *out = pith_i_is_counts(&m->data, &stats);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Adds the name of the batch to an error that comes from its data or settings. */
static pith_status tell_batch(pith_ctx *ctx, pith_status st, const char *name)
{
    if (st != PITH_E_DATA && st != PITH_E_PARAMETER && st != PITH_E_NUMERIC)
        return st;
    return pith_i_error(ctx, st, "batch %.*s: %s", shown(name), name, pith_ctx_message(ctx));
}

/* The result of a run on some rows. */
static pith_status rank_rows(pith_ctx *ctx, const pith_matrix *m, int64_t count, const int64_t *rows,
                             const bool *counts, const pith_params *params, pith_result **out)
{
    pith_matrix *taken = NULL;
    pith_result *of_batch = NULL;
    pith_status st = PITH_OK;
    TRY(NEW_ZERO(ctx, of_batch, 1));
    TRY(pith_i_params_copy(ctx, params, &of_batch->params));
    of_batch->params->by_auto = false; /* one method for all batches */
    of_batch->params->wants_keep = false;
    pith_i_params_shared(of_batch->params)->evidence = EVIDENCE_NONE;
    TRY(cut_start(ctx, m->data.n, count, rows, of_batch->params));
    TRY(pith_i_matrix_take_rows(ctx, m, count, rows, &taken));
    TRY(rank_subject(ctx, &(subject){.rows = taken, .whole = m, .counts = counts}, of_batch));
    *out = of_batch;
    of_batch = NULL;
done:
    pith_result_free(of_batch);
    pith_matrix_free(taken);
    return st;
}

/* Stores the rankings of a batch at place `at`: one for each of the counts, or the only one. */
static void keep_ranking(const pith_result *of_batch, const pith_params *params, int64_t at,
                         pith_i_rankings *lists)
{
    const int64_t p = of_batch->p, counts = params->n_counts > 0 ? params->n_counts : 1;
    for (int64_t k = 0; k < counts; k++) {
        const int64_t *ranking =
            params->n_counts > 0 ? pith_result_ranking_for(of_batch, params->counts[k]) : of_batch->ranking;
        memcpy(lists[k].ranking + at * p, ranking, (size_t)p * sizeof *ranking);
        for (int64_t j = 0; j < p; j++)
            lists[k].scored[at * p + j] = !isnan(of_batch->score[j]);
    }
}

/* What the batches have in common. `first` are the settings of the first batch, auto resolved; differs[i]
 * says whether row i is different in a later batch. */
typedef struct settled {
    pith_params *first;
    bool differs[MOST_ROWS];
    char doubt[sizeof((pith_i_facts *)0)->said]; /* the first warning of a batch, */
    const char *doubted;                         /* the name of that batch; NULL: no batch has a warning, */
    int64_t alike;                               /* and how many batches have the same one */
} settled;

static bool is_row(const pith_method *m, size_t i)
{
    return i < MOST_ROWS && pith_i_method_row(m, i) != NULL;
}

/* The first settings are moved to s. */
static void compare_settings(pith_params **params, settled *s)
{
    if (s->first == NULL) {
        s->first = *params;
        *params = NULL;
        return;
    }
    for (size_t i = 0; is_row(s->first->method, i); i++)
        s->differs[i] = s->differs[i] || !pith_i_params_same(s->first, *params, i);
}

static void take_settings(const settled *s, pith_params *params)
{
    for (size_t i = 0; is_row(params->method, i); i++)
        if (!s->differs[i])
            pith_i_params_take(params, s->first, i);
    /* Which tree is chosen depends on names and shape, not on samples: it is the same for all batches. */
    pith_i_tree_choice *mine = &pith_i_params_shared(params)->tree,
                       *theirs = &pith_i_params_shared(s->first)->tree, swap = *mine;
    *mine = *theirs;
    *theirs = swap;
}

/* Keeps the warning of a batch, and the reason of features that have no score in any batch. */
static void keep_reasons(const pith_result *of_batch, const char *name, bool first, settled *s,
                         pith_result *r)
{
    const char *doubt = pith_result_warning(of_batch);
    if (doubt != NULL && s->doubted == NULL) {
        (void)snprintf(s->doubt, sizeof s->doubt, "%s", doubt);
        s->doubted = name;
    }
    s->alike += doubt != NULL && strcmp(doubt, s->doubt) == 0;
    for (int64_t j = 0; j < of_batch->p; j++)
        if (first || of_batch->reason[j] == PITH_I_SCORED)
            r->reason[j] = of_batch->reason[j];
}

/* A warning that all batches share is given without a name, else the first one with the name of its batch. */
static void tell_doubt(const settled *s, int64_t used, pith_result *r)
{
    if (s->doubted != NULL && s->alike == used)
        pith_i_warn(&r->facts, "%s", s->doubt);
    else if (s->doubted != NULL)
        pith_i_warn(&r->facts, "batch %.*s: %s", shown(s->doubted), s->doubted, s->doubt);
}

static pith_status rank_each(pith_ctx *ctx, const pith_matrix *m, const batches *B, pith_result *r,
                             pith_i_rankings *lists)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    int64_t *rows = NULL, at = 0;
    bool counts = false;
    settled s = {0};
    char scope[48]; /* in use until the scope is reset below */
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, rows, m->data.n));
    TRY(find_counts(ctx, m, &counts));
    for (int32_t b = 0; b < B->all; b++) {
        const char *name = pith_i_name(&m->batches, b);
        pith_result *of_batch = NULL;
        if (B->size[b] < LEAST_SAMPLES)
            continue;
        (void)snprintf(scope, sizeof scope, "batch %lld of %d", (long long)at + 1, (int)B->used);
        pith_i_progress_scope(ctx, scope, (double)at / B->used, (double)(at + 1) / B->used);
        st = rank_rows(ctx, m, find_rows(m, B, b, rows), rows, &counts, r->params, &of_batch);
        if (st != PITH_OK)
            TRY(tell_batch(ctx, st, name));
        keep_ranking(of_batch, r->params, at, lists);
        keep_reasons(of_batch, name, at == 0, &s, r);
        compare_settings(&of_batch->params, &s);
        pith_result_free(of_batch);
        at++;
    }
    take_settings(&s, r->params);
    tell_doubt(&s, B->used, r);
done:
    pith_params_free(s.first);
    pith_i_progress_scope(ctx, NULL, 0, 1);
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* How many features count as the best of a batch, for count k of the params. */
static int64_t best_of(const pith_params *params, int64_t k, int64_t p)
{
    const int64_t n = params->n_counts > 0 ? params->counts[k] : USUAL_BEST;
    return n < p ? n : p;
}

/* The merged rankings of all counts; score and numbers of batches are those of the largest. */
static pith_status merge(pith_ctx *ctx, const pith_i_rankings *lists, pith_result *r)
{
    const int64_t p = r->p, counts = r->params->n_counts > 0 ? r->params->n_counts : 1;
    int64_t largest = 0;
    pith_status st = PITH_OK;
    TRY(NEW(ctx, r->ranking, p));
    TRY(NEW(ctx, r->score, p));
    TRY(NEW(ctx, r->batches, p));
    if (counts > 1)
        TRY(NEW(ctx, r->ranking_for, counts * p));
    for (int64_t k = 0; k < counts; k++) {
        largest = best_of(r->params, k, p) > best_of(r->params, largest, p) ? k : largest;
        if (counts > 1)
            TRY(pith_i_merge_rankings(ctx, &lists[k], best_of(r->params, k, p), r->batches, r->score,
                                      r->ranking_for + k * p));
    }
    TRY(pith_i_merge_rankings(ctx, &lists[largest], best_of(r->params, largest, p), r->batches, r->score,
                              r->ranking));
    pith_i_fact(&r->facts, "best_of_a_batch", (double)best_of(r->params, largest, p));
done:
    return st;
}

static pith_status rank_batches(pith_ctx *ctx, const pith_matrix *m, pith_result *r)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t p = m->data.p, counts = r->params->n_counts > 0 ? r->params->n_counts : 1;
    pith_i_rankings *lists = NULL;
    batches B = {0};
    pith_status st = PITH_OK;
    TRY(count_batches(ctx, m, &B));
    r->p = p;
    r->n_batches = B.used;
    r->facts.keep = -1; /* every batch has its own number of features to keep */
    TRY(NEW_ZERO(ctx, r->reason, p));
    TRY(SCRATCH(ctx, lists, counts));
    for (int64_t k = 0; k < counts; k++) {
        lists[k] = (pith_i_rankings){.p = p, .batches = B.used};
        TRY(SCRATCH(ctx, lists[k].ranking, B.used * p));
        TRY(SCRATCH(ctx, lists[k].scored, B.used * p));
    }
    TRY(rank_each(ctx, m, &B, r, lists));
    pith_i_fact(&r->facts, "batches", B.used);
    pith_i_fact(&r->facts, "batches_left_out", B.all - B.used);
    TRY(merge(ctx, lists, r));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* The user's graph can neither be cut into batches nor be balanced over them; the user's rows can be
 * balanced, but are not cut. */
static pith_status check_batches(pith_ctx *ctx, const pith_matrix *m, const pith_params *params)
{
    const pith_i_shared *o = pith_i_params_shared(params);
    if (params->batch_graph && m->batch == NULL)
        return pith_i_error(ctx, PITH_E_PARAMETER, "a batch graph needs the batches of the samples");
    if (m->batch != NULL && (o->evidence == EVIDENCE_GROUPS || o->evidence == EVIDENCE_LINEAR))
        return pith_i_error(ctx, PITH_E_PARAMETER,
                            "evidence assumes independent samples, and those of a batch are not: use either "
                            "evidence or batches");
    if (m->batch != NULL && (o->own_graph != NULL || (o->graph_rows != NULL && !params->batch_graph)))
        return pith_i_error(ctx, PITH_E_PARAMETER,
                            "your own graph covers all samples and cannot be split into batches: use either "
                            "the graph or the batches");
    return PITH_OK;
}

pith_status pith_i_result_fill(pith_ctx *ctx, const pith_matrix *m, pith_result *r)
{
    pith_matrix *labelled = NULL;
    pith_status st = PITH_OK;
    TRY(check_batches(ctx, m, r->params));
    if (pith_method_needs_labels(pith_params_method(r->params)))
        TRY(pith_i_spread_labelled(ctx, m, &labelled));
    const pith_matrix *used = labelled != NULL ? labelled : m;
    if (used->batch == NULL)
        TRY(rank_subject(ctx, &(subject){.rows = used, .whole = m}, r));
    else
        TRY(r->params->batch_graph ? rank_balanced(ctx, used, r) : rank_batches(ctx, used, r));
done:
    pith_matrix_free(labelled);
    return st;
}
