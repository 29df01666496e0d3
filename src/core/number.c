/*
 * Numbers from text and back, correctly rounded and in the C locale whatever the process uses.
 *
 * Million numbers per CPU second of one core of an AMD EPYC (bench/number_bench.cc):
 *
 *                             %.3g  %.5f  integers  %.6e  %.17g  mixed
 *     read   pith             78.5   173       119  39.8   41.5   44.4
 *            strtod           17.8  16.7      32.0  15.0   11.2   14.6
 *            fast_float       66.6  77.2      83.2  54.3   50.5   49.5
 *     write  pith             39.5  41.8      65.0  27.7    1.9    7.2
 *            printf 15 to 17   4.8   4.5       6.1   4.3    1.5    3.2
 *            to_chars (Ryu)   18.5  18.8      46.0  19.6   23.0   19.3
 *
 * A CSV file of short decimals is read at 0.85 GB/s, where strtod alone does not reach 0.14. The C++
 * libraries read about as fast, but would make a C++ compiler and libstdc++ part of every build. The switch
 * over the digits of 1.2345 in pith_i_scan_short is worth 15 % of the reading of such a file. A table of all
 * 651 powers of five, as in fast_float, would make files of 17 digits 1.4 times as fast to read (0.91 GB/s,
 * not 0.67); 23 powers and more multiplications are enough here. Numbers with many digits are written by
 * printf: there, Ryu is far ahead.
 */
#include "core/number.h"

#include <errno.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const double pith_i_power_of_ten[PITH_I_EXACT_POWERS] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
};

enum { DIGITS_NEEDED = 800, EXPONENT_MOST = 1000000 };

/* The text's digits as m 10^exponent; cut: nonzero digits after the 19th were left out. */
typedef struct decimal {
    const char *digits, *digits_end; /* with the point among them */
    uint64_t m;
    int64_t exponent;
    bool cut;
} decimal;

/* Any number of digits. Leading zeros do not count as digits. */
static const char *scan_mantissa(const char *at, const char *end, decimal *d)
{
    int64_t seen = 0, used = 0, dropped = 0, places = 0;
    bool point = false;
    d->digits = at;
    for (; at < end; at++) {
        const unsigned digit = (unsigned)(unsigned char)*at - '0';
        if (*at == '.' && !point) {
            point = true;
            continue;
        }
        if (digit > 9)
            break;
        seen++;
        places += point;
        if (used < PITH_I_DIGITS) {
            d->m = 10 * d->m + digit;
            used += d->m != 0;
        } else {
            dropped++;
            d->cut = d->cut || digit != 0;
        }
    }
    d->digits_end = at;
    d->exponent = dropped - places;
    return seen > 0 ? at : NULL;
}

/* e[+-]digits, or nothing. Beyond EXPONENT_MOST every number is 0 or infinite, however many digits. */
static const char *scan_exponent(const char *at, const char *end, int64_t *exponent)
{
    const char *p = at + 1;
    int64_t e = 0;
    if (at >= end || (*at != 'e' && *at != 'E'))
        return at;
    const bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    const char *first = p;
    for (; p < end && *p >= '0' && *p <= '9'; p++)
        e = e < EXPONENT_MOST ? 10 * e + (*p - '0') : e;
    if (p == first)
        return at;
    *exponent += negative ? -e : e;
    return p;
}

