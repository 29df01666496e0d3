#include "evaluate/plan.h"
#include "unit/support.h"

/* A comparison over a table of zeros: plans look at shapes and labels alone. */
typedef struct fixture {
    pith_ctx *ctx;
    pith_matrix *m;
    pith_comparison *c;
} fixture;

static fixture begin(void **state, int64_t n, int64_t p)
{
    static const double zero = 0;
    fixture f = {.ctx = *state};
    assert_ok(f.ctx, pith_matrix_dense(f.ctx, n, p, PITH_F64, &zero, 0, 0, &f.m));
    assert_ok(f.ctx, NEW_ZERO(f.ctx, f.c, 1));
    f.c->m = f.m;
    return f;
}

static void end(fixture *f)
{
    pith_comparison_free(f->c);
    pith_matrix_free(f->m);
}

static void assert_counts(const fixture *f, const int64_t *want, int64_t length)
{
    assert_int_equal(f->c->n_counts, length);
    for (int64_t k = 0; k < length; k++)
        assert_int_equal(f->c->counts[k], want[k]);
}

static void counts_come_sorted_and_once(void **state)
{
    fixture f = begin(state, 10, 400);
    assert_ok(f.ctx, pith_i_plan_counts(f.ctx, f.c, "200, 50,100,50"));
    assert_counts(&f, (const int64_t[]){50, 100, 200}, 3);
    assert_int_equal(f.c->n_kept, 200);
    end(&f);
}

