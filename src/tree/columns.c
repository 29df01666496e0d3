#include "tree/columns.h"

#include "core/engine.h"
#include "core/parallel.h"
#include "matrix/blas.h"
#include "tree/dendrogram.h"

#include <math.h>
#include <string.h>

/* Doubles of a packed block of columns: two blocks per thread are small beside the distances. */
enum { BLOCK_DOUBLES = 131072, MOST_COLUMNS = 256, FEWEST_COLUMNS = 16 };

/* Replaces sparse data that has columns far from 0 by its centred view; c->mean becomes what is still to be
 * subtracted there. */
static pith_status centre_far_columns(pith_ctx *ctx, const pith_i_column_stats *stats, pith_i_columns *c)
{
    pith_status st = PITH_OK;
    TRY(pith_i_view_make(ctx, c->X, stats, VIEW_CENTER, &c->centred));
    if (c->centred.X.values == c->X->values) { /* no column is far from 0 */
        pith_i_view_free(&c->centred);
        return PITH_OK;
    }
    pith_i_data_free(&c->made);
    TRY(pith_i_transpose(ctx, &c->centred.X, &c->made));
    c->X = &c->centred.X;
    c->T = &c->made;
    c->mean = c->centred.shift;
done:
    return st;
}

pith_status pith_i_columns_make(pith_ctx *ctx, const pith_i_data *X, const pith_i_data *T,
                                pith_i_columns *out)
{
    pith_i_columns c = {.X = X, .T = T, .n = X->n, .spread = pith_i_is_spread(X)};
    pith_i_column_stats stats = {0};
    pith_status st = PITH_OK;
    if (X->sparse && T == NULL) {
        TRY(pith_i_transpose(ctx, X, &c.made));
        c.T = &c.made;
    }
    TRY(pith_i_column_statistics(ctx, X, c.T, &stats));
    TRY(SCRATCH(ctx, c.kept, X->p));
    TRY(SCRATCH(ctx, c.place, X->p));
    TRY(SCRATCH(ctx, c.norm, X->p));
    c.mean = stats.mean;
    for (int64_t j = 0; j < X->p; j++) {
        const bool varies = stats.variance[j] > 0 && pith_i_column_varies(X, &stats, j);
        c.norm[j] = sqrt((double)pith_i_all(X) * stats.variance[j]);
        c.place[j] = varies ? (int32_t)c.m : -1;
        if (varies)
            c.kept[c.m++] = (int32_t)j;
    }
    if (X->sparse)
        TRY(centre_far_columns(ctx, &stats, &c));
    *out = c;
    if (c.T == &c.made)
        out->T = &out->made;
    if (c.X == &c.centred.X)
        out->X = &out->centred.X;
    return PITH_OK;
done:
    pith_i_columns_free(&c);
    return st;
}

void pith_i_columns_free(pith_i_columns *columns)
{
    pith_i_data_free(&columns->made);
    pith_i_view_free(&columns->centred);
}

pith_status pith_i_columns_unpack(pith_ctx *ctx, pith_i_columns *c)
{
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, c->unit, c->m * c->n));
    const int threads = pith_ctx_threads(ctx);
    const pith_i_data *X = c->X;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t j = 0; j < X->p; j += PITH_I_TILE_COLS) {
        double tile[PITH_I_TILE_ROWS * PITH_I_TILE_COLS];
        const int64_t cols = X->p - j < PITH_I_TILE_COLS ? X->p - j : PITH_I_TILE_COLS;
        for (int64_t i = 0; i < X->n; i += PITH_I_TILE_ROWS) {
            const int64_t rows = X->n - i < PITH_I_TILE_ROWS ? X->n - i : PITH_I_TILE_ROWS;
            pith_i_block(X, i, rows, j, cols, tile, PITH_I_TILE_COLS);
            for (int64_t k = 0; k < cols; k++)
                for (int64_t r = 0; r < rows && c->place[j + k] >= 0; r++)
                    c->unit[c->place[j + k] * c->n + i + r] =
                        (float)((tile[r * PITH_I_TILE_COLS + k] - c->mean[j + k]) / c->norm[j + k]);
        }
    }
done:
    return st;
}

/* ---- Distances ---------------------------------------------------------------------------------------- */

