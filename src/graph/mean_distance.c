/*
 * sigma = mean over pairs i < j of |u_i - u_j|, in double.
 *
 * Squared distances come from products, |z_i|^2 + |z_j|^2 - 2 z_i'z_j; where that nearly cancels the pair
 * is taken from the data itself, so equal rows are at 0 and not at the root of a rounding error. Every
 * row's distances to the rows of a block are summed by themselves, then the blocks, then the rows.
 */
#include "core/engine.h"
#include "core/parallel.h"
#include "core/random.h"
#include "graph/knn_find.h"
#include "graph/knn_index.h"
#include "matrix/blas.h"

#include <math.h>
#include <string.h>

enum { MOST = 3000, BLOCK = 256, CHUNK = 1024 };
static const double CANCELS = 1e-6;

typedef struct sample {
    const pith_i_rows *R;
    const int64_t *row; /* the rows taken */
    int64_t count;
    int part, parts; /* who of how many processes this is that share the pairs */
} sample;

static double distance(const sample *S, int64_t a, int64_t b, double product)
{
    const pith_i_rows *R = S->R;
    const int64_t i = S->row[a], l = S->row[b];
    const double both = R->square[i] + R->square[l], square = both - 2 * product;
    if (R->zeros > 0 && (pith_i_row_is_zero(R, i) || pith_i_row_is_zero(R, l)))
        return sqrt(2);
    return square > CANCELS * both ? sqrt(square) / R->scale : sqrt(pith_i_rows_distance2(R, i, l));
}

/* ---- Dense: matrix products on pairs of blocks ------------------------------------------------------- */

typedef struct tile {
    double *a, *b, *product; /* BLOCK x CHUNK, BLOCK x CHUNK, BLOCK x BLOCK */
} tile;

/* partial[r] = sum of the distances of row first + r to the rows after it in the block from second on. */
static void add_tile(const sample *S, const tile *t, int64_t first, int64_t second, double *partial)
{
    const int64_t rows = pith_i_min(BLOCK, S->count - first), cols = pith_i_min(BLOCK, S->count - second);
    const int64_t p = S->R->X.p;
    for (int64_t from = 0; from < p; from += CHUNK) {
        const int64_t width = pith_i_min(CHUNK, p - from);
        pith_i_rows_pack(S->R, S->row, first, rows, from, width, t->a, CHUNK);
        if (first == second) {
            cblas_dsyrk(CblasRowMajor, CblasUpper, CblasNoTrans, (int)rows, (int)width, 1, t->a, CHUNK,
                        from == 0 ? 0 : 1, t->product, BLOCK);
            continue;
        }
        pith_i_rows_pack(S->R, S->row, second, cols, from, width, t->b, CHUNK);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)cols, (int)width, 1, t->a, CHUNK,
                    t->b, CHUNK, from == 0 ? 0 : 1, t->product, BLOCK);
    }
    for (int64_t r = 0; r < rows; r++) {
        double sum = 0;
        for (int64_t c = first + r < second ? 0 : first + r + 1 - second; c < cols; c++)
            sum += distance(S, first + r, second + c, t->product[r * BLOCK + c]);
        partial[r] = sum;
    }
}

/* Pairs of blocks I <= J are dealt out one by one. */
static bool is_mine(const sample *S, int64_t blocks, int64_t first, int64_t second)
{
    const int64_t number = first * (2 * blocks - first - 1) / 2 + second;
    return first <= second && number % S->parts == S->part;
}

static pith_status dense_sums(pith_ctx *ctx, const sample *S, double *sums)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t threads = pith_ctx_threads(ctx), blocks = (S->count + BLOCK - 1) / BLOCK;
    pith_status st = PITH_OK;
    double *packed = NULL, *product = NULL, *partial = NULL;
    TRY(SCRATCH(ctx, packed, threads * 2 * BLOCK * CHUNK));
    TRY(SCRATCH_ZERO(ctx, product, threads * BLOCK * BLOCK));
    TRY(SCRATCH_ZERO(ctx, partial, blocks * blocks * BLOCK));
    pith_i_blas_enter();
#pragma omp parallel for num_threads((int)threads) schedule(dynamic)
    for (int64_t pair = 0; pair < blocks * blocks; pair++) {
        const int64_t first = pair / blocks, second = pair % blocks, t = pith_i_thread();
        const tile own = {packed + t * 2 * BLOCK * CHUNK, packed + (t * 2 + 1) * BLOCK * CHUNK,
                          product + t * BLOCK * BLOCK};
        if (is_mine(S, blocks, first, second) && !pith_i_progress_stop(ctx, 0, 1))
            add_tile(S, &own, first * BLOCK, second * BLOCK, partial + pair * BLOCK);
    }
    pith_i_blas_leave();
    TRY(pith_i_stop_status(ctx));
    if (S->parts > 1)
        TRY(pith_i_sum(ctx, blocks * blocks * BLOCK, partial));
    for (int64_t i = 0; i < S->count; i++)
        for (int64_t block = 0; block < blocks; block++)
            sums[i] += partial[(i / BLOCK * blocks + block) * BLOCK + i % BLOCK];
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- Sparse: inverted lists -------------------------------------------------------------------------- */

