/* Feature trees, as pith.h offers them. */
#include "core/engine.h"
#include "io/io.h"
#include "matrix/blas.h"
#include "tree/build.h"

pith_status pith_tree_build(pith_ctx *ctx, const pith_matrix *m, const char *recipe, pith_tree **out)
{
    pith_i_recipe r;
    pith_tree *t = NULL;
    int claim = 0;
    pith_status st = PITH_OK;
    if (ctx == NULL || m == NULL || recipe == NULL || out == NULL)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "no table, recipe or place for the tree was given");
    TRY(pith_i_one_process(ctx, "a tree"));
    const pith_i_table table = {.X = &m->data, .names = &m->features, .by_columns = m->by_columns};
    TRY(pith_i_recipe_read(ctx, recipe, &r));
    TRY(pith_i_blas_begin(ctx, &claim));
    if (!m->known_finite)
        TRY(pith_i_data_check_finite(ctx, &m->data));
    pith_i_progress_begin(ctx);
    TRY(pith_i_progress_stage(ctx, "building the tree", 0, 1));
    TRY(pith_i_tree_build(ctx, &table, &r, &t));
    *out = t;
done:
    pith_i_blas_end(ctx, claim);
    return st;
}

pith_status pith_tree_read(pith_ctx *ctx, const char *path, const pith_matrix *m, pith_tree **out)
{
    pith_tree *t = NULL;
    if (ctx == NULL || path == NULL || out == NULL)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "no path or no place for the tree was given");
    const pith_status st =
        pith_i_tree_read(ctx, path, m != NULL ? m->data.p : -1, m != NULL ? &m->features : NULL, &t);
    if (st == PITH_OK)
        *out = t;
    return st;
}

pith_status pith_tree_write(pith_ctx *ctx, const pith_tree *tree, const char *path)
{
    if (ctx == NULL || tree == NULL)
        return pith_i_error(ctx, PITH_E_ARGUMENT, "no tree was given");
    return pith_i_tree_write(ctx, tree, path);
}
