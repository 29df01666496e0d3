/* Text to counts: words, their stems, and how often each document has them. */
#include "prep/text.h"

#include "prep/unicode.h"
#include "prep/word_table.h"

#include <libstemmer.h>
#include <stdlib.h>
#include <string.h>

/* What libstemmer has; test_documents holds this list against its own. */
static const char *const languages[] = {
    "none",    "arabic",     "armenian", "basque",    "catalan", "danish",     "dutch",      "english",
    "finnish", "french",     "german",   "greek",     "hindi",   "hungarian",  "indonesian", "irish",
    "italian", "lithuanian", "nepali",   "norwegian", "porter",  "portuguese", "romanian",   "russian",
    "serbian", "spanish",    "swedish",  "tamil",     "turkish", "yiddish",    NULL};
enum { STEM_NONE, STEM_ENGLISH = 7 };

/* When a term was counted last. */
typedef struct counted {
    int64_t document, entry;
} counted;

/* A word that has been read and waits to be counted: by then its slot of the table has come into the cache.
 */
typedef struct waiting {
    const char *at;
    int32_t length;
    uint32_t hash;
    int32_t guess; /* the number it probably has */
} waiting;
enum { QUEUE = 16 };

struct pith_i_counter {
    double values[PITH_I_STEP_PARAMS];
    struct sb_stemmer *stemmer; /* NULL: none */
    pith_i_word_table stop,
        raw,       /* as they stand in the text; value: the word in lower case,
                    * -1: left out; other: its term, so that the text need not go through lower */
        lower,     /* value: its term */
        term;      /* stems: what is counted */
    counted *last; /* of terms */
    int32_t *entry_term, *entry_count;
    int64_t *document_end; /* of its entries */
    int64_t entries, documents;
    int64_t term_room, entry_room, count_room, end_room;
    waiting queue[QUEUE];
    int queued;
};

pith_status pith_i_counter_new(pith_ctx *ctx, const double *values, pith_i_counter **out)
{
    const int stem = (int)values[TEXT_STEM];
    pith_i_counter *c = NULL;
    pith_status st = PITH_OK;
    TRY(NEW_ZERO(ctx, c, 1));
    memcpy(c->values, values, sizeof c->values);
    TRY(pith_i_word_table_new(ctx, &c->stop));
    TRY(pith_i_word_table_new(ctx, &c->raw));
    TRY(pith_i_word_table_new(ctx, &c->lower));
    TRY(pith_i_word_table_new(ctx, &c->term));
    if (stem != STEM_NONE && (c->stemmer = sb_stemmer_new(languages[stem], NULL)) == NULL)
        FAIL(ctx, PITH_E_PARAMETER, "stem: this build's libstemmer does not know '%s'", languages[stem]);
    *out = c;
    c = NULL;
done:
    pith_i_counter_free(c);
    return st;
}

static void forget_entries(pith_i_counter *c)
{
    pith_i_free(c->entry_term);
    pith_i_free(c->entry_count);
    c->entry_term = c->entry_count = NULL;
}

void pith_i_counter_free(pith_i_counter *c)
{
    if (c == NULL)
        return;
    sb_stemmer_delete(c->stemmer);
    pith_i_word_table_free(&c->stop);
    pith_i_word_table_free(&c->raw);
    pith_i_word_table_free(&c->lower);
    pith_i_word_table_free(&c->term);
    pith_i_free(c->last);
    forget_entries(c);
    pith_i_free(c->document_end);
    pith_i_free(c);
}

/* The number of a word in t, a new one where it is not there. */
static pith_status number_of(pith_ctx *ctx, pith_i_word_table *t, const char *at, int64_t length,
                             int32_t *out)
{
    const uint32_t hash = pith_i_hash(at, length);
    pith_i_word *w = pith_i_word_find(t, at, length, hash);
    pith_status st = PITH_OK;
    if (w == NULL)
        TRY(pith_i_word_add(ctx, t, at, length, hash, &w));
    *out = (int32_t)(w - t->word);
done:
    return st;
}

pith_status pith_i_counter_stop(pith_ctx *ctx, pith_i_counter *c, const char *word, int64_t length)
{
    char lower[PITH_I_WORD_ROOM];
    int32_t number = 0;
    int bytes = 0;
    for (int64_t i = 0; i < length; i += bytes) {
        (void)pith_i_char_at(word + i, word + length, &bytes);
        if (bytes == 0)
            return PITH_E_DATA;
    }
    if (length > PITH_I_WORD_MOST) /* nor is it counted anywhere */
        return PITH_OK;
    const int64_t many = pith_i_word_lower(word, length, lower);
    return many > 0 ? number_of(ctx, &c->stop, lower, many, &number) : PITH_OK;
}

/* ---- A word for the first time ---------------------------------------------------------------------------
 */

