#include "matrix/halo.h"

#include "core/engine.h"

#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS }; /* of the number of a row; 3 pairs of them are enough */

void pith_i_halo_free(pith_i_halo *h)
{
    pith_i_free(h->id);
    pith_i_free(h->guide);
    pith_i_free(h->need_at);
    pith_i_free(h->give_at);
    pith_i_free(h->give);
    *h = (pith_i_halo){0};
}

/* Numbers of rows, from `from` to `to` in the order of one digit. */
static void by_digit(int64_t count, const int64_t *from, int shift, int64_t *to)
{
    int64_t at[DIGITS + 1] = {0};
    for (int64_t e = 0; e < count; e++)
        at[(from[e] >> shift) % DIGITS + 1]++;
    for (int d = 0; d < DIGITS; d++)
        at[d + 1] += at[d];
    for (int64_t e = 0; e < count; e++)
        to[at[(from[e] >> shift) % DIGITS]++] = from[e];
}

/* Digit by digit, the last first: a tenth of the time of qsort for the neighbours of all rows. */
static pith_status sort_ids(pith_ctx *ctx, int64_t count, int64_t *id)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    int64_t *other = NULL, most = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, other, count));
    for (int64_t e = 0; e < count; e++)
        most = pith_i_max(most, id[e]);
    for (int shift = 0; shift < 63 && most >> shift > 0; shift += 2 * DIGIT_BITS) {
        by_digit(count, id, shift, other);
        by_digit(count, other, shift + DIGIT_BITS, id);
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_row_starts(pith_ctx *ctx, int64_t n, int64_t *start)
{
    const int processes = pith_i_processes(ctx);
    pith_status st = PITH_OK;
    memset(start, 0, (size_t)(processes + 1) * sizeof *start);
    start[pith_i_process(ctx) + 1] = n;
    TRY(pith_i_sum_counts(ctx, processes + 1, start));
    for (int r = 0; r < processes; r++)
        start[r + 1] += start[r];
done:
    return st;
}

/* The wanted rows, sorted, without repeats; rows held here only if `own`. */
static pith_status gather_ids(pith_ctx *ctx, bool own, int64_t count, const int64_t *wanted, pith_i_halo *h)
{
    pith_status st = PITH_OK;
    TRY(NEW(ctx, h->id, count));
    if (count > 0)
        memcpy(h->id, wanted, (size_t)count * sizeof *wanted);
    TRY(sort_ids(ctx, count, h->id));
    for (int64_t e = 0; e < count; e++) {
        const int64_t id = h->id[e];
        const bool here = id >= h->offset && id < h->offset + h->n;
        if ((own || !here) && (h->count == 0 || h->id[h->count - 1] != id))
            h->id[h->count++] = id;
    }
done:
    return st;
}

/* The ids in about as many equal ranges as there are ids, so that one is found in a step or two. */
static pith_status make_guide(pith_ctx *ctx, pith_i_halo *h)
{
    const int64_t range = h->count > 0 ? h->id[h->count - 1] - h->id[0] : 0;
    int64_t at = 0;
    pith_status st = PITH_OK;
    while (range >> h->shift > h->count)
        h->shift++;
    const int64_t parts = (range >> h->shift) + 1;
    TRY(NEW(ctx, h->guide, parts + 1));
    for (int64_t b = 0; b <= parts; b++) {
        while (at < h->count && (h->id[at] - h->id[0]) >> h->shift < b)
            at++;
        h->guide[b] = at;
    }
done:
    return st;
}

/* Tells the other processes which of their rows are needed here, and hears which they need. */
static pith_status ask(pith_ctx *ctx, pith_i_halo *h)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int processes = pith_i_processes(ctx);
    const int64_t size = (int64_t)sizeof *h->id;
    int64_t *bytes_at = NULL, *came_at = NULL;
    void *came = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, bytes_at, processes + 1));
    for (int r = 0; r <= processes; r++)
        bytes_at[r] = h->need_at[r] * size;
    TRY(pith_i_exchange(ctx, bytes_at, h->id, &came_at, &came));
    TRY(NEW(ctx, h->give, came_at[processes] / size));
    for (int r = 0; r <= processes; r++)
        h->give_at[r] = came_at[r] / size;
    for (int64_t e = 0; e < h->give_at[processes]; e++)
        h->give[e] = ((const int64_t *)came)[e] - h->offset;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status find_needs(pith_ctx *ctx, int64_t n, int64_t offset, bool own, int64_t count,
                              const int64_t *wanted, pith_i_halo *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int processes = pith_i_processes(ctx);
    pith_i_halo h = {.n = n, .offset = offset};
    int64_t *start = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, start, processes + 1));
    TRY(NEW_ZERO(ctx, h.need_at, processes + 1));
    TRY(NEW_ZERO(ctx, h.give_at, processes + 1));
    TRY(pith_i_row_starts(ctx, n, start));
    TRY(gather_ids(ctx, own, count, wanted, &h));
    TRY(make_guide(ctx, &h));
    for (int64_t e = 0, r = 0; r < processes; r++) {
        while (e < h.count && h.id[e] < start[r + 1])
            e++;
        h.need_at[r + 1] = e;
    }
    TRY(ask(ctx, &h));
    *out = h;
    h = (pith_i_halo){0};
