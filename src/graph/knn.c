/*
 * Exact nearest neighbours in three steps: candidates by lower bounds in float, their distances in double,
 * and for the rows where that does not settle the answer a second search by bounds in double.
 */
#include "graph/knn_find.h"

#include "core/parallel.h"
#include "core/search.h"
#include "graph/knn_approximate.h"
#include "graph/knn_dealt.h"
#include "graph/knn_engine.h"
#include "graph/knn_ring.h"
#include "graph/knn_work.h"

#include <float.h>
#include <math.h>

enum { MORE = 10 }; /* candidates beyond k: what makes the certificate hold for almost every row */

int64_t pith_i_knn_candidates(int64_t n, int64_t k)
{
    return k + MORE < n - 1 ? k + MORE : n - 1;
}

/* ---- A row searched again ---------------------------------------------------------------------------- */

static void set_limit(pith_i_search *s, pith_i_near limit)
{
    s->limit = limit;
    /* Rounded up where it may underflow: a limit that is not 0 must not become one. */
    s->scaled = limit.value * s->scale * s->scale + (limit.value > 0 ? DBL_MIN : 0);
}

void pith_i_search_start(pith_i_search *s, const pith_i_rows *R, const pith_i_knn *knn, int64_t i,
                         pith_i_near *near)
{
    const int64_t last = i * knn->k + knn->k - 1;
    *s = (pith_i_search){.i = i, .k = knn->k, .near = near, .scale = R->scale};
    set_limit(s, (pith_i_near){knn->distance2[last], knn->index[last]});
}

void pith_i_search_take(pith_i_search *s, int64_t l, double distance2)
{
    pith_i_top_push(s->near, &s->count, s->k, (pith_i_near){distance2, l});
    if (s->count == s->k && pith_i_nearer(s->near[0], s->limit))
        set_limit(s, s->near[0]);
}

void pith_i_knn_write(pith_i_knn *knn, int64_t i, const pith_i_near *sorted, int64_t count)
{
    for (int64_t e = 0; e < knn->k; e++) {
        knn->index[i * knn->k + e] = e < count ? sorted[e].id : -1;
        knn->distance2[i * knn->k + e] = e < count ? sorted[e].value : (double)INFINITY;
    }
}

void pith_i_search_end(pith_i_search *s, pith_i_knn *knn)
{
    pith_i_top_sort(s->near, s->count);
    pith_i_knn_write(knn, s->i, s->near, s->count);
}

/* ---- From candidates to neighbours ------------------------------------------------------------------- */

typedef struct settling {
    const pith_i_rows *R;
    pith_i_lists *L;
    const int64_t *zero; /* the first k zero rows of the cosine metric, or fewer */
    int64_t zeros;
    pith_i_knn *knn;
} settling;

void pith_i_knn_write_zero(pith_i_knn *knn, int64_t i, int64_t number)
{
    for (int64_t e = 0; e < knn->k; e++) {
        knn->index[i * knn->k + e] = e < number ? e : e + 1;
        knn->distance2[i * knn->k + e] = 2;
    }
}

/*
 * The k nearest candidates of row i by exact distance. True if no other row can be among the k nearest:
 * those have a lower bound of at least the worst candidate's, which must exceed the k-th distance. A tie
 * fails, since the other row may have the lower index.
 */
static bool settle_row(const settling *s, int64_t i, double *spread, pith_i_near *near)
{
    const int64_t k = s->knn->k, count = s->L->count[i];
    const double scale = s->L->scale;
    pith_i_near *candidate = s->L->near + i * s->L->m;
    pith_i_probe probe;
    int64_t found = 0, c = 0;
    if (pith_i_row_is_zero(s->R, i)) {
        pith_i_knn_write_zero(s->knn, i, i);
        return true;
    }
    for (int64_t e = 0; e < s->zeros; e++)
        pith_i_top_push(near, &found, k, (pith_i_near){2, s->zero[e]});
    pith_i_top_sort(candidate, count);
    pith_i_probe_start(&probe, s->R, i, spread);
    for (; c < count; c++) {
        const double bound = candidate[c].value + (double)s->L->norm[i];
        if (found == k && bound > near[0].value * scale * scale)
            break;
        const int64_t l = candidate[c].id;
        pith_i_top_push(near, &found, k, (pith_i_near){pith_i_probe_distance2(&probe, l), l});
    }
    pith_i_probe_end(&probe);
    pith_i_top_sort(near, found);
    pith_i_knn_write(s->knn, i, near, found);
    return c < count || count < s->L->m || s->L->m == s->knn->n - 1;
}

/* The rows that must be searched again: again[0] to again[*many - 1]. */
static pith_status settle_all(pith_ctx *ctx, const settling *s, int64_t *again, int64_t *many)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = s->knn->n, k = s->knn->k, threads = pith_ctx_threads(ctx);
    const int64_t width = s->R->X.sparse ? s->R->X.p : 0;
    pith_status st = PITH_OK;
    pith_i_near *near = NULL;
    double *spread = NULL;
    TRY(SCRATCH(ctx, near, threads * k));
    TRY(SCRATCH_ZERO(ctx, spread, threads * width));
