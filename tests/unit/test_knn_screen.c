#include "graph/knn_screen.h"

#include "unit/graph_data.h"

enum { N = 60, P = 200 };

static void bounds_are_below_the_distance_and_close_to_it(void **state)
{
    static const layout how[] = {CSR_F64, CSR_F32};
    double *x = new_values(N * P);
    fill_counts(x, N * P, 5, 0.7, 3);
    memcpy(x + 9 * P, x + 4 * P, P * sizeof *x); /* at distance 0 */
    memset(x + 20 * P, 0, P * sizeof *x);
    for (size_t c = 0; c < 2 * COUNT(how); c++) {
        const size_t mark = pith_i_scratch_mark(*state);
        pith_i_data X = laid_out(*state, x, N, P, how[c / 2]);
        pith_i_rows R = {0};
        pith_i_screen s = {0};
        float spread[P] = {0};
        assert_ok(*state, pith_i_rows_open(*state, &X, c % 2 == 0 ? PITH_I_COSINE : PITH_I_EUCLIDEAN, &R));
        assert_ok(*state, pith_i_screen_make(*state, &R, &s));
        for (int64_t i = 0; i < N; i++) {
            pith_i_screen_start(&s, i, spread);
            for (int64_t l = 0; l < N; l++) {
                const double bound = (double)pith_i_screen_value(&s, spread, l) + (double)s.norm[i],
                             exact = pith_i_rows_distance2(&R, i, l) * R.scale * R.scale;
                assert_true(bound <= exact);
                assert_true(bound > exact - 1e-4 || pith_i_row_is_zero(&R, i) || pith_i_row_is_zero(&R, l));
            }
            pith_i_screen_end(&s, i, spread);
        }
        for (int64_t j = 0; j < P; j++)
            assert_true(spread[j] == 0);
        pith_i_rows_close(&R);
        pith_i_scratch_release(*state, mark);
        pith_i_data_free(&X);
    }
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(bounds_are_below_the_distance_and_close_to_it)};
    return cmocka_run_group_tests_name("knn_screen", tests, NULL, NULL);
}
