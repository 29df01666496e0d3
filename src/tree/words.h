/* Numbers of words: a hash table from texts, which are borrowed, to what the caller keeps for them. */
#ifndef PITH_TREE_WORDS_H
#define PITH_TREE_WORDS_H

#include "core/core.h"

typedef struct pith_i_word {
    const char *at; /* NULL: the place is free */
    int64_t length, value;
} pith_i_word;

typedef struct pith_i_words {
    pith_i_word *place;
    int64_t count, room; /* room: 0 or a power of two */
} pith_i_words;

/* The word; NULL: there is none. Good until the next word is added. */
pith_i_word *pith_i_words_find(const pith_i_words *words, const char *at, int64_t length);
/* The word, which is added with this value if it is not there; *added (may be NULL) tells. */
pith_status pith_i_words_add(pith_ctx *ctx, pith_i_words *words, const char *at, int64_t length,
                             int64_t value, bool *added, pith_i_word **out);
void pith_i_words_free(pith_i_words *words);

#endif
