/*
 * The value, its gradient and its curvature. For a block of rows M_ij = b_i q_ij is made in the tile, and
 * e_k(i, t) = sum_j M_ij x_jt^k summed over it. With d = ds_ij/dw_t,
 *
 *     inner      b E d = x e_1                  b^2 Var d = x^2 (b e_2 - e_1^2)
 *     euclidean  b E d = 2 x e_1 - b x^2 - e_2  b^2 Var d = b (b x^4 - 4 x^3 e_1 + 6 x^2 e_2 - 4 x e_3 + e_4)
 *                                                           - (b x^2 - 2 x e_1 + e_2)^2
 *
 * where x = x_it. Summed over i, b x^2 + e_2 and b e_4 need no products: they are sums of M's columns times
 * powers of x.
 */
#include "methods/snfs/stochastic_room.h"

#include "core/parallel.h"
#include "matrix/blas.h"
#include "methods/snfs/softmax.h"

#include <math.h>
#include <string.h>

typedef pith_i_block_sums sums;

/* ---- The first part ------------------------------------------------------------------------------------ */

/* What row i adds to the curvature, but for the Euclidean b e_4. */
static double curvature_of(bool euclidean, double b, double x, double e1, double e2, double e3)
{
    if (!euclidean)
        return x * x * fmax(0, b * e2 - e1 * e1);
    const double mean = b * x * x - 2 * x * e1 + e2;
    return b * x * (b * x * x * x - 4 * x * x * e1 + 6 * x * e2 - 4 * e3) - mean * mean;
}

/* power = x^k of columns first..first+count-1. */
static void raise_columns(const pith_i_stochastic *S, int64_t first, int64_t count, int k, double *power,
                          int64_t ld)
{
    for (int64_t j = 0; j < S->n; j++)
        for (int64_t c = 0; c < count; c++) {
            const double x = S->dense[j * S->m + first + c];
            power[j * ld + c] = k == 2 ? x * x : x * x * x;
        }
}

static void multiply(const pith_i_stochastic *S, int64_t rows, int64_t count, const double *M,
                     const double *x, int64_t ld_x, double *out, int64_t ld)
{
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)count, (int)S->n, 1, M, (int)S->n,
                x, (int)ld_x, 0, out, (int)ld);
}

/* Columns of the first part, `count` of them, and where sums over their powers go: e_k is e + (k - 1) next.
 */
typedef struct strip {
    int64_t first, count, ld, next;
    int powers;
    double *e;
} strip;

static void sum_powers(const pith_i_stochastic *S, int64_t rows, const double *M, const strip *s)
{
    double *power = S->room->power + pith_i_thread() * S->n * s->ld;
    multiply(S, rows, s->count, M, S->dense + s->first, S->m, s->e, s->ld);
    for (int k = 2; k <= s->powers; k++) {
        raise_columns(S, s->first, s->count, k, power, s->ld);
        multiply(S, rows, s->count, M, power, s->ld, s->e + (k - 1) * s->next, s->ld);
    }
}

/* sum_j M_ij y_jt^k in floats, y = x - mean, as double. */
static void sum_single(const pith_i_stochastic *S, int64_t rows, const strip *s, int k)
{
    const float *M = S->room->tile_single + pith_i_thread() * S->block * S->n, *y = S->centred + s->first;
    float *out = S->room->product_single + pith_i_thread() * s->next;
    float *power = S->room->power_single + pith_i_thread() * S->n * s->ld;
    for (int64_t j = 0; k > 1 && j < S->n; j++)
        for (int64_t c = 0; c < s->count; c++)
            power[j * s->ld + c] = y[j * S->m + c] * y[j * S->m + c] * (k == 3 ? y[j * S->m + c] : 1);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)s->count, (int)S->n, 1, M,
                (int)S->n, k > 1 ? power : y, (int)(k > 1 ? s->ld : S->m), 0, out, (int)s->ld);
    for (int64_t e = 0; e < rows * s->ld; e++)
        s->e[(k - 1) * s->next + e] = (double)out[e];
}

/* The same sums from those over y, by the binomial theorem. */
static void sum_centred(const pith_i_stochastic *S, int64_t row, int64_t rows, const strip *s)
{
    for (int k = 1; k <= s->powers; k++)
        sum_single(S, rows, s, k);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < s->count; c++) {
            const double b = S->b[row + r], mean = S->mean[s->first + c];
            double *e = s->e + r * s->ld + c, y1 = *e;
            *e = y1 + b * mean;
            if (s->powers > 1) {
                const double y2 = e[s->next];
                e[s->next] = y2 + mean * (2 * y1 + b * mean);
                if (s->powers > 2)
                    e[2 * s->next] += mean * (3 * y2 + mean * (3 * y1 + b * mean));
            }
        }
}

