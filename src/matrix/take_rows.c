/* Some rows of a table, as a table of their own. */
#include "matrix/matrix.h"

#include <string.h>

static pith_status take_dense(pith_ctx *ctx, const pith_i_data *X, int64_t count, const int64_t *rows,
                              pith_i_data *out)
{
    const pith_status st = pith_i_data_new_dense(ctx, count, X->p, X->dtype, out);
    for (int64_t i = 0; st == PITH_OK && X->of.map != NULL && i < count; i++) /* a view has doubles */
        pith_i_block(X, rows[i], 1, 0, X->p, (double *)pith_i_data_x(out) + i * X->p, X->p);
    for (int64_t i = 0; st == PITH_OK && X->of.map == NULL && i < count; i++)
        for (int64_t j = 0; j < X->p; j++)
            pith_i_set_value(pith_i_data_x(out), X->dtype, i * X->p + j,
                             pith_i_value(X->x, X->dtype, rows[i] * X->row_stride + j * X->col_stride));
    return st;
}

static pith_status take_sparse(pith_ctx *ctx, const pith_i_data *X, int64_t count, const int64_t *rows,
                               pith_i_data *out)
{
    const size_t size = pith_i_dtype_size(X->dtype);
    int64_t nnz = 0;
    for (int64_t i = 0; i < count; i++)
        nnz += X->indptr[rows[i] + 1] - X->indptr[rows[i]];
    const pith_status st = pith_i_data_new_csr(ctx, count, X->p, nnz, X->dtype, out);
    if (st != PITH_OK)
        return st;
    int64_t *start = pith_i_data_indptr(out);
    for (int64_t i = 0; i < count; i++) {
        const int64_t from = X->indptr[rows[i]], many = X->indptr[rows[i] + 1] - from;
        memcpy(pith_i_data_indices(out) + start[i], X->indices + from, (size_t)many * sizeof(int32_t));
        for (int64_t e = 0; X->of.map != NULL && e < many; e++)
            ((double *)pith_i_data_values(out))[start[i] + e] = pith_i_at(X, rows[i], from + e);
        if (X->of.map == NULL)
            memcpy((char *)pith_i_data_values(out) + (size_t)start[i] * size,
                   (const char *)X->values + (size_t)from * size, (size_t)many * size);
        start[i + 1] = start[i] + many;
    }
    return PITH_OK;
}

pith_status pith_i_take_rows(pith_ctx *ctx, const pith_i_data *X, int64_t count, const int64_t *rows,
                             pith_i_data *out)
{
    return X->sparse ? take_sparse(ctx, X, count, rows, out) : take_dense(ctx, X, count, rows, out);
}

pith_status pith_i_matrix_take_rows(pith_ctx *ctx, const pith_matrix *m, int64_t count, const int64_t *rows,
                                    pith_matrix **out)
{
    pith_matrix *taken = NULL;
    pith_status st = PITH_OK;
    TRY(pith_i_matrix_new(ctx, &taken));
    TRY(pith_i_take_rows(ctx, &m->data, count, rows, &taken->data));
    TRY(pith_i_labels_take(ctx, m, count, rows, taken));
    taken->known_finite = m->known_finite;
    *out = taken;
    taken = NULL;
done:
    pith_matrix_free(taken);
    return st;
}

pith_status pith_i_take_labelled(pith_ctx *ctx, const pith_matrix *m, pith_matrix **out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t labelled = pith_i_labelled(m);
    int64_t *rows = NULL, count = 0;
    pith_status st = PITH_OK;
    if (labelled == 0 || labelled == m->data.n)
        return PITH_OK;
    TRY(SCRATCH(ctx, rows, labelled));
    for (int64_t i = 0; i < m->data.n; i++)
        if (m->label[i] >= 0)
            rows[count++] = i;
    TRY(pith_i_matrix_take_rows(ctx, m, count, rows, out));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
