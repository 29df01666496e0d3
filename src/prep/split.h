/*
 * Where words begin and end in a text, 64 bytes at a time. A word is a run of letters, their marks and
 * digits, with apostrophes between letters; a character that stands alone is a word by itself, whatever is
 * beside it.
 */
#ifndef PITH_PREP_SPLIT_H
#define PITH_PREP_SPLIT_H

#include "prep/unicode.h"

enum { PITH_I_SPLIT_BYTES = 64, PITH_I_SHORT_CHARS = 0x800 };

/* What characters of up to two bytes of UTF-8 are (Latin, Greek, Cyrillic, Hebrew, Arabic), as far as they
 * have been met, so that the library is asked once for each. Zeros at first; else 1 + pith_i_char. */
typedef struct pith_i_kinds {
    unsigned char of[PITH_I_SHORT_CHARS];
} pith_i_kinds;

/* Begin with the first three. */
typedef struct pith_i_split {
    pith_i_kinds *kinds;
    const char *text, *end;
    const char *block;     /* where the 64 bytes lie that starts and ends tell about */
    uint64_t starts, ends; /* bit i: a word begins at byte i, one ends before it */
    const char *bad;       /* the first byte that is not UTF-8; NULL: none so far */
    /* its own */
    const char *char_end, *letter_end; /* behind the last long character, behind the last long letter */
    uint64_t inside_next, cut_next;    /* what is known of the next block */
    uint64_t open;                     /* 1: the block before ends inside a word */
    int64_t done;                      /* bytes of the blocks so far */
} pith_i_split;

/* The next block; false: there is none, or the text is bad. Words come in pairs of a start and an end; one
 * may begin in one block and end in another, and none is open after the last. */
bool pith_i_split_next(pith_i_split *s);

#endif
