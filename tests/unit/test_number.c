#include "support.h"

#include "german.h"

#include "core/number.h"
#include "core/random.h"

#include <float.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static uint64_t bits_of(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static double of_bits(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Our scanner and the C library agree to the bit, and stop at the same place. */
static void check(const char *text)
{
    char *want_end = NULL;
    double got = -77;
    const double want = strtod(text, &want_end);
    const char *end = pith_i_scan_double(text, text + strlen(text), &got);
    if (want_end == text) {
        assert_null(end);
        return;
    }
    if (end != want_end || (bits_of(got) != bits_of(want) && !(isnan(got) && isnan(want))))
        fail_msg("'%s': %a, not %a; stops after %td, not %td", text, got, want, end == NULL ? -1 : end - text,
                 want_end - text);
}

static uint64_t random_u64(pith_i_stream *s)
{
    const uint64_t high = pith_i_random_u32(s);
    return high << 32 | pith_i_random_u32(s);
}

/* clang-format off */
static const char *const forms[] = {
    "0", "-0", "+0", "0.0", "-.5", ".5", "5.", ".", "-", "+", "", " ", "e5", ".e5", "1e", "1e+", "1e-x",
    "1e5", "1E5", "1e+5", "1e-5", "1.5e3x", "12abc", " 7", "\t\n7", "- 7", "--7", "+-7", "1..2", "1.2.3",
    "inf", "-inf", "Infinity", "infinit", "INFx", "nan", "-NaN", "nan(", "nan()", "nan(12_a)", "nan(1 )",
    "n", "i", "in", "1e400", "-1e400", "1e-400", "1e308", "1.7976931348623157e308",
    "1.7976931348623158e308", "1.7976931348623159e308", "2.2250738585072014e-308",
    "2.2250738585072011e-308", "4.9406564584124654e-324", "2.4703282292062327e-324",
    "2.4703282292062328e-324", "5e-324", "9007199254740993", "9007199254740992", "9007199254740991",
    "9007199254740993.00000000000000000000000000000000001", "18446744073709551615", "18446744073709551616",
    "9999999999999999999", "99999999999999999999", "0.1", "0.3", "1e22", "1e23", "1e-22", "1e-23",
    "123456789012345678901234567890", "0.000000000000000000000000000000012345",
    "00000000000000000000000000000001.5", "1e99999999999999999999", "1e-99999999999999999999",
    "0e99999999999999999999", "1,5", "1 2", "1_0", "5.000000000000000000e-01", "6.5e+00", "1e0000000005",
    "7.2057594037927933e16", "4503599627370496.5", "4503599627370497.5",
    "1.00000000000000011102230246251565404236316680908203125",
    "1.00000000000000011102230246251565404236316680908203124",
    "1.00000000000000011102230246251565404236316680908203126",
};
/* clang-format on */

static void scan_agrees_with_strtod_on_every_form(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(forms); i++)
        check(forms[i]);
}

static void scan_does_not_take_hexadecimal(void **state)
{
    double v = 0;
    const char *text = "0x10";
    (void)state;
    assert_ptr_equal(pith_i_scan_double(text, text + 4, &v), text + 1);
    assert_true(v == 0);
}

static void scan_rounds_random_numbers_correctly(void **state)
{
    pith_i_stream s = pith_i_stream_at(7, PITH_I_RANDOM_BENCH, 0);
    char text[64];
    (void)state;
    for (int round = 0; round < trials(200000); round++) {
        const double v = of_bits(random_u64(&s)); /* every exponent, subnormals too */
        const int digits = 1 + (int)pith_i_random_below(&s, 25);
        (void)snprintf(text, sizeof text, "%.*g", digits, v);
        check(text);
        (void)snprintf(text, sizeof text, "%llue%d", (unsigned long long)random_u64(&s),
                       (int)pith_i_random_below(&s, 700) - 360);
        check(text);
        (void)snprintf(text, sizeof text, "%.*f", digits % 12, pith_i_random_normal(&s) * 1e3);
        check(text);
    }
}

/* Decimals that lie between two doubles to the last digit, and one unit on either side. */
static void scan_rounds_halfway_cases_to_even(void **state)
{
    pith_i_stream s = pith_i_stream_at(8, PITH_I_RANDOM_BENCH, 0);
    char text[1200];
    (void)state;
    for (int round = 0; round < trials(20000); round++) {
        /* 54 significant bits: the half between two doubles, written out in full. */
        const uint64_t half = (random_u64(&s) >> 10) | UINT64_C(1) << 53 | 1;
        const int power = (int)pith_i_random_below(&s, 120) - 60;
        const long double v = ldexpl((long double)half, power);
        const int length = snprintf(text, sizeof text, "%.*Lf", power < 0 ? -power : 0, v);
        check(text);
        text[length] = '1'; /* a digit more: just above, after the point or as a larger number */
        text[length + 1] = '\0';
        if (power < 0)
            check(text);
        text[length - 1]--; /* the last digit is 5 or even, never 0 */
        text[length] = '\0';
        check(text);
    }
}

