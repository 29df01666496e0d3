#include "matrix/scatter.h"
#include "unit/support.h"

enum { N = 300, P = 40, ENTRIES = 5000 };

/* Entry e of a list without any order; row 7 holds a third of them, row 9 none. */
static int64_t row_of(int64_t e)
{
    const int64_t i = e * 7919 % N;
    return e % 3 == 0 ? 7 : i == 9 ? 10 : i;
}

static void fill(pith_ctx *ctx, int64_t range, pith_i_data *X)
{
    pith_i_scatter s = {0};
    assert_ok(ctx, pith_i_data_new_csr(ctx, N, P, ENTRIES, PITH_F64, X));
    int64_t *start = pith_i_data_indptr(X);
    for (int64_t e = 0; e < ENTRIES; e++)
        start[row_of(e) + 1]++;
    for (int64_t i = 0; i < N; i++)
        start[i + 1] += start[i];
    assert_ok(ctx, pith_i_scatter_begin(ctx, X, range, &s));
    for (int64_t e = 0; e < ENTRIES; e++)
        pith_i_scatter_put(&s, row_of(e), e % P, (double)e);
    assert_ok(ctx, pith_i_scatter_end(ctx, &s, X));
    pith_i_scatter_free(&s);
}

static void assert_rows_hold_their_entries_in_order(const pith_i_data *X)
{
    int64_t count = 0;
    assert_int_equal(X->indptr[0], 0);
    for (int64_t i = 0; i < N; i++)
        for (int64_t e = X->indptr[i]; e < X->indptr[i + 1]; e++, count++) {
            const int64_t entry = (int64_t)((const double *)X->values)[e];
            assert_int_equal(row_of(entry), i);
            assert_int_equal(X->indices[e], entry % P);
            assert_true(e == X->indptr[i] || ((const double *)X->values)[e - 1] < (double)entry);
        }
    assert_int_equal(count, ENTRIES);
}

static void entries_reach_their_rows_by_ranges_of_any_size(void **state)
{
    static const int64_t ranges[] = {0, 1, 3, 64, 1000, ENTRIES, 10 * ENTRIES};
    for (size_t r = 0; r < COUNT(ranges); r++) {
        pith_i_data X = {0};
        fill(*state, ranges[r], &X);
        assert_rows_hold_their_entries_in_order(&X);
        pith_i_data_free(&X);
    }
}

static void entries_in_a_file_reach_their_rows(void **state)
{
    pith_ctx *ctx = *state;
    const int64_t before = pith_i_spill_beyond(ctx, 1);
    pith_i_data Y = {0};
    assert_ok(ctx, pith_i_data_new_csr(ctx, 1, 40000, 40000, PITH_F64, &Y)); /* large enough for a file */
    assert_true(pith_i_is_in_file(Y.owned[2]));
    pith_i_data T = {0};
    for (int32_t j = 0; j < 40000; j++) {
        pith_i_data_indices(&Y)[j] = j;
        pith_i_set_value(pith_i_data_values(&Y), PITH_F64, j, j);
    }
    pith_i_data_indptr(&Y)[1] = 40000;
    assert_ok(ctx, pith_i_transpose(ctx, &Y, &T));
    assert_true(pith_i_is_in_file(T.owned[2]));
    for (int64_t j = 0; j < 40000; j++) {
        assert_int_equal(T.indptr[j + 1], j + 1);
        assert_int_equal(T.indices[j], 0);
        assert_true(((const double *)T.values)[j] == (double)j);
    }
    (void)pith_i_spill_beyond(ctx, before);
    pith_i_data_free(&T);
    pith_i_data_free(&Y);
}

static pith_status scatter(pith_ctx *ctx, void *arg)
{
    pith_i_data *X = arg;
    pith_i_scatter s = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_scatter_begin(ctx, X, 10, &s));
    TRY(pith_i_scatter_end(ctx, &s, X));
done:
    pith_i_scatter_free(&s);
    return st;
}

static void failing_allocations_are_survived(void **state)
{
    pith_i_data X = {0};
    fill(*state, 0, &X);
    memset(X.owned[0], 0, (N + 1) * sizeof(int64_t)); /* no entries: nothing is put anywhere */
    assert_survives_failing_allocations(*state, scatter, &X, 5);
    pith_i_data_free(&X);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(entries_reach_their_rows_by_ranges_of_any_size),
        TEST(entries_in_a_file_reach_their_rows),
        TEST(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests_name("scatter", tests, NULL, NULL);
}
