/* Reading tables from files and texts, and preparing them. */
#include "core.h"

/* read(path, var, labels, no_labels, missing, sep, decimal, header, row_names, transpose, threads, watch): a
 * table as table_export makes it. */
PyObject *core_read(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *words[] = {"path",   "var",       "labels",    "no_labels", "missing", "sep", "decimal",
                            "header", "row_names", "transpose", "threads",   "watch",   NULL};
    pith_read_options options = {0};
    PyObject *path = NULL, *watch, *made = NULL, *seed = NULL;
    pith_matrix *m = NULL;
    call c;
    int no_labels, missing, threads, sep, decimal, header, row_names, transpose;
    pith_status st = PITH_OK;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O&zzpiCCiipiO:read", words, PyUnicode_FSConverter,
                                     &path, &options.var, &options.labels, &no_labels, &missing, &sep,
                                     &decimal, &header, &row_names, &transpose, &threads, &watch))
        return NULL;
    if (missing < PITH_MISSING_ERROR || missing > PITH_MISSING_KEEP) {
        PyErr_Format(PyExc_ValueError, "missing: %d is not a known treatment", missing);
        goto done;
    }
    options.no_labels = no_labels;
    options.missing = (pith_missing)missing;
    options.sep = (char)sep;
    options.decimal = (char)decimal;
    options.header = (pith_answer)header;
    options.row_names = (pith_answer)row_names;
    options.transpose = transpose;
    seed = PyLong_FromLong(1);
    if (seed == NULL || call_open(&c, seed, threads, watch, Py_None) != 0)
        goto done;
    UNLOCKED(&c, st, pith_matrix_read(c.ctx, PyBytes_AS_STRING(path), &options, &m));
    if (call_status(&c, st) == 0)
        made = table_export(m);
    pith_matrix_free(m);
    call_close(&c);
done:
    Py_XDECREF(seed);
    Py_DECREF(path);
    return made;
}

/* prep(data, names, samples, labels, steps, seed, threads, watch, engine): a table as table_export makes it.
 */
PyObject *core_prep(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *words[] = {"data", "names",   "samples", "labels", "steps",
                            "seed", "threads", "watch",   "engine", NULL};
    PyObject *data, *names, *samples, *labels, *seed, *watch, *engine = Py_None, *made = NULL;
    const char *steps;
    pith_matrix *m = NULL;
    table t = {0};
    call c;
    int threads;
    pith_status st = PITH_OK;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOOOsOiO|O:prep", words, &data, &names, &samples,
                                     &labels, &steps, &seed, &threads, &watch, &engine) ||
        call_open(&c, seed, threads, watch, engine) != 0)
        return NULL;
    if (table_open(&c, data, names, samples, labels, &t) == 0) {
        UNLOCKED(&c, st, pith_prep(c.ctx, t.m, steps, &m));
        if (call_status(&c, st) == 0)
            made = table_export(m);
    }
    pith_matrix_free(m);
    table_close(&t);
    call_close(&c);
    return made;
}

/* prep_read(path, steps, seed, threads, watch, engine): a file or a folder of documents, read and prepared.
 */
PyObject *core_prep_read(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *words[] = {"path", "steps", "seed", "threads", "watch", "engine", NULL};
    PyObject *path = NULL, *seed, *watch, *engine = Py_None, *made = NULL;
    const char *steps;
    pith_matrix *m = NULL;
    call c;
    int threads;
    pith_status st = PITH_OK;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O&sOiO|O:prep_read", words, PyUnicode_FSConverter,
                                     &path, &steps, &seed, &threads, &watch, &engine))
        return NULL;
    if (call_open(&c, seed, threads, watch, engine) == 0) {
        UNLOCKED(&c, st, pith_prep_read(c.ctx, PyBytes_AS_STRING(path), steps, NULL, &m));
        if (call_status(&c, st) == 0)
            made = table_export(m);
        pith_matrix_free(m);
        call_close(&c);
    }
    Py_DECREF(path);
    return made;
}

/* prep_texts(texts, steps, seed, threads, watch, engine): documents as counts of words, prepared. */
PyObject *core_prep_texts(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *words[] = {"texts", "steps", "seed", "threads", "watch", "engine", NULL};
    PyObject *sequence, *seed, *watch, *engine = Py_None, *owners = NULL, *made = NULL;
    const char *steps;
    pith_matrix *m = NULL;
    call c;
    int threads;
    pith_status st = PITH_OK;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OsOiO|O:prep_texts", words, &sequence, &steps, &seed,
                                     &threads, &watch, &engine))
        return NULL;
    const char **texts = texts_of(sequence, "texts", -1, &owners);
    if (texts == NULL)
        return NULL;
    if (call_open(&c, seed, threads, watch, engine) == 0) {
        UNLOCKED(&c, st, pith_prep_texts(c.ctx, PyTuple_GET_SIZE(owners), texts, NULL, steps, &m));
        if (call_status(&c, st) == 0)
            made = table_export(m);
        pith_matrix_free(m);
        call_close(&c);
    }
    PyMem_Free(texts);
    Py_DECREF(owners);
    return made;
}
