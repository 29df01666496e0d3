/* A file that several processes write together, each its rows: .npy, and .npz, whose members are stored. */
#ifndef PITH_IO_SPREAD_WRITE_H
#define PITH_IO_SPREAD_WRITE_H

#include "io/io.h"
#include "io/zip.h"

/* The shape of the table of all processes together. */
typedef struct pith_i_shape {
    int64_t n, p, stored; /* stored: entries of sparse data */
    bool sparse;
    pith_dtype dtype;
} pith_i_shape;

/* An array of the file, whose elements come from all processes. */
typedef enum pith_i_spread_kind {
    PITH_I_SPREAD_ROWS, /* dense */
    PITH_I_SPREAD_COLUMNS,
    PITH_I_SPREAD_POINTERS,
    PITH_I_SPREAD_VALUES
} pith_i_spread_kind;
enum { PITH_I_SPREAD_MOST = 3 };
typedef struct pith_i_spread_array {
    int64_t kind, at;     /* at: where in the file it begins */
    int64_t bytes, check; /* of this process's part: its size and checksum */
    int64_t member;       /* its number in an archive */
} pith_i_spread_array;

/* Row pointers take 4 bytes if they fit. */
static inline int64_t pith_i_pointer_bytes(const pith_i_shape *s)
{
    return s->stored <= INT32_MAX ? 4 : 8;
}

/* Process 0, for an archive: writes everything up to the last array, leaving gaps for the elements that come
 * from all processes. arrays, count: these arrays. */
pith_status pith_i_npz_lay_out(pith_i_zip *z, const pith_i_shape *shape, pith_i_spread_array *arrays,
                               int *count);
/* Process 0: writes the checksums of the whole arrays, then labels and names. features: the matrix with the
 * names of the features; samples: the one with the labels and names of all samples, or NULL. */
pith_status pith_i_npz_finish(pith_i_zip *z, int count, const pith_i_spread_array *arrays,
                              const pith_matrix *features, const pith_matrix *samples);

/* Can processes write parts of this format? By the ending of path. */
bool pith_i_takes_parts(const char *path);
/* All processes call it with their rows. *written is false if a process does not see the file's folder, or if
 * parts have names or labels and those of all samples are not known: then nothing was done. */
pith_status pith_i_write_parts(pith_ctx *ctx, const pith_matrix *m, const char *path, bool *written);

#endif
