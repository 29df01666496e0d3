/* Trees from the data: blocks of correlated columns. */
#include "trees.h"

#include "core/random.h"
#include "tree/build.h"

enum { N = 80, BLOCKS = 4, WIDE = 8, P = BLOCKS * WIDE + 1, CONSTANT = BLOCKS * WIDE };

typedef struct table {
    double *x;
    pith_matrix *m, *sparse;
    int64_t *indptr;
    int32_t *indices;
    double *values;
} table;

/* Column j is of block j mod 4, odd rounds with a minus if `turned`, about this mean; the last one is
 * constant. */
static table blocks(pith_ctx *ctx, bool turned, double mean)
{
    table t = {.x = calloc(N * P, sizeof(double)),
               .indptr = calloc(N + 1, sizeof(int64_t)),
               .indices = calloc(N * P, sizeof(int32_t)),
               .values = calloc(N * P, sizeof(double))};
    assert_true(t.x != NULL && t.indptr != NULL && t.indices != NULL && t.values != NULL);
    int64_t at = 0;
    for (int64_t i = 0; i < N; i++) {
        pith_i_stream s = pith_i_stream_at(3, PITH_I_RANDOM_BENCH, (uint64_t)i);
        double level[BLOCKS];
        for (int b = 0; b < BLOCKS; b++)
            level[b] = pith_i_random_normal(&s);
        for (int64_t j = 0; j < P; j++) {
            const double sign = turned && j / BLOCKS % 2 == 1 ? -1 : 1;
            t.x[i * P + j] =
                j == CONSTANT ? 3 : mean + sign * level[j % BLOCKS] + 0.3 * pith_i_random_normal(&s);
            t.indices[at] = (int32_t)j;
            t.values[at++] = t.x[i * P + j];
        }
        t.indptr[i + 1] = at;
    }
    assert_ok(ctx, pith_matrix_dense(ctx, N, P, PITH_F64, t.x, P, 1, &t.m));
    assert_ok(ctx, pith_matrix_csr(ctx, N, P, PITH_F64, t.indptr, t.indices, t.values, &t.sparse));
    return t;
}

static void free_blocks(table *t)
{
    pith_matrix_free(t->m);
    pith_matrix_free(t->sparse);
    free(t->x);
    free(t->indptr);
    free(t->indices);
    free(t->values);
}

/* The second level has the blocks and nothing else. */
static void assert_finds_blocks(const pith_tree *t)
{
    assert_is_tree(t);
    assert_int_equal(t->level_ptr[2] - t->level_ptr[1], BLOCKS);
    assert_int_equal(t->n_of_feat[CONSTANT], 1);
    for (int32_t g = t->level_ptr[1]; g < t->level_ptr[2]; g++) {
        assert_int_equal(pith_i_tree_size(t, g), WIDE);
        for (int64_t e = t->node_ptr[g]; e < t->node_ptr[g + 1]; e++)
            assert_int_equal(t->feat[e] % BLOCKS, t->feat[t->node_ptr[g]] % BLOCKS);
    }
}

/* Halving may cut a block before it has told two others apart, but its last nodes lie inside blocks. */
static void assert_ends_in_blocks(const pith_tree *t)
{
    assert_is_tree(t);
    assert_true(t->depth >= 3);
    for (int32_t j = 0; j < CONSTANT; j++)
        assert_true(t->n_of_feat[j] >= 2);
    for (int32_t g = 1; g < t->n_nodes; g++) {
        bool last = true;
        for (int32_t h = g + 1; h < t->n_nodes; h++)
            last = last && t->parent[h] != g;
        for (int64_t e = t->node_ptr[g]; e < t->node_ptr[g + 1] && last; e++)
            assert_int_equal(t->feat[e] % BLOCKS, t->feat[t->node_ptr[g]] % BLOCKS);
    }
}

static void correlated_blocks_are_found_by_every_linkage(void **state)
{
    pith_ctx *ctx = *state;
    static const char *const recipes[] = {"cluster", "cluster:linkage=ward", "cluster:linkage=bisect",
                                          "cluster:linkage=average:abs=yes",
                                          "cluster:linkage=bisect:abs=yes"};
    for (size_t r = 0; r < 2 * COUNT(recipes); r++) {
        const char *recipe = recipes[r / 2];
        table t =
            blocks(ctx, strstr(recipe, "abs") != NULL, r % 2 == 0 ? 5 : 1e10); /* products would cancel */
        pith_tree *tree = NULL, *sparse = NULL;
        assert_ok(ctx, pith_tree_build(ctx, t.m, recipe, &tree));
        if (strstr(recipe, "bisect") != NULL)
            assert_ends_in_blocks(tree);
        else
            assert_finds_blocks(tree);
        assert_ok(ctx, pith_tree_build(ctx, t.sparse, recipe, &sparse));
        assert_same_tree(tree, sparse);
        pith_tree_free(tree);
        pith_tree_free(sparse);
        free_blocks(&t);
    }
}

