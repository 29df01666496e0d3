/* Comparing methods. */
#include "pithr.h"

#include <math.h>

SEXP evidence_of(const pith_evidence *e)
{
    char text[PITH_EVIDENCE_TEXT];
    if (e == NULL)
        return R_NilValue;
    list l = list_new(9);
    list_put(&l, "sentence", text_of(pith_evidence_text(e, text, sizeof text)));
    list_put(&l, "called", Rf_ScalarInteger((int)e->called));
    list_put(&l, "tested", Rf_ScalarInteger((int)e->tested));
    list_put(&l, "features", Rf_ScalarInteger((int)e->features));
    list_put(&l, "smallest_q", Rf_ScalarReal(e->smallest_q));
    list_put(&l, "halves", Rf_ScalarReal(e->halves));
    list_put(&l, "lift", doubles_of(e->lift, e->features));
    list_put(&l, "p", doubles_of(e->p, e->features));
    list_put(&l, "q", doubles_of(e->q, e->features));
    return list_done(&l);
}

/* How many figures an entry has. */
static int figures_in(const pith_comparison *c, int64_t entry)
{
    const char *measure = NULL;
    double mean = 0, sd = 0;
    int count = 0;
    for (int64_t row = 0; pith_comparison_features(c, entry, row) > 0; row++)
        for (size_t i = 0; (measure = pith_comparison_measure(i)) != NULL; i++)
            count += pith_comparison_figure(c, entry, row, measure, &mean, &sd);
    return count;
}

/* The figures of an entry as columns, one row per figure. */
static SEXP figures_of(const pith_comparison *c, int64_t entry)
{
    const int count = figures_in(c, entry);
    const char *measure = NULL;
    double mean = 0, sd = 0;
    int at = 0;
    list l = list_new(5);
    SEXP features = Rf_allocVector(INTSXP, count);
    list_put(&l, "features", features);
    SEXP measures = Rf_allocVector(STRSXP, count);
    list_put(&l, "measure", measures);
    SEXP means = Rf_allocVector(REALSXP, count);
    list_put(&l, "mean", means);
    SEXP sds = Rf_allocVector(REALSXP, count);
    list_put(&l, "sd", sds);
    SEXP runs = Rf_allocVector(INTSXP, count);
    list_put(&l, "runs", runs);
    for (int64_t row = 0; pith_comparison_features(c, entry, row) > 0; row++) {
        for (size_t i = 0; (measure = pith_comparison_measure(i)) != NULL && at < count; i++) {
            if (!pith_comparison_figure(c, entry, row, measure, &mean, &sd))
                continue;
            INTEGER(features)[at] = (int)pith_comparison_features(c, entry, row);
            SET_STRING_ELT(measures, at, Rf_mkChar(measure));
            REAL(means)[at] = mean;
            REAL(sds)[at] = sd;
            INTEGER(runs)[at++] = (int)pith_comparison_runs(c, entry, row, measure);
        }
    }
    return list_done(&l);
}

static SEXP entry_of(const pith_comparison *c, int64_t entry)
{
    int64_t count = 0;
    const int64_t *ranking = pith_comparison_ranking(c, entry, &count);
    list l = list_new(7);
    list_put(&l, "method", text_of(pith_comparison_method(c, entry)));
    list_put(&l, "parameters", text_of(pith_comparison_setting(c, entry)));
    list_put(&l, "error", text_of(pith_comparison_error(c, entry)));
    list_put(&l, "seconds", Rf_ScalarReal(pith_comparison_seconds(c, entry)));
    list_put(&l, "peak_bytes", Rf_ScalarReal((double)pith_comparison_peak_bytes(c, entry)));
    list_put(&l, "ranking", ranking == NULL ? R_NilValue : places_of(ranking, count));
    list_put(&l, "rows", figures_of(c, entry));
    return list_done(&l);
}

static SEXP comparison_of(const pith_comparison *c)
{
    const int count = (int)pith_comparison_entries(c);
    SEXP entries = PROTECT(Rf_allocVector(VECSXP, count));
    for (int i = 0; i < count; i++)
        SET_VECTOR_ELT(entries, i, entry_of(c, i));
    list l = list_new(4);
    list_put(&l, "entries", entries);
    list_put(&l, "evidence", evidence_of(pith_comparison_evidence(c)));
    list_put(&l, "control", evidence_of(pith_comparison_control(c)));
    list_put(&l, "keep", Rf_ScalarInteger((int)pith_comparison_keep(c)));
    SEXP made = list_done(&l);
    UNPROTECT(1);
    return made;
}

static SEXP compare(call *c)
{
    const char *report = item_text(c, "report");
    const pith_comparison_about about = {.data = item_text(c, "data"), .command = item_text(c, "command")};
    if (!call_open(c) || !table_open(c))
        return R_NilValue;
    const pith_compare_options options = {.methods = item_text(c, "methods"),
                                          .features = item_text(c, "features"),
                                          .grids = texts_of(item(c->given, "grids")),
                                          .settings = texts_of(item(c->given, "settings")),
                                          .protocol = item_text(c, "protocol"),
                                          .clusterer = item_text(c, "clusterer"),
                                          .metric = item_text(c, "metric"),
                                          .cluster_on = item_text(c, "cluster_on"),
                                          .start = item_text(c, "start"),
                                          .restarts = item_int(c, "restarts"),
                                          .clusters = item_int(c, "clusters"),
                                          .stability = item_int(c, "stability"),
                                          .control = item_int(c, "control") != 0};
    if (report != NULL && !call_good(c, pith_output_check(c->ctx, report, NULL)))
        return R_NilValue;
    if (!call_good(c, pith_compare(c->ctx, c->m, &options, &c->comparison)))
        return R_NilValue;
    if (report != NULL &&
        !call_good(c, pith_comparison_write(c->ctx, c->comparison, &about, PITH_HTML, report)))
        return R_NilValue;
    return comparison_of(c->comparison);
}

SEXP pithr_compare(SEXP given)
{
    return call_run(given, compare);
}