/* The leading 128 bits of 5^(28 k), k from -12 on, rounded down: the high half, then the low one. */
enum { POWER_STEP = 28, POWER_LEAST = -12, POWERS = 23 };
static const uint64_t power_of_five[POWERS][2] = {
    {UINT64_C(0xe3e27a444d8d98b7), UINT64_C(0xfd1b1b2308169b25)},
    {UINT64_C(0xe61acf033d1a45df), UINT64_C(0x6fb92487298e33bd)},
    {UINT64_C(0xe858ad248f5c22c9), UINT64_C(0xd1b3400f8f9cff68)},
    {UINT64_C(0xea9c227723ee8bcb), UINT64_C(0x465e15a979c1cadc)},
    {UINT64_C(0xece53cec4a314ebd), UINT64_C(0xa4f8bf5635246428)},
    {UINT64_C(0xef340a98172aace4), UINT64_C(0x86fb897116c87c34)},
    {UINT64_C(0xf18899b1bc3f8ca1), UINT64_C(0xdc44e6c3cb279ac1)},
    {UINT64_C(0xf3e2f893dec3f126), UINT64_C(0x5a89dba3c3efccfa)},
    {UINT64_C(0xf64335bcf065d37d), UINT64_C(0x4d4617b5ff4a16d5)},
    {UINT64_C(0xf8a95fcf88747d94), UINT64_C(0x75a44c6397ce912a)},
    {UINT64_C(0xfb158592be068d2e), UINT64_C(0xeed6e2f0f0d56712)},
    {UINT64_C(0xfd87b5f28300ca0d), UINT64_C(0x8bca9d6e188853fc)},
    {UINT64_C(0x8000000000000000), UINT64_C(0x0000000000000000)},
    {UINT64_C(0x813f3978f8940984), UINT64_C(0x4000000000000000)},
    {UINT64_C(0x82818f1281ed449f), UINT64_C(0xbff8f10e7a8921a4)},
    {UINT64_C(0x83c7088e1aab65db), UINT64_C(0x792667c6da79e0fa)},
    {UINT64_C(0x850fadc09923329e), UINT64_C(0x03e2cf6bc604ddb0)},
    {UINT64_C(0x865b86925b9bc5c2), UINT64_C(0x0b8a2392ba45a9b2)},
    {UINT64_C(0x87aa9aff79042286), UINT64_C(0x90fb44d2f05d0842)},
    {UINT64_C(0x88fcf317f22241e2), UINT64_C(0x441fece3bdf81f03)},
    {UINT64_C(0x8a5296ffe33cc92f), UINT64_C(0x82bd6b70d99aaa6f)},
    {UINT64_C(0x8bab8eefb6409c1a), UINT64_C(0x1ad089b6c2f7548e)},
    {UINT64_C(0x8d07e33455637eb2), UINT64_C(0xdb0b487b6423e1e8)},
};
/* clang-format off */
static const uint64_t small_power_of_five[POWER_STEP] = {
    1, 5, 25, 125, 625, 3125, 15625, 78125, 390625, 1953125, 9765625, 48828125, 244140625, 1220703125,
    6103515625, 30517578125, 152587890625, 762939453125, 3814697265625, 19073486328125, 95367431640625,
    476837158203125, 2384185791015625, 11920928955078125, 59604644775390625, 298023223876953125,
    1490116119384765625, 7450580596923828125,
};
/* clang-format on */

/*
 * With q = 28 k + r, m 10^q = (m 5^r) 5^(28 k) 2^q. The first factor is exact in 128 bits; t, the leading
 * bits of its product with the second, is too small by less than 4: 1 for the table, 3 for what the three
 * partial products leave out. Rounding t to 53 bits is right unless it lies within 4 below a half.
 */
