#include "select/rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
    double score;
    int64_t feature;
} entry;

void pith_i_flip_signs(int64_t p, double *score)
{
    for (int64_t j = 0; j < p; j++)
        score[j] = 0 - score[j];
}

static int by_score(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return (x->feature > y->feature) - (x->feature < y->feature);
}

pith_status pith_i_rank(pith_ctx *ctx, int64_t p, const double *score, const double *variance,
                        const int64_t *order, int64_t *ranking)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_status st = PITH_OK;
    entry *list = NULL;
    int64_t scored = 0, count = 0;
    TRY(SCRATCH(ctx, list, p));
    for (int64_t r = 0; r < p; r++) {
        const int64_t j = order != NULL ? order[r] : r;
        if (!isnan(score[j]))
            list[scored++] = (entry){score[j], j};
    }
    count = scored;
    for (int64_t j = 0; j < p; j++)
        if (isnan(score[j]))
            list[count++] = (entry){variance != NULL ? variance[j] : 0, j};
    if (order == NULL)
        qsort(list, (size_t)scored, sizeof *list, by_score);
    qsort(list + scored, (size_t)(count - scored), sizeof *list, by_score);
    for (int64_t r = 0; r < count; r++)
        ranking[r] = list[r].feature;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