static float distance_of(double corr, bool absolute, double factor)
{
    const double r = absolute ? fabs(corr) : corr;
    return (float)(factor * (r < 1 ? 1 - r : 0));
}

/* Columns first .. first+cols-1 as unit vectors, row-major with ld = cols; constants become 0. */
static void pack(const pith_i_columns *c, int64_t first, int64_t cols, double *out)
{
    pith_i_block(c->X, 0, c->n, first, cols, out, cols);
    for (int64_t i = 0; i < c->n; i++)
        for (int64_t k = 0; k < cols; k++) {
            const int64_t j = first + k;
            out[i * cols + k] = c->place[j] >= 0 ? (out[i * cols + k] - c->mean[j]) / c->norm[j] : 0;
        }
}

static void store_tile(const pith_i_columns *c, int64_t a, int64_t rows, int64_t b, int64_t cols,
                       const double *corr, bool absolute, double factor, float *distance)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++) {
            const int32_t x = c->place[a + i], y = c->place[b + j];
            if (x >= 0 && y > x)
                distance[pith_i_pair(c->m, x, y)] = distance_of(corr[i * cols + j], absolute, factor);
        }
}

static pith_status dense_distances(pith_ctx *ctx, const pith_i_columns *c, bool absolute, double factor,
                                   float *distance)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int threads = pith_ctx_threads(ctx);
    const int64_t p = c->X->p, fit = BLOCK_DOUBLES / c->n;
    const int64_t width = fit > MOST_COLUMNS ? MOST_COLUMNS : fit < FEWEST_COLUMNS ? FEWEST_COLUMNS : fit;
    double *blocks = NULL, *tiles = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, blocks, 2 * threads * width * c->n));
    TRY(SCRATCH(ctx, tiles, threads * width * width));
    pith_i_blas_enter();
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t a = 0; a < p; a += width) {
        double *left = blocks + 2 * (int64_t)pith_i_thread() * width * c->n, *right = left + width * c->n;
        double *tile = tiles + (int64_t)pith_i_thread() * width * width;
        const int64_t rows = p - a < width ? p - a : width;
        if (pith_i_progress_stop(ctx, a, p))
            continue;
        pack(c, a, rows, left);
        for (int64_t b = a; b < p; b += width) {
            const int64_t cols = p - b < width ? p - b : width;
            pack(c, b, cols, right);
            cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)rows, (int)cols, (int)c->n, 1, left,
                        (int)rows, right, (int)cols, 0, tile, (int)cols);
            store_tile(c, a, rows, b, cols, tile, absolute, factor, distance);
        }
    }
    pith_i_blas_leave();
    TRY(pith_i_stop_status(ctx));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* The products of column kept[x] with all columns, through the rows in which it is not zero. */
static void sparse_products(const pith_i_columns *c, int64_t x, double *product)
{
    const int64_t j = c->kept[x];
    memset(product, 0, (size_t)c->X->p * sizeof *product);
    for (int64_t e = c->T->indptr[j]; e < c->T->indptr[j + 1]; e++) {
        const int64_t i = c->T->indices[e];
        const double v = pith_i_at(c->T, j, e);
        for (int64_t f = c->X->indptr[i]; f < c->X->indptr[i + 1]; f++)
            product[c->X->indices[f]] += v * pith_i_at(c->X, i, f);
    }
}

/* corr(x, y) = (x'y - n mean mean) / (norm norm). */
static void sparse_row(const pith_i_columns *c, int64_t x, const double *product, bool absolute,
                       double factor, float *distance)
{
    const double n = (double)pith_i_all(c->X);
    const int64_t j = c->kept[x];
    float *to = distance + pith_i_pair(c->m, x, 0);
    for (int64_t y = x + 1; y < c->m; y++) {
        const int64_t k = c->kept[y];
        const double corr = (product[k] - n * c->mean[j] * c->mean[k]) / (c->norm[j] * c->norm[k]);
        to[y] = distance_of(corr, absolute, factor);
    }
}

static pith_status sparse_distances(pith_ctx *ctx, const pith_i_columns *c, bool absolute, double factor,
                                    float *distance)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int threads = pith_ctx_threads(ctx);
    double *products = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, products, threads * c->X->p));
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16)
    for (int64_t x = 0; x < c->m; x++)
        if (!pith_i_progress_stop(ctx, x, c->m)) {
            double *product = products + pith_i_thread() * c->X->p;
            sparse_products(c, x, product);
            sparse_row(c, x, product, absolute, factor, distance);
        }
    TRY(pith_i_stop_status(ctx));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Products of columns kept[first .. first+rows-1] with all columns, over the rows held here. room: 2 CROSSED
 * columns. */
