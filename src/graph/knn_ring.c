#include "graph/knn_ring.h"

#include "core/engine.h"
#include "core/parallel.h"
#include "graph/knn_between.h"
#include "graph/knn_find.h"

#include <math.h>
#include <string.h>

/*
 * Every array has room for three blocks: [ one | own | another ]. A block that arrives is put directly before
 * or behind the block of this process, so that the two form one table without a copy. The next block goes to
 * the other side.
 */
typedef struct ring {
    pith_ctx *ctx;
    const pith_i_rows *R;
    pith_i_knn *knn;
    int ranks, rank;
    int64_t *start;       /* first row of every process, ranks + 1 */
    int64_t n, side;      /* rows held here; rows of the largest other block, the room on either side */
    int64_t own, entries; /* sparse: entries held here; the most of another block, the room on either side */
    size_t line, size;    /* bytes of a dense row, of a value */
    char *x;              /* dense: rows; sparse: values */
    int64_t *row;         /* sparse: where each begins, and the end */
    int32_t *col;
    double *limit;        /* the squared distance that each row has to look, at the same places */
    void *under_way[2];   /* exchanges of the next block */
    pith_i_near *back[2]; /* lists found here for rows of other processes, by turns */
    pith_i_near *came;    /* lists found elsewhere for rows held here, */
    void *returning;      /* and the exchange that brings them */
    int64_t *send_at, *receive_at;
} ring;

typedef struct span {
    int64_t from, count; /* rows of a block */
} span;

static int64_t rows_of(const ring *g, int rank)
{
    return g->start[rank + 1] - g->start[rank];
}

static int partner(const ring *g, int rank, int64_t step)
{
    return (int)((rank + step + g->ranks) % g->ranks);
}

static bool comes_before(int64_t step)
{
    return step % 2 == 1; /* the block of this step lies before the own one */
}

/* With an even number of processes, two of them meet each other in the last step. The lower one then searches
 * half of its rows, those next to the block that came, and sends the other half. */
static span near_half(const ring *g, int lower, int64_t step, bool other)
{
    const int64_t n = rows_of(g, lower), half = (n + 1) / 2;
    if (comes_before(step))
        return other ? (span){half, n - half} : (span){0, half};
    return other ? (span){0, n - half} : (span){n - half, half};
}

/* The rows of its own block that a process searches in a step. */
static span searched(const ring *g, int rank, int64_t step)
{
    if (2 * step == g->ranks && rank < partner(g, rank, step))
        return near_half(g, rank, step, false);
    return (span){0, rows_of(g, rank)};
}

/* The rows that process `from` sends to the one that meets it in a step. */
static span sent(const ring *g, int from, int64_t step)
{
    if (2 * step == g->ranks && from < partner(g, from, -step))
        return near_half(g, from, step, true);
    return (span){0, rows_of(g, from)};
}

/* ---- Blocks -------------------------------------------------------------------------------------------- */

/* Offsets for an exchange in which all bytes are for, or from, one process. */
static const int64_t *only(const ring *g, int rank, int64_t bytes, int64_t *at)
{
    for (int r = 0; r <= g->ranks; r++)
        at[r] = r > rank ? bytes : 0;
    return at;
}

/* Exchanges one array: `from` goes to the process that meets this one in a step, and `to` is filled by the
 * one that this process meets. */
static pith_status trade(ring *g, int64_t step, const void *from, int64_t give, void *to, int64_t take,
                         void **under_way)
{
    const int64_t *send_at = only(g, partner(g, g->rank, -step), give, g->send_at),
                  *receive_at = only(g, partner(g, g->rank, step), take, g->receive_at);
    if (under_way != NULL)
        return pith_i_exchange_begin(g->ctx, send_at, from, receive_at, to, under_way);
    return pith_i_exchange_into(g->ctx, send_at, from, receive_at, to);
}

/* The place of the first row that comes in a step, of `count` rows. */
static int64_t place_of_block(const ring *g, int64_t step, int64_t count)
{
    return comes_before(step) ? g->side - count : g->side + g->n;
}

