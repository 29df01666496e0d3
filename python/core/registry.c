/* What the library says about its methods and steps, in the words of `pith methods --json`. */
#include "core.h"

#include <math.h>

static const char *type_name(const pith_param *p)
{
    switch (p->type) {
    case PITH_INT: return "integer";
    case PITH_REAL: return "real";
    case PITH_BOOL: return "boolean";
    case PITH_CHOICE: return "choice";
    case PITH_FILE: return "file";
    case PITH_NAME: return "name";
    }
    return "";
}

static PyObject *default_of(const pith_param *p)
{
    if (p->type == PITH_BOOL)
        return PyBool_FromLong(p->def != 0);
    if (p->type == PITH_CHOICE)
        return text_of(p->choices[(int)p->def]);
    if ((p->type == PITH_FILE && !p->can_be_auto) || p->type == PITH_NAME)
        return text_of(NULL);
    if (isnan(p->def))
        return text_of("auto");
    return p->type == PITH_INT ? PyLong_FromDouble(p->def) : PyFloat_FromDouble(p->def);
}

static PyObject *choices_of(const pith_param *p)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && p->choices[i] != NULL; i++) {
        PyObject *word = text_of(p->choices[i]);
        if (word == NULL || PyList_Append(list, word) != 0)
            Py_CLEAR(list);
        Py_XDECREF(word);
    }
    return list;
}

static PyObject *parameter_of(const pith_param *p)
{
    PyObject *dict = PyDict_New();
    if (dict == NULL || put(dict, "name", text_of(p->name)) != 0 ||
        put(dict, "type", text_of(type_name(p))) != 0 || put(dict, "default", default_of(p)) != 0 ||
        put(dict, "can_be_auto", PyBool_FromLong(p->can_be_auto)) != 0 ||
        put(dict, "auto_word", text_of(p->auto_word != NULL ? p->auto_word : "auto")) != 0 ||
        put(dict, "help", text_of(p->help)) != 0)
        goto failed;
    if (p->type == PITH_CHOICE && put(dict, "choices", choices_of(p)) != 0)
        goto failed;
    if ((p->type == PITH_INT || p->type == PITH_REAL) && (put(dict, "low", PyFloat_FromDouble(p->lo)) != 0 ||
                                                          put(dict, "high", PyFloat_FromDouble(p->hi)) != 0))
        goto failed;
    return dict;
failed:
    Py_XDECREF(dict);
    return NULL;
}

typedef const pith_param *param_fn(const void *owner, size_t i);

static const pith_param *method_param(const void *owner, size_t i)
{
    return pith_method_param(owner, i);
}

static const pith_param *step_param(const void *owner, size_t i)
{
    return pith_step_param(owner, i);
}

static PyObject *parameters_of(const void *owner, param_fn *param)
{
    const pith_param *p = NULL;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && (p = param(owner, i)) != NULL; i++) {
        PyObject *one = parameter_of(p);
        if (one == NULL || PyList_Append(list, one) != 0)
            Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

static PyObject *method_of(const pith_method *m)
{
    PyObject *dict = PyDict_New();
    if (dict == NULL || put(dict, "name", text_of(pith_method_name(m))) != 0 ||
        put(dict, "family", text_of(pith_method_family(m))) != 0 ||
        put(dict, "title", text_of(pith_method_title(m))) != 0 ||
        put(dict, "reference", text_of(pith_method_reference(m))) != 0 ||
        put(dict, "notes", text_of(pith_method_notes(m))) != 0 ||
        put(dict, "needs_labels", PyBool_FromLong(pith_method_needs_labels(m))) != 0 ||
        put(dict, "needs_tree", PyBool_FromLong(pith_method_needs_tree(m))) != 0 ||
        put(dict, "needs_counts", PyBool_FromLong(pith_method_needs_counts(m))) != 0 ||
        put(dict, "auto_features", PyBool_FromLong(pith_method_keeps(m))) != 0 ||
        put(dict, "spreads", PyBool_FromLong(pith_method_spreads(m))) != 0 ||
        put(dict, "parameters", parameters_of(m, method_param)) != 0)
        Py_CLEAR(dict);
    return dict;
}

static PyObject *step_of(const pith_step *s)
{
    PyObject *dict = PyDict_New();
    if (dict == NULL || put(dict, "name", text_of(pith_step_name(s))) != 0 ||
        put(dict, "title", text_of(pith_step_title(s))) != 0 || put(dict, "stands_for", text_of(NULL)) != 0 ||
        put(dict, "parameters", parameters_of(s, step_param)) != 0)
        Py_CLEAR(dict);
    return dict;
}

static PyObject *recipe_of(size_t i)
{
    const char *steps = NULL, *title = NULL, *name = pith_recipe_at(i, &steps, &title);
    PyObject *dict = PyDict_New();
    if (dict == NULL || put(dict, "name", text_of(name)) != 0 || put(dict, "title", text_of(title)) != 0 ||
        put(dict, "stands_for", text_of(steps)) != 0 || put(dict, "parameters", PyList_New(0)) != 0)
        Py_CLEAR(dict);
    return dict;
}

PyObject *core_methods(PyObject *module, PyObject *none)
{
    PyObject *list = PyList_New(0);
    (void)module;
    (void)none;
    for (size_t i = 0; list != NULL && pith_method_at(i) != NULL; i++) {
        PyObject *one = method_of(pith_method_at(i));
        if (one == NULL || PyList_Append(list, one) != 0)
            Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

PyObject *core_steps(PyObject *module, PyObject *none)
{
    PyObject *list = PyList_New(0);
    (void)module;
    (void)none;
    for (size_t i = 0; list != NULL && pith_step_at(i) != NULL; i++) {
        PyObject *one = step_of(pith_step_at(i));
        if (one == NULL || PyList_Append(list, one) != 0)
            Py_CLEAR(list);
        Py_XDECREF(one);
    }
    for (size_t i = 0; list != NULL && pith_recipe_at(i, NULL, NULL) != NULL; i++) {
        PyObject *one = recipe_of(i);
        if (one == NULL || PyList_Append(list, one) != 0)
            Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

/* nearest(word, words): the nearest of the words to a mistyped one, or None. */
PyObject *core_nearest(PyObject *module, PyObject *args)
{
    PyObject *sequence = NULL, *owners = NULL;
    const char *word = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "sO:nearest", &word, &sequence))
        return NULL;
    const char **words = texts_of(sequence, "words", -1, &owners);
    if (words == NULL)
        return NULL;
    PyObject *found = text_of(pith_nearest(word, words));
    PyMem_Free(words);
    Py_DECREF(owners);
    return found;
}
