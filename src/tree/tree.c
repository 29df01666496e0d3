#include "tree/tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pith_tree_free(pith_tree *tree)
{
    if (tree == NULL)
        return;
    pith_i_free(tree->level_ptr);
    pith_i_free(tree->parent);
    pith_i_free(tree->node_ptr);
    pith_i_free(tree->feat);
    pith_i_free(tree->n_of_feat);
    pith_i_free(tree->row_ptr);
    pith_i_free(tree->rows);
    pith_i_free(tree->own_ptr);
    pith_i_free(tree->own);
    pith_i_names_free(&tree->label);
    pith_i_free(tree);
}

void pith_i_tree_remark(pith_tree *tree, const char *format, ...)
{
    va_list args;
    if (tree->remarks == PITH_I_REMARKS)
        return;
    va_start(args, format);
    (void)vsnprintf(tree->remark[tree->remarks++], PITH_I_REMARK, format, args);
    va_end(args);
}

void pith_i_tree_warn(pith_tree *t)
{
    int32_t equal = 0, single = 0;
    for (int32_t g = 1; g < t->n_nodes; g++) {
        equal += pith_i_tree_size(t, g) == pith_i_tree_size(t, t->parent[g]);
        single += pith_i_tree_size(t, g) == 1;
    }
    if (equal > 0)
        pith_i_tree_remark(t, "%d of %d nodes equal their parent, which doubles its weight", equal,
                           t->n_nodes);
    if (single > 0)
        pith_i_tree_remark(t, "%d of %d nodes hold a single feature: each adds one more penalty to its row",
                           single, t->n_nodes);
    if (t->depth > 30)
        pith_i_tree_remark(t, "%d levels are a lot: 30 or fewer are usual", t->depth);
    if (pith_i_tree_total(t) > 20 * (int64_t)t->n_features)
        pith_i_tree_remark(t, "a feature is in %.1f nodes on average: 20 or fewer are usual",
                           (double)pith_i_tree_total(t) / (double)t->n_features);
}

/* ---- From a sketch ------------------------------------------------------------------------------------- */

/* Where a node of the sketch goes in the tree. */
typedef struct place {
    int32_t node, level, above,
        first; /* number in the sketch; level; the parent's new number; smallest feature */
} place;

static int by_place(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->above != y->above)
        return x->above < y->above ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

static int64_t size_of(const pith_i_sketch *s, int32_t g)
{
    return s->node_ptr[g + 1] - s->node_ptr[g];
}

/* above[g]: the nearest kept ancestor; level[g]: 0 if g is dropped. Returns the number of kept nodes. */
static int32_t choose(const pith_i_sketch *s, int32_t min_size, int32_t *above, int32_t *level)
{
    int32_t kept = 1;
    above[0] = -1;
    level[0] = 1;
    for (int32_t g = 1; g < s->n_nodes; g++) {
        const int32_t up = s->parent[g];
        above[g] = level[up] > 0 ? up : above[up];
        const bool drop = min_size > 0 && (size_of(s, g) < min_size || size_of(s, g) == size_of(s, above[g]));
        level[g] = drop ? 0 : level[above[g]] + 1;
        kept += !drop;
    }
    return kept;
}

