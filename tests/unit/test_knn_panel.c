#include "graph/knn_panel.h"

#include "unit/graph_data.h"

enum { N = 400, P = 150, K = 6, ASKED = 150 }; /* three panels, the last one not full */

static pith_i_knn empty_lists(pith_ctx *ctx)
{
    pith_i_knn knn = {.n = N, .k = K};
    assert_ok(ctx, NEW(ctx, knn.index, N * K));
    assert_ok(ctx, NEW(ctx, knn.distance2, N * K));
    for (int64_t i = 0; i < N; i++)
        pith_i_knn_write(&knn, i, NULL, 0);
    return knn;
}

/* Counts tie often; there are copies, and rows of zeros. */
static void panels_find_what_lists_find_to_the_bit(void **state)
{
    static const layout how[] = {CSR_F64, CSR_F32};
    const pith_i_among all = {.count = N, .all = N};
    double *x = new_values(N * P);
    fill_counts(x, N * P, 4, 0.9, 7);
    for (int64_t i = 0; i < 20; i++)
        memcpy(x + (N - 1 - i) * P, x + (i % 5) * P, P * sizeof *x);
    memset(x + 30 * P, 0, (size_t)3 * P * sizeof *x);
    for (size_t c = 0; c < 2 * COUNT(how); c++) {
        pith_i_data X = laid_out(*state, x, N, P, how[c / 2]);
        pith_i_rows R = {0};
        pith_i_knn slow = empty_lists(*state), fast = empty_lists(*state);
        int64_t rows[ASKED];
        for (int64_t e = 0; e < ASKED; e++)
            rows[e] = e * N / ASKED;
        assert_ok(*state, pith_i_rows_open(*state, &X, c % 2 == 0 ? PITH_I_COSINE : PITH_I_EUCLIDEAN, &R));
        assert_ok(*state, pith_i_knn_sparse_redo(*state, &R, ASKED, rows, &all, &slow));
        assert_ok(*state, pith_i_knn_panel(*state, &R, ASKED, rows, &fast));
        assert_memory_equal(slow.index, fast.index, (size_t)(N * K) * sizeof *slow.index);
        assert_memory_equal(slow.distance2, fast.distance2, (size_t)(N * K) * sizeof *slow.distance2);
        pith_i_knn_free(&slow);
        pith_i_knn_free(&fast);
        pith_i_rows_close(&R);
        pith_i_data_free(&X);
    }
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(panels_find_what_lists_find_to_the_bit)};
    return cmocka_run_group_tests_name("knn_panel", tests, NULL, NULL);
}
