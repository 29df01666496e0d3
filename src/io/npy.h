/* NumPy's array format, for .npy files and for the entries of .npz archives. */
#ifndef PITH_IO_NPY_H
#define PITH_IO_NPY_H

#include "io/elements.h"
#include "io/io.h"

enum { PITH_I_NPY_RANK = 8 };

typedef struct pith_i_npy {
    pith_i_element element; /* kind 0: not a number */
    char descr[24];         /* as the file says: "<f8", "|O" */
    char text;              /* 'S' or 'U': texts of `width` characters each; else 0 */
    int64_t width;
    bool swapped;
    bool fortran;
    int rank;
    int64_t shape[PITH_I_NPY_RANK];
    int64_t count, bytes; /* elements, and the bytes that they take; checked for overflow only */
    int64_t offset;       /* where the elements begin */
} pith_i_npy;

/* The bytes before the elements, from the first 12 bytes of a file; 0: not a NumPy file. */
int64_t pith_i_npy_header_size(const char *at, int64_t size);
/* Reads the header that begins at `at`, of which size bytes are there. */
pith_status pith_i_npy_parse(pith_ctx *ctx, const char *where, const char *at, int64_t size, pith_i_npy *out);
/* Are the elements of this kind and size, in our byte order, and aligned in memory? */
bool pith_i_npy_fits(const pith_i_npy *npy, const char *elements, char kind, int size);
/* The elements of an array of rank 2 as a matrix that borrows them; false: they must be converted. */
bool pith_i_npy_borrow(const pith_i_npy *npy, const char *elements, pith_i_data *out);
/* The same as a dense matrix of its own, converted. */
pith_status pith_i_npy_dense(pith_ctx *ctx, const pith_i_npy *npy, const char *elements, pith_i_data *out);

/* Rows lo..hi-1 of X, dense and row-major, in its own dtype. */
void pith_i_npy_rows(const pith_i_data *X, int64_t lo, int64_t hi, void *out);
enum { PITH_I_NPY_HEADER = 128 };
/* A version 1.0 header for descr and a rank of 0 (rows < 0), 1 (cols < 0) or 2. */
void pith_i_npy_header(const char *descr, int64_t rows, int64_t cols, char out[PITH_I_NPY_HEADER]);

#endif
