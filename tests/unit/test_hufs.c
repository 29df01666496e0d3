/* hufs and eufs as whole methods: what must not matter, what must, and where they end. */
#include "support.h"

#include "core/random.h"
#include "methods/method.h"

enum { N = 40, P = 18, C = 3 };

typedef struct sample {
    double x[N * P];
    int32_t label[N];
} sample;

/* Groups told apart by the first columns; labels that are not quite theirs. */
static sample make(void)
{
    sample s;
    for (int64_t i = 0; i < N; i++) {
        pith_i_stream r = pith_i_stream_at(31, PITH_I_RANDOM_BENCH, (uint64_t)i);
        for (int64_t j = 0; j < P; j++)
            s.x[i * P + j] = (j < 6 ? 3.0 * (double)((i + j) % C) : 0) + pith_i_random_normal(&r);
        s.label[i] = (int32_t)(i % 11 == 0 ? (i + 1) % C : i % C);
    }
    return s;
}

typedef struct setting {
    const char *name, *value;
} setting;

/* Runs from the labels (NULL: k-means) with the settings, which end with an empty one. */
static pith_result *run(pith_ctx *ctx, const char *method, int64_t n, int64_t p, const double *x,
                        const int32_t *label, const pith_tree *tree, const setting *settings)
{
    pith_params *params = NULL;
    pith_matrix *m = NULL;
    pith_result *r = NULL;
    assert_ok(ctx, pith_matrix_dense(ctx, n, p, PITH_F64, x, p, 1, &m));
    assert_ok(ctx, pith_params_new(ctx, pith_method_find(method), &params));
    if (label != NULL)
        assert_ok(ctx, pith_params_set_init_labels(ctx, params, n, label));
    if (tree != NULL)
        assert_ok(ctx, pith_params_set_tree(ctx, params, tree));
    for (; settings->name != NULL; settings++)
        assert_ok(ctx, pith_params_set(ctx, params, settings->name, settings->value));
    assert_ok(ctx, pith_run(ctx, m, params, &r));
    pith_params_free(params);
    pith_matrix_free(m);
    return r;
}

static double largest(const pith_result *r)
{
    double most = 0;
    for (int64_t j = 0; j < pith_result_features(r); j++)
        most = fmax(most, fabs(pith_result_scores(r)[j]));
    return most;
}

static const char *const solvers[] = {"mm", "admm", "admm-tree"};

static void without_weight_the_tree_has_no_part(void **state)
{
    pith_ctx *ctx = *state;
    const sample s = make();
    for (int k = 0; k < 2; k++) {
        const setting plain[] = {{"alpha", "0.02"}, {"beta", "0"}, {"solver", solvers[k]}, {0}};
        const setting without[] = {
            {"alpha", "0"}, {"beta", "0.02"}, {"tree", "grid:3x6:leaf=2"}, {"solver", solvers[k]}, {0}};
        pith_result *a = run(ctx, "eufs", N, P, s.x, s.label, NULL, plain),
                    *b = run(ctx, "hufs", N, P, s.x, s.label, NULL, without);
        assert_memory_equal(pith_result_scores(a), pith_result_scores(b), P * sizeof(double));
        pith_result_free(a);
        pith_result_free(b);
    }
}

static void a_node_given_twice_weighs_twice(void **state)
{
    pith_ctx *ctx = *state;
    const sample s = make();
    int32_t parent[] = {-1, 0}, feat[2 * P];
    const int64_t ptr[] = {0, P, 2 * P};
    for (int32_t j = 0; j < 2 * P; j++)
        feat[j] = j % P;
    const pith_i_sketch twice = {
        .n_features = P, .n_nodes = 2, .parent = parent, .node_ptr = ptr, .feat = feat};
    pith_tree *t = NULL;
    assert_ok(ctx, pith_i_tree_make(ctx, &twice, 0, &t));
    const setting half[] = {{"alpha", "0.05"}, {0}}, whole[] = {{"alpha", "0.1"}, {"tree", "root"}, {0}};
    pith_result *a = run(ctx, "hufs", N, P, s.x, s.label, t, half),
                *b = run(ctx, "hufs", N, P, s.x, s.label, NULL, whole);
    for (int64_t j = 0; j < P; j++)
        assert_near(pith_result_scores(a)[j], pith_result_scores(b)[j], 1e-9 * largest(a));
    char text[32];
    assert_ok(ctx, pith_params_get(ctx, pith_result_params(a), "tree", text, sizeof text));
    assert_string_equal(text, "(given)");
    pith_result_free(a);
    pith_result_free(b);
    pith_tree_free(t);
}

