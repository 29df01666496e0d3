#include "cluster/kmeans.h"
#include "unit/support.h"

#include <math.h>

static pith_matrix *blobs(pith_ctx *ctx, double density)
{
    const pith_blobs o = {
        .n = 60, .p = 12, .clusters = 3, .informative = 0.5, .separation = 6, .density = density};
    pith_matrix *m = NULL;
    assert_ok(ctx, pith_synth_blobs(ctx, &o, &m));
    return m;
}

static void kmeans_finds_the_clusters_that_are_there(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = blobs(ctx, 1);
    int32_t classes[60], labels[60];
    double inertia = -1;
    int64_t rounds = 0;
    pith_agreement a;
    assert_ok(ctx, pith_kmeans(ctx, m, &(pith_kmeans_options){.clusters = 3}, labels, &inertia, &rounds));
    for (int64_t i = 0; i < 60; i++)
        classes[i] = pith_matrix_label(m, i);
    assert_ok(ctx, pith_agreement_measure(ctx, 60, classes, labels, &a));
    assert_true(a.acc == 1 && a.nmi == 1 && a.nmi_mean == 1 && a.nmi_geometric == 1);
    assert_true(a.ari == 1 && a.purity == 1);
    assert_true(inertia > 0 && rounds >= 1);
    pith_matrix_free(m);
}

static void options_reach_the_runs(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = blobs(ctx, 0.3);
    int32_t one[60], many[60];
    double first = 0, best = 0, random = 0, cosine = 0;
    int64_t rounds = 0;
    pith_kmeans_options o = {.clusters = 7, .restarts = 1, .max_iter = 1};
    assert_ok(ctx, pith_kmeans(ctx, m, &o, one, &first, &rounds));
    assert_int_equal(rounds, 1);
    o.restarts = 30;
    o.max_iter = 0;
    assert_ok(ctx, pith_kmeans(ctx, m, &o, many, &best, NULL));
    assert_true(best < first);
    o.random_start = true;
    o.restarts = 1;
    assert_ok(ctx, pith_kmeans(ctx, m, &o, many, &random, NULL));
    assert_true(random != first);
    o.cosine = true;
    assert_ok(ctx, pith_kmeans(ctx, m, &o, many, &cosine, NULL));
    assert_true(cosine < 60);
    pith_matrix_free(m);
}

static void agreement_counts_and_matches(void **state)
{
    pith_ctx *ctx = *state;
    const int32_t classes[] = {0, 0, 0, 1, 1, 1}, clusters[] = {5, 5, 2, 2, 2, 9};
    pith_agreement a;
    assert_ok(ctx, pith_agreement_measure(ctx, 6, classes, clusters, &a));
    assert_true(a.acc == 4.0 / 6 && a.purity == 5.0 / 6);
    assert_true(a.nmi < a.nmi_mean && a.nmi_mean < a.nmi_geometric); /* divided by ever less */
}

static void calls_that_make_no_sense_are_refused(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = blobs(ctx, 1), *bad = NULL;
    int32_t labels[60] = {0}, below[] = {-1};
    const double x[] = {1, (double)NAN};
    pith_agreement a;
    const pith_kmeans_options none = {0}, most = {.clusters = 61}, one = {.clusters = 1},
                              minus = {.clusters = 2, .restarts = -1};
    assert_ok(ctx, pith_matrix_dense(ctx, 2, 1, PITH_F64, x, 1, 1, &bad));
    assert_int_equal(pith_kmeans(ctx, m, NULL, labels, NULL, NULL), PITH_E_ARGUMENT);
    assert_int_equal(pith_kmeans(ctx, NULL, &one, labels, NULL, NULL), PITH_E_ARGUMENT);
    assert_int_equal(pith_kmeans(ctx, m, &one, NULL, NULL, NULL), PITH_E_ARGUMENT);
    assert_int_equal(pith_kmeans(ctx, m, &minus, labels, NULL, NULL), PITH_E_ARGUMENT);
    assert_int_equal(pith_kmeans(ctx, m, &none, labels, NULL, NULL), PITH_E_PARAMETER);
    assert_int_equal(pith_kmeans(ctx, m, &most, labels, NULL, NULL), PITH_E_PARAMETER);
    assert_int_equal(pith_kmeans(ctx, bad, &one, labels, NULL, NULL), PITH_E_DATA);
    assert_int_equal(pith_agreement_measure(ctx, 0, labels, labels, &a), PITH_E_ARGUMENT);
    assert_int_equal(pith_agreement_measure(ctx, 1, NULL, labels, &a), PITH_E_ARGUMENT);
    assert_int_equal(pith_agreement_measure(ctx, 1, labels, below, &a), PITH_E_ARGUMENT);
    assert_int_equal(pith_agreement_measure(ctx, 1, labels, labels, NULL), PITH_E_ARGUMENT);
    pith_matrix_free(bad);
    pith_matrix_free(m);
}