enum { CROSSED = 64 };
static void cross_products(const pith_i_columns *c, int64_t first, int64_t rows, double *room,
                           double *product)
{
    const int64_t p = c->X->p, n = c->n;
    double *left = room, *right = room + CROSSED * n;
    for (int64_t x = 0; x < rows && c->X->sparse; x++)
        sparse_products(c, first + x, product + x * p);
    if (c->X->sparse || n == 0)
        return;
    for (int64_t x = 0; x < rows; x++)
        pack(c, c->kept[first + x], 1, right + x * n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t x = 0; x < rows; x++)
            left[i * rows + x] = right[x * n + i];
    for (int64_t b = 0; b < p; b += CROSSED) {
        const int64_t cols = pith_i_min(p - b, CROSSED);
        pack(c, b, cols, right);
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)rows, (int)cols, (int)n, 1, left, (int)rows,
                    right, (int)cols, 0, product + b, (int)p);
    }
}

/* If rows are spread over processes: CROSSED columns at a time, whose products the processes add up. */
static pith_status spread_distances(pith_ctx *ctx, const pith_i_columns *c, bool absolute, double factor,
                                    float *distance)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t p = c->X->p;
    double *product = NULL, *room = NULL;
    pith_status st = PITH_OK;
    pith_i_blas_enter();
    TRY(SCRATCH(ctx, product, CROSSED * p));
    TRY(SCRATCH(ctx, room, c->X->sparse ? 0 : 2 * CROSSED * c->n));
    for (int64_t x = 0; x < c->m; x += CROSSED) {
        const int64_t rows = pith_i_min(c->m - x, CROSSED);
        TRY(pith_i_progress(ctx, x, c->m));
        memset(product, 0, (size_t)(rows * p) * sizeof *product);
        cross_products(c, x, rows, room, product);
        TRY(pith_i_sum(ctx, rows * p, product));
        for (int64_t r = 0; r < rows && c->X->sparse; r++)
            sparse_row(c, x + r, product + r * p, absolute, factor, distance);
        for (int64_t r = 0; r < rows && !c->X->sparse; r++)
            store_tile(c, c->kept[x + r], 1, 0, p, product + r * p, absolute, factor, distance);
    }
done:
    pith_i_blas_leave();
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_columns_distances(pith_ctx *ctx, const pith_i_columns *columns, bool absolute,
                                     double factor, float *distance)
{
    if (columns->spread)
        return spread_distances(ctx, columns, absolute, factor, distance);
    return columns->X->sparse ? sparse_distances(ctx, columns, absolute, factor, distance)
                              : dense_distances(ctx, columns, absolute, factor, distance);
}

/* ---- One column at a time ----------------------------------------------------------------------------- */

double pith_i_columns_dot(const pith_i_columns *c, int64_t k, const double *a, double sum_a)
{
    const int64_t j = c->kept[k];
    double sum = 0;
    if (c->unit != NULL) {
        const float *x = c->unit + k * c->n;
        for (int64_t i = 0; i < c->n; i++)
            sum += (double)x[i] * a[i];
        return sum;
    }
    for (int64_t e = c->T->indptr[j]; e < c->T->indptr[j + 1]; e++)
        sum += pith_i_at(c->T, j, e) * a[c->T->indices[e]];
    return (sum - c->mean[j] * sum_a) / c->norm[j];
}

void pith_i_columns_add(const pith_i_columns *c, int64_t k, double sign, double *a, double *shift)
{
    const int64_t j = c->kept[k];
    if (c->unit != NULL) {
        const float *x = c->unit + k * c->n;
        for (int64_t i = 0; i < c->n; i++)
            a[i] += sign * (double)x[i];
        return;
    }
    for (int64_t e = c->T->indptr[j]; e < c->T->indptr[j + 1]; e++)
        a[c->T->indices[e]] += sign * pith_i_at(c->T, j, e) / c->norm[j];
    *shift += sign * c->mean[j] / c->norm[j];
}
