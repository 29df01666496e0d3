#include "linalg/arpack.h"
#include "unit/diagonal.h"

#include <pthread.h>

enum { N = 1000, M = 4 };

/* 0.9, 0.8, 0.7, 0.6 stand out of a spectrum that ends at 0.5. */
static sketch four_on_top(void)
{
    sketch d = new_diagonal(N);
    for (int64_t v = 0; v < M; v++)
        d.weight[100 + v] = 0.9 - 0.1 * (double)v;
    return d;
}

static void finds_the_largest_pairs(void **state)
{
    pith_ctx *ctx = *state;
    static double values[M], vectors[M * N];
    sketch d = four_on_top();
    const pith_i_operator A = diagonal_operator(&d);
    pith_i_arpack run = {.m = M, .basis = 20, .most_restarts = 100, .tolerance = 1e-10};
    assert_ok(ctx, pith_i_arpack_largest(ctx, &A, &run, values, vectors));
    assert_int_equal(run.found, M);
    assert_true(run.products >= 20);
    assert_eigenpairs(ctx, &A, M, values, vectors, 1e-9, 1e-13);
    qsort(values, M, sizeof *values, descending);
    for (int v = 0; v < M; v++)
        assert_near(values[v], 0.9 - 0.1 * v, 1e-10);
    free(d.weight);
}

static void a_run_too_short_returns_what_converged(void **state)
{
    pith_ctx *ctx = *state;
    static double values[M], vectors[M * N];
    sketch d = four_on_top();
    const pith_i_operator A = diagonal_operator(&d);
    pith_i_arpack run = {.m = M, .basis = 6, .most_restarts = 2, .tolerance = 1e-10};
    assert_ok(ctx, pith_i_arpack_largest(ctx, &A, &run, values, vectors));
    assert_int_equal(run.found, 0);
    run.most_restarts = 25;
    assert_ok(ctx, pith_i_arpack_largest(ctx, &A, &run, values, vectors));
    assert_true(run.found > 0 && run.found < M);
    for (int64_t v = 0; v < run.found; v++) /* real ones, largest first to converge or not */
        assert_near(fmod(values[v] * 10 + 1e-7, 1), 1e-7, 1e-7);
    free(d.weight);
}

/* The zero map exhausts a Krylov space at every step, so ARPACK asks for a new vector each time; if any
 * came from its own generator, which remembers, the second run would differ. */
static void a_run_does_not_depend_on_those_before_it(void **state)
{
    pith_ctx *ctx = *state;
    static double values[M], first[M * N], again[M * N];
    sketch d = {N, calloc(N, sizeof(double))};
    const pith_i_operator A = diagonal_operator(&d);
    for (int t = 0; t < 3; t++) {
        pith_i_arpack run = {.m = M, .basis = 20, .most_restarts = 100, .tolerance = 1e-10};
        assert_ok(ctx, pith_i_arpack_largest(ctx, &A, &run, values, t == 0 ? first : again));
        assert_int_equal(run.found, M);
        if (t > 0)
            assert_memory_equal(first, again, sizeof first);
    }
    free(d.weight);
}

static void another_run_starts_elsewhere(void **state)
{
    pith_ctx *ctx = *state;
    static double values[M], first[M * N], other[M * N];
    sketch d = new_diagonal(N);
    const pith_i_operator A = diagonal_operator(&d);
    for (int64_t i = 0; i < N; i++)
        d.weight[i] = i < 500 ? 0.5 : 0.25;
    pith_i_arpack run = {.m = 1, .basis = 20, .most_restarts = 100, .tolerance = 1e-10};
    assert_ok(ctx, pith_i_arpack_largest(ctx, &A, &run, values, first));
    run.run = 1;
    assert_ok(ctx, pith_i_arpack_largest(ctx, &A, &run, values, other));
    double dot = 0;
    for (int i = 0; i < N; i++)
        dot += first[i] * other[i];
    assert_true(fabs(dot) < 0.5);
    free(d.weight);
}

