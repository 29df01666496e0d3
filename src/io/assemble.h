/* Sparse matrices as files hold them, made into checked CSR: columns in range, ascending, each once. */
#ifndef PITH_IO_ASSEMBLE_H
#define PITH_IO_ASSEMBLE_H

#include "io/elements.h"

/* A compressed matrix, CSR or CSC, as a file claims it. `where` begins every error: path and variable. */
typedef struct pith_i_sparse {
    const char *where;
    int64_t n, p; /* of the matrix itself */
    bool by_columns;
    int64_t pointers, entries;
    pith_dtype dtype;
} pith_i_sparse;

/*
 * First the claims are checked and room is made in X for so many entries, with rows and columns changed
 * places for CSC. The reader fills pointers, indices and values, trusting nothing. Then the arrays are
 * checked, entries of a row sorted and those of one column added in the order of the file, and CSC is turned;
 * what it was stays with it as its transpose, which pith_matrix_read drops unless it is asked for. finish
 * frees X on every way out.
 */
pith_status pith_i_sparse_check(pith_ctx *ctx, const pith_i_sparse *s);
pith_status pith_i_sparse_new(pith_ctx *ctx, const pith_i_sparse *s, int64_t entries, pith_i_data *X);
pith_status pith_i_sparse_finish(pith_ctx *ctx, const pith_i_sparse *s, pith_i_data *X, pith_i_data *out);

typedef struct pith_i_coordinates {
    const char *where;
    int64_t n, p, entries;
    pith_i_element row_type, col_type, value_type;
    const void *rows, *cols, *values;
} pith_i_coordinates;
pith_status pith_i_assemble_coordinates(pith_ctx *ctx, const pith_i_coordinates *from, pith_i_data *out);

/*
 * Empty rows and columns take memory that no byte of the file accounts for, so a shape with far more of them
 * than entries is refused; so is one with more columns than an int32 numbers.
 */
pith_status pith_i_check_sparse_shape(pith_ctx *ctx, const char *where, int64_t n, int64_t p,
                                      int64_t entries);

#endif
