#include "methods/params.h"
#include "unit/german.h"
#include "unit/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A method with a parameter of every kind. */
typedef struct settings {
    pith_i_shared shared;
    int64_t rounds;
    double lambda;
    bool sparse;
    int64_t width;
    double tol;
} settings;

static const pith_i_param table[] = {
    ROW(settings, shared.weight, "weight", WEIGHT_HEAT, 0, 0, false, pith_i_weight_words, "of an edge"),
    PARAM(settings, rounds, 30, 1, 9007199254740992, "most rounds"),
    PARAM(settings, lambda, 1e-4, 0, 1e8, "weight of sparsity"),
    PARAM(settings, sparse, true, 0, 1, "a switch"),
    ROW(settings, width, "width", (double)NAN, 2, 100, true, NULL, "left to pith"),
    ROW(settings, tol, "tol", (double)NAN, 0, 1, true, NULL, "left to pith"),
    START_PARAM(settings),
};

static const pith_method method = {
    .name = "test",
    .table = table,
    .n_table = COUNT(table),
    .params_size = sizeof(settings),
};

static pith_params *fresh(pith_ctx *ctx)
{
    pith_params *params = NULL;
    assert_ok(ctx, pith_params_new(ctx, &method, &params));
    return params;
}

static void assert_shows(pith_ctx *ctx, const pith_params *params, const char *name, const char *want)
{
    char text[128];
    assert_ok(ctx, pith_params_get(ctx, params, name, text, sizeof text));
    assert_string_equal(text, want);
}

static void defaults_are_those_of_the_table(void **state)
{
    pith_ctx *ctx = *state;
    pith_params *params = fresh(ctx);
    const settings *s = params->values;
    assert_int_equal(s->shared.weight, WEIGHT_HEAT);
    assert_int_equal(s->rounds, 30);
    assert_true(s->lambda == 1e-4);
    assert_true(s->sparse);
    assert_true(s->width == PITH_I_AUTO);
    assert_true(isnan(s->tol));
    assert_ptr_equal(pith_params_method(params), &method);
    assert_shows(ctx, params, "weight", "heat");
    assert_shows(ctx, params, "rounds", "30");
    assert_shows(ctx, params, "lambda", "0.0001");
    assert_shows(ctx, params, "sparse", "yes");
    assert_shows(ctx, params, "width", "auto");
    assert_shows(ctx, params, "tol", "auto");
    pith_params_free(params);
    pith_params_free(NULL);
}

static void what_was_set_is_shown_so_that_it_can_be_set_again(void **state)
{
    pith_ctx *ctx = *state;
    static const char *const given[][3] = {
        {"weight", "binary", "binary"}, {"weight", "cosine", "cosine"},
        {"rounds", "1", "1"},           {"rounds", "9007199254740992", "9007199254740992"},
        {"rounds", "1e3", "1000"},      {"lambda", "0", "0"},
        {"lambda", "1e8", "100000000"}, {"lambda", "0.1", "0.1"},
        {"lambda", "1e-300", "1e-300"}, {"lambda", "0.30000000000000004", "0.30000000000000004"},
        {"sparse", "no", "no"},         {"sparse", "true", "yes"},
        {"sparse", "0", "no"},          {"sparse", "1", "yes"},
        {"sparse", "false", "no"},      {"width", "7", "7"},
        {"width", "auto", "auto"},      {"tol", "0.5", "0.5"},
        {"tol", "auto", "auto"},
    };
    pith_params *a = fresh(ctx), *b = fresh(ctx);
    for (size_t t = 0; t < COUNT(given); t++) {
        assert_ok(ctx, pith_params_set(ctx, a, given[t][0], given[t][1]));
        assert_shows(ctx, a, given[t][0], given[t][2]);
        assert_ok(ctx, pith_params_set(ctx, b, given[t][0], given[t][2]));
    }
    const settings *x = a->values, *y = b->values;
    assert_true(x->rounds == y->rounds && x->lambda == y->lambda && x->sparse == y->sparse);
    pith_params_free(a);
    pith_params_free(b);
}

