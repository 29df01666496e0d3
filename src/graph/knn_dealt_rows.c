/* Exact distances where rows are spread over processes: the candidates' rows are fetched, piece by piece. */
#include "core/engine.h"
#include "core/parallel.h"
#include "graph/knn_dealt_inside.h"
#include "graph/knn_find.h"

#include <math.h>
#include <string.h>

enum { PIECE_BYTES = 1 << 27, PIECE_MOST = 4096, PIECE_LEAST = 16 }; /* of rows fetched; lists in a piece */

/* ---- Pieces ------------------------------------------------------------------------------------------- */

/* Some lists, with the rows that they name. Rows are numbered by their places in T. */
typedef struct piece {
    int64_t count;
    pith_i_halo rows; /* the numbers of T's rows */
    pith_i_data T;
    pith_i_rows R;
    int64_t *place;       /* of the row of every list */
    pith_i_cloud P;       /* row: itself; point: the list of a row */
    pith_i_found F;       /* the lists */
    int64_t zeros, *zero; /* places of the first zero rows */
} piece;

static int64_t list_of(const pith_i_dealt_lists *lists, int64_t e)
{
    return lists->list != NULL ? lists->list[e] : e;
}

static int64_t point_of(const pith_i_dealt_lists *lists, int64_t e)
{
    return lists->point != NULL ? lists->point[e] : e;
}

/* Rows of the candidates of a piece, in the order of the lists: numbers of points become those of rows. */
static pith_status name_rows(pith_ctx *ctx, const pith_i_dealt *D, const pith_i_dealt_lists *lists,
                             int64_t from, int64_t count, int64_t **rows, int64_t *many)
{
    const pith_i_found *F = lists->F;
    pith_i_halo points = {0};
    int32_t *row = NULL;
    pith_status st = PITH_OK;
    *many = 0;
    TRY(SCRATCH(ctx, *rows, count * F->m));
    for (int64_t e = from; e < from + count; e++)
        for (int64_t c = 0; c < F->count[list_of(lists, e)]; c++)
            (*rows)[(*many)++] = F->list[list_of(lists, e) * F->m + c].point;
    TRY(pith_i_fetch_new(ctx, D->P.n, D->start[D->rank], *many, *rows, &points));
    TRY(SCRATCH(ctx, row, points.count));
    TRY(pith_i_halo_bytes(ctx, &points, sizeof *row, D->P.row, row));
    for (int64_t e = 0; e < *many; e++)
        (*rows)[e] = row[pith_i_halo_place(&points, (*rows)[e])];
done:
    pith_i_halo_free(&points);
    return st;
}

/* The rows of the lists, of their candidates, and the first zero rows, which are candidates of all. */
static pith_status fetch_rows(pith_ctx *ctx, const pith_i_dealt *D, const pith_i_dealt_lists *lists,
                              int64_t from, const pith_i_dealt_zeros *zeros, int64_t many,
                              const int64_t *rows, piece *p)
{
    int64_t *wanted = NULL, at = many;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, wanted, many + p->count + zeros->count));
    if (many > 0)
        memcpy(wanted, rows, (size_t)many * sizeof *wanted);
    for (int64_t e = from; e < from + p->count; e++)
        wanted[at++] = D->P.row[point_of(lists, e)];
    for (int64_t e = 0; e < zeros->count; e++)
        wanted[at++] = zeros->row[e];
    TRY(pith_i_fetch_new(ctx, D->R->X.n, D->R->X.offset, at, wanted, &p->rows));
    TRY(pith_i_fetch_rows(ctx, &p->rows, &D->R->X, &p->T));
    TRY(pith_i_rows_open_like(ctx, &p->T, D->R, &p->R));
done:
    return st;
}

/* The lists again, with places in T for points. */
static pith_status copy_lists(pith_ctx *ctx, const pith_i_dealt *D, const pith_i_dealt_lists *lists,
                              int64_t from, const pith_i_dealt_zeros *zeros, const int64_t *rows, piece *p)
{
    const int64_t n = p->T.n, m = lists->F->m;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, p->place, p->count));
    TRY(SCRATCH(ctx, p->zero, zeros->count));
    TRY(SCRATCH(ctx, p->P.row, n));
    TRY(SCRATCH_ZERO(ctx, p->P.point, n));
    TRY(pith_i_found_open(ctx, p->count, m, &p->F));
    p->P.n = n;
    for (int64_t i = 0; i < n; i++)
        p->P.row[i] = (int32_t)i;
    for (int64_t e = 0, at = 0; e < p->count; e++) {
        const int64_t list = list_of(lists, from + e);
        p->place[e] = pith_i_halo_place(&p->rows, D->P.row[point_of(lists, from + e)]);
        p->P.point[p->place[e]] = (int32_t)e;
        p->F.count[e] = lists->F->count[list];
        for (int32_t c = 0; c < p->F.count[e]; c++)
            p->F.list[e * m + c] = (pith_i_candidate){lists->F->list[list * m + c].value,
                                                      (int32_t)pith_i_halo_place(&p->rows, rows[at++])};
    }
    p->zeros = zeros->count;
    for (int64_t e = 0; e < zeros->count; e++)
        p->zero[e] = pith_i_halo_place(&p->rows, zeros->row[e]);