/* The lengths of the rows are exchanged first: they say where the entries go. */
static pith_status begin_sparse(ring *g, int64_t step, span give, span take)
{
    const size_t mark = pith_i_scratch_mark(g->ctx);
    const int64_t at = place_of_block(g, step, take.count), *own = g->row + g->side + give.from;
    int64_t *mine = NULL, *length = NULL, entries = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(g->ctx, mine, give.count));
    TRY(SCRATCH(g->ctx, length, take.count));
    for (int64_t i = 0; i < give.count; i++)
        mine[i] = own[i + 1] - own[i];
    TRY(trade(g, step, mine, give.count * 8, length, take.count * 8, NULL));
    for (int64_t i = 0; i < take.count; i++)
        entries += length[i];
    int64_t begin = comes_before(step) ? g->entries - entries : g->entries + g->own;
    const int64_t first = begin;
    for (int64_t i = 0; i < take.count; i++) { /* the own rows begin or end where these end or begin */
        g->row[at + i] = begin;
        begin += length[i];
        g->row[at + i + 1] = begin;
    }
    const int64_t give_entries = own[give.count] - own[0], size = (int64_t)g->size;
    TRY(trade(g, step, g->col + own[0], give_entries * 4, g->col + first, entries * 4, &g->under_way[0]));
    TRY(trade(g, step, g->x + own[0] * size, give_entries * size, g->x + first * size, entries * size,
              &g->under_way[1]));
done:
    pith_i_scratch_release(g->ctx, mark);
    return st;
}

static pith_status begin_block(ring *g, int64_t step)
{
    const span give = sent(g, g->rank, step), take = sent(g, partner(g, g->rank, step), step);
    const int64_t line = (int64_t)g->line;
    if (g->R->X.sparse)
        return begin_sparse(g, step, give, take);
    return trade(g, step, g->x + (g->side + give.from) * line, give.count * line,
                 g->x + place_of_block(g, step, take.count) * line, take.count * line, &g->under_way[0]);
}

static pith_status finish_block(ring *g)
{
    pith_status st = PITH_OK;
    TRY(pith_i_exchange_finish(g->ctx, &g->under_way[0]));
    TRY(pith_i_exchange_finish(g->ctx, &g->under_way[1]));
done:
    return st;
}

/* The k-th distance of every row, as far as it is known: nothing farther is looked for. */
static pith_status trade_limits(ring *g, int64_t step)
{
    const span give = sent(g, g->rank, step), take = sent(g, partner(g, g->rank, step), step);
    const int64_t k = g->knn->k;
    for (int64_t i = 0; i < g->n; i++)
        g->limit[g->side + i] = g->knn->distance2[i * k + k - 1];
    return trade(g, step, g->limit + g->side + give.from, give.count * 8,
                 g->limit + place_of_block(g, step, take.count), take.count * 8, NULL);
}

/* ---- One step ------------------------------------------------------------------------------------------ */

/* Merges k more neighbours into the list of row i; they are in order, and end with the id -1 if they are
 * fewer. */
static void merge_list(pith_i_knn *knn, int64_t i, const pith_i_near *more, pith_i_near *room)
{
    int64_t have = 0;
    for (int64_t e = 0; e < knn->k && knn->index[i * knn->k + e] >= 0; e++)
        pith_i_top_push(room, &have, knn->k,
                        (pith_i_near){knn->distance2[i * knn->k + e], knn->index[i * knn->k + e]});
    for (int64_t e = 0; e < knn->k && more[e].id >= 0; e++)
        pith_i_top_push(room, &have, knn->k, more[e]);
    pith_i_top_sort(room, have);
    pith_i_knn_write(knn, i, room, have);
}

static pith_status merge_lists(ring *g, span rows, const pith_i_near *more)
{
    const size_t mark = pith_i_scratch_mark(g->ctx);
    const int64_t k = g->knn->k;
    pith_i_near *room = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(g->ctx, room, k));
    for (int64_t i = 0; i < rows.count; i++)
        merge_list(g->knn, rows.from + i, more + i * k, room);
done:
    pith_i_scratch_release(g->ctx, mark);
    return st;
}

/* Both blocks as one table. */
static pith_i_data joined(const ring *g, int64_t first, int64_t count)
{
    pith_i_data J = g->R->X;
    J.n = count;
    J.offset = J.all = 0;
    J.transpose = NULL;
    J.row_stride = J.p;
    if (J.sparse) {
        J.indptr = g->row + first;
        J.indices = g->col;
        J.values = g->x;
    } else {
        J.x = g->x + first * (int64_t)g->line;
    }
    return J;
}

/* Copies lists of the joined table, with the rows' numbers in the whole table: row `from` of the joined table
 * is row `global` there. */
