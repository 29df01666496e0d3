/*
 * WordNet 3.0 from its `dict` files (wndb(5)): text, in which a synset is identified by the offset of its
 * line. The files are mapped and read in place; only the lemmas and exceptions are hashed.
 */
#ifndef PITH_TREE_WORDNET_H
#define PITH_TREE_WORDNET_H

#include "core/words.h"
#include "io/io.h"

enum { PITH_I_NOUN, PITH_I_VERB, PITH_I_POS };

typedef struct pith_i_wordnet {
    pith_i_bytes index[PITH_I_POS], data[PITH_I_POS], exceptions[PITH_I_POS], counts;
    pith_i_words lemma[PITH_I_POS];     /* maps to the offset of the lemma's line in index */
    pith_i_words exception[PITH_I_POS]; /* maps to the offset of the line in exceptions */
    pith_i_words stem;                  /* maps to a number in best; made by pith_i_wordnet_stem */
    struct pith_i_best *best;
    int64_t best_room;
} pith_i_wordnet;

/* PITH_E_FILE: no WordNet there. */
pith_status pith_i_wordnet_open(pith_ctx *ctx, const char *folder, pith_i_wordnet *out);
void pith_i_wordnet_close(pith_i_wordnet *w);

/* A synset: a part of speech and an offset in its data file; offset -1: none. */
typedef struct pith_i_synset {
    int pos;
    int64_t offset;
} pith_i_synset;

/* The first sense of a word, given in lower case with '_' for blanks: as a noun, else as a verb; of the word
 * itself, else by the list of exceptions, else without an ending. */
pith_i_synset pith_i_wordnet_find(const pith_i_wordnet *w, const char *word, int64_t length);
/* Maps the Porter stems of all one-word lemmas to the lemma that is tagged most often in texts (ties: nouns,
 * then shorter, then alphabetical), for pith_i_wordnet_find_stem. */
pith_status pith_i_wordnet_stem(pith_ctx *ctx, pith_i_wordnet *w);
bool pith_i_wordnet_can_stem(void); /* false: this build has no stemmer, and pith_i_wordnet_stem fails */
pith_i_synset pith_i_wordnet_find_stem(const pith_i_wordnet *w, const char *stem, int64_t length);
/* The first hypernym, also of an instance; none at the top, or if the file is damaged. */
pith_i_synset pith_i_wordnet_above(const pith_i_wordnet *w, pith_i_synset s);
/* "asset.n.01": the synset's first word and the number of its sense. */
enum { PITH_I_SYNSET_NAME = 96 };
void pith_i_wordnet_name(const pith_i_wordnet *w, pith_i_synset s, char name[PITH_I_SYNSET_NAME]);
/* The eight digits that identify the synset in the data file; NULL: none. Not NUL-terminated. */
const char *pith_i_wordnet_key(const pith_i_wordnet *w, pith_i_synset s);

#endif