done:
    return st;
}

static void close_piece(piece *p)
{
    pith_i_rows_close(&p->R);
    pith_i_data_free(&p->T);
    pith_i_halo_free(&p->rows);
    pith_i_found_close(&p->F);
}

static pith_status open_piece(pith_ctx *ctx, const pith_i_dealt *D, const pith_i_dealt_lists *lists,
                              int64_t from, int64_t count, const pith_i_dealt_zeros *zeros, piece *out)
{
    piece p = {.count = count};
    int64_t *rows = NULL, many = 0;
    pith_status st = PITH_OK;
    TRY(name_rows(ctx, D, lists, from, count, &rows, &many));
    TRY(fetch_rows(ctx, D, lists, from, zeros, many, rows, &p));
    TRY(copy_lists(ctx, D, lists, from, zeros, rows, &p));
    *out = p;
    return PITH_OK;
done:
    close_piece(&p);
    return st;
}

int64_t pith_i_dealt_piece(const pith_i_dealt *D, int64_t m)
{
    const pith_i_data *X = &D->R->X;
    const int64_t value = (int64_t)pith_i_dtype_size(X->dtype);
    const int64_t row =
        X->sparse ? (X->n > 0 ? pith_i_stored(X) / X->n : 0) * (value + 4) + 64 : X->p * value + 64;
    const int64_t fit = PIECE_BYTES / (row * (m + 1));
    return fit < PIECE_LEAST ? PIECE_LEAST : fit > PIECE_MOST ? PIECE_MOST : fit;
}

typedef pith_status piece_fn(pith_ctx *ctx, const pith_i_dealt *D, const piece *p, int64_t from, void *arg);

/* All pieces, in step with the other processes. */
static pith_status by_pieces(pith_ctx *ctx, const pith_i_dealt *D, const pith_i_dealt_lists *lists,
                             const pith_i_dealt_zeros *zeros, piece_fn *work, void *arg)
{
    const int64_t each = pith_i_dealt_piece(D, lists->F->m);
    int64_t steps = 0;
    pith_status st = PITH_OK;
    TRY(pith_i_dealt_steps(ctx, lists->count, each, &steps));
    for (int64_t b = 0; b < steps; b++) {
        const size_t mark = pith_i_scratch_mark(ctx);
        const int64_t from = pith_i_min(lists->count, b * each);
        piece p = {0};
        TRY(pith_i_progress(ctx, b, steps));
        TRY(open_piece(ctx, D, lists, from, pith_i_min(each, lists->count - from), zeros, &p));
        st = work(ctx, D, &p, from, arg);
        close_piece(&p);
        pith_i_scratch_release(ctx, mark);
        if (st != PITH_OK)
            goto done;
    }
done:
    return st;
}

/* ---- The nearest of the candidates --------------------------------------------------------------------- */

pith_status pith_i_dealt_first_zeros(pith_ctx *ctx, const pith_i_dealt *D, int64_t k, pith_i_dealt_zeros *out)
{
    int64_t *own = NULL, *before = NULL, first = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, out->row, k));
    TRY(SCRATCH(ctx, own, k));
    TRY(SCRATCH_ZERO(ctx, before, D->ranks));
    before[D->rank] = pith_i_first_zeros(D->R, k, own);
    const int64_t count = before[D->rank];
    TRY(pith_i_sum_counts(ctx, D->ranks, before));
    for (int r = 0; r < D->ranks; r++) {
        first += r < D->rank ? before[r] : 0;
        out->count += before[r];
    }
    for (int64_t e = 0; e < count && first + e < k; e++)
        out->row[first + e] = D->R->X.offset + own[e];
    TRY(pith_i_sum_counts(ctx, k, out->row));
    out->count = pith_i_min(out->count, k);
done:
    return st;
}

