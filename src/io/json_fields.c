#include "io/json_fields.h"

#include "core/bytes.h"

enum { DEEPEST = 16, MOST_DIGITS = 18 };

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n'))
        at++;
    return at;
}

/* ---- Strings: a function returns what follows, or NULL if it rejects the input. ------------------------ */

/* Marks those of eight bytes that end a run of plain ASCII in a string; only the lowest mark is reliable. */
static inline uint64_t find_special(uint64_t bytes)
{
    const uint64_t quote = bytes ^ PITH_I_EIGHT('"'), slash = bytes ^ PITH_I_EIGHT('\\');
    return (((quote - PITH_I_EIGHT(1)) & ~quote) | ((slash - PITH_I_EIGHT(1)) & ~slash) |
            ((bytes - PITH_I_EIGHT(0x20)) & ~bytes) | bytes) &
           PITH_I_EIGHT(0x80);
}

/* Skips plain ASCII and two-byte characters; may stop before one of the latter. */
static inline const char *skip_plain(const char *at, const char *end)
{
    while (end - at >= 8) {
        const uint64_t special = find_special(pith_i_load_eight(at));
        at += special != 0 ? __builtin_ctzll(special) >> 3 : 8;
        if (special == 0)
            continue;
        if (end - at < 2 || !pith_i_is_pair(at))
            return at;
        at += 2;
    }
    while (at < end && (unsigned char)*at >= 0x20 && (unsigned char)*at < 0x80 && *at != '"' && *at != '\\')
        at++;
    return at;
}

/* The value of four hexadecimal digits; -1: they are none. */
static int32_t hex_four(const char *at, const char *end)
{
    int32_t value = 0;
    if (end - at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        const char c = at[i];
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0)
            return -1;
        value = value << 4 | digit;
    }
    return value;
}

/* The escape at `at`, a backslash, and the character that it stands for. */
static const char *scan_escape(const char *at, const char *end, uint32_t *c)
{
    static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    if (end - at < 2 || at[1] == '\0')
        return NULL;
    const char *name = strchr(names, at[1]);
    if (name != NULL) {
        *c = (uint32_t)meant[name - names];
        return at + 2;
    }
    const int32_t first = at[1] == 'u' ? hex_four(at + 2, end) : -1;
    if (first < 0 || (first >= 0xDC00 && first <= 0xDFFF))
        return NULL;
    *c = (uint32_t)first;
    if (first < 0xD800 || first > 0xDBFF)
        return at + 6;
    if (end - at < 12 || at[6] != '\\' || at[7] != 'u') /* the second half of a pair */
        return NULL;
    const int32_t second = hex_four(at + 8, end);
    if (second < 0xDC00 || second > 0xDFFF)
        return NULL;
    *c = 0x10000 + ((uint32_t)(first - 0xD800) << 10) + (uint32_t)(second - 0xDC00);
    return at + 12;
}

/* The string whose opening quote is at `at`. */
static const char *scan_string(const char *at, const char *end, pith_i_json_value *out)
{
    uint32_t c = 0;
    const char *from = at + 1;
    bool escaped = false;
    for (at = skip_plain(from, end); at != NULL && at < end && *at != '"'; at = skip_plain(at, end)) {
        if (*at == '\\') {
            at = scan_escape(at, end, &c);
            escaped = true;
        } else { /* control characters are not allowed, others must be UTF-8 */
            const int bytes = (unsigned char)*at >= 0x80 ? pith_i_utf8(at, end, &c) : 0;
            at = bytes > 0 ? at + bytes : NULL;
        }
        if (at == NULL)
            return NULL;
    }
    if (at == end)
        return NULL;
    *out = (pith_i_json_value){JSON_FIELD_STRING, escaped, from, at - from};
    return at + 1;
}

int64_t pith_i_json_unescape(const pith_i_json_value *value, char *to)
{
    const char *at = value->at, *end = at + value->length, *begin = to;
    uint32_t c = 0;
    while (at < end) {
        const char *slash = memchr(at, '\\', (size_t)(end - at));
        const char *stop = slash != NULL ? slash : end;
        memcpy(to, at, (size_t)(stop - at));
        to += stop - at;
        at = stop;
        if (slash != NULL && (at = scan_escape(slash, end, &c)) != NULL)
            to += pith_i_utf8_put(c, to);
        if (at == NULL) /* never: it was scanned before */
            break;
    }
    return to - begin;
}

