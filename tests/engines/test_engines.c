/*
 * What every operation of an engine must do, beside this library's own answers:
 *
 *     test_engines [--if-usable] NAME
 *
 * NAME is local, or an engine that is found in PITH_ENGINE_PATH. With --if-usable, an engine that cannot be
 * used is skipped: the reason is printed, and the exit status is 77.
 *
 * An engine that promises EXACT has the same neighbours, in the same order; one that promises SAME_BYTES has
 * every byte. One that promises nothing has valid neighbours, among them nine of ten of the true ones.
 */
#include "core/engine.h"
#include "graph/knn_engine.h"
#include "graph/spectrum.h"
#include "linalg/eigen.h"
#include "matrix/matrix.h"
#include "unit/graph_data.h"

#include <stdio.h>

static const char *name; /* of the engine */

static pith_ctx *with_engine(void)
{
    pith_ctx *ctx = NULL;
    assert_int_equal(pith_ctx_new(&ctx), PITH_OK);
    assert_ok(ctx, pith_ctx_set_engine(ctx, name));
    return ctx;
}

static bool promises(const pith_ctx *ctx, unsigned what)
{
    return (pith_i_engine(ctx)->promises & what) == what;
}

/* ---- Neighbours ---------------------------------------------------------------------------------------- */

/* Shares of the true neighbours are added up over all data. */
static double hits, wanted;

static void compare_lists(const pith_ctx *ctx, const pith_i_knn *got, const pith_i_knn *want)
{
    assert_int_equal(got->n, want->n);
    assert_int_equal(got->k, want->k);
    for (int64_t i = 0; i < want->n; i++)
        for (int64_t e = 0; e < want->k; e++) {
            const int64_t at = i * want->k + e;
            wanted++;
            for (int64_t b = 0; b < want->k; b++)
                hits += want->index[at] == got->index[i * want->k + b];
            if (!promises(ctx, PITH_ENGINE_EXACT))
                continue;
            assert_int_equal(got->index[at], want->index[at]);
            assert_near(got->distance2[at], want->distance2[at], 1e-12 * want->distance2[at]);
        }
    if (promises(ctx, PITH_ENGINE_SAME_BYTES))
        assert_memory_equal(got->distance2, want->distance2,
                            (size_t)(want->n * want->k) * sizeof *want->distance2);
}

static void search_both(pith_ctx *local, pith_ctx *ctx, const pith_i_data *X, int64_t k, pith_i_metric metric)
{
    pith_i_knn got = {0}, want = {0};
    assert_ok(local, pith_i_knn_find(local, X, k, metric, &want));
    assert_ok(ctx, pith_i_knn_find(ctx, X, k, metric, &got));
    compare_lists(ctx, &got, &want);
    pith_i_knn_free(&got);
    pith_i_knn_free(&want);
}

/* What makes searches hard. */
typedef enum trouble { PLAIN, TIES, COPIES, ZEROS, HUGE_VALUES, TINY, FAR_AWAY, TROUBLES } trouble;

static void make_rows(double *x, int64_t n, int64_t p, trouble kind, uint64_t seed)
{
    fill_normal(x, n * p, seed);
    for (int64_t e = 0; e < n * p; e++) {
        const int64_t i = e / p;
        x[e] = fabs(x[e]) < 0.4 ? 0 : x[e];
        if (kind == TIES) /* whole numbers: many distances are equal */
            x[e] = round(x[e]);
        if (kind == COPIES && i % 3 == 1)
            x[e] = x[e - p];
        if (kind == ZEROS && i % 5 == 2)
            x[e] = 0;
        if (kind == HUGE_VALUES)
            x[e] *= 1e17;
        if (kind == TINY)
            x[e] *= 1e-18;
        if (kind == FAR_AWAY) /* distances are small beside the rows */
            x[e] = 1e4 + round(64 * x[e]) / 64;
    }
}

static void neighbours_are_those_of_local(void **state)
{
    static const struct {
        int64_t n, p, k;
    } shape[] = {{2, 1, 1}, {3, 4, 2}, {40, 7, 39}, {150, 33, 5}, {257, 12, 16}, {400, 3, 10}};
    pith_ctx *ctx = with_engine(), *local = *state;
    for (size_t s = 0; s < COUNT(shape); s++)
        for (int kind = 0; kind < TROUBLES; kind++) {
            double *x = new_values(shape[s].n * shape[s].p);
            make_rows(x, shape[s].n, shape[s].p, (trouble)kind, 100 + s);
            for (int how = 0; how < LAYOUTS; how++)
                for (int metric = PITH_I_EUCLIDEAN; metric <= PITH_I_COSINE; metric++) {
                    pith_i_data X = laid_out(local, x, shape[s].n, shape[s].p, (layout)how);
                    search_both(local, ctx, &X, shape[s].k, (pith_i_metric)metric);
                    pith_i_data_free(&X);
                }
            free(x);
        }
    assert_true(hits >= 0.9 * wanted);
    pith_ctx_free(ctx);
}

