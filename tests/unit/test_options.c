#include "core/options.h"
#include "unit/support.h"

#include <string.h>

/* A struct of this library, as it was first and as it will be. */
typedef struct options_first {
    size_t size;
    int64_t a;
} options_first;
typedef struct options {
    size_t size;
    int64_t a, b;
} options;
typedef struct options_later {
    size_t size;
    int64_t a, b, c;
} options_later;

static pith_status take(pith_ctx *ctx, const void *given, options *out)
{
    return pith_i_options_take(ctx, "options", given, sizeof(options_first), sizeof *out, out);
}

static void no_options_are_all_zero(void **state)
{
    options o = {1, 2, 3};
    assert_ok(*state, take(*state, NULL, &o));
    assert_true(o.size == 0 && o.a == 0 && o.b == 0);
}

static void a_size_of_zero_is_the_first_version(void **state)
{
    options o;
    const options_first old = {.a = 5};
    assert_ok(*state, take(*state, &old, &o));
    assert_true(o.a == 5 && o.b == 0);
    const options garbage = {.a = 5, .b = 7}; /* what lies behind the struct of such a caller */
    assert_ok(*state, take(*state, &garbage, &o));
    assert_int_equal(o.b, 0);
}

static void older_newer_and_same_programs_are_understood(void **state)
{
    options o;
    const options_first old = {sizeof old, 5};
    const options same = {sizeof same, 5, 6};
    const options_later newer = {sizeof newer, 5, 6, 0};
    assert_ok(*state, take(*state, &old, &o));
    assert_true(o.a == 5 && o.b == 0);
    assert_ok(*state, take(*state, &same, &o));
    assert_true(o.a == 5 && o.b == 6);
    assert_ok(*state, take(*state, &newer, &o));
    assert_true(o.a == 5 && o.b == 6);
}

static void a_field_that_is_set_and_unknown_is_refused(void **state)
{
    options o;
    const options_later newer = {sizeof newer, 5, 6, 7};
    assert_int_equal(take(*state, &newer, &o), PITH_E_ARGUMENT);
    assert_non_null(strstr(pith_ctx_message(*state), "built for a newer one"));
}

static void a_size_that_cannot_be_is_refused(void **state)
{
    options o;
    const options_first wrong = {.size = 8, .a = 1};
    assert_int_equal(take(*state, &wrong, &o), PITH_E_ARGUMENT);
    /* A program of 0.1 that sets the first field by position has a pointer here, or what lay on its stack. */
    const options_later pointer = {(size_t)(uintptr_t) "X", 1, 2, 3};
    assert_int_equal(take(*state, &pointer, &o), PITH_E_ARGUMENT);
    assert_non_null(strstr(pith_ctx_message(*state), "set it to sizeof"));
}

/* Every function of pith.h that takes such a struct looks at its size. */
static void all_functions_look_at_the_size(void **state)
{
    pith_ctx *ctx = *state;
    pith_matrix *m = NULL, *other = NULL;
    pith_comparison *c = NULL;
    pith_blobs blobs = PITH_OPTIONS(pith_blobs);
    pith_read_options reading = {.size = 1};
    pith_compare_options compare = {.size = 1};
    pith_kmeans_options kmeans = {.size = 1, .clusters = 2};
    const char *path = "x.txt";
    int32_t labels[20];
    blobs.n = 20;
    blobs.p = 3;
    blobs.clusters = 2;
    blobs.density = 1;
    assert_ok(ctx, pith_synth_blobs(ctx, &blobs, &m));
    blobs.size = 1;
    assert_int_equal(pith_synth_blobs(ctx, &blobs, &other), PITH_E_ARGUMENT);
    assert_int_equal(pith_matrix_read(ctx, "x.csv", &reading, &other), PITH_E_ARGUMENT);
    assert_int_equal(pith_prep_read(ctx, path, "text", &reading, &other), PITH_E_ARGUMENT);
    assert_int_equal(pith_prep_read_files(ctx, 1, &path, "text", &reading, &other), PITH_E_ARGUMENT);
    assert_int_equal(pith_compare(ctx, m, &compare, &c), PITH_E_ARGUMENT);
    assert_int_equal(pith_kmeans(ctx, m, &kmeans, labels, NULL, NULL), PITH_E_ARGUMENT);
    assert_null(other);
    assert_null(c);
    const pith_compare_options quick = {.methods = "variance", .features = "2", .restarts = 1};
    const pith_comparison_about about = {.size = 1};
    assert_ok(ctx, pith_compare(ctx, m, &quick, &c));
    assert_int_equal(pith_comparison_write(ctx, c, &about, PITH_CSV, "/dev/null"), PITH_E_ARGUMENT);
    assert_int_equal(pith_comparison_write(ctx, c, NULL, (pith_format)17, "/dev/null"), PITH_E_ARGUMENT);
    pith_comparison_free(c);
    pith_matrix_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(no_options_are_all_zero),
        TEST(a_size_of_zero_is_the_first_version),
        TEST(older_newer_and_same_programs_are_understood),
        TEST(a_field_that_is_set_and_unknown_is_refused),
        TEST(a_size_that_cannot_be_is_refused),
        TEST(all_functions_look_at_the_size),
    };
    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
