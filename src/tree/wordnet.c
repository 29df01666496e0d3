#include "tree/wordnet.h"

#include "io/cursor.h"

#include <libstemmer.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 128, KEY = 8 };

/* The best lemma of a stem, and how often it is tagged. */
struct pith_i_best {
    pith_i_synset synset;
    int64_t count, length;
    const char *lemma;
};

static const char *const pos_names[] = {"noun", "verb"};

/* ---- Files -------------------------------------------------------------------------------------------- */

static pith_status load(pith_ctx *ctx, const char *folder, const char *file, const char *pos,
                        pith_i_bytes *out)
{
    char path[4200];
    (void)snprintf(path, sizeof path, "%s/%s%s", folder, file, pos);
    return pith_i_bytes_load(ctx, path, out);
}

/* Maps the first word of every line that does not begin with a blank to the offset of the line. */
static pith_status hash_lines(pith_ctx *ctx, const pith_i_bytes *bytes, pith_i_words *out)
{
    pith_i_cursor c = {.at = bytes->at, .end = bytes->at + bytes->size};
    const char *word = NULL;
    pith_status st = PITH_OK;
    while (c.at < c.end) {
        const char *line = c.at;
        (void)pith_i_next_line(&c);
        if (pith_i_is_space(*line) || c.from == c.to)
            continue;
        const int64_t length = pith_i_next_word(&c, &word);
        TRY(pith_i_words_add(ctx, out, word, length, line - bytes->at, NULL, NULL));
    }
done:
    return st;
}

pith_status pith_i_wordnet_open(pith_ctx *ctx, const char *folder, pith_i_wordnet *out)
{
    pith_i_wordnet w = {0};
    pith_status st = PITH_OK;
    for (int p = 0; p < PITH_I_POS && st == PITH_OK; p++) {
        st = load(ctx, folder, "index.", pos_names[p], &w.index[p]);
        if (st == PITH_OK)
            st = load(ctx, folder, "data.", pos_names[p], &w.data[p]);
        if (st == PITH_OK)
            st = load(ctx, folder, pos_names[p], ".exc", &w.exceptions[p]);
    }
    if (st == PITH_E_FILE)
        FAIL(ctx, PITH_E_FILE, "no WordNet found in %s (Debian: apt install wordnet-base)", folder);
    TRY(st);
    st = load(ctx, folder, "cntlist.rev", "", &w.counts);
    TRY(st == PITH_E_FILE ? PITH_OK : st); /* this file may be missing */
    for (int p = 0; p < PITH_I_POS; p++) {
        TRY(hash_lines(ctx, &w.index[p], &w.lemma[p]));
        TRY(hash_lines(ctx, &w.exceptions[p], &w.exception[p]));
    }
    *out = w;
    return PITH_OK;
done:
    pith_i_wordnet_close(&w);
    return st;
}

void pith_i_wordnet_close(pith_i_wordnet *w)
{
    for (int p = 0; p < PITH_I_POS; p++) {
        pith_i_bytes_free(&w->index[p]);
        pith_i_bytes_free(&w->data[p]);
        pith_i_bytes_free(&w->exceptions[p]);
        pith_i_words_free(&w->lemma[p]);
        pith_i_words_free(&w->exception[p]);
    }
    pith_i_bytes_free(&w->counts);
    pith_i_words_free(&w->stem);
    pith_i_free(w->best);
    *w = (pith_i_wordnet){0};
}

/* A cursor at the first word of the line that begins at `offset`. */
static pith_i_cursor line_at(const pith_i_bytes *bytes, int64_t offset)
{
    pith_i_cursor c = {0};
    if (offset >= 0 && offset < bytes->size) {
        c.at = bytes->at + offset;
        c.end = bytes->at + bytes->size;
        (void)pith_i_next_line(&c);
    }
    return c;
}

static bool skip(pith_i_cursor *c, int64_t words)
{
    const char *word = NULL;
    for (int64_t i = 0; i < words; i++)
        if (pith_i_next_word(c, &word) == 0)
            return false;
    return true;
}

/* ---- Lemmas ------------------------------------------------------------------------------------------- */