/* Threads of the library, and a k that is larger than there are rows. */
static void any_number_of_threads_finds_the_same(void **state)
{
    enum { N = 300, P = 20 };
    pith_ctx *ctx = with_engine(), *local = *state;
    double *x = new_values(N * P);
    pith_i_knn one = {0}, three = {0};
    fill_normal(x, N * P, 9);
    pith_i_data X = laid_out(local, x, N, P, ROWS_F32);
    assert_ok(ctx, pith_ctx_set_threads(ctx, 1));
    assert_ok(ctx, pith_i_knn_find(ctx, &X, 2 * N, PITH_I_EUCLIDEAN, &one));
    assert_ok(ctx, pith_ctx_set_threads(ctx, 3));
    assert_ok(ctx, pith_i_knn_find(ctx, &X, 2 * N, PITH_I_EUCLIDEAN, &three));
    assert_int_equal(one.k, N - 1);
    assert_memory_equal(one.index, three.index, (size_t)(N * one.k) * sizeof *one.index);
    assert_memory_equal(one.distance2, three.distance2, (size_t)(N * one.k) * sizeof *one.distance2);
    pith_i_knn_free(&one);
    pith_i_knn_free(&three);
    pith_i_data_free(&X);
    free(x);
    pith_ctx_free(ctx);
}

/* In subsets of the columns: as if the others were not there. */
static void neighbours_in_subsets_are_those_of_their_columns(void **state)
{
    enum { N = 120, P = 30, PARTS = 5, K = 6 };
    pith_ctx *ctx = with_engine(), *local = *state;
    double *x = new_values(N * P);
    uint32_t mask[P];
    fill_normal(x, N * P, 21);
    for (int j = 0; j < P; j++)
        mask[j] = (uint32_t)(1 + j % 31);
    for (int how = 0; how < 2; how++) {
        pith_i_data X = laid_out(local, x, N, P, how == 0 ? ROWS_F32 : CSR_F64);
        pith_i_knn found[PARTS] = {0}, want = {0};
        bool has = false;
        assert_ok(ctx, pith_i_knn_subsets_elsewhere(ctx, &X, PITH_I_EUCLIDEAN, PARTS, mask, K, &has, found));
        for (int l = 0; has && l < PARTS; l++) {
            int64_t columns[P], count = 0;
            pith_i_data part = {0};
            pith_i_rows R = {0};
            for (int j = 0; j < P; j++)
                if ((mask[j] >> l & 1) != 0)
                    columns[count++] = j;
            assert_ok(local, pith_i_take_columns(local, &X, count, columns, &part));
            assert_ok(local, pith_i_knn_find(local, &part, K, PITH_I_EUCLIDEAN, &want));
            assert_ok(local, pith_i_rows_open(local, &part, PITH_I_EUCLIDEAN, &R));
            assert_ok(local, pith_i_knn_rank(local, &R, &found[l]));
            compare_lists(ctx, &found[l], &want);
            pith_i_rows_close(&R);
            pith_i_knn_free(&want);
            pith_i_data_free(&part);
            pith_i_knn_free(&found[l]);
        }
        if (!has && how == 0)
            print_message("%s searches one subset after the other\n", name);
        pith_i_data_free(&X);
    }
    free(x);
    pith_ctx_free(ctx);
}

/* ---- Eigenpairs ---------------------------------------------------------------------------------------- */

typedef struct matrix {
    int64_t n;
    double *a;
} matrix;

static pith_status multiply(pith_ctx *ctx, const void *self, int64_t m, const double *x, double *y)
{
    const matrix *A = self;
    (void)ctx;
    for (int64_t v = 0; v < m; v++)
        for (int64_t i = 0; i < A->n; i++) {
            y[v * A->n + i] = 0;
            for (int64_t l = 0; l < A->n; l++)
                y[v * A->n + i] += A->a[i * A->n + l] * x[v * A->n + l];
        }
    return PITH_OK;
}

