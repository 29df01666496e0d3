#include "cluster/tested.h"
#include "core/parallel.h"
#include "core/random.h"
#include "linalg/eigen.h"
#include "matrix/blas.h"
#include "methods/evidence.h"

#include <math.h>
#include <string.h>

enum { MOST_SUMS = 1000, FEWEST_SUMS = 64, MOST_CELLS = 1 << 25, CHUNK = 128 };

typedef struct kernel {
    pith_i_cache *cache;
    const pith_i_data *V; /* the view; of dense data that is not counts, z-scores are taken of it */
    const pith_i_data *T; /* V' where it is sparse */
    bool products; /* few samples, fewer than features: the n x n Gram matrix takes the place of sums */
    int64_t n, p, width;
    uint8_t *block;
    int8_t *sign;   /* random, p x width; NULL: feature j is column j */
    double *all;    /* n x width: the sums of all features, */
    double *square; /* and squared lengths of the rows, of counts */
} kernel;

static pith_status draw_signs(pith_ctx *ctx, kernel *k)
{
    pith_status st = PITH_OK;
    if (k->products || k->width == k->p)
        return PITH_OK;
    TRY(SCRATCH(ctx, k->sign, k->p * k->width));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx))
    for (int64_t j = 0; j < k->p; j++) {
        pith_i_stream s = pith_i_stream_at(pith_ctx_seed(ctx), PITH_I_RANDOM_SIGNS, (uint64_t)j);
        uint32_t bits = 0;
        for (int64_t c = 0; c < k->width; c++, bits >>= 1) {
            if (c % 32 == 0)
                bits = pith_i_random_u32(&s);
            k->sign[j * k->width + c] = (bits & 1) != 0 ? 1 : -1;
        }
    }
done:
    return st;
}

/* ---- The sums of a block ------------------------------------------------------------------------------- */

/* Some columns, n x CHUNK: z-scores of dense data; of a sparse view or of counts, the values as they are. */
static void take_scores(const kernel *k, int64_t count, const int64_t *column, double *out)
{
    const pith_i_column_stats *stats = &k->cache->stats;
    const pith_i_data *V = k->V, *T = k->T;
    memset(out, 0, (size_t)(k->n * CHUNK) * sizeof *out);
    for (int64_t c = 0; c < count; c++) {
        const int64_t j = column[c];
        const bool plain = k->cache->counts;
        const double scale = plain ? 1 : 1 / sqrt(stats->variance[j]), mean = plain ? 0 : stats->mean[j];
        for (int64_t i = 0; T == NULL && i < k->n; i++)
            out[i * CHUNK + c] = (pith_i_cell(V, i, j) - mean) * scale;
        for (int64_t e = T != NULL ? T->indptr[j] : 0; T != NULL && e < T->indptr[j + 1]; e++)
            out[T->indices[e] * CHUNK + c] = pith_i_at(T, j, e);
    }
}

static void add_scores(const kernel *k, int64_t count, const int64_t *column, double *scores, double *signs,
                       double *sum)
{
    take_scores(k, count, column, scores);
    if (k->products) {
        pith_i_blas_enter();
        cblas_dsyrk(CblasRowMajor, CblasUpper, CblasNoTrans, (int)k->n, (int)count, 1, scores, CHUNK, 1, sum,
                    (int)k->n);
        pith_i_blas_leave();
        return;
    }
    for (int64_t c = 0; c < count; c++)
        for (int64_t w = 0; k->sign == NULL && w < k->n; w++)
            sum[w * k->width + column[c]] += scores[w * CHUNK + c];
    if (k->sign == NULL)
        return;
    for (int64_t c = 0; c < count; c++)
        for (int64_t w = 0; w < k->width; w++)
            signs[c * k->width + w] = k->sign[column[c] * k->width + w];
    pith_i_blas_enter();
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)k->n, (int)k->width, (int)count, 1, scores,
                CHUNK, signs, (int)k->width, 1, sum, (int)k->width);
    pith_i_blas_leave();
}