static void default_counts_fit_the_width(void **state)
{
    static const struct {
        int64_t p, count, want[6];
    } cases[] = {
        {1000, 6, {50, 100, 150, 200, 250, 300}},
        {34, 6, {5, 10, 15, 20, 25, 30}},
        {3, 2, {1, 2}},
        {1, 1, {1}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        fixture f = begin(state, 10, cases[i].p);
        assert_ok(f.ctx, pith_i_plan_counts(f.ctx, f.c, NULL));
        assert_counts(&f, cases[i].want, cases[i].count);
        assert_true(f.c->n_kept <= cases[i].p);
        end(&f);
    }
}

static void counts_of_a_paper_that_the_data_has_not_are_left_out(void **state)
{
    fixture f = begin(state, 10, 350);
    f.c->protocol.name = "snfs";
    assert_ok(f.ctx, pith_i_plan_counts(f.ctx, f.c, NULL));
    assert_counts(&f, (const int64_t[]){100, 200}, 2);
    end(&f);
}

static void counts_that_are_none_are_refused(void **state)
{
    static const char *const bad[] = {"0", "2.5", "ten", "-1", "51", "1e300"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        fixture f = begin(state, 10, 50);
        assert_int_equal(pith_i_plan_counts(f.ctx, f.c, bad[i]), PITH_E_PARAMETER);
        assert_non_null(strstr(pith_ctx_message(f.ctx), bad[i]));
        end(&f);
    }
}

/* A list without a number was taken for none, and six counts were written where there was room for one. */
static void a_list_without_a_number_is_refused(void **state)
{
    static const char *const bad[] = {"", ",", " , ,"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        fixture f = begin(state, 10, 50);
        assert_int_equal(pith_i_plan_counts(f.ctx, f.c, bad[i]), PITH_E_PARAMETER);
        assert_non_null(strstr(pith_ctx_message(f.ctx), "no number"));
        end(&f);
    }
}

static void a_grid_is_every_combination_the_last_axis_fastest(void **state)
{
    static const char *const grids[] = {"weight=binary,heat", "neighbors=3,5,7", NULL};
    static const char *const want[] = {"weight=binary neighbors=3", "weight=binary neighbors=5",
                                       "weight=binary neighbors=7", "weight=heat neighbors=3",
                                       "weight=heat neighbors=5",   "weight=heat neighbors=7"};
    fixture f = begin(state, 10, 50);
    assert_ok(f.ctx, pith_i_plan_entries(f.ctx, f.c,
                                         &(pith_compare_options){.methods = "laplacian", .grids = grids}));
    assert_int_equal(f.c->n_entries, COUNT(want) + 3); /* and the yardsticks */
    for (size_t e = 0; e < COUNT(want); e++) {
        char text[32];
        assert_string_equal(f.c->entries[e].method, "laplacian");
        assert_string_equal(f.c->entries[e].setting, want[e]);
        assert_ok(f.ctx, pith_params_get(f.ctx, f.c->entries[e].params, "weight", text, sizeof text));
        assert_string_equal(text, e < 3 ? "binary" : "heat");
    }
    end(&f);
}

static void yardsticks_are_always_in_and_once(void **state)
{
    static const char *const lists[] = {"variance", "kmeans-energy,variance"};
    for (size_t i = 0; i < COUNT(lists); i++) {
        fixture f = begin(state, 10, 50);
        int energy = 0;
        assert_ok(f.ctx, pith_i_plan_entries(f.ctx, f.c, &(pith_compare_options){.methods = lists[i]}));
        assert_int_equal(f.c->n_entries, 4);
        for (int64_t e = 0; e < 4; e++)
            energy += strcmp(f.c->entries[e].method, "kmeans-energy") == 0;
        assert_int_equal(energy, 1);
        assert_string_equal(f.c->entries[2].method, "all-features");
        assert_string_equal(f.c->entries[3].method, "random");
        end(&f);
    }
}

static void a_setting_reaches_the_methods_that_have_it(void **state)
{
    static const char *const settings[] = {"neighbors=9", NULL};
    fixture f = begin(state, 10, 50);
    char text[32];
    assert_ok(f.ctx, pith_i_plan_entries(
                         f.ctx, f.c,
                         &(pith_compare_options){.methods = "variance,laplacian", .settings = settings}));
    assert_ok(f.ctx, pith_params_get(f.ctx, f.c->entries[1].params, "neighbors", text, sizeof text));
    assert_string_equal(text, "9");
    assert_string_equal(f.c->settings, "neighbors=9");
    end(&f);
}

static void slips_of_the_pen_are_named(void **state)
{
    static const char *const known[] = {"neighbors=9", NULL}, *const unknown[] = {"neighbours=9", NULL},
                             *const bare[] = {"neighbors", NULL}, *const outside[] = {"neighbors=0", NULL};
    static const struct {
        pith_compare_options options;
        const char *said;
    } cases[] = {
        {{.methods = "laplacain"}, "laplacian"},
        {{.methods = "variance", .settings = known}, "neighbors"},
        {{.methods = "laplacian", .grids = unknown}, "neighbours"},
        {{.methods = "laplacian", .grids = bare}, "NAME=VALUE"},
        {{.methods = "laplacian", .grids = outside}, "neighbors"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        fixture f = begin(state, 10, 50);
        assert_int_equal(pith_i_plan_entries(f.ctx, f.c, &cases[i].options), PITH_E_PARAMETER);
        assert_non_null(strstr(pith_ctx_message(f.ctx), cases[i].said));
        end(&f);
    }
}

/* What a plan looks at. */
static pith_i_cache parts_of(const fixture *f, bool counts, pith_scale scale)
{
    static double least[50];
    return (pith_i_cache){.X = &f->m->data,
                          .stats = {.min = least},
                          .counts = counts,
                          .scale = {.kind = scale},
                          .scaled = true};
}

static void counts_are_weighed_unless_a_paper_or_the_user_says_otherwise(void **state)
{
    static const char *const labels[] = {"a", "b", "a", "b", "c", "c"};
    static const struct {
        pith_scale scale;
        const char *protocol, *cluster_on;
        bool counts, tfidf;
    } cases[] = {
        {PITH_SCALE_COUNTS, NULL, NULL, true, true},      {PITH_SCALE_NORMALISED, NULL, NULL, true, true},
        {PITH_SCALE_LOGGED, NULL, NULL, true, false},     {PITH_SCALE_COUNTS, NULL, NULL, false, false},
        {PITH_SCALE_COUNTS, "des", NULL, true, false},    {PITH_SCALE_COUNTS, NULL, "values", true, false},
        {PITH_SCALE_COUNTS, "des", "tf-idf", true, true}, {PITH_SCALE_UNKNOWN, NULL, "tf-idf", false, true},
    };
    fixture f = begin(state, 6, 50);
    assert_ok(f.ctx, pith_matrix_set_labels(f.ctx, f.m, labels));
    for (size_t i = 0; i < COUNT(cases); i++) {
        pith_i_protocol p;
        pith_i_cache cache = parts_of(&f, cases[i].counts, cases[i].scale);
        const pith_compare_options o = {.protocol = cases[i].protocol, .cluster_on = cases[i].cluster_on};
        assert_ok(f.ctx, pith_i_plan_protocol(f.ctx, f.m, &cache, &o, &p));
        assert_int_equal(p.tfidf, cases[i].tfidf);
    }
    end(&f);
}

static void options_change_what_a_paper_sets(void **state)
{
    pith_i_protocol p;
    fixture f = begin(state, 6, 50);
    pith_i_cache cache = parts_of(&f, false, PITH_SCALE_UNKNOWN);
    static const char *const labels[] = {"a", "b", "a", "b", "c", "c"};
    assert_ok(f.ctx, pith_matrix_set_labels(f.ctx, f.m, labels));
    assert_ok(f.ctx,
              pith_i_plan_protocol(f.ctx, f.m, &cache, &(pith_compare_options){.protocol = "des"}, &p));
    assert_true(p.cosine && p.random_start && p.restarts == 20 && p.clusters == 3);
    assert_true(p.clusters_to_methods && p.sort == MEASURE_NMI);
    const pith_compare_options other = {
        .protocol = "des", .metric = "euclidean", .restarts = 3, .clusters = 2};
    assert_ok(f.ctx, pith_i_plan_protocol(f.ctx, f.m, &cache, &other, &p));
    assert_true(!p.cosine && p.restarts == 3 && p.clusters == 2);
    end(&f);
}

static void without_labels_no_paper_can_be_followed(void **state)
{
    pith_i_protocol p;
    fixture f = begin(state, 6, 50);
    pith_i_cache cache = parts_of(&f, false, PITH_SCALE_UNKNOWN);
    pith_i_cache counts = parts_of(&f, true, PITH_SCALE_LOGGED);
    assert_int_equal(
        pith_i_plan_protocol(f.ctx, f.m, &cache, &(pith_compare_options){.protocol = "hufs"}, &p),
        PITH_E_DATA);
    assert_ok(f.ctx, pith_i_plan_protocol(f.ctx, f.m, &counts, &(pith_compare_options){0}, &p));
    assert_true(p.sort == MEASURE_AGREEMENT && p.cosine && p.clusters == 0);
    end(&f);
}

static pith_status plan(pith_ctx *ctx, void *arg)
{
    static const char *const grids[] = {"neighbors=3,5", NULL}, *const settings[] = {"weight=heat", NULL};
    const pith_compare_options o = {.methods = "all", .grids = grids, .settings = settings};
    pith_comparison *c = NULL;
    pith_status st = PITH_OK;
    TRY(NEW_ZERO(ctx, c, 1));
    c->m = arg;
    TRY(pith_i_plan_counts(ctx, c, "1,2"));
    TRY(pith_i_plan_entries(ctx, c, &o));
done:
    pith_comparison_free(c);
    return st;
}

static void a_plan_survives_failing_allocations(void **state)
{
    fixture f = begin(state, 10, 50);
    assert_survives_failing_allocations(f.ctx, plan, f.m, 20);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(counts_come_sorted_and_once),
        TEST(default_counts_fit_the_width),
        TEST(counts_of_a_paper_that_the_data_has_not_are_left_out),
        TEST(counts_that_are_none_are_refused),
        TEST(a_list_without_a_number_is_refused),
        TEST(a_grid_is_every_combination_the_last_axis_fastest),
        TEST(yardsticks_are_always_in_and_once),
        TEST(a_setting_reaches_the_methods_that_have_it),
        TEST(slips_of_the_pen_are_named),
        TEST(counts_are_weighed_unless_a_paper_or_the_user_says_otherwise),
        TEST(options_change_what_a_paper_sets),
        TEST(without_labels_no_paper_can_be_followed),
        TEST(a_plan_survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