static void write_near(const pith_i_knn *found, span rows, int64_t from, int64_t global, pith_i_near *out)
{
    for (int64_t e = 0; e < rows.count * found->k; e++) {
        const int64_t at = rows.from * found->k + e, l = found->index[at];
        out[e] = (pith_i_near){found->distance2[at], l < 0 ? -1 : global + l - from};
    }
}

static pith_status search_block(ring *g, int64_t step, int64_t steps)
{
    const size_t mark = pith_i_scratch_mark(g->ctx);
    const int other = partner(g, g->rank, step);
    const span own = searched(g, g->rank, step), take = sent(g, other, step);
    const bool before = comes_before(step);
    const int64_t all = own.count + take.count, k = g->knn->k;
    const int64_t first = before ? g->side - take.count : g->side + own.from;
    const int64_t own_at = before ? take.count : 0, other_at = before ? 0 : own.count;
    const pith_i_data J = joined(g, first, all);
    pith_i_near *near = NULL;
    pith_i_knn found = {.n = all, .k = k};
    pith_i_rows R = {0};
    pith_status st = PITH_OK;
    TRY(SCRATCH(g->ctx, found.index, all * k));
    TRY(SCRATCH(g->ctx, found.distance2, all * k));
    TRY(SCRATCH(g->ctx, near, own.count * k));
    if (all > 0)
        TRY(pith_i_rows_open(g->ctx, &J, g->R->metric, &R));
    const pith_i_between b = {&R, before ? take.count : own.count, g->limit + first, {step, steps + 1}};
    TRY(pith_i_knn_between(g->ctx, &b, &found));
    write_near(&found, (span){own_at, own.count}, other_at, g->start[other] + take.from, near);
    TRY(merge_lists(g, own, near));
    write_near(&found, (span){other_at, take.count}, own_at, g->start[g->rank] + own.from, g->back[step % 2]);
done:
    pith_i_rows_close(&R);
    pith_i_scratch_release(g->ctx, mark);
    return st;
}

/* Sends back what was found for the rows of the other block, while the next step computes. */
static pith_status begin_return(ring *g, int64_t step)
{
    const int64_t each = g->knn->k * (int64_t)sizeof *g->came;
    const span mine = sent(g, g->rank, step), theirs = sent(g, partner(g, g->rank, step), step);
    return trade(g, -step, g->back[step % 2], theirs.count * each, g->came, mine.count * each, &g->returning);
}

static pith_status finish_return(ring *g, int64_t step)
{
    pith_status st = PITH_OK;
    TRY(pith_i_exchange_finish(g->ctx, &g->returning));
    TRY(merge_lists(g, sent(g, g->rank, step), g->came));
done:
    return st;
}

/* ---- The whole ----------------------------------------------------------------------------------------- */

/* Searches the rows held here among themselves. */
static pith_status search_own(ring *g)
{
    const size_t mark = pith_i_scratch_mark(g->ctx);
    const int64_t n = g->n, k = g->knn->k;
    pith_i_rows R = *g->R;
    pith_i_knn found = {.n = n, .k = k < n - 1 ? k : n - 1, .recall = (double)NAN};
    pith_status st = PITH_OK;
    for (int64_t i = 0; i < n; i++)
        pith_i_knn_write(g->knn, i, NULL, 0);
    if (n < 2)
        return PITH_OK;
    R.X.offset = R.X.all = 0;
    TRY(SCRATCH(g->ctx, found.index, n * found.k));
    TRY(SCRATCH(g->ctx, found.distance2, n * found.k));
    TRY(pith_i_knn_exact(g->ctx, &R, &found));
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = 0; e < found.k; e++) {
            g->knn->index[i * k + e] = g->start[g->rank] + found.index[i * found.k + e];
            g->knn->distance2[i * k + e] = found.distance2[i * found.k + e];
        }
done:
    pith_i_scratch_release(g->ctx, mark);
    return st;
}

static pith_status go_round(ring *g)
{
    const int64_t steps = g->ranks / 2;
    pith_status st = PITH_OK;
    if (steps > 0)
        TRY(begin_block(g, 1));
    TRY(search_own(g));
    for (int64_t step = 1; step <= steps; step++) {
        TRY(finish_block(g));
        TRY(trade_limits(g, step));
        if (step < steps)
            TRY(begin_block(g, step + 1));
        TRY(search_block(g, step, steps));
        if (step > 1)
            TRY(finish_return(g, step - 1));
        TRY(begin_return(g, step));
    }
    if (steps > 0)
        TRY(finish_return(g, steps));
done:
    return st;
}