/* Sends each list, after the number of its row, to the process that holds the row. */
static pith_status send_lists(pith_ctx *ctx, const pith_i_dealt *D, const piece *p, const pith_i_knn *found,
                              pith_i_knn *knn)
{
    const int64_t k = knn->k, size = (k + 1) * (int64_t)sizeof(pith_i_near), offset = D->R->X.offset;
    int64_t *row = NULL, *at = NULL, *place = NULL, *came_at = NULL;
    pith_i_near *send = NULL;
    void *came = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, row, p->count));
    TRY(SCRATCH(ctx, send, p->count * (k + 1)));
    for (int64_t e = 0; e < p->count; e++)
        row[e] = p->rows.id[p->place[e]];
    TRY(pith_i_dealt_sort(ctx, D, D->row_start, p->count, row, &at, &place));
    for (int64_t e = 0; e < p->count; e++) {
        const int64_t first = p->place[e] * k;
        pith_i_near *to = send + place[e] * (k + 1);
        to[0] = (pith_i_near){0, row[e]};
        for (int64_t c = 0; c < k; c++) {
            const int64_t l = found->index[first + c];
            to[1 + c] = (pith_i_near){found->distance2[first + c], l < 0 || l >= p->T.n ? -1 : p->rows.id[l]};
        }
    }
    for (int r = 0; r <= D->ranks; r++)
        at[r] *= size;
    TRY(pith_i_exchange(ctx, at, send, &came_at, &came));
    for (int64_t e = 0; e < came_at[D->ranks] / size; e++) {
        const pith_i_near *list = (const pith_i_near *)came + e * (k + 1);
        const int64_t i = list[0].id - offset;
        pith_i_knn_write(knn, i, list + 1, k);
        if (pith_i_row_is_zero(D->R, i))
            pith_i_knn_write_zero(knn, i, list[0].id);
    }
done:
    return st;
}

static pith_status settle_piece(pith_ctx *ctx, const pith_i_dealt *D, const piece *p, int64_t from, void *arg)
{
    pith_i_knn *knn = arg, found = {.n = p->T.n, .k = knn->k};
    pith_i_screen screen = {0};
    pith_status st = PITH_OK;
    (void)from;
    TRY(SCRATCH(ctx, found.index, found.n * found.k));
    TRY(SCRATCH(ctx, found.distance2, found.n * found.k));
    if (p->T.sparse)
        TRY(pith_i_screen_make(ctx, &p->R, &screen));
    const pith_i_settling s = {&p->R, &p->P, &p->F, &screen, false, p->zero, p->zeros, &found};
    TRY(pith_i_settle(ctx, &s, p->count, p->place));
    TRY(send_lists(ctx, D, p, &found, knn));
done:
    return st;
}

pith_status pith_i_dealt_settle(pith_ctx *ctx, const pith_i_dealt *D, const pith_i_dealt_lists *lists,
                                const pith_i_dealt_zeros *zeros, pith_i_knn *knn)
{
    return by_pieces(ctx, D, lists, zeros, settle_piece, knn);
}

/* ---- Distances of all candidates ----------------------------------------------------------------------- */

static pith_status measure_piece(pith_ctx *ctx, const pith_i_dealt *D, const piece *p, int64_t from,
                                 void *arg)
{
    const int64_t m = p->F.m, threads = pith_ctx_threads(ctx), width = p->T.sparse ? p->T.p : 0;
    double *distance2 = (double *)arg + from * m, *spread = NULL;
    pith_status st = PITH_OK;
    (void)D;
    TRY(SCRATCH_ZERO(ctx, spread, threads * width));
#pragma omp parallel for num_threads((int)threads) schedule(dynamic, 16)
    for (int64_t e = 0; e < p->count; e++) {
        pith_i_probe probe;
        pith_i_probe_start(&probe, &p->R, p->place[e], width > 0 ? spread + pith_i_thread() * width : NULL);
        for (int64_t c = 0; c < m; c++)
            distance2[e * m + c] = c < p->F.count[e]
                                       ? pith_i_probe_distance2(&probe, p->F.list[e * m + c].point)
                                       : (double)INFINITY;
        pith_i_probe_end(&probe);
    }
done:
    return st;
}

pith_status pith_i_dealt_distances(pith_ctx *ctx, const pith_i_dealt *D, const pith_i_dealt_lists *lists,
                                   double *distance2)
{
    static const pith_i_dealt_zeros none = {0};
    return by_pieces(ctx, D, lists, &none, measure_piece, distance2);
}

/* ---- The exact neighbours of a few rows ---------------------------------------------------------------- */

