/* Feature trees in memory: the order of nodes, simplifying, remarks. */
#include "trees.h"

#include "core/random.h"

/* The paper's six features: two groups of three, and a part of each. */
static const int32_t paper_parent[] = {-1, 0, 0, 1, 2};
static const int64_t paper_ptr[] = {0, 6, 9, 12, 14, 16};
static const int32_t paper_feat[] = {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 4, 5};
static const pith_i_sketch paper = {
    .n_features = 6, .n_nodes = 5, .parent = paper_parent, .node_ptr = paper_ptr, .feat = paper_feat};

static void the_papers_example_is_a_tree(void **state)
{
    pith_ctx *ctx = *state;
    pith_tree *t = NULL;
    assert_ok(ctx, pith_i_tree_make(ctx, &paper, 2, &t));
    assert_is_tree(t);
    assert_int_equal(t->depth, 3);
    assert_int_equal(t->n_nodes, 5);
    assert_int_equal(pith_i_tree_total(t), 16);
    const int32_t held[] = {3, 3, 2, 2, 3, 3}; /* f3 and f4 stop before the last level */
    assert_memory_equal(t->n_of_feat, held, sizeof held);
    pith_tree_free(t);
}

static void nodes_are_sorted_by_level_parent_and_feature(void **state)
{
    pith_ctx *ctx = *state;
    /* The paper's tree with its branches turned round and a child before its uncle. */
    const int32_t parent[] = {-1, 0, 1, 0, 3};
    const int64_t ptr[] = {0, 6, 9, 11, 14, 16};
    const int32_t feat[] = {0, 1, 2, 3, 4, 5, 3, 4, 5, 4, 5, 0, 1, 2, 0, 1};
    const pith_i_sketch turned = {
        .n_features = 6, .n_nodes = 5, .parent = parent, .node_ptr = ptr, .feat = feat};
    pith_tree *a = NULL, *b = NULL, *c = NULL;
    assert_ok(ctx, pith_i_tree_make(ctx, &paper, 0, &a));
    assert_ok(ctx, pith_i_tree_make(ctx, &turned, 0, &b));
    assert_is_tree(b);
    assert_same_tree(a, b);
    assert_ok(ctx, pith_i_tree_copy(ctx, b, &c));
    assert_same_tree(b, c);
    pith_tree_free(a);
    pith_tree_free(b);
    pith_tree_free(c);
}

/* root > {0..3} equal to itself twice > {0,1} > {0}; and {4} alone. */
static void simplify_drops_small_nodes_and_repeats_and_keeps_their_children(void **state)
{
    pith_ctx *ctx = *state;
    const int32_t parent[] = {-1, 0, 1, 2, 3, 0, 4};
    const int64_t ptr[] = {0, 6, 10, 14, 16, 17, 18, 19};
    const int32_t feat[] = {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 0, 4, 0};
    const pith_i_sketch s = {.n_features = 6, .n_nodes = 7, .parent = parent, .node_ptr = ptr, .feat = feat};
    pith_tree *t = NULL;
    assert_ok(ctx, pith_i_tree_make(ctx, &s, 0, &t));
    assert_int_equal(t->n_nodes, 7);
    assert_int_equal(t->depth, 6);
    pith_i_tree_warn(t);
    assert_int_equal(t->remarks, 2);
    assert_string_equal(pith_tree_remark(t, 0), "2 of 7 nodes equal their parent, which doubles its weight");
    assert_non_null(strstr(pith_tree_remark(t, 1), "3 of 7 nodes hold a single feature"));
    pith_tree_free(t);
    assert_ok(ctx, pith_i_tree_make(ctx, &s, 2, &t));
    assert_is_tree(t);
    assert_int_equal(t->n_nodes, 3);
    assert_int_equal(t->depth, 3);
    assert_int_equal(pith_i_tree_size(t, 2), 2);
    pith_i_tree_warn(t);
    assert_int_equal(t->remarks, 0);
    assert_null(pith_tree_remark(t, 0));
    pith_tree_free(t);
    assert_ok(ctx, pith_i_tree_make(ctx, &s, 3, &t));
    assert_int_equal(t->n_nodes, 2);
    pith_tree_free(t);
}

