#include "methods/params.h"

#include "core/param.h"
#include "graph/given.h"
#include "tree/build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void store(const pith_i_param *row, void *values, double v)
{
    char *field = (char *)values + row->offset;
    switch (row->shown.type) {
    case PITH_INT: *(int64_t *)field = isnan(v) ? PITH_I_AUTO : (int64_t)v; break;
    case PITH_REAL: *(double *)field = v; break;
    case PITH_BOOL: *(bool *)field = v != 0; break;
    case PITH_CHOICE: *(int *)field = (int)v; break;
    case PITH_FILE:
    case PITH_NAME: break; /* none */
    }
}

static double loaded(const pith_i_param *row, const void *values)
{
    const void *field = (const char *)values + row->offset;
    switch (row->shown.type) {
    case PITH_INT:
        return *(const int64_t *)field == PITH_I_AUTO ? (double)NAN : (double)*(const int64_t *)field;
    case PITH_REAL: return *(const double *)field;
    case PITH_BOOL: return *(const bool *)field;
    case PITH_CHOICE: return *(const int *)field;
    case PITH_FILE:
    case PITH_NAME: break;
    }
    return 0;
}

bool pith_i_params_same(const pith_params *a, const pith_params *b, size_t i)
{
    const pith_i_param *row = pith_i_method_row(a->method, i);
    const double x = loaded(row, a->values), y = loaded(row, b->values);
    return x == y || (isnan(x) && isnan(y));
}

void pith_i_params_take(pith_params *to, const pith_params *from, size_t i)
{
    const pith_i_param *row = pith_i_method_row(to->method, i);
    store(row, to->values, loaded(row, from->values));
}

pith_status pith_params_new(pith_ctx *ctx, const pith_method *method, pith_params **out)
{
    pith_params *params = NULL;
    pith_status st = PITH_OK;
    if (method == NULL)
        return pith_i_error(
            ctx, PITH_E_ARGUMENT,
            "no method was given; pith_method_find returns NULL for a name that it does not know");
    if (ctx == NULL || out == NULL)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "no context, or no place for the parameters, was given");
    TRY(NEW_ZERO(ctx, params, 1));
    params->method = method;
    params->values = pith_i_alloc_zero(ctx, 1, method->params_size);
    if (params->values == NULL)
        TRY(PITH_E_NOMEM);
    const pith_i_param *row = NULL;
    for (size_t i = 0; (row = pith_i_method_row(method, i)) != NULL; i++)
        store(row, params->values, row->shown.def);
    *out = params;
    params = NULL;
done:
    pith_params_free(params);
    return st;
}

static void forget_start(pith_i_start *start)
{
    pith_i_free(start->path);
    pith_i_free(start->label);
    *start = (pith_i_start){0};
}

static void forget_tree(pith_i_tree_choice *tree)
{
    pith_i_free(tree->text);
    pith_tree_free(tree->given);
    *tree = (pith_i_tree_choice){0};
}

void pith_params_free(pith_params *params)
{
    if (params != NULL && params->values != NULL) {
        forget_start(&pith_i_params_shared(params)->start);
        forget_tree(&pith_i_params_shared(params)->tree);
        pith_i_given_drop(pith_i_params_shared(params)->own_graph);
        pith_i_given_drop(pith_i_params_shared(params)->graph_rows);
    }
    if (params != NULL) {
        pith_i_free(params->values);
        pith_i_free(params->counts);
    }
    pith_i_free(params);
}

const pith_method *pith_params_method(const pith_params *params)
{
    return params->method;
}

static pith_status copy_start(pith_ctx *ctx, const char *path, int64_t n, const int32_t *labels,
                              pith_i_start *out)
{
    pith_i_start start = {.n = n};
    pith_status st = PITH_OK;
    if (path != NULL && (start.path = pith_i_strdup(ctx, path)) == NULL)
        TRY(PITH_E_NOMEM);
    TRY(NEW(ctx, start.label, n));
    memcpy(start.label, labels, (size_t)n * sizeof *labels);
    *out = start;
    start = (pith_i_start){0};
done:
    forget_start(&start);
    return st;
}

static pith_status copy_tree(pith_ctx *ctx, const pith_i_tree_choice *tree, pith_i_tree_choice *out)
{
    pith_i_tree_choice copy = {0};
    pith_status st = PITH_OK;
    if (tree->text != NULL && (copy.text = pith_i_strdup(ctx, tree->text)) == NULL)
        TRY(PITH_E_NOMEM);
    if (tree->given != NULL)
        TRY(pith_i_tree_copy(ctx, tree->given, &copy.given));
    *out = copy;
    copy = (pith_i_tree_choice){0};
done:
    forget_tree(&copy);
    return st;
}

