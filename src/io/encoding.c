/* Converts text files in other encodings to the UTF-8 with newlines that the readers expect. */
#include "core/bytes.h"
#include "io/io.h"

#include <string.h>

/* A byte order mark, and what it means: bytes per code unit, and their order. */
typedef struct encoding {
    const char *mark;
    int mark_size, unit;
    bool big_end;
} encoding;

/* UTF-32 comes first: one of its marks begins with a mark of UTF-16. */
static const encoding marks[] = {
    {"\xff\xfe\0\0", 4, 4, false},
    {"\0\0\xfe\xff", 4, 4, true},
    {"\xff\xfe", 2, 2, false},
    {"\xfe\xff", 2, 2, true},
};

static uint32_t unit_at(const unsigned char *at, const encoding *e)
{
    uint32_t c = 0;
    for (int k = 0; k < e->unit; k++)
        c |= (uint32_t)at[k] << 8 * (e->big_end ? e->unit - 1 - k : k);
    return c;
}

/* The character at *at, which moves past it. An unpaired surrogate becomes U+FFFD when it is written. */
static uint32_t character_at(const unsigned char **at, const unsigned char *end, const encoding *e)
{
    const uint32_t c = unit_at(*at, e);
    *at += e->unit;
    if (e->unit == 4 || c < 0xD800 || c > 0xDBFF || *at == end)
        return c;
    const uint32_t low = unit_at(*at, e);
    if (low < 0xDC00 || low > 0xDFFF)
        return c;
    *at += 2;
    return 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
}

static void replace(pith_i_bytes *bytes, char *owned, int64_t size)
{
    pith_i_bytes_free(bytes);
    *bytes = (pith_i_bytes){.at = owned, .size = size, .owned = owned};
}

static pith_status to_utf8(pith_ctx *ctx, const char *path, const encoding *e, pith_i_bytes *bytes)
{
    const unsigned char *at = (const unsigned char *)bytes->at + e->mark_size;
    const int64_t size = bytes->size - e->mark_size;
    char *owned = NULL, *to = NULL;
    if (size % e->unit != 0)
        return pith_i_error(ctx, PITH_E_DATA, "%s: is UTF-%d text that ends in the middle of a character",
                            path, 8 * e->unit);
    to = owned = pith_i_alloc_large(ctx, e->unit == 2 ? size / 2 * 3 : size, 1);
    if (owned == NULL)
        return PITH_E_NOMEM;
    for (const unsigned char *end = at + size; at < end;)
        to += pith_i_utf8_put(character_at(&at, end, e), to);
    replace(bytes, owned, to - owned);
    return PITH_OK;
}

/* Lines may end in CR alone, as on old Macs. */
static pith_status end_lines(pith_ctx *ctx, pith_i_bytes *bytes)
{
    const size_t size = (size_t)bytes->size;
    if (memchr(bytes->at, '\n', size) != NULL || memchr(bytes->at, '\r', size) == NULL)
        return PITH_OK;
    char *owned = pith_i_alloc_large(ctx, bytes->size, 1);
    if (owned == NULL)
        return PITH_E_NOMEM;
    for (size_t i = 0; i < size; i++)
        owned[i] = bytes->at[i] == '\r' ? '\n' : bytes->at[i];
    replace(bytes, owned, bytes->size);
    return PITH_OK;
}

pith_status pith_i_text_load(pith_ctx *ctx, const char *path, pith_i_bytes *out)
{
    enum { LOOKED_AT = 4096 };
    pith_i_bytes bytes = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_bytes_load(ctx, path, &bytes));
    for (size_t k = 0; k < COUNT(marks); k++)
        if (bytes.size >= marks[k].mark_size &&
            memcmp(bytes.at, marks[k].mark, (size_t)marks[k].mark_size) == 0) {
            TRY(to_utf8(ctx, path, &marks[k], &bytes));
            break;
        }
    if (memchr(bytes.at, '\0', (size_t)(bytes.size < LOOKED_AT ? bytes.size : LOOKED_AT)) != NULL)
        FAIL(ctx, PITH_E_DATA,
             "%s: holds NUL bytes, so it is UTF-16 without a byte order mark, or not text at all; save it as "
             "UTF-8",
             path);
    TRY(end_lines(ctx, &bytes));
    *out = bytes;
    bytes = (pith_i_bytes){0};
done:
    pith_i_bytes_free(&bytes);
    return st;
}
