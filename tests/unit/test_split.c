/* Where words begin and end: 64 bytes at a time, as one character after the other says. */
#include "prep/split.h"

#include "core/random.h"
#include "support.h"

#include <stdio.h>
#include <utf8proc.h>

/* The words between bars: "don't|stop"; "!5": not UTF-8 at byte 5. */
static const char *by_blocks(pith_i_kinds *kinds, const char *text, int64_t length, char said[4096])
{
    pith_i_split s = {.kinds = kinds, .text = text, .end = text + length};
    const char *from = NULL;
    char *to = said;
    while (pith_i_split_next(&s)) {
        uint64_t starts = s.starts;
        for (uint64_t ends = s.ends; ends != 0; ends &= ends - 1) {
            if (from == NULL) {
                assert_true(starts != 0);
                from = s.block + __builtin_ctzll(starts);
                starts &= starts - 1;
            }
            const char *end = s.block + __builtin_ctzll(ends);
            assert_true(from < end && end <= text + length);
            to += sprintf(to, "%s%.*s", to > said ? "|" : "", (int)(end - from), from);
            from = NULL;
        }
        if (starts != 0) {
            assert_true((starts & (starts - 1)) == 0);
            from = s.block + __builtin_ctzll(starts);
        }
    }
    if (s.bad != NULL)
        (void)sprintf(said, "!%d", (int)(s.bad - text));
    else
        assert_null(from);
    *to = s.bad != NULL ? *to : '\0';
    return said;
}

static bool is_in_word(pith_i_char kind)
{
    return kind == CHAR_LETTER || kind == CHAR_DIGIT;
}

/* The same by the definition. */
static const char *by_characters(const char *text, int64_t length, char said[4096])
{
    const char *end = text + length;
    pith_i_char before = CHAR_OTHER;
    bool open = false;
    char *to = said;
    *to = '\0';
    for (const char *at = text; at < end;) {
        int bytes = 0, next = 0;
        pith_i_char kind = pith_i_char_at(at, end, &bytes);
        if (bytes == 0) {
            (void)sprintf(said, "!%d", (int)(at - text));
            return said;
        }
        if (kind == CHAR_APOSTROPHE && before == CHAR_LETTER && at + bytes < end &&
            pith_i_char_at(at + bytes, end, &next) == CHAR_LETTER)
            kind = CHAR_LETTER;
        if (is_in_word(kind) || kind == CHAR_ALONE)
            to += sprintf(to, "%s%.*s", to > said && !(open && is_in_word(kind)) ? "|" : "", bytes, at);
        open = is_in_word(kind);
        before = kind;
        at += bytes;
    }
    return said;
}

static void assert_split(pith_i_kinds *kinds, const char *text, int64_t length)
{
    static char blocks[4096], characters[4096];
    /* Its own block, so that the sanitizers see what is read behind it. */
    char *copy = malloc(length > 0 ? (size_t)length : 1);
    memcpy(copy, text, (size_t)length);
    (void)by_blocks(kinds, copy, length, blocks);
    (void)by_characters(copy, length, characters);
    free(copy);
    if (strcmp(blocks, characters) != 0)
        fail_msg("'%.*s': %s, not %s", (int)length, text, blocks, characters);
}

static void words_end_where_the_definition_says(void **state)
{
    static const struct {
        const char *text, *said;
    } cases[] = {
        {"", ""},
        {"a", "a"},
        {"don't stop, rock'n'roll: dogs' 'em 90's a''b", "don't|stop|rock'n'roll|dogs|em|90|s|a|b"},
        {"l\u2019\u00e9t\u00e9 \u00e9'\u00e9 \u00e9\u02bcx",
         "l\u2019\u00e9t\u00e9|\u00e9'\u00e9|\u00e9\u02bcx"},
        {"a\u65e5\u672cb'\u8a9e'c", "a|\u65e5|\u672c|b|\u8a9e|c"},
        {"\u0663'x e\u0301x \u2014\u00ab", "\u0663|x|e\u0301x"},
        {"ab\xff", "!2"},
        {"ab'\xc3", "!3"},
    };
    pith_i_kinds kinds = {0};
    char said[4096];
    (void)state;
    for (size_t k = 0; k < COUNT(cases); k++) {
        const int64_t length = (int64_t)strlen(cases[k].text);
        assert_string_equal(by_characters(cases[k].text, length, said), cases[k].said);
        assert_string_equal(by_blocks(&kinds, cases[k].text, length, said), cases[k].said);
    }
}

