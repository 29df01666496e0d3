/* Density-preserving halves where n x n distances are too many to hold. */
#include "graph/sampling.h"

#include "core/parallel.h"
#include "graph/knn_top.h"
#include "matrix/blas.h"

#include <math.h>
#include <string.h>

enum { LIST = 32 }; /* neighbours in a list */
/* Once one in SEARCHES free rows has been compared with all of them, the lists of all are made anew: by
 * matrix products that takes as long as those searches. Not where fewer than FEW are free. */
enum { SEARCHES = 64, FEW = 512 };
enum { PAIRS = 128 }; /* put into halves together, */
enum { CHUNK = 512 }; /* from their distances to so many rows at a time */

/* One split. Rows are known by their numbers in the data. */
typedef struct halves {
    const pith_i_data *X;
    const pith_i_distance_stream *S;
    int64_t n, count;
    int64_t searches;         /* of single rows since all lists were made */
    int64_t k;                /* of every list */
    const pith_i_knn *lists;  /* of all rows */
    pith_i_near *near;        /* n x k: the lists of this split, some made anew */
    int64_t *length, *next;   /* n: of each list, and its first entry that was free when last seen */
    bool *is_free;            /* n */
    int64_t *free_row, frees; /* ascending */
    int64_t *order;           /* 2 x pairs: the pairs, closest first, the lower row of each first */
    double *sign;             /* +1: in half 1, -1: in half 2; by place in order */
    double *distance2;        /* room of one search */
    double *spread;           /* p; NULL: dense */
    double *room, *tile;      /* for all threads */
    double *partial;          /* chunks x 2 PAIRS */
} halves;

/* ---- The pairs ----------------------------------------------------------------------------------------- */

/* Makes list a of `found` the list of row i; its neighbours are places in `row` (NULL: rows of the data). */
static void put_list(halves *h, int64_t i, const pith_i_knn *found, int64_t a, const int64_t *row)
{
    h->next[i] = 0;
    h->length[i] = found->k;
    for (int64_t e = 0; e < found->k; e++) {
        const int64_t l = found->index[a * found->k + e];
        h->near[i * h->k + e] = (pith_i_near){found->distance2[a * found->k + e], row != NULL ? row[l] : l};
    }
}

static void start_lists(halves *h)
{
    h->searches = 0;
    for (int64_t a = 0; a < h->frees; a++)
        put_list(h, h->free_row[a], h->lists, h->free_row[a], NULL);
}

/* Makes the lists of all free rows anew, of free rows only. */
static pith_status search_all(pith_ctx *ctx, halves *h)
{
    pith_i_data some = {0};
    pith_i_knn found = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_take_rows(ctx, h->X, h->frees, h->free_row, &some));
    TRY(pith_i_knn_find(ctx, &some, h->k, h->S->R.metric, &found));
    for (int64_t a = 0; a < h->frees; a++)
        put_list(h, h->free_row[a], &found, a, h->free_row);
    h->searches = 0;
done:
    pith_i_knn_free(&found);
    pith_i_data_free(&some);
    return st;
}

/* Makes the list of row i anew: its nearest among the free rows. */
static void search_again(pith_ctx *ctx, halves *h, int64_t i)
{
    pith_i_near *near = h->near + i * h->k;
    pith_i_probe probe;
    h->searches++;
    pith_i_probe_start(&probe, &h->S->R, i, h->spread);
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(static)
    for (int64_t a = 0; a < h->frees; a++)
        h->distance2[a] = pith_i_probe_distance2(&probe, h->free_row[a]);
    pith_i_probe_end(&probe);
    h->next[i] = h->length[i] = 0;
    for (int64_t a = 0; a < h->frees; a++)
        if (h->free_row[a] != i)
            pith_i_top_push(near, &h->length[i], h->k, (pith_i_near){h->distance2[a], h->free_row[a]});
    pith_i_top_sort(near, h->length[i]);
}

/* The nearest free row in the list of i; NULL: none is left. */
static const pith_i_near *nearest(halves *h, int64_t i)
{
    const pith_i_near *near = h->near + i * h->k;
    int64_t *at = &h->next[i];
    while (*at < h->length[i] && !h->is_free[near[*at].id])
        ++*at;
    return *at < h->length[i] ? near + *at : NULL;
}

