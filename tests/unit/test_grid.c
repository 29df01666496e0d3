/* Quad-trees over images. */
#include "trees.h"

#include "core/random.h"
#include "tree/build.h"

#include <stdio.h>

/* The tree of an image of zeros. */
static pith_tree *grid(pith_ctx *ctx, int64_t p, const char *recipe)
{
    double x[2] = {0};
    const pith_i_data X = {.n = 1, .p = p, .dtype = PITH_F64, .x = x}; /* strides 0: one zero for all */
    const pith_i_table table = {.X = &X};
    pith_i_recipe r;
    pith_tree *t = NULL;
    assert_ok(ctx, pith_i_recipe_read(ctx, recipe, &r));
    assert_ok(ctx, pith_i_tree_build(ctx, &table, &r, &t));
    assert_is_tree(t);
    return t;
}

static void sizes_are_those_of_the_specification(void **state)
{
    pith_tree *t = grid(*state, 1024, "grid:32x32");
    const int32_t levels[] = {0, 1, 5, 21, 85};
    assert_int_equal(t->depth, 4);
    assert_memory_equal(t->level_ptr, levels, sizeof levels);
    assert_int_equal(pith_i_tree_total(t), 4096);
    pith_tree_free(t);
    t = grid(*state, 44 * 55, "grid:44x55:column");
    assert_int_equal(t->depth, 5);
    assert_int_equal(t->n_nodes, 341);
    pith_tree_free(t);
}

static void blocks_are_cut_at_the_upper_half(void **state)
{
    pith_tree *t = grid(*state, 15, "grid:5x3:row:leaf=4:depth=2");
    assert_int_equal(t->n_nodes, 5);
    assert_string_equal(pith_tree_label(t, 1), "rows 0-2 cols 0-1");
    const int32_t first[] = {0, 1, 3, 4, 6, 7}, last[] = {11, 14};
    assert_memory_equal(t->feat + t->node_ptr[1], first, sizeof first);
    assert_int_equal(pith_i_tree_size(t, 4), 2);
    assert_memory_equal(t->feat + t->node_ptr[4], last, sizeof last);
    pith_tree_free(t);
    t = grid(*state, 15, "grid:size=5x3:order=column:leaf=4:depth=2");
    const int32_t column[] = {0, 1, 2, 5, 6, 7};
    assert_memory_equal(t->feat + t->node_ptr[1], column, sizeof column);
    pith_tree_free(t);
}

static void channels_of_a_pixel_stay_together(void **state)
{
    pith_tree *t = grid(*state, 48, "grid:4x4:row:channels=3:leaf=4");
    const int32_t want[] = {0, 1, 4, 5, 16, 17, 20, 21, 32, 33, 36, 37};
    assert_int_equal(t->n_nodes, 5);
    assert_memory_equal(t->feat + t->node_ptr[1], want, sizeof want);
    pith_tree_free(t);
    t = grid(*state, 48, "grid:channels=3"); /* the square is found per channel */
    assert_int_equal(t->n_features, 48);
    pith_tree_free(t);
}

static void thin_and_odd_shapes_work(void **state)
{
    static const struct {
        int64_t h, w;
        int leaf;
    } shapes[] = {{1, 1, 1}, {1, 2, 1}, {1, 17, 1}, {19, 1, 2}, {7, 13, 1}, {2, 31, 3}, {5, 5, 16}};
    for (size_t i = 0; i < COUNT(shapes); i++)
        for (int by_row = 0; by_row < 2; by_row++) {
            char recipe[64];
            (void)snprintf(recipe, sizeof recipe, "grid:%lldx%lld:%s:leaf=%d:depth=12",
                           (long long)shapes[i].h, (long long)shapes[i].w, by_row ? "row" : "column",
                           shapes[i].leaf);
            pith_tree *t = grid(*state, shapes[i].h * shapes[i].w, recipe);
            assert_true(t->n_nodes == 1 || shapes[i].h * shapes[i].w > shapes[i].leaf);
            for (int32_t g = 1; g < t->n_nodes; g++) {
                assert_true(pith_i_tree_size(t, g) >= 2);
                assert_true(pith_i_tree_size(t, g) < pith_i_tree_size(t, t->parent[g]));
            }
            pith_tree_free(t);
        }
}

