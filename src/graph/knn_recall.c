#include "graph/knn_recall.h"

#include "core/parallel.h"
#include "core/random.h"
#include "graph/knn_panel.h"
#include "matrix/blas.h"
#include "matrix/simd.h"

#include <math.h>
#include <string.h>

enum { ROWS = 128, COLS = 1024, GROUP = 32 }; /* of a tile; columns tested together */

pith_status pith_i_sample_draw(pith_ctx *ctx, int64_t n, int64_t wanted, pith_i_sample *out)
{
    pith_i_stream s = pith_i_stream_at(pith_ctx_seed(ctx), PITH_I_RANDOM_RECALL, 0);
    pith_i_sample sample = {.count = wanted < n ? wanted : n};
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, sample.row, sample.count));
    TRY(SCRATCH(ctx, sample.kth, sample.count));
    for (int64_t e = 0; e < sample.count; e++) {
        const int64_t lo = e * n / sample.count, hi = (e + 1) * n / sample.count;
        sample.row[e] = lo + pith_i_random_below(&s, hi - lo);
    }
    *out = sample;
done:
    return st;
}

/* ---- Exact neighbours of the sample -------------------------------------------------------------------- */

typedef struct truth {
    const pith_i_rows *R;
    const pith_i_cloud *P;
    const float *norm; /* of points: lowered, so that what is computed is a lower bound of the distance */
    const pith_i_knn *knn;
    const pith_i_sample *sample;
    float *y, *tile;       /* ROWS x ld, ROWS x COLS */
    pith_i_search *search; /* ROWS */
    pith_i_near *near;     /* ROWS x k */
} truth;

/* Is one of these bounds within `limit`? */
PITH_I_CLONES static bool has_hit(const float *tile, const float *norm, int64_t cols, float limit)
{
    int hits = 0;
#pragma omp simd reduction(| : hits)
    for (int64_t c = 0; c < cols; c++)
        hits |= tile[c] + norm[c] <= limit;
    return hits != 0;
}

static void look(const truth *w, pith_i_search *s, const float *tile, int64_t col, int64_t cols)
{
    const double own = (double)w->norm[w->P->point[s->i]];
    const pith_i_probe probe = {w->R, s->i, NULL};
    for (int64_t from = 0; from < cols; from += GROUP) {
        const int64_t end = from + GROUP < cols ? from + GROUP : cols;
        const float limit = nextafterf((float)(s->scaled - own), INFINITY);
        if (!has_hit(tile + from, w->norm + col + from, end - from, limit))
            continue;
        for (int64_t c = from; c < end; c++) {
            const int64_t l = w->P->row[col + c];
            const double bound = own + (double)w->norm[col + c] + (double)tile[c];
            if (pith_i_search_wants(s, l, bound) && isfinite(w->norm[col + c]))
                pith_i_search_take(s, l, pith_i_probe_distance2(&probe, l));
        }
    }
}

static void search_rows(const truth *w, int64_t first, int64_t count)
{
    const pith_i_cloud *P = w->P;
    for (int64_t r = 0; r < count; r++) {
        const int64_t i = w->sample->row[first + r];
        pith_i_search_start(&w->search[r], w->R, w->knn, i, w->near + r * w->knn->k);
        memcpy(w->y + r * P->ld, P->y + P->point[i] * P->ld, (size_t)P->wide * sizeof *w->y);
    }
    for (int64_t col = 0; col < P->n; col += COLS) {
        const int64_t cols = P->n - col < COLS ? P->n - col : COLS;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, (int)cols, (int)P->wide, -2, w->y,
                    (int)P->ld, P->y + col * P->ld, (int)P->ld, 0, w->tile, COLS);
        for (int64_t r = 0; r < count; r++)
            look(w, &w->search[r], w->tile + r * COLS, col, cols);
    }
}

/* Rows without a direction are in no tile: they are at distance sqrt 2 from all others. */
static void take_zeros(const truth *w, int64_t zeros, const int64_t *zero, int64_t count)
{
    for (int64_t r = 0; r < count; r++)
        for (int64_t e = 0; e < zeros; e++)
            if (pith_i_search_wants(&w->search[r], zero[e], 2 * w->R->scale * w->R->scale))
                pith_i_search_take(&w->search[r], zero[e], 2);
}

/* Norms of points, lowered so that what is computed with them is a lower bound. Products of projected rows
 * also have the rounding error of the projection. */
static void shrink_norms(const pith_i_rows *R, const pith_i_cloud *P, float *norm)
{
    for (int64_t t = 0; t < P->n; t++)
        norm[t] = isinf(P->norm[t]) ? INFINITY
                                    : (float)pith_i_shrunk(R, R->square[P->row[t]], R->X.p + P->wide, false);
}

static pith_status search_by_bounds(pith_ctx *ctx, const pith_i_rows *R, const pith_i_cloud *P,
                                    const float *norm, const pith_i_knn *knn, pith_i_sample *sample)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t k = knn->k, threads = pith_ctx_threads(ctx), blocks = (sample->count + ROWS - 1) / ROWS;
    const int64_t team = threads < blocks ? threads : blocks;
    float *y = NULL, *tile = NULL;
    pith_i_search *search = NULL;
    pith_i_near *near = NULL;
    int64_t *zero = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, y, team * ROWS * P->ld));
    TRY(SCRATCH(ctx, tile, team * ROWS * COLS));
    TRY(SCRATCH(ctx, search, team * ROWS));
    TRY(SCRATCH(ctx, near, team * ROWS * k));
    TRY(SCRATCH(ctx, zero, k));
    const int64_t zeros = pith_i_first_zeros(R, k, zero);
    pith_i_blas_enter();
