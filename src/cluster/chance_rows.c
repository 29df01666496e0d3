/*
 * M = Y Y'. With A = Y'Y and z_i = A y_i: tr M^2 = |A|^2, tr M^3 = sum |z_i|^2, (M^2)_ii = y_i'z_i. Only the
 * sum of M'_ij^3 over all pairs needs the products of all pairs of rows, which are computed in tiles. Of many
 * rows some are drawn, row i with probability q_i, and the mean over pairs of draws of M'_ij^3 / (q_i q_j)
 * estimates the sum.
 */
#include "cluster/chance_inside.h"
#include "core/parallel.h"
#include "core/random.h"
#include "matrix/blas.h"

#include <math.h>
#include <string.h>

enum { TILE = 256, ALL_ROWS = 5000, DRAWS = 2500 };

/* Row-major, rows x cols. */
typedef struct table {
    int64_t rows, cols, ld;
    const double *Y;
} table;

/* ---- Traces and diagonals, from A ---------------------------------------------------------------------- */

/* A, tile by tile. */
static void fill_product(pith_ctx *ctx, const table *T, double *A)
{
    const int64_t r = T->cols, tiles = (r + TILE - 1) / TILE;
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic)
    for (int64_t pair = 0; pair < tiles * tiles; pair++) {
        const int64_t I = pair / tiles * TILE, J = pair % tiles * TILE, high = pith_i_min(TILE, r - I);
        if (J > I)
            continue;
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)high, (int)pith_i_min(TILE, r - J),
                    (int)T->rows, 1, T->Y + I, (int)T->ld, T->Y + J, (int)T->ld, 0, A + I * r + J, (int)r);
    }
    for (int64_t k = 0; k < r; k++)
        for (int64_t l = 0; l < k; l++)
            A[l * r + k] = A[k * r + l];
}

/* One tile of rows: both diagonals, and what it adds to the traces of M and M^3. Z: TILE x cols. */
static void see_rows(const table *T, const double *A, int64_t from, double *Z, double *diagonal,
                     double *square, double traces[2])
{
    const int64_t r = T->cols, rows = pith_i_min(TILE, T->rows - from);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)r, (int)r, 1, T->Y + from * T->ld,
                (int)T->ld, A, (int)r, 0, Z, (int)r);
    traces[0] = traces[1] = 0;
    for (int64_t i = 0; i < rows; i++) {
        const double *y = T->Y + (from + i) * T->ld, *z = Z + i * r;
        double norm = 0, third = 0, own = 0;
        for (int64_t k = 0; k < r; k++) {
            norm += y[k] * y[k];
            own += y[k] * z[k];
            third += z[k] * z[k];
        }
        diagonal[from + i] = norm;
        square[from + i] = own;
        traces[0] += norm;
        traces[1] += third;
    }
}

static pith_status find_traces(pith_ctx *ctx, const table *T, double *diagonal, double *square,
                               pith_i_null_terms *M)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t r = T->cols, threads = pith_ctx_threads(ctx), tiles = (T->rows + TILE - 1) / TILE;
    double *A = NULL, *Z = NULL, (*of)[2] = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, A, r * r));
    TRY(SCRATCH(ctx, Z, threads * TILE * r));
    TRY(SCRATCH(ctx, of, tiles));
    fill_product(ctx, T, A);
#pragma omp parallel for num_threads((int)threads) schedule(dynamic)
    for (int64_t tile = 0; tile < tiles; tile++)
        see_rows(T, A, tile * TILE, Z + (int64_t)pith_i_thread() * TILE * r, diagonal, square, of[tile]);
    for (int64_t tile = 0; tile < tiles; tile++) {
        M->trace += of[tile][0];
        M->third += of[tile][1];
    }
    for (int64_t k = 0; k < r; k++) {
        double sum = 0;
        for (int64_t l = 0; l < r; l++)
            sum += A[k * r + l] * A[k * r + l];
        M->second += sum;
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* d'Md of the diagonal of M, |Y'd|^2. */
static pith_status find_own(pith_ctx *ctx, const table *T, pith_i_null_terms *M)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    double *d = NULL, *sums = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, d, T->rows));
    TRY(SCRATCH(ctx, sums, T->cols));
    for (int64_t i = 0; i < T->rows; i++)
        d[i] = M->diagonal[i] - M->trace / (double)T->rows; /* Y'1 is 0 up to rounding */
    cblas_dgemv(CblasRowMajor, CblasTrans, (int)T->rows, (int)T->cols, 1, T->Y, (int)T->ld, d, 1, 0, sums, 1);
    M->own = cblas_ddot((int)T->cols, sums, 1, sums, 1);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- Cubes of all pairs -------------------------------------------------------------------------------- */

/* The rows whose pairs are summed: all, or those drawn. */
typedef struct chosen {
    table T;
    int64_t *id;    /* which row of the table each one is */
    double *weight; /* that of a pair is the product of two of these */
    double rest;    /* tau / n = M'_ij - M_ij off the diagonal */
} chosen;

