#include "evaluate/redundancy.h"

#include "core/parallel.h"
#include "matrix/blas.h"
#include "matrix/stats.h"

#include <math.h>
#include <string.h>

enum {
    TILE = 128,      /* columns whose correlations with others are found together */
    SPARSE_TILE = 8, /* the same for sparse ones, which are stored dense: a cache line for each sample */
};

typedef struct columns {
    pith_i_data T; /* one row per column; dense: centred and of unit norm */
    int64_t n, m;
    double *mean, *scale; /* sparse: to centre and scale products */
    int64_t tile;
} columns;

/* Sum of |correlation| of tile I's columns with those of tile J, each pair once. */
static double dense_pairs(const columns *c, int64_t I, int64_t J, double *product)
{
    const int64_t rows = c->m - I < TILE ? c->m - I : TILE, cols = c->m - J < TILE ? c->m - J : TILE;
    const double *z = c->T.x;
    double sum = 0;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)cols, (int)c->n, 1, z + I * c->n,
                (int)c->n, z + J * c->n, (int)c->n, 0, product, TILE);
    for (int64_t a = 0; a < rows; a++)
        for (int64_t b = 0; b < cols; b++)
            if (J + b > I + a)
                sum += fmin(fabs(product[a * TILE + b]), 1);
    return sum;
}

/* Tile I's columns laid out sample by sample in `dense`, against every later column. */
static double sparse_pairs(const columns *c, int64_t I, double *dense)
{
    const pith_i_data *T = &c->T;
    const int64_t many = c->m - I < SPARSE_TILE ? c->m - I : SPARSE_TILE;
    double sum = 0;
    for (int64_t a = 0; a < many; a++)
        for (int64_t e = T->indptr[I + a]; e < T->indptr[I + a + 1]; e++)
            dense[T->indices[e] * SPARSE_TILE + a] = pith_i_at(T, I + a, e);
    for (int64_t b = I + 1; b < c->m; b++) {
        double product[SPARSE_TILE] = {0};
        for (int64_t e = T->indptr[b]; e < T->indptr[b + 1]; e++) {
            const double v = pith_i_at(T, b, e);
            for (int a = 0; a < SPARSE_TILE; a++)
                product[a] += v * dense[T->indices[e] * SPARSE_TILE + a];
        }
        for (int64_t a = 0; a < many && I + a < b; a++)
            sum += fmin(fabs(product[a] - (double)c->n * c->mean[I + a] * c->mean[b]) * c->scale[I + a] *
                            c->scale[b],
                        1);
    }
    for (int64_t a = 0; a < many; a++)
        for (int64_t e = T->indptr[I + a]; e < T->indptr[I + a + 1]; e++)
            dense[T->indices[e] * SPARSE_TILE + a] = 0;
    return sum;
}

static double tile_pairs(const columns *c, int64_t I, double *room)
{
    double sum = 0;
    if (c->T.sparse)
        return sparse_pairs(c, I, room);
    for (int64_t J = I; J < c->m; J += TILE)
        sum += dense_pairs(c, I, J, room);
    return sum;
}

static pith_status sum_pairs(pith_ctx *ctx, const columns *c, double *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t tiles = (c->m + c->tile - 1) / c->tile, threads = pith_ctx_threads(ctx);
    const int64_t room = c->T.sparse ? c->n * SPARSE_TILE : TILE * TILE;
    pith_status st = PITH_OK;
    double *rooms = NULL, *sums = NULL;
    TRY(SCRATCH_ZERO(ctx, rooms, threads * room));
    TRY(SCRATCH(ctx, sums, tiles));
    TRY(pith_i_progress(ctx, 0, tiles)); /* in the loop below only the first thread asks */
    pith_i_blas_enter();
#pragma omp parallel for num_threads((int)threads) schedule(dynamic)
    for (int64_t t = 0; t < tiles; t++)
        if (!pith_i_progress_stop(ctx, t, tiles))
            sums[t] = tile_pairs(c, t * c->tile, rooms + pith_i_thread() * room);
    pith_i_blas_leave();
    TRY(pith_i_stop_status(ctx));
    *out = 0;
    for (int64_t t = 0; t < tiles; t++)
        *out += sums[t];
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* The columns that vary, as rows; dense ones centred and scaled to norm 1. T is owned. */
static pith_status take(pith_ctx *ctx, const pith_i_data *X, int64_t count, const int64_t *columns_wanted,
                        columns *c)
{
    pith_i_data picked = {0}, varying = {0};
    pith_i_column_stats s;
    int64_t *kept = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, kept, count));
    TRY(pith_i_take_columns(ctx, X, count, columns_wanted, &picked));
    TRY(pith_i_column_statistics(ctx, &picked, NULL, &s));
    for (int64_t j = 0; j < count; j++)
        if (s.max[j] > s.min[j] && s.variance[j] > 0) {
            s.mean[c->m] = s.mean[j];
            s.variance[c->m] = 1 / sqrt(s.variance[j] * (double)X->n);
            kept[c->m++] = j;
        }
    c->mean = s.mean;
    c->scale = s.variance;
    TRY(pith_i_take_columns(ctx, &picked, c->m, kept, &varying));
    pith_i_data_free(&picked);
    if (!X->sparse) {
        TRY(pith_i_scaled(ctx, &varying, PITH_F64, c->mean, c->scale, NULL, &picked));
        pith_i_data_free(&varying);
        TRY(pith_i_transpose(ctx, &picked, &c->T));
    } else {
        TRY(pith_i_transpose(ctx, &varying, &c->T));
    }
done:
    pith_i_data_free(&picked);
    pith_i_data_free(&varying);
    return st;
}

pith_status pith_i_redundancy(pith_ctx *ctx, const pith_i_data *X, int64_t count,
                              const int64_t *columns_wanted, double *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    columns c = {.n = X->n, .tile = X->sparse ? SPARSE_TILE : TILE};
    pith_status st = PITH_OK;
    double sum = 0;
    TRY(take(ctx, X, count, columns_wanted, &c));
    if (c.m >= 2)
        TRY(sum_pairs(ctx, &c, &sum));
    *out = c.m >= 2 ? sum / ((double)c.m * (double)(c.m - 1) / 2) : (double)NAN;
done:
    pith_i_data_free(&c.T);
    pith_i_scratch_release(ctx, mark);
    return st;
}