#pragma omp parallel for num_threads((int)team) schedule(dynamic)
    for (int64_t first = 0; first < sample->count; first += ROWS) {
        const int64_t t = pith_i_thread(),
                      count = sample->count - first < ROWS ? sample->count - first : ROWS;
        const truth w = {R,
                         P,
                         norm,
                         knn,
                         sample,
                         y + t * ROWS * P->ld,
                         tile + t * ROWS * COLS,
                         search + t * ROWS,
                         near + t * ROWS * k};
        if (pith_i_progress_stop(ctx, first, sample->count))
            continue;
        search_rows(&w, first, count);
        take_zeros(&w, zeros, zero, count);
        for (int64_t r = 0; r < count; r++)
            sample->kth[first + r] = pith_i_row_is_zero(R, w.search[r].i) ? 2 : w.near[r * k].value;
    }
    pith_i_blas_leave();
    TRY(pith_i_stop_status(ctx));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Does the projection leave out so much that its bounds exclude little? Judged by SOME of the sampled rows:
 * more than one row in SHARE would need its exact distance. */
static pith_status find_weak(pith_ctx *ctx, const pith_i_rows *R, const pith_i_cloud *P, const float *norm,
                             const pith_i_knn *knn, const pith_i_sample *sample, bool *weak)
{
    enum { SOME = 16, SHARE = 200 };
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t count = sample->count < SOME ? sample->count : SOME;
    int64_t wanted = 0;
    float *product = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, product, P->n));
    pith_i_blas_enter();
    for (int64_t e = 0; e < count; e++) {
        const int64_t i = sample->row[e * sample->count / count], own = P->point[i];
        const double limit = knn->distance2[i * knn->k + knn->k - 1] * R->scale * R->scale;
        cblas_sgemv(CblasRowMajor, CblasNoTrans, (int)P->n, (int)P->wide, -2, P->y, (int)P->ld,
                    P->y + own * P->ld, 1, 0, product, 1);
        for (int64_t t = 0; t < P->n; t++)
            wanted += (double)norm[own] + (double)norm[t] + (double)product[t] <= limit;
    }
    pith_i_blas_leave();
    *weak = wanted * SHARE > count * P->n;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Searches with all columns, without the projection. The lists in knn are restored afterwards. */
static pith_status search_by_columns(pith_ctx *ctx, const pith_i_rows *R, pith_i_knn *knn,
                                     pith_i_sample *sample)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_among all = {.count = knn->n, .all = knn->n};
    const int64_t k = knn->k;
    pith_i_near *held = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, held, sample->count * k));
    for (int64_t e = 0; e < sample->count * k; e++) {
        const int64_t at = sample->row[e / k] * k + e % k;
        held[e] = (pith_i_near){knn->distance2[at], knn->index[at]};
    }
    TRY(R->X.sparse ? pith_i_knn_panel(ctx, R, sample->count, sample->row, knn)
                    : pith_i_knn_dense_redo(ctx, R, sample->count, sample->row, &all, knn));
    for (int64_t e = 0; e < sample->count; e++) {
        sample->kth[e] = knn->distance2[sample->row[e] * k + k - 1];
        pith_i_knn_write(knn, sample->row[e], held + e * k, k);
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_sample_search(pith_ctx *ctx, const pith_i_rows *R, const pith_i_cloud *P, pith_i_knn *knn,
                                 pith_i_sample *sample)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    float *norm = NULL;
    bool weak = false;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, norm, P->n));
    shrink_norms(R, P, norm);
    if (P->y == NULL)
        weak = true;
    else if (P->wide > P->d)
        TRY(find_weak(ctx, R, P, norm, knn, sample, &weak));
    TRY(weak ? search_by_columns(ctx, R, knn, sample) : search_by_bounds(ctx, R, P, norm, knn, sample));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

double pith_i_sample_recall(const pith_i_sample *sample, const pith_i_knn *knn)
{
    const int64_t k = knn->k;
    int64_t right = 0;
    for (int64_t e = 0; e < sample->count; e++) {
        const int64_t first = sample->row[e] * k;
        for (int64_t l = first; l < first + k; l++)
            right += knn->index[first + k - 1] < 0 || knn->distance2[l] <= sample->kth[e];
    }
    return (double)right / (double)(sample->count * k);
}

double pith_i_sample_excess(const pith_i_sample *sample, const pith_i_knn *knn)
{
    const int64_t k = knn->k;
    double sum = 0;
    for (int64_t e = 0; e < sample->count; e++) {
        const int64_t last = sample->row[e] * k + k - 1;
        if (knn->index[last] >= 0 && sample->kth[e] > 0)
            sum += fmax(0, sqrt(knn->distance2[last] / sample->kth[e]) - 1);
    }
    return sum / (double)sample->count;
}
