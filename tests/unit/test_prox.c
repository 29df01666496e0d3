/* The tree's step, by what makes it optimal: no direction lowers its objective, and closed forms. */
#include "trees.h"

#include "core/random.h"
#include "methods/factor/prox.h"
#include "tree/build.h"

enum { D = 36, K = 4 };

static void fill(int64_t count, uint64_t place, double *x)
{
    pith_i_stream s = pith_i_stream_at(23, PITH_I_RANDOM_BENCH, place);
    for (int64_t e = 0; e < count; e++)
        x[e] = pith_i_random_normal(&s);
}

static pith_tree *quad(pith_ctx *ctx)
{
    double x[2] = {0};
    const pith_i_data X = {.n = 1, .p = D, .dtype = PITH_F64, .x = x};
    const pith_i_table table = {.X = &X};
    pith_i_recipe r;
    pith_tree *t = NULL;
    assert_ok(ctx, pith_i_recipe_read(ctx, "grid:6x6:leaf=2", &r));
    assert_ok(ctx, pith_i_tree_build(ctx, &table, &r, &t));
    return t;
}

/* Children that leave features to their parents, some of them alone. */
static pith_tree *uneven(pith_ctx *ctx)
{
    static const int32_t parent[] = {-1, 0, 0, 1, 2, 3}, from[] = {0, 2, 20, 3, 24, 5},
                         to[] = {D, 18, 30, 12, 30, 6};
    enum { NODES = 6 };
    int32_t feat[NODES * D];
    int64_t ptr[NODES + 1] = {0};
    pith_tree *t = NULL;
    for (int g = 0; g < NODES; g++) {
        ptr[g + 1] = ptr[g] + to[g] - from[g];
        for (int32_t j = from[g]; j < to[g]; j++)
            feat[ptr[g] + j - from[g]] = j;
    }
    const pith_i_sketch s = {
        .n_features = D, .n_nodes = NODES, .parent = parent, .node_ptr = ptr, .feat = feat};
    assert_ok(ctx, pith_i_tree_make(ctx, &s, 0, &t));
    return t;
}

/* The penalty by its definition. */
static void the_penalty_is_the_sum_over_all_nodes(void **state)
{
    pith_ctx *ctx = *state;
    for (int which = 0; which < 2; which++) {
        pith_tree *t = which == 0 ? quad(ctx) : uneven(ctx);
        double V[D * K], weight[64], room[128 * K], sum = 0;
        fill(D * K, 3, V);
        for (int32_t g = 0; g < t->n_nodes; g++) {
            weight[g] = 1 + 0.1 * g;
            for (int c = 0; c < K; c++) {
                double square = 0;
                for (int64_t r = t->node_ptr[g]; r < t->node_ptr[g + 1]; r++)
                    square += V[t->feat[r] * K + c] * V[t->feat[r] * K + c];
                sum += weight[g] * sqrt(square);
            }
        }
        assert_near(pith_i_tree_penalty(ctx, t, K, weight, V, room), sum, 1e-12 * sum);
        pith_tree_free(t);
    }
}

static double objective(pith_ctx *ctx, const pith_tree *t, double lambda, const double *weight,
                        const double *V, const double *W)
{
    double room[128 * K], sum = lambda * pith_i_tree_penalty(ctx, t, K, weight, W, room);
    for (int64_t e = 0; e < D * K; e++)
        sum += (W[e] - V[e]) * (W[e] - V[e]) / 2;
    return sum;
}

/* The problem is strictly convex: at its minimum every step, however small, makes it larger. */
static void no_step_lowers_the_objective(void **state)
{
    pith_ctx *ctx = *state;
    pith_tree *trees[] = {quad(ctx), uneven(ctx)};
    double V[D * K], W[D * K], moved[D * K], direction[D * K], weight[64], room[128 * K];
    for (int trial = 0; trial < 8; trial++) {
        const pith_tree *t = trees[trial / 4];
        for (int32_t g = 0; g < t->n_nodes; g++)
            weight[g] = sqrt((double)pith_i_tree_size(t, g));
        const double lambda = trial % 2 == 0 ? 0.3 : 1.1;
        const double *w = trial % 4 < 2 ? NULL : weight;
        fill(D * K, (uint64_t)trial, V);
        memcpy(W, V, sizeof V);
        pith_i_tree_prox(ctx, t, K, lambda, w, room, W);
        const double least = objective(ctx, t, lambda, w, V, W);
        for (uint64_t d = 0; d < 200; d++) {
            fill(D * K, 100 + d, direction);
            for (double step = 1e-1; step > 1e-6; step /= 10) {
                for (int64_t e = 0; e < D * K; e++) /* some directions keep zeros, some keep the signs */
                    moved[e] = W[e] + step * (d % 3 == 0   ? direction[e]
                                              : d % 3 == 1 ? direction[e] * fabs(W[e])
                                              : e % 7 == 0 ? direction[e]
                                                           : 0);
                assert_true(objective(ctx, t, lambda, w, V, moved) >= least - 1e-12);
            }
        }
    }
    pith_tree_free(trees[0]);
    pith_tree_free(trees[1]);
}