/* "lemma pos senses p symbol*p senses tagged offset...": the cursor stands before `tagged`. */
static bool seek_tagged(const pith_i_wordnet *w, int pos, int64_t line, pith_i_cursor *c)
{
    int64_t symbols = 0;
    *c = line_at(&w->index[pos], line);
    return skip(c, 3) && pith_i_next_integer(c, &symbols) && skip(c, symbols + 1);
}

static pith_i_synset first_sense(const pith_i_wordnet *w, int pos, int64_t line)
{
    pith_i_synset s = {.pos = pos, .offset = -1};
    pith_i_cursor c;
    int64_t tagged = 0, offset = 0;
    if (seek_tagged(w, pos, line, &c) && pith_i_next_integer(&c, &tagged) && pith_i_next_integer(&c, &offset))
        s.offset = offset;
    return s;
}

static pith_i_synset exact(const pith_i_wordnet *w, int pos, const char *word, int64_t length)
{
    const pith_i_word *found = pith_i_words_find(&w->lemma[pos], word, length);
    return found != NULL ? first_sense(w, pos, found->value) : (pith_i_synset){.offset = -1};
}

/* Lines such as "geese goose": looks up the second word. */
static pith_i_synset by_exception(const pith_i_wordnet *w, int pos, const char *word, int64_t length)
{
    const pith_i_word *found = pith_i_words_find(&w->exception[pos], word, length);
    const char *base = NULL;
    if (found == NULL)
        return (pith_i_synset){.offset = -1};
    pith_i_cursor c = line_at(&w->exceptions[pos], found->value);
    if (!skip(&c, 1))
        return (pith_i_synset){.offset = -1};
    const int64_t size = pith_i_next_word(&c, &base);
    return exact(w, pos, base, size);
}

static pith_i_synset by_ending(const pith_i_wordnet *w, int pos, const char *word, int64_t length)
{
    static const char *const rules[PITH_I_POS][10][2] = {{{"s", ""},
                                                          {"ses", "s"},
                                                          {"xes", "x"},
                                                          {"zes", "z"},
                                                          {"ches", "ch"},
                                                          {"shes", "sh"},
                                                          {"men", "man"},
                                                          {"ies", "y"}},
                                                         {{"s", ""},
                                                          {"ies", "y"},
                                                          {"es", "e"},
                                                          {"es", ""},
                                                          {"ed", "e"},
                                                          {"ed", ""},
                                                          {"ing", "e"},
                                                          {"ing", ""}}};
    char base[LONGEST];
    pith_i_synset s = {.offset = -1};
    for (int r = 0; rules[pos][r][0] != NULL && s.offset < 0; r++) {
        const int64_t cut = (int64_t)strlen(rules[pos][r][0]);
        if (length <= cut || length + 2 > LONGEST ||
            memcmp(word + length - cut, rules[pos][r][0], (size_t)cut))
            continue;
        (void)snprintf(base, sizeof base, "%.*s%s", (int)(length - cut), word, rules[pos][r][1]);
        s = exact(w, pos, base, (int64_t)strlen(base));
    }
    return s;
}

pith_i_synset pith_i_wordnet_find(const pith_i_wordnet *w, const char *word, int64_t length)
{
    pith_i_synset s = {.offset = -1};
    for (int pos = 0; pos < PITH_I_POS && s.offset < 0; pos++) {
        s = exact(w, pos, word, length);
        if (s.offset < 0)
            s = by_exception(w, pos, word, length);
        if (s.offset < 0)
            s = by_ending(w, pos, word, length);
    }
    return s;
}

/* ---- Stems -------------------------------------------------------------------------------------------- */

/* "lemma%1:23:00:: 1 20": adds the count to that of the lemma, noun (1) or verb (2). */
static pith_status add_counts(pith_ctx *ctx, const pith_i_wordnet *w, pith_i_words counts[PITH_I_POS])
{
    pith_i_cursor c = {.at = w->counts.at, .end = w->counts.at + w->counts.size};
    const char *key = NULL;
    pith_i_word *word = NULL;
    pith_status st = PITH_OK;
    while (pith_i_next_line(&c)) {
        int64_t sense = 0, count = 0;
        const int64_t length = pith_i_next_word(&c, &key);
        const char *mark = length > 0 ? memchr(key, '%', (size_t)length) : NULL;
        if (mark == NULL || mark + 1 >= key + length || (mark[1] != '1' && mark[1] != '2') ||
            !pith_i_next_integer(&c, &sense) || !pith_i_next_integer(&c, &count))
            continue;
        TRY(pith_i_words_add(ctx, &counts[mark[1] - '1'], key, mark - key, 0, NULL, &word));
        word->value += count;
    }
done:
    return st;
}

