#include "graph/local_pieces.h"

#include "core/engine.h"
#include "matrix/halo.h"

enum { LEAST = 1024 }; /* entries of a piece that are never too many */

/* Where the piece that begins with list lo ends. */
static int64_t end_of_piece(const pith_i_row_lists *lists, int64_t lo, int64_t most)
{
    int64_t hi = lo;
    while (hi < lists->n && (hi == lo || lists->start[hi + 1] - lists->start[lo] <= most))
        hi++;
    return hi;
}

/* The pieces of the process that has the most. */
static pith_status count_pieces(pith_ctx *ctx, const pith_i_row_lists *lists, int64_t most, int64_t *out)
{
    double count = 0;
    pith_status st = PITH_OK;
    for (int64_t lo = 0; lo < lists->n; lo = end_of_piece(lists, lo, most))
        count++;
    TRY(pith_i_sum_by(ctx, PITH_ENGINE_MOST, 1, &count));
    *out = (int64_t)count;
done:
    return st;
}

static pith_status do_piece(pith_ctx *ctx, const pith_i_data *X, const pith_i_row_lists *lists, int64_t lo,
                            int64_t hi, pith_i_piece_fn *work, void *self)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t count = lists->start[hi] - lists->start[lo], *id = lists->id + lists->start[lo];
    pith_i_piece piece = {.lo = lo, .hi = hi};
    pith_i_halo fetch = {0};
    int64_t *place = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, place, count));
    TRY(pith_i_fetch_new(ctx, X->n, X->offset, count, id, &fetch));
    TRY(pith_i_fetch_rows(ctx, &fetch, X, &piece.X));
    for (int64_t e = 0; e < count; e++)
        place[e] = pith_i_halo_place(&fetch, id[e]);
    piece.place = place;
    TRY(work(ctx, self, &piece));
done:
    pith_i_data_free(&piece.X);
    pith_i_halo_free(&fetch);
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_in_pieces(pith_ctx *ctx, const pith_i_data *X, const pith_i_row_lists *lists,
                             pith_i_piece_fn *work, void *self)
{
    const int64_t most = pith_i_max(LEAST, pith_i_all(X) / pith_i_processes(ctx));
    int64_t pieces = 0, lo = 0;
    pith_status st = PITH_OK;
    TRY(count_pieces(ctx, lists, most, &pieces));
    for (int64_t piece = 0; piece < pieces; piece++) {
        const int64_t hi = end_of_piece(lists, lo, most);
        TRY(do_piece(ctx, X, lists, lo, hi, work, self));
        lo = hi;
    }
done:
    return st;
}
