/* Parts of an AnnData file, copied to the output: see cut.c. */
#ifndef PITH_HDF5_CUT_H
#define PITH_HDF5_CUT_H

#include "objects.h"

/*
 * What to keep of the first two dimensions of an object. An axis that is NULL is not an axis of the matrix:
 * all of it is kept, whatever its size.
 */
typedef struct cutting {
    const session *s;
    const axis *lines, *columns;
    reply *r;
} cutting;

void release(hid_t id); /* an id of any kind; negative: none */
bool stays_whole(const axis *a);
int64_t kept_of(const axis *a, int64_t size); /* how many of `size` are kept */
/* Sets r->problem to failure(), unless a problem is known already. */
void note_failure(reply *r);

/* All attributes but `except` (which may be NULL), from one object to another. */
bool copy_attributes(hid_t from, hid_t to, const char *except, reply *r);
/* A group like another, with its attributes but `except`. Negative: it failed. */
hid_t copy_group(hid_t from, hid_t at, const char *name, const char *except, reply *r);
/* Copies an object unchanged: chunks, filters, attributes, and all that is below it. */
bool copy_object(hid_t at, const char *name, hid_t to, const char *as, reply *r);
/* Does the array have the axes' sizes, and no references? */
bool array_fits(const cutting *c, hid_t id);
bool cut_array(const cutting *c, hid_t from, hid_t to, const char *name);
/* Makes a dataset of the same type, chunks and filters, with other dimensions. Negative: it failed. */
hid_t array_like(hid_t from, hid_t at, const char *name, const hsize_t *dims, reply *r);
/* Writes lines first..first+count-1 from memory, in elements of `type`. */
bool write_range(hid_t id, int64_t first, int64_t count, hid_t type, const void *values, reply *r);

/* A group of data, indices and indptr; by_columns: CSC. */
bool sparse_fits(const cutting *c, hid_t group, bool *by_columns);
bool cut_sparse(const cutting *c, hid_t group, bool by_columns, hid_t to, const char *name);

#endif
