#include "graph/knn.h"
#include "unit/graph_data.h"

#include <time.h>

enum { ALL = (1 << LAYOUTS) - 1, DENSE = 1 << ROWS_F64, SPARSE = 1 << CSR_F64 };

/*
 * Every neighbour and distance as by definition, in the given layouts (a set of bits): indexes equal,
 * squared distances to 1e-12 of themselves and what rounding two unit rows to 2e-16 does to them.
 */
static void check_exact(pith_ctx *ctx, const double *x, int64_t n, int64_t p, int64_t k, pith_i_metric metric,
                        int layouts)
{
    slow_near *near = calloc((size_t)n, sizeof *near);
    pith_i_knn knn[LAYOUTS] = {{0}};
    assert_non_null(near);
    for (int how = 0; how < LAYOUTS; how++)
        if (layouts >> how & 1) {
            pith_i_data X = laid_out(ctx, x, n, p, (layout)how);
            assert_ok(ctx, pith_i_knn_find(ctx, &X, k, metric, &knn[how]));
            assert_int_equal(knn[how].n, n);
            assert_int_equal(knn[how].k, k < n - 1 ? k : n - 1);
            pith_i_data_free(&X);
        }
    for (int64_t i = 0; i < n; i++) {
        slow_neighbours(x, n, p, metric, i, near);
        for (int how = 0; how < LAYOUTS; how++)
            for (int64_t e = 0; e < knn[how].k; e++) {
                const int64_t id = knn[how].index[i * knn[how].k + e];
                const double value = knn[how].distance2[i * knn[how].k + e], right = (double)near[e].value;
                if (id != near[e].id)
                    fail_msg(
                        "layout %d, metric %d, %lld x %lld: neighbour %lld of row %lld is %lld at %.17g, "
                        "not %lld at %.17g",
                        how, metric, (long long)n, (long long)p, (long long)e, (long long)i, (long long)id,
                        value, (long long)near[e].id, right);
                assert_near(value, right, 1e-12 * right + 1e-15 * sqrt(right));
            }
    }
    for (int how = 0; how < LAYOUTS; how++)
        pith_i_knn_free(&knn[how]);
    free(near);
}

static void check_both(pith_ctx *ctx, const double *x, int64_t n, int64_t p, int64_t k, int layouts)
{
    check_exact(ctx, x, n, p, k, PITH_I_EUCLIDEAN, layouts);
    check_exact(ctx, x, n, p, k, PITH_I_COSINE, layouts);
}

static void knn_is_exact_on_every_shape_and_layout(void **state)
{
    static const int64_t shape[][3] = {{2, 1, 1},    {2, 3, 5},   {3, 2, 1},    {5, 17, 4},  {33, 16, 3},
                                       {64, 31, 10}, {257, 7, 5}, {300, 40, 7}, {700, 3, 5}, {90, 1100, 4}};
    for (size_t s = 0; s < COUNT(shape); s++) {
        const int64_t n = shape[s][0], p = shape[s][1];
        if (short_run() && n * n * p > 500000)
            continue;
        double *x = new_values(n * p);
        fill_normal(x, n * p, s + 1);
        check_both(*state, x, n, p, shape[s][2], ALL);
        free(x);
    }
}

static void knn_gives_all_others_when_k_reaches_n(void **state)
{
    const int64_t n = 60, p = 5;
    double *x = new_values(n * p);
    fill_normal(x, n * p, 3);
    for (int64_t k = n - 2; k <= n + 1; k++)
        check_both(*state, x, n, p, k, ALL);
    free(x);
}

static void knn_of_one_column_is_exact(void **state)
{
    const int64_t n = 400;
    double *x = new_values(n);
    fill_normal(x, n, 5);
    check_exact(*state, x, n, 1, 6, PITH_I_EUCLIDEAN, ALL);
    free(x);
}

/* Counts tie exactly, far beyond the spare candidates; rows of zeros and equal rows are among them. */
static void knn_ties_take_the_lower_index(void **state)
{
    const int64_t n = 600, p = 12;
    double *x = new_values(n * p);
    fill_counts(x, n * p, 2, 0.5, 7);
    for (int64_t j = 0; j < p; j++)
        x[5 * p + j] = x[17 * p + j] = x[599 * p + j] = 0;
    check_both(*state, x, n, p, 5, ALL);
    free(x);
}

