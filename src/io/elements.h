/* Arrays of numbers in files, of any type, byte order and layout, converted to float or double. */
#ifndef PITH_IO_ELEMENTS_H
#define PITH_IO_ELEMENTS_H

#include "matrix/data.h"

typedef struct pith_i_element {
    char kind; /* 'b' boolean, 'i' signed, 'u' unsigned, 'f' floating point; 0: no number */
    int size;  /* bytes: 1, 2, 4, 8; floating point 2, 4, 8 */
    bool swapped;
} pith_i_element;

bool pith_i_element_is_number(pith_i_element e);
/* Single precision stays so; everything else becomes double (integers beyond 2^53 are rounded). */
pith_dtype pith_i_element_dtype(pith_i_element e);

/* Converts count elements, which need not be aligned; from and out must not overlap. */
void pith_i_elements_convert(pith_i_element e, const void *from, int64_t count, pith_dtype dtype, void *out);
/* out[i * ld + j] = from[j * n + i] for n rows and p columns, by tiles. */
void pith_i_elements_convert_columns(pith_ctx *ctx, pith_i_element e, const void *from, int64_t n, int64_t p,
                                     pith_dtype dtype, void *out, int64_t ld);
/* Integers of any kind; false: an unsigned one does not fit, or e is no integer. */
bool pith_i_elements_int64(pith_i_element e, const void *from, int64_t count, int64_t *out);
/* The same as 32-bit numbers; one that does not fit becomes -1. False: e is not an integer. */
bool pith_i_elements_int32(pith_i_element e, const void *from, int64_t count, int32_t *out);

#endif