/* One group is one shrink; a tree of single features besides is an l1 norm on every entry first. */
static void simple_trees_have_closed_forms(void **state)
{
    pith_ctx *ctx = *state;
    int32_t parent[D + 1], feat[2 * D];
    int64_t ptr[D + 2] = {0, D};
    double V[D * K], W[D * K], room[64 * K];
    const double lambda = 0.4;
    parent[0] = -1;
    for (int32_t j = 0; j < D; j++) {
        parent[j + 1] = 0;
        feat[j] = feat[D + j] = j;
        ptr[j + 2] = D + j + 1;
    }
    fill(D * K, 9, V);
    for (int32_t nodes = 1; nodes <= D + 1; nodes += D) {
        const pith_i_sketch s = {
            .n_features = D, .n_nodes = nodes, .parent = parent, .node_ptr = ptr, .feat = feat};
        pith_tree *t = NULL;
        assert_ok(ctx, pith_i_tree_make(ctx, &s, 0, &t));
        memcpy(W, V, sizeof V);
        pith_i_tree_prox(ctx, t, K, lambda, NULL, room, W);
        for (int c = 0; c < K; c++) {
            double soft[D], square = 0;
            for (int j = 0; j < D; j++) {
                const double v = V[j * K + c];
                soft[j] = nodes == 1 ? v : v > lambda ? v - lambda : v < -lambda ? v + lambda : 0;
                square += soft[j] * soft[j];
            }
            for (int j = 0; j < D; j++)
                assert_near(W[j * K + c], soft[j] * (1 - lambda / sqrt(square)), 1e-12);
        }
        pith_tree_free(t);
    }
}

/* A node given twice weighs twice. */
static void equal_nodes_add_their_weights(void **state)
{
    pith_ctx *ctx = *state;
    const int32_t parent[] = {-1, 0}, *feat = NULL;
    const int64_t ptr[] = {0, D, 2 * D};
    int32_t all[2 * D];
    double V[D * K], W[D * K], X[D * K], room[64 * K];
    for (int32_t j = 0; j < 2 * D; j++)
        all[j] = j % D;
    feat = all;
    const pith_i_sketch
        one = {.n_features = D, .n_nodes = 1, .parent = parent, .node_ptr = ptr, .feat = feat},
        two = {.n_features = D, .n_nodes = 2, .parent = parent, .node_ptr = ptr, .feat = feat};
    pith_tree *a = NULL, *b = NULL;
    assert_ok(ctx, pith_i_tree_make(ctx, &one, 0, &a));
    assert_ok(ctx, pith_i_tree_make(ctx, &two, 0, &b));
    fill(D * K, 11, V);
    memcpy(W, V, sizeof V);
    memcpy(X, V, sizeof V);
    pith_i_tree_prox(ctx, a, K, 0.8, NULL, room, W);
    pith_i_tree_prox(ctx, b, K, 0.4, NULL, room, X);
    for (int64_t e = 0; e < D * K; e++)
        assert_near(W[e], X[e], 1e-13);
    pith_tree_free(a);
    pith_tree_free(b);
}

/* A node so large that threads share it. */
static void threads_do_not_matter_to_large_nodes(void **state)
{
    pith_ctx *ctx = *state;
    enum { WIDE = 9000 };
    pith_tree *t = NULL;
    double *V[2] = {malloc(WIDE * K * sizeof(double)), malloc(WIDE * K * sizeof(double))};
    assert_ok(ctx, pith_i_tree_root(ctx, WIDE, &t));
    for (int i = 0; i < 2; i++) {
        assert_ok(ctx, pith_ctx_set_threads(ctx, i == 0 ? 1 : 8));
        double *room = malloc((size_t)pith_i_tree_room(t, K) * sizeof *room);
        fill(WIDE * K, 12, V[i]);
        pith_i_tree_prox(ctx, t, K, 20, NULL, room, V[i]);
        free(room);
    }
    assert_memory_equal(V[0], V[1], WIDE * K * sizeof(double));
    double square = 0, before = 0, W[WIDE * K];
    fill(WIDE * K, 12, W);
    for (int j = 0; j < WIDE; j++)
        before += W[j * K] * W[j * K];
    for (int j = 0; j < WIDE; j++)
        square += V[0][j * K] * V[0][j * K];
    assert_near(sqrt(square), sqrt(before) - 20, 1e-9);
    free(V[0]);
    free(V[1]);
    pith_tree_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_penalty_is_the_sum_over_all_nodes), TEST(no_step_lowers_the_objective),
        TEST(simple_trees_have_closed_forms),        TEST(equal_nodes_add_their_weights),
        TEST(threads_do_not_matter_to_large_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