bool pith_i_nearest_double(uint64_t m, int64_t q, double *out)
{
    typedef unsigned __int128 wide;
    if (q < POWER_STEP * POWER_LEAST || q >= POWER_STEP * (POWER_LEAST + POWERS))
        return false;
    const int64_t step = (q - POWER_STEP * POWER_LEAST) / POWER_STEP,
                  whole = POWER_STEP * (step + POWER_LEAST);
    const uint64_t *power = power_of_five[step];
    wide a = (wide)m * small_power_of_five[q - whole];
    const int shift = a >> 64 != 0 ? __builtin_clzll((uint64_t)(a >> 64)) : 64 + __builtin_clzll((uint64_t)a);
    a <<= shift;
    const uint64_t high = (uint64_t)(a >> 64), low = (uint64_t)a;
    wide t = (wide)high * power[0] + ((wide)high * power[1] >> 64) + ((wide)low * power[0] >> 64);
    const int top = (int)(t >> 127);
    t >>= top; /* 127 bits now */
    const wide half = (wide)1 << 73, rest = t & (2 * half - 1);
    if (half - rest <= 4) /* also exactly half */
        return false;
    /* The table's row is 5^whole / 2^(floor(log2 5^whole) - 127), and floor(log2 10^n) = 217706 n / 2^16 in
     * its range. The mantissa's leading bit adds 1 to the exponent; a mantissa rounded up to 2^53 adds 2, as
     * it should. */
    const int64_t log2_power = ((217706 * whole) >> 16) - whole;
    const int64_t exponent = log2_power + 1 + q - shift + top + 74 + 1074;
    if (exponent < 0 || exponent > 2044)
        return false;
    const uint64_t bits = ((uint64_t)exponent << 52) + (uint64_t)((t + half) >> 74);
    memcpy(out, &bits, sizeof bits);
    return true;
}

/*
 * By the C library, from a copy in the C locale. Rounding depends on 768 digits at most, and on whether any
 * digit after them is nonzero: that is kept as a last 1.
 */
static double by_library(const decimal *d, int64_t exponent)
{
    char text[DIGITS_NEEDED + 40];
    int64_t used = 0, dropped = 0, places = 0;
    bool point = false, more = false;
    for (const char *p = d->digits; p < d->digits_end; p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        places += point;
        if (used < DIGITS_NEEDED) {
            text[used] = *p;
            used += used > 0 || *p != '0';
        } else {
            dropped++;
            more = more || *p != '0';
        }
    }
    if (used == 0)
        return 0;
    if (more) {
        text[used++] = '1';
        dropped--;
    }
    (void)snprintf(text + used, 40, "e%lld", (long long)(exponent + dropped - places));
    const int kept = errno;
    const locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const double v = c != (locale_t)0 ? strtod_l(text, NULL, c) : strtod(text, NULL);
    if (c != (locale_t)0)
        freelocale(c);
    errno = kept;
    return v;
}

static double decimal_value(const decimal *d, int64_t exponent_text)
{
    const int64_t q = d->exponent + exponent_text;
    double v = 0, above = 0;
    if (d->m == 0)
        return 0;
    if (!d->cut && d->m <= UINT64_C(1) << 53 && q >= -22 && q <= 22)
        return q < 0 ? (double)d->m / pith_i_power_of_ten[-q] : (double)d->m * pith_i_power_of_ten[q];
    if (pith_i_nearest_double(d->m, q, &v)) {
        if (!d->cut)
            return v;
        /* The value lies between m and m + 1: right if both round to the same double. */
        if (d->m < UINT64_MAX && pith_i_nearest_double(d->m + 1, q, &above) && v == above)
            return v;
    }
    return by_library(d, exponent_text);
}

/* Length of `word` if the text begins with it in any case, else 0. */
static size_t begins(const char *at, const char *end, const char *word)
{
    const size_t length = strlen(word);
    return (size_t)(end - at) >= length && strncasecmp(at, word, length) == 0 ? length : 0;
}

/* inf, infinity, nan, nan(letters, digits, _), as strtod has them. */
static const char *scan_word(const char *at, const char *end, double *out)
{
    size_t length = begins(at, end, "infinity");
    if (length == 0)
        length = begins(at, end, "inf");
    if (length > 0) {
        *out = (double)INFINITY;
        return at + length;
    }
    length = begins(at, end, "nan");
    if (length == 0)
        return NULL;
    *out = (double)NAN;
    const char *p = at + length;
    if (p < end && *p == '(') {
        for (p++;
             p < end && (*p == '_' || (*p >= '0' && *p <= '9') || ((*p | 32) >= 'a' && (*p | 32) <= 'z'));)
            p++;
        if (p < end && *p == ')')
            return p + 1;
    }
    return at + length;
}

