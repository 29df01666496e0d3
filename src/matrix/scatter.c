#include "matrix/scatter.h"

#include <string.h>

enum { RANGE = 1 << 18 };

/* Range r begins with the first row that starts at entry r * range or later. */
static void begin_ranges(const pith_i_data *X, pith_i_scatter *s, int64_t ranges)
{
    for (int64_t r = 0, i = 0; r < ranges; r++) {
        while (i < X->n && X->indptr[i] < r * s->range)
            i++;
        s->next[r] = X->indptr[i];
    }
}

pith_status pith_i_scatter_begin(pith_ctx *ctx, pith_i_data *X, int64_t range, pith_i_scatter *out)
{
    const int64_t nnz = X->indptr[X->n];
    const bool in_file = pith_i_is_in_file(X->owned[1]) || pith_i_is_in_file(X->owned[2]);
    pith_i_scatter s = {.start = pith_i_data_indptr(X),
                        .column = pith_i_data_indices(X),
                        .value = pith_i_data_values(X),
                        .dtype = X->dtype,
                        .range = range > 0 || !in_file ? range : RANGE};
    pith_status st = PITH_OK;
    if (s.range > 0) {
        const int64_t ranges = nnz / s.range + 1;
        TRY(NEW(ctx, s.next, ranges));
        s.row = pith_i_alloc_large(ctx, nnz, sizeof *s.row);
        if (s.row == NULL)
            TRY(PITH_E_NOMEM);
        begin_ranges(X, &s, ranges);
    }
    *out = s;
    s = (pith_i_scatter){0};
done:
    pith_i_scatter_free(&s);
    return st;
}

void pith_i_scatter_free(pith_i_scatter *s)
{
    pith_i_free(s->next);
    pith_i_free(s->row);
    *s = (pith_i_scatter){0};
}

/* Room for one range while it is sorted. */
typedef struct range_room {
    int64_t *next; /* by row of the range */
    int32_t *column;
    char *value;
} range_room;

/* Sorts the entries of rows lo .. hi-1, which lie together in the order in which they came, by row. */
static void sort_range(const pith_i_scatter *s, int64_t lo, int64_t hi, const range_room *d)
{
    const int64_t from = s->start[lo], count = s->start[hi] - from;
    const size_t size = pith_i_dtype_size(s->dtype);
    memcpy(d->column, s->column + from, (size_t)count * sizeof *d->column);
    memcpy(d->value, (char *)s->value + (size_t)from * size, (size_t)count * size);
    memcpy(d->next, s->start + lo, (size_t)(hi - lo) * sizeof *d->next);
    for (int64_t e = 0; e < count; e++) {
        const int64_t at = d->next[s->row[from + e] - lo]++;
        s->column[at] = d->column[e];
        memcpy((char *)s->value + (size_t)at * size, d->value + (size_t)e * size, size);
    }
}

/* One past the last row of the range that begins with row lo. */
static int64_t range_end(const pith_i_scatter *s, int64_t n, int64_t lo)
{
    int64_t hi = lo + 1;
    while (hi < n && s->start[hi] / s->range == s->start[lo] / s->range)
        hi++;
    return hi;
}

static pith_status open_room(pith_ctx *ctx, const pith_i_scatter *s, int64_t n, range_room *out)
{
    int64_t rows = 0, entries = 0;
    pith_status st = PITH_OK;
    for (int64_t lo = 0, hi = 0; lo < n; lo = hi) {
        hi = range_end(s, n, lo);
        rows = hi - lo > rows ? hi - lo : rows;
        entries = s->start[hi] - s->start[lo] > entries ? s->start[hi] - s->start[lo] : entries;
    }
    TRY(SCRATCH(ctx, out->next, rows));
    TRY(SCRATCH(ctx, out->column, entries));
    TRY(SCRATCH(ctx, out->value, entries * (int64_t)pith_i_dtype_size(s->dtype)));
done:
    return st;
}

pith_status pith_i_scatter_end(pith_ctx *ctx, pith_i_scatter *s, pith_i_data *X)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    range_room d = {0};
    pith_status st = PITH_OK;
    if (s->range == 0) { /* every start has moved to its end, which is the next one's start */
        memmove(s->start + 1, s->start, (size_t)X->n * sizeof *s->start);
        s->start[0] = 0;
        return PITH_OK;
    }
    TRY(open_room(ctx, s, X->n, &d));
    for (int64_t lo = 0, hi = 0; lo < X->n; lo = hi) {
        hi = range_end(s, X->n, lo);
        (void)pith_i_stop_asked(ctx);
        TRY(pith_i_stop_status(ctx));
        sort_range(s, lo, hi, &d);
        pith_i_touched(ctx, (s->start[hi] - s->start[lo]) * 16);
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
