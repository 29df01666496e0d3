#include "unit/tables.h"

static const int64_t shapes[][2] = {{1, 1},   {5, 3},   {3, 5},    {33, 70}, {70, 33},
                                    {1, 200}, {200, 1}, {128, 32}, {260, 67}};

static double *turned(pith_ctx *ctx, const double *x, int64_t n, int64_t p)
{
    double *t = pith_i_scratch(ctx, n * p, sizeof *t);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < p; j++)
            t[j * n + i] = x[i * p + j];
    return t;
}

static void a_transpose_holds_the_same_values_in_every_form(void **state)
{
    pith_ctx *ctx = *state;
    for (size_t s = 0; s < COUNT(shapes); s++)
        for (each_form(f, dtype)) {
            const int64_t n = shapes[s][0], p = shapes[s][1];
            const double *x = random_table(ctx, n, p, 0.4, s);
            const pith_i_data X = as_form(ctx, x, n, p, (form)f, (pith_dtype)dtype);
            pith_i_data T = {0}, back = {0};
            assert_ok(ctx, pith_i_transpose(ctx, &X, &T));
            assert_ok(ctx, pith_i_data_check(ctx, &T)); /* entries ascend */
            assert_is_table(&T, p, n, turned(ctx, x, n, p));
            assert_int_equal(T.dtype, dtype);
            assert_int_equal(T.sparse, X.sparse);
            assert_int_equal(pith_i_stored(&T), pith_i_stored(&X)); /* stored zeros stay stored */
            assert_ok(ctx, pith_i_transpose(ctx, &T, &back));
            assert_is_table(&back, n, p, x);
            pith_i_data_free(&T);
            pith_i_data_free(&back);
            pith_i_scratch_release(ctx, 0);
        }
}

static void check_columns(pith_ctx *ctx, size_t most, const int64_t *wanted)
{
    enum { N = 35, P = 6 };
    for (size_t count = 0; count <= most; count++)
        for (each_form(f, dtype)) {
            const double *x = random_table(ctx, N, P, 0.4, 7);
            double *y = pith_i_scratch(ctx, N * (int64_t)count, sizeof *y);
            for (size_t e = 0; e < N * count; e++)
                y[e] = x[(int64_t)(e / count) * P + wanted[e % count]];
            pith_i_data X = as_form(ctx, x, N, P, (form)f, (pith_dtype)dtype), Y = {0};
            X.offset = 17;
            assert_ok(ctx, pith_i_take_columns(ctx, &X, (int64_t)count, wanted, &Y));
            assert_ok(ctx, pith_i_data_check(ctx, &Y));
            assert_is_table(&Y, N, (int64_t)count, y);
            assert_int_equal(Y.dtype, dtype);
            assert_int_equal(Y.offset, 17); /* the rows are who they were */
            pith_i_data_free(&Y);
            pith_i_scratch_release(ctx, 0);
        }
}

static void columns_are_taken_in_the_order_asked_for(void **state)
{
    static const int64_t mixed[] = {5, 0, 3, 3, 5}, ascending[] = {0, 1, 3, 5, 5};
    check_columns(*state, COUNT(mixed), mixed);
    check_columns(*state, COUNT(ascending), ascending);
}

/* All eight ways to leave something out, into both dtypes, against the formula. */
static void scaling_is_the_formula_in_every_form(void **state)
{
    pith_ctx *ctx = *state;
    enum { N = 37, P = 67 };
    double shift[P], scale[P], row_scale[N];
    for (int j = 0; j < P; j++) {
        shift[j] = j - 30.5;
        scale[j] = 1 + 0.25 * j;
    }
    for (int i = 0; i < N; i++)
        row_scale[i] = i * 0.5 - 3;
    for (int which = 0; which < 16; which++)
        for (each_form(f, dtype)) {
            const double *x = random_table(ctx, N, P, 0.4, 8);
            double *y = pith_i_scratch(ctx, N * P, sizeof *y);
            pith_i_data X = as_form(ctx, x, N, P, (form)f, (pith_dtype)dtype), Y = {0};
            const bool shifted = (which & 1) != 0 && !X.sparse;
            const pith_dtype to = (which & 8) != 0 ? PITH_F32 : PITH_F64;
            for (int64_t e = 0; e < N * P; e++)
                y[e] = (x[e] - (shifted ? shift[e % P] : 0)) * ((which & 2) != 0 ? scale[e % P] : 1) *
                       ((which & 4) != 0 ? row_scale[e / P] : 1);
            for (int64_t e = 0; to == PITH_F32 && e < N * P; e++)
                y[e] = (double)(float)y[e];
            X.offset = 5;
            assert_ok(ctx, pith_i_scaled(ctx, &X, to, shifted ? shift : NULL, (which & 2) != 0 ? scale : NULL,
                                         (which & 4) != 0 ? row_scale : NULL, &Y));
            assert_ok(ctx, pith_i_data_check(ctx, &Y));
            assert_is_table(&Y, N, P, y);
            assert_int_equal(Y.dtype, to);
            assert_int_equal(Y.offset, 5);
            assert_int_equal(pith_i_stored(&Y), pith_i_stored(&X));
            pith_i_data_free(&Y);
            pith_i_scratch_release(ctx, 0);
        }
}