/*
 * The closest pair of free rows, ties to the lower rows, or -1 where the lists do not tell: a row whose list
 * has no free row left is at least as far from all of them as from the last in its list, and may be in a
 * closer pair. `without` is the row for which this bound is least.
 */
static void closest(halves *h, int64_t *lower, int64_t *upper, int64_t *without)
{
    double best = INFINITY, bound = INFINITY;
    *lower = *without = -1;
    for (int64_t a = 0; a < h->frees; a++) {
        const int64_t i = h->free_row[a];
        const pith_i_near *to = nearest(h, i), *last = h->near + i * h->k + h->length[i] - 1;
        if (to == NULL && last->value < bound) {
            bound = last->value;
            *without = i;
        } else if (to != NULL && (to->value < best || *lower < 0)) {
            best = to->value;
            *lower = i;
            *upper = to->id;
        }
    }
    if (*without >= 0 && bound <= best)
        *lower = -1;
}

static pith_status next_pair(pith_ctx *ctx, halves *h, int64_t *lower, int64_t *upper)
{
    int64_t without = -1;
    pith_status st = PITH_OK;
    for (;;) {
        closest(h, lower, upper, &without);
        if (*lower >= 0)
            break;
        if (h->frees > FEW && h->searches * SEARCHES >= h->frees)
            TRY(search_all(ctx, h));
        else
            search_again(ctx, h, without);
    }
done:
    return st;
}

static void take(halves *h, int64_t i)
{
    int64_t left = 0;
    h->is_free[i] = false;
    for (int64_t a = 0; a < h->frees; a++)
        if (h->free_row[a] != i)
            h->free_row[left++] = h->free_row[a];
    h->frees = left;
}

static pith_status match(pith_ctx *ctx, halves *h)
{
    pith_status st = PITH_OK;
    start_lists(h);
    for (int64_t done = 0; h->frees > 1; done += 2) {
        if (done % 32 == 0)
            TRY(pith_i_progress(ctx, done, 2 * h->count));
        TRY(next_pair(ctx, h, &h->order[done], &h->order[done + 1]));
        take(h, h->order[done]);
        take(h, h->order[done + 1]);
    }
    if (h->frees == 1)
        h->order[h->count - 1] = h->free_row[0];
done:
    return st;
}

/* ---- The halves ---------------------------------------------------------------------------------------- */

/* delta_r = sum_b sign_b d(r, b) over the rows before place `first`, for `count` rows from there on. */
static void sums_before(pith_ctx *ctx, const halves *h, int64_t first, int64_t count, double *delta)
{
    const int64_t chunks = (first + CHUNK - 1) / CHUNK, most = 2 * PAIRS;
    const int64_t room = pith_i_distance_room(h->S, most);
    pith_i_blas_enter();
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic)
    for (int64_t c = 0; c < chunks; c++) {
        const int64_t from = c * CHUNK, here = first - from < CHUNK ? first - from : CHUNK;
        double *tile = h->tile + pith_i_thread() * most * CHUNK;
        pith_i_distance_tile(h->S, count, h->order + first, here, h->order + from,
                             h->room + pith_i_thread() * room, tile);
        for (int64_t r = 0; r < count; r++)
            h->partial[c * most + r] = cblas_ddot((int)here, tile + r * here, 1, h->sign + from, 1);
    }
    pith_i_blas_leave();
    memset(delta, 0, (size_t)count * sizeof *delta);
    for (int64_t c = 0; c < chunks; c++)
        for (int64_t r = 0; r < count; r++)
            delta[r] += h->partial[c * most + r];
}

/*
 * Puts the rows at places first .. first+count-1 of the order into halves. With delta the sum over half 1
 * less that over half 2, the pair (i, j) goes to (1, 2) where S1_i + S2_j >= S2_i + S1_j, which is delta_i >=
 * delta_j.
 */
