#include "linalg/eigen.h"
#include "unit/diagonal.h"

enum { N = 1200, M = 9 };

/* 0.95 five times, 0.9 three times, 0.85 once, all above a spectrum that ends at 0.5. */
static const double multiple[M] = {0.95, 0.95, 0.95, 0.95, 0.95, 0.9, 0.9, 0.9, 0.85};

static sketch multiple_on_top(int64_t n)
{
    sketch d = new_diagonal(n);
    for (int64_t v = 0; v < M; v++)
        d.weight[(37 * v + 11) % n] = multiple[v];
    return d;
}

static void every_copy_of_a_multiple_eigenvalue_is_found(void **state)
{
    pith_ctx *ctx = *state;
    static double values[M], vectors[M * N];
    sketch d = multiple_on_top(N);
    const pith_i_operator A = diagonal_operator(&d);
    for (uint64_t seed = 1; seed <= 10; seed++) {
        pith_ctx_set_seed(ctx, seed);
        assert_ok(ctx, pith_i_eigen_largest(ctx, &A, &(pith_i_eigen_options){.m = M, .tolerance = 1e-8},
                                            values, vectors));
        assert_eigenpairs(ctx, &A, M, values, vectors, 2e-8, 1e-13);
        for (int v = 0; v < M; v++) {
            assert_near(values[v], multiple[v], 1e-12);
            assert_sign(N, vectors + v * N);
        }
    }
    free(d.weight);
}

/* The last of the pairs wanted may be any of a multiple eigenvalue; the list of values is right. */
static void a_cut_through_a_multiple_eigenvalue_is_fine(void **state)
{
    pith_ctx *ctx = *state;
    static double values[M], vectors[M * N];
    sketch d = multiple_on_top(N);
    const pith_i_operator A = diagonal_operator(&d);
    for (int64_t m = 1; m <= M; m++) {
        assert_ok(ctx, pith_i_eigen_largest(ctx, &A, &(pith_i_eigen_options){.m = m, .tolerance = 1e-8},
                                            values, vectors));
        for (int64_t v = 0; v < m; v++)
            assert_near(values[v], multiple[v], 1e-12);
        assert_eigenpairs(ctx, &A, m, values, vectors, 2e-8, 1e-13);
    }
    free(d.weight);
}

/* Eigenvectors of 0.95 at rows 11 and 48, and of -0.5 at row 0, are known. */
static void known_vectors_do_not_come_back(void **state)
{
    pith_ctx *ctx = *state;
    static double known[3 * N], values[M], vectors[M * N];
    static const int64_t sizes[] = {100, N}; /* dense and Lanczos */
    for (size_t s = 0; s < COUNT(sizes); s++) {
        const int64_t n = sizes[s];
        sketch d = multiple_on_top(n);
        d.weight[0] = -0.5;
        const pith_i_operator A = diagonal_operator(&d);
        memset(known, 0, sizeof known);
        known[11] = known[n + 48] = known[2 * n] = 1;
        assert_ok(ctx, pith_i_eigen_largest(ctx, &A,
                                            &(pith_i_eigen_options){
                                                .m = M - 2, .n_known = 3, .known = known, .tolerance = 1e-8},
                                            values, vectors));
        assert_eigenpairs(ctx, &A, M - 2, values, vectors, 2e-8, 1e-13);
        for (int64_t v = 0; v < M - 2; v++) {
            assert_near(values[v], multiple[v + 2], 1e-12);
            assert_near(vectors[v * n + 11], 0, 1e-13);
            assert_near(vectors[v * n + 48], 0, 1e-13);
        }
        free(d.weight);
    }
}

/* With two of four known, the other two are all that is left: also that at -1, the lowest there can be. */
static void the_whole_complement_can_be_had(void **state)
{
    pith_ctx *ctx = *state;
    double weight[4] = {1, -1, 0.25, 1}, known[8] = {[0] = 1, [7] = 1}, values[2], vectors[8];
    const sketch d = {4, weight};
    const pith_i_operator A = diagonal_operator(&d);
    assert_ok(ctx,
              pith_i_eigen_largest(
                  ctx, &A, &(pith_i_eigen_options){.m = 2, .n_known = 2, .known = known, .tolerance = 1e-8},
                  values, vectors));
    assert_near(values[0], 0.25, 1e-15);
    assert_near(values[1], -1, 1e-15);
    assert_near(vectors[2], 1, 1e-15);
    assert_near(vectors[4 + 1], 1, 1e-15);
}

