/* Words numbered by their first appearance, found by hashing. What a text touches again and again lies
 * together: a slot of the hash table tells the hash, and one entry all else about a word of up to
 * PITH_I_WORD_INSIDE bytes. */
#ifndef PITH_PREP_WORD_TABLE_H
#define PITH_PREP_WORD_TABLE_H

#include "core/core.h"

#include <string.h>

enum { PITH_I_WORD_INSIDE = 40 }; /* so that an entry is a line of the cache */

typedef struct pith_i_word {
    union {
        char inside[PITH_I_WORD_INSIDE];
        int64_t start; /* in the table's bytes, of a longer one */
    } at;
    int32_t length;
    uint32_t hash;
    int32_t value, other; /* the user's, 0 at first; */
    int64_t count;        /* and this */
} pith_i_word;

typedef struct pith_i_word_slot {
    uint32_t hash;
    int32_t word; /* its number plus 1; 0: empty */
} pith_i_word_slot;

typedef struct pith_i_word_table {
    int64_t count, room;
    pith_i_word *word;
    char *bytes; /* of the long ones */
    int64_t used, bytes_room;
    pith_i_word_slot *slot;
    uint32_t slots; /* a power of two */
} pith_i_word_table;

pith_status pith_i_word_table_new(pith_ctx *ctx, pith_i_word_table *out); /* to be freed in any case */
void pith_i_word_table_free(pith_i_word_table *t);

/* The hash of a word, a byte at a time from this on (FNV-1a). */
enum { PITH_I_HASH_START = 2166136261u };
static inline uint32_t pith_i_hash_byte(uint32_t hash, char c)
{
    return (hash ^ (unsigned char)c) * 16777619u;
}
static inline uint32_t pith_i_hash(const char *at, int64_t length)
{
    uint32_t hash = PITH_I_HASH_START;
    for (int64_t i = 0; i < length; i++)
        hash = pith_i_hash_byte(hash, at[i]);
    return hash;
}

static inline uint32_t pith_i_word_slot_of(const pith_i_word_table *t, uint32_t hash)
{
    return (hash ^ hash >> 15) & (t->slots - 1);
}
static inline const char *pith_i_word_text(const pith_i_word_table *t, const pith_i_word *w)
{
    return w->length <= PITH_I_WORD_INSIDE ? w->at.inside : t->bytes + w->at.start;
}

/* The word, or NULL. Good until the next one is added. */
static inline pith_i_word *pith_i_word_find(const pith_i_word_table *t, const char *at, int64_t length,
                                            uint32_t hash)
{
    for (uint32_t s = pith_i_word_slot_of(t, hash); t->slot[s].word != 0; s = (s + 1) & (t->slots - 1)) {
        if (t->slot[s].hash != hash)
            continue;
        pith_i_word *w = &t->word[t->slot[s].word - 1];
        if (w->length == length && memcmp(pith_i_word_text(t, w), at, (size_t)length) == 0)
            return w;
    }
    return NULL;
}
/* A word that is not there yet: it gets the next number. */
pith_status pith_i_word_add(pith_ctx *ctx, pith_i_word_table *t, const char *at, int64_t length,
                            uint32_t hash, pith_i_word **out);

/* Room for `count` elements of an array that grows by doubling. */
#define GROW(ctx, ptr, room, count)                                                                          \
    ((count) <= (room) ? PITH_OK : pith_i_grow((ctx), (void **)&(ptr), &(room), (count), sizeof *(ptr)))
pith_status pith_i_grow(pith_ctx *ctx, void **block, int64_t *room, int64_t count, size_t size);

#endif
