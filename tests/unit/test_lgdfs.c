/* LGDFS as a whole; its parts are checked by test_models, its numbers by tests/oracle/lgdfs. */
#include "core/random.h"
#include "unit/support.h"

enum { N = 90, P = 12, INFORMATIVE = 3 };

static pith_matrix *make(pith_ctx *ctx, double *x)
{
    pith_i_stream s = pith_i_stream_at(3, PITH_I_RANDOM_BENCH, 0);
    pith_matrix *m = NULL;
    for (int64_t e = 0; e < N * P; e++)
        x[e] = pith_i_random_normal(&s) + (e % P < INFORMATIVE && e / P % INFORMATIVE == e % P ? 6 : 0);
    assert_ok(ctx, pith_matrix_dense(ctx, N, P, PITH_F64, x, P, 1, &m));
    return m;
}

static pith_result *run(pith_ctx *ctx, const pith_matrix *m, const char *name, const char *value)
{
    pith_params *params = NULL;
    pith_result *r = NULL;
    assert_ok(ctx, pith_params_new(ctx, pith_method_find("lgdfs"), &params));
    assert_ok(ctx, pith_params_set(ctx, params, "clusters", "3"));
    if (name != NULL)
        assert_ok(ctx, pith_params_set(ctx, params, name, value));
    assert_ok(ctx, pith_run(ctx, m, params, &r));
    pith_params_free(params);
    return r;
}

static void weights_lie_on_the_simplex_and_find_what_matters(void **state)
{
    pith_ctx *ctx = *state;
    double x[N * P], sum = 0;
    pith_matrix *m = make(ctx, x);
    pith_result *r = run(ctx, m, NULL, NULL);
    for (int64_t j = 0; j < P; j++) {
        assert_true(pith_result_scores(r)[j] >= 0);
        sum += pith_result_scores(r)[j];
    }
    assert_near(sum, 1, 1e-14);
    for (int64_t rank = 0; rank < INFORMATIVE; rank++)
        assert_true(pith_result_ranking(r)[rank] < INFORMATIVE);
    pith_result_free(r);
    pith_matrix_free(m);
}

static void the_objective_of_every_round_is_kept(void **state)
{
    pith_ctx *ctx = *state;
    double x[N * P];
    pith_matrix *m = make(ctx, x);
    pith_result *r = run(ctx, m, "tol", "0");
    assert_int_equal(pith_result_rounds(r), 20);
    assert_true(fact_of(r, "iterations") == 20);
    for (int64_t i = 0; i < 20; i++)
        assert_true(pith_result_objective(r, i) > 0);
    assert_true(pith_result_objective(r, 19) < 0.5 * pith_result_objective(r, 0));
    assert_true(pith_result_objective(r, 19) == fact_of(r, "objective"));
    assert_true(isnan(pith_result_objective(r, 20)) && isnan(pith_result_objective(r, -1)));
    assert_true(fact_of(r, "eigengap") > 0);
    pith_result_free(r);
    pith_matrix_free(m);
}

static void it_ends_when_the_weights_stand_still(void **state)
{
    pith_ctx *ctx = *state;
    double x[N * P];
    pith_matrix *m = make(ctx, x);
    pith_result *r = run(ctx, m, "tol", "0.1");
    assert_true(fact_of(r, "iterations") < 20 && fact_of(r, "weights_changed") < 0.1);
    assert_int_equal(pith_result_rounds(r), (int64_t)fact_of(r, "iterations"));
    pith_result_free(r);
    r = run(ctx, m, "iters", "2");
    assert_int_equal(pith_result_rounds(r), 2);
    pith_result_free(r);
    pith_matrix_free(m);
}

/* Far from 0 and as it is: the offset must not drown the distances. */
static void an_offset_does_not_matter(void **state)
{
    pith_ctx *ctx = *state;
    double x[N * P], y[N * P];
    pith_matrix *m = make(ctx, x), *far = NULL;
    for (int64_t e = 0; e < N * P; e++)
        y[e] = x[e] + 1e6;
    assert_ok(ctx, pith_matrix_dense(ctx, N, P, PITH_F64, y, P, 1, &far));
    pith_result *a = run(ctx, m, "standardize", "none"), *b = run(ctx, far, "standardize", "none");
    for (int64_t j = 0; j < P; j++)
        assert_near(pith_result_scores(a)[j], pith_result_scores(b)[j], 1e-8); /* 1e6 leaves 10 digits */
    pith_result_free(a);
    pith_result_free(b);
    pith_matrix_free(far);
    pith_matrix_free(m);
}

/* Three classes that differ in six words of many, among words that are in three samples each: z-scores make
 * these the widest columns. */
static void rare_words_do_not_rule_counts(void **state)
{
    enum { WORDS = 200, COMMON = 6 };
    pith_ctx *ctx = *state;
    static double x[N * WORDS];
    pith_i_stream s = pith_i_stream_at(6, PITH_I_RANDOM_BENCH, 0);
    pith_matrix *m = NULL;
    memset(x, 0, sizeof x);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < COMMON; j++)
            x[i * WORDS + j] = floor(pith_i_random_uniform(&s) * (j % 3 == i % 3 ? 9 : 2));
    for (int64_t j = COMMON; j < WORDS; j++)
        for (int copy = 0; copy < 3; copy++)
            x[(int64_t)(pith_i_random_uniform(&s) * N) * WORDS + j] = 1;
    assert_ok(ctx, pith_matrix_dense(ctx, N, WORDS, PITH_F64, x, WORDS, 1, &m));
    pith_result *r = run(ctx, m, NULL, NULL), *z = run(ctx, m, "standardize", "zscore");
    int64_t found = 0;
    for (int64_t rank = 0; rank < COMMON; rank++) {
        assert_true(pith_result_ranking(r)[rank] < COMMON);
        found += pith_result_ranking(z)[rank] < COMMON;
    }
    assert_true(found < COMMON); /* else this shows nothing */
    pith_result_free(z);
    pith_result_free(r);
    pith_matrix_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(weights_lie_on_the_simplex_and_find_what_matters),
        TEST(the_objective_of_every_round_is_kept),
        TEST(it_ends_when_the_weights_stand_still),
        TEST(an_offset_does_not_matter),
        TEST(rare_words_do_not_rule_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
