#include "core/random.h"
#include "evaluate/redundancy.h"
#include "oracle/measures/numbers.h"
#include "unit/tables.h"

#include <stdlib.h>

static pith_i_data borrow(int64_t n, int64_t p, const double *x)
{
    return (pith_i_data){.n = n, .p = p, .dtype = PITH_F64, .x = x, .row_stride = p, .col_stride = 1};
}

static double redundancy(pith_ctx *ctx, const pith_i_data *X, int64_t count, const int64_t *columns)
{
    double out = -7;
    assert_ok(ctx, pith_i_redundancy(ctx, X, count, columns, &out));
    return out;
}

static const int64_t all[30] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14,
                                15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29};

static void values_are_those_of_numpy_dense_and_sparse(void **state)
{
    pith_ctx *ctx = *state;
    const pith_i_data D = borrow(48, 14, dense_x), C = borrow(40, 30, counts_x);
    pith_i_data S = {0};
    S = as_csr(ctx, C.x, C.n, C.p, PITH_F64, 0);
    assert_near(redundancy(ctx, &D, 14, all), dense_redundancy, 1e-12);
    assert_near(redundancy(ctx, &C, 30, all), counts_redundancy, 1e-12);
    assert_near(redundancy(ctx, &S, 30, all), counts_redundancy, 1e-12);
    pith_i_scratch_release(ctx, 0);
}

static void the_form_of_the_data_does_not_matter(void **state)
{
    pith_ctx *ctx = *state;
    for (each_form(f, dtype)) {
        const pith_i_data Y = as_form(ctx, counts_x, 40, 30, (form)f, (pith_dtype)dtype);
        assert_near(redundancy(ctx, &Y, 30, all), counts_redundancy, 1e-12);
        pith_i_scratch_release(ctx, 0);
    }
}

/* The pairs one by one, from the definition. */
static double slowly(const pith_i_data *X, int64_t count, const int64_t *columns)
{
    const double *x = X->x;
    double sum = 0, pairs = 0;
    for (int64_t a = 0; a < count; a++)
        for (int64_t b = 0; b < a; b++) {
            double ma = 0, mb = 0, aa = 0, bb = 0, ab = 0;
            for (int64_t i = 0; i < X->n; i++) {
                ma += x[i * X->p + columns[a]] / (double)X->n;
                mb += x[i * X->p + columns[b]] / (double)X->n;
            }
            for (int64_t i = 0; i < X->n; i++) {
                const double u = x[i * X->p + columns[a]] - ma, v = x[i * X->p + columns[b]] - mb;
                aa += u * u;
                bb += v * v;
                ab += u * v;
            }
            sum += fabs(ab / sqrt(aa * bb));
            pairs++;
        }
    return sum / pairs;
}

static void more_columns_than_a_tile_agree_with_the_definition(void **state)
{
    pith_ctx *ctx = *state;
    enum { N = 30, P = 300, M = 290 };
    pith_i_data X = {0}, S = {0};
    int64_t columns[M];
    assert_ok(ctx, pith_i_data_new_dense(ctx, N, P, PITH_F64, &X));
    for (int64_t e = 0; e < N * P; e++) {
        pith_i_stream s = pith_i_stream_at(4, PITH_I_RANDOM_BENCH, (uint64_t)e);
        ((double *)pith_i_data_x(&X))[e] = pith_i_random_uniform(&s) < 0.5 ? 0 : pith_i_random_normal(&s);
    }
    for (int64_t c = 0; c < M; c++)
        columns[c] = (c * 7 + 5) % P;
    S = as_csr(ctx, X.x, X.n, X.p, PITH_F64, 0);
    const double want = slowly(&X, M, columns);
    for (int threads = 1; threads <= 4; threads += 3) {
        assert_ok(ctx, pith_ctx_set_threads(ctx, threads));
        assert_near(redundancy(ctx, &X, M, columns), want, 1e-12);
        assert_near(redundancy(ctx, &S, M, columns), want, 1e-12);
    }
    pith_i_data_free(&X);
    pith_i_scratch_release(ctx, 0);
}

static void a_repeated_column_is_fully_redundant_and_constants_do_not_count(void **state)
{
    pith_ctx *ctx = *state;
    const pith_i_data D = borrow(48, 14, dense_x);
    const int64_t twice[] = {2, 3, 2}, one[] = {1, 3}, none[] = {3}; /* column 3 is constant */
    assert_near(redundancy(ctx, &D, 3, twice), 1, 1e-15);
    assert_true(isnan(redundancy(ctx, &D, 2, one)));
    assert_true(isnan(redundancy(ctx, &D, 1, none)));
    assert_true(isnan(redundancy(ctx, &D, 0, none)));
}

static pith_status run(pith_ctx *ctx, void *arg)
{
    double out;
    return pith_i_redundancy(ctx, arg, 14, all, &out);
}

static void it_survives_failing_allocations(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_data C = borrow(40, 30, counts_x), S = {0};
    S = as_csr(ctx, C.x, C.n, C.p, PITH_F64, 0);
    assert_survives_failing_allocations(ctx, run, &C, 8);
    assert_survives_failing_allocations(ctx, run, &S, 8);
    pith_i_scratch_release(ctx, 0);
}

static void it_can_be_stopped(void **state)
{
    pith_ctx *ctx = *state;
    const pith_i_data X = borrow(48, 14, dense_x);
    double out = 0;
    pith_ctx_set_progress(ctx, stop_progress, NULL);
    assert_int_equal(pith_i_redundancy(ctx, &X, 14, all, &out), PITH_E_STOPPED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(values_are_those_of_numpy_dense_and_sparse),
        TEST(the_form_of_the_data_does_not_matter),
        TEST(more_columns_than_a_tile_agree_with_the_definition),
        TEST(a_repeated_column_is_fully_redundant_and_constants_do_not_count),
        TEST(it_survives_failing_allocations),
        TEST(it_can_be_stopped),
    };
    return cmocka_run_group_tests_name("redundancy", tests, NULL, NULL);
}
