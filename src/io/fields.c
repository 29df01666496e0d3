#include "io/fields.h"

#include "core/number.h"
#include "io/text.h"

#include <string.h>
#include <strings.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Blanks that may stand around a field, but not a tab that is the delimiter. */
static bool is_padding(const pith_i_dialect *d, char c)
{
    return c == ' ' || (c == '\t' && (d->blanks || d->delimiter != '\t'));
}

static bool is_delimiter(const pith_i_dialect *d, char c)
{
    return d->blanks ? is_blank(c) : c == d->delimiter;
}

static const char *skip_padding(const pith_i_dialect *d, const char *at, const char *end)
{
    while (at < end && is_padding(d, *at))
        at++;
    return at;
}

/* The closing quote of the quoted text whose first character is `at`; NULL: there is none. */
static const char *closing_quote(const char *at, const char *end, bool *doubled)
{
    while ((at = memchr(at, '"', (size_t)(end - at))) != NULL) {
        if (at + 1 >= end || at[1] != '"')
            return at;
        *doubled = true;
        at += 2;
    }
    return NULL;
}

const char *pith_i_row_end(const pith_i_dialect *d, const char *at, const char *end, bool *open)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    const char *stop = newline != NULL ? newline : end;
    if (open != NULL)
        *open = false;
    if (!d->quotes || memchr(at, '"', (size_t)(stop - at)) == NULL)
        return stop;
    for (const char *p = at;;) {
        p = skip_padding(d, p, end);
        if (p < end && *p == '"') {
            bool doubled;
            p = closing_quote(p + 1, end, &doubled);
            if (p == NULL) {
                if (open != NULL)
                    *open = true;
                return end;
            }
        }
        while (p < end && *p != '\n' && !is_delimiter(d, *p))
            p++;
        if (p == end || *p == '\n')
            return p;
        p++;
    }
}

bool pith_i_row_is_blank(const pith_i_dialect *d, const char *at, const char *end)
{
    while (at < end && (is_padding(d, *at) || *at == '\r'))
        at++;
    return at == end;
}

/* What follows the delimiter at p; NULL at the end of the row. Blanks there begin no field. */
static const char *after_delimiter(const pith_i_dialect *d, const char *p, const char *end)
{
    if (p == end)
        return NULL;
    if (!d->blanks)
        return p + 1;
    while (p < end && (is_blank(*p) || *p == '\r'))
        p++;
    return p < end ? p : NULL;
}

const char *pith_i_field_next(const pith_i_dialect *d, const char *at, const char *end, pith_i_field *out)
{
    *out = (pith_i_field){0};
    if (end > at && end[-1] == '\r')
        end--;
    at = skip_padding(d, at, end);
    if (at < end && *at == '"') {
        const char *close = closing_quote(at + 1, end, &out->doubled);
        const char *p = close != NULL ? skip_padding(d, close + 1, end) : end;
        /* Text between the closing quote and the delimiter makes it a plain field with quotes in it. */
        if (close != NULL && (p == end || is_delimiter(d, *p) || d->blanks)) {
            *out = (pith_i_field){at + 1, close - at - 1, true, out->doubled};
            return after_delimiter(d, d->blanks ? close + 1 : p, end);
        }
        out->doubled = false;
    }
    const char *stop = at;
    if (d->blanks) {
        while (stop < end && !is_blank(*stop))
            stop++;
    } else {
        stop = memchr(at, d->delimiter, (size_t)(end - at));
        stop = stop != NULL ? stop : end;
    }
    const char *last = stop;
    while (last > at && is_padding(d, last[-1]))
        last--;
    out->at = at;
    out->length = last - at;
    return after_delimiter(d, stop, end);
}

int64_t pith_i_field_count(const pith_i_dialect *d, const char *at, const char *end)
{
    int64_t count = 0;
    for (pith_i_field f; at != NULL; count++)
        at = pith_i_field_next(d, at, end, &f);
    return count;
}

bool pith_i_field_number(const pith_i_field *f, double *out)
{
    const char *end = f->at + f->length;
    return f->length > 0 && pith_i_scan_double(f->at, end, out) == end;
}

