#include "graph/pairs.h"

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
    TRY(new_pairs(ctx, G->row[G->n] / 2, &P));
    for (int64_t i = 0; i < G->n; i++)
        for (int64_t e = G->row[i]; e < G->row[i + 1]; e++)
            if (i < G->col[e]) {
                P.i[P.count] = (int32_t)i;
                P.j[P.count] = G->col[e];
                P.sign[P.count++] = 1;
            }
    P.near = P.count;
    *out = P;
done:
    return st;
}

static bool has_edge(const pith_i_graph *G, int64_t i, int64_t j)
{
    int64_t lo = G->row[i], hi = G->row[i + 1];
    while (lo < hi) {
        const int64_t middle = lo + (hi - lo) / 2;
        if (G->col[middle] < j)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo < G->row[i + 1] && G->col[lo] == j;
}

typedef struct sampler {
    const pith_i_graph *G;
    int64_t chooses; /* rows that chose a neighbour, */
    int64_t *row;    /* ascending */
    uint64_t seed;
    bool alternate;
} sampler;

/* Draw t to place t; sign 0: there was none to be had. */

static int64_t draw_below(const sampler *s, uint64_t stream, uint64_t counter, int64_t n)
{
    return (int64_t)(pith_i_splitmix_uniform(s->seed, stream, counter) * (double)n);
}

static void draw_near(const sampler *s, int64_t t, pith_i_pairs *P)
{
    P->sign[t] = 0;
    if (s->chooses == 0)
        return;
    const int64_t i = s->row[draw_below(s, STREAM_ROW, (uint64_t)t, s->chooses)];
    const int64_t first = s->G->choice[i], count = s->G->choice[i + 1] - first;
    P->i[t] = (int32_t)i;
    P->j[t] = s->G->chosen[first + draw_below(s, STREAM_CHOICE, (uint64_t)t, count)];
    P->sign[t] = 1;
}

static void draw_far(const sampler *s, int64_t t, pith_i_pairs *P)
{
    P->sign[t] = 0;
    for (int64_t r = 0; r < MOST_TRIES && P->sign[t] == 0; r++) {
        const uint64_t counter = (uint64_t)(MOST_TRIES * t + r);
        const int64_t i = draw_below(s, STREAM_FAR_I, counter, s->G->n);
        const int64_t j = draw_below(s, STREAM_FAR_J, counter, s->G->n);
        if (i != j && !has_edge(s->G, i, j)) {
            P->i[t] = (int32_t)i;
            P->j[t] = (int32_t)j;
            P->sign[t] = -1;
        }
    }
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

pith_status pith_i_pairs_sample(pith_ctx *ctx, const pith_i_graph *G, int64_t draws, bool alternate,
                                uint64_t seed, pith_i_pairs *out)
{
    sampler s = {.G = G, .seed = seed, .alternate = alternate};
    pith_i_pairs P = {0};
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, s.row, G->n));
    for (int64_t i = 0; i < G->n; i++)
        if (G->choice[i] < G->choice[i + 1])
            s.row[s.chooses++] = i;
    TRY(new_pairs(ctx, draws, &P));
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) schedule(static)
    for (int64_t t = 0; t < draws; t++)
        if (draws_near(&s, t))
            draw_near(&s, t, &P);
        else
            draw_far(&s, t, &P);
    close_gaps(draws, &P);
    *out = P;
done:
    return st;
}
