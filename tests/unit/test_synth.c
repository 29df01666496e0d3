#include "matrix/matrix.h"
#include "matrix/stats.h"
#include "unit/support.h"

#include <stdio.h>
#include <string.h>

static const pith_blobs small_dense = {
    .n = 600, .p = 40, .clusters = 5, .informative = 0.25, .separation = 4, .density = 1};
static const pith_blobs small_sparse = {
    .n = 3000, .p = 200, .clusters = 6, .informative = 0.2, .separation = 3, .density = 0.05};

static double at(const pith_matrix *m, int64_t i, int64_t j)
{
    double v = 0;
    pith_i_block(&m->data, i, 1, j, 1, &v, 1);
    return v;
}

static bool is_info(const pith_matrix *m, int64_t j)
{
    return strncmp(pith_matrix_feature_name(m, j), "info_", 5) == 0;
}

/* Mean of feature j in a class. */
static double mean_in(const pith_matrix *m, int64_t j, int32_t klass)
{
    double sum = 0;
    int64_t rows = 0;
    for (int64_t i = 0; i < m->data.n; i++)
        if (m->label[i] == klass) {
            sum += at(m, i, j);
            rows++;
        }
    return sum / (double)rows;
}

/* The same numbers, rounded to float. */
static void single_precision_holds_the_same_data(void **state)
{
    const pith_blobs shapes[] = {small_dense, small_sparse};
    for (int s = 0; s < 2; s++) {
        pith_matrix *wide = NULL, *narrow = NULL;
        pith_blobs b = shapes[s];
        assert_ok(*state, pith_synth_blobs(*state, &b, &wide));
        b.single = true;
        assert_ok(*state, pith_synth_blobs(*state, &b, &narrow));
        assert_int_equal(narrow->data.dtype, PITH_F32);
        for (int64_t i = 0; i < b.n; i += 7)
            for (int64_t j = 0; j < b.p; j++)
                assert_true(at(narrow, i, j) == (double)(float)at(wide, i, j));
        pith_matrix_free(wide);
        pith_matrix_free(narrow);
    }
}

static void assert_same_data(const pith_i_data *a, const pith_i_data *b)
{
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->p, b->p);
    assert_int_equal(pith_i_stored(a), pith_i_stored(b));
    if (a->sparse) {
        assert_memory_equal(a->indptr, b->indptr, (size_t)(a->n + 1) * sizeof *a->indptr);
        assert_memory_equal(a->indices, b->indices, (size_t)pith_i_stored(a) * sizeof *a->indices);
        assert_memory_equal(a->values, b->values, (size_t)pith_i_stored(a) * sizeof(double));
    } else {
        assert_memory_equal(a->x, b->x, (size_t)(a->n * a->p) * sizeof(double));
    }
}

static void nrfs_has_the_clusters_of_its_specification(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = NULL;
    assert_ok(ctx, pith_synth_nrfs(ctx, 11, &m));
    assert_int_equal(pith_matrix_rows(m), 1280);
    assert_int_equal(pith_matrix_cols(m), 34);
    assert_string_equal(pith_matrix_feature_name(m, 0), "f1");
    assert_string_equal(pith_matrix_feature_name(m, 33), "f34");
    int size[5] = {0};
    assert_int_equal(pith_matrix_classes(m), 5);
    for (int64_t i = 0; i < 1280; i++)
        size[pith_matrix_label(m, i)]++;
    for (int c = 0; c < 5; c++)
        assert_int_equal(size[c], c == 0 ? 80 : 300);
    static const double centre[5][4] = {{0}, {-6, 6, 0, 0}, {6, -6, 0, 0}, {0, 0, -6, 6}, {0, 0, 6, -6}};
    for (int32_t c = 1; c < 5; c++) /* sd of a mean: 0.5 / sqrt(300) = 0.029 or 1.15 / sqrt(300) = 0.067 */
        for (int64_t j = 0; j < 4; j++)
            assert_near(mean_in(m, j, c), centre[c][j], centre[c][j] != 0 ? 0.15 : 0.34);
    pith_matrix_free(m);
}