pith_status pith_i_params_copy(pith_ctx *ctx, const pith_params *from, pith_params **out)
{
    const pith_i_start *start = &pith_i_params_shared(from)->start;
    pith_i_start copy = {0};
    pith_i_tree_choice tree = {0};
    pith_params *params = NULL;
    pith_status st = PITH_OK;
    if (start->n > 0)
        TRY(copy_start(ctx, start->path, start->n, start->label, &copy));
    copy.clusters = start->clusters;
    TRY(copy_tree(ctx, &pith_i_params_shared(from)->tree, &tree));
    TRY(pith_params_new(ctx, from->method, &params));
    memcpy(params->values, from->values, from->method->params_size);
    pith_i_params_shared(params)->start = copy;
    pith_i_params_shared(params)->tree = tree;
    (void)pith_i_given_hold(pith_i_params_shared(params)->own_graph);
    (void)pith_i_given_hold(pith_i_params_shared(params)->graph_rows);
    copy = (pith_i_start){0};
    tree = (pith_i_tree_choice){0};
    TRY(pith_params_set_counts(ctx, params, from->n_counts, from->counts));
    params->by_auto = from->by_auto;
    params->wants_keep = from->wants_keep;
    params->batch_graph = from->batch_graph;
    *out = params;
    params = NULL;
done:
    pith_params_free(params);
    forget_start(&copy);
    forget_tree(&tree);
    return st;
}

void pith_params_want_keep(pith_params *params)
{
    params->wants_keep = true;
}

void pith_params_by_auto(pith_params *params)
{
    params->by_auto = true;
}

pith_status pith_params_set_counts(pith_ctx *ctx, pith_params *params, int64_t n, const int64_t *counts)
{
    int64_t *copy = NULL;
    pith_status st = PITH_OK;
    if (params == NULL || n < 0 || (n > 0 && counts == NULL))
        return pith_i_error(ctx, PITH_E_ARGUMENT, "no parameters or counts were given");
    for (int64_t k = 0; k < n; k++)
        if (counts[k] < 1)
            FAIL(ctx, PITH_E_ARGUMENT, "%lld is not a valid number of features", (long long)counts[k]);
    if (n > 0) {
        TRY(NEW(ctx, copy, n));
        memcpy(copy, counts, (size_t)n * sizeof *copy);
    }
    pith_i_free(params->counts);
    params->counts = copy;
    params->n_counts = n;
done:
    return st;
}

pith_status pith_params_set_batch_graph(pith_ctx *ctx, pith_params *params, bool balanced)
{
    if (params == NULL)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "no parameters were given");
    if (balanced && (params->method->needs & (NEEDS_GRAPH | MAKES_GRAPHS)) == 0)
        return pith_i_error(ctx, PITH_E_PARAMETER,
                            "%s builds no nearest-neighbour graph that could be balanced across batches; "
                            "without the batch graph, each batch is ranked separately",
                            params->method->name);
    params->batch_graph = balanced;
    return PITH_OK;
}

static int by_value(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return x < y ? -1 : x > y;
}

/* Renumbers the labels 0.. in the order of their values. */
static pith_status renumber(pith_ctx *ctx, pith_i_start *start)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_status st = PITH_OK;
    int32_t *value = NULL, count = 0;
    TRY(SCRATCH(ctx, value, start->n));
    memcpy(value, start->label, (size_t)start->n * sizeof *value);
    qsort(value, (size_t)start->n, sizeof *value, by_value);
    for (int64_t i = 0; i < start->n; i++)
        if (i == 0 || value[i] != value[count - 1])
            value[count++] = value[i];
    for (int64_t i = 0; i < start->n; i++) {
        const int32_t *at = bsearch(&start->label[i], value, (size_t)count, sizeof *value, by_value);
        start->label[i] = at != NULL ? (int32_t)(at - value) : 0;
    }
    start->clusters = count;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_params_start(pith_ctx *ctx, pith_params *params, const char *path, int64_t n,
                                const int32_t *labels)
{
    pith_i_start start = {0};
    pith_status st = PITH_OK;
    if (!pith_i_params_is_file(params, "init_labels"))
        FAIL(ctx, PITH_E_PARAMETER, "%s does not start from labels", params->method->name);
    if (n > 0) {
        TRY(copy_start(ctx, path, n, labels, &start));
        TRY(renumber(ctx, &start));
        if (start.clusters < 2)
            FAIL(ctx, PITH_E_PARAMETER,
                 "%s%san initial clustering needs at least 2 different labels, not one",
                 path != NULL ? path : "", path != NULL ? ": " : "");
    }
    forget_start(&pith_i_params_shared(params)->start);
    pith_i_params_shared(params)->start = start;
    start = (pith_i_start){0};
done:
    forget_start(&start);
    return st;
}

