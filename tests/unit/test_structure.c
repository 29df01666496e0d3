/* What a comparison tells of structure: evidence, its sentence, the control, the curve, and what is drawn. */
#include "evaluate/picture.h"
#include "unit/files.h"

#include <math.h>

/* ---- Which features are drawn ------------------------------------------------------------------------- */

enum { MANY = 5000 };

typedef struct many {
    double lift[MANY], q[MANY];
    pith_evidence e;
} many;

/* q falls with the number of the feature; the largest lifts are in the middle, where q is nothing special. */
static many *make_many(int64_t count)
{
    many *m = calloc(1, sizeof *m);
    assert_non_null(m);
    for (int64_t j = 0; j < MANY; j++) {
        m->q[j] = 1 - (double)j / MANY;
        m->lift[j] = 1 + 1 / (1 + fabs((double)j - 2500));
    }
    m->e = (pith_evidence){.features = count, .lift = m->lift, .q = m->q};
    return m;
}

static bool *drawn_of(pith_ctx *ctx, const pith_evidence *e, int64_t *count)
{
    int64_t *features = NULL;
    const size_t mark = pith_i_scratch_mark(ctx);
    bool *drawn = calloc((size_t)e->features, 1);
    assert_non_null(drawn);
    assert_ok(ctx, pith_i_points_pick(ctx, e, count, &features));
    for (int64_t i = 0; i < *count; i++) {
        assert_false(drawn[features[i]]);
        drawn[features[i]] = true;
        assert_true(i == 0 || e->q[features[i - 1]] <= e->q[features[i]]); /* from the smallest q on */
    }
    pith_i_scratch_release(ctx, mark);
    return drawn;
}

static void few_features_are_all_drawn_but_those_not_tested(void **state)
{
    many *m = make_many(PITH_I_PLOT_POINTS);
    int64_t count = 0;
    m->q[7] = m->lift[7] = (double)NAN;
    bool *drawn = drawn_of(*state, &m->e, &count);
    assert_int_equal(count, PITH_I_PLOT_POINTS - 1);
    assert_false(drawn[7]);
    free(drawn);
    free(m);
}

static void of_many_features_the_extremes_are_drawn_and_the_rest_at_even_steps(void **state)
{
    many *m = make_many(MANY);
    int64_t count = 0, gap = 0;
    bool *drawn = drawn_of(*state, &m->e, &count);
    assert_int_equal(count, PITH_I_PLOT_POINTS);
    for (int64_t j = 0; j < PITH_I_PLOT_EXTREMES; j++) {
        assert_true(drawn[MANY - 1 - j]);
        assert_true(drawn[2500 - PITH_I_PLOT_EXTREMES / 2 + j]);
    }
    /* 1,600 of the other 4,600: every second or third. */
    for (int64_t j = 0; j < MANY - PITH_I_PLOT_EXTREMES; j++) {
        gap = drawn[j] ? 0 : gap + 1;
        assert_true(gap <= 2);
    }
    free(drawn);
    free(m);
}

static pith_status pick(pith_ctx *ctx, void *arg)
{
    const many *m = arg;
    int64_t count = 0, *features = NULL;
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_status st = pith_i_points_pick(ctx, &m->e, &count, &features);
    pith_i_scratch_release(ctx, mark);
    return st;
}

static void picking_survives_failing_allocations(void **state)
{
    many *m = make_many(MANY);
    assert_survives_failing_allocations(*state, pick, m, 0);
    free(m);
}

/* ---- The sentence ------------------------------------------------------------------------------------- */