/* Sorts the kept nodes into the order of the tree; fills level_ptr and parent, by new numbers. */
static pith_status arrange(pith_ctx *ctx, const pith_i_sketch *s, int32_t min_size, pith_tree *t,
                           place **order)
{
    int32_t *above = NULL, *level = NULL, *number = NULL, *next = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, above, s->n_nodes));
    TRY(SCRATCH(ctx, level, s->n_nodes));
    TRY(SCRATCH(ctx, number, s->n_nodes));
    t->n_nodes = choose(s, min_size, above, level);
    for (int32_t g = 0; g < s->n_nodes; g++)
        t->depth = level[g] > t->depth ? level[g] : t->depth;
    TRY(SCRATCH(ctx, *order, t->n_nodes));
    TRY(NEW_ZERO(ctx, t->level_ptr, t->depth + 1));
    TRY(NEW(ctx, t->parent, t->n_nodes));
    for (int32_t g = 0; g < s->n_nodes; g++)
        if (level[g] > 0)
            t->level_ptr[level[g]]++;
    for (int32_t l = 0; l < t->depth; l++)
        t->level_ptr[l + 1] += t->level_ptr[l];
    TRY(SCRATCH(ctx, next, t->depth));
    memcpy(next, t->level_ptr, (size_t)t->depth * sizeof *next);
    for (int32_t g = 0; g < s->n_nodes; g++)
        if (level[g] > 0)
            (*order)[next[level[g] - 1]++] =
                (place){.node = g, .level = level[g], .above = above[g], .first = s->feat[s->node_ptr[g]]};
    for (int32_t l = 0; l < t->depth; l++) {
        place *from = *order + t->level_ptr[l];
        const int32_t count = t->level_ptr[l + 1] - t->level_ptr[l];
        for (int32_t k = 0; k < count; k++)
            from[k].above = l > 0 ? number[from[k].above] : -1;
        qsort(from, (size_t)count, sizeof *from, by_place);
        for (int32_t k = 0; k < count; k++)
            number[from[k].node] = t->level_ptr[l] + k;
    }
    for (int32_t g = 0; g < t->n_nodes; g++)
        t->parent[g] = (*order)[g].above;
done:
    return st;
}

/* row_ptr and rows: the transpose of feat. */
static pith_status transpose(pith_ctx *ctx, pith_tree *t)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t total = pith_i_tree_total(t);
    int64_t *next = NULL;
    pith_status st = PITH_OK;
    TRY(NEW_ZERO(ctx, t->n_of_feat, t->n_features));
    TRY(NEW_ZERO(ctx, t->row_ptr, (int64_t)t->n_features + 1));
    TRY(NEW(ctx, t->rows, total));
    TRY(SCRATCH(ctx, next, t->n_features));
    for (int64_t r = 0; r < total; r++)
        t->n_of_feat[t->feat[r]]++;
    for (int32_t j = 0; j < t->n_features; j++) {
        next[j] = t->row_ptr[j];
        t->row_ptr[j + 1] = t->row_ptr[j] + t->n_of_feat[j];
    }
    for (int64_t r = 0; r < total; r++)
        t->rows[next[t->feat[r]]++] = (int32_t)r;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Assigns each feature to the last node that has it, which is the deepest. */
static pith_status part_features(pith_ctx *ctx, pith_tree *t)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    int32_t *last = NULL;
    int64_t *next = NULL;
    pith_status st = PITH_OK;
    TRY(NEW_ZERO(ctx, t->own_ptr, (int64_t)t->n_nodes + 1));
    TRY(NEW(ctx, t->own, t->n_features));
    TRY(SCRATCH(ctx, last, t->n_features));
    TRY(SCRATCH(ctx, next, t->n_nodes));
    for (int32_t g = 0; g < t->n_nodes; g++)
        for (int64_t r = t->node_ptr[g]; r < t->node_ptr[g + 1]; r++)
            last[t->feat[r]] = g;
    for (int32_t j = 0; j < t->n_features; j++)
        t->own_ptr[last[j] + 1]++;
    for (int32_t g = 0; g < t->n_nodes; g++) {
        next[g] = t->own_ptr[g];
        t->own_ptr[g + 1] += t->own_ptr[g];
    }
    for (int32_t j = 0; j < t->n_features; j++)
        t->own[next[last[j]]++] = j;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status fill(pith_ctx *ctx, const pith_i_sketch *s, const place *order, pith_tree *t)
{
    const char **label = NULL;
    int64_t *length = NULL, total = 0;
    pith_status st = PITH_OK;
    TRY(NEW(ctx, t->node_ptr, (int64_t)t->n_nodes + 1));
    for (int32_t g = 0; g < t->n_nodes; g++) {
        t->node_ptr[g] = total;
        total += size_of(s, order[g].node);
    }
    t->node_ptr[t->n_nodes] = total;
    if (total > INT32_MAX)
        FAIL(ctx, PITH_E_DATA,
             "the nodes of the tree hold %lld features in total: at most 2147483647 are allowed",
             (long long)total);
    TRY(NEW(ctx, t->feat, total));
    for (int32_t g = 0; g < t->n_nodes; g++)
        memcpy(t->feat + t->node_ptr[g], s->feat + s->node_ptr[order[g].node],
               (size_t)pith_i_tree_size(t, g) * sizeof *t->feat);
    if (s->label != NULL) {
        TRY(SCRATCH(ctx, label, t->n_nodes));
        TRY(SCRATCH(ctx, length, t->n_nodes));
        for (int32_t g = 0; g < t->n_nodes; g++) {
            label[g] = s->label[order[g].node];
            length[g] = s->label_length[order[g].node];
        }
        TRY(pith_i_names_slices(ctx, t->n_nodes, label, length, &t->label));
    }
    TRY(transpose(ctx, t));
    TRY(part_features(ctx, t));
done:
    return st;
}

