/*
 * Candidates by partitions (Gong et al., arXiv 2602.21247: all pairs inside overlapping leaves, by matrix
 * products) and from neighbours of neighbours; exact distances decide between them. Rounds
 * end when the recall on a sample of rows is high enough.
 */
#include "graph/knn_approximate.h"

#include "core/parallel.h"
#include "graph/knn_approximate_inside.h"
#include "graph/knn_find.h"
#include "graph/knn_heavy.h"

#include <stdlib.h>

enum {
    WIDE = 2, /* fewest candidates beyond k of projected rows */
    VAIN = 32 /* their number where even PITH_I_WIDEST would be far too few */
};

/* ---- From candidates to neighbours ------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    const pith_i_near *x = a, *y = b;
    return pith_i_nearer(*x, *y) ? -1 : 1;
}

typedef struct room { /* of one thread */
    pith_i_near *near, *bound;
    double *spread;
    float *narrow;
} room;

/* The candidates of row i with lower bounds of their distances, in ascending order. */
static void screen_row(const pith_i_settling *s, int64_t i, const room *w)
{
    const int64_t point = s->P->point[i], count = s->F->count[point];
    const pith_i_candidate *list = s->F->list + point * s->F->m;
    if (!s->screened)
        pith_i_screen_start(s->screen, i, w->narrow);
    for (int64_t e = 0; e < count; e++) {
        const int64_t l = s->P->row[list[e].point];
        const float value = s->screened ? list[e].value : pith_i_screen_value(s->screen, w->narrow, l);
        w->bound[e] = (pith_i_near){(double)value + (double)s->screen->norm[i], l};
    }
    if (s->screened)
        return;
    pith_i_screen_end(s->screen, i, w->narrow);
    qsort(w->bound, (size_t)count, sizeof *w->bound, by_value);
}

/* Dense rows lie anywhere in memory: prefetches the next candidate while this one is measured. */
static void fetch_row(const pith_i_rows *R, int64_t i)
{
    enum { LINE = 64, MOST = 4096 };
    const int64_t size = (int64_t)pith_i_dtype_size(R->X.dtype), bytes = R->X.p * size;
    const char *row = (const char *)R->X.x + i * R->X.row_stride * size;
    for (int64_t b = 0; b < bytes && b < MOST; b += LINE)
        __builtin_prefetch(row + b);
}

/* The k nearest of row i's candidates, by exact distance. */
static void settle_row(const pith_i_settling *s, int64_t i, const room *w)
{
    const int64_t point = s->P->point[i], k = s->knn->k;
    const pith_i_candidate *list = s->F->list + point * s->F->m;
    const double unit = s->R->scale * s->R->scale;
    pith_i_probe probe;
    int64_t found = 0;
    if (pith_i_row_is_zero(s->R, i)) {
        pith_i_knn_write_zero(s->knn, i, i);
        return;
    }
    for (int64_t e = 0; e < s->zeros; e++)
        pith_i_top_push(w->near, &found, k, (pith_i_near){2, s->zero[e]});
    if (s->R->X.sparse)
        screen_row(s, i, w);
    pith_i_probe_start(&probe, s->R, i, w->spread);
    for (int64_t e = 0; e < s->F->count[point]; e++) {
        if (s->R->X.sparse && found == k && w->bound[e].value > w->near[0].value * unit)
            break;
        const int64_t l = s->R->X.sparse ? w->bound[e].id : s->P->row[list[e].point];
        if (!s->R->X.sparse && e + 1 < s->F->count[point])
            fetch_row(s->R, s->P->row[list[e + 1].point]);
        pith_i_top_push(w->near, &found, k, (pith_i_near){pith_i_probe_distance2(&probe, l), l});
    }
    pith_i_probe_end(&probe);
    pith_i_top_sort(w->near, found);
    pith_i_knn_write(s->knn, i, w->near, found);
}

pith_status pith_i_settle(pith_ctx *ctx, const pith_i_settling *s, int64_t count, const int64_t *rows)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t threads = pith_ctx_threads(ctx);
    room *work = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, work, threads));
    for (int64_t t = 0; t < threads; t++) {
        TRY(SCRATCH(ctx, work[t].near, s->knn->k));
        TRY(SCRATCH(ctx, work[t].bound, s->F->m));
        if (s->R->X.sparse) {
            TRY(SCRATCH_ZERO(ctx, work[t].spread, s->R->X.p));
            TRY(SCRATCH_ZERO(ctx, work[t].narrow, s->R->X.p));
        }
    }
#pragma omp parallel for num_threads((int)threads) schedule(dynamic, 64)
    for (int64_t e = 0; e < count; e++)
        if (!pith_i_progress_stop(ctx, e, count))
            settle_row(s, rows != NULL ? rows[e] : s->P->row[e], &work[pith_i_thread()]);
    TRY(pith_i_stop_status(ctx));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Rows with fewer than k candidates, which are few, are searched exactly. */
static pith_status search_rest(pith_ctx *ctx, const pith_i_rows *R, pith_i_knn *knn)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_among all = {.count = knn->n, .all = knn->n};
    int64_t *rest = NULL, count = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, rest, knn->n));
    for (int64_t i = 0; i < knn->n; i++)
        if (knn->index[i * knn->k + knn->k - 1] < 0)
            rest[count++] = i;
    if (count > 0)
        TRY(R->X.sparse ? pith_i_knn_sparse_redo(ctx, R, count, rest, &all, knn)
                        : pith_i_knn_dense_redo(ctx, R, count, rest, &all, knn));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- Rounds ------------------------------------------------------------------------------------------- */