static void knn_of_short_texts_ties_at_no_common_word(void **state)
{
    skip_when_short();
    const int64_t n = 500, p = 200;
    double *x = new_values(n * p);
    fill_counts(x, n * p, 3, 0.985, 8);
    check_both(*state, x, n, p, 10, ALL);
    free(x);
}

static void knn_of_equal_rows_takes_the_first_ones(void **state)
{
    const int64_t n = 300, p = 9;
    double *x = new_values(n * p);
    for (int64_t e = 0; e < n * p; e++)
        x[e] = 0.1 * (double)(e % p + 1);
    for (int how = 0; how < LAYOUTS; how++) {
        pith_i_data X = laid_out(*state, x, n, p, (layout)how);
        for (int metric = 0; metric < 2; metric++) {
            pith_i_knn knn = {0};
            assert_ok(*state, pith_i_knn_find(*state, &X, 4, (pith_i_metric)metric, &knn));
            for (int64_t i = 0; i < n; i++)
                for (int64_t e = 0; e < 4; e++) {
                    assert_int_equal(knn.index[i * 4 + e], e < i ? e : e + 1);
                    assert_true(knn.distance2[i * 4 + e] == 0);
                }
            pith_i_knn_free(&knn);
        }
        pith_i_data_free(&X);
    }
    free(x);
}

/* 40 different rows, each many times: all neighbours are at 0, those with the lowest numbers. */
static void knn_of_copies_takes_the_first_copies(void **state)
{
    skip_when_short();
    const int64_t n = 800, p = 30;
    double *x = new_values(n * p);
    fill_normal(x, n * p, 11);
    for (int64_t i = 40; i < n; i++)
        memcpy(x + i * p, x + (i * 17 % 40) * p, (size_t)p * sizeof *x);
    check_both(*state, x, n, p, 5, DENSE | SPARSE);
    free(x);
}

static void knn_survives_a_large_offset(void **state)
{
    skip_when_short();
    const int64_t n = 700, p = 40;
    double *x = new_values(n * p);
    fill_normal(x, n * p, 13);
    for (int64_t e = 0; e < n * p; e++)
        x[e] += 1000;
    check_both(*state, x, n, p, 10, DENSE | SPARSE);
    free(x);
}

/* Groups far apart for their spread: in float all members of a group look alike. */
static void knn_tells_apart_members_of_tight_groups(void **state)
{
    skip_when_short();
    const int64_t n = 500, p = 50;
    double *x = new_values(n * p), *centre = new_values(10 * p);
    for (int tight = 0; tight < 2; tight++) {
        fill_normal(x, n * p, 17);
        fill_normal(centre, 10 * p, 18);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < p; j++)
                x[i * p + j] = centre[i % 10 * p + j] + (tight ? 1e-9 : 1e-4) * x[i * p + j];
        check_both(*state, x, n, p, 10, DENSE | SPARSE);
    }
    free(x);
    free(centre);
}

static void knn_does_not_depend_on_units(void **state)
{
    const int64_t n = 200, p = 6, k = 5;
    double *x = new_values(n * p), *scaled = new_values(n * p);
    fill_normal(x, n * p, 19);
    static const int power[] = {-400, -120, 110, 480};
    for (size_t s = 0; s < COUNT(power); s++)
        for (int sparse = 0; sparse < 2; sparse++)
            for (int metric = 0; metric < 2; metric++) {
                pith_i_knn a = {0}, b = {0};
                for (int64_t e = 0; e < n * p; e++)
                    scaled[e] = ldexp(x[e], power[s]);
                pith_i_data X = laid_out(*state, x, n, p, sparse ? CSR_F64 : ROWS_F64);
                pith_i_data S = laid_out(*state, scaled, n, p, sparse ? CSR_F64 : ROWS_F64);
                assert_ok(*state, pith_i_knn_find(*state, &X, k, (pith_i_metric)metric, &a));
                assert_ok(*state, pith_i_knn_find(*state, &S, k, (pith_i_metric)metric, &b));
                assert_memory_equal(a.index, b.index, (size_t)(n * k) * sizeof *a.index);
                pith_i_knn_free(&a);
                pith_i_knn_free(&b);
                pith_i_data_free(&X);
                pith_i_data_free(&S);
            }
    free(x);
    free(scaled);
}

