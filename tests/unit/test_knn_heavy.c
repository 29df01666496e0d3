#include "graph/knn_heavy.h"

#include "unit/graph_data.h"

enum { N = 1200, P = 500, M = 12 };

static bool is_light(int64_t p, int64_t entries, bool sparse)
{
    const int64_t indptr[] = {0, entries / 2, 2 * entries};
    const pith_i_data X = {.n = 2, .p = p, .sparse = sparse, .indptr = indptr};
    return pith_i_is_light(&X);
}

static void rows_of_few_entries_are_light(void **state)
{
    (void)state;
    assert_true(is_light(50000, 150, true)); /* a text, */
    assert_true(is_light(300, 30, true));    /* and one of few words */
    assert_false(is_light(30000, 2100, true));
    assert_false(is_light(15000, 450, true)); /* cells, and half of their genes */
    assert_false(is_light(50000, 150, false));
}

/* Row i and row i + N/2 have the same heavy entries; others share light ones alone. */
static double *twins(void)
{
    double *x = new_values(N * P);
    fill_counts(x, N * P, 2, 0.95, 5);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < 4; j++)
            x[i * P + (i % (N / 2) * 7 + j * 31) % P] = 20 + (double)j;
    return x;
}

static void rows_with_the_same_heavy_entries_meet(void **state)
{
    for (int c = 0; c < 2; c++) {
        const size_t mark = pith_i_scratch_mark(*state);
        double *x = twins();
        memset(x + 5 * P, 0, P * sizeof *x);
        pith_i_data X = laid_out(*state, x, N, P, CSR_F64);
        pith_i_rows R = {0};
        pith_i_screen screen = {0};
        pith_i_found F = {0};
        float spread[P] = {0};
        int64_t missed = 0;
        assert_ok(*state, pith_i_rows_open(*state, &X, c == 0 ? PITH_I_COSINE : PITH_I_EUCLIDEAN, &R));
        assert_ok(*state, pith_i_screen_make(*state, &R, &screen));
        assert_ok(*state, pith_i_found_open(*state, N, M, &F));
        assert_ok(*state, pith_i_found_by_heaviest(*state, &screen, 1, &F));
        assert_ok(*state, pith_i_found_by_hops(*state, &screen, 4, &F));
        for (int64_t i = 0; i < N; i++) {
            const pith_i_candidate *list = F.list + i * M;
            const int64_t twin = (i + N / 2) % N;
            bool met = i == 5 || twin == 5;
            pith_i_screen_start(&screen, i, spread);
            for (int64_t e = 0; e < F.count[i]; e++) {
                met = met || list[e].point == twin;
                assert_true(list[e].point != i);
                assert_true(list[e].value == pith_i_screen_value(&screen, spread, list[e].point));
                assert_true(e == 0 || pith_i_candidate_before(list[e - 1], list[e]));
            }
            pith_i_screen_end(&screen, i, spread);
            missed += !met;
        }
        assert_int_equal(missed, 0);
        assert_int_equal(F.count[5], c == 0 ? 0 : F.count[5]); /* without a direction it meets nobody */
        pith_i_found_close(&F);
        pith_i_rows_close(&R);
        pith_i_scratch_release(*state, mark);
        pith_i_data_free(&X);
        free(x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(rows_of_few_entries_are_light),
        TEST(rows_with_the_same_heavy_entries_meet),
    };
    return cmocka_run_group_tests_name("knn_heavy", tests, NULL, NULL);
}
