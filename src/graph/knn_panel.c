#include "graph/knn_panel.h"

#include "core/parallel.h"
#include "matrix/simd.h"

#include <string.h>

enum { WIDE = 64, ROWS = 2048 }; /* rows of a panel; rows that are compared with all panels before the next */

typedef struct panel {
    int64_t count; /* rows in it */
    int32_t *at;   /* of every column: its row in s. Row 0, of zeros, is for columns that no row here has */
    float *s;      /* z of the panel's rows, transposed: WIDE numbers for each column that they have */
    pith_i_search *search;
} panel;

static float z_of(const pith_i_rows *R, int64_t i, int64_t e)
{
    return (float)(pith_i_at(&R->X, i, e) * R->factor[i] * R->scale);
}

/* Numbers the columns that these rows have, from 1 on; returns how many there are, plus 1. */
static int64_t number_columns(const pith_i_rows *R, int64_t count, const int64_t *rows, int32_t *at)
{
    int64_t used = 1;
    memset(at, 0, (size_t)R->X.p * sizeof *at);
    for (int64_t r = 0; r < count; r++)
        for (int64_t e = R->X.indptr[rows[r]]; e < R->X.indptr[rows[r] + 1]; e++)
            if (at[R->X.indices[e]] == 0)
                at[R->X.indices[e]] = (int32_t)used++;
    return used;
}

static pith_status open_panel(pith_ctx *ctx, const pith_i_rows *R, int64_t count, const int64_t *rows,
                              const pith_i_knn *knn, panel *out)
{
    panel w = {.count = count};
    pith_i_near *near = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, w.at, R->X.p));
    TRY(SCRATCH(ctx, w.search, count));
    TRY(SCRATCH(ctx, near, count * knn->k));
    TRY(SCRATCH_ZERO(ctx, w.s, number_columns(R, count, rows, w.at) * WIDE));
    for (int64_t r = 0; r < count; r++) {
        pith_i_search_start(&w.search[r], R, knn, rows[r], near + r * knn->k);
        for (int64_t e = R->X.indptr[rows[r]]; e < R->X.indptr[rows[r] + 1]; e++)
            w.s[w.at[R->X.indices[e]] * WIDE + r] += z_of(R, rows[r], e);
    }
    *out = w;
done:
    return st;
}

/* sum = S'z of row l. The sums stay in registers. */
PITH_I_CLONES static void multiply(const panel *w, const pith_i_rows *R, int64_t l, float *sum)
{
    enum { AHEAD = 6 };
    const int32_t *index = R->X.indices;
    const int64_t end = R->X.indptr[l + 1];
    pith_i_float8 acc[WIDE / 8] = {{0}};
    for (int64_t e = R->X.indptr[l]; e < end; e++) {
        const float z = (float)(pith_i_at(&R->X, l, e) * R->factor[l] * R->scale);
        const float *s = w->s + w->at[index[e]] * WIDE;
        if (e + AHEAD < end)
            for (int64_t c = 0; c < WIDE; c += 16)
                __builtin_prefetch(w->s + w->at[index[e + AHEAD]] * WIDE + c);
#pragma GCC unroll 8
        for (int c = 0; c < WIDE / 8; c++)
            acc[c] += z * *(const pith_i_float8 *)(s + 8 * (int64_t)c);
    }
    memcpy(sum, acc, sizeof acc);
}

/* Compares rows first to end - 1 with those of the panel; norm: lowered (pith_i_shrunk), so that what is
 * computed is a lower bound of the distance. */
static void meet(const panel *w, const pith_i_rows *R, const double *norm, int64_t first, int64_t end)
{
    float sum[WIDE];
    for (int64_t l = first; l < end; l++) {
        multiply(w, R, l, sum);
        for (int64_t r = 0; r < w->count; r++) {
            pith_i_search *s = &w->search[r];
            if (pith_i_search_wants(s, l, norm[s->i] + norm[l] - 2 * (double)sum[r]))
                pith_i_search_take(s, l, pith_i_rows_distance2(R, s->i, l));
        }
    }
}

static pith_status meet_all(pith_ctx *ctx, const pith_i_rows *R, const double *norm, int64_t panels,
                            const panel *w)
{
    const int64_t n = R->X.n;
    pith_status st = PITH_OK;
    for (int64_t first = 0; first < n; first += ROWS) {
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic)
        for (int64_t b = 0; b < panels; b++)
            if (!pith_i_progress_stop(ctx, first, n))
                meet(&w[b], R, norm, first, first + ROWS < n ? first + ROWS : n);
        TRY(pith_i_stop_status(ctx));
    }
done:
    return st;
}

/* How many panels are held at once: those that fit 256 MB, or one. */
static int64_t at_once(const pith_i_rows *R, int64_t panels)
{
    const int64_t longest = WIDE * (pith_i_stored(&R->X) / R->X.n + 1),
                  columns = R->X.p < longest ? R->X.p : longest;
    const int64_t fit = ((int64_t)1 << 28) / (4 * R->X.p + 4 * WIDE * columns);
    return fit < 1 ? 1 : fit < panels ? fit : panels;
}

pith_status pith_i_knn_panel(pith_ctx *ctx, const pith_i_rows *R, int64_t count, const int64_t *rows,
                             pith_i_knn *knn)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = R->X.n, panels = (count + WIDE - 1) / WIDE, many = at_once(R, panels);
    double *norm = NULL;
    panel *w = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, norm, n));
    for (int64_t i = 0; i < n; i++)
        norm[i] = pith_i_shrunk(R, R->square[i], R->X.indptr[i + 1] - R->X.indptr[i], false);
    TRY(SCRATCH(ctx, w, many));
    for (int64_t from = 0; from < panels; from += many) {
        const size_t held = pith_i_scratch_mark(ctx);
        const int64_t some = many < panels - from ? many : panels - from;
        for (int64_t b = 0; b < some; b++) {
            const int64_t first = (from + b) * WIDE;
            TRY(open_panel(ctx, R, count - first < WIDE ? count - first : WIDE, rows + first, knn, &w[b]));
        }
        TRY(meet_all(ctx, R, norm, some, w));
        for (int64_t b = 0; b < some; b++)
            for (int64_t r = 0; r < w[b].count; r++)
                pith_i_search_end(&w[b].search[r], knn);
        pith_i_scratch_release(ctx, held);
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
