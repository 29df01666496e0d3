/* How well some columns find the groups of an ensemble again. */
#include "cluster/contingency.h"
#include "cluster/kmeans.h"
#include "core/random.h"
#include "linalg/eigen.h"
#include "matrix/blas.h"
#include "methods/ensemble.h"

#include <math.h>

/* The samples that are judged, of those held here: `row` of each, or all of them where it is NULL. */
typedef struct judged {
    int64_t n, offset;
    const int64_t *row;
} judged;

/* Labels of the judged samples in a draw. */
static const int32_t *labels_in(const pith_i_ensemble *e, int64_t draw, const judged *some, int32_t *room)
{
    const int32_t *label = e->label + draw * e->n;
    if (some->row == NULL)
        return label;
    for (int64_t i = 0; i < some->n; i++)
        room[i] = label[some->row[i]];
    return room;
}

static pith_status agreement_on(pith_ctx *ctx, const pith_i_ensemble *e, const judged *some, int64_t groups,
                                const int32_t *label, double *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    double sum = 0, count = 0;
    int32_t *room = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, room, some->row == NULL ? 0 : some->n));
    for (int64_t b = 0; b < e->options.draws; b++) {
        pith_i_contingency table = {0};
        if (e->groups[b] != groups)
            continue;
        const int32_t *drawn = labels_in(e, b, some, room);
        TRY(pith_i_is_spread(e->samples)
                ? pith_i_contingency_of_all(ctx, some->n, groups, label, groups, drawn, &table)
                : pith_i_contingency_make(ctx, some->n, label, drawn, &table));
        sum += pith_i_nmi(&table, PITH_I_NMI_MAX);
        count++;
        pith_i_contingency_free(&table);
    }
    *out = count > 0 ? sum / count : (double)NAN;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_ensemble_agreement(pith_ctx *ctx, const pith_i_ensemble *e, int64_t groups,
                                      const int32_t *label, double *out)
{
    return agreement_on(ctx, e, &(judged){.n = e->n}, groups, label, out);
}

/* The first draw with c groups; if c is unknown, the first draws with 4, 8 and 16. */
static int64_t first_draws(const pith_i_ensemble *e, int64_t first[3])
{
    const int64_t numbers = e->options.clusters > 0 ? 1 : 3, step = pith_i_is_balanced(&e->options) ? 2 : 1;
    int64_t count = 0;
    for (int64_t b = 0; b < e->options.draws && count < numbers; b += step)
        first[count++] = b;
    return count;
}

/* The agreement of the best run, or the mean over every run. */
static pith_status agreement_of_runs(pith_ctx *ctx, const pith_i_ensemble *e, const judged *some,
                                     const pith_i_kmeans *runs, bool every, int64_t groups, double *out)
{
    double sum = 0;
    pith_status st = PITH_OK;
    if (!every)
        return agreement_on(ctx, e, some, groups, pith_i_kmeans_best(runs), out);
    for (int64_t r = 0; r < runs->restarts; r++) {
        double agreement = 0;
        TRY(agreement_on(ctx, e, some, groups, runs->labels + r * runs->n, &agreement));
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
 * Replaces dense data with many more columns than rows by n points in n dimensions at the same distances: the
 * rows of V L^1/2, where V L V' is the Gram matrix of the centred rows. k-means finds the same clusters in
 * them, at less cost.
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

/*
 * One sample of each of PITH_I_JUDGED equal stretches, at random: an agreement hardly depends on more, and
 * clustering all of a million samples for every number of features would take longer than all draws together.
 */
static pith_status draw_samples(pith_ctx *ctx, const pith_i_ensemble *e, judged *out)
{
    const int64_t first = e->samples->offset, wanted = PITH_I_JUDGED;
    int64_t *row = NULL;
    pith_status st = PITH_OK;
    *out = (judged){.n = e->n, .offset = first};
    if (e->all <= wanted)
        return PITH_OK;
    TRY(SCRATCH(ctx, row, pith_i_min(e->n, wanted) + 1)); /* not NULL in a process without samples either */
    *out = (judged){.row = row};
    for (int64_t s = 0; s < wanted; s++) {
        pith_i_stream random = pith_i_stream_at(pith_ctx_seed(ctx), PITH_I_RANDOM_JUDGED, (uint64_t)s);
        const int64_t lo = s * e->all / wanted, hi = (s + 1) * e->all / wanted;
        const int64_t i = lo + pith_i_random_below(&random, hi - lo) - first;
        out->offset += i < 0;
        if (i >= 0 && i < e->n)
            row[out->n++] = i;
    }
done:
    return st;
}

/* The columns of the judged samples. */
static pith_status take_judged(pith_ctx *ctx, const pith_i_data *X, const judged *some, int64_t count,
                               const int64_t *columns, pith_i_data *out)
{
    pith_i_data rows = {0};
    pith_status st = PITH_OK;
    if (some->row == NULL)
        return pith_i_take_columns(ctx, X, count, columns, out);
    TRY(pith_i_take_rows(ctx, X, some->n, some->row, &rows));
    rows.offset = some->offset;
    rows.all = pith_i_is_spread(X) ? PITH_I_JUDGED : 0;
    TRY(pith_i_take_columns(ctx, &rows, count, columns, out));
done:
    pith_i_data_free(&rows);
    return st;
}

pith_status pith_i_ensemble_judge(pith_ctx *ctx, pith_i_cache *cache, const pith_i_ensemble *e,
                                  int64_t starts, bool every, int64_t count, const int64_t *columns,
                                  double *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    int64_t first[3];
    const int64_t numbers = first_draws(e, first);
    judged some = {0};
    const pith_i_viewed *viewed = NULL;
    pith_i_data subset = {0};
    pith_i_kmeans runs = {0};
    double sum = 0;
    pith_status st = PITH_OK;
    /* Of columns in different units, k-means would see that with the largest numbers alone. */
    const int view = e->counts ? VIEW_SQRT_IDF : cache->heavy.columns > 0 ? VIEW_ZSCORE : VIEW_NONE;
    TRY(pith_i_cache_view(ctx, cache, view, &viewed));
    TRY(draw_samples(ctx, e, &some));
    TRY(take_judged(ctx, &viewed->view.X, &some, count, columns, &subset));
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
        TRY(agreement_of_runs(ctx, e, &some, &runs, every, groups, &agreement));
        sum += agreement / (double)numbers;
        pith_i_kmeans_free(&runs);
    }
    *out = sum;
done:
    pith_i_kmeans_free(&runs);
    pith_i_data_free(&subset);
    pith_i_scratch_release(ctx, mark);
    return st;
}
