/* zlib: gzip files, and compressed variables of MATLAB files. Only deflate.c uses zlib (and zip.c its
 * checksum); a build without zlib has deflate_absent.c instead. */
#ifndef PITH_IO_DEFLATE_H
#define PITH_IO_DEFLATE_H

#include "io/io.h"

/* A zlib stream in memory, unpacked piece by piece. */
typedef struct pith_i_inflate pith_i_inflate;

/* `where` begins errors and must outlive the stream. */
pith_status pith_i_inflate_open(pith_ctx *ctx, const char *where, const void *from, int64_t size,
                                pith_i_inflate **out);
/* Reads exactly `bytes` bytes; PITH_E_DATA: the stream is damaged or ends before that. */
pith_status pith_i_inflate_read(pith_i_inflate *s, void *out, int64_t bytes);
void pith_i_inflate_close(pith_i_inflate *s); /* NULL is fine */

/* Replaces a gzip file in memory by its unpacked contents. */
pith_status pith_i_gunzip(pith_ctx *ctx, const char *path, pith_i_bytes *bytes);
/* Reads up to `room` bytes from the start of a file, packed or not. Returns their number, 0 if it cannot be
 * read. */
int pith_i_gunzip_head(const char *path, char *head, int room);

/* A gzip file being written. */
typedef struct pith_i_gzip pith_i_gzip;
typedef bool pith_i_gzip_put_fn(void *self, const char *bytes, size_t count); /* false: stop */

pith_status pith_i_gzip_open(pith_ctx *ctx, const char *path, pith_i_gzip **out);
/* Packs the bytes and passes what is ready to `put`; with `last`, all that remains. */
void pith_i_gzip_bytes(pith_i_gzip *g, const char *bytes, int64_t count, bool last, pith_i_gzip_put_fn *put,
                       void *self);
void pith_i_gzip_close(pith_i_gzip *g); /* NULL is fine */

#endif
