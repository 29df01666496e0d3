/*
 * HDF5, as far as .h5ad and MATLAB 7.3 need it. libhdf5 reads in a process of its own (hdf5_protocol.h), one
 * for each open file. Nothing that a file or that process claims is trusted: memory is taken only for what
 * the file's bytes can hold. Objects are identified by numbers that the process assigns; 0 is the root group,
 * negative numbers mean none.
 */
#ifndef PITH_IO_HDF5_H
#define PITH_IO_HDF5_H

#include "io/elements.h"
#include "io/hdf5_protocol.h"
#include "io/io.h"
#include "matrix/matrix.h"

#include <sys/types.h>

/* Is it HDF5? Looks for the signature at the start or, after a MATLAB header, at byte 512. */
bool pith_i_hdf5_is(const pith_i_bytes *bytes);

typedef struct pith_i_hdf5 {
    pith_ctx *ctx;
    const char *path;
    int64_t size;  /* of the file */
    pid_t process; /* that reads it; 0: none */
    int socket, shared;
    char *window; /* shared memory that arrays pass through */
    int64_t window_bytes;
    int64_t done, total; /* progress, reported while waiting for replies */
} pith_i_hdf5;

/* Starts the process; bytes are those of the file. Must be closed even after a failure. */
pith_status pith_i_hdf5_open(pith_ctx *ctx, const char *path, const pith_i_bytes *bytes, pith_i_hdf5 *out);
/* The same for a process that can also write to output_path, an existing file, at most `most` bytes. */
pith_status pith_i_hdf5_open_both(pith_ctx *ctx, const char *path, const pith_i_bytes *bytes,
                                  const char *output_path, int64_t most, pith_i_hdf5 *out);
void pith_i_hdf5_close(pith_i_hdf5 *f);

/* Sends one request (q->op and its fields) and waits for the reply. A process that has ended, also by its
 * limit on CPU time (hdf5/limits.c), is an error; a problem that it reports is not. */
pith_status pith_i_hdf5_ask(pith_i_hdf5 *f, pith_i_hdf5_request *q, pith_i_hdf5_reply *r);
/* The same in two steps, so that the caller can work while the process does. */
pith_status pith_i_hdf5_send(pith_i_hdf5 *f, const pith_i_hdf5_request *q);
pith_status pith_i_hdf5_receive(pith_i_hdf5 *f, pith_i_hdf5_reply *r);
/* Makes the window at least this large. */
pith_status pith_i_hdf5_window(pith_i_hdf5 *f, int64_t bytes);
/* Copies bytes into the window, for the process. */
pith_status pith_i_hdf5_fill(pith_i_hdf5 *f, int64_t at, const void *from, int64_t bytes);
/* The error for the problem that a reply reports about the object `name`; PITH_OK: there is none. */
pith_status pith_i_hdf5_explain(pith_i_hdf5 *f, const char *name, const pith_i_hdf5_reply *r);
/* The error for a process that failed. */
pith_status pith_i_hdf5_failed(pith_i_hdf5 *f);

/* ---- Objects ------------------------------------------------------------------------------------- */

pith_status pith_i_hdf5_kind(pith_i_hdf5 *f, int64_t at, const char *path, int32_t *kind);
/* The object itself; close it with pith_i_hdf5_release. */
pith_status pith_i_hdf5_group(pith_i_hdf5 *f, int64_t at, const char *path, int64_t *id);
void pith_i_hdf5_release(pith_i_hdf5 *f, int64_t id);
/* The names of at most `most` links of a group, in scratch; hard[k]: it is a hard link. */
pith_status pith_i_hdf5_list(pith_i_hdf5 *f, int64_t group, int64_t most, const char ***names, bool **hard,
                             int64_t *count);

/* Attributes: *found is false if there is none of this name and type. Text is cut to fit. */
pith_status pith_i_attribute_exists(pith_i_hdf5 *f, int64_t at, const char *name, bool *found);
pith_status pith_i_attribute_text(pith_i_hdf5 *f, int64_t at, const char *name, char *text, size_t size,
                                  bool *found);
pith_status pith_i_attribute_integers(pith_i_hdf5 *f, int64_t at, const char *name, int count, int64_t *out,
                                      bool *found);

/* ---- Datasets ------------------------------------------------------------------------------------ */

/* An open dataset, and what the file claims about it. */
typedef struct pith_i_dataset {
    int64_t id;
    const char *name;       /* as the caller gave it */
    pith_i_element element; /* as stored, in our byte order; kind 0: no number */
    bool is_text, is_reference, is_compound, is_categorical;
    int rank;
    int64_t dims[2]; /* the first two; 1 if there are fewer */
    int64_t count;   /* of all elements */
    int64_t bytes;   /* of one, as stored */
    int64_t chunk;   /* lines (of the first dimension) in a chunk; 0: not in chunks */
} pith_i_dataset;

/* Opens and describes. Close with pith_i_dataset_close, even after a failure; the name is not copied. */
pith_status pith_i_dataset_open(pith_i_hdf5 *f, int64_t at, const char *path, pith_i_dataset *out);
/* The same for the dataset that an attribute refers to. */
pith_status pith_i_dataset_follow(pith_i_hdf5 *f, int64_t at, const char *attribute, pith_i_dataset *out);
/* Can the storage hold what is claimed? To be called before memory is taken for it. */
pith_status pith_i_dataset_check(pith_i_hdf5 *f, const pith_i_dataset *d);
void pith_i_dataset_close(pith_i_hdf5 *f, pith_i_dataset *d);

/* All elements as numbers of a type; call pith_i_dataset_check before. */
pith_status pith_i_dataset_read(pith_i_hdf5 *f, const pith_i_dataset *d, pith_i_hdf5_type type, void *out);
/* Checks, then reads a dataset of 2 dimensions; `transposed`: the file's rows are our columns. */
pith_status pith_i_dataset_matrix(pith_i_hdf5 *f, const pith_i_dataset *d, bool transposed, pith_dtype dtype,
                                  pith_i_data *out);
/* Is it a list of elements that have a member of text by this name? */
pith_status pith_i_dataset_has_texts(pith_i_hdf5 *f, const pith_i_dataset *d, const char *member,
                                     bool *found);
/* Likewise: the texts of a dataset; of one member if it is compound. */
pith_status pith_i_dataset_texts(pith_i_hdf5 *f, const pith_i_dataset *d, const char *member,
                                 pith_i_names *out);
/* Likewise: the texts that a dataset of MATLAB's references points to, as 32-bit characters. */
typedef pith_status pith_i_cell_fn(void *user, const uint32_t *units, int64_t count);
pith_status pith_i_dataset_cells(pith_i_hdf5 *f, const pith_i_dataset *d, pith_i_cell_fn *take, void *user);
/* Likewise: a sparse matrix from the datasets data, indices and indptr (MATLAB: data, ir and jc) of a group.
 */
pith_status pith_i_hdf5_sparse(pith_i_hdf5 *f, const char *group, const char *const arrays[3],
                               bool by_columns, int64_t n, int64_t p, pith_i_data *out);

#endif
