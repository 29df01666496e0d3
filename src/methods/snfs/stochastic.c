/* The two parts of the rows, and the widths. */
#include "methods/snfs/stochastic_room.h"

#include "core/parallel.h"
#include "matrix/blas.h"
#include "methods/snfs/softmax.h"

#include <math.h>
#include <string.h>

/* Rows of a block: enough for GEMM; fewer where the tile would be large. */
enum { BLOCK = 128, LEAST_BLOCK = 16, TILE = 1 << 21 };
/* More rows from TILE / BLOCK samples and MANY_COLUMNS columns on, where nearly all time is GEMM: it packs
 * all samples again for every block. */
enum { LARGE_TILE = 1 << 23, MANY_COLUMNS = 64 };
/* A column goes to the first part if a third of the rows have it: from there on, n^2 multiplications in GEMM
 * cost no more than df^2 scattered ones. */
enum { MANY = 3 };

static bool is_many(const pith_i_data *X, const pith_i_data *T, int64_t t)
{
    return !X->sparse || (T->indptr[t + 1] - T->indptr[t]) * MANY > X->n;
}

static double scaled(const pith_i_scaling *s, double x, int64_t i, int64_t t)
{
    x -= s->shift != NULL ? s->shift[t] : 0;
    x *= s->scale != NULL ? s->scale[t] : 1;
    return x * (s->row_scale != NULL ? s->row_scale[i] : 1);
}

/* Columns of sparse data that are nonzero in many rows, stored dense. */
static void fill_many(const pith_i_data *T, const pith_i_scaling *scaling, pith_i_stochastic *S)
{
    memset(S->dense, 0, (size_t)(S->n * S->m) * sizeof *S->dense);
    for (int64_t c = 0; c < S->m; c++) {
        const int64_t t = S->column[c];
        for (int64_t e = T->indptr[t]; e < T->indptr[t + 1]; e++)
            S->dense[T->indices[e] * S->m + c] = scaled(scaling, pith_i_at(T, t, e), T->indices[e], t);
    }
}

static void fill_dense(const pith_i_data *X, const pith_i_scaling *scaling, pith_i_stochastic *S)
{
    pith_i_block(X, 0, S->n, 0, S->p, S->dense, S->m);
    for (int64_t i = 0; i < S->n; i++)
        for (int64_t t = 0; t < S->p; t++)
            S->dense[i * S->m + t] = scaled(scaling, S->dense[i * S->m + t], i, t);
}

static pith_status make_first(pith_ctx *ctx, const pith_i_data *X, const pith_i_data *T,
                              const pith_i_scaling *scaling, pith_i_stochastic *S)
{
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, S->column, S->p));
    for (int64_t t = 0; t < S->p; t++)
        if (is_many(X, T, t))
            S->column[S->m++] = t;
    TRY(SCRATCH(ctx, S->dense, S->n * S->m));
    if (X->sparse)
        fill_many(T, scaling, S);
    else
        fill_dense(X, scaling, S);
done:
    return st;
}

/* Columns in order, so that the rows' columns ascend. */
static pith_status make_second(pith_ctx *ctx, const pith_i_data *X, const pith_i_data *T,
                               const pith_i_scaling *scaling, pith_i_stochastic *S)
{
    int64_t stored = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, S->col, S->p + 1));
    TRY(SCRATCH_ZERO(ctx, S->row, S->n + 1));
    for (int64_t t = 0; X->sparse && t < S->p; t++) {
        stored += is_many(X, T, t) ? 0 : T->indptr[t + 1] - T->indptr[t];
        S->col[t + 1] = stored;
    }
    TRY(SCRATCH(ctx, S->col_row, stored));
    TRY(SCRATCH(ctx, S->col_value, stored));
    TRY(SCRATCH(ctx, S->row_col, stored));
    TRY(SCRATCH(ctx, S->row_value, stored));
    for (int64_t t = 0; t < S->p; t++)
        for (int64_t e = S->col[t]; e < S->col[t + 1]; e++) {
            const int64_t from = T->indptr[t] + e - S->col[t], i = T->indices[from];
            S->col_row[e] = (int32_t)i;
            S->col_value[e] = scaled(scaling, pith_i_at(T, t, from), i, t);
            S->row[i + 1]++;
        }
    for (int64_t i = 0; i < S->n; i++)
        S->row[i + 1] += S->row[i];
    for (int64_t t = 0; t < S->p; t++)
        for (int64_t e = S->col[t]; e < S->col[t + 1]; e++) {
            const int64_t at = S->row[S->col_row[e]]++;
            S->row_col[at] = (int32_t)t;
            S->row_value[at] = S->col_value[e];
        }
    memmove(S->row + 1, S->row, (size_t)S->n * sizeof *S->row);
    S->row[0] = 0;
done:
    return st;
}

