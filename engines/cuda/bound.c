#include "bound.h"

#include <float.h>
#include <math.h>

int64_t pith_cuda_padded(int64_t columns)
{
    return columns > 0 ? (columns + PITH_CUDA_STEP - 1) / PITH_CUDA_STEP * PITH_CUDA_STEP : PITH_CUDA_STEP;
}

int64_t pith_cuda_slab(int64_t width, bool fine)
{
    enum { VERY_WIDE = 4096 };
    const int64_t most = fine                ? PITH_CUDA_FINE_SLAB
                         : width > VERY_WIDE ? PITH_CUDA_WIDE_SLAB
                                             : PITH_CUDA_SLAB;
    return width < most ? width : most;
}

double pith_cuda_gamma(int64_t width, int64_t slab)
{
    const int64_t slabs = (width + slab - 1) / slab;
    return ldexp((double)(18 * ((slab + 15) / 16) + (slabs > 1 ? slabs : 0)), -23);
}

pith_cuda_bound pith_cuda_bound_of(int64_t columns, int64_t width, int64_t slab, bool split, double scale,
                                   bool cosine)
{
    const double p = (double)columns, u = DBL_EPSILON / 2;
    /* The norms of (high, high, low) and (high, low, high) are at most little more than sqrt 2 times that of
     * y. */
    const double gamma = pith_cuda_gamma(width, slab) * (split ? 2.01 : 1);
    return (pith_cuda_bound){.g = gamma + ldexp(1, -21),
                             .scale = scale,
                             .shrink = 1 - 2 * (p + 100) * u,
                             .slack = (cosine ? (8 * p + 400) * u : 0) + (p + 4) * 16 * DBL_MIN};
}

double pith_cuda_least(const pith_cuda_bound *b, const pith_cuda_row *i, float key)
{
    const double B = (double)key + (1 - b->g) * i->norm - i->low;
    const double far = B > 0 ? sqrt(B * (1 - 1 / PITH_CUDA_KAPPA)) * (1 - 4 * DBL_EPSILON) - i->delta : 0;
    const double z = far > 0 ? far / b->scale : 0;
    return z * z * b->shrink - b->slack;
}

double pith_cuda_scale(double largest)
{
    enum { UNITS = 9, MOST = 900 };
    int exponent = 0;
    if (!(largest > 0))
        return 1;
    (void)frexp(largest, &exponent);
    exponent = UNITS - exponent;
    return ldexp(1, exponent > MOST ? MOST : exponent < -MOST ? -MOST : exponent);
}

int64_t pith_cuda_candidates_for(int64_t n, int64_t k)
{
    const int64_t wanted = k + 32 + k / 4;
    return wanted < n - 1 ? wanted : n - 1;
}

/* Nearest first, ties to the lower row. */
typedef struct list {
    int64_t k, count, *index;
    double *distance2;
} list;

static void offer(list *near, int64_t id, double d)
{
    int64_t at = near->count < near->k ? near->count++ : near->k;
    if (at == near->k) {
        at--;
        if (d > near->distance2[at] || (d == near->distance2[at] && id > near->index[at]))
            return;
    }
    for (; at > 0 &&
           (d < near->distance2[at - 1] || (d == near->distance2[at - 1] && id < near->index[at - 1]));
         at--) {
        near->index[at] = near->index[at - 1];
        near->distance2[at] = near->distance2[at - 1];
    }
    near->index[at] = id;
    near->distance2[at] = d;
}

bool pith_cuda_settle(const pith_cuda_bound *b, const pith_cuda_row *row, const pith_cuda_candidates *c,
                      int64_t k, pith_cuda_distances *distances, void *user, int64_t *index,
                      double *distance2)
{
    enum { ROOM = PITH_CUDA_MOST, FEW = 4 };
    list near = {.k = k, .index = index, .distance2 = distance2};
    int64_t at = 0, id[ROOM];
    double d[ROOM];
    for (int64_t e = 0, took = 0; e < c->n_zeros && took < k; e++)
        if (c->zero[e] != c->i) {
            offer(&near, c->zero[e], 2);
            took++;
        }
    while (at < c->count) {
        const int64_t rest = c->count - at, want = at == 0 ? k : FEW;
        const int64_t batch = rest < want ? rest : want;
        if (near.count == k && pith_cuda_least(b, row, c->key[at]) > distance2[k - 1])
            return true;
        for (int64_t e = 0; e < batch; e++)
            id[e] = c->id[at + e];
        distances(user, c->i, batch, id, d);
        for (int64_t e = 0; e < batch; e++)
            offer(&near, id[e], d[e]);
        at += batch;
    }
    if (near.count < k)
        return false;
    return c->threshold == INFINITY || pith_cuda_least(b, row, c->threshold) > distance2[k - 1];
}
