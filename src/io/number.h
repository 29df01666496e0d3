/* The short decimal numbers that fill most text files, scanned in line. */
#ifndef PITH_IO_NUMBER_H
#define PITH_IO_NUMBER_H

#include "core/bytes.h"

#include <stdbool.h>
#include <stddef.h>

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
 * How many of eight characters (pith_i_load_eight) are digits before the first other character: a byte b for
 * which b ^ '0' is 10 or more. A carry out of a byte comes from such a one, and only what is before the first
 * of them counts.
 */
static inline ptrdiff_t pith_i_count_digits(uint64_t bytes)
{
    bytes ^= UINT64_C(0x3030303030303030);
    const uint64_t other = ((bytes + UINT64_C(0x7676767676767676)) | bytes) & UINT64_C(0x8080808080808080);
    return other != 0 ? __builtin_ctzll(other) >> 3 : 8;
}

/* The number that the first 1..8 of them make, which are digits: moved to the high end, so that zeros stand
 * in front, and added up in pairs, fours and eights. */
static inline uint64_t pith_i_eight_value(uint64_t bytes, ptrdiff_t digits)
{
    bytes = (bytes & UINT64_C(0x0f0f0f0f0f0f0f0f)) << (64 - 8 * digits);
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
 * *guess, 0 at first, is for this function alone: the number of digits seen last. Files tend to keep to
 * one, and going on from a guess that is checked later does not have to wait for the count.
 */
static inline const char *pith_i_scan_short(const char *at, const char *end, ptrdiff_t *guess, double *out)
{
    const bool negative = at < end && *at == '-';
    const char *first = at + negative;
    uint64_t m = 0;
    if (end - first >= 9 && first[1] == '.') { /* 1.2345: the digits side by side, without their point */
        const uint64_t eight = pith_i_load_eight(first),
                       bytes = (eight & 0xff) | (eight >> 8 & ~UINT64_C(0xff));
        const ptrdiff_t count = pith_i_count_digits(bytes); /* 7 at most: the last byte is empty now */
        ptrdiff_t digits = *guess;
        __asm__("" : "+r"(digits)); /* lest the compiler knows that it is *guess, and hence count */
        if (__builtin_expect(*guess != count, 0)) {
            *guess = digits = count;
            __asm__ volatile("" : "+r"(digits)); /* a jump, not a conditional move that waits for both */
        }
        if (digits > 0 && digits < 7) {
            *out = pith_i_short_value(negative, pith_i_eight_value(bytes, digits), digits - 1);
            return first + 1 + digits;
        }
        if (digits == 7 && end - first >= 16 && pith_i_count_digits(pith_i_load_eight(first + 8)) == 8)
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
