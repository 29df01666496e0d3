/* Text eight bytes at a time, and UTF-8. */
#ifndef PITH_CORE_BYTES_H
#define PITH_CORE_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Eight characters at once, the first in the lowest byte. */
static inline uint64_t pith_i_load_eight(const void *at)
{
    uint64_t bytes;
    memcpy(&bytes, at, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    return bytes;
}

#define PITH_I_EIGHT(byte) (UINT64_C(0x0101010101010101) * (byte)) /* the same byte eight times */

/* Are the two bytes at `at` one character of UTF-8? */
static inline bool pith_i_is_pair(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    return b[0] >= 0xC2 && b[0] < 0xE0 && (b[1] & 0xC0) == 0x80;
}

/* The character at `at` goes to *c; returns its number of bytes, 1 to 4. 0: not UTF-8 (truncated, overlong,
 * half a surrogate pair, beyond U+10FFFF). */
static inline int pith_i_utf8(const char *at, const char *end, uint32_t *c)
{
    const unsigned char *b = (const unsigned char *)at;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const int bytes = b[0] < 0x80   ? 1
                      : b[0] < 0xC2 ? 0
                      : b[0] < 0xE0 ? 2
                      : b[0] < 0xF0 ? 3
                      : b[0] < 0xF5 ? 4
                                    : 0;
    if (bytes == 0 || end - at < bytes)
        return 0;
    *c = bytes == 1 ? b[0] : b[0] & (0x7Fu >> bytes);
    for (int i = 1; i < bytes; i++) {
        if ((b[i] & 0xC0) != 0x80)
            return 0;
        *c = *c << 6 | (b[i] & 0x3F);
    }
    return *c < least[bytes] || *c > 0x10FFFF || (*c >= 0xD800 && *c <= 0xDFFF) ? 0 : bytes;
}

/* Writes one character as UTF-8; returns its number of bytes, 1 to 4. An invalid one becomes U+FFFD. */
static inline int pith_i_utf8_put(uint32_t c, char out[4])
{
    static const unsigned char lead[] = {0, 0xC0, 0xE0, 0xF0};
    if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
        c = 0xFFFD;
    const int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    out[0] = (char)(lead[more] | c >> 6 * more);
    for (int k = 1; k <= more; k++)
        out[k] = (char)(0x80 | (c >> 6 * (more - k) & 0x3F));
    return 1 + more;
}

/* The length of the longest prefix of at most `most` bytes that does not end inside a character. */
static inline size_t pith_i_utf8_prefix(const char *text, size_t most)
{
    size_t length = strnlen(text, most + 1);
    if (length <= most)
        return length;
    for (length = most; length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80;)
        length--;
    return length;
}

#endif