static void the_sentence_tells_what_is_called(void **state)
{
    static const struct {
        pith_evidence e;
        const char *said;
    } cases[] = {
        {{.features = 7129, .called = 1204, .smallest_q = 3e-12, .halves = 0.62},
         "1,204 of 7,129 features share structure at a false discovery rate of 5 % (smallest q 3e-12); "
         "agreement between halves of the features: 0.62"},
        {{.features = 900, .called = 12, .smallest_q = 0.04, .halves = 0.08, .counts = true},
         "12 of 900 features share structure at a false discovery rate of 5 % (smallest q 4e-02)"},
        {{.features = 1234567, .called = 1000, .smallest_q = 1e-300, .halves = -0.03},
         "1,000 of 1,234,567 features share structure at a false discovery rate of 5 % (smallest q 1e-300); "
         "agreement between halves of the features: -0.03"},
        {{.features = 900, .called = 0, .smallest_q = 0.4, .halves = 0.5},
         "no feature stands out from chance: the features of this data share no structure, or there are too "
         "few samples"},
    };
    char text[PITH_EVIDENCE_TEXT];
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(pith_evidence_text(&cases[i].e, text, sizeof text), cases[i].said);
}

/* ---- A comparison ------------------------------------------------------------------------------------- */

static pith_matrix *table(pith_ctx *ctx, int64_t n, double separation)
{
    const pith_blobs shape = {
        .n = n, .p = 60, .clusters = 3, .informative = 0.5, .separation = separation, .density = 1};
    pith_matrix *m = NULL;
    assert_ok(ctx, pith_synth_blobs(ctx, &shape, &m));
    return m;
}

static pith_comparison *compared(pith_ctx *ctx, const pith_matrix *m, const char *methods, bool control,
                                 const char *resume)
{
    const pith_compare_options o = {
        .methods = methods, .features = "5,20", .restarts = 2, .control = control, .resume = resume};
    pith_comparison *c = NULL;
    assert_ok(ctx, pith_compare(ctx, m, &o, &c));
    return c;
}

static void evidence_and_curve_are_those_of_consensus(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = table(ctx, 80, 4);
    pith_params *params = NULL;
    pith_result *r = NULL;
    assert_ok(ctx, pith_params_new(ctx, pith_method_find("consensus"), &params));
    pith_params_want_keep(params);
    assert_ok(ctx, pith_run(ctx, m, params, &r));
    pith_comparison *c = compared(ctx, m, "variance,consensus", false, NULL);
    const pith_evidence *e = pith_comparison_evidence(c), *alone = pith_result_evidence(r);
    assert_non_null(e);
    assert_true(e->called >= 30);
    assert_int_equal(e->called, alone->called);
    assert_true(e->halves == alone->halves);
    assert_memory_equal(e->q, alone->q, 60 * sizeof(double));
    assert_int_equal(pith_comparison_keep(c), pith_result_keep(r));
    for (int64_t i = 0; i < PITH_I_CURVE_POINTS; i++) {
        int64_t here = 0, there = 0;
        const double agreement = pith_comparison_curve(c, i, &here), other = pith_result_curve(r, i, &there);
        assert_true(here == there && (agreement == other || (isnan(agreement) && isnan(other))));
    }
    assert_null(pith_comparison_control(c));
    pith_comparison_free(c);
    c = compared(ctx, m, "variance", false, NULL);
    assert_non_null(pith_comparison_evidence(c));
    assert_int_equal(pith_comparison_keep(c), -1);
    pith_comparison_free(c);
    pith_result_free(r);
    pith_params_free(params);
    pith_matrix_free(m);
}

static void a_control_calls_nothing_where_the_data_does(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = table(ctx, 80, 4);
    pith_comparison *c = compared(ctx, m, "variance", true, NULL);
    assert_true(pith_comparison_evidence(c)->called >= 30);
    assert_non_null(pith_comparison_control(c));
    assert_int_equal(pith_comparison_control(c)->called, 0);
    assert_int_equal(pith_comparison_control(c)->tested, 60);
    pith_comparison_free(c);
    pith_matrix_free(m);
}

static void note_into(const char *text, void *user)
{
    (void)snprintf(user, 256, "%s", text);
}

static void few_samples_have_neither_and_that_is_said(void **state)
{
    pith_ctx *ctx = *state;
    char told[256] = "";
    pith_matrix *m = table(ctx, 19, 4);
    pith_ctx_set_note(ctx, note_into, told);
    pith_comparison *c = compared(ctx, m, "consensus", true, NULL);
    assert_non_null(strstr(told, "there is no control"));
    assert_non_null(strstr(told, "fewer than 20 samples"));
    assert_null(pith_comparison_evidence(c));
    assert_null(pith_comparison_control(c));
    assert_int_equal(pith_comparison_keep(c), -1);
    pith_ctx_set_note(ctx, NULL, NULL);
    pith_comparison_free(c);
    pith_matrix_free(m);
}

