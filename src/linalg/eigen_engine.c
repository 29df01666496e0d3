/* Eigenpairs by the engine of the context. */
#include "core/engine.h"
#include "linalg/eigen_inside.h"

#include <math.h>

typedef struct mapped {
    pith_ctx *ctx;
    const pith_i_operator *A;
} mapped;

static pith_status apply(const pith_engine_operator *A, int64_t count, const double *x, double *y)
{
    const mapped *m = A->inside;
    return m->A->apply(m->ctx, m->A->self, count, x, y);
}

/* Checks that values descend and vectors are finite. Checking more would cost as much as the solution. */
static pith_status check(pith_ctx *ctx, int64_t n, int64_t m, const double *values, const double *vectors)
{
    for (int64_t v = 0; v < m; v++) {
        bool finite = isfinite(values[v]);
        for (int64_t i = 0; i < n; i++)
            finite = finite && isfinite(vectors[v * n + i]);
        if (!finite)
            return pith_i_engine_broke(ctx, "eigenpair %lld has a number that is not finite",
                                       (long long)v + 1);
        if (v > 0 && values[v] > values[v - 1])
            return pith_i_engine_broke(ctx, "eigenvalue %lld is larger than the one before",
                                       (long long)v + 1);
    }
    return PITH_OK;
}

pith_status pith_i_eigen_by_engine(pith_ctx *ctx, const pith_i_operator *A, const pith_i_eigen_options *want,
                                   bool *found, double *values, double *vectors)
{
    const pith_engine *engine = pith_i_engine(ctx);
    mapped map = {ctx, A};
    const pith_engine_operator wrapped = {
        .n = A->n, .offset = A->offset, .all = A->all > 0 ? A->all : A->n, .apply = apply, .inside = &map};
    pith_status st = PITH_OK;
    *found = false;
    if (engine->eigen == NULL)
        return PITH_OK;
    pith_engine_call call = pith_i_engine_call(ctx);
    TRY(pith_i_engine_status(ctx, &call,
                             engine->eigen(pith_i_engine_self(ctx), &call, &wrapped, want->m, want->n_known,
                                           want->known, want->tolerance, values, vectors),
                             "eigenpairs were not found"));
    TRY(check(ctx, A->n, want->m, values, vectors));
    for (int64_t v = 0; v < want->m; v++)
        TRY(pith_i_fix_sign_of_all(ctx, A, vectors + v * A->n));
    *found = true;
done:
    return st;
}
