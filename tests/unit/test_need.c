#include "methods/need.h"
#include "unit/tables.h"

/* Of data of this size, whose values nobody looks at. */
static pith_status check(pith_ctx *ctx, const char *method, const char *const settings[][2], int64_t n,
                         int64_t p, bool sparse)
{
    const pith_i_data X = {.n = n, .p = p, .sparse = sparse};
    pith_params *params = NULL;
    assert_ok(ctx, pith_params_new(ctx, pith_method_find(method), &params));
    for (size_t s = 0; settings != NULL && settings[s][0] != NULL; s++)
        assert_ok(ctx, pith_params_set(ctx, params, settings[s][0], settings[s][1]));
    const pith_status st = pith_i_check_need(ctx, &X, params);
    pith_params_free(params);
    return st;
}

static void what_sizes_tell_is_compared_with_the_limit(void **state)
{
    pith_ctx *ctx = *state;
    static const char *const exact[][2] = {{"search", "exact"}, {NULL}},
                             *const half[][2] = {{"style", "1"}, {"p", "0.5"}, {NULL}},
                             *const full[][2] = {{"graph", "full"}, {NULL}};
    assert_ok(ctx, pith_ctx_set_memory(ctx, 200000000));
    assert_int_equal(check(ctx, "laplacian", exact, 100000, 1000, false), PITH_E_NOMEM);
    assert_non_null(strstr(pith_ctx_message(ctx), "400.0 MB more needed"));
    assert_non_null(strstr(pith_ctx_message(ctx), "the limit is 200.0 MB"));
    assert_ok(ctx, check(ctx, "laplacian", exact, 40000, 1000, false));
    assert_ok(ctx, check(ctx, "laplacian", exact, 100000, 1000, true));
    assert_ok(ctx, check(ctx, "laplacian", NULL, 1000000, 1000, false)); /* approximate */
    assert_int_equal(check(ctx, "spec", full, 5000, 10, true), PITH_E_NOMEM);
    assert_int_equal(check(ctx, "spec", half, 4000, 10, true), PITH_E_NOMEM);
    assert_ok(ctx, check(ctx, "spec", NULL, 4000, 10, true));
    assert_int_equal(check(ctx, "kmeans-energy", NULL, 1000000, 1000, false), PITH_E_NOMEM);
    assert_int_equal(check(ctx, "kmeans-energy", NULL, INT64_MAX / 2, INT32_MAX, false), PITH_E_NOMEM);
    assert_ok(ctx, check(ctx, "variance", NULL, 1000000, 1000, false));
    assert_ok(ctx, pith_ctx_set_memory(ctx, 0));
}

/* Neither statistics nor a view, nor a short run to tell the time. */
static void what_cannot_be_held_is_refused_before_any_work(void **state)
{
    enum { N = 2500, P = 1000 };
    pith_ctx *ctx = *state;
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_matrix *m = NULL;
    pith_params *params = NULL;
    pith_result *r = NULL;
    pith_forecast ahead;
    double *x = NULL;
    assert_ok(ctx, SCRATCH_ZERO(ctx, x, N * P));
    assert_ok(ctx, pith_matrix_dense(ctx, N, P, PITH_F64, x, P, 1, &m));
    assert_ok(ctx, pith_params_new(ctx, pith_method_find("kmeans-energy"), &params));
    const int64_t held = pith_i_bytes_in_use(ctx);
    assert_ok(ctx, pith_ctx_set_memory(ctx, held + 4 * N * P - 1));
    pith_ctx_reset_peak(ctx);
    assert_int_equal(pith_run(ctx, m, params, &r), PITH_E_NOMEM); /* not that all features are constant */
    assert_int_equal(pith_run_forecast(ctx, m, params, 1, &ahead), PITH_E_NOMEM);
    assert_int_equal(pith_ctx_peak_bytes(ctx), held);
    assert_ok(ctx, pith_ctx_set_memory(ctx, held + 4 * N * P));
    assert_int_equal(pith_run(ctx, m, params, &r), PITH_E_DATA);
    assert_ok(ctx, pith_ctx_set_memory(ctx, 0));
    pith_params_free(params);
    pith_matrix_free(m);
    pith_i_scratch_release(ctx, mark);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_sizes_tell_is_compared_with_the_limit),
        TEST(what_cannot_be_held_is_refused_before_any_work),
    };
    return cmocka_run_group_tests_name("need", tests, NULL, NULL);
}
