/* Numbers from the user, and nearest matches of misspelt words, whatever the locale of the process. */
#ifndef PITH_CORE_TEXT_H
#define PITH_CORE_TEXT_H

#include "core/number.h"

#include <stdbool.h>
#include <stdint.h>

/* The whole text as a number, in the C locale. False: it is not a number. */
bool pith_i_parse_double(const char *text, double *out);
/* Would a spreadsheet take this cell for a formula? It does if the text begins with = + - @, a tab or a
 * carriage return, and is not a number. */
bool pith_i_is_formula(const char *text);
/* 1204 as 1,204. Returns text. */
const char *pith_i_count_text(int64_t v, char text[PITH_I_NUMBER_TEXT]);

#endif
