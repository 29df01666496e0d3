/* How well some columns find the groups of an ensemble again. */
#include "cluster/contingency.h"
#include "cluster/kmeans.h"
#include "linalg/eigen.h"
#include "matrix/blas.h"
#include "methods/ensemble.h"

#include <math.h>

pith_status pith_i_ensemble_agreement(pith_ctx *ctx, const pith_i_ensemble *e, int64_t groups,
                                      const int32_t *label, double *out)
{
    double sum = 0, count = 0;
    pith_status st = PITH_OK;
    for (int64_t b = 0; b < e->options.draws; b++) {
        pith_i_contingency table = {0};
        if (e->groups[b] != groups)
            continue;
        TRY(pith_i_is_spread(e->samples)
                ? pith_i_contingency_of_all(ctx, e->n, groups, label, groups, e->label + b * e->n, &table)
                : pith_i_contingency_make(ctx, e->n, label, e->label + b * e->n, &table));
        sum += pith_i_nmi(&table, PITH_I_NMI_MAX);
        count++;
        pith_i_contingency_free(&table);
    }
    *out = count > 0 ? sum / count : (double)NAN;
done:
    return st;
}

/* The draws that are the first with a number of groups that stands for c. */
static int64_t first_draws(const pith_i_ensemble *e, int64_t first[3])
{
    const int64_t numbers = e->options.clusters > 0 ? 1 : 3, step = pith_i_is_balanced(&e->options) ? 2 : 1;
    int64_t count = 0;
    for (int64_t b = 0; b < e->options.draws && count < numbers; b += step)
        first[count++] = b;
    return count;
}

/* Of the best run, or the mean of all. */
static pith_status agreement_of_runs(pith_ctx *ctx, const pith_i_ensemble *e, const pith_i_kmeans *runs,
                                     bool every, int64_t groups, double *out)
{
    double sum = 0;
    pith_status st = PITH_OK;
    if (!every)
        return pith_i_ensemble_agreement(ctx, e, groups, pith_i_kmeans_best(runs), out);
    for (int64_t r = 0; r < runs->restarts; r++) {
        double agreement = 0;
        TRY(pith_i_ensemble_agreement(ctx, e, groups, runs->labels + r * runs->n, &agreement));
        sum += agreement;
    }
    *out = sum / (double)runs->restarts;
done:
    return st;
}

static void center(int64_t n, int64_t cols, double *x)
{
    for (int64_t c = 0; c < cols; c++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += x[i * cols + c];
        for (int64_t i = 0; i < n; i++)
            x[i * cols + c] -= sum / (double)n;
    }
}

/*
 * Dense rows of many more columns than there are rows, as points of n dimensions at the same distances: the
 * rows of V L^1/2, where V L V' is the product of the centred rows with each other. k-means on them makes the
 * same clusters, and does not cost what all the columns would.
 */
static pith_status reduce_wide(pith_ctx *ctx, pith_i_data *X)
{
    enum { FEW_ROWS = 1000, CHUNK = 256 };
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = X->n, p = X->p;
    double *product = NULL, *value = NULL, *chunk = NULL;
    pith_i_data transposed = {0};
    pith_status st = PITH_OK;
    if (X->sparse || n > FEW_ROWS || p <= 2 * n || pith_i_is_spread(X))
        return PITH_OK;
    TRY(SCRATCH_ZERO(ctx, product, n * n));
    TRY(SCRATCH(ctx, value, n));
    TRY(SCRATCH(ctx, chunk, n * CHUNK));
    for (int64_t from = 0; from < p; from += CHUNK) {
        const int64_t cols = p - from < CHUNK ? p - from : CHUNK;
        pith_i_block(X, 0, n, from, cols, chunk, cols);
        center(n, cols, chunk);
        pith_i_blas_enter();
        cblas_dsyrk(CblasRowMajor, CblasUpper, CblasNoTrans, (int)n, (int)cols, 1, chunk, (int)cols, 1,
                    product, (int)n);
        pith_i_blas_leave();
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t l = 0; l < i; l++)
            product[i * n + l] = product[l * n + i];
    TRY(pith_i_eigen_dense_in_place(ctx, n, product, value));
    TRY(pith_i_data_new_dense(ctx, n, n, PITH_F64, &transposed));
    for (int64_t i = 0; i < n; i++)
        for (int64_t v = 0; v < n; v++)
            ((double *)pith_i_data_x(&transposed))[i * n + v] = product[v * n + i] * sqrt(fmax(value[v], 0));
    pith_i_data_free(X);
    *X = transposed;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_ensemble_judge(pith_ctx *ctx, pith_i_cache *cache, const pith_i_ensemble *e,
                                  int64_t starts, bool every, int64_t count, const int64_t *columns,
                                  double *out)
{
    int64_t first[3];
    const int64_t numbers = first_draws(e, first);
    const pith_i_viewed *viewed = NULL;
    pith_i_data subset = {0};
    pith_i_kmeans runs = {0};
    double sum = 0;
    pith_status st = PITH_OK;
    TRY(pith_i_cache_view(ctx, cache, e->counts ? VIEW_SQRT_IDF : VIEW_NONE, &viewed));
    TRY(pith_i_take_columns(ctx, &viewed->view.X, count, columns, &subset));
    if (!e->counts)
        TRY(reduce_wide(ctx, &subset));
    for (int64_t b = 0; b < numbers; b++) {
        const int64_t groups = e->groups[first[b]];
        const pith_i_kmeans_options options = {
            .clusters = groups,
            .restarts = starts,
            .cosine = e->counts,
            .first_run = (uint64_t)(e->options.draws + PITH_I_JUDGE_RUNS + b) << 32};
        double agreement = 0;
        TRY(pith_i_kmeans_run(ctx, &subset, &options, &runs));
        TRY(agreement_of_runs(ctx, e, &runs, every, groups, &agreement));
        sum += agreement / (double)numbers;
        pith_i_kmeans_free(&runs);
    }
    *out = sum;
done:
    pith_i_kmeans_free(&runs);
    pith_i_data_free(&subset);
    return st;
}
