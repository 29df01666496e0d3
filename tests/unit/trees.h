/* For tests of trees: does one keep the definition? */
#ifndef PITH_TESTS_UNIT_TREES_H
#define PITH_TESTS_UNIT_TREES_H

#include "support.h"

#include "tree/tree.h"

/* (a) to (c) of tree/tree.h, the order of the nodes, and the transpose, by their plain meaning. */
static inline void assert_is_tree(const pith_tree *t)
{
    const int32_t D = t->n_features;
    int32_t *holder = malloc((size_t)D * sizeof *holder);
    assert_non_null(holder);
    assert_int_equal(t->level_ptr[0], 0);
    assert_int_equal(t->level_ptr[1], 1);
    assert_int_equal(t->level_ptr[t->depth], t->n_nodes);
    assert_int_equal(t->parent[0], -1);
    assert_int_equal(pith_i_tree_size(t, 0), D);
    for (int32_t l = 0; l < t->depth; l++) {
        for (int32_t j = 0; j < D; j++)
            holder[j] = -1;
        for (int32_t g = t->level_ptr[l]; g < t->level_ptr[l + 1]; g++) {
            const int32_t *feat = t->feat + t->node_ptr[g];
            assert_true(pith_i_tree_size(t, g) > 0);
            if (l > 0)
                assert_in_range(t->parent[g], t->level_ptr[l - 1], t->level_ptr[l] - 1);
            if (g > t->level_ptr[l]) {
                const int32_t up = t->parent[g - 1];
                assert_true(up < t->parent[g] ||
                            (up == t->parent[g] && t->feat[t->node_ptr[g - 1]] < feat[0]));
            }
            for (int64_t e = 0; e < pith_i_tree_size(t, g); e++) {
                assert_in_range(feat[e], 0, D - 1);
                assert_true(e == 0 || feat[e - 1] < feat[e]);
                assert_int_equal(holder[feat[e]], -1);
                holder[feat[e]] = g;
                bool inside = l == 0;
                for (int64_t f = t->node_ptr[l > 0 ? t->parent[g] : 0];
                     l > 0 && f < t->node_ptr[t->parent[g] + 1]; f++)
                    inside = inside || t->feat[f] == feat[e];
                assert_true(inside);
            }
        }
    }
    for (int32_t j = 0; j < D; j++) {
        assert_int_equal(t->row_ptr[j + 1] - t->row_ptr[j], t->n_of_feat[j]);
        for (int64_t r = t->row_ptr[j]; r < t->row_ptr[j + 1]; r++) {
            assert_int_equal(t->feat[t->rows[r]], j);
            assert_true(r == t->row_ptr[j] || t->rows[r - 1] < t->rows[r]);
        }
    }
    free(holder);
}

static inline void assert_same_tree(const pith_tree *a, const pith_tree *b)
{
    assert_int_equal(a->n_features, b->n_features);
    assert_int_equal(a->n_nodes, b->n_nodes);
    assert_memory_equal(a->parent, b->parent, (size_t)a->n_nodes * sizeof *a->parent);
    assert_memory_equal(a->node_ptr, b->node_ptr, ((size_t)a->n_nodes + 1) * sizeof *a->node_ptr);
    assert_memory_equal(a->feat, b->feat, (size_t)pith_i_tree_total(a) * sizeof *a->feat);
    for (int32_t g = 0; g < a->n_nodes; g++)
        assert_string_equal(pith_tree_label(a, g), pith_tree_label(b, g));
}

#endif