static pith_status add_dense(pith_ctx *ctx, const kernel *k, int block, double *sum)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    double *scores = NULL, *signs = NULL;
    int64_t column[CHUNK], count = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, scores, k->n * CHUNK));
    TRY(SCRATCH(ctx, signs, k->width * CHUNK));
    for (int64_t j = 0; j < k->p; j++) {
        if (k->block[j] == block && !k->cache->constant[j])
            column[count++] = j;
        if (count == CHUNK || (j + 1 == k->p && count > 0)) {
            add_scores(k, count, column, scores, signs, sum);
            count = 0;
        }
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* The same row by row, for a sparse view or for counts that are stored dense. */
static void add_view(pith_ctx *ctx, const kernel *k, int block, double *sum, double *square)
{
    const pith_i_data *V = k->V;
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic, 16)
    for (int64_t i = 0; i < k->n; i++) {
        const int64_t from = V->sparse ? V->indptr[i] : 0, to = V->sparse ? V->indptr[i + 1] : V->p;
        for (int64_t e = from; e < to; e++) {
            const int64_t j = V->sparse ? V->indices[e] : e;
            const double v = V->sparse ? pith_i_at(V, i, e) : pith_i_cell(V, i, e);
            double *to_row = sum + i * k->width;
            if (k->block[j] != block || k->cache->constant[j] || v == 0)
                continue;
            square[i] += v * v;
            for (int64_t c = 0; k->sign != NULL && c < k->width; c++)
                to_row[c] += v * k->sign[j * k->width + c];
            if (k->sign == NULL)
                to_row[j] += v;
        }
    }
}

static pith_status add_block(pith_ctx *ctx, const kernel *k, int block, double *sum, double *square)
{
    if (k->products || (!k->cache->counts && !k->V->sparse))
        return add_dense(ctx, k, block, sum);
    add_view(ctx, k, block, sum, square);
    return PITH_OK;
}

/* ---- Against all other blocks -------------------------------------------------------------------------- */

/* Scales rows of counts to unit length, then centres all columns. */
static void finish(const kernel *k, const double *square, double *Y)
{
    for (int64_t i = 0; k->cache->counts && i < k->n; i++) {
        const double rest = k->square[i] - square[i], least = 1e-12 * k->square[i];
        for (int64_t c = 0; c < k->width; c++)
            Y[i * k->width + c] *= rest > least ? 1 / sqrt(rest) : 0;
    }
    for (int64_t c = 0; c < k->width; c++) {
        double mean = 0;
        for (int64_t i = 0; i < k->n; i++)
            mean += Y[i * k->width + c] / (double)k->n;
        for (int64_t i = 0; i < k->n; i++)
            Y[i * k->width + c] -= mean;
    }
}

/* From the upper half of a Gram matrix to rows with that Gram matrix, after these are scaled to unit length
 * (for counts) and centred. */
static pith_status factor(pith_ctx *ctx, const kernel *k, double *Y)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = k->n;
    double *scale = NULL, *mean = NULL, *value = NULL, *V = NULL, all = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, scale, n));
    TRY(SCRATCH_ZERO(ctx, mean, n));
    TRY(SCRATCH(ctx, value, n));
    TRY(SCRATCH(ctx, V, n * n));
    for (int64_t i = 0; i < n; i++) {
        const double square = Y[i * n + i], least = 1e-12 * k->all[i * n + i];
        scale[i] = !k->cache->counts ? 1 : square > least ? 1 / sqrt(square) : 0;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t l = 0; l < n; l++) {
            V[i * n + l] = Y[i < l ? i * n + l : l * n + i] * scale[i] * scale[l];
            mean[i] += V[i * n + l] / (double)n;
            all += V[i * n + l] / (double)(n * n);
        }
    for (int64_t e = 0; e < n * n; e++)
        V[e] += all - mean[e / n] - mean[e % n];
    TRY(pith_i_eigen_dense_in_place(ctx, n, V, value));
    for (int64_t i = 0; i < n; i++)
        for (int64_t v = 0; v < n; v++)
            Y[i * n + v] = V[v * n + i] * sqrt(fmax(value[v], 0));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

typedef struct columns {  /* what is tested: the data, or its counts */
    const pith_i_data *T; /* of the data; NULL: it is dense */
    pith_i_counted counted;
    pith_i_powers *powers;
    double *energy;
    bool *wanted;
} columns;

static pith_status take_columns(pith_ctx *ctx, pith_i_cache *cache, columns *t)
{
    const int64_t p = cache->X->p;
    uint32_t *none = NULL;
    pith_status st = PITH_OK;
    TRY(pith_i_cache_columns(ctx, cache, VIEW_NONE, &t->T));
    TRY(SCRATCH(ctx, t->powers, p));
    TRY(SCRATCH(ctx, t->energy, p));
    TRY(SCRATCH(ctx, t->wanted, p));
    TRY(pith_i_counted_open(ctx, cache, &t->counted));
    if (t->counted.C == NULL)
        return pith_i_test_values(ctx, cache->X, t->T, &cache->stats, 0, NULL, NULL, t->powers);
    TRY(SCRATCH_ZERO(ctx, none, p));
    TRY(pith_i_test_residuals(ctx, t->counted.C, t->counted.T, 0, NULL, none, NULL, t->powers));
done:
    return st;
}

