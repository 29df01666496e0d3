#include "graph/knn_recall.h"

#include "graph/knn_find.h"
#include "unit/graph_data.h"

enum { N = 1300, K = 5, SAMPLED = 200 };

typedef struct seen {
    double *x;
    pith_i_data X;
    pith_i_rows R;
    pith_i_cloud P;
    pith_i_sample sample;
    pith_i_knn exact;
    size_t mark;
} seen;

/* plain: sparse without a projection. */
static seen see(pith_ctx *ctx, int64_t p, layout how, pith_i_metric metric, bool plain)
{
    seen s = {.mark = pith_i_scratch_mark(ctx), .x = structured(N, p, 4, 3)};
    memcpy(s.x + 10 * p, s.x + 3 * p, (size_t)p * sizeof *s.x);
    memset(s.x + 20 * p, 0, (size_t)(2 * p) * sizeof *s.x);
    s.X = laid_out(ctx, s.x, N, p, how);
    assert_ok(ctx, pith_i_rows_open(ctx, &s.X, metric, &s.R));
    assert_ok(ctx, plain ? pith_i_cloud_plain(ctx, &s.R, &s.P) : pith_i_cloud_make(ctx, &s.R, &s.P));
    assert_ok(ctx, pith_i_sample_draw(ctx, N, SAMPLED, &s.sample));
    assert_ok(ctx, pith_i_knn_find(ctx, &s.X, K, metric, &s.exact));
    return s;
}

static void forget(pith_ctx *ctx, seen *s)
{
    pith_i_knn_free(&s->exact);
    pith_i_rows_close(&s->R);
    pith_i_scratch_release(ctx, s->mark);
    pith_i_data_free(&s->X);
    free(s->x);
}

/* The first K other rows, in order of distance: true distances of wrong neighbours. */
static pith_i_knn poor_lists(pith_ctx *ctx, const seen *s)
{
    pith_i_knn knn = {.n = N, .k = K};
    assert_ok(ctx, NEW(ctx, knn.index, N * K));
    assert_ok(ctx, NEW(ctx, knn.distance2, N * K));
    for (int64_t i = 0; i < N; i++) {
        pith_i_near near[K];
        int64_t count = 0;
        for (int64_t l = 0; count < K; l++)
            if (l != i)
                pith_i_top_push(near, &count, K, (pith_i_near){pith_i_rows_distance2(&s->R, i, l), l});
        pith_i_top_sort(near, K);
        pith_i_knn_write(&knn, i, near, K);
    }
    return knn;
}

static void the_kth_distance_is_exact_and_lists_stay_as_they_are(void **state)
{
    static const struct {
        int64_t p;
        layout how;
        bool plain;
    } kind[] = {{20, ROWS_F64, false}, {260, ROWS_F32, false}, {60, CSR_F64, false}, {60, CSR_F32, true}};
    for (size_t c = 0; c < 2 * COUNT(kind); c++) {
        seen s = see(*state, kind[c / 2].p, kind[c / 2].how, c % 2 == 0 ? PITH_I_EUCLIDEAN : PITH_I_COSINE,
                     kind[c / 2].plain);
        pith_i_knn knn = poor_lists(*state, &s), before = poor_lists(*state, &s);
        assert_ok(*state, pith_i_sample_search(*state, &s.R, &s.P, &knn, &s.sample));
        assert_memory_equal(knn.index, before.index, (size_t)(N * K) * sizeof *knn.index);
        assert_memory_equal(knn.distance2, before.distance2, (size_t)(N * K) * sizeof *knn.distance2);
        for (int64_t e = 0; e < s.sample.count; e++) {
            const int64_t i = s.sample.row[e];
            assert_true(s.sample.kth[e] == s.exact.distance2[i * K + K - 1]);
        }
        assert_true(pith_i_sample_recall(&s.sample, &s.exact) == 1);
        assert_true(pith_i_sample_recall(&s.sample, &knn) < 0.1);
        assert_true(pith_i_sample_excess(&s.sample, &s.exact) == 0);
        assert_true(pith_i_sample_excess(&s.sample, &knn) > 0);
        pith_i_knn_free(&knn);
        pith_i_knn_free(&before);
        forget(*state, &s);
    }
}

/* Of each list the first two are right. */
static void recall_is_the_share_that_is_as_near_as_the_kth(void **state)
{
    seen s = see(*state, 20, ROWS_F64, PITH_I_EUCLIDEAN, false);
    for (int64_t e = 0; e < s.sample.count; e++) {
        s.sample.kth[e] = s.exact.distance2[s.sample.row[e] * K + 1];
        assert_true(s.exact.distance2[s.sample.row[e] * K + 2] > s.sample.kth[e] || s.sample.row[e] == 10);
    }
    assert_near(pith_i_sample_recall(&s.sample, &s.exact), 2. / K, 2. / SAMPLED);
    forget(*state, &s);
}

/* The k-th neighbours are a quarter farther than what is called the true ones. */
static void excess_is_how_much_farther_the_kth_is(void **state)
{
    seen s = see(*state, 20, ROWS_F64, PITH_I_EUCLIDEAN, false);
    for (int64_t e = 0; e < s.sample.count; e++)
        s.sample.kth[e] = s.exact.distance2[s.sample.row[e] * K + K - 1] / (1.25 * 1.25);
    assert_near(pith_i_sample_excess(&s.sample, &s.exact), 0.25, 1e-12);
    forget(*state, &s);
}

static void a_sample_has_a_row_of_every_part(void **state)
{
    const size_t mark = pith_i_scratch_mark(*state);
    pith_i_sample sample = {0};
    assert_ok(*state, pith_i_sample_draw(*state, 1000003, 1000, &sample));
    assert_int_equal(sample.count, 1000);
    for (int64_t e = 0; e < 1000; e++)
        assert_true(sample.row[e] >= e * 1000003 / 1000 && sample.row[e] < (e + 1) * 1000003 / 1000);
    assert_ok(*state, pith_i_sample_draw(*state, 7, 1000, &sample));
    assert_int_equal(sample.count, 7);
    for (int64_t e = 0; e < 7; e++)
        assert_int_equal(sample.row[e], e);
    pith_i_scratch_release(*state, mark);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_kth_distance_is_exact_and_lists_stay_as_they_are),
        TEST(recall_is_the_share_that_is_as_near_as_the_kth),
        TEST(excess_is_how_much_farther_the_kth_is),
        TEST(a_sample_has_a_row_of_every_part),
    };
    return cmocka_run_group_tests_name("knn_recall", tests, NULL, NULL);
}
