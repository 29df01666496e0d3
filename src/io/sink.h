/* Writing text to a file: buffered, and compressed with gzip if the ending says so. */
#ifndef PITH_IO_SINK_H
#define PITH_IO_SINK_H

#include "io/io.h"

typedef struct pith_i_sink {
    pith_ctx *ctx;
    pith_i_file *file;
    struct pith_i_gzip *packer; /* owned; NULL: plain text */
    char *buffer;               /* owned */
    int64_t used;               /* bytes waiting in the buffer */
    pith_status status;         /* the first failure: later calls do nothing */
} pith_i_sink;

pith_status pith_i_sink_open(pith_ctx *ctx, pith_i_file *file, pith_i_sink *out);
void pith_i_sink_bytes(pith_i_sink *s, const char *bytes, int64_t count);
void pith_i_sink_string(pith_i_sink *s, const char *text);
void pith_i_sink_number(pith_i_sink *s, double v); /* reads back as the same double */
void pith_i_sink_integer(pith_i_sink *s, int64_t v);
/*
 * Quoted if it would not read back as itself: if it is empty, has blanks at its ends, holds quotes, line ends
 * or a character of `special`, or may begin with a byte order mark.
 */
void pith_i_sink_text(pith_i_sink *s, const char *text, const char *special);
void pith_i_sink_quoted(pith_i_sink *s, const char *text); /* always quoted */
/* Flushes everything to the stream and returns the first failure, if any. Does not commit the file. */
pith_status pith_i_sink_finish(pith_i_sink *s);
void pith_i_sink_free(pith_i_sink *s); /* after success and failure */

#endif
