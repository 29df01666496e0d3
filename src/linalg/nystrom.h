/*
 * A low-rank sketch of a symmetric positive semidefinite map A, and from it a preconditioner of A + ridge I
 * (Frangella, Tropp & Udell, Randomized Nystrom preconditioning, 2023).
 *
 *     A ~ Y (O'Y)^-1 Y' = U diag(value) U',   Y = A O,  O (n x width) orthonormal
 *
 * O is random at first; afterwards it is the U of the last sketch, which costs nothing and makes the sketch
 * the more accurate the less A has changed since. Only those columns of U are kept whose value matters beside
 * the ridge, being above a hundredth of it, and SPARE more, as long as the least value of the sketch is below
 * that.
 */
#ifndef PITH_LINALG_NYSTROM_H
#define PITH_LINALG_NYSTROM_H

#include "linalg/cg.h"

typedef struct pith_i_nystrom {
    int64_t n, room; /* rows of U, and the columns that it has room for, */
    int64_t width;   /* those in use, */
    int64_t rank;    /* those of the last sketch: values above 1e-10 of the largest */
    double *U;       /* n x width, row-major: `rank` orthonormal columns */
    double *value;   /* room, descending */
    double ridge;
    int64_t looks;       /* sketches so far: each draws other random columns */
    int64_t offset, all; /* of the map's rows, if they are spread over processes */
} pith_i_nystrom;

/* From scratch; 1 <= room <= n, or the rows of all processes. */
pith_status pith_i_nystrom_open(pith_ctx *ctx, int64_t n, int64_t room, pith_i_nystrom *out);
/* Sketches A, for a ridge above 0, by at most 2 `room` products, O(n room^2) and n room of scratch. */
pith_status pith_i_nystrom_update(pith_ctx *ctx, const pith_i_rows_map *A, double ridge, pith_i_nystrom *s);
/* The least value of the sketch: about the largest eigenvalue of A that it does not cover. 0: A is 0. */
double pith_i_nystrom_last(const pith_i_nystrom *s);
/* X + U diag((last + ridge) / (value + ridge) - 1) U'X, near (last + ridge) (A + ridge I)^-1 X. The sketch
 * must outlive the map. */
pith_i_rows_map pith_i_nystrom_preconditioner(const pith_i_nystrom *s);

#endif
