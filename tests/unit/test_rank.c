#include "select/rank.h"
#include "unit/support.h"

static void assert_ranking(pith_ctx *ctx, int64_t p, const double *score, const int64_t *order,
                           const int64_t *want)
{
    int64_t ranking[16];
    assert_ok(ctx, pith_i_rank(ctx, p, score, NULL, order, ranking));
    assert_memory_equal(ranking, want, (size_t)p * sizeof *want);
}

static void features_are_ranked_by_falling_score(void **state)
{
    assert_ranking(*state, 4, (const double[]){-1, 3, 0, 7}, NULL, (const int64_t[]){3, 1, 2, 0});
    assert_ranking(*state, 1, (const double[]){0}, NULL, (const int64_t[]){0});
    assert_ranking(*state, 0, NULL, NULL, (const int64_t[]){0});
}

static void ties_go_to_the_lower_index(void **state)
{
    assert_ranking(*state, 6, (const double[]){1, 2, 1, 2, 1, 2}, NULL, (const int64_t[]){1, 3, 5, 0, 2, 4});
    assert_ranking(*state, 3, (const double[]){0, -0.0, 0}, NULL, (const int64_t[]){0, 1, 2});
}

static void features_without_a_score_go_last_by_index(void **state)
{
    const double nan = (double)NAN, inf = (double)INFINITY;
    assert_ranking(*state, 6, (const double[]){nan, -inf, nan, 1, inf, -nan}, NULL,
                   (const int64_t[]){4, 3, 1, 0, 2, 5});
    assert_ranking(*state, 3, (const double[]){nan, nan, nan}, NULL, (const int64_t[]){0, 1, 2});
}

static void features_without_a_score_go_last_by_variance_constants_at_the_end(void **state)
{
    const double nan = (double)NAN, score[] = {nan, 2, nan, nan, nan, 5}, variance[] = {0, 1, 3, 0, 7, 1};
    int64_t ranking[6];
    assert_ok(*state, pith_i_rank(*state, 6, score, variance, NULL, ranking));
    assert_memory_equal(ranking, ((const int64_t[]){5, 1, 4, 2, 0, 3}), sizeof ranking);
    assert_ok(*state, pith_i_rank(*state, 6, score, variance, (const int64_t[]){0, 1, 2, 3, 4, 5}, ranking));
    assert_memory_equal(ranking, ((const int64_t[]){1, 5, 4, 2, 0, 3}), sizeof ranking);
}

static void a_method_s_own_order_is_kept_but_for_those_without_a_score(void **state)
{
    assert_ranking(*state, 5, (const double[]){5, (double)NAN, 3, 9, (double)NAN},
                   (const int64_t[]){4, 2, 0, 1, 3}, (const int64_t[]){2, 0, 3, 1, 4});
}

static void many_features_are_a_permutation_in_order(void **state)
{
    pith_ctx *ctx = *state;
    enum { P = 5000 };
    double *score = pith_i_scratch(ctx, P, sizeof *score);
    int64_t *ranking = pith_i_scratch(ctx, P, sizeof *ranking);
    bool *seen = pith_i_scratch_zero(ctx, P, sizeof *seen);
    for (int64_t j = 0; j < P; j++)
        score[j] = (double)(j * 7919 % 101);
    assert_ok(ctx, pith_i_rank(ctx, P, score, NULL, NULL, ranking));
    for (int64_t r = 0; r < P; r++) {
        assert_false(seen[ranking[r]]);
        seen[ranking[r]] = true;
        if (r > 0) {
            const double a = score[ranking[r - 1]], b = score[ranking[r]];
            assert_true(a > b || (a == b && ranking[r - 1] < ranking[r]));
        }
    }
    pith_i_scratch_release(ctx, 0);
}

static void turning_a_score_leaves_no_negative_zero(void **state)
{
    (void)state;
    double score[] = {2, -3, 0, -0.0, (double)NAN, (double)INFINITY};
    pith_i_flip_signs(6, score);
    assert_true(score[0] == -2 && score[1] == 3 && score[5] == -(double)INFINITY);
    assert_true(score[2] == 0 && !signbit(score[2]));
    assert_true(score[3] == 0 && !signbit(score[3]));
    assert_true(isnan(score[4]));
}

static pith_status rank_some(pith_ctx *ctx, void *arg)
{
    int64_t ranking[3];
    return pith_i_rank(ctx, 3, arg, NULL, NULL, ranking);
}

static void failing_allocations_are_survived(void **state)
{
    double score[] = {1, 2, 3};
    assert_survives_failing_allocations(*state, rank_some, score, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(features_are_ranked_by_falling_score),
        TEST(ties_go_to_the_lower_index),
        TEST(features_without_a_score_go_last_by_index),
        TEST(features_without_a_score_go_last_by_variance_constants_at_the_end),
        TEST(a_method_s_own_order_is_kept_but_for_those_without_a_score),
        TEST(many_features_are_a_permutation_in_order),
        cmocka_unit_test(turning_a_score_leaves_no_negative_zero),
        TEST(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests_name("rank", tests, NULL, NULL);
}