static double dot(int64_t n, const double *x, const double *y)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* A = Q diag(value) Q', Q a reflection: eigenvalues in [-1, 1], with any multiplicities. */
static matrix with_values(int64_t n, const double *value)
{
    matrix A = {n, calloc((size_t)(n * n), sizeof(double))};
    double *q = calloc((size_t)(n * n), sizeof *q), *h = new_values(n);
    assert_true(A.a != NULL && q != NULL);
    fill_normal(h, n, 31);
    const double square = dot(n, h, h);
    for (int64_t i = 0; i < n; i++)
        for (int64_t l = 0; l < n; l++)
            q[i * n + l] = (i == l) - 2 * h[i] * h[l] / square;
    for (int64_t i = 0; i < n; i++)
        for (int64_t l = 0; l < n; l++)
            for (int64_t v = 0; v < n; v++)
                A.a[i * n + l] += value[v] * q[v * n + i] * q[v * n + l];
    free(q);
    free(h);
    return A;
}

/* Are these eigenpairs of A, orthogonal to each other and to the known vectors, with these values? */
static void assert_pairs(const matrix *A, int64_t m, const double *want, const double *known,
                         const double *values, const double *vectors)
{
    const int64_t n = A->n;
    double *y = calloc((size_t)n, sizeof *y);
    assert_non_null(y);
    for (int64_t v = 0; v < m; v++) {
        const double *x = vectors + v * n;
        double residual = 0;
        assert_near(values[v], want[v], 1e-7);
        (void)multiply(NULL, A, 1, x, y);
        for (int64_t i = 0; i < n; i++)
            residual += (y[i] - values[v] * x[i]) * (y[i] - values[v] * x[i]);
        assert_true(sqrt(residual) <= 1e-7);
        for (int64_t b = 0; b <= v; b++)
            assert_near(dot(n, x, vectors + b * n), b == v, 1e-7);
        if (known != NULL)
            assert_near(dot(n, x, known), 0, 1e-7);
    }
    free(y);
}

/* The m largest of A with these values, which descend. */
static void check_largest(pith_ctx *ctx, int64_t n, const double *value, int64_t m)
{
    double *values = new_values(m), *vectors = new_values(m * n);
    matrix A = with_values(n, value);
    const pith_i_operator map = {.n = n, .self = &A, .apply = multiply};
    const pith_i_eigen_options want = {.m = m, .tolerance = 1e-9};
    assert_ok(ctx, pith_i_eigen_largest(ctx, &map, &want, values, vectors));
    assert_pairs(&A, m, value, NULL, values, vectors);
    free(A.a);
    free(values);
    free(vectors);
}

/* A Krylov space has one vector of such an eigenvalue; here rounding does not bring in the other one before
 * the next eigenvalue is found. */
static void an_eigenvalue_that_comes_twice_is_not_taken_for_one(void **state)
{
    enum { N = 97 };
    pith_ctx *ctx = with_engine();
    double value[N] = {0.99, 0.98, 0.98, 0.97998};
    (void)state;
    for (int v = 4; v < N; v++)
        value[v] = 0.98 - 2e-4 * (v - 3) * (v - 3);
    check_largest(ctx, N, value, 3);
    pith_ctx_free(ctx);
}

static void all_eigenpairs_but_one_of_few_rows(void **state)
{
    static const double value[] = {0.9, 0.4, 0.4, -0.2, -0.7};
    pith_ctx *ctx = with_engine();
    (void)state;
    for (int64_t n = 2; n <= (int64_t)COUNT(value); n++)
        for (int64_t m = n - 1; m <= n; m++)
            check_largest(ctx, n, value, m);
    pith_ctx_free(ctx);
}

static void eigenpairs_are_pairs_and_repeated_ones_come_as_often(void **state)
{
    enum { N = 160, M = 6 };
    static const double top[] = {0.9, 0.7, 0.7, 0.7, 0.2, 0.1, 0.05};
    pith_ctx *ctx = with_engine();
    double value[N], values[M], *vectors = new_values(M * N), *first = new_values(N);
    (void)state;
    for (int v = 0; v < N; v++)
        value[v] = v < (int)COUNT(top) ? top[v] : -0.9 * v / N;
    matrix A = with_values(N, value);
    const pith_i_operator map = {.n = N, .self = &A, .apply = multiply};
    pith_i_eigen_options want = {.m = M, .tolerance = 1e-9};
    assert_ok(ctx, pith_i_eigen_largest(ctx, &map, &want, values, vectors));
    assert_pairs(&A, M, top, NULL, values, vectors);
    want.basis = 60;
    assert_ok(ctx, pith_i_eigen_largest(ctx, &map, &want, values, vectors));
    assert_pairs(&A, M, top, NULL, values, vectors);
    memcpy(first, vectors, N * sizeof *first); /* the same without the first, which is known */
    want = (pith_i_eigen_options){.m = M, .tolerance = 1e-9, .n_known = 1, .known = first};
    assert_ok(ctx, pith_i_eigen_largest(ctx, &map, &want, values, vectors));
    assert_pairs(&A, M, top + 1, first, values, vectors);
    free(A.a);
    free(vectors);
    free(first);
    pith_ctx_free(ctx);
}

