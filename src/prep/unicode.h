/* Characters of UTF-8 text, and what they are to words. */
#ifndef PITH_PREP_UNICODE_H
#define PITH_PREP_UNICODE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum pith_i_char {
    CHAR_OTHER,
    CHAR_LETTER, /* marks that belong to letters, too */
    CHAR_DIGIT,
    CHAR_APOSTROPHE,
    CHAR_ALONE /* a word by itself: Han, Hiragana */
} pith_i_char;

extern const unsigned char pith_i_ascii_kind[128];
pith_i_char pith_i_char_kind(uint32_t c);
/* The character at `at` and its bytes, 0 if it is not UTF-8. */
pith_i_char pith_i_char_at(const char *at, const char *end, int *bytes);

enum { PITH_I_WORD_MOST = 120 }; /* bytes of a word; longer ones are no words */
/* The word in lower case, composed, with plain apostrophes; its length. out must have room for the longest
 * result. */
enum { PITH_I_WORD_ROOM = 16 * PITH_I_WORD_MOST + 16 };
int64_t pith_i_word_lower(const char *at, int64_t length, char out[PITH_I_WORD_ROOM]);
/* Characters, and whether one of them is a letter and whether one stands alone. */
int64_t pith_i_word_letters(const char *at, int64_t length, bool *letters, bool *alone);

#endif
