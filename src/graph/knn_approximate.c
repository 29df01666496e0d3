/*
 * Candidates by partitions (Gong et al., arXiv 2602.21247: all pairs inside overlapping leaves, by matrix
 * products) and from neighbours of neighbours; exact distances decide between them. The recall on a sample
 * says when it is enough.
 */
#include "graph/knn_approximate.h"

#include "core/parallel.h"
#include "graph/knn_find.h"
#include "graph/knn_found.h"
#include "graph/knn_heavy.h"
#include "graph/knn_recall.h"

enum {
    MORE = 2,     /* candidates beyond k: estimates are rounded, */
    WIDE = 10,    /* or leave out what a projection lost, */
    WIDER = 32,   /* which is more of sparse rows; */
    WIDEST = 128, /* up to so many where these do not suffice */
    EACH = 6,     /* cells of a point in a partition */
    HOPS = 8,     /* neighbours whose neighbours are looked at */
    ROUNDS = 12   /* partitions at most */
};

/* ---- From candidates to neighbours ------------------------------------------------------------------- */

typedef struct settling {
    const pith_i_rows *R;
    const pith_i_cloud *P;
    const pith_i_found *F;
    const int64_t *zero; /* the first zero rows of the cosine metric */
    int64_t zeros;
    pith_i_knn *knn;
} settling;

/* The k nearest of row i's candidates, by exact distance. */
static void settle_row(const settling *s, int64_t i, double *spread, pith_i_near *near)
{
    const int64_t m = s->F->m, point = s->P->point[i], k = s->knn->k;
    const pith_i_candidate *list = s->F->list + point * m;
    pith_i_probe probe;
    int64_t found = 0;
    if (pith_i_row_is_zero(s->R, i)) {
        pith_i_knn_write_zero(s->knn, i);
        return;
    }
    for (int64_t e = 0; e < s->zeros; e++)
        pith_i_top_push(near, &found, k, (pith_i_near){2, s->zero[e]});
    pith_i_probe_start(&probe, s->R, i, spread);
    for (int64_t e = 0; e < s->F->count[point]; e++) {
        const int64_t l = s->P->row[list[e].point];
        pith_i_top_push(near, &found, k, (pith_i_near){pith_i_probe_distance2(&probe, l), l});
    }
    pith_i_probe_end(&probe);
    pith_i_top_sort(near, found);
    pith_i_knn_write(s->knn, i, near, found);
}

/* Of these rows, in this order; rows NULL: of all, in the order of their points. */
static pith_status settle(pith_ctx *ctx, const settling *s, int64_t count, const int64_t *rows)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t threads = pith_ctx_threads(ctx), k = s->knn->k, width = s->R->X.sparse ? s->R->X.p : 0;
    pith_i_near *near = NULL;
    double *spread = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, near, threads * k));
    TRY(SCRATCH_ZERO(ctx, spread, threads * width));
#pragma omp parallel for num_threads((int)threads) schedule(dynamic, 64)
    for (int64_t e = 0; e < count; e++) {
        const int64_t t = pith_i_thread();
        if (!pith_i_progress_stop(ctx, e, count))
            settle_row(s, rows != NULL ? rows[e] : s->P->row[e], width > 0 ? spread + t * width : NULL,
                       near + t * k);
    }
    TRY(pith_i_stop_status(ctx));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Rows that met fewer than k others, which happens to few, are searched exactly. */
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

/* Is what one more round brings too little to get there? */
static bool is_stalled(double before, double now, double wanted, int64_t rounds_left)
{
    return (now - before) * (double)rounds_left < wanted - now;
}

static pith_status widen(pith_ctx *ctx, int64_t m, pith_i_found *F)
{
    pith_i_found wider = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_found_copy(ctx, F, m, &wider));
    pith_i_found_close(F);
    *F = wider;
done:
    return st;
}

static pith_status one_round(pith_ctx *ctx, const settling *s, int64_t round, pith_i_found *F)
{
    const int64_t hops = s->knn->k < HOPS ? s->knn->k : HOPS;
    pith_status st = PITH_OK;
    if (pith_i_is_light(&s->R->X)) {
        TRY(pith_i_found_by_heaviest(ctx, s->R, round, F));
        TRY(pith_i_found_by_hops(ctx, s->R, hops, F));
    } else {
        TRY(pith_i_found_by_cells(ctx, s->P, EACH, (uint64_t)round, F));
        TRY(pith_i_found_by_neighbours(ctx, s->P, hops, F));
    }
done:
    return st;
}

static pith_status search(pith_ctx *ctx, const settling *s, pith_i_found *F, double wanted,
                          pith_i_sample *sample)
{
    pith_i_knn *knn = s->knn;
    const bool projected = s->P->wide > s->P->d && !pith_i_is_light(&s->R->X);
    pith_status st = PITH_OK;
    for (int64_t round = 1; round <= ROUNDS; round++) {
        const double before = knn->recall;
        TRY(one_round(ctx, s, round, F));
        TRY(settle(ctx, s, sample->count, sample->row));
        if (round == 1)
            TRY(pith_i_sample_search(ctx, s->R, s->P, knn, sample));
        knn->recall = pith_i_sample_recall(sample, knn);
        if (knn->recall >= wanted)
            break;
        if (projected && F->m < knn->k + WIDEST && F->m < knn->n - 1)
            TRY(widen(ctx, 2 * F->m - knn->k, F));
        else if (is_stalled(before, knn->recall, wanted, ROUNDS - round))
            break;
    }
done:
    return st;
}

pith_status pith_i_knn_approximate(pith_ctx *ctx, const pith_i_rows *R, double wanted, pith_i_knn *knn)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = R->X.n, k = knn->k;
    pith_i_cloud P = {0};
    pith_i_found F = {0};
    pith_i_sample sample = {0};
    int64_t *zero = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, zero, k));
    TRY(pith_i_sample_draw(ctx, n, PITH_I_SAMPLED_ROWS, &sample));
    TRY(pith_i_is_light(&R->X) ? pith_i_cloud_plain(ctx, R, &P) : pith_i_cloud_make(ctx, R, &P));
    const int64_t m = k + (P.wide == P.d ? MORE : R->X.sparse ? WIDER : WIDE);
    TRY(pith_i_found_open(ctx, n, m < n - 1 ? m : n - 1, &F));
    const settling s = {R, &P, &F, zero, pith_i_first_zeros(R, k, zero), knn};
    knn->recall = 0;
    TRY(search(ctx, &s, &F, wanted, &sample));
    TRY(settle(ctx, &s, n, NULL));
    TRY(search_rest(ctx, R, knn));
done:
    pith_i_found_close(&F);
    pith_i_scratch_release(ctx, mark);
    return st;
}
