/* What the readers of the two formats of tree files share. */
#ifndef PITH_TREE_TREE_READER_H
#define PITH_TREE_TREE_READER_H

#include "core/words.h"
#include "io/io.h"
#include "tree/tree.h"

/* Nodes in the order of the file; owned. */
typedef struct pith_i_tree_nodes {
    int32_t count;
    int64_t room, feat_room;
    int32_t *parent;
    int64_t *node_ptr; /* room + 1 */
    int32_t *feat;
    const char **label; /* pointing into the file, or into the reader's texts */
    int64_t *label_length;
    bool labelled;
} pith_i_tree_nodes;

typedef struct pith_i_tree_reader {
    pith_ctx *ctx;
    const char *path;
    int64_t n_features;        /* of the data, then of the file; -1: not known yet */
    const pith_i_names *names; /* of the data; NULL: not known, or it has none */
    pith_i_bytes bytes;
    char *texts; /* of a .csv: the cells whose doubled quotes are undone; NULL: none yet */
    int64_t texts_used;
    pith_i_tree_nodes nodes;
    pith_i_words features; /* names of the data, or those in the file if the data's are not known */
} pith_i_tree_reader;

/* Adds a node without features; the caller then fills feat[node_ptr[count - 1] ..]. */
pith_status pith_i_tree_nodes_add(pith_ctx *ctx, pith_i_tree_nodes *nodes, int32_t parent);
/* Makes room for this many features of the last node, and one more. */
pith_status pith_i_tree_nodes_reserve(pith_ctx *ctx, pith_i_tree_nodes *nodes, int64_t features);
/* Puts the names of the data into `features`; of equal names the first counts. */
pith_status pith_i_tree_reader_names(pith_i_tree_reader *r);

pith_status pith_i_tree_read_text(pith_i_tree_reader *r);
pith_status pith_i_tree_read_csv(pith_i_tree_reader *r);

#endif