/* Longer cells are not tried as numbers with decimal commas. */
enum { NUMBER_MOST = 400 };

bool pith_i_cell_number(const pith_i_dialect *d, const pith_i_field *f, double *out)
{
    char text[NUMBER_MOST];
    const bool is_true = f->length == 4 && strncasecmp(f->at, "true", 4) == 0;
    if (is_true || (f->length == 5 && strncasecmp(f->at, "false", 5) == 0)) {
        *out = is_true;
        return true;
    }
    if (!d->comma || f->length <= 0 || f->length > NUMBER_MOST)
        return pith_i_field_number(f, out);
    const pith_i_field point = {.at = text, .length = f->length};
    if (memchr(f->at, '.', (size_t)f->length) != NULL)
        return false;
    memcpy(text, f->at, (size_t)f->length);
    char *comma = memchr(text, ',', (size_t)f->length);
    if (comma != NULL) { /* "1," is a field of some other reading, not a number */
        if (comma + 1 == text + f->length || !is_digit(comma[1]))
            return false;
        *comma = '.';
    }
    return pith_i_field_number(&point, out);
}

/* Bytes of the mark between thousands at `at`: . , ' or a blank, also a non-breaking one; 0: none. */
static int64_t group_mark(const char *at, const char *end)
{
    static const char *const marks[] = {".", ",", "'", " ", "\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x99"};
    for (size_t k = 0; k < COUNT(marks); k++) {
        const size_t size = strlen(marks[k]);
        if ((size_t)(end - at) >= size && memcmp(at, marks[k], size) == 0)
            return (int64_t)size;
    }
    return 0;
}

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && is_digit(*at))
        at++;
    return at;
}

/* Skips one to three digits and groups of three, each after the same mark: "1.234.567" in "1.234.567,8".
 * NULL: it does not begin like this. */
static const char *skip_groups(const char *at, const char *end)
{
    const char *p = skip_digits(at, end);
    const int64_t size = group_mark(p, end);
    if (p == at || p - at > 3 || size == 0)
        return NULL;
    for (const char *mark = p; end - p >= size && memcmp(p, mark, (size_t)size) == 0;) {
        const char *next = skip_digits(p + size, end);
        if (next - p - size != 3)
            return p == mark ? NULL : p;
        p = next;
    }
    return p;
}

static bool is_grouped(const char *at, const char *end)
{
    const char *p = skip_groups(at, end);
    if (p == NULL || p == end)
        return p != NULL;
    return (*p == '.' || *p == ',') && skip_digits(p + 1, end) == end;
}

pith_i_notation pith_i_cell_notation(const pith_i_dialect *d, const pith_i_field *f)
{
    const pith_i_dialect other = {.comma = !d->comma};
    const char *at = f->at, *end = at + f->length;
    double v = 0;
    if (f->length == 0 || pith_i_cell_number(d, f, &v))
        return PITH_I_NO_NUMBER;
    if (pith_i_cell_number(&other, f, &v))
        return PITH_I_OTHER_DECIMAL;
    if (*at == '-' || *at == '+')
        at++;
    return is_grouped(at, end) ? PITH_I_GROUPED : PITH_I_NO_NUMBER;
}

bool pith_i_may_be_grouped(const pith_i_field *f, char mark)
{
    const char *at = f->at, *end = at + f->length;
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    const char *p = skip_digits(at, end);
    return p > at && p < end && *at != '0' && *p == mark && skip_groups(at, end) == end;
}

int64_t pith_i_field_copy(const pith_i_field *f, char *to)
{
    int64_t count = 0;
    for (int64_t i = 0; i < f->length; i++) {
        to[count++] = f->at[i];
        i += f->doubled && f->at[i] == '"';
    }
    return count;
}

bool pith_i_field_is(const pith_i_field *f, const char *text)
{
    for (int64_t i = 0; i < f->length; i++) {
        if (*text == '\0' || *text++ != f->at[i])
            return false;
        i += f->doubled && f->at[i] == '"';
    }
    return *text == '\0';
}