/* ---- Whole methods ------------------------------------------------------------------------------------- */

static pith_result *rank(pith_ctx *ctx, const pith_matrix *m, const char *method)
{
    pith_params *params = NULL;
    pith_result *r = NULL;
    assert_ok(ctx, pith_params_new(ctx, pith_method_find(method), &params));
    assert_ok(ctx, pith_run(ctx, m, params, &r));
    pith_params_free(params);
    return r;
}

/* Groups that no rounding moves: with the same neighbours, rankings are the same. */
static void methods_rank_as_with_local(void **state)
{
    static const char *const methods[] = {"laplacian", "spec",      "mcfs", "evsc",   "ht-des",
                                          "cl-des",    "consensus", "udfs", "energy", "variance"};
    enum { N = 120, P = 18 };
    pith_ctx *ctx = with_engine(), *local = *state;
    double *x = new_values(N * P);
    pith_matrix *m = NULL;
    fill_normal(x, N * P, 41);
    for (int64_t e = 0; e < N * P; e++)
        x[e] += e % P < P / 2 ? 5 * (double)((e / P + e % P) % 3 == 0) * (1 + (double)(e % P) / 10) : 0;
    assert_ok(local, pith_matrix_dense(local, N, P, PITH_F64, x, P, 1, &m));
    for (size_t i = 0; i < COUNT(methods); i++) {
        pith_result *want = rank(local, m, methods[i]), *got = rank(ctx, m, methods[i]);
        for (int64_t j = 0; promises(ctx, PITH_ENGINE_EXACT) && j < P; j++)
            assert_near(pith_result_scores(got)[j], pith_result_scores(want)[j],
                        1e-6 * fmax(1, fabs(pith_result_scores(want)[j])));
        if (promises(ctx, PITH_ENGINE_SAME_BYTES))
            assert_memory_equal(pith_result_scores(got), pith_result_scores(want), P * sizeof(double));
        pith_result_free(want);
        pith_result_free(got);
    }
    pith_matrix_free(m);
    free(x);
    pith_ctx_free(ctx);
}

/* ---- Stopping ------------------------------------------------------------------------------------------ */

static void a_wish_to_stop_is_heard(void **state)
{
    enum { N = 200, P = 10 };
    pith_ctx *ctx = with_engine();
    double *x = new_values(N * P);
    pith_i_knn knn = {0};
    fill_normal(x, N * P, 51);
    pith_i_data X = laid_out(*state, x, N, P, ROWS_F64);
    assert_ok(ctx, pith_ctx_set_threads(ctx, 1)); /* the calling thread reports, and must have work */
    pith_ctx_set_progress(ctx, stop_progress, NULL);
    assert_int_equal(pith_i_knn_find(ctx, &X, 5, PITH_I_EUCLIDEAN, &knn), PITH_E_STOPPED);
    pith_ctx_set_progress(ctx, NULL, NULL);
    assert_ok(ctx, pith_i_knn_find(ctx, &X, 5, PITH_I_EUCLIDEAN, &knn)); /* and it can be used again */
    pith_i_knn_free(&knn);
    pith_i_data_free(&X);
    free(x);
    pith_ctx_free(ctx);
}

/* A device may be missing here; then we say so. */
static bool is_usable(void)
{
    pith_ctx *ctx = NULL;
    assert_int_equal(pith_ctx_new(&ctx), PITH_OK);
    const bool usable = pith_ctx_set_engine(ctx, name) == PITH_OK;
    if (!usable)
        print_message("skipped: %s\n", pith_ctx_message(ctx));
    pith_ctx_free(ctx);
    return usable;
}

int main(int argc, char **argv)
{
    enum { SKIPPED = 77 };
    const struct CMUnitTest tests[] = {
        TEST(neighbours_are_those_of_local),
        TEST(any_number_of_threads_finds_the_same),
        TEST(neighbours_in_subsets_are_those_of_their_columns),
        TEST(eigenpairs_are_pairs_and_repeated_ones_come_as_often),
        TEST(an_eigenvalue_that_comes_twice_is_not_taken_for_one),
        TEST(all_eigenpairs_but_one_of_few_rows),
        TEST(methods_rank_as_with_local),
        TEST(a_wish_to_stop_is_heard),
    };
    if (argc != 2 && (argc != 3 || strcmp(argv[1], "--if-usable") != 0)) {
        (void)fprintf(stderr, "usage: test_engines [--if-usable] NAME\n");
        return 2;
    }
    name = argv[argc - 1];
    if (argc == 3 && !is_usable())
        return SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
