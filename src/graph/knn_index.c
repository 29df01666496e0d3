#include "graph/knn_index.h"

#include <string.h>

enum { SLICE = 4096, LEAST_SLICE = 512, ENTRIES = 4000000 };

int64_t pith_i_index_slice(const pith_i_rows *R)
{
    const int64_t each = R->X.n > 0 ? pith_i_stored(&R->X) / R->X.n : 0;
    int64_t rows = SLICE;
    while (rows > LEAST_SLICE && rows * each > ENTRIES)
        rows /= 2;
    return rows;
}

static int64_t row_at(const int64_t *ids, int64_t at)
{
    return ids != NULL ? ids[at] : at;
}

pith_status pith_i_index_reserve(pith_ctx *ctx, const pith_i_rows *R, const int64_t *ids, int64_t total,
                                 int64_t rows, pith_dtype dtype, pith_i_index *out)
{
    pith_i_index index = {.dtype = dtype};
    pith_status st = PITH_OK;
    int64_t most = 0;
    for (int64_t first = 0; first < total; first += rows) {
        int64_t entries = 0;
        for (int64_t r = first; r < first + rows && r < total; r++)
            entries += R->X.indptr[row_at(ids, r) + 1] - R->X.indptr[row_at(ids, r)];
        most = entries > most ? entries : most;
    }
    TRY(SCRATCH(ctx, index.start, R->X.p + 1));
    TRY(SCRATCH(ctx, index.row, most));
    index.value = pith_i_scratch(ctx, most, pith_i_dtype_size(dtype));
    if (index.value == NULL)
        return PITH_E_NOMEM;
    *out = index;
done:
    return st;
}

static double z_value(const pith_i_rows *R, int64_t i, int64_t e)
{
    return pith_i_value(R->X.values, R->X.dtype, e) * R->factor[i] * R->scale;
}

void pith_i_index_fill(pith_i_index *index, const pith_i_rows *R, const int64_t *ids, int64_t first,
                       int64_t rows)
{
    const pith_i_data *X = &R->X;
    int64_t *start = index->start;
    index->rows = rows;
    memset(start, 0, (size_t)(X->p + 1) * sizeof *start);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t i = row_at(ids, first + r), e = X->indptr[i]; e < X->indptr[i + 1]; e++)
            start[X->indices[e] + 1]++;
    for (int64_t j = 0; j < X->p; j++)
        start[j + 1] += start[j];
    for (int64_t r = 0; r < rows; r++)
        for (int64_t i = row_at(ids, first + r), e = X->indptr[i]; e < X->indptr[i + 1]; e++) {
            const int64_t at = start[X->indices[e]]++;
            index->row[at] = (uint16_t)r;
            pith_i_set_value(index->value, index->dtype, at, z_value(R, i, e));
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

void pith_i_index_add_f32(const pith_i_index *index, const pith_i_rows *R, int64_t i, int64_t after,
                          float factor, float *acc)
{
    const float *value = index->value;
    for (int64_t e = R->X.indptr[i]; e < R->X.indptr[i + 1]; e++) {
        const int64_t j = R->X.indices[e], end = index->start[j + 1];
        const float z = factor * (float)z_value(R, i, e);
        for (int64_t x = entry_after(index, j, after); x < end; x++)
            acc[index->row[x]] += z * value[x];
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
