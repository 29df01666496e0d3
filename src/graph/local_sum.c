#include "graph/local_sum.h"

#include "core/engine.h"
#include "core/parallel.h"

#include <stdlib.h>
#include <string.h>

void pith_i_local_sum_free(pith_i_local_sum *B)
{
    pith_i_free(B->row);
    pith_i_free(B->col);
    pith_i_free(B->value);
    pith_i_halo_free(&B->halo);
    *B = (pith_i_local_sum){0};
}

/* Where row r occurs: places start[r] .. start[r+1]-1 of at, each sample * (k+1) + its row of the block. */
typedef struct places {
    const pith_i_knn *knn;
    int64_t *start, *at;
} places;

static int64_t member(const pith_i_knn *knn, int64_t i, int64_t t)
{
    return t == 0 ? i : knn->index[i * knn->k + t - 1];
}

static pith_status find_places(pith_ctx *ctx, const pith_i_knn *knn, places *out)
{
    const int64_t n = knn->n, size = knn->k + 1;
    pith_status st = PITH_OK;
    out->knn = knn;
    TRY(SCRATCH_ZERO(ctx, out->start, n + 2));
    TRY(SCRATCH(ctx, out->at, n * size));
    for (int64_t i = 0; i < n; i++)
        for (int64_t t = 0; t < size; t++)
            out->start[member(knn, i, t) + 2]++;
    for (int64_t r = 0; r < n; r++)
        out->start[r + 2] += out->start[r + 1];
    for (int64_t i = 0; i < n; i++) /* in the order of the samples */
        for (int64_t t = 0; t < size; t++)
            out->at[out->start[member(knn, i, t) + 1]++] = i * size + t;
done:
    return st;
}

static int ascending(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* The columns of row r, each once, into found; seen[] == r marks them. Returns their number. */
static int64_t columns_of(const places *P, int64_t r, int64_t *seen, int32_t *found)
{
    const int64_t size = P->knn->k + 1;
    int64_t count = 0;
    for (int64_t e = P->start[r]; e < P->start[r + 1]; e++)
        for (int64_t t = 0; t < size; t++) {
            const int64_t l = member(P->knn, P->at[e] / size, t);
            if (seen[l] != r) {
                seen[l] = r;
                found[count++] = (int32_t)l;
            }
        }
    return count;
}

static void fill_row(const places *P, const double *blocks, int64_t r, double *sum, pith_i_local_sum *B)
{
    const int64_t size = P->knn->k + 1, from = B->row[r], count = B->row[r + 1] - from;
    for (int64_t e = P->start[r]; e < P->start[r + 1]; e++)
        for (int64_t t = 0; t < size; t++)
            sum[member(P->knn, P->at[e] / size, t)] += blocks[P->at[e] * size + t];
    qsort(B->col + from, (size_t)count, sizeof *B->col, ascending);
    for (int64_t e = from; e < from + count; e++) {
        B->value[e] = sum[B->col[e]];
        sum[B->col[e]] = 0;
    }
}

pith_status pith_i_local_sum_make(pith_ctx *ctx, const pith_i_knn *knn, const double *blocks,
                                  pith_i_local_sum *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = knn->n, size = knn->k + 1;
    pith_i_local_sum B = {.n = n};
    places P = {0};
    int64_t *seen = NULL;
    int32_t *found = NULL;
    double *sum = NULL;
    pith_status st = PITH_OK;
    TRY(find_places(ctx, knn, &P));
    TRY(SCRATCH(ctx, seen, n));
    TRY(SCRATCH(ctx, found, n));
    TRY(SCRATCH_ZERO(ctx, sum, n));
    memset(seen, 0xff, (size_t)n * sizeof *seen); /* -1: no row */
    TRY(NEW_ZERO(ctx, B.row, n + 1));
    TRY(NEW(ctx, B.col, n * size * size));
    for (int64_t r = 0; r < n; r++) {
        const int64_t count = columns_of(&P, r, seen, found);
        memcpy(B.col + B.row[r], found, (size_t)count * sizeof *found);
        B.row[r + 1] = B.row[r] + count;
    }
    TRY(NEW(ctx, B.value, B.row[n]));
    for (int64_t r = 0; r < n; r++)
        fill_row(&P, blocks, r, sum, &B);
    *out = B;
    B = (pith_i_local_sum){0};
done:
    pith_i_local_sum_free(&B);
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- Rows spread over processes ------------------------------------------------------------------------ */

/* What sample `of` adds to entry (row, col), all by their numbers in the whole table. */
typedef struct term {
    int64_t row, col, of;
    double value;
} term;

static int by_entry(const void *x, const void *y)
{
    const term *a = x, *b = y;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    if (a->col != b->col)
        return a->col < b->col ? -1 : 1;
    return (a->of > b->of) - (a->of < b->of);
}

/* All terms of the blocks of the rows held here, sorted by row, and so by the process that holds the row. */
static pith_status list_terms(pith_ctx *ctx, const pith_i_data *X, const pith_i_knn *knn,
                              const double *blocks, term **out)
{
    const int64_t size = knn->k + 1;
    term *all = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, all, knn->n * size * size));
    for (int64_t i = 0, at = 0; i < knn->n; i++)
        for (int64_t t = 0; t < size; t++)
            for (int64_t l = 0; l < size; l++, at++)
                all[at] = (term){t == 0 ? X->offset + i : knn->index[i * knn->k + t - 1],
                                 l == 0 ? X->offset + i : knn->index[i * knn->k + l - 1], X->offset + i,
                                 blocks[at]};
    qsort(all, (size_t)(knn->n * size * size), sizeof *all, by_entry);
    *out = all;
done:
    return st;
}