static void data_times_a_thousand_gives_scores_times_a_thousand(void **state)
{
    pith_ctx *ctx = *state;
    sample s = make(), t = s;
    for (int64_t e = 0; e < N * P; e++)
        t.x[e] *= 1000;
    for (int k = 0; k < 3; k++) {
        const setting settings[] = {
            {"tree", "grid:3x6:leaf=2"}, {"solver", solvers[k]}, {"standardize", "center"}, {0}};
        pith_result *a = run(ctx, "hufs", N, P, s.x, s.label, NULL, settings),
                    *b = run(ctx, "hufs", N, P, t.x, s.label, NULL, settings);
        for (int64_t j = 0; j < P; j++)
            assert_near(1000 * pith_result_scores(a)[j], pith_result_scores(b)[j], 1e-8 * largest(b));
        assert_memory_equal(pith_result_ranking(a), pith_result_ranking(b), P * sizeof(int64_t));
        pith_result_free(a);
        pith_result_free(b);
    }
}

/* Rows with their labels, and columns with their tree, in another order. */
static void order_does_not_matter(void **state)
{
    pith_ctx *ctx = *state;
    sample s = make(), t = s;
    int32_t parent[] = {-1, 0, 0, 1}, feat[3 * P], moved[3 * P];
    const int64_t ptr[] = {0, P, P + 6, P + 13, P + 16};
    for (int32_t j = 0; j < P; j++)
        feat[j] = moved[j] = j;
    /* {0..5}, {6..12}, {0..2}; column j goes to place (j + 4) mod P */
    const int32_t own[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 1, 2};
    for (size_t e = 0; e < COUNT(own); e++) {
        feat[P + e] = own[e];
        moved[P + e] = (own[e] + 4) % P;
    }
    const pith_i_sketch
        here = {.n_features = P, .n_nodes = 4, .parent = parent, .node_ptr = ptr, .feat = feat},
        there = {.n_features = P, .n_nodes = 4, .parent = parent, .node_ptr = ptr, .feat = moved};
    pith_tree *a = NULL, *b = NULL;
    assert_ok(ctx, pith_i_tree_make(ctx, &here, 0, &a));
    assert_ok(ctx, pith_i_tree_make(ctx, &there, 0, &b));
    for (int64_t i = 0; i < N; i++) {
        t.label[i] = s.label[i * 7 % N];
        for (int64_t j = 0; j < P; j++)
            t.x[i * P + (j + 4) % P] = s.x[(i * 7 % N) * P + j];
    }
    for (int k = 0; k < 3; k++) {
        const setting settings[] = {{"solver", solvers[k]}, {"alpha", "0.02"}, {0}};
        pith_result *x = run(ctx, "hufs", N, P, s.x, s.label, a, settings),
                    *y = run(ctx, "hufs", N, P, t.x, t.label, b, settings);
        for (int64_t j = 0; j < P; j++)
            assert_near(pith_result_scores(x)[j], pith_result_scores(y)[(j + 4) % P], 1e-8 * largest(x));
        pith_result_free(x);
        pith_result_free(y);
    }
    pith_tree_free(a);
    pith_tree_free(b);
}

static void a_weight_that_removes_all_is_told_and_ranks_by_what_comes_back_first(void **state)
{
    pith_ctx *ctx = *state;
    const sample s = make();
    for (int k = 0; k < 3; k++) {
        const setting settings[] = {{"tree", "root"}, {"solver", solvers[k]}, {"beta", "50"}, {0}};
        pith_result *r = run(ctx, "hufs", N, P, s.x, s.label, NULL, settings);
        assert_non_null(pith_result_warning(r));
        assert_non_null(
            strstr(pith_result_warning(r), "beta 50 removes every feature (largest useful value "));
        bool by_index = true;
        for (int64_t j = 0; j < P; j++) {
            assert_true(pith_result_scores(r)[j] <= 0);
            by_index = by_index && pith_result_ranking(r)[j] == j;
            assert_true(j >= 6 || pith_result_ranking(r)[j] < 6); /* those that tell the groups apart */
        }
        assert_false(by_index);
        pith_result_free(r);
    }
    /* A little below, some feature is left. */
    const setting useful[] = {{"tree", "root"}, {"beta", "0.3"}, {0}};
    pith_result *r = run(ctx, "hufs", N, P, s.x, s.label, NULL, useful);
    assert_null(pith_result_warning(r));
    assert_true(pith_result_scores(r)[pith_result_ranking(r)[0]] > 0);
    pith_result_free(r);
}

