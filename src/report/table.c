/* A comparison as rows of text and as a table for people. */
#include "report/report.h"

#include "core/text.h"
#include "report/text.h"

#include <string.h>

/* One row per measurement: method,parameters,features,measure,mean,sd,runs,seconds. */
void pith_i_put_rows(FILE *out, const pith_comparison *c, char separator)
{
    static const char *const columns[] = {"method", "parameters", "features", "measure",
                                          "mean",   "sd",         "runs",     "seconds"};
    for (size_t i = 0; i < COUNT(columns); i++)
        (void)fprintf(out, "%s%c", columns[i], i + 1 < COUNT(columns) ? separator : '\n');
    for (int64_t i = 0; i < c->n_entries; i++) {
        const pith_i_entry *e = &c->entries[i];
        for (int64_t k = 0; k < e->n_rows; k++)
            for (int measure = 0; measure < MEASURES; measure++) {
                const pith_i_figure *f = &e->rows[k].figure[measure];
                char mean[PITH_I_NUMBER_TEXT], sd[PITH_I_NUMBER_TEXT], seconds[PITH_I_NUMBER_TEXT];
                if (isnan(f->mean))
                    continue;
                pith_i_put_field(out, e->method, separator);
                (void)fputc(separator, out);
                pith_i_put_field(out, e->setting, separator);
                (void)fprintf(out, "%c%lld%c%s%c%s%c%s%c%lld%c%s\n", separator,
                              (long long)e->rows[k].features, separator, pith_i_measure_names[measure],
                              separator, pith_i_format_double(f->mean, mean), separator,
                              pith_i_format_double(f->sd, sd), separator, (long long)f->runs, separator,
                              pith_i_format_double(e->seconds, seconds));
            }
    }
}

static void put_cell(FILE *out, const pith_i_best *b)
{
    const char mark = b->wins ? '*' : b->ties ? '=' : ' ';
    if (b->entry < 0)
        (void)fprintf(out, "  %15s", "-");
    else if (b->figure.runs > 1)
        (void)fprintf(out, "  %6.3f ± %.3f%c", b->figure.mean, b->figure.sd, mark);
    else
        (void)fprintf(out, "  %6.3f        %c", b->figure.mean, mark);
}

static void put_standing(FILE *out, const pith_comparison *c, const pith_i_standing *s,
                         const pith_i_measure *shown, size_t n_shown)
{
    const pith_i_best *b = &s->by[c->protocol.sort];
    char text[32];
    (void)fprintf(out, "%-15s %8lld", s->method, b->entry >= 0 ? (long long)b->features : 0LL);
    for (size_t i = 0; i < n_shown; i++)
        put_cell(out, &s->by[shown[i]]);
    if (b->entry >= 0 && s->seconds > 0)
        (void)fprintf(out, "  %8.3f  %9s", s->seconds, pith_i_bytes_text(s->peak_bytes, text));
    if (b->entry >= 0 && c->entries[b->entry].setting[0] != '\0')
        (void)fprintf(out, "  %s", c->entries[b->entry].setting);
    (void)fputc('\n', out);
}

static void put_failures(FILE *out, const pith_comparison *c)
{
    for (int64_t i = 0; i < c->n_entries; i++)
        if (c->entries[i].error != NULL)
            (void)fprintf(out, "%s%s%s failed: %s\n", c->entries[i].method,
                          c->entries[i].setting[0] != '\0' ? " " : "", c->entries[i].setting,
                          c->entries[i].error);
        else if (!c->entries[i].done)
            (void)fprintf(out, "%s %s was not reached\n", c->entries[i].method, c->entries[i].setting);
}

/* The columns of the table: two measures against the labels, as in the papers, and those that need none. */
static size_t shown_measures(const pith_comparison *c, pith_i_measure *shown)
{
    const pith_i_measure sort = c->protocol.sort;
    size_t count = 0;
    if (c->m->label != NULL) {
        shown[count++] = MEASURE_ACC;
        shown[count++] = sort == MEASURE_ACC ? MEASURE_NMI : sort;
    }
    shown[count++] = MEASURE_AGREEMENT;
    if (c->m->label == NULL)
        shown[count++] = MEASURE_SILHOUETTE;
    shown[count++] = MEASURE_REDUNDANCY;
    if (c->protocol.subsamples > 0)
        shown[count++] = MEASURE_STABILITY;
    return count;
}

/* Whether the features share any structure, and what chance gives in comparison. */
static void put_evidence(FILE *out, const pith_comparison *c)
{
    const pith_evidence *e = &c->structure.evidence.shown, *control = &c->structure.control.shown;
    char text[PITH_EVIDENCE_TEXT], called[PITH_I_NUMBER_TEXT], all[PITH_I_NUMBER_TEXT];
    if (e->features > 0)
        (void)fprintf(out, "%s\n", pith_evidence_text(e, text, sizeof text));
    if (control->features > 0)
        (void)fprintf(out, "what chance looks like here (%s): %s of %s features (smallest q %.2g)\n",
                      pith_i_control_kind(c), pith_i_count_text(control->called, called),
                      pith_i_count_text(control->features, all), control->smallest_q);
}

/* Every method at its best number of features and setting. */
pith_status pith_i_put_table(pith_ctx *ctx, FILE *out, const pith_comparison *c)
{
    pith_i_measure shown[MEASURES];
    const size_t n_shown = shown_measures(c, shown);
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_standing *s = NULL;
    int64_t count = 0;
    pith_status st = PITH_OK;
    TRY(pith_i_standings(ctx, c, 0, &count, &s));
    (void)fprintf(out, "%-15s %8s", "method", "features");
    for (size_t i = 0; i < n_shown; i++)
        (void)fprintf(out, "  %15s", pith_i_measure_names[shown[i]]);
    (void)fprintf(out, "  %8s  %9s\n", "seconds", "memory");
    for (int64_t i = 0; i < count; i++)
        put_standing(out, c, &s[i], shown, n_shown);
    (void)fprintf(out,
                  "\n* best   = not distinguishable from the best in these runs; each method at its best of "
                  "%lld feature count%s%s\n",
                  (long long)c->n_counts, c->n_counts == 1 ? "" : "s",
                  c->m->label != NULL ? ", chosen using the labels" : "");
    if (c->protocol.tfidf)
        (void)fprintf(out, "each selection was clustered on tf-idf rows of unit norm\n");
    for (int64_t i = 0; i < count; i++)
        if (s[i].supervised)
            (void)fprintf(out, "%s saw the labels: it is a reference and cannot be best\n", s[i].method);
    put_evidence(out, c);
    put_failures(out, c);
    if (c->no_agreement != NULL)
        (void)fprintf(out, "agreement could not be measured: %s\n", c->no_agreement);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
