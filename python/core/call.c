/* A call into the library: its context, its exceptions, and its callbacks. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

PyObject *text_of(const char *text)
{
    if (text == NULL)
        Py_RETURN_NONE;
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

const char *utf8_of(PyObject *str)
{
    Py_ssize_t size = 0;
    if (!PyUnicode_Check(str)) {
        PyErr_Format(PyExc_TypeError, "text expected, not %.100s", Py_TYPE(str)->tp_name);
        return NULL;
    }
    const char *text = PyUnicode_AsUTF8AndSize(str, &size);
    if (text != NULL && strlen(text) != (size_t)size) {
        PyErr_SetString(PyExc_ValueError, "text with a NUL character in it");
        return NULL;
    }
    return text;
}

const char **texts_of(PyObject *sequence, const char *what, Py_ssize_t count, PyObject **owners)
{
    PyObject *tuple = PySequence_Tuple(sequence);
    if (tuple == NULL)
        return NULL;
    const Py_ssize_t length = PyTuple_GET_SIZE(tuple);
    const char **texts = PyMem_Calloc((size_t)length + 1, sizeof *texts);
    if (texts == NULL) {
        PyErr_NoMemory();
    } else if (count >= 0 && length != count) {
        PyErr_Format(PyExc_ValueError, "%zd %s given where %zd are needed", length, what, count);
        goto failed;
    }
    for (Py_ssize_t i = 0; texts != NULL && i < length; i++)
        if ((texts[i] = utf8_of(PyTuple_GET_ITEM(tuple, i))) == NULL)
            goto failed;
    *owners = tuple;
    if (texts == NULL)
        Py_CLEAR(*owners);
    return texts;
failed:
    PyMem_Free(texts);
    Py_DECREF(tuple);
    return NULL;
}

int put(PyObject *dict, const char *key, PyObject *value)
{
    if (value == NULL)
        return -1;
    const int done = PyDict_SetItemString(dict, key, value);
    Py_DECREF(value);
    return done;
}

/* Called by the library from the thread that called it, some dozens of times a second. */
static bool step(double done, const char *what, void *user)
{
    call *c = user;
    PyEval_RestoreThread(c->state);
    bool go_on = PyErr_Occurred() == NULL && PyErr_CheckSignals() == 0;
    if (go_on && c->watch != Py_None) {
        PyObject *text = text_of(what);
        PyObject *said = text != NULL ? PyObject_CallFunction(c->watch, "dO", done, text) : NULL;
        go_on = said != NULL;
        Py_XDECREF(said);
        Py_XDECREF(text);
    }
    c->state = PyEval_SaveThread();
    return go_on;
}

/* Notes of the library become warnings (_call.py), which filters may turn into exceptions. */
static void note(const char *text, void *user)
{
    call *c = user;
    PyEval_RestoreThread(c->state);
    PyObject *message = PyErr_Occurred() == NULL ? text_of(text) : NULL;
    PyObject *module = message != NULL ? PyImport_ImportModule("pith._call") : NULL;
    PyObject *done = module != NULL ? PyObject_CallMethod(module, "noted", "O", message) : NULL;
    Py_XDECREF(done);
    Py_XDECREF(module);
    Py_XDECREF(message);
    c->state = PyEval_SaveThread();
}

/* Without the lock: opening an engine may take some time, and may call the progress callback. */
static int set_engine(call *c, PyObject *engine)
{
    pith_status st = PITH_OK;
    if (engine == Py_None)
        return 0;
    if (!PyUnicode_Check(engine)) {
        PyErr_Format(PyExc_TypeError, "engine: a name or None is expected, not %.100s",
                     Py_TYPE(engine)->tp_name);
        return -1;
    }
    const char *name = utf8_of(engine);
    if (name == NULL)
        return -1;
    UNLOCKED(c, st, pith_ctx_set_engine(c->ctx, name));
    return call_status(c, st);
}

/* For all later calls; guarded by the interpreter's lock. */
static struct {
    long long memory;
    char *scratch;
} limits;

static int set_limits(call *c, long long memory, const char *scratch)
{
    return call_status(c, pith_ctx_set_memory(c->ctx, memory)) != 0
               ? -1
               : call_status(c, pith_ctx_set_scratch(c->ctx, scratch));
}

/* set_memory(bytes, folder): 0 and None are the defaults. */
PyObject *core_set_memory(PyObject *module, PyObject *args)
{
    call c = {.watch = Py_None};
    const char *folder = NULL;
    char *copy = NULL;
    long long memory = 0;
    (void)module;
    if (!PyArg_ParseTuple(args, "Lz", &memory, &folder))
        return NULL;
    if (pith_ctx_new(&c.ctx) != PITH_OK)
        return PyErr_NoMemory();
    const int status = set_limits(&c, memory, folder);
    call_close(&c);
    if (status != 0)
        return NULL;
    if (folder != NULL && (copy = strdup(folder)) == NULL)
        return PyErr_NoMemory();
    free(limits.scratch);
    limits.scratch = copy;
    limits.memory = memory;
    Py_RETURN_NONE;
}

int call_open(call *c, PyObject *seed, int threads, PyObject *watch, PyObject *engine)
{
    *c = (call){.watch = watch};
    if (watch != Py_None && !PyCallable_Check(watch)) {
        PyErr_Format(PyExc_TypeError, "the watching function must be callable, not %.100s",
                     Py_TYPE(watch)->tp_name);
        return -1;
    }
    if (!PyLong_Check(seed)) {
        PyErr_Format(PyExc_TypeError, "the seed must be a whole number, not %.100s", Py_TYPE(seed)->tp_name);
        return -1;
    }
    const uint64_t number = PyLong_AsUnsignedLongLong(seed);
    if (PyErr_Occurred()) {
        PyErr_SetString(PyExc_ValueError, "the seed must lie in 0..2^64-1");
        return -1;
    }
    if (pith_ctx_new(&c->ctx) != PITH_OK) {
        PyErr_NoMemory();
        return -1;
    }
    pith_ctx_set_seed(c->ctx, number);
    pith_ctx_set_progress(c->ctx, step, c);
    pith_ctx_set_note(c->ctx, note, c);
    if (call_status(c, pith_ctx_set_threads(c->ctx, threads)) != 0 ||
        set_limits(c, limits.memory, limits.scratch) != 0 || set_engine(c, engine) != 0) {
        call_close(c);
        return -1;
    }
    return 0;
}

void call_close(call *c)
{
    pith_ctx_free(c->ctx);
    c->ctx = NULL;
}

static PyObject *exception_of(pith_status st)
{
    switch (st) {
    case PITH_E_NOMEM: return PyExc_MemoryError;
    case PITH_E_ARGUMENT:
    case PITH_E_PARAMETER:
    case PITH_E_DATA: return PyExc_ValueError;
    case PITH_E_FILE: return file_error;
    case PITH_E_NUMERIC: return PyExc_ArithmeticError;
    case PITH_OK:
    case PITH_E_STOPPED:
    case PITH_E_BUG: break;
    }
    return PyExc_RuntimeError;
}

int call_status(call *c, pith_status st)
{
    if (PyErr_Occurred())
        return -1;
    if (st == PITH_OK)
        return 0;
    const char *said = pith_ctx_message(c->ctx);
    PyObject *message = text_of(said[0] != '\0' ? said : pith_strerror(st));
    if (message != NULL)
        PyErr_SetObject(exception_of(st), message);
    Py_XDECREF(message);
    return -1;
}
