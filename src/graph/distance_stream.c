#include "graph/distance_stream.h"

#include "core/parallel.h"
#include "core/random.h"
#include "graph/distances.h"
#include "matrix/blas.h"
#include "matrix/stats.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 512 }; /* rows packed at once */

pith_status pith_i_distance_stream_open(pith_ctx *ctx, const pith_i_data *X, pith_i_metric metric,
                                        pith_i_distance_stream *out)
{
    pith_i_distance_stream S = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_rows_open(ctx, X, metric, &S.R));
    if (X->sparse)
        TRY(pith_i_transpose(ctx, X, &S.T));
    *out = S;
    return PITH_OK;
done:
    pith_i_distance_stream_close(&S);
    return st;
}

void pith_i_distance_stream_close(pith_i_distance_stream *S)
{
    pith_i_rows_close(&S->R);
    pith_i_data_free(&S->T);
}

int64_t pith_i_distance_room(const pith_i_distance_stream *S, int64_t count)
{
    return S->R.X.sparse ? S->R.X.n : (count + CHUNK) * S->R.X.p;
}

/* ---- A tile -------------------------------------------------------------------------------------------- */

/* From dot = u_i'u_l, of sparse rows by cosine, or z_i'z_l. A zero row has no direction: by cosine it is at
 * sqrt 2 from all others. */
static double distance_of(const pith_i_rows *R, int64_t i, int64_t l, double dot)
{
    if (i == l)
        return 0;
    if (R->metric == PITH_I_COSINE && R->X.sparse)
        return sqrt(fmax(0, 2 - 2 * dot));
    if (R->zeros > 0 && (pith_i_row_is_zero(R, i) || pith_i_row_is_zero(R, l)))
        return sqrt(2);
    return sqrt(fmax(0, R->square[i] + R->square[l] - 2 * dot)) / R->scale;
}

static void dense_tile(const pith_i_rows *R, int64_t count, const int64_t *rows, int64_t others,
                       const int64_t *other, double *room, double *out)
{
    const int64_t p = R->X.p;
    double *chunk = room + count * p;
    pith_i_rows_pack(R, rows, 0, count, 0, p, room, p);
    for (int64_t from = 0; from < others; from += CHUNK) {
        const int64_t here = others - from < CHUNK ? others - from : CHUNK;
        pith_i_rows_pack(R, other, from, here, 0, p, chunk, p);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, (int)here, (int)p, 1, room, (int)p,
                    chunk, (int)p, 0, out + from, (int)others);
    }
    for (int64_t r = 0; r < count; r++)
        for (int64_t a = 0; a < others; a++)
            out[r * others + a] = distance_of(R, rows[r], other != NULL ? other[a] : a, out[r * others + a]);
}

/* dot_l = sum_t u_it x_lt over all rows l, by the columns of row i. */
static void row_products(const pith_i_distance_stream *S, int64_t i, double factor, double *dot)
{
    const pith_i_data *X = &S->R.X, *T = &S->T;
    memset(dot, 0, (size_t)X->n * sizeof *dot);
    for (int64_t e = X->indptr[i]; e < X->indptr[i + 1]; e++) {
        const double x = factor * pith_i_at(X, i, e);
        const int64_t t = X->indices[e];
        for (int64_t k = T->indptr[t]; k < T->indptr[t + 1]; k++)
            dot[T->indices[k]] += x * pith_i_at(T, t, k);
    }
}

static void sparse_tile(const pith_i_distance_stream *S, int64_t count, const int64_t *rows, int64_t others,
                        const int64_t *other, double *dot, double *out)
{
    const pith_i_rows *R = &S->R;
    const double unit = R->metric == PITH_I_COSINE ? 1 : R->scale * R->scale;
    for (int64_t r = 0; r < count; r++) {
        row_products(S, rows[r], unit * R->factor[rows[r]], dot);
        for (int64_t a = 0; a < others; a++) {
            const int64_t l = other != NULL ? other[a] : a;
            out[r * others + a] = distance_of(R, rows[r], l, dot[l] * R->factor[l]);
        }
    }
}

void pith_i_distance_tile(const pith_i_distance_stream *S, int64_t count, const int64_t *rows, int64_t others,
                          const int64_t *other, double *room, double *out)
{
    if (S->R.X.sparse)
        sparse_tile(S, count, rows, others, other, room, out);
    else
        dense_tile(&S->R, count, rows, others, other, room, out);
}

/* ---- Widths -------------------------------------------------------------------------------------------- */

typedef struct widths {
    const pith_i_distance_stream *S;
    int64_t n, k, block;
    int64_t *row, count; /* the rows whose distances are computed */
    double *room, *tile; /* for all threads */
    double *kth, *sum;   /* count */
} widths;

static void width_rows(const widths *w, int64_t first)
{
    const int64_t n = w->n, count = w->count - first < w->block ? w->count - first : w->block;
    double *room = w->room + pith_i_thread() * pith_i_distance_room(w->S, w->block);
    double *tile = w->tile + pith_i_thread() * w->block * n;
    pith_i_distance_tile(w->S, count, w->row + first, n, NULL, room, tile);
    for (int64_t r = 0; r < count; r++) {
        double *d = tile + r * n, sum = 0;
        for (int64_t l = 0; l < n; l++)
            sum += d[l];
        w->sum[first + r] = sum;
        w->kth[first + r] = pith_i_kth_smallest(n, d, w->k); /* the row itself is number 0 */
    }
}

/* A random row from each of `count` equal stretches: a fixed step could match a periodic order of rows. */
static void draw_rows(widths *w)
{
    pith_i_stream s = pith_i_stream_at(0, PITH_I_RANDOM_WIDTH, 0);
    for (int64_t r = 0; r < w->count; r++) {
        const int64_t lo = r * w->n / w->count, hi = (r + 1) * w->n / w->count;
        w->row[r] = lo + pith_i_random_below(&s, hi - lo);
    }
}

pith_status pith_i_width_streamed(pith_ctx *ctx, const pith_i_distance_stream *S, int64_t k, int64_t most,
                                  double *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = S->R.X.n, fit = ((int64_t)1 << 22) / n, threads = pith_ctx_threads(ctx);
    widths w = {.S = S,
                .n = n,
                .k = k,
                .block = fit > 128 ? 128
                         : fit < 8 ? 8
                                   : fit,
                .count = n < most ? n : most};
    double kth = 0, sum = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, w.room, threads * pith_i_distance_room(S, w.block)));
    TRY(SCRATCH(ctx, w.tile, threads * w.block * n));
    TRY(SCRATCH(ctx, w.row, w.count));
    TRY(SCRATCH(ctx, w.kth, w.count));
    TRY(SCRATCH(ctx, w.sum, w.count));
    draw_rows(&w);
    pith_i_blas_enter();
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t first = 0; first < w.count; first += w.block)
        if (!pith_i_progress_stop(ctx, first, w.count))
            width_rows(&w, first);
    pith_i_blas_leave();
    TRY(pith_i_stop_status(ctx));
    for (int64_t r = 0; r < w.count; r++) {
        kth += w.kth[r];
        sum += w.sum[r];
    }
    *out = pith_i_width_rule(n, w.count, kth, sum);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
