#include "graph/knn_dealt.h"

#include "core/engine.h"
#include "graph/knn_dealt_inside.h"
#include "graph/knn_find.h"
#include "graph/knn_heavy.h"

#include <math.h>
#include <string.h>

typedef struct searching {
    const pith_i_dealt *D;
    pith_i_found *F;
    pith_i_dealt_zeros zeros;
    pith_i_sample sample; /* of all rows, the same in every process */
    int32_t *point;       /* of the sampled rows */
    int32_t *list;        /* those of them held here, as lists of F */
    int64_t lists;
    bool known;     /* the sample's kth distances are set */
    double *limit;  /* of each sampled row, at least the squared distance of its k-th neighbour */
    pith_i_knn few; /* the sample's lists, in every process */
} searching;

/* ---- The sample ---------------------------------------------------------------------------------------- */

static pith_status open_sample(pith_ctx *ctx, const pith_i_dealt *D, int64_t k, searching *w)
{
    const int64_t offset = D->R->X.offset, first = D->start[D->rank];
    int64_t *point = NULL, count = 0;
    pith_status st = PITH_OK;
    TRY(pith_i_sample_draw(ctx, D->n, PITH_I_SAMPLED_ROWS, &w->sample));
    count = w->sample.count;
    TRY(SCRATCH(ctx, w->point, count));
    TRY(SCRATCH(ctx, w->list, count));
    TRY(SCRATCH(ctx, w->limit, count));
    TRY(SCRATCH(ctx, w->few.index, count * k));
    TRY(SCRATCH(ctx, w->few.distance2, count * k));
    w->few.n = count;
    w->few.k = k;
    TRY(SCRATCH_ZERO(ctx, point, count));
    for (int64_t e = 0; e < count; e++) {
        const int64_t i = w->sample.row[e] - offset;
        point[e] = i >= 0 && i < D->R->X.n ? D->point[i] : 0;
        w->limit[e] = (double)INFINITY;
    }
    TRY(pith_i_sum_counts(ctx, count, point));
    for (int64_t e = 0; e < count; e++) {
        const int64_t t = point[e] - first;
        w->point[e] = (int32_t)point[e];
        if (t >= 0 && t < D->P.n)
            w->list[w->lists++] = (int32_t)t;
    }
done:
    return st;
}

/* The sample's true neighbours. */
static pith_status find_truth(pith_ctx *ctx, searching *w)
{
    const int64_t k = w->few.k;
    const pith_i_dealt_few few = {w->sample.count, w->sample.row, w->limit, &w->few};
    pith_status st = PITH_OK;
    TRY(pith_i_dealt_exact(ctx, w->D, &few));
    for (int64_t e = 0; e < w->sample.count; e++)
        w->sample.kth[e] = w->few.distance2[e * k + k - 1];
done:
    return st;
}

/* Gives every process the lists of the sampled rows, each of which one process holds. */
static pith_status share_lists(pith_ctx *ctx, const pith_i_data *X, const pith_i_knn *knn, searching *w)
{
    const int64_t k = knn->k, all = w->sample.count * k;
    for (int64_t e = 0; e < all; e++) {
        const int64_t i = w->sample.row[e / k] - X->offset;
        const bool here = i >= 0 && i < X->n;
        w->few.index[e] = here ? knn->index[i * k + e % k] : 0;
        w->few.distance2[e] = here ? knn->distance2[i * k + e % k] : 0;
    }
    pith_status st = PITH_OK;
    TRY(pith_i_sum_counts(ctx, all, w->few.index));
    TRY(pith_i_sum(ctx, all, w->few.distance2));
done:
    return st;
}

/* ---- Rounds -------------------------------------------------------------------------------------------- */

static pith_status look(pith_ctx *ctx, void *self, int64_t round)
{
    const searching *w = self;
    const bool light = w->D->P.y == NULL;
    pith_status st = PITH_OK;
    TRY(light ? pith_i_dealt_by_heaviest(ctx, w->D, round, w->F)
              : pith_i_dealt_by_cells(ctx, w->D, PITH_I_EACH, (uint64_t)round, w->F));
    for (int times = light ? 2 : 1; times > 0; times--)
        TRY(pith_i_dealt_by_neighbours(ctx, w->D, pith_i_min(w->few.k, PITH_I_HOPS), w->F));
done:
    return st;
}

static pith_status measure(pith_ctx *ctx, void *self, int64_t round, pith_i_knn *knn)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    searching *w = self;
    const int64_t k = knn->k;
    const pith_i_dealt_lists lists = {w->F, w->lists, w->list, w->list};
    pith_i_sample here = w->sample;
    pith_status st = PITH_OK;
    TRY(pith_i_dealt_settle(ctx, w->D, &lists, &w->zeros, knn));
    TRY(share_lists(ctx, &w->D->R->X, knn, w));
    if (round == 1 && !w->known) {
        for (int64_t e = 0; e < here.count; e++)
            w->limit[e] = w->few.distance2[e * k + k - 1];
        TRY(find_truth(ctx, w));
        TRY(share_lists(ctx, &w->D->R->X, knn, w));
    }
    TRY(SCRATCH(ctx, here.row, here.count));
    for (int64_t e = 0; e < here.count; e++)
        here.row[e] = e;
    knn->recall = pith_i_sample_recall(&here, &w->few);
    knn->excess = pith_i_sample_excess(&here, &w->few);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- What a projection can reach ----------------------------------------------------------------------- */

