#include "graph/knn_engine.h"

#include "core/engine.h"
#include "core/parallel.h"
#include "graph/knn_find.h"

#include <math.h>
#include <string.h>

typedef struct search { /* what the engine's callbacks need */
    pith_ctx *ctx;
    const pith_i_rows *R;
} search;

static bool wants_to_stop(pith_engine_call *call, double done)
{
    const search *s = call->inside;
    return pith_i_engine_stop(s->ctx, done);
}

static void exact_distances(const pith_engine_call *call, int64_t i, int64_t count, const int64_t *others,
                            double *distance2)
{
    const search *s = call->inside;
    const int64_t offset = s->R->X.offset;
    for (int64_t e = 0; e < count; e++)
        distance2[e] = pith_i_rows_distance2(s->R, i - offset, others[e] - offset);
}

static pith_engine_rows shown(const pith_i_data *X)
{
    return (pith_engine_rows){.n = X->n,
                              .p = X->p,
                              .offset = X->offset,
                              .all = pith_i_all(X),
                              .dtype = X->dtype,
                              .x = X->x,
                              .stride = X->row_stride,
                              .indptr = X->indptr,
                              .indices = X->indices,
                              .values = X->values};
}

static bool has_copy(int64_t count, const int64_t *index)
{
    for (int64_t e = 1; e < count; e++)
        for (int64_t b = 0; b < e; b++)
            if (index[b] == index[e])
                return true;
    return false;
}

/* What is wrong with row i's list; NULL: nothing. */
static const char *wrong(const pith_i_knn *knn, int64_t i, int64_t own, int64_t all)
{
    enum { FEW = 64 }; /* longest lists in which copies at different distances are looked for */
    const int64_t *index = knn->index + i * knn->k;
    const double *distance2 = knn->distance2 + i * knn->k;
    for (int64_t e = 0; e < knn->k; e++) {
        if (index[e] < 0 || index[e] >= all)
            return "there is no such row";
        if (index[e] == own)
            return "that is the row itself";
        if (!isfinite(distance2[e]) || distance2[e] < 0)
            return "its distance is not a valid distance";
        if (e > 0 && (distance2[e] < distance2[e - 1] ||
                      (distance2[e] == distance2[e - 1] && index[e] <= index[e - 1])))
            return "it is out of order by distance, or listed twice";
    }
    return knn->k <= FEW && has_copy(knn->k, index) ? "it is listed twice" : NULL;
}

static pith_status check(pith_ctx *ctx, const pith_i_data *X, const pith_i_knn *knn)
{
    for (int64_t i = 0; i < knn->n; i++) {
        const char *what = wrong(knn, i, X->offset + i, pith_i_all(X));
        if (what != NULL)
            return pith_i_engine_broke(ctx, "row %lld has an impossible neighbour: %s",
                                       (long long)(X->offset + i) + 1, what);
    }
    return PITH_OK;
}

/* Rows that the engine left undecided are searched here, by bounds in double. */
static pith_status search_open(pith_ctx *ctx, const pith_i_rows *R, pith_i_knn *knn)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_among all = {.count = knn->n, .all = knn->n};
    int64_t *open = NULL, count = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, open, knn->n));
    for (int64_t i = 0; i < knn->n; i++)
        if (knn->index[i * knn->k] == -1) {
            pith_i_knn_write(knn, i, NULL, 0);
            open[count++] = i;
        }
    if (count > 0 && pith_i_is_spread(&R->X))
        TRY(pith_i_engine_broke(ctx, "row %lld has no neighbours", (long long)(R->X.offset + open[0]) + 1));
    if (count > 0)
        TRY(R->X.sparse ? pith_i_knn_sparse_redo(ctx, R, count, open, &all, knn)
                        : pith_i_knn_dense_redo(ctx, R, count, open, &all, knn));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_knn_elsewhere(pith_ctx *ctx, const pith_i_rows *R, int64_t k, bool *found, pith_i_knn *knn)
{
    const pith_engine *engine = pith_i_engine(ctx);
    const pith_engine_rows rows = shown(&R->X);
    search s = {ctx, R};
    pith_status st = PITH_OK;
    *found = false;
    if (engine->knn == NULL)
        return PITH_OK;
    pith_engine_call call = pith_i_engine_call(ctx);
    call.stop = wants_to_stop;
    call.distances = exact_distances;
    call.inside = &s;
    st = engine->knn(pith_i_engine_self(ctx), &call, &rows, R->metric == PITH_I_COSINE, k, knn->index,
                     knn->distance2);
    if (pith_i_engine_gives_up(ctx, &call, st))
        return PITH_OK;
    TRY(pith_i_engine_status(ctx, &call, st, "neighbours were not found"));
    TRY(search_open(ctx, R, knn));
    TRY(check(ctx, &R->X, knn));
    *found = true;
done:
    return st;
}

