/*
 * A walk over the structure of an HDF5 file before libhdf5 sees it. That library follows addresses and
 * lengths of a damaged file into endless loops and beyond its memory; what has passed this walk it can
 * follow.
 */
#ifndef PITH_IO_HDF5_CHECK_H
#define PITH_IO_HDF5_CHECK_H

#include "io/io.h"

/* Where objects begin: a set, in scratch. */
typedef struct pith_i_addresses {
    uint64_t *slot; /* open addressing; 0 is free, addresses are kept plus 1 */
    int64_t room, used;
} pith_i_addresses;
bool pith_i_addresses_has(const pith_i_addresses *set, uint64_t address);

/*
 * Everything that can be reached from the root group by links: object headers, groups, types, attributes,
 * chunks and texts of variable length, each within the file and within what holds it. Files of the newer kind
 * (superblock 2 and later) carry checksums, which libhdf5 looks at: they are not walked, and *walked is
 * false. O(metadata).
 */
pith_status pith_i_hdf5_check(pith_ctx *ctx, const char *path, const pith_i_bytes *bytes,
                              pith_i_addresses *objects, bool *walked);

#endif
