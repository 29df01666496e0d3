#include "evaluate/summary.h"
#include "unit/support.h"

#include "evaluate/judge.h"

/* What a test lays out: a method, its setting, its NMI at 10 and at 20 features with one deviation for all.
 */
typedef struct line {
    const char *method, *setting;
    double nmi[2], sd;
} line;

enum { MOST = 8, RUNS = 4 };
typedef struct fixture {
    pith_comparison c;
    pith_i_entry entry[MOST];
    pith_i_row row[MOST][2];
} fixture;

static void lay_out(fixture *f, const line *lines, int64_t count)
{
    memset(f, 0, sizeof *f);
    f->c = (pith_comparison){.entries = f->entry, .n_entries = count, .protocol = {.sort = MEASURE_NMI}};
    for (int64_t i = 0; i < count; i++) {
        f->entry[i] = (pith_i_entry){.method = (char *)(uintptr_t)lines[i].method,
                                     .setting = (char *)(uintptr_t)lines[i].setting,
                                     .rows = f->row[i],
                                     .n_rows = isnan(lines[i].nmi[0]) ? 0 : 2,
                                     .seconds = (double)i};
        for (int k = 0; k < 2; k++) {
            f->row[i][k].features = 10 * (k + 1);
            for (int m = 0; m < MEASURES; m++)
                f->row[i][k].figure[m] = (pith_i_figure){(double)NAN, (double)NAN, 0};
            f->row[i][k].figure[MEASURE_NMI] = (pith_i_figure){lines[i].nmi[k], lines[i].sd, RUNS};
            f->row[i][k].figure[MEASURE_REDUNDANCY] = (pith_i_figure){lines[i].nmi[k] / 2, 0, 1};
        }
    }
}

static void best_and_median_are_those_over_the_settings(void **state)
{
    static const line lines[] = {{"a", "s=1", {0.1, 0.5}, 0.01},
                                 {"a", "s=2", {0.4, 0.2}, 0.01},
                                 {"a", "s=3", {0.3, 0.3}, 0.01},
                                 {"b", "s=1", {0.2, 0.1}, 0.01},
                                 {"b", "s=2", {0.3, 0.2}, 0.01}};
    pith_ctx *ctx = *state;
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_standing *s = NULL;
    int64_t count = 0;
    fixture f;
    lay_out(&f, lines, COUNT(lines));
    assert_ok(ctx, pith_i_standings(ctx, &f.c, 10, &count, &s));
    assert_int_equal(count, 2);
    assert_string_equal(s[0].method, "a");
    assert_near(s[0].by[MEASURE_NMI].figure.mean, 0.4, 0);
    assert_int_equal(s[0].by[MEASURE_NMI].entry, 1);
    assert_near(s[0].by[MEASURE_NMI].median, 0.3, 1e-15);              /* of three */
    assert_near(s[1].by[MEASURE_NMI].median, 0.25, 1e-15);             /* of two: their mean */
    assert_near(s[0].by[MEASURE_REDUNDANCY].figure.mean, 0.05, 1e-15); /* its own best: the least */
    pith_i_scratch_release(ctx, mark);
}

static void over_all_counts_a_line_is_about_one_selection(void **state)
{
    static const line lines[] = {{"a", "s=1", {0.1, 0.5}, 0.01}, {"a", "s=2", {0.4, 0.2}, 0.01}};
    pith_ctx *ctx = *state;
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_standing *s = NULL;
    int64_t count = 0;
    fixture f;
    lay_out(&f, lines, COUNT(lines));
    assert_ok(ctx, pith_i_standings(ctx, &f.c, 0, &count, &s));
    assert_int_equal(s[0].by[MEASURE_NMI].features, 20);
    assert_int_equal(s[0].by[MEASURE_NMI].entry, 0);
    assert_near(s[0].by[MEASURE_REDUNDANCY].figure.mean, 0.25, 0); /* not the 0.05 of another selection */
    assert_int_equal(s[0].by[MEASURE_ACC].entry, -1);              /* was not measured */
    pith_i_scratch_release(ctx, mark);
}

static void ties_lie_within_two_standard_errors(void **state)
{
    /* sd 0.1 over 4 runs: a standard error of 0.05 each, of the difference 0.0707; twice that is 0.1414. */
    static const line lines[] = {{"far", "", {0.35, 0}, 0.1},
                                 {"near", "", {0.37, 0}, 0.1},
                                 {"best", "", {0.5, 0}, 0.1},
                                 {"failed", "", {(double)NAN, (double)NAN}, 0}};
    pith_ctx *ctx = *state;
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_standing *s = NULL;
    int64_t count = 0;
    fixture f;
    lay_out(&f, lines, COUNT(lines));
    assert_ok(ctx, pith_i_standings(ctx, &f.c, 0, &count, &s));
    static const char *const order[] = {"best", "near", "far", "failed"};
    for (size_t i = 0; i < COUNT(order); i++)
        assert_string_equal(s[i].method, order[i]);
    assert_true(s[0].by[MEASURE_NMI].wins && !s[0].by[MEASURE_NMI].ties);
    assert_true(!s[1].by[MEASURE_NMI].wins && s[1].by[MEASURE_NMI].ties);
    assert_true(!s[2].by[MEASURE_NMI].ties);
    assert_true(isnan(s[3].seconds) && s[3].by[MEASURE_NMI].entry == -1);
    assert_true(s[2].by[MEASURE_REDUNDANCY].wins); /* the least is best */
    pith_i_scratch_release(ctx, mark);
}

static void equal_methods_stay_in_the_order_of_entries(void **state)
{
    static const line lines[] = {
        {"b", "", {0.5, 0.5}, 0}, {"a", "", {0.5, 0.5}, 0}, {"c", "", {0.6, 0.5}, 0}};
    pith_ctx *ctx = *state;
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_standing *s = NULL;
    int64_t count = 0;
    fixture f;
    lay_out(&f, lines, COUNT(lines));
    assert_ok(ctx, pith_i_standings(ctx, &f.c, 0, &count, &s));
    assert_string_equal(s[0].method, "c");
    assert_string_equal(s[1].method, "b");
    assert_string_equal(s[2].method, "a");
    pith_i_scratch_release(ctx, mark);
}

static void a_tally_knows_mean_and_deviation_and_leaves_nan_out(void **state)
{
    static const double values[] = {1e9 + 1, 1e9 + 2, (double)NAN, 1e9 + 6};
    pith_i_tally t = {0};
    (void)state;
    assert_true(isnan(pith_i_tally_figure(&t).mean));
    pith_i_tally_add(&t, values[0]);
    assert_near(pith_i_tally_figure(&t).sd, 0, 0);
    for (size_t i = 1; i < COUNT(values); i++)
        pith_i_tally_add(&t, values[i]);
    assert_near(pith_i_tally_figure(&t).mean, 1e9 + 3, 1e-6);
    assert_near(pith_i_tally_figure(&t).sd, sqrt(7), 1e-6); /* (4 + 1 + 9) / 2 */
    assert_int_equal(pith_i_tally_figure(&t).runs, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(best_and_median_are_those_over_the_settings),
        TEST(over_all_counts_a_line_is_about_one_selection),
        TEST(ties_lie_within_two_standard_errors),
        TEST(equal_methods_stay_in_the_order_of_entries),
        TEST(a_tally_knows_mean_and_deviation_and_leaves_nan_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
