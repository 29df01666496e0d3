#include "linalg/cholesky.h"
#include "linalg/eigen.h"
#include "methods/udfs/lowest.h"
#include "unit/tables.h"

enum { N = 220, RANK = 60, C = 4, WIDTH = 9, OUT = 7 };

/* A = Z'Z / RANK of rank RANK, known by its products; row OUT takes no part. */
typedef struct low_rank {
    double *Z; /* RANK x N */
    double d[N], diagonal[N];
} low_rank;

static pith_status apply(pith_ctx *ctx, const void *self, int64_t m, const double *X, double *Y)
{
    const low_rank *a = self;
    (void)ctx;
    memset(Y, 0, (size_t)(N * m) * sizeof *Y);
    for (int64_t k = 0; k < RANK; k++)
        for (int64_t t = 0; t < m; t++) {
            double dot = 0;
            for (int64_t i = 0; i < N; i++)
                dot += a->Z[k * N + i] * X[i * m + t] / RANK;
            for (int64_t i = 0; i < N; i++)
                Y[i * m + t] += a->Z[k * N + i] * dot;
        }
    return PITH_OK;
}

/* decades: those that d spans. */
static void make(pith_ctx *ctx, double decades, low_rank *a)
{
    a->Z = random_table(ctx, RANK, N, 1, 1);
    for (int64_t i = 0; i < N; i++) {
        a->diagonal[i] = 0;
        a->d[i] = i == OUT ? (double)INFINITY : 0.5 * pow(10, decades * (double)(i * 37 % N) / N);
        for (int64_t k = 0; k < RANK; k++) {
            a->Z[k * N + i] = i == OUT ? 0 : a->Z[k * N + i] / 64;
            a->diagonal[i] += a->Z[k * N + i] * a->Z[k * N + i] / RANK;
        }
    }
}

/* All eigenvalues of P^-1 = E (E A E + I)^-1 E, E = d^-1/2, ascending, and vectors: P itself spans too much.
 */
static void slowly(pith_ctx *ctx, const low_rank *a, double *value, double *vectors)
{
    double *F = pith_i_scratch_zero(ctx, (int64_t)N * N, sizeof *F),
           *Y = pith_i_scratch_zero(ctx, (int64_t)N * N, sizeof *Y);
    for (int64_t i = 0; i < N; i++) {
        for (int64_t l = 0; l < N; l++)
            for (int64_t k = 0; k < RANK; k++)
                F[i * N + l] += a->Z[k * N + i] * a->Z[k * N + l] / RANK / sqrt(a->d[i]) / sqrt(a->d[l]);
        F[i * N + i] += 1;
        Y[i * N + i] = 1 / sqrt(a->d[i]);
    }
    assert_ok(ctx, pith_i_cholesky(ctx, N, F));
    pith_i_cholesky_forward(N, F, N, Y);
    for (int64_t i = 0; i < N; i++)
        for (int64_t l = 0; l < N; l++) {
            vectors[i * N + l] = 0;
            for (int64_t k = 0; k < N; k++)
                vectors[i * N + l] += Y[k * N + i] * Y[k * N + l];
        }
    assert_ok(ctx, pith_i_eigen_dense_in_place(ctx, N, vectors, value));
}

/* By the block alone (all rows in it), and by steps with blocks of any size. */
static void the_pairs_are_those_of_a_dense_solver(void **state)
{
    pith_ctx *ctx = *state;
    for (int a = 0; a < 3; a++) {
        low_rank A;
        make(ctx, a == 0 ? 0.1 : a == 1 ? 3 : 12, &A);
        double *vectors = pith_i_scratch(ctx, (int64_t)N * N, sizeof *vectors), slow[N];
        slowly(ctx, &A, slow, vectors);
        for (int by = 0; by < 3; by++) {
            double W[N * WIDTH], value[WIDTH];
            const pith_i_rows_map map = {.n = N, .self = &A, .apply = apply};
            pith_i_lowest L = {.A = &map,
                               .diagonal = A.diagonal,
                               .d = A.d,
                               .wanted = C,
                               .width = WIDTH,
                               .near = by == 0   ? N
                                       : by == 1 ? 40
                                                 : WIDTH,
                               .tolerance = 1e-11,
                               .most = 2000,
                               .W = W,
                               .value = value};
            for (int again = 0; again < 2; again++) {
                assert_ok(ctx, pith_i_lowest_pairs(ctx, &L));
                assert_true(L.residual <= 1e-11);
                assert_true(by == 0 ? L.steps <= again : again == 1 || L.steps > 1);
                for (int64_t v = 0; v < C; v++) {
                    const double *x = vectors + (N - 1 - v) * N;
                    double sign = 0;
                    assert_near(1 / value[v], slow[N - 1 - v], 1e-12 * slow[N - 1 - v]);
                    for (int64_t i = 0; i < N; i++)
                        sign += x[i] * W[i * WIDTH + v];
                    for (int64_t i = 0; i < N; i++)
                        assert_near(copysign(1, sign) * W[i * WIDTH + v], x[i], 1e-8);
                    assert_true(W[OUT * WIDTH + v] == 0);
                }
                L.warm = true;
            }
        }
        pith_i_scratch_release(ctx, 0);
    }
}