/* One row so far away that beside it, in float, all others are at the same place. */
static void knn_survives_an_outlier(void **state)
{
    const int64_t n = 300, p = 8;
    double *x = new_values(n * p);
    fill_normal(x, n * p, 23);
    x[77 * p + 3] = 1e12;
    check_exact(*state, x, n, p, 5, PITH_I_EUCLIDEAN, DENSE | SPARSE);
    x[77 * p + 3] = 1e30;
    check_exact(*state, x, n, p, 5, PITH_I_EUCLIDEAN, DENSE | SPARSE);
    free(x);
}

static void distances_that_overflow_are_refused(void **state)
{
    const double x[] = {1e200, 0, -1e200, 1, 5, 3};
    for (int how = ROWS_F64; how <= CSR_F64; how += CSR_F64 - ROWS_F64) {
        pith_i_data X = laid_out(*state, x, 3, 2, (layout)how);
        pith_i_knn knn = {0};
        assert_int_equal(pith_i_knn_find(*state, &X, 1, PITH_I_EUCLIDEAN, &knn), PITH_E_DATA);
        assert_non_null(strstr(pith_ctx_message(*state), "scale the data"));
        assert_ok(*state, pith_i_knn_find(*state, &X, 1, PITH_I_COSINE, &knn));
        assert_int_equal(knn.index[1 * 1], 2);
        pith_i_knn_free(&knn);
        pith_i_data_free(&X);
    }
}

static void one_row_has_no_neighbours(void **state)
{
    const double x[] = {1, 2};
    pith_i_data X = laid_out(*state, x, 1, 2, ROWS_F64);
    pith_i_knn knn = {0};
    assert_int_equal(pith_i_knn_find(*state, &X, 1, PITH_I_EUCLIDEAN, &knn), PITH_E_DATA);
    assert_null(knn.index);
    pith_i_data_free(&X);
}

static pith_i_knn found(pith_ctx *ctx, const pith_i_data *X, int64_t k, pith_i_metric metric, int threads)
{
    pith_i_knn knn = {0};
    assert_ok(ctx, pith_ctx_set_threads(ctx, threads));
    assert_ok(ctx, pith_i_knn_find(ctx, X, k, metric, &knn));
    return knn;
}

static void same_bytes(const pith_i_knn *a, const pith_i_knn *b)
{
    assert_memory_equal(a->index, b->index, (size_t)(a->n * a->k) * sizeof *a->index);
    assert_memory_equal(a->distance2, b->distance2, (size_t)(a->n * a->k) * sizeof *a->distance2);
}

/* Counts for the ties, normal deviates for the rest; every layout must agree with the first to the bit. */
static void knn_is_the_same_for_any_threads_and_layout(void **state)
{
    skip_when_short();
    const int64_t n = 1300, p = 37, k = 6;
    double *x = new_values(n * p);
    for (int counts = 0; counts < 2; counts++)
        for (int metric = 0; metric < 2; metric++) {
            pith_i_knn first = {0};
            if (counts)
                fill_counts(x, n * p, 3, 0.8, 29);
            else
                fill_normal(x, n * p, 31);
            for (int how = 0; how < LAYOUTS; how++)
                for (int threads = 1; threads <= 8; threads += 7) {
                    pith_i_data X = laid_out(*state, x, n, p, (layout)how);
                    pith_i_knn knn = found(*state, &X, k, (pith_i_metric)metric, threads);
                    if (first.index == NULL) {
                        first = knn;
                    } else {
                        same_bytes(&first, &knn);
                        pith_i_knn_free(&knn);
                    }
                    pith_i_data_free(&X);
                }
            pith_i_knn_free(&first);
        }
    free(x);
}

/* Fails the 1st, 2nd, 3rd ... allocation of a search until one gets through. */
static void fail_each_allocation(pith_ctx *ctx, const pith_i_data *X, pith_i_metric metric)
{
    const int64_t before = pith_i_bytes_in_use(ctx);
    for (int64_t nth = 1;; nth++) {
        pith_i_knn knn = {0};
        pith_i_fail_allocation(ctx, nth);
        const pith_status st = pith_i_knn_find(ctx, X, 3, metric, &knn);
        pith_i_fail_allocation(ctx, 0);
        if (st == PITH_OK) {
            assert_true(nth > 5);
            pith_i_knn_free(&knn);
            break;
        }
        assert_int_equal(st, PITH_E_NOMEM);
        assert_null(knn.index);
        assert_int_equal(pith_i_bytes_in_use(ctx), before);
    }
    assert_int_equal(pith_i_bytes_in_use(ctx), before);
}

