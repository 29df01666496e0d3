/* Running one method. */
#include "core.h"

#include <math.h>

#include <string.h>

/* Sets a graph, in CSR of doubles, or the rows to build one from. */
static int set_graph(call *c, pith_params *params, const char *key, PyObject *value)
{
    table t = {0};
    pith_status st = PITH_OK;
    int status = -1;
    if (table_open(c, value, Py_None, Py_None, Py_None, &t) != 0)
        return -1;
    const pith_arrays at = pith_matrix_arrays(t.m);
    const int64_t n = pith_matrix_rows(t.m);
    if (strcmp(key, "graph_rows") == 0) {
        UNLOCKED(c, st, pith_params_set_graph_rows(c->ctx, params, t.m));
        status = call_status(c, st);
    } else if (at.indptr == NULL || pith_matrix_dtype(t.m) != PITH_F64 || pith_matrix_cols(t.m) != n) {
        PyErr_SetString(PyExc_ValueError, "graph: a square CSR matrix of doubles is expected");
    } else {
        UNLOCKED(c, st, pith_params_set_graph(c->ctx, params, n, at.indptr, at.indices, at.values));
        status = call_status(c, st);
    }
    table_close(&t);
    return status;
}

/* params[name] = text, or the labels to start from, or a graph. */
static int set_parameter(call *c, pith_params *params, PyObject *name, PyObject *value)
{
    Py_buffer labels;
    pith_status st = PITH_OK;
    const char *key = utf8_of(name);
    if (key == NULL)
        return -1;
    if (PyUnicode_Check(value)) {
        const char *text = utf8_of(value);
        if (text == NULL)
            return -1;
        UNLOCKED(c, st, pith_params_set(c->ctx, params, key, text)); /* it may read a file */
        return call_status(c, st);
    }
    if (strncmp(key, "graph", 5) == 0)
        return set_graph(c, params, key, value);
    if (open_int32(value, key, &labels) != 0)
        return -1;
    const int status =
        call_status(c, pith_params_set_init_labels(c->ctx, params, labels.shape[0], labels.buf));
    PyBuffer_Release(&labels);
    return status;
}

static int set_parameters(call *c, pith_params *params, PyObject *settings)
{
    PyObject *name = NULL, *value = NULL;
    Py_ssize_t at = 0;
    while (PyDict_Next(settings, &at, &name, &value))
        if (set_parameter(c, params, name, value) != 0)
            return -1;
    return 0;
}

/* The method of that name; for "auto" the one chosen for the data, and why. */
static int find_method(call *c, const table *t, const char *name, const pith_method **method,
                       const char **why)
{
    pith_status st = PITH_OK;
    if (strcmp(name, "auto") == 0) {
        UNLOCKED(c, st, pith_method_auto(c->ctx, t->m, method, why));
        return call_status(c, st);
    }
    *method = pith_method_find(name);
    if (*method != NULL)
        return 0;
    PyErr_Format(PyExc_ValueError, "unknown method '%.100s'", name);
    return -1;
}

/* ---- The result ------------------------------------------------------------------------------------- */

static PyObject *parameters_of(call *c, const pith_params *params)
{
    const pith_method *method = pith_params_method(params);
    const pith_param *p = NULL;
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict != NULL && (p = pith_method_param(method, i)) != NULL; i++) {
        char text[4096] = "";
        if (call_status(c, pith_params_get(c->ctx, params, p->name, text, sizeof text)) != 0 ||
            put(dict, p->name, text_of(text)) != 0)
            Py_CLEAR(dict);
    }
    return dict;
}

static PyObject *facts_of(const pith_result *r)
{
    const char *name = NULL;
    double value = 0;
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict != NULL && (name = pith_result_fact(r, i, &value)) != NULL; i++)
        if (put(dict, name, PyFloat_FromDouble(value)) != 0)
            Py_CLEAR(dict);
    return dict;
}

