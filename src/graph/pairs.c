#include "graph/pairs.h"

#include "core/engine.h"
#include "core/random.h"
#include "graph/graph_inside.h"

enum { MOST_TRIES = 64 };
enum { STREAM_SIGN, STREAM_ROW, STREAM_CHOICE, STREAM_FAR_I, STREAM_FAR_J };

static pith_status new_pairs(pith_ctx *ctx, int64_t count, pith_i_pairs *out)
{
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, out->i, count));
    TRY(SCRATCH(ctx, out->j, count));
    TRY(SCRATCH(ctx, out->sign, count));
done:
    return st;
}

pith_status pith_i_pairs_near(pith_ctx *ctx, const pith_i_graph *G, pith_i_pairs *out)
{
    pith_i_pairs P = {0};
    pith_status st = PITH_OK;
    TRY(new_pairs(ctx, pith_i_graph_is_spread(G) ? G->row[G->n] : G->row[G->n] / 2, &P));
    for (int64_t i = 0; i < G->n; i++)
        for (int64_t e = G->row[i]; e < G->row[i + 1]; e++)
            if (pith_i_is_lower(G, i, G->col[e])) {
                P.i[P.count] = (int32_t)pith_i_graph_number(G, i);
                P.j[P.count] = (int32_t)pith_i_graph_number(G, G->col[e]);
                P.sign[P.count++] = 1;
            }
    P.near = P.count;
    *out = P;
done:
    return st;
}

/* Columns of a row ascend by number in the whole graph. */
static bool has_edge(const pith_i_graph *G, int64_t i, int64_t number)
{
    int64_t lo = G->row[i], hi = G->row[i + 1];
    while (lo < hi) {
        const int64_t middle = lo + (hi - lo) / 2;
        if (pith_i_graph_number(G, G->col[middle]) < number)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo < G->row[i + 1] && pith_i_graph_number(G, G->col[lo]) == number;
}

typedef struct sampler {
    const pith_i_graph *G;
    int64_t chooses; /* rows that chose a neighbour, in all processes, */
    int64_t before;  /* in those before this one, */
    int64_t here;    /* and in this one: */
    int64_t *row;    /* these, ascending */
    uint64_t seed;
    bool alternate;
} sampler;

static int64_t draw_below(const sampler *s, uint64_t stream, uint64_t counter, int64_t n)
{
    return (int64_t)(pith_i_splitmix_uniform(s->seed, stream, counter) * (double)n);
}

/* Draw t, to place t; sign 0: there is no such pair, or another process draws it. */
static void draw_near(const sampler *s, int64_t t, pith_i_pairs *P)
{
    P->sign[t] = 0;
    if (s->chooses == 0)
        return;
    const int64_t at = draw_below(s, STREAM_ROW, (uint64_t)t, s->chooses) - s->before;
    if (at < 0 || at >= s->here)
        return;
    const int64_t i = s->row[at], first = s->G->choice[i], count = s->G->choice[i + 1] - first;
    const int64_t j = s->G->chosen[first + draw_below(s, STREAM_CHOICE, (uint64_t)t, count)];
    P->i[t] = (int32_t)pith_i_graph_number(s->G, i);
    P->j[t] = (int32_t)pith_i_graph_number(s->G, j);
    P->sign[t] = 1;
}

/* Try r of draw t: true if it gave a far pair. Only the process that holds row i can tell. */
static bool try_far(const sampler *s, int64_t t, int64_t r, pith_i_pairs *P)
{
    const pith_i_graph *G = s->G;
    const int64_t all = pith_i_graph_is_spread(G) ? G->all : G->n;
    const uint64_t counter = (uint64_t)(MOST_TRIES * t + r);
    const int64_t i = draw_below(s, STREAM_FAR_I, counter, all);
    const int64_t j = draw_below(s, STREAM_FAR_J, counter, all);
    const bool holds = i >= G->offset && i < G->offset + G->n;
    P->sign[t] = 0;
    if (!holds || i == j || has_edge(G, i - G->offset, j))
        return false;
    P->i[t] = (int32_t)i;
    P->j[t] = (int32_t)j;
    P->sign[t] = -1;
    return true;
}

static void draw_far(const sampler *s, int64_t t, pith_i_pairs *P)
{
    for (int64_t r = 0; r < MOST_TRIES && !try_far(s, t, r, P); r++)
        ;
}

static bool draws_near(const sampler *s, int64_t t)
{
    return s->alternate ? t % 2 == 0 : pith_i_splitmix_uniform(s->seed, STREAM_SIGN, (uint64_t)t) > 0.5;
}

static void close_gaps(int64_t draws, pith_i_pairs *P)
{
    for (int64_t t = 0; t < draws; t++)
        if (P->sign[t] != 0) {
            P->i[P->count] = P->i[t];
            P->j[P->count] = P->j[t];
            P->sign[P->count++] = P->sign[t];
            P->near += P->sign[t] == 1;
        }
}

/* Tells all processes what each drew: sign, i and j of every draw, 0 from processes that did not draw it. */
static pith_status tell_draws(pith_ctx *ctx, int64_t draws, pith_i_pairs *P)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    double *told = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, told, 3 * draws));
    for (int64_t t = 0; t < draws; t++)
        if (P->sign[t] != 0) {
            told[3 * t] = P->sign[t];
            told[3 * t + 1] = P->i[t];
            told[3 * t + 2] = P->j[t];
        }
    TRY(pith_i_sum(ctx, 3 * draws, told));
    for (int64_t t = 0; t < draws; t++) {
        P->sign[t] = (int8_t)told[3 * t];
        P->i[t] = (int32_t)told[3 * t + 1];
        P->j[t] = (int32_t)told[3 * t + 2];
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Near pairs are drawn by the processes that hold their rows, far ones try by try, until all are known. */
static pith_status draw_spread(pith_ctx *ctx, const sampler *s, int64_t draws, pith_i_pairs *P)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    bool *open = NULL;
    int64_t left = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, open, draws));
    for (int64_t t = 0; t < draws; t++) {
        open[t] = !draws_near(s, t);
        left += open[t];
        if (!open[t])
            draw_near(s, t, P);
    }
    for (int64_t r = 0; r < MOST_TRIES && (r == 0 || left > 0); r++) {
        for (int64_t t = 0; t < draws; t++)
            if (open[t])
                (void)try_far(s, t, r, P);
            else if (r > 0 && pith_i_process(ctx) > 0)
                P->sign[t] = 0; /* known to all: only process 0 repeats it */
        TRY(tell_draws(ctx, draws, P));
        left = 0;
        for (int64_t t = 0; t < draws; t++) {
            open[t] = open[t] && P->sign[t] == 0;
            left += open[t];
        }
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* The rows that chose a neighbour: which of those held here, and how many in each process. */
static pith_status find_choosers(pith_ctx *ctx, sampler *s)
{
    const pith_i_graph *G = s->G;
    const int processes = pith_i_processes(ctx), own = pith_i_process(ctx);
    int64_t *count = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, s->row, G->n));
    TRY(SCRATCH_ZERO(ctx, count, processes));
    for (int64_t i = 0; i < G->n; i++)
        if (G->choice[i] < G->choice[i + 1])
            s->row[s->here++] = i;
    count[own] = s->here;
    if (pith_i_graph_is_spread(G))
        TRY(pith_i_sum_counts(ctx, processes, count));
    for (int r = 0; r < processes; r++) {
        s->before += r < own ? count[r] : 0;
        s->chooses += count[r];
    }
