#include "io/assemble.h"

#include "io/variables.h"

#include <stdlib.h>

enum { EMPTY_MOST = 1 << 24 }; /* empty rows, or columns, that a file may have */

pith_status pith_i_check_sparse_shape(pith_ctx *ctx, const char *where, int64_t n, int64_t p, int64_t entries)
{
    const pith_status st = pith_i_check_shape(ctx, where, n, p);
    if (st != PITH_OK)
        return st;
    if (n > INT32_MAX)
        return pith_i_error(ctx, PITH_E_DATA, "%s: %lld sparse rows are too many: at most %d are allowed",
                            where, (long long)n, INT32_MAX);
    const bool rows = n - entries > EMPTY_MOST;
    if (rows || p - entries > EMPTY_MOST)
        return pith_i_error(ctx, PITH_E_DATA,
                            "%s: claims %lld %s but holds only %lld entries; the file is damaged, or its "
                            "empty %s should be dropped",
                            where, (long long)(rows ? n : p), rows ? "rows" : "columns", (long long)entries,
                            rows ? "rows" : "columns");
    return PITH_OK;
}

static int64_t row_bytes(const pith_i_data *X, int64_t i)
{
    return (X->indptr[i + 1] - X->indptr[i]) * (4 + (int64_t)pith_i_dtype_size(X->dtype)) + 8;
}

static bool ascends(const int32_t *col, int64_t from, int64_t to)
{
    for (int64_t e = from + 1; e < to; e++)
        if (col[e] <= col[e - 1])
            return false;
    return true;
}

typedef struct entry {
    int32_t col;
    int64_t place; /* in the file: equal columns are added in this order */
    double value;
} entry;

static int by_column(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->col != y->col)
        return x->col < y->col ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

/* Moves entries from..to-1 down to `at`, at <= from; returns the new end. */
static int64_t move_row(pith_i_data *X, int64_t from, int64_t to, int64_t at)
{
    for (int64_t e = from; e < to; e++, at++) {
        pith_i_data_indices(X)[at] = X->indices[e];
        pith_i_set_value(pith_i_data_values(X), X->dtype, at, pith_i_value(X->values, X->dtype, e));
    }
    return at;
}

/* The same, sorted by column, with equal columns summed in the order of the file. */
static int64_t settle_row(pith_i_data *X, int64_t from, int64_t to, int64_t at, entry *row)
{
    int32_t *col = pith_i_data_indices(X);
    void *values = pith_i_data_values(X);
    const int64_t count = to - from;
    for (int64_t e = 0; e < count; e++)
        row[e] = (entry){col[from + e], e, pith_i_value(values, X->dtype, from + e)};
    qsort(row, (size_t)count, sizeof *row, by_column);
    for (int64_t e = 0; e < count;) {
        const int32_t c = row[e].col;
        double sum = row[e++].value;
        while (e < count && row[e].col == c)
            sum += row[e++].value;
        col[at] = c;
        pith_i_set_value(values, X->dtype, at++, sum);
    }
    return at;
}

