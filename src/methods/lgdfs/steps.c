#include "methods/lgdfs/steps.h"

#include "core/parallel.h"
#include "core/random.h"
#include "linalg/davidson.h"
#include "linalg/panel.h"
#include "matrix/gather.h"

#include <math.h>
#include <string.h>

enum {
    MORE = 4,    /* pairs beyond those wanted, so that the last one wanted converges faster */
    FRESH = 2,   /* pairs that start at random in every fit, to find directions that the last fit missed */
    SKETCH = 64, /* largest number of columns of the sketch */
    MOST = 2000  /* largest number of products for each pair */
};

pith_status pith_i_steps_open(pith_ctx *ctx, pith_i_models *m)
{
    pith_status st = PITH_OK;
    m->width = pith_i_min(m->targets + 1 + MORE, m->all - 1);
    TRY(SCRATCH(ctx, m->z, m->X->X->p));
    TRY(SCRATCH(ctx, m->diagonal, m->n));
    TRY(SCRATCH_ZERO(ctx, m->U, m->n * m->width));
    TRY(pith_i_nystrom_open(ctx, m->n, pith_i_min(SKETCH, m->all), &m->sketch));
done:
    return st;
}

/* ---- The map ------------------------------------------------------------------------------------------- */

static void add_columns(const void *self, int64_t lo, int64_t hi, double *sums)
{
    const pith_i_panel *X = self;
    for (int64_t i = lo; i < hi; i++)
        for (int64_t t = 0; t < X->columns; t++)
            sums[t] += X->x[i * X->step + t];
}

/* Subtracts from the columns of X (n x m) their means over all samples. */
static pith_status centre_columns(pith_ctx *ctx, const pith_i_models *models, int64_t m, double *X)
{
    const int64_t n = models->n;
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_panel columns = {m, m, X};
    double *mean = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, mean, m));
    TRY(pith_i_reduce(ctx, n, m, add_columns, &columns, mean));
    TRY(pith_i_sum_over(ctx, models->X->X, m, mean));
    for (int64_t i = 0; i < n; i++)
        for (int64_t t = 0; t < m; t++)
            X[i * m + t] -= mean[t] / (double)models->all;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Y = H X diag(z) X' U for centred U. */
static pith_status multiply(pith_ctx *ctx, const pith_i_models *models, int64_t m, const double *U, double *Y)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t p = models->X->X->p;
    double *features = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, features, p * m));
    TRY(pith_i_design_multiply_t(ctx, models->X, m, U, features));
    for (int64_t j = 0; j < p; j++)
        for (int64_t t = 0; t < m; t++)
            features[j * m + t] *= models->z[j];
    TRY(pith_i_design_multiply(ctx, models->X, m, features, Y));
    TRY(centre_columns(ctx, models, m, Y));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Y = M U = global U + H G H U for centred U. */
static pith_status image(pith_ctx *ctx, const void *self, int64_t m, const double *U, double *Y)
{
    const pith_i_models *models = self;
    const pith_status st = multiply(ctx, models, m, U, Y);
    for (int64_t e = 0; st == PITH_OK && e < models->n * m; e++)
        Y[e] += models->global * U[e];
    return st;
}

/* AY = local B Y + alpha global U */
static pith_status apply(pith_ctx *ctx, const void *self, int64_t m, const double *U, const double *Y,
                         double *AY)
{
    const pith_i_models *models = self;
    const pith_status st = pith_i_local_sum_multiply(ctx, &models->regions.sum, m, Y, AY);
    for (int64_t e = 0; st == PITH_OK && e < models->n * m; e++)
        AY[e] = models->local * AY[e] + models->alpha * models->global * U[e];
    return st;
}

/*
 * Approximates the inverse of A M = local B M + alpha global I. In directions of little variance, M is about
 * global I and the inverse about 1 / (global (local B_ii + alpha)); constant factors do not matter. In
 * directions of large variance g, M is larger by a factor of 1 + g / global, but A is smaller, by up to
 * (local B_ii + alpha) / local B_ii. There the plain quotient would be too large and hide all other
 * directions, so those with g above LOUD global are damped:
 *
 *     u = (I - V diag(g / (LOUD global + g)) V') r / diagonal
 */
static const double LOUD = 100;

static pith_status precondition(pith_ctx *ctx, const void *self, int64_t m, const double *R, double *U)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_models *models = self;
    const pith_i_nystrom *s = &models->sketch;
    const pith_i_panel V = {s->rank, s->width, s->U};
    double *C = NULL;
    pith_status st = PITH_OK;
    for (int64_t i = 0; i < models->n; i++)
        for (int64_t t = 0; t < m; t++)
            U[i * m + t] = R[i * m + t] / models->diagonal[i];
    if (s->rank > 0) {
        TRY(SCRATCH(ctx, C, s->rank * m));
        TRY(pith_i_panel_inner(ctx, s->n, V, (pith_i_panel){m, m, U}, C));
        TRY(pith_i_sum_over(ctx, models->X->X, s->rank * m, C));
        for (int64_t v = 0; v < s->rank; v++)
            for (int64_t t = 0; t < m; t++)
                C[v * m + t] *= -s->value[v] / (LOUD * models->global + s->value[v]);
        pith_i_panel_times(ctx, s->n, 1, V, (pith_i_panel){m, m, C}, 1, U, m);
    }
    TRY(centre_columns(ctx, models, m, U));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* Y = H G H U, where U need not be centred. */