/* The rows and entries of every process. */
static pith_status measure(ring *g)
{
    const pith_i_data *X = &g->R->X;
    int64_t *entries = NULL;
    pith_status st = PITH_OK;
    g->n = X->n;
    g->own = X->sparse ? pith_i_stored(X) : 0;
    TRY(SCRATCH_ZERO(g->ctx, g->start, g->ranks + 1));
    TRY(SCRATCH_ZERO(g->ctx, entries, g->ranks));
    g->start[g->rank + 1] = X->n;
    entries[g->rank] = g->own;
    TRY(pith_i_sum_counts(g->ctx, g->ranks + 1, g->start));
    TRY(pith_i_sum_counts(g->ctx, g->ranks, entries));
    for (int r = 0; r < g->ranks; r++) {
        if (r != g->rank) {
            g->side = pith_i_max(g->side, g->start[r + 1]);
            g->entries = pith_i_max(g->entries, entries[r]);
        }
        g->start[r + 1] += g->start[r];
    }
done:
    return st;
}

static void copy_own(ring *g)
{
    const pith_i_data *X = &g->R->X;
    if (!X->sparse) {
        for (int64_t i = 0; i < g->n; i++)
            memcpy(g->x + (g->side + i) * (int64_t)g->line,
                   (const char *)X->x + i * X->row_stride * (int64_t)g->size, g->line);
        return;
    }
    for (int64_t i = 0; i <= g->n; i++)
        g->row[g->side + i] = g->entries + X->indptr[i] - X->indptr[0];
    if (g->own > 0) {
        memcpy(g->col + g->entries, X->indices + X->indptr[0], (size_t)g->own * sizeof *g->col);
        memcpy(g->x + g->entries * (int64_t)g->size,
               (const char *)X->values + X->indptr[0] * (int64_t)g->size, (size_t)g->own * g->size);
    }
}

static pith_status open_ring(ring *g)
{
    const pith_i_data *X = &g->R->X;
    const int64_t rows = g->n + 2 * g->side, k = g->knn->k;
    const int64_t bytes = X->sparse ? (g->own + 2 * g->entries) * (int64_t)g->size : rows * (int64_t)g->line;
    pith_status st = PITH_OK;
    if ((g->x = pith_i_alloc_large(g->ctx, bytes, 1)) == NULL)
        TRY(PITH_E_NOMEM);
    TRY(NEW(g->ctx, g->row, X->sparse ? rows + 1 : 0));
    if (X->sparse && (g->col = pith_i_alloc_large(g->ctx, g->own + 2 * g->entries, sizeof *g->col)) == NULL)
        TRY(PITH_E_NOMEM);
    TRY(NEW(g->ctx, g->limit, rows));
    TRY(NEW(g->ctx, g->back[0], g->side * k));
    TRY(NEW(g->ctx, g->back[1], g->side * k));
    TRY(NEW(g->ctx, g->came, g->n * k));
    TRY(SCRATCH(g->ctx, g->send_at, g->ranks + 1));
    TRY(SCRATCH(g->ctx, g->receive_at, g->ranks + 1));
    copy_own(g);
done:
    return st;
}

/* Arrays of an unfinished exchange are not freed, since messages may still arrive in them: the job is about
 * to end. */
static void close_ring(ring *g)
{
    if (g->under_way[0] != NULL || g->under_way[1] != NULL || g->returning != NULL)
        return;
    pith_i_free(g->x);
    pith_i_free(g->row);
    pith_i_free(g->col);
    pith_i_free(g->limit);
    pith_i_free(g->back[0]);
    pith_i_free(g->back[1]);
    pith_i_free(g->came);
}

pith_status pith_i_knn_ring(pith_ctx *ctx, const pith_i_rows *R, pith_i_knn *knn)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const size_t size = pith_i_dtype_size(R->X.dtype);
    ring g = {.ctx = ctx,
              .R = R,
              .knn = knn,
              .ranks = pith_i_processes(ctx),
              .rank = pith_i_process(ctx),
              .size = size,
              .line = size * (size_t)R->X.p};
    pith_status st = PITH_OK;
    TRY(measure(&g));
    TRY(open_ring(&g));
    TRY(go_round(&g));
done:
    close_ring(&g);
    pith_i_scratch_release(ctx, mark);
    return st;
}
