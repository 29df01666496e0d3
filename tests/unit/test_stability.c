#include "core/random.h"
#include "evaluate/stability.h"
#include "oracle/measures/numbers.h"
#include "unit/support.h"

static void index_and_error_are_those_of_the_formula(void **state)
{
    pith_ctx *ctx = *state;
    const int64_t *set[COUNT(stability_size)], *at = stability_members;
    for (size_t s = 0; s < COUNT(stability_size); s++) {
        set[s] = at;
        at += stability_size[s];
    }
    pith_i_stability got;
    assert_ok(ctx, pith_i_stability_measure(ctx, 40, COUNT(stability_size), set, stability_size, &got));
    assert_near(got.index, stability_index, 1e-12);
    assert_near(got.error, stability_error, 1e-12);
}

static void the_same_set_every_time_is_1(void **state)
{
    pith_ctx *ctx = *state;
    const int64_t member[] = {3, 1}, *set[] = {member, member, member}, size[] = {2, 2, 2};
    pith_i_stability got;
    assert_ok(ctx, pith_i_stability_measure(ctx, 5, 3, set, size, &got));
    assert_near(got.index, 1, 1e-15);
    assert_near(got.error, 0, 1e-7); /* a root of rounding */
}

static void random_sets_are_near_0(void **state)
{
    pith_ctx *ctx = *state;
    enum { M = 60, P = 200, K = 20 };
    int64_t member[M][K], size[M];
    const int64_t *set[M];
    for (int s = 0; s < M; s++) {
        pith_i_stream random = pith_i_stream_at(2, PITH_I_RANDOM_BENCH, (uint64_t)s);
        int64_t k = 0;
        for (int64_t f = 0; f < P && k < K; f++)
            if (pith_i_random_uniform(&random) * (double)(P - f) < (double)(K - k))
                member[s][k++] = f;
        set[s] = member[s];
        size[s] = K;
    }
    pith_i_stability got;
    assert_ok(ctx, pith_i_stability_measure(ctx, P, M, set, size, &got));
    assert_near(got.index, 0, 0.01);
    assert_true(got.error > 0);
}

static void it_is_undefined_where_nothing_was_chosen(void **state)
{
    pith_ctx *ctx = *state;
    const int64_t member[] = {0, 1, 2}, *set[] = {member, member, member};
    const int64_t every[] = {3, 3, 3}, empty[] = {0, 0, 0}, first[] = {1, 1, 1};
    pith_i_stability got;
    assert_ok(ctx, pith_i_stability_measure(ctx, 3, 3, set, every, &got));
    assert_true(isnan(got.index) && isnan(got.error));
    assert_ok(ctx, pith_i_stability_measure(ctx, 3, 3, set, empty, &got));
    assert_true(isnan(got.index));
    assert_ok(ctx, pith_i_stability_measure(ctx, 3, 1, set, first, &got));
    assert_true(isnan(got.index));
    assert_ok(ctx, pith_i_stability_measure(ctx, 3, 2, set, first, &got));
    assert_near(got.index, 1, 1e-15);
}

static void a_feature_out_of_range_is_refused(void **state)
{
    pith_ctx *ctx = *state;
    const int64_t member[] = {0, 3}, *set[] = {member, member}, size[] = {1, 2};
    pith_i_stability got;
    assert_int_equal(pith_i_stability_measure(ctx, 3, 2, set, size, &got), PITH_E_ARGUMENT);
    assert_string_equal(pith_ctx_message(ctx), "feature 3 is not in 0..2");
}

static pith_status run(pith_ctx *ctx, void *arg)
{
    const int64_t member[] = {0, 1}, *set[] = {member, member}, size[] = {1, 2};
    pith_i_stability got;
    (void)arg;
    return pith_i_stability_measure(ctx, 3, 2, set, size, &got);
}

static void it_survives_failing_allocations(void **state)
{
    assert_survives_failing_allocations(*state, run, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(index_and_error_are_those_of_the_formula),
        TEST(the_same_set_every_time_is_1),
        TEST(random_sets_are_near_0),
        TEST(it_is_undefined_where_nothing_was_chosen),
        TEST(a_feature_out_of_range_is_refused),
        TEST(it_survives_failing_allocations),
    };
    return cmocka_run_group_tests_name("stability", tests, NULL, NULL);
}
