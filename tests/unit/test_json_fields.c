/* The fields of a line of JSON: what is taken is what jansson takes, and means the same. */
#include "io/json_fields.h"

#include "support.h"

#include <jansson.h>
#include <stdio.h>

/* The value of "text" and of "n" between bars, as far as this reader tells; "no": not for it. */
static const char *fields(const char *line, int64_t length, char said[1024])
{
    pith_i_json_wanted wanted[] = {{.key = "text"}, {.key = "n"}};
    /* Its own block, so that the sanitizers see what is read behind it. */
    char *copy = malloc(length > 0 ? (size_t)length : 1), *to = said, made[512];
    memcpy(copy, line, (size_t)length);
    if (!pith_i_json_fields(copy, copy + length, 2, wanted)) {
        free(copy);
        return strcpy(said, "no");
    }
    for (int k = 0; k < 2; k++) {
        const pith_i_json_value *v = &wanted[k].value;
        const char *at = v->at;
        int64_t many = v->length;
        if (v->escaped) {
            many = pith_i_json_unescape(v, made);
            at = made;
        }
        to += sprintf(to, "%s", k > 0 ? "|" : "");
        if (v->kind == JSON_FIELD_STRING || v->kind == JSON_FIELD_INTEGER)
            to += sprintf(to, "%.*s", (int)many, at);
        else
            to += sprintf(to, "%s", v->kind == JSON_FIELD_NONE ? "-" : "?");
    }
    free(copy);
    return said;
}

/* The same by jansson. */
static const char *whole(const char *line, int64_t length, char said[1024])
{
    static const char *const keys[] = {"text", "n"};
    json_t *object = json_loadb(line, (size_t)length, JSON_ALLOW_NUL, NULL);
    char *to = said;
    if (!json_is_object(object)) {
        json_decref(object);
        return strcpy(said, "no");
    }
    for (int k = 0; k < 2; k++) {
        const json_t *v = json_object_get(object, keys[k]);
        to += sprintf(to, "%s", k > 0 ? "|" : "");
        if (json_is_string(v))
            to += sprintf(to, "%.*s", (int)json_string_length(v), json_string_value(v));
        else if (json_is_integer(v))
            to += sprintf(to, "%lld", (long long)json_integer_value(v));
        else if (json_is_boolean(v))
            to += sprintf(to, "%s", json_is_true(v) ? "true" : "false");
        else
            to += sprintf(to, "%s", v == NULL ? "-" : "?");
    }
    json_decref(object);
    return said;
}

static void fields_are_found_by_their_keys(void **state)
{
    static const struct {
        const char *line, *said;
    } cases[] = {
        {"{}", "-|-"},
        {" { \"text\" : \"a b\" , \"n\" : -17 }\t", "a b|-17"},
        {"{\"n\":true,\"x\":null,\"text\":\"\"}", "|true"},
        {"{\"text\":\"one\",\"text\":\"two\",\"n\":0,\"n\":false}", "two|false"},
        {"{\"tex\":1,\"textt\":2,\"n\":123456789012345678}", "-|123456789012345678"},
        {"{\"x\":{\"text\":\"inner\",\"y\":[1,{\"n\":2},[],{},\"]\"]},\"text\":\"outer\"}", "outer|-"},
        {"{\"text\":[\"a\"],\"n\":1.5e+10}", "?|?"},
        {"{\"text\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"}", "\"\\/\b\f\n\r\t|-"},
        {"{\"text\":\"\\u0041\\u00e9\\u20AC\\ud83d\\ude00\\uD83D\\uDE00z\"}",
         "A\u00e9\u20ac\U0001f600\U0001f600z|-"},
        {"{\"text\":\"\u00e9\u20ac\U0001f600\x7f\",\"\u00e9\":0.0}", "\u00e9\u20ac\U0001f600\x7f|-"},
    };
    char said[1024], theirs[1024];
    (void)state;
    for (size_t k = 0; k < COUNT(cases); k++) {
        const int64_t length = (int64_t)strlen(cases[k].line);
        assert_string_equal(fields(cases[k].line, length, said), cases[k].said);
        assert_string_equal(whole(cases[k].line, length, theirs), cases[k].said);
    }
}

