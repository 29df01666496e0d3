/* Python arrays as tables of the library, and back. */
#include "core.h"

#include <string.h>

/* The letter of a buffer's format in this machine's own byte order, or 0. */
static char letter_of(const Py_buffer *v)
{
    static const uint16_t one = 1;
    const char here = *(const char *)&one == 1 ? '<' : '>'; /* arrays from HDF5 state their byte order */
    const char *format = v->format != NULL ? v->format : "B";
    if (format[0] == '@' || format[0] == '=' || format[0] == here)
        format++;
    return format[0] != '\0' && format[1] == '\0' ? format[0] : '\0';
}

static Py_ssize_t size_of(char letter)
{
    return letter == 'd' || letter == 'l' || letter == 'q' ? 8 : 4;
}

/* One-dimensional and contiguous, with one of these letters as its format: d and f are double and float, i is
 * int32, l and q are int64. */
static int open_vector(PyObject *array, const char *what, const char *letters, Py_buffer *view)
{
    if (PyObject_GetBuffer(array, view, PyBUF_ND | PyBUF_FORMAT) != 0)
        return -1;
    const char letter = letter_of(view);
    if (view->ndim == 1 && letter != '\0' && strchr(letters, letter) != NULL &&
        view->itemsize == size_of(letter) && (uintptr_t)view->buf % (uintptr_t)view->itemsize == 0)
        return 0;
    PyErr_Format(PyExc_TypeError, "%s must be a vector of format %s, not %d-dimensional of format '%.20s'",
                 what, letters, view->ndim, view->format != NULL ? view->format : "B");
    PyBuffer_Release(view);
    return -1;
}

int open_int32(PyObject *array, const char *what, Py_buffer *view)
{
    return open_vector(array, what, "i", view);
}

/* The stride along a dimension, in elements; -1: one that the library cannot use. */
static int64_t stride_of(const Py_buffer *v, int dimension)
{
    const Py_ssize_t bytes = v->strides[dimension];
    if (v->shape[dimension] <= 1) /* nothing to step over: NumPy leaves any number there */
        return 1;
    return bytes >= 0 && bytes % v->itemsize == 0 ? bytes / v->itemsize : -1;
}

static int open_dense(call *c, PyObject *data, table *t)
{
    Py_buffer *v = &t->view[0];
    if (PyObject_GetBuffer(data, v, PyBUF_STRIDES | PyBUF_FORMAT) != 0)
        return -1;
    t->views = 1;
    const char letter = letter_of(v);
    if (v->ndim != 2 || (letter != 'd' && letter != 'f')) {
        PyErr_Format(PyExc_TypeError,
                     "a table is two-dimensional, of float or double, not %d-dimensional of format '%.20s'",
                     v->ndim, v->format != NULL ? v->format : "B");
        return -1;
    }
    if (stride_of(v, 0) < 0 || stride_of(v, 1) < 0 || (uintptr_t)v->buf % (uintptr_t)v->itemsize != 0) {
        PyErr_SetString(PyExc_ValueError, "the array is not aligned or has negative strides: copy it");
        return -1;
    }
    return call_status(c, pith_matrix_dense(c->ctx, v->shape[0], v->shape[1],
                                            letter == 'd' ? PITH_F64 : PITH_F32, v->buf, stride_of(v, 0),
                                            stride_of(v, 1), &t->m));
}

static int open_csr(call *c, PyObject *data, table *t)
{
    static const char *const what[] = {"indptr", "indices", "values"}, *const letters[] = {"lq", "i", "df"};
    PyObject *array[3] = {NULL};
    Py_ssize_t columns = 0;
    pith_status st = PITH_OK;
    if (!PyArg_ParseTuple(data, "nOOO:csr", &columns, &array[0], &array[1], &array[2]))
        return -1;
    for (; t->views < 3; t->views++)
        if (open_vector(array[t->views], what[t->views], letters[t->views], &t->view[t->views]) != 0)
            return -1;
    const int64_t *start = t->view[0].buf;
    const Py_ssize_t rows = t->view[0].shape[0] - 1, stored = t->view[1].shape[0];
    /* The library does not know the lengths of the arrays, so the last row pointer is checked here. */
    if (rows < 0 || start[rows] > stored || stored != t->view[2].shape[0]) {
        PyErr_SetString(PyExc_ValueError, "CSR: indptr, indices and values do not match");
        return -1;
    }
    const pith_dtype dtype = letter_of(&t->view[2]) == 'd' ? PITH_F64 : PITH_F32;
    UNLOCKED(c, st,
             pith_matrix_csr(c->ctx, rows, columns, dtype, start, t->view[1].buf, t->view[2].buf, &t->m));
    return call_status(c, st);
}

typedef pith_status set_fn(pith_ctx *, pith_matrix *, const char *const *);

static int set_texts(call *c, PyObject *sequence, const char *what, int64_t count, set_fn *set,
                     pith_matrix *m)
{
    PyObject *owners = NULL;
    if (sequence == Py_None)
        return 0;
    const char **texts = texts_of(sequence, what, (Py_ssize_t)count, &owners);
    if (texts == NULL)
        return -1;
    const int status = call_status(c, set(c->ctx, m, texts));
    PyMem_Free(texts);
    Py_DECREF(owners);
    return status;
}

