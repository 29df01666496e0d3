#include "graph/graph.h"
#include "graph/graph_inside.h"
#include "unit/graph_data.h"

#include <time.h>

enum { SOME_LAYOUTS = 1 << ROWS_F64 | 1 << COLUMNS_F32 | 1 << CSR_F64 | 1 << CSR_F32 };

/* Row i's list by definition: the nearest `each` of every batch, then all of them in order. Returns how many.
 */
static int64_t slow_balanced(const double *x, int64_t n, int64_t p, pith_i_metric metric,
                             const pith_i_batches *batches, int64_t each, int64_t i, slow_near *list)
{
    slow_near *near = calloc((size_t)n, sizeof *near);
    int64_t count = 0;
    assert_non_null(near);
    slow_neighbours(x, n, p, metric, i, near);
    for (int32_t b = 0; b < batches->count; b++)
        for (int64_t e = 0, taken = 0; e < n - 1 && taken < each; e++)
            if (batches->of[near[e].id] == b) {
                list[count++] = near[e];
                taken++;
            }
    qsort(list, (size_t)count, sizeof *list, slow_order);
    free(near);
    return count;
}

static void check(pith_ctx *ctx, const double *x, int64_t n, int64_t p, int64_t k, pith_i_metric metric,
                  const pith_i_batches *batches, layout how)
{
    const int64_t each = (k + batches->count - 1) / batches->count;
    slow_near *list = calloc((size_t)n, sizeof *list);
    pith_i_knn knn = {0};
    assert_non_null(list);
    pith_i_data X = laid_out(ctx, x, n, p, how);
    assert_ok(ctx, pith_i_knn_balanced(ctx, &X, k, metric, batches, &knn));
    for (int64_t i = 0; i < n; i++) {
        const int64_t count = slow_balanced(x, n, p, metric, batches, each, i, list);
        for (int64_t e = 0; e < knn.k; e++) {
            const int64_t id = knn.index[i * knn.k + e], right = e < count ? list[e].id : -1;
            if (id != right)
                fail_msg("layout %d, metric %d, %d batches: neighbour %lld of row %lld is %lld, not %lld",
                         how, metric, batches->count, (long long)e, (long long)i, (long long)id,
                         (long long)right);
            if (e < count)
                assert_near(knn.distance2[i * knn.k + e], (double)list[e].value,
                            1e-12 * (double)list[e].value + 1e-15 * sqrt((double)list[e].value));
        }
        assert_true(count <= knn.k);
    }
    pith_i_knn_free(&knn);
    pith_i_data_free(&X);
    free(list);
}

/* Batches of uneven size, of which batch `small` has three rows, in no order. */
static int32_t *deal(int64_t n, int32_t count, int32_t small)
{
    int32_t *of = calloc((size_t)n, sizeof *of);
    assert_non_null(of);
    for (int64_t i = 0; i < n; i++)
        of[i] = (int32_t)(i * 7 % 11 % count) == small ? (small + 1) % count : (int32_t)(i * 7 % 11 % count);
    for (int64_t s = 0; s < 3; s++)
        of[s * (n / 3)] = small;
    return of;
}

static void check_all(pith_ctx *ctx, const double *x, int64_t n, int64_t p, int64_t k, int32_t count)
{
    int32_t *of = deal(n, count, count - 1);
    const pith_i_batches batches = {count, of};
    for (int how = 0; how < LAYOUTS; how++)
        for (int metric = 0; SOME_LAYOUTS >> how & 1 && metric < 2; metric++)
            check(ctx, x, n, p, k, (pith_i_metric)metric, &batches, (layout)how);
    free(of);
}

static void every_row_has_its_nearest_in_each_batch(void **state)
{
    const int64_t n = short_run() ? 90 : 400, p = 20;
    double *x = new_values(n * p);
    fill_normal(x, n * p, 1);
    check_all(*state, x, n, p, 5, 2);
    check_all(*state, x, n, p, 15, 4);
    check_all(*state, x, n, p, 3, 5); /* one of each */
    free(x);
}

