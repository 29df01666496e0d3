#include "linalg/nystrom.h"
#include "unit/tables.h"

enum { N = 120, RANK = 6, M = 2 };

/* A = sum_k scale_k v_k v_k' with orthonormal v_k, known by its products. */
typedef struct low_rank {
    int64_t rank;
    double scale[RANK], *v; /* vector k is v + k * N */
} low_rank;

static low_rank make(pith_ctx *ctx, int64_t rank)
{
    low_rank a = {.rank = rank, .v = random_table(ctx, RANK, N, 1, 1)};
    for (int64_t k = 0; k < RANK; k++) {
        double *v = a.v + k * N;
        for (int times = 0; times < 2; times++) {
            double norm = 0;
            for (int64_t l = 0; l < k; l++) {
                double dot = 0;
                for (int64_t i = 0; i < N; i++)
                    dot += v[i] * a.v[l * N + i];
                for (int64_t i = 0; i < N; i++)
                    v[i] -= dot * a.v[l * N + i];
            }
            for (int64_t i = 0; i < N; i++)
                norm += v[i] * v[i];
            for (int64_t i = 0; i < N; i++)
                v[i] /= sqrt(norm);
        }
        a.scale[k] = pow(10, 3 - (double)k);
    }
    return a;
}

static pith_status apply(pith_ctx *ctx, const void *self, int64_t m, const double *X, double *Y)
{
    const low_rank *a = self;
    (void)ctx;
    memset(Y, 0, (size_t)(N * m) * sizeof *Y);
    for (int64_t k = 0; k < a->rank; k++)
        for (int64_t t = 0; t < m; t++) {
            double dot = 0;
            for (int64_t i = 0; i < N; i++)
                dot += a->v[k * N + i] * X[i * m + t];
            for (int64_t i = 0; i < N; i++)
                Y[i * m + t] += a->scale[k] * dot * a->v[k * N + i];
        }
    return PITH_OK;
}

static void a_map_of_low_rank_is_found_exactly(void **state)
{
    pith_ctx *ctx = *state;
    const low_rank a = make(ctx, RANK);
    const pith_i_rows_map A = {.n = N, .self = &a, .apply = apply};
    pith_i_nystrom s;
    assert_ok(ctx, pith_i_nystrom_open(ctx, N, 40, &s));
    for (int times = 0; times < 2; times++) { /* from random columns, and from those found */
        assert_ok(ctx, pith_i_nystrom_update(ctx, &A, 1e-3, &s));
        assert_int_equal(s.rank, RANK);
        for (int64_t k = 0; k < RANK; k++) {
            double dot = 0;
            assert_near(s.value[k], a.scale[k], 1e-9 * a.scale[0]);
            for (int64_t i = 0; i < N; i++)
                dot += s.U[i * s.width + k] * a.v[k * N + i];
            assert_near(fabs(dot), 1, 1e-7);
        }
    }
    pith_i_scratch_release(ctx, 0);
}

/* Where the sketch is exact, it is (last + ridge) (A + ridge I)^-1 on the columns of U. */
static void the_preconditioner_inverts_what_the_sketch_holds(void **state)
{
    pith_ctx *ctx = *state;
    const low_rank a = make(ctx, RANK);
    const pith_i_rows_map A = {.n = N, .self = &a, .apply = apply};
    const double ridge = 0.5;
    double X[N * M], Y[N * M], back[N * M];
    pith_i_nystrom s;
    assert_ok(ctx, pith_i_nystrom_open(ctx, N, 40, &s));
    assert_ok(ctx, pith_i_nystrom_update(ctx, &A, ridge, &s));
    const pith_i_rows_map P = pith_i_nystrom_preconditioner(&s);
    for (int64_t e = 0; e < N * M; e++)
        X[e] = a.v[(e % M) * N + e / M] + a.v[3 * N + e / M];
    assert_ok(ctx, P.apply(ctx, P.self, M, X, Y));
    assert_ok(ctx, apply(ctx, &a, M, Y, back));
    for (int64_t e = 0; e < N * M; e++)
        assert_near(back[e] + ridge * Y[e], (pith_i_nystrom_last(&s) + ridge) * X[e], 1e-9);
    pith_i_scratch_release(ctx, 0);
}

