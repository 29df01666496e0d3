/* Characters of UTF-8 text, and their role in words. */
#ifndef PITH_PREP_UNICODE_H
#define PITH_PREP_UNICODE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum pith_i_char {
    CHAR_OTHER,
    CHAR_LETTER, /* also combining marks */
    CHAR_DIGIT,
    CHAR_APOSTROPHE,
    CHAR_ALONE /* a word by itself: Han, Hiragana */
} pith_i_char;

extern const unsigned char pith_i_ascii_kind[128];
pith_i_char pith_i_char_kind(uint32_t c);
/* The kind of the character at `at`, and the number of its bytes, 0 if it is not UTF-8. */
pith_i_char pith_i_char_at(const char *at, const char *end, int *bytes);

enum { PITH_I_WORD_MOST = 120 }; /* bytes of a word; longer ones are ignored */
/* Writes the word in lower case, composed (NFC), with plain apostrophes, to out; returns its length. */
enum { PITH_I_WORD_ROOM = 16 * PITH_I_WORD_MOST + 16 };
int64_t pith_i_word_lower(const char *at, int64_t length, char out[PITH_I_WORD_ROOM]);
/* The number of characters; *letters, *alone: is one of them a letter, is one CHAR_ALONE? */
int64_t pith_i_word_letters(const char *at, int64_t length, bool *letters, bool *alone);

#endif
