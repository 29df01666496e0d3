/*
 * Rows of other processes that are needed here: their numbers are told once, what belongs to them is fetched
 * as often as it changes. All processes do this together. With one process nothing is ever needed.
 */
#ifndef PITH_MATRIX_HALO_H
#define PITH_MATRIX_HALO_H

#include "matrix/data.h"

typedef struct pith_i_halo {
    int64_t n, offset; /* rows held here */
    int64_t count;     /* rows needed from elsewhere, */
    int64_t *id;       /* their numbers in the whole table, ascending */
    int64_t *need_at;  /* those that process r holds: need_at[r] to before need_at[r + 1] of them */
    int64_t *give_at;  /* and what is needed elsewhere: */
    int64_t *give;     /* rows held here, counted from 0 */
} pith_i_halo;

/* The first row of every process, each of which tells its number n of them; behind them the number of all. */
pith_status pith_i_row_starts(pith_ctx *ctx, int64_t n, int64_t *start);

/* wanted: numbers of rows in the whole table, in any order, repeated or not, also of rows held here, which
 * are left out. Owned. */
pith_status pith_i_halo_new(pith_ctx *ctx, int64_t n, int64_t offset, int64_t count, const int64_t *wanted,
                            pith_i_halo *out);
void pith_i_halo_free(pith_i_halo *halo);

/* Where row `id` of the whole table is: rows held here come first, then those of the halo. */
int64_t pith_i_halo_place(const pith_i_halo *halo, int64_t id);

/* `size` bytes a row: mine has them for the rows held here, out gets them for the halo. */
pith_status pith_i_halo_bytes(pith_ctx *ctx, const pith_i_halo *halo, int64_t size, const void *mine,
                              void *out);
/* `width` numbers a row: mine has them for the rows held here, out gets them for the halo. */
pith_status pith_i_halo_numbers(pith_ctx *ctx, const pith_i_halo *halo, int64_t width, const double *mine,
                                double *out);
/* The rows held here and behind them those of the halo, owned, with the storage of X. */
pith_status pith_i_halo_rows(pith_ctx *ctx, const pith_i_halo *halo, const pith_i_data *X, pith_i_data *out);

/* A halo in which rows held here are fetched as others are: nothing but what was wanted, in ascending order.
 */
pith_status pith_i_fetch_new(pith_ctx *ctx, int64_t n, int64_t offset, int64_t count, const int64_t *wanted,
                             pith_i_halo *out);
/* Its rows, owned, with the storage of X. */
pith_status pith_i_fetch_rows(pith_ctx *ctx, const pith_i_halo *fetch, const pith_i_data *X,
                              pith_i_data *out);

#endif
