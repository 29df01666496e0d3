/* The module pith._core. */
#include "core.h"

PyObject *file_error;

#define WITH_KEYWORDS(function) ((PyCFunction)(void (*)(void))(function)), METH_VARARGS | METH_KEYWORDS

static PyMethodDef functions[] = {
    {"methods", core_methods, METH_NOARGS, "The methods of the registry, one dict each."},
    {"steps", core_steps, METH_NOARGS, "The steps and recipes of preparation, one dict each."},
    {"nearest", core_nearest, METH_VARARGS, "The nearest of the words to a mistyped one, or None."},
    {"set_memory", core_set_memory, METH_VARARGS, "Limits the memory of later calls."},
    {"run", WITH_KEYWORDS(core_run), "Runs one method."},
    {"read", WITH_KEYWORDS(core_read), "Reads a file."},
    {"prep", WITH_KEYWORDS(core_prep), "Prepares a table."},
    {"prep_read", WITH_KEYWORDS(core_prep_read), "Reads a file or a folder and prepares it."},
    {"prep_texts", WITH_KEYWORDS(core_prep_texts), "Prepares documents."},
    {"tree", WITH_KEYWORDS(core_tree), "Builds or reads a feature tree."},
    {"compare", WITH_KEYWORDS(core_compare), "Compares methods."},
    {"kmeans", WITH_KEYWORDS(core_kmeans), "Clusters rows."},
    {"agreement", core_agreement, METH_VARARGS, "How well clusters agree with classes."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "pith._core",
    "Bindings of libpith, for the package's own use.",
    -1,
    functions,
    NULL,
    NULL,
    NULL,
    NULL,
};

PyMODINIT_FUNC PyInit__core(void);

PyMODINIT_FUNC PyInit__core(void)
{
    PyObject *module = PyModule_Create(&definition);
    PyObject *bases = PyTuple_Pack(2, PyExc_OSError, PyExc_ValueError);
    if (module == NULL || bases == NULL)
        goto failed;
    file_error = PyErr_NewExceptionWithDoc(
        "pith.FileError", "A file cannot be opened, read or written, or its ending is not a known format.",
        bases, NULL);
    Py_CLEAR(bases);
    if (file_error == NULL || PyModule_AddObjectRef(module, "FileError", file_error) != 0 ||
        PyModule_AddStringConstant(module, "version", pith_version()) != 0)
        goto failed;
    return module;
failed:
    Py_XDECREF(bases);
    Py_XDECREF(module);
    return NULL;
}