static pith_status check_subset(pith_ctx *ctx, const pith_i_data *X, int64_t k, const int64_t *index)
{
    for (int64_t i = 0; i < X->n; i++)
        for (int64_t e = 0; e < k; e++) {
            const int64_t l = index[i * k + e];
            if (l < 0 || l >= pith_i_all(X) || l == X->offset + i || has_copy(e + 1, index + i * k))
                return pith_i_engine_broke(ctx,
                                           "in a subset of the columns row %lld cannot have row %lld as a "
                                           "neighbour, or has it twice",
                                           (long long)(X->offset + i) + 1, (long long)l + 1);
        }
    return PITH_OK;
}

pith_status pith_i_knn_subsets_elsewhere(pith_ctx *ctx, const pith_i_data *X, pith_i_metric metric,
                                         int64_t subsets, const uint32_t *mask, int64_t k, bool *found,
                                         pith_i_knn *knn)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_engine *engine = pith_i_engine(ctx);
    const pith_engine_rows rows = shown(X);
    const int64_t lists = X->n * k;
    int64_t *index = NULL;
    pith_status st = PITH_OK;
    *found = false;
    if (engine->knn_subsets == NULL)
        return PITH_OK;
    TRY(SCRATCH(ctx, index, subsets * lists));
    pith_engine_call call = pith_i_engine_call(ctx);
    st = engine->knn_subsets(pith_i_engine_self(ctx), &call, &rows, metric == PITH_I_COSINE, (int)subsets,
                             mask, k, index);
    if (pith_i_engine_gives_up(ctx, &call, st)) {
        st = PITH_OK;
        goto done;
    }
    TRY(pith_i_engine_status(ctx, &call, st, "neighbours in subsets of the columns were not found"));
    for (int64_t l = 0; l < subsets; l++) {
        knn[l] = (pith_i_knn){.n = X->n, .k = k};
        TRY(check_subset(ctx, X, k, index + l * lists));
        TRY(NEW(ctx, knn[l].index, lists));
        TRY(NEW(ctx, knn[l].distance2, lists));
        memcpy(knn[l].index, index + l * lists, (size_t)lists * sizeof *index);
    }
    *found = true;
done:
    for (int64_t l = 0; st != PITH_OK && l < subsets; l++)
        pith_i_knn_free(&knn[l]);
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_knn_rank(pith_ctx *ctx, const pith_i_rows *R, pith_i_knn *knn)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_near *room = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, room, pith_ctx_threads(ctx) * knn->k));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic, 64)
    for (int64_t i = 0; i < knn->n; i++) {
        pith_i_near *near = room + pith_i_thread() * knn->k;
        int64_t count = 0;
        for (int64_t e = 0; e < knn->k; e++) {
            const int64_t l = knn->index[i * knn->k + e];
            pith_i_top_push(near, &count, knn->k, (pith_i_near){pith_i_rows_distance2(R, i, l), l});
        }
        pith_i_top_sort(near, knn->k);
        pith_i_knn_write(knn, i, near, knn->k);
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
