#include "select/diverse.h"

#include "core/engine.h"
#include "core/parallel.h"
#include "matrix/blas.h"

#include <math.h>
#include <string.h>

enum {
    ABREAST = 32, /* candidates that are compared in parallel */
    LEAST_POOL = 2000,
    KEPT = 1 << 21 /* most values of unit columns kept: candidates near the front are needed again often */
};

typedef struct greedy {
    const pith_i_data *X, *T;
    int64_t n, all;        /* rows held here, and of all processes */
    int64_t pool;          /* candidates: the first `pool` of the ranking */
    const int64_t *column; /* of each candidate */
    double power;
    double *relevance, *value; /* of each candidate; value is an upper bound unless it has seen all chosen */
    double *most;              /* its largest squared correlation with those that it has seen */
    int64_t *seen;             /* how many of the chosen it has seen; -1: it is chosen itself */
    double *chosen;            /* unit columns, centred, of n each */
    int64_t count;             /* of them */
    double *spare;             /* per thread, or where rows are spread per candidate abreast: n + top */
    int64_t top;
    double **unit, *room; /* unit column of each candidate, or NULL; where the next goes */
    int64_t rooms;        /* room for so many more */
} greedy;

static void load_column(const greedy *g, int64_t j, double *f)
{
    if (g->T == NULL) {
        pith_i_column(g->X, j, f);
        return;
    }
    memset(f, 0, (size_t)g->n * sizeof *f);
    for (int64_t e = g->T->indptr[j]; e < g->T->indptr[j + 1]; e++)
        f[g->T->indices[e]] = pith_i_at(g->T, j, e);
}

/* What the rows held here add to the mean of f - base. */
static double share_of_mean(const greedy *g, double base, const double *f)
{
    double mean = 0;
    for (int64_t i = 0; i < g->n; i++)
        mean += (f[i] - base) / (double)g->all;
    return mean;
}

/* Subtracts base and mean; returns the sum of squares of the result. */
static double centre_column(const greedy *g, double base, double mean, double *f)
{
    double square = 0;
    for (int64_t i = 0; i < g->n; i++) {
        f[i] = f[i] - base - mean;
        square += f[i] * f[i];
    }
    return square;
}

static void scale_column(const greedy *g, double square, double *f)
{
    for (int64_t i = 0; i < g->n; i++)
        f[i] = square > 0 ? f[i] / sqrt(square) : 0;
}

/* Column j minus its mean, of unit norm; zeros if it is constant. */
static void unit_column(const greedy *g, int64_t j, double *f)
{
    load_column(g, j, f);
    const double base = f[0]; /* relative to the first value, so that a constant is exactly 0 */
    const double mean = share_of_mean(g, base, f);
    scale_column(g, centre_column(g, base, mean, f), f);
}

/* The same for several columns whose rows are spread over processes: column[s] goes to f[s]. */
static pith_status unit_columns(pith_ctx *ctx, const greedy *g, int64_t count, const int64_t *column,
                                double *const *f)
{
    double base[ABREAST], mean[ABREAST], square[ABREAST];
    const bool first = g->n > 0 && g->X->offset == 0;
    pith_status st = PITH_OK;
    for (int64_t s = 0; s < count; s++) {
        load_column(g, column[s], f[s]);
        base[s] = first ? f[s][0] : 0;
    }
    TRY(pith_i_sum(ctx, count, base));
    for (int64_t s = 0; s < count; s++)
        mean[s] = share_of_mean(g, base[s], f[s]);
    TRY(pith_i_sum(ctx, count, mean));
    for (int64_t s = 0; s < count; s++)
        square[s] = centre_column(g, base[s], mean[s], f[s]);
    TRY(pith_i_sum(ctx, count, square));
    for (int64_t s = 0; s < count; s++)
        scale_column(g, square[s], f[s]);
done:
    return st;
}

/* An exact copy is worth 0, whatever rounding leaves of 1 - most. */
static double worth(const greedy *g, int64_t k)
{
    const double left = 1 - g->most[k];
    return left > 1e-12 ? g->relevance[k] * pow(left, g->power) : 0;
}

/* Products of its unit column with the chosen that candidate k has not seen. */
static void find_products(const greedy *g, int64_t k, const double *f, double *product)
{
    const int64_t from = g->seen[k], unseen = g->count - from;
    cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)unseen, (int)g->n, 1, g->chosen + from * g->n, (int)g->n, f,
                1, 0, product, 1);
}

