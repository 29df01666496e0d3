/*
 * A hash table of words, numbered in order of first appearance. Words are any bytes, copied. A look-up
 * touches little memory: a slot has the hash, and an entry, half a cache line, has everything else about a
 * word of up to 16 bytes.
 */
#ifndef PITH_CORE_WORDS_H
#define PITH_CORE_WORDS_H

#include "core/bytes.h"
#include "core/core.h"

enum { PITH_I_HEAD = 16 }; /* bytes of a word that are compared at once */

typedef struct pith_i_word {
    uint64_t
        head[2]; /* the first PITH_I_HEAD bytes, zeros after a shorter word; the first byte is the lowest */
    int32_t length;
    int32_t other; /* for the caller, 0 at first */
    int64_t value; /* for the caller, at first what pith_i_words_add was given */
} pith_i_word;

typedef struct pith_i_word_slot {
    uint32_t hash;
    int32_t word; /* its number plus 1; 0: empty */
} pith_i_word_slot;

/* All zeros: an empty one. */
typedef struct pith_i_words {
    pith_i_word *word;
    int64_t *start; /* of its text in bytes */
    char *bytes;
    int64_t count, used, word_room, start_room, bytes_room;
    pith_i_word_slot *slot;
    uint32_t slots; /* 0 or a power of two */
} pith_i_words;

void pith_i_words_free(pith_i_words *words);
/* The word, or NULL. Valid until the next word is added. */
pith_i_word *pith_i_words_find(const pith_i_words *words, const char *at, int64_t length);
/* The word, which is added with this value if it is new; *added (may be NULL, as may out) says whether it
 * was. */
pith_status pith_i_words_add(pith_ctx *ctx, pith_i_words *words, const char *at, int64_t length,
                             int64_t value, bool *added, pith_i_word **out);
/* Its bytes, not NUL-ended, good until the next word is added; and its number. */
static inline const char *pith_i_word_text(const pith_i_words *words, const pith_i_word *w)
{
    return words->bytes + words->start[w - words->word];
}
static inline int32_t pith_i_word_number(const pith_i_words *words, const pith_i_word *w)
{
    return (int32_t)(w - words->word);
}

/* ---- For texts, where look-ups must be fast: the key comes first, so that its slot can be prefetched. ----
 */

typedef struct pith_i_key {
    const char *at;
    uint64_t head[2];
    int32_t length;
    uint32_t hash;
} pith_i_key;

static inline uint64_t pith_i_hash_step(uint64_t hash, uint64_t bytes)
{
    hash = (hash ^ bytes) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 32;
}
/* The key of the word at..at + length; the bytes that follow it up to `end` may be read, too. */
static inline pith_i_key pith_i_word_key(const char *at, int32_t length, const char *end)
{
    /* From index 16 - length on, a mask that keeps `length` bytes. */
    static const unsigned char keep[2 * PITH_I_HEAD] = {255, 255, 255, 255, 255, 255, 255, 255,
                                                        255, 255, 255, 255, 255, 255, 255, 255};
    pith_i_key k = {.at = at, .length = length};
    const int32_t first = length < PITH_I_HEAD ? length : PITH_I_HEAD;
    if (end - at >= PITH_I_HEAD) {
        const unsigned char *mask = keep + PITH_I_HEAD - first;
        k.head[0] = pith_i_load_eight(at) & pith_i_load_eight(mask);
        k.head[1] = pith_i_load_eight(at + 8) & pith_i_load_eight(mask + 8);
    } else if (first > 0) {
        unsigned char near[PITH_I_HEAD] = {0};
        memcpy(near, at, (size_t)first);
        k.head[0] = pith_i_load_eight(near);
        k.head[1] = pith_i_load_eight(near + 8);
    }
    uint64_t hash = pith_i_hash_step(pith_i_hash_step((uint64_t)length, k.head[0]), k.head[1]);
    for (int32_t i = PITH_I_HEAD; i < length; i += 8) /* the last eight may overlap those before */
        hash = pith_i_hash_step(hash, pith_i_load_eight(at + (i + 8 <= length ? i : length - 8)));
    k.hash = (uint32_t)hash;
    return k;
}

/* Allocates the slots of an empty table, so that keys may be looked up in it. */
pith_status pith_i_words_open(pith_ctx *ctx, pith_i_words *words);
/* Where the search begins, for prefetching. */
static inline const pith_i_word_slot *pith_i_key_slot(const pith_i_words *words, uint32_t hash)
{
    return &words->slot[hash & (words->slots - 1)];
}
/* The word, or NULL. */
static inline pith_i_word *pith_i_key_find(const pith_i_words *words, const pith_i_key *k)
{
    const uint32_t mask = words->slots - 1;
    for (uint32_t s = k->hash & mask; words->slot[s].word != 0; s = (s + 1) & mask) {
        if (words->slot[s].hash != k->hash)
            continue;
        pith_i_word *w = &words->word[words->slot[s].word - 1];
        if (((w->head[0] ^ k->head[0]) | (w->head[1] ^ k->head[1])) == 0 && w->length == k->length &&
            (k->length <= PITH_I_HEAD || memcmp(pith_i_word_text(words, w) + PITH_I_HEAD, k->at + PITH_I_HEAD,
                                                (size_t)(k->length - PITH_I_HEAD)) == 0))
            return w;
    }
    return NULL;
}
/* Adds a new word with the value 0: it gets the next number. */
pith_status pith_i_key_add(pith_ctx *ctx, pith_i_words *words, const pith_i_key *k, pith_i_word **out);

#endif