static PyObject *objective_of(const pith_result *r)
{
    const Py_ssize_t rounds = (Py_ssize_t)pith_result_rounds(r);
    PyObject *list = PyList_New(rounds);
    for (Py_ssize_t i = 0; list != NULL && i < rounds; i++) {
        PyObject *value = PyFloat_FromDouble(pith_result_objective(r, i));
        if (value == NULL)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, i, value);
    }
    return list;
}

/* A text about each feature, such as why it has no score; None: there is none. */
static PyObject *words_about(const pith_result *r, const char *(*text)(const pith_result *, int64_t))
{
    const Py_ssize_t p = (Py_ssize_t)pith_result_features(r);
    PyObject *list = PyList_New(p);
    for (Py_ssize_t j = 0; list != NULL && j < p; j++) {
        PyObject *item = text_of(text(r, j));
        if (item == NULL)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, j, item);
    }
    return list;
}

/* In how many batches each feature is among the best; None: no rankings were merged. */
static PyObject *batches_of(const pith_result *r)
{
    const char *batches = (const char *)pith_result_batches(r);
    if (batches == NULL)
        Py_RETURN_NONE;
    return PyByteArray_FromStringAndSize(batches,
                                         (Py_ssize_t)pith_result_features(r) * (Py_ssize_t)sizeof(int32_t));
}

/* One number per feature. */
static PyObject *doubles_of(const double *values, int64_t p)
{
    return PyByteArray_FromStringAndSize((const char *)values, (Py_ssize_t)p * (Py_ssize_t)sizeof *values);
}

/* None: there is none. */
static PyObject *evidence_of(const pith_result *r)
{
    const pith_evidence *e = pith_result_evidence(r);
    if (e == NULL)
        Py_RETURN_NONE;
    PyObject *dict = PyDict_New();
    if (dict == NULL || put(dict, "lift", doubles_of(e->lift, e->features)) != 0 ||
        put(dict, "p", doubles_of(e->p, e->features)) != 0 ||
        put(dict, "q", doubles_of(e->q, e->features)) != 0 ||
        put(dict, "untested", words_about(r, pith_result_untested)) != 0)
        Py_CLEAR(dict);
    return dict;
}

/* [(features, agreement), ...] */
static PyObject *curve_of(const pith_result *r)
{
    PyObject *list = PyList_New(0);
    int64_t features = 0;
    double agreement = 0;
    for (int64_t i = 0; list != NULL && !isnan(agreement = pith_result_curve(r, i, &features)); i++) {
        PyObject *pair = Py_BuildValue("(Ld)", (long long)features, agreement);
        if (pair == NULL || PyList_Append(list, pair) != 0)
            Py_CLEAR(list);
        Py_XDECREF(pair);
    }
    return list;
}

static PyObject *result_of(call *c, const pith_result *r, int64_t count, const char *why)
{
    const Py_ssize_t p = (Py_ssize_t)pith_result_features(r);
    const char *scores = (const char *)pith_result_scores(r),
               *ranking = (const char *)pith_result_ranking_for(r, count);
    const pith_params *params = pith_result_params(r);
    PyObject *dict = PyDict_New();
    if (dict == NULL || put(dict, "method", text_of(pith_method_name(pith_params_method(params)))) != 0 ||
        put(dict, "why", text_of(why)) != 0 ||
        put(dict, "scores", PyByteArray_FromStringAndSize(scores, p * (Py_ssize_t)sizeof(double))) != 0 ||
        put(dict, "ranking", PyByteArray_FromStringAndSize(ranking, p * (Py_ssize_t)sizeof(int64_t))) != 0 ||
        put(dict, "reasons", words_about(r, pith_result_reason)) != 0 ||
        put(dict, "parameters", parameters_of(c, params)) != 0 ||
        put(dict, "seconds", PyFloat_FromDouble(pith_result_seconds(r))) != 0 ||
        put(dict, "peak_bytes", PyLong_FromLongLong(pith_result_peak_bytes(r))) != 0 ||
        put(dict, "facts", facts_of(r)) != 0 || put(dict, "objective", objective_of(r)) != 0 ||
        put(dict, "keep", PyLong_FromLongLong(pith_result_keep(r))) != 0 ||
        put(dict, "evidence", evidence_of(r)) != 0 || put(dict, "curve", curve_of(r)) != 0 ||
        put(dict, "batches", batches_of(r)) != 0 ||
        put(dict, "n_batches", PyLong_FromLong(pith_result_n_batches(r))) != 0 ||
        put(dict, "engine", text_of(pith_ctx_engine(c->ctx))) != 0 ||
        put(dict, "note", text_of(pith_result_note(r))) != 0 ||
        put(dict, "warning", text_of(pith_result_warning(r))) != 0)
        Py_CLEAR(dict);
    return dict;
}

