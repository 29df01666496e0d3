/* Text files line by line, with the number of the line for messages. */
#ifndef PITH_IO_CURSOR_H
#define PITH_IO_CURSOR_H

#include "core/number.h"
#include "io/io.h"

#include <string.h>

typedef struct pith_i_cursor {
    const char *at, *end;  /* what is left of the file */
    const char *from, *to; /* the line, without blanks at its ends */
    int64_t line;          /* its number, from 1; 0 before the first */
} pith_i_cursor;

static inline bool pith_i_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The next line, blank or not; false: there is none. */
static inline bool pith_i_next_line(pith_i_cursor *c)
{
    if (c->at >= c->end)
        return false;
    const char *newline = memchr(c->at, '\n', (size_t)(c->end - c->at));
    c->from = c->at;
    c->to = newline != NULL ? newline : c->end;
    c->at = newline != NULL ? newline + 1 : c->end;
    c->line++;
    while (c->from < c->to && pith_i_is_space(*c->from))
        c->from++;
    while (c->to > c->from && pith_i_is_space(c->to[-1]))
        c->to--;
    return true;
}

/* The next line that is neither blank nor a comment. */
static inline bool pith_i_next_content(pith_i_cursor *c, char comment)
{
    while (pith_i_next_line(c))
        if (c->from < c->to && *c->from != comment)
            return true;
    return false;
}

/* The word at c->from, which moves past it and the blanks after it; its length, 0 at the end of the line. */
static inline int64_t pith_i_next_word(pith_i_cursor *c, const char **word)
{
    const char *p = c->from;
    while (p < c->to && !pith_i_is_space(*p))
        p++;
    const int64_t length = p - c->from;
    *word = c->from;
    while (p < c->to && pith_i_is_space(*p))
        p++;
    c->from = p;
    return length;
}

/* An unsigned integer of at most 18 digits at c->from, which moves past it and the blanks after it. */
static inline bool pith_i_next_integer(pith_i_cursor *c, int64_t *out)
{
    uint64_t v = 0;
    const char *p = pith_i_scan_digits(c->from, c->to, &v);
    if (p == c->from || p - c->from > 18 || (p < c->to && !pith_i_is_space(*p)))
        return false;
    while (p < c->to && pith_i_is_space(*p))
        p++;
    c->from = p;
    *out = (int64_t)v;
    return true;
}

#endif
