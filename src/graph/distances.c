#include "graph/distances.h"

#include "core/parallel.h"
#include "graph/knn_rows.h"
#include "matrix/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- All pairs ---------------------------------------------------------------------------------------- */

static void fill_rows(pith_ctx *ctx, const pith_i_rows *R, double *spread, double *D)
{
    const int64_t n = R->X.n, width = spread != NULL ? R->X.p : 0;
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic)
    for (int64_t i = 0; i < n; i++) {
        pith_i_probe probe;
        if (pith_i_progress_stop(ctx, i * (2 * n - i) / 2, n * n / 2))
            continue;
        pith_i_probe_start(&probe, R, i, width > 0 ? spread + pith_i_thread() * width : NULL);
        D[i * n + i] = 0;
        for (int64_t l = i + 1; l < n; l++)
            D[i * n + l] = D[l * n + i] = sqrt(pith_i_probe_distance2(&probe, l));
        pith_i_probe_end(&probe);
    }
}

pith_status pith_i_distances(pith_ctx *ctx, const pith_i_data *X, pith_i_metric metric, double *D)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_rows R = {0};
    double *spread = NULL;
    pith_status st = PITH_OK;
    if (X->n > PITH_I_MOST_DISTANCES)
        FAIL(ctx, PITH_E_DATA,
             "%lld samples are too many to hold all pairwise distances: at most %d are allowed",
             (long long)X->n, PITH_I_MOST_DISTANCES);
    TRY(pith_i_rows_open(ctx, X, metric, &R));
    if (R.X.sparse)
        TRY(SCRATCH_ZERO(ctx, spread, pith_ctx_threads(ctx) * X->p));
    fill_rows(ctx, &R, spread, D);
    TRY(pith_i_stop_status(ctx));
done:
    pith_i_rows_close(&R);
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- Widths ------------------------------------------------------------------------------------------- */

double pith_i_width_rule(int64_t n, int64_t rows, double kth_sum, double sum)
{
    const double width = kth_sum / (double)rows, mean = sum / ((double)rows * (double)n);
    return width > 1e-6 * mean ? width : mean;
}

pith_status pith_i_width(pith_ctx *ctx, int64_t n, const double *D, int64_t k, double *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    double *copy = NULL, *kth = NULL, *sum = NULL, kth_sum = 0, total = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, copy, n * pith_ctx_threads(ctx)));
    TRY(SCRATCH(ctx, kth, n));
    TRY(SCRATCH_ZERO(ctx, sum, n));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic, 16)
    for (int64_t i = 0; i < n; i++) {
        double *row = copy + n * pith_i_thread();
        memcpy(row, D + i * n, (size_t)n * sizeof *row);
        for (int64_t l = 0; l < n; l++)
            sum[i] += row[l];
        kth[i] = pith_i_kth_smallest(n, row, k); /* the row itself is number 0 */
    }
    for (int64_t i = 0; i < n; i++) {
        kth_sum += kth[i];
        total += sum[i];
    }
    *out = pith_i_width_rule(n, n, kth_sum, total);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double pith_i_width_of_column(int64_t n, double *x, int64_t k)
{
    double kth_sum = 0, sum = 0;
    qsort(x, (size_t)n, sizeof *x, by_value);
    /* x[i] and its k nearest are a run of k + 1 values in sorted order; the run moves up with i. */
    for (int64_t i = 0, first = 0; i < n; i++) {
        while (first + k + 1 < n && x[first + k + 1] - x[i] < x[i] - x[first])
            first++;
        kth_sum += fmax(x[i] - x[first], x[first + k] - x[i]);
    }
    /* A gap counts for every pair with one point on either side. All terms are positive: nothing cancels. */
    for (int64_t i = 0; i + 1 < n; i++)
        sum += 2 * (double)(i + 1) * (double)(n - i - 1) * (x[i + 1] - x[i]);
    return pith_i_width_rule(n, n, kth_sum, sum);
}
