/* The run of a comparison: every entry on every table, measured at every count. */
#include "evaluate/run_entries.h"

#include "core/random.h"
#include "evaluate/judge.h"
#include "evaluate/picture.h"
#include "evaluate/plan.h"
#include "evaluate/stability.h"
#include "evaluate/structure.h"
#include "evaluate/tables.h"
#include "select/order.h"
#include "select/spread.h"

#include <string.h>

enum { RANDOM_DRAWS = 20 };

typedef struct work {
    pith_comparison *c;
    pith_i_spread_ranking *spread; /* NULL: methods rank on the judged tables */
    pith_i_tables judged, subsamples;
    pith_i_tally *tally;      /* counts x MEASURES */
    pith_i_figure *stability; /* one per count */
    int64_t *kept;   /* subsamples x n_counts x n_kept: the entry's best features on each, for each count */
    int64_t *chosen; /* n_counts x n_kept: the same on the table that is judged */
    double lo, hi;   /* the part of all progress that is the entry's */
} work;

/* The progress that follows goes from `from` to `to` of the entry. */
static void span(pith_ctx *ctx, const work *w, const pith_i_entry *e, double from, double to)
{
    pith_i_progress_scope(ctx, e->method, w->lo + (w->hi - w->lo) * from, w->lo + (w->hi - w->lo) * to);
}

void pith_i_entry_clear(pith_i_entry *e)
{
    pith_i_free(e->ranking);
    pith_i_free(e->score);
    pith_i_free(e->rows);
    pith_i_free(e->error);
    e->ranking = NULL;
    e->score = NULL;
    e->rows = NULL;
    e->error = NULL;
    e->n_rows = 0;
    e->seconds = 0;
    e->peak_bytes = 0;
    e->recall = 0;
    e->done = false;
}

/* ---- Entries ------------------------------------------------------------------------------------------- */

/* A number of its own for every selection: table, then count, then draw. */
static uint64_t place_of(const work *w, int64_t table, int64_t count_number, int64_t draw)
{
    return (uint64_t)((table * (w->c->n_counts + 1) + count_number) * (RANDOM_DRAWS + 1) + draw);
}

static pith_status judge_all(pith_ctx *ctx, work *w)
{
    pith_status st = PITH_OK;
    for (int64_t a = 0; a < w->judged.count; a++) {
        TRY(pith_i_progress_stage(ctx, "clustering on all features", (double)a / (double)w->judged.count,
                                  (double)(a + 1) / (double)w->judged.count));
        TRY(pith_i_judge(ctx, &w->judged.at[a], &w->c->protocol, w->c->m->data.p, NULL,
                         w->c->protocol.restarts, place_of(w, a, w->c->n_counts, 0), w->tally));
    }
done:
    return st;
}

static pith_status judge_random(pith_ctx *ctx, work *w)
{
    const pith_comparison *c = w->c;
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t restarts = c->protocol.restarts >= 4 ? c->protocol.restarts / 4 : 1;
    const double steps = (double)(w->judged.count * c->n_counts * RANDOM_DRAWS);
    double step = 0;
    int64_t *columns = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, columns, c->m->data.p));
    for (int64_t a = 0; a < w->judged.count; a++)
        for (int64_t k = 0; k < c->n_counts; k++)
            for (int64_t d = 0; d < RANDOM_DRAWS; d++, step++) {
                TRY(pith_i_progress_stage(ctx, "clustering", step / steps, (step + 1) / steps));
                const uint64_t place = place_of(w, a, k, d + 1);
                pith_i_stream s = pith_i_stream_at(c->seed, PITH_I_RANDOM_COLUMNS, place);
                pith_i_random_subset(&s, c->m->data.p, c->counts[k], columns);
                TRY(pith_i_judge(ctx, &w->judged.at[a], &c->protocol, c->counts[k], columns, restarts, place,
                                 w->tally + k * MEASURES));
            }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* What a run on one table took, as if it were alone. */
typedef struct cost {
    double seconds;
    int64_t peak;
    double recall; /* 0: no search was approximate */
} cost;

static double recall_of(const pith_i_facts *facts)
{
    for (size_t i = 0; i < facts->count; i++)
        if (strcmp(facts->name[i], "recall") == 0)
            return facts->value[i];
    return 0;
}

/* What is kept of a ranking. */
typedef struct ranked {
    int64_t *feature; /* the first n_kept, */
    double *score;    /* and their scores */
    int64_t *whole;   /* all p features, if it is not NULL; */
    int64_t scored;   /* how many features have a score */
    pith_i_after after;
} ranked;