const char *pith_i_scan_double(const char *at, const char *end, double *out)
{
    decimal d = {0};
    int64_t exponent = 0;
    ptrdiff_t places = 0;
    double v = 0;
    while (at < end && (*at == ' ' || (*at >= '\t' && *at <= '\r')))
        at++;
    const bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    if (at >= end)
        return NULL;
    const char *stop = pith_i_scan_plain(at, end, &d.m, &places);
    if (stop != NULL) {
        d.digits = at;
        d.digits_end = stop;
        d.exponent = -places;
    } else {
        d = (decimal){0};
        stop = scan_mantissa(at, end, &d);
    }
    if (stop != NULL) {
        stop = scan_exponent(stop, end, &exponent);
        v = decimal_value(&d, exponent);
    } else {
        stop = scan_word(at, end, &v);
        if (stop == NULL)
            return NULL;
    }
    *out = negative ? -v : v;
    return stop;
}

static int print_unsigned(uint64_t v, int least, char *text)
{
    char back[24];
    int length = 0;
    for (; v > 0 || length < least; v /= 10)
        back[length++] = (char)('0' + v % 10);
    for (int i = 0; i < length; i++)
        text[i] = back[length - 1 - i];
    text[length] = '\0';
    return length;
}

/*
 * Fixed notation with at most 8 decimals, the fewest that read back as v; returns 0 if that is not enough.
 * The check does what reading does: it divides an exact integer by an exact power of ten.
 */
static int print_short(double v, char *text)
{
    const double most = 9007199254740992.0, a = fabs(v);
    char *p = text;
    if (a >= most || (a < 1e-4 && a != 0))
        return 0;
    for (int places = 0; places <= 8; places++) {
        const double power = pith_i_power_of_ten[places];
        if (a * power + 0.5 >= most)
            return 0;
        const uint64_t m = (uint64_t)(a * power + 0.5);
        if ((double)(int64_t)m / power != a)
            continue;
        if (signbit(v))
            *p++ = '-';
        p += print_unsigned(m / (uint64_t)power, 1, p);
        if (places > 0) {
            *p++ = '.';
            p += print_unsigned(m % (uint64_t)power, places, p);
        }
        return (int)(p - text);
    }
    return 0;
}

/* Replaces the locale's decimal point, which may have several bytes: anything but a digit, a sign and e. */
static int plain_point(char *text)
{
    char *to = text;
    for (const char *p = text; *p != '\0'; p++) {
        if ((*p >= '0' && *p <= '9') || *p == '-' || *p == '+' || *p == 'e')
            *to++ = *p;
        else if (to > text && to[-1] != '.')
            *to++ = '.';
    }
    *to = '\0';
    return (int)(to - text);
}

/* v, which is finite, by %g with the fewest digits, at least `least`, that read back as v; its length. */
static int print_digits(double v, int least, char text[PITH_I_NUMBER_TEXT])
{
    int length = 0;
    double back = (double)NAN;
    for (int digits = least; digits <= 17 && back != v; digits++) {
        (void)snprintf(text, PITH_I_NUMBER_TEXT, "%.*g", digits, v);
        length = plain_point(text);
        (void)pith_i_scan_double(text, text + length, &back);
    }
    return length;
}

int pith_i_print_double(double v, char text[PITH_I_NUMBER_TEXT])
{
    if (isnan(v))
        return snprintf(text, PITH_I_NUMBER_TEXT, "nan");
    if (isinf(v))
        return snprintf(text, PITH_I_NUMBER_TEXT, v > 0 ? "inf" : "-inf");
    const int length = print_short(v, text);
    return length > 0 ? length : print_digits(v, 15, text);
}

const char *pith_i_format_double(double v, char text[PITH_I_NUMBER_TEXT])
{
    /* 15 digits give back any shorter text of a normal number; subnormal ones have fewer to begin with. */
    if (isfinite(v))
        (void)print_digits(v, fabs(v) < DBL_MIN ? 1 : 15, text);
    else
        (void)snprintf(text, PITH_I_NUMBER_TEXT, "%g", v);
    return text;
}
