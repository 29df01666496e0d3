#include "graph/knn_reach.h"

#include "unit/graph_data.h"

enum { N = 1500, P = 260, K = 5, MOST = 100, SAMPLED = 150 };

/* Recall of the best m by estimate, for some m. */
static void measure(pith_ctx *ctx, const double *x, layout how, size_t count, const int64_t *m, double *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_data X = laid_out(ctx, x, N, P, how);
    pith_i_rows R = {0};
    pith_i_cloud C = {0};
    pith_i_sample sample = {0};
    pith_i_reach reach = {0};
    pith_i_knn knn = {0}, exact = {0};
    assert_ok(ctx, pith_i_knn_find(ctx, &X, K, PITH_I_EUCLIDEAN, &exact));
    assert_ok(ctx, pith_i_knn_find(ctx, &X, K, PITH_I_EUCLIDEAN, &knn));
    assert_ok(ctx, pith_i_rows_open(ctx, &X, PITH_I_EUCLIDEAN, &R));
    assert_ok(ctx, pith_i_cloud_make(ctx, &R, &C));
    assert_ok(ctx, pith_i_sample_draw(ctx, N, SAMPLED, &sample));
    assert_ok(ctx, pith_i_reach_measure(ctx, &R, &C, MOST, &sample, &knn, &reach));
    assert_ok(ctx, pith_i_sample_search(ctx, &R, &C, &knn, &sample));
    for (size_t c = 0; c < count; c++)
        out[c] = pith_i_reach_recall(&reach, &sample, K, m[c]);
    /* Lists of the rows that were looked at are the best of the MOST: their recall is what all of them reach.
     */
    double right = 0;
    for (int64_t e = 0; e < sample.count; e += PITH_I_REACH_STEP) {
        const pith_i_sample looked = {.count = 1, .row = sample.row + e, .kth = sample.kth + e};
        right += pith_i_sample_recall(&looked, &knn);
    }
    assert_near(right / (double)reach.count, pith_i_reach_recall(&reach, &sample, K, MOST), 1e-12);
    for (int64_t e = 0; e < sample.count; e++)
        for (int64_t l = 0; l < K; l++) {
            const int64_t at = sample.row[e] * K + l;
            assert_true(knn.distance2[at] >= exact.distance2[at]);
            assert_true(knn.distance2[at] == pith_i_rows_distance2(&R, sample.row[e], knn.index[at]));
        }
    pith_i_knn_free(&knn);
    pith_i_knn_free(&exact);
    pith_i_rows_close(&R);
    pith_i_scratch_release(ctx, mark);
    pith_i_data_free(&X);
}

static void few_candidates_reach_all_where_there_is_structure(void **state)
{
    static const int64_t m[] = {0, K, K + 20};
    static const layout how[] = {ROWS_F64, CSR_F32};
    double *x = structured(N, P, 6, 9), got[COUNT(m)];
    for (size_t c = 0; c < COUNT(how); c++) {
        measure(*state, x, how[c], COUNT(m), m, got);
        assert_true(got[0] == 0 && got[1] > 0.5 && got[2] > 0.98 && got[2] <= 1);
    }
    free(x);
}

static void noise_is_not_reached(void **state)
{
    static const int64_t m[] = {K, 2 * K, 8 * K};
    double *x = new_values((int64_t)N * P), got[COUNT(m)];
    fill_normal(x, (int64_t)N * P, 4);
    measure(*state, x, ROWS_F64, COUNT(m), m, got);
    assert_true(got[0] < got[1] && got[1] < got[2] && got[2] < 0.9);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(few_candidates_reach_all_where_there_is_structure),
        TEST(noise_is_not_reached),
    };
    return cmocka_run_group_tests_name("knn_reach", tests, NULL, NULL);
}