done:
    pith_i_halo_free(&h);
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_halo_new(pith_ctx *ctx, int64_t n, int64_t offset, int64_t count, const int64_t *wanted,
                            pith_i_halo *out)
{
    return find_needs(ctx, n, offset, false, count, wanted, out);
}

pith_status pith_i_fetch_new(pith_ctx *ctx, int64_t n, int64_t offset, int64_t count, const int64_t *wanted,
                             pith_i_halo *out)
{
    const pith_status st = find_needs(ctx, n, offset, true, count, wanted, out);
    out->n = 0; /* so that places begin with the ids */
    return st;
}

int64_t pith_i_halo_place(const pith_i_halo *h, int64_t id)
{
    if (id >= h->offset && id < h->offset + h->n)
        return id - h->offset;
    const int64_t part = (id - h->id[0]) >> h->shift;
    int64_t lo = h->guide[part], hi = h->guide[part + 1];
    while (lo < hi) {
        const int64_t middle = lo + (hi - lo) / 2;
        if (h->id[middle] < id)
            lo = middle + 1;
        else
            hi = middle;
    }
    return h->n + lo;
}

/* Bytes of rows: those of row i held here are at[i] to before at[i + 1] of mine. Those of the halo come back
 * in scratch, in its order. */
static pith_status fetch(pith_ctx *ctx, const pith_i_halo *h, const int64_t *at, const void *mine,
                         const void **out)
{
    const int processes = pith_i_processes(ctx);
    int64_t *send_at = NULL, *came_at = NULL, bytes = 0;
    char *send = NULL;
    void *came = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, send_at, processes + 1));
    for (int64_t e = 0; e < h->give_at[processes]; e++)
        bytes += at[h->give[e] + 1] - at[h->give[e]];
    TRY(SCRATCH(ctx, send, bytes));
    bytes = 0;
    for (int r = 0; r < processes; r++) {
        send_at[r] = bytes;
        for (int64_t e = h->give_at[r]; e < h->give_at[r + 1]; e++) {
            const int64_t from = at[h->give[e]], size = at[h->give[e] + 1] - from;
            if (size > 0)
                memcpy(send + bytes, (const char *)mine + from, (size_t)size);
            bytes += size;
        }
    }
    send_at[processes] = bytes;
    TRY(pith_i_exchange(ctx, send_at, send, &came_at, &came));
    *out = came;
done:
    return st;
}

