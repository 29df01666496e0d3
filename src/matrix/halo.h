/*
 * Rows of other processes that are needed here. Their numbers are exchanged once, their values as often as
 * they change. All processes call these functions together. With one process the halo is empty.
 */
#ifndef PITH_MATRIX_HALO_H
#define PITH_MATRIX_HALO_H

#include "matrix/data.h"

typedef struct pith_i_halo {
    int64_t n, offset; /* rows held here */
    int64_t count;     /* rows needed from other processes, */
    int64_t *id;       /* their numbers in the whole table, ascending */
    int64_t *guide;    /* places in id: those of (id - id[0]) >> shift == b begin at guide[b] */
    int shift;
    int64_t *need_at; /* process r holds id[need_at[r]] to before id[need_at[r + 1]], */
    int64_t *give_at; /* and needs give[give_at[r]] to before give[give_at[r + 1]]: */
    int64_t *give;    /* rows held here, counted from 0 */
} pith_i_halo;

/* The first row of every process, from the number n of rows that each holds, and at the end that of all rows.
 */
pith_status pith_i_row_starts(pith_ctx *ctx, int64_t n, int64_t *start);

/* wanted: numbers of rows in the whole table, in any order, repeated or not. Rows held here are left out.
 * Owned. */
pith_status pith_i_halo_new(pith_ctx *ctx, int64_t n, int64_t offset, int64_t count, const int64_t *wanted,
                            pith_i_halo *out);
void pith_i_halo_free(pith_i_halo *halo);

/* The index of row `id` of the whole table, held here or in the halo, if rows held here come first. */
int64_t pith_i_halo_place(const pith_i_halo *halo, int64_t id);

/* `size` bytes per row: mine has them for the rows held here, out gets them for the halo. */
pith_status pith_i_halo_bytes(pith_ctx *ctx, const pith_i_halo *halo, int64_t size, const void *mine,
                              void *out);
/* The same for `width` numbers per row. */
pith_status pith_i_halo_numbers(pith_ctx *ctx, const pith_i_halo *halo, int64_t width, const double *mine,
                                double *out);
/* The rows held here and after them those of the halo, owned, with the storage of X. */
pith_status pith_i_halo_rows(pith_ctx *ctx, const pith_i_halo *halo, const pith_i_data *X, pith_i_data *out);

/* A halo of all wanted rows, those held here included, in ascending order: no other row has a place in it. */
pith_status pith_i_fetch_new(pith_ctx *ctx, int64_t n, int64_t offset, int64_t count, const int64_t *wanted,
                             pith_i_halo *out);
/* Its rows, owned, with the storage of X. */
pith_status pith_i_fetch_rows(pith_ctx *ctx, const pith_i_halo *fetch, const pith_i_data *X,
                              pith_i_data *out);

#endif
