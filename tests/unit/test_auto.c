/* What a user sees who leaves everything to pith: progress, diversity as far as it is wanted, another ranking
 * where the first is poor. */
#include "core/random.h"
#include "unit/support.h"

enum { N = 190, P = 60 };

/* groups > 1: so many, apart in the first columns; 1: noise alone. */
static pith_matrix *make(pith_ctx *ctx, int64_t groups, uint64_t seed)
{
    static double x[N * P];
    pith_matrix *m = NULL;
    for (int64_t i = 0; i < N; i++) {
        pith_i_stream s = pith_i_stream_at(seed, PITH_I_RANDOM_BENCH, (uint64_t)i);
        for (int64_t j = 0; j < P; j++)
            x[i * P + j] = pith_i_random_uniform(&s) + (groups > 1 && j < 10 ? (double)(i % groups) : 0);
    }
    assert_ok(ctx, pith_matrix_dense(ctx, N, P, PITH_F64, x, P, 1, &m));
    return m;
}

typedef struct heard {
    double last;
    int calls, backwards;
} heard;

static bool listen(double done, const char *what, void *user)
{
    heard *h = user;
    (void)what;
    h->backwards += done < h->last;
    h->last = done;
    h->calls++;
    return true;
}

static void progress_of_no_method_goes_back(void **state)
{
    pith_ctx *ctx = *state;
    const pith_method *method = NULL;
    pith_matrix *m = make(ctx, 3, 1);
    for (size_t i = 0; (method = pith_method_at(i)) != NULL; i++) {
        pith_params *params = NULL;
        pith_result *r = NULL;
        heard h = {0};
        if (pith_method_needs_labels(method))
            continue;
        assert_ok(ctx, pith_params_new(ctx, method, &params));
        assert_ok(ctx, pith_params_set(ctx, params, "diversity", "1"));
        pith_ctx_set_progress(ctx, listen, &h);
        assert_ok(ctx, pith_run(ctx, m, params, &r));
        pith_ctx_set_progress(ctx, NULL, NULL);
        assert_true(h.calls > 1);
        assert_int_equal(h.backwards, 0);
        pith_result_free(r);
        pith_params_free(params);
    }
    pith_matrix_free(m);
}

static void progress_of_a_comparison_does_not_go_back(void **state)
{
    pith_ctx *ctx = *state;
    pith_comparison *c = NULL;
    heard h = {0};
    pith_matrix *m = make(ctx, 3, 1);
    const pith_compare_options o = {.methods = "laplacian,consensus,variance",
                                    .features = "5,10",
                                    .restarts = 3,
                                    .clusters = 3,
                                    .stability = 3};
    pith_ctx_set_progress(ctx, listen, &h);
    assert_ok(ctx, pith_compare(ctx, m, &o, &c));
    pith_ctx_set_progress(ctx, NULL, NULL);
    assert_int_equal(h.backwards, 0);
    assert_true(h.calls > 30 && h.last > 0.9);
    pith_comparison_free(c);
    pith_matrix_free(m);
}

static void diversity_reaches_as_far_as_features_are_asked_for(void **state)
{
    static const int64_t counts[] = {7, 25, 3};
    pith_ctx *ctx = *state;
    pith_params *params = NULL;
    pith_result *few = NULL, *all = NULL, *asked = NULL;
    pith_matrix *m = make(ctx, 3, 1);
    char text[32];
    assert_ok(ctx, pith_params_new(ctx, pith_method_find("variance"), &params));
    assert_ok(ctx, pith_params_set(ctx, params, "diversity", "4"));
    assert_ok(ctx, pith_params_set(ctx, params, "diversity_top", "5"));
    assert_ok(ctx, pith_run(ctx, m, params, &few));
    assert_ok(ctx, pith_params_set_counts(ctx, params, 3, counts));
    assert_ok(ctx, pith_run(ctx, m, params, &asked));
    assert_ok(ctx, pith_params_get(ctx, pith_result_params(asked), "diversity_top", text, sizeof text));
    assert_string_equal(text, "25");
    assert_ok(ctx, pith_params_set_counts(ctx, params, 0, NULL));
    assert_ok(ctx, pith_params_set(ctx, params, "diversity_top", "25"));
    assert_ok(ctx, pith_run(ctx, m, params, &all));
    assert_memory_equal(pith_result_ranking(asked), pith_result_ranking(all), P * sizeof(int64_t));
    assert_memory_not_equal(pith_result_ranking(asked), pith_result_ranking(few), P * sizeof(int64_t));
    pith_result_free(few);
    pith_result_free(asked);
    pith_result_free(all);
    pith_params_free(params);
    pith_matrix_free(m);
}

/* Runs consensus as the user's choice, or as that of auto. */
static pith_result *run_scaled(pith_ctx *ctx, const pith_matrix *m, const char *scaling, bool by_auto)
{
    pith_params *params = NULL;
    pith_result *r = NULL;
    assert_ok(ctx, pith_params_new(ctx, pith_method_find("consensus"), &params));
    assert_ok(ctx, pith_params_set(ctx, params, "top", "2"));
    assert_ok(ctx, pith_params_set(ctx, params, "scaling", scaling));
    assert_ok(ctx, pith_params_set(ctx, params, "evidence", "none")); /* noise is what it warns of */
    if (by_auto)
        pith_params_by_auto(params);
    assert_ok(ctx, pith_run(ctx, m, params, &r));
    pith_params_free(params);
    return r;
}

static pith_result *run(pith_ctx *ctx, const pith_matrix *m, bool by_auto)
{
    return run_scaled(ctx, m, "auto", by_auto);
}

/* Over some tables of noise: where the agreement is poor, auto hears the next candidate, takes it if that is
 * not poor, and says which it was. */
