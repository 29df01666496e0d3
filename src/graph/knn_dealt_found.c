/* Candidates where the points are dealt out: cells are dealt out as well, and neighbours' lists fetched. */
#include "core/engine.h"
#include "core/parallel.h"
#include "graph/knn_dealt_inside.h"

#include <stdlib.h>
#include <string.h>

enum {
    CELL_BYTES = 1 << 26, /* most bytes of points that a process is sent at a time, unless a cell has more */
    HOP_PIECE = 4096      /* points whose neighbours' neighbours are fetched together */
};

/* ---- Cells -------------------------------------------------------------------------------------------- */

typedef struct dealing {
    pith_ctx *ctx;
    const pith_i_dealt *D;
    uint64_t round;
    pith_i_found *F;
    pith_i_cells own; /* the points held here of every cell */
    int64_t *count;   /* points of every cell that each process holds, ranks x cells */
    int32_t *owner, *batch;
    int64_t batches;
} dealing;

/* One batch of cells. Points are numbered by their places among those received: from process 0 first, and
 * from each process cell by cell. */
typedef struct batch {
    int64_t *give_at, *take_at; /* points for and from every process, ranks + 1 */
    float *y;
    struct given {
        int32_t point;
        float norm, limit;
    } * head;
    float *norm, *limit;
    pith_i_cells cells;
    pith_i_found F;
} batch;

static bool is_in(const dealing *d, int64_t cell, int rank, int64_t number)
{
    return d->owner[cell] == rank && d->batch[cell] == number;
}

static int64_t held_by(const dealing *d, int rank, int64_t cell)
{
    return d->count[rank * d->own.count + cell];
}

typedef struct weighed {
    double size;
    int32_t cell;
} weighed;

static int by_size(const void *x, const void *y)
{
    const weighed *a = x, *b = y;
    return a->size != b->size ? (a->size > b->size ? -1 : 1) : (a->cell > b->cell) - (a->cell < b->cell);
}

/* The largest cell first, each to the process that has the least to do. */
static pith_status deal_cells(dealing *d)
{
    const size_t mark = pith_i_scratch_mark(d->ctx);
    const int64_t cells = d->own.count;
    weighed *all = NULL;
    double *load = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(d->ctx, all, cells));
    TRY(SCRATCH_ZERO(d->ctx, load, d->D->ranks));
    for (int64_t c = 0; c < cells; c++) {
        all[c] = (weighed){0, (int32_t)c};
        for (int r = 0; r < d->D->ranks; r++)
            all[c].size += (double)held_by(d, r, c);
    }
    qsort(all, (size_t)cells, sizeof *all, by_size);
    for (int64_t c = 0; c < cells; c++) {
        int least = 0;
        for (int r = 1; r < d->D->ranks; r++)
            least = load[r] < load[least] ? r : least;
        d->owner[all[c].cell] = least;
        load[least] += all[c].size * (all[c].size < PITH_I_LEAF ? all[c].size : PITH_I_LEAF);
    }
done:
    pith_i_scratch_release(d->ctx, mark);
    return st;
}

/* What a process is sent at a time is bounded: its cells come in batches. */
static pith_status make_batches(dealing *d)
{
    const size_t mark = pith_i_scratch_mark(d->ctx);
    const int64_t each =
                      d->D->P.ld * (int64_t)sizeof(float) + (d->F->m + 2) * (int64_t)sizeof(pith_i_candidate),
                  most = CELL_BYTES / each;
    int64_t *points = NULL;
    int32_t *number = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(d->ctx, points, d->D->ranks));
    TRY(SCRATCH_ZERO(d->ctx, number, d->D->ranks));
    for (int64_t c = 0; c < d->own.count; c++) {
        const int owner = d->owner[c];
        int64_t size = 0;
        for (int r = 0; r < d->D->ranks; r++)
            size += held_by(d, r, c);
        if (points[owner] > 0 && points[owner] + size > most) {
            points[owner] = 0;
            number[owner]++;
        }
        points[owner] += size;
        d->batch[c] = number[owner];
        d->batches = pith_i_max(d->batches, number[owner] + 1);
    }
done:
    pith_i_scratch_release(d->ctx, mark);
    return st;
}

