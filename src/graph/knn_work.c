#include "graph/knn_work.h"

#include "core/engine.h"
#include "core/search.h"
#include "graph/knn_cells.h"

enum { LONGEST = 256 }; /* most neighbours of an approximate search */

pith_status pith_i_knn_work(pith_ctx *ctx, const pith_i_data *X, double *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const double n = (double)pith_i_all(X);
    int64_t *count = NULL;
    double sum = 0;
    pith_status st = PITH_OK;
    if (!X->sparse) {
        *out = n * n * (double)X->p;
        return PITH_OK;
    }
    TRY(SCRATCH_ZERO(ctx, count, X->p));
    for (int64_t e = X->indptr[0]; e < X->indptr[X->n]; e++)
        count[X->indices[e]]++;
    if (pith_i_is_spread(X))
        TRY(pith_i_sum_counts(ctx, X->p, count));
    for (int64_t j = 0; j < X->p; j++)
        sum += (double)count[j] * (double)count[j];
    *out = 32 * sum;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

bool pith_i_knn_is_approximate(pith_ctx *ctx, const pith_i_data *X, int64_t k, double work)
{
    const pith_i_searching *s = pith_i_searching_of(ctx);
    const int64_t n = pith_i_all(X);
    if (n <= PITH_I_LEAF || k > LONGEST || k >= n / 2)
        return false;
    return s->mode == PITH_I_SEARCH_APPROXIMATE ||
           (s->mode == PITH_I_SEARCH_AUTO && work > PITH_I_EXACT_WORK);
}
