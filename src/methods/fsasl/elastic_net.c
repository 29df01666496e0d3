#include "methods/fsasl/elastic_net.h"

#include "linalg/lars.h"
#include "matrix/blas.h"

#include <math.h>
#include <string.h>

static const double wanted = 1e-11; /* largest violation, as a share of max_j |c_j| */
enum { ROUNDS = 200, DESCENTS = 50 };

typedef struct elastic_net {
    int64_t p;
    const double *G, *c;
    double lambda;
    double *s, *left;     /* p: coefficients; c - G s */
    double *L;            /* p x p: factor of G on the support */
    double *x, *y, *kept; /* p */
    int32_t *support;     /* p */
    void *lars;
} elastic_net;

size_t pith_i_elastic_net_room(int64_t p)
{
    return (size_t)(p * p + 4 * p) * sizeof(double) + (size_t)(p + p % 2) * sizeof(int32_t) +
           pith_i_lars_room(p, p + 1);
}

static void lay_out(elastic_net *e, void *room)
{
    const int64_t p = e->p;
    e->left = room;
    e->L = e->left + p;
    e->x = e->L + p * p;
    e->y = e->x + p;
    e->kept = e->y + p;
    e->support = (int32_t *)(e->kept + p);
    e->lars = e->support + p + p % 2;
}

static void correlate(elastic_net *e)
{
    memcpy(e->left, e->c, (size_t)e->p * sizeof *e->left);
    for (int64_t j = 0; j < e->p; j++)
        if (e->s[j] != 0)
            cblas_daxpy((int)e->p, -e->s[j], e->G + j * e->p, 1, e->left, 1);
}

static double violation(const elastic_net *e)
{
    double worst = 0;
    for (int64_t j = 0; j < e->p; j++) {
        const double s = e->s[j], left = e->left[j];
        worst = fmax(worst, s == 0 ? fabs(left) - e->lambda : fabs(left - copysign(e->lambda, s)));
    }
    return worst;
}

/* Cholesky factor of G on the support, count x count. False: because of rounding it is not positive definite.
 */
static bool factor(elastic_net *e, int64_t count)
{
    for (int64_t a = 0; a < count; a++)
        for (int64_t b = 0; b <= a; b++) {
            double *row = e->L + a * count;
            const double left =
                e->G[e->support[a] * e->p + e->support[b]] - cblas_ddot((int)b, row, 1, e->L + b * count, 1);
            if (a == b && !(left > 0))
                return false;
            row[b] = a == b ? sqrt(left) : left / e->L[b * count + b];
        }
    return true;
}

/* x += (G on the support)^-1 y, where y = c - lambda sign - G x there. */
static void refine(elastic_net *e, int64_t count)
{
    for (int64_t a = 0; a < count; a++) {
        const int64_t j = e->support[a];
        double sum = e->c[j] - copysign(e->lambda, e->kept[j]);
        for (int64_t b = 0; b < count; b++)
            sum -= e->G[j * e->p + e->support[b]] * e->x[b];
        e->y[a] = sum;
    }
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)count, e->L, (int)count, e->y, 1);
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, (int)count, e->L, (int)count, e->y, 1);
    for (int64_t a = 0; a < count; a++)
        e->x[a] += e->y[a];
}

/* Replaces s by the exact solution for its support and signs, if that has the same signs and violates
 * optimality no more. Returns the violation. */
static double settle(elastic_net *e, double before)
{
    int64_t count = 0;
    bool same = true;
    memcpy(e->kept, e->s, (size_t)e->p * sizeof *e->kept);
    for (int64_t j = 0; j < e->p; j++)
        if (e->s[j] != 0)
            e->support[count++] = (int32_t)j;
    if (count == 0 || !factor(e, count))
        return before;
    memset(e->x, 0, (size_t)count * sizeof *e->x);
    for (int times = 0; times < 3; times++) /* the second and third correct rounding errors */
        refine(e, count);
    for (int64_t a = 0; a < count; a++) {
        same = same && e->x[a] * e->s[e->support[a]] > 0;
        e->s[e->support[a]] = e->x[a];
    }
    correlate(e);
    const double now = violation(e);
    if (same && now <= before)
        return now;
    memcpy(e->s, e->kept, (size_t)e->p * sizeof *e->s);
    correlate(e);
    return before;
}

/* Minimises over each coordinate in turn. */
static void descend(elastic_net *e)
{
    for (int64_t j = 0; j < e->p; j++) {
        const double square = e->G[j * e->p + j], pull = e->left[j] + square * e->s[j];
        const double s = copysign(fmax(fabs(pull) - e->lambda, 0) / square, pull), step = s - e->s[j];
        if (step != 0)
            cblas_daxpy((int)e->p, -step, e->G + j * e->p, 1, e->left, 1);
        e->s[j] = s == 0 ? 0 : s;
    }
}

static void follow_path(elastic_net *e)
{
    pith_i_gram_features features = {e->p, e->G};
    const pith_i_lasso lasso = pith_i_lasso_of_gram(&features);
    const pith_i_lars_options options = {.most = e->p + 1, .lambda = e->lambda};
    const pith_i_lars_point point = pith_i_lars(&lasso, e->c, &options, e->lars);
    memset(e->s, 0, (size_t)e->p * sizeof *e->s);
    for (int64_t a = 0; a < point.count; a++)
        e->s[point.active[a]] = point.coef[a];
    correlate(e);
}

double pith_i_elastic_net(int64_t p, const double *G, const double *c, double lambda, double *s, void *room)
{
    elastic_net e = {.p = p, .G = G, .c = c, .lambda = lambda, .s = s};
    double largest = 0;
    lay_out(&e, room);
    memset(s, 0, (size_t)p * sizeof *s);
    for (int64_t j = 0; j < p; j++)
        largest = fmax(largest, fabs(c[j]));
    if (largest <= lambda)
        return 0;
    pith_i_blas_enter();
    follow_path(&e);
    double worst = settle(&e, violation(&e));
    for (int round = 0; round < ROUNDS && worst > wanted * largest; round++) {
        for (int times = 0; times < DESCENTS; times++)
            descend(&e);
        correlate(&e);
        worst = settle(&e, violation(&e));
    }
    pith_i_blas_leave();
    return worst / largest;
}
