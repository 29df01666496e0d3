/* The short decimal numbers that fill most text files, scanned in line. */
#ifndef PITH_IO_NUMBER_H
#define PITH_IO_NUMBER_H

#include <stddef.h>
#include <stdint.h>

enum { PITH_I_EXACT_POWERS = 23 }; /* 10^0 .. 10^22 are doubles without rounding */
extern const double pith_i_power_of_ten[PITH_I_EXACT_POWERS];

/* m digits' worth of at's digits added to *m; the first character that is no digit. */
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
 * [-]digits[.digits] with at most 15 digits: both the integer and the power of ten are exact, so one
 * division rounds correctly. NULL: not of this form, which says nothing about pith_i_scan_double. What
 * follows the number is for the caller to look at; an exponent is not taken.
 */
static inline const char *pith_i_scan_short(const char *at, const char *end, double *out)
{
    const int negative = at < end && *at == '-';
    uint64_t m = 0;
    const char *first = at + negative;
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
    const double v = (double)(int64_t)m / pith_i_power_of_ten[places];
    *out = negative ? -v : v;
    return p;
}

#endif
