/* Bytes as a line of JSON: what the quick reader takes is what jansson takes, and means the same. */
#include "fuzz/fuzz.h"
#include "io/json_fields.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(const pith_i_json_value *ours, const json_t *theirs, const char *key)
{
    char number[32];
    if ((ours->kind == JSON_FIELD_NONE) != (theirs == NULL))
        fuzz_fail("found by one only", key);
    if ((ours->kind == JSON_FIELD_STRING) != json_is_string(theirs))
        fuzz_fail("a string to one only", key);
    if (ours->kind == JSON_FIELD_STRING) {
        char *made = malloc((size_t)ours->length + 1);
        const char *at = ours->escaped ? made : ours->at;
        const size_t length = (size_t)(ours->escaped ? pith_i_json_unescape(ours, made) : ours->length);
        if (length > (size_t)ours->length || length != json_string_length(theirs) ||
            memcmp(at, json_string_value(theirs), length) != 0)
            fuzz_fail("another string", json_string_value(theirs));
        free(made);
    }
    if (ours->kind == JSON_FIELD_INTEGER) {
        (void)snprintf(number, sizeof number, "%lld", (long long)json_integer_value(theirs));
        const char *text = json_is_integer(theirs) ? number : json_is_true(theirs) ? "true" : "false";
        if ((!json_is_integer(theirs) && !json_is_boolean(theirs)) || (size_t)ours->length != strlen(text) ||
            memcmp(ours->at, text, strlen(text)) != 0)
            fuzz_fail("another number", text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pith_i_json_wanted wanted[] = {{.key = "text"}, {.key = "label"}, {.key = ""}};
    const char *line = (const char *)data;
    if (!pith_i_json_fields(line, line + size, (int)COUNT(wanted), wanted))
        return 0;
    json_t *object = json_loadb(line, size, JSON_ALLOW_NUL, NULL);
    if (!json_is_object(object))
        fuzz_fail("taken by one only", "");
    for (size_t k = 0; k < COUNT(wanted); k++)
        check(&wanted[k].value, json_object_get(object, wanted[k].key), wanted[k].key);
    json_decref(object);
    return 0;
}
