/* One loop for each pair of types, made by macros: conversion dominates the time to read a binary file. */
#include "io/elements.h"

#include <math.h>
#include <string.h>

bool pith_i_element_is_number(pith_i_element e)
{
    switch (e.kind) {
    case 'b': return e.size == 1;
    case 'i':
    case 'u': return e.size == 1 || e.size == 2 || e.size == 4 || e.size == 8;
    case 'f': return e.size == 2 || e.size == 4 || e.size == 8;
    default: return false;
    }
}

pith_dtype pith_i_element_dtype(pith_i_element e)
{
    return e.kind == 'f' && e.size == 4 ? PITH_F32 : PITH_F64;
}

/* Elements are loaded as bits, byte-swapped if need be, and then reinterpreted as their type. */
static inline uint8_t load8(const char *at, bool swapped)
{
    (void)swapped;
    return *(const uint8_t *)at;
}

static inline uint16_t load16(const char *at, bool swapped)
{
    uint16_t bits;
    memcpy(&bits, at, sizeof bits);
    return swapped ? __builtin_bswap16(bits) : bits;
}

static inline uint32_t load32(const char *at, bool swapped)
{
    uint32_t bits;
    memcpy(&bits, at, sizeof bits);
    return swapped ? __builtin_bswap32(bits) : bits;
}

static inline uint64_t load64(const char *at, bool swapped)
{
    uint64_t bits;
    memcpy(&bits, at, sizeof bits);
    return swapped ? __builtin_bswap64(bits) : bits;
}

