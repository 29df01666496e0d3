#include "methods/count_columns.h"

#include "core/engine.h"
#include "core/parallel.h"

/* The entries of column j that are not 0; f: n numbers for dense data. */
static int64_t load(const pith_i_input *in, int64_t j, double *f, int32_t *row, double *value)
{
    int64_t count = 0;
    if (in->X->sparse) {
        for (int64_t e = in->T->indptr[j]; e < in->T->indptr[j + 1]; e++) {
            row[count] = in->T->indices[e];
            value[count] = pith_i_at(in->T, j, e);
            count += value[count] != 0;
        }
        return count;
    }
    pith_i_column(in->X, j, f);
    for (int64_t i = 0; i < in->n; i++)
        if (f[i] != 0) {
            row[count] = (int32_t)i;
            value[count++] = f[i];
        }
    return count;
}

static pith_status visit_columns(pith_ctx *ctx, const pith_i_input *in, int64_t passes,
                                 const pith_i_count_pass *pass, void *user)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int threads = pith_ctx_threads(ctx);
    const int64_t n = in->n, p = in->p;
    double *columns = NULL, *values = NULL;
    int32_t *rows = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, columns, in->X->sparse ? 0 : n * threads));
    TRY(SCRATCH(ctx, values, n * threads));
    TRY(SCRATCH(ctx, rows, n * threads));
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16)
    for (int64_t j = 0; j < p; j++)
        if (!pith_i_progress_stop(ctx, j, p)) {
            const int64_t room = n * pith_i_thread();
            const int64_t count =
                load(in, j, in->X->sparse ? NULL : columns + room, rows + room, values + room);
            const pith_i_count_column c = {j, count, rows + room, values + room};
            for (int64_t k = 0; k < passes; k++)
                pass[k].visit(&c, user);
        }
    TRY(pith_i_stop_status(ctx));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_count_columns(pith_ctx *ctx, const pith_i_input *in, int64_t passes,
                                 const pith_i_count_pass *pass, void *user)
{
    pith_status st = PITH_OK;
    if (!pith_i_is_spread(in->X))
        return visit_columns(ctx, in, passes, pass, user);
    for (int64_t k = 0; k < passes; k++) {
        TRY(visit_columns(ctx, in, 1, pass + k, user));
        TRY(pith_i_sum(ctx, in->p, pass[k].sum));
    }
done:
    return st;
}

static double row_total(const pith_i_data *X, int64_t i)
{
    double row[PITH_I_TILE_COLS], sum = 0;
    for (int64_t e = X->sparse ? X->indptr[i] : 0; X->sparse && e < X->indptr[i + 1]; e++)
        sum += pith_i_at(X, i, e);
    for (int64_t j = 0; !X->sparse && j < X->p; j += PITH_I_TILE_COLS) {
        const int64_t cols = X->p - j < PITH_I_TILE_COLS ? X->p - j : PITH_I_TILE_COLS;
        pith_i_block(X, i, 1, j, cols, row, cols);
        for (int64_t t = 0; t < cols; t++)
            sum += row[t];
    }
    return sum;
}

void pith_i_count_totals(pith_ctx *ctx, const pith_i_data *X, double *total)
{
#pragma omp parallel for num_threads(pith_ctx_threads(ctx))
    for (int64_t i = 0; i < X->n; i++)
        total[i] = row_total(X, i);
}
