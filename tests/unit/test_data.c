#include "unit/tables.h"

/* What a part must refuse, and a word of the reason. */
static void wrong_shapes_and_arrays_are_refused(void **state)
{
    pith_ctx *ctx = *state;
    static const double x[4] = {0};
    static const int64_t down[] = {0, 2, 1}, late[] = {1, 1, 2}, good[] = {0, 1, 2};
    static const int32_t twice[] = {0, 0}, falling[] = {1, 0}, beyond[] = {0, 2}, below[] = {0, -1};
    static const int64_t one_row[] = {0, 2};
    static const struct {
        pith_i_data X;
        const char *why;
    } wrong[] = {
        {{.n = -1, .p = 1, .dtype = PITH_F64, .x = x}, "rows must be 0 or more"},
        {{.n = 1, .p = -1, .dtype = PITH_F64, .x = x}, "columns 0.."},
        {{.n = 1, .p = (int64_t)INT32_MAX + 1, .dtype = PITH_F64, .x = x}, "columns 0..2147483647"},
        {{.n = 2, .p = 2, .dtype = (pith_dtype)7, .x = x, .row_stride = 2, .col_stride = 1}, "not type 7"},
        {{.n = 2, .p = 2, .dtype = PITH_F64, .row_stride = 2, .col_stride = 1}, "no array"},
        {{.n = 2, .p = 2, .dtype = PITH_F64, .x = x, .row_stride = -2, .col_stride = 1}, "strides"},
        {{.n = 2, .p = 2, .dtype = PITH_F64, .x = x, .row_stride = 2, .col_stride = -1}, "strides"},
        {{.n = INT64_MAX, .p = 2, .dtype = PITH_F64, .x = x}, "do not fit"},
        {{.n = 4, .p = 2, .dtype = PITH_F64, .x = x, .row_stride = INT64_MAX / 2}, "do not fit"},
        {{.n = 4, .p = 2, .dtype = PITH_F64, .x = x, .row_stride = INT64_MAX / 8}, "do not fit"},
        {{.n = 2, .p = 2, .sparse = true, .indices = twice, .values = x}, "first row pointer"},
        {{.n = 2, .p = 2, .sparse = true, .indptr = late, .indices = twice, .values = x},
         "first row pointer"},
        {{.n = 2, .p = 2, .sparse = true, .indptr = down, .indices = twice, .values = x},
         "decrease at row 1"},
        {{.n = 2, .p = 2, .sparse = true, .indptr = good, .values = x}, "no columns or values"},
        {{.n = 2, .p = 2, .sparse = true, .indptr = good, .indices = twice}, "no columns or values"},
        {{.n = 1, .p = 2, .sparse = true, .indptr = one_row, .indices = twice, .values = x},
         "row 0 must ascend"},
        {{.n = 1, .p = 2, .sparse = true, .indptr = one_row, .indices = falling, .values = x}, "must ascend"},
        {{.n = 2, .p = 2, .sparse = true, .indptr = good, .indices = beyond, .values = x},
         "row 1 must ascend"},
        {{.n = 2, .p = 2, .sparse = true, .indptr = good, .indices = below, .values = x}, "within 0..1"},
    };
    for (size_t t = 0; t < COUNT(wrong); t++) {
        assert_int_equal(pith_i_data_check(ctx, &wrong[t].X), PITH_E_ARGUMENT);
        if (strstr(pith_ctx_message(ctx), wrong[t].why) == NULL)
            fail_msg("case %zu: %s", t, pith_ctx_message(ctx));
    }
}

static void every_form_is_accepted_empty_ones_too(void **state)
{
    pith_ctx *ctx = *state;
    static const int64_t zeros[4] = {0};
    const double *x = random_table(ctx, 4, 3, 0.5, 1);
    for (each_form(f, dtype)) {
        if (f == CSR_PART)
            continue; /* a part is made by us, not by callers */
        const pith_i_data X = as_form(ctx, x, 4, 3, (form)f, (pith_dtype)dtype);
        assert_ok(ctx, pith_i_data_check(ctx, &X));
    }
    const pith_i_data none[] = {
        {.n = 0, .p = 0},
        {.n = 0, .p = 5, .row_stride = 5, .col_stride = 1},
        {.n = 5, .p = 0},
        {.n = 3, .p = 5, .sparse = true, .indptr = zeros},
        {.n = 0, .p = 5, .sparse = true, .indptr = zeros},
    };
    for (size_t t = 0; t < COUNT(none); t++)
        assert_ok(ctx, pith_i_data_check(ctx, &none[t]));
    pith_i_scratch_release(ctx, 0);
}

