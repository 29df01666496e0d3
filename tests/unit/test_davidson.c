#include "linalg/cholesky.h"
#include "linalg/davidson.h"
#include "linalg/eigen.h"
#include "unit/tables.h"

enum { N = 120, WANTED = 4, WIDTH = 7 };

/* A = diag(b) + c M^-1 with M = I + C'C / 64^2, or M = I where there is none. */
typedef struct map {
    int64_t n;
    const double *b;
    double c;
    const double *M; /* n x n; NULL: I */
} map;

static pith_status image(pith_ctx *ctx, const void *self, int64_t m, const double *U, double *Y)
{
    const map *a = self;
    (void)ctx;
    for (int64_t i = 0; i < a->n; i++)
        for (int64_t t = 0; t < m; t++) {
            Y[i * m + t] = a->M == NULL ? U[i * m + t] : 0;
            for (int64_t j = 0; a->M != NULL && j < a->n; j++)
                Y[i * m + t] += a->M[i * a->n + j] * U[j * m + t];
        }
    return PITH_OK;
}

static pith_status apply(pith_ctx *ctx, const void *self, int64_t m, const double *U, const double *Y,
                         double *AY)
{
    const map *a = self;
    (void)ctx;
    for (int64_t e = 0; e < a->n * m; e++)
        AY[e] = a->b[e / m] * Y[e] + a->c * U[e];
    return PITH_OK;
}

static pith_status precondition(pith_ctx *ctx, const void *self, int64_t m, const double *R, double *U)
{
    const map *a = self;
    (void)ctx;
    for (int64_t e = 0; e < a->n * m; e++)
        U[e] = R[e] / (a->b[e / m] + a->c);
    return PITH_OK;
}

static pith_i_paired_map paired(const map *a)
{
    return (pith_i_paired_map){a->n, a, image, apply, precondition, 0};
}

static double *start(pith_ctx *ctx, int64_t n)
{
    return random_table(ctx, n, WIDTH, 1, 3);
}

static map make(pith_ctx *ctx)
{
    const double *C = random_table(ctx, N, N, 0.1, 1);
    double *b = pith_i_scratch(ctx, N, sizeof *b), *M = pith_i_scratch_zero(ctx, N * N, sizeof *M);
    for (int64_t i = 0; i < N; i++) {
        b[i] = 0.1 + (double)(i * 37 % N) / N;
        for (int64_t j = 0; j < N; j++)
            for (int64_t k = 0; k < N; k++)
                M[i * N + j] += C[k * N + i] * C[k * N + j] / 4096 + (k == i && i == j);
    }
    return (map){N, b, 0.7, M};
}

/* All eigenvalues of A, by its entries. */
static double *true_values(pith_ctx *ctx, const map *a)
{
    double *L = pith_i_scratch(ctx, N * N, sizeof *L), *A = pith_i_scratch_zero(ctx, N * N, sizeof *A),
           *values = pith_i_scratch(ctx, N, sizeof *values);
    memcpy(L, a->M, N * N * sizeof *L);
    for (int64_t i = 0; i < N; i++)
        A[i * (N + 1)] = a->c;
    assert_ok(ctx, pith_i_cholesky(ctx, N, L));
    pith_i_cholesky_solve(N, L, N, A);
    for (int64_t i = 0; i < N; i++)
        A[i * (N + 1)] += a->b[i];
    assert_ok(ctx, pith_i_eigen_dense_in_place(ctx, N, A, values));
    return values;
}

static void pairs_are_the_least_of_a_map_with_an_inverse(void **state)
{
    pith_ctx *ctx = *state;
    const size_t mark = pith_i_scratch_mark(ctx);
    const map a = make(ctx);
    const pith_i_paired_map A = paired(&a);
    const pith_i_davidson_options want = {WANTED, WIDTH, 1e-11, 10000};
    const double *truth = true_values(ctx, &a);
    double *U = start(ctx, N), Y[N * WIDTH], image_of[N * WIDTH], AY[N * WIDTH], values[WIDTH];
    int64_t products = 0, again = 0;
    assert_ok(ctx, pith_i_davidson_least(ctx, &A, &want, values, U, Y, &products));
    assert_ok(ctx, image(ctx, &a, WIDTH, U, image_of));
    assert_ok(ctx, apply(ctx, &a, WIDTH, U, Y, AY));
    for (int64_t v = 0; v < WANTED; v++) {
        double rest = 0;
        assert_near(values[v], truth[v], 1e-12);
        for (int64_t w = 0; w < WIDTH; w++) {
            double dot = 0;
            for (int64_t i = 0; i < N; i++)
                dot += Y[i * WIDTH + v] * Y[i * WIDTH + w];
            assert_near(dot, v == w, 1e-12);
        }
        for (int64_t i = 0; i < N; i++) {
            assert_near(Y[i * WIDTH + v], image_of[i * WIDTH + v], 1e-11);
            rest += pow(AY[i * WIDTH + v] - values[v] * Y[i * WIDTH + v], 2);
        }
        assert_true(sqrt(rest) <= 2e-11);
    }
    assert_in_range(products, 1, 80 * WANTED);
    assert_ok(ctx, pith_i_davidson_least(ctx, &A, &want, values, U, Y, &again)); /* from the solution */
    assert_int_equal(again, WIDTH);
    pith_i_scratch_release(ctx, mark);
}