static pith_status judge_block(pith_ctx *ctx, const kernel *k, int block, columns *t, double *Y,
                               double *square, pith_i_evidence *ev)
{
    const int64_t cells = k->n * k->width;
    pith_i_null null = {0};
    double trace = 0;
    pith_status st = PITH_OK;
    memset(Y, 0, (size_t)cells * sizeof *Y);
    memset(square, 0, (size_t)k->n * sizeof *square);
    TRY(add_block(ctx, k, block, Y, square));
    for (int64_t e = 0; e < cells; e++)
        Y[e] = k->all[e] - Y[e];
    if (k->products)
        TRY(factor(ctx, k, Y));
    else
        finish(k, square, Y);
    for (int64_t e = 0; e < cells; e++)
        trace += Y[e] * Y[e];
    for (int64_t j = 0; j < k->p; j++) {
        t->wanted[j] = k->block[j] == block && ev->why[j] == PITH_I_TESTED;
        if (t->wanted[j] && !(trace > 0))
            ev->why[j] = PITH_I_UNTESTED_ALONE;
    }
    if (!(trace > 0))
        goto done;
    TRY(pith_i_null_of_rows(ctx, k->n, k->width, Y, k->width, &null));
    const pith_i_counted *c = &t->counted;
    TRY(c->C != NULL ? pith_i_test_residual_rows(ctx, c->C, c->T, t->wanted, k->width, Y, t->energy)
                     : pith_i_test_value_rows(ctx, k->cache->X, t->T, &k->cache->stats, t->wanted, k->width,
                                              Y, t->energy));
    for (int64_t j = 0; j < k->p; j++)
        if (t->wanted[j])
            pith_i_evidence_judge(&null, &t->powers[j], t->energy[j], j, ev);
done:
    return st;
}

static pith_status open_kernel(pith_ctx *ctx, pith_i_cache *cache, kernel *k)
{
    const int64_t n = cache->X->n, p = cache->X->p, fit = MOST_CELLS / n;
    const int64_t most = fit < FEWEST_SUMS ? FEWEST_SUMS : fit < MOST_SUMS ? fit : MOST_SUMS;
    const pith_i_viewed *viewed = NULL;
    pith_status st = PITH_OK;
    const bool products = n <= MOST_SUMS && n < p;
    *k = (kernel){.cache = cache,
                  .products = products,
                  .n = n,
                  .p = p,
                  .width = products   ? n
                           : p < most ? p
                                      : most};
    const int view = cache->counts ? VIEW_SQRT_IDF_LENGTHS : cache->X->sparse ? VIEW_ZSCORE : VIEW_NONE;
    TRY(pith_i_cache_view(ctx, cache, view, &viewed));
    k->V = &viewed->view.X;
    TRY(pith_i_cache_columns(ctx, cache, view, &k->T));
    TRY(SCRATCH(ctx, k->block, p));
    TRY(pith_i_deal_out(ctx, p, 0, k->block));
    TRY(draw_signs(ctx, k));
    TRY(SCRATCH_ZERO(ctx, k->all, n * k->width));
    TRY(SCRATCH_ZERO(ctx, k->square, n));
    for (int block = 0; block < PITH_I_BLOCKS; block++)
        TRY(add_block(ctx, k, block, k->all, k->square));
done:
    return st;
}

pith_status pith_i_evidence_linear(pith_ctx *ctx, pith_i_cache *cache, pith_i_evidence *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_evidence ev = {0};
    columns t = {0};
    double *Y = NULL, *square = NULL;
    kernel k;
    pith_status st = PITH_OK;
    TRY(pith_i_evidence_open(ctx, cache, &ev));
    TRY(take_columns(ctx, cache, &t));
    TRY(open_kernel(ctx, cache, &k));
    TRY(SCRATCH(ctx, Y, k.n * k.width));
    TRY(SCRATCH(ctx, square, k.n));
    for (int block = 0; block < PITH_I_BLOCKS; block++)
        TRY(judge_block(ctx, &k, block, &t, Y, square, &ev));
    TRY(pith_i_evidence_settle(ctx, &ev));
    *out = ev;
    ev = (pith_i_evidence){0};
done:
    pith_i_counted_close(&t.counted);
    pith_i_evidence_free(&ev);
    pith_i_scratch_release(ctx, mark);
    return st;
}
