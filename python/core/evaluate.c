/* Comparisons, k-means, and the agreement of clusters with classes. */
#include "core.h"

#include <math.h>

/* ---- What a comparison holds ------------------------------------------------------------------------ */

/* [(measure, mean, sd, runs), ...] of one row. */
static PyObject *figures_of(const pith_comparison *c, int64_t entry, int64_t row)
{
    const char *measure = NULL;
    double mean = 0, sd = 0;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && (measure = pith_comparison_measure(i)) != NULL; i++) {
        if (!pith_comparison_figure(c, entry, row, measure, &mean, &sd))
            continue;
        PyObject *one =
            Py_BuildValue("sddL", measure, mean, sd, (long long)pith_comparison_runs(c, entry, row, measure));
        if (one == NULL || PyList_Append(list, one) != 0)
            Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

/* [(features, figures), ...] */
static PyObject *rows_of(const pith_comparison *c, int64_t entry)
{
    int64_t features = 0;
    PyObject *list = PyList_New(0);
    for (int64_t row = 0; list != NULL && (features = pith_comparison_features(c, entry, row)) > 0; row++) {
        PyObject *one = Py_BuildValue("LN", (long long)features, figures_of(c, entry, row));
        if (one == NULL || PyList_Append(list, one) != 0)
            Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

static PyObject *entry_of(const pith_comparison *c, int64_t entry)
{
    int64_t count = 0;
    const char *ranking = (const char *)pith_comparison_ranking(c, entry, &count);
    PyObject *dict = PyDict_New();
    if (dict == NULL || put(dict, "method", text_of(pith_comparison_method(c, entry))) != 0 ||
        put(dict, "parameters", text_of(pith_comparison_setting(c, entry))) != 0 ||
        put(dict, "error", text_of(pith_comparison_error(c, entry))) != 0 ||
        put(dict, "seconds", PyFloat_FromDouble(pith_comparison_seconds(c, entry))) != 0 ||
        put(dict, "peak_bytes", PyLong_FromLongLong(pith_comparison_peak_bytes(c, entry))) != 0 ||
        put(dict, "ranking",
            PyByteArray_FromStringAndSize(ranking, (Py_ssize_t)count * (Py_ssize_t)sizeof(int64_t))) != 0 ||
        put(dict, "rows", rows_of(c, entry)) != 0)
        Py_CLEAR(dict);
    return dict;
}

static PyObject *entries_of(const pith_comparison *c)
{
    PyObject *list = PyList_New(0);
    for (int64_t i = 0; list != NULL && i < pith_comparison_entries(c); i++) {
        PyObject *one = entry_of(c, i);
        if (one == NULL || PyList_Append(list, one) != 0)
            Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

/* [(features, agreement), ...] */
static PyObject *curve_of(const pith_comparison *c)
{
    int64_t features = 0;
    double agreement = 0;
    PyObject *list = PyList_New(0);
    for (int64_t i = 0; list != NULL && !isnan(agreement = pith_comparison_curve(c, i, &features)); i++) {
        PyObject *one = Py_BuildValue("Ld", (long long)features, agreement);
        if (one == NULL || PyList_Append(list, one) != 0)
            Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

static PyObject *doubles_of(int64_t count, const double *v)
{
    return PyByteArray_FromStringAndSize((const char *)v, (Py_ssize_t)count * (Py_ssize_t)sizeof *v);
}

/* None if e is NULL. */
static PyObject *evidence_of(const pith_evidence *e)
{
    char text[PITH_EVIDENCE_TEXT];
    if (e == NULL)
        Py_RETURN_NONE;
    PyObject *dict = PyDict_New();
    if (dict == NULL || put(dict, "sentence", text_of(pith_evidence_text(e, text, sizeof text))) != 0 ||
        put(dict, "called", PyLong_FromLongLong(e->called)) != 0 ||
        put(dict, "tested", PyLong_FromLongLong(e->tested)) != 0 ||
        put(dict, "features", PyLong_FromLongLong(e->features)) != 0 ||
        put(dict, "smallest_q", PyFloat_FromDouble(e->smallest_q)) != 0 ||
        put(dict, "halves", PyFloat_FromDouble(e->halves)) != 0 ||
        put(dict, "lift", doubles_of(e->features, e->lift)) != 0 ||
        put(dict, "p", doubles_of(e->features, e->p)) != 0 ||
        put(dict, "q", doubles_of(e->features, e->q)) != 0)
        Py_CLEAR(dict);
    return dict;
}

/* The evidence, with the curve and the control in it. */
static PyObject *structure_of(const pith_comparison *c)
{
    PyObject *dict = evidence_of(pith_comparison_evidence(c));
    if (dict == NULL || dict == Py_None)
        return dict;
    const int64_t keep = pith_comparison_keep(c);
    if (put(dict, "curve", curve_of(c)) != 0 ||
        put(dict, "keep", keep > 0 ? PyLong_FromLongLong(keep) : Py_BuildValue("")) != 0 ||
        put(dict, "control", evidence_of(pith_comparison_control(c))) != 0)
        Py_CLEAR(dict);
    return dict;
}

/* ---- The run ---------------------------------------------------------------------------------------- */

/* What the options point at, to be freed after the run. */
typedef struct lists {
    const char **grids, **settings;
    PyObject *grid_owners, *setting_owners;
} lists;

static int read_options(PyObject *given, pith_compare_options *o, lists *l)
{
    PyObject *grids = NULL, *settings = NULL, *none = PyTuple_New(0);
    long long restarts = 0, clusters = 0, stability = 0;
    int control = 0;
    static char *words[] = {"methods",   "features",  "grids",      "settings", "protocol",
                            "clusterer", "metric",    "cluster_on", "start",    "restarts",
                            "clusters",  "stability", "control",    NULL};
    if (none == NULL)
        return -1;
    const int read =
        PyArg_ParseTupleAndKeywords(none, given, "|$zzOOzzzzzLLLp:compare", words, &o->methods, &o->features,
                                    &grids, &settings, &o->protocol, &o->clusterer, &o->metric,
                                    &o->cluster_on, &o->start, &restarts, &clusters, &stability, &control);
    Py_DECREF(none);
    if (!read)
        return -1;
    o->restarts = restarts;
    o->clusters = clusters;
    o->stability = stability;
    o->control = control;
    if (grids != NULL && (l->grids = texts_of(grids, "grids", -1, &l->grid_owners)) == NULL)
        return -1;
    if (settings != NULL && (l->settings = texts_of(settings, "settings", -1, &l->setting_owners)) == NULL)
        return -1;
    o->grids = l->grids;
    o->settings = l->settings;
    return 0;
}

static void lists_free(lists *l)
{
    PyMem_Free(l->grids);
    PyMem_Free(l->settings);
    Py_XDECREF(l->grid_owners);
    Py_XDECREF(l->setting_owners);
}

/* Writes the report page, if a path was given. */
static int write_report(call *c, const pith_comparison *comparison, const char *path)
{
    pith_status st = PITH_OK;
    if (path == NULL)
        return 0;
    UNLOCKED(c, st, pith_comparison_write(c->ctx, comparison, NULL, PITH_HTML, path));
    return call_status(c, st);
}

/* compare(data, names, labels, options, report, seed, threads, watch, engine): (entries, evidence). */
PyObject *core_compare(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *words[] = {"data", "names",   "labels", "options", "report",
                            "seed", "threads", "watch",  "engine",  NULL};
    PyObject *data, *names, *labels, *given, *seed, *watch, *engine = Py_None, *made = NULL;
    pith_compare_options options = {0};
    pith_comparison *comparison = NULL;
    const char *report;
    lists l = {0};
    table t = {0};
    call c;
    int threads;
    pith_status st = PITH_OK;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOOO!zOiO|O:compare", words, &data, &names, &labels,
                                     &PyDict_Type, &given, &report, &seed, &threads, &watch, &engine) ||
        call_open(&c, seed, threads, watch, engine) != 0)
        return NULL;
    if (read_options(given, &options, &l) == 0 && table_open(&c, data, names, Py_None, labels, &t) == 0) {
        UNLOCKED(&c, st, pith_compare(c.ctx, t.m, &options, &comparison));
        if (call_status(&c, st) == 0 && write_report(&c, comparison, report) == 0)
            made = Py_BuildValue("NN", entries_of(comparison), structure_of(comparison));
    }
    pith_comparison_free(comparison);
    table_close(&t);
    lists_free(&l);
    call_close(&c);
    return made;
}

/* ---- Clusters and classes --------------------------------------------------------------------------- */

/* kmeans(data, clusters, restarts, max_iter, cosine, random_start, seed, threads, watch): (labels, inertia,
 * iterations). */
PyObject *core_kmeans(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *words[] = {"data",         "clusters", "restarts", "max_iter", "cosine",
                            "random_start", "seed",     "threads",  "watch",    NULL};
    long long clusters, restarts, max_iter, iterations = 0;
    PyObject *data, *seed, *watch, *labels = NULL, *made = NULL;
    int64_t rounds = 0;
    double inertia = 0;
    table t = {0};
    call c;
    int cosine, random_start, threads;
    pith_status st = PITH_OK;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OLLLppOiO:kmeans", words, &data, &clusters, &restarts,
                                     &max_iter, &cosine, &random_start, &seed, &threads, &watch) ||
        call_open(&c, seed, threads, watch, Py_None) != 0)
        return NULL;
    const pith_kmeans_options o = {.clusters = clusters,
                                   .restarts = restarts,
                                   .max_iter = max_iter,
                                   .cosine = cosine,
                                   .random_start = random_start};
    if (table_open(&c, data, Py_None, Py_None, Py_None, &t) != 0)
        goto done;
    labels = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)pith_matrix_rows(t.m) * 4);
    if (labels == NULL)
        goto done;
    int32_t *room = (int32_t *)(void *)PyByteArray_AS_STRING(labels);
    UNLOCKED(&c, st, pith_kmeans(c.ctx, t.m, &o, room, &inertia, &rounds));
    iterations = rounds;
    if (call_status(&c, st) == 0)
        made = Py_BuildValue("OdL", labels, inertia, iterations);
done:
    Py_XDECREF(labels);
    table_close(&t);
    call_close(&c);
    return made;
}

/* agreement(classes, clusters): a dict of measures. */
PyObject *core_agreement(PyObject *module, PyObject *args)
{
    PyObject *classes = NULL, *clusters = NULL, *made = NULL, *seed = NULL;
    Py_buffer first = {0}, second = {0};
    pith_agreement a;
    pith_status st = PITH_OK;
    call c;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO:agreement", &classes, &clusters) || (seed = PyLong_FromLong(1)) == NULL)
        return NULL;
    const int opened = call_open(&c, seed, 0, Py_None, Py_None);
    Py_DECREF(seed);
    if (opened != 0)
        return NULL;
    if (open_int32(classes, "classes", &first) != 0 || open_int32(clusters, "clusters", &second) != 0)
        goto done;
    if (first.shape[0] != second.shape[0]) {
        PyErr_Format(PyExc_ValueError, "%zd classes and %zd clusters: expected one of each per sample",
                     first.shape[0], second.shape[0]);
        goto done;
    }
    UNLOCKED(&c, st, pith_agreement_measure(c.ctx, first.shape[0], first.buf, second.buf, &a));
    if (call_status(&c, st) == 0)
        made = Py_BuildValue("{sdsdsdsdsdsd}", "acc", a.acc, "nmi", a.nmi, "nmi_mean", a.nmi_mean,
                             "nmi_geometric", a.nmi_geometric, "ari", a.ari, "purity", a.purity);
done:
    if (first.obj != NULL)
        PyBuffer_Release(&first);
    if (second.obj != NULL)
        PyBuffer_Release(&second);
    call_close(&c);
    return made;
}
