/* The matrix of the counts: one row per document, one column per term that enough documents contain. */
#include "prep/counter.h"

#include <stdlib.h>

static inline const pith_i_entry *entry_at(const pith_i_counter *c, int64_t e)
{
    return &c->chunk[e / PITH_I_CHUNK].entry[e % PITH_I_CHUNK];
}

/* ---- Keys: sorted by the upper 32 bits; the lower 32 bits are payload --------------------------------- */

static void insert_each(uint64_t *key, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        const uint64_t k = key[i];
        int64_t at = i;
        for (; at > 0 && key[at - 1] > k; at--)
            key[at] = key[at - 1];
        key[at] = k;
    }
}

/* Sorts by the upper halves, which are below 2^bits: a radix sort by digits of eight bits. The result is in
 * key or in spare. */
static const uint64_t *sort_keys(uint64_t *key, uint64_t *spare, int64_t n, int bits)
{
    enum { FEW = 32, DIGITS = 256 };
    if (n <= FEW) {
        insert_each(key, n);
        return key;
    }
    for (int shift = 32; shift < 32 + bits; shift += 8) {
        int64_t next[DIGITS] = {0}, sum = 0;
        uint64_t *swap = key;
        for (int64_t i = 0; i < n; i++)
            next[key[i] >> shift & (DIGITS - 1)]++;
        for (int d = 0; d < DIGITS; d++) {
            const int64_t many = next[d];
            next[d] = sum;
            sum += many;
        }
        for (int64_t i = 0; i < n; i++)
            spare[next[key[i] >> shift & (DIGITS - 1)]++] = key[i];
        key = spare;
        spare = swap;
    }
    return key;
}

/* ---- Features ----------------------------------------------------------------------------------------- */

typedef struct feature {
    uint64_t first; /* the first eight bytes of the name, which decide most comparisons */
    const char *name;
    int32_t length, term;
} feature;

static int by_name(const void *a, const void *b)
{
    const feature *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    const int order = memcmp(x->name, y->name, (size_t)(x->length < y->length ? x->length : y->length));
    return order != 0 ? order : (x->length > y->length) - (x->length < y->length);
}

/* Names each term by the most frequent of the lower-case words with its stem; ties to the first in byte
 * order. */
static pith_status name_terms(pith_ctx *ctx, const pith_i_counter *c, feature *features)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    int64_t *count = NULL, *most = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, count, c->word.count));
    TRY(SCRATCH_ZERO(ctx, most, c->terms));
    for (int64_t w = 0; w < c->word.count; w++)
        if (c->lower[w] >= 0)
            count[c->lower[w]] += c->word.word[w].value;
    for (int64_t w = 0; w < c->word.count; w++) {
        const pith_i_word *word = &c->word.word[w];
        if (c->lower[w] != w)
            continue;
        const int32_t t = word->other;
        const feature f = {.first = __builtin_bswap64(word->head[0]),
                           .name = pith_i_word_text(&c->word, word),
                           .length = word->length,
                           .term = t};
        if (count[w] > most[t] || (count[w] == most[t] && by_name(&f, &features[t]) < 0)) {
            features[t] = f;
            most[t] = count[w];
        }
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Sorts by name: a radix sort by the first four bytes, then qsort among equals. */
static pith_status sort_features(pith_ctx *ctx, int64_t count, feature *features)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    uint64_t *key = NULL, *spare = NULL;
    feature *old = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, key, count));
    TRY(SCRATCH(ctx, spare, count));
    TRY(SCRATCH(ctx, old, count));
    for (int64_t j = 0; j < count; j++) {
        old[j] = features[j];
        key[j] = (old[j].first >> 32) << 32 | (uint64_t)j;
    }
    const uint64_t *sorted = sort_keys(key, spare, count, 32);
    for (int64_t j = 0, from = 0; j < count; j++) {
        features[j] = old[(uint32_t)sorted[j]];
        if (j + 1 == count || sorted[j] >> 32 != sorted[j + 1] >> 32) {
            qsort(features + from, (size_t)(j + 1 - from), sizeof *features, by_name);
            from = j + 1;
        }
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* The terms whose document frequency is within the limits, sorted by name. *stored: the number of their
 * entries. */
static pith_status choose_terms(pith_ctx *ctx, const pith_i_counter *c, feature *features, int64_t *count,
                                int64_t *stored)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const double least = pith_i_min_df(c->values[TEXT_MIN_DF], c->documents),
                 most = pith_i_max_df(c->values[TEXT_MAX_DF], c->documents);
    int64_t *df = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, df, c->terms));
    TRY(name_terms(ctx, c, features));
    for (int64_t e = 0; e < c->entries; e++)
        df[entry_at(c, e)->term]++;
    *count = *stored = 0;
    for (int64_t t = 0; t < c->terms; t++)
        if ((double)df[t] >= least && (double)df[t] <= most) {
            features[(*count)++] = features[t];
            *stored += df[t];
        }
    TRY(sort_features(ctx, *count, features));
    if (*count == 0)
        FAIL(ctx, PITH_E_DATA,
             "of %lld different words in %lld documents, none is in at least %.15g (min-df) and at most "
             "%.15g of them (max-df)",
             (long long)c->different, (long long)c->documents, least, most);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status name_columns(pith_ctx *ctx, int64_t count, const feature *features, pith_i_names *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const char **at = NULL;
    int64_t *length = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, at, count));
    TRY(SCRATCH(ctx, length, count));
    for (int64_t j = 0; j < count; j++) {
        at[j] = features[j].name;
        length[j] = features[j].length;
    }
    TRY(pith_i_names_slices(ctx, count, at, length, out));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- Rows --------------------------------------------------------------------------------------------- */

