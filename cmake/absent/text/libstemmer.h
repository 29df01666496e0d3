/* In place of Snowball's header where PITH_TEXT is off: there are no stemmers, and who asks is told before.
 */
#ifndef PITH_ABSENT_LIBSTEMMER_H
#define PITH_ABSENT_LIBSTEMMER_H

#include <stddef.h>

typedef unsigned char sb_symbol;
struct sb_stemmer;

static inline struct sb_stemmer *sb_stemmer_new(const char *language, const char *encoding)
{
    (void)language, (void)encoding;
    return NULL;
}
static inline void sb_stemmer_delete(struct sb_stemmer *stemmer)
{
    (void)stemmer;
}
static inline const sb_symbol *sb_stemmer_stem(struct sb_stemmer *stemmer, const sb_symbol *word, int size)
{
    (void)stemmer, (void)size;
    return word;
}
static inline int sb_stemmer_length(struct sb_stemmer *stemmer)
{
    (void)stemmer;
    return 0;
}

#endif