static void the_first_value_that_is_not_finite_is_named(void **state)
{
    pith_ctx *ctx = *state;
    enum { N = 300, P = 70 };
    static const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    double *x = random_table(ctx, N, P, 0.5, 2);
    x[40 * P + 65] = 1e300; /* large is fine in double; floats get their own below */
    for (int threads = 1; threads <= 4; threads += 3)
        for (each_form(f, dtype)) {
            const size_t mark = pith_i_scratch_mark(ctx);
            const double kept[] = {x[171 * P + 66], x[171 * P + 3], x[299 * P]};
            assert_ok(ctx, pith_ctx_set_threads(ctx, threads));
            if (dtype == PITH_F32)
                x[40 * P + 65] = 3e38;
            const pith_i_data good = as_form(ctx, x, N, P, (form)f, (pith_dtype)dtype);
            assert_ok(ctx, pith_i_data_check_finite(ctx, &good));
            x[299 * P] = bad[(c_ + 1) % 3];
            x[171 * P + 66] = bad[(c_ + 2) % 3];
            x[171 * P + 3] = bad[c_ % 3];
            const pith_i_data X = as_form(ctx, x, N, P, (form)f, (pith_dtype)dtype);
            assert_int_equal(pith_i_data_check_finite(ctx, &X), PITH_E_DATA);
            assert_non_null(strstr(pith_ctx_message(ctx), "row 172, column 4 (counted from 1)"));
            x[171 * P + 66] = kept[0];
            x[171 * P + 3] = kept[1];
            x[299 * P] = kept[2];
            x[40 * P + 65] = 1e300;
            pith_i_scratch_release(ctx, mark);
        }
    pith_i_scratch_release(ctx, 0);
}

static void nothing_is_finite(void **state)
{
    static const int64_t zeros[3] = {0};
    const pith_i_data empty = {.n = 0, .p = 4}, sparse = {.n = 2, .p = 4, .sparse = true, .indptr = zeros};
    assert_ok(*state, pith_i_data_check_finite(*state, &empty));
    assert_ok(*state, pith_i_data_check_finite(*state, &sparse));
}

/* Any window of any form, into a wider array, and not a value beside it. */
static void blocks_are_the_same_in_every_form(void **state)
{
    pith_ctx *ctx = *state;
    enum { N = 37, P = 29, LD = 40 };
    static const int64_t windows[][4] = {{0, N, 0, P},  {5, 11, 3, 17}, {36, 1, 28, 1}, {0, 1, 0, P},
                                         {0, N, 13, 1}, {7, 0, 2, 5},   {7, 5, 29, 0},  {2, 33, 7, 9}};
    const double *x = random_table(ctx, N, P, 0.4, 3);
    double out[N * LD];
    for (each_form(f, dtype)) {
        const pith_i_data X = as_form(ctx, x, N, P, (form)f, (pith_dtype)dtype);
        assert_is_table(&X, N, P, x);
        for (size_t w = 0; w < COUNT(windows); w++) {
            const int64_t row = windows[w][0], rows = windows[w][1], col = windows[w][2],
                          cols = windows[w][3];
            for (int64_t e = 0; e < N * LD; e++)
                out[e] = -1234;
            pith_i_block(&X, row, rows, col, cols, out, LD);
            for (int64_t e = 0; e < N * LD; e++) {
                const int64_t i = e / LD, j = e % LD;
                assert_true(out[e] == (i < rows && j < cols ? x[(row + i) * P + col + j] : -1234));
            }
        }
    }
    pith_i_scratch_release(ctx, 0);
}

static void columns_are_the_same_in_every_dense_form(void **state)
{
    pith_ctx *ctx = *state;
    enum { N = 23, P = 5 };
    const double *x = random_table(ctx, N, P, 0.9, 4);
    for (each_form(f, dtype)) {
        const pith_i_data X = as_form(ctx, x, N, P, (form)f, (pith_dtype)dtype);
        double column[N];
        for (int64_t j = 0; j < P && !X.sparse; j++) {
            pith_i_column(&X, j, column);
            for (int64_t i = 0; i < N; i++)
                assert_true(column[i] == x[i * P + j]);
        }
    }
    pith_i_scratch_release(ctx, 0);
}

