/* The counts of the documents so far: text.c counts their words, counts.c makes the matrix. */
#ifndef PITH_PREP_COUNTER_H
#define PITH_PREP_COUNTER_H

#include "core/words.h"
#include "prep/split.h"
#include "prep/text.h"

/* How often a document contains a term. */
typedef struct pith_i_entry {
    int32_t term, count;
} pith_i_entry;

typedef struct pith_i_chunk {
    pith_i_entry *entry; /* PITH_I_CHUNK of them */
} pith_i_chunk;

enum { PITH_I_QUEUE = 64, PITH_I_CHUNK = 1 << 15 };

struct pith_i_counter {
    double values[PITH_I_STEP_PARAMS];
    struct sb_stemmer *stemmer; /* NULL: none */
    pith_i_kinds kinds;
    pith_i_words stop;
    pith_i_words word; /* as in the text, or in lower case; value: its count, other: its term, -1: left out */
    pith_i_words stem; /* value: its term; empty without a stemmer: then each word in lower case is a term */
    int32_t *lower;    /* of each word: the number of its lower-case form, -1: left out */
    int64_t different; /* number of different words in lower case */
    int64_t terms;
    int64_t *last;         /* the last entry of each term */
    pith_i_entry *here;    /* the entries of the current document */
    pith_i_chunk *chunk;   /* those of the documents before: in chunks, so that they never move */
    int64_t *document_end; /* of each document: the end of its entries */
    int64_t heres, entries, chunks, documents;
    int64_t lower_room, last_room, here_room, chunk_room, end_room;
    /* Words that have been read but not yet counted, so that their slots can be prefetched into the cache. */
    pith_i_key queue[PITH_I_QUEUE];
    int queued;
};

#endif
