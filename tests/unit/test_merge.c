#include "select/merge.h"
#include "unit/support.h"

enum { P = 7, B = 3 };

/* By hand, n = 3. Ranks of the features in the three batches; a dash: no score there.
 *
 *     feature   ranks       among   median
 *     0         1 7 2       2       1.5
 *     1         3 1 1       3       1
 *     2         2 2 6       2       2
 *     3         4 4 5       0       4 of all
 *     4         5 3 3       2       3
 *     5         6 5 4       0       5 of all
 *     6         -7 -6 -7    0       no score
 */
static int64_t ranking[B * P] = {0, 2, 1, 3, 4, 5, 6, 1, 2, 4, 3, 5, 6, 0, 1, 0, 4, 5, 3, 2, 6};
static bool scored[B * P];

static pith_i_rankings example(void)
{
    for (int e = 0; e < B * P; e++)
        scored[e] = e % P != 6;
    return (pith_i_rankings){P, B, ranking, scored};
}

static void more_batches_come_first_then_the_better_median(void **state)
{
    static const int64_t right[P] = {1, 0, 2, 4, 3, 5, 6};
    static const int32_t batches[P] = {2, 3, 2, 0, 2, 0, 0};
    static const double median[P] = {1.5, 1, 2, 4, 3, 5, 0};
    const pith_i_rankings in = example();
    int64_t merged[P];
    int32_t among[P];
    double score[P];
    assert_ok(*state, pith_i_merge_rankings(*state, &in, 3, among, score, merged));
    assert_memory_equal(merged, right, sizeof right);
    assert_memory_equal(among, batches, sizeof batches);
    for (int j = 0; j < P - 1; j++)
        assert_near(score[j], batches[j] + 1 - median[j] / (P + 1), 1e-15);
    assert_true(isnan(score[6]));
    for (int r = 1; r < P - 1; r++)
        assert_true(score[merged[r - 1]] >= score[merged[r]]);
}

/* Place 1 of a feature that has no score there says nothing. */
static void a_place_without_a_score_does_not_count(void **state)
{
    pith_i_rankings in = example();
    int64_t merged[P];
    int32_t among[P];
    double score[P];
    scored[0] = false; /* feature 0 in batch 0, its rank 1 */
    assert_ok(*state, pith_i_merge_rankings(*state, &in, 3, among, score, merged));
    assert_int_equal(among[0], 1);
    assert_near(score[0], 2 - 2.0 / (P + 1), 1e-15);
}

static void ties_take_the_lower_index(void **state)
{
    int64_t two[2 * 4] = {3, 1, 2, 0, 1, 3, 0, 2}; /* 1 and 3 swap places, and so do 0 and 2 */
    bool all[2 * 4] = {true, true, true, true, true, true, true, true};
    const pith_i_rankings in = {4, 2, two, all};
    static const int64_t right[4] = {1, 3, 0, 2};
    int64_t merged[4];
    int32_t among[4];
    double score[4];
    assert_ok(*state, pith_i_merge_rankings(*state, &in, 2, among, score, merged));
    assert_memory_equal(merged, right, sizeof right);
    assert_true(score[1] == score[3] && score[0] == score[2]);
}

static void one_batch_keeps_its_ranking(void **state)
{
    for (int64_t n = 1; n <= P; n++) {
        const pith_i_rankings in = {P, 1, ranking, scored};
        int64_t merged[P];
        int32_t among[P];
        double score[P];
        (void)example();
        assert_ok(*state, pith_i_merge_rankings(*state, &in, n, among, score, merged));
        assert_memory_equal(merged, ranking, sizeof merged);
    }
}

static pith_status act(pith_ctx *ctx, void *arg)
{
    int64_t merged[P];
    int32_t among[P];
    double score[P];
    return pith_i_merge_rankings(ctx, arg, 3, among, score, merged);
}

static void it_gives_up_cleanly_without_memory(void **state)
{
    pith_i_rankings in = example();
    assert_survives_failing_allocations(*state, act, &in, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(more_batches_come_first_then_the_better_median),
        TEST(a_place_without_a_score_does_not_count),
        TEST(ties_take_the_lower_index),
        TEST(one_batch_keeps_its_ranking),
        TEST(it_gives_up_cleanly_without_memory),
    };
    return cmocka_run_group_tests_name("merge", tests, NULL, NULL);
}
