/* Text to counts: words, their stems, and how often each document has them. */
#include "prep/counter.h"

#include <libstemmer.h>
#include <string.h>

/* The languages of libstemmer; test_documents compares this list with libstemmer's own. */
static const char *const languages[] = {
    "none",    "arabic",     "armenian", "basque",    "catalan", "danish",     "dutch",      "english",
    "finnish", "french",     "german",   "greek",     "hindi",   "hungarian",  "indonesian", "irish",
    "italian", "lithuanian", "nepali",   "norwegian", "porter",  "portuguese", "romanian",   "russian",
    "serbian", "spanish",    "swedish",  "tamil",     "turkish", "yiddish",    NULL};
enum { STEM_NONE, STEM_ENGLISH = 7 };
enum { NONE = -1, OWN = -2 };

pith_status pith_i_counter_new(pith_ctx *ctx, const double *values, pith_i_counter **out)
{
    const int stem = (int)values[TEXT_STEM];
    pith_i_counter *c = NULL;
    pith_status st = PITH_OK;
    if (!PITH_TEXT_READER)
        FAIL(ctx, PITH_E_PARAMETER, "text: this build of pith has no text reader (utf8proc, libstemmer)");
    TRY(NEW_ZERO(ctx, c, 1));
    memcpy(c->values, values, sizeof c->values);
    TRY(pith_i_words_open(ctx, &c->word));
    if (stem != STEM_NONE && (c->stemmer = sb_stemmer_new(languages[stem], NULL)) == NULL)
        FAIL(ctx, PITH_E_PARAMETER, "stem: the libstemmer of this build does not support '%s'",
             languages[stem]);
    *out = c;
    c = NULL;
done:
    pith_i_counter_free(c);
    return st;
}

void pith_i_counter_free(pith_i_counter *c)
{
    if (c == NULL)
        return;
    sb_stemmer_delete(c->stemmer);
    pith_i_words_free(&c->stop);
    pith_i_words_free(&c->word);
    pith_i_words_free(&c->stem);
    pith_i_free(c->lower);
    pith_i_free(c->last);
    pith_i_free(c->here);
    for (int64_t k = 0; k < c->chunks; k++)
        pith_i_free(c->chunk[k].entry);
    pith_i_free(c->chunk);
    pith_i_free(c->document_end);
    pith_i_free(c);
}

pith_status pith_i_counter_stop(pith_ctx *ctx, pith_i_counter *c, const char *word, int64_t length)
{
    char lower[PITH_I_WORD_ROOM];
    int bytes = 0;
    for (int64_t i = 0; i < length; i += bytes) {
        (void)pith_i_char_at(word + i, word + length, &bytes);
        if (bytes == 0)
            return PITH_E_DATA;
    }
    if (length > PITH_I_WORD_MOST) /* such words are never counted */
        return PITH_OK;
    const int64_t many = pith_i_word_lower(word, length, lower);
    return many > 0 ? pith_i_words_add(ctx, &c->stop, lower, many, 0, NULL, NULL) : PITH_OK;
}

/* ---- New words ---------------------------------------------------------------------------------------- */

/* The term of a new word in lower case: its stem, or itself. */
static pith_status find_term(pith_ctx *ctx, pith_i_counter *c, const char *word, int64_t length,
                             int32_t *term)
{
    pith_i_word *found = NULL;
    pith_status st = PITH_OK;
    *term = (int32_t)c->terms;
    if (c->stemmer != NULL) {
        const sb_symbol *stem = sb_stemmer_stem(c->stemmer, (const sb_symbol *)word, (int)length);
        if (stem == NULL)
            FAIL(ctx, PITH_E_NOMEM, "out of memory while stemming a word");
        TRY(pith_i_words_add(ctx, &c->stem, (const char *)stem, sb_stemmer_length(c->stemmer), c->terms, NULL,
                             &found));
        *term = (int32_t)found->value;
    }
    if (*term == c->terms) {
        TRY(GROW(ctx, c->last, c->last_room, c->terms + 1));
        c->last[c->terms++] = -1;
    }
done:
    return st;
}

/* Adds a new word. lower: the number of its lower-case form, or OWN if it is this word; term: its term. Both
 * NONE: it is left out. */
