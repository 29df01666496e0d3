#include "graph/knn_found.h"

#include "unit/graph_data.h"

enum { N = 3000, P = 8, M = 9 };

static float value_of(const pith_i_cloud *C, int64_t s, int64_t t)
{
    double dot = 0;
    for (int64_t j = 0; j < C->d; j++)
        dot += (double)C->y[s * C->ld + j] * (double)C->y[t * C->ld + j];
    return (float)((double)C->norm[t] - 2 * dot);
}

/* In order, no point twice, none its own, every value the estimate. Returns the sum of the last values. */
static double check_lists(const pith_i_cloud *C, const pith_i_found *F)
{
    double sum = 0;
    for (int64_t s = 0; s < F->n; s++) {
        const pith_i_candidate *list = F->list + s * F->m;
        assert_int_equal(F->count[s], F->m);
        for (int64_t e = 0; e < F->m; e++) {
            assert_true(list[e].point >= 0 && list[e].point < F->n && list[e].point != s);
            assert_near((double)list[e].value, (double)value_of(C, s, list[e].point), 1e-5);
            assert_true(e == 0 || pith_i_candidate_before(list[e - 1], list[e]));
            for (int64_t b = 0; b < e; b++)
                assert_true(list[b].point != list[e].point);
        }
        sum += (double)list[F->m - 1].value;
    }
    return sum;
}

static void a_list_holds_the_best_in_any_order_of_arrival(void **state)
{
    enum { ALL = 60 };
    (void)state;
    static const int64_t step[] = {1, 7, 11, 13, 29, 59}; /* prime to ALL: they lead to all of them */
    for (size_t c = 0; c < COUNT(step); c++) {
        pith_i_candidate list[M];
        int32_t count = 0;
        for (int64_t e = 0; e < 2 * ALL; e++) { /* everybody comes twice */
            const int64_t point = e * step[c] % ALL;
            pith_i_candidate_put(list, &count, M, (pith_i_candidate){(float)(point / 2), (int32_t)point});
        }
        assert_int_equal(count, M);
        for (int32_t e = 0; e < M; e++)
            assert_int_equal(list[e].point, e);
    }
}

/* Estimates of one pair may differ by rounding: the least counts, whichever comes first. */
static void of_two_estimates_of_a_pair_the_least_stays(void **state)
{
    (void)state;
    for (int turn = 0; turn < 2; turn++) {
        pith_i_candidate list[M];
        int32_t count = 0;
        pith_i_candidate_put(list, &count, M, (pith_i_candidate){2, 4});
        pith_i_candidate_put(list, &count, M, (pith_i_candidate){turn == 0 ? 3.F : 1.F, 7});
        pith_i_candidate_put(list, &count, M, (pith_i_candidate){turn == 0 ? 1.F : 3.F, 7});
        assert_int_equal(count, 2);
        assert_true(list[0].point == 7 && list[0].value == 1 && list[1].point == 4);
    }
}

/* Partitions and neighbours of neighbours: only better ones take a place. */
static void lists_hold_estimates_and_only_get_better(void **state)
{
    const size_t mark = pith_i_scratch_mark(*state);
    double *x = structured(N, P, 8, 1), sum[4] = {0};
    pith_i_data X = laid_out(*state, x, N, P, ROWS_F64);
    pith_i_rows R = {0};
    pith_i_cloud C = {0};
    pith_i_found F = {0};
    assert_ok(*state, pith_i_rows_open(*state, &X, PITH_I_EUCLIDEAN, &R));
    assert_ok(*state, pith_i_cloud_make(*state, &R, &C));
    assert_ok(*state, pith_i_found_open(*state, N, M, &F));
    for (int t = 0; t < 4; t++) {
        assert_ok(*state, t % 2 == 0 ? pith_i_found_by_cells(*state, &C, 1, (uint64_t)t + 1, &F)
                                     : pith_i_found_by_neighbours(*state, &C, 5, &F));
        sum[t] = check_lists(&C, &F);
        assert_true(t == 0 || sum[t] <= sum[t - 1]);
    }
    assert_true(sum[1] < sum[0] || sum[2] < sum[0]);
    pith_i_found_close(&F);
    pith_i_rows_close(&R);
    pith_i_scratch_release(*state, mark);
    pith_i_data_free(&X);
    free(x);
}

static bool in_list(const pith_i_found *F, int64_t s, int64_t first, int32_t point)
{
    for (int64_t e = 0; e < F->count[s] && e < first; e++)
        if (F->list[s * F->m + e].point == point)
            return true;
    return false;
}

/* On a ring where everybody knows the next two. */
static void hops_are_what_candidates_have_and_the_point_has_not(void **state)
{
    enum { RING = 20 };
    pith_i_found F = {0};
    int32_t seen[RING] = {0}, hops[4];
    assert_ok(*state, pith_i_found_open(*state, RING, 2, &F));
    for (int64_t s = 0; s < RING; s++)
        for (int step = 1; step <= 2; step++)
            pith_i_candidate_put(F.list + s * 2, &F.count[s], 2,
                                 (pith_i_candidate){(float)step, (int32_t)((s + step) % RING)});
    for (int64_t s = 0; s < RING; s++) {
        const int64_t count = pith_i_found_hops(&F, 2, s, seen, hops);
        assert_int_equal(count, 2); /* s + 3 and s + 4; s + 2 it knows */
        for (int64_t h = 0; h < count; h++) {
            assert_true(!in_list(&F, s, 2, hops[h]) && hops[h] != s);
            assert_true(hops[h] == (s + 3) % RING || hops[h] == (s + 4) % RING);
        }
        assert_true(hops[0] != hops[1]);
    }
    pith_i_found_close(&F);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_list_holds_the_best_in_any_order_of_arrival),
        TEST(of_two_estimates_of_a_pair_the_least_stays),
        TEST(lists_hold_estimates_and_only_get_better),
        TEST(hops_are_what_candidates_have_and_the_point_has_not),
    };
    return cmocka_run_group_tests_name("knn_found", tests, NULL, NULL);
}
