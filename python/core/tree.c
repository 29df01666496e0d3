/* Feature trees. */
#include "core.h"

/* [(parent, label, features), ...], the root first. */
static PyObject *nodes_of(const pith_tree *tree)
{
    const int64_t count = pith_tree_nodes(tree);
    PyObject *list = PyList_New(0);
    for (int64_t g = 0; list != NULL && g < count; g++) {
        const int32_t *features = NULL;
        const int64_t n = pith_tree_node(tree, g, &features);
        PyObject *label = text_of(pith_tree_label(tree, g));
        PyObject *held = PyByteArray_FromStringAndSize((const char *)features,
                                                       (Py_ssize_t)n * (Py_ssize_t)sizeof *features);
        PyObject *one = Py_BuildValue("LNN", (long long)pith_tree_parent(tree, g), label, held);
        if (one == NULL || PyList_Append(list, one) != 0)
            Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

static PyObject *remarks_of(const pith_tree *tree)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && pith_tree_remark(tree, i) != NULL; i++) {
        PyObject *one = text_of(pith_tree_remark(tree, i));
        if (one == NULL || PyList_Append(list, one) != 0)
            Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

static PyObject *tree_of(const pith_tree *tree)
{
    PyObject *dict = PyDict_New();
    if (dict == NULL || put(dict, "features", PyLong_FromLongLong(pith_tree_features(tree))) != 0 ||
        put(dict, "depth", PyLong_FromLongLong(pith_tree_depth(tree))) != 0 ||
        put(dict, "nodes", nodes_of(tree)) != 0 || put(dict, "remarks", remarks_of(tree)) != 0)
        Py_CLEAR(dict);
    return dict;
}

/* tree(data, names, recipe, path, output, seed, threads, watch): the tree that the recipe builds from the
 * data, or the one in the file at path, for which data may be None. It is also written to output. */
PyObject *core_tree(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *words[] = {"data", "names", "recipe", "path", "output", "seed", "threads", "watch", NULL};
    PyObject *data, *names, *seed, *watch, *made = NULL;
    const char *recipe, *path, *output;
    pith_tree *tree = NULL;
    table t = {0};
    call c;
    int threads;
    pith_status st = PITH_OK;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOzzsOiO:tree", words, &data, &names, &recipe, &path,
                                     &output, &seed, &threads, &watch))
        return NULL;
    if ((recipe == NULL) == (path == NULL) || (recipe != NULL && data == Py_None)) {
        PyErr_SetString(PyExc_ValueError, "either a recipe and data or the path of a tree is expected");
        return NULL;
    }
    if (call_open(&c, seed, threads, watch, Py_None) != 0)
        return NULL;
    if (data != Py_None && table_open(&c, data, names, Py_None, Py_None, &t) != 0)
        goto done;
    if (recipe != NULL)
        UNLOCKED(&c, st, pith_tree_build(c.ctx, t.m, recipe, &tree));
    else
        UNLOCKED(&c, st, pith_tree_read(c.ctx, path, t.m, &tree));
    if (call_status(&c, st) != 0)
        goto done;
    UNLOCKED(&c, st, pith_tree_write(c.ctx, tree, output));
    if (call_status(&c, st) == 0)
        made = tree_of(tree);
done:
    pith_tree_free(tree);
    table_close(&t);
    call_close(&c);
    return made;
}