/* The word's stem as a term. */
static pith_status find_term(pith_ctx *ctx, pith_i_counter *c, const char *word, int64_t length,
                             int32_t *term)
{
    const char *stem = word;
    pith_status st = PITH_OK;
    if (c->stemmer != NULL) {
        stem = (const char *)sb_stemmer_stem(c->stemmer, (const sb_symbol *)word, (int)length);
        if (stem == NULL)
            FAIL(ctx, PITH_E_NOMEM, "out of memory: for a word's stem");
        length = sb_stemmer_length(c->stemmer);
    }
    const int64_t before = c->term.count;
    TRY(number_of(ctx, &c->term, stem, length, term));
    TRY(GROW(ctx, c->last, c->term_room, c->term.count));
    if (c->term.count > before)
        c->last[*term] = (counted){-1, -1};
done:
    return st;
}

/* The word in lower case, if it is one that counts; else -1. */
static pith_status find_lower(pith_ctx *ctx, pith_i_counter *c, const char *at, int64_t length, int32_t *out)
{
    char lower[PITH_I_WORD_ROOM];
    bool letters = false, alone = false;
    int32_t term = 0;
    pith_status st = PITH_OK;
    *out = -1;
    const int64_t many = pith_i_word_lower(at, length, lower);
    const int64_t count = pith_i_word_letters(lower, many, &letters, &alone);
    if (many == 0 || (!letters && c->values[TEXT_NUMBERS] == 0) ||
        (!alone && (double)count < c->values[TEXT_SHORTEST]) ||
        pith_i_word_find(&c->stop, lower, many, pith_i_hash(lower, many)) != NULL)
        return PITH_OK;
    const int64_t before = c->lower.count;
    TRY(number_of(ctx, &c->lower, lower, many, out));
    if (c->lower.count > before) {
        TRY(find_term(ctx, c, lower, many, &term));
        c->lower.word[*out].value = term;
    }
done:
    return st;
}

static pith_status learn(pith_ctx *ctx, pith_i_counter *c, const char *at, int64_t length, uint32_t hash,
                         pith_i_word **out)
{
    int32_t lower = 0;
    pith_status st = PITH_OK;
    TRY(find_lower(ctx, c, at, length, &lower));
    TRY(pith_i_word_add(ctx, &c->raw, at, length, hash, out));
    (*out)->value = lower;
    (*out)->other = lower < 0 ? -1 : c->lower.word[lower].value;
done:
    return st;
}

/* ---- A word in a document --------------------------------------------------------------------------------
 */

static pith_status count_word(pith_ctx *ctx, pith_i_counter *c, const waiting *word)
{
    pith_i_word *w = pith_i_word_find(&c->raw, word->at, word->length, word->hash);
    pith_status st = PITH_OK;
    if (w == NULL)
        TRY(learn(ctx, c, word->at, word->length, word->hash, &w));
    if (w->value < 0)
        return PITH_OK;
    w->count++;
    const int32_t term = w->other;
    counted *last = &c->last[term];
    if (last->document == c->documents) {
        c->entry_count[last->entry]++;
        return PITH_OK;
    }
    TRY(GROW(ctx, c->entry_term, c->entry_room, c->entries + 1));
    TRY(GROW(ctx, c->entry_count, c->count_room, c->entries + 1));
    c->entry_term[c->entries] = term;
    c->entry_count[c->entries] = 1;
    *last = (counted){c->documents, c->entries++};
done:
    return st;
}

static pith_status count_queue(pith_ctx *ctx, pith_i_counter *c)
{
    pith_status st = PITH_OK;
    for (int k = 0; k < c->queued; k++) {
        const int32_t word = c->raw.slot[pith_i_word_slot_of(&c->raw, c->queue[k].hash)].word;
        c->queue[k].guess = word > 0 ? word - 1 : 0;
        __builtin_prefetch(&c->raw.word[c->queue[k].guess]);
    }
    for (int k = 0; c->term.count > 0 && k < c->queued; k++) {
        const int32_t term = c->raw.word[c->queue[k].guess].other;
        __builtin_prefetch(&c->last[term > 0 ? term : 0]);
    }
    for (int k = 0; k < c->queued; k++)
        TRY(count_word(ctx, c, &c->queue[k]));
done:
    c->queued = 0;
    return st;
}

static pith_status enqueue(pith_ctx *ctx, pith_i_counter *c, const char *at, int64_t length, uint32_t hash)
{
    if (length > PITH_I_WORD_MOST)
        return PITH_OK;
    __builtin_prefetch(&c->raw.slot[pith_i_word_slot_of(&c->raw, hash)]);
    c->queue[c->queued++] = (waiting){at, (int32_t)length, hash, 0};
    return c->queued == QUEUE ? count_queue(ctx, c) : PITH_OK;
}

