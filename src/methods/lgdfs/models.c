#include "methods/lgdfs/direct.h"
#include "methods/lgdfs/steps.h"

#include <math.h>
#include <string.h>

/*
 * Costs of a fit and its targets, in multiplications as BLAS does them with large blocks. One of a sparse
 * entry takes as long as about eight of these, one of a dense matrix with few columns as long as two. LITTLE
 * is half a second, or 2,000 samples: smaller data always go the direct way and keep their bytes.
 */
static const double LITTLE = 5e9, SPARSE = 8, THIN = 2;

/* All products of rows. The search for neighbours, in single precision, takes about half as long. */
static double gram_cost(const pith_i_design *D)
{
    const double n = (double)D->X->n;
    double cost = 0;
    if (!D->X->sparse)
        return n * n * (double)D->X->p / 2;
    for (int64_t j = 0; j < D->X->p; j++) {
        const double length = (double)(D->T->indptr[j + 1] - D->T->indptr[j]);
        cost += length > n / 4 ? n * n / 2 : SPARSE * length * length / 2;
    }
    return cost;
}

static double direct_cost(const pith_i_models *m, double gram)
{
    const double n = (double)m->n, products = 2 * (3 * (double)m->targets + 40);
    return gram + n * n * n / 3 + n * n * (double)(m->regions.k * m->regions.k) + THIN * n * n * products;
}

/* On texts, images and blobs each target took 10 to 55 products, and as many small eigenproblems. */
static double cost_of_steps(const pith_i_models *m, double gram)
{
    enum { PRODUCTS = 40 };
    const pith_i_data *X = m->X->X;
    const double small = 5 * (double)m->targets;
    const double product = X->sparse ? SPARSE * (double)pith_i_stored(X) : THIN * (double)X->n * (double)X->p;
    return gram / 2 + PRODUCTS * (2 * product * (double)m->targets + 4 * small * small * small);
}

static bool is_iterative(const pith_i_models *m, pith_i_way way)
{
    const double gram = gram_cost(m->X), direct = direct_cost(m, gram);
    if (pith_i_is_spread(m->X->X))
        return true;
    if (way != PITH_I_BY_COST)
        return way == PITH_I_ITERATIVE;
    return direct > LITTLE && cost_of_steps(m, gram) < direct;
}

pith_status pith_i_models_open(pith_ctx *ctx, const pith_i_design *X, const pith_i_models_options *o,
                               pith_i_models *out)
{
    const int64_t n = X->X->n;
    pith_i_models m = {.X = X,
                       .n = n,
                       .all = pith_i_all(X->X),
                       .targets = o->targets,
                       .alpha = o->alpha,
                       .global = o->global,
                       .local = o->local,
                       .tolerance = pith_i_is_spread(X->X) ? 1e-12 : 1e-10};
    pith_status st = PITH_OK;
    TRY(pith_i_regions_open(ctx, X->X, o->k, o->local, &m.regions));
    m.iterative = is_iterative(&m, o->way);
    TRY(m.iterative ? pith_i_steps_open(ctx, &m) : pith_i_direct_open(ctx, &m));
    *out = m;
done:
    return st;
}

void pith_i_models_close(pith_i_models *m)
{
    pith_i_regions_close(&m->regions);
}

pith_status pith_i_models_fit(pith_ctx *ctx, pith_i_models *m, const double *z, bool move)
{
    return m->iterative ? pith_i_steps_fit(ctx, m, z, move) : pith_i_direct_fit(ctx, m, z, move);
}

pith_status pith_i_models_targets(pith_ctx *ctx, pith_i_models *m, int64_t vectors, double *value, double *Y)
{
    return m->iterative ? pith_i_steps_targets(ctx, m, vectors, value, Y)
                        : pith_i_direct_targets(ctx, m, vectors, value, Y);
}

/* J Y (n x vectors, row-major). */
static pith_status apply_global(pith_ctx *ctx, const pith_i_models *m, int64_t vectors, const double *value,
                                const double *Y, double *JY)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    double *apart = NULL;
    pith_status st = PITH_OK;
    if (m->iterative) {
        for (int64_t i = 0; i < m->n; i++)
            memcpy(JY + i * vectors, m->U + i * m->width, (size_t)vectors * sizeof *JY);
        goto done;
    }
    TRY(SCRATCH(ctx, apart, m->n * vectors));
    pith_i_direct_global(m, vectors, value, Y, apart);
    pith_i_transpose_panel(vectors, m->n, apart, JY);
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

pith_status pith_i_models_energy(pith_ctx *ctx, pith_i_models *m, int64_t vectors, const double *value,
                                 const double *Y, double *s)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t n = m->n, p = m->X->X->p;
    double *JY = NULL, *XM = NULL;
    pith_status st = PITH_OK;
    TRY(pith_i_regions_energy(ctx, &m->regions, m->X, vectors, Y, s));
    TRY(SCRATCH(ctx, JY, n * vectors));
    TRY(SCRATCH(ctx, XM, p * vectors));
    TRY(apply_global(ctx, m, vectors, value, Y, JY));
    TRY(pith_i_design_multiply_t(ctx, m->X, vectors, JY, XM));
    for (int64_t j = 0; j < p; j++) {
        double square = 0;
        for (int64_t v = 0; v < vectors; v++)
            square += XM[j * vectors + v] * XM[j * vectors + v];
        s[j] = m->local * s[j] + m->alpha * m->global * square;
        if (!(s[j] > 0) || (m->X->left_out != NULL && m->X->left_out[j]))
            s[j] = 0;
    }
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
