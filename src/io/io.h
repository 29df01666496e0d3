/*
 * Files: one reader and writer per format, and the table that picks them by ending. A reader trusts
 * nothing: sizes are checked against the file before memory is taken for them, and every error is one
 * line that begins with the path (and the line or variable) and says what to do.
 */
#ifndef PITH_IO_IO_H
#define PITH_IO_IO_H

#include "core/file.h"
#include "matrix/matrix.h"

#include <stdio.h>

/*
 * Reads path into the empty matrix `out`: data owned, names and labels where the file has them. Values that
 * are missing or not a number become NaN if options->missing asks for it, else an error; the caller then
 * applies options->missing, unless known_finite is set. Labels from a separate file are left to the caller,
 * too.
 */
typedef pith_status pith_i_read_fn(pith_ctx *ctx, const char *path, const pith_read_options *options,
                                   pith_matrix *out);
/* Writes to file->stream, or, where a library wants a path, to pith_i_file_path(). Does not commit. */
typedef pith_status pith_i_write_fn(pith_ctx *ctx, const pith_matrix *m, pith_i_file *file);

typedef struct pith_i_format {
    const char *name, *endings; /* "delimited text", ".csv .tsv .txt .csv.gz .tsv.gz .txt.gz" */
    pith_i_read_fn *read;
    pith_i_write_fn *write; /* NULL: pith can only read it */
    bool by_path;           /* writing it needs a file that can be seeked: no pipes */
} pith_i_format;

const pith_i_format *pith_i_format_of(const char *path); /* by ending, any case; NULL: unknown */
/* The ending itself, in lower case as the table has it (".csv.gz"); NULL: unknown. */
const char *pith_i_ending_of(const char *path, char ending[16]);
const pith_i_format *pith_i_format_at(size_t i); /* NULL past the end */

/* The whole file in memory: mapped, or inflated if it begins like gzip. Not NUL-terminated. Whoever reads
 * through it reports that with pith_i_touched. */
typedef struct pith_i_bytes {
    const char *at;
    int64_t size;
    void *mapped, *owned; /* blocks of pith_i_map_file and pith_i_alloc_large; NULL: it is the other kind */
} pith_i_bytes;
pith_status pith_i_bytes_load(pith_ctx *ctx, const char *path, pith_i_bytes *out);
/* The same for a text file: UTF-16 and UTF-32 with a byte order mark become UTF-8, and CR alone a newline.
 * NUL bytes near the beginning are PITH_E_DATA. */
pith_status pith_i_text_load(pith_ctx *ctx, const char *path, pith_i_bytes *out);
void pith_i_bytes_free(pith_i_bytes *bytes);
/* For whoever fills them: enlarges the owned block, whose size is *room, by at least half. */
pith_status pith_i_bytes_grow(pith_ctx *ctx, pith_i_bytes *bytes, int64_t *room);
/* Does the ending of path (before a .gz) equal ending, in any case? */
bool pith_i_has_ending(const char *path, const char *ending);

/* Labels from a file with one per line; their number must be that of the rows of m, read from path. */
pith_status pith_i_labels_read(pith_ctx *ctx, const char *labels, const char *path, pith_matrix *m);
/* Batches from such a file. */
pith_status pith_i_batches_read(pith_ctx *ctx, const char *batches, const char *path, pith_matrix *m);
/* A clustering from such a file: *n numbers (owned) from 0 on, the same for the same text. An empty file and
 * a missing label are PITH_E_DATA. */
pith_status pith_i_clusters_read(pith_ctx *ctx, const char *path, int64_t *n, int32_t **out);
/* Treats the NaN and infinite values of m, owned and read from path, as `missing` says. */
pith_status pith_i_missing_apply(pith_ctx *ctx, const char *path, pith_missing missing, pith_matrix *m);

/* One per format. */
pith_i_read_fn pith_i_delimited_read, pith_i_mtx_read, pith_i_svm_read, pith_i_npy_read, pith_i_npz_read,
    pith_i_mat_read, pith_i_h5ad_read;
pith_i_write_fn pith_i_delimited_write, pith_i_mtx_write, pith_i_svm_write, pith_i_npy_write,
    pith_i_npz_write, pith_i_mat_write, pith_i_h5ad_write;
/* Copies the .h5ad `source`, from which m was read, reduced to the rows and columns of m. */
pith_status pith_i_h5ad_write_with(pith_ctx *ctx, const pith_matrix *m, const char *source,
                                   pith_i_file *file);

#endif
