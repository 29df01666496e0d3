/* Running one method. */
#include "pithr.h"

#include <math.h>
#include <string.h>

/* ---- Its parameters --------------------------------------------------------------------------------- */

static bool set_graph(call *c, const char *name, SEXP table)
{
    if (!table_borrow(c, table, &c->rows))
        return false;
    if (strcmp(name, "graph_rows") == 0) {
        if (!call_good(c, pith_params_set_graph_rows(c->ctx, c->params, c->rows)))
            return false;
    } else {
        const pith_arrays at = pith_matrix_arrays(c->rows);
        if (at.indptr == NULL || pith_matrix_rows(c->rows) != pith_matrix_cols(c->rows))
            Rf_error("graph: a square sparse matrix is expected");
        if (!call_good(c, pith_params_set_graph(c->ctx, c->params, pith_matrix_rows(c->rows), at.indptr,
                                                at.indices, at.values)))
            return false;
    }
    pith_matrix_free(c->rows);
    c->rows = NULL;
    return true;
}

/* value: a text; or labels to start from, as integers; or a graph or the rows to build one from, as a table.
 */
static bool set_parameter(call *c, const char *name, SEXP value)
{
    if (Rf_isString(value))
        return call_good(
            c, pith_params_set(c->ctx, c->params, name, Rf_translateCharUTF8(STRING_ELT(value, 0))));
    if (Rf_isNewList(value))
        return set_graph(c, name, value);
    return call_good(
        c, pith_params_set_init_labels(c->ctx, c->params, (int64_t)Rf_xlength(value), INTEGER(value)));
}

static bool set_parameters(call *c)
{
    SEXP parameters = item(c->given, "parameters");
    const char **names = texts_of(Rf_getAttrib(parameters, R_NamesSymbol));
    for (R_xlen_t i = 0; i < Rf_xlength(parameters); i++)
        if (!set_parameter(c, names[i], VECTOR_ELT(parameters, i)))
            return false;
    return true;
}

/* ---- Its result ------------------------------------------------------------------------------------- */

static SEXP parameters_of(call *c, const pith_params *params)
{
    const pith_method *method = pith_params_method(params);
    int count = 0;
    while (pith_method_param(method, (size_t)count) != NULL)
        count++;
    list l = list_new(count);
    for (int i = 0; i < count; i++) {
        char text[4096] = "";
        const char *name = pith_method_param(method, (size_t)i)->name;
        if (!call_good(c, pith_params_get(c->ctx, params, name, text, sizeof text)))
            break;
        list_put(&l, name, text_of(text));
    }
    return list_done(&l);
}

static SEXP facts_of(const pith_result *r)
{
    int count = 0;
    double value = 0;
    const char *name = NULL;
    while (pith_result_fact(r, (size_t)count, &value) != NULL)
        count++;
    list l = list_new(count);
    for (int i = 0; i < count && (name = pith_result_fact(r, (size_t)i, &value)) != NULL; i++)
        list_put(&l, name, Rf_ScalarReal(value));
    return list_done(&l);
}

static SEXP objective_of(const pith_result *r)
{
    const int64_t rounds = pith_result_rounds(r);
    SEXP out = Rf_allocVector(REALSXP, (R_xlen_t)rounds);
    for (int64_t i = 0; i < rounds; i++)
        REAL(out)[i] = pith_result_objective(r, i);
    return out;
}

/* A text about each feature; NA: there is none. */
static SEXP words_about(const pith_result *r, const char *(*text)(const pith_result *, int64_t))
{
    const int64_t p = pith_result_features(r);
    SEXP out = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)p));
    for (int64_t j = 0; j < p; j++) {
        const char *said = text(r, j);
        SET_STRING_ELT(out, (R_xlen_t)j, said == NULL ? NA_STRING : Rf_mkCharCE(said, CE_UTF8));
    }
    UNPROTECT(1);
    return out;
}

/* The same as evidence in comparisons, with why a feature was not tested. */
static SEXP tested_of(const pith_result *r)
{
    if (pith_result_evidence(r) == NULL)
        return R_NilValue;
    list l = list_new(2);
    list_put(&l, "found", evidence_of(pith_result_evidence(r)));
    list_put(&l, "untested", words_about(r, pith_result_untested));
    return list_done(&l);
}

