#include "cluster/group_sums.h"

#include "core/engine.h"
#include "core/parallel.h"

#include <string.h>

typedef struct groups {
    int64_t count, total; /* groupings, and groups of all of them */
    const pith_i_grouping *of;
    int64_t *first; /* number of each grouping's first group, count + 1 of them */
    double *size;   /* of every group */
} groups;

/* sum[(first_g + label) * PITH_I_TILE_COLS + c] of the columns from..from+width-1, rows in their order. */
static void add_dense(const pith_i_data *X, const groups *G, int64_t from, int64_t width, double *tile,
                      double *sum)
{
    for (int64_t row = 0; row < X->n; row += PITH_I_TILE_ROWS) {
        const int64_t rows = X->n - row < PITH_I_TILE_ROWS ? X->n - row : PITH_I_TILE_ROWS;
        pith_i_block(X, row, rows, from, width, tile, PITH_I_TILE_COLS);
        for (int64_t g = 0; g < G->count; g++)
            for (int64_t i = 0; i < rows; i++) {
                double *to = sum + (G->first[g] + G->of[g].label[row + i]) * PITH_I_TILE_COLS;
                for (int64_t c = 0; c < width; c++)
                    to[c] += tile[i * PITH_I_TILE_COLS + c];
            }
    }
}

static void add_sparse(const pith_i_data *T, const groups *G, int64_t from, int64_t width, double *sum)
{
    for (int64_t c = 0; c < width; c++)
        for (int64_t e = T->indptr[from + c]; e < T->indptr[from + c + 1]; e++) {
            const double v = pith_i_at(T, from + c, e);
            for (int64_t g = 0; g < G->count; g++)
                sum[(G->first[g] + G->of[g].label[T->indices[e]]) * PITH_I_TILE_COLS + c] += v;
        }
}

static void finish(const groups *G, int64_t p, int64_t from, int64_t width, const double *mean,
                   const double *sum, double *between)
{
    for (int64_t g = 0; g < G->count; g++)
        for (int64_t c = 0; c < width; c++) {
            double energy = 0;
            for (int64_t k = G->first[g]; k < G->first[g + 1]; k++) {
                const double off = sum[k * PITH_I_TILE_COLS + c] - G->size[k] * mean[from + c];
                energy += G->size[k] > 0 ? off * off / G->size[k] : 0;
            }
            between[g * p + from + c] = energy;
        }
}

static pith_status lay_out(pith_ctx *ctx, int64_t n, groups *G)
{
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, G->first, G->count + 1));
    for (int64_t g = 0; g < G->count; g++) {
        G->first[g] = G->total;
        G->total += G->of[g].groups;
    }
    G->first[G->count] = G->total;
    TRY(SCRATCH_ZERO(ctx, G->size, G->total));
    for (int64_t g = 0; g < G->count; g++)
        for (int64_t i = 0; i < n; i++)
            G->size[G->first[g] + G->of[g].label[i]]++;
done:
    return st;
}

/* The sums of block b of the columns over the rows held here; tile: room of dense data. */
static void add_block(const pith_i_data *X, const pith_i_data *T, const groups *G, int64_t b, double *tile,
                      double *sum)
{
    const int64_t from = b * PITH_I_TILE_COLS, width = pith_i_min(X->p - from, PITH_I_TILE_COLS);
    memset(sum, 0, (size_t)(G->total * PITH_I_TILE_COLS) * sizeof *sum);
    if (T != NULL)
        add_sparse(T, G, from, width, sum);
    else
        add_dense(X, G, from, width, tile, sum);
}

static void finish_block(const pith_i_data *X, const groups *G, int64_t b, const double *mean,
                         const double *sum, double *between)
{
    const int64_t from = b * PITH_I_TILE_COLS;
    finish(G, X->p, from, pith_i_min(X->p - from, PITH_I_TILE_COLS), mean, sum, between);
}

/* ABREAST blocks at a time, so that all processes take the same steps, however many threads they have: sums
 * must be over all rows before they are squared. */
static pith_status between_spread(pith_ctx *ctx, const pith_i_data *X, const pith_i_data *T, const groups *G,
                                  int64_t blocks, const double *mean, double *between)
{
    enum { ABREAST = 16, TILE = PITH_I_TILE_ROWS * PITH_I_TILE_COLS };
    const int64_t threads = pith_ctx_threads(ctx), each = G->total * PITH_I_TILE_COLS;
    double *sum = NULL, *tile = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, sum, ABREAST * each));
    TRY(SCRATCH(ctx, tile, threads * TILE));
    for (int64_t first = 0; first < blocks; first += ABREAST) {
        const int64_t count = pith_i_min(blocks - first, ABREAST);
#pragma omp parallel for num_threads((int)threads) schedule(dynamic)
        for (int64_t b = 0; b < count; b++)
            add_block(X, T, G, first + b, tile + pith_i_thread() * TILE, sum + b * each);
        TRY(pith_i_sum(ctx, count * each, sum));
        for (int64_t b = 0; b < count; b++)
            finish_block(X, G, first + b, mean, sum + b * each, between);
    }
done:
    return st;
}

pith_status pith_i_between(pith_ctx *ctx, const pith_i_data *X, const pith_i_data *T, const double *mean,
                           int64_t count, const pith_i_grouping *groupings, double *between)
{
    enum { TILE = PITH_I_TILE_ROWS * PITH_I_TILE_COLS };
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t threads = pith_ctx_threads(ctx), blocks = (X->p + PITH_I_TILE_COLS - 1) / PITH_I_TILE_COLS;
    groups G = {.count = count, .of = groupings};
    double *spare = NULL;
    pith_status st = PITH_OK;
    TRY(lay_out(ctx, X->n, &G));
    if (pith_i_is_spread(X)) {
        TRY(pith_i_sum(ctx, G.total, G.size));
        TRY(between_spread(ctx, X, T, &G, blocks, mean, between));
        goto done;
    }
    const int64_t each = G.total * PITH_I_TILE_COLS + TILE;
    TRY(SCRATCH(ctx, spare, threads * each));
#pragma omp parallel for num_threads((int)threads) schedule(dynamic)
    for (int64_t b = 0; b < blocks; b++) {
        double *sum = spare + pith_i_thread() * each;
        if (pith_i_stop_asked(ctx))
            continue;
        add_block(X, T, &G, b, sum + G.total * PITH_I_TILE_COLS, sum);
        finish_block(X, &G, b, mean, sum, between);
    }
    TRY(pith_i_stop_status(ctx));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