static bool is_one_word(const char *at, int64_t length)
{
    for (int64_t i = 0; i < length; i++)
        if (at[i] < 'a' || at[i] > 'z')
            return false;
    return length > 0 && length < LONGEST;
}

/* By count; ties to nouns, then to the shorter, then to the alphabetically first. */
static bool is_better(const struct pith_i_best *a, const struct pith_i_best *b)
{
    if (a->count != b->count)
        return a->count > b->count;
    if (a->synset.pos != b->synset.pos)
        return a->synset.pos < b->synset.pos;
    if (a->length != b->length)
        return a->length < b->length;
    return memcmp(a->lemma, b->lemma, (size_t)a->length) < 0;
}

static int64_t count_of(const pith_i_wordnet *w, const pith_i_words *counts, int pos,
                        const pith_i_word *lemma)
{
    int64_t tagged = 0;
    pith_i_cursor c;
    if (w->counts.size > 0) {
        const pith_i_word *found =
            pith_i_words_find(counts, pith_i_word_text(&w->lemma[pos], lemma), lemma->length);
        return found != NULL ? found->value : 0;
    }
    return seek_tagged(w, pos, lemma->value, &c) && pith_i_next_integer(&c, &tagged) ? tagged : 0;
}

/* The lemma's Porter stem, valid until the next call; NULL: out of memory. Words of one or two letters are
 * unchanged, as in Porter's own program. */
static const char *stem_of(struct sb_stemmer *stemmer, const char *lemma, int64_t length,
                           int64_t *stem_length)
{
    *stem_length = length;
    if (length <= 2)
        return lemma;
    const sb_symbol *stem = sb_stemmer_stem(stemmer, (const sb_symbol *)lemma, (int)length);
    *stem_length = sb_stemmer_length(stemmer);
    return (const char *)stem;
}

static pith_status add_lemma(pith_ctx *ctx, pith_i_wordnet *w, struct sb_stemmer *stemmer, int pos,
                             const pith_i_word *lemma, int64_t count)
{
    const struct pith_i_best best = {.synset = first_sense(w, pos, lemma->value),
                                     .count = count,
                                     .length = lemma->length,
                                     .lemma = pith_i_word_text(&w->lemma[pos], lemma)};
    pith_i_word *word = NULL;
    bool added = false;
    int64_t length = 0;
    pith_status st = PITH_OK;
    const char *stem = stem_of(stemmer, best.lemma, best.length, &length);
    if (stem == NULL)
        FAIL(ctx, PITH_E_NOMEM, "out of memory while stemming a word");
    TRY(pith_i_words_add(ctx, &w->stem, stem, length, w->stem.count, &added, &word));
    TRY(GROW(ctx, w->best, w->best_room, w->stem.count));
    if (added || is_better(&best, &w->best[word->value]))
        w->best[word->value] = best;
done:
    return st;
}

bool pith_i_wordnet_can_stem(void)
{
    return PITH_TEXT_READER;
}

pith_status pith_i_wordnet_stem(pith_ctx *ctx, pith_i_wordnet *w)
{
    pith_i_words counts[PITH_I_POS] = {0};
    struct sb_stemmer *stemmer = sb_stemmer_new("porter", NULL);
    pith_status st = PITH_OK;
    if (!PITH_TEXT_READER)
        FAIL(ctx, PITH_E_PARAMETER, "wordnet: this build of pith has no text reader (utf8proc, libstemmer)");
    if (stemmer == NULL)
        FAIL(ctx, PITH_E_NOMEM, "out of memory while loading a stemmer");
    TRY(add_counts(ctx, w, counts));
    for (int pos = 0; pos < PITH_I_POS; pos++)
        for (int64_t i = 0; i < w->lemma[pos].count; i++) {
            const pith_i_word *lemma = &w->lemma[pos].word[i];
            if (is_one_word(pith_i_word_text(&w->lemma[pos], lemma), lemma->length))
                TRY(add_lemma(ctx, w, stemmer, pos, lemma, count_of(w, &counts[pos], pos, lemma)));
        }
done:
    sb_stemmer_delete(stemmer);
    for (int pos = 0; pos < PITH_I_POS; pos++)
        pith_i_words_free(&counts[pos]);
    return st;
}