/* Each leaves the old value and says what would have been right. */
static void what_is_out_of_range_is_refused_with_the_range(void **state)
{
    pith_ctx *ctx = *state;
    static const char *const wrong[][3] = {
        {"rounds", "0", "rounds: a whole number in 1..9007199254740992 expected, not '0'"},
        {"rounds", "1.5", "a whole number"},
        {"rounds", "many", "not 'many'"},
        {"rounds", "", "not ''"},
        {"rounds", "auto", "expected, not 'auto'"},
        {"rounds", "nan", "not 'nan'"},
        {"rounds", "inf", "not 'inf'"},
        {"rounds", "1e300", "not '1e300'"},
        {"lambda", "-1e-9", "lambda: a number in 0..100000000 expected, not '-1e-9'"},
        {"lambda", "1e8x", "a number in"},
        {"lambda", "nan", "a number in"},
        {"lambda", " 1", "not ' 1'"},
        {"width", "1", "2..100 or 'auto' expected, not '1'"},
        {"width", "Auto", "or 'auto'"},
        {"tol", "2", "0..1 or 'auto'"},
        {"sparse", "maybe", "sparse: 'yes' or 'no' expected, not 'maybe'"},
        {"weight", "heta", "weight: 'heta' is not one of binary, heat, cosine; did you mean 'heat'?"},
        {"weight", "gaussian", "weight: 'gaussian' is not one of binary, heat, cosine"},
        {"weight", "", "'' is not one of"},
        {"lambdda", "1", "test has no parameter 'lambdda'; did you mean 'lambda'?"},
        {"LAMBDA", "1", "did you mean 'lambda'?"},
        {"zebra", "1", "test has no parameter 'zebra'"},
    };
    pith_params *params = fresh(ctx);
    char before[COUNT(table)][64], after[64];
    for (size_t i = 0; i < COUNT(table); i++)
        assert_ok(ctx, pith_params_get(ctx, params, table[i].shown.name, before[i], sizeof before[i]));
    for (size_t t = 0; t < COUNT(wrong); t++) {
        assert_int_equal(pith_params_set(ctx, params, wrong[t][0], wrong[t][1]), PITH_E_PARAMETER);
        if (strstr(pith_ctx_message(ctx), wrong[t][2]) == NULL)
            fail_msg("%s", pith_ctx_message(ctx));
    }
    assert_null(strstr(pith_ctx_message(ctx), "did you mean")); /* nothing is near a zebra */
    for (size_t i = 0; i < COUNT(table); i++) {
        assert_ok(ctx, pith_params_get(ctx, params, table[i].shown.name, after, sizeof after));
        assert_string_equal(after, before[i]);
    }
    pith_params_free(params);
}

static void the_locale_changes_neither_reading_nor_showing(void **state)
{
    pith_ctx *ctx = *state;
    skip_unless_german();
    pith_params *params = fresh(ctx);
    const pith_status good = pith_params_set(ctx, params, "lambda", "0.25");
    const pith_status comma = pith_params_set(ctx, params, "lambda", "0,5");
    assert_shows(ctx, params, "lambda", "0.25");
    (void)setlocale(LC_ALL, "C");
    assert_int_equal(good, PITH_OK);
    assert_int_equal(comma, PITH_E_PARAMETER);
    pith_params_free(params);
}

static void a_text_too_long_for_its_place_is_cut(void **state)
{
    pith_ctx *ctx = *state;
    pith_params *params = fresh(ctx);
    char text[4] = "###";
    assert_ok(ctx, pith_params_get(ctx, params, "lambda", text, sizeof text));
    assert_string_equal(text, "0.0");
    assert_ok(ctx, pith_params_get(ctx, params, "lambda", NULL, 0));
    pith_params_free(params);
}

static void calls_that_make_no_sense_are_refused(void **state)
{
    pith_ctx *ctx = *state;
    pith_params *params = fresh(ctx), *none = NULL;
    char text[8];
    assert_int_equal(pith_params_new(NULL, &method, &none), PITH_E_ARGUMENT);
    assert_int_equal(pith_params_new(ctx, pith_method_find("laplacain"), &none), PITH_E_ARGUMENT);
    assert_non_null(strstr(pith_ctx_message(ctx), "a name that it does not know"));
    assert_int_equal(pith_params_new(ctx, &method, NULL), PITH_E_ARGUMENT);
    assert_int_equal(pith_params_set(ctx, NULL, "lambda", "1"), PITH_E_ARGUMENT);
    assert_int_equal(pith_params_set(ctx, params, NULL, "1"), PITH_E_ARGUMENT);
    assert_int_equal(pith_params_set(ctx, params, "lambda", NULL), PITH_E_ARGUMENT);
    assert_int_equal(pith_params_get(ctx, NULL, "lambda", text, sizeof text), PITH_E_ARGUMENT);
    assert_int_equal(pith_params_get(ctx, params, NULL, text, sizeof text), PITH_E_ARGUMENT);
    assert_int_equal(pith_params_get(ctx, params, "lambda", NULL, 5), PITH_E_ARGUMENT);
    assert_int_equal(pith_params_get(ctx, params, "zebra", text, sizeof text), PITH_E_PARAMETER);
    assert_null(none);
    pith_params_free(params);
}

