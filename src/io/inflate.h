/* zlib's streams, unpacked piece by piece from memory. */
#ifndef PITH_IO_INFLATE_H
#define PITH_IO_INFLATE_H

#include "core/core.h"

typedef struct pith_i_inflate pith_i_inflate;

/* `where` begins errors and must outlive the stream. */
pith_status pith_i_inflate_open(pith_ctx *ctx, const char *where, const void *from, int64_t size,
                                pith_i_inflate **out);
/* The next bytes, all of them, or PITH_E_DATA: damaged or ended before. */
pith_status pith_i_inflate_read(pith_i_inflate *s, void *out, int64_t bytes);
void pith_i_inflate_close(pith_i_inflate *s); /* NULL is fine */

#endif