/* Both sides know the sizes, so none are exchanged: products call this at every step. */
pith_status pith_i_halo_bytes(pith_ctx *ctx, const pith_i_halo *h, int64_t size, const void *mine, void *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int processes = pith_i_processes(ctx);
    int64_t *send_at = NULL, *receive_at = NULL;
    char *send = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, send_at, processes + 1));
    TRY(SCRATCH(ctx, receive_at, processes + 1));
    TRY(SCRATCH(ctx, send, h->give_at[processes] * size));
    for (int r = 0; r <= processes; r++) {
        send_at[r] = h->give_at[r] * size;
        receive_at[r] = h->need_at[r] * size;
    }
    for (int64_t e = 0; e < h->give_at[processes]; e++)
        memcpy(send + e * size, (const char *)mine + h->give[e] * size, (size_t)size);
    TRY(pith_i_exchange_into(ctx, send_at, send, receive_at, out));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_halo_numbers(pith_ctx *ctx, const pith_i_halo *h, int64_t width, const double *mine,
                                double *out)
{
    return pith_i_halo_bytes(ctx, h, width * (int64_t)sizeof *mine, mine, out);
}

static pith_status dense_rows(pith_ctx *ctx, const pith_i_halo *h, const pith_i_data *X, pith_i_data *out)
{
    const int64_t line = X->p * (int64_t)pith_i_dtype_size(X->dtype);
    pith_i_data all = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_data_new_dense(ctx, h->n + h->count, X->p, X->dtype, &all));
    char *x = pith_i_data_x(&all);
    for (int64_t i = 0; i < h->n; i++)
        for (int64_t j = 0; j < X->p; j++)
            pith_i_set_value(x, X->dtype, i * X->p + j, pith_i_cell(X, i, j));
    TRY(pith_i_halo_bytes(ctx, h, line, x, x + h->n * line));
    *out = all;
    all = (pith_i_data){0};
done:
    pith_i_data_free(&all);
    return st;
}

/* Row pointers of the rows held here and of the halo, whose lengths are fetched. */
static pith_status sparse_starts(pith_ctx *ctx, const pith_i_halo *h, const pith_i_data *X, int64_t *start)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    int64_t *length = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, length, h->n + h->count));
    for (int64_t i = 0; i < h->n; i++)
        length[i] = X->indptr[i + 1] - X->indptr[i];
    TRY(pith_i_halo_bytes(ctx, h, (int64_t)sizeof *length, length, length + h->n));
    start[0] = 0;
    for (int64_t i = 0; i < h->n + h->count; i++)
        start[i + 1] = start[i] + length[i];
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* One array of the entries, `size` bytes each; those held here begin with entry `base` of mine. */
static pith_status sparse_entries(pith_ctx *ctx, const pith_i_halo *h, const int64_t *start, int64_t size,
                                  const void *mine, int64_t base, void *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t own = start[h->n] * size, rest = start[h->n + h->count] * size - own;
    const void *came = NULL;
    int64_t *at = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, at, h->n + 1));
    for (int64_t i = 0; i <= h->n; i++)
        at[i] = start[i] * size;
    const char *from = mine != NULL ? (const char *)mine + base * size : NULL;
    TRY(fetch(ctx, h, at, from, &came));
    if (own > 0)
        memcpy(out, from, (size_t)own);
    if (rest > 0)
        memcpy((char *)out + own, came, (size_t)rest);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status sparse_rows(pith_ctx *ctx, const pith_i_halo *h, const pith_i_data *X, pith_i_data *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t rows = h->n + h->count;
    int64_t *start = NULL;
    pith_i_data all = {0};
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, start, rows + 1));
    TRY(sparse_starts(ctx, h, X, start));
    TRY(pith_i_data_new_csr(ctx, rows, X->p, start[rows], X->dtype, &all));
    memcpy(pith_i_data_indptr(&all), start, (size_t)(rows + 1) * sizeof *start);
    TRY(sparse_entries(ctx, h, start, sizeof(int32_t), X->indices, X->indptr[0], pith_i_data_indices(&all)));
    TRY(sparse_entries(ctx, h, start, (int64_t)pith_i_dtype_size(X->dtype), X->values, X->indptr[0],
                       pith_i_data_values(&all)));
    *out = all;
    all = (pith_i_data){0};