/* Every power of ten with one digit and with the most that fit into 64 bits, and their neighbours: each row
 * of the table of powers, and both ends of the range, where zero and infinity begin. */
static void scan_rounds_every_power_of_ten(void **state)
{
    static const char *const mantissas[] = {
        "1", "9", "9007199254740993", "17976931348623157", "9999999999999999999", "10000000000000000001"};
    char text[64];
    (void)state;
    for (size_t i = 0; i < COUNT(mantissas); i++)
        for (int q = -400; q <= 400; q++) {
            (void)snprintf(text, sizeof text, "%se%d", mantissas[i], q);
            check(text);
        }
}

/* Around the limits of normal and subnormal numbers: each double, and the half between it and the next. */
static void scan_rounds_at_the_limits(void **state)
{
    static const uint64_t limits[] = {UINT64_C(1), UINT64_C(1) << 52, UINT64_C(2046) << 52,
                                      (UINT64_C(2047) << 52) - 40};
    char text[1200];
    (void)state;
    for (size_t i = 0; i < COUNT(limits); i++)
        for (uint64_t step = 0; step < 40; step++) {
            const uint64_t bits = limits[i] + step - (limits[i] == UINT64_C(1) << 52 ? 20 : 0);
            const double v = of_bits(bits);
            const long double half = v + ((long double)v - of_bits(bits - 1)) / 2;
            for (int digits = 15; digits <= 25; digits++) {
                (void)snprintf(text, sizeof text, "%.*e", digits, v);
                check(text);
                (void)snprintf(text, sizeof text, "%.*Le", digits, half);
                check(text);
            }
            (void)snprintf(text, sizeof text, "%.1100Le", half); /* all its digits */
            check(text);
        }
}

static void scan_takes_thousands_of_digits(void **state)
{
    static char text[6000];
    (void)state;
    memset(text, '3', 5000);
    text[1] = '.';
    check(text);
    memset(text, '0', 5000);
    text[1] = '.';
    text[4999] = '7';
    check(text);
    /* 2^-1074 / 2 in full needs 1075 digits; one digit more tips it. */
    const int length = snprintf(text, sizeof text, "%.1100f", ldexp(1, -1000));
    memcpy(text + length, "0001", 5);
    check(text);
}