pith_status pith_i_stochastic_single(pith_ctx *ctx, pith_i_stochastic *S)
{
    pith_status st = PITH_OK;
    TRY(pith_i_stochastic_room_single(ctx, S));
    TRY(SCRATCH_ZERO(ctx, S->mean, S->m));
    TRY(SCRATCH(ctx, S->centred, S->n * S->m));
    for (int64_t i = 0; i < S->n; i++)
        for (int64_t c = 0; c < S->m; c++)
            S->mean[c] += S->dense[i * S->m + c] / (double)S->n;
    for (int64_t i = 0; i < S->n; i++)
        for (int64_t c = 0; c < S->m; c++)
            S->centred[i * S->m + c] = (float)(S->dense[i * S->m + c] - S->mean[c]);
done:
    return st;
}

static bool is_large(const pith_i_stochastic *S)
{
    return S->n > TILE / BLOCK && S->m >= MANY_COLUMNS;
}

static int64_t block_of(const pith_i_stochastic *S)
{
    const bool large = is_large(S);
    const int64_t fit = (large ? LARGE_TILE : TILE) / S->n, most = large ? 4 * BLOCK : BLOCK;
    return fit > most ? most : fit < LEAST_BLOCK ? LEAST_BLOCK : fit;
}

pith_status pith_i_stochastic_make(pith_ctx *ctx, const pith_i_data *X, const pith_i_data *T,
                                   const pith_i_scaling *scaling, bool euclidean, pith_i_stochastic *out)
{
    pith_i_stochastic S = {.n = X->n, .p = X->p, .euclidean = euclidean};
    pith_status st = PITH_OK;
    TRY(make_first(ctx, X, T, scaling, &S));
    S.block = block_of(&S);
    TRY(make_second(ctx, X, T, scaling, &S));
    TRY(SCRATCH(ctx, S.b, S.n));
    for (int64_t i = 0; i < S.n; i++)
        S.b[i] = 1;
    TRY(pith_i_stochastic_room_make(ctx, &S, &S.room));
    if (is_large(&S))
        TRY(pith_i_stochastic_single(ctx, &S));
    *out = S;
done:
    return st;
}

/* ---- Widths -------------------------------------------------------------------------------------------- */

/* The entropy of p_j ~ exp(b a_j), and its derivative with respect to b, -b Var(a). */
static double entropy(int64_t n, double b, const double *a, double *slope)
{
    double m[3];
    pith_i_exp_moments(n, b, a, m);
    const double mean = m[1] / m[0];
    *slope = -b * (m[2] / m[0] - mean * mean);
    return log(m[0]) - b * mean;
}

/* The b at which the entropy is `target`, for a_j <= 0 with maximum 0. It falls with b: Newton's steps, kept
 * within the bracket lo..hi. */
static double find_width(int64_t n, const double *a, double target)
{
    enum { MOST = 200 };
    double gap = 0, lo = 0, slope = 0;
    for (int64_t j = 0; j < n; j++)
        gap -= a[j] / (double)n;
    if (!(gap > 0) || !isfinite(1 / gap))
        return 1;
    double hi = 1 / gap, b = hi;
    while (entropy(n, hi, a, &slope) >= target) {
        if (hi >= 1e8 / gap)
            return hi;
        lo = hi;
        hi *= 2;
    }
    b = lo + (hi - lo) / 2;
    for (int round = 0; round < MOST; round++) {
        const double over = entropy(n, b, a, &slope) - target, step = b - over / slope;
        if (fabs(over) < 1e-12)
            break;
        if (over > 0)
            lo = b;
        else
            hi = b;
        b = step > lo && step < hi ? step : lo + (hi - lo) / 2;
    }
    return b;
}

/* Row i's similarities minus the largest of them, i left out: n-1 values. */
static void below_nearest(int64_t n, int64_t i, double *s)
{
    double top = -INFINITY;
    memmove(s + i, s + i + 1, (size_t)(n - 1 - i) * sizeof *s);
    for (int64_t j = 0; j < n - 1; j++)
        top = s[j] > top ? s[j] : top;
    for (int64_t j = 0; j < n - 1; j++)
        s[j] -= top;
}

pith_status pith_i_stochastic_calibrate(pith_ctx *ctx, pith_i_stochastic *S, double perplexity)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t blocks = pith_i_stochastic_blocks(S);
    double *ones = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, ones, S->p));
    for (int64_t t = 0; t < S->p; t++)
        ones[t] = 1;
    pith_i_stochastic_pack(S, ones);
    pith_i_blas_enter();
#pragma omp parallel for num_threads(S->room->threads) schedule(dynamic)
    for (int64_t block = 0; block < blocks; block++) {
        const int64_t first = block * S->block, rows = S->n - first < S->block ? S->n - first : S->block;
        double *tile = S->room->tile + pith_i_thread() * S->block * S->n;
        if (pith_i_progress_stop(ctx, block, blocks))
            continue;
        pith_i_stochastic_tile(S, first, rows, tile);
        for (int64_t r = 0; r < rows; r++) {
            below_nearest(S->n, first + r, tile + r * S->n);
            S->b[first + r] = find_width(S->n - 1, tile + r * S->n, log(perplexity));
        }
    }
    pith_i_blas_leave();
    TRY(pith_i_stop_status(ctx));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