/* Every term goes to the process that holds its row. */
static pith_status send_terms(pith_ctx *ctx, const pith_i_data *X, int64_t count, const term *all,
                              int64_t *came, term **out)
{
    const int processes = pith_i_processes(ctx);
    int64_t *start = NULL, *at = NULL, *came_at = NULL;
    void *bytes = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, start, processes + 1));
    TRY(SCRATCH(ctx, at, processes + 1));
    TRY(pith_i_row_starts(ctx, X->n, start));
    for (int64_t r = 0, e = 0; r <= processes; r++) {
        while (e < count && r < processes && all[e].row < start[r])
            e++;
        at[r] = (r < processes ? e : count) * (int64_t)sizeof *all;
    }
    TRY(pith_i_exchange(ctx, at, all, &came_at, &bytes));
    *came = came_at[processes] / (int64_t)sizeof *all;
    *out = bytes;
    qsort(*out, (size_t)*came, sizeof **out, by_entry);
done:
    return st;
}

static bool begins_entry(const term *all, int64_t e)
{
    return e == 0 || all[e].row != all[e - 1].row || all[e].col != all[e - 1].col;
}

/* Terms of one entry are added in the order of the samples, as in one process. */
static pith_status add_terms(pith_ctx *ctx, int64_t count, const term *all, pith_i_local_sum *B)
{
    int64_t *number = NULL, entries = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, number, count));
    for (int64_t e = 0; e < count; e++)
        if (begins_entry(all, e)) {
            number[entries++] = all[e].col;
            B->row[all[e].row - B->offset + 1]++;
        }
    for (int64_t i = 0; i < B->n; i++)
        B->row[i + 1] += B->row[i];
    TRY(pith_i_halo_new(ctx, B->n, B->offset, entries, number, &B->halo));
    TRY(NEW(ctx, B->col, entries));
    TRY(NEW_ZERO(ctx, B->value, entries));
    for (int64_t e = 0, at = -1; e < count; e++) {
        at += begins_entry(all, e);
        B->col[at] = (int32_t)pith_i_halo_place(&B->halo, all[e].col);
        B->value[at] += all[e].value;
    }
done:
    return st;
}