/* Their k nearest among the rows held here, by number in the whole table. */
static pith_status search_own(pith_ctx *ctx, const pith_i_dealt *D, const pith_i_dealt_few *few,
                              pith_i_near *out)
{
    const pith_i_data *X = &D->R->X;
    const int64_t k = few->knn->k;
    const pith_i_among own = {.count = X->n, .all = X->n};
    pith_i_halo h = {0};
    pith_i_data with = {0};
    pith_i_rows R = {0};
    pith_i_knn found = {.k = k};
    int64_t *place = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, place, few->count));
    TRY(pith_i_halo_new(ctx, X->n, X->offset, few->count, few->row, &h));
    TRY(pith_i_halo_rows(ctx, &h, X, &with));
    TRY(pith_i_rows_open(ctx, &with, D->R->metric, &R));
    found.n = with.n;
    TRY(SCRATCH(ctx, found.index, found.n * k));
    TRY(SCRATCH(ctx, found.distance2, found.n * k));
    for (int64_t e = 0; e < few->count; e++) {
        place[e] = pith_i_halo_place(&h, few->row[e]);
        pith_i_knn_write(&found, place[e], NULL, 0);
        found.distance2[place[e] * k + k - 1] = few->limit[e];
        found.index[place[e] * k + k - 1] = INT64_MAX; /* rows exactly at the limit are searched for, too */
    }
    TRY(R.X.sparse ? pith_i_knn_sparse_redo(ctx, &R, few->count, place, &own, &found)
                   : pith_i_knn_dense_redo(ctx, &R, few->count, place, &own, &found));
    for (int64_t e = 0; e < few->count * k; e++) {
        const int64_t at = place[e / k] * k + e % k, l = found.index[at];
        out[e] = (pith_i_near){found.distance2[at], l < 0 ? -1 : X->offset + l};
    }
done:
    pith_i_rows_close(&R);
    pith_i_data_free(&with);
    pith_i_halo_free(&h);
    return st;
}

/* Process r joins the lists of rows r, r + ranks, ...: it receives what the others found for these. */
static pith_status trade_lists(pith_ctx *ctx, const pith_i_dealt *D, int64_t count, int64_t k,
                               const pith_i_near *near, pith_i_near **came)
{
    const int64_t each = k * (int64_t)sizeof *near, mine = (count + D->ranks - 1 - D->rank) / D->ranks;
    int64_t *send_at = NULL, *receive_at = NULL;
    pith_i_near *send = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, send_at, D->ranks + 1));
    TRY(SCRATCH(ctx, receive_at, D->ranks + 1));
    TRY(SCRATCH(ctx, send, count * k));
    TRY(SCRATCH(ctx, *came, D->ranks * mine * k));
    for (int64_t r = 0, at = 0; r <= D->ranks; r++) {
        send_at[r] = at * each;
        receive_at[r] = r * mine * each;
        for (int64_t e = r; r < D->ranks && e < count; e += D->ranks)
            memcpy(send + at++ * k, near + e * k, (size_t)each);
    }
    TRY(pith_i_exchange_into(ctx, send_at, send, receive_at, *came));
done:
    return st;
}

/* The nearest of what all processes found, in every process. */
static pith_status join_lists(pith_ctx *ctx, const pith_i_dealt *D, const pith_i_dealt_few *few,
                              const pith_i_near *near)
{
    const int64_t k = few->knn->k, all = few->count * k,
                  mine = (few->count + D->ranks - 1 - D->rank) / D->ranks;
    pith_i_near *came = NULL, *best = NULL;
    pith_status st = PITH_OK;
    TRY(trade_lists(ctx, D, few->count, k, near, &came));
    TRY(SCRATCH(ctx, best, k));
    memset(few->knn->index, 0, (size_t)all * sizeof *few->knn->index);
    memset(few->knn->distance2, 0, (size_t)all * sizeof *few->knn->distance2);
    for (int64_t q = 0; q < mine; q++) {
        int64_t count = 0;
        for (int r = 0; r < D->ranks; r++)
            for (int64_t c = 0; c < k; c++) {
                const pith_i_near x = came[(r * mine + q) * k + c];
                if (x.id >= 0)
                    pith_i_top_push(best, &count, k, x);
            }
        pith_i_top_sort(best, count);
        pith_i_knn_write(few->knn, q * D->ranks + D->rank, best, count);
    }
    TRY(pith_i_sum_counts(ctx, all, few->knn->index));
    TRY(pith_i_sum(ctx, all, few->knn->distance2));
done:
    return st;
}

pith_status pith_i_dealt_exact(pith_ctx *ctx, const pith_i_dealt *D, const pith_i_dealt_few *few)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_near *near = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, near, few->count * few->knn->k));
    TRY(search_own(ctx, D, few, near));
    TRY(join_lists(ctx, D, few, near));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
