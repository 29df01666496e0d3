/*
 * What mapped arrays need of zip archives and libzip does not offer: the place of a stored member in the
 * file, and archives of stored members that begin at multiples of 64 bytes.
 */
#ifndef PITH_IO_ZIP_H
#define PITH_IO_ZIP_H

#include "io/io.h"

/* A member's bytes in an archive in memory, and the checksum that the archive claims for them. */
typedef struct pith_i_zip_member {
    const char *at;
    int64_t size;
    uint32_t crc;
} pith_i_zip_member;

/* Member number `index` of the directory, if it has this name, is stored (neither compressed nor encrypted),
 * and lies within the archive. False: it does not, or the directory cannot be read. */
bool pith_i_zip_find(const char *archive, int64_t size, uint64_t index, const char *name,
                     pith_i_zip_member *out);
/* PITH_E_DATA unless the bytes have the claimed checksum. `where` begins the message. */
pith_status pith_i_zip_check(pith_ctx *ctx, const char *where, const pith_i_zip_member *member);

/* The checksum of bytes that follow others with the checksum `before` (0: there are none); and the checksum
 * of two parts in a row from their own, where the second has count bytes. */
uint32_t pith_i_zip_checksum(uint32_t before, const void *bytes, int64_t count);
uint32_t pith_i_zip_joined(uint32_t first, uint32_t second, int64_t count);

typedef struct pith_i_zip_entry {
    char name[32];
    uint32_t crc;
    int64_t size, offset; /* offset: of its local header */
} pith_i_zip_entry;

enum { PITH_I_ZIP_MOST = 16 };

typedef struct pith_i_zip {
    pith_ctx *ctx;
    FILE *stream; /* of a regular file */
    const char *path;
    int64_t done, total; /* bytes, for progress */
    int64_t count;
    pith_i_zip_entry entry[PITH_I_ZIP_MOST];
} pith_i_zip;

/* To write a member of `size` bytes: begin, then its bytes in any number of parts, then end. */
pith_status pith_i_zip_begin(pith_i_zip *z, const char *name, int64_t size);
pith_status pith_i_zip_bytes(pith_i_zip *z, const void *bytes, int64_t count);
pith_status pith_i_zip_end(pith_i_zip *z);
/* Leaves a gap of count bytes at *at, at the end of a member, which others will write into the file. */
pith_status pith_i_zip_gap(pith_i_zip *z, int64_t count, int64_t *at);
/* The gap of a member has been filled with `count` bytes of this checksum. */
pith_status pith_i_zip_filled(pith_i_zip *z, int64_t member, uint32_t crc, int64_t count);
/* Writes the directory. */
pith_status pith_i_zip_finish(pith_i_zip *z);

#endif