done:
    return st;
}

pith_status pith_i_pairs_sample(pith_ctx *ctx, const pith_i_graph *G, int64_t draws, bool alternate,
                                uint64_t seed, pith_i_pairs *out)
{
    sampler s = {.G = G, .seed = seed, .alternate = alternate};
    pith_i_pairs P = {0};
    pith_status st = PITH_OK;
    TRY(find_choosers(ctx, &s));
    TRY(new_pairs(ctx, draws, &P));
    if (pith_i_graph_is_spread(G)) {
        TRY(draw_spread(ctx, &s, draws, &P));
    } else {
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(static)
        for (int64_t t = 0; t < draws; t++)
            if (draws_near(&s, t))
                draw_near(&s, t, &P);
            else
                draw_far(&s, t, &P);
    }
    close_gaps(draws, &P);
    *out = P;
done:
    return st;
}

pith_status pith_i_pairs_rows(pith_ctx *ctx, const pith_i_data *X, pith_i_pairs *pairs, pith_i_data *with)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_i_halo needed = {0};
    int64_t *wanted = NULL;
    pith_status st = PITH_OK;
    if (!pith_i_is_spread(X)) {
        *with = pith_i_data_rows(X, 0, X->n);
        return PITH_OK;
    }
    TRY(SCRATCH(ctx, wanted, 2 * pairs->count));
    for (int64_t t = 0; t < pairs->count; t++) {
        wanted[2 * t] = pairs->i[t];
        wanted[2 * t + 1] = pairs->j[t];
    }
    TRY(pith_i_halo_new(ctx, X->n, X->offset, 2 * pairs->count, wanted, &needed));
    TRY(pith_i_halo_rows(ctx, &needed, X, with));
    for (int64_t t = 0; t < pairs->count; t++) {
        pairs->i[t] = (int32_t)pith_i_halo_place(&needed, pairs->i[t]);
        pairs->j[t] = (int32_t)pith_i_halo_place(&needed, pairs->j[t]);
    }
done:
    pith_i_halo_free(&needed);
    pith_i_scratch_release(ctx, mark);
    return st;
}