/* All eigenvalues 0: ARPACK's own test of convergence is relative, and would never be met. */
static void the_zero_map_has_eigenvalues_zero(void **state)
{
    pith_ctx *ctx = *state;
    static double values[M], vectors[M * N];
    sketch d = {N, calloc(N, sizeof(double))};
    const pith_i_operator A = diagonal_operator(&d);
    assert_ok(ctx, pith_i_eigen_largest(ctx, &A, &(pith_i_eigen_options){.m = M, .tolerance = 1e-8}, values,
                                        vectors));
    for (int v = 0; v < M; v++)
        assert_near(values[v], 0, 1e-13);
    assert_eigenpairs(ctx, &A, M, values, vectors, 1e-12, 1e-13);
    free(d.weight);
}

static void the_seed_changes_nothing_but_rounding(void **state)
{
    pith_ctx *ctx = *state;
    static double values[5], vectors[5 * N], other_values[5], others[5 * N];
    sketch d = new_diagonal(N);
    const pith_i_operator A = diagonal_operator(&d);
    assert_ok(ctx, pith_i_eigen_largest(ctx, &A, &(pith_i_eigen_options){.m = 5, .tolerance = 1e-11}, values,
                                        vectors));
    pith_ctx_set_seed(ctx, 77);
    assert_ok(ctx, pith_i_eigen_largest(ctx, &A, &(pith_i_eigen_options){.m = 5, .tolerance = 1e-11},
                                        other_values, others));
    assert_memory_not_equal(vectors, others, sizeof vectors);
    for (int v = 0; v < 5; v++)
        assert_near(values[v], other_values[v], 1e-13);
    for (int e = 0; e < 5 * N; e++) /* residual over the gap of 1.4 / 1200 */
        assert_near(vectors[e], others[e], 4e-8);
    free(d.weight);
}

static void dense_and_lanczos_agree(void **state)
{
    pith_ctx *ctx = *state;
    enum { SMALL = 130 }; /* more than a fifth of the pairs: dense; a tenth: Lanczos */
    static double few[13], few_vectors[13 * SMALL], many[30], many_vectors[30 * SMALL];
    sketch d = new_diagonal(SMALL);
    const pith_i_operator A = diagonal_operator(&d);
    assert_ok(ctx, pith_i_eigen_largest(ctx, &A, &(pith_i_eigen_options){.m = 13, .tolerance = 1e-12}, few,
                                        few_vectors));
    assert_ok(ctx, pith_i_eigen_largest(ctx, &A, &(pith_i_eigen_options){.m = 30, .tolerance = 1e-12}, many,
                                        many_vectors));
    for (int v = 0; v < 13; v++)
        assert_near(few[v], many[v], 1e-14);
    for (int e = 0; e < 13 * SMALL; e++)
        assert_near(few_vectors[e], many_vectors[e], 1e-9);
    free(d.weight);
}

static void nothing_found(const void *self, float a, const float *x, float b, float c, float *y)
{
    const sketch *d = self;
    (void)a, (void)x, (void)b, (void)c;
    for (int64_t e = 0; e < d->n * PITH_I_PANEL; e++)
        y[e] = NAN;
}

/* The panels hide the map from the filter, so the answer is ARPACK's. */
static void where_the_filter_finds_nothing_arpack_answers(void **state)
{
    pith_ctx *ctx = *state;
    static double values[M], vectors[M * N], same_values[M], same[M * N];
    sketch d = multiple_on_top(N);
    const pith_i_operator A = diagonal_operator(&d);
    const pith_i_panel_operator P = {.n = N, .self = &d, .apply = nothing_found};
    pith_i_eigen_options want = {.m = M, .tolerance = 1e-5, .panels = &P};
    assert_ok(ctx, pith_i_eigen_largest(ctx, &A, &want, values, vectors));
    want.panels = NULL;
    assert_ok(ctx, pith_i_eigen_largest(ctx, &A, &want, same_values, same));
    assert_memory_equal(values, same_values, sizeof values);
    assert_memory_equal(vectors, same, sizeof vectors);
    free(d.weight);
}