static void nrfs_noise_fills_its_width_and_noisy_rows_a_larger_box(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = NULL;
    assert_ok(ctx, pith_synth_nrfs(ctx, 3, &m));
    double outside = 0;
    for (int64_t j = 0; j < 34; j++) {
        double lo = INFINITY, hi = -INFINITY;
        for (int64_t i = 0; i < 1200; i++) {
            lo = fmin(lo, at(m, i, j));
            hi = fmax(hi, at(m, i, j));
        }
        if (j >= 4) {
            assert_true(lo >= -3 && hi <= 3);
            assert_true(hi - lo > 5.9); /* 1200 draws of 6: a gap of 0.1 has probability 4e-8 */
        }
        const double middle = (lo + hi) / 2, reach = 1.25 * (hi - lo) / 2;
        for (int64_t i = 1200; i < 1280; i++) {
            assert_true(fabs(at(m, i, j) - middle) <= reach);
            outside += at(m, i, j) < lo || at(m, i, j) > hi;
        }
    }
    assert_near(outside / (80 * 34), 0.2, 0.04); /* 1 - 1/1.25; sd 0.0077 */
    pith_matrix_free(m);
}

static void blobs_have_equal_classes_and_the_share_of_informative_features(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = NULL;
    assert_ok(ctx, pith_synth_blobs(ctx, &small_dense, &m));
    assert_int_equal(pith_matrix_classes(m), 5);
    int size[5] = {0}, informative[2] = {0};
    for (int64_t i = 0; i < 600; i++)
        size[pith_matrix_label(m, i)]++;
    for (int c = 0; c < 5; c++)
        assert_int_equal(size[c], 120);
    for (int64_t j = 0; j < 40; j++) {
        char name[32];
        (void)snprintf(name, sizeof name, "%s_%d", is_info(m, j) ? "info" : "noise", (int)j);
        assert_string_equal(pith_matrix_feature_name(m, j), name);
        informative[j / 20] += is_info(m, j);
    }
    assert_int_equal(informative[0], 5); /* spread evenly: as many in either half */
    assert_int_equal(informative[1], 5);
    pith_matrix_free(m);
}

/* Class means have sd 1 / sqrt(120) = 0.09. */
static void dense_blobs_have_two_levels_at_the_separation_and_noise_has_one(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = NULL;
    assert_ok(ctx, pith_synth_blobs(ctx, &small_dense, &m));
    for (int64_t j = 0; j < 40; j++) {
        int high = 0;
        for (int32_t c = 0; c < 5; c++) {
            const double mean = mean_in(m, j, c);
            assert_near(fabs(mean), is_info(m, j) ? 2 : 0, 0.5);
            high += mean > 1;
        }
        assert_true(is_info(m, j) ? high >= 1 && high <= 4 : high == 0);
    }
    pith_matrix_free(m);
}

/* Three informative features are one group of three bits: enough for five clusters. */
static void one_group_of_features_tells_all_clusters_apart(void **state)
{
    pith_ctx *ctx = *state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        pith_blobs b = small_dense;
        pith_matrix *m = NULL;
        b.p = 3;
        b.informative = 1;
        b.separation = 20;
        pith_ctx_set_seed(ctx, seed);
        assert_ok(ctx, pith_synth_blobs(ctx, &b, &m));
        int codes[5];
        for (int32_t c = 0; c < 5; c++) {
            codes[c] = 0;
            for (int64_t j = 0; j < 3; j++)
                codes[c] |= (mean_in(m, j, c) > 0) << j;
            for (int32_t d = 0; d < c; d++)
                assert_int_not_equal(codes[c], codes[d]);
        }
        pith_matrix_free(m);
    }
}

/* 3000 x 200 entries at 0.05: the share has sd 0.0003, a column's 0.004. */
static void sparse_blobs_are_counts_of_the_density_in_every_column(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = NULL;
    assert_ok(ctx, pith_synth_blobs(ctx, &small_sparse, &m));
    assert_true(pith_matrix_is_sparse(m));
    assert_near((double)pith_matrix_stored(m) / (3000.0 * 200), 0.05, 0.0016);
    assert_ok(ctx, pith_i_data_check(ctx, &m->data));
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_column_stats stats;
    assert_ok(ctx, pith_i_column_statistics(ctx, &m->data, NULL, &stats));
    for (int64_t j = 0; j < 200; j++)
        assert_near((double)stats.nonzeros[j] / 3000, 0.05, 0.02);
    pith_i_scratch_release(ctx, mark);
    const double *values = m->data.values;
    double ones = 0, sum = 0;
    for (int64_t e = 0; e < pith_matrix_stored(m); e++) {
        assert_true(values[e] >= 1 && values[e] == floor(values[e]));
        ones += values[e] == 1;
        sum += values[e];
    }
    assert_near(ones / (double)pith_matrix_stored(m), 0.5, 0.015);
    assert_near(sum / (double)pith_matrix_stored(m), 2, 0.05);
    pith_matrix_free(m);
}

