#include "select/diverse.h"

#include "core/parallel.h"
#include "matrix/blas.h"

#include <math.h>
#include <string.h>

enum {
    ABREAST = 32, /* candidates that are compared side by side */
    LEAST_POOL = 2000,
    KEPT = 1 << 21 /* values of unit columns kept at most: candidates near the front come back often */
};

typedef struct greedy {
    const pith_i_data *X, *T;
    int64_t n, pool;       /* candidates: the first `pool` of the ranking */
    const int64_t *column; /* of each candidate */
    double power;
    double *relevance, *value; /* of each candidate; value is an upper bound unless it has seen all chosen */
    double *most;              /* its largest squared correlation with those that it has seen */
    int64_t *seen;             /* how many of the chosen those are; -1: it is chosen itself */
    double *chosen;            /* unit columns, centred, of n each */
    int64_t count;             /* of them */
    double *spare;             /* per thread: n + top */
    int64_t top;
    double **unit, *room; /* of each candidate its unit column or NULL; where the next one goes */
    int64_t rooms;        /* for as many more */
} greedy;

/* Column j minus its mean, of unit norm; zeros if it is constant. */
static void unit_column(const greedy *g, int64_t j, double *f)
{
    const int64_t n = g->n;
    double mean = 0, square = 0;
    if (g->T == NULL) {
        pith_i_column(g->X, j, f);
    } else {
        memset(f, 0, (size_t)n * sizeof *f);
        for (int64_t e = g->T->indptr[j]; e < g->T->indptr[j + 1]; e++)
            f[g->T->indices[e]] = pith_i_at(g->T, j, e);
    }
    const double base = f[0]; /* from the first, so that a constant is exactly 0 */
    for (int64_t i = 0; i < n; i++)
        mean += (f[i] - base) / (double)n;
    for (int64_t i = 0; i < n; i++) {
        f[i] = f[i] - base - mean;
        square += f[i] * f[i];
    }
    for (int64_t i = 0; i < n; i++)
        f[i] = square > 0 ? f[i] / sqrt(square) : 0;
}

/* A copy is worth nothing, whatever rounding leaves of it. */
static double worth(const greedy *g, int64_t k)
{
    const double left = 1 - g->most[k];
    return left > 1e-12 ? g->relevance[k] * pow(left, g->power) : 0;
}

/* Candidate k sees the chosen that it has not seen. Its unit column is there already if it has seen any. */
static void look(const greedy *g, int64_t k, double *spare)
{
    double *f = g->unit[k] != NULL ? g->unit[k] : spare, *product = spare + g->n;
    const int64_t from = g->seen[k], unseen = g->count - from;
    if (f == spare || from == 0)
        unit_column(g, g->column[k], f);
    cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)unseen, (int)g->n, 1, g->chosen + from * g->n, (int)g->n, f,
                1, 0, product, 1);
    for (int64_t c = 0; c < unseen; c++)
        g->most[k] = fmax(g->most[k], product[c] * product[c]);
    g->seen[k] = g->count;
    g->value[k] = worth(g, k);
}

/* Does candidate k come before l? By value; among equals the column of the lower number. */
static bool before(const greedy *g, int64_t k, int64_t l)
{
    return g->value[k] > g->value[l] || (g->value[k] == g->value[l] && g->column[k] < g->column[l]);
}

/* The first of the candidates not chosen. */
static int64_t front(const greedy *g)
{
    int64_t best = -1;
    for (int64_t k = 0; k < g->pool; k++)
        if (g->seen[k] >= 0 && (best < 0 || before(g, k, best)))
            best = k;
    return best;
}

/* The first stale candidates, at most ABREAST, in order; returns how many. */
static int64_t stale_front(const greedy *g, int64_t some[ABREAST])
{
    int64_t count = 0;
    for (int64_t k = 0; k < g->pool; k++) {
        if (g->seen[k] < 0 || g->seen[k] == g->count)
            continue;
        if (count == ABREAST && !before(g, k, some[ABREAST - 1]))
            continue;
        int64_t at = count < ABREAST ? count++ : ABREAST - 1;
        for (; at > 0 && before(g, k, some[at - 1]); at--)
            some[at] = some[at - 1];
        some[at] = k;
    }
    return count;
}

