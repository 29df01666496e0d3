/* The run of a comparison: every entry on every arm, measured at every count. */
#include "evaluate/compare.h"

#include "core/random.h"
#include "evaluate/judge.h"
#include "select/rank.h"

#include <string.h>

enum { RANDOM_DRAWS = 20 };

/* The data of one experiment: all of it, or some of its classes, with what methods share on it. */
typedef struct arm {
    const pith_matrix *m;
    pith_matrix *owned; /* NULL: m is the user's */
    pith_i_parts parts;
} arm;

typedef struct work {
    pith_comparison *c;
    arm *arms;
    int64_t n_arms;
    pith_i_tally *tally; /* counts x MEASURES */
} work;

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
    e->done = false;
}

/* ---- Arms --------------------------------------------------------------------------------------------- */

/* The rows of `classes` of them, drawn; row numbers into kept. */
static int64_t draw_rows(const pith_comparison *c, int64_t draw, int32_t *order, int64_t *kept)
{
    const int32_t classes = (int32_t)c->m->classes.count;
    pith_i_stream s = pith_i_stream_at(c->seed, PITH_I_RANDOM_SUBSETS, (uint64_t)draw);
    int64_t count = 0;
    for (int32_t k = 0; k < classes; k++)
        order[k] = k;
    for (int32_t k = 0; k < c->protocol.subset_classes; k++) { /* the first ones of a shuffle */
        const int32_t other = k + (int32_t)pith_i_random_below(&s, classes - k), swap = order[k];
        order[k] = order[other];
        order[other] = swap;
    }
    for (int64_t i = 0; i < c->m->data.n; i++)
        for (int32_t k = 0; k < c->protocol.subset_classes; k++)
            if (c->m->label[i] == order[k])
                kept[count++] = i;
    return count;
}

static pith_status make_subset(pith_ctx *ctx, const pith_comparison *c, int64_t draw, arm *a)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    int32_t *order = NULL;
    int64_t *kept = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, order, c->m->classes.count));
    TRY(SCRATCH(ctx, kept, c->m->data.n));
    const int64_t count = draw_rows(c, draw, order, kept);
    TRY(pith_i_matrix_take_rows(ctx, c->m, count, kept, &a->owned));
    a->m = a->owned;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static void free_arms(work *w)
{
    for (int64_t i = 0; i < w->n_arms; i++) {
        pith_i_parts_free(&w->arms[i].parts);
        pith_matrix_free(w->arms[i].owned);
    }
    w->n_arms = 0;
}

static pith_status make_arms(pith_ctx *ctx, work *w)
{
    const pith_comparison *c = w->c;
    const int64_t draws = c->protocol.subset_draws;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, w->arms, draws > 0 ? draws : 1));
    for (int64_t i = 0; i < (draws > 0 ? draws : 1); i++) {
        arm *a = &w->arms[w->n_arms++];
        a->m = c->m;
        if (draws > 0)
            TRY(make_subset(ctx, c, i, a));
        TRY(pith_i_parts_new(ctx, &a->m->data, &a->parts));
    }
done:
    return st;
}

/* ---- Entries ------------------------------------------------------------------------------------------ */

/* Places tell selections apart: arm, then count, then draw. */
static uint64_t place_of(const work *w, int64_t arm_number, int64_t count_number, int64_t draw)
{
    return (uint64_t)((arm_number * (w->c->n_counts + 1) + count_number) * (RANDOM_DRAWS + 1) + draw);
}

static pith_status judge_all(pith_ctx *ctx, work *w)
{
    pith_status st = PITH_OK;
    for (int64_t a = 0; a < w->n_arms; a++) {
        TRY(pith_i_progress_stage(ctx, "clustering on all features", (double)a / (double)w->n_arms,
                                  (double)(a + 1) / (double)w->n_arms));
        TRY(pith_i_judge(ctx, w->arms[a].m, &w->c->protocol, w->c->m->data.p, NULL, w->c->protocol.restarts,
                         place_of(w, a, w->c->n_counts, 0), w->tally));
    }
done:
    return st;
}

/* count columns of p, drawn without repeats. */
static void draw_columns(uint64_t seed, uint64_t place, int64_t p, int64_t count, int64_t *columns)
{
    pith_i_stream s = pith_i_stream_at(seed, PITH_I_RANDOM_COLUMNS, place);
    for (int64_t j = 0; j < p; j++)
        columns[j] = j;
    for (int64_t j = 0; j < count; j++) {
        const int64_t other = j + pith_i_random_below(&s, p - j), swap = columns[j];
        columns[j] = columns[other];
        columns[other] = swap;
    }
}

