/* Setting parameters from text; files among them are read here. */
#include "methods/params.h"
#include "io/io.h"

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

pith_status pith_params_set(pith_ctx *ctx, pith_params *params, const char *name, const char *value)
{
    if (params == NULL || name == NULL || value == NULL)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "no parameter, name or value was given");
    if (pith_i_params_is_tree(params, name))
        return pith_i_params_tree(ctx, params, value[0] != '\0' ? value : NULL, NULL);
    return pith_i_params_is_file(params, name) ? set_file(ctx, params, value)
                                               : pith_i_params_set(ctx, params, name, value);
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
