/* Eight bytes at a time, and what is UTF-8, beside a library's opinion. */
#include "core/bytes.h"

#include "support.h"

#include <utf8proc.h>

static void the_first_byte_is_the_lowest(void **state)
{
    const char text[] = "\x01\x02\x03\x04\x05\x06\x07\x08\x09";
    (void)state;
    assert_true(pith_i_load_eight(text) == UINT64_C(0x0807060504030201));
    assert_true(pith_i_load_eight(text + 1) == UINT64_C(0x0908070605040302));
}

static void every_character_is_read_and_written(void **state)
{
    (void)state;
    for (utf8proc_int32_t c = 0; c <= 0x10FFFF; c += c < 0x3000 || (c > 0xD7F0 && c < 0xE010) ? 1 : 257) {
        utf8proc_uint8_t text[4];
        uint32_t found = 0;
        const char *at = (const char *)text;
        const int bytes = (int)utf8proc_encode_char(c, text);
        const bool half = c >= 0xD800 && c <= 0xDFFF;
        char written[4];
        assert_int_equal(pith_i_utf8(at, at + bytes, &found), half ? 0 : bytes);
        assert_true(half || found == (uint32_t)c);
        if (bytes > 1)
            assert_int_equal(pith_i_utf8(at, at + bytes - 1, &found), 0);
        if (half)
            (void)utf8proc_encode_char(0xFFFD, text);
        assert_int_equal(pith_i_utf8_put((uint32_t)c, written), bytes);
        assert_memory_equal(written, text, (size_t)bytes);
    }
}

/* Bytes on both sides of every border, four in a row. */
static void what_is_no_utf8_is_told(void **state)
{
    static const unsigned char borders[] = {0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC1, 0xC2,
                                            0xDF, 0xE0, 0xE1, 0xED, 0xEF, 0xF0, 0xF4, 0xF5, 0xFF};
    enum { B = COUNT(borders) };
    (void)state;
    for (int k = 0; k < B * B * B * B; k += short_run() ? 23 : 1) {
        const unsigned char text[4] = {borders[k % B], borders[k / B % B], borders[k / B / B % B],
                                       borders[k / B / B / B]};
        const char *at = (const char *)text;
        for (int length = 1; length <= 4; length++) {
            uint32_t ours = 0;
            utf8proc_int32_t theirs = 0;
            const utf8proc_ssize_t bytes = utf8proc_iterate(text, length, &theirs);
            assert_int_equal(pith_i_utf8(at, at + length, &ours), bytes > 0 ? bytes : 0);
            assert_true(bytes <= 0 || ours == (uint32_t)theirs);
        }
    }
}

static void a_prefix_ends_between_characters(void **state)
{
    static const char text[] = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x8D\x8A"; /* characters of 1, 2, 3, 4 bytes */
    static const size_t whole[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10};
    (void)state;
    for (size_t most = 0; most < COUNT(whole); most++)
        assert_int_equal(pith_i_utf8_prefix(text, most), whole[most]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_byte_is_the_lowest),
        cmocka_unit_test(every_character_is_read_and_written),
        cmocka_unit_test(what_is_no_utf8_is_told),
        cmocka_unit_test(a_prefix_ends_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
