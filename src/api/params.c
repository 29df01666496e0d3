/* Setting parameters from text; files among them are read here. */
#include "methods/params.h"
#include "core/param.h"
#include "io/io.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pith_status set_file(pith_ctx *ctx, pith_params *params, const char *path)
{
    int32_t *labels = NULL;
    int64_t n = 0;
    pith_status st = PITH_OK;
    if (path[0] != '\0')
        TRY(pith_i_clusters_read(ctx, path, &n, &labels));
    TRY(pith_i_params_start(ctx, params, path, n, labels));
done:
    pith_i_free(labels);
    return st;
}

/* "cells.h5ad:X_pca" names a matrix in a file: splits it into the path and the name, which in an .h5ad is
 * looked up in `folder`. The name is "" if there is none. Scratch. */
static pith_status split_path(pith_ctx *ctx, const char *text, const char *folder, char **path, char **var)
{
    const int64_t size = (int64_t)(strlen(text) + strlen(folder)) + 2;
    const char *colon = strrchr(text, ':');
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, *path, size));
    TRY(SCRATCH(ctx, *var, size));
    (void)snprintf(*path, (size_t)size, "%s", text);
    (*var)[0] = '\0';
    if (colon == NULL || access(text, F_OK) == 0)
        return PITH_OK;
    (*path)[colon - text] = '\0';
    const bool in_folder = pith_i_has_ending(*path, ".h5ad") && strchr(colon, '/') == NULL;
    if (pith_i_format_of(*path) == NULL || colon[1] == '\0')
        (*path)[colon - text] = ':'; /* part of a name after all */
    else
        (void)snprintf(*var, (size_t)size, "%s%s%s", in_folder ? folder : "", in_folder ? "/" : "",
                       colon + 1);
done:
    return st;
}

static pith_status set_graph(pith_ctx *ctx, pith_params *params, const char *name, const char *text)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const bool is_graph = strcmp(name, "graph") == 0;
    pith_matrix *m = NULL;
    char *path = NULL, *var = NULL;
    pith_status st = PITH_OK;
    TRY(pith_i_params_takes_graph(ctx, params, name));
    if (is_graph && pith_i_is_graph_word(text))
        FAIL(ctx, PITH_E_PARAMETER,
             "%s cannot choose between graphs: 'graph' is a file with a graph of the samples (write ./%s if "
             "the file has that name)",
             params->method->name, text);
    if (!pith_i_params_is_file(params, name) && access(text, F_OK) != 0 && strchr(text, '.') == NULL)
        TRY(pith_i_params_set(ctx, params, name, text)); /* a mistyped word: the error lists the right ones */
    if (text[0] != '\0') {
        TRY(split_path(ctx, text, is_graph ? "obsp" : "obsm", &path, &var));
        if (is_graph && var[0] == '\0' && pith_i_has_ending(path, ".h5ad"))
            FAIL(ctx, PITH_E_PARAMETER, "%s: say which matrix of obsp is the graph, as in %s:connectivities",
                 path, path);
        const pith_read_options options = {
            .var = var[0] != '\0' ? var : NULL, .no_labels = true, .missing = PITH_MISSING_KEEP};
        TRY(pith_matrix_read(ctx, path, &options, &m));
    }
    TRY((is_graph ? pith_i_params_graph : pith_i_params_graph_rows)(ctx, params, text,
                                                                    m != NULL ? &m->data : NULL));
done:
    pith_matrix_free(m);
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_params_set(pith_ctx *ctx, pith_params *params, const char *name, const char *value)
{
    if (params == NULL || name == NULL || value == NULL)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "no parameter, name or value was given");
    if (pith_i_params_is_tree(params, name))
        return pith_i_params_tree(ctx, params, value[0] != '\0' ? value : NULL, NULL);
    if (pith_i_is_graph_name(name) && pith_i_params_names_file(params, name, value))
        return set_graph(ctx, params, name, value);
    return pith_i_params_is_file(params, name) ? set_file(ctx, params, value)
                                               : pith_i_params_set(ctx, params, name, value);
}

/* PITH_E_PARAMETER if the parameter takes no value of this type; an unknown name is left to pith_params_set.
 */