static void a_copy_is_a_second_one(void **state)
{
    pith_ctx *ctx = *state;
    pith_params *a = fresh(ctx), *b = NULL;
    assert_ok(ctx, pith_params_set(ctx, a, "rounds", "5"));
    assert_ok(ctx, pith_i_params_copy(ctx, a, &b));
    assert_ok(ctx, pith_params_set(ctx, a, "rounds", "6"));
    assert_shows(ctx, b, "rounds", "5");
    pith_params_free(a);
    assert_shows(ctx, b, "width", "auto");
    pith_params_free(b);
}

static void labels_to_start_from_are_copied_and_numbered_without_gaps(void **state)
{
    pith_ctx *ctx = *state;
    pith_params *a = fresh(ctx), *b = NULL;
    int32_t given[] = {40, -3, 40, 7};
    static const int32_t want[] = {2, 0, 2, 1};
    assert_shows(ctx, a, "init_labels", "");
    assert_ok(ctx, pith_params_set_init_labels(ctx, a, 4, given));
    given[0] = 0;
    assert_ok(ctx, pith_i_params_copy(ctx, a, &b));
    assert_ok(ctx, pith_params_set_init_labels(ctx, a, 0, NULL));
    assert_shows(ctx, a, "init_labels", "");
    assert_int_equal(pith_i_params_shared(a)->start.n, 0);
    pith_params_free(a);
    const pith_i_start *start = &pith_i_params_shared(b)->start;
    assert_shows(ctx, b, "init_labels", "(given)");
    assert_int_equal(start->n, 4);
    assert_int_equal(start->clusters, 3);
    assert_memory_equal(start->label, want, sizeof want);
    pith_params_free(b);
}

static void labels_to_start_from_are_read_by_their_text(void **state)
{
    pith_ctx *ctx = *state;
    pith_params *params = fresh(ctx);
    static const int32_t want[] = {1, 0, 1, 1};
    char folder[] = "/tmp/pith-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/labels", folder);
    const struct {
        const char *text;
        pith_status st;
    } files[] = {{"b\na\r\n b\nb\n\n", PITH_OK}, {"", PITH_E_DATA}, {"a\na\n", PITH_E_PARAMETER}};
    for (size_t f = 0; f < COUNT(files); f++) {
        FILE *out = fopen(path, "w");
        assert_non_null(out);
        (void)fputs(files[f].text, out);
        (void)fclose(out);
        assert_int_equal(pith_params_set(ctx, params, "init_labels", path), files[f].st);
        assert_true(files[f].st == PITH_OK || strstr(pith_ctx_message(ctx), path) != NULL);
        assert_shows(ctx, params, "init_labels", path); /* what was there stays */
        assert_memory_equal(pith_i_params_shared(params)->start.label, want, sizeof want);
    }
    (void)remove(path);
    (void)remove(folder);
    assert_int_equal(pith_params_set(ctx, params, "init_labels", path), PITH_E_FILE);
    assert_ok(ctx, pith_params_set(ctx, params, "init_labels", ""));
    assert_shows(ctx, params, "init_labels", "");
    assert_int_equal(pith_params_set_init_labels(ctx, NULL, 4, want), PITH_E_ARGUMENT);
    assert_int_equal(pith_params_set_init_labels(ctx, params, 4, NULL), PITH_E_ARGUMENT);
    assert_int_equal(pith_params_set_init_labels(ctx, params, -1, want), PITH_E_ARGUMENT);
    pith_params_free(params);
}

static pith_status make_two(pith_ctx *ctx, void *arg)
{
    static const int32_t labels[] = {0, 1, 0};
    pith_params *a = NULL, *b = NULL;
    pith_status st = PITH_OK;
    (void)arg;
    TRY(pith_params_new(ctx, &method, &a));
    TRY(pith_i_params_start(ctx, a, "somewhere", 3, labels));
    TRY(pith_i_params_copy(ctx, a, &b));
done:
    pith_params_free(a);
    pith_params_free(b);
    return st;
}