/* Each piece before, on and behind the border of a block, with each other one beside it. */
static void borders_of_blocks_are_no_borders_of_words(void **state)
{
    static const char *const pieces[] = {"a",      "'",      " ",      "7",          "\u00e9", "\u2019",
                                         "\u65e5", "\u00ab", "\u0301", "\U0001d49c", "\xff",   "\xe2\x80"};
    pith_i_kinds kinds = {0};
    (void)state;
    for (size_t k = 0; k < COUNT(pieces) * COUNT(pieces); k++)
        for (int before = 56; before <= 66; before++) {
            char text[256];
            int length = 0;
            for (; length < before; length++)
                text[length] = k % 2 == 0 ? 'x' : ' ';
            length += sprintf(text + length, "%s%s", pieces[k % COUNT(pieces)], pieces[k / COUNT(pieces)]);
            assert_split(&kinds, text, length);
            length += sprintf(text + length, "%sy'y", pieces[(k / 3) % COUNT(pieces)]);
            assert_split(&kinds, text, length);
        }
}

static void any_text_is_split_alike(void **state)
{
    static const char *const pieces[] = {"a",      "Z",      "e",          " ",      " ",     "-",
                                         "'",      "\u2019", "\u00e9",     "\u042f", "5",     "\u65e5",
                                         "\u3042", "\u0301", "\U00020000", "\u07ff", "\u0800"};
    pith_i_stream r = pith_i_stream_at(1, PITH_I_RANDOM_BENCH, 0);
    pith_i_kinds kinds = {0};
    (void)state;
    for (int trial = 0; trial < trials(3000); trial++) {
        char text[1024], *to = text;
        const int many = (int)pith_i_random_below(&r, 140);
        for (int i = 0; i < many; i++)
            to += sprintf(to, "%s", pieces[pith_i_random_below(&r, COUNT(pieces))]);
        if (trial % 5 == 0 && to > text) /* some byte, so that it may be UTF-8 no more */
            text[pith_i_random_below(&r, to - text)] = (char)(128 + pith_i_random_below(&r, 128));
        assert_split(&kinds, text, to - text);
    }
}

static void every_byte_has_its_class(void **state)
{
    pith_i_kinds kinds = {0};
    (void)state;
    for (int c = 1; c < 256; c++) {
        const char text[4] = {'a', (char)c, 'b', (char)c};
        assert_split(&kinds, text, 4);
        assert_split(&kinds, text + 1, 1);
    }
    for (uint32_t c = 0x80; c < PITH_I_SHORT_CHARS; c++)
        for (int again = 0; again < 2; again++) { /* asked, then known */
            const char text[] = {'a', (char)(0xC0 | c >> 6), (char)(0x80 | (c & 0x3F)), 'b'};
            assert_split(&kinds, text, 4);
            assert_int_equal(kinds.of[c], 1 + pith_i_char_kind(c));
        }
}

/* So words in lower case may stand beside the words of the text. */
static void lower_case_is_in_lower_case(void **state)
{
    static const char *const marks[] = {"", "\u0301", "\u0307", "\u0345", "'"};
    char word[16], once[PITH_I_WORD_ROOM], twice[PITH_I_WORD_ROOM];
    (void)state;
    for (uint32_t c = 0x41; c < 0x20000; c += (c < 0x2000 && !short_run() ? 1 : 53)) {
        if ((c >= 0xD800 && c <= 0xDFFF) || pith_i_char_kind(c) != CHAR_LETTER)
            continue;
        for (size_t m = 0; m < COUNT(marks); m++) {
            const int bytes = (int)utf8proc_encode_char((utf8proc_int32_t)c, (utf8proc_uint8_t *)word);
            const int length = bytes + sprintf(word + bytes, "%s", marks[m]);
            const int64_t first = pith_i_word_lower(word, length, once);
            assert_int_equal(pith_i_word_lower(once, first, twice), first);
            assert_memory_equal(once, twice, (size_t)first);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_end_where_the_definition_says),
        cmocka_unit_test(borders_of_blocks_are_no_borders_of_words),
        cmocka_unit_test(any_text_is_split_alike),
        cmocka_unit_test(every_byte_has_its_class),
        cmocka_unit_test(lower_case_is_in_lower_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