/* Sorts each row whose columns do not ascend, sums its duplicates, and moves rows down to close the gaps. */
static pith_status settle(pith_ctx *ctx, pith_i_data *X)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_status st = PITH_OK;
    int64_t longest = 0, at = 0, from = 0;
    entry *row = NULL;
    for (int64_t i = 0; i < X->n; i++) {
        const int64_t length = X->indptr[i + 1] - X->indptr[i];
        if (length > longest && !ascends(X->indices, X->indptr[i], X->indptr[i + 1]))
            longest = length;
        pith_i_touched(ctx, row_bytes(X, i));
    }
    if (longest == 0)
        return PITH_OK;
    TRY(pith_i_data_own(ctx, X));
    TRY(SCRATCH(ctx, row, longest));
    int64_t *start = pith_i_data_indptr(X);
    for (int64_t i = 0; i < X->n; i++) {
        const int64_t to = start[i + 1];
        if (!ascends(X->indices, from, to))
            at = settle_row(X, from, to, at, row);
        else
            at = at == from ? to : move_row(X, from, to, at);
        pith_i_touched(ctx, row_bytes(X, i));
        from = to;
        start[i + 1] = at;
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_sparse_check(pith_ctx *ctx, const pith_i_sparse *s)
{
    const int64_t major = s->by_columns ? s->p : s->n;
    pith_status st = PITH_OK;
    TRY(pith_i_check_sparse_shape(ctx, s->where, s->n, s->p, s->entries));
    if (s->pointers != major + 1)
        FAIL(ctx, PITH_E_DATA, "%s: %lld %s need %lld pointers, %lld found", s->where, (long long)major,
             s->by_columns ? "columns" : "rows", (long long)major + 1, (long long)s->pointers);
done:
    return st;
}

pith_status pith_i_sparse_new(pith_ctx *ctx, const pith_i_sparse *s, int64_t entries, pith_i_data *X)
{
    const int64_t major = s->by_columns ? s->p : s->n, minor = s->by_columns ? s->n : s->p;
    pith_status st = PITH_OK;
    TRY(pith_i_sparse_check(ctx, s));
    TRY(pith_i_data_new_csr(ctx, major, minor, entries, s->dtype, X));
done:
    return st;
}

/* Pointers must begin with 0, not decrease, and not exceed the number of entries (entries after the last
 * pointer are ignored); indices must be in range. */
static pith_status check_arrays(pith_ctx *ctx, const pith_i_sparse *s, const pith_i_data *X)
{
    const char *line = s->by_columns ? "column" : "row", *across = s->by_columns ? "row" : "column";
    if (X->indptr[0] != 0)
        return pith_i_error(ctx, PITH_E_DATA, "%s: its %s pointers do not begin with 0", s->where, line);
    for (int64_t i = 0; i < X->n; i++)
        if (X->indptr[i + 1] < X->indptr[i] || X->indptr[i + 1] > s->entries)
            return pith_i_error(ctx, PITH_E_DATA,
                                "%s: its %s pointers decrease, or exceed the %lld entries, at %s %lld",
                                s->where, line, (long long)s->entries, line, (long long)i);
    for (int64_t i = 0; i < X->n; i++) {
        for (int64_t e = X->indptr[i]; e < X->indptr[i + 1]; e++)
            if (X->indices[e] < 0 || X->indices[e] >= X->p)
                return pith_i_error(ctx, PITH_E_DATA, "%s: entry %lld lies in a %s outside of 0..%lld",
                                    s->where, (long long)e, across, (long long)X->p - 1);
        pith_i_touched(ctx, row_bytes(X, i));
    }
    return PITH_OK;
}

pith_status pith_i_sparse_finish(pith_ctx *ctx, const pith_i_sparse *s, pith_i_data *X, pith_i_data *out)
{
    pith_status st = PITH_OK;
    TRY(check_arrays(ctx, s, X));
    TRY(settle(ctx, X));
    if (s->by_columns) {
        TRY(pith_i_transpose(ctx, X, out));
        TRY(pith_i_data_keep_transpose(ctx, out, X));
    } else {
        *out = *X;
        *X = (pith_i_data){0};
    }
done:
    if (st != PITH_OK)
        pith_i_data_free(out);
    pith_i_data_free(X);
    return st;
}

/* Counting sort of the entries by row, stable in the order of the file. On entry start[i + 1] is the size of
 * row i. */
static void place_entries(const pith_i_coordinates *c, const int32_t *row, const int32_t *col, pith_i_data *X)
{
    int64_t *start = pith_i_data_indptr(X);
    for (int64_t i = 0; i < c->n; i++)
        start[i + 1] += start[i];
    for (int64_t e = 0; e < c->entries; e++) {
        const int64_t at = start[row[e]]++;
        double v = 0;
        pith_i_elements_convert(c->value_type, (const char *)c->values + e * c->value_type.size, 1, PITH_F64,
                                &v);
        pith_i_data_indices(X)[at] = col[e];
        pith_i_set_value(pith_i_data_values(X), X->dtype, at, v);
    }
    /* Filling advanced every start to its row's end, which is the start of the next row. */
    for (int64_t i = c->n; i > 0; i--)
        start[i] = start[i - 1];
    start[0] = 0;
}

pith_status pith_i_assemble_coordinates(pith_ctx *ctx, const pith_i_coordinates *c, pith_i_data *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_status st = PITH_OK;
    int32_t *row = NULL, *col = NULL;
    pith_i_data X = {0};
    TRY(pith_i_check_sparse_shape(ctx, c->where, c->n, c->p, c->entries));
    TRY(SCRATCH(ctx, row, c->entries));
    TRY(SCRATCH(ctx, col, c->entries));
    if (!pith_i_elements_int32(c->row_type, c->rows, c->entries, row) ||
        !pith_i_elements_int32(c->col_type, c->cols, c->entries, col))
        FAIL(ctx, PITH_E_DATA, "%s: its row or column numbers are not whole numbers", c->where);
    for (int64_t e = 0; e < c->entries; e++)
        if (row[e] < 0 || row[e] >= c->n || col[e] < 0 || col[e] >= c->p)
            FAIL(ctx, PITH_E_DATA, "%s: entry %lld lies outside of %lld x %lld", c->where, (long long)e,
                 (long long)c->n, (long long)c->p);
    TRY(pith_i_data_new_csr(ctx, c->n, c->p, c->entries, pith_i_element_dtype(c->value_type), &X));
    for (int64_t e = 0; e < c->entries; e++)
        pith_i_data_indptr(&X)[row[e] + 1]++;
    place_entries(c, row, col, &X);
    TRY(settle(ctx, &X));
    *out = X;
    X = (pith_i_data){0};
done:
    pith_i_data_free(&X);
    pith_i_scratch_release(ctx, mark);
    return st;
}