/* Columns first..first+count-1 of the first part. */
static void add_columns(const pith_i_stochastic *S, int64_t row, int64_t rows, const double *M, int64_t first,
                        int64_t count, bool curved, sums *out)
{
    const int64_t ld = S->m < PITH_I_COLUMNS ? S->m : PITH_I_COLUMNS, next = S->block * ld;
    double *product = S->room->product + pith_i_thread() * 3 * next;
    const strip s = {first, count, ld, next, !curved ? 1 : S->euclidean ? 3 : 2, product};
    if (S->centred != NULL)
        sum_centred(S, row, rows, &s);
    else
        sum_powers(S, rows, M, &s);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < count; c++) {
            const double x = S->dense[(row + r) * S->m + first + c], *e = product + r * ld + c;
            const int64_t t = S->column[first + c];
            out->moment[t] += x * *e;
            if (curved)
                out->curvature[t] +=
                    curvature_of(S->euclidean, S->b[row + r], x, *e, e[next], S->euclidean ? e[2 * next] : 0);
        }
}

/* ---- The second part ----------------------------------------------------------------------------------- */

/* sum_k M[row_k] x_k, in four independent partial sums. */
static double pick_and_multiply(int64_t count, const int32_t *row, const double *x, const double *M)
{
    double sum[4] = {0};
    int64_t k = 0;
    for (; k + 4 <= count; k += 4)
        for (int l = 0; l < 4; l++)
            sum[l] += M[row[k + l]] * x[k + l];
    for (; k < count; k++)
        sum[0] += M[row[k]] * x[k];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static void add_row(const pith_i_stochastic *S, int64_t i, const double *M, bool curved, sums *out)
{
    for (int64_t e = S->row[i]; e < S->row[i + 1]; e++) {
        const int32_t t = S->row_col[e];
        const double x = S->row_value[e];
        const double e1 =
            pick_and_multiply(S->col[t + 1] - S->col[t], S->col_row + S->col[t], S->col_value + S->col[t], M);
        double e2 = 0, e3 = 0;
        out->moment[t] += x * e1;
        if (!curved)
            continue;
        for (int64_t k = S->col[t]; k < S->col[t + 1]; k++) {
            const double y = S->col_value[k], square = M[S->col_row[k]] * y * y;
            e2 += square;
            e3 += square * y;
        }
        out->curvature[t] += curvature_of(S->euclidean, S->b[i], x, e1, e2, e3);
    }
}

/* ---- A block ------------------------------------------------------------------------------------------- */

/* Replaces the similarities by M, and adds to the value and the column sums. */
static void make_probabilities(const pith_i_stochastic *S, int64_t first, int64_t rows, double *tile,
                               sums *out)
{
    for (int64_t r = 0; r < rows; r++) {
        const double b = S->b[first + r];
        double *M = tile + r * S->n;
        M[first + r] = -INFINITY;
        out->value += pith_i_softmax(S->n, b, M);
        for (int64_t j = 0; S->euclidean && j < S->n; j++) {
            out->column[j] += M[j];
            out->column_by_b[j] += b * M[j];
        }
    }
}

/* Values below 1e-30 become 0: denormal floats are slow. */
static void round_to_floats(int64_t count, const double *from, float *to)
{
    for (int64_t e = 0; e < count; e++)
        to[e] = from[e] < 1e-30 ? 0 : (float)from[e];
}

static void clear(double *x, int64_t n)
{
    memset(x, 0, (size_t)n * sizeof *x);
}

static void do_block(const pith_i_stochastic *S, int64_t block, bool curved, sums *out)
{
    const int64_t first = block * S->block, rows = S->n - first < S->block ? S->n - first : S->block;
    double *tile = S->room->tile + pith_i_thread() * S->block * S->n;
    out->value = 0;
    clear(out->moment, S->p);
    clear(out->curvature, curved ? S->p : 0);
    clear(out->column, S->euclidean ? S->n : 0);
    clear(out->column_by_b, S->euclidean ? S->n : 0);
    pith_i_stochastic_tile(S, first, rows, tile);
    make_probabilities(S, first, rows, tile, out);
    if (S->centred != NULL)
        round_to_floats(rows * S->n, tile, S->room->tile_single + pith_i_thread() * S->block * S->n);
    for (int64_t c = 0; c < S->m; c += PITH_I_COLUMNS)
        add_columns(S, first, rows, tile, c, S->m - c < PITH_I_COLUMNS ? S->m - c : PITH_I_COLUMNS, curved,
                    out);
    for (int64_t r = 0; r < rows; r++)
        add_row(S, first + r, tile + r * S->n, curved, out);
}

/* ---- All of them --------------------------------------------------------------------------------------- */

/* The part of the Euclidean terms that needs only column sums of M. */
static void add_column_sums(const pith_i_stochastic *S, const double *column, const double *column_by_b,
                            double *moment, double *curvature)
{
    for (int64_t t = 0; t < S->p; t++)
        moment[t] *= 2;
    for (int64_t i = 0; i < S->n; i++) {
        const double k = S->b[i] + column[i], k_by_b = column_by_b[i];
        for (int64_t e = 0; e < S->m + S->row[i + 1] - S->row[i]; e++) {
            const bool first = e < S->m;
            const int64_t t = first ? S->column[e] : S->row_col[S->row[i] + e - S->m];
            const double x = first ? S->dense[i * S->m + e] : S->row_value[S->row[i] + e - S->m];
            moment[t] -= k * x * x;
            if (curvature != NULL)
                curvature[t] += k_by_b * x * x * x * x;
        }
    }
}

static void add_to(int64_t n, const double *from, double *to)
{
    for (int64_t e = 0; e < n; e++)
        to[e] += from[e];
}

/* What the blocks of one wave add, in their order. */
static void add_wave(const pith_i_stochastic *S, int64_t blocks, double *value, double *moment,
                     double *curvature)
{
    const int64_t width = S->euclidean ? S->n : 0;
    for (int64_t b = 0; b < blocks; b++) {
        const sums *s = &S->room->sum[b];
        *value += s->value;
        add_to(S->p, s->moment, moment);
        if (curvature != NULL)
            add_to(S->p, s->curvature, curvature);
        add_to(width, s->column, S->room->column);
        add_to(width, s->column_by_b, S->room->column_by_b);
    }
}

pith_status pith_i_stochastic_value(pith_ctx *ctx, const pith_i_stochastic *S, const double *w, double *value,
                                    double *moment, double *curvature)
{
    const int64_t blocks = pith_i_stochastic_blocks(S), width = S->euclidean ? S->n : 0;
    const bool curved = curvature != NULL;
    pith_status st = PITH_OK;
    *value = 0;
    clear(moment, S->p);
    clear(S->room->column, width);
    clear(S->room->column_by_b, width);
    if (curved)
        clear(curvature, S->p);
    pith_i_stochastic_pack(S, w);
    pith_i_blas_enter();
    for (int64_t start = 0; start < blocks; start += PITH_I_WAVE) {
        const int64_t count = blocks - start < PITH_I_WAVE ? blocks - start : PITH_I_WAVE;
#pragma omp parallel for num_threads(S->room->threads) schedule(dynamic)
        for (int64_t b = 0; b < count; b++)
            if (!pith_i_progress_stop(ctx, 0, 1)) /* the caller reports the progress */
                do_block(S, start + b, curved, &S->room->sum[b]);
        if ((st = pith_i_stop_status(ctx)) != PITH_OK)
            break;
        add_wave(S, count, value, moment, curvature);
    }
    pith_i_blas_leave();
    if (S->euclidean)
        add_column_sums(S, S->room->column, S->room->column_by_b, moment, curvature);
    for (int64_t t = 0; curved && t < S->p; t++)
        curvature[t] = fmax(0, curvature[t]);
    return st;
}

/* ---- Without weights ----------------------------------------------------------------------------------- */

/* Adds an entry to the sums over rows of x, x^2, b x and b x^2, by column. */
static void add_entry(double *by_column, int64_t t, double b, double x)
{
    by_column[4 * t] += x;
    by_column[4 * t + 1] += x * x;
    by_column[4 * t + 2] += b * x;
    by_column[4 * t + 3] += b * x * x;
}

pith_status pith_i_stochastic_unweighted(pith_ctx *ctx, const pith_i_stochastic *S, double *moment)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const double others = (double)(S->n - 1);
    double *by_column = NULL, total = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, by_column, 4 * S->p));
    for (int64_t i = 0; i < S->n; i++) {
        total += S->b[i];
        for (int64_t c = 0; c < S->m; c++)
            add_entry(by_column, S->column[c], S->b[i], S->dense[i * S->m + c]);
        for (int64_t e = S->row[i]; e < S->row[i + 1]; e++)
            add_entry(by_column, S->row_col[e], S->b[i], S->row_value[e]);
    }
    for (int64_t t = 0; t < S->p; t++) {
        const double *x = by_column + 4 * t;
        moment[t] = S->euclidean ? -((double)S->n * x[3] - 2 * x[2] * x[0] + total * x[1]) / others
                                 : (x[2] * x[0] - x[3]) / others;
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
