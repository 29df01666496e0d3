/*
 * HDF5, as far as .h5ad and MATLAB 7.3 need it. libhdf5 reads in a process of its own (hdf5_protocol.h), one
 * for each open file. Nothing that a file or that process claims is believed: memory is taken only for what
 * the file's bytes can hold. Objects are numbers, as the process gives them; 0 is the root group, a negative
 * one is none.
 */
#ifndef PITH_IO_HDF5_H
#define PITH_IO_HDF5_H

#include "io/elements.h"
#include "io/hdf5_protocol.h"
#include "io/io.h"
#include "matrix/matrix.h"

#include <sys/types.h>

/* Is the open file HDF5? By its signature, at the start or behind a heading. */
bool pith_i_hdf5_is(const pith_i_bytes *bytes);

typedef struct pith_i_hdf5 {
    pith_ctx *ctx;
    const char *path;
    int64_t size;  /* of the file */
    pid_t process; /* that reads it; 0: none */
    int socket, shared;
    char *window; /* what arrays come through */
    int64_t window_bytes;
    int64_t done, total; /* how far the reading is, told while it waits */
} pith_i_hdf5;

/* Starts the process; bytes are those of the file. Close also after a failure. */
pith_status pith_i_hdf5_open(pith_ctx *ctx, const char *path, const pith_i_bytes *bytes, pith_i_hdf5 *out);
/* The same for a process that can also write `output`, which is there already, but no more than so many
 * bytes.
 */
pith_status pith_i_hdf5_open_both(pith_ctx *ctx, const char *path, const pith_i_bytes *bytes,
                                  const char *output_path, int64_t most, pith_i_hdf5 *out);
void pith_i_hdf5_close(pith_i_hdf5 *f);

/* One question: q->op and its fields. A process that has ended, or is too slow, or answers what cannot be, is
 * an error; a problem that it reports is not. */
pith_status pith_i_hdf5_ask(pith_i_hdf5 *f, pith_i_hdf5_request *q, pith_i_hdf5_reply *r);
/* The same in two halves: between them the process works. */
pith_status pith_i_hdf5_send(pith_i_hdf5 *f, const pith_i_hdf5_request *q);
pith_status pith_i_hdf5_receive(pith_i_hdf5 *f, pith_i_hdf5_reply *r);
/* Shared memory of at least this size. */
pith_status pith_i_hdf5_window(pith_i_hdf5 *f, int64_t bytes);
/* Bytes into it, for the process. */
pith_status pith_i_hdf5_fill(pith_i_hdf5 *f, int64_t at, const void *from, int64_t bytes);
/* A problem with the object `name` as a sentence; PITH_OK: there is none. */
pith_status pith_i_hdf5_explain(pith_i_hdf5 *f, const char *name, const pith_i_hdf5_reply *r);
/* The sentence for a reader that failed. */
pith_status pith_i_hdf5_failed(pith_i_hdf5 *f);

/* ---- Objects ------------------------------------------------------------------------------------- */

pith_status pith_i_hdf5_kind(pith_i_hdf5 *f, int64_t at, const char *path, int32_t *kind);
/* The object itself; close it with pith_i_hdf5_release. */
pith_status pith_i_hdf5_group(pith_i_hdf5 *f, int64_t at, const char *path, int64_t *id);
void pith_i_hdf5_release(pith_i_hdf5 *f, int64_t id);
/* The names of a group's links, in scratch; hard[k]: it is no link elsewhere. At most `most` of them. */
pith_status pith_i_hdf5_list(pith_i_hdf5 *f, int64_t group, int64_t most, const char ***names, bool **hard,
                             int64_t *count);

/* Attributes: *found is false where there is none of this kind. Text is cut to fit. */
pith_status pith_i_attribute_exists(pith_i_hdf5 *f, int64_t at, const char *name, bool *found);
pith_status pith_i_attribute_text(pith_i_hdf5 *f, int64_t at, const char *name, char *text, size_t size,
                                  bool *found);
pith_status pith_i_attribute_integers(pith_i_hdf5 *f, int64_t at, const char *name, int count, int64_t *out,
                                      bool *found);

/* ---- Datasets ------------------------------------------------------------------------------------ */

/* A dataset that is open, and what it claims. */
typedef struct pith_i_dataset {
    int64_t id;
    const char *name;       /* as it was asked for */
    pith_i_element element; /* as stored, in our byte order; kind 0: no number */
    bool is_text, is_reference, is_compound, is_categorical;
    int rank;
    int64_t dims[2]; /* the first two; 1 where there are none */
    int64_t count;   /* of all elements */
    int64_t bytes;   /* of one, as stored */
    int64_t chunk;   /* lines (of the first dimension) in a chunk; 0: not in chunks */
} pith_i_dataset;

/* Opens and describes. Close with pith_i_dataset_close, also after a failure; the name is not copied. */
pith_status pith_i_dataset_open(pith_i_hdf5 *f, int64_t at, const char *path, pith_i_dataset *out);
/* The same of the dataset that an attribute refers to. */
pith_status pith_i_dataset_follow(pith_i_hdf5 *f, int64_t at, const char *attribute, pith_i_dataset *out);
/* Can the storage hold what is claimed? To be asked before memory is taken for it. */
pith_status pith_i_dataset_check(pith_i_hdf5 *f, const pith_i_dataset *d);
void pith_i_dataset_close(pith_i_hdf5 *f, pith_i_dataset *d);

/* All elements as numbers of a type; the caller has checked. */
pith_status pith_i_dataset_read(pith_i_hdf5 *f, const pith_i_dataset *d, pith_i_hdf5_type type, void *out);
/* Checked, then read: a matrix of 2 dimensions; `transposed`: the file's rows are our columns. Float stays
 * float.
 */
pith_status pith_i_dataset_matrix(pith_i_hdf5 *f, const pith_i_dataset *d, bool transposed, pith_dtype dtype,
                                  pith_i_data *out);
/* Likewise: the texts of a dataset; of one member if it is compound. */
pith_status pith_i_dataset_texts(pith_i_hdf5 *f, const pith_i_dataset *d, const char *member,
                                 pith_i_names *out);
/* Likewise: what MATLAB's references lead to, each as its 32-bit characters. */
typedef pith_status pith_i_cell_fn(void *user, const uint32_t *units, int64_t count);
pith_status pith_i_dataset_cells(pith_i_hdf5 *f, const pith_i_dataset *d, pith_i_cell_fn *take, void *user);
/* Likewise: a sparse matrix from the datasets data, indices and indptr (MATLAB: data, ir and jc) of a group.
 */
pith_status pith_i_hdf5_sparse(pith_i_hdf5 *f, const char *group, const char *const arrays[3],
                               bool by_columns, int64_t n, int64_t p, pith_i_data *out);

#endif