/* Counts tie exactly; rows of zeros are as far from all others by cosine. */
static void ties_take_the_lower_index(void **state)
{
    const int64_t n = short_run() ? 60 : 300, p = 8;
    double *x = new_values(n * p);
    fill_counts(x, n * p, 2, 0.5, 2);
    for (int64_t j = 0; j < p; j++)
        x[5 * p + j] = x[17 * p + j] = x[(n - 1) * p + j] = 0;
    check_all(*state, x, n, p, 8, 3);
    free(x);
}

/* More columns than are multiplied at once. */
static void wide_rows_are_searched_exactly(void **state)
{
    skip_when_short();
    const int64_t n = 100, p = 1100;
    double *x = new_values(n * p);
    fill_counts(x, n * p, 5, 0.7, 3);
    check_all(*state, x, n, p, 6, 3);
    free(x);
}

static void a_batch_gives_all_it_has(void **state)
{
    const int64_t n = 40, p = 4;
    double *x = new_values(n * p);
    fill_normal(x, n * p, 4);
    check_all(*state, x, n, p, 39, 3);
    check_all(*state, x, n, p, 1000000000, 2); /* everybody knows everybody */
    free(x);
}

static void one_batch_is_the_plain_search(void **state)
{
    const int64_t n = 200, p = 6;
    double *x = new_values(n * p);
    int32_t *of = calloc((size_t)n, sizeof *of);
    const pith_i_batches one = {1, of};
    fill_counts(x, n * p, 3, 0.3, 5);
    for (int how = 0; how < LAYOUTS; how++)
        for (int metric = 0; metric < 2; metric++) {
            pith_i_data X = laid_out(*state, x, n, p, (layout)how);
            pith_i_knn plain = {0}, balanced = {0};
            assert_ok(*state, pith_i_knn_find(*state, &X, 7, (pith_i_metric)metric, &plain));
            assert_ok(*state, pith_i_knn_balanced(*state, &X, 7, (pith_i_metric)metric, &one, &balanced));
            assert_int_equal(balanced.k, 7);
            assert_memory_equal(plain.index, balanced.index, (size_t)(n * 7) * sizeof *plain.index);
            assert_memory_equal(plain.distance2, balanced.distance2,
                                (size_t)(n * 7) * sizeof *plain.distance2);
            pith_i_knn_free(&plain);
            pith_i_knn_free(&balanced);
            pith_i_data_free(&X);
        }
    free(of);
    free(x);
}

static void threads_do_not_matter(void **state)
{
    const int64_t n = 500, p = 10;
    double *x = new_values(n * p);
    int32_t *of = deal(n, 3, 2);
    const pith_i_batches batches = {3, of};
    fill_normal(x, n * p, 6);
    for (int sparse = 0; sparse < 2; sparse++) {
        pith_i_data X = laid_out(*state, x, n, p, sparse ? CSR_F64 : ROWS_F64);
        pith_i_knn knn[2] = {{0}};
        for (int t = 0; t < 2; t++) {
            assert_ok(*state, pith_ctx_set_threads(*state, 1 + t));
            assert_ok(*state, pith_i_knn_balanced(*state, &X, 9, PITH_I_EUCLIDEAN, &batches, &knn[t]));
        }
        assert_int_equal(knn[0].k, knn[1].k);
        assert_memory_equal(knn[0].index, knn[1].index, (size_t)(n * knn[0].k) * sizeof *knn[0].index);
        assert_memory_equal(knn[0].distance2, knn[1].distance2,
                            (size_t)(n * knn[0].k) * sizeof *knn[0].distance2);
        pith_i_knn_free(&knn[0]);
        pith_i_knn_free(&knn[1]);
        pith_i_data_free(&X);
    }
    free(of);
    free(x);
}