static void failing_allocations_are_survived(void **state)
{
    assert_survives_failing_allocations(*state, make_two, NULL, 9);
}

static void holds(pith_ctx *ctx, const pith_params *params, const char *name, const char *value)
{
    char text[64];
    assert_ok(ctx, pith_params_get(ctx, params, name, text, sizeof text));
    assert_string_equal(text, value);
}

static void values_can_be_set_by_their_type(void **state)
{
    pith_ctx *ctx = *state;
    pith_params *params = fresh(ctx);
    const settings *s = params->values;
    assert_ok(ctx, pith_params_set_int(ctx, params, "rounds", INT64_C(9007199254740992)));
    assert_int_equal(s->rounds, INT64_C(9007199254740992));
    assert_ok(ctx, pith_params_set_real(ctx, params, "lambda", 0.1));
    assert_true(s->lambda == 0.1);
    assert_ok(ctx, pith_params_set_int(ctx, params, "lambda", 3));
    assert_true(s->lambda == 3);
    assert_ok(ctx, pith_params_set_bool(ctx, params, "sparse", false));
    assert_false(s->sparse);
    assert_ok(ctx, pith_params_set_choice(ctx, params, "weight", "binary"));
    holds(ctx, params, "weight", "binary");
    assert_ok(ctx, pith_params_set_real(ctx, params, "tol", 0.25));
    assert_ok(ctx, pith_params_set_real(ctx, params, "tol", (double)NAN));
    holds(ctx, params, "tol", "auto");
    pith_params_free(params);
}

static void values_of_another_type_or_range_are_refused(void **state)
{
    pith_ctx *ctx = *state;
    pith_params *params = fresh(ctx);
    assert_int_equal(pith_params_set_real(ctx, params, "rounds", 3), PITH_E_PARAMETER);
    assert_string_equal(pith_ctx_message(ctx), "rounds: is a whole number, not a number");
    assert_int_equal(pith_params_set_choice(ctx, params, "lambda", "1"), PITH_E_PARAMETER);
    assert_int_equal(pith_params_set_bool(ctx, params, "weight", true), PITH_E_PARAMETER);
    assert_int_equal(pith_params_set_int(ctx, params, "rounds", INT64_MAX), PITH_E_PARAMETER);
    assert_int_equal(pith_params_set_int(ctx, params, "rounds", 0), PITH_E_PARAMETER);
    assert_int_equal(pith_params_set_real(ctx, params, "lambda", (double)NAN), PITH_E_PARAMETER);
    assert_int_equal(pith_params_set_real(ctx, params, "lambda", (double)INFINITY), PITH_E_PARAMETER);
    assert_int_equal(pith_params_set_choice(ctx, params, "weight", "binry"), PITH_E_PARAMETER);
    assert_non_null(strstr(pith_ctx_message(ctx), "did you mean 'binary'?"));
    assert_int_equal(pith_params_set_int(ctx, params, "round", 3), PITH_E_PARAMETER);
    assert_non_null(strstr(pith_ctx_message(ctx), "rounds"));
    assert_int_equal(pith_params_set_choice(ctx, params, "weight", NULL), PITH_E_ARGUMENT);
    assert_int_equal(pith_params_set_int(ctx, NULL, "rounds", 3), PITH_E_ARGUMENT);
    holds(ctx, params, "rounds", "30");
    holds(ctx, params, "weight", "heat");
    pith_params_free(params);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(defaults_are_those_of_the_table),
        TEST(what_was_set_is_shown_so_that_it_can_be_set_again),
        TEST(what_is_out_of_range_is_refused_with_the_range),
        TEST(values_can_be_set_by_their_type),
        TEST(values_of_another_type_or_range_are_refused),
        TEST(the_locale_changes_neither_reading_nor_showing),
        TEST(a_text_too_long_for_its_place_is_cut),
        TEST(calls_that_make_no_sense_are_refused),
        TEST(a_copy_is_a_second_one),
        TEST(labels_to_start_from_are_copied_and_numbered_without_gaps),
        TEST(labels_to_start_from_are_read_by_their_text),
        TEST(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests_name("params", tests, NULL, NULL);
}