/* Prepares the table as prep auto does for the method; *out stays NULL if there is nothing to do. */
static int prepare_table(call *c, const table *t, const pith_method *method, pith_matrix **out)
{
    const char *steps = NULL;
    pith_status st = PITH_OK;
    UNLOCKED(c, st, pith_prep_auto(c->ctx, t->m, method, &steps));
    if (call_status(c, st) != 0 || steps == NULL)
        return st == PITH_OK ? 0 : -1;
    UNLOCKED(c, st, pith_prep(c->ctx, t->m, steps, out));
    return call_status(c, st);
}

/* run(method, data, names, labels, parameters, seed, threads, watch, count, batches, batch_graph, prepare,
 * keep, engine): the result as a dict. count: how many features will be selected; 0: not known. batches: one
 * text per sample, or None. keep: also find how many features to keep. */
PyObject *core_run(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *words[] = {"method",      "data",    "names", "labels", "parameters",
                            "seed",        "threads", "watch", "count",  "batches",
                            "batch_graph", "prepare", "keep",  "engine", NULL};
    PyObject *data, *names, *labels, *settings, *seed, *watch, *batches = Py_None, *engine = Py_None,
                                                               *made = NULL;
    const pith_method *method = NULL;
    const char *name, *why = NULL;
    pith_params *params = NULL;
    pith_result *result = NULL;
    pith_matrix *prepared = NULL;
    table t = {0};
    call c;
    int threads, balanced = 0, prepare = 0, keep = 0;
    long long wanted = 0;
    pith_status st = PITH_OK;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "sOOOO!OiO|LOpppO:run", words, &name, &data, &names,
                                     &labels, &PyDict_Type, &settings, &seed, &threads, &watch, &wanted,
                                     &batches, &balanced, &prepare, &keep, &engine) ||
        call_open(&c, seed, threads, watch, engine) != 0)
        return NULL;
    if (table_open(&c, data, names, Py_None, labels, &t) != 0 || table_batches(&c, batches, &t) != 0 ||
        find_method(&c, &t, name, &method, &why) != 0 ||
        call_status(&c, pith_params_new(c.ctx, method, &params)) != 0 ||
        set_parameters(&c, params, settings) != 0 ||
        call_status(&c, pith_params_set_batch_graph(c.ctx, params, balanced != 0)) != 0)
        goto done;
    if (strcmp(name, "auto") == 0)
        pith_params_by_auto(params);
    if (keep)
        pith_params_want_keep(params);
    const int64_t count = wanted;
    if (count > 0 && call_status(&c, pith_params_set_counts(c.ctx, params, 1, &count)) != 0)
        goto done;
    if (prepare && prepare_table(&c, &t, method, &prepared) != 0)
        goto done;
    UNLOCKED(&c, st, pith_run(c.ctx, prepared != NULL ? prepared : t.m, params, &result));
    if (call_status(&c, st) == 0)
        made = result_of(&c, result, count, why);
done:
    pith_result_free(result);
    pith_params_free(params);
    pith_matrix_free(prepared);
    table_close(&t);
    call_close(&c);
    return made;
}
