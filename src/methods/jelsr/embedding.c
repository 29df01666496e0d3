#include "methods/jelsr/embedding.h"

#include "core/random.h"
#include "linalg/davidson.h"
#include "linalg/eigen.h"

#include <float.h>
#include <math.h>

enum {
    FRESH = 2,  /* random columns in every start, for directions that the last one lacked */
    STEPS = 40, /* most steps of conjugate gradients for a new pair */
    MOST = 300  /* most products for each pair */
};

pith_status pith_i_embedding_open(pith_ctx *ctx, const pith_i_operator *L, const pith_i_row_sparse *fit,
                                  double b, double bound, int64_t c, pith_i_embedding *out)
{
    pith_i_embedding e = {.L = L, .fit = fit, .b = b, .bound = bound, .c = c};
    pith_status st = PITH_OK;
    e.width = c + 1 + c / 4 + 2 * FRESH; /* more than wanted, so that the last wanted one converges faster */
    TRY(SCRATCH(ctx, e.value, e.width));
    TRY(SCRATCH(ctx, e.Y, L->n * e.width));
    TRY(SCRATCH(ctx, e.U, L->n * e.width));
    *out = e;
done:
    return st;
}

/* ---- The map ------------------------------------------------------------------------------------------- */

static pith_status image(pith_ctx *ctx, const void *self, int64_t m, const double *U, double *Y)
{
    const pith_i_embedding *e = self;
    return pith_i_row_sparse_image(ctx, e->fit, m, U, Y);
}

/* LY = L Y of a panel. */
static pith_status apply_L(pith_ctx *ctx, const pith_i_embedding *e, int64_t m, const double *Y, double *LY)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = e->L->n;
    double *x = NULL, *y = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, x, n * m));
    TRY(SCRATCH(ctx, y, n * m));
    pith_i_transpose_panel(n, m, Y, x);
    TRY(e->L->apply(ctx, e->L->self, m, x, y));
    pith_i_transpose_panel(m, n, y, LY);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* AY = L Y + a b U */
static pith_status apply(pith_ctx *ctx, const void *self, int64_t m, const double *U, const double *Y,
                         double *AY)
{
    const pith_i_embedding *e = self;
    const double factor = e->b * e->fit->b;
    const pith_status st = apply_L(ctx, e, m, Y, AY);
    for (int64_t i = 0; st == PITH_OK && i < e->L->n * m; i++)
        AY[i] += factor * U[i];
    return st;
}

/* Y = (L + b R~) V. R~ is the fit's preconditioner times a / (a + last), last being the least value of the
 * sketch. If that is above a, R is small everywhere, and R~ = a / (a + last) I is as good. */
static pith_status apply_near(pith_ctx *ctx, const void *self, int64_t m, const double *V, double *Y)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_embedding *e = self;
    const pith_i_rows_map R = pith_i_nystrom_preconditioner(&e->fit->sketch);
    const double a = e->fit->b, last = pith_i_nystrom_last(&e->fit->sketch), factor = e->b * a / (a + last);
    double *RV = NULL;
    pith_status st = PITH_OK;
    if (last <= a) {
        TRY(SCRATCH(ctx, RV, e->L->n * m));
        TRY(R.apply(ctx, R.self, m, V, RV));
    }
    TRY(apply_L(ctx, e, m, V, Y));
    for (int64_t i = 0; i < e->L->n * m; i++)
        Y[i] += factor * (RV != NULL ? RV[i] : V[i]);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* U near (X Q^-1 X' + a I)^-1 (L + b R~)^-1 R. */
static pith_status precondition(pith_ctx *ctx, const void *self, int64_t m, const double *R, double *U)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_embedding *e = self;
    const pith_i_rows_map near = {.n = e->L->n, .self = e, .apply = apply_near};
    double *V = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH_ZERO(ctx, V, e->L->n * m));
    TRY(pith_i_cg_near(ctx, &near, NULL, m, R, 1e-2, STEPS, V));
    /* A larger error would slow convergence: it does not lie in the low eigenspace. */
    TRY(pith_i_row_sparse_near(ctx, e->fit, m, 2e-2, V, U));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- The start and the search -------------------------------------------------------------------------- */

/* y = (I - 2 / bound (L + b R~)) x for vectors one after the other. */
static pith_status shifted_near(pith_ctx *ctx, const void *self, int64_t m, const double *x, double *y)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_embedding *e = self;
    const int64_t n = e->L->n;
    double *V = NULL, *Y = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, V, n * m));
    TRY(SCRATCH(ctx, Y, n * m));
    pith_i_transpose_panel(m, n, x, V);
    TRY(apply_near(ctx, e, m, V, Y));
    pith_i_transpose_panel(n, m, Y, y);
    for (int64_t i = 0; i < n * m; i++)
        y[i] = x[i] - 2 / e->bound * y[i];
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Y: approximate eigenvectors of L + b R~. */
static pith_status make_first(pith_ctx *ctx, pith_i_embedding *e)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = e->L->n, m = e->width - FRESH;
    const pith_i_operator near = {.n = n, .self = e, .apply = shifted_near};
    const pith_i_eigen_options want = {
        .m = m, .tolerance = 1e-4, .basis = pith_i_eigen_lowest_basis(n, m), .cheap = true};
    double *vector = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, vector, m * n));
    TRY(pith_i_eigen_largest(ctx, &near, &want, e->value, vector));
    for (int64_t i = 0; i < n; i++)
        for (int64_t t = 0; t < m; t++)
            e->Y[i * e->width + t] = vector[t * n + i];
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* U: one step of inverse iteration from the last vectors and FRESH random ones. */
static pith_status make_start(pith_ctx *ctx, pith_i_embedding *e)
{
    const int64_t n = e->L->n;
    pith_status st = PITH_OK;
    if (e->looks == 0)
        TRY(make_first(ctx, e));
    for (int64_t i = 0; i < n; i++) {
        pith_i_stream numbers =
            pith_i_stream_at(pith_ctx_seed(ctx), PITH_I_RANDOM_START_BLOCK, (uint64_t)(e->looks * n + i));
        for (int64_t t = e->width - FRESH; t < e->width; t++)
            e->Y[i * e->width + t] = pith_i_random_normal(&numbers) / sqrt((double)n);
    }
    e->looks++;
    TRY(precondition(ctx, e, e->width, e->Y, e->U));
done:
    return st;
}

pith_status pith_i_embedding_find(pith_ctx *ctx, pith_i_embedding *e, int64_t m, double tolerance)
{
    const pith_i_paired_map map = {e->L->n, e, image, apply, precondition, 0};
    const double largest = e->fit->sketch.rank > 0 ? e->fit->sketch.value[0] : 0;
    const pith_i_davidson_options want = {.m = m,
                                          .width = e->width,
                                          .tolerance =
                                              fmax(tolerance, 16 * DBL_EPSILON * largest / e->fit->b),
                                          .most = MOST * e->width};
    pith_status st = PITH_OK;
    TRY(make_start(ctx, e));
    TRY(pith_i_davidson_least(ctx, &map, &want, e->value, e->U, e->Y, &e->products));
done:
    return st;
}
