#include "graph/sampling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The graph ---------------------------------------------------------------------------------------- */

pith_status pith_i_connected_graph(pith_ctx *ctx, const pith_i_data *X, pith_i_metric metric, int64_t k,
                                   int64_t most, double sigma, pith_i_graph **out, int64_t *used)
{
    most = pith_i_min(most, X->n - 1);
    pith_i_graph_options options = {.neighbors = k < most ? k : most,
                                    .metric = metric,
                                    .weight = metric == PITH_I_COSINE ? PITH_I_COSINE_WEIGHT : PITH_I_HEAT,
                                    .width = 2 * sigma * sigma};
    pith_i_graph *graph = NULL;
    pith_status st = PITH_OK;
    for (;;) {
        TRY(pith_i_graph_build(ctx, X, &options, &graph));
        const pith_i_graph_summary s = pith_i_graph_summarize(graph);
        if ((s.components == 1 && s.isolated == 0) || options.neighbors == most)
            break;
        pith_i_graph_free(graph);
        options.neighbors = 2 * options.neighbors < most ? 2 * options.neighbors : most;
    }
    *used = options.neighbors;
    *out = graph;
done:
    return st;
}

/* ---- Noisy rows --------------------------------------------------------------------------------------- */

double pith_i_fermi_density(const pith_i_spectrum *all, double mu, double heat, double *rho)
{
    const int64_t n = all->n;
    const double median = 0.5 * (all->value[(n - 1) / 2] + all->value[n / 2]), level = mu * median;
    memset(rho, 0, (size_t)n * sizeof *rho);
    for (int64_t k = 0; k < n; k++) {
        const double above = all->value[k] - level;
        /* If most energies are 0, so is the temperature: f is a step, with 1/2 at the level itself. */
        const double f = level > 0 ? 1 / (1 + exp(above / (heat * level))) : above > 0 ? 0 : 0.5;
        for (int64_t i = 0; i < n && f > 0; i++)
            rho[i] += f * all->vector[k * n + i] * all->vector[k * n + i];
    }
    return level;
}

typedef struct rated {
    double rho;
    int64_t row;
} rated;

static int by_density(const void *a, const void *b)
{
    const rated *x = a, *y = b;
    if (x->rho != y->rho)
        return x->rho < y->rho ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static int by_row(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

int64_t pith_i_noisy_count(int64_t n, double share)
{
    const int64_t count = (int64_t)floor(share * (double)n + 0.5);
    return count < n ? count : n - 1;
}

pith_status pith_i_drop_noisy(pith_ctx *ctx, int64_t n, const double *rho, int64_t dropped, int64_t *kept)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    rated *order = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, order, n));
    for (int64_t i = 0; i < n; i++)
        order[i] = (rated){rho[i], i};
    qsort(order, (size_t)n, sizeof *order, by_density);
    for (int64_t i = dropped; i < n; i++)
        kept[i - dropped] = order[i].row;
    qsort(kept, (size_t)(n - dropped), sizeof *kept, by_row);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- Density-preserving halves ------------------------------------------------------------------------- */

/* One split. Rows are known by their place among the `count`, ascending. */
typedef struct halves {
    int64_t n, count;
    const double *D;
    const int64_t *row;
    int64_t *nearest; /* free row nearest to each free row; -1: none, or no longer known */
    int8_t *half;     /* 0: free */
    double *sum[2];   /* of the distances to each half */
    int64_t used;     /* rows placed */
} halves;

static double apart(const halves *h, int64_t a, int64_t b)
{
    return h->D[h->row[a] * h->n + h->row[b]];
}

/* Ties to the lower row: of the pairs that contain a, that is the lower one. */
static void find_nearest(halves *h, int64_t a)
{
    h->nearest[a] = -1;
    for (int64_t b = 0; b < h->count; b++)
        if (b != a && h->half[b] == 0 && (h->nearest[a] < 0 || apart(h, a, b) < apart(h, a, h->nearest[a])))
            h->nearest[a] = b;
}

static void place(halves *h, int64_t a, int half)
{
    h->half[a] = (int8_t)half;
    h->used++;
    for (int64_t b = 0; b < h->count; b++)
        h->sum[half - 1][b] += apart(h, a, b);
}

/* The closest pair of free rows: the lower of them, whose `nearest` is the other. The first of equal pairs
 * is met first, from its lower row. */
static int64_t closest(halves *h)
{
    int64_t best = -1;
    for (int64_t a = 0; a < h->count; a++) {
        if (h->half[a] != 0)
            continue;
        if (h->nearest[a] < 0 || h->half[h->nearest[a]] != 0)
            find_nearest(h, a);
        if (best < 0 || apart(h, a, h->nearest[a]) < apart(h, best, h->nearest[best]))
            best = a;
    }
    return best;
}

static void split(halves *h)
{
    while (h->count - h->used > 1) {
        const int64_t i = closest(h), j = h->nearest[i];
        const bool in_order = h->sum[0][i] + h->sum[1][j] >= h->sum[1][i] + h->sum[0][j];
        place(h, i, in_order ? 1 : 2);
        place(h, j, in_order ? 2 : 1);
    }
    for (int64_t a = 0; a < h->count; a++)
        if (h->half[a] == 0)
            place(h, a, h->sum[0][a] >= h->sum[1][a] ? 1 : 2);
}

pith_status pith_i_density_sample_check(pith_ctx *ctx, int64_t levels, int64_t fold)
{
    const int64_t folds = (int64_t)1 << levels;
    if (fold < folds)
        return PITH_OK;
    return pith_i_error(ctx, PITH_E_PARAMETER, "fold: %lld levels make %lld parts, there is no part %lld",
                        (long long)levels, (long long)folds, (long long)fold);
}

pith_status pith_i_density_sample(pith_ctx *ctx, int64_t n, const double *D, int64_t levels, int64_t fold,
                                  int64_t *rows, int64_t *count)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    halves h = {.n = n, .D = D, .row = rows};
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, h.nearest, *count));
    TRY(SCRATCH(ctx, h.half, *count));
    TRY(SCRATCH(ctx, h.sum[0], *count));
    TRY(SCRATCH(ctx, h.sum[1], *count));
    for (int64_t level = 1; level <= levels; level++) {
        const int wanted = (fold >> (levels - level) & 1) == 0 ? 1 : 2;
        int64_t left = 0;
        TRY(pith_i_progress(ctx, level - 1, levels));
        h.count = *count;
        h.used = 0;
        for (int64_t a = 0; a < h.count; a++) {
            h.nearest[a] = -1;
            h.half[a] = 0;
            h.sum[0][a] = h.sum[1][a] = 0;
        }
        split(&h);
        for (int64_t a = 0; a < h.count; a++)
            if (h.half[a] == wanted)
                rows[left++] = rows[a];
        *count = left;
    }
    if (*count < 1)
        FAIL(ctx, PITH_E_DATA, "part %lld of %lld holds no samples: use fewer levels", (long long)fold,
             (long long)1 << levels);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
