/* Doubles as text, in the C locale whatever the process uses. */
#ifndef PITH_CORE_NUMBER_H
#define PITH_CORE_NUMBER_H

#include "core/bytes.h"

#include <stdbool.h>
#include <stddef.h>

enum { PITH_I_NUMBER_TEXT = 32 };

/*
 * The double in [at, end) and where it stops; NULL: none begins here. Correctly rounded. Takes what
 * strtod takes in the C locale except hexadecimal.
 */
const char *pith_i_scan_double(const char *at, const char *end, double *out);
/* For files: text that reads back as the same double, with the fewest decimals if 8 are enough, else with 15
 * digits or as many more as it takes. Whole numbers up to 2^53 are written out. Returns its length. */
int pith_i_print_double(double v, char text[PITH_I_NUMBER_TEXT]);
/* For results and messages: the same in the notation of printf's %g, such as 1e+15. Returns text. */
const char *pith_i_format_double(double v, char text[PITH_I_NUMBER_TEXT]);

/* ---- The plain decimal numbers that fill most text files, scanned in line ---- */

enum { PITH_I_EXACT_POWERS = 23 }; /* 10^0 .. 10^22 are doubles without rounding */
extern const double pith_i_power_of_ten[PITH_I_EXACT_POWERS];
enum { PITH_I_DIGITS = 19 }; /* this many always fit into 64 bits */

/* Appends the digits at `at` to the decimal number *m; returns the first character that is not a digit. */
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
 * How many of eight characters (pith_i_load_eight) are digits before the first that is not, a byte b for
 * which b ^ '0' is 10 or more. Only such a byte can carry into the next, so the carry cannot affect the
 * result.
 */
static inline int pith_i_count_digits(uint64_t bytes)
{
    bytes ^= UINT64_C(0x3030303030303030);
    const uint64_t other = ((bytes + UINT64_C(0x7676767676767676)) | bytes) & UINT64_C(0x8080808080808080);
    return other != 0 ? __builtin_ctzll(other) >> 3 : 8;
}

/* The value of the first `digits` characters, 1..8, all of them digits. They are moved to the high end, so
 * that they have leading zeros, and combined into pairs, fours and eights. */
static inline uint64_t pith_i_eight_value(uint64_t bytes, int digits)
{
    bytes = (bytes & UINT64_C(0x0f0f0f0f0f0f0f0f)) << (64 - 8 * digits);
    bytes = bytes * 10 + (bytes >> 8);
    return ((bytes & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064) +
            ((bytes >> 16) & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001)) >>
           32;
}

/* digits[.digits] as the whole number *m, of which *places digits follow the point. NULL: not of this form,
 * or more than 19 digits, which *m could not hold. */
static inline const char *pith_i_scan_plain(const char *at, const char *end, uint64_t *m, ptrdiff_t *places)
{
    const char *p = pith_i_scan_digits(at, end, m);
    ptrdiff_t digits = p - at;
    *places = 0;
    if (p < end && *p == '.') {
        const char *fraction = ++p;
        for (uint64_t bytes; end - p >= 8 && pith_i_count_digits(bytes = pith_i_load_eight(p)) == 8; p += 8)
            *m = *m * 100000000 + pith_i_eight_value(bytes, 8);
        p = pith_i_scan_digits(p, end, m);
        *places = p - fraction;
        digits += *places;
    }
    return digits >= 1 && digits <= PITH_I_DIGITS ? p : NULL;
}

/* m / 10^places with a sign, for m < 2^53 and places <= 22: both are exact, so the division rounds correctly.
 * The sign is a factor, because it is as good as random: a branch would be mispredicted. */
static inline double pith_i_short_value(bool negative, uint64_t m, ptrdiff_t places)
{
    static const double sign[2] = {1, -1};
    return sign[negative] * (double)(int64_t)m / pith_i_power_of_ten[places];
}

/* The double nearest to m 10^q, m > 0. False: too close to call, or not a normal number. */
bool pith_i_nearest_double(uint64_t m, int64_t q, double *out);

/*
 * [-]digits[.digits]. NULL: not of this form, or a hard case: pith_i_scan_double may still read it. The
 * caller looks at what follows the number; an exponent is not read.
 */
static inline const char *pith_i_scan_short(const char *at, const char *end, double *out)
{
    const bool negative = at < end && *at == '-';
    const char *first = at + negative;
    uint64_t m = 0;
    ptrdiff_t places = 0;
    if (end - first >= 9 && first[1] == '.') { /* 1.2345: its digits, without the point, side by side */
        const uint64_t eight = pith_i_load_eight(first),
                       bytes = (eight & 0xff) | (eight >> 8 & ~UINT64_C(0xff));
        /* A jump that the processor can predict: it starts on the next number before this one is done. */
        switch (pith_i_count_digits(bytes)) {
#define PITH_I_CASE(digits)                                                                                  \
    case digits:                                                                                             \
        *out = pith_i_short_value(negative, pith_i_eight_value(bytes, digits), (digits)-1);                  \
        return first + 1 + (digits);
            PITH_I_CASE(2)
            PITH_I_CASE(3)
            PITH_I_CASE(4)
            PITH_I_CASE(5)
            PITH_I_CASE(6)
#undef PITH_I_CASE
        default: break;
        }
    }
    const char *p = pith_i_scan_plain(first, end, &m, &places);
    if (p == NULL)
        return NULL;
    if (m >> 53 == 0)
        *out = pith_i_short_value(negative, m, places);
    else if (pith_i_nearest_double(m, -places, out))
        *out = negative ? -*out : *out;
    else
        return NULL;
    return p;
}

#endif
