#include "graph/pairs.h"
#include "unit/graph_data.h"
#include "unit/pair_data.h"

#include <stdio.h>

static double objective(pith_ctx *ctx, const double *x, const char *const *settings)
{
    pith_result *r = ran(ctx, "cl-des", TOY_N, TOY_P, x, settings);
    const double value = fact_of(r, "objective");
    pith_result_free(r);
    return value;
}

/* Neighbours know the noise words too, which they were found by: it takes a price to keep those out. */
static void words_of_a_topic_come_first_at_a_price(void **state)
{
    static const char *const dear[] = {"lambda", "0.01", NULL};
    for (uint64_t seed = 1; seed <= 3; seed++) {
        double *x = toy_text(seed);
        pith_result *a = ran(*state, "cl-des", TOY_N, TOY_P, x, dear);
        pith_result *b = ran(*state, "cl-des", TOY_N, TOY_P, x, NULL);
        assert_true(toy_words_found(a) >= 28);
        assert_true(toy_words_found(b) < toy_words_found(a));
        pith_result_free(a);
        pith_result_free(b);
        free(x);
    }
}

static void the_number_to_keep_is_that_of_positive_weights(void **state)
{
    static const char *const dear[] = {"lambda", "0.01", NULL};
    double *x = toy_text(1);
    pith_result *r = ran(*state, "cl-des", TOY_N, TOY_P, x, dear);
    int64_t positive = 0, zero = 0;
    for (int64_t j = 0; j < TOY_P; j++) {
        positive += pith_result_scores(r)[j] > 0;
        zero += pith_result_scores(r)[j] == 0;
    }
    assert_int_equal(pith_result_keep(r), positive);
    assert_true(fact_of(r, "auto_features") == (double)positive);
    assert_in_range(positive, 25, 150);
    assert_true(zero > 20); /* exactly 0, not nearly */
    pith_result_free(r);
    r = ran(*state, "ht-des", TOY_N, TOY_P, x, NULL);
    assert_int_equal(pith_result_keep(r), -1);
    pith_result_free(r);
    free(x);
}

/* The largest |mean over pairs of l f_c| on the same pairs: from this price on, w = 0 is the optimum. */
static double least_price_of_nothing(pith_ctx *ctx, const double *x)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_graph_options o = {.neighbors = 5, .metric = PITH_I_COSINE, .weight = PITH_I_COSINE_WEIGHT};
    pith_i_graph *G = NULL;
    pith_i_pairs S = {0};
    pith_i_data X = laid_out(ctx, x, TOY_N, TOY_P, ROWS_F64);
    double largest = 0;
    assert_ok(ctx, pith_i_graph_build(ctx, &X, &o, &G));
    assert_ok(ctx, pith_i_pairs_sample(ctx, G, 5000, false, 1, &S));
    for (int64_t c = 0; c < TOY_P; c++) {
        double sum = 0;
        for (int64_t t = 0; t < S.count; t++)
            sum += S.sign[t] * x[S.i[t] * TOY_P + c] * x[S.j[t] * TOY_P + c];
        largest = fmax(largest, fabs(sum) / (double)S.count);
    }
    pith_i_scratch_release(ctx, mark);
    pith_i_graph_free(G);
    pith_i_data_free(&X);
    return largest;
}

/* At the optimum a weight is 0 where |subgradient| <= lambda: from a known price on, all are. */
static void the_price_decides_whether_anything_is_learnt(void **state)
{
    double *x = toy_text(2);
    const double price = least_price_of_nothing(*state, x);
    char above[32], below[32];
    (void)snprintf(above, sizeof above, "%.17g", 1.02 * price);
    (void)snprintf(below, sizeof below, "%.17g", 0.4 * price);
    const char *const nothing[] = {"lambda", above, "pairs", "5000", "epochs", "20", "step", "0.01", NULL};
    const char *const some[] = {"lambda", below, "pairs", "5000", "epochs", "20", "step", "0.01", NULL};
    const double at_zero = objective(*state, x, nothing), lower = objective(*state, x, some);
    assert_true(at_zero >= 1 &&
                at_zero < 1.001); /* w = 0 has 1; steps of single pairs keep it nearly there */
    assert_true(lower < 0.99);
    free(x);
}

static void huge_prices_leave_nothing_and_no_price_leaves_what_was_touched(void **state)
{
    static const char *const huge[] = {"lambda", "10", NULL}, *const none[] = {"lambda", "0", NULL};
    double *x = toy_text(3);
    pith_result *a = ran(*state, "cl-des", TOY_N, TOY_P, x, huge);
    pith_result *b = ran(*state, "cl-des", TOY_N, TOY_P, x, none);
    int64_t touched = 0;
    for (int64_t j = 0; j < TOY_P; j++) {
        assert_true(pith_result_scores(a)[j] == 0);
        touched += pith_result_scores(b)[j] != 0;
    }
    assert_int_equal(pith_result_keep(a), 0);
    assert_true(touched > TOY_P * 9 / 10);
    pith_result_free(a);
    pith_result_free(b);
    free(x);
}

