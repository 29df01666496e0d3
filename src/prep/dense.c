/* Shared by steps: making sparse data dense, and refusing negative values. */
#include "prep/step.h"

pith_status pith_i_make_dense(pith_ctx *ctx, const char *step, pith_i_data *X)
{
    const int64_t size = (int64_t)pith_i_dtype_size(X->dtype), stored = pith_i_stored(X);
    pith_i_data dense = {0};
    char now[32], then[32];
    int64_t bytes = 0;
    pith_status st = PITH_OK;
    if (!X->sparse)
        return PITH_OK;
    if (__builtin_mul_overflow(X->n, X->p, &bytes) || __builtin_mul_overflow(bytes, size, &bytes))
        bytes = INT64_MAX;
    pith_i_note(ctx, "%s makes sparse data dense: %s instead of %s", step, pith_i_bytes_text(bytes, then),
                pith_i_bytes_text(stored * (size + 4) + (X->n + 1) * 8, now));
    TRY(pith_i_data_new_dense(ctx, X->n, X->p, X->dtype, &dense));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(static)
    for (int64_t i = 0; i < X->n; i++) {
        for (int64_t e = i * X->p; e < (i + 1) * X->p; e++)
            pith_i_set_value(pith_i_data_x(&dense), X->dtype, e, 0);
        for (int64_t e = X->indptr[i]; e < X->indptr[i + 1]; e++)
            pith_i_set_value(pith_i_data_x(&dense), X->dtype, i * X->p + X->indices[e],
                             pith_i_value(X->values, X->dtype, e));
    }
    dense.offset = X->offset;
    pith_i_data_free(X);
    *X = dense;
done:
    return st;
}

pith_status pith_i_refuse_negative(pith_ctx *ctx, const char *step, const pith_i_data *X)
{
    const void *cells = X->sparse ? X->values : X->x;
    for (int64_t i = 0; i < X->n; i++)
        for (int64_t e = pith_i_cells_from(X, i); e < pith_i_cells_to(X, i); e++)
            if (pith_i_value(cells, X->dtype, e) < 0)
                return pith_i_error(ctx, PITH_E_DATA,
                                    "%s is for counts: row %lld, column %lld (counted from 1) is negative",
                                    step, (long long)i + 1, (long long)pith_i_cell_column(X, i, e) + 1);
    return PITH_OK;
}
