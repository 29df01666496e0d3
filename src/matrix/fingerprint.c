#include "matrix/fingerprint.h"

#include <string.h>

const char *const pith_i_trait_names[TRAITS] = {"values", "labels", "sample names", "feature names"};
const char *const pith_i_trait_keys[TRAITS] = {"values", "labels", "samples", "features"};

/* The two halves of the product, combined, so that high and low bits of both factors reach the result. */
static inline uint64_t fold(uint64_t a, uint64_t b)
{
    const unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/*
 * The term of a value at a place, 0 for zero. Terms are added, so zeros need not be stored, and the order of
 * the others does not matter.
 */
static inline uint64_t term(double v, uint64_t place)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    const uint64_t mixed = fold(bits ^ UINT64_C(0x9E3779B97F4A7C15),
                                place * UINT64_C(0xD6E8FEB86659FD93) ^ UINT64_C(0xA0761D6478BD642F));
    return v != 0 ? mixed : 0;
}

/* One contiguous line of dense data: a row, or a column if by_columns is set. */
static uint64_t dense_line(const pith_i_data *X, bool by_columns, int64_t line)
{
    const int64_t count = by_columns ? X->n : X->p, stride = by_columns ? X->row_stride : X->col_stride,
                  from = line * (by_columns ? X->col_stride : X->row_stride), step = by_columns ? X->p : 1;
    const int64_t place = by_columns ? X->offset * X->p + line : (X->offset + line) * X->p;
    uint64_t sum = 0;
    for (int64_t k = 0; k < count; k++)
        sum += term(pith_i_value(X->x, X->dtype, from + k * stride), (uint64_t)(place + k * step));
    return sum;
}

static uint64_t sparse_row(const pith_i_data *X, int64_t i)
{
    const uint64_t first = (uint64_t)(X->offset + i) * (uint64_t)X->p;
    uint64_t sum = 0;
    for (int64_t e = X->indptr[i]; e < X->indptr[i + 1]; e++)
        sum += term(pith_i_value(X->values, X->dtype, e), first + (uint64_t)X->indices[e]);
    return sum;
}

static uint64_t of_values(const pith_ctx *ctx, const pith_i_data *X)
{
    const bool by_columns = !X->sparse && X->row_stride < X->col_stride;
    const int64_t lines = by_columns ? X->p : X->n;
    uint64_t sum = 0;
    /* Whole numbers: their sum does not depend on the order. */
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) reduction(+ : sum)
    for (int64_t line = 0; line < lines; line++)
        sum += X->sparse ? sparse_row(X, line) : dense_line(X, by_columns, line);
    return sum;
}

/* The term of a text at a place: of its bytes, eight at a time, padded with zeros, and of its length. */
static uint64_t of_text(const char *text, uint64_t place)
{
    const size_t length = strlen(text);
    uint64_t state = fold(place ^ UINT64_C(0xE7037ED1A0B428DB), UINT64_C(0x8EBC6AF09C88C6E3));
    for (size_t at = 0; at < length; at += 8) {
        uint64_t word = 0;
        for (size_t b = 0; b < 8 && at + b < length; b++)
            word |= (uint64_t)(unsigned char)text[at + b] << (8 * b);
        state = fold(state ^ word, UINT64_C(0x589965CC75374CC3));
    }
    return fold(state ^ length, UINT64_C(0x1D8E4E27C47D124F));
}

static uint64_t of_names(const pith_i_names *names)
{
    uint64_t sum = 0;
    for (int64_t i = 0; i < names->count; i++)
        sum += of_text(pith_i_name(names, i), (uint64_t)i);
    return sum;
}

static uint64_t of_labels(const pith_matrix *m)
{
    uint64_t sum = 0;
    for (int64_t i = 0; i < m->data.n; i++)
        sum += of_text(pith_i_label_text(m, i), (uint64_t)i);
    return sum;
}

void pith_i_fingerprint_make(const pith_ctx *ctx, const pith_matrix *m, pith_i_fingerprint *out)
{
    *out = (pith_i_fingerprint){
        .has = {true, m->label != NULL, m->samples.start != NULL, m->features.start != NULL}};
    out->of[TRAIT_VALUES] = of_values(ctx, &m->data);
    out->of[TRAIT_LABELS] = m->label != NULL ? of_labels(m) : 0;
    out->of[TRAIT_SAMPLES] = m->samples.start != NULL ? of_names(&m->samples) : 0;
    out->of[TRAIT_FEATURES] = m->features.start != NULL ? of_names(&m->features) : 0;
}
