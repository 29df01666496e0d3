#include "graph/knn_cells.h"

#include "unit/graph_data.h"

enum { N = 5000, P = 6 };

static int64_t total, leaves;
static int32_t met[N];

static void count_leaf(void *self, int64_t count, const int32_t *member)
{
    (void)self;
    assert_true(count <= PITH_I_LEAF);
    total += count;
    leaves++;
    for (int64_t r = 0; r < count; r++)
        met[member[r]]++;
}

static pith_i_cloud cloud_of(pith_ctx *ctx, const pith_i_data *X, pith_i_rows *R)
{
    pith_i_cloud P_ = {0};
    assert_ok(ctx, pith_i_rows_open(ctx, X, PITH_I_EUCLIDEAN, R));
    assert_ok(ctx, pith_i_cloud_make(ctx, R, &P_));
    return P_;
}

static void every_point_is_in_as_many_cells_as_asked_for(void **state)
{
    enum { LEADERS = 40, EACH = 3 };
    const size_t mark = pith_i_scratch_mark(*state);
    double *x = structured(N, P, 3, 1);
    pith_i_data X = laid_out(*state, x, N, P, ROWS_F64);
    pith_i_rows R = {0};
    const pith_i_cloud C = cloud_of(*state, &X, &R);
    pith_i_cells cells = {0};
    int count[N] = {0};
    assert_ok(*state, pith_i_cells_make(*state, &C, LEADERS, EACH, 1, &cells));
    assert_int_equal(cells.count, LEADERS);
    assert_int_equal(cells.start[LEADERS], N * EACH);
    for (int64_t c = 0; c < LEADERS; c++)
        for (int64_t e = cells.start[c]; e < cells.start[c + 1]; e++) {
            assert_true(e == cells.start[c] ||
                        cells.member[e] > cells.member[e - 1]); /* so none is in a cell twice */
            count[cells.member[e]]++;
        }
    for (int64_t t = 0; t < N; t++)
        assert_int_equal(count[t], EACH);
    pith_i_rows_close(&R);
    pith_i_scratch_release(*state, mark);
    pith_i_data_free(&X);
    free(x);
}

/* Rows that can be told apart, copies of one row, and both. */
static void a_cell_is_cut_into_small_leaves_that_hold_it(void **state)
{
    for (int kind = 0; kind < 3; kind++) {
        const size_t mark = pith_i_scratch_mark(*state);
        double *x = structured(N, P, 3, 2);
        for (int64_t i = kind == 0 ? N : 0; i < (kind == 1 ? N : N / 2); i++)
            memcpy(x + i * P, x, P * sizeof *x);
        pith_i_data X = laid_out(*state, x, N, P, ROWS_F64);
        pith_i_rows R = {0};
        pith_i_cutter cutter = {0};
        int32_t member[N];
        const pith_i_cloud C = cloud_of(*state, &X, &R);
        assert_ok(*state, pith_i_cutter_make(*state, &C, N, &cutter));
        for (int32_t t = 0; t < N; t++)
            member[t] = t;
        memset(met, 0, sizeof met);
        total = leaves = 0;
        pith_i_cut(&cutter, &C, 1, 1, N, member, count_leaf, NULL);
        assert_int_equal(total, N);
        assert_true(leaves >= N / PITH_I_LEAF);
        for (int64_t t = 0; t < N; t++)
            assert_int_equal(met[t], 1);
        pith_i_rows_close(&R);
        pith_i_scratch_release(*state, mark);
        pith_i_data_free(&X);
        free(x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_point_is_in_as_many_cells_as_asked_for),
        TEST(a_cell_is_cut_into_small_leaves_that_hold_it),
    };
    return cmocka_run_group_tests_name("knn_cells", tests, NULL, NULL);
}