/* What each row chose is in the graph: so many of each batch, nearest first, and every edge has two ends. */
static void the_graph_is_balanced(void **state)
{
    const int64_t n = 90, p = 5;
    double *x = new_values(n * p);
    int32_t *of = calloc((size_t)n, sizeof *of);
    fill_normal(x, n * p, 7);
    for (int64_t i = 0; i < n; i++) {
        of[i] = (int32_t)(i % 3);
        x[i * p] += 100 * of[i]; /* without balance, no edge would leave a batch */
    }
    const pith_i_batches batches = {3, of};
    const pith_i_graph_options options = {
        .neighbors = 5, .weight = PITH_I_HEAT, .width_factor = 1, .batches = &batches};
    for (int sparse = 0; sparse < 2; sparse++) {
        pith_i_data X = laid_out(*state, x, n, p, sparse ? CSR_F64 : ROWS_F64);
        pith_i_graph *G = NULL;
        assert_ok(*state, pith_i_graph_build(*state, &X, &options, &G));
        for (int64_t i = 0; i < n; i++) {
            int64_t of_each[3] = {0};
            for (int64_t e = G->choice[i]; e < G->choice[i + 1]; e++) {
                of_each[of[G->chosen[e]]]++;
                assert_true(G->chosen[e] != i);
            }
            for (int b = 0; b < 3; b++)
                assert_int_equal(of_each[b], 2);
        }
        assert_int_equal(G->components, 1);
        pith_i_graph_free(G);
        pith_i_data_free(&X);
    }
    free(of);
    free(x);
}

typedef struct search {
    const pith_i_data *X;
    const pith_i_batches *batches;
    pith_i_metric metric;
} search;

static pith_status act(pith_ctx *ctx, void *arg)
{
    const search *s = arg;
    pith_i_knn knn = {0};
    const pith_status st = pith_i_knn_balanced(ctx, s->X, 6, s->metric, s->batches, &knn);
    pith_i_knn_free(&knn);
    return st;
}

static void it_gives_up_cleanly_without_memory(void **state)
{
    const int64_t n = 60, p = 5;
    double *x = new_values(n * p);
    int32_t *of = deal(n, 2, 1);
    const pith_i_batches batches = {2, of};
    fill_counts(x, n * p, 4, 0.3, 8);
    for (int how = 0; how < LAYOUTS; how++)
        for (int metric = 0; metric < 2; metric++) {
            pith_i_data X = laid_out(*state, x, n, p, (layout)how);
            search s = {&X, &batches, (pith_i_metric)metric};
            assert_ok(*state, act(*state, &s)); /* the scratch stack is there from now on */
            assert_survives_failing_allocations(*state, act, &s, 4);
            pith_i_data_free(&X);
        }
    free(of);
    free(x);
}

static bool say_no(double done, const char *what, void *user)
{
    assert_true(done >= 0 && done <= 1);
    assert_non_null(what);
    ++*(int *)user;
    return false;
}

static void it_stops_when_told_to(void **state)
{
    const int64_t n = pith_i_min(600, short_run() ? 100 : 600), p = 5;
    double *x = new_values(n * p);
    int32_t *of = deal(n, 3, 2);
    const pith_i_batches batches = {3, of};
    fill_normal(x, n * p, 9);
    assert_ok(*state, pith_ctx_set_threads(*state, 1)); /* the one that asks may get no row of few */
    for (int sparse = 0; sparse < 2; sparse++) {
        pith_i_data X = laid_out(*state, x, n, p, sparse ? CSR_F64 : ROWS_F64);
        search s = {&X, &batches, PITH_I_EUCLIDEAN};
        int asked = 0;
        nanosleep(&(struct timespec){.tv_nsec = 25000000}, NULL); /* asked every 20 ms at most */
        pith_ctx_set_progress(*state, say_no, &asked);
        assert_int_equal(act(*state, &s), PITH_E_STOPPED);
        assert_int_equal(asked, 1);
        pith_ctx_set_progress(*state, NULL, NULL);
        pith_i_data_free(&X);
    }
    free(of);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_row_has_its_nearest_in_each_batch),
        TEST(ties_take_the_lower_index),
        TEST(wide_rows_are_searched_exactly),
        TEST(a_batch_gives_all_it_has),
        TEST(one_batch_is_the_plain_search),
        TEST(threads_do_not_matter),
        TEST(the_graph_is_balanced),
        TEST(it_gives_up_cleanly_without_memory),
        TEST(it_stops_when_told_to),
    };
    return cmocka_run_group_tests_name("knn_balanced", tests, NULL, NULL);
}