static void take_products(const greedy *g, int64_t k, const double *product)
{
    for (int64_t c = 0; c < g->count - g->seen[k]; c++)
        g->most[k] = fmax(g->most[k], product[c] * product[c]);
    g->seen[k] = g->count;
    g->value[k] = worth(g, k);
}

/* Compares candidate k with the chosen ones that it has not seen. Its unit column, if kept, is filled the
 * first time. */
static void look(const greedy *g, int64_t k, double *spare)
{
    double *f = g->unit[k] != NULL ? g->unit[k] : spare;
    if (f == spare || g->seen[k] == 0)
        unit_column(g, g->column[k], f);
    find_products(g, k, f, spare + g->n);
    take_products(g, k, spare + g->n);
}

/* The same for several candidates where rows are spread: their means, norms and products are sums over
 * processes. */
static pith_status look_spread(pith_ctx *ctx, const greedy *g, int64_t count, const int64_t *some)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    double *f[ABREAST], *fresh[ABREAST], *product = NULL;
    int64_t column[ABREAST], many = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, product, count * g->top));
    for (int64_t s = 0; s < count; s++) {
        const int64_t k = some[s];
        f[s] = g->unit[k] != NULL ? g->unit[k] : g->spare + s * g->n;
        if (g->unit[k] == NULL || g->seen[k] == 0) {
            fresh[many] = f[s];
            column[many++] = g->column[k];
        }
    }
    TRY(unit_columns(ctx, g, many, column, fresh));
    for (int64_t s = 0; s < count && g->n > 0; s++)
        find_products(g, some[s], f[s], product + s * g->top);
    TRY(pith_i_sum(ctx, count * g->top, product));
    for (int64_t s = 0; s < count; s++)
        take_products(g, some[s], product + s * g->top);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
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

/* Compares the stale candidates nearest to the front with the chosen ones, in parallel. */
static pith_status refresh(pith_ctx *ctx, greedy *g)
{
    int64_t some[ABREAST];
    const int64_t count = stale_front(g, some);
    for (int64_t s = 0; s < count && g->rooms > 0; s++)
        if (g->seen[some[s]] == 0) {
            g->unit[some[s]] = g->room;
            g->room += g->n;
            g->rooms--;
        }
    if (pith_i_is_spread(g->X))
        return look_spread(ctx, g, count, some);
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(dynamic)
    for (int64_t s = 0; s < count; s++)
        look(g, some[s], g->spare + pith_i_thread() * (g->n + g->top));
    return PITH_OK;
}

/* Chooses g->top candidates; `order` gets their places in the pool. */
static pith_status choose(pith_ctx *ctx, greedy *g, int64_t *order)
{
    pith_status st = PITH_OK;
    while (g->count < g->top) {
        TRY(pith_i_progress(ctx, g->count, g->top));
        int64_t k = front(g);
        while (g->seen[k] < g->count) {
            TRY(refresh(ctx, g));
            k = front(g);
        }
        double *chosen = g->chosen + g->count * g->n;
        if (pith_i_is_spread(g->X))
            TRY(unit_columns(ctx, g, 1, &g->column[k], &chosen));
        else
            unit_column(g, g->column[k], chosen);
        g->seen[k] = -1;
        order[g->count++] = k;
    }
done:
    return st;
}

static pith_status prepare(pith_ctx *ctx, const double *score, const pith_i_diversity *options, greedy *g)
{
    const int64_t abreast = pith_i_is_spread(g->X) ? ABREAST : pith_ctx_threads(ctx);
    double worst = options->as_it_is ? 0 : INFINITY, rows = (double)g->n;
    pith_status st = PITH_OK;
    if (pith_i_is_spread(g->X)) /* all processes keep the same columns */
        TRY(pith_i_sum_by(ctx, PITH_ENGINE_MOST, 1, &rows));
    TRY(SCRATCH(ctx, g->relevance, g->pool));
    TRY(SCRATCH(ctx, g->value, g->pool));
    TRY(SCRATCH_ZERO(ctx, g->most, g->pool));
    TRY(SCRATCH_ZERO(ctx, g->seen, g->pool));
    TRY(SCRATCH(ctx, g->chosen, g->top * g->n));
    TRY(SCRATCH(ctx, g->spare, abreast * (g->n + g->top)));
    TRY(SCRATCH_ZERO(ctx, g->unit, g->pool));
    g->rooms = pith_i_min(KEPT / (int64_t)rows, g->pool);
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
    greedy g = {.X = X, .T = T, .n = X->n, .all = pith_i_all(X), .power = options->power};
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
