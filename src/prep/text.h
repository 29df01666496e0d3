/*
 * Text to counts. Documents are given one after the other and read once; only the vocabulary and the counts
 * are kept. A word is a run of letters, marks and digits by Unicode, with apostrophes between letters; an
 * ideograph or a hiragana sign is a word of its own. It is lower-cased and composed (NFC), dropped if it is a
 * stop word, and reduced to its stem. A feature is a stem, and is named after its most frequent word.
 */
#ifndef PITH_PREP_TEXT_H
#define PITH_PREP_TEXT_H

#include "matrix/matrix.h"
#include "prep/step.h"

/* The step `text`; on a table of counts it only applies min_df and max_df. */
extern const pith_i_step pith_i_step_text;
enum { TEXT_STEM, TEXT_STOP_WORDS, TEXT_MIN_DF, TEXT_MAX_DF, TEXT_SHORTEST, TEXT_NUMBERS, TEXT_COLUMN };

extern const char pith_i_english_stop_words[]; /* separated by blanks */

typedef struct pith_i_counter pith_i_counter;

/* values are those of pith_i_step_text. The caller reads the file of stop words and passes them to
 * pith_i_counter_stop. */
pith_status pith_i_counter_new(pith_ctx *ctx, const double *values, pith_i_counter **out);
void pith_i_counter_free(pith_i_counter *c);
/* Adds a stop word, in any case; to be called before the first document. PITH_E_DATA without a message: it is
 * not UTF-8. */
pith_status pith_i_counter_stop(pith_ctx *ctx, pith_i_counter *c, const char *word, int64_t length);
/* Adds the next document. PITH_E_DATA without a message: it is not UTF-8 from byte *bad on. */
pith_status pith_i_counter_add(pith_ctx *ctx, pith_i_counter *c, const char *text, int64_t length,
                               int64_t *bad);
/* Writes the counts to the empty matrix: documents in their order, features sorted by name. */
pith_status pith_i_counter_finish(pith_ctx *ctx, const pith_i_counter *c, pith_matrix *out);

#endif
