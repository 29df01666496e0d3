/* What the methods that regress on the features have in common; their numbers are those of tests/oracle. */
#include "core/random.h"
#include "unit/support.h"

#include <stdio.h>

enum { N = 60, MOST = 90, INFORMATIVE = 6 };

static const char *const all[] = {"ndfs", "mcfs", "jelsr", "udfs"};

/* Three groups that the first features tell apart; others are noise, far from 0. */
static pith_matrix *make(pith_ctx *ctx, int64_t p, double *x)
{
    pith_i_stream s = pith_i_stream_at(3, PITH_I_RANDOM_BENCH, 0);
    pith_matrix *m = NULL;
    for (int64_t e = 0; e < N * p; e++) {
        const int64_t i = e / p, j = e % p;
        x[e] = 5 + pith_i_random_normal(&s) + (j < INFORMATIVE ? 4.0 * (double)((i + j) % 3) : 0);
    }
    assert_ok(ctx, pith_matrix_dense(ctx, N, p, PITH_F64, x, p, 1, &m));
    return m;
}

/* words: "rho=1 max_iter=50", on top of three clusters. */
static pith_result *run(pith_ctx *ctx, const pith_matrix *m, const char *method, const char *words)
{
    pith_params *params = NULL;
    pith_result *r = NULL;
    char copy[128], *rest = NULL;
    (void)snprintf(copy, sizeof copy, "clusters=3 %s", words);
    assert_ok(ctx, pith_params_new(ctx, pith_method_find(method), &params));
    for (char *word = strtok_r(copy, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        assert_ok(ctx, pith_params_set(ctx, params, word, value));
    }
    assert_ok(ctx, pith_run(ctx, m, params, &r));
    pith_params_free(params);
    return r;
}

/* jelsr and udfs are exact for their weights, so no sweep can raise what they minimise; ndfs' multiplicative
 * step has no proof, but does not where its clusters can move. */
static void no_sweep_raises_the_objective(void **state)
{
    pith_ctx *ctx = *state;
    static const char *const cases[][2] = {{"jelsr", ""},    {"jelsr", "laplacian=lle rho=0.1 b=5"},
                                           {"udfs", ""},     {"udfs", "g=0.01 l=10"},
                                           {"ndfs", "g=10"}, {"ndfs", "g=100 rho=0.1"}};
    static const int64_t widths[] = {20, MOST};
    double x[N * MOST];
    for (size_t c = 0; c < COUNT(cases); c++)
        for (size_t w = 0; w < COUNT(widths); w++) {
            pith_matrix *m = make(ctx, widths[w], x);
            pith_result *r = run(ctx, m, cases[c][0], cases[c][1]);
            assert_in_range(pith_result_rounds(r), 20, 30);
            for (int64_t k = 1; k < pith_result_rounds(r); k++)
                if (pith_result_objective(r, k) > pith_result_objective(r, k - 1) * (1 + 1e-10))
                    fail_msg("%s %s, %lld features: %.17g after %.17g in sweep %lld", cases[c][0],
                             cases[c][1], (long long)widths[w], pith_result_objective(r, k),
                             pith_result_objective(r, k - 1), (long long)k);
            pith_result_free(r);
            pith_matrix_free(m);
        }
}

static void informative_features_come_first(void **state)
{
    pith_ctx *ctx = *state;
    double x[N * MOST];
    pith_matrix *m = make(ctx, MOST, x);
    for (size_t a = 0; a < 3; a++) { /* udfs promises no such thing */
        /* mcfs takes as many vectors as clusters, of which the third is noise within the groups; and with
         * half as many coefficients as samples it fits noise. */
        pith_result *r = run(ctx, m, all[a], strcmp(all[a], "mcfs") == 0 ? "clusters=2 mcfs_active=4" : "");
        for (int64_t k = 0; k < 2; k++) /* three groups have two dimensions */
            if (pith_result_ranking(r)[k] >= INFORMATIVE)
                fail_msg("%s: feature %lld is number %lld", all[a], (long long)pith_result_ranking(r)[k],
                         (long long)k + 1);
        pith_result_free(r);
    }
    pith_matrix_free(m);
}

/* The data has means of 5 and more: a regression without centring would see nothing else. */
static void columns_are_centred_whatever_the_view(void **state)
{
    pith_ctx *ctx = *state;
    static const int64_t widths[] = {20, MOST};
    double x[N * MOST];
    for (size_t a = 0; a < COUNT(all); a++)
        for (size_t w = 0; w < COUNT(widths); w++) {
            pith_matrix *m = make(ctx, widths[w], x);
            pith_result *none = run(ctx, m, all[a], "standardize=none"),
                        *centred = run(ctx, m, all[a], "standardize=center");
            double largest = 0;
            for (int64_t j = 0; j < widths[w]; j++)
                largest = fmax(largest, pith_result_scores(none)[j]);
            for (int64_t j = 0; j < widths[w]; j++)
                assert_near(pith_result_scores(none)[j], pith_result_scores(centred)[j], 1e-9 * largest);
            pith_result_free(none);
            pith_result_free(centred);
            pith_matrix_free(m);
        }
}

/* Above the bound that rho is a share of, no feature stands still: all fall towards 0. */
static void rho_of_one_removes_every_feature(void **state)
{
    pith_ctx *ctx = *state;
    static const char *const methods[] = {"ndfs", "jelsr"};
    double x[N * MOST];
    pith_matrix *m = make(ctx, MOST, x);
    for (size_t a = 0; a < COUNT(methods); a++) {
        pith_result *few = run(ctx, m, methods[a], "rho=1 max_iter=5"),
                    *many = run(ctx, m, methods[a], "rho=1 max_iter=60");
        for (int64_t j = 0; j < MOST; j++)
            assert_true(pith_result_scores(many)[j] < pith_result_scores(few)[j]);
        assert_true(pith_result_scores(many)[pith_result_ranking(many)[0]] <
                    0.1 * pith_result_scores(few)[pith_result_ranking(few)[0]]);
        pith_result_free(few);
        pith_result_free(many);
    }
    pith_matrix_free(m);
}

static void tol_ends_the_sweeps_early(void **state)
{
    pith_ctx *ctx = *state;
    static const char *const methods[] = {"ndfs", "jelsr", "udfs"};
    double x[N * MOST];
    pith_matrix *m = make(ctx, MOST, x);
    for (size_t a = 0; a < COUNT(methods); a++) {
        pith_result *r = run(ctx, m, methods[a], "tol=0.01 max_iter=200 ");
        const int64_t rounds = pith_result_rounds(r);
        assert_in_range(rounds, 2, 199);
        const double now = pith_result_objective(r, rounds - 1);
        assert_true(fabs(pith_result_objective(r, rounds - 2) - now) < 0.01 * fabs(now));
        pith_result_free(r);
    }
    pith_matrix_free(m);
}

/* In two columns the eigengap sees more than two clusters. */
static void udfs_takes_no_more_directions_than_features_that_vary(void **state)
{
    pith_ctx *ctx = *state;
    double x[N * 2];
    pith_params *params = NULL;
    pith_result *r = NULL;
    pith_matrix *m = make(ctx, 2, x);
    assert_ok(ctx, pith_params_new(ctx, pith_method_find("udfs"), &params));
    assert_ok(ctx, pith_run(ctx, m, params, &r));
    char text[16];
    assert_ok(ctx, pith_params_get(ctx, pith_result_params(r), "clusters", text, sizeof text));
    assert_true(atoi(text) > 2);
    pith_result_free(r);
    r = NULL;
    assert_ok(ctx, pith_params_set(ctx, params, "clusters", "3"));
    assert_int_equal(pith_run(ctx, m, params, &r), PITH_E_DATA); /* who asks for three must be told */
    pith_params_free(params);
    pith_matrix_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(no_sweep_raises_the_objective),
        TEST(informative_features_come_first),
        TEST(columns_are_centred_whatever_the_view),
        TEST(rho_of_one_removes_every_feature),
        TEST(tol_ends_the_sweeps_early),
        TEST(udfs_takes_no_more_directions_than_features_that_vary),
    };
    return cmocka_run_group_tests_name("regression", tests, NULL, NULL);
}