pith_status pith_i_tree_make(pith_ctx *ctx, const pith_i_sketch *sketch, int32_t min_size, pith_tree **out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_tree *t = NULL;
    place *order = NULL;
    pith_status st = PITH_OK;
    TRY(NEW_ZERO(ctx, t, 1));
    t->n_features = sketch->n_features;
    TRY(arrange(ctx, sketch, min_size, t, &order));
    TRY(fill(ctx, sketch, order, t));
    *out = t;
    t = NULL;
done:
    pith_tree_free(t);
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_tree_copy(pith_ctx *ctx, const pith_tree *tree, pith_tree **out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_sketch s = {.n_features = tree->n_features,
                       .n_nodes = tree->n_nodes,
                       .parent = tree->parent,
                       .node_ptr = tree->node_ptr,
                       .feat = tree->feat};
    int64_t *length = NULL;
    pith_status st = PITH_OK;
    if (tree->label.start != NULL) {
        TRY(SCRATCH(ctx, s.label, tree->n_nodes));
        TRY(SCRATCH(ctx, length, tree->n_nodes));
        for (int32_t g = 0; g < tree->n_nodes; g++) {
            s.label[g] = pith_i_name(&tree->label, g);
            length[g] = (int64_t)strlen(s.label[g]);
        }
        s.label_length = length;
    }
    TRY(pith_i_tree_make(ctx, &s, 0, out));
    (*out)->remarks = tree->remarks;
    memcpy((*out)->remark, tree->remark, sizeof tree->remark);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- The public part ----------------------------------------------------------------------------------- */

int64_t pith_tree_features(const pith_tree *tree)
{
    return tree->n_features;
}

int64_t pith_tree_nodes(const pith_tree *tree)
{
    return tree->n_nodes;
}

int64_t pith_tree_depth(const pith_tree *tree)
{
    return tree->depth;
}

int64_t pith_tree_node(const pith_tree *tree, int64_t node, const int32_t **features)
{
    if (node < 0 || node >= tree->n_nodes)
        return 0;
    if (features != NULL)
        *features = tree->feat + tree->node_ptr[node];
    return pith_i_tree_size(tree, (int32_t)node);
}

int64_t pith_tree_parent(const pith_tree *tree, int64_t node)
{
    return node >= 0 && node < tree->n_nodes ? tree->parent[node] : -1;
}

const char *pith_tree_label(const pith_tree *tree, int64_t node)
{
    const char *label = node >= 0 && node < tree->n_nodes ? pith_i_name(&tree->label, node) : NULL;
    return label != NULL ? label : "";
}

const char *pith_tree_remark(const pith_tree *tree, size_t i)
{
    return i < (size_t)tree->remarks ? tree->remark[i] : NULL;
}
