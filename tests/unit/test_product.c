#include "unit/tables.h"

/* Exact: products of multiples of 1/64, summed in a range where every double sum of them is exact. */
static void reference(const double *x, int64_t n, int64_t p, int64_t m, const double *B, bool turn, double *Y)
{
    memset(Y, 0, (size_t)((turn ? p : n) * m) * sizeof *Y);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < p; j++)
            for (int64_t t = 0; t < m; t++)
                Y[(turn ? j : i) * m + t] += x[i * p + j] * B[(turn ? i : j) * m + t];
}

static void products_are_exact_in_every_form(void **state)
{
    pith_ctx *ctx = *state;
    static const int64_t shapes[][3] = {{1, 1, 1},     {5, 3, 2},    {129, 513, 3}, {513, 129, 1},
                                        {300, 200, 7}, {2, 1030, 2}, {1030, 2, 5},  {90, 70, 8},
                                        {90, 70, 13},  {90, 70, 24}, {90, 70, 30},  {90, 70, 71}};
    for (size_t s = 0; s < COUNT(shapes); s++)
        for (each_form(f, dtype)) {
            const int64_t n = shapes[s][0], p = shapes[s][1], m = shapes[s][2];
            const double *x = random_table(ctx, n, p, 0.3, 1);
            const pith_i_data X = as_form(ctx, x, n, p, (form)f, (pith_dtype)dtype);
            double *B = random_table(ctx, p, m, 1, 2), *C = random_table(ctx, n, m, 1, 3);
            double *Y = pith_i_scratch(ctx, n * m, sizeof *Y), *want = pith_i_scratch(ctx, n * m, sizeof *Y);
            double *Z = pith_i_scratch(ctx, p * m, sizeof *Z),
                   *wanted = pith_i_scratch(ctx, p * m, sizeof *Z);
            for (int64_t e = 0; e < n * m; e++)
                Y[e] = (double)NAN; /* what was there does not count */
            for (int64_t e = 0; e < p * m; e++)
                Z[e] = (double)NAN;
            reference(x, n, p, m, B, false, want);
            reference(x, n, p, m, C, true, wanted);
            assert_ok(ctx, pith_i_multiply(ctx, &X, m, B, Y));
            assert_ok(ctx, pith_i_multiply_t(ctx, &X, m, C, Z));
            assert_memory_equal(Y, want, (size_t)(n * m) * sizeof *Y);
            assert_memory_equal(Z, wanted, (size_t)(p * m) * sizeof *Z);
            pith_i_scratch_release(ctx, 0);
        }
}

/* Values that do not sum exactly: any other order would show. */
static void threads_do_not_change_a_bit_of_a_product(void **state)
{
    pith_ctx *ctx = *state;
    enum { N = 700, P = 600, M = 3 };
    double *x = random_table(ctx, N, P, 0.3, 4), *B = random_table(ctx, N, M, 1, 5);
    for (int64_t e = 0; e < N * P; e++)
        x[e] /= 3;
    for (int sparse = 0; sparse < 2; sparse++) {
        const pith_i_data X = as_form(ctx, x, N, P, sparse ? CSR : ROW_MAJOR, PITH_F64);
        double *Y = pith_i_scratch(ctx, 2 * N * M, sizeof *Y), *Z = pith_i_scratch(ctx, 2 * P * M, sizeof *Z);
        for (int threads = 1; threads <= 8; threads++) {
            const int64_t at = threads > 1;
            assert_ok(ctx, pith_ctx_set_threads(ctx, threads));
            assert_ok(ctx, pith_i_multiply(ctx, &X, M, B, Y + at * N * M));
            assert_ok(ctx, pith_i_multiply_t(ctx, &X, M, B, Z + at * P * M));
            assert_memory_equal(Y, Y + at * N * M, N * M * sizeof *Y);
            assert_memory_equal(Z, Z + at * P * M, P * M * sizeof *Z);
        }
    }
    pith_i_scratch_release(ctx, 0);
}

static void empty_products_are_zero(void **state)
{
    pith_ctx *ctx = *state;
    static const int64_t zeros[4] = {0};
    const pith_i_data no_rows = {.n = 0, .p = 3, .dtype = PITH_F64, .row_stride = 3, .col_stride = 1};
    const pith_i_data no_columns = {.n = 3, .p = 0, .dtype = PITH_F64};
    const pith_i_data no_entries = {.n = 3, .p = 3, .dtype = PITH_F64, .sparse = true, .indptr = zeros};
    const double B[6] = {1, 2, 3, 4, 5, 6}, nothing[6] = {0};
    double Y[6] = {9, 9, 9, 9, 9, 9};
    assert_ok(ctx, pith_i_multiply_t(ctx, &no_rows, 2, B, Y));
    assert_memory_equal(Y, nothing, sizeof Y);
    Y[0] = 9;
    assert_ok(ctx, pith_i_multiply(ctx, &no_columns, 2, B, Y));
    assert_memory_equal(Y, nothing, sizeof Y);
    Y[0] = 9;
    assert_ok(ctx, pith_i_multiply(ctx, &no_entries, 2, B, Y));
    assert_memory_equal(Y, nothing, sizeof Y);
    for (int t = 0; t < 3;
         t++) { /* no columns on the right: nothing is touched, and BLAS does not complain */
        const pith_i_data *X = t == 0 ? &no_rows : t == 1 ? &no_columns : &no_entries;
        assert_ok(ctx, pith_i_multiply(ctx, X, 0, B, NULL));
        assert_ok(ctx, pith_i_multiply_t(ctx, X, 0, B, NULL));
    }
}

typedef struct job {
    const pith_i_data *X;
    const double *B;
    double *Y;
} job;

static pith_status multiply_both(pith_ctx *ctx, void *arg)
{
    const job *j = arg;
    pith_status st = PITH_OK;
    TRY(pith_i_multiply(ctx, j->X, 2, j->B, j->Y));
    TRY(pith_i_multiply_t(ctx, j->X, 2, j->B, j->Y));
done:
    return st;
}

static void failing_allocations_are_survived(void **state)
{
    pith_ctx *ctx = *state;
    enum { N = 20 };
    const double *x = random_table(ctx, N, N, 0.5, 6);
    double *Y = pith_i_scratch(ctx, N * 2, sizeof *Y);
    const pith_i_data dense = as_form(ctx, x, N, N, STRIDED, PITH_F32);
    const pith_i_data sparse = as_form(ctx, x, N, N, CSR, PITH_F32);
    job d = {&dense, x, Y}, s = {&sparse, x, Y};
    assert_survives_failing_allocations(ctx, multiply_both, &d, 2);
    assert_survives_failing_allocations(ctx, multiply_both, &s, 3);
    pith_i_scratch_release(ctx, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(products_are_exact_in_every_form),
        TEST(threads_do_not_change_a_bit_of_a_product),
        TEST(empty_products_are_zero),
        TEST(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests_name("product", tests, NULL, NULL);
}