static void only_columns_that_matter_beside_the_ridge_are_kept(void **state)
{
    pith_ctx *ctx = *state;
    low_rank a = make(ctx, RANK);
    const pith_i_rows_map A = {.n = N, .self = &a, .apply = apply};
    pith_i_nystrom s;
    assert_ok(ctx, pith_i_nystrom_open(ctx, N, 100, &s));
    assert_ok(ctx, pith_i_nystrom_update(ctx, &A, 500, &s));
    assert_int_equal(s.width, 100);
    assert_ok(ctx, pith_i_nystrom_update(ctx, &A, 500, &s));
    assert_int_equal(s.width, 16 + 3); /* 1000, 100 and 10 are above 5 */
    assert_int_equal(s.rank, RANK);
    assert_near(s.value[RANK - 1], a.scale[RANK - 1], 1e-9 * a.scale[0]);
    pith_i_scratch_release(ctx, 0);
}

static pith_status identity(pith_ctx *ctx, const void *self, int64_t m, const double *X, double *Y)
{
    (void)ctx;
    (void)self;
    memcpy(Y, X, (size_t)(N * m) * sizeof *Y);
    return PITH_OK;
}

static void columns_come_back_when_the_map_has_grown(void **state)
{
    pith_ctx *ctx = *state;
    const low_rank a = make(ctx, 2);
    const pith_i_rows_map few = {.n = N, .self = &a, .apply = apply},
                          all = {.n = N, .self = NULL, .apply = identity};
    pith_i_nystrom s;
    assert_ok(ctx, pith_i_nystrom_open(ctx, N, 100, &s));
    for (int times = 0; times < 2; times++)
        assert_ok(ctx, pith_i_nystrom_update(ctx, &few, 1, &s));
    assert_int_equal(s.width, 16 + 2);
    assert_ok(ctx, pith_i_nystrom_update(ctx, &all, 1, &s));
    assert_int_equal(s.width, 100);
    assert_int_equal(s.rank, 100);
    assert_near(pith_i_nystrom_last(&s), 1, 1e-10);
    pith_i_scratch_release(ctx, 0);
}

static void the_zero_map_has_no_sketch(void **state)
{
    pith_ctx *ctx = *state;
    const low_rank a = make(ctx, 0);
    const pith_i_rows_map A = {.n = N, .self = &a, .apply = apply};
    double X[N], Y[N];
    pith_i_nystrom s;
    assert_ok(ctx, pith_i_nystrom_open(ctx, N, 10, &s));
    assert_ok(ctx, pith_i_nystrom_update(ctx, &A, 1, &s));
    assert_near(pith_i_nystrom_last(&s), 0, 0);
    for (int64_t i = 0; i < N; i++)
        X[i] = (double)i;
    const pith_i_rows_map P = pith_i_nystrom_preconditioner(&s);
    assert_ok(ctx, P.apply(ctx, P.self, 1, X, Y));
    assert_memory_equal(X, Y, sizeof X);
    pith_i_scratch_release(ctx, 0);
}

static pith_status sketch(pith_ctx *ctx, void *arg)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_nystrom s;
    pith_status st = PITH_OK;
    TRY(pith_i_nystrom_open(ctx, N, 20, &s));
    TRY(pith_i_nystrom_update(ctx, arg, 1, &s));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static void failing_allocations_are_survived(void **state)
{
    pith_ctx *ctx = *state;
    const low_rank a = make(ctx, RANK);
    pith_i_rows_map A = {.n = N, .self = &a, .apply = apply};
    assert_survives_failing_allocations(ctx, sketch, &A, 6);
    pith_i_scratch_release(ctx, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_map_of_low_rank_is_found_exactly),
        TEST(the_preconditioner_inverts_what_the_sketch_holds),
        TEST(only_columns_that_matter_beside_the_ridge_are_kept),
        TEST(columns_come_back_when_the_map_has_grown),
        TEST(the_zero_map_has_no_sketch),
        TEST(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
