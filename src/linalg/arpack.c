#include "linalg/arpack.h"

#include "core/random.h"
#include "matrix/blas.h"

#include <arpack.h>
#include <pthread.h>
#include <string.h>

/* ARPACK's SAVE variables are one set for the process, whoever calls. */
static pthread_mutex_t in_use = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local bool running_here;

typedef struct lanczos {
    const pith_i_operator *A;
    pith_i_arpack *run;
    a_int n, m, basis, iparam[11], ipntr[14], lworkl, info;
    double *resid, *V, *workd, *workl;
    uint32_t starts; /* random vectors handed out so far */
} lanczos;

static pith_status take_memory(pith_ctx *ctx, lanczos *l)
{
    const int64_t n = l->n, basis = l->basis;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, l->resid, n));
    TRY(SCRATCH(ctx, l->V, n * basis));
    TRY(SCRATCH(ctx, l->workd, 3 * n));
    TRY(SCRATCH_ZERO(ctx, l->workl, basis * (basis + 8)));
done:
    return st;
}

/* Uniform on (-1, 1). The place is the row, with the number of the vector in the bits above any row. */
static void random_vector(pith_ctx *ctx, lanczos *l, double *x)
{
    const uint64_t number = ((uint64_t)l->run->run << 8 | l->starts++) << 40;
#pragma omp parallel for num_threads(pith_ctx_threads(ctx)) if (l->n > 10000)
    for (int64_t i = 0; i < l->n; i++) {
        pith_i_stream s =
            pith_i_stream_at(pith_ctx_seed(ctx), PITH_I_RANDOM_START_VECTOR, number | (uint64_t)i);
        x[i] = 2 * pith_i_random_uniform(&s) - 1;
    }
}

/* Steps of reverse communication until ARPACK is done: it asks for A x, or for a new start vector. */
static pith_status iterate(pith_ctx *ctx, lanczos *l)
{
    const int64_t expected = 10 * (int64_t)l->basis;
    pith_status st = PITH_OK;
    a_int ido = 0;
    for (int64_t step = 0;; step++) {
        TRY(pith_i_progress(ctx, step, step + expected));
        dsaupd_c(&ido, "I", l->n, "LA", l->m, l->run->tolerance, l->resid, l->basis, l->V, l->n, l->iparam,
                 l->ipntr, l->workd, l->workl, l->lworkl, &l->info);
        double *x = l->workd + l->ipntr[0] - 1, *y = l->workd + l->ipntr[1] - 1;
        /* -1 asks for A r of a random r, at the start and whenever the Krylov space is exhausted. The
         * answer only has to be random, and ours does not depend on what ran before in this process. */
        if (ido == -1)
            random_vector(ctx, l, y);
        else if (ido == 1)
            TRY(l->A->apply(ctx, l->A->self, 1, x, y));
        else
            break;
    }
done:
    return st;
}

static pith_status extract(pith_ctx *ctx, lanczos *l, double *values, double *vectors)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_status st = PITH_OK;
    a_int *select = NULL;
    double *d = NULL;
    a_int info = 0;
    TRY(SCRATCH_ZERO(ctx, select, l->basis));
    TRY(SCRATCH(ctx, d, l->basis));
    dseupd_c(1, "A", select, d, l->V, l->n, 0, "I", l->n, "LA", l->m, l->run->tolerance, l->resid, l->basis,
             l->V, l->n, l->iparam, l->ipntr, l->workd, l->workl, l->lworkl, &info);
    if (info != 0)
        FAIL(ctx, PITH_E_NUMERIC, "the eigenvectors of %d rows could not be formed (ARPACK dseupd: %d)", l->n,
             info);
    l->run->found = l->iparam[4] < l->m ? l->iparam[4] : l->m;
    memcpy(values, d, (size_t)l->run->found * sizeof *d);
    memcpy(vectors, l->V, (size_t)(l->run->found * l->n) * sizeof *vectors);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

static pith_status search(pith_ctx *ctx, lanczos *l, double *values, double *vectors)
{
    enum { RESTART_LIMIT = 1, NO_SHIFTS = 3, NO_FACTORIZATION = -9999 }; /* some pairs, or none, converged */
    pith_status st = PITH_OK;
    random_vector(ctx, l, l->resid);
    l->info = 1; /* start from resid */
    TRY(iterate(ctx, l));
    l->run->found = 0;
    l->run->products = l->iparam[8];
    if (l->info != 0 && l->info != RESTART_LIMIT && l->info != NO_SHIFTS && l->info != NO_FACTORIZATION)
        FAIL(ctx, PITH_E_NUMERIC, "no eigenvectors of %d rows: ARPACK dsaupd failed with %d", l->n, l->info);
    if (l->info != NO_FACTORIZATION && l->iparam[4] > 0)
        TRY(extract(ctx, l, values, vectors));
done:
    return st;
}

pith_status pith_i_arpack_largest(pith_ctx *ctx, const pith_i_operator *A, pith_i_arpack *run, double *values,
                                  double *vectors)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    pith_status st = PITH_OK;
    if (running_here)
        FAIL(ctx, PITH_E_ARGUMENT, "a progress callback cannot start work that needs eigenvectors");
    lanczos l = {.A = A,
                 .run = run,
                 .n = (a_int)A->n,
                 .m = (a_int)run->m,
                 .basis = (a_int)run->basis,
                 .iparam = {[0] = 1, [2] = (a_int)run->most_restarts, [3] = 1, [6] = 1},
                 .lworkl = (a_int)(run->basis * (run->basis + 8))};
    TRY(take_memory(ctx, &l));
    (void)pthread_mutex_lock(&in_use);
    running_here = true;
    pith_i_blas_enter();
    st = search(ctx, &l, values, vectors);
    pith_i_blas_leave();
    running_here = false;
    (void)pthread_mutex_unlock(&in_use);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
