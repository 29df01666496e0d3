/* Methods that alternate: no sweep may raise their objective. */
#include <stdio.h>

#include "core/random.h"
#include "unit/support.h"

/* Groups in the first columns; more features than samples, or fewer. */
static void make_table(int64_t n, int64_t p, double *x)
{
    for (int64_t i = 0; i < n; i++) {
        pith_i_stream s = pith_i_stream_at(5, PITH_I_RANDOM_BENCH, (uint64_t)i);
        for (int64_t j = 0; j < p; j++)
            x[i * p + j] = pith_i_random_normal(&s) + (j < p / 3 ? 2.0 * (double)((i + j) % 3) : 0);
    }
}

typedef struct settings {
    const char *name, *value;
} settings;

static double objective_after(pith_ctx *ctx, const pith_matrix *m, const char *method, const settings *set,
                              int sweeps)
{
    pith_params *params = NULL;
    pith_result *r = NULL;
    char text[16];
    (void)snprintf(text, sizeof text, "%d", sweeps);
    assert_ok(ctx, pith_params_new(ctx, pith_method_find(method), &params));
    assert_ok(ctx, pith_params_set(ctx, params, "clusters", "3"));
    assert_ok(ctx, pith_params_set(ctx, params, "max_iter", text));
    for (; set->name != NULL; set++)
        assert_ok(ctx, pith_params_set(ctx, params, set->name, set->value));
    assert_ok(ctx, pith_run(ctx, m, params, &r));
    assert_true(fact_of(r, "iterations") == sweeps);
    const double objective = fact_of(r, "objective");
    pith_result_free(r);
    pith_params_free(params);
    return objective;
}

static void check_falls(pith_ctx *ctx, const char *method, const settings *set)
{
    enum { MOST = 40 * 60, SWEEPS = 12 };
    static const int64_t shapes[][2] = {{25, 60}, {40, 17}};
    double x[MOST];
    for (size_t s = 0; s < COUNT(shapes); s++) {
        pith_matrix *m = NULL;
        const int64_t n = shapes[s][0], p = shapes[s][1];
        make_table(n, p, x);
        assert_ok(ctx, pith_matrix_dense(ctx, n, p, PITH_F64, x, p, 1, &m));
        double before = objective_after(ctx, m, method, set, 1);
        const double first = before;
        for (int sweeps = 2; sweeps <= SWEEPS; sweeps++) {
            const double J = objective_after(ctx, m, method, set, sweeps);
            if (!(J <= before * (1 + 1e-12)))
                fail_msg("%s: sweep %d raises the objective from %.17g to %.17g", method, sweeps, before, J);
            before = J;
        }
        assert_true(before < first);
        pith_matrix_free(m);
    }
}

static void no_sweep_of_rufs_raises_its_objective(void **state)
{
    static const settings plain[] = {{NULL, NULL}}, other[] = {{"v", "20"}, {"rho", "0.6"}, {NULL, NULL}},
                          uncentred[] = {{"standardize", "none"}, {"inner_iter", "3"}, {NULL, NULL}};
    check_falls(*state, "rufs", plain);
    check_falls(*state, "rufs", other);
    check_falls(*state, "rufs", uncentred);
}

static void no_sweep_of_rsfs_raises_its_objective(void **state)
{
    static const settings plain[] = {{NULL, NULL}}, other[] = {{"v", "0.05"}, {"rho", "0.6"}, {NULL, NULL}},
                          uncentred[] = {{"standardize", "none"}, {"inner_iter", "3"}, {NULL, NULL}};
    check_falls(*state, "rsfs", plain);
    check_falls(*state, "rsfs", other);
    check_falls(*state, "rsfs", uncentred);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(no_sweep_of_rufs_raises_its_objective),
        TEST(no_sweep_of_rsfs_raises_its_objective),
    };
    return cmocka_run_group_tests_name("descent", tests, NULL, NULL);
}