static pith_status add_word(pith_ctx *ctx, pith_i_counter *c, const pith_i_key *key, int32_t lower,
                            int32_t term, pith_i_word **out)
{
    pith_status st = PITH_OK;
    TRY(GROW(ctx, c->lower, c->lower_room, c->word.count + 1));
    TRY(pith_i_key_add(ctx, &c->word, key, out));
    const int32_t number = pith_i_word_number(&c->word, *out);
    (*out)->other = term;
    c->lower[number] = lower == OWN ? number : lower;
done:
    return st;
}

/* Adds a new word that is in lower case. */
static pith_status add_lower(pith_ctx *ctx, pith_i_counter *c, const pith_i_key *key, pith_i_word **out)
{
    int32_t term = 0;
    pith_status st = PITH_OK;
    TRY(find_term(ctx, c, key->at, key->length, &term));
    TRY(add_word(ctx, c, key, OWN, term, out));
    c->different++;
done:
    return st;
}

/* Is the word counted? Not if it is a stop word, too short, or (unless TEXT_NUMBERS) without letters. */
static bool is_counted(const pith_i_counter *c, const char *lower, int64_t length)
{
    bool letters = false, alone = false;
    const int64_t count = pith_i_word_letters(lower, length, &letters, &alone);
    return length > 0 && (letters || c->values[TEXT_NUMBERS] != 0) &&
           (alone || (double)count >= c->values[TEXT_SHORTEST]) &&
           pith_i_words_find(&c->stop, lower, length) == NULL;
}

static pith_status learn(pith_ctx *ctx, pith_i_counter *c, const pith_i_key *key, pith_i_word **out)
{
    char lower[PITH_I_WORD_ROOM];
    pith_status st = PITH_OK;
    const int64_t length = pith_i_word_lower(key->at, key->length, lower);
    if (!is_counted(c, lower, length))
        return add_word(ctx, c, key, NONE, NONE, out);
    if (length == key->length && memcmp(lower, key->at, (size_t)length) == 0)
        return add_lower(ctx, c, key, out);
    const pith_i_key small = pith_i_word_key(lower, (int32_t)length, lower + length);
    pith_i_word *found = pith_i_key_find(&c->word, &small);
    if (found == NULL)
        TRY(add_lower(ctx, c, &small, &found));
    TRY(add_word(ctx, c, key, c->lower[pith_i_word_number(&c->word, found)], found->other, out));
done:
    return st;
}

/* ---- Words of a document ------------------------------------------------------------------------------ */

static inline pith_status count_word(pith_ctx *ctx, pith_i_counter *c, const pith_i_key *key)
{
    pith_i_word *w = pith_i_key_find(&c->word, key);
    pith_status st = PITH_OK;
    if (w == NULL)
        TRY(learn(ctx, c, key, &w));
    if (w->other < 0)
        return PITH_OK;
    w->value++;
    int64_t *last = &c->last[w->other];
    if (*last >= c->entries) {
        c->here[*last - c->entries].count++;
        return PITH_OK;
    }
    TRY(GROW(ctx, c->here, c->here_room, c->heres + 1));
    *last = c->entries + c->heres;
    c->here[c->heres++] = (pith_i_entry){w->other, 1};
done:
    return st;
}

/* First prefetches, for all words in the queue, what counting them will probably touch. */
static pith_status count_queue(pith_ctx *ctx, pith_i_counter *c)
{
    const pith_i_word *guess[PITH_I_QUEUE];
    pith_status st = PITH_OK;
    for (int k = 0; c->word.count > 0 && k < c->queued; k++) {
        const int32_t word = pith_i_key_slot(&c->word, c->queue[k].hash)->word;
        guess[k] = &c->word.word[word > 0 ? word - 1 : 0];
        __builtin_prefetch(guess[k]);
    }
    for (int k = 0; c->last != NULL && k < c->queued; k++)
        __builtin_prefetch(&c->last[guess[k]->other > 0 ? guess[k]->other : 0]);
    for (int k = 0; k < c->queued; k++)
        TRY(count_word(ctx, c, &c->queue[k]));
done:
    c->queued = 0;
    return st;
}

static inline pith_status enqueue(pith_ctx *ctx, pith_i_counter *c, const char *at, int64_t length,
                                  const char *end)
{
    if (length > PITH_I_WORD_MOST)
        return PITH_OK;
    const pith_i_key key = pith_i_word_key(at, (int32_t)length, end);
    __builtin_prefetch(pith_i_key_slot(&c->word, key.hash));
    c->queue[c->queued++] = key;
    return c->queued == PITH_I_QUEUE ? count_queue(ctx, c) : PITH_OK;
}

