/* Numbers from text and back, correctly rounded and in the C locale whatever the process uses. */
#include "io/io.h"

#include "io/number.h"
#include "io/powers.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const double pith_i_power_of_ten[PITH_I_EXACT_POWERS] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
};

const uint32_t pith_i_whole_power_of_ten[9] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

enum { DIGITS64 = 19, DIGITS_NEEDED = 800, EXPONENT_MOST = 1000000 };

/* The text's digits as m 10^exponent; cut: digits other than 0 were left out after the 19th. */
typedef struct decimal {
    const char *digits, *digits_end; /* with the point among them */
    uint64_t m;
    int64_t exponent;
    bool cut;
} decimal;

/* Digits in eights as long as there are eight. */
static const char *scan_many(const char *at, const char *end, uint64_t *m)
{
    while (end - at >= 8) {
        const uint64_t bytes = pith_i_load_eight(at);
        const ptrdiff_t digits = pith_i_count_digits(bytes);
        if (digits == 0)
            return at;
        *m = *m * pith_i_whole_power_of_ten[digits] + pith_i_eight_value(bytes, digits);
        at += digits;
        if (digits < 8)
            return at;
    }
    return pith_i_scan_digits(at, end, m);
}

/* The usual case: up to 19 digits, all of which fit. NULL: look closer. */
static const char *scan_plain_mantissa(const char *at, const char *end, decimal *d)
{
    uint64_t m = 0;
    int64_t places = 0;
    const char *p = scan_many(at, end, &m);
    ptrdiff_t digits = p - at;
    if (p < end && *p == '.') {
        const char *fraction = p + 1;
        p = scan_many(fraction, end, &m);
        places = p - fraction;
        digits += places;
    }
    if (digits < 1 || digits > DIGITS64)
        return NULL;
    *d = (decimal){.digits = at, .digits_end = p, .m = m, .exponent = -places};
    return p;
}

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
        if (used < DIGITS64) {
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

static double from_bits(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/*
 * The double nearest to w 10^q for w > 0 (D. Lemire, Number parsing at a gigabyte per second, 2021):
 * with w and 5^q both scaled to full words, the leading bits of their product hold the mantissa, and
 * whether more bits of 5^q could change it is seen from the bits behind. False: they could.
 */
static bool nearest_double(uint64_t w, int64_t q, double *out)
{
    enum { MANTISSA = 52, SPARE = 64 - MANTISSA - 3 };
    if (q < POWER_FIRST || q > POWER_LAST) {
        *out = q < POWER_FIRST ? 0 : (double)INFINITY;
        return true;
    }
    const uint64_t *power = power_of_five[q - POWER_FIRST];
    const int shift = __builtin_clzll(w);
    w <<= shift;
    const unsigned __int128 first = (unsigned __int128)w * power[0];
    uint64_t high = (uint64_t)(first >> 64), low = (uint64_t)first;
    if ((high & ((UINT64_C(1) << SPARE) - 1)) == (UINT64_C(1) << SPARE) - 1) {
        const uint64_t second = (uint64_t)((unsigned __int128)w * power[1] >> 64);
        low += second;
        high += low < second;
    }
    if (low == UINT64_MAX && (q < -27 || q > 55))
        return false;
    const int top = (int)(high >> 63);
    uint64_t mantissa = high >> (top + SPARE); /* 53 bits and one to round by */
    /* floor(q log2(10)) + 63 is the binary exponent of the scaled power; 1023 is IEEE's bias. */
    int64_t exponent = ((217706 * q) >> 16) + 63 + top - shift + 1023;
    if (exponent <= 0) { /* subnormal: fewer bits are left */
        if (exponent <= -63) {
            *out = 0;
            return true;
        }
        mantissa >>= 1 - exponent;
        mantissa = (mantissa + (mantissa & 1)) >> 1;
        exponent = mantissa >> MANTISSA; /* rounding may have made it normal */
        *out = from_bits((uint64_t)exponent << MANTISSA | (mantissa & ~(UINT64_C(1) << MANTISSA)));
        return true;
    }
    /* Just between two doubles, which only these powers can hit exactly: to the even one. */
    if (low <= 1 && q >= -4 && q <= 23 && (mantissa & 3) == 1 && mantissa << (top + SPARE) == high)
        mantissa &= ~UINT64_C(1);
    mantissa = (mantissa + (mantissa & 1)) >> 1;
    if (mantissa >> (MANTISSA + 1)) {
        mantissa >>= 1;
        exponent++;
    }
    if (exponent >= 2047)
        *out = (double)INFINITY;
    else
        *out = from_bits((uint64_t)exponent << MANTISSA | (mantissa & ~(UINT64_C(1) << MANTISSA)));
    return true;
}

/*
 * By the C library, from a copy in the C locale. No more than 768 digits can matter to the rounding, but
 * whether any digit follows them does: it is kept as a last 1.
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
    if (nearest_double(d->m, q, &v)) {
        if (!d->cut)
            return v;
        /* The value lies between m and m + 1. */
        if (d->m < UINT64_MAX && nearest_double(d->m + 1, q, &above) && v == above)
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
    double v = 0;
    while (at < end && (*at == ' ' || (*at >= '\t' && *at <= '\r')))
        at++;
    const bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    if (at >= end)
        return NULL;
    const char *stop = scan_plain_mantissa(at, end, &d);
    if (stop == NULL)
        stop = scan_mantissa(at, end, &d);
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

static bool same_value(double a, double b, pith_dtype dtype)
{
    return dtype == PITH_F64 ? a == b : (float)a == (float)b;
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
 * Fixed notation with at most 8 places, the fewest that read back as v; 0 if that is not enough. The
 * check is how such text is read: an exact integer divided by an exact power of ten.
 */
static int print_short(double v, pith_dtype dtype, char *text)
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
        if (!same_value((double)(int64_t)m / power, a, dtype))
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

/* Whatever the locale's decimal point is, even several bytes: it is all that is no digit, sign or e. */
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

int pith_i_print_double(double v, pith_dtype dtype, char text[32])
{
    const int enough = dtype == PITH_F64 ? 17 : 9;
    if (isnan(v))
        return snprintf(text, 32, "nan");
    if (isinf(v))
        return snprintf(text, 32, v > 0 ? "inf" : "-inf");
    int length = print_short(v, dtype, text);
    for (int digits = dtype == PITH_F64 ? 15 : 6; length == 0 && digits <= enough; digits++) {
        double back = 0;
        (void)snprintf(text, 32, "%.*g", digits, v);
        const int tried = plain_point(text);
        (void)pith_i_scan_double(text, text + tried, &back);
        if (digits == enough || same_value(back, v, dtype))
            length = tried;
    }
    return length;
}
