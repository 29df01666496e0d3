#include "methods/fsasl/combinations.h"

#include "core/engine.h"
#include "core/parallel.h"
#include "linalg/eigen.h"

#include <stdlib.h>
#include <string.h>

void pith_i_combinations_free(pith_i_combinations *C)
{
    pith_i_data_free(&C->M);
    pith_i_halo_free(&C->halo);
}

pith_status pith_i_combinations_new(pith_ctx *ctx, const pith_i_data *X, int64_t stored, const int64_t *id,
                                    pith_i_combinations *out)
{
    const bool spread = pith_i_is_spread(X);
    pith_i_combinations C = {0};
    pith_status st = PITH_OK;
    if (spread)
        TRY(pith_i_halo_new(ctx, X->n, X->offset, stored, id, &C.halo));
    TRY(pith_i_data_new_csr(ctx, X->n, X->n + C.halo.count, stored, PITH_F64, &C.M));
    pith_i_same_rows(X, &C.M);
    for (int64_t e = 0; e < stored; e++)
        pith_i_data_indices(&C.M)[e] = (int32_t)(spread ? pith_i_halo_place(&C.halo, id[e]) : id[e]);
    *out = C;
    C = (pith_i_combinations){0};
done:
    pith_i_combinations_free(&C);
    return st;
}

/* ---- The transpose ------------------------------------------------------------------------------------- */

/* An entry, by the samples' numbers in the whole table. */
typedef struct entry {
    int64_t row, col;
    double value;
} entry;

static int by_place(const void *x, const void *y)
{
    const entry *a = x, *b = y;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    return (a->col > b->col) - (a->col < b->col);
}

/* All entries held here, turned over. Their order by rows is also that of the processes. */
static pith_status list_entries(pith_ctx *ctx, const pith_i_combinations *C, entry **out)
{
    const pith_i_data *M = &C->M;
    const int64_t stored = M->indptr[M->n];
    entry *all = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, all, stored));
    for (int64_t i = 0; i < M->n; i++)
        for (int64_t e = M->indptr[i]; e < M->indptr[i + 1]; e++) {
            const int64_t l = M->indices[e];
            all[e] = (entry){l < M->n ? M->offset + l : C->halo.id[l - M->n], M->offset + i,
                             ((const double *)M->values)[e]};
        }
    qsort(all, (size_t)stored, sizeof *all, by_place);
    *out = all;
done:
    return st;
}

/* Every entry goes to the process that holds its row. What came is sorted again. */
static pith_status send_entries(pith_ctx *ctx, const pith_i_data *M, int64_t count, const entry *all,
                                int64_t *came, entry **out)
{
    const int processes = pith_i_processes(ctx);
    int64_t *start = NULL, *at = NULL, *came_at = NULL;
    void *bytes = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, start, processes + 1));
    TRY(SCRATCH(ctx, at, processes + 1));
    TRY(pith_i_row_starts(ctx, M->n, start));
    for (int64_t r = 0, e = 0; r <= processes; r++) {
        while (e < count && all[e].row < start[r])
            e++;
        at[r] = e * (int64_t)sizeof *all;
    }
    TRY(pith_i_exchange(ctx, at, all, &came_at, &bytes));
    *came = came_at[processes] / (int64_t)sizeof *all;
    *out = bytes;
    qsort(*out, (size_t)*came, sizeof **out, by_place);
done:
    return st;
}

static pith_status transpose_spread(pith_ctx *ctx, const pith_i_combinations *C, pith_i_combinations *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_data *M = &C->M;
    entry *own = NULL, *all = NULL;
    int64_t *id = NULL, count = 0;
    pith_status st = PITH_OK;
    TRY(list_entries(ctx, C, &own));
    TRY(send_entries(ctx, M, M->indptr[M->n], own, &count, &all));
    TRY(SCRATCH(ctx, id, count));
    for (int64_t e = 0; e < count; e++)
        id[e] = all[e].col;
    TRY(pith_i_combinations_new(ctx, M, count, id, out));
    int64_t *row = pith_i_data_indptr(&out->M);
    memset(row, 0, (size_t)(M->n + 1) * sizeof *row);
    for (int64_t e = 0; e < count; e++) {
        row[all[e].row - M->offset + 1]++;
        ((double *)pith_i_data_values(&out->M))[e] = all[e].value;
    }
    for (int64_t i = 0; i < M->n; i++)
        row[i + 1] += row[i];
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_combinations_transpose(pith_ctx *ctx, const pith_i_combinations *C,
                                          pith_i_combinations *out)
{
    return pith_i_is_spread(&C->M) ? transpose_spread(ctx, C, out) : pith_i_transpose(ctx, &C->M, &out->M);
}

/* ---- Products ------------------------------------------------------------------------------------------ */

/* x with the numbers of the halo's samples behind it, in scratch. */
static pith_status with_halo(pith_ctx *ctx, const pith_i_combinations *C, const double **x)
{
    const int64_t n = C->M.n;
    double *with = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, with, n + C->halo.count));
    if (n > 0)
        memcpy(with, *x, (size_t)n * sizeof *with);
    TRY(pith_i_halo_numbers(ctx, &C->halo, 1, with, with + n));
    *x = with;
done:
    return st;
}

pith_status pith_i_combinations_rest(pith_ctx *ctx, const pith_i_combinations *C, const double *x, double *y)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_data *M = &C->M;
    const double *value = M->values;
    pith_status st = PITH_OK;
    if (pith_i_is_spread(M))
        TRY(with_halo(ctx, C, &x));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(static, 64) if (M->indptr[M->n] > 500000)
    for (int64_t i = 0; i < M->n; i++) {
        double sum = x[i];
        for (int64_t e = M->indptr[i]; e < M->indptr[i + 1]; e++)
            sum -= value[e] * x[M->indices[e]];
        y[i] = sum;
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_combinations_bound(pith_ctx *ctx, const pith_i_combinations *C, double *out)
{
    *out = pith_i_row_sum_bound(C->M.n, C->M.indptr, C->M.values, 1);
    return pith_i_is_spread(&C->M) ? pith_i_sum_by(ctx, PITH_ENGINE_MOST, 1, out) : PITH_OK;
}