static inline float single_of(uint32_t bits)
{
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static inline double double_of(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* IEEE half precision: sign, 5 bits of exponent, 10 of mantissa. */
static double half_of(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double v = 0;
    if (exponent == 31)
        v = mantissa == 0 ? (double)INFINITY : (double)NAN;
    else if (exponent == 0)
        v = ldexp(mantissa, -24);
    else
        v = ldexp(1024 + mantissa, exponent - 25);
    return (bits & 0x8000) != 0 ? -v : v;
}

/* Both byte orders get a loop of their own, so that the common one is vectorised. */
#define LOOP(to, load, view, width)                                                                          \
    do {                                                                                                     \
        to *y = out;                                                                                         \
        if (e.swapped)                                                                                       \
            for (int64_t k = 0; k < count; k++)                                                              \
                y[k] = (to)view(load(x + k * (width), true));                                                \
        else                                                                                                 \
            for (int64_t k = 0; k < count; k++)                                                              \
                y[k] = (to)view(load(x + k * (width), false));                                               \
    } while (0)
#define CONVERT(load, view, width)                                                                           \
    do {                                                                                                     \
        if (dtype == PITH_F64)                                                                               \
            LOOP(double, load, view, width);                                                                 \
        else                                                                                                 \
            LOOP(float, load, view, width);                                                                  \
        return;                                                                                              \
    } while (0)
#define TRUTH(v) ((v) != 0)

static void convert_float(pith_i_element e, const char *x, int64_t count, pith_dtype dtype, void *out)
{
    switch (e.size) {
    case 2: CONVERT(load16, half_of, 2);
    case 4: CONVERT(load32, single_of, 4);
    default: CONVERT(load64, double_of, 8);
    }
}

static void convert_signed(pith_i_element e, const char *x, int64_t count, pith_dtype dtype, void *out)
{
    switch (e.size) {
    case 1: CONVERT(load8, (int8_t), 1);
    case 2: CONVERT(load16, (int16_t), 2);
    case 4: CONVERT(load32, (int32_t), 4);
    default: CONVERT(load64, (int64_t), 8);
    }
}

static void convert_unsigned(pith_i_element e, const char *x, int64_t count, pith_dtype dtype, void *out)
{
    switch (e.size) {
    case 1: CONVERT(load8, (uint8_t), 1);
    case 2: CONVERT(load16, (uint16_t), 2);
    case 4: CONVERT(load32, (uint32_t), 4);
    default: CONVERT(load64, (uint64_t), 8);
    }
}

static void convert_truth(pith_i_element e, const char *x, int64_t count, pith_dtype dtype, void *out)
{
    CONVERT(load8, TRUTH, 1);
}

void pith_i_elements_convert(pith_i_element e, const void *from, int64_t count, pith_dtype dtype, void *out)
{
    const size_t size = pith_i_dtype_size(dtype);
    if (count == 0)
        return;
    if (e.kind == 'f' && !e.swapped && (size_t)e.size == size)
        memcpy(out, from, (size_t)count * size);
    else if (e.kind == 'f')
        convert_float(e, from, count, dtype, out);
    else if (e.kind == 'i')
        convert_signed(e, from, count, dtype, out);
    else if (e.kind == 'u')
        convert_unsigned(e, from, count, dtype, out);
    else
        convert_truth(e, from, count, dtype, out);
}

enum { TILE = 64 };

/* Transposes rows i0 .. i0 + TILE - 1 of all columns: a tile is converted column by column, then stored by
 * rows. */
static void turn_rows(pith_i_element e, const char *from, int64_t n, int64_t p, int64_t i0, pith_dtype dtype,
                      void *out, int64_t ld)
{
    const int64_t rows = n - i0 < TILE ? n - i0 : TILE;
    const size_t size = pith_i_dtype_size(dtype);
    double tile[TILE * TILE];
    for (int64_t j0 = 0; j0 < p; j0 += TILE) {
        const int64_t cols = p - j0 < TILE ? p - j0 : TILE;
        for (int64_t j = 0; j < cols; j++)
            pith_i_elements_convert(e, from + ((j0 + j) * n + i0) * e.size, rows, dtype,
                                    (char *)tile + (size_t)(j * TILE) * size);
        if (dtype == PITH_F64) {
            for (int64_t i = 0; i < rows; i++)
                for (int64_t j = 0; j < cols; j++)
                    ((double *)out)[(i0 + i) * ld + j0 + j] = tile[j * TILE + i];
        } else {
            for (int64_t i = 0; i < rows; i++)
                for (int64_t j = 0; j < cols; j++)
                    ((float *)out)[(i0 + i) * ld + j0 + j] =
                        ((const float *)(const void *)tile)[j * TILE + i];
        }
    }
}

void pith_i_elements_convert_columns(pith_ctx *ctx, pith_i_element e, const void *from, int64_t n, int64_t p,
                                     pith_dtype dtype, void *out, int64_t ld)
{
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(static)
    for (int64_t i0 = 0; i0 < n; i0 += TILE)
        turn_rows(e, from, n, p, i0, dtype, out, ld);
}

static inline int64_t integer_at(pith_i_element e, const char *x, int64_t k)
{
    const char *at = x + k * e.size;
    switch (e.size) {
    case 1: return e.kind == 'i' ? (int64_t)(int8_t)load8(at, false) : (int64_t)load8(at, false);
    case 2: {
        const uint16_t v = load16(at, e.swapped);
        return e.kind == 'i' ? (int64_t)(int16_t)v : (int64_t)v;
    }
    case 4: {
        const uint32_t v = load32(at, e.swapped);
        return e.kind == 'i' ? (int64_t)(int32_t)v : (int64_t)v;
    }
    default: return (int64_t)load64(at, e.swapped);
    }
}

bool pith_i_elements_int64(pith_i_element e, const void *from, int64_t count, int64_t *out)
{
    bool fits = e.kind == 'i' || e.kind == 'u';
    for (int64_t k = 0; fits && k < count; k++) {
        out[k] = integer_at(e, from, k);
        fits = e.kind == 'i' || out[k] >= 0;
    }
    return fits;
}

bool pith_i_elements_int32(pith_i_element e, const void *from, int64_t count, int32_t *out)
{
    if (e.kind != 'i' && e.kind != 'u')
        return false;
    for (int64_t k = 0; k < count; k++) {
        const int64_t v = integer_at(e, from, k);
        out[k] = v < 0 || v > INT32_MAX ? -1 : (int32_t)v;
    }
    return true;
}