/* Appends the document's entries to those of the documents before. */
static pith_status end_document(pith_ctx *ctx, pith_i_counter *c)
{
    pith_status st = PITH_OK;
    for (int64_t from = 0, many = 0; from < c->heres; from += many) {
        const int64_t used = c->entries % PITH_I_CHUNK;
        if (c->entries == c->chunks * PITH_I_CHUNK) {
            TRY(GROW(ctx, c->chunk, c->chunk_room, c->chunks + 1));
            TRY(NEW(ctx, c->chunk[c->chunks].entry, PITH_I_CHUNK));
            c->chunks++;
        }
        many = c->heres - from < PITH_I_CHUNK - used ? c->heres - from : PITH_I_CHUNK - used;
        memcpy(c->chunk[c->chunks - 1].entry + used, c->here + from, (size_t)many * sizeof *c->here);
        c->entries += many;
    }
    c->heres = 0;
    TRY(GROW(ctx, c->document_end, c->end_room, c->documents + 1));
    c->document_end[c->documents++] = c->entries;
done:
    return st;
}

pith_status pith_i_counter_add(pith_ctx *ctx, pith_i_counter *c, const char *text, int64_t length,
                               int64_t *bad)
{
    pith_i_split s = {.kinds = &c->kinds, .text = text, .end = text + length};
    const char *from = NULL; /* start of a word that has not ended yet */
    pith_status st = PITH_OK;
    while (pith_i_split_next(&s)) {
        uint64_t starts = s.starts;
        for (uint64_t ends = s.ends; ends != 0; ends &= ends - 1) {
            if (from == NULL) {
                from = s.block + __builtin_ctzll(starts);
                starts &= starts - 1;
            }
            TRY(enqueue(ctx, c, from, s.block + __builtin_ctzll(ends) - from, s.end));
            from = NULL;
        }
        if (starts != 0)
            from = s.block + __builtin_ctzll(starts);
    }
    if (s.bad != NULL) {
        *bad = s.bad - text;
        c->queued = 0;
        return PITH_E_DATA;
    }
    TRY(count_queue(ctx, c));
    TRY(end_document(ctx, c));
done:
    return st;
}

/* ---- The step ----------------------------------------------------------------------------------------- */

/* For a table, in which words have been counted already. */
static pith_status choose(pith_ctx *ctx, const pith_i_data *X, const double *values, pith_i_kept *kept)
{
    return pith_i_by_frequency(ctx, X, pith_i_min_df(values[TEXT_MIN_DF], X->n),
                               pith_i_max_df(values[TEXT_MAX_DF], X->n), kept);
}

const pith_i_step pith_i_step_text = {
    .name = "text",
    .title = "counts the stemmed words of documents; on a table of counts, it only applies min-df and max-df",
    .params =
        {[TEXT_STEM] = {.name = "stem",
                        .help = "language of the stemmer",
                        .type = PITH_CHOICE,
                        .def = STEM_ENGLISH,
                        .choices = languages},
         [TEXT_STOP_WORDS] = {.name = "stop_words",
                              .help = "stop words to remove: english, none, or a file with one word per "
                                      "line; auto: english, or none if stem is another language",
                              .type = PITH_FILE},
         [TEXT_MIN_DF] =
             {.name = "min_df",
              .help = "minimum number of documents that contain the word; below 1: a share of all documents",
              .type = PITH_REAL,
              .def = 2,
              .lo = 0,
              .hi = 1e15},
         [TEXT_MAX_DF] =
             {.name = "max_df",
              .help = "maximum number of documents that contain the word; up to 1: a share of all documents",
              .type = PITH_REAL,
              .def = 1,
              .lo = 0,
              .hi = 1e15},
         [TEXT_SHORTEST] = {.name = "shortest",
                            .help = "minimum number of characters in a word",
                            .type = PITH_INT,
                            .def = 2,
                            .lo = 1,
                            .hi = 100},
         [TEXT_NUMBERS] = {.name = "numbers",
                           .help = "also count words without letters, such as numbers",
                           .type = PITH_BOOL},
         [TEXT_COLUMN] = {.name = "column",
                          .help = "the .csv or .tsv column, or the JSON key, that holds the text; auto: "
                                  "'text', or the only one apart from the labels",
                          .type = PITH_NAME}},
    .choose = choose,
};
