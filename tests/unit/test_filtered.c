#include "linalg/eigen.h"
#include "linalg/filtered.h"
#include "unit/diagonal.h"

enum { N = 1200, M = 9 };

static void diagonal_panel(const void *self, float a, const float *x, float b, float c, float *y)
{
    const sketch *d = self;
    for (int64_t e = 0; e < d->n * PITH_I_PANEL; e++)
        y[e] = (a * (float)d->weight[e / PITH_I_PANEL] + b) * x[e] + c * y[e];
}

static pith_i_panel_operator diagonal_panels(const sketch *d)
{
    return (pith_i_panel_operator){.n = d->n, .self = d, .apply = diagonal_panel};
}

/* 0.95 five times, 0.9 three times, 0.85 once, all above a spectrum that ends at 0.5. */
static const double multiple[M] = {0.95, 0.95, 0.95, 0.95, 0.95, 0.9, 0.9, 0.9, 0.85};

static sketch multiple_on_top(void)
{
    sketch d = new_diagonal(N);
    for (int64_t v = 0; v < M; v++)
        d.weight[(37 * v + 11) % N] = multiple[v];
    return d;
}

static void every_copy_of_a_multiple_eigenvalue_is_found(void **state)
{
    pith_ctx *ctx = *state;
    static double values[M], vectors[M * N];
    sketch d = multiple_on_top();
    const pith_i_panel_operator P = diagonal_panels(&d);
    const pith_i_operator A = diagonal_operator(&d);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        bool found = false;
        pith_ctx_set_seed(ctx, seed);
        assert_ok(ctx, pith_i_eigen_filtered(ctx, &P, M, 0, NULL, 1e-5, &found, values, vectors));
        assert_true(found);
        assert_eigenpairs(ctx, &A, M, values, vectors, 1e-5, 1e-6);
        for (int v = 0; v < M; v++) {
            assert_near(values[v], multiple[v], 1e-7); /* what floats make of A */
            assert_sign(N, vectors + v * N);
        }
    }
    free(d.weight);
}

/* Where no gap helps: values at even steps, some of them cut off from the rest by nothing. */
static void an_even_spectrum_is_found_from_the_top(void **state)
{
    pith_ctx *ctx = *state;
    static double values[50], vectors[50 * N];
    static const int64_t wanted[] = {1, 8, 50};
    static const double tolerance[] = {1e-3, 1e-4, 1e-5};
    sketch d = new_diagonal(N);
    const pith_i_panel_operator P = diagonal_panels(&d);
    const pith_i_operator A = diagonal_operator(&d);
    for (size_t t = 0; t < COUNT(wanted) * COUNT(tolerance); t++) {
        const int64_t m = wanted[t % COUNT(wanted)];
        const double most = tolerance[t / COUNT(wanted)], gap = 1.4 / N;
        bool found = false;
        assert_ok(ctx, pith_i_eigen_filtered(ctx, &P, m, 0, NULL, most, &found, values, vectors));
        assert_true(found);
        assert_eigenpairs(ctx, &A, m, values, vectors, most, 1e-6);
        for (int64_t v = 0; v < m; v++)
            assert_near(values[v], -0.9 + gap * (double)(N - 1 - v), fmin(most, most * most / gap) + 1e-7);
    }
    free(d.weight);
}

/* Eigenvectors of 0.95 at rows 11 and 48, and of 1 at row 0, are known. */
static void known_vectors_do_not_come_back(void **state)
{
    pith_ctx *ctx = *state;
    static double known[3 * N], values[M], vectors[M * N];
    bool found = false;
    sketch d = multiple_on_top();
    d.weight[0] = 1;
    const pith_i_panel_operator P = diagonal_panels(&d);
    memset(known, 0, sizeof known);
    known[11] = known[N + 48] = known[2 * N] = 1;
    assert_ok(ctx, pith_i_eigen_filtered(ctx, &P, M - 2, 3, known, 1e-5, &found, values, vectors));
    assert_true(found);
    for (int64_t v = 0; v < M - 2; v++) {
        assert_near(values[v], multiple[v + 2], 1e-7);
        assert_near(vectors[v * N + 11], 0, 1e-6);
        assert_near(vectors[v * N + 48], 0, 1e-6);
        assert_near(vectors[v * N], 0, 1e-6);
    }
    free(d.weight);
}

/* By Lanczos no more than by the filter, but Lanczos has the words for it. */
static void a_value_that_is_no_number_is_not_found(void **state)
{
    pith_ctx *ctx = *state;
    static double values[M], vectors[M * N];
    bool found = true;
    sketch d = multiple_on_top();
    d.weight[7] = (double)NAN;
    const pith_i_panel_operator P = diagonal_panels(&d);
    assert_ok(ctx, pith_i_eigen_filtered(ctx, &P, M, 0, NULL, 1e-4, &found, values, vectors));
    assert_false(found);
    const pith_i_operator A = diagonal_operator(&d);
    const pith_i_eigen_options want = {.m = M, .tolerance = 1e-4, .panels = &P};
    assert_int_equal(pith_i_eigen_largest(ctx, &A, &want, values, vectors), PITH_E_NUMERIC);
    free(d.weight);
}

static void threads_do_not_matter(void **state)
{
    pith_ctx *ctx = *state;
    static double values[2][M], vectors[2][M * N];
    sketch d = multiple_on_top();
    const pith_i_panel_operator P = diagonal_panels(&d);
    for (int t = 0; t < 2; t++) {
        bool found = false;
        assert_ok(ctx, pith_ctx_set_threads(ctx, 1 + 3 * t));
        assert_ok(ctx, pith_i_eigen_filtered(ctx, &P, M, 0, NULL, 1e-4, &found, values[t], vectors[t]));
        assert_true(found);
    }
    assert_memory_equal(values[0], values[1], sizeof values[0]);
    assert_memory_equal(vectors[0], vectors[1], sizeof vectors[0]);
    free(d.weight);
}

static void more_than_there_is_is_refused(void **state)
{
    pith_ctx *ctx = *state;
    double values[M], vectors[M * 20];
    bool found = false;
    sketch d = new_diagonal(20);
    const pith_i_panel_operator P = diagonal_panels(&d);
    assert_int_equal(pith_i_eigen_filtered(ctx, &P, 0, 0, NULL, 1e-4, &found, values, vectors),
                     PITH_E_ARGUMENT);
    assert_int_equal(pith_i_eigen_filtered(ctx, &P, M, 5, NULL, 1e-4, &found, values, vectors),
                     PITH_E_ARGUMENT);
    free(d.weight);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_copy_of_a_multiple_eigenvalue_is_found),
        TEST(an_even_spectrum_is_found_from_the_top),
        TEST(known_vectors_do_not_come_back),
        TEST(a_value_that_is_no_number_is_not_found),
        TEST(threads_do_not_matter),
        TEST(more_than_there_is_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