static void a_poor_ranking_is_replaced_where_auto_chose_it(void **state)
{
    pith_ctx *ctx = *state;
    int poor = 0, replaced = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        pith_matrix *m = make(ctx, 1, seed);
        pith_result *own = run(ctx, m, false), *chosen = run(ctx, m, true);
        double agreement = 0, rival = 0;
        assert_true(find_fact(own, "agreement", &agreement) && !find_fact(own, "rival_agreement", &rival));
        assert_int_equal(find_fact(chosen, "rival_agreement", &rival), agreement < 0.15);
        const bool taken = agreement < 0.15 && rival > 0.15;
        assert_int_equal(pith_result_note(chosen) != NULL, taken);
        assert_int_equal(pith_result_warning(chosen) != NULL, agreement < 0.15 && !taken);
        if (!taken)
            assert_memory_equal(pith_result_ranking(own), pith_result_ranking(chosen), P * sizeof(int64_t));
        poor += agreement < 0.15;
        replaced += taken;
        pith_result_free(own);
        pith_result_free(chosen);
        pith_matrix_free(m);
    }
    print_message("%d of 12 poor, %d replaced\n", poor, replaced);
    assert_true(poor > 0);
}

/* Columns that span orders of magnitude: auto ranks their logarithms, as if they had been taken before, and
 * says so; who names the method has the values as they are. */
static void auto_ranks_logarithms_of_what_spans_magnitudes(void **state)
{
    enum { Q = 120 };
    static double x[N * Q];
    pith_ctx *ctx = *state;
    pith_matrix *m = NULL, *logs = NULL;
    heard h = {0};
    for (int64_t i = 0; i < N; i++) {
        pith_i_stream s = pith_i_stream_at(3, PITH_I_RANDOM_BENCH, (uint64_t)i);
        const double depth = pith_i_random_normal(&s);
        for (int64_t j = 0; j < Q; j++)
            x[i * Q + j] = exp((double)(j % 9) + 0.3 * depth + (j < 10 ? (double)(i % 3) : 0) +
                               0.4 * pith_i_random_normal(&s));
    }
    assert_ok(ctx, pith_matrix_dense(ctx, N, Q, PITH_F64, x, Q, 1, &m));
    assert_ok(ctx, pith_prep(ctx, m, "size-factors,log1p", &logs));
    pith_result *named = run(ctx, m, false), *wanted = run_scaled(ctx, logs, "pareto", false);
    pith_result *as_logs = run(ctx, logs, true), *scores = run_scaled(ctx, logs, "zscore", true);
    pith_ctx_set_progress(ctx, listen, &h);
    pith_result *chosen = run(ctx, m, true);
    pith_ctx_set_progress(ctx, NULL, NULL);
    assert_memory_equal(pith_result_scores(chosen), pith_result_scores(wanted), Q * sizeof(double));
    assert_memory_equal(pith_result_ranking(chosen), pith_result_ranking(wanted), Q * sizeof(int64_t));
    assert_memory_equal(pith_result_scores(as_logs), pith_result_scores(wanted), Q * sizeof(double));
    assert_memory_not_equal(pith_result_scores(scores), pith_result_scores(wanted), Q * sizeof(double));
    assert_null(pith_result_note(as_logs));
    assert_memory_not_equal(pith_result_ranking(chosen), pith_result_ranking(named), Q * sizeof(int64_t));
    assert_non_null(strstr(pith_result_note(chosen), "ranking after size-factors,log1p, since"));
    assert_null(pith_result_note(wanted));
    assert_null(pith_result_warning(chosen));
    assert_non_null(strstr(pith_result_warning(named), "prep auto takes their logarithms"));
    assert_true(h.calls > 1 && h.backwards == 0);
    pith_result_free(named);
    pith_result_free(as_logs);
    pith_result_free(scores);
    pith_result_free(wanted);
    pith_result_free(chosen);
    pith_matrix_free(logs);
    pith_matrix_free(m);
}

/* Columns of which one is in another unit: what is said of the groups does not depend on it. */
static void agreement_does_not_depend_on_units(void **state)
{
    static double x[N * P], values[P];
    pith_ctx *ctx = *state;
    pith_matrix *m = make(ctx, 3, 1), *other = NULL, *scores = NULL;
    double of_scores = 0, of_units = 0;
    for (int64_t i = 0; i < N; i++) {
        assert_ok(ctx, pith_matrix_get_rows(ctx, m, i, 1, values));
        for (int64_t j = 0; j < P; j++)
            x[i * P + j] = values[j] * (j == 0 ? 1e4 : 1);
    }
    assert_ok(ctx, pith_matrix_dense(ctx, N, P, PITH_F64, x, P, 1, &other));
    assert_ok(ctx, pith_prep(ctx, other, "zscore", &scores));
    pith_result *r = run(ctx, scores, false), *units = run(ctx, other, false), *plain = run(ctx, m, false);
    assert_true(find_fact(r, "agreement", &of_scores) && find_fact(units, "agreement", &of_units));
    assert_near(of_units, of_scores, 1e-12);
    assert_memory_equal(pith_result_ranking(units), pith_result_ranking(plain), P * sizeof(int64_t));
    pith_result_free(r);
    pith_result_free(units);
    pith_result_free(plain);
    pith_matrix_free(scores);
    pith_matrix_free(other);
    pith_matrix_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(progress_of_no_method_goes_back),
        TEST(progress_of_a_comparison_does_not_go_back),
        TEST(diversity_reaches_as_far_as_features_are_asked_for),
        TEST(a_poor_ranking_is_replaced_where_auto_chose_it),
        TEST(auto_ranks_logarithms_of_what_spans_magnitudes),
        TEST(agreement_does_not_depend_on_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
