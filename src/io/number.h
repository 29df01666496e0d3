/* The short decimal numbers that fill most text files, scanned in line. */
#ifndef PITH_IO_NUMBER_H
#define PITH_IO_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { PITH_I_EXACT_POWERS = 23 }; /* 10^0 .. 10^22 are doubles without rounding */
extern const double pith_i_power_of_ten[PITH_I_EXACT_POWERS];
extern const uint32_t pith_i_whole_power_of_ten[9];

/* Appends the digits at `at` to the decimal number *m; the first character that is no digit. */
static inline const char *pith_i_scan_digits(const char *at, const char *end, uint64_t *m)
{
    uint64_t sum = *m;
    for (; at < end; at++) {
        const unsigned digit = (unsigned)(unsigned char)*at - '0';
        if (digit > 9)
            break;
        sum = 10 * sum + digit;
    }
    *m = sum;
    return at;
}

/*
 * Eight characters at once, of which the first is in the lowest byte. Their digits' values, and how many
 * digits there are before the first other character: bytes b for which b ^ '0' is 10 or more. A carry out
 * of a byte comes from such a one, and only what is before the first of them counts.
 */
static inline uint64_t pith_i_eight(const char *at, ptrdiff_t *digits)
{
    uint64_t bytes;
    memcpy(&bytes, at, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    bytes ^= UINT64_C(0x3030303030303030);
    const uint64_t other = ((bytes + UINT64_C(0x7676767676767676)) | bytes) & UINT64_C(0x8080808080808080);
    *digits = other != 0 ? __builtin_ctzll(other) >> 3 : 8;
    return bytes;
}

/* The number that the first 1..8 of those digits make: moved to the high end, so that zeros stand in front,
 * and added up in pairs, fours and eights. */
static inline uint64_t pith_i_eight_value(uint64_t bytes, ptrdiff_t digits)
{
    bytes <<= 64 - 8 * digits;
    bytes = bytes * 10 + (bytes >> 8);
    return ((bytes & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064) +
            ((bytes >> 16) & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001)) >>
           32;
}

/* m / 10^places with a sign, for m < 10^15: both are exact, so the division rounds correctly. The sign is a
 * factor, because it is as good as random: a branch on it would be guessed wrong. */
static inline double pith_i_short_value(bool negative, uint64_t m, ptrdiff_t places)
{
    static const double sign[2] = {1, -1};
    return sign[negative] * (double)(int64_t)m / pith_i_power_of_ten[places];
}

/*
 * [-]digits[.digits] with at most 15 digits. NULL: not of this form, which says nothing about
 * pith_i_scan_double. What follows the number is for the caller to look at; an exponent is not taken.
 * *guess, 0 at first, is for this function alone: the number of places seen last. Files tend to keep to
 * one, and going on from a guess that is checked later does not have to wait for the count.
 */
static inline const char *pith_i_scan_short(const char *at, const char *end, ptrdiff_t *guess, double *out)
{
    const bool negative = at < end && *at == '-';
    const char *first = at + negative;
    uint64_t m = 0;
    if (end - first >= 10 && first[1] == '.' && (unsigned)(unsigned char)first[0] - '0' <= 9) {
        ptrdiff_t count, places = *guess;
        const uint64_t bytes = pith_i_eight(first + 2, &count);
        __asm__("" : "+r"(places)); /* lest the compiler knows that it is *guess, and hence count */
        if (__builtin_expect(*guess != count, 0))
            *guess = places = count;
        if (places > 0 && places < 8) {
            m = (uint64_t)(first[0] - '0') * (uint64_t)pith_i_whole_power_of_ten[places];
            *out = pith_i_short_value(negative, m + pith_i_eight_value(bytes, places), places);
            return first + 2 + places;
        }
        if (places == 8) /* and likely more: for the other scanner */
            return NULL;
    }
    const char *p = pith_i_scan_digits(first, end, &m);
    ptrdiff_t digits = p - first, places = 0;
    if (p < end && *p == '.') {
        const char *fraction = p + 1;
        p = pith_i_scan_digits(fraction, end, &m);
        places = p - fraction;
        digits += places;
    }
    if (digits < 1 || digits > 15)
        return NULL;
    *out = pith_i_short_value(negative, m, places);
    return p;
}

#endif
