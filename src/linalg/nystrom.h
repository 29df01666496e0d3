/*
 * A low-rank sketch of a symmetric map A without negative eigenvalues, and what it is good for: a
 * preconditioner of A + ridge I (Frangella, Tropp & Udell, Randomized Nystrom preconditioning, 2023).
 *
 *     A ~ Y (O'Y)^-1 Y' = U diag(value) U',   Y = A O,  O (n x width) orthonormal
 *
 * O is random at first; afterwards it is the U of the last sketch, which costs nothing more and comes the
 * closer the less A has changed since. Of U only those columns are kept whose value matters beside the ridge,
 * above a hundredth of it, and SPARE more, as long as the least value of the sketch is below that.
 */
#ifndef PITH_LINALG_NYSTROM_H
#define PITH_LINALG_NYSTROM_H

#include "linalg/cg.h"

typedef struct pith_i_nystrom {
    int64_t n, room; /* columns that U has room for, */
    int64_t width;   /* those in use, */
    int64_t rank;    /* those of the last sketch: values above 1e-10 of the largest */
    double *U;       /* n x width, row-major: `rank` orthonormal columns */
    double *value;   /* room, descending */
    double ridge;
    int64_t looks;       /* at a map so far: every one draws other columns */
    int64_t offset, all; /* of the map's rows, where they are spread */
} pith_i_nystrom;

/* From scratch; 1 <= room <= n, or the rows of all processes. */
pith_status pith_i_nystrom_open(pith_ctx *ctx, int64_t n, int64_t room, pith_i_nystrom *out);
/* Takes up A and the ridge, above 0, by at most 2 `room` products, O(n room^2) and n room of scratch. */
pith_status pith_i_nystrom_update(pith_ctx *ctx, const pith_i_rows_map *A, double ridge, pith_i_nystrom *s);
/* The least value: about the largest eigenvalue that the preconditioner leaves. 0: A is 0. */
double pith_i_nystrom_last(const pith_i_nystrom *s);
/* X + U diag((last + ridge) / (value + ridge) - 1) U'X, near (last + ridge) (A + ridge I)^-1 X. The sketch
 * must outlive the map. */
pith_i_rows_map pith_i_nystrom_preconditioner(const pith_i_nystrom *s);

#endif