/* What stands at `at`: CHAR_HIGH only if it is not UTF-8. */
static inline pith_i_char look(const char *at, const char *end, int *bytes)
{
    const pith_i_char kind = (pith_i_char)pith_i_byte_kind[(unsigned char)*at];
    *bytes = 1;
    if (kind != CHAR_HIGH)
        return kind;
    const pith_i_char found = pith_i_char_at(at, end, bytes);
    return *bytes > 0 ? found : CHAR_HIGH;
}

/* The end of the word that begins at `at` with a letter or digit, and its hash. Bytes that are not UTF-8 end
 * it: they are found when the text goes on there. */
static const char *word_end(const char *at, const char *end, uint32_t *hash)
{
    uint32_t h = PITH_I_HASH_START;
    pith_i_char last = CHAR_OTHER, kind = CHAR_OTHER;
    int bytes = 0;
    while (at < end) {
        kind = (pith_i_char)pith_i_byte_kind[(unsigned char)*at];
        if (kind == CHAR_LETTER || kind == CHAR_DIGIT) { /* ASCII, mostly */
            h = pith_i_hash_byte(h, *at++);
            last = kind;
            continue;
        }
        if (kind == CHAR_OTHER)
            break;
        kind = look(at, end, &bytes);
        int next = 0;
        if (kind == CHAR_APOSTROPHE && last == CHAR_LETTER && at + bytes < end &&
            look(at + bytes, end, &next) == CHAR_LETTER)
            kind = CHAR_LETTER;
        if (kind != CHAR_LETTER && kind != CHAR_DIGIT)
            break;
        for (int b = 0; b < bytes; b++)
            h = pith_i_hash_byte(h, *at++);
        last = kind;
    }
    *hash = h;
    return at;
}

pith_status pith_i_counter_add(pith_ctx *ctx, pith_i_counter *c, const char *text, int64_t length,
                               int64_t *bad)
{
    const char *end = text + length;
    pith_status st = PITH_OK;
    for (const char *at = text; at < end;) {
        uint32_t hash = 0;
        int bytes = 0;
        const pith_i_char kind = look(at, end, &bytes);
        if (kind == CHAR_HIGH) {
            *bad = at - text;
            c->queued = 0;
            return PITH_E_DATA;
        }
        const char *from = at;
        at = kind == CHAR_LETTER || kind == CHAR_DIGIT ? word_end(at, end, &hash) : at + bytes;
        if (kind == CHAR_ALONE)
            hash = pith_i_hash(from, bytes);
        if (kind == CHAR_LETTER || kind == CHAR_DIGIT || kind == CHAR_ALONE)
            TRY(enqueue(ctx, c, from, at - from, hash));
    }
    TRY(count_queue(ctx, c));
    TRY(GROW(ctx, c->document_end, c->end_room, c->documents + 1));
    c->document_end[c->documents++] = c->entries;
done:
    return st;
}

/* ---- The matrix ------------------------------------------------------------------------------------------
 */

typedef struct feature {
    const char *name;
    int64_t length;
    int32_t term;
} feature;

static int by_bytes(const char *a, int64_t la, const char *b, int64_t lb)
{
    const int order = memcmp(a, b, (size_t)(la < lb ? la : lb));
    return order != 0 ? order : (la > lb) - (la < lb);
}

static int by_name(const void *a, const void *b)
{
    const feature *x = a, *y = b;
    return by_bytes(x->name, x->length, y->name, y->length);
}