/* Twice what the pairs of tile (I, J) below the diagonal add. */
static double add_tile(const chosen *c, int64_t I, int64_t J, double *tile)
{
    const table *T = &c->T;
    const int64_t rows = pith_i_min(TILE, T->rows - I), cols = pith_i_min(TILE, T->rows - J);
    double sum = 0;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)cols, (int)T->cols, 1,
                T->Y + I * T->ld, (int)T->ld, T->Y + J * T->ld, (int)T->ld, 0, tile, TILE);
    for (int64_t i = 0; i < rows; i++) {
        const int64_t end = I == J ? i : cols;
        double row = 0;
        for (int64_t j = 0; j < end; j++) {
            const double entry = tile[i * TILE + j] + c->rest;
            row += c->id[I + i] == c->id[J + j] ? 0 : c->weight[J + j] * entry * entry * entry;
        }
        sum += 2 * c->weight[I + i] * row;
    }
    return sum;
}

static pith_status add_pairs(pith_ctx *ctx, const chosen *c, double *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t tiles = (c->T.rows + TILE - 1) / TILE, threads = pith_ctx_threads(ctx);
    double *room = NULL, *of = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, room, threads * TILE * TILE));
    TRY(SCRATCH_ZERO(ctx, of, tiles * tiles));
#pragma omp parallel for num_threads((int)threads) schedule(dynamic)
    for (int64_t pair = 0; pair < tiles * tiles; pair++) {
        const int64_t I = pair / tiles, J = pair % tiles;
        if (J <= I)
            of[pair] = add_tile(c, I * TILE, J * TILE, room + (int64_t)pith_i_thread() * TILE * TILE);
    }
    *out = 0;
    for (int64_t pair = 0; pair < tiles * tiles; pair++)
        *out += of[pair];
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* The first row i with v < up_to[i] = q_0 + ... + q_i. */
static int64_t row_at(int64_t n, const double *up_to, double v)
{
    int64_t lo = 0, hi = n - 1;
    while (lo < hi) {
        const int64_t middle = (lo + hi) / 2;
        if (v < up_to[middle])
            hi = middle;
        else
            lo = middle + 1;
    }
    return lo;
}

/*
 * Draws rows with replacement and copies them, with q_i half proportional to |y_i|^3 and half uniform.
 * |M_ij|^3 is at most |y_i|^3 |y_j|^3, so no pair weighs much more than its share, and a few outlying rows
 * that make up most of the sum are not missed. By the uniform half rows near 0 are drawn, too.
 */
static pith_status draw(pith_ctx *ctx, const table *all, const double *norm2, chosen *c)
{
    const int64_t n = all->rows;
    double *up_to = NULL, *copy = NULL, sum = 0, total = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, up_to, n));
    TRY(SCRATCH(ctx, copy, DRAWS * all->cols));
    for (int64_t i = 0; i < n; i++)
        total += norm2[i] * sqrt(norm2[i]);
    for (int64_t i = 0; i < n; i++) {
        sum += 0.5 / (double)n + (total > 0 ? 0.5 * norm2[i] * sqrt(norm2[i]) / total : 0.5 / (double)n);
        up_to[i] = sum;
    }
    pith_i_stream s = pith_i_stream_at(pith_ctx_seed(ctx), PITH_I_RANDOM_NULL_ROWS, 0);
    for (int64_t t = 0; t < DRAWS; t++) {
        const int64_t i = row_at(n, up_to, sum * pith_i_random_uniform(&s));
        const double chance = (up_to[i] - (i > 0 ? up_to[i - 1] : 0)) / sum;
        c->id[t] = i;
        c->weight[t] = 1 / (chance * sqrt((double)DRAWS * (DRAWS - 1)));
        memcpy(copy + t * all->cols, all->Y + i * all->ld, (size_t)all->cols * sizeof *copy);
    }
    c->T = (table){DRAWS, all->cols, all->cols, copy};
done:
    return st;
}

static pith_status find_cubes(pith_ctx *ctx, const table *T, pith_i_null_terms *M)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t count = T->rows > ALL_ROWS ? DRAWS : T->rows;
    chosen c = {.T = *T, .rest = M->trace / ((double)(T->rows - 1) * (double)T->rows)};
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, c.id, count));
    TRY(SCRATCH(ctx, c.weight, count));
    for (int64_t i = 0; i < count; i++) {
        c.id[i] = i;
        c.weight[i] = 1;
    }
    if (count < T->rows)
        TRY(draw(ctx, T, M->diagonal, &c));
    TRY(add_pairs(ctx, &c, &M->cubes));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_null_of_rows(pith_ctx *ctx, int64_t n, int64_t r, const double *Y, int64_t ld,
                                pith_i_null *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const table T = {n, r, ld, Y};
    pith_i_null_terms M = {.n = n};
    double *diagonal = NULL, *square = NULL;
    pith_status st = PITH_OK;
    pith_i_blas_enter();
    TRY(SCRATCH(ctx, diagonal, n));
    TRY(SCRATCH(ctx, square, n));
    M.diagonal = diagonal;
    M.square = square;
    TRY(find_traces(ctx, &T, diagonal, square, &M));
    TRY(find_own(ctx, &T, &M));
    TRY(find_cubes(ctx, &T, &M));
    TRY(pith_i_null_of_terms(ctx, &M, out));
done:
    pith_i_blas_leave();
    pith_i_scratch_release(ctx, mark);
    return st;
}
