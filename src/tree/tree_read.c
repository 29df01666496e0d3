/* Tree files: chooses between the two formats, and what they share. */
#include "tree/tree_reader.h"

#include <string.h>

pith_status pith_i_tree_nodes_reserve(pith_ctx *ctx, pith_i_tree_nodes *nodes, int64_t features)
{
    const int64_t wanted = nodes->node_ptr[nodes->count - 1] + features + 1;
    if (wanted <= nodes->feat_room)
        return PITH_OK;
    const int64_t room = wanted + wanted / 2;
    int32_t *larger = pith_i_realloc(ctx, nodes->feat, room, sizeof *larger);
    if (larger == NULL)
        return PITH_E_NOMEM;
    nodes->feat = larger;
    nodes->feat_room = room;
    return PITH_OK;
}

/* One array after the other, so that after a failure each one can still be freed. */
static pith_status grow(pith_ctx *ctx, pith_i_tree_nodes *nodes)
{
    const int64_t room = nodes->room > 0 ? 2 * nodes->room : 64;
    struct {
        void **block;
        int64_t count;
        size_t size;
    } all[] = {{(void **)&nodes->parent, room, sizeof *nodes->parent},
               {(void **)&nodes->node_ptr, room + 1, sizeof *nodes->node_ptr},
               {(void **)&nodes->label, room, sizeof *nodes->label},
               {(void **)&nodes->label_length, room, sizeof *nodes->label_length}};
    for (size_t i = 0; i < COUNT(all); i++) {
        void *larger = pith_i_realloc(ctx, *all[i].block, all[i].count, all[i].size);
        if (larger == NULL)
            return PITH_E_NOMEM;
        *all[i].block = larger;
    }
    nodes->room = room;
    return PITH_OK;
}

pith_status pith_i_tree_nodes_add(pith_ctx *ctx, pith_i_tree_nodes *nodes, int32_t parent)
{
    pith_status st = PITH_OK;
    if (nodes->count == nodes->room)
        TRY(grow(ctx, nodes));
    if (nodes->count == 0)
        nodes->node_ptr[0] = 0;
    const int32_t g = nodes->count++;
    nodes->parent[g] = parent;
    nodes->node_ptr[g + 1] = nodes->node_ptr[g];
    nodes->label[g] = "";
    nodes->label_length[g] = 0;
done:
    return st;
}

pith_status pith_i_tree_reader_names(pith_i_tree_reader *r)
{
    pith_status st = PITH_OK;
    for (int64_t j = 0; r->names != NULL && j < r->names->count; j++) {
        const char *name = pith_i_name(r->names, j);
        if (name != NULL)
            TRY(pith_i_words_add(r->ctx, &r->features, name, (int64_t)strlen(name), j, NULL, NULL));
    }
done:
    return st;
}

static void reader_free(pith_i_tree_reader *r)
{
    pith_i_bytes_free(&r->bytes);
    pith_i_words_free(&r->features);
    pith_i_free(r->texts);
    pith_i_free(r->nodes.parent);
    pith_i_free(r->nodes.node_ptr);
    pith_i_free(r->nodes.feat);
    pith_i_free((void *)r->nodes.label);
    pith_i_free(r->nodes.label_length);
}

pith_status pith_i_tree_read(pith_ctx *ctx, const char *path, int64_t n_features, const pith_i_names *names,
                             pith_tree **out)
{
    pith_i_tree_reader r = {.ctx = ctx, .path = path, .n_features = n_features};
    pith_tree *t = NULL;
    pith_status st = PITH_OK;
    if (names != NULL && names->start != NULL)
        r.names = names;
    TRY(pith_i_text_load(ctx, path, &r.bytes));
    if (pith_i_has_ending(path, ".csv"))
        TRY(pith_i_tree_read_csv(&r));
    else
        TRY(pith_i_tree_read_text(&r));
    const pith_i_sketch s = {.n_features = (int32_t)r.n_features,
                             .n_nodes = r.nodes.count,
                             .parent = r.nodes.parent,
                             .node_ptr = r.nodes.node_ptr,
                             .feat = r.nodes.feat,
                             .label = r.nodes.labelled ? r.nodes.label : NULL,
                             .label_length = r.nodes.label_length};
    TRY(pith_i_tree_make(ctx, &s, 0, &t));
    pith_i_tree_warn(t);
    *out = t;
done:
    reader_free(&r);
    return st;
}
