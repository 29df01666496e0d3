/*
 * Feature trees: nested groups of features; the root holds all of them.
 *
 *   (a) level 1 has one node, the root, with all features
 *   (b) two nodes of the same level share no feature
 *   (c) a node of level s > 1 has one parent, in level s - 1, and lies inside it
 *
 * Children need not cover their parent. So a feature is in at most one node of each level, and the sizes of
 * all nodes add up to R <= depth * features.
 */
#ifndef PITH_TREE_TREE_H
#define PITH_TREE_TREE_H

#include "matrix/matrix.h"

enum { PITH_I_REMARKS = 8, PITH_I_REMARK = 256, PITH_I_CHOSEN = 64 };

/*
 * Nodes are sorted by level, then by the order of their parents, then by their smallest feature. `feat`
 * stands for the 0/1 matrix M of the papers (row r has its only 1 in column feat[r]), which is never built:
 * (MV)_r is row feat[r] of V, and M'H adds up the rows of H that `rows` lists for each feature.
 */
struct pith_tree {
    int32_t n_features, n_nodes, depth;
    int32_t *level_ptr; /* depth + 1: level s has the nodes level_ptr[s-1] .. level_ptr[s]-1 */
    int32_t *parent;    /* n_nodes; -1 for node 0, the root */
    int64_t *node_ptr;  /* n_nodes + 1: node g holds feat[node_ptr[g] .. node_ptr[g+1]) */
    int32_t *feat;      /* R, ascending inside a node */
    int32_t *n_of_feat; /* n_features: how many nodes hold the feature */
    int64_t *row_ptr; /* n_features + 1: feature j is feat[r] for the r in rows[row_ptr[j] .. row_ptr[j+1]) */
    int32_t *rows;    /* R, ascending inside a feature */
    int64_t
        *own_ptr; /* n_nodes + 1: own[own_ptr[g] .. own_ptr[g+1]) are node g's features that no child has */
    int32_t *own; /* n_features, ascending inside a node */
    pith_i_names label; /* n_nodes, "" for a node without one; empty if no node has one */
    int remarks;        /* number of remarks, sentences on what was noticed while it was made or read */
    char remark[PITH_I_REMARKS][PITH_I_REMARK];
};

static inline int64_t pith_i_tree_size(const pith_tree *t, int32_t node)
{
    return t->node_ptr[node + 1] - t->node_ptr[node];
}
static inline int64_t pith_i_tree_total(const pith_tree *t) /* R */
{
    return t->node_ptr[t->n_nodes];
}

/* Nodes in any order with parents before their children; the first is the root. All arrays are borrowed. (a)
 * to (c) are not checked: whoever makes a sketch must ensure them. */
typedef struct pith_i_sketch {
    int32_t n_features, n_nodes;
    const int32_t *parent;   /* -1 for the root */
    const int64_t *node_ptr; /* n_nodes + 1 */
    const int32_t *feat;     /* ascending inside a node */
    const char **label;      /* with label_length; NULL: there are none */
    const int64_t *label_length;
} pith_i_sketch;

/*
 * The tree of a sketch. With min_size > 0 it is simplified: nodes of fewer features, and nodes equal to their
 * parent, are dropped, and their children are attached to the nearest ancestor that is kept. The root is
 * always kept.
 */
pith_status pith_i_tree_make(pith_ctx *ctx, const pith_i_sketch *sketch, int32_t min_size, pith_tree **out);
pith_status pith_i_tree_copy(pith_ctx *ctx, const pith_tree *tree, pith_tree **out);
/* Adds a remark to the tree; those beyond PITH_I_REMARKS are dropped. */
__attribute__((format(printf, 2, 3))) void pith_i_tree_remark(pith_tree *tree, const char *format, ...);
/* Adds remarks on what is valid but doubtful: nodes equal to their parents, single features, great depth. */
void pith_i_tree_warn(pith_tree *tree);

/*
 * Reads a tree from a file in either format (docs/trees.md). n_features and names are those of the data; -1
 * and NULL: not known. A wrong file is PITH_E_DATA, and the message has the line.
 */
pith_status pith_i_tree_read(pith_ctx *ctx, const char *path, int64_t n_features, const pith_i_names *names,
                             pith_tree **out);
/* path NULL: standard output. The file reads back as the same tree, which again gives the same bytes. */
pith_status pith_i_tree_write(pith_ctx *ctx, const pith_tree *tree, const char *path);

#endif