/* Finds the cells of the points held here, the same as in one process, and counts those of all. */
static pith_status find_cells(dealing *d, int64_t leaders, int64_t each)
{
    const pith_i_dealt *D = d->D;
    const pith_i_cloud *P = &D->P;
    pith_i_leaders L = {.count = leaders};
    int32_t *drawn = NULL, *nearest = NULL;
    pith_status st = PITH_OK;
    d->own.count = leaders;
    TRY(SCRATCH(d->ctx, d->own.start, leaders + 1));
    TRY(SCRATCH(d->ctx, d->own.member, P->n * each));
    TRY(SCRATCH_ZERO(d->ctx, d->count, D->ranks * leaders));
    TRY(SCRATCH(d->ctx, d->owner, leaders));
    TRY(SCRATCH(d->ctx, d->batch, leaders));
    const size_t mark = pith_i_scratch_mark(d->ctx);
    TRY(SCRATCH(d->ctx, drawn, leaders));
    TRY(SCRATCH_ZERO(d->ctx, L.y, leaders * P->ld));
    TRY(SCRATCH(d->ctx, L.norm, leaders));
    TRY(SCRATCH(d->ctx, nearest, P->n * each));
    pith_i_leaders_draw(pith_ctx_seed(d->ctx), d->round << 32, D->n, leaders, drawn);
    TRY(pith_i_dealt_share(d->ctx, D, leaders, drawn, L.y));
    for (int64_t c = 0; c < leaders; c++)
        L.norm[c] = pith_i_leader_norm(L.y + c * P->ld, P->d);
    TRY(pith_i_leaders_meet(d->ctx, P, &L, each, nearest));
    pith_i_cells_sort(P->n, each, nearest, &d->own);
    pith_i_scratch_release(d->ctx, mark);
    for (int64_t c = 0; c < leaders; c++)
        d->count[D->rank * leaders + c] = d->own.start[c + 1] - d->own.start[c];
    TRY(pith_i_sum_counts(d->ctx, D->ranks * leaders, d->count));
done:
    return st;
}

/* Exchanges `size` bytes a point: to the processes that search the points' cells or, with `back`, from them
 * to the processes that hold the points. */
static pith_status trade(const dealing *d, const batch *b, bool back, int64_t size, const void *send,
                         void *receive)
{
    const size_t mark = pith_i_scratch_mark(d->ctx);
    const int64_t *give = back ? b->take_at : b->give_at, *take = back ? b->give_at : b->take_at;
    int64_t *send_at = NULL, *receive_at = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(d->ctx, send_at, d->D->ranks + 1));
    TRY(SCRATCH(d->ctx, receive_at, d->D->ranks + 1));
    for (int r = 0; r <= d->D->ranks; r++) {
        send_at[r] = give[r] * size;
        receive_at[r] = take[r] * size;
    }
    TRY(pith_i_exchange_into(d->ctx, send_at, send, receive_at, receive));
done:
    pith_i_scratch_release(d->ctx, mark);
    return st;
}

/* Exchanges the points of a batch; give: those held here, in the order of the processes that get them. */
static pith_status send_points(const dealing *d, batch *b, const int32_t *give)
{
    const size_t mark = pith_i_scratch_mark(d->ctx);
    const pith_i_cloud *P = &d->D->P;
    const int64_t ld = P->ld, many = b->give_at[d->D->ranks];
    struct given *head = NULL;
    float *y = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(d->ctx, y, many * ld));
    TRY(SCRATCH(d->ctx, head, many));
    for (int64_t e = 0; e < many; e++) {
        const int32_t t = give[e];
        memcpy(y + e * ld, P->y + t * ld, (size_t)ld * sizeof *y);
        head[e] =
            (struct given){(int32_t)(d->D->start[d->D->rank] + t), P->norm[t], pith_i_found_limit(d->F, t)};
    }
    TRY(trade(d, b, false, ld * (int64_t)sizeof *y, y, b->y));
    TRY(trade(d, b, false, sizeof *head, head, b->head));
done:
    pith_i_scratch_release(d->ctx, mark);
    return st;
}