static void two_clusters_as_many_as_samples_and_three_samples_work(void **state)
{
    pith_ctx *ctx = *state;
    const sample s = make();
    for (int k = 0; k < 3; k++) {
        const setting two[] = {{"tree", "root"}, {"clusters", "2"}, {"solver", solvers[k]}, {0}},
                      all[] = {{"tree", "root"}, {"clusters", "40"}, {"solver", solvers[k]}, {0}},
                      three[] = {{"tree", "root"}, {"clusters", "3"}, {"solver", solvers[k]}, {0}};
        pith_result_free(run(ctx, "hufs", N, P, s.x, NULL, NULL, two));
        pith_result_free(run(ctx, "hufs", N, P, s.x, NULL, NULL, all));
        pith_result_free(run(ctx, "hufs", 3, P, s.x, NULL, NULL, two));
        pith_result_free(run(ctx, "hufs", 3, P, s.x, NULL, NULL, three));
    }
}

/* 4 clusters of 30, 500 columns of noise, the first 20 shifted by +-2 in each cluster. */
static void planted_features_come_first(void **state)
{
    pith_ctx *ctx = *state;
    enum { n = 120, p = 500 };
    skip_when_short();
    double *x = malloc(n * p * sizeof *x), value[3];
    for (int64_t i = 0; i < n; i++) {
        pith_i_stream r = pith_i_stream_at(33, PITH_I_RANDOM_BENCH, (uint64_t)i);
        for (int64_t j = 0; j < p; j++) {
            const int64_t c = i % 4;
            const double sign = c == 0 ? 1 : c == 1 ? -1 : (j + (c == 2)) % 2 == 0 ? 1 : -1;
            x[i * p + j] = pith_i_random_normal(&r) + (j < 20 ? 2 * sign : 0);
        }
    }
    for (int k = 0; k < 3; k++) {
        const setting settings[] = {{"tree", "cluster"}, {"clusters", "4"}, {"solver", solvers[k]}, {0}};
        pith_result *r = run(ctx, "hufs", n, p, x, NULL, NULL, settings);
        for (int64_t j = 0; j < 20; j++)
            assert_true(pith_result_ranking(r)[j] < 20);
        value[k] = fact_of(r, "objective");
        assert_true(fact_of(r, "constraint_gap") < 1e-2);
        assert_true(fact_of(r, "negative_part") < 1e-2);
        pith_result_free(r);
    }
    assert_true(value[0] <= 1.03 * value[1]); /* mm is not much above admm */
    free(x);
}

/*
 * Majorisation never raises what it majorises. With hardly any weight on U >= 0, which is enforced from
 * outside, and with one penalty, whose step is exact, that is F itself.
 */
static void the_objective_never_rises_but_for_the_sign_constraint(void **state)
{
    pith_ctx *ctx = *state;
    const sample s = make();
    const setting rows[] = {{"tree", "root"}, {"alpha", "0"}, {"beta", "0.1"},    {"mu0", "1e-8"},
                            {"rho", "1"},     {"tol", "0"},   {"max_iter", "60"}, {0}},
                  groups[] = {{"tree", "grid:3x6:leaf=2"},
                              {"alpha", "0.1"},
                              {"beta", "0"},
                              {"mu0", "1e-8"},
                              {"rho", "1"},
                              {"tol", "0"},
                              {"max_iter", "60"},
                              {0}};
    for (int k = 0; k < 2; k++) {
        pith_result *r = run(ctx, "hufs", N, P, s.x, s.label, NULL, k == 0 ? rows : groups);
        assert_int_equal(pith_result_rounds(r), 60);
        assert_int_equal(fact_of(r, "iterations"), 60);
        for (int64_t i = 1; i < 60; i++)
            assert_true(pith_result_objective(r, i) <= (1 + 1e-9) * pith_result_objective(r, i - 1));
        assert_true(pith_result_objective(r, 59) < 0.99 * pith_result_objective(r, 0));
        assert_near(pith_result_objective(r, 59), fact_of(r, "objective"), 0);
        pith_result_free(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(without_weight_the_tree_has_no_part),
        TEST(a_node_given_twice_weighs_twice),
        TEST(data_times_a_thousand_gives_scores_times_a_thousand),
        TEST(order_does_not_matter),
        TEST(a_weight_that_removes_all_is_told_and_ranks_by_what_comes_back_first),
        TEST(two_clusters_as_many_as_samples_and_three_samples_work),
        TEST(planted_features_come_first),
        TEST(the_objective_never_rises_but_for_the_sign_constraint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