static void knn_gives_up_cleanly_without_memory(void **state)
{
    const int64_t n = 90, p = 5;
    double *x = new_values(n * p);
    fill_counts(x, n * p, 2, 0.3, 37); /* ties, so that rows are searched again */
    pith_i_knn warm = {0};
    for (int how = 0; how < LAYOUTS; how++) {
        pith_i_data X = laid_out(*state, x, n, p, (layout)how);
        assert_ok(*state, pith_i_knn_find(*state, &X, 3, PITH_I_EUCLIDEAN, &warm)); /* scratch stack */
        pith_i_knn_free(&warm);
        fail_each_allocation(*state, &X, PITH_I_EUCLIDEAN);
        fail_each_allocation(*state, &X, PITH_I_COSINE);
        pith_i_data_free(&X);
    }
    free(x);
}

static bool say_no(double done, const char *what, void *user)
{
    assert_true(done >= 0 && done <= 1);
    assert_non_null(what);
    ++*(int *)user;
    return false;
}

static void knn_stops_when_told_to(void **state)
{
    const int64_t n = 800, p = 5;
    double *x = new_values(n * p);
    fill_normal(x, n * p, 41);
    assert_ok(*state, pith_ctx_set_threads(*state, 1));
    for (int how = 0; how < LAYOUTS; how++) {
        pith_i_data X = laid_out(*state, x, n, p, (layout)how);
        pith_i_knn knn = {0};
        int asked = 0;
        nanosleep(&(struct timespec){.tv_nsec = 25000000}, NULL); /* asked every 20 ms at most */
        const int64_t before = pith_i_bytes_in_use(*state);
        pith_ctx_set_progress(*state, say_no, &asked);
        assert_int_equal(pith_i_knn_find(*state, &X, 3, PITH_I_EUCLIDEAN, &knn), PITH_E_STOPPED);
        assert_int_equal(asked, 1);
        assert_null(knn.index);
        assert_int_equal(pith_i_bytes_in_use(*state), before);
        pith_ctx_set_progress(*state, NULL, NULL);
        assert_ok(*state, pith_i_knn_find(*state, &X, 3, PITH_I_EUCLIDEAN, &knn));
        pith_i_knn_free(&knn);
        pith_i_data_free(&X);
    }
    free(x);
}

/* Lists and answer by the row; dense data in float and a tile a thread, or inverted lists of one slice. */
static void knn_keeps_to_its_memory(void **state)
{
    skip_when_short();
    const int64_t n = 3000, p = 400, m = 15, k = 5, slice = 4096;
    double *x = new_values(n * p);
    pith_ctx *ctx = *state;
    fill_counts(x, n * p, 9, 0.95, 43);
    for (int sparse = 0; sparse < 2; sparse++) {
        pith_i_data X = laid_out(ctx, x, n, p, sparse ? CSR_F64 : ROWS_F64);
        const int64_t before = pith_i_bytes_in_use(ctx), rows = n * (16 * (m + k) + 80);
        const int64_t own =
            sparse ? 6 * pith_i_stored(&X) + 2 * 32 * slice * 4 : n * p * 4 + 2 * 512 * 512 * 4;
        pith_ctx_reset_peak(ctx);
        pith_i_knn knn = found(ctx, &X, k, PITH_I_COSINE, 2);
        assert_true(pith_ctx_peak_bytes(ctx) - before < rows + own + 100000);
        pith_i_knn_free(&knn);
        pith_i_data_free(&X);
    }
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(knn_is_exact_on_every_shape_and_layout),
        TEST(knn_gives_all_others_when_k_reaches_n),
        TEST(knn_of_one_column_is_exact),
        TEST(knn_ties_take_the_lower_index),
        TEST(knn_of_short_texts_ties_at_no_common_word),
        TEST(knn_of_equal_rows_takes_the_first_ones),
        TEST(knn_of_copies_takes_the_first_copies),
        TEST(knn_survives_a_large_offset),
        TEST(knn_tells_apart_members_of_tight_groups),
        TEST(knn_does_not_depend_on_units),
        TEST(knn_survives_an_outlier),
        TEST(distances_that_overflow_are_refused),
        TEST(one_row_has_no_neighbours),
        TEST(knn_is_the_same_for_any_threads_and_layout),
        TEST(knn_gives_up_cleanly_without_memory),
        TEST(knn_stops_when_told_to),
        TEST(knn_keeps_to_its_memory),
    };
    return cmocka_run_group_tests_name("knn", tests, NULL, NULL);
}
