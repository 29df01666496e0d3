/* Whatever goes over all rows of a million asks now and then whether to go on, though it is no share of the
 * progress bar: Ctrl-C must not wait for it. */
#include "cluster/group_sums.h"
#include "graph/knn_project.h"
#include "matrix/stats.h"
#include "unit/graph_data.h"

enum { N = 1500, P = 250 };

static pith_status transpose(pith_ctx *ctx, const pith_i_data *X)
{
    pith_i_data T = {0};
    const pith_status st = pith_i_transpose(ctx, X, &T);
    pith_i_data_free(&T);
    return st;
}

static pith_status take_columns(pith_ctx *ctx, const pith_i_data *X)
{
    static const int64_t some[] = {1, 2, 5};
    pith_i_data Y = {0};
    const pith_status st = pith_i_take_columns(ctx, X, COUNT(some), some, &Y);
    pith_i_data_free(&Y);
    return st;
}

static pith_status take_statistics(pith_ctx *ctx, const pith_i_data *X)
{
    pith_i_column_stats stats;
    return pith_i_column_statistics(ctx, X, NULL, &stats);
}

static pith_status open_rows(pith_ctx *ctx, const pith_i_data *X)
{
    pith_i_rows R = {0};
    const pith_status st = pith_i_rows_open(ctx, X, PITH_I_COSINE, &R);
    pith_i_rows_close(&R);
    return st;
}

static pith_status find_directions(pith_ctx *ctx, const pith_i_data *X)
{
    pith_i_directions V = {0};
    pith_i_rows R = {0};
    pith_status st = PITH_OK;
    pith_ctx_set_progress(ctx, NULL, NULL); /* the rows are there already */
    TRY(pith_i_rows_open(ctx, X, PITH_I_COSINE, &R));
    pith_ctx_set_progress(ctx, stop_progress, NULL);
    TRY(pith_i_directions_find(ctx, &R, 12, &V));
done:
    pith_i_rows_close(&R);
    return st;
}

static pith_status sum_groups(pith_ctx *ctx, const pith_i_data *X)
{
    static const int32_t label[N] = {[7] = 1};
    static const double mean[P] = {0};
    const pith_i_grouping one = {2, label};
    pith_i_data T = {0};
    double between[P];
    pith_status st = PITH_OK;
    pith_ctx_set_progress(ctx, NULL, NULL);
    TRY(pith_i_transpose(ctx, X, &T));
    pith_ctx_set_progress(ctx, stop_progress, NULL);
    TRY(pith_i_between(ctx, X, &T, mean, 1, &one, between));
done:
    pith_i_data_free(&T);
    return st;
}

static void passes_over_all_rows_can_be_stopped(void **state)
{
    pith_ctx *ctx = *state;
    static pith_status (*const all[])(pith_ctx *, const pith_i_data *) = {
        transpose, take_columns, take_statistics, open_rows, find_directions, sum_groups};
    double *x = structured(N, P, 8, 5);
    pith_i_data X = laid_out(ctx, x, N, P, CSR_F32);
    assert_ok(ctx, pith_ctx_set_threads(ctx, 1)); /* the thread that asks may get no share of a short loop */
    for (size_t c = 0; c < COUNT(all); c++) {
        const size_t mark = pith_i_scratch_mark(ctx);
        const int64_t held = pith_i_bytes_in_use(ctx);
        pith_ctx_set_progress(ctx, stop_progress, NULL);
        assert_int_equal(all[c](ctx, &X), PITH_E_STOPPED);
        pith_ctx_set_progress(ctx, NULL, NULL);
        assert_ok(ctx, pith_i_stop_status(ctx)); /* told once */
        pith_i_scratch_release(ctx, mark);
        assert_int_equal(pith_i_bytes_in_use(ctx), held);
    }
    pith_i_data_free(&X);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(passes_over_all_rows_can_be_stopped),
    };
    return cmocka_run_group_tests_name("stop", tests, NULL, NULL);
}
