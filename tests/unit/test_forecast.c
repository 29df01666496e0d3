#include "select/forecast.h"
#include "unit/tables.h"

enum { N = 9000, P = 4 };

static void parts_that_grow_with_samples_and_with_pairs_are_told_apart(void **state)
{
    (void)state;
    assert_near(pith_i_extrapolate(1000, 1, 2000, 2, 16000), 16, 1e-12);
    assert_near(pith_i_extrapolate(1000, 1, 2000, 4, 16000), 256, 1e-9);
    assert_near(pith_i_extrapolate(1000, 1 + 3, 2000, 2 + 12, 16000), 16 + 3 * 256, 1e-9);
}

/* What a small subset shows may be start-up cost, or a disturbance. */
static void growth_is_between_linear_and_quadratic(void **state)
{
    (void)state;
    assert_near(pith_i_extrapolate(1000, 1, 2000, 1, 16000), 8, 1e-12);
    assert_near(pith_i_extrapolate(1000, 1, 2000, 0.5, 16000), 4, 1e-12);
    assert_near(pith_i_extrapolate(1000, 1, 2000, 16, 16000), 16 * 64, 1e-9);
}

/* An approximate search has a part that does not grow, and what one sample more costs is never nothing. */
static void approximate_searches_grow_along_a_line(void **state)
{
    (void)state;
    assert_near(pith_i_extrapolate_line(2000, 5, 4000, 7, 104000), 7 + 100, 1e-9);
    assert_near(pith_i_extrapolate_line(2000, 8, 4000, 8, 104000), 8 + 50, 1e-9);
    assert_near(pith_i_extrapolate_line(2000, 1, 4000, 4, 104000), 104, 1e-9);
}

static pith_matrix *make_matrix(pith_ctx *ctx, int64_t n)
{
    pith_matrix *m = NULL;
    assert_ok(ctx, pith_i_matrix_new(ctx, &m));
    m->data = as_form(ctx, random_table(ctx, n, P, 1, 3), n, P, ROW_MAJOR, PITH_F64);
    return m;
}

static pith_params *settings(pith_ctx *ctx, const char *method)
{
    pith_params *params = NULL;
    assert_ok(ctx, pith_params_new(ctx, pith_method_find(method), &params));
    return params;
}

static pith_forecast forecast(pith_ctx *ctx, const pith_matrix *m, const pith_params *params)
{
    pith_forecast ahead;
    assert_ok(ctx, pith_run_forecast(ctx, m, params, 1, &ahead));
    return ahead;
}

static void a_forecast_says_time_memory_and_subset(void **state)
{
    const size_t mark = pith_i_scratch_mark(*state);
    pith_matrix *m = make_matrix(*state, N);
    pith_params *params = settings(*state, "laplacian");
    const pith_forecast ahead = forecast(*state, m, params);
    assert_true(ahead.seconds > 0 && ahead.seconds < 3600);
    assert_true(ahead.samples >= 2000 && ahead.samples <= N / 4);
    pith_result *r = NULL;
    assert_ok(*state, pith_run(*state, m, params, &r));
    const double ratio = (double)ahead.bytes / (double)pith_result_peak_bytes(r);
    assert_true(ratio > 0.5 && ratio < 2);
    pith_result_free(r);
    pith_params_free(params);
    pith_matrix_free(m);
    pith_i_scratch_release(*state, mark);
}

static void assert_none(pith_ctx *ctx, const pith_matrix *m, const pith_params *params)
{
    assert_true(isnan(forecast(ctx, m, params).seconds));
}

static void there_is_none_for_what_cannot_be_cut(void **state)
{
    const size_t mark = pith_i_scratch_mark(*state);
    pith_matrix *few = make_matrix(*state, 7999), *m = make_matrix(*state, N);
    pith_params *params = settings(*state, "ndfs");
    assert_none(*state, few, params); /* a quarter must hold the second subset */
    int32_t *start = pith_i_scratch(*state, N, sizeof *start);
    for (int64_t i = 0; i < N; i++)
        start[i] = i % 2 == 0;
    assert_ok(*state, pith_i_params_start(*state, params, NULL, N, start));
    assert_none(*state, m, params);
    const char **batch = pith_i_scratch(*state, N, sizeof *batch);
    for (int64_t i = 0; i < N; i++)
        batch[i] = i % 2 == 0 ? "a" : "b";
    assert_ok(*state, pith_matrix_set_batches(*state, m, batch));
    pith_params *plain = settings(*state, "variance");
    assert_none(*state, m, plain);
    pith_params_free(plain);
    pith_params_free(params);
    pith_matrix_free(few);
    pith_matrix_free(m);
    pith_i_scratch_release(*state, mark);
}

/* It is the run's task to say why. */
static void a_method_that_fails_on_a_subset_has_none(void **state)
{
    const size_t mark = pith_i_scratch_mark(*state);
    pith_matrix *m = make_matrix(*state, N);
    pith_params *params = settings(*state, "mutual-info"); /* without labels */
    assert_none(*state, m, params);
    pith_params_free(params);
    pith_matrix_free(m);
    pith_i_scratch_release(*state, mark);
}

static bool stop(double done, const char *what, void *user)
{
    (void)done;
    (void)what;
    (void)user;
    return false;
}

static void it_stops_when_asked_to(void **state)
{
    const size_t mark = pith_i_scratch_mark(*state);
    pith_matrix *m = make_matrix(*state, N);
    pith_params *params = settings(*state, "laplacian");
    pith_forecast ahead;
    pith_ctx_set_progress(*state, stop, NULL);
    assert_int_equal(pith_run_forecast(*state, m, params, 1, &ahead), PITH_E_STOPPED);
    pith_params_free(params);
    pith_matrix_free(m);
    pith_i_scratch_release(*state, mark);
}

static pith_status act(pith_ctx *ctx, void *arg)
{
    pith_params *params = NULL;
    pith_forecast ahead;
    pith_status st = pith_params_new(ctx, pith_method_find("variance"), &params);
    if (st == PITH_OK)
        st = pith_run_forecast(ctx, arg, params, 0, &ahead);
    pith_params_free(params);
    return st;
}

static void it_gives_up_cleanly_without_memory(void **state)
{
    const size_t mark = pith_i_scratch_mark(*state);
    pith_matrix *m = make_matrix(*state, N);
    assert_survives_failing_allocations(*state, act, m, 4);
    pith_matrix_free(m);
    pith_i_scratch_release(*state, mark);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(parts_that_grow_with_samples_and_with_pairs_are_told_apart),
        TEST(growth_is_between_linear_and_quadratic),
        TEST(approximate_searches_grow_along_a_line),
        TEST(a_forecast_says_time_memory_and_subset),
        TEST(there_is_none_for_what_cannot_be_cut),
        TEST(a_method_that_fails_on_a_subset_has_none),
        TEST(it_stops_when_asked_to),
        TEST(it_gives_up_cleanly_without_memory),
    };
    return cmocka_run_group_tests_name("forecast", tests, NULL, NULL);
}