static void the_objective_falls_below_its_start_and_on_from_pass_to_pass(void **state)
{
    static const char *const one[] = {"epochs", "1", NULL}, *const four[] = {"epochs", "4", NULL},
                             *const many[] = {"epochs", "20", NULL};
    double *x = toy_text(4);
    const double first = objective(*state, x, one), then = objective(*state, x, four),
                 last = objective(*state, x, many);
    assert_true(first < 1);
    assert_true(then < first);
    assert_true(last < then);
    free(x);
}

static void the_scale_of_the_data_does_not_matter(void **state)
{
    static const char *const binary[] = {"values", "binary", NULL}, *const maxabs[] = {"values", "maxabs",
                                                                                       NULL};
    for (int how = 0; how < 2; how++) {
        double *x = toy_text(5);
        pith_result *a = ran(*state, "cl-des", TOY_N, TOY_P, x, how ? maxabs : binary);
        for (int64_t e = 0; e < TOY_N * TOY_P; e++)
            x[e] *= 0x1p-300;
        pith_result *b = ran(*state, "cl-des", TOY_N, TOY_P, x, how ? maxabs : binary);
        assert_memory_equal(pith_result_scores(a), pith_result_scores(b), TOY_P * sizeof(double));
        pith_result_free(a);
        pith_result_free(b);
        free(x);
    }
}

/* Another order of the samples draws other pairs, which say nearly the same. */
static void the_order_of_the_samples_hardly_matters(void **state)
{
    static const char *const dear[] = {"lambda", "0.01", NULL};
    double *x = toy_text(6), *y = toy_text(6);
    for (int64_t i = 0; i < TOY_N; i++)
        memcpy(y + i * TOY_P, x + (TOY_N - 1 - i) * TOY_P, TOY_P * sizeof *y);
    pith_result *a = ran(*state, "cl-des", TOY_N, TOY_P, x, dear);
    pith_result *b = ran(*state, "cl-des", TOY_N, TOY_P, y, dear);
    int both = 0;
    for (int64_t k = 0; k < TOY_WORDS; k++)
        for (int64_t l = 0; l < TOY_WORDS; l++)
            both += pith_result_ranking(a)[k] == pith_result_ranking(b)[l];
    assert_true(both >= 26);
    pith_result_free(a);
    pith_result_free(b);
    free(x);
    free(y);
}

static void runs_are_averaged(void **state)
{
    static const char *const three[] = {"runs", "3", "pairs", "1000", NULL}, *const one[] = {"pairs", "1000",
                                                                                             NULL};
    double *x = toy_text(7), mean[TOY_P] = {0};
    pith_result *r = NULL;
    for (uint64_t seed = 5; seed < 8; seed++) {
        pith_ctx_set_seed(*state, seed);
        r = ran(*state, "cl-des", TOY_N, TOY_P, x, one);
        for (int64_t j = 0; j < TOY_P; j++)
            mean[j] += pith_result_scores(r)[j] / 3;
        pith_result_free(r);
    }
    pith_ctx_set_seed(*state, 5);
    r = ran(*state, "cl-des", TOY_N, TOY_P, x, three);
    for (int64_t j = 0; j < TOY_P; j++)
        assert_near(pith_result_scores(r)[j], mean[j], 1e-15);
    pith_result_free(r);
    free(x);
}

static void pairs_that_share_nothing_give_zeros_and_a_warning(void **state)
{
    static const double apart[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    pith_result *r = ran(*state, "cl-des", 3, 3, apart, NULL);
    assert_non_null(strstr(pith_result_warning(r), "shares a feature"));
    for (int64_t j = 0; j < 3; j++)
        assert_true(pith_result_scores(r)[j] == 0);
    pith_result_free(r);
}

static void auto_values_are_presence_for_counts_and_shares_of_the_largest_else(void **state)
{
    double *x = toy_text(8);
    char value[32];
    for (int negative = 0; negative < 2; negative++) {
        x[0] = negative ? -1 : 1;
        pith_result *r = ran(*state, "cl-des", TOY_N, TOY_P, x, NULL);
        assert_ok(*state, pith_params_get(*state, pith_result_params(r), "values", value, sizeof value));
        assert_string_equal(value, negative ? "maxabs" : "binary");
        pith_result_free(r);
    }
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(words_of_a_topic_come_first_at_a_price),
        TEST(the_number_to_keep_is_that_of_positive_weights),
        TEST(the_price_decides_whether_anything_is_learnt),
        TEST(huge_prices_leave_nothing_and_no_price_leaves_what_was_touched),
        TEST(the_objective_falls_below_its_start_and_on_from_pass_to_pass),
        TEST(the_scale_of_the_data_does_not_matter),
        TEST(the_order_of_the_samples_hardly_matters),
        TEST(runs_are_averaged),
        TEST(pairs_that_share_nothing_give_zeros_and_a_warning),
        TEST(auto_values_are_presence_for_counts_and_shares_of_the_largest_else),
    };
    return cmocka_run_group_tests_name("cl_des", tests, NULL, NULL);
}