static void a_part_knows_its_place_in_the_whole(void **state)
{
    pith_ctx *ctx = *state;
    enum { N = 12, P = 4 };
    const double *x = random_table(ctx, N, P, 0.5, 5);
    for (each_form(f, dtype)) {
        const pith_i_data X = as_form(ctx, x, N, P, (form)f, (pith_dtype)dtype);
        const pith_i_data part = pith_i_data_rows(&X, 4, 6), inner = pith_i_data_rows(&part, 2, 3);
        const pith_i_data none = pith_i_data_rows(&X, N, 0);
        assert_int_equal(inner.offset - X.offset, 6);
        assert_is_table(&part, 6, P, x + 4 * P);
        assert_is_table(&inner, 3, P, x + 6 * P);
        assert_int_equal(none.n, 0);
        assert_int_equal(pith_i_stored(&none), 0);
        for (size_t b = 0; b < COUNT(part.owned); b++)
            assert_null(part.owned[b]);
    }
    pith_i_scratch_release(ctx, 0);
}

static void stored_counts_the_part_s_entries(void **state)
{
    pith_ctx *ctx = *state;
    const double x[] = {0, 5, 0, 0, 0, 6};
    const pith_i_data dense = as_form(ctx, x, 2, 3, COLUMN_MAJOR, PITH_F32);
    const pith_i_data sparse = as_form(ctx, x, 2, 3, CSR, PITH_F32);
    const pith_i_data part = as_form(ctx, x, 2, 3, CSR_PART, PITH_F32);
    assert_int_equal(pith_i_stored(&dense), 6);
    assert_int_equal(pith_i_stored(&sparse), 3); /* and the zero at (0, 0) */
    assert_int_equal(pith_i_stored(&part), 3);   /* without the rows before it */
    pith_i_scratch_release(ctx, 0);
}

static void new_data_is_owned_and_freed(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_data X = {0};
    assert_ok(ctx, pith_i_data_new_dense(ctx, 3, 4, PITH_F32, &X));
    assert_int_equal(pith_i_bytes_in_use(ctx), 48);
    assert_ok(ctx, pith_i_data_check(ctx, &X));
    pith_i_data_free(&X);
    pith_i_data_free(&X);
    assert_ok(ctx, pith_i_data_new_csr(ctx, 3, 4, 5, PITH_F64, &X));
    assert_int_equal(pith_i_bytes_in_use(ctx), 4 * 8 + 5 * 4 + 5 * 8);
    assert_int_equal(pith_i_stored(&X), 0); /* no row has an entry yet */
    pith_i_data_free(&X);
    assert_int_equal(pith_i_bytes_in_use(ctx), 0);
}

static void data_that_cannot_fit_is_out_of_memory(void **state)
{
    pith_ctx *ctx = *state;
    pith_i_data X = {0};
    assert_int_equal(pith_i_data_new_dense(ctx, INT64_MAX, 2, PITH_F64, &X), PITH_E_NOMEM);
    assert_int_equal(pith_i_data_new_dense(ctx, INT64_MAX / 8, 4, PITH_F64, &X), PITH_E_NOMEM);
    assert_int_equal(pith_i_data_new_dense(ctx, -1, -1, PITH_F64, &X), PITH_E_NOMEM);
    assert_int_equal(pith_i_data_new_csr(ctx, INT64_MAX, 2, 1, PITH_F64, &X), PITH_E_NOMEM);
    assert_int_equal(pith_i_data_new_csr(ctx, 1, 2, INT64_MAX, PITH_F64, &X), PITH_E_NOMEM);
    assert_int_equal(pith_i_data_new_csr(ctx, 1, 2, -1, PITH_F64, &X), PITH_E_NOMEM);
    assert_null(X.owned[0]);
}

static pith_status make_both(pith_ctx *ctx, void *arg)
{
    pith_i_data dense = {0}, sparse = {0};
    pith_status st = PITH_OK;
    (void)arg;
    TRY(pith_i_data_new_dense(ctx, 3, 4, PITH_F32, &dense));
    TRY(pith_i_data_new_csr(ctx, 3, 4, 5, PITH_F32, &sparse));
done:
    pith_i_data_free(&dense);
    pith_i_data_free(&sparse);
    return st;
}

static void failing_allocations_are_survived(void **state)
{
    assert_survives_failing_allocations(*state, make_both, NULL, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(wrong_shapes_and_arrays_are_refused),
        TEST(every_form_is_accepted_empty_ones_too),
        TEST(the_first_value_that_is_not_finite_is_named),
        TEST(nothing_is_finite),
        TEST(blocks_are_the_same_in_every_form),
        TEST(columns_are_the_same_in_every_dense_form),
        TEST(a_part_knows_its_place_in_the_whole),
        TEST(stored_counts_the_part_s_entries),
        TEST(new_data_is_owned_and_freed),
        TEST(data_that_cannot_fit_is_out_of_memory),
        TEST(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests_name("data", tests, NULL, NULL);
}
