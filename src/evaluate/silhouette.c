#include "evaluate/silhouette.h"

#include "core/parallel.h"
#include "core/random.h"
#include "graph/knn_rows.h"
#include "matrix/blas.h"

#include <math.h>
#include <string.h>

enum {
    BATCH = 128,      /* samples whose distances are found together; */
    SPARSE_BATCH = 8, /* for sparse data, stored dense: a cache line of doubles for each feature */
    STRIP = 256,      /* samples they are measured against at a time */
    CHUNK = 1024,     /* features of a product at a time */
};

typedef struct silhouette {
    pith_i_rows R;
    int64_t clusters;
    const int32_t *label; /* 0..clusters-1 */
    const int64_t *size;
    int64_t batch;
    int64_t count; /* samples measured */
    const int64_t *sample;
} silhouette;

typedef struct work { /* of one thread */
    double *rows;     /* the batch: BATCH x CHUNK; sparse: p x SPARSE_BATCH */
    double *others;   /* STRIP x CHUNK; dense */
    double *product;  /* batch x STRIP */
    double *sum;      /* batch x clusters: of distances */
} work;

/* ---- Distances ----------------------------------------------------------------------------------------- */

static double distance(const silhouette *s, int64_t i, int64_t j, double product)
{
    const pith_i_rows *R = &s->R;
    const bool cosine = R->metric == PITH_I_COSINE;
    const double both = R->square[i] + R->square[j];
    double d = both - 2 * product;
    if (cosine && (pith_i_row_is_zero(R, i) || pith_i_row_is_zero(R, j)))
        return 1;
    if (d > 1e-3 * both)
        d /= R->scale * R->scale;
    else
        d = pith_i_rows_distance2(R, i, j); /* the difference is mostly rounding error */
    return cosine ? d / 2 : sqrt(d);
}

/* Rows of a sparse batch, laid out by feature; `clear` wipes them again. */
static void spread(const silhouette *s, int64_t first, int64_t many, bool clear, work *w)
{
    const pith_i_data *X = &s->R.X;
    for (int64_t r = 0; r < many; r++) {
        const int64_t i = s->sample[first + r];
        const double factor = clear ? 0 : s->R.factor[i] * s->R.scale;
        for (int64_t e = X->indptr[i]; e < X->indptr[i + 1]; e++)
            w->rows[X->indices[e] * SPARSE_BATCH + r] = factor * pith_i_at(X, i, e);
    }
}

/* product[r * STRIP + j - from] of the batch's rows r and the samples j. */
static void multiply_sparse(const silhouette *s, int64_t many, int64_t from, int64_t cols, work *w)
{
    const pith_i_data *X = &s->R.X;
    for (int64_t j = from; j < from + cols; j++) {
        const double factor = s->R.factor[j] * s->R.scale;
        double sum[SPARSE_BATCH] = {0};
        for (int64_t e = X->indptr[j]; e < X->indptr[j + 1]; e++) {
            const double v = factor * pith_i_at(X, j, e);
            const double *row = w->rows + X->indices[e] * SPARSE_BATCH;
            for (int r = 0; r < SPARSE_BATCH; r++)
                sum[r] += v * row[r];
        }
        for (int64_t r = 0; r < many; r++)
            w->product[r * STRIP + j - from] = sum[r];
    }
}

static void multiply_dense(const silhouette *s, int64_t first, int64_t many, int64_t from, int64_t cols,
                           work *w)
{
    const int64_t p = s->R.X.p;
    memset(w->product, 0, (size_t)(many * STRIP) * sizeof *w->product);
    for (int64_t f = 0; f < p; f += CHUNK) {
        const int64_t wide = pith_i_min(CHUNK, p - f);
        pith_i_rows_pack(&s->R, s->sample, first, many, f, wide, w->rows, CHUNK);
        pith_i_rows_pack(&s->R, NULL, from, cols, f, wide, w->others, CHUNK);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)many, (int)cols, (int)wide, 1, w->rows,
                    CHUNK, w->others, CHUNK, 1, w->product, STRIP);
    }
}

/* ---- Samples ------------------------------------------------------------------------------------------- */

static double width(const silhouette *s, int64_t i, const double *sum)
{
    const int32_t own = s->label[i];
    double between = INFINITY;
    if (s->size[own] == 1)
        return 0;
    const double within = sum[own] / (double)(s->size[own] - 1);
    for (int64_t k = 0; k < s->clusters; k++)
        if (k != own)
            between = fmin(between, sum[k] / (double)s->size[k]);
    const double larger = fmax(within, between);
    return larger > 0 ? (between - within) / larger : 0;
}