/* w_r (d_r - value) = -(A w)_r, also where w_r is 1e-12 of the largest. */
static void small_rows_have_their_digits(void **state)
{
    pith_ctx *ctx = *state;
    low_rank A;
    double W[N * WIDTH], AW[N * WIDTH], value[WIDTH];
    make(ctx, 12, &A);
    const pith_i_rows_map map = {.n = N, .self = &A, .apply = apply};
    pith_i_lowest L = {.A = &map,
                       .diagonal = A.diagonal,
                       .d = A.d,
                       .wanted = C,
                       .width = WIDTH,
                       .near = 40,
                       .tolerance = 1e-11,
                       .most = 2000,
                       .W = W,
                       .value = value};
    assert_ok(ctx, pith_i_lowest_pairs(ctx, &L));
    assert_ok(ctx, apply(ctx, &A, WIDTH, W, AW));
    for (int64_t i = 0; i < N; i++)
        for (int64_t v = 0; v < C && i != OUT; v++)
            assert_near(W[i * WIDTH + v] * (A.d[i] - value[v]), -AW[i * WIDTH + v], 1e-8);
    pith_i_scratch_release(ctx, 0);
}

static void steps_end_where_they_are_told(void **state)
{
    pith_ctx *ctx = *state;
    low_rank A;
    double W[N * WIDTH], value[WIDTH];
    make(ctx, 0.1, &A);
    const pith_i_rows_map map = {.n = N, .self = &A, .apply = apply};
    pith_i_lowest L = {.A = &map,
                       .diagonal = A.diagonal,
                       .d = A.d,
                       .wanted = C,
                       .width = WIDTH,
                       .near = 10,
                       .tolerance = 1e-11,
                       .most = 3,
                       .W = W,
                       .value = value};
    assert_ok(ctx, pith_i_lowest_pairs(ctx, &L));
    assert_int_equal(L.steps, 3);
    assert_true(L.residual > 1e-11);
    pith_i_scratch_release(ctx, 0);
}

static pith_status find(pith_ctx *ctx, void *arg)
{
    const low_rank *A = arg;
    double W[N * WIDTH], value[WIDTH];
    const pith_i_rows_map map = {.n = N, .self = A, .apply = apply};
    pith_i_lowest L = {.A = &map,
                       .diagonal = A->diagonal,
                       .d = A->d,
                       .wanted = C,
                       .width = WIDTH,
                       .near = 40,
                       .tolerance = 1e-6,
                       .most = 2,
                       .W = W,
                       .value = value};
    return pith_i_lowest_pairs(ctx, &L);
}

static void failing_allocations_are_survived(void **state)
{
    pith_ctx *ctx = *state;
    low_rank A;
    make(ctx, 3, &A);
    assert_survives_failing_allocations(ctx, find, &A, 20);
    pith_i_scratch_release(ctx, 0);
}

/* On tens of thousands of features, steps take minutes. */
static void steps_can_be_stopped(void **state)
{
    pith_ctx *ctx = *state;
    low_rank A;
    make(ctx, 3, &A);
    const int64_t held = pith_i_bytes_in_use(ctx);
    pith_ctx_set_progress(ctx, stop_progress, NULL);
    assert_int_equal(find(ctx, &A), PITH_E_STOPPED);
    pith_ctx_set_progress(ctx, NULL, NULL);
    assert_int_equal(pith_i_bytes_in_use(ctx), held);
    assert_ok(ctx, find(ctx, &A));
    pith_i_scratch_release(ctx, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_pairs_are_those_of_a_dense_solver),
        TEST(small_rows_have_their_digits),
        TEST(steps_end_where_they_are_told),
        TEST(failing_allocations_are_survived),
        TEST(steps_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