#pragma omp parallel for num_threads((int)threads) schedule(dynamic, 64)
    for (int64_t i = 0; i < n; i++) {
        const int64_t t = pith_i_thread();
        if (!pith_i_progress_stop(ctx, n, n))
            again[i] = !settle_row(s, i, width > 0 ? spread + t * width : NULL, near + t * k);
    }
    TRY(pith_i_stop_status(ctx));
    *many = 0;
    for (int64_t i = 0; i < n; i++)
        if (again[i])
            again[(*many)++] = i;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

int64_t pith_i_first_zeros(const pith_i_rows *R, int64_t room, int64_t *zero)
{
    int64_t zeros = 0;
    for (int64_t i = 0; R->zeros > 0 && i < R->X.n && zeros < room; i++)
        if (pith_i_row_is_zero(R, i))
            zero[zeros++] = i;
    return zeros;
}

/* Closes L as soon as its candidates are settled. */
static pith_status find(pith_ctx *ctx, const pith_i_rows *R, pith_i_lists *L, pith_i_knn *knn)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_among all = {.count = knn->n, .all = knn->n};
    pith_status st = PITH_OK;
    int64_t *again = NULL, *zero = NULL, many = 0;
    TRY(SCRATCH(ctx, zero, knn->k));
    TRY(SCRATCH(ctx, again, knn->n));
    const settling s = {R, L, zero, pith_i_first_zeros(R, knn->k, zero), knn};
    TRY(settle_all(ctx, &s, again, &many));
    pith_i_lists_close(L);
    if (many > 0)
        TRY(R->X.sparse ? pith_i_knn_sparse_redo(ctx, R, many, again, &all, knn)
                        : pith_i_knn_dense_redo(ctx, R, many, again, &all, knn));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_knn_exact(pith_ctx *ctx, const pith_i_rows *R, pith_i_knn *knn)
{
    const int64_t m = pith_i_knn_candidates(knn->n, knn->k);
    pith_i_lists L = {0};
    pith_status st = PITH_OK;
    TRY(R->X.sparse ? pith_i_knn_sparse_lists(ctx, R, m, &L) : pith_i_knn_dense_lists(ctx, R, m, &L));
    TRY(find(ctx, R, &L, knn));
done:
    pith_i_lists_close(&L);
    return st;
}

/* Exactly or not, by the context's setting; adds what was measured to the context's record of searches. */
static pith_status search(pith_ctx *ctx, const pith_i_rows *R, pith_i_knn *knn)
{
    const pith_i_searching *how = pith_i_searching_of(ctx);
    const bool spread = pith_i_is_spread(&R->X);
    pith_i_searching done = {.count = 1};
    pith_status st = PITH_OK;
    TRY(pith_i_knn_work(ctx, &R->X, &done.work));
    if (pith_i_knn_is_approximate(ctx, &R->X, knn->k, done.work)) {
        TRY(spread ? pith_i_knn_dealt(ctx, R, how->wanted, knn)
                   : pith_i_knn_approximate(ctx, R, how->wanted, knn));
    } else {
        TRY(spread ? pith_i_knn_ring(ctx, R, knn) : pith_i_knn_exact(ctx, R, knn));
        knn->recall = how->mode == PITH_I_SEARCH_APPROXIMATE ? 1 : (double)NAN;
    }
    done.measured = knn->recall;
    done.excess = knn->excess;
    pith_i_searching_add(ctx, &done);
done:
    return st;
}

pith_status pith_i_knn_rows(pith_ctx *ctx, const pith_i_rows *R, int64_t k, pith_i_lists *candidates,
                            pith_i_knn *out)
{
    const int64_t n = R->X.n, all = pith_i_all(&R->X);
    pith_i_knn knn = {.n = n, .k = k < all - 1 ? k : all - 1, .recall = (double)NAN};
    pith_status st = PITH_OK;
    int64_t cells = 0;
    bool found = false;
    if (all < 2)
        FAIL(ctx, PITH_E_DATA, "neighbours need at least 2 rows, there is %lld", (long long)all);
    if (__builtin_mul_overflow(n, knn.k + MORE, &cells))
        FAIL(ctx, PITH_E_NOMEM, "out of memory: %lld neighbours of %lld rows", (long long)k, (long long)n);
    if (candidates != NULL && candidates->known.index != NULL) {
        TRY(pith_i_knn_rank(ctx, R, &candidates->known));
        *out = candidates->known;
        candidates->known = (pith_i_knn){0};
        return PITH_OK;
    }
    TRY(NEW(ctx, knn.index, n * knn.k));
    TRY(NEW(ctx, knn.distance2, n * knn.k));
    if (candidates == NULL)
        TRY(pith_i_knn_elsewhere(ctx, R, knn.k, &found, &knn));
    if (!found)
        TRY(candidates == NULL ? search(ctx, R, &knn) : find(ctx, R, candidates, &knn));
    *out = knn;
    return PITH_OK;
done:
    pith_i_knn_free(&knn);
    return st;
}

pith_status pith_i_knn_find(pith_ctx *ctx, const pith_i_data *X, int64_t k, pith_i_metric metric,
                            pith_i_knn *out)
{
    pith_i_rows R = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_rows_open(ctx, X, metric, &R));
    TRY(pith_i_knn_rows(ctx, &R, k, NULL, out));
done:
    pith_i_rows_close(&R);
    return st;
}

void pith_i_knn_free(pith_i_knn *knn)
{
    pith_i_free(knn->index);
    pith_i_free(knn->distance2);
    *knn = (pith_i_knn){0};
}
