/*
 * WordNet 3.0 as its `dict` files hold it (wndb(5)): text, with the offset of a synset's line as its name.
 * The files are mapped and read in place; only the index of lemmas is hashed.
 */
#ifndef PITH_TREE_WORDNET_H
#define PITH_TREE_WORDNET_H

#include "core/words.h"
#include "io/io.h"

enum { PITH_I_NOUN, PITH_I_VERB, PITH_I_POS };

typedef struct pith_i_wordnet {
    pith_i_bytes index[PITH_I_POS], data[PITH_I_POS], exceptions[PITH_I_POS], counts;
    pith_i_words lemma[PITH_I_POS];     /* to the offset of the lemma's line in index */
    pith_i_words exception[PITH_I_POS]; /* to the offset of the line in exceptions */
    pith_i_words stem;                  /* to the best lemma's number in best; made when asked for */
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

/* The first sense of a word in lower case with '_' for blanks: a noun, else a verb; as it is, else by the
 * list of exceptions, else without an ending. */
pith_i_synset pith_i_wordnet_find(const pith_i_wordnet *w, const char *word, int64_t length);
/* Porter stems of all one-word lemmas, each to the lemma that is tagged most often in texts (ties: nouns,
 * then shorter, then alphabetical), for pith_i_wordnet_find_stem. */
pith_status pith_i_wordnet_stem(pith_ctx *ctx, pith_i_wordnet *w);
pith_i_synset pith_i_wordnet_find_stem(const pith_i_wordnet *w, const char *stem, int64_t length);
/* The first hypernym, of an instance too; none at the top, or if the file is damaged. */
pith_i_synset pith_i_wordnet_above(const pith_i_wordnet *w, pith_i_synset s);
/* "asset.n.01": the synset's first word and the number of its sense. */
enum { PITH_I_SYNSET_NAME = 96 };
void pith_i_wordnet_name(const pith_i_wordnet *w, pith_i_synset s, char name[PITH_I_SYNSET_NAME]);
/* The eight digits by which the data file calls the synset: the same text for the same synset. */
const char *pith_i_wordnet_key(const pith_i_wordnet *w, pith_i_synset s);

#endif