static char *written(pith_ctx *ctx, const pith_comparison *c, const char *name)
{
    static const size_t most = (size_t)1 << 20;
    char *text = calloc(most, 1);
    assert_non_null(text);
    assert_ok(ctx, pith_comparison_write(ctx, c, NULL, PITH_JSON, path_of(name)));
    FILE *f = fopen(path_of(name), "rb");
    assert_non_null(f);
    assert_true(fread(text, 1, most, f) < most);
    (void)fclose(f);
    return text;
}

static void a_resumed_comparison_tells_the_same(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = table(ctx, 80, 4);
    pith_comparison *c = compared(ctx, m, "consensus", true, NULL);
    char *whole = written(ctx, c, "whole.json");
    assert_non_null(strstr(whole, "\"evidence\":{"));
    pith_comparison_free(c);
    c = compared(ctx, m, "consensus", true, path_of("whole.json"));
    char *again = written(ctx, c, "again.json");
    assert_string_equal(whole, again);
    pith_comparison_free(c);
    free(again);
    free(whole);
    pith_matrix_free(m);
}

static void a_damaged_curve_is_made_again(void **state)
{
    static const char *const damage[] = {"\"curve\":", "\"keep\":", "\"agreement\":0."};
    pith_ctx *ctx = *state;
    pith_matrix *m = table(ctx, 80, 4);
    pith_comparison *c = compared(ctx, m, "consensus", false, NULL);
    const int64_t keep = pith_comparison_keep(c);
    char *text = written(ctx, c, "whole.json");
    pith_comparison_free(c);
    for (size_t i = 0; i < COUNT(damage); i++) {
        char *at = strstr(strstr(text, "\"evidence\":{"), damage[i]), was = at[1];
        assert_non_null(at);
        at[1] = 'X';
        c = compared(ctx, m, "consensus", false, put("damaged.json", text));
        assert_int_equal(pith_comparison_keep(c), keep);
        assert_false(isnan(pith_comparison_curve(c, 0, NULL)));
        pith_comparison_free(c);
        at[1] = was;
    }
    free(text);
    pith_matrix_free(m);
}

static pith_status compare_with_control(pith_ctx *ctx, void *arg)
{
    const pith_compare_options o = {.methods = "consensus", .features = "5", .restarts = 1, .control = true};
    pith_comparison *c = NULL;
    const pith_status st = pith_compare(ctx, arg, &o, &c);
    /* A method that finds no memory is a row with its reason. */
    const bool failed = st == PITH_OK && pith_comparison_error(c, 0) != NULL;
    pith_comparison_free(c);
    return failed ? PITH_E_NOMEM : st;
}

static void failing_allocations_leave_nothing_behind(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = table(ctx, 24, 4);
    const int64_t before = pith_i_bytes_in_use(ctx);
    for (int64_t nth = 1; nth < 4000; nth += 37 * cases_step(4)) {
        (void)pith_i_fail_allocation(ctx, nth);
        (void)compare_with_control(ctx, m);
        (void)pith_i_fail_allocation(ctx, 0);
        assert_int_equal(pith_i_bytes_in_use(ctx), before);
    }
    pith_matrix_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(few_features_are_all_drawn_but_those_not_tested),
        TEST(of_many_features_the_extremes_are_drawn_and_the_rest_at_even_steps),
        TEST(picking_survives_failing_allocations),
        TEST(the_sentence_tells_what_is_called),
        TEST(evidence_and_curve_are_those_of_consensus),
        TEST(a_control_calls_nothing_where_the_data_does),
        TEST(few_samples_have_neither_and_that_is_said),
        TEST(a_resumed_comparison_tells_the_same),
        TEST(a_damaged_curve_is_made_again),
        TEST(failing_allocations_leave_nothing_behind),
    };
    return cmocka_run_group_tests_name("structure", tests, make_folder, remove_folder);
}