/* The rows of a table that have labels. */
static pith_status take_labelled(pith_ctx *ctx, const pith_i_table *a, pith_i_table *out)
{
    pith_status st = PITH_OK;
    TRY(pith_i_take_labelled(ctx, a->m, &out->owned));
    out->m = out->owned != NULL ? out->owned : a->m;
    TRY(pith_i_cache_new(ctx, &out->m->data, &out->cache));
    out->cache.features = a->cache.features;
    out->cache.by_columns = a->cache.by_columns;
done:
    return st;
}

static void keep_ranking(const pith_comparison *c, const pith_i_outcome *outcome, const int64_t *ranking,
                         ranked *out)
{
    const int64_t p = c->m->data.p;
    for (int64_t r = 0; r < c->n_kept; r++) {
        out->feature[r] = ranking[r];
        out->score[r] = outcome->score[ranking[r]];
    }
    if (out->whole == NULL)
        return;
    memcpy(out->whole, ranking, (size_t)p * sizeof *ranking);
    out->after = outcome->after;
    for (out->scored = 0; out->scored < p && !isnan(outcome->score[ranking[out->scored]]);)
        out->scored++;
}

/* Ranks on a table. chosen gets the n_kept best features for every count; `all`, if it is not NULL, what is
 * kept of the ranking itself. */
