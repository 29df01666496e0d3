/* What messages show of a text. */
#include "io/fields.h"
#include "support.h"

#include <string.h>

static void assert_shown(const char *text, const char *want)
{
    char shown[PITH_I_SHOWN];
    assert_string_equal(pith_i_show(text, (int64_t)strlen(text), shown), want);
}

static void a_shown_text_is_printable_and_has_an_end(void **state)
{
    (void)state;
    assert_shown("", "''");
    assert_shown("a\tb\x7f", "'a?b?'");
    assert_shown("1234567890123456789012345678901234567890", "'1234567890123456789012345678901234567890'");
    assert_shown("12345678901234567890123456789012345678901",
                 "'1234567890123456789012345678901234567890...'");
}

static void a_long_text_is_cut_between_characters(void **state)
{
    (void)state;
    assert_shown("123456789012345678901234567890123456789\u00e9x",
                 "'123456789012345678901234567890123456789...'");
    assert_shown("12345678901234567890123456789012345678\u00e9x",
                 "'12345678901234567890123456789012345678\u00e9...'");
    assert_shown("1234567890123456789012345678901234567\U0001f600",
                 "'1234567890123456789012345678901234567...'");
    /* What is no UTF-8 is cut after 40 bytes. */
    assert_shown("123456789012345678901234567890123456\x80\x80\x80\x80\x80",
                 "'123456789012345678901234567890123456\x80\x80\x80\x80...'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_shown_text_is_printable_and_has_an_end),
        TEST(a_long_text_is_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