/* Nested at random: each node takes some of the features that its siblings have left. */
static int32_t random_sketch(pith_i_stream *s, int32_t D, int32_t most, int32_t *parent, int64_t *ptr,
                             int32_t *feat)
{
    int32_t nodes = 1;
    bool taken[64 * 64] = {false};
    parent[0] = -1;
    ptr[0] = 0;
    ptr[1] = D;
    for (int32_t j = 0; j < D; j++)
        feat[j] = j;
    for (int32_t up = 0; up < nodes; up++)
        for (int c = 0; c < 3 && nodes < most; c++) {
            int64_t used = ptr[nodes];
            for (int64_t e = ptr[up]; e < ptr[up + 1]; e++)
                if (!taken[up * 64 + feat[e]] && pith_i_random_uniform(s) < 0.4) {
                    taken[up * 64 + feat[e]] = true;
                    feat[used++] = feat[e];
                }
            if (used == ptr[nodes])
                continue;
            parent[nodes] = up;
            ptr[++nodes] = used;
        }
    return nodes;
}

static void random_sketches_become_trees_simplified_or_not(void **state)
{
    pith_ctx *ctx = *state;
    int32_t parent[64], feat[64 * 64];
    int64_t ptr[65];
    for (int trial = 0; trial < trials(200); trial++) {
        pith_i_stream s = pith_i_stream_at(7, PITH_I_RANDOM_BENCH, (uint64_t)trial);
        const int32_t D = 1 + (int32_t)pith_i_random_below(&s, 40);
        pith_i_sketch sketch = {.n_features = D, .parent = parent, .node_ptr = ptr, .feat = feat};
        sketch.n_nodes = random_sketch(&s, D, 60, parent, ptr, feat);
        for (int32_t least = 0; least < 4; least++) {
            pith_tree *t = NULL, *again = NULL;
            assert_ok(ctx, pith_i_tree_make(ctx, &sketch, least, &t));
            assert_is_tree(t);
            for (int32_t g = 1; g < t->n_nodes; g++)
                assert_true(pith_i_tree_size(t, g) >= least);
            assert_ok(ctx, pith_i_tree_make(ctx,
                                            &(pith_i_sketch){.n_features = D,
                                                             .n_nodes = t->n_nodes,
                                                             .parent = t->parent,
                                                             .node_ptr = t->node_ptr,
                                                             .feat = t->feat},
                                            least, &again));
            assert_same_tree(t, again); /* simple already */
            pith_tree_free(t);
            pith_tree_free(again);
        }
    }
}

static void users_see_nodes_and_nothing_beyond_them(void **state)
{
    pith_ctx *ctx = *state;
    const int32_t *feature = NULL;
    pith_tree *t = NULL;
    assert_ok(ctx, pith_i_tree_make(ctx, &paper, 0, &t));
    assert_int_equal(pith_tree_features(t), 6);
    assert_int_equal(pith_tree_nodes(t), 5);
    assert_int_equal(pith_tree_depth(t), 3);
    assert_int_equal(pith_tree_node(t, 4, &feature), 2);
    assert_int_equal(feature[0], 4);
    assert_int_equal(pith_tree_parent(t, 4), 2);
    assert_int_equal(pith_tree_parent(t, 0), -1);
    assert_string_equal(pith_tree_label(t, 4), "");
    assert_int_equal(pith_tree_node(t, 5, &feature), 0);
    assert_int_equal(pith_tree_node(t, -1, NULL), 0);
    pith_tree_free(t);
    pith_tree_free(NULL);
}

static pith_status make_and_copy(pith_ctx *ctx, void *arg)
{
    static const char *label[] = {"all", "", "b", "c", "d"};
    static const int64_t length[] = {3, 0, 1, 1, 1};
    pith_i_sketch s = paper;
    pith_tree *t = NULL, *copy = NULL;
    (void)arg;
    s.label = label;
    s.label_length = length;
    pith_status st = pith_i_tree_make(ctx, &s, 2, &t);
    if (st == PITH_OK)
        st = pith_i_tree_copy(ctx, t, &copy);
    pith_tree_free(t);
    pith_tree_free(copy);
    return st;
}

static void failing_allocations_are_survived(void **state)
{
    assert_survives_failing_allocations(*state, make_and_copy, NULL, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_papers_example_is_a_tree),
        TEST(nodes_are_sorted_by_level_parent_and_feature),
        TEST(simplify_drops_small_nodes_and_repeats_and_keeps_their_children),
        TEST(random_sketches_become_trees_simplified_or_not),
        TEST(users_see_nodes_and_nothing_beyond_them),
        TEST(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