static void place(pith_ctx *ctx, halves *h, int64_t first, int64_t count)
{
    double delta[2 * PAIRS], *tile = h->tile;
    sums_before(ctx, h, first, count, delta);
    pith_i_blas_enter();
    pith_i_distance_tile(h->S, count, h->order + first, count, h->order + first, h->room, tile);
    pith_i_blas_leave();
    for (int64_t r = 0; r < count; r += 2) {
        const bool odd = r + 1 == count;
        double *sign = h->sign + first + r;
        sign[0] = delta[r] >= (odd ? 0 : delta[r + 1]) ? 1 : -1;
        if (odd)
            break;
        sign[1] = -sign[0];
        for (int64_t b = r + 2; b < count; b++)
            delta[b] += sign[0] * tile[b * count + r] + sign[1] * tile[b * count + r + 1];
    }
}

/* Keeps the rows that go to the wanted half, 1 or -1. */
static pith_status split(pith_ctx *ctx, halves *h, int64_t *rows, int64_t *count, double wanted)
{
    int64_t left = 0;
    pith_status st = PITH_OK;
    h->count = h->frees = *count;
    memset(h->is_free, 0, (size_t)h->n * sizeof *h->is_free);
    for (int64_t a = 0; a < h->count; a++) {
        h->free_row[a] = rows[a];
        h->is_free[rows[a]] = true;
    }
    TRY(match(ctx, h));
    memset(h->is_free, 0, (size_t)h->n * sizeof *h->is_free);
    for (int64_t first = 0; first < h->count; first += 2 * PAIRS) {
        TRY(pith_i_progress(ctx, h->count + first, 2 * h->count));
        place(ctx, h, first, h->count - first < 2 * PAIRS ? h->count - first : 2 * PAIRS);
    }
    for (int64_t b = 0; b < h->count; b++)
        h->is_free[h->order[b]] = h->sign[b] == wanted;
    for (int64_t a = 0; a < h->count; a++)
        if (h->is_free[rows[a]])
            rows[left++] = rows[a];
    *count = left;
done:
    return st;
}

static pith_status make_room(pith_ctx *ctx, halves *h, int64_t count)
{
    const int64_t threads = pith_ctx_threads(ctx);
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, h->near, h->n * h->k));
    TRY(SCRATCH(ctx, h->length, h->n));
    TRY(SCRATCH(ctx, h->next, h->n));
    TRY(SCRATCH(ctx, h->is_free, h->n));
    TRY(SCRATCH(ctx, h->free_row, count));
    TRY(SCRATCH(ctx, h->order, count));
    TRY(SCRATCH(ctx, h->sign, count));
    TRY(SCRATCH(ctx, h->distance2, count));
    if (h->S->R.X.sparse)
        TRY(SCRATCH_ZERO(ctx, h->spread, h->S->R.X.p));
    TRY(SCRATCH(ctx, h->room, threads * pith_i_distance_room(h->S, 2 * PAIRS)));
    TRY(SCRATCH(ctx, h->tile, threads * 2 * PAIRS * CHUNK));
    TRY(SCRATCH(ctx, h->partial, (count / CHUNK + 1) * 2 * PAIRS));
done:
    return st;
}

pith_status pith_i_density_sample_streamed(pith_ctx *ctx, const pith_i_data *X,
                                           const pith_i_distance_stream *S, int64_t levels, int64_t fold,
                                           int64_t *rows, int64_t *count)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_knn lists = {0};
    pith_status st = PITH_OK;
    TRY(pith_i_knn_find(ctx, X, LIST, S->R.metric, &lists));
    halves h = {.X = X, .S = S, .n = X->n, .k = lists.k, .lists = &lists};
    TRY(make_room(ctx, &h, *count));
    for (int64_t level = 1; level <= levels; level++)
        TRY(split(ctx, &h, rows, count, (fold >> (levels - level) & 1) == 0 ? 1 : -1));
    if (*count < 1)
        FAIL(ctx, PITH_E_DATA, "part %lld of %lld holds no samples: use fewer levels", (long long)fold,
             (long long)1 << levels);
done:
    pith_i_knn_free(&lists);
    pith_i_scratch_release(ctx, mark);
    return st;
}