static pith_status check_type(pith_ctx *ctx, const pith_params *params, const char *name, pith_type type)
{
    static const char *const names[] = {"a whole number", "a number", "yes or no",
                                        "a choice",       "a file",   "a name"};
    const pith_param *p = NULL;
    if (params == NULL || name == NULL)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "no parameter or name was given");
    for (size_t k = 0; (p = pith_method_param(params->method, k)) != NULL; k++)
        if (strcmp(p->name, name) == 0)
            break;
    if (p == NULL || p->type == type || (type == PITH_INT && p->type == PITH_REAL))
        return PITH_OK;
    return pith_i_error(ctx, PITH_E_PARAMETER, "%s: is %s, not %s", name, names[p->type], names[type]);
}

/* Through text, which keeps every bit of a double. */
pith_status pith_params_set_real(pith_ctx *ctx, pith_params *params, const char *name, double value)
{
    char text[PITH_I_NUMBER_TEXT];
    const pith_status st = check_type(ctx, params, name, PITH_REAL);
    if (st != PITH_OK)
        return st;
    return pith_params_set(ctx, params, name, isnan(value) ? "auto" : pith_i_format_double(value, text));
}

pith_status pith_params_set_int(pith_ctx *ctx, pith_params *params, const char *name, int64_t value)
{
    char text[32];
    const pith_status st = check_type(ctx, params, name, PITH_INT);
    if (st != PITH_OK)
        return st;
    (void)snprintf(text, sizeof text, "%lld", (long long)value);
    return pith_params_set(ctx, params, name, text);
}

pith_status pith_params_set_bool(pith_ctx *ctx, pith_params *params, const char *name, bool value)
{
    const pith_status st = check_type(ctx, params, name, PITH_BOOL);
    return st != PITH_OK ? st : pith_params_set(ctx, params, name, value ? "yes" : "no");
}

pith_status pith_params_set_choice(pith_ctx *ctx, pith_params *params, const char *name, const char *choice)
{
    const pith_status st = check_type(ctx, params, name, PITH_CHOICE);
    return st != PITH_OK ? st : pith_params_set(ctx, params, name, choice);
}

pith_status pith_params_set_init_labels(pith_ctx *ctx, pith_params *params, int64_t n, const int32_t *labels)
{
    if (params == NULL || n < 0 || (n > 0 && labels == NULL))
        return pith_i_error(ctx, PITH_E_ARGUMENT, "no parameters or labels were given");
    return pith_i_params_start(ctx, params, NULL, n, labels);
}

pith_status pith_params_set_tree(pith_ctx *ctx, pith_params *params, const pith_tree *tree)
{
    if (params == NULL)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "no parameters were given");
    return pith_i_params_tree(ctx, params, NULL, tree);
}

pith_status pith_params_set_graph(pith_ctx *ctx, pith_params *params, int64_t n, const int64_t *row_offsets,
                                  const int32_t *columns, const double *weights)
{
    pith_i_data A = {.n = n,
                     .p = n,
                     .dtype = PITH_F64,
                     .sparse = true,
                     .indptr = row_offsets,
                     .indices = columns,
                     .values = weights};
    pith_status st = PITH_OK;
    if (params == NULL || n < 0)
        return pith_i_error(ctx, PITH_E_ARGUMENT,
                            "no parameters, or a negative number of samples, were given");
    if (n > 0)
        TRY(pith_i_data_check(ctx, &A));
    TRY(pith_i_params_graph(ctx, params, NULL, n > 0 ? &A : NULL));
done:
    return st;
}

pith_status pith_params_set_graph_rows(pith_ctx *ctx, pith_params *params, const pith_matrix *rows)
{
    pith_i_data copy = {0};
    pith_status st = PITH_OK;
    if (params == NULL)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "no parameters were given");
    if (rows != NULL)
        TRY(pith_i_scaled(ctx, &rows->data, rows->data.dtype, NULL, NULL, NULL, &copy));
    TRY(pith_i_params_graph_rows(ctx, params, NULL, rows != NULL ? &copy : NULL));
done:
    return st;
}