bool pith_i_is_graph_name(const char *name)
{
    return strcmp(name, "graph") == 0 || strcmp(name, "graph_rows") == 0;
}

bool pith_i_is_graph_word(const char *text)
{
    for (int w = 0; pith_i_graph_words[w] != NULL; w++)
        if (strcmp(pith_i_graph_words[w], text) == 0)
            return true;
    return false;
}

/* "cl-des, energy, laplacian" */
static void list_graph_methods(char *list, size_t size)
{
    const pith_method *m = NULL;
    size_t used = 0;
    list[0] = '\0';
    for (size_t i = 0; (m = pith_method_at(i)) != NULL && used < size; i++)
        if ((m->needs & NEEDS_GRAPH) != 0)
            used += (size_t)snprintf(list + used, size - used, "%s%s", used > 0 ? ", " : "", m->name);
}

pith_status pith_i_params_takes_graph(pith_ctx *ctx, const pith_params *params, const char *name)
{
    const pith_i_shared *shared = pith_i_params_shared(params);
    const bool is_graph = strcmp(name, "graph") == 0;
    char list[256];
    if ((params->method->needs & NEEDS_GRAPH) == 0) {
        list_graph_methods(list, sizeof list);
        return pith_i_error(ctx, PITH_E_PARAMETER,
                            "%s cannot use a graph of the samples; these methods can: %s",
                            params->method->name, list);
    }
    if ((is_graph ? shared->graph_rows : shared->own_graph) != NULL)
        return pith_i_error(
            ctx, PITH_E_PARAMETER,
            "graph and graph_rows cannot be used together: graph_rows is for building a graph");
    return PITH_OK;
}

static void replace(pith_i_given **place, pith_i_given *by)
{
    pith_i_given_drop(*place);
    *place = by;
}

pith_status pith_i_params_graph(pith_ctx *ctx, pith_params *params, const char *path, pith_i_data *data)
{
    pith_i_shared *shared = pith_i_params_shared(params);
    pith_i_data edges = {0};
    pith_i_given *given = NULL;
    pith_status st = PITH_OK;
    if (data != NULL) {
        TRY(pith_i_params_takes_graph(ctx, params, "graph"));
        TRY(pith_i_given_edges(ctx, path != NULL ? path : "graph", data, &edges));
        TRY(pith_i_given_new(ctx, path, &edges, &given));
    }
    replace(&shared->own_graph, given);
done:
    if (data != NULL)
        pith_i_data_free(data);
    return st;
}

pith_status pith_i_params_graph_rows(pith_ctx *ctx, pith_params *params, const char *path, pith_i_data *data)
{
    pith_i_shared *shared = pith_i_params_shared(params);
    pith_i_given *given = NULL;
    pith_status st = PITH_OK;
    if (data != NULL) {
        TRY(pith_i_params_takes_graph(ctx, params, "graph_rows"));
        if (pith_i_data_check_finite(ctx, data) != PITH_OK)
            FAIL(ctx, PITH_E_DATA, "%s: %s", path != NULL ? path : "graph_rows", pith_ctx_message(ctx));
        TRY(pith_i_data_own(ctx, data));
        TRY(pith_i_given_new(ctx, path, data, &given));
    }
    replace(&shared->graph_rows, given);
done:
    if (data != NULL)
        pith_i_data_free(data);
    return st;
}

bool pith_i_params_is_tree(const pith_params *params, const char *name)
{
    return strcmp(name, "tree") == 0 && pith_i_params_is_file(params, name);
}

pith_status pith_i_params_tree(pith_ctx *ctx, pith_params *params, const char *text, const pith_tree *given)
{
    const pith_i_tree_choice wanted = {(char *)(uintptr_t)text, (pith_tree *)(uintptr_t)given};
    pith_i_recipe recipe;
    pith_i_tree_choice tree = {0};
    pith_status st = PITH_OK;
    if (!pith_i_params_is_tree(params, "tree"))
        FAIL(ctx, PITH_E_PARAMETER, "%s does not use a tree", params->method->name);
    if (text != NULL && pith_i_recipe_is_one(text))
        TRY(pith_i_recipe_read(ctx, text, &recipe)); /* so that a mistake is reported at once */
    else if (text != NULL && access(text, R_OK) != 0)
        FAIL(ctx, PITH_E_FILE, "tree: %s: cannot be read: %s; it is not the name of a tree builder either",
             text, strerror(errno));
    TRY(copy_tree(ctx, &wanted, &tree));
    forget_tree(&pith_i_params_shared(params)->tree);
    pith_i_params_shared(params)->tree = tree;
done:
    return st;
}