/* Numbers of features, and the agreement at each. */
static SEXP curve_of(const pith_result *r)
{
    int64_t count = 0, features = 0;
    while (!isnan(pith_result_curve(r, count, &features)))
        count++;
    list l = list_new(2);
    SEXP numbers = Rf_allocVector(INTSXP, (R_xlen_t)count);
    list_put(&l, "features", numbers);
    SEXP agreement = Rf_allocVector(REALSXP, (R_xlen_t)count);
    list_put(&l, "agreement", agreement);
    for (int64_t i = 0; i < count; i++) {
        REAL(agreement)[i] = pith_result_curve(r, i, &features);
        INTEGER(numbers)[i] = (int)features;
    }
    return list_done(&l);
}

static SEXP batches_of(const pith_result *r)
{
    const int64_t p = pith_result_features(r);
    if (pith_result_batches(r) == NULL)
        return R_NilValue;
    SEXP out = Rf_allocVector(INTSXP, (R_xlen_t)p);
    memcpy(INTEGER(out), pith_result_batches(r), (size_t)p * sizeof(int32_t));
    return out;
}

static SEXP result_of(call *c, int64_t count, const char *why)
{
    const pith_result *r = c->result;
    const int64_t p = pith_result_features(r);
    const pith_params *params = pith_result_params(r);
    list l = list_new(19);
    list_put(&l, "method", text_of(pith_method_name(pith_params_method(params))));
    list_put(&l, "why", text_of(why));
    list_put(&l, "scores", doubles_of(pith_result_scores(r), p));
    list_put(&l, "ranking", places_of(pith_result_ranking_for(r, count), p));
    list_put(&l, "reasons", words_about(r, pith_result_reason));
    list_put(&l, "parameters", parameters_of(c, params));
    list_put(&l, "seconds", Rf_ScalarReal(pith_result_seconds(r)));
    list_put(&l, "peak_bytes", Rf_ScalarReal((double)pith_result_peak_bytes(r)));
    list_put(&l, "facts", facts_of(r));
    list_put(&l, "history", objective_of(r));
    list_put(&l, "keep", Rf_ScalarInteger((int)pith_result_keep(r)));
    list_put(&l, "evidence", tested_of(r));
    list_put(&l, "curve", curve_of(r));
    list_put(&l, "batches", batches_of(r));
    list_put(&l, "n_batches", Rf_ScalarInteger(pith_result_n_batches(r)));
    list_put(&l, "engine", text_of(pith_ctx_engine(c->ctx)));
    list_put(&l, "note", text_of(pith_result_note(r)));
    list_put(&l, "warning", text_of(pith_result_warning(r)));
    list_put(&l, "steps", text_of(c->own != NULL ? pith_matrix_steps(c->own) : NULL));
    return list_done(&l);
}

/* ---- The run ---------------------------------------------------------------------------------------- */

/* The method of that name; for "auto" the one chosen for the data, and why. */
static bool find_method(call *c, const pith_method **method, const char **why)
{
    const char *name = item_text(c, "method");
    if (strcmp(name, "auto") == 0)
        return call_good(c, pith_method_auto(c->ctx, c->m, method, why));
    *method = pith_method_find(name);
    if (*method == NULL)
        Rf_error("unknown method '%s'", name);
    return true;
}

/* Prepares the data as prep auto does for the method, into c->own, which stays NULL if there is nothing to
 * do. */
static bool prepare(call *c, const pith_method *method)
{
    const char *steps = NULL;
    if (item_int(c, "prepare") == 0)
        return true;
    if (!call_good(c, pith_prep_auto(c->ctx, c->m, method, &steps)))
        return false;
    return steps == NULL || call_good(c, pith_prep(c->ctx, c->m, steps, &c->own));
}

static SEXP run(call *c)
{
    const pith_method *method = NULL;
    const char *why = NULL;
    const int64_t count = item_int(c, "count"); /* 0: not known */
    if (!call_open(c) || !table_open(c) || !find_method(c, &method, &why) ||
        !call_good(c, pith_params_new(c->ctx, method, &c->params)) || !set_parameters(c) ||
        !call_good(c, pith_params_set_batch_graph(c->ctx, c->params, item_int(c, "batch_graph") != 0)))
        return R_NilValue;
    if (why != NULL)
        pith_params_by_auto(c->params);
    if (item_int(c, "keep") != 0)
        pith_params_want_keep(c->params);
    if (count > 0 && !call_good(c, pith_params_set_counts(c->ctx, c->params, 1, &count)))
        return R_NilValue;
    if (!prepare(c, method) ||
        !call_good(c, pith_run(c->ctx, c->own != NULL ? c->own : c->m, c->params, &c->result)))
        return R_NilValue;
    return result_of(c, count, why);
}

SEXP pithr_run(SEXP given)
{
    return call_run(given, run);
}