/* The text ends where a page ends and the next one is not there: reading on would crash. */
static void scan_never_reads_past_the_end(void **state)
{
    const long page = sysconf(_SC_PAGESIZE);
    static const char *const texts[] = {"1",    "-",      "1.",  "1.5",      "1e",
                                        "1e+",  "1e5",    "inf", "infinit",  "nan",
                                        "nan(", "nan(ab", "  ",  "12345678", "0.12345678901234567"};
    (void)state;
    char *two = mmap(NULL, (size_t)(2 * page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(two, MAP_FAILED);
    assert_int_equal(mprotect(two + page, (size_t)page, PROT_NONE), 0);
    for (size_t i = 0; i < COUNT(texts); i++) {
        const size_t length = strlen(texts[i]);
        double v = 0;
        char *at = two + page - length;
        memcpy(at, texts[i], length);
        const char *end = pith_i_scan_double(at, two + page, &v);
        assert_true(end == NULL || end <= two + page);
        end = pith_i_scan_short(at, two + page, &v);
        assert_true(end == NULL || end <= two + page);
    }
    assert_int_equal(munmap(two, (size_t)(2 * page)), 0);
}

static void scan_short_agrees_where_it_answers(void **state)
{
    pith_i_stream s = pith_i_stream_at(9, PITH_I_RANDOM_BENCH, 0);
    char text[64];
    (void)state;
    for (int round = 0; round < trials(200000); round++) {
        double quick = 0, full = 0;
        const int places = (int)pith_i_random_below(&s, 17);
        const int length = snprintf(text, sizeof text, "%.*f", places, pith_i_random_normal(&s) * 100);
        const char *stop = pith_i_scan_short(text, text + length, &quick);
        assert_ptr_equal(pith_i_scan_double(text, text + length, &full), text + length);
        if (stop != NULL) {
            assert_ptr_equal(stop, text + length);
            assert_true(bits_of(quick) == bits_of(full));
        } else {
            assert_true(places >= 8);
        }
    }
}

static void print_reads_back_as_the_same_double(void **state)
{
    pith_i_stream s = pith_i_stream_at(10, PITH_I_RANDOM_BENCH, 0);
    (void)state;
    for (int round = 0; round < trials(200000); round++) {
        char text[32];
        double v = of_bits(random_u64(&s)), back = 0;
        if (round % 3 == 1)
            v = rint(pith_i_random_normal(&s) * 1e5) / 1e3;
        if (isnan(v))
            continue;
        const int length = pith_i_print_double(v, text);
        assert_int_equal(length, strlen(text));
        assert_ptr_equal(pith_i_scan_double(text, text + length, &back), text + length);
        assert_true(bits_of(back) == bits_of(v));
    }
}

/* %g with the fewest digits from `least` on that strtod reads back as v. */
static const char *by_printf(double v, int least, char text[32])
{
    for (int digits = least; digits <= 17; digits++) {
        (void)snprintf(text, 32, "%.*g", digits, v);
        if (strtod(text, NULL) == v)
            break;
    }
    return text;
}

static void print_agrees_with_printf_on_random_bits(void **state)
{
    pith_i_stream s = pith_i_stream_at(11, PITH_I_RANDOM_BENCH, 0);
    char text[32], want[32];
    (void)state;
    for (int round = 0; round < trials(200000); round++) {
        double v = of_bits(random_u64(&s));
        if (round % 3 == 1)
            v = pith_i_random_normal(&s);
        if (round % 3 == 2)
            v = of_bits(random_u64(&s) >> 12); /* subnormal */
        if (isnan(v))
            continue;
        assert_string_equal(pith_i_format_double(v, text), by_printf(v, fabs(v) < DBL_MIN ? 1 : 15, want));
        (void)pith_i_print_double(v, text);
        /* Others may be written out, and above 1e6 with the other of two texts of 16 digits that read back as
         * v. */
        if (fabs(v) < 1e-4 || (fabs(v) < 1e6 && strlen(want) >= 17) || fabs(v) >= 9007199254740992.0)
            assert_string_equal(text, by_printf(v, 15, want));
    }
}

static void print_is_short_and_plain(void **state)
{
    static const struct {
        double v;
        const char *text;
    } cases[] = {{0, "0"},
                 {-0.0, "-0"},
                 {1, "1"},
                 {-17, "-17"},
                 {0.1, "0.1"},
                 {0.3, "0.3"},
                 {1.5, "1.5"},
                 {0.0312, "0.0312"},
                 {-2.00001, "-2.00001"},
                 {1e15, "1000000000000000"},
                 {1e22, "1e+22"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {1.0 / 3, "0.3333333333333333"},
                 {1e-5, "1e-05"},
                 {(double)INFINITY, "inf"},
                 {-(double)INFINITY, "-inf"},
                 {(double)NAN, "nan"},
                 {9007199254740991.0, "9007199254740991"},
                 {1.7976931348623157e308, "1.7976931348623157e+308"}};
    char text[32];
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        (void)pith_i_print_double(cases[i].v, text);
        assert_string_equal(text, cases[i].text);
    }
}

static void numbers_ignore_the_locale(void **state)
{
    char text[32];
    double v = 0;
    (void)state;
    skip_unless_german();
    (void)pith_i_print_double(1.0 / 3, text);
    const char *slow = "0.1000000000000000055511151231257827021181583404541015625";
    const char *end = pith_i_scan_double(slow, slow + strlen(slow), &v);
    (void)setlocale(LC_ALL, "C");
    assert_string_equal(text, "0.3333333333333333");
    assert_ptr_equal(end, slow + strlen(slow));
    assert_true(v == 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scan_agrees_with_strtod_on_every_form),
        cmocka_unit_test(scan_does_not_take_hexadecimal),
        cmocka_unit_test(scan_rounds_random_numbers_correctly),
        cmocka_unit_test(scan_rounds_halfway_cases_to_even),
        cmocka_unit_test(scan_rounds_every_power_of_ten),
        cmocka_unit_test(scan_rounds_at_the_limits),
        cmocka_unit_test(scan_takes_thousands_of_digits),
        cmocka_unit_test(scan_never_reads_past_the_end),
        cmocka_unit_test(scan_short_agrees_where_it_answers),
        cmocka_unit_test(print_reads_back_as_the_same_double),
        cmocka_unit_test(print_agrees_with_printf_on_random_bits),
        cmocka_unit_test(print_is_short_and_plain),
        cmocka_unit_test(numbers_ignore_the_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
