/*
 * Rows that are spread over processes, and lists of such rows: every process works through its lists piece by
 * piece, and holds the rows of one piece at a time, whichever process they are from.
 */
#ifndef PITH_GRAPH_LOCAL_PIECES_H
#define PITH_GRAPH_LOCAL_PIECES_H

#include "matrix/data.h"

typedef struct pith_i_row_lists {
    int64_t n;
    const int64_t *start; /* n + 1: list i has entries start[i] to before start[i + 1] of */
    const int64_t *id;    /* rows, by their numbers in the whole table */
} pith_i_row_lists;

typedef struct pith_i_piece {
    int64_t lo, hi;       /* lists lo to before hi; none where this process is done before the others */
    pith_i_data X;        /* every row of these lists once, */
    const int64_t *place; /* and where it is, for the entries from start[lo] on */
} pith_i_piece;

typedef pith_status pith_i_piece_fn(pith_ctx *ctx, void *self, const pith_i_piece *piece);

/*
 * Calls `work` for one piece after the other. All processes do this together, each with lists of its own; all
 * have the same number of pieces. A piece has at most as many entries as a process has rows on average, and
 * 1,024 in any case, or one longer list.
 */
pith_status pith_i_in_pieces(pith_ctx *ctx, const pith_i_data *X, const pith_i_row_lists *lists,
                             pith_i_piece_fn *work, void *self);

#endif
