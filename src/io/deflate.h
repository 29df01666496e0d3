/* What zlib unpacks and packs: gzip's files, and the variables of MATLAB's. zlib is seen by deflate.c alone
 * (and its checksum by zip.c), so that a build without it has deflate_absent.c instead. */
#ifndef PITH_IO_DEFLATE_H
#define PITH_IO_DEFLATE_H

#include "io/io.h"

/* A zlib stream, unpacked piece by piece from memory. */
typedef struct pith_i_inflate pith_i_inflate;

/* `where` begins errors and must outlive the stream. */
pith_status pith_i_inflate_open(pith_ctx *ctx, const char *where, const void *from, int64_t size,
                                pith_i_inflate **out);
/* The next bytes, all of them, or PITH_E_DATA: damaged or ended before. */
pith_status pith_i_inflate_read(pith_i_inflate *s, void *out, int64_t bytes);
void pith_i_inflate_close(pith_i_inflate *s); /* NULL is fine */

/* A gzip file in memory is replaced by what it holds. */
pith_status pith_i_gunzip(pith_ctx *ctx, const char *path, pith_i_bytes *bytes);
/* The first bytes of a file, packed or not: at most `room` of them; how many, 0 where it cannot be read. */
int pith_i_gunzip_head(const char *path, char *head, int room);

/* A gzip file that is being written. */
typedef struct pith_i_gzip pith_i_gzip;
typedef bool pith_i_gzip_put_fn(void *self, const char *bytes, size_t count); /* false: no more of it */

pith_status pith_i_gzip_open(pith_ctx *ctx, const char *path, pith_i_gzip **out);
/* Packs the bytes, and hands over what is ready; after the `last` ones, all of it. */
void pith_i_gzip_bytes(pith_i_gzip *g, const char *bytes, int64_t count, bool last, pith_i_gzip_put_fn *put,
                       void *self);
void pith_i_gzip_close(pith_i_gzip *g); /* NULL is fine */

#endif