/* How often feature j is present in a class. */
static double present_in(const pith_matrix *m, int64_t j, int32_t klass)
{
    double hits = 0, rows = 0;
    for (int64_t i = 0; i < m->data.n; i++)
        if (m->label[i] == klass) {
            hits += at(m, i, j) != 0;
            rows++;
        }
    return hits / rows;
}

/* Rates over all informative features of a class: high / low is 1 + separation. */
static void sparse_informative_features_are_present_more_often_where_high(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = NULL;
    pith_blobs b = small_sparse;
    b.clusters = 2; /* half of the clusters are high: low 0.02, high 0.08 */
    assert_ok(ctx, pith_synth_blobs(ctx, &b, &m));
    for (int64_t j = 0; j < b.p; j++) {
        const double r[2] = {present_in(m, j, 0), present_in(m, j, 1)};
        if (is_info(m, j)) {
            assert_near(fmin(r[0], r[1]), 0.02, 0.018);
            assert_near(fmax(r[0], r[1]), 0.08, 0.035);
        } else {
            assert_near(r[0], 0.05, 0.028);
            assert_near(r[1], 0.05, 0.028);
        }
    }
    pith_matrix_free(m);
}

static void a_high_rate_is_capped_at_one_and_the_density_kept(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = NULL;
    const pith_blobs b = {
        .n = 2000, .p = 20, .clusters = 2, .informative = 1, .separation = 9, .density = 0.8};
    assert_ok(ctx, pith_synth_blobs(ctx, &b, &m));
    for (int64_t j = 0; j < b.p; j++) {
        const double r[2] = {present_in(m, j, 0), present_in(m, j, 1)};
        assert_near(fmax(r[0], r[1]), 1, 0);
        assert_near(fmin(r[0], r[1]), 0.6, 0.08); /* sd 0.0155 */
    }
    pith_matrix_free(m);
}

static void threads_do_not_change_the_data_and_the_seed_does(void **state)
{
    pith_ctx *ctx = *state;
    const pith_blobs *const kinds[] = {&small_dense, &small_sparse};
    for (size_t k = 0; k < COUNT(kinds); k++) {
        pith_matrix *one = NULL, *eight = NULL, *other = NULL;
        pith_ctx_set_seed(ctx, 1);
        assert_ok(ctx, pith_ctx_set_threads(ctx, 1));
        assert_ok(ctx, pith_synth_blobs(ctx, kinds[k], &one));
        assert_ok(ctx, pith_ctx_set_threads(ctx, 8));
        assert_ok(ctx, pith_synth_blobs(ctx, kinds[k], &eight));
        assert_same_data(&one->data, &eight->data);
        pith_ctx_set_seed(ctx, 2);
        assert_ok(ctx, pith_synth_blobs(ctx, kinds[k], &other));
        double a[200], b[200];
        assert_ok(ctx, pith_matrix_get_rows(ctx, one, 0, 1, a));
        assert_ok(ctx, pith_matrix_get_rows(ctx, other, 0, 1, b));
        assert_memory_not_equal(a, b, (size_t)kinds[k]->p * sizeof *a);
        pith_matrix_free(one);
        pith_matrix_free(eight);
        pith_matrix_free(other);
    }
}

static void more_rows_leave_the_first_ones_as_they_were(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *few = NULL, *many = NULL;
    pith_blobs b = small_sparse;
    assert_ok(ctx, pith_synth_blobs(ctx, &b, &many));
    b.n = 100;
    assert_ok(ctx, pith_synth_blobs(ctx, &b, &few));
    const pith_i_data head = pith_i_data_rows(&many->data, 0, 100);
    assert_same_data(&few->data, &head);
    pith_matrix_free(few);
    pith_matrix_free(many);
}

