#include "graph/graph_inside.h"
#include "graph/pairs.h"
#include "unit/graph_data.h"

enum { N = 50, P = 8, K = 4 };

static pith_i_graph *cosine_graph(pith_ctx *ctx, int64_t n, int64_t k, uint64_t seed)
{
    double *x = new_values(n * P);
    pith_i_graph *G = NULL;
    const pith_i_graph_options o = {.neighbors = k, .metric = PITH_I_COSINE, .weight = PITH_I_COSINE_WEIGHT};
    fill_normal(x, n * P, seed);
    pith_i_data X = laid_out(ctx, x, n, P, ROWS_F64);
    assert_ok(ctx, pith_i_graph_build(ctx, &X, &o, &G));
    pith_i_data_free(&X);
    free(x);
    return G;
}

static bool chose(const pith_i_graph *G, int64_t i, int64_t j)
{
    for (int64_t e = G->choice[i]; e < G->choice[i + 1]; e++)
        if (G->chosen[e] == j)
            return true;
    return false;
}

static void near_pairs_are_those_that_either_chose(void **state)
{
    pith_ctx *ctx = *state;
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_graph *G = cosine_graph(ctx, N, K, 1);
    pith_i_pairs P_ = {0};
    int64_t at = 0;
    assert_ok(ctx, pith_i_pairs_near(ctx, G, &P_));
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = i + 1; j < N; j++)
            if (chose(G, i, j) || chose(G, j, i)) {
                assert_true(at < P_.count && P_.i[at] == i && P_.j[at] == j && P_.sign[at] == 1);
                at++;
            }
    assert_int_equal(at, P_.count);
    assert_int_equal(at, P_.near);
    pith_i_scratch_release(ctx, mark);
    pith_i_graph_free(G);
}

static void draws_are_near_and_far_as_they_say(void **state)
{
    pith_ctx *ctx = *state;
    const size_t mark = pith_i_scratch_mark(ctx);
    enum { DRAWS = 20000 };
    pith_i_graph *G = cosine_graph(ctx, N, K, 2);
    pith_i_pairs S = {0};
    int64_t near = 0, first[N] = {0};
    assert_ok(ctx, pith_i_pairs_sample(ctx, G, DRAWS, false, 3, &S));
    assert_int_equal(S.count, DRAWS);
    for (int64_t t = 0; t < S.count; t++) {
        const int64_t i = S.i[t], j = S.j[t];
        assert_true(i != j);
        if (S.sign[t] > 0)
            assert_true(chose(G, i, j));
        else
            assert_true(S.sign[t] == -1 && !chose(G, i, j) && !chose(G, j, i));
        near += S.sign[t] > 0;
        first[i] += S.sign[t] > 0;
    }
    assert_int_equal(S.near, near);
    assert_near((double)near, DRAWS / 2.0, 4 * sqrt(DRAWS) / 2);
    for (int64_t i = 0; i < N; i++) /* each row as often as any other */
        assert_near((double)first[i], (double)near / N, 5 * sqrt((double)near / N));
    pith_i_scratch_release(ctx, mark);
    pith_i_graph_free(G);
}

static void a_draw_depends_on_seed_and_number_alone(void **state)
{
    pith_ctx *ctx = *state;
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_graph *G = cosine_graph(ctx, N, K, 4);
    pith_i_pairs A = {0}, B = {0}, C = {0};
    assert_ok(ctx, pith_ctx_set_threads(ctx, 1));
    assert_ok(ctx, pith_i_pairs_sample(ctx, G, 999, false, 5, &A));
    assert_ok(ctx, pith_ctx_set_threads(ctx, 8));
    assert_ok(ctx, pith_i_pairs_sample(ctx, G, 1500, false, 5, &B));
    assert_ok(ctx, pith_i_pairs_sample(ctx, G, 999, false, 6, &C));
    assert_memory_equal(A.i, B.i, 999 * sizeof *A.i);
    assert_memory_equal(A.j, B.j, 999 * sizeof *A.j);
    assert_memory_equal(A.sign, B.sign, 999);
    assert_true(memcmp(A.i, C.i, 999 * sizeof *A.i) != 0);
    pith_i_scratch_release(ctx, mark);
    pith_i_graph_free(G);
}

static void draws_can_take_turns(void **state)
{
    pith_ctx *ctx = *state;
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_graph *G = cosine_graph(ctx, N, K, 7);
    pith_i_pairs S = {0};
    assert_ok(ctx, pith_i_pairs_sample(ctx, G, 101, true, 1, &S));
    for (int64_t t = 0; t < 101; t++)
        assert_int_equal(S.sign[t], t % 2 == 0 ? 1 : -1);
    assert_int_equal(S.near, 51);
    pith_i_scratch_release(ctx, mark);
    pith_i_graph_free(G);
}

/* Two rows: each is the other's neighbour, or neither is. */
static void where_all_pairs_are_near_or_all_far_the_other_draws_are_left_out(void **state)
{
    pith_ctx *ctx = *state;
    const size_t mark = pith_i_scratch_mark(ctx);
    static const double alike[] = {1, 2, 2, 1}, apart[] = {1, 0, 0, 1};
    const pith_i_graph_options o = {.neighbors = 1, .metric = PITH_I_COSINE, .weight = PITH_I_COSINE_WEIGHT};
    for (int near = 0; near < 2; near++) {
        pith_i_graph *G = NULL;
        pith_i_pairs S = {0};
        pith_i_data X = laid_out(ctx, near ? alike : apart, 2, 2, CSR_F64);
        assert_ok(ctx, pith_i_graph_build(ctx, &X, &o, &G));
        assert_ok(ctx, pith_i_pairs_sample(ctx, G, 11, true, 1, &S));
        assert_int_equal(S.near, near ? 6 : 0);
        assert_true(near ? S.count == 6 : S.count > 0 && S.count <= 5);
        pith_i_graph_free(G);
        pith_i_data_free(&X);
    }
    pith_i_scratch_release(ctx, mark);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(near_pairs_are_those_that_either_chose),
        TEST(draws_are_near_and_far_as_they_say),
        TEST(a_draw_depends_on_seed_and_number_alone),
        TEST(draws_can_take_turns),
        TEST(where_all_pairs_are_near_or_all_far_the_other_draws_are_left_out),
    };
    return cmocka_run_group_tests_name("pairs", tests, NULL, NULL);
}