/* Which points go where, how many come, and which cells of the batch are this process's. */
static pith_status plan_batch(const dealing *d, int64_t number, batch *b, int32_t **give)
{
    const int ranks = d->D->ranks, rank = d->D->rank;
    int64_t given = 0, came = 0, mine = 0;
    int32_t *numbers = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(d->ctx, b->give_at, ranks + 1));
    TRY(SCRATCH(d->ctx, b->take_at, ranks + 1));
    TRY(SCRATCH(d->ctx, numbers, d->own.count));
    for (int r = 0; r < ranks; r++) {
        b->give_at[r] = given;
        b->take_at[r] = came;
        for (int64_t c = 0; c < d->own.count; c++) {
            given += is_in(d, c, r, number) ? held_by(d, rank, c) : 0;
            came += is_in(d, c, rank, number) ? held_by(d, r, c) : 0;
        }
    }
    b->give_at[ranks] = given;
    b->take_at[ranks] = came;
    for (int64_t c = 0; c < d->own.count; c++)
        if (is_in(d, c, rank, number))
            numbers[mine++] = (int32_t)c;
    b->cells = (pith_i_cells){.count = mine, .number = numbers};
    TRY(SCRATCH(d->ctx, *give, given));
    given = 0;
    for (int r = 0; r < ranks; r++)
        for (int64_t c = 0; c < d->own.count; c++)
            for (int64_t e = d->own.start[c]; is_in(d, c, r, number) && e < d->own.start[c + 1]; e++)
                (*give)[given++] = d->own.member[e];
done:
    return st;
}

/* The places of each cell's points, process by process, so that the points' numbers ascend. */
static pith_status list_members(const dealing *d, batch *b)
{
    const int ranks = d->D->ranks;
    int64_t *next = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(d->ctx, b->cells.start, b->cells.count + 1));
    TRY(SCRATCH(d->ctx, b->cells.member, b->take_at[ranks]));
    TRY(SCRATCH(d->ctx, next, ranks));
    memcpy(next, b->take_at, (size_t)ranks * sizeof *next);
    b->cells.start[0] = 0;
    for (int64_t c = 0, at = 0; c < b->cells.count; c++) {
        for (int r = 0; r < ranks; r++)
            for (int64_t e = 0; e < held_by(d, r, b->cells.number[c]); e++)
                b->cells.member[at++] = (int32_t)next[r]++;
        b->cells.start[c + 1] = at;
    }
done:
    return st;
}

static pith_status open_batch(const dealing *d, batch *b)
{
    const int64_t came = b->take_at[d->D->ranks];
    pith_status st = PITH_OK;
    TRY(SCRATCH(d->ctx, b->y, came * d->D->P.ld));
    TRY(SCRATCH(d->ctx, b->head, came));
    TRY(SCRATCH(d->ctx, b->norm, came));
    TRY(SCRATCH(d->ctx, b->limit, came));
    TRY(pith_i_found_open(d->ctx, came, d->F->m, &b->F));
    b->F.limit = b->limit;
done:
    return st;
}

/* Sends all lists of candidates back to the processes that hold the points: their lengths first. */
static pith_status send_lists(const dealing *d, const batch *b, int32_t *count, pith_i_candidate **lists)
{
    const int ranks = d->D->ranks;
    const int64_t m = d->F->m, size = (int64_t)sizeof(pith_i_candidate);
    int64_t *send_at = NULL, *receive_at = NULL, all = 0, at = 0;
    pith_i_candidate *send = NULL;
    pith_status st = PITH_OK;
    TRY(trade(d, b, true, sizeof *count, b->F.count, count));
    TRY(SCRATCH(d->ctx, send_at, ranks + 1));
    TRY(SCRATCH(d->ctx, receive_at, ranks + 1));
    for (int64_t r = 0, e = 0; r <= ranks; r++) {
        for (; e < b->give_at[r]; e++)
            all += count[e];
        receive_at[r] = all * size;
    }
    TRY(SCRATCH(d->ctx, *lists, all));
    all = 0;
    for (int64_t e = 0; e < b->F.n; e++)
        all += b->F.count[e];
    TRY(SCRATCH(d->ctx, send, all));
    for (int64_t r = 0, e = 0; r <= ranks; r++) {
        for (; e < b->take_at[r]; e++)
            for (int32_t c = 0; c < b->F.count[e]; c++) {
                const pith_i_candidate x = b->F.list[e * m + c];
                send[at++] = (pith_i_candidate){x.value, b->head[x.point].point};
            }
        send_at[r] = at * size;
    }
    TRY(pith_i_exchange_into(d->ctx, send_at, send, receive_at, *lists));
done:
    return st;
}

