/*
 * A tree from the data: correlated columns share a node. Levels are nested partitions of the columns that
 * vary; constant ones are in the root alone.
 */
#include "core/engine.h"
#include "tree/bisect.h"
#include "tree/build.h"
#include "tree/columns.h"
#include "tree/dendrogram.h"

#include <string.h>

enum { MOST_WITH_DISTANCES = 12000, MOST_LEVELS = 32 };

typedef struct levels {
    int count;
    int32_t clusters[MOST_LEVELS];
    int32_t *label; /* count x m; -1: in no cluster of this level */
} levels;

/* ---- From levels to a tree ---------------------------------------------------------------------------- */

/* Adds the nodes of one level. first, above_first: the numbers of the first node of this level and of the
 * level above. */
static void add_level(const pith_i_columns *c, int32_t clusters, const int32_t *label, const int32_t *above,
                      int32_t first, int32_t above_first, int32_t *parent, int64_t *node_ptr, int32_t *feat)
{
    for (int32_t g = 0; g < clusters; g++)
        node_ptr[first + g + 1] = 0;
    for (int64_t k = 0; k < c->m; k++)
        if (label[k] >= 0) {
            node_ptr[first + label[k] + 1]++;
            parent[first + label[k]] = above != NULL ? above_first + above[k] : 0;
        }
    for (int32_t g = 0; g < clusters; g++)
        node_ptr[first + g + 1] += node_ptr[first + g];
    for (int64_t k = 0; k < c->m; k++) /* backwards from each node's end, so that columns ascend */
        if (label[c->m - 1 - k] >= 0)
            feat[--node_ptr[first + label[c->m - 1 - k] + 1]] = c->kept[c->m - 1 - k];
    /* node_ptr[first + g + 1] is now the start of node g: it moves to its own place. */
    for (int32_t g = 0; g < clusters; g++)
        node_ptr[first + g] = node_ptr[first + g + 1];
}

static pith_status make(pith_ctx *ctx, const pith_i_columns *c, const levels *l, pith_tree **out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t p = c->X->p;
    int64_t nodes = 1, *node_ptr = NULL, used = p;
    int32_t *parent = NULL, *feat = NULL;
    pith_status st = PITH_OK;
    for (int i = 0; i < l->count; i++)
        nodes += l->clusters[i];
    TRY(SCRATCH(ctx, parent, nodes));
    TRY(SCRATCH(ctx, node_ptr, nodes + 1));
    TRY(SCRATCH(ctx, feat, p + l->count * c->m));
    parent[0] = -1;
    node_ptr[0] = 0;
    for (int64_t j = 0; j < p; j++)
        feat[j] = (int32_t)j;
    int32_t first = 1, before = 0;
    node_ptr[1] = p;
    for (int i = 0; i < l->count; i++) {
        const int32_t *label = l->label + i * c->m;
        add_level(c, l->clusters[i], label, i > 0 ? label - c->m : NULL, first, before, parent, node_ptr,
                  feat);
        for (int64_t k = 0; k < c->m; k++)
            used += label[k] >= 0;
        before = first;
        first += l->clusters[i];
        node_ptr[first] = used;
    }
    const pith_i_sketch s = {.n_features = (int32_t)p,
                             .n_nodes = (int32_t)nodes,
                             .parent = parent,
                             .node_ptr = node_ptr,
                             .feat = feat};
    TRY(pith_i_tree_make(ctx, &s, 2, out));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- The levels --------------------------------------------------------------------------------------- */

/* Cuts one dendrogram, so that levels are nested, at b, b^2, b^3, ... clusters, as long as these have `leaf`
 * columns or more on average. */
static pith_status cut(pith_ctx *ctx, const pith_i_columns *c, const pith_i_merge *merges, int64_t branch,
                       int64_t leaf, levels *out)
{
    pith_status st = PITH_OK;
    for (int64_t k = branch; k * leaf <= c->m && k <= c->m && out->count < MOST_LEVELS; k *= branch)
        out->clusters[out->count++] = (int32_t)k;
    TRY(SCRATCH(ctx, out->label, out->count * c->m));
    for (int i = 0; i < out->count; i++)
        TRY(pith_i_dendrogram_cut(ctx, c->m, merges, out->clusters[i], out->label + i * c->m));
done:
    return st;
}

static pith_status by_linkage(pith_ctx *ctx, pith_i_columns *c, const pith_i_recipe *r, levels *out)
{
    const bool ward = r->linkage == PITH_I_WARD;
    pith_i_merge *merges = NULL;
    float *distance = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, merges, c->m));
    if (ward && c->m > MOST_WITH_DISTANCES) {
        if (r->absolute)
            FAIL(ctx, PITH_E_PARAMETER, "tree: abs with ward linkage is limited to %d features",
                 MOST_WITH_DISTANCES);
        if (c->spread)
            TRY(pith_i_one_process(ctx, "a tree by ward linkage of more than 12000 features"));
        TRY(pith_i_columns_unpack(ctx, c));
        TRY(pith_i_dendrogram_ward(ctx, c->m, c->n, c->unit, merges));
    } else {
        distance = pith_i_alloc(ctx, pith_i_pairs(c->m) + 1, sizeof *distance);
        if (distance == NULL)
            TRY(PITH_E_NOMEM);
        TRY(pith_i_progress_stage(ctx, "correlating features", 0, 0.5));
        TRY(pith_i_columns_distances(ctx, c, r->absolute, ward ? 2 : 1, distance));
        TRY(pith_i_progress_stage(ctx, "joining features", 0.5, 1));
        TRY(pith_i_dendrogram(ctx, c->m, ward, distance, merges));
    }
    TRY(cut(ctx, c, merges, r->branch, r->leaf, out));
done:
    pith_i_free(distance);
    return st;
}

static pith_status by_bisection(pith_ctx *ctx, pith_i_columns *c, const pith_i_recipe *r, levels *out)
{
    pith_status st = PITH_OK;
    out->count = PITH_I_BISECT_LEVELS;
    TRY(SCRATCH(ctx, out->label, out->count * c->m));
    if (!c->X->sparse)
        TRY(pith_i_columns_unpack(ctx, c));
    TRY(pith_i_progress_stage(ctx, "dividing features", 0, 1));
    TRY(pith_i_bisect(ctx, c, r->leaf, r->absolute, out->label, out->clusters));
done:
    return st;
}

pith_status pith_i_tree_cluster(pith_ctx *ctx, const pith_i_table *table, const pith_i_recipe *recipe,
                                pith_tree **out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_recipe r = *recipe;
    pith_i_columns c = {0};
    levels l = {0};
    pith_status st = PITH_OK;
    if (pith_i_all(table->X) < 2)
        FAIL(ctx, PITH_E_DATA, "a tree of clusters needs at least 2 samples");
    TRY(pith_i_columns_make(ctx, table->X, table->T, &c));
    if (r.linkage == PITH_I_LINKAGE_AUTO)
        r.linkage = c.m <= MOST_WITH_DISTANCES ? PITH_I_AVERAGE : PITH_I_BISECT;
    if (r.linkage == PITH_I_BISECT)
        TRY(by_bisection(ctx, &c, &r, &l));
    else
        TRY(by_linkage(ctx, &c, &r, &l));
    TRY(make(ctx, &c, &l, out));
done:
    pith_i_columns_free(&c);
    pith_i_scratch_release(ctx, mark);
    return st;
}
