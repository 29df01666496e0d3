#include "select/keep.h"

#include <math.h>

enum { STARTS = 10, USUAL = 300 };
static const double POOR = 0.15, THRIFTY = 0.95;

/* Steps of the grid: a few to begin with, then six in every power of ten. */
static int64_t next_count(int64_t count)
{
    static const int64_t few[] = {5, 10, 20, 30, 50, 75, 100}, more[] = {100, 150, 200, 300, 500, 700};
    int64_t ten = 1;
    for (size_t i = 0; i < COUNT(few); i++)
        if (few[i] > count)
            return few[i];
    for (;; ten *= 10)
        for (size_t i = 0; i < COUNT(more); i++)
            if (more[i] * ten > count)
                return more[i] * ten;
}

pith_status pith_i_curve_make(pith_ctx *ctx, pith_i_cache *cache, const pith_i_ensemble *e, int64_t count,
                              const int64_t *ranking, pith_i_curve *out)
{
    pith_i_curve curve = {0};
    double all = 0, done = 0;
    pith_status st = PITH_OK;
    for (int64_t m = 0; m < count && curve.count < PITH_I_CURVE_POINTS;) {
        m = next_count(m) < count ? next_count(m) : count;
        curve.features[curve.count++] = m;
        all += (double)m;
    }
    for (int64_t i = 0; i < curve.count; i++) {
        const double from = done / all, m = (double)curve.features[i];
        TRY(pith_i_progress_stage(ctx, "finding how many features to keep", from, from + m / all));
        TRY(pith_i_ensemble_judge(ctx, cache, e, STARTS, true, curve.features[i], ranking,
                                  &curve.agreement[i]));
        done += m;
    }
    *out = curve;
done:
    return st;
}

int64_t pith_i_curve_choose(const pith_i_curve *c, bool thrifty)
{
    const int64_t last = c->count - 1;
    double most = 0, best = -1;
    int64_t at = 0;
    for (int64_t i = 0; i <= last; i++)
        most = c->agreement[i] > most ? c->agreement[i] : most;
    if (!(most >= POOR))
        return -1;
    for (int64_t i = 0; thrifty && i <= last; i++)
        if (c->agreement[i] >= THRIFTY * most)
            return c->features[i];
    for (int64_t i = 0; i <= last; i++) {
        const double three =
            c->agreement[i > 0 ? i - 1 : 0] + c->agreement[i] + c->agreement[i < last ? i + 1 : last];
        at = three > best ? i : at;
        best = three > best ? three : best;
    }
    return c->features[at];
}

int64_t pith_i_curve_usual(const pith_i_curve *c)
{
    const int64_t all = c->count > 0 ? c->features[c->count - 1] : 0;
    return all < USUAL ? all : USUAL;
}

double pith_i_curve_at(const pith_i_curve *c, int64_t i, int64_t *features)
{
    if (i < 0 || i >= c->count)
        return (double)NAN;
    if (features != NULL)
        *features = c->features[i];
    return c->agreement[i];
}