/* Would the recall stay too low, if each of the rounds left gained as much as the last one? */
static bool is_stalled(double before, double now, double wanted, int64_t rounds_left)
{
    return (now - before) * (double)rounds_left < wanted - now;
}

pith_status pith_i_search_rounds(pith_ctx *ctx, const pith_i_rounds *r, const pith_i_plan *how,
                                 pith_i_knn *knn)
{
    pith_status st = PITH_OK;
    knn->recall = 0;
    for (int64_t round = 1; round <= how->rounds; round++) {
        const double before = knn->recall;
        TRY(r->look(ctx, r->self, round));
        TRY(r->measure(ctx, r->self, round, knn));
        if (knn->recall >= how->wanted || is_stalled(before, knn->recall, how->wanted, how->rounds - round))
            break;
    }
done:
    return st;
}

typedef struct searching { /* of one process */
    const pith_i_settling *s;
    pith_i_found *F;
    pith_i_sample *sample;
    bool known; /* the sample's kth distances are set */
} searching;

static pith_status look(pith_ctx *ctx, void *self, int64_t round)
{
    const searching *w = self;
    const pith_i_settling *s = w->s;
    const int64_t hops = pith_i_min(s->knn->k, PITH_I_HOPS);
    pith_status st = PITH_OK;
    if (pith_i_is_light(&s->R->X)) {
        TRY(pith_i_found_by_heaviest(ctx, s->screen, round, w->F));
        for (int times = 0; times < 2; times++) /* cheaper than longer lists, and brings as much */
            TRY(pith_i_found_by_hops(ctx, s->screen, hops, w->F));
    } else {
        TRY(pith_i_found_by_cells(ctx, s->P, PITH_I_EACH, (uint64_t)round, w->F));
        TRY(pith_i_found_by_neighbours(ctx, s->P, hops, w->F));
    }
done:
    return st;
}

static pith_status measure(pith_ctx *ctx, void *self, int64_t round, pith_i_knn *knn)
{
    const searching *w = self;
    pith_status st = PITH_OK;
    TRY(pith_i_settle(ctx, w->s, w->sample->count, w->sample->row));
    if (round == 1 && !w->known)
        TRY(pith_i_sample_search(ctx, w->s->R, w->s->P, knn, w->sample));
    knn->recall = pith_i_sample_recall(w->sample, knn);
    knn->excess = pith_i_sample_excess(w->sample, knn);
done:
    return st;
}

/* ---- Candidates of a projection ----------------------------------------------------------------------- */

/*
 * The fewest candidates, by doubling, that lose at most six tenths of the share 1 - wanted that may be lost.
 * If PITH_I_WIDEST are far too few, the projection does not show which rows are near: many candidates would
 * cost much and bring little. If these hold next to none of the neighbours, further rounds would not either.
 */
pith_i_plan pith_i_plan_choose(const pith_i_reach *reach, const pith_i_sample *sample, int64_t k,
                               double wanted)
{
    int64_t more = WIDE, rounds = PITH_I_ROUNDS;
    while (more < PITH_I_WIDEST &&
           pith_i_reach_recall(reach, sample, k, k + more) < wanted + 0.4 * (1 - wanted))
        more *= 2;
    if (pith_i_reach_recall(reach, sample, k, k + more) < 0.8 * wanted)
        more = VAIN;
    const double best = pith_i_reach_recall(reach, sample, k, k + more), most = 0.98 * best;
    if (best < 0.1 * wanted)
        rounds = 1;
    return (pith_i_plan){k + more, most < wanted ? most : wanted, rounds};
}

static pith_status make_plan(pith_ctx *ctx, const pith_i_rows *R, const pith_i_cloud *P, double wanted,
                             pith_i_sample *sample, pith_i_knn *knn, pith_i_plan *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t k = knn->k, most = pith_i_min(k + PITH_I_WIDEST, P->n - 1);
    pith_i_reach reach = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_reach_measure(ctx, R, P, most, sample, knn, &reach));
    TRY(pith_i_sample_search(ctx, R, P, knn, sample));
    *out = pith_i_plan_choose(&reach, sample, k, wanted);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_knn_approximate(pith_ctx *ctx, const pith_i_rows *R, double wanted, pith_i_knn *knn)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = R->X.n, k = knn->k;
    const bool light = pith_i_is_light(&R->X);
    pith_i_plan how = {k + (light ? PITH_I_LISTED : PITH_I_MORE), wanted, PITH_I_ROUNDS};
    pith_i_screen screen = {0};
    pith_i_cloud P = {0};
    pith_i_found F = {0};
    pith_i_sample sample = {0};
    int64_t *zero = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, zero, k));
    TRY(pith_i_sample_draw(ctx, n, PITH_I_SAMPLED_ROWS, &sample));
    TRY(light ? pith_i_cloud_plain(ctx, R, &P) : pith_i_cloud_make(ctx, R, &P));
    const bool projected = !light && P.wide > P.d;
    if (projected)
        TRY(make_plan(ctx, R, &P, wanted, &sample, knn, &how));
    TRY(pith_i_found_open(ctx, n, how.m < n - 1 ? how.m : n - 1, &F));
    if (R->X.sparse)
        TRY(pith_i_screen_make(ctx, R, &screen));
    const pith_i_settling s = {R, &P, &F, &screen, light, zero, pith_i_first_zeros(R, k, zero), knn};
    searching w = {&s, &F, &sample, projected};
    TRY(pith_i_search_rounds(ctx, &(pith_i_rounds){&w, look, measure}, &how, knn));
    TRY(pith_i_settle(ctx, &s, n, NULL));
    TRY(search_rest(ctx, R, knn));
done:
    pith_i_found_close(&F);
    pith_i_scratch_release(ctx, mark);
    return st;
}