typedef struct met {
    int32_t row; /* of the sample */
    pith_i_candidate found;
} met;

/* Joins the candidates of all processes, in the process that holds the sampled row's point. */
static pith_status join_candidates(pith_ctx *ctx, const pith_i_dealt *D, const pith_i_asked *q)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    int64_t *point = NULL, *at = NULL, *to = NULL, *came_at = NULL, count = 0;
    met *send = NULL;
    void *came = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, point, q->count * q->most));
    for (int64_t e = 0; e < q->count; e++)
        for (int32_t c = 0; c < q->held[e]; c++)
            point[count++] = q->point[e];
    TRY(pith_i_dealt_sort(ctx, D, D->start, count, point, &at, &to));
    TRY(SCRATCH(ctx, send, count));
    count = 0;
    for (int64_t e = 0; e < q->count; e++)
        for (int32_t c = 0; c < q->held[e]; c++)
            send[to[count++]] = (met){(int32_t)e, q->best[e * q->most + c]};
    for (int r = 0; r <= D->ranks; r++)
        at[r] *= (int64_t)sizeof *send;
    TRY(pith_i_exchange(ctx, at, send, &came_at, &came));
    memset(q->held, 0, (size_t)q->count * sizeof *q->held);
    for (int64_t x = 0; x < came_at[D->ranks] / (int64_t)sizeof *send; x++) {
        const met *m = (const met *)came + x;
        pith_i_candidate_put(q->best + m->row * q->most, &q->held[m->row], pith_i_asked_of(q, m->row),
                             m->found);
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Squared distances of the sampled rows to their candidates, in every process; the process that holds a row's
 * point computes them. */
static pith_status measure_candidates(pith_ctx *ctx, const searching *w, const pith_i_asked *q, double *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_dealt *D = w->D;
    const pith_i_found F = {.n = q->count, .m = q->most, .list = q->best, .count = q->held};
    pith_i_dealt_lists lists = {.F = &F};
    int32_t *list = NULL, *point = NULL;
    double *found = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, list, q->count));
    TRY(SCRATCH(ctx, point, q->count));
    for (int64_t e = 0; e < q->count; e++)
        if (pith_i_dealt_owner(D, D->start, q->point[e]) == D->rank) {
            list[lists.count] = (int32_t)e;
            point[lists.count++] = (int32_t)(q->point[e] - D->start[D->rank]);
        }
    lists.list = list;
    lists.point = point;
    TRY(SCRATCH(ctx, found, lists.count * q->most));
    TRY(pith_i_dealt_distances(ctx, D, &lists, found));
    memset(out, 0, (size_t)(q->count * q->most) * sizeof *out);
    for (int64_t e = 0; e < lists.count; e++)
        memcpy(out + list[e] * q->most, found + e * q->most, (size_t)q->most * sizeof *out);
    TRY(pith_i_sum(ctx, q->count * q->most, out));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* The k-th smallest of m numbers. */
static double kth_of(int64_t m, const double *x, int64_t k, pith_i_near *room)
{
    int64_t count = 0;
    for (int64_t c = 0; c < m; c++)
        pith_i_top_push(room, &count, k, (pith_i_near){x[c], c});
    return count == k ? room[0].value : (double)INFINITY;
}

static pith_status make_plan(pith_ctx *ctx, searching *w, double wanted, pith_i_plan *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_dealt *D = w->D;
    const int64_t k = w->few.k, most = pith_i_min(k + PITH_I_WIDEST, D->n - 1), count = w->sample.count;
    pith_i_asked q = {0};
    pith_i_reach reach = {0};
    pith_i_near *room = NULL;
    double *distance2 = NULL;
    pith_status st = PITH_OK;
    TRY(pith_i_reach_open(ctx, count, most, &reach));
    TRY(pith_i_asked_open(ctx, count, k, most, D->P.ld, &q));
    TRY(SCRATCH(ctx, distance2, count * most));
    TRY(SCRATCH(ctx, room, k));
    for (int64_t e = 0; e < count; e++)
        q.point[e] = w->point[e];
    TRY(pith_i_dealt_share(ctx, D, count, w->point, q.y));
    TRY(pith_i_reach_collect(ctx, &D->P, D->start[D->rank], &q));
    TRY(join_candidates(ctx, D, &q));
    TRY(measure_candidates(ctx, w, &q, distance2));
    for (int64_t e = 0; e < count; e++) {
        w->limit[e] = kth_of(most, distance2 + e * most, k, room);
        if (e % PITH_I_REACH_STEP == 0)
            memcpy(reach.distance2 + e / PITH_I_REACH_STEP * most, distance2 + e * most,
                   (size_t)most * sizeof *distance2);
    }
    TRY(find_truth(ctx, w));
    *out = pith_i_plan_choose(&reach, &w->sample, k, wanted);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- The whole search ---------------------------------------------------------------------------------- */

/* The rows held here with fewer than k candidates, ascending; from scratch. They are listed before any is
 * searched, since its list is full then. */
static pith_status list_missing(pith_ctx *ctx, const pith_i_knn *knn, int64_t *count, int64_t **out)
{
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, *out, knn->n));
    *count = 0;
    for (int64_t i = 0; i < knn->n; i++)
        if (knn->index[i * knn->k + knn->k - 1] < 0)
            (*out)[(*count)++] = i;