int64_t pith_i_newlines(const char *at, const char *end)
{
    int64_t count = 0;
    while (at < end && (at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        at++;
        count++;
    }
    return count;
}

/* Fields may lie far apart in a mapped file, and the text between them comes into memory, too. */
static void touch_text(pith_ctx *ctx, const pith_i_field *fields, int64_t i)
{
    enum { SOME = 64, MOST = 1 << 22 };
    const uintptr_t to = (uintptr_t)fields[i].at,
                    from = i % SOME == 0 && i > 0 ? (uintptr_t)fields[i - SOME].at : to;
    if (to > from)
        pith_i_touched(ctx, to - from < MOST ? (int64_t)(to - from) : MOST);
}

pith_status pith_i_names_of_fields(pith_ctx *ctx, const char *path, int64_t count, const pith_i_field *fields,
                                   pith_i_names *out)
{
    pith_i_names names = {.count = count};
    pith_status st = PITH_OK;
    char shown[PITH_I_SHOWN];
    int64_t bytes = 0;
    for (int64_t i = 0; i < count; i++) {
        bytes += fields[i].length + 1;
        touch_text(ctx, fields, i);
        if (fields[i].length > 0 && memchr(fields[i].at, '\0', (size_t)fields[i].length) != NULL)
            FAIL(ctx, PITH_E_DATA, "%s: the name or label %s holds a NUL byte; remove it", path,
                 pith_i_show(fields[i].at, fields[i].length, shown));
    }
    TRY(NEW(ctx, names.start, count));
    TRY(NEW(ctx, names.bytes, bytes));
    char *to = names.bytes;
    for (int64_t i = 0; i < count; i++) {
        const pith_i_field *f = &fields[i];
        touch_text(ctx, fields, i);
        names.start[i] = to - names.bytes;
        to += pith_i_field_copy(f, to);
        *to++ = '\0';
    }
    TRY(pith_i_names_to_utf8(ctx, &names));
    *out = names;
    return PITH_OK;
done:
    pith_i_names_free(&names);
    return st;
}

pith_status pith_i_lines(pith_ctx *ctx, const pith_i_bytes *bytes, bool quoted, int64_t *count,
                         pith_i_field **fields)
{
    /* NUL as the delimiter: no text holds it. */
    const pith_i_dialect d = {.delimiter = '\0', .quotes = quoted};
    const char *at = bytes->at, *end = at + bytes->size;
    pith_status st = PITH_OK;
    int64_t lines = 0;
    if (bytes->size >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
        at += 3;
    while (end > at && (end[-1] == '\n' || is_blank(end[-1]) || end[-1] == '\r'))
        end--;
    for (const char *p = at; p < end; p = pith_i_row_end(&d, p, end, NULL) + 1)
        lines++;
    TRY(SCRATCH(ctx, *fields, lines));
    lines = 0;
    for (const char *p = at, *stop; p < end; p = stop + 1) {
        pith_i_field *f = &(*fields)[lines++];
        stop = pith_i_row_end(&d, p, end, NULL);
        if (quoted) {
            (void)pith_i_field_next(&d, p, stop, f);
            continue;
        }
        while (p < stop && is_blank(*p))
            p++;
        const char *last = stop;
        while (last > p && (is_blank(last[-1]) || last[-1] == '\r'))
            last--;
        *f = (pith_i_field){.at = p, .length = last - p};
    }
    *count = lines;
done:
    return st;
}

/* At most `most` bytes of a longer text; fewer if the next byte goes on with a character of UTF-8. */
static int64_t cut_length(const char *at, int64_t most)
{
    int64_t cut = most;
    while (cut > most - 3 && (at[cut] & 0xc0) == 0x80)
        cut--;
    const bool begins = (at[cut] & 0xc0) == 0xc0; /* else it is no UTF-8 */
    return cut == most || begins ? cut : most;
}

const char *pith_i_show(const char *at, int64_t length, char text[PITH_I_SHOWN])
{
    const int64_t most = 40, count = length > most ? cut_length(at, most) : length;
    char *to = text;
    *to++ = '\'';
    for (int64_t i = 0; i < count; i++) {
        const unsigned char c = (unsigned char)at[i];
        *to++ = c < ' ' || c == 127 ? '?' : at[i];
    }
    memcpy(to, length > most ? "...'" : "'", length > most ? 5 : 2);
    return text;
}