static pith_status sparse_sums(pith_ctx *ctx, const sample *S, double *sums)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t threads = pith_ctx_threads(ctx), slice = pith_i_index_slice(S->R);
    pith_status st = PITH_OK;
    pith_i_index index = {.dtype = PITH_F64};
    double *products = NULL;
    TRY(pith_i_index_reserve(ctx, S->R, S->row, S->count, slice, &index));
    TRY(SCRATCH(ctx, products, threads * slice));
    for (int64_t first = 0; first < S->count; first += slice) {
        pith_i_index_fill(&index, S->R, S->row, first, pith_i_min(slice, S->count - first));
#pragma omp parallel for num_threads((int)threads) schedule(dynamic, 16)
        for (int64_t a = 0; a < first + index.rows; a++) {
            double *product = products + pith_i_thread() * slice, sum = 0;
            if (a % S->parts != S->part || pith_i_progress_stop(ctx, 0, 1))
                continue;
            memset(product, 0, (size_t)index.rows * sizeof *product);
            pith_i_index_add_f64(&index, S->R, S->row[a], a - first, product, NULL);
            for (int64_t r = a < first ? 0 : a + 1 - first; r < index.rows; r++)
                sum += distance(S, a, first + r, product[r]);
            sums[a] += sum;
        }
        TRY(pith_i_stop_status(ctx));
    }
    if (S->parts > 1)
        TRY(pith_i_sum(ctx, S->count, sums));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

int64_t pith_i_mean_distance_count(int64_t n)
{
    return pith_i_min(n, MOST);
}

int64_t pith_i_mean_distance_row(int64_t n, int64_t i)
{
    return n > MOST ? (int64_t)((__int128)i * n / MOST) : i;
}

/* What a process leaves out is 0 in its sums: added up over the processes they are those of one, to the bit.
 */
static pith_status mean_of(pith_ctx *ctx, const sample *S, double *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t count = S->count;
    pith_status st = PITH_OK;
    double *sums = NULL, total = 0;
    TRY(SCRATCH_ZERO(ctx, sums, count));
    TRY(S->R->X.sparse ? sparse_sums(ctx, S, sums) : dense_sums(ctx, S, sums));
    for (int64_t i = 0; i < count; i++)
        total += sums[i];
    *out = total / (0.5 * (double)count * (double)(count - 1));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_mean_distance_rows(pith_ctx *ctx, const pith_i_rows *R, double *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = R->X.n, count = pith_i_mean_distance_count(n);
    pith_status st = PITH_OK;
    int64_t *row = NULL;
    if (n < 2)
        FAIL(ctx, PITH_E_DATA, "a mean distance needs at least 2 rows, there is %lld", (long long)n);
    TRY(SCRATCH(ctx, row, count));
    for (int64_t i = 0; i < count; i++)
        row[i] = pith_i_mean_distance_row(n, i);
    TRY(mean_of(ctx, &(sample){.R = R, .row = row, .count = count, .parts = 1}, out));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_mean_distance_shared(pith_ctx *ctx, const pith_i_rows *R, double *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    sample S = {.R = R, .count = R->X.n, .part = pith_i_process(ctx), .parts = pith_i_processes(ctx)};
    pith_status st = PITH_OK;
    int64_t *row = NULL;
    TRY(SCRATCH(ctx, row, S.count));
    for (int64_t i = 0; i < S.count; i++)
        row[i] = i;
    S.row = row;
    TRY(mean_of(ctx, &S, out));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_i_stream pith_i_pairs_begin(const pith_ctx *ctx)
{
    return pith_i_stream_at(pith_ctx_seed(ctx), PITH_I_RANDOM_PAIRS, 0);
}

void pith_i_pairs_next(pith_i_stream *s, int64_t n, int64_t *i, int64_t *l)
{
    *i = pith_i_random_below(s, n);
    *l = pith_i_random_below(s, n - 1);
    *l += *l >= *i;
}

double pith_i_mean_distance_sampled(pith_ctx *ctx, const pith_i_rows *R, int64_t pairs)
{
    pith_i_stream s = pith_i_pairs_begin(ctx);
    double sum = 0;
    for (int64_t t = 0; t < pairs; t++) {
        int64_t i = 0, l = 0;
        pith_i_pairs_next(&s, R->X.n, &i, &l);
        sum += sqrt(pith_i_rows_distance2(R, i, l));
    }
    return sum / (double)pairs;
}

pith_status pith_i_mean_distance(pith_ctx *ctx, const pith_i_data *X, pith_i_metric metric, double *out)
{
    pith_i_rows R = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_rows_open(ctx, X, metric, &R));
    TRY(pith_i_mean_distance_rows(ctx, &R, out));
done:
    pith_i_rows_close(&R);
    return st;
}