done:
    return st;
}

/* Rows with fewer than k candidates, which are few, are searched exactly, some at a time. */
static pith_status search_rest(pith_ctx *ctx, const pith_i_dealt *D, pith_i_knn *knn)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_data *X = &D->R->X;
    const int64_t k = knn->k, most = PITH_I_SAMPLED_ROWS;
    int64_t *missing = NULL, *own = NULL, count = 0, before = 0, all = 0;
    pith_i_knn lists = {.n = most, .k = k};
    pith_i_dealt_few few = {.knn = &lists};
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, missing, D->ranks));
    TRY(SCRATCH(ctx, lists.index, most * k));
    TRY(SCRATCH(ctx, lists.distance2, most * k));
    TRY(SCRATCH(ctx, few.row, most));
    TRY(SCRATCH(ctx, few.limit, most));
    for (int64_t e = 0; e < most; e++)
        few.limit[e] = (double)INFINITY;
    TRY(list_missing(ctx, knn, &count, &own));
    missing[D->rank] = count;
    TRY(pith_i_sum_counts(ctx, D->ranks, missing));
    for (int r = 0; r < D->ranks; r++) {
        before += r < D->rank ? missing[r] : 0;
        all += missing[r];
    }
    for (int64_t from = 0; from < all; from += most) {
        few.count = pith_i_min(most, all - from);
        for (int64_t e = 0; e < few.count; e++) {
            const int64_t at = from + e - before;
            few.row[e] = at >= 0 && at < count ? X->offset + own[at] : 0;
        }
        TRY(pith_i_sum_counts(ctx, few.count, few.row));
        TRY(pith_i_dealt_exact(ctx, D, &few));
        for (int64_t e = 0; e < few.count; e++) {
            const int64_t i = few.row[e] - X->offset;
            if (i < 0 || i >= X->n)
                continue;
            memcpy(knn->index + i * k, lists.index + e * k, (size_t)k * sizeof *knn->index);
            memcpy(knn->distance2 + i * k, lists.distance2 + e * k, (size_t)k * sizeof *knn->distance2);
        }
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status are_light(pith_ctx *ctx, const pith_i_data *X, bool *light)
{
    int64_t stored = X->sparse ? pith_i_stored(X) : 0;
    const pith_status st = pith_i_sum_counts(ctx, 1, &stored);
    *light = X->sparse && pith_i_are_light(pith_i_all(X), X->p, stored);
    return st;
}

pith_status pith_i_knn_dealt(pith_ctx *ctx, const pith_i_rows *R, double wanted, pith_i_knn *knn)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t k = knn->k;
    pith_i_plan how = {0, wanted, PITH_I_ROUNDS};
    pith_i_rows shared = {0};
    pith_i_dealt D = {0};
    pith_i_found F = {0};
    searching w = {.D = &D, .F = &F};
    bool light = false;
    pith_status st = PITH_OK;
    TRY(are_light(ctx, &R->X, &light));
    how.m = k + (light ? PITH_I_LISTED : PITH_I_MORE);
    TRY(pith_i_rows_share(ctx, R, &shared));
    TRY((light ? pith_i_dealt_plain : pith_i_dealt_open)(ctx, &shared, &D));
    TRY(open_sample(ctx, &D, k, &w));
    TRY(pith_i_dealt_first_zeros(ctx, &D, k, &w.zeros));
    w.known = !light && D.P.wide > D.P.d;
    if (w.known)
        TRY(make_plan(ctx, &w, wanted, &how));
    TRY(pith_i_found_open(ctx, D.P.n, pith_i_min(how.m, D.n - 1), &F));
    TRY(pith_i_search_rounds(ctx, &(pith_i_rounds){&w, look, measure}, &how, knn));
    const pith_i_dealt_lists all = {.F = &F, .count = D.P.n};
    TRY(pith_i_dealt_settle(ctx, &D, &all, &w.zeros, knn));
    TRY(search_rest(ctx, &D, knn));
done:
    pith_i_found_close(&F);
    pith_i_scratch_release(ctx, mark);
    return st;
}
