#include "graph/distances.h"

#include "matrix/stats.h"
#include "unit/graph_data.h"

enum { N = 23, P = 5 };

static void distances_are_those_of_the_definition_in_every_layout(void **state)
{
    pith_ctx *ctx = *state;
    static const pith_i_metric metrics[] = {PITH_I_EUCLIDEAN, PITH_I_COSINE};
    double x[N * P], D[N * N];
    fill_counts(x, N * P, 9, 0.4, 3);
    for (int64_t j = 0; j < P; j++)
        x[7 * P + j] = x[2 * P + j];
    for (int how = 0; how < LAYOUTS; how++)
        for (size_t t = 0; t < COUNT(metrics); t++) {
            pith_i_data X = laid_out(ctx, x, N, P, (layout)how);
            assert_ok(ctx, pith_i_distances(ctx, &X, metrics[t], D));
            for (int64_t a = 0; a < N; a++)
                for (int64_t b = 0; b < N; b++) {
                    const long double d2 = a == b ? 0 : slow_distance2(x + a * P, x + b * P, P, metrics[t]);
                    assert_near(D[a * N + b], (double)sqrtl(d2), 1e-14 * (1 + (double)sqrtl(d2)));
                }
            assert_true(D[2 * N + 7] == 0 && D[7 * N + 2] == 0);
            pith_i_data_free(&X);
        }
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void kth_smallest_is_that_of_the_sorted_list(void **state)
{
    enum { MOST = 40 };
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        double x[MOST], sorted[MOST], copy[MOST];
        const int64_t n = 1 + (int64_t)seed % MOST;
        if (seed % 2 == 0)
            fill_normal(x, n, seed);
        else
            fill_counts(x, n, 4, 0.3, seed); /* ties */
        memcpy(sorted, x, sizeof sorted);
        qsort(sorted, (size_t)n, sizeof *sorted, ascending);
        for (int64_t k = 0; k < n; k++) {
            memcpy(copy, x, sizeof copy);
            assert_true(pith_i_kth_smallest(n, copy, k) == sorted[k]);
        }
    }
}

/* The same column as n x 1 data: its distances the slow way. */
static void width_of_a_column_is_that_of_its_distances(void **state)
{
    pith_ctx *ctx = *state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        double x[N], D[N * N], width = 0;
        if (seed % 2 == 0)
            fill_normal(x, N, seed);
        else
            fill_counts(x, N, 5, 0.2, seed);
        for (int64_t a = 0; a < N; a++)
            for (int64_t b = 0; b < N; b++)
                D[a * N + b] = fabs(x[a] - x[b]);
        for (int64_t k = 1; k < N; k++) {
            double copy[N];
            memcpy(copy, x, sizeof copy);
            assert_ok(ctx, pith_i_width(ctx, N, D, k, &width));
            assert_near(pith_i_width_of_column(N, copy, k), width, 1e-14 * width);
        }
    }
}

static void width_of_ties_is_the_mean_distance_and_of_equals_0(void **state)
{
    pith_ctx *ctx = *state;
    enum { M = 10 };
    double x[M] = {1, 1, 1, 1, 1, 3, 3, 3, 3, 3}, same[M] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, D[M * M],
           width = 0;
    for (int64_t a = 0; a < M; a++)
        for (int64_t b = 0; b < M; b++)
            D[a * M + b] = fabs(x[a] - x[b]);
    assert_ok(ctx, pith_i_width(ctx, M, D, 4, &width));
    assert_near(width, 1, 1e-15); /* half of the 100 pairs are 2 apart */
    assert_near(pith_i_width_of_column(M, x, 4), 1, 1e-15);
    assert_near(pith_i_width_of_column(M, x, 5), 2, 1e-15);
    assert_true(pith_i_width_of_column(M, same, 3) == 0);
}

static void too_many_rows_are_refused(void **state)
{
    pith_i_data X = {
        .n = PITH_I_MOST_DISTANCES + 1, .p = 1, .dtype = PITH_F64, .row_stride = 1, .col_stride = 1};
    double D = 0;
    assert_int_equal(pith_i_distances(*state, &X, PITH_I_EUCLIDEAN, &D), PITH_E_DATA);
    assert_non_null(strstr(pith_ctx_message(*state), "too many"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(distances_are_those_of_the_definition_in_every_layout),
        TEST(kth_smallest_is_that_of_the_sorted_list),
        TEST(width_of_a_column_is_that_of_its_distances),
        TEST(width_of_ties_is_the_mean_distance_and_of_equals_0),
        TEST(too_many_rows_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