static void measure_batch(const silhouette *s, int64_t first, work *w, double *out)
{
    const int64_t n = s->R.X.n, c = s->clusters, many = pith_i_min(s->batch, s->count - first);
    memset(w->sum, 0, (size_t)(many * c) * sizeof *w->sum);
    if (s->R.X.sparse)
        spread(s, first, many, false, w);
    for (int64_t from = 0; from < n; from += STRIP) {
        const int64_t cols = pith_i_min(STRIP, n - from);
        if (s->R.X.sparse)
            multiply_sparse(s, many, from, cols, w);
        else
            multiply_dense(s, first, many, from, cols, w);
        for (int64_t r = 0; r < many; r++) {
            const int64_t i = s->sample[first + r];
            for (int64_t j = from; j < from + cols; j++)
                if (j != i)
                    w->sum[r * c + s->label[j]] += distance(s, i, j, w->product[r * STRIP + j - from]);
        }
    }
    if (s->R.X.sparse)
        spread(s, first, many, true, w);
    for (int64_t r = 0; r < many; r++)
        out[first + r] = width(s, s->sample[first + r], w->sum + r * c);
}

static pith_status measure(pith_ctx *ctx, const silhouette *s, double *widths)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t threads = pith_ctx_threads(ctx);
    const bool sparse = s->R.X.sparse;
    pith_status st = PITH_OK;
    work *w = NULL;
    TRY(SCRATCH(ctx, w, threads));
    for (int64_t t = 0; t < threads; t++) {
        TRY(SCRATCH_ZERO(ctx, w[t].rows, sparse ? s->R.X.p * SPARSE_BATCH : BATCH * CHUNK));
        TRY(SCRATCH(ctx, w[t].others, sparse ? 0 : STRIP * CHUNK));
        TRY(SCRATCH(ctx, w[t].product, s->batch * STRIP));
        TRY(SCRATCH(ctx, w[t].sum, s->batch * s->clusters));
    }
    TRY(pith_i_progress(ctx, 0, s->count)); /* in the loop below only the first thread asks */
    pith_i_blas_enter();
#pragma omp parallel for num_threads((int)threads) schedule(dynamic)
    for (int64_t first = 0; first < s->count; first += s->batch)
        if (!pith_i_progress_stop(ctx, first, s->count))
            measure_batch(s, first, &w[pith_i_thread()], widths);
    pith_i_blas_leave();
    TRY(pith_i_stop_status(ctx));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Labels renumbered 0..clusters-1 without gaps, with sizes. Scratch of the caller's. */
static pith_status renumber(pith_ctx *ctx, int64_t n, const int32_t *label, silhouette *s)
{
    pith_status st = PITH_OK;
    int64_t *size = NULL;
    int32_t *code = NULL, *own = NULL, top = 0;
    for (int64_t i = 0; i < n; i++) {
        if (label[i] < 0)
            FAIL(ctx, PITH_E_ARGUMENT, "labels must be 0 or more");
        top = label[i] > top ? label[i] : top;
    }
    TRY(SCRATCH_ZERO(ctx, size, (int64_t)top + 1));
    TRY(SCRATCH(ctx, code, (int64_t)top + 1));
    TRY(SCRATCH(ctx, own, n));
    for (int64_t i = 0; i < n; i++)
        size[label[i]]++;
    for (int64_t v = 0; v <= top; v++)
        if (size[v] > 0) {
            code[v] = (int32_t)s->clusters;
            size[s->clusters++] = size[v];
        }
    for (int64_t i = 0; i < n; i++)
        own[i] = code[label[i]];
    s->label = own;
    s->size = size;
done:
    return st;
}

/* The rows to measure, ascending: all, or `rows` of them, each set equally likely. */
static pith_status choose(pith_ctx *ctx, int64_t n, int64_t rows, silhouette *s)
{
    pith_i_stream random = pith_i_stream_at(pith_ctx_seed(ctx), PITH_I_RANDOM_SILHOUETTE, 0);
    const int64_t want = rows > 0 && rows < n ? rows : n;
    pith_status st = PITH_OK;
    int64_t *sample = NULL;
    TRY(SCRATCH(ctx, sample, want));
    for (int64_t i = 0; i < n && s->count < want; i++)
        if (want == n || pith_i_random_uniform(&random) * (double)(n - i) < (double)(want - s->count))
            sample[s->count++] = i;
    s->sample = sample;
done:
    return st;
}

pith_status pith_i_silhouette(pith_ctx *ctx, const pith_i_data *X, const int32_t *label, bool cosine,
                              int64_t rows, double *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    silhouette s = {.batch = X->sparse ? SPARSE_BATCH : BATCH};
    pith_status st = PITH_OK;
    double *widths = NULL, sum = 0;
    TRY(renumber(ctx, X->n, label, &s));
    if (s.clusters < 2 || s.clusters >= X->n) {
        *out = NAN;
        goto done;
    }
    TRY(pith_i_rows_open(ctx, X, cosine ? PITH_I_COSINE : PITH_I_EUCLIDEAN, &s.R));
    TRY(choose(ctx, X->n, rows, &s));
    TRY(SCRATCH(ctx, widths, s.count));
    TRY(measure(ctx, &s, widths));
    for (int64_t m = 0; m < s.count; m++)
        sum += widths[m];
    *out = sum / (double)s.count;
done:
    pith_i_rows_close(&s.R);
    pith_i_scratch_release(ctx, mark);
    return st;
}
