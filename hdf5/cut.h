/* Parts of an AnnData file, copied to the output: see cut.c. */
#ifndef PITH_HDF5_CUT_H
#define PITH_HDF5_CUT_H

#include "objects.h"

/*
 * What a copy is about: where from, where to, and which lines of the two dimensions stay. An axis that is
 * NULL is none of the matrix's: all of it stays, whatever its size.
 */
typedef struct cutting {
    const session *s;
    const axis *lines, *columns;
    reply *r;
} cutting;

void release(hid_t id); /* of any kind; negative: none */
bool stays_whole(const axis *a);
int64_t kept_of(const axis *a, int64_t size); /* how many of `size` stay */
/* The problem is the input or memory, unless one is known already. */
void note_failure(reply *r);

/* All attributes but `except` (which may be NULL), from one object to another. */
bool copy_attributes(hid_t from, hid_t to, const char *except, reply *r);
/* A group like another, with its attributes but `except`. Negative: it failed. */
hid_t copy_group(hid_t from, hid_t at, const char *name, const char *except, reply *r);
/* The object as it is: chunks, filters, attributes, and whatever is below it. */
bool copy_object(hid_t at, const char *name, hid_t to, const char *as, reply *r);
/* Does the array have the axes' sizes, and values that mean the same in another file? */
bool array_fits(const cutting *c, hid_t id);
bool cut_array(const cutting *c, hid_t from, hid_t to, const char *name);
/* A dataset of the same type and packing, with other dimensions. Negative: it failed. */
hid_t array_like(hid_t from, hid_t at, const char *name, const hsize_t *dims, reply *r);
/* From the memory at `values`, in elements of `type`. */
bool write_range(hid_t id, int64_t first, int64_t count, hid_t type, const void *values, reply *r);

/* A group of data, indices and indptr; by_columns: CSC. */
bool sparse_fits(const cutting *c, hid_t group, bool *by_columns);
bool cut_sparse(const cutting *c, hid_t group, bool by_columns, hid_t to, const char *name);

#endif
