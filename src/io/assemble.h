/* Sparse matrices as files hold them, made into checked CSR: columns in range, ascending, each once. */
#ifndef PITH_IO_ASSEMBLE_H
#define PITH_IO_ASSEMBLE_H

#include "io/elements.h"

/* A compressed matrix, CSR or CSC, as a file claims it. `where` begins every error: path and variable. */
typedef struct pith_i_sparse {
    const char *where;
    int64_t n, p; /* of the matrix, whichever way it is stored */
    bool by_columns;
    int64_t pointers, entries;
    pith_dtype dtype;
} pith_i_sparse;

/*
 * _check checks what the file claims. _new does the same and makes room in X for `entries` entries; for CSC,
 * X is the transpose. The reader then fills pointers, indices and values without checking them. _finish
 * checks these arrays, sorts each row, adds its duplicates in the order of the file, and transposes CSC; the
 * untransposed X stays attached to *out as its transpose, which pith_matrix_read drops unless it is asked
 * for. _finish always frees X.
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
 * Empty rows and columns take memory that no byte of the file accounts for, so a shape with far more rows or
 * columns than entries is refused; so is one with more rows or columns than an int32 can number.
 */
pith_status pith_i_check_sparse_shape(pith_ctx *ctx, const char *where, int64_t n, int64_t p,
                                      int64_t entries);

#endif
