#include "unit/pair_data.h"

static void words_of_a_topic_come_first(void **state)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        double *x = toy_text(seed);
        pith_result *r = ran(*state, "ht-des", TOY_N, TOY_P, x, NULL);
        assert_int_equal(toy_words_found(r), TOY_WORDS);
        assert_null(pith_result_warning(r));
        pith_result_free(r);
        free(x);
    }
}

/* Six texts in two groups, neighbours with k = 1: {0,1}, {1,2} and {3,4}, {4,5} by their extra words. */
static void z_is_as_calculated_by_hand(void **state)
{
    static const double x[] = {
        /* 0: group a; 1: group b; 2: 0 and 1; 3: 3 and 4; 4: every text, in different numbers */
        3, 0, 9, 0, 1, 3, 0, 9, 0, 1, 3, 0, 1, 0, 1, 0, 3, 0, 9, 1, 0, 3, 0, 9, 1, 0, 3, 0, 1, 2,
    };
    static const char *const one[] = {"neighbors", "1", "pairs", "200", NULL};
    pith_result *r = ran(*state, "ht-des", 6, 5, x, one);
    const double *score = pith_result_scores(r);
    /* Near: 01 and 12 or 02, 34 and 45 or 35: 4 of 15 pairs. Column 0 has 3 pairs, 2 near and 1 of 11 far. */
    const double ps = 2 / 4.0, pd = 1 / 11.0, q = (ps + pd) / 2;
    assert_near(score[0], (ps - pd) / sqrt(q * (1 - q) * 2 / 100), 1e-12);
    assert_true(score[0] == score[1]);
    assert_true(score[4] == 0); /* shared by all: the statistic is 0/0 */
    pith_result_free(r);
}

static void a_word_of_one_text_does_not_score_above_zero(void **state)
{
    double *x = toy_text(4);
    for (int64_t i = 0; i < TOY_N; i++)
        x[i * TOY_P + 50] = i == 17;
    pith_result *r = ran(*state, "ht-des", TOY_N, TOY_P, x, NULL);
    assert_true(pith_result_scores(r)[50] == 0);
    pith_result_free(r);
    free(x);
}

static void the_scale_of_the_data_does_not_matter(void **state)
{
    double *x = toy_text(5);
    pith_result *a = ran(*state, "ht-des", TOY_N, TOY_P, x, NULL);
    for (int64_t e = 0; e < TOY_N * TOY_P; e++)
        x[e] *= 0x1p-300;
    pith_result *b = ran(*state, "ht-des", TOY_N, TOY_P, x, NULL);
    assert_memory_equal(pith_result_scores(a), pith_result_scores(b), TOY_P * sizeof(double));
    pith_result_free(a);
    pith_result_free(b);
    free(x);
}

/* Nearly: pairs that chose each other are drawn twice as often as those of which only one did. */
static void a_sample_agrees_with_all_pairs(void **state)
{
    static const char *const sampled[] = {"exact", "no", "pairs", "100000", NULL};
    static const char *const all[] = {"pairs", "100000", NULL};
    double *x = toy_text(6);
    pith_result *a = ran(*state, "ht-des", TOY_N, TOY_P, x, all);
    pith_result *b = ran(*state, "ht-des", TOY_N, TOY_P, x, sampled);
    assert_int_equal(toy_words_found(b), TOY_WORDS);
    for (int64_t j = 0; j < TOY_WORDS; j++)
        assert_near(pith_result_scores(b)[j] / pith_result_scores(a)[j], 1, 0.15);
    pith_result_free(a);
    pith_result_free(b);
    free(x);
}

static void without_near_or_without_far_pairs_all_score_zero_with_a_warning(void **state)
{
    static const double alike[] = {1, 2, 2, 1, 3, 1}, apart[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int sampled = 0; sampled < 2; sampled++) {
        const char *const settings[] = {"exact", sampled ? "no" : "yes", NULL};
        pith_result *r = ran(*state, "ht-des", 3, 2, alike, settings);
        assert_non_null(strstr(pith_result_warning(r), "all samples are neighbours of each other"));
        assert_true(pith_result_scores(r)[0] == 0 && pith_result_scores(r)[1] == 0);
        pith_result_free(r);
        r = ran(*state, "ht-des", 3, 3, apart, settings);
        assert_non_null(strstr(pith_result_warning(r), "no two samples are neighbours"));
        for (int64_t j = 0; j < 3; j++)
            assert_true(pith_result_scores(r)[j] == 0);
        pith_result_free(r);
    }
}

static void dense_data_gets_a_warning_that_a_threshold_takes_away(void **state)
{
    static const char *const mean[] = {"threshold", "mean", NULL};
    enum { N = 40, P = 6 };
    double x[N * P];
    pith_i_stream s = pith_i_stream_at(7, PITH_I_RANDOM_BENCH, 0);
    for (int64_t e = 0; e < (int64_t)N * P; e++) /* the first half of the columns tells two groups apart */
        x[e] = 10 + pith_i_random_normal(&s) + (e % P < P / 2 && e / P % 2 == 0 ? 20 : 0);
    pith_result *r = ran(*state, "ht-des", N, P, x, NULL);
    assert_non_null(strstr(pith_result_warning(r), "threshold"));
    for (int64_t j = 0; j < P; j++)
        assert_true(pith_result_scores(r)[j] == 0); /* everybody has everything */
    pith_result_free(r);
    r = ran(*state, "ht-des", N, P, x, mean);
    assert_null(pith_result_warning(r));
    for (int64_t k = 0; k < P / 2; k++)
        assert_true(pith_result_ranking(r)[k] < P / 2);
    pith_result_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(words_of_a_topic_come_first),
        TEST(z_is_as_calculated_by_hand),
        TEST(a_word_of_one_text_does_not_score_above_zero),
        TEST(the_scale_of_the_data_does_not_matter),
        TEST(a_sample_agrees_with_all_pairs),
        TEST(without_near_or_without_far_pairs_all_score_zero_with_a_warning),
        TEST(dense_data_gets_a_warning_that_a_threshold_takes_away),
    };
    return cmocka_run_group_tests_name("ht_des", tests, NULL, NULL);
}
