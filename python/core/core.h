/*
 * pith._core: pith.h as Python functions, one to one, for the package's own use.
 *
 * Every function checks what it is given, whoever calls it: types, shapes, strides and lengths of buffers.
 * Arrays come in through the buffer protocol and are borrowed, not copied, while the call lasts; arrays go
 * out as bytearrays, which NumPy takes over without a copy. The interpreter's lock is released while the
 * library works.
 */
#ifndef PITH_PYTHON_CORE_H
#define PITH_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <pith.h>

/* ---- A call into the library ------------------------------------------------------------------------ */

typedef struct call {
    pith_ctx *ctx;
    PyObject *watch;      /* called with (done, what), or None */
    PyThreadState *state; /* while the lock is released */
} call;

/* -1: an exception is set, and there is nothing to close. seed: a Python int. engine: its name, or None. */
int call_open(call *c, PyObject *seed, int threads, PyObject *watch, PyObject *engine);
void call_close(call *c);
/* 0, or -1 with the exception that fits the status and has the library's sentence. An exception of a signal
 * handler or of the watching function takes precedence. */
int call_status(call *c, pith_status st);

/* Runs st = (work) without the interpreter's lock. Nothing of Python may be touched in it. */
#define UNLOCKED(c, st, work)                                                                                \
    do {                                                                                                     \
        (c)->state = PyEval_SaveThread();                                                                    \
        (st) = (work);                                                                                       \
        PyEval_RestoreThread((c)->state);                                                                    \
        (c)->state = NULL;                                                                                   \
    } while (0)

extern PyObject *file_error; /* pith.FileError */

/* ---- Data ------------------------------------------------------------------------------------------- */

typedef struct table {
    pith_matrix *m;
    Py_buffer view[3];
    int views;
} table;

/*
 * data: a two-dimensional buffer of float or double, or a tuple (columns, indptr, indices, values) of CSR.
 * names, samples, labels: sequences of str, or None. -1: an exception is set, and there is nothing to close.
 */
int table_open(call *c, PyObject *data, PyObject *names, PyObject *samples, PyObject *labels, table *out);
int table_batches(call *c, PyObject *batches, table *t); /* one text per sample, or None */
void table_close(table *t);
/* A matrix as a dict of bytearrays, shapes and lists of str; NULL: an exception is set. */
PyObject *table_export(const pith_matrix *m);

/* One-dimensional, contiguous, int32. */
int open_int32(PyObject *array, const char *what, Py_buffer *view);

/* ---- Small things ----------------------------------------------------------------------------------- */

/* A str from text that should be UTF-8, invalid bytes replaced; None if NULL. */
PyObject *text_of(const char *text);
/* The UTF-8 of a str, which lives as long as the str; NULL and an exception: not a str, or a NUL in it. */
const char *utf8_of(PyObject *str);
/* NULL-ended UTF-8 of a sequence of str, one for each; owners keeps them alive. Freed by PyMem_Free, and
 * Py_DECREF of owners. count -1: any length. */
const char **texts_of(PyObject *sequence, const char *what, Py_ssize_t count, PyObject **owners);
/* dict[key] = value; takes over the reference to value. If that is NULL, an exception is set already. 0, or
 * -1.
 */
int put(PyObject *dict, const char *key, PyObject *value);

/* ---- The functions ---------------------------------------------------------------------------------- */

PyObject *core_methods(PyObject *module, PyObject *none);
PyObject *core_steps(PyObject *module, PyObject *none);
PyObject *core_nearest(PyObject *module, PyObject *args);
PyObject *core_set_memory(PyObject *module, PyObject *args);
PyObject *core_run(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *core_read(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *core_prep(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *core_prep_read(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *core_prep_texts(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *core_tree(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *core_compare(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *core_kmeans(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *core_agreement(PyObject *module, PyObject *args);

#endif
