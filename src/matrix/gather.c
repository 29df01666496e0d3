#include "matrix/gather.h"

#include "core/engine.h"

#include <string.h>

/* The local number of a row of the whole table; -1: another process holds it. */
static int64_t place_of(const pith_i_data *X, int64_t row)
{
    return row >= X->offset && row < X->offset + X->n ? row - X->offset : -1;
}

static pith_status gather_dense(pith_ctx *ctx, const pith_i_data *X, int64_t count, const int64_t *rows,
                                pith_i_data *out)
{
    pith_i_data all = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_data_new_dense(ctx, count, X->p, PITH_F64, &all));
    double *x = pith_i_data_x(&all);
    memset(x, 0, (size_t)(count * X->p) * sizeof *x);
    for (int64_t q = 0; q < count; q++)
        if (place_of(X, rows[q]) >= 0)
            pith_i_block(X, place_of(X, rows[q]), 1, 0, X->p, x + q * X->p, X->p);
    TRY(pith_i_sum(ctx, count * X->p, x));
    *out = all;
    all = (pith_i_data){0};
done:
    pith_i_data_free(&all);
    return st;
}

/* Row pointers of the gathered rows, count + 1 of them. */
static pith_status find_starts(pith_ctx *ctx, const pith_i_data *X, int64_t count, const int64_t *rows,
                               int64_t *start)
{
    pith_status st = PITH_OK;
    start[0] = 0;
    for (int64_t q = 0; q < count; q++) {
        const int64_t i = place_of(X, rows[q]);
        start[q + 1] = i >= 0 ? X->indptr[i + 1] - X->indptr[i] : 0;
    }
    TRY(pith_i_sum_counts(ctx, count + 1, start));
    for (int64_t q = 0; q < count; q++)
        start[q + 1] += start[q];
done:
    return st;
}

static pith_status gather_sparse(pith_ctx *ctx, const pith_i_data *X, int64_t count, const int64_t *rows,
                                 pith_i_data *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_data all = {0};
    int64_t *start = NULL;
    double *column = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, start, count + 1));
    TRY(find_starts(ctx, X, count, rows, start));
    const int64_t stored = start[count];
    TRY(SCRATCH_ZERO(ctx, column, stored));
    TRY(pith_i_data_new_csr(ctx, count, X->p, stored, PITH_F64, &all));
    double *values = pith_i_data_values(&all);
    memset(values, 0, (size_t)stored * sizeof *values);
    memcpy(pith_i_data_indptr(&all), start, (size_t)(count + 1) * sizeof *start);
    for (int64_t q = 0; q < count; q++) {
        const int64_t i = place_of(X, rows[q]);
        for (int64_t e = 0; i >= 0 && e < start[q + 1] - start[q]; e++) {
            column[start[q] + e] = X->indices[X->indptr[i] + e];
            values[start[q] + e] = pith_i_at(X, i, X->indptr[i] + e);
        }
    }
    TRY(pith_i_sum(ctx, stored, column));
    TRY(pith_i_sum(ctx, stored, values));
    for (int64_t e = 0; e < stored; e++)
        pith_i_data_indices(&all)[e] = (int32_t)column[e];
    *out = all;
    all = (pith_i_data){0};
done:
    pith_i_data_free(&all);
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_gather_rows(pith_ctx *ctx, const pith_i_data *X, int64_t count, const int64_t *rows,
                               pith_i_data *out)
{
    return (X->sparse ? gather_sparse : gather_dense)(ctx, X, count, rows, out);
}

pith_status pith_i_sum_over(pith_ctx *ctx, const pith_i_data *X, int64_t count, double *sums)
{
    return pith_i_is_spread(X) ? pith_i_sum(ctx, count, sums) : PITH_OK;
}

pith_status pith_i_multiply_t_all(pith_ctx *ctx, const pith_i_data *X, int64_t m, const double *B, double *Y)
{
    pith_status st = PITH_OK;
    TRY(pith_i_multiply_t(ctx, X, m, B, Y));
    TRY(pith_i_sum_over(ctx, X, X->p * m, Y));
done:
    return st;
}