static pith_status try_grid(pith_ctx *ctx, const pith_i_data *X, const char *recipe, pith_tree **out)
{
    const pith_i_table table = {.X = X};
    pith_i_recipe r;
    const pith_status st = pith_i_recipe_read(ctx, recipe, &r);
    return st == PITH_OK ? pith_i_tree_build(ctx, &table, &r, out) : st;
}

static void what_does_not_fit_is_refused(void **state)
{
    pith_ctx *ctx = *state;
    double x[2] = {0};
    const pith_i_data X = {.n = 1, .p = 24, .dtype = PITH_F64, .x = x};
    pith_tree *t = NULL;
    assert_int_equal(try_grid(ctx, &X, "grid", &t), PITH_E_PARAMETER);
    assert_non_null(strstr(pith_ctx_message(ctx), "24 features do not form a square image"));
    assert_int_equal(try_grid(ctx, &X, "grid:5x5", &t), PITH_E_DATA);
    assert_int_equal(try_grid(ctx, &X, "grid:2147483647x2147483647", &t), PITH_E_DATA);
    static const char *const wrong[] = {"grid:5",       "grid:0x4",        "grid:4x",       "grid:leaf=0",
                                        "grid:depth=x", "grid:branch=4",   "grid:order=up", "trees",
                                        "cluster:4",    "cluster:branch=1"};
    for (size_t i = 0; i < COUNT(wrong); i++)
        assert_int_equal(try_grid(ctx, &X, wrong[i], &t), PITH_E_PARAMETER);
    assert_null(t);
}

/* Images of waves along the columns: neighbours are alike in the right order, and not in a wrong one. */
static void neighbours_that_are_not_alike_are_remarked_on(void **state)
{
    pith_ctx *ctx = *state;
    enum { N = 30, SIDE = 12 };
    static double x[N * SIDE * SIDE];
    for (int64_t i = 0; i < N; i++) {
        pith_i_stream s = pith_i_stream_at(5, PITH_I_RANDOM_BENCH, (uint64_t)i);
        double level[SIDE];
        for (int r = 0; r < SIDE; r++)
            level[r] = pith_i_random_normal(&s);
        for (int r = 0; r < SIDE; r++)
            for (int c = 0; c < SIDE; c++)
                x[i * SIDE * SIDE + r * SIDE + c] = level[r] + 0.2 * pith_i_random_normal(&s);
    }
    const pith_i_data X = {
        .n = N, .p = SIDE * SIDE, .dtype = PITH_F64, .x = x, .row_stride = SIDE * SIDE, .col_stride = 1};
    pith_tree *right = NULL, *wrong = NULL;
    assert_ok(ctx, try_grid(ctx, &X, "grid:12x12:row", &right));
    assert_ok(ctx, try_grid(ctx, &X, "grid:12x12:column", &wrong));
    assert_int_equal(right->remarks, 1);
    assert_int_equal(wrong->remarks, 2);
    assert_non_null(strstr(pith_tree_remark(wrong, 1), "size or order may be wrong"));
    pith_tree_free(right);
    pith_tree_free(wrong);
}

static pith_status build(pith_ctx *ctx, void *arg)
{
    double x[2] = {0, 1};
    const pith_i_data X = {.n = 2, .p = 64, .dtype = PITH_F64, .x = x, .row_stride = 1};
    pith_tree *t = NULL;
    const pith_status st = try_grid(ctx, &X, arg, &t);
    pith_tree_free(t);
    return st;
}

static void failing_allocations_are_survived(void **state)
{
    assert_survives_failing_allocations(*state, build, (void *)(uintptr_t) "grid:leaf=4", 10);
    assert_survives_failing_allocations(*state, build, (void *)(uintptr_t) "root", 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(sizes_are_those_of_the_specification), TEST(blocks_are_cut_at_the_upper_half),
        TEST(channels_of_a_pixel_stay_together),    TEST(thin_and_odd_shapes_work),
        TEST(what_does_not_fit_is_refused),         TEST(neighbours_that_are_not_alike_are_remarked_on),
        TEST(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