static pith_status run_once(pith_ctx *ctx, void *arg)
{
    static _Thread_local double values[M], vectors[M * N];
    const pith_i_operator A = diagonal_operator(arg);
    pith_i_arpack run = {.m = M, .basis = 20, .most_restarts = 100, .tolerance = 1e-10};
    const pith_status st = pith_i_arpack_largest(ctx, &A, &run, values, vectors);
    if (st != PITH_OK || run.found != M)
        return st;
    qsort(values, M, sizeof *values, descending);
    return fabs(values[M - 1] - 0.6) < 1e-10 ? PITH_OK : PITH_E_BUG;
}

static void failing_allocations_are_reported(void **state)
{
    sketch d = four_on_top();
    assert_survives_failing_allocations(*state, run_once, &d, 6);
    free(d.weight);
}

static bool stop_at_once(double done, const char *what, void *user)
{
    (void)done;
    (void)what;
    ++*(int *)user;
    return false;
}

static void a_stop_is_heeded_and_leaves_the_solver_usable(void **state)
{
    pith_ctx *ctx = *state;
    sketch d = four_on_top();
    int asked = 0;
    pith_ctx_set_progress(ctx, stop_at_once, &asked);
    assert_int_equal(run_once(ctx, &d), PITH_E_STOPPED);
    assert_int_equal(asked, 1);
    pith_ctx_set_progress(ctx, NULL, NULL);
    assert_ok(ctx, run_once(ctx, &d));
    free(d.weight);
}

typedef struct nested {
    const sketch *d;
    pith_ctx *inner;
    pith_status st;
} nested;

static bool start_another(double done, const char *what, void *user)
{
    nested *n = user;
    (void)done;
    (void)what;
    n->st = run_once(n->inner, (void *)(uintptr_t)n->d);
    return true;
}

/* ARPACK's state is one for the process: a run inside a run would destroy the outer one. */
static void a_callback_cannot_start_a_run(void **state)
{
    pith_ctx *ctx = *state;
    sketch d = four_on_top();
    nested n = {.d = &d, .st = PITH_OK};
    assert_int_equal(pith_ctx_new(&n.inner), PITH_OK);
    pith_ctx_set_progress(ctx, start_another, &n);
    assert_ok(ctx, run_once(ctx, &d));
    assert_int_equal(n.st, PITH_E_ARGUMENT);
    assert_non_null(strstr(pith_ctx_message(n.inner), "callback"));
    assert_ok(n.inner, run_once(n.inner, &d));
    pith_ctx_free(n.inner);
    free(d.weight);
}

static void *run_many(void *arg)
{
    pith_ctx *ctx = NULL;
    pith_status st = pith_ctx_new(&ctx);
    for (int t = 0; t < 20 && st == PITH_OK; t++)
        st = run_once(ctx, arg);
    pith_ctx_free(ctx);
    return st == PITH_OK ? NULL : arg;
}

static void contexts_in_several_threads_wait_for_each_other(void **state)
{
    sketch d = four_on_top();
    pthread_t threads[3];
    (void)state;
    for (size_t t = 0; t < COUNT(threads); t++)
        assert_int_equal(pthread_create(threads + t, NULL, run_many, &d), 0);
    for (size_t t = 0; t < COUNT(threads); t++) {
        void *failed = NULL;
        assert_int_equal(pthread_join(threads[t], &failed), 0);
        assert_null(failed);
    }
    free(d.weight);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(finds_the_largest_pairs),
        TEST(a_run_too_short_returns_what_converged),
        TEST(a_run_does_not_depend_on_those_before_it),
        TEST(another_run_starts_elsewhere),
        TEST(failing_allocations_are_reported),
        TEST(a_stop_is_heeded_and_leaves_the_solver_usable),
        TEST(a_callback_cannot_start_a_run),
        TEST(contexts_in_several_threads_wait_for_each_other),
    };
    return cmocka_run_group_tests_name("arpack", tests, NULL, NULL);
}
