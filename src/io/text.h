/* Lists of texts as binary files hold them: padded to one width, in bytes or in 32-bit characters. */
#ifndef PITH_IO_TEXT_H
#define PITH_IO_TEXT_H

#include "matrix/matrix.h"

/* count texts of width characters each, padded with NULs on the right. */
pith_status pith_i_names_utf32(pith_ctx *ctx, int64_t count, int64_t width, bool swapped, const void *from,
                               pith_i_names *out);
pith_status pith_i_names_padded(pith_ctx *ctx, int64_t count, int64_t width, const void *from,
                                pith_i_names *out);
/* Names that are not valid UTF-8 are read as Windows-1252, as written by spreadsheets, and converted. */
pith_status pith_i_names_to_utf8(pith_ctx *ctx, pith_i_names *names);
/* The inverse, in scratch: 32-bit characters (wide), or bytes if some text is not UTF-8. width >= 1. */
pith_status pith_i_texts_fixed(pith_ctx *ctx, int64_t count, const char *const *texts, bool *wide,
                               int64_t *width, void **out);

/* A list of texts that are added one by one, at most `most` bytes in all; count is their final number. */
typedef struct pith_i_text_list {
    pith_i_names names;
    int64_t used, room, most;
} pith_i_text_list;
pith_status pith_i_text_list_new(pith_ctx *ctx, int64_t count, int64_t most, pith_i_text_list *out);
/* PITH_E_DATA without a message: there are more bytes than `most`. */
pith_status pith_i_text_list_add(pith_ctx *ctx, pith_i_text_list *list, const char *text, int64_t length);
void pith_i_text_list_free(pith_i_text_list *list); /* unless its names were taken */

#endif