/* No JSON; no object; and JSON that is left to jansson, which reads it: the second column. */
static void what_is_not_sure_is_left_to_others(void **state)
{
    static const struct {
        const char *line, *theirs;
    } cases[] = {
        {"", "no"},
        {"[1]", "no"},
        {"\"text\"", "no"},
        {"{\"text\":\"a\"", "no"},
        {"{\"text\":\"a", "no"},
        {"{\"text\":\"a\\", "no"},
        {"{\"text\":\"a\"} x", "no"},
        {"{\"text\":\"a\",}", "no"},
        {"{,}", "no"},
        {"{\"text\" \"a\"}", "no"},
        {"{\"text\":}", "no"},
        {"{text:1}", "no"},
        {"{\"text\":\"a\tb\"}", "no"},
        {"{\"text\":\"\\x\"}", "no"},
        {"{\"text\":\"\\u12g4\"}", "no"},
        {"{\"text\":\"\\u123", "no"},
        {"{\"text\":\"\\ud83d\"}", "no"},
        {"{\"text\":\"\\ud83d\\u0041\"}", "no"},
        {"{\"text\":\"\\ude00\"}", "no"},
        {"{\"text\":\"\xff\"}", "no"},
        {"{\"text\":\"\xc3\"}", "no"},
        {"{\"text\":\"\xed\xa0\x80\"}", "no"},
        {"{\"\xff\":1}", "no"},
        {"{\"n\":01}", "no"},
        {"{\"n\":-}", "no"},
        {"{\"n\":1.}", "no"},
        {"{\"n\":.5}", "no"},
        {"{\"n\":1e}", "no"},
        {"{\"n\":+1}", "no"},
        {"{\"n\":1e999}", "no"},
        {"{\"n\":12345678901234567890}", "no"},
        {"{\"n\":truer}", "no"},
        {"{\"n\":nul}", "no"},
        {"{\"n\":[1,]}", "no"},
        {"{\"n\":[1", "no"},
        {"{\"n\":[1 2]}", "no"},
        {"{\"te\\u0078t\":\"a\"}", "a|-"},
        {"{\"n\":1234567890123456789}", "-|1234567890123456789"},
        {"{\"n\":1e100}", "-|?"},
        {"{\"x\":[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]],\"n\":2}", "-|2"},
    };
    char said[1024], theirs[1024];
    (void)state;
    for (size_t k = 0; k < COUNT(cases); k++) {
        const int64_t length = (int64_t)strlen(cases[k].line);
        if (strcmp(fields(cases[k].line, length, said), "no") != 0)
            fail_msg("'%s': %s", cases[k].line, said);
        if (strcmp(whole(cases[k].line, length, theirs), cases[k].theirs) != 0)
            fail_msg("'%s': %s, not %s", cases[k].line, theirs, cases[k].theirs);
    }
}

/* Strings go by eight bytes: each piece at each place, with another one some bytes on, and every way to cut
 * the line short. */
static void pieces_may_stand_anywhere(void **state)
{
    static const char *const pieces[] = {"\\n",        "\\u00e9", "\\ud83d\\ude00", "\u00e9",   "\u20ac",
                                         "\U0001f600", "\\\"",    "\x1f",           "\xe2\x82", "\"",
                                         "\x7f"};
    char line[256], said[1024], theirs[1024];
    (void)state;
    for (size_t k = 0; k < COUNT(pieces) * COUNT(pieces); k++)
        for (int before = 0; before < 18; before++) {
            const int length =
                sprintf(line, "{\"text\":\"%.*s%s%.*s%s\"}", before, "abcdefghijklmnopqr",
                        pieces[k % COUNT(pieces)], (int)(k % 9), "abcdefghi", pieces[k / COUNT(pieces)]);
            assert_string_equal(fields(line, length, said), whole(line, length, theirs));
            for (int cut = 0; k % 7 == 0 && cut < length; cut++)
                assert_string_equal(fields(line, cut, said), "no");
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_found_by_their_keys),
        cmocka_unit_test(what_is_not_sure_is_left_to_others),
        cmocka_unit_test(pieces_may_stand_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