static pith_status search_batch(const dealing *d, int64_t number)
{
    const size_t mark = pith_i_scratch_mark(d->ctx);
    const int64_t m = d->F->m;
    batch b = {0};
    int32_t *give = NULL, *count = NULL;
    pith_i_candidate *lists = NULL;
    pith_status st = PITH_OK;
    TRY(plan_batch(d, number, &b, &give));
    TRY(open_batch(d, &b));
    TRY(send_points(d, &b, give));
    TRY(list_members(d, &b));
    for (int64_t e = 0; e < b.F.n; e++) {
        b.norm[e] = b.head[e].norm;
        b.limit[e] = b.head[e].limit;
    }
    const pith_i_cloud Q = {
        .n = b.F.n, .d = d->D->P.d, .ld = d->D->P.ld, .wide = d->D->P.wide, .y = b.y, .norm = b.norm};
    TRY(pith_i_found_in_cells(d->ctx, &Q, &b.cells, d->round, &b.F));
    TRY(SCRATCH(d->ctx, count, b.give_at[d->D->ranks]));
    TRY(send_lists(d, &b, count, &lists));
    for (int64_t e = 0, at = 0; e < b.give_at[d->D->ranks]; e++)
        for (int32_t c = 0; c < count[e]; c++)
            pith_i_candidate_put(d->F->list + give[e] * m, &d->F->count[give[e]], m, lists[at++]);
done:
    pith_i_found_close(&b.F);
    pith_i_scratch_release(d->ctx, mark);
    return st;
}

pith_status pith_i_dealt_by_cells(pith_ctx *ctx, const pith_i_dealt *D, int64_t each, uint64_t round,
                                  pith_i_found *F)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    dealing d = {.ctx = ctx, .D = D, .round = round, .F = F};
    pith_status st = PITH_OK;
    TRY(find_cells(&d, pith_i_found_leaders(D->n, each), each));
    TRY(deal_cells(&d));
    TRY(make_batches(&d));
    for (int64_t b = 0; b < d.batches; b++)
        TRY(search_batch(&d, b));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- Neighbours of neighbours ------------------------------------------------------------------------- */

typedef struct hopping {
    pith_ctx *ctx;
    const pith_i_dealt *D;
    int64_t k;
    pith_i_found *F;
    int32_t *head; /* of each point's list before any changed: how many of its first k there are, and these */
} hopping;

typedef struct piece { /* of points */
    int64_t from, count;
    int32_t *hop, *many; /* k^2 places for every point, and how many of them are used */
} piece;

static int ascending(const void *x, const void *y)
{
    const int32_t a = *(const int32_t *)x, b = *(const int32_t *)y;
    return (a > b) - (a < b);
}

static bool has(const pith_i_candidate *list, int64_t count, int32_t point)
{
    for (int64_t e = 0; e < count; e++)
        if (list[e].point == point)
            return true;
    return false;
}

/* The candidates of the first k candidates of point s that are not its own, each once. */
static int32_t hops_of(const hopping *h, int64_t s, const pith_i_halo *via, const int32_t *heads,
                       int32_t *hop)
{
    const pith_i_candidate *mine = h->F->list + s * h->F->m;
    const int64_t own = h->F->count[s], width = h->k + 1;
    const int32_t self = (int32_t)(h->D->start[h->D->rank] + s);
    int32_t all = 0, count = 0;
    for (int64_t e = 0; e < own && e < h->k; e++) {
        const int32_t *head = heads + pith_i_halo_place(via, mine[e].point) * width;
        for (int32_t o = 0; o < head[0]; o++)
            hop[all++] = head[1 + o];
    }
    qsort(hop, (size_t)all, sizeof *hop, ascending);
    for (int32_t e = 0; e < all; e++)
        if (hop[e] != self && (count == 0 || hop[count - 1] != hop[e]) && !has(mine, own, hop[e]))
            hop[count++] = hop[e];
    return count;
}

static pith_status find_hops(const hopping *h, piece *p)
{
    const size_t mark = pith_i_scratch_mark(h->ctx);
    const int64_t first = h->D->start[h->D->rank], width = h->k + 1;
    int64_t *wanted = NULL, count = 0;
    int32_t *heads = NULL;
    pith_i_halo via = {0};
    pith_status st = PITH_OK;
    TRY(SCRATCH(h->ctx, wanted, p->count * h->k));
    for (int64_t s = p->from; s < p->from + p->count; s++)
        for (int64_t e = 0; e < h->F->count[s] && e < h->k; e++)
            wanted[count++] = h->F->list[s * h->F->m + e].point;
    TRY(pith_i_fetch_new(h->ctx, h->D->P.n, first, count, wanted, &via));
    TRY(SCRATCH(h->ctx, heads, via.count * width));
    TRY(pith_i_halo_bytes(h->ctx, &via, width * (int64_t)sizeof *heads, h->head, heads));
#pragma omp parallel for num_threads(pith_ctx_threads(h->ctx)) schedule(dynamic, 64)
    for (int64_t s = 0; s < p->count; s++)
        p->many[s] = hops_of(h, p->from + s, &via, heads, p->hop + s * h->k * h->k);
done:
    pith_i_halo_free(&via);
    pith_i_scratch_release(h->ctx, mark);
    return st;
}

