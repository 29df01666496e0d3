#include "prep/unicode.h"

#include "core/bytes.h"

#include <utf8proc.h>

#define O        CHAR_OTHER
#define L        CHAR_LETTER
#define D        CHAR_DIGIT
#define ROW4(a)  a, a, a, a
#define ROW16(a) ROW4(a), ROW4(a), ROW4(a), ROW4(a)
const unsigned char pith_i_ascii_kind[128] = {
    ROW16(O), ROW16(O), /* control */
    O,        O,        O, O, O,       O,       O,       CHAR_APOSTROPHE,
    ROW4(O),  ROW4(O), /* blank .. / */
    D,        D,        D, D, D,       D,       D,       D,
    D,        D,        O, O, O,       O,       O,       O, /* 0 .. ? */
    O,        L,        L, L, ROW4(L), ROW4(L), ROW4(L), ROW4(L),
    ROW4(L),  L,        L, L, O,       O,       O,       O,
    O, /* @ .. _ */
    O,        L,        L, L, ROW4(L), ROW4(L), ROW4(L), ROW4(L),
    ROW4(L),  L,        L, L, O,       O,       O,       O,
    O, /* ` .. DEL */
};

static bool is_alone(uint32_t c)
{
    return (c >= 0x3041 && c <= 0x309F) || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x4E00 && c <= 0x9FFF) ||
           (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x20000 && c <= 0x3FFFF);
}

pith_i_char pith_i_char_kind(uint32_t c)
{
    if (c < 0x80)
        return (pith_i_char)pith_i_ascii_kind[c];
    if (c == 0x2019 || c == 0x02BC)
        return CHAR_APOSTROPHE;
    const utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)c);
    if (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_ME)
        return is_alone(c) ? CHAR_ALONE : CHAR_LETTER;
    return category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO ? CHAR_DIGIT : CHAR_OTHER;
}

pith_i_char pith_i_char_at(const char *at, const char *end, int *bytes)
{
    uint32_t c = 0;
    *bytes = pith_i_utf8(at, end, &c);
    return *bytes > 0 ? pith_i_char_kind(c) : CHAR_OTHER;
}

static bool lower_ascii(const char *at, int64_t length, char *out)
{
    for (int64_t i = 0; i < length; i++) {
        if ((unsigned char)at[i] >= 0x80)
            return false;
        out[i] = at[i] >= 'A' && at[i] <= 'Z' ? (char)(at[i] + 32) : at[i];
    }
    return true;
}

int64_t pith_i_word_lower(const char *at, int64_t length, char out[PITH_I_WORD_ROOM])
{
    enum { MOST = PITH_I_WORD_ROOM / 4 };
    utf8proc_int32_t c[MOST];
    if (lower_ascii(at, length, out))
        return length;
    utf8proc_ssize_t many = utf8proc_decompose((const utf8proc_uint8_t *)at, length, c, MOST - 1,
                                               UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    if (many <= 0 || many > MOST - 1) /* no word decomposes into more characters than four times its bytes */
        return 0;
    for (utf8proc_ssize_t i = 0; i < many; i++)
        c[i] = c[i] == 0x2019 || c[i] == 0x02BC ? '\'' : utf8proc_tolower(c[i]);
    many = utf8proc_reencode(c, many, UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    if (many <= 0)
        return 0;
    memcpy(out, c, (size_t)many);
    return many;
}

int64_t pith_i_word_letters(const char *at, int64_t length, bool *letters, bool *alone)
{
    int64_t count = 0;
    *letters = *alone = false;
    for (const char *end = at + length; at < end; count++) {
        int bytes = 0;
        const pith_i_char kind = pith_i_char_at(at, end, &bytes);
        *letters = *letters || kind == CHAR_LETTER || kind == CHAR_ALONE;
        *alone = *alone || kind == CHAR_ALONE;
        at += bytes > 0 ? bytes : 1;
    }
    return count;
}