static void sparse_data_is_not_shifted(void **state)
{
    pith_ctx *ctx = *state;
    const double x[] = {1, 0}, shift[] = {1, 1};
    const pith_i_data X = as_form(ctx, x, 1, 2, CSR, PITH_F64);
    pith_i_data Y = {0};
    assert_int_equal(pith_i_scaled(ctx, &X, PITH_F64, shift, NULL, NULL, &Y), PITH_E_BUG);
    pith_i_scratch_release(ctx, 0);
}

static void empty_data_is_copied_too(void **state)
{
    pith_ctx *ctx = *state;
    static const int64_t zeros[5] = {0};
    const pith_i_data empty[] = {
        {.n = 0, .p = 3, .dtype = PITH_F64, .row_stride = 3, .col_stride = 1},
        {.n = 3, .p = 0, .dtype = PITH_F32},
        {.n = 4, .p = 3, .dtype = PITH_F32, .sparse = true, .indptr = zeros}, /* no arrays at all */
        {.n = 0, .p = 3, .dtype = PITH_F64, .sparse = true, .indptr = zeros},
    };
    for (size_t t = 0; t < COUNT(empty); t++) {
        pith_i_data Y = {0};
        assert_ok(ctx, pith_i_transpose(ctx, &empty[t], &Y));
        assert_int_equal(Y.n, empty[t].p);
        assert_int_equal(Y.p, empty[t].n);
        pith_i_data_free(&Y);
        assert_ok(ctx, pith_i_scaled(ctx, &empty[t], PITH_F64, NULL, NULL, NULL, &Y));
        assert_int_equal(Y.n, empty[t].n);
        assert_ok(ctx, pith_i_data_check(ctx, &Y));
        pith_i_data_free(&Y);
        assert_ok(ctx, pith_i_take_columns(ctx, &empty[t], empty[t].p > 0, (const int64_t[]){0}, &Y));
        assert_int_equal(Y.n, empty[t].n);
        assert_int_equal(Y.p, empty[t].p > 0);
        pith_i_data_free(&Y);
    }
}

static pith_status copy_all(pith_ctx *ctx, void *arg)
{
    static const int64_t wanted[] = {2, 0, 3};
    const pith_i_data *X = arg;
    pith_i_data T = {0}, Y = {0}, Z = {0}, ascending = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_transpose(ctx, X, &T));
    TRY(pith_i_take_columns(ctx, X, 2, wanted, &Y));
    TRY(pith_i_take_columns(ctx, X, 2, wanted + 1, &ascending));
    TRY(pith_i_scaled(ctx, X, PITH_F32, NULL, NULL, NULL, &Z));
done:
    pith_i_data_free(&T);
    pith_i_data_free(&Y);
    pith_i_data_free(&Z);
    pith_i_data_free(&ascending);
    return st;
}

static void failing_allocations_are_survived(void **state)
{
    pith_ctx *ctx = *state;
    const double *x = random_table(ctx, 9, 4, 0.5, 9);
    pith_i_data dense = as_form(ctx, x, 9, 4, STRIDED, PITH_F64),
                sparse = as_form(ctx, x, 9, 4, CSR, PITH_F64);
    assert_survives_failing_allocations(ctx, copy_all, &dense, 3);
    assert_survives_failing_allocations(ctx, copy_all, &sparse, 15);
    pith_i_scratch_release(ctx, 0);
}

static void threads_do_not_change_a_copy(void **state)
{
    pith_ctx *ctx = *state;
    enum { N = 150, P = 90 };
    const double *x = random_table(ctx, N, P, 0.7, 10);
    const pith_i_data X = as_form(ctx, x, N, P, COLUMN_MAJOR, PITH_F32);
    for (int threads = 1; threads <= 8; threads *= 2) {
        pith_i_data T = {0};
        assert_ok(ctx, pith_ctx_set_threads(ctx, threads));
        assert_ok(ctx, pith_i_transpose(ctx, &X, &T));
        assert_is_table(&T, P, N, turned(ctx, x, N, P));
        pith_i_data_free(&T);
    }
    pith_i_scratch_release(ctx, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_transpose_holds_the_same_values_in_every_form),
        TEST(columns_are_taken_in_the_order_asked_for),
        TEST(scaling_is_the_formula_in_every_form),
        TEST(sparse_data_is_not_shifted),
        TEST(empty_data_is_copied_too),
        TEST(failing_allocations_are_survived),
        TEST(threads_do_not_change_a_copy),
    };
    return cmocka_run_group_tests_name("copy", tests, NULL, NULL);
}