/* Fetches the points of a piece and their new candidates. */
static pith_status fetch_points(const hopping *h, const piece *p, pith_i_halo *all, pith_i_cloud *Q)
{
    const pith_i_cloud *P = &h->D->P;
    const int64_t first = h->D->start[h->D->rank], most = h->k * h->k, ld = P->ld;
    int64_t *wanted = NULL, count = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(h->ctx, wanted, p->count * (most + 1)));
    for (int64_t s = 0; s < p->count; s++) {
        wanted[count++] = first + p->from + s;
        for (int64_t e = 0; e < p->many[s]; e++)
            wanted[count++] = p->hop[s * most + e];
    }
    TRY(pith_i_fetch_new(h->ctx, P->n, first, count, wanted, all));
    *Q = (pith_i_cloud){.n = all->count, .d = P->d, .ld = ld, .wide = P->wide};
    TRY(SCRATCH(h->ctx, Q->y, Q->n * ld));
    TRY(SCRATCH(h->ctx, Q->norm, Q->n));
    TRY(pith_i_halo_bytes(h->ctx, all, ld * (int64_t)sizeof *Q->y, P->y, Q->y));
    TRY(pith_i_halo_bytes(h->ctx, all, sizeof *Q->norm, P->norm, Q->norm));
done:
    return st;
}

static pith_status hop_piece(const hopping *h, int64_t from, int64_t count)
{
    const size_t mark = pith_i_scratch_mark(h->ctx);
    const int64_t most = h->k * h->k, m = h->F->m, first = h->D->start[h->D->rank],
                  threads = pith_ctx_threads(h->ctx);
    piece p = {.from = from, .count = count};
    pith_i_halo all = {0};
    pith_i_cloud Q = {0};
    int32_t *places = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(h->ctx, p.hop, count * most));
    TRY(SCRATCH(h->ctx, p.many, count));
    TRY(SCRATCH(h->ctx, places, threads * most));
    TRY(find_hops(h, &p));
    if (h->D->P.y == NULL) {
        TRY(pith_i_dealt_screen(h->ctx, h->D, &(pith_i_dealt_some){from, count, most, p.hop, p.many}, h->F));
        goto done;
    }
    TRY(fetch_points(h, &p, &all, &Q));
#pragma omp parallel for num_threads((int)threads) schedule(dynamic, 64)
    for (int64_t s = 0; s < count; s++) {
        const int32_t *hop = p.hop + s * most;
        int32_t *place = places + pith_i_thread() * most;
        for (int32_t e = 0; e < p.many[s]; e++)
            place[e] = (int32_t)pith_i_halo_place(&all, hop[e]);
        pith_i_found_take_hops(&Q, pith_i_halo_place(&all, first + from + s), p.many[s], place, hop, m,
                               h->F->list + (from + s) * m, &h->F->count[from + s]);
    }
done:
    pith_i_halo_free(&all);
    pith_i_scratch_release(h->ctx, mark);
    return st;
}

pith_status pith_i_dealt_by_neighbours(pith_ctx *ctx, const pith_i_dealt *D, int64_t k, pith_i_found *F)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = D->P.n, width = k + 1;
    hopping h = {.ctx = ctx, .D = D, .k = k, .F = F};
    int64_t steps = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, h.head, n * width));
    for (int64_t s = 0; s < n; s++) {
        h.head[s * width] = F->count[s] < k ? F->count[s] : (int32_t)k;
        for (int32_t e = 0; e < h.head[s * width]; e++)
            h.head[s * width + 1 + e] = F->list[s * F->m + e].point;
    }
    const int64_t each = D->P.y != NULL ? HOP_PIECE : pith_i_dealt_piece(D, k * k);
    TRY(pith_i_dealt_steps(ctx, n, each, &steps));
    for (int64_t b = 0; b < steps; b++) {
        const int64_t from = pith_i_min(n, b * each);
        TRY(pith_i_progress(ctx, b, steps));
        TRY(hop_piece(&h, from, pith_i_min(n - from, each)));
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