static pith_status judge_random(pith_ctx *ctx, work *w)
{
    const pith_comparison *c = w->c;
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t restarts = c->protocol.restarts >= 4 ? c->protocol.restarts / 4 : 1;
    const double steps = (double)(w->n_arms * c->n_counts * RANDOM_DRAWS);
    double step = 0;
    int64_t *columns = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, columns, c->m->data.p));
    for (int64_t a = 0; a < w->n_arms; a++)
        for (int64_t k = 0; k < c->n_counts; k++)
            for (int64_t d = 0; d < RANDOM_DRAWS; d++, step++) {
                TRY(pith_i_progress_stage(ctx, "clustering", step / steps, (step + 1) / steps));
                const uint64_t place = place_of(w, a, k, d + 1);
                draw_columns(c->seed, place, c->m->data.p, c->counts[k], columns);
                TRY(pith_i_judge(ctx, w->arms[a].m, &c->protocol, c->counts[k], columns, restarts, place,
                                 w->tally + k * MEASURES));
            }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* One run on one arm: seconds and memory as if it were alone, the best features into e. */
static pith_status rank_on_arm(pith_ctx *ctx, const pith_comparison *c, arm *a, pith_i_entry *e)
{
    const double start = pith_i_seconds();
    const int64_t held = pith_i_bytes_in_use(ctx), peak = pith_i_peak_begin(ctx), p = a->m->data.p;
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_outcome outcome = {0};
    int64_t *ranking = NULL;
    pith_status st = PITH_OK;
    TRY(pith_i_run(ctx, &a->parts, a->m->label, (int32_t)a->m->classes.count, e->params, &outcome));
    if (e->params->method->better == LOWER)
        pith_i_turn(p, outcome.score);
    TRY(SCRATCH(ctx, ranking, p));
    TRY(pith_i_rank(ctx, p, outcome.score, outcome.order, ranking));
    for (int64_t r = 0; r < c->n_kept; r++) {
        e->ranking[r] = ranking[r];
        e->score[r] = outcome.score[ranking[r]];
    }
    const int64_t used = pith_ctx_peak_bytes(ctx) - held;
    e->seconds += pith_i_seconds() - start + outcome.reuse.seconds;
    e->peak_bytes = used > e->peak_bytes ? used : e->peak_bytes;
    e->peak_bytes = outcome.reuse.peak > e->peak_bytes ? outcome.reuse.peak : e->peak_bytes;
done:
    pith_i_peak_end(ctx, peak);
    pith_i_outcome_free(&outcome);
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Runs on the last arm first, so that what the entry keeps is the ranking of the first. */
static pith_status judge_method(pith_ctx *ctx, work *w, pith_i_entry *e)
{
    const pith_comparison *c = w->c;
    const double steps = (double)(w->n_arms * c->n_counts);
    double step = 0;
    pith_status st = PITH_OK;
    TRY(NEW(ctx, e->ranking, c->n_kept));
    TRY(NEW(ctx, e->score, c->n_kept));
    for (int64_t a = w->n_arms; a-- > 0;) {
        TRY(rank_on_arm(ctx, c, &w->arms[a], e));
        for (int64_t k = 0; k < c->n_counts; k++, step++) {
            TRY(pith_i_progress_stage(ctx, "clustering", step / steps, (step + 1) / steps));
            TRY(pith_i_judge(ctx, w->arms[a].m, &c->protocol, c->counts[k], e->ranking, c->protocol.restarts,
                             place_of(w, a, k, 0), w->tally + k * MEASURES));
        }
    }
    e->seconds /= (double)w->n_arms;
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
        e->rows[k].runs = t[w->c->m->label != NULL ? MEASURE_ACC : MEASURE_SILHOUETTE].count;
    }
    e->done = true;
done:
    return st;
}

/* A method that fails on this data is an entry with its reason; only a wish to stop ends the comparison. */
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
    if (st == PITH_E_STOPPED)
        return st;
    e->error = pith_i_strdup(ctx, pith_ctx_message(ctx));
    e->done = e->error != NULL;
    return e->done ? PITH_OK : PITH_E_NOMEM;
}

pith_status pith_i_compare(pith_ctx *ctx, pith_comparison *c)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    work w = {.c = c};
    pith_status st = PITH_OK;
    TRY(make_arms(ctx, &w));
    TRY(SCRATCH(ctx, w.tally, c->n_counts * MEASURES));
    for (int64_t i = 0; i < c->n_entries; i++) {
        if (c->entries[i].done) /* by the run that this one resumes */
            continue;
        pith_i_progress_scope(ctx, c->entries[i].method, (double)i / (double)c->n_entries,
                              (double)(i + 1) / (double)c->n_entries);
        TRY(run_entry(ctx, &w, &c->entries[i]));
    }
    c->complete = true;
done:
    pith_i_progress_scope(ctx, NULL, 0, 1);
    free_arms(&w);
    pith_i_scratch_release(ctx, mark);
    return st;
}
