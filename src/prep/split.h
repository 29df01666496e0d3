/*
 * Where words begin and end in a text, 64 bytes at a time. A word is a run of letters, their marks and
 * digits, with apostrophes between letters; a character that is a word by itself (CHAR_ALONE) does not join
 * its neighbours.
 */
#ifndef PITH_PREP_SPLIT_H
#define PITH_PREP_SPLIT_H

#include "prep/unicode.h"

enum { PITH_I_SPLIT_BYTES = 64, PITH_I_SHORT_CHARS = 0x800 };

/* A cache of the kinds of characters of up to two bytes of UTF-8 (Latin, Greek, Cyrillic, Hebrew, Arabic), so
 * that utf8proc is asked once for each. 0: not known yet; else 1 + pith_i_char. */
typedef struct pith_i_kinds {
    unsigned char of[PITH_I_SHORT_CHARS];
} pith_i_kinds;

/* The caller sets the first three fields; the others begin as 0. */
typedef struct pith_i_split {
    pith_i_kinds *kinds;
    const char *text, *end;
    const char *block;     /* the 64 bytes that starts and ends refer to */
    uint64_t starts, ends; /* bit i: a word begins at byte i; a word ends before byte i */
    const char *bad;       /* the first byte that is not UTF-8; NULL: none so far */
    /* private */
    const char *char_end, *letter_end; /* end of the last special character, and of the last special letter */
    uint64_t inside_next, cut_next;    /* bits that are already known of the next block */
    uint64_t open;                     /* 1: the previous block ended inside a word */
    int64_t done;                      /* bytes in the blocks so far */
} pith_i_split;

/* Goes to the next block; false: there is none, or `bad` is set. Every start has its end, perhaps in a later
 * block; after the last block no word is open. */
bool pith_i_split_next(pith_i_split *s);

#endif