static pith_status fill(pith_ctx *ctx, const pith_i_counter *c, int64_t count, const feature *features,
                        int64_t stored, pith_i_data *X)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    uint64_t *key = NULL, *spare = NULL;
    int64_t longest = 0, e = 0, to = 0;
    int32_t *column = NULL;
    const int bits = 64 - __builtin_clzll((uint64_t)count); /* count > 0 */
    pith_status st = PITH_OK;
    for (int64_t i = 0, from = 0; i < c->documents; from = c->document_end[i++])
        longest = c->document_end[i] - from > longest ? c->document_end[i] - from : longest;
    TRY(SCRATCH(ctx, key, longest));
    TRY(SCRATCH(ctx, spare, longest));
    TRY(SCRATCH(ctx, column, c->terms));
    for (int64_t t = 0; t < c->terms; t++)
        column[t] = -1;
    for (int64_t j = 0; j < count; j++)
        column[features[j].term] = (int32_t)j;
    TRY(pith_i_data_new_csr(ctx, c->documents, count, stored, PITH_F64, X));
    double *values = pith_i_data_values(X);
    int32_t *indices = pith_i_data_indices(X);
    for (int64_t i = 0; i < c->documents; i++) {
        int64_t n = 0;
        for (; e < c->document_end[i]; e++) {
            const pith_i_entry *entry = entry_at(c, e);
            const int32_t j = column[entry->term];
            key[n] = (uint64_t)j << 32 | (uint32_t)entry->count;
            n += j >= 0;
        }
        const uint64_t *sorted = sort_keys(key, spare, n, bits);
        for (int64_t k = 0; k < n; k++, to++) {
            indices[to] = (int32_t)(sorted[k] >> 32);
            values[to] = (double)(uint32_t)sorted[k];
        }
        pith_i_data_indptr(X)[i + 1] = to;
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_counter_finish(pith_ctx *ctx, const pith_i_counter *c, pith_matrix *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    feature *features = NULL;
    int64_t count = 0, stored = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, features, c->terms));
    TRY(choose_terms(ctx, c, features, &count, &stored));
    TRY(fill(ctx, c, count, features, stored, &out->data));
    TRY(name_columns(ctx, count, features, &out->features));
    out->known_finite = true;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