static void a_multiple_eigenvalue_comes_as_often_as_it_is_there(void **state)
{
    pith_ctx *ctx = *state;
    const size_t mark = pith_i_scratch_mark(ctx);
    double b[N], Y[N * WIDTH], values[WIDTH], *U = start(ctx, N);
    for (int64_t i = 0; i < N; i++)
        b[i] = i % 40 == 0 ? 0.25 : 1 + (double)i / N;
    const map a = {N, b, 0, NULL};
    const pith_i_paired_map A = paired(&a);
    const pith_i_davidson_options want = {WANTED, WIDTH, 1e-11, 10000};
    assert_ok(ctx, pith_i_davidson_least(ctx, &A, &want, values, U, Y, NULL));
    for (int64_t v = 0; v < WANTED; v++)
        assert_near(values[v], v < 3 ? 0.25 : 1 + 1.0 / N, 1e-12);
    pith_i_scratch_release(ctx, mark);
}

/* Columns that say nothing new do no harm, but there must be enough that do; and there is an end. */
static void a_poor_start_and_too_few_products_are_told(void **state)
{
    pith_ctx *ctx = *state;
    const size_t mark = pith_i_scratch_mark(ctx);
    const map a = make(ctx);
    const pith_i_paired_map A = paired(&a);
    const double *truth = true_values(ctx, &a);
    pith_i_davidson_options want = {WANTED, WIDTH, 1e-11, 10000};
    double *U = start(ctx, N), Y[N * WIDTH], values[WIDTH];
    for (int64_t i = 0; i < N; i++) {
        U[i * WIDTH + 1] = 3 * U[i * WIDTH];
        for (int64_t t = 2; t < WIDTH; t++)
            U[i * WIDTH + t] = t % 2 == 0 ? 0 : U[i * WIDTH + 3];
    }
    assert_ok(ctx, pith_i_davidson_least(ctx, &A, &want, values, U, Y, NULL));
    for (int64_t v = 0; v < WANTED; v++)
        assert_near(values[v], truth[v], 1e-12);
    memset(U, 0, N * WIDTH * sizeof *U);
    assert_int_equal(pith_i_davidson_least(ctx, &A, &want, values, U, Y, NULL), PITH_E_NUMERIC);
    want.most = 20;
    assert_int_equal(pith_i_davidson_least(ctx, &A, &want, values, start(ctx, N), Y, NULL), PITH_E_NUMERIC);
    assert_non_null(strstr(pith_ctx_message(ctx), "too close"));
    pith_i_scratch_release(ctx, mark);
}

/* More rows than a block of a sum. */
static void threads_change_no_bit(void **state)
{
    enum { MANY = 9000 };
    pith_ctx *ctx = *state;
    const size_t mark = pith_i_scratch_mark(ctx);
    double *b = pith_i_scratch(ctx, MANY, sizeof *b), *Y[2], *U[2], values[2][WIDTH];
    for (int64_t i = 0; i < MANY; i++)
        b[i] = i < 10 ? 0.05 * (double)i : 1 + (double)(i * 7919 % MANY) / MANY;
    const map a = {MANY, b, 0.5, NULL};
    const pith_i_paired_map A = paired(&a);
    const pith_i_davidson_options want = {WANTED, WIDTH, 1e-9, 10000};
    for (int t = 0; t < 2; t++) {
        assert_ok(ctx, pith_ctx_set_threads(ctx, t == 0 ? 1 : 3));
        U[t] = start(ctx, MANY);
        Y[t] = pith_i_scratch(ctx, MANY * WIDTH, sizeof **Y);
        assert_ok(ctx, pith_i_davidson_least(ctx, &A, &want, values[t], U[t], Y[t], NULL));
    }
    assert_memory_equal(U[0], U[1], MANY * WIDTH * sizeof **U);
    assert_memory_equal(Y[0], Y[1], MANY * WIDTH * sizeof **Y);
    assert_memory_equal(values[0], values[1], sizeof values[0]);
    pith_i_scratch_release(ctx, mark);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(pairs_are_the_least_of_a_map_with_an_inverse),
        TEST(a_multiple_eigenvalue_comes_as_often_as_it_is_there),
        TEST(a_poor_start_and_too_few_products_are_told),
        TEST(threads_change_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