static void branch_and_leaf_say_where_the_dendrogram_is_cut(void **state)
{
    pith_ctx *ctx = *state;
    table t = blocks(ctx, false, 5);
    pith_tree *tree = NULL;
    assert_ok(ctx, pith_tree_build(ctx, t.m, "cluster:branch=2:leaf=4:linkage=ward", &tree));
    assert_int_equal(tree->depth, 4); /* 2, 4 and 8 clusters of 32 columns */
    assert_int_equal(tree->level_ptr[2] - tree->level_ptr[1], 2);
    pith_tree_free(tree);
    assert_ok(ctx, pith_tree_build(ctx, t.m, "cluster:leaf=9", &tree));
    assert_int_equal(tree->n_nodes, 1);
    pith_tree_free(tree);
    free_blocks(&t);
}

static void threads_do_not_matter(void **state)
{
    pith_ctx *ctx = *state;
    table t = blocks(ctx, false, 5);
    static const char *const recipes[] = {"cluster:leaf=2", "cluster:linkage=bisect:leaf=2"};
    for (size_t r = 0; r < COUNT(recipes); r++) {
        pith_tree *one = NULL, *eight = NULL;
        assert_ok(ctx, pith_ctx_set_threads(ctx, 1));
        assert_ok(ctx, pith_tree_build(ctx, t.m, recipes[r], &one));
        assert_ok(ctx, pith_ctx_set_threads(ctx, 8));
        assert_ok(ctx, pith_tree_build(ctx, t.m, recipes[r], &eight));
        assert_same_tree(one, eight);
        pith_tree_free(one);
        pith_tree_free(eight);
    }
    free_blocks(&t);
}

/* n x p numbers: all equal, all columns equal, or one column. */
static void degenerate_tables_have_trees(void **state)
{
    pith_ctx *ctx = *state;
    static const char *const recipes[] = {"cluster:leaf=1", "cluster:linkage=ward:leaf=1",
                                          "cluster:linkage=bisect:leaf=1"};
    for (size_t r = 0; r < COUNT(recipes); r++)
        for (int kind = 0; kind < 3; kind++) {
            const int64_t p = kind == 2 ? 1 : 20;
            double x[5 * 20];
            pith_matrix *m = NULL;
            pith_tree *t = NULL;
            for (int64_t i = 0; i < 5; i++)
                for (int64_t j = 0; j < p; j++)
                    x[i * p + j] = kind == 0 ? 4 : (double)(i * i);
            assert_ok(ctx, pith_matrix_dense(ctx, 5, p, PITH_F64, x, p, 1, &m));
            assert_ok(ctx, pith_tree_build(ctx, m, recipes[r], &t));
            assert_is_tree(t);
            assert_true(kind == 1 || t->n_nodes == 1);
            pith_tree_free(t);
            pith_matrix_free(m);
        }
}

static pith_status build(pith_ctx *ctx, void *arg)
{
    table *t = ((void **)arg)[0];
    pith_tree *tree = NULL;
    const pith_status st =
        pith_tree_build(ctx, ((void **)arg)[2] != NULL ? t->sparse : t->m, ((void **)arg)[1], &tree);
    pith_tree_free(tree);
    return st;
}

static void failing_allocations_are_survived(void **state)
{
    table t = blocks(*state, false, 5);
    for (int sparse = 0; sparse < 2; sparse++) {
        void *average[] = {&t, (void *)(uintptr_t) "cluster", sparse ? &t : NULL};
        void *bisect[] = {&t, (void *)(uintptr_t) "cluster:linkage=bisect", sparse ? &t : NULL};
        assert_survives_failing_allocations(*state, build, average, 20);
        assert_survives_failing_allocations(*state, build, bisect, 20);
    }
    free_blocks(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(correlated_blocks_are_found_by_every_linkage),
        TEST(branch_and_leaf_say_where_the_dendrogram_is_cut),
        TEST(threads_do_not_matter),
        TEST(degenerate_tables_have_trees),
        TEST(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
