#include "graph/knn_index.h"
#include "matrix/simd.h"

#include <string.h>

enum { SLICE = 4096, LEAST_SLICE = 512, ENTRIES = 2000000, WIDE = 8, AHEAD = 6, TOGETHER = 4 };

int64_t pith_i_index_slice(const pith_i_rows *R)
{
    const int64_t each = R->X.n > 0 ? pith_i_stored(&R->X) / R->X.n : 0;
    int64_t rows = SLICE;
    while (rows > LEAST_SLICE && (rows * each > ENTRIES || rows / 2 >= R->X.n))
        rows /= 2;
    return rows;
}

static int64_t row_at(const int64_t *ids, int64_t at)
{
    return ids != NULL ? ids[at] : at;
}

/* Entries of every column j in count[j]. */
static void count_columns(const pith_i_data *X, const int64_t *ids, int64_t first, int64_t rows,
                          int64_t *count)
{
    memset(count, 0, (size_t)X->p * sizeof *count);
    for (int64_t r = first; r < first + rows; r++)
        for (int64_t i = row_at(ids, r), e = X->indptr[i]; e < X->indptr[i + 1]; e++)
            count[X->indices[e]]++;
}

/* More than one row in WIDE has it. */
static bool is_wide(const pith_i_index *index, int64_t count, int64_t rows)
{
    return index->widens && count * WIDE > rows;
}

pith_status pith_i_index_reserve(pith_ctx *ctx, const pith_i_rows *R, const int64_t *ids, int64_t total,
                                 int64_t rows, pith_i_index *index)
{
    const int64_t p = R->X.p;
    pith_status st = PITH_OK;
    int64_t most = 0, most_wide = 0;
    index->ld = rows;
    TRY(SCRATCH(ctx, index->start, p + 1));
    TRY(SCRATCH(ctx, index->wide, p));
    for (int64_t first = 0; first < total; first += rows) {
        const int64_t held = total - first < rows ? total - first : rows;
        int64_t entries = 0, wide = 0;
        count_columns(&R->X, ids, first, held, index->start);
        for (int64_t j = 0; j < p; j++) {
            const bool is = is_wide(index, index->start[j], held);
            wide += is;
            entries += is ? 0 : index->start[j];
        }
        most = entries > most ? entries : most;
        most_wide = wide > most_wide ? wide : most_wide;
    }
    TRY(SCRATCH(ctx, index->row, most));
    TRY(SCRATCH(ctx, index->column, most_wide * rows));
    index->value = pith_i_scratch(ctx, most, pith_i_dtype_size(index->dtype));
    if (index->value == NULL)
        st = PITH_E_NOMEM;
done:
    return st;
}

static double z_value(const pith_i_rows *R, int64_t i, int64_t e)
{
    return pith_i_at(&R->X, i, e) * R->factor[i] * R->scale;
}

/* Column counts to column starts; wide columns get a number and no entries. */
static void lay_out(pith_i_index *index, int64_t p)
{
    int64_t at = 0;
    int32_t wide = 0;
    for (int64_t j = 0; j < p; j++) {
        const int64_t count = index->start[j];
        const bool is = is_wide(index, count, index->rows);
        index->start[j] = at;
        index->wide[j] = is ? wide++ : -1;
        at += is ? 0 : count;
    }
    index->start[p] = at;
    memset(index->column, 0, (size_t)(wide * index->ld) * sizeof *index->column);
}

void pith_i_index_fill(pith_i_index *index, const pith_i_rows *R, const int64_t *ids, int64_t first,
                       int64_t rows)
{
    const pith_i_data *X = &R->X;
    int64_t *start = index->start;
    index->rows = rows;
    count_columns(X, ids, first, rows, start);
    lay_out(index, X->p);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t i = row_at(ids, first + r), e = X->indptr[i]; e < X->indptr[i + 1]; e++) {
            const int32_t j = X->indices[e], wide = index->wide[j];
            if (wide >= 0) {
                index->column[wide * index->ld + r] = (float)z_value(R, i, e);
            } else {
                index->row[start[j]] = (uint16_t)r;
                pith_i_set_value(index->value, index->dtype, start[j]++, z_value(R, i, e));
            }
        }
    /* Filling moved every start to its end, which is the next one's start. */
    memmove(start + 1, start, (size_t)X->p * sizeof *start);
    start[0] = 0;
}

/* The first entry of column j whose row comes after the given one. */
static int64_t entry_after(const pith_i_index *index, int64_t j, int64_t after)
{
    int64_t lo = index->start[j], hi = index->start[j + 1];
    while (after >= 0 && lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;
        if (index->row[mid] <= after)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* acc += z_0 column_0 + ... */
PITH_I_CLONES static void add_wide(const float z[TOGETHER], const float *const column[TOGETHER], int64_t rows,
                                   float *acc)
{
    const float *a = column[0], *b = column[1], *c = column[2], *d = column[3];
    const float za = z[0], zb = z[1], zc = z[2], zd = z[3];
#pragma omp simd
    for (int64_t r = 0; r < rows; r++)
        acc[r] += (za * a[r] + zb * b[r]) + (zc * c[r] + zd * d[r]);
}

/* The columns of a row are few and far apart: prefetches the list of one that comes soon. */
static inline void look_ahead(const pith_i_index *index, const pith_i_data *X, int64_t e, int64_t end)
{
    if (e + AHEAD < end) {
        const int64_t at = index->start[X->indices[e + AHEAD]];
        __builtin_prefetch(index->row + at);
        __builtin_prefetch((const float *)index->value + at);
        __builtin_prefetch((const float *)index->value + at + 16);
    }
}

void pith_i_index_add_f32(const pith_i_index *index, const pith_i_rows *R, int64_t i, int64_t after,
                          float factor, float *acc)
{
    const pith_i_data *X = &R->X;
    const int64_t first = after < 0 ? 0 : after; /* wide columns: row `after` itself does no harm */
    const uint16_t *row = index->row;
    const float *value = index->value, *column[TOGETHER] = {0};
    float wide[TOGETHER] = {0};
    int waiting = 0;
    for (int64_t e = X->indptr[i]; e < X->indptr[i + 1]; e++) {
        const int64_t j = X->indices[e], end = index->start[j + 1];
        const float z = factor * (float)z_value(R, i, e);
        look_ahead(index, X, e, X->indptr[i + 1]);
        if (index->wide[j] >= 0) {
            wide[waiting] = z;
            column[waiting++] = index->column + index->wide[j] * index->ld + first;
        }
        if (waiting == TOGETHER) {
            add_wide(wide, column, index->rows - first, acc + first);
            waiting = 0;
        }
        for (int64_t x = entry_after(index, j, after); x < end; x++)
            acc[row[x]] += z * value[x];
    }
    if (waiting > 0) {
        for (int w = waiting; w < TOGETHER; w++) {
            wide[w] = 0;
            column[w] = column[0];
        }
        add_wide(wide, column, index->rows - first, acc + first);
    }
}

void pith_i_index_add_f64(const pith_i_index *index, const pith_i_rows *R, int64_t i, int64_t after,
                          double *acc, uint8_t *touched)
{
    const double *value = index->value;
    for (int64_t e = R->X.indptr[i]; e < R->X.indptr[i + 1]; e++) {
        const int64_t j = R->X.indices[e], end = index->start[j + 1];
        const double z = z_value(R, i, e);
        for (int64_t x = entry_after(index, j, after); x < end; x++) {
            acc[index->row[x]] += z * value[x];
            if (touched != NULL)
                touched[index->row[x]] = 1;
        }
    }
}
