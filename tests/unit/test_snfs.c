#include "unit/pair_data.h"

static void words_of_a_topic_come_first(void **state)
{
    skip_when_short();
    static const struct {
        const char *rho;
        int least; /* at a small price almost all words keep nearly all their weight */
    } prices[] = {{"0.3", 30}, {"0.03", 30}, {"0.003", 20}};
    double *x = toy_text(1);
    for (size_t k = 0; k < COUNT(prices); k++) {
        const char *const settings[] = {"rho", prices[k].rho, NULL};
        pith_result *r = ran(*state, "snfs", TOY_N, TOY_P, x, settings);
        assert_true(toy_words_found(r) >= prices[k].least);
        assert_true(fact_of(r, "stationarity") <= 1e-5);
        pith_result_free(r);
    }
    free(x);
}

/* The least price at which all weights are 0 is known; without a price all are 1 and the divergence is 0. */
static void the_price_decides_from_all_to_nothing(void **state)
{
    skip_when_short();
    static const char *const free_[] = {"lambda", "0", NULL}, *const full[] = {"rho", "1", NULL},
                             *const less[] = {"rho", "0.9", NULL};
    double *x = toy_text(2);
    pith_result *a = ran(*state, "snfs", TOY_N, TOY_P, x, free_);
    pith_result *b = ran(*state, "snfs", TOY_N, TOY_P, x, full);
    pith_result *c = ran(*state, "snfs", TOY_N, TOY_P, x, less);
    int64_t above = 0;
    assert_true(fabs(fact_of(a, "objective")) < 1e-9 && fact_of(a, "iterations") == 0);
    assert_int_equal(pith_result_keep(a), TOY_P);
    assert_int_equal(pith_result_keep(b), 0);
    for (int64_t j = 0; j < TOY_P; j++) {
        assert_true(pith_result_scores(a)[j] == 1);
        assert_true(pith_result_scores(b)[j] <= 0);
        above += pith_result_scores(c)[j] > 0;
    }
    assert_in_range(above, 1, 5);
    pith_result_free(a);
    pith_result_free(b);
    pith_result_free(c);
    free(x);
}

/* What was auto says what it became, and giving that gives the same. */
static void a_price_can_be_given_instead_of_a_share(void **state)
{
    skip_when_short();
    static const char *const share[] = {"rho", "0.05", NULL};
    double *x = toy_text(3);
    char lambda[64];
    pith_result *a = ran(*state, "snfs", TOY_N, TOY_P, x, share);
    assert_ok(*state, pith_params_get(*state, pith_result_params(a), "lambda", lambda, sizeof lambda));
    assert_near(strtod(lambda, NULL), 0.05 * fact_of(a, "lambda_max"), 1e-12 * fact_of(a, "lambda_max"));
    const char *const given[] = {"lambda", lambda, NULL};
    pith_result *b = ran(*state, "snfs", TOY_N, TOY_P, x, given);
    assert_memory_equal(pith_result_scores(a), pith_result_scores(b), TOY_P * sizeof(double));
    pith_result_free(a);
    pith_result_free(b);
    free(x);
}

static void the_number_to_keep_is_that_of_weights_near_one(void **state)
{
    skip_when_short();
    static const char *const alphas[] = {"0", "0.1", "0.5", "1"};
    double *x = toy_text(4);
    for (size_t k = 0; k < COUNT(alphas); k++) {
        const char *const settings[] = {"rho", "0.003", "alpha", alphas[k], NULL};
        pith_result *r = ran(*state, "snfs", TOY_N, TOY_P, x, settings);
        int64_t count = 0;
        for (int64_t j = 0; j < TOY_P; j++)
            count += pith_result_scores(r)[j] > 1 - strtod(alphas[k], NULL);
        /* Beyond 1 scores count multipliers: a weight of 1 is not above 1. */
        assert_int_equal(pith_result_keep(r), k == 0 ? 0 : count);
        assert_true(k == 0 || (count > 5 && count < TOY_P));
        pith_result_free(r);
    }
    free(x);
}

static void the_objective_falls_with_every_step(void **state)
{
    skip_when_short();
    static const char *const steps[] = {"0", "1", "2", "4", "8", "16", "300"};
    for (int sq = 0; sq < 2; sq++) {
        double *x = toy_text(5), last = INFINITY;
        for (size_t k = 0; k < COUNT(steps); k++) {
            const char *const settings[] = {"max_iter", steps[k], "similarity", sq ? "sqeuclid" : "cosine",
                                            "rho",      "0.05",   NULL};
            pith_result *r = ran(*state, "snfs", TOY_N, TOY_P, x, settings);
            assert_true(fact_of(r, "objective") < last);
            last = fact_of(r, "objective");
            pith_result_free(r);
        }
        free(x);
    }
}

/* They start equal, and the one minimum does not tell them apart. */
static void twin_columns_get_equal_weights(void **state)
{
    static const char *const settings[] = {"rho", "0.05", NULL};
    double *x = toy_text(6);
    for (int64_t i = 0; i < TOY_N; i++)
        x[i * TOY_P + 100] = x[i * TOY_P + 3];
    pith_result *r = ran(*state, "snfs", TOY_N, TOY_P, x, settings);
    assert_near(pith_result_scores(r)[100], pith_result_scores(r)[3], 1e-10);
    pith_result_free(r);
    free(x);
}

static void few_samples_have_few_neighbours(void **state)
{
    double *x = toy_text(7);
    char perplexity[64];
    pith_result *r = ran(*state, "snfs", 31, TOY_P, x + (int64_t)90 * TOY_P, NULL);
    assert_ok(*state,
              pith_params_get(*state, pith_result_params(r), "perplexity", perplexity, sizeof perplexity));
    assert_string_equal(perplexity, "10");
    pith_result_free(r);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(words_of_a_topic_come_first),
        TEST(the_price_decides_from_all_to_nothing),
        TEST(a_price_can_be_given_instead_of_a_share),
        TEST(the_number_to_keep_is_that_of_weights_near_one),
        TEST(the_objective_falls_with_every_step),
        TEST(twin_columns_get_equal_weights),
        TEST(few_samples_have_few_neighbours),
    };
    return cmocka_run_group_tests_name("snfs", tests, NULL, NULL);
}