static pith_status rank_on(pith_ctx *ctx, const pith_comparison *c, pith_i_table *a, pith_params *params,
                           int64_t *chosen, ranked *all, cost *out)
{
    pith_i_cache_trim(&a->cache); /* first: what it frees must not be subtracted from what the run takes */
    const double start = pith_i_seconds();
    const int64_t held = pith_i_bytes_in_use(ctx), peak = pith_i_peak_begin(ctx), p = a->m->data.p;
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_outcome outcome = {0};
    pith_i_table labelled = {0};
    int64_t *ranking = NULL;
    pith_status st = PITH_OK;
    if (pith_method_needs_labels(pith_params_method(params)) && pith_i_labelled(a->m) < a->m->data.n) {
        TRY(take_labelled(ctx, a, &labelled));
        a = &labelled;
    }
    const int32_t *label = a->m->label;
    int32_t classes = (int32_t)a->m->classes.count;
    if (pith_method_needs_labels(pith_params_method(params)))
        TRY(pith_i_spread_classes(ctx, a->m, &label, &classes));
    TRY(pith_i_run(ctx, &a->cache, label, classes, params, &outcome));
    TRY(SCRATCH(ctx, ranking, p));
    TRY(pith_i_order(ctx, &a->cache, params, &outcome, ranking));
    if (all != NULL)
        keep_ranking(c, &outcome, ranking, all);
    for (int64_t k = 0; k < c->n_counts; k++) {
        if (outcome.score_at != NULL)
            TRY(pith_i_order_for(ctx, &a->cache, params, &outcome, k, ranking));
        memcpy(chosen + k * c->n_kept, ranking, (size_t)c->n_kept * sizeof *chosen);
    }
    const int64_t used = pith_ctx_peak_bytes(ctx) - held;
    out->recall = recall_of(&outcome.facts);
    out->seconds = pith_i_seconds() - start + outcome.reuse.seconds;
    out->peak = used > outcome.reuse.peak ? used : outcome.reuse.peak;
done:
    pith_i_peak_end(ctx, peak);
    pith_i_outcome_free(&outcome);
    pith_i_cache_free(&labelled.cache);
    pith_matrix_free(labelled.owned);
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* The ranking of an entry: on the table that is judged, or over all processes, each on its part of it. */
static pith_status rank_entry(pith_ctx *ctx, const work *w, pith_i_entry *e, pith_i_table *table, ranked *all,
                              cost *out)
{
    const pith_comparison *c = w->c;
    pith_status st = PITH_OK;
    if (w->spread == NULL)
        return rank_on(ctx, c, table, e->params, w->chosen, all, out);
    TRY(pith_i_spread_ranking_begin(ctx, w->spread, c, e));
    st = pith_i_spread_ranking_end(ctx, w->spread,
                                   rank_on(ctx, c, &w->spread->table, e->params, w->chosen, all, out));
done:
    return st;
}

pith_status pith_i_help_entries(pith_ctx *ctx, const pith_compare_options *o, pith_i_spread_ranking *spread)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    bool more = true;
    pith_status st = PITH_OK;
    while (more) {
        pith_i_wish wish = {0};
        pith_params *params = NULL;
        int64_t *chosen = NULL;
        cost unused = {0};
        TRY(pith_i_spread_ranking_hear(ctx, &wish));
        more = wish.more;
        if (!more)
            break;
        const pith_comparison c = {.m = spread->table.m, .n_counts = wish.n_counts, .n_kept = 1};
        st = pith_i_plan_params(ctx, wish.method, wish.setting, wish.clusters, o, &params);
        if (st == PITH_OK)
            st = pith_params_set_counts(ctx, params, wish.n_counts, wish.counts);
        if (st == PITH_OK)
            st = SCRATCH(ctx, chosen, wish.n_counts);
        if (st == PITH_OK)
            st = rank_on(ctx, &c, &spread->table, params, chosen, NULL, &unused);
        pith_params_free(params);
        pith_i_scratch_release(ctx, mark);
        if (st != PITH_OK && !pith_i_fails_everywhere(st))
            break;
        st = PITH_OK;
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* How alike the selections from the subsamples are, at every count. */
static pith_status measure_stability(pith_ctx *ctx, work *w, pith_i_entry *e)
{
    const pith_comparison *c = w->c;
    const int64_t draws = w->subsamples.count;
    const double runs = (double)draws;
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t **set = NULL;
    int64_t *size = NULL;
    pith_params *params = NULL; /* a copy: settings that a smaller table changes must not be recorded */
    cost unused;
    pith_status st = PITH_OK;
    TRY(pith_i_params_copy(ctx, e->params, &params));
    TRY(SCRATCH(ctx, set, draws));
    TRY(SCRATCH(ctx, size, draws));
    for (int64_t s = 0; s < draws; s++) {
        span(ctx, w, e, 0.5 + 0.5 * (double)s / runs, 0.5 + 0.5 * (double)(s + 1) / runs);
        TRY(pith_i_progress_stage(ctx, "ranking subsamples", 0, 1));
        TRY(rank_on(ctx, c, &w->subsamples.at[s], params, w->kept + s * c->n_counts * c->n_kept, NULL,
                    &unused));
    }
    for (int64_t k = 0; k < c->n_counts; k++) {
        pith_i_stability found;
        for (int64_t s = 0; s < draws; s++) {
            set[s] = w->kept + (s * c->n_counts + k) * c->n_kept;
            size[s] = c->counts[k];
        }
        TRY(pith_i_stability_measure(ctx, c->m->data.p, draws, set, size, &found));
        w->stability[k] = (pith_i_figure){found.index, found.error * sqrt(runs), draws};
    }
done:
    pith_params_free(params);
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* How many features to keep, by a ranking of the first table: the same as by `pith rank`. */
static pith_status find_keep(pith_ctx *ctx, work *w, const ranked *found)
{
    pith_i_structure *s = &w->c->structure;
    pith_status st = PITH_OK;
    if (found->after.ensemble == NULL)
        return PITH_OK;
    TRY(pith_i_curve_make(ctx, &w->judged.at[0].cache, found->after.ensemble, found->scored, found->whole,
                          &s->curve));
    s->keep = pith_i_curve_choose(&s->curve, found->after.thrifty);
    s->keep = s->keep > 0 ? s->keep : pith_i_curve_usual(&s->curve);
done:
    return st;
}

/* Runs on the last table first, so that what the entry keeps is the ranking of the first. */
static pith_status judge_method(pith_ctx *ctx, work *w, pith_i_entry *e)
{
    const pith_comparison *c = w->c;
    const bool curve = c->structure.evidence.shown.features > 0 && w->spread == NULL &&
                       e - c->entries == pith_i_curve_entry(c);
    const double all_of_it = w->subsamples.count > 0 ? 0.5 : 1;
    const double steps = (double)(w->judged.count * (c->n_counts + 1)), end = w->hi;
    double step = 0;
    pith_status st = PITH_OK;
    TRY(NEW(ctx, e->ranking, c->n_kept));
    TRY(NEW(ctx, e->score, c->n_kept));
    TRY(pith_params_set_counts(ctx, e->params, c->n_counts, c->counts));
    ranked all = {.feature = e->ranking, .score = e->score};
    if (curve) {
        TRY(SCRATCH(ctx, all.whole, c->m->data.p));
        w->hi = w->lo + 0.8 * (end - w->lo);
    }
    for (int64_t a = w->judged.count; a-- > 0;) {
        cost spent;
        span(ctx, w, e, all_of_it * step / steps, all_of_it * (step + 1) / steps);
        step++;
        TRY(rank_entry(ctx, w, e, &w->judged.at[a], &all, &spent));
        e->seconds += spent.seconds / (double)w->judged.count;
        e->peak_bytes = spent.peak > e->peak_bytes ? spent.peak : e->peak_bytes;
        if (spent.recall > 0)
            e->recall = e->recall > 0 && e->recall < spent.recall ? e->recall : spent.recall;
        for (int64_t k = 0; k < c->n_counts; k++, step++) {
            span(ctx, w, e, all_of_it * step / steps, all_of_it * (step + 1) / steps);
            TRY(pith_i_progress_stage(ctx, "clustering", 0, 1));
            TRY(pith_i_judge(ctx, &w->judged.at[a], &c->protocol, c->counts[k], w->chosen + k * c->n_kept,
                             c->protocol.restarts, place_of(w, a, k, 0), w->tally + k * MEASURES));
        }
    }
    if (w->subsamples.count > 0)
        TRY(measure_stability(ctx, w, e));
    if (curve) {
        pith_i_progress_scope(ctx, e->method, w->hi, end);
        TRY(find_keep(ctx, w, &all));
    }
done:
    return st;
}

static pith_status keep_rows(pith_ctx *ctx, const work *w, pith_i_entry *e)
{
    const bool all = strcmp(e->method, "all-features") == 0;
    pith_status st = PITH_OK;
    e->n_rows = all ? 1 : w->c->n_counts;
    TRY(NEW_ZERO(ctx, e->rows, e->n_rows));
    for (int64_t k = 0; k < e->n_rows; k++) {
        const pith_i_tally *t = w->tally + k * MEASURES;
        e->rows[k].features = all ? w->c->m->data.p : w->c->counts[k];
        for (int measure = 0; measure < MEASURES; measure++)
            e->rows[k].figure[measure] = pith_i_tally_figure(&t[measure]);
        if (e->params != NULL && w->subsamples.count > 0)
            e->rows[k].figure[MEASURE_STABILITY] = w->stability[k];
    }
    e->done = true;
done:
    return st;
}

/* A method that fails on this data becomes an entry with an error; only a request to stop, or processes out
 * of step, end the comparison. */
static pith_status run_entry(pith_ctx *ctx, work *w, pith_i_entry *e)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_status st = PITH_OK;
    memset(w->tally, 0, (size_t)(w->c->n_counts * MEASURES) * sizeof *w->tally);
    if (e->params != NULL)
        st = judge_method(ctx, w, e);
    else if (strcmp(e->method, "random") == 0)
        st = judge_random(ctx, w);
    else
        st = judge_all(ctx, w);
    pith_i_scratch_release(ctx, mark);
    if (st == PITH_OK)
        return keep_rows(ctx, w, e);
    pith_i_entry_clear(e);
    if (st == PITH_E_STOPPED || (w->spread != NULL && w->spread->broken))
        return st;
    e->error = pith_i_strdup(ctx, pith_ctx_message(ctx));
    e->done = e->error != NULL;
    return e->done ? PITH_OK : PITH_E_NOMEM;
}

/*
 * The clusterings that selections are compared with, of the first tables: those of the method consensus, with
 * the judge's number of clusters. If the data cannot be clustered, it is judged without them, and the reason
 * is kept.
 */
static pith_status make_ensembles(pith_ctx *ctx, work *w, int64_t tables)
{
    pith_comparison *c = w->c;
    pith_i_reuse unused = {0};
    pith_status st = PITH_OK;
    for (int64_t a = 0; a < tables; a++) {
        pith_i_table *table = &w->judged.at[a];
        const pith_i_ensemble_options options = {.draws = PITH_I_HALVES,
                                                 .neighbors =
                                                     table->m->data.n - 1 < 5 ? table->m->data.n - 1 : 5,
                                                 .share = 0.5,
                                                 .clusters = c->protocol.clusters};
        /* Evidence groups the same graphs into other numbers of clusters: both at once. */
        st = a == 0 && pith_i_structure_why_not(c, table) == NULL
                 ? pith_i_ensemble_get_both(ctx, &table->cache, &options, &pith_i_structure_ensemble,
                                            &table->ensemble)
                 : pith_i_ensemble_get(ctx, &table->cache, &options, &unused, &table->ensemble);
        if (st != PITH_E_DATA && st != PITH_E_NUMERIC)
            TRY(st);
        if (st != PITH_OK && c->no_agreement == NULL) {
            c->no_agreement = pith_i_strdup(ctx, pith_ctx_message(ctx));
            if (c->no_agreement == NULL)
                TRY(PITH_E_NOMEM);
        }
        st = PITH_OK;
    }
done:
    return st;
}

/*
 * What comes before the entries: what selections are compared with, and whether there is anything to select.
 * A resumed run does this again: it takes less time than any entry, and the same data and seed give the same.
 */
static pith_status prepare(pith_ctx *ctx, work *w, double steps)
{
    pith_comparison *c = w->c;
    bool finished = true;
    pith_status st = PITH_OK;
    for (int64_t i = 0; i < c->n_entries; i++)
        finished = finished && c->entries[i].done; /* by the run that this one resumes */
    pith_i_progress_scope(ctx, "agreement", 0, 0.5 / steps);
    TRY(make_ensembles(ctx, w, finished ? 1 : w->judged.count));
    pith_i_progress_scope(ctx, "evidence", 0.5 / steps, 1 / steps);
    TRY(pith_i_structure_find(ctx, c, &w->judged.at[0]));
    pith_i_progress_scope(ctx, "control", 1 / steps, 2 / steps);
    if (c->wants_control && c->structure.evidence.shown.features > 0)
        TRY(pith_i_structure_control(ctx, c, &w->judged.at[0]));
done:
    return st;
}

/*
 * The map of the samples, once all is measured. A comparison goes without it if it cannot be drawn (too few
 * samples, no graph), and, with a warning, if there is no memory for it: the entries are worth more.
 */
static pith_status draw_map(pith_ctx *ctx, work *w)
{
    pith_i_table *whole = w->judged.at[0].m == w->c->m ? &w->judged.at[0] : NULL;
    pith_status st = PITH_OK;
    TRY(pith_i_progress_stage(ctx, "drawing a map of the samples", 0, 1));
    st = pith_i_map_make(ctx, w->c, whole, &w->c->map);
    if (st == PITH_E_NOMEM)
        pith_i_note(ctx, "warning: the report has no map of the samples: %s", pith_ctx_message(ctx));
    if (st == PITH_E_NOMEM || st == PITH_E_DATA || st == PITH_E_NUMERIC)
        st = PITH_OK;
done:
    return st;
}

pith_status pith_i_run_entries(pith_ctx *ctx, pith_comparison *c, pith_i_cache *cache,
                               pith_i_spread_ranking *spread)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    work w = {.c = c, .spread = spread};
    pith_status st = PITH_OK;
    TRY(pith_i_tables_judged(ctx, c, cache, &w.judged));
    TRY(SCRATCH(ctx, w.tally, c->n_counts * MEASURES));
    TRY(SCRATCH(ctx, w.chosen, c->n_counts * c->n_kept));
    if (c->protocol.subsamples > 0) {
        TRY(pith_i_tables_subsamples(ctx, c, &w.subsamples));
        TRY(SCRATCH(ctx, w.stability, c->n_counts));
        TRY(SCRATCH(ctx, w.kept, c->protocol.subsamples * c->n_counts * c->n_kept));
    }
    const int64_t before = c->wants_control ? 2 : 1;
    const double steps = (double)(c->n_entries + before) + 0.25; /* the map takes less than an entry */
    TRY(prepare(ctx, &w, steps));
    for (int64_t i = 0; i < c->n_entries; i++) {
        if (c->entries[i].done)
            continue;
        w.lo = (double)(i + before) / steps;
        w.hi = (double)(i + before + 1) / steps;
        span(ctx, &w, &c->entries[i], 0, 1);
        TRY(run_entry(ctx, &w, &c->entries[i]));
    }
    pith_i_progress_scope(ctx, "report", (steps - 0.25) / steps, 1);
    TRY(draw_map(ctx, &w));
    c->complete = true;
done:
    pith_i_progress_scope(ctx, NULL, 0, 1);
    for (int64_t a = 0; a < w.judged.count; a++)
        c->graphs += w.judged.at[a].cache.built;
    pith_i_tables_free(&w.subsamples);
    pith_i_tables_free(&w.judged);
    pith_i_scratch_release(ctx, mark);
    return st;
}