/* ---- Values ------------------------------------------------------------------------------------------- */

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return at;
}

/* A number that surely fits an integer or a double: at most 18 digits before the point, 2 in the exponent. */
static const char *scan_number(const char *from, const char *end, pith_i_json_value *out)
{
    const char *first = from + (*from == '-'), *at = skip_digits(first, end);
    *out = (pith_i_json_value){JSON_FIELD_INTEGER, false, from, at - from};
    if (at == first || at - first > MOST_DIGITS || (*first == '0' && at - first > 1))
        return NULL;
    if (*from == '-' && *first == '0')
        out->kind = JSON_FIELD_OTHER; /* -0 is 0 */
    if (at < end && *at == '.') {
        const char *point = at++;
        at = skip_digits(at, end);
        if (at == point + 1)
            return NULL;
        out->kind = JSON_FIELD_OTHER;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        at += at < end && (*at == '+' || *at == '-');
        const char *exponent = at;
        at = skip_digits(at, end);
        if (at == exponent || at - exponent > 2)
            return NULL;
        out->kind = JSON_FIELD_OTHER;
    }
    return at;
}

static const char *scan_name(const char *at, const char *end, pith_i_json_value *out)
{
    static const char *const names[] = {"true", "false", "null"};
    for (int i = 0; i < 3; i++) {
        const int64_t length = (int64_t)strlen(names[i]);
        if (end - at >= length && memcmp(at, names[i], (size_t)length) == 0) {
            *out = (pith_i_json_value){i < 2 ? JSON_FIELD_INTEGER : JSON_FIELD_OTHER, false, at, length};
            return at + length;
        }
    }
    return NULL;
}

static const char *scan_object(const char *at, const char *end, int depth, int count,
                               pith_i_json_wanted *wanted);
static const char *scan_array(const char *at, const char *end, int depth);

static const char *scan_value(const char *at, const char *end, int depth, pith_i_json_value *out)
{
    *out = (pith_i_json_value){.kind = JSON_FIELD_OTHER};
    if (at == end || depth == DEEPEST)
        return NULL;
    if (*at == '"')
        return scan_string(at, end, out);
    if (*at == '{')
        return scan_object(at, end, depth + 1, 0, NULL);
    if (*at == '[')
        return scan_array(at, end, depth + 1);
    return *at == '-' || (*at >= '0' && *at <= '9') ? scan_number(at, end, out) : scan_name(at, end, out);
}

static const char *scan_array(const char *at, const char *end, int depth)
{
    pith_i_json_value value;
    at = skip_blanks(at + 1, end);
    if (at < end && *at == ']')
        return at + 1;
    for (;;) {
        at = scan_value(skip_blanks(at, end), end, depth, &value);
        if (at == NULL || (at = skip_blanks(at, end)) == end || (*at != ',' && *at != ']'))
            return NULL;
        if (*at++ == ']')
            return at;
    }
}

static const char *scan_object(const char *at, const char *end, int depth, int count,
                               pith_i_json_wanted *wanted)
{
    pith_i_json_value key, value;
    at = skip_blanks(at + 1, end);
    if (at < end && *at == '}')
        return at + 1;
    for (;;) {
        at = skip_blanks(at, end);
        if (at == end || *at != '"' || (at = scan_string(at, end, &key)) == NULL || key.escaped)
            return NULL;
        at = skip_blanks(at, end);
        if (at == end || *at != ':' ||
            (at = scan_value(skip_blanks(at + 1, end), end, depth, &value)) == NULL)
            return NULL;
        for (int k = 0; k < count; k++)
            if ((size_t)key.length == strlen(wanted[k].key) &&
                memcmp(key.at, wanted[k].key, (size_t)key.length) == 0)
                wanted[k].value = value;
        at = skip_blanks(at, end);
        if (at == end || (*at != ',' && *at != '}'))
            return NULL;
        if (*at++ == '}')
            return at;
    }
}

bool pith_i_json_fields(const char *at, const char *end, int count, pith_i_json_wanted *wanted)
{
    for (int k = 0; k < count; k++)
        wanted[k].value = (pith_i_json_value){0};
    at = skip_blanks(at, end);
    if (at == end || *at != '{' || (at = scan_object(at, end, 0, count, wanted)) == NULL)
        return false;
    return skip_blanks(at, end) == end;
}