/* Of the words in lower case that have a term's stem, the most frequent; the first in bytes among equals. */
static pith_status name_terms(pith_ctx *ctx, const pith_i_counter *c, feature *features)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    int64_t *count = NULL, *most = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, count, c->lower.count));
    TRY(SCRATCH_ZERO(ctx, most, c->term.count));
    for (int64_t w = 0; w < c->raw.count; w++)
        if (c->raw.word[w].value >= 0)
            count[c->raw.word[w].value] += c->raw.word[w].count;
    for (int64_t t = 0; t < c->term.count; t++)
        features[t] = (feature){.term = (int32_t)t};
    for (int64_t w = 0; w < c->lower.count; w++) {
        const pith_i_word *word = &c->lower.word[w];
        const int32_t t = word->value;
        const char *name = pith_i_word_text(&c->lower, word);
        if (count[w] > most[t] ||
            (count[w] == most[t] && by_bytes(name, word->length, features[t].name, features[t].length) < 0)) {
            features[t].name = name;
            features[t].length = word->length;
            most[t] = count[w];
        }
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Terms that enough and not too many documents have, sorted by name, and the number of entries they have. */
static pith_status choose_terms(pith_ctx *ctx, const pith_i_counter *c, feature *features, int64_t *df,
                                int64_t *count)
{
    const double least = pith_i_min_df(c->values[TEXT_MIN_DF], c->documents),
                 most = pith_i_max_df(c->values[TEXT_MAX_DF], c->documents);
    pith_status st = PITH_OK;
    TRY(name_terms(ctx, c, features));
    for (int64_t e = 0; e < c->entries; e++)
        df[c->entry_term[e]]++;
    *count = 0;
    for (int64_t t = 0; t < c->term.count; t++)
        if ((double)df[t] >= least && (double)df[t] <= most)
            features[(*count)++] = features[t];
    qsort(features, (size_t)*count, sizeof *features, by_name);
    if (*count == 0)
        FAIL(ctx, PITH_E_DATA,
             "of %lld different words in %lld documents, none is in as many and as few of them as min-df and "
             "max-df ask",
             (long long)c->lower.count, (long long)c->documents);
done:
    return st;
}

/* The counts as X', whose rows are features: entries come by document, so they ascend there. */
static pith_status fill(pith_ctx *ctx, const pith_i_counter *c, int64_t count, const feature *features,
                        const int64_t *df, pith_i_data *T)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    int64_t *next = NULL, stored = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, next, c->term.count));
    for (int64_t t = 0; t < c->term.count; t++)
        next[t] = -1;
    for (int64_t j = 0; j < count; j++)
        stored += df[features[j].term];
    TRY(pith_i_data_new_csr(ctx, count, c->documents, stored, PITH_F64, T));
    for (int64_t j = 0; j < count; j++) {
        next[features[j].term] = T->indptr[j];
        pith_i_data_indptr(T)[j + 1] = T->indptr[j] + df[features[j].term];
    }
    for (int64_t i = 0, e = 0; i < c->documents; i++)
        for (; e < c->document_end[i]; e++) {
            const int64_t at = next[c->entry_term[e]];
            if (at < 0)
                continue;
            next[c->entry_term[e]]++;
            pith_i_data_indices(T)[at] = (int32_t)i;
            ((double *)pith_i_data_values(T))[at] = c->entry_count[e];
        }
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

pith_status pith_i_counter_finish(pith_ctx *ctx, pith_i_counter *c, pith_matrix *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    feature *features = NULL;
    int64_t *df = NULL, count = 0;
    pith_i_data T = {0};
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, features, c->term.count));
    TRY(SCRATCH_ZERO(ctx, df, c->term.count));
    TRY(choose_terms(ctx, c, features, df, &count));
    TRY(fill(ctx, c, count, features, df, &T));
    forget_entries(c); /* so that no more than the matrix is held twice */
    TRY(pith_i_transpose(ctx, &T, &out->data));
    TRY(name_columns(ctx, count, features, &out->features));
    out->known_finite = true;
done:
    pith_i_data_free(&T);
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- The step --------------------------------------------------------------------------------------------
 */

/* Of a table, which has its words already. */
static pith_status choose(pith_ctx *ctx, const pith_i_data *X, const double *values, pith_i_kept *kept)
{
    return pith_i_by_frequency(ctx, X, pith_i_min_df(values[TEXT_MIN_DF], X->n),
                               pith_i_max_df(values[TEXT_MAX_DF], X->n), kept);
}

const pith_i_step pith_i_step_text = {
    .name = "text",
    .title = "counts the words of documents, by their stems; of a table of counts, only drops by min-df and "
             "max-df",
    .params =
        {[TEXT_STEM] = {.name = "stem",
                        .help = "the language whose words are reduced to their stems",
                        .type = PITH_CHOICE,
                        .def = STEM_ENGLISH,
                        .choices = languages},
         [TEXT_STOP_WORDS] = {.name = "stop_words",
                              .help =
                                  "words to leave out: english, none, or a file with a word a line; auto: "
                                  "english, for stems of another language none",
                              .type = PITH_FILE},
         [TEXT_MIN_DF] = {.name = "min_df",
                          .help = "documents that must have the word; below 1 a share of all",
                          .type = PITH_REAL,
                          .def = 2,
                          .lo = 0,
                          .hi = 1e15},
         [TEXT_MAX_DF] = {.name = "max_df",
                          .help = "documents that may have the word; up to 1 a share of all",
                          .type = PITH_REAL,
                          .def = 1,
                          .lo = 0,
                          .hi = 1e15},
         [TEXT_SHORTEST] = {.name = "shortest",
                            .help = "letters that a word must have",
                            .type = PITH_INT,
                            .def = 2,
                            .lo = 1,
                            .hi = 100},
         [TEXT_NUMBERS] = {.name = "numbers", .help = "count words without a letter, too", .type = PITH_BOOL},
         [TEXT_COLUMN] = {.name = "column",
                          .help =
                              "the column of a .csv or .tsv, or the key of JSON lines, that holds the text; "
                              "auto: 'text', or the only one beside the labels",
                          .type = PITH_NAME}},
    .choose = choose,
};
