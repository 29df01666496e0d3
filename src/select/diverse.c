#include "select/diverse.h"

#include "core/parallel.h"
#include "matrix/blas.h"

#include <math.h>
#include <string.h>

enum { ABREAST = 32, LEAST_POOL = 2000 }; /* candidates that are compared side by side */

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
            f[g->T->indices[e]] = pith_i_value(g->T->values, g->T->dtype, e);
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

/* Candidate k sees the chosen that it has not seen. */
static void look(const greedy *g, int64_t k, double *spare)
{
    double *f = spare, *product = spare + g->n;
    const int64_t from = g->seen[k], unseen = g->count - from;
    unit_column(g, g->column[k], f);
    cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)unseen, (int)g->n, 1, g->chosen + from * g->n, (int)g->n, f,
                1, 0, product, 1);
    for (int64_t c = 0; c < unseen; c++)
        g->most[k] = fmax(g->most[k], product[c] * product[c]);
    g->seen[k] = g->count;
    g->value[k] = worth(g, k);
}

/* The open candidate of the largest value; among equals the column of the lower number. -1: none is open. */
static int64_t front(const greedy *g, int64_t beside, const bool *taken)
{
    int64_t best = -1;
    for (int64_t k = 0; k < g->pool; k++) {
        if (g->seen[k] < 0 || (beside > 0 && (taken[k] || g->seen[k] == g->count)))
            continue;
        if (best < 0 || g->value[k] > g->value[best] ||
            (g->value[k] == g->value[best] && g->column[k] < g->column[best]))
            best = k;
    }
    return best;
}

/* The stale candidates nearest to the front, side by side. */
static void refresh(pith_ctx *ctx, greedy *g, int64_t first, bool *taken)
{
    int64_t some[ABREAST] = {first}, count = 1;
    taken[first] = true;
    for (int64_t k = 0; count < ABREAST && (k = front(g, count, taken)) >= 0; count++) {
        some[count] = k;
        taken[k] = true;
    }
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic)
    for (int64_t s = 0; s < count; s++)
        look(g, some[s], g->spare + pith_i_thread() * (g->n + g->top));
    for (int64_t s = 0; s < count; s++)
        taken[some[s]] = false;
}

/* Chooses g->top candidates; `order` gets their places in the pool. */
static pith_status choose(pith_ctx *ctx, greedy *g, bool *taken, int64_t *order)
{
    pith_status st = PITH_OK;
    while (g->count < g->top) {
        TRY(pith_i_progress(ctx, g->count, g->top));
        int64_t k = front(g, 0, taken);
        while (g->seen[k] < g->count) {
            refresh(ctx, g, k, taken);
            k = front(g, 0, taken);
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
    int64_t scored = 0, *before = NULL, *order = NULL;
    bool *taken = NULL;
    pith_status st = PITH_OK;
    while (scored < X->p && !isnan(score[ranking[scored]]))
        scored++;
    g.top = options->top < scored ? options->top : scored;
    g.pool = g.top < LEAST_POOL / 10 ? LEAST_POOL : 10 * g.top;
    g.pool = g.pool < scored ? g.pool : scored;
    if (options->power == 0 || g.top < 2)
        goto done;
    TRY(SCRATCH(ctx, before, g.pool));
    TRY(SCRATCH(ctx, order, g.top));
    TRY(SCRATCH_ZERO(ctx, taken, g.pool));
    memcpy(before, ranking, (size_t)g.pool * sizeof *before);
    g.column = before;
    TRY(prepare(ctx, score, options, &g));
    pith_i_blas_enter();
    st = choose(ctx, &g, taken, order);
    pith_i_blas_leave();
    TRY(st);
    for (int64_t r = 0; r < g.top; r++)
        ranking[r] = before[order[r]];
    for (int64_t k = 0, r = g.top; k < g.pool; k++)
        if (g.seen[k] >= 0)
            ranking[r++] = before[k];
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