/* The stale candidates nearest to the front see what is chosen, side by side. */
static void refresh(pith_ctx *ctx, greedy *g)
{
    int64_t some[ABREAST];
    const int64_t count = stale_front(g, some);
    for (int64_t s = 0; s < count && g->rooms > 0; s++)
        if (g->seen[some[s]] == 0) {
            g->unit[some[s]] = g->room;
            g->room += g->n;
            g->rooms--;
        }
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic)
    for (int64_t s = 0; s < count; s++)
        look(g, some[s], g->spare + pith_i_thread() * (g->n + g->top));
}

/* Chooses g->top candidates; `order` gets their places in the pool. */
static pith_status choose(pith_ctx *ctx, greedy *g, int64_t *order)
{
    pith_status st = PITH_OK;
    while (g->count < g->top) {
        TRY(pith_i_progress(ctx, g->count, g->top));
        int64_t k = front(g);
        while (g->seen[k] < g->count) {
            refresh(ctx, g);
            k = front(g);
        }
        unit_column(g, g->column[k], g->chosen + g->count * g->n);
        g->seen[k] = -1;
        order[g->count++] = k;
    }
done:
    return st;
}

static pith_status prepare(pith_ctx *ctx, const double *score, const pith_i_diversity *options, greedy *g)
{
    pith_status st = PITH_OK;
    double worst = options->as_it_is ? 0 : INFINITY;
    TRY(SCRATCH(ctx, g->relevance, g->pool));
    TRY(SCRATCH(ctx, g->value, g->pool));
    TRY(SCRATCH_ZERO(ctx, g->most, g->pool));
    TRY(SCRATCH_ZERO(ctx, g->seen, g->pool));
    TRY(SCRATCH(ctx, g->chosen, g->top * g->n));
    TRY(SCRATCH(ctx, g->spare, pith_ctx_threads(ctx) * (g->n + g->top)));
    TRY(SCRATCH_ZERO(ctx, g->unit, g->pool));
    g->rooms = KEPT / g->n < g->pool ? KEPT / g->n : g->pool;
    TRY(SCRATCH(ctx, g->room, g->rooms * g->n));
    for (int64_t k = 0; k < g->pool && !options->as_it_is; k++)
        worst = fmin(worst, score[g->column[k]]);
    for (int64_t k = 0; k < g->pool; k++)
        g->value[k] = g->relevance[k] = score[g->column[k]] - worst;
done:
    return st;
}

pith_status pith_i_diverse(pith_ctx *ctx, const pith_i_data *X, const pith_i_data *T, const double *score,
                           const pith_i_diversity *options, int64_t *ranking)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    greedy g = {.X = X, .T = T, .n = X->n, .power = options->power};
    int64_t scored = 0, *were = NULL, *order = NULL;
    pith_status st = PITH_OK;
    while (scored < X->p && !isnan(score[ranking[scored]]))
        scored++;
    g.top = options->top < scored ? options->top : scored;
    g.pool = g.top < LEAST_POOL / 10 ? LEAST_POOL : 10 * g.top;
    g.pool = g.pool < scored ? g.pool : scored;
    if (options->power == 0 || g.top < 2)
        goto done;
    TRY(SCRATCH(ctx, were, g.pool));
    TRY(SCRATCH(ctx, order, g.top));
    memcpy(were, ranking, (size_t)g.pool * sizeof *were);
    g.column = were;
    TRY(prepare(ctx, score, options, &g));
    pith_i_blas_enter();
    st = choose(ctx, &g, order);
    pith_i_blas_leave();
    TRY(st);
    for (int64_t r = 0; r < g.top; r++)
        ranking[r] = were[order[r]];
    for (int64_t k = 0, r = g.top; k < g.pool; k++)
        if (g.seen[k] >= 0)
            ranking[r++] = were[k];
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