enum { MOST_ROWS = 64 };

/* The one method that has a parameter of that name; NULL: none has it, or several. */
static const pith_method *only_method_with(const char *name)
{
    const pith_method *found = NULL;
    for (size_t i = 0; pith_method_at(i) != NULL; i++)
        if (pith_i_method_row_named(pith_method_at(i), name) != NULL) {
            if (found != NULL)
                return NULL;
            found = pith_method_at(i);
        }
    return found;
}

/* The row of that name; else an error that suggests the nearest name. */
static pith_status find_row(pith_ctx *ctx, const pith_method *m, const char *name, const pith_i_param **out)
{
    const char *names[MOST_ROWS + 1] = {0};
    *out = pith_i_method_row_named(m, name);
    if (*out != NULL)
        return PITH_OK;
    for (size_t i = 0; i < MOST_ROWS && pith_i_method_row(m, i) != NULL; i++)
        names[i] = pith_i_method_row(m, i)->shown.name;
    const char *near = pith_nearest(name, names);
    const pith_method *other = near == NULL ? only_method_with(name) : NULL;
    if (other != NULL)
        return pith_i_error(ctx, PITH_E_PARAMETER, "%s has no parameter '%s'; only the method %s has it",
                            m->name, name, other->name);
    return pith_i_error(ctx, PITH_E_PARAMETER, "%s has no parameter '%s'%s%s%s", m->name, name,
                        near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                        near != NULL ? "'?" : "");
}

bool pith_i_params_is_file(const pith_params *params, const char *name)
{
    const pith_i_param *row = pith_i_method_row_named(params->method, name);
    return row != NULL && row->shown.type == PITH_FILE;
}

bool pith_i_params_names_file(const pith_params *params, const char *name, const char *text)
{
    const pith_i_param *row = pith_i_method_row_named(params->method, name);
    if (pith_i_is_graph_name(name)) /* also without such a row: the error lists the methods that have one */
        return row == NULL || row->shown.type != PITH_CHOICE || !pith_i_is_graph_word(text);
    return pith_i_params_is_file(params, name);
}

pith_status pith_i_params_set(pith_ctx *ctx, pith_params *params, const char *name, const char *value)
{
    const pith_i_param *row = NULL;
    double v = 0;
    pith_status st = PITH_OK;
    TRY(find_row(ctx, params->method, name, &row));
    TRY(pith_i_param_parse(ctx, &row->shown, value, &v));
    store(row, params->values, v);
    if (strcmp(name, "graph") == 0) /* one of its words */
        replace(&pith_i_params_shared(params)->own_graph, NULL);
done:
    return st;
}

static const char *file_text(const pith_i_start *start)
{
    return start->n == 0 ? "" : start->path != NULL ? start->path : "(given)";
}

static const char *tree_text(const pith_i_tree_choice *tree)
{
    return tree->text != NULL ? tree->text : tree->given != NULL ? "(given)" : "auto";
}

pith_status pith_params_get(pith_ctx *ctx, const pith_params *params, const char *name, char *text,
                            size_t size)
{
    const pith_i_param *row = NULL;
    if (params == NULL || name == NULL || (text == NULL && size > 0))
        return pith_i_error(ctx, PITH_E_ARGUMENT, "no parameters, name or place for the value was given");
    const pith_status st = find_row(ctx, params->method, name, &row);
    if (st != PITH_OK)
        return st;
    const void *field = (const char *)params->values + row->offset;
    const pith_i_shared *shared = pith_i_params_shared(params);
    char number[PITH_I_NUMBER_TEXT];
    const char *shown = NULL;
    if (strcmp(name, "graph") == 0 && (row->shown.type == PITH_FILE || shared->own_graph != NULL))
        shown = pith_i_given_text(shared->own_graph);
    else if (strcmp(name, "graph_rows") == 0)
        shown = pith_i_given_text(shared->graph_rows);
    else if (row->shown.type == PITH_FILE)
        shown = pith_i_params_is_tree(params, name) ? tree_text(field) : file_text(field);
    else
        shown = pith_i_param_text(&row->shown, loaded(row, params->values), number);
    (void)snprintf(text, size, "%s", shown);
    return PITH_OK;
}
