/* Nearest neighbours of every row in each batch of the rows. */
#include "graph/knn_find.h"

#include <math.h>
#include <string.h>

/* The rows of each batch in turn, ascending: batch b has ids[start[b]] to before ids[start[b + 1]]. */
static void sort_rows(int64_t n, const pith_i_batches *batches, int64_t *start, int64_t *ids)
{
    memset(start, 0, (size_t)(batches->count + 1) * sizeof *start);
    for (int64_t i = 0; i < n; i++)
        start[batches->of[i] + 1]++;
    for (int32_t b = 0; b < batches->count; b++)
        start[b + 1] += start[b];
    for (int64_t i = 0; i < n; i++)
        ids[start[batches->of[i]]++] = i;
    /* Filling moved every start to its end, which is the next one's start. */
    memmove(start + 1, start, (size_t)batches->count * sizeof *start);
    start[0] = 0;
}

/* How many neighbours come from a batch of so many rows. */
static int64_t share_of(int64_t k, const pith_i_batches *batches, int64_t rows)
{
    const int64_t each = (k + batches->count - 1) / batches->count;
    return each < rows ? each : rows;
}

/* Adds what was found in one batch to the lists, of which `used` places are taken. */
static void add_found(const pith_i_knn *found, int64_t used, pith_i_knn *all)
{
    for (int64_t i = 0; i < all->n; i++)
        for (int64_t e = 0; e < found->k; e++) {
            all->index[i * all->k + used + e] = found->index[i * found->k + e];
            all->distance2[i * all->k + used + e] = found->distance2[i * found->k + e];
        }
}

/* Of every row the found->k nearest in the batch, in the lists of `found`. */
static pith_status search_batch(pith_ctx *ctx, const pith_i_rows *R, const int64_t *rows,
                                const pith_i_among *among, pith_i_knn *found)
{
    for (int64_t e = 0; e < found->n * found->k; e++) {
        found->index[e] = INT64_MAX; /* whatever is found is nearer */
        found->distance2[e] = (double)INFINITY;
    }
    return R->X.sparse ? pith_i_knn_sparse_redo(ctx, R, found->n, rows, among, found)
                       : pith_i_knn_dense_redo(ctx, R, found->n, rows, among, found);
}

/* Sorts every list, which so far is in order within each batch only. */
static pith_status sort_lists(pith_ctx *ctx, pith_i_knn *knn)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_near *near = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, near, knn->k));
    for (int64_t i = 0; i < knn->n; i++) {
        int64_t count = 0;
        for (int64_t e = i * knn->k; e < (i + 1) * knn->k; e++)
            if (knn->index[e] >= 0)
                pith_i_top_push(near, &count, knn->k, (pith_i_near){knn->distance2[e], knn->index[e]});
        pith_i_top_sort(near, count);
        pith_i_knn_write(knn, i, near, count);
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_knn_balanced_rows(pith_ctx *ctx, const pith_i_rows *R, int64_t k,
                                     const pith_i_batches *batches, pith_i_knn *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = R->X.n;
    pith_i_knn knn = {.n = n, .recall = (double)NAN}, found = {.n = n};
    int64_t *start = NULL, *ids = NULL, *rows = NULL, used = 0, most = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, start, batches->count + 1));
    TRY(SCRATCH(ctx, ids, n));
    TRY(SCRATCH(ctx, rows, n));
    sort_rows(n, batches, start, ids);
    for (int64_t i = 0; i < n; i++)
        rows[i] = i;
    for (int32_t b = 0; b < batches->count; b++) {
        const int64_t share = share_of(k, batches, start[b + 1] - start[b]);
        knn.k += share;
        most = share > most ? share : most;
    }
    TRY(NEW(ctx, knn.index, n * knn.k));
    TRY(NEW(ctx, knn.distance2, n * knn.k));
    TRY(SCRATCH(ctx, found.index, n * most));
    TRY(SCRATCH(ctx, found.distance2, n * most));
    for (int32_t b = 0; b < batches->count; b++) {
        const pith_i_among among = {start[b + 1] - start[b], ids + start[b], start[b], n};
        found.k = share_of(k, batches, among.count);
        TRY(search_batch(ctx, R, rows, &among, &found));
        add_found(&found, used, &knn);
        used += found.k;
    }
    TRY(sort_lists(ctx, &knn));
    *out = knn;
    knn = (pith_i_knn){0};
done:
    pith_i_knn_free(&knn);
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_knn_balanced(pith_ctx *ctx, const pith_i_data *X, int64_t k, pith_i_metric metric,
                                const pith_i_batches *batches, pith_i_knn *out)
{
    pith_i_rows R = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_rows_open(ctx, X, metric, &R));
    TRY(pith_i_knn_balanced_rows(ctx, &R, k, batches, out));
done:
    pith_i_rows_close(&R);
    return st;
}
