#include "cluster/tested.h"

#include "core/engine.h"
#include "core/parallel.h"

#include <math.h>
#include <string.h>

static void add_power(double x, pith_i_powers *sum)
{
    const double square = x * x;
    sum->s2 += square;
    sum->s3 += square * x;
    sum->s4 += square * square;
    sum->s6 += square * square * square;
}

/* The factor that scales column j to a variance of 1. */
static double unit(const pith_i_column_stats *stats, int64_t j)
{
    return stats->variance[j] > 0 ? 1 / sqrt(stats->variance[j]) : 0;
}

/* Columns from..from+width-1 of dense data. */
static void dense_powers(const pith_i_data *X, const pith_i_column_stats *stats, int64_t from, int64_t width,
                         pith_i_powers *powers)
{
    double tile[PITH_I_TILE_ROWS * PITH_I_TILE_COLS];
    for (int64_t row = 0; row < X->n; row += PITH_I_TILE_ROWS) {
        const int64_t rows = X->n - row < PITH_I_TILE_ROWS ? X->n - row : PITH_I_TILE_ROWS;
        pith_i_block(X, row, rows, from, width, tile, PITH_I_TILE_COLS);
        for (int64_t i = 0; i < rows; i++)
            for (int64_t c = 0; c < width; c++)
                add_power((tile[i * PITH_I_TILE_COLS + c] - stats->mean[from + c]) * unit(stats, from + c),
                          &powers[from + c]);
    }
}

/* Column j of sparse data: its entries, and -mean for every row without one. */
static void sparse_powers(const pith_i_data *T, const pith_i_column_stats *stats, int64_t j,
                          pith_i_powers *powers)
{
    const double absent = (double)(T->p - (T->indptr[j + 1] - T->indptr[j])), scale = unit(stats, j);
    const double mean = stats->mean[j] * scale, square = mean * mean;
    for (int64_t e = T->indptr[j]; e < T->indptr[j + 1]; e++)
        add_power(pith_i_at(T, j, e) * scale - mean, powers);
    powers->s2 += absent * square;
    powers->s3 -= absent * square * mean;
    powers->s4 += absent * square * square;
    powers->s6 += absent * square * square * square;
}

pith_status pith_i_test_values(pith_ctx *ctx, const pith_i_data *X, const pith_i_data *T,
                               const pith_i_column_stats *stats, int64_t count,
                               const pith_i_grouping *groupings, double *between, pith_i_powers *powers)
{
    const int64_t blocks = (X->p + PITH_I_TILE_COLS - 1) / PITH_I_TILE_COLS;
    pith_status st = pith_i_between(ctx, X, T, stats->mean, count, groupings, between);
    for (int64_t j = 0; j < X->p; j++)
        powers[j] = (pith_i_powers){0};
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic)
    for (int64_t b = 0; b < blocks; b++) {
        const int64_t from = b * PITH_I_TILE_COLS,
                      width = X->p - from < PITH_I_TILE_COLS ? X->p - from : PITH_I_TILE_COLS;
        for (int64_t j = from; T != NULL && j < from + width; j++)
            sparse_powers(T, stats, j, &powers[j]);
        if (T == NULL)
            dense_powers(X, stats, from, width, powers);
        for (int64_t g = 0; st == PITH_OK && g < count; g++)
            for (int64_t j = from; j < from + width; j++)
                between[g * X->p + j] *= unit(stats, j) * unit(stats, j);
    }
    if (st == PITH_OK && pith_i_is_spread(X))
        st = pith_i_sum(ctx, X->p * PITH_I_POWERS, (double *)powers);
    return st;
}

static void add_product(double x, int64_t width, const double *y, double *product)
{
    for (int64_t c = 0; c < width; c++)
        product[c] += x * y[c];
}

pith_status pith_i_test_value_rows(pith_ctx *ctx, const pith_i_data *X, const pith_i_data *T,
                                   const pith_i_column_stats *stats, const bool *wanted, int64_t width,
                                   const double *Y, double *quadratic)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = X->n;
    double *room = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, room, pith_ctx_threads(ctx) * (width + n)));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic, 16)
    for (int64_t j = 0; j < X->p; j++) {
        double *product = room + pith_i_thread() * (width + n), *f = product + width, square = 0;
        const double scale = unit(stats, j);
        if (!wanted[j])
            continue;
        memset(product, 0, (size_t)width * sizeof *product);
        if (T == NULL)
            pith_i_column(X, j, f);
        for (int64_t i = 0; T == NULL && i < n; i++)
            add_product(f[i] * scale, width, Y + i * width, product);
        for (int64_t e = T != NULL ? T->indptr[j] : 0; T != NULL && e < T->indptr[j + 1]; e++)
            add_product(pith_i_at(T, j, e) * scale, width, Y + T->indices[e] * width, product);
        for (int64_t c = 0; c < width; c++)
            square += product[c] * product[c];
        quadratic[j] = square;
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
