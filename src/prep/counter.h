/* What is known of the documents so far: text.c counts their words, counts.c makes the matrix. */
#ifndef PITH_PREP_COUNTER_H
#define PITH_PREP_COUNTER_H

#include "core/words.h"
#include "prep/split.h"
#include "prep/text.h"

/* So often a document has a term. */
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
    pith_i_words word; /* as in the text, or in lower case; value: how often, other: the term, -1: left out */
    pith_i_words stem; /* value: the term; empty without a stemmer, when each word in lower case is a term */
    int32_t *lower;    /* of a word: its number in lower case, -1: left out */
    int64_t different; /* words in lower case */
    int64_t terms;
    int64_t *last;         /* entry of a term */
    pith_i_entry *here;    /* the entries of this document, */
    pith_i_chunk *chunk;   /* and of those before: in chunks, which need not be moved when more come */
    int64_t *document_end; /* of its entries */
    int64_t heres, entries, chunks, documents;
    int64_t lower_room, last_room, here_room, chunk_room, end_room;
    /* Words that have been read and wait to be counted: by then their slots have come into the cache. */
    pith_i_key queue[PITH_I_QUEUE];
    int queued;
};

#endif
