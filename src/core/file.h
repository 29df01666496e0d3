/* Output that appears completely or not at all: written to a temporary file, renamed by commit. */
#ifndef PITH_CORE_FILE_H
#define PITH_CORE_FILE_H

#include "core/core.h"

#include <stdio.h>

typedef struct pith_i_file {
    FILE *stream;           /* write here; errors are seen by commit */
    char *path, *temporary; /* path NULL: standard output */
    /* For writers of formats, set by whoever created the file: the path before links were followed (NULL:
     * standard output) and the ending that selects the format, ".csv.gz". Borrowed. */
    const char *name, *ending;
} pith_i_file;

/*
 * A path that is not a regular file (a pipe, /dev/null) is written directly, and so is a descriptor
 * (/dev/stdout), whatever it refers to; NULL is standard output. Links are followed, also to files that do
 * not exist yet.
 */
pith_status pith_i_file_create(pith_ctx *ctx, const char *path, pith_i_file *out);
/*
 * The path with links followed, so that an output does not replace the link; unlike realpath(), also for
 * files that do not exist yet. Stops at a descriptor, which has a position that the file behind it has not.
 * Owned.
 */
pith_status pith_i_file_resolve(pith_ctx *ctx, const char *path, char **out);
/* Would create succeed and, if by_path, pith_i_file_path() after it? For checks before the work; leaves
 * nothing behind. */
pith_status pith_i_file_check(pith_ctx *ctx, const char *path, bool by_path);
/* For writers that seek in the stream: PITH_E_FILE if the output is a pipe or standard output. */
pith_status pith_i_file_must_be_regular(pith_ctx *ctx, const pith_i_file *file);
/*
 * For libraries that write by path: closes the stream and names the (temporary) file to overwrite.
 * NULL and an error when the output is a pipe or standard output, which cannot be written that way.
 */
const char *pith_i_file_path(pith_ctx *ctx, pith_i_file *file);
/* Flushes, syncs, renames. A failure removes the temporary file and leaves the old one as it was. */
pith_status pith_i_file_commit(pith_ctx *ctx, pith_i_file *file);
/* Discards what was not committed; safe after commit, so every exit path may call it. */
void pith_i_file_discard(pith_i_file *file);

#endif
