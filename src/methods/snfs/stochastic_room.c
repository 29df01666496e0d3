#include "methods/snfs/stochastic_room.h"

#include "core/parallel.h"
#include "matrix/blas.h"

#include <math.h>
#include <string.h>

static pith_status make_sums(pith_ctx *ctx, const pith_i_stochastic *S, pith_i_stochastic_room *room)
{
    const int64_t blocks = pith_i_stochastic_blocks(S), width = S->euclidean ? S->n : 0;
    pith_status st = PITH_OK;
    for (int64_t b = 0; b < (blocks < PITH_I_WAVE ? blocks : PITH_I_WAVE); b++) {
        TRY(SCRATCH(ctx, room->sum[b].moment, S->p));
        TRY(SCRATCH(ctx, room->sum[b].curvature, S->p));
        TRY(SCRATCH(ctx, room->sum[b].column, width));
        TRY(SCRATCH(ctx, room->sum[b].column_by_b, width));
    }
    TRY(SCRATCH(ctx, room->column, width));
    TRY(SCRATCH(ctx, room->column_by_b, width));
done:
    return st;
}

pith_status pith_i_stochastic_room_make(pith_ctx *ctx, const pith_i_stochastic *S,
                                        pith_i_stochastic_room **out)
{
    pith_i_stochastic_room *room = NULL;
    const int64_t columns = S->m < PITH_I_COLUMNS ? S->m : PITH_I_COLUMNS;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, room, 1));
    room->threads = pith_ctx_threads(ctx) < PITH_I_WAVE ? pith_ctx_threads(ctx) : PITH_I_WAVE;
    TRY(SCRATCH(ctx, room->kept, S->m));
    TRY(SCRATCH(ctx, room->root, S->m));
    TRY(SCRATCH(ctx, room->packed, S->n * S->m));
    TRY(SCRATCH(ctx, room->a, S->euclidean ? S->n : 0));
    TRY(SCRATCH(ctx, room->tile, room->threads * S->block * S->n));
    TRY(SCRATCH(ctx, room->product, room->threads * 3 * S->block * columns));
    TRY(SCRATCH(ctx, room->power, room->threads * S->n * columns));
    TRY(make_sums(ctx, S, room));
    *out = room;
done:
    return st;
}

pith_status pith_i_stochastic_room_single(pith_ctx *ctx, const pith_i_stochastic *S)
{
    pith_i_stochastic_room *room = S->room;
    const int64_t columns = S->m < PITH_I_COLUMNS ? S->m : PITH_I_COLUMNS;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, room->tile_single, room->threads * S->block * S->n));
    TRY(SCRATCH(ctx, room->product_single, room->threads * S->block * columns));
    TRY(SCRATCH(ctx, room->power_single, room->threads * S->n * columns));
done:
    return st;
}

static void pack_row(const pith_i_stochastic *S, int64_t i)
{
    const pith_i_stochastic_room *room = S->room;
    double sum = 0;
    for (int64_t c = 0; c < room->m; c++) {
        const double x = S->dense[i * S->m + room->kept[c]] * room->root[c];
        room->packed[i * room->m + c] = x;
        sum += x * x;
    }
    if (!S->euclidean)
        return;
    for (int64_t e = S->row[i]; e < S->row[i + 1]; e++)
        sum += room->w[S->row_col[e]] * S->row_value[e] * S->row_value[e];
    room->a[i] = sum;
}

void pith_i_stochastic_pack(const pith_i_stochastic *S, const double *w)
{
    pith_i_stochastic_room *room = S->room;
    room->w = w;
    room->m = 0;
    for (int64_t c = 0; c < S->m; c++)
        if (w[S->column[c]] > 0) {
            room->kept[room->m] = c;
            room->root[room->m++] = sqrt(w[S->column[c]]);
        }
#pragma omp parallel for num_threads(room->threads) schedule(static)
    for (int64_t i = 0; i < S->n; i++)
        pack_row(S, i);
}

/* s_j += sum_t w_t x_it x_jt over the second part of row i. */
static void add_second(const pith_i_stochastic *S, const double *w, int64_t i, double *s)
{
    for (int64_t e = S->row[i]; e < S->row[i + 1]; e++) {
        const int32_t t = S->row_col[e];
        const double x = w[t] * S->row_value[e];
        if (x == 0)
            continue;
        for (int64_t k = S->col[t]; k < S->col[t + 1]; k++)
            s[S->col_row[k]] += x * S->col_value[k];
    }
}

void pith_i_stochastic_tile(const pith_i_stochastic *S, int64_t first, int64_t rows, double *tile)
{
    const pith_i_stochastic_room *room = S->room;
    const int64_t n = S->n, m = room->m;
    if (m > 0)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)n, (int)m, 1,
                    room->packed + first * m, (int)m, room->packed, (int)m, 0, tile, (int)n);
    else
        memset(tile, 0, (size_t)(rows * n) * sizeof *tile);
    for (int64_t r = 0; r < rows; r++) {
        double *s = tile + r * n;
        add_second(S, room->w, first + r, s);
        for (int64_t j = 0; S->euclidean && j < n; j++)
            s[j] = 2 * s[j] - room->a[first + r] - room->a[j];
    }
}
