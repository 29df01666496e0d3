#include "core/random.h"
#include "core/text.h"
#include "unit/german.h"
#include "unit/support.h"

#include <float.h>

static double parsed(const char *text)
{
    double v = -12345;
    assert_true(pith_i_parse_double(text, &v));
    return v;
}

static void numbers_are_read_as_the_c_locale_writes_them(void **state)
{
    (void)state;
    assert_true(parsed("1.5") == 1.5);
    assert_true(parsed("-2e-3") == -0.002);
    assert_true(parsed("+7") == 7);
    assert_true(parsed(".5") == 0.5);
    assert_true(parsed("1e309") == (double)INFINITY);
    assert_true(isnan(parsed("nan")));
}

static void what_is_no_number_leaves_the_value_alone(void **state)
{
    (void)state;
    static const char *const none[] = {"", " ", " 1", "1 ", "1,5", "1.5x", "x", "--1", "1e", "\t2", "1\n"};
    for (size_t t = 0; t < COUNT(none); t++) {
        double v = 42;
        assert_false(pith_i_parse_double(none[t], &v));
        assert_true(v == 42);
    }
}

static void numbers_are_written_in_the_fewest_digits(void **state)
{
    (void)state;
    static const struct {
        double v;
        const char *text;
    } known[] = {
        {0, "0"},
        {-0.0, "-0"},
        {1, "1"},
        {0.1, "0.1"},
        {-2.5, "-2.5"},
        {1e21, "1e+21"},
        {100000, "100000"},
        {1.0 / 3, "0.3333333333333333"},
        {0.1 + 0.2, "0.30000000000000004"},
        {DBL_MAX, "1.7976931348623157e+308"},
        {DBL_MIN, "2.2250738585072014e-308"},
        {5e-324, "5e-324"},
        {1.5e-310, "1.5e-310"},
        {9007199254740993.0, "9007199254740992"},
    };
    char text[PITH_I_NUMBER_TEXT];
    for (size_t t = 0; t < COUNT(known); t++)
        assert_string_equal(pith_i_format_double(known[t].v, text), known[t].text);
}

/* Any bits at all: subnormal numbers and the largest ones among them. */
static void every_number_reads_back_as_itself(void **state)
{
    (void)state;
    pith_i_stream s = pith_i_stream_at(3, PITH_I_RANDOM_BENCH, 0);
    char text[PITH_I_NUMBER_TEXT];
    for (int t = 0; t < 20000; t++) {
        uint64_t bits = (uint64_t)pith_i_random_u32(&s) << 32 | pith_i_random_u32(&s);
        if (t % 4 == 0)
            bits &= 0x800FFFFFFFFFFFFF; /* subnormal */
        double v = 0;
        memcpy(&v, &bits, sizeof v);
        if (!isfinite(v))
            continue;
        const double back = parsed(pith_i_format_double(v, text));
        assert_memory_equal(&back, &v, sizeof v);
    }
}

static void the_locale_of_the_process_does_not_matter(void **state)
{
    (void)state;
    char text[PITH_I_NUMBER_TEXT];
    double v = 0;
    skip_unless_german();
    assert_string_equal(pith_i_format_double(1.5, text), "1.5");
    assert_string_equal(pith_i_format_double(1.0 / 3, text), "0.3333333333333333");
    assert_true(parsed("1.5") == 1.5);
    assert_false(pith_i_parse_double("1,5", &v));
    (void)snprintf(text, sizeof text, "%.1f", 2.5);
    assert_string_equal(text, "2,5"); /* the caller's own setting is as it was */
    (void)setlocale(LC_ALL, "C");
}

static const char *const methods[] = {"variance", "laplacian", "spec", "mcfs", "ht-des", "cl-des", NULL};

static void one_slip_of_the_finger_is_forgiven(void **state)
{
    (void)state;
    static const char *const slips[][2] = {
        {"laplacian", "laplacian"},  {"lapacian", "laplacian"},  {"laplacain", "laplacian"},
        {"laplacianx", "laplacian"}, {"kaplacian", "laplacian"}, {"psec", "spec"},
        {"variances", "variance"},   {"mcfa", "mcfs"},           {"htdes", "ht-des"},
        {"cl_des", "cl-des"},
    };
    for (size_t t = 0; t < COUNT(slips); t++) {
        assert_non_null(pith_nearest(slips[t][0], methods));
        assert_string_equal(pith_nearest(slips[t][0], methods), slips[t][1]);
    }
}

static void case_and_unfinished_words_are_near(void **state)
{
    (void)state;
    assert_string_equal(pith_nearest("MCFS", methods), "mcfs");
    assert_string_equal(pith_nearest("Laplacian", methods), "laplacian");
    assert_string_equal(pith_nearest("LAPALCIAN", methods), "laplacian");
    assert_string_equal(pith_nearest("lap", methods), "laplacian");
    assert_string_equal(pith_nearest("va", methods), "variance");
}

static void another_word_is_not_near(void **state)
{
    (void)state;
    char endless[400];
    memset(endless, 'l', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    assert_null(pith_nearest("random-forest", methods));
    assert_null(pith_nearest("xyz", methods));
    assert_null(pith_nearest("", methods));
    static const char *const letters[] = {"p", "k1", NULL};
    assert_string_equal(pith_nearest("P", letters), "p");
    assert_string_equal(pith_nearest("k", letters), "k1");
    assert_null(pith_nearest("q", letters)); /* every letter is one edit away */
    assert_null(pith_nearest(endless, methods));
    assert_null(pith_nearest("spec", (const char *const[]){NULL}));
    assert_null(pith_nearest(NULL, methods));
    assert_null(pith_nearest("spec", NULL));
}

static void of_equally_near_words_the_first_is_taken(void **state)
{
    (void)state;
    static const char *const words[] = {"beta", "beth", NULL};
    assert_string_equal(pith_nearest("betx", words), "beta");
    assert_string_equal(pith_nearest("beth", words), "beth");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read_as_the_c_locale_writes_them),
        cmocka_unit_test(what_is_no_number_leaves_the_value_alone),
        cmocka_unit_test(numbers_are_written_in_the_fewest_digits),
        cmocka_unit_test(every_number_reads_back_as_itself),
        cmocka_unit_test(the_locale_of_the_process_does_not_matter),
        cmocka_unit_test(one_slip_of_the_finger_is_forgiven),
        cmocka_unit_test(case_and_unfinished_words_are_near),
        cmocka_unit_test(another_word_is_not_near),
        cmocka_unit_test(of_equally_near_words_the_first_is_taken),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
