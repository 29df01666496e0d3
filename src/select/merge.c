#include "select/merge.h"

#include <math.h>
#include <stdlib.h>

typedef struct standing {
    bool scored; /* in some batch */
    int32_t among;
    double median;
    int64_t feature;
} standing;

static int by_standing(const void *a, const void *b)
{
    const standing *x = a, *y = b;
    if (x->scored != y->scored)
        return x->scored ? -1 : 1;
    if (x->among != y->among)
        return x->among > y->among ? -1 : 1;
    if (x->median != y->median)
        return x->median < y->median ? -1 : 1;
    return (x->feature > y->feature) - (x->feature < y->feature);
}

static int by_rank(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static double median(int64_t count, int64_t *ranks)
{
    qsort(ranks, (size_t)count, sizeof *ranks, by_rank);
    const int64_t low = (count - 1) / 2, high = count / 2;
    return ((double)ranks[low] + (double)ranks[high]) / 2;
}

/* The standing of feature j. rank[b * p + j]: its rank in batch b; ranks: room for one rank per batch. */
static standing stand(const pith_i_rankings *in, int64_t n, const int64_t *rank, int64_t j, int64_t *ranks)
{
    standing s = {.feature = j};
    for (int64_t b = 0; b < in->batches; b++) {
        const int64_t e = b * in->p + j;
        s.scored = s.scored || in->scored[e];
        if (in->scored[e] && rank[e] <= n)
            ranks[s.among++] = rank[e];
    }
    if (s.among > 0) {
        s.median = median(s.among, ranks);
        return s;
    }
    for (int64_t b = 0; b < in->batches; b++)
        ranks[b] = rank[b * in->p + j];
    s.median = median(in->batches, ranks);
    return s;
}

pith_status pith_i_merge_rankings(pith_ctx *ctx, const pith_i_rankings *in, int64_t n, int32_t *among,
                                  double *score, int64_t *merged)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t p = in->p;
    standing *list = NULL;
    int64_t *rank = NULL, *ranks = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, list, p));
    TRY(SCRATCH(ctx, rank, in->batches * p));
    TRY(SCRATCH(ctx, ranks, in->batches));
    for (int64_t b = 0; b < in->batches; b++)
        for (int64_t r = 0; r < p; r++)
            rank[b * p + in->ranking[b * p + r]] = r + 1;
    for (int64_t j = 0; j < p; j++) {
        list[j] = stand(in, n, rank, j, ranks);
        among[j] = list[j].among;
        score[j] =
            list[j].scored ? (double)list[j].among + 1 - list[j].median / (double)(p + 1) : (double)NAN;
    }
    qsort(list, (size_t)p, sizeof *list, by_standing);
    for (int64_t r = 0; r < p; r++)
        merged[r] = list[r].feature;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