pith_i_synset pith_i_wordnet_find_stem(const pith_i_wordnet *w, const char *stem, int64_t length)
{
    const pith_i_word *found = pith_i_words_find(&w->stem, stem, length);
    return found != NULL ? w->best[found->value].synset : (pith_i_synset){.offset = -1};
}

/* ---- Synsets ------------------------------------------------------------------------------------------ */

/* "offset file type words(hex) (word id)*words pointers (symbol offset pos source)*": before the pairs. */
static bool seek_words(const pith_i_wordnet *w, pith_i_synset s, pith_i_cursor *c, int64_t *words)
{
    const char *hex = NULL;
    int64_t offset = 0;
    *c = line_at(&w->data[s.pos], s.offset);
    if (!pith_i_next_integer(c, &offset) || offset != s.offset || !skip(c, 2) ||
        pith_i_next_word(c, &hex) != 2)
        return false;
    *words = 0;
    for (int i = 0; i < 2; i++) {
        const char *digit = strchr("0123456789abcdef", hex[i]);
        if (digit == NULL || hex[i] == '\0')
            return false;
        *words = 16 * *words + (digit - "0123456789abcdef");
    }
    return true;
}

pith_i_synset pith_i_wordnet_above(const pith_i_wordnet *w, pith_i_synset s)
{
    pith_i_synset above = {.pos = s.pos, .offset = -1};
    pith_i_cursor c;
    int64_t words = 0, pointers = 0, offset = 0;
    const char *symbol = NULL;
    if (!seek_words(w, s, &c, &words) || !skip(&c, 2 * words) || !pith_i_next_integer(&c, &pointers))
        return above;
    for (int64_t p = 0; p < pointers; p++) {
        const int64_t length = pith_i_next_word(&c, &symbol);
        if (length == 0 || !pith_i_next_integer(&c, &offset) || !skip(&c, 2))
            return above;
        if (symbol[0] == '@' && (length == 1 || (length == 2 && symbol[1] == 'i'))) {
            above.offset = offset < w->data[s.pos].size ? offset : -1;
            return above;
        }
    }
    return above;
}

/* Which sense of the lemma the synset is, from 1; 0: none. */
static int sense_of(const pith_i_wordnet *w, pith_i_synset s, const char *lemma, int64_t length)
{
    const pith_i_word *found = pith_i_words_find(&w->lemma[s.pos], lemma, length);
    int64_t offset = 0, tagged = 0;
    pith_i_cursor c;
    if (found == NULL || !seek_tagged(w, s.pos, found->value, &c) || !pith_i_next_integer(&c, &tagged))
        return 0;
    for (int sense = 1; pith_i_next_integer(&c, &offset); sense++)
        if (offset == s.offset)
            return sense;
    return 0;
}

void pith_i_wordnet_name(const pith_i_wordnet *w, pith_i_synset s, char name[PITH_I_SYNSET_NAME])
{
    char lemma[64];
    pith_i_cursor c;
    const char *word = NULL;
    int64_t words = 0, length = 0;
    name[0] = '\0';
    if (!seek_words(w, s, &c, &words) || (length = pith_i_next_word(&c, &word)) == 0)
        return;
    length = length < (int64_t)sizeof lemma - 1 ? length : (int64_t)sizeof lemma - 1;
    for (int64_t i = 0; i < length; i++)
        lemma[i] = word[i] >= 'A' && word[i] <= 'Z' ? (char)(word[i] - 'A' + 'a') : word[i];
    (void)snprintf(name, PITH_I_SYNSET_NAME, "%.*s.%c.%02d", (int)length, lemma, pos_names[s.pos][0],
                   sense_of(w, s, lemma, length));
}

const char *pith_i_wordnet_key(const pith_i_wordnet *w, pith_i_synset s)
{
    return s.offset >= 0 && s.offset + KEY <= w->data[s.pos].size ? w->data[s.pos].at + s.offset : NULL;
}
