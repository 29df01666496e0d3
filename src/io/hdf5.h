/*
 * HDF5, as far as .h5ad and MATLAB 7.3 need it. The library keeps global state and prints its own errors; all
 * use of it is between enter and leave, one thread at a time, and silent. Nothing that a file claims is
 * believed: memory is taken only for what its storage can hold.
 */
#ifndef PITH_IO_HDF5_H
#define PITH_IO_HDF5_H

#include "io/elements.h"
#include "io/hdf5_check.h"
#include "io/io.h"
#include "matrix/matrix.h"

#include <hdf5.h>

typedef struct pith_i_hdf5_guard {
    H5E_auto2_t print;
    void *user;
} pith_i_hdf5_guard;
void pith_i_hdf5_enter(pith_i_hdf5_guard *guard);
void pith_i_hdf5_leave(const pith_i_hdf5_guard *guard);

bool pith_i_hdf5_is(const pith_i_bytes *bytes); /* by its signature, at the start or behind a heading */

typedef struct pith_i_hdf5 {
    pith_ctx *ctx;
    const char *path;
    int64_t size; /* of the file */
    hid_t file;
    pith_i_addresses objects; /* that have been checked, if walked */
    bool walked;
} pith_i_hdf5;
/* Checks the structure first; what it keeps of that is in scratch. */
pith_status pith_i_hdf5_open(pith_ctx *ctx, const char *path, const pith_i_bytes *bytes, pith_i_hdf5 *out);
/* The object that a reference leads to; negative: to none that can be trusted. */
hid_t pith_i_hdf5_follow(const pith_i_hdf5 *f, hobj_ref_t ref);
void pith_i_hdf5_close(pith_i_hdf5 *f);

/* A dataset that is open, and what it claims. */
typedef struct pith_i_dataset {
    hid_t id;
    const char *name;       /* as it was asked for */
    pith_i_element element; /* as stored, in our byte order; kind 0: no number */
    bool is_text, is_reference, is_compound;
    int rank;
    int64_t dims[2]; /* the first two; 1 where there are none */
    int64_t count;   /* of all elements */
    int64_t bytes;   /* of one, as stored */
} pith_i_dataset;

/* Does this path lead to an object? Every step is looked at, as HDF5 wants it. */
bool pith_i_hdf5_has(hid_t at, const char *path);
bool pith_i_hdf5_is_group(hid_t at, const char *path);
/* Opens and describes. Close with pith_i_dataset_close, also after a failure; the name is not copied. */
pith_status pith_i_dataset_open(const pith_i_hdf5 *f, hid_t at, const char *path, pith_i_dataset *out);
/* The same of an object that is open already and is closed with it. */
pith_status pith_i_dataset_adopt(const pith_i_hdf5 *f, hid_t id, const char *name, pith_i_dataset *out);
/* Can the storage hold what is claimed? To be asked before memory is taken for it. */
pith_status pith_i_dataset_check(const pith_i_hdf5 *f, const pith_i_dataset *d);
void pith_i_dataset_close(pith_i_dataset *d);

/* All elements, as numbers of our types; the caller has checked. */
pith_status pith_i_dataset_read(const pith_i_hdf5 *f, const pith_i_dataset *d, hid_t type, void *out);
/* Checked, then read: a matrix of 2 dimensions; `turned`: the file's rows are our columns. Float stays float.
 */
pith_status pith_i_dataset_matrix(const pith_i_hdf5 *f, const pith_i_dataset *d, bool turned,
                                  pith_dtype dtype, pith_i_data *out);
/* Likewise: the texts of a dataset; of one member if it is compound. */
pith_status pith_i_dataset_texts(const pith_i_hdf5 *f, const pith_i_dataset *d, const char *member,
                                 pith_i_names *out);
/* Likewise: a sparse matrix from the datasets data, indices and indptr (MATLAB: data, ir and jc) of a group.
 */
pith_status pith_i_hdf5_sparse(const pith_i_hdf5 *f, hid_t at, const char *group, const char *const parts[3],
                               bool by_columns, int64_t n, int64_t p, pith_i_data *out);

/* Attributes: false where there is none of this kind. Text is cut to fit. */
bool pith_i_attribute_text(hid_t at, const char *name, char *text, size_t size);
bool pith_i_attribute_integers(hid_t at, const char *name, int count, int64_t *out);

#endif
