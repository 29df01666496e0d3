/*
 * Quantile normalisation (Bolstad): every sample gets the same distribution of values, the mean of all
 * samples' distributions. With row i sorted as s_i1 <= ... <= s_ip and q_k = mean over i of s_ik, the value
 * of rank k in its row becomes q_k; equal values get the mean of the q of their ranks.
 */
#include "prep/step.h"

#include "core/parallel.h"

#include <stdlib.h>

enum { BATCH = 64 }; /* rows that are sorted in parallel and then added in their order */

typedef struct cell {
    double value;
    int64_t column;
} cell;

static int by_value(const void *a, const void *b)
{
    const double x = ((const cell *)a)->value, y = ((const cell *)b)->value;
    return (x > y) - (x < y);
}

static void sort_row(const pith_i_data *X, int64_t i, cell *sorted)
{
    for (int64_t j = 0; j < X->p; j++)
        sorted[j] = (cell){pith_i_value(X->x, X->dtype, i * X->p + j), j};
    qsort(sorted, (size_t)X->p, sizeof *sorted, by_value);
}

/* q, from rows sorted in batches. sorted: BATCH x p. */
static pith_status mean_profile(pith_ctx *ctx, const pith_i_data *X, cell *sorted, double *q)
{
    pith_status st = PITH_OK;
    for (int64_t i = 0; i < X->n; i += BATCH) {
        const int64_t rows = X->n - i < BATCH ? X->n - i : BATCH;
        TRY(pith_i_progress(ctx, i, X->n));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic)
        for (int64_t r = 0; r < rows; r++)
            sort_row(X, i + r, sorted + r * X->p);
        for (int64_t r = 0; r < rows; r++)
            for (int64_t k = 0; k < X->p; k++)
                q[k] += sorted[r * X->p + k].value;
    }
    for (int64_t k = 0; k < X->p; k++)
        q[k] /= (double)X->n;
done:
    return st;
}

static void replace_row(pith_i_data *X, int64_t i, const double *q, cell *sorted)
{
    sort_row(X, i, sorted);
    for (int64_t from = 0, to = 0; from < X->p; from = to) {
        double sum = 0;
        for (to = from; to < X->p && sorted[to].value == sorted[from].value; to++)
            sum += q[to];
        for (int64_t k = from; k < to; k++)
            pith_i_set_value(pith_i_data_x(X), X->dtype, i * X->p + sorted[k].column,
                             sum / (double)(to - from));
    }
}

static pith_status quantile(pith_ctx *ctx, pith_i_data *X, const double *values)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int threads = pith_ctx_threads(ctx);
    cell *sorted = NULL;
    double *q = NULL;
    pith_status st = PITH_OK;
    (void)values;
    TRY(pith_i_make_dense(ctx, "quantile", X));
    TRY(SCRATCH_ZERO(ctx, q, X->p));
    TRY(SCRATCH(ctx, sorted, (threads > BATCH ? threads : BATCH) * X->p));
    TRY(mean_profile(ctx, X, sorted, q));
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t i = 0; i < X->n; i++)
        replace_row(X, i, q, sorted + pith_i_thread() * X->p);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

const pith_i_step pith_i_step_quantile = {
    .name = "quantile",
    .title = "quantile normalisation: gives all samples the same distribution of values; ties are averaged",
    .change = quantile,
};
