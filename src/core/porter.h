/* English words without their endings: Porter's stemmer (Program 14, 1980), as published. */
#ifndef PITH_CORE_PORTER_H
#define PITH_CORE_PORTER_H

#include <stddef.h>

/* Stems the `length` lower-case letters at `word` in place and returns how many are left. Words of one or two
 * letters stay as they are. Never longer than before, but for one letter that was there. */
size_t pith_i_porter(char *word, size_t length);

#endif