/* What is not there is answered, on both sides of what there is. */
static void nothing_is_read_past_the_entries(void **state)
{
    const pith_compare_options o = {.methods = "variance", .features = "4", .restarts = 1};
    pith_ctx *ctx = *state;
    pith_comparison *c = NULL;
    pith_matrix *m = blobs(ctx, 1);
    double mean = 0, sd = 0;
    assert_ok(ctx, pith_compare(ctx, m, &o, &c));
    const int64_t outside[] = {-1, pith_comparison_entries(c), INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < COUNT(outside); i++) {
        int64_t count = 7;
        assert_null(pith_comparison_method(c, outside[i]));
        assert_null(pith_comparison_setting(c, outside[i]));
        assert_null(pith_comparison_error(c, outside[i]));
        assert_true(isnan(pith_comparison_seconds(c, outside[i])));
        assert_null(pith_comparison_ranking(c, outside[i], &count));
        assert_int_equal(count, 0);
        assert_int_equal(pith_comparison_features(c, outside[i], 0), 0);
        assert_int_equal(pith_comparison_features(c, 0, outside[i]), 0);
        assert_false(pith_comparison_figure(c, outside[i], 0, "acc", &mean, &sd));
        assert_int_equal(pith_comparison_runs(c, outside[i], 0, "acc"), 0);
        assert_int_equal(pith_comparison_peak_bytes(c, outside[i]), 0);
    }
    assert_string_equal(pith_comparison_method(c, 0), "variance");
    pith_comparison_free(c);
    pith_matrix_free(m);
}

static void a_comparison_tells_its_measures_and_runs(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = blobs(ctx, 1);
    const pith_compare_options o = {.methods = "variance", .features = "4", .restarts = 3};
    pith_comparison *c = NULL;
    double mean = 0, sd = 0;
    size_t measured = 0;
    assert_ok(ctx, pith_compare(ctx, m, &o, &c));
    assert_string_equal(pith_comparison_measure(0), "acc");
    for (size_t i = 0; pith_comparison_measure(i) != NULL; i++) {
        const bool there = pith_comparison_figure(c, 0, 0, pith_comparison_measure(i), &mean, &sd);
        assert_int_equal(pith_comparison_runs(c, 0, 0, pith_comparison_measure(i)) > 0, there);
        measured += there;
    }
    assert_true(measured > 3);
    assert_int_equal(pith_comparison_runs(c, 0, 0, "acc"), 3);
    assert_int_equal(pith_comparison_runs(c, 0, 1, "acc"), 0); /* there is no second row */
    assert_int_equal(pith_comparison_runs(c, 0, 0, "width"), 0);
    assert_true(pith_comparison_peak_bytes(c, 0) > 0);
    pith_comparison_free(c);
    pith_matrix_free(m);
}

static pith_status use_all(pith_ctx *ctx, void *user)
{
    int32_t labels[60];
    pith_agreement a;
    pith_status st = PITH_OK;
    TRY(pith_kmeans(ctx, user, &(pith_kmeans_options){.clusters = 3, .restarts = 2}, labels, NULL, NULL));
    TRY(pith_agreement_measure(ctx, 60, labels, labels, &a));
done:
    return st;
}

static void failing_allocations_are_survived(void **state)
{
    pith_matrix *m = blobs(*state, 1);
    assert_survives_failing_allocations(*state, use_all, m, 20);
    pith_matrix_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(kmeans_finds_the_clusters_that_are_there),
        TEST(options_reach_the_runs),
        TEST(agreement_counts_and_matches),
        TEST(calls_that_make_no_sense_are_refused),
        TEST(nothing_is_read_past_the_entries),
        TEST(a_comparison_tells_its_measures_and_runs),
        TEST(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests_name("clusters", tests, NULL, NULL);
}