static pith_status make_spread(pith_ctx *ctx, const pith_i_data *X, const pith_i_knn *knn,
                               const double *blocks, pith_i_local_sum *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_local_sum B = {.n = X->n, .offset = X->offset, .all = X->all};
    term *own = NULL, *all = NULL;
    int64_t count = 0;
    pith_status st = PITH_OK;
    TRY(list_terms(ctx, X, knn, blocks, &own));
    TRY(send_terms(ctx, X, knn->n * (knn->k + 1) * (knn->k + 1), own, &count, &all));
    TRY(NEW_ZERO(ctx, B.row, B.n + 1));
    TRY(add_terms(ctx, count, all, &B));
    *out = B;
    B = (pith_i_local_sum){0};
done:
    pith_i_local_sum_free(&B);
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_local_sum_of(pith_ctx *ctx, const pith_i_data *X, const pith_i_knn *knn,
                                const double *blocks, pith_i_local_sum *out)
{
    return pith_i_is_spread(X) ? make_spread(ctx, X, knn, blocks, out)
                               : pith_i_local_sum_make(ctx, knn, blocks, out);
}

/* F followed by the rows of the halo, m numbers each. In scratch; F itself where nothing is spread. */
static pith_status with_halo(pith_ctx *ctx, const pith_i_local_sum *B, int64_t m, const double **F)
{
    double *with = NULL;
    pith_status st = PITH_OK;
    if (B->all == 0)
        return PITH_OK;
    TRY(SCRATCH(ctx, with, (B->n + B->halo.count) * m));
    memcpy(with, *F, (size_t)(B->n * m) * sizeof *with);
    TRY(pith_i_halo_numbers(ctx, &B->halo, m, with, with + B->n * m));
    *F = with;
done:
    return st;
}

/* ---- Products ------------------------------------------------------------------------------------------ */

/* Of vectors that are spread: all of them cross in one exchange. */
static pith_status apply_spread(pith_ctx *ctx, const pith_i_local_sum *B, int64_t m, const double *vectors,
                                double *y)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    double *F = NULL, *Y = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, F, B->n * m));
    TRY(SCRATCH(ctx, Y, B->n * m));
    pith_i_transpose_panel(m, B->n, vectors, F);
    TRY(pith_i_local_sum_multiply(ctx, B, m, F, Y));
    pith_i_transpose_panel(B->n, m, Y, y);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status apply(pith_ctx *ctx, const void *self, int64_t m, const double *vectors, double *y)
{
    const pith_i_local_sum *B = self;
    if (B->all > 0)
        return apply_spread(ctx, B, m, vectors, y);
    for (int64_t v = 0; v < m; v++) {
        const double *x = vectors + v * B->n;
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(static, 256) if (B->row[B->n] > 20000)
        for (int64_t i = 0; i < B->n; i++) {
            double sum = 0;
            for (int64_t e = B->row[i]; e < B->row[i + 1]; e++)
                sum += B->value[e] * x[B->col[e]];
            y[v * B->n + i] = sum;
        }
    }
    return PITH_OK;
}

pith_i_operator pith_i_local_sum_operator(const pith_i_local_sum *B)
{
    return (pith_i_operator){.n = B->n, .offset = B->offset, .all = B->all, .self = B, .apply = apply};
}

pith_status pith_i_local_sum_multiply(pith_ctx *ctx, const pith_i_local_sum *B, int64_t m, const double *F,
                                      double *Y)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_status st = PITH_OK;
    TRY(with_halo(ctx, B, m, &F));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx))                                                  \
    schedule(static, 64) if (B->row[B->n] * m > 500000)
    for (int64_t i = 0; i < B->n; i++) {
        double *y = Y + i * m;
        memset(y, 0, (size_t)m * sizeof *y);
        for (int64_t e = B->row[i]; e < B->row[i + 1]; e++)
            for (int64_t t = 0; t < m; t++)
                y[t] += B->value[e] * F[B->col[e] * m + t];
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_local_sum_split(pith_ctx *ctx, const pith_i_local_sum *B, int64_t m, const double *F,
                                   double *plus, double *minus)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_status st = PITH_OK;
    TRY(with_halo(ctx, B, m, &F));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx))                                                  \
    schedule(static, 64) if (B->row[B->n] * m > 500000)
    for (int64_t i = 0; i < B->n; i++) {
        memset(plus + i * m, 0, (size_t)m * sizeof *plus);
        memset(minus + i * m, 0, (size_t)m * sizeof *minus);
        for (int64_t e = B->row[i]; e < B->row[i + 1]; e++) {
            const double v = B->value[e], size = v > 0 ? v : -v, *f = F + B->col[e] * m;
            double *y = v > 0 ? plus + i * m : minus + i * m;
            for (int64_t t = 0; t < m; t++)
                y[t] += size * f[t];
        }
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