done:
    pith_i_data_free(&all);
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_halo_rows(pith_ctx *ctx, const pith_i_halo *h, const pith_i_data *X, pith_i_data *out)
{
    return X->sparse ? sparse_rows(ctx, h, X, out) : dense_rows(ctx, h, X, out);
}

/* ---- Rows that are fetched, those held here among them ---------------------------------------------------
 */

/* One array, `size` bytes per element: row r of those sent has elements give[r] to before give[r + 1], row r
 * of those received take[r] to before take[r + 1]. */
static pith_status trade(pith_ctx *ctx, const pith_i_halo *h, int64_t size, const int64_t *give,
                         const void *send, const int64_t *take, void *receive)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int processes = pith_i_processes(ctx);
    int64_t *send_at = NULL, *receive_at = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, send_at, processes + 1));
    TRY(SCRATCH(ctx, receive_at, processes + 1));
    for (int r = 0; r <= processes; r++) {
        send_at[r] = give[h->give_at[r]] * size;
        receive_at[r] = take[h->need_at[r]] * size;
    }
    TRY(pith_i_exchange_into(ctx, send_at, send, receive_at, receive));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* 0, 1, ..., count in scratch: the places of rows with one element each. */
static pith_status count_up(pith_ctx *ctx, int64_t count, int64_t **out)
{
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, *out, count + 1));
    for (int64_t i = 0; i <= count; i++)
        (*out)[i] = i;
done:
    return st;
}

static pith_status fetch_sparse(pith_ctx *ctx, const pith_i_halo *h, const pith_i_data *given,
                                const int64_t *place, pith_i_data *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    int64_t *length = NULL, *start = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, length, given->n));
    TRY(SCRATCH(ctx, start, h->count + 1));
    for (int64_t i = 0; i < given->n; i++)
        length[i] = given->indptr[i + 1] - given->indptr[i];
    start[0] = 0;
    TRY(trade(ctx, h, sizeof *length, place, length, place, start + 1));
    for (int64_t i = 0; i < h->count; i++)
        start[i + 1] += start[i];
    TRY(pith_i_data_new_csr(ctx, h->count, given->p, start[h->count], given->dtype, out));
    memcpy(pith_i_data_indptr(out), start, (size_t)(h->count + 1) * sizeof *start);
    TRY(trade(ctx, h, sizeof(int32_t), given->indptr, given->indices, start, pith_i_data_indices(out)));
    TRY(trade(ctx, h, (int64_t)pith_i_dtype_size(given->dtype), given->indptr, given->values, start,
              pith_i_data_values(out)));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_fetch_rows(pith_ctx *ctx, const pith_i_halo *h, const pith_i_data *X, pith_i_data *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t many = h->give_at[pith_i_processes(ctx)];
    pith_i_data given = {0}, all = {0};
    int64_t *place = NULL;
    pith_status st = PITH_OK;
    TRY(count_up(ctx, pith_i_max(many, h->count), &place));
    TRY(pith_i_take_rows(ctx, X, many, h->give, &given));
    if (X->sparse) {
        TRY(fetch_sparse(ctx, h, &given, place, &all));
    } else {
        TRY(pith_i_data_new_dense(ctx, h->count, X->p, X->dtype, &all));
        TRY(trade(ctx, h, X->p * (int64_t)pith_i_dtype_size(X->dtype), place, given.x, place,
                  pith_i_data_x(&all)));
    }
    *out = all;
    all = (pith_i_data){0};
done:
    pith_i_data_free(&given);
    pith_i_data_free(&all);
    pith_i_scratch_release(ctx, mark);
    return st;
}