static void senseless_settings_are_refused(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = NULL;
    const pith_blobs bad[] = {
        {.n = 1, .p = 4, .clusters = 2, .density = 1},
        {.n = 9, .p = 0, .clusters = 2, .density = 1},
        {.n = 9, .p = 4, .clusters = 1, .density = 1},
        {.n = 9, .p = 4, .clusters = 10, .density = 1},
        {.n = 9, .p = 4, .clusters = 2, .density = 0},
        {.n = 9, .p = 4, .clusters = 2, .density = 1.1},
        {.n = 9, .p = 4, .clusters = 2, .density = NAN},
        {.n = 9, .p = 4, .clusters = 2, .informative = -0.1, .separation = 1, .density = 1},
        {.n = 9, .p = 4, .clusters = 2, .informative = 1.1, .separation = 1, .density = 1},
        {.n = 9, .p = 4, .clusters = 2, .informative = 1, .separation = -1, .density = 1},
        {.n = 9, .p = INT64_C(1) << 31, .clusters = 2, .informative = 1, .separation = 1, .density = 1},
    };
    for (size_t k = 0; k < COUNT(bad); k++)
        assert_int_equal(pith_synth_blobs(ctx, &bad[k], &m), PITH_E_ARGUMENT);
    assert_int_equal(pith_synth_nrfs(ctx, 0, &m), PITH_E_ARGUMENT);
    assert_int_equal(pith_synth_nrfs(ctx, NAN, &m), PITH_E_ARGUMENT);
    const pith_blobs huge = {.n = INT64_C(1) << 50, .p = 1000, .clusters = 2, .informative = 0, .density = 1};
    assert_int_equal(pith_synth_blobs(ctx, &huge, &m), PITH_E_NOMEM);
    assert_null(m);
}

static void making_data_can_be_stopped(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = NULL;
    assert_ok(ctx, pith_synth_nrfs(ctx, 11, &m)); /* the context now holds what it keeps */
    pith_matrix_free(m);
    m = NULL;
    const int64_t before = pith_i_bytes_in_use(ctx);
    pith_ctx_set_progress(ctx, stop_progress, NULL);
    assert_int_equal(pith_synth_blobs(ctx, &small_dense, &m), PITH_E_STOPPED);
    assert_int_equal(pith_synth_blobs(ctx, &small_sparse, &m), PITH_E_STOPPED);
    assert_null(m);
    assert_int_equal(pith_i_bytes_in_use(ctx), before);
}

static void every_allocation_may_fail(void **state)
{
    pith_ctx *ctx = *state;
    assert_non_null(pith_i_scratch(ctx, 1, 1)); /* the context keeps the stack that this makes */
    pith_i_scratch_release(ctx, 0);
    for (int kind = 0; kind < 3; kind++)
        for (int64_t nth = 1;; nth++) {
            pith_matrix *m = NULL;
            const int64_t before = pith_i_bytes_in_use(ctx);
            pith_i_fail_allocation(ctx, nth);
            const pith_status st = kind == 0   ? pith_synth_nrfs(ctx, 11, &m)
                                   : kind == 1 ? pith_synth_blobs(ctx, &small_dense, &m)
                                               : pith_synth_blobs(ctx, &small_sparse, &m);
            pith_i_fail_allocation(ctx, 0);
            pith_matrix_free(m);
            if (st == PITH_OK) {
                assert_true(nth > 5);
                break;
            }
            assert_int_equal(st, PITH_E_NOMEM);
            assert_null(m);
            assert_int_equal(pith_i_bytes_in_use(ctx), before);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(single_precision_holds_the_same_data),
        TEST(nrfs_has_the_clusters_of_its_specification),
        TEST(nrfs_noise_fills_its_width_and_noisy_rows_a_larger_box),
        TEST(blobs_have_equal_classes_and_the_share_of_informative_features),
        TEST(dense_blobs_have_two_levels_at_the_separation_and_noise_has_one),
        TEST(one_group_of_features_tells_all_clusters_apart),
        TEST(sparse_blobs_are_counts_of_the_density_in_every_column),
        TEST(sparse_informative_features_are_present_more_often_where_high),
        TEST(a_high_rate_is_capped_at_one_and_the_density_kept),
        TEST(threads_do_not_change_the_data_and_the_seed_does),
        TEST(more_rows_leave_the_first_ones_as_they_were),
        TEST(senseless_settings_are_refused),
        TEST(making_data_can_be_stopped),
        TEST(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("synth", tests, NULL, NULL);
}