int table_open(call *c, PyObject *data, PyObject *names, PyObject *samples, PyObject *labels, table *out)
{
    table t = {0};
    if ((PyTuple_Check(data) ? open_csr : open_dense)(c, data, &t) != 0 ||
        set_texts(c, names, "feature names", pith_matrix_cols(t.m), pith_matrix_set_feature_names, t.m) !=
            0 ||
        set_texts(c, samples, "sample names", pith_matrix_rows(t.m), pith_matrix_set_sample_names, t.m) !=
            0 ||
        set_texts(c, labels, "labels", pith_matrix_rows(t.m), pith_matrix_set_labels, t.m) != 0) {
        table_close(&t);
        return -1;
    }
    *out = t;
    return 0;
}

int table_batches(call *c, PyObject *batches, table *t)
{
    return set_texts(c, batches, "batches", pith_matrix_rows(t->m), pith_matrix_set_batches, t->m);
}

void table_close(table *t)
{
    pith_matrix_free(t->m);
    for (int i = 0; i < t->views; i++)
        PyBuffer_Release(&t->view[i]);
    *t = (table){0};
}

/* ---- Back ------------------------------------------------------------------------------------------- */

static PyObject *bytes_of(const void *from, int64_t count, size_t size)
{
    return PyByteArray_FromStringAndSize(from, (Py_ssize_t)count * (Py_ssize_t)size);
}

static int export_dense(const pith_matrix *m, const pith_arrays *at, size_t size, PyObject *dict)
{
    const int64_t n = pith_matrix_rows(m), p = pith_matrix_cols(m);
    const bool c_order = at->col_stride == 1 && at->row_stride == p;
    if (!c_order && (at->row_stride != 1 || at->col_stride != n)) { /* no reader makes such a table */
        PyErr_SetString(PyExc_RuntimeError, "the table is neither in C order nor in Fortran order");
        return -1;
    }
    if (put(dict, "order", text_of(c_order ? "C" : "F")) != 0)
        return -1;
    return put(dict, "x", bytes_of(at->x, n * p, size));
}

static int export_csr(const pith_matrix *m, const pith_arrays *at, size_t size, PyObject *dict)
{
    const int64_t n = pith_matrix_rows(m), stored = at->indptr[n];
    if (put(dict, "indptr", bytes_of(at->indptr, n + 1, sizeof *at->indptr)) != 0 ||
        put(dict, "indices", bytes_of(at->indices, stored, sizeof *at->indices)) != 0)
        return -1;
    return put(dict, "values", bytes_of(at->values, stored, size));
}

typedef const char *name_fn(const pith_matrix *, int64_t);

/* A list of names; None where there are none. */
static PyObject *names_of(const pith_matrix *m, int64_t count, name_fn *name)
{
    if (count == 0 || name(m, 0) == NULL)
        Py_RETURN_NONE;
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (int64_t i = 0; list != NULL && i < count; i++) {
        PyObject *text = text_of(name(m, i));
        if (text == NULL)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, (Py_ssize_t)i, text);
    }
    return list;
}

static const char *class_name(const pith_matrix *m, int64_t k)
{
    return pith_matrix_class_name(m, (int32_t)k);
}

static int export_labels(const pith_matrix *m, PyObject *dict)
{
    const int64_t n = pith_matrix_rows(m), classes = pith_matrix_classes(m);
    if (put(dict, "classes", names_of(m, classes, class_name)) != 0)
        return -1;
    if (classes == 0)
        return put(dict, "labels", text_of(NULL));
    PyObject *labels = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)n * (Py_ssize_t)sizeof(int32_t));
    for (int64_t i = 0; labels != NULL && i < n; i++)
        ((int32_t *)(void *)PyByteArray_AS_STRING(labels))[i] = pith_matrix_label(m, i);
    return put(dict, "labels", labels);
}

/* The steps of a preparation, and the numbers that the columns had before it; None: there was none. */
static int export_steps(const pith_matrix *m, PyObject *dict)
{
    const Py_ssize_t p = (Py_ssize_t)pith_matrix_cols(m);
    if (put(dict, "steps", text_of(pith_matrix_steps(m))) != 0)
        return -1;
    if (pith_matrix_steps(m) == NULL)
        return put(dict, "columns", text_of(NULL));
    PyObject *columns = PyByteArray_FromStringAndSize(NULL, p * (Py_ssize_t)sizeof(int64_t));
    for (Py_ssize_t j = 0; columns != NULL && j < p; j++)
        ((int64_t *)(void *)PyByteArray_AS_STRING(columns))[j] = pith_matrix_origin(m, j);
    return put(dict, "columns", columns);
}

PyObject *table_export(const pith_matrix *m)
{
    const pith_arrays at = pith_matrix_arrays(m);
    const bool is_double = pith_matrix_dtype(m) == PITH_F64;
    const size_t size = is_double ? sizeof(double) : sizeof(float);
    PyObject *dict = PyDict_New();
    if (dict == NULL)
        return NULL;
    if (put(dict, "rows", PyLong_FromLongLong(pith_matrix_rows(m))) != 0 ||
        put(dict, "cols", PyLong_FromLongLong(pith_matrix_cols(m))) != 0 ||
        put(dict, "dtype", text_of(is_double ? "f8" : "f4")) != 0 ||
        (pith_matrix_is_sparse(m) ? export_csr : export_dense)(m, &at, size, dict) != 0 ||
        put(dict, "feature_names", names_of(m, pith_matrix_cols(m), pith_matrix_feature_name)) != 0 ||
        put(dict, "sample_names", names_of(m, pith_matrix_rows(m), pith_matrix_sample_name)) != 0 ||
        export_labels(m, dict) != 0 || export_steps(m, dict) != 0)
        Py_CLEAR(dict);
    return dict;
}
