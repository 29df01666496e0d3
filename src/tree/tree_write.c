#include "io/sink.h"
#include "tree/tree.h"

#include <string.h>

/* "3-9 12": two or more consecutive numbers are a range. */
static void put_list(pith_i_sink *s, int64_t count, const int32_t *feat)
{
    for (int64_t e = 0, last; e < count; e = last + 1) {
        last = e;
        while (last + 1 < count && feat[last + 1] == feat[last] + 1)
            last++;
        pith_i_sink_string(s, " ");
        pith_i_sink_integer(s, feat[e]);
        if (last > e) {
            pith_i_sink_string(s, "-");
            pith_i_sink_integer(s, feat[last]);
        }
    }
}

/* On one line: a label from a spreadsheet cell may have several. */
static void put_label(pith_i_sink *s, int32_t g, const char *label)
{
    const char *end = label + strlen(label);
    while (label < end && (unsigned char)*label <= ' ')
        label++;
    while (end > label && (unsigned char)end[-1] <= ' ')
        end--;
    if (label == end)
        return;
    pith_i_sink_string(s, "label ");
    pith_i_sink_integer(s, g);
    pith_i_sink_string(s, " ");
    for (const char *at = label; at < end; at++)
        pith_i_sink_bytes(s, (unsigned char)*at < ' ' ? " " : at, 1);
    pith_i_sink_string(s, "\n");
}

static void put_node(pith_i_sink *s, const pith_tree *t, int32_t g)
{
    pith_i_sink_string(s, "node ");
    pith_i_sink_integer(s, g);
    if (g == 0) {
        pith_i_sink_string(s, " - *");
    } else {
        pith_i_sink_string(s, " ");
        pith_i_sink_integer(s, t->parent[g]);
        put_list(s, pith_i_tree_size(t, g), t->feat + t->node_ptr[g]);
    }
    pith_i_sink_string(s, "\n");
    put_label(s, g, pith_tree_label(t, g));
}

pith_status pith_i_tree_write(pith_ctx *ctx, const pith_tree *tree, const char *path)
{
    pith_i_file file = {0};
    pith_i_sink sink = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_file_create(ctx, path, &file));
    file.name = path;
    file.ending = ".tree";
    TRY(pith_i_sink_open(ctx, &file, &sink));
    pith_i_sink_string(&sink, "pith-tree 1\nfeatures ");
    pith_i_sink_integer(&sink, tree->n_features);
    pith_i_sink_string(&sink, "\nbase 0\n");
    for (int32_t g = 0; g < tree->n_nodes; g++) {
        TRY(pith_i_progress(ctx, g, tree->n_nodes));
        put_node(&sink, tree, g);
    }
    TRY(pith_i_sink_finish(&sink));
    TRY(pith_i_file_commit(ctx, &file));
done:
    pith_i_sink_free(&sink);
    pith_i_file_discard(&file);
    return st;
}