static pith_status gram(pith_ctx *ctx, const void *self, int64_t m, const double *U, double *Y)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_models *models = self;
    double *centred = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, centred, models->n * m));
    memcpy(centred, U, (size_t)(models->n * m) * sizeof *U);
    TRY(centre_columns(ctx, models, m, centred));
    TRY(multiply(ctx, models, m, centred, Y));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ---- Fitting ------------------------------------------------------------------------------------------- */

/* A copy of the rows, weighted by z. Dense data is shifted first: that changes no distance, but far from 0
 * distances lose digits. */
static pith_status weigh(pith_ctx *ctx, const pith_i_models *m, pith_i_data *out)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_design *D = m->X;
    double *root = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, root, D->X->p));
    for (int64_t j = 0; j < D->X->p; j++)
        root[j] = D->left_out != NULL && D->left_out[j] ? 0 : sqrt(m->z[j]);
    TRY(pith_i_scaled(ctx, D->X, PITH_F64, D->X->sparse ? NULL : D->shift, root, NULL, out));
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* diagonal_i = local B_ii + alpha */
static void take_diagonal(pith_i_models *m)
{
    const pith_i_local_sum *B = &m->regions.sum;
    for (int64_t i = 0; i < m->n; i++) {
        m->diagonal[i] = m->alpha;
        for (int64_t e = B->row[i]; e < B->row[i + 1]; e++)
            if (B->col[e] == i)
                m->diagonal[i] += m->local * B->value[e];
    }
}

pith_status pith_i_steps_fit(pith_ctx *ctx, pith_i_models *m, const double *z, bool move)
{
    const pith_i_data *X = m->X->X;
    const pith_i_rows_map map = {.n = m->n, .self = m, .apply = gram, .offset = X->offset, .all = X->all};
    pith_i_data weighted = {0};
    pith_status st = PITH_OK;
    memcpy(m->z, z, (size_t)X->p * sizeof *z);
    TRY(weigh(ctx, m, &weighted));
    TRY(pith_i_regions_by_rows(ctx, &m->regions, &weighted, move));
    m->bound = m->regions.bound + m->alpha;
    take_diagonal(m);
    /* A sketch keeps values above a hundredth of its ridge: here above LOUD / 10 global. */
    TRY(pith_i_nystrom_update(ctx, &map, 10 * LOUD * m->global, &m->sketch));
done:
    pith_i_data_free(&weighted);
    return st;
}

/* ---- Hidden labels ------------------------------------------------------------------------------------- */

/* U: the vectors of the last fit and some random ones; the first time, all are random. */
static pith_status make_start(pith_ctx *ctx, pith_i_models *m)
{
    const int64_t known = m->fits == 0 ? 0 : m->width - pith_i_min(FRESH, m->width);
    const int64_t first = m->fits * m->all + m->X->X->offset;
    for (int64_t i = 0; i < m->n; i++) {
        pith_i_stream numbers =
            pith_i_stream_at(pith_ctx_seed(ctx), PITH_I_RANDOM_START_BLOCK, (uint64_t)(first + i));
        for (int64_t t = known; t < m->width; t++)
            m->U[i * m->width + t] = pith_i_random_normal(&numbers);
    }
    m->fits++;
    return centre_columns(ctx, m, m->width, m->U);
}

/* The rounding error of a residual, from products with B and from y = M u: no tolerance can be below it. */
static double rounding(const pith_i_models *m)
{
    const double largest = m->sketch.rank > 0 ? m->sketch.value[0] : 0;
    return 1e-14 * m->bound + 1e-15 * m->alpha * (1 + largest / m->global);
}

pith_status pith_i_steps_targets(pith_ctx *ctx, pith_i_models *m, int64_t vectors, double *value, double *Y)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const pith_i_paired_map map = {m->n, m, image, apply, precondition, m->X->X->all};
    const pith_i_davidson_options want = {.m = vectors,
                                          .width = m->width,
                                          .tolerance = fmax(m->tolerance, rounding(m)),
                                          .most = MOST * m->width};
    double *values = NULL, *panel = NULL;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, values, m->width));
    TRY(SCRATCH(ctx, panel, m->n * m->width));
    TRY(make_start(ctx, m));
    TRY(pith_i_davidson_least(ctx, &map, &want, values, m->U, panel, &m->products));
    memcpy(value, values, (size_t)vectors * sizeof *value);
    for (int64_t v = 0; v < vectors; v++)
        for (int64_t i = 0; i < m->n; i++)
            Y[v * m->n + i] = panel[i * m->width + v];
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}
