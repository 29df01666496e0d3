#include "io/text.h"

#include "core/bytes.h"

#include <string.h>

pith_status pith_i_names_utf32(pith_ctx *ctx, int64_t count, int64_t width, bool swapped, const void *from,
                               pith_i_names *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_status st = PITH_OK;
    const char **at = NULL, *unit = from;
    int64_t *length = NULL;
    char *bytes = NULL, *next = NULL;
    TRY(SCRATCH(ctx, at, count));
    TRY(SCRATCH(ctx, length, count));
    TRY(SCRATCH(ctx, bytes, count * width * 4));
    next = bytes;
    for (int64_t i = 0; i < count; i++) {
        const char *last = next; /* end of the last character that is not padding */
        at[i] = next;
        for (int64_t k = 0; k < width; k++, unit += 4) {
            uint32_t c;
            memcpy(&c, unit, 4);
            c = swapped ? __builtin_bswap32(c) : c;
            next += pith_i_utf8_put(c, next);
            last = c != 0 ? next : last;
        }
        length[i] = last - at[i];
    }
    TRY(pith_i_names_slices(ctx, count, at, length, out));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_names_padded(pith_ctx *ctx, int64_t count, int64_t width, const void *from,
                                pith_i_names *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_status st = PITH_OK;
    const char **at = NULL;
    int64_t *length = NULL;
    TRY(SCRATCH(ctx, at, count));
    TRY(SCRATCH(ctx, length, count));
    for (int64_t i = 0; i < count; i++) {
        at[i] = (const char *)from + i * width;
        for (length[i] = width; length[i] > 0 && at[i][length[i] - 1] == '\0'; length[i]--) {
        }
    }
    TRY(pith_i_names_slices(ctx, count, at, length, out));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Characters in text; -1: it is not UTF-8. */
static int64_t characters(const char *text)
{
    const char *end = text + strlen(text);
    int64_t count = 0;
    uint32_t c = 0;
    for (int bytes = 0; text < end; text += bytes, count++)
        if ((bytes = pith_i_utf8(text, end, &c)) == 0)
            return -1;
    return count;
}

/* The character of a byte in Windows-1252: 80..9F by the table, the others as in Unicode. */
static uint32_t windows_1252(unsigned char c)
{
    static const uint16_t high[32] = {0x20AC, 0x81,   0x201A, 0x192,  0x201E, 0x2026, 0x2020, 0x2021,
                                      0x2C6,  0x2030, 0x160,  0x2039, 0x152,  0x8D,   0x17D,  0x8F,
                                      0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                      0x2DC,  0x2122, 0x161,  0x203A, 0x153,  0x9D,   0x17E,  0x178};
    return c >= 0x80 && c <= 0x9F ? high[c - 0x80] : c;
}

pith_status pith_i_names_to_utf8(pith_ctx *ctx, pith_i_names *names)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_names made = {0};
    const char **texts = NULL;
    int64_t bytes = 0;
    char *to = NULL;
    pith_status st = PITH_OK;
    for (int64_t i = 0; i < names->count; i++)
        if (characters(pith_i_name(names, i)) < 0)
            bytes += 3 * (int64_t)strlen(pith_i_name(names, i)) + 1;
    if (bytes == 0)
        return PITH_OK;
    TRY(SCRATCH(ctx, texts, names->count));
    TRY(SCRATCH(ctx, to, bytes));
    for (int64_t i = 0; i < names->count; i++) {
        texts[i] = pith_i_name(names, i);
        if (characters(texts[i]) >= 0)
            continue;
        const char *from = texts[i];
        texts[i] = to;
        for (; *from != '\0'; from++)
            to += pith_i_utf8_put(windows_1252((unsigned char)*from), to);
        *to++ = '\0';
    }
    TRY(pith_i_names_copy(ctx, names->count, texts, &made));
    pith_i_names_free(names);
    *names = made;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_texts_fixed(pith_ctx *ctx, int64_t count, const char *const *texts, bool *wide,
                               int64_t *width, void **out)
{
    pith_status st = PITH_OK;
    int64_t longest[2] = {1, 1}; /* in bytes, in characters */
    bool valid = true;
    char *at = NULL;
    for (int64_t i = 0; i < count; i++) {
        const int64_t size[2] = {(int64_t)strlen(texts[i]), characters(texts[i])};
        valid = valid && size[1] >= 0;
        for (int unit = 0; unit < 2; unit++)
            longest[unit] = size[unit] > longest[unit] ? size[unit] : longest[unit];
    }
    *wide = valid;
    *width = longest[valid];
    const int64_t bytes = valid ? 4 * *width : *width;
    TRY(SCRATCH_ZERO(ctx, at, count * bytes));
    *out = at;
    for (int64_t i = 0; i < count; i++, at += bytes) {
        const char *text = texts[i], *end = text + strlen(text);
        if (!valid)
            memcpy(at, text, strlen(text));
        for (int64_t k = 0; valid && text < end; k++) {
            uint32_t c = 0;
            text += pith_i_utf8(text, end, &c);
            memcpy(at + 4 * k, &c, 4);
        }
    }
done:
    return st;
}

pith_status pith_i_text_list_new(pith_ctx *ctx, int64_t count, int64_t most, pith_i_text_list *out)
{
    pith_i_text_list list = {.room = 1024, .most = most};
    pith_status st = PITH_OK;
    TRY(NEW(ctx, list.names.start, count));
    TRY(NEW(ctx, list.names.bytes, list.room));
    *out = list;
    return PITH_OK;
done:
    pith_i_text_list_free(&list);
    return st;
}

pith_status pith_i_text_list_add(pith_ctx *ctx, pith_i_text_list *list, const char *text, int64_t length)
{
    pith_i_names *names = &list->names;
    if (length > list->most - list->used - 1)
        return PITH_E_DATA;
    if (length > list->room - list->used - 1) {
        const int64_t room = 2 * list->room + length;
        char *larger = pith_i_realloc(ctx, names->bytes, room, 1);
        if (larger == NULL)
            return PITH_E_NOMEM;
        names->bytes = larger;
        list->room = room;
    }
    names->start[names->count++] = list->used;
    memcpy(names->bytes + list->used, text, (size_t)length);
    names->bytes[list->used + length] = '\0';
    list->used += length + 1;
    return PITH_OK;
}

void pith_i_text_list_free(pith_i_text_list *list)
{
    pith_i_names_free(&list->names);
}