static void counts_that_make_no_sense_are_refused(void **state)
{
    pith_ctx *ctx = *state;
    double weight[4] = {0}, known[4] = {1}, values[4], vectors[16];
    const sketch d = {4, weight};
    const pith_i_operator A = diagonal_operator(&d);
    assert_int_equal(
        pith_i_eigen_largest(ctx, &A, &(pith_i_eigen_options){.m = 0, .tolerance = 1e-8}, values, vectors),
        PITH_E_ARGUMENT);
    assert_int_equal(
        pith_i_eigen_largest(ctx, &A, &(pith_i_eigen_options){.m = 5, .tolerance = 1e-8}, values, vectors),
        PITH_E_ARGUMENT);
    assert_int_equal(
        pith_i_eigen_largest(ctx, &A,
                             &(pith_i_eigen_options){.m = 4, .n_known = 1, .known = known, .tolerance = 1e-8},
                             values, vectors),
        PITH_E_ARGUMENT);
}

/* Not a number in, no endless search. */
static void a_map_that_gives_nan_is_an_error(void **state)
{
    pith_ctx *ctx = *state;
    static double values[5], vectors[5 * 400];
    static const int64_t dims[] = {50, 400};
    for (size_t t = 0; t < COUNT(dims); t++) {
        sketch d = new_diagonal(dims[t]);
        d.weight[17] = (double)NAN;
        const pith_i_operator A = diagonal_operator(&d);
        assert_int_equal(pith_i_eigen_largest(ctx, &A, &(pith_i_eigen_options){.m = 5, .tolerance = 1e-8},
                                              values, vectors),
                         PITH_E_NUMERIC);
        free(d.weight);
    }
}

static pith_status find(pith_ctx *ctx, void *arg)
{
    static double values[M], vectors[M * N];
    const pith_i_operator A = diagonal_operator(arg);
    return pith_i_eigen_largest(ctx, &A, &(pith_i_eigen_options){.m = M, .tolerance = 1e-8}, values, vectors);
}

/* A spectrum that is found in few steps, as each of some hundred allocations has its turn. */
static void failing_allocations_are_reported(void **state)
{
    sketch d = new_diagonal(200);
    for (int64_t i = 0; i < d.n; i++)
        d.weight[i] = i < 12 ? 0.9 - 0.05 * (double)(i / 2) : 0;
    assert_survives_failing_allocations(*state, find, &d, 20);
    free(d.weight);
}

static bool stop_later(double done, const char *what, void *user)
{
    (void)done;
    (void)what;
    return --*(int *)user > 0;
}

static void a_stop_is_heeded(void **state)
{
    static const int64_t dims[] = {100, N};
    (void)state;
    for (size_t t = 0; t < COUNT(dims); t++) {
        pith_ctx *ctx = NULL; /* a new one: callbacks come every 20 ms */
        sketch d = multiple_on_top(dims[t]);
        int left = 1;
        assert_int_equal(pith_ctx_new(&ctx), PITH_OK);
        pith_ctx_set_progress(ctx, stop_later, &left);
        assert_int_equal(find(ctx, &d), PITH_E_STOPPED);
        assert_int_equal(pith_i_bytes_in_use(ctx), 0);
        pith_ctx_set_progress(ctx, NULL, NULL);
        assert_ok(ctx, find(ctx, &d));
        pith_ctx_free(ctx);
        free(d.weight);
    }
}

/* Rows of moduli 3 and 4, with a diagonal of 1 apart from them. */
static void row_sums_bound_the_spectrum(void **state)
{
    const int64_t row[] = {0, 2, 3};
    const double value[] = {-1, 2, -4};
    (void)state;
    assert_near(pith_i_row_sum_bound(2, row, value, 0), 4, 0);
    assert_near(pith_i_row_sum_bound(2, row, value, 1), 5, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_copy_of_a_multiple_eigenvalue_is_found),
        TEST(a_cut_through_a_multiple_eigenvalue_is_fine),
        TEST(known_vectors_do_not_come_back),
        TEST(the_whole_complement_can_be_had),
        TEST(the_zero_map_has_eigenvalues_zero),
        TEST(the_seed_changes_nothing_but_rounding),
        TEST(dense_and_lanczos_agree),
        TEST(where_the_filter_finds_nothing_arpack_answers),
        TEST(counts_that_make_no_sense_are_refused),
        TEST(a_map_that_gives_nan_is_an_error),
        TEST(failing_allocations_are_reported),
        TEST(a_stop_is_heeded),
        TEST(row_sums_bound_the_spectrum),
    };
    return cmocka_run_group_tests_name("eigen", tests, NULL, NULL);
}
