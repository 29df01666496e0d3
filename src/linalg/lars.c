#include "linalg/lars.h"

#include "matrix/blas.h"

#include <math.h>
#include <string.h>

/* A feature joins only if more than this share of its square is outside the span of the active ones. */
static const double dependent = 1e-12;
/* A feature just dropped is as correlated as the active ones: rounding must not let it rejoin at once. */
static const double at_once = 1e-12;

enum { OUT, ACTIVE, DEPENDENT, DROPPED };

typedef struct path {
    const pith_i_lasso *P;
    int64_t most, count;  /* room for active features, active ones */
    double lambda, first; /* now, at the start */
    double *c, *v;        /* p: correlations with the residual, and with the direction */
    double *L;            /* most x most: Cholesky factor of the active Gram matrix, by rows */
    double *coef, *w;     /* most: coefficients, direction */
    double *sign, *work;  /* most; most + 1 */
    int32_t *active;      /* most */
    char *state;          /* p */
} path;

int64_t pith_i_lars_active(int64_t p, int64_t most)
{
    enum { AT_ONCE = 16 };
    return most + AT_ONCE < p ? most + AT_ONCE : p;
}

size_t pith_i_lars_room(int64_t p, int64_t nonzero)
{
    const int64_t most = pith_i_lars_active(p, nonzero);
    return (size_t)(2 * p + most * most + 5 * most + 1) * sizeof(double) + (size_t)most * sizeof(int32_t) +
           (size_t)p;
}

static void lay_out(path *s, void *room)
{
    const int64_t p = s->P->p, m = s->most;
    s->c = room;
    s->v = s->c + p;
    s->L = s->v + p;
    s->coef = s->L + m * m;
    s->w = s->coef + m;
    s->sign = s->w + m;
    s->work = s->sign + m;
    s->active = (int32_t *)(s->work + 2 * m + 1);
    s->state = (char *)(s->active + m);
    memset(s->state, OUT, (size_t)p);
    for (int64_t j = 0; j < p; j++)
        if (s->P->left_out != NULL && s->P->left_out[j])
            s->state[j] = DEPENDENT;
}

/* ---- The factor ------------------------------------------------------------------------------------ */

static void solve(const path *s, CBLAS_TRANSPOSE transposed, double *x)
{
    if (s->count > 0)
        cblas_dtrsv(CblasRowMajor, CblasLower, transposed, CblasNonUnit, (int)s->count, s->L, (int)s->most, x,
                    1);
}

/* False: the feature depends on the active ones, and stays out until one of them leaves. */
static bool join(path *s, int64_t j, double sign)
{
    double *row = s->work;
    s->P->join(s->P->self, j, s->count, s->active, row);
    const double square = row[s->count];
    solve(s, CblasNoTrans, row);
    double left = square;
    for (int64_t a = 0; a < s->count; a++)
        left -= row[a] * row[a];
    if (!(left > dependent * square)) {
        if (s->P->drop != NULL)
            s->P->drop(s->P->self, s->count, s->count + 1);
        s->state[j] = DEPENDENT;
        return false;
    }
    memcpy(s->L + s->count * s->most, row, (size_t)s->count * sizeof *row);
    s->L[s->count * s->most + s->count] = sqrt(left);
    s->active[s->count] = (int32_t)j;
    s->coef[s->count] = 0;
    s->sign[s->count] = sign;
    s->state[j] = ACTIVE;
    s->count++;
    return true;
}

/* Removes row `at` of L; rotations of columns (a, a+1) make the rest triangular again. */
static void shrink_factor(path *s, int64_t at)
{
    const int64_t m = s->most, rest = s->count - 1;
    for (int64_t r = at; r < rest; r++)
        memmove(s->L + r * m, s->L + (r + 1) * m, (size_t)(r + 2) * sizeof *s->L);
    for (int64_t a = at; a < rest; a++) {
        const double x = s->L[a * m + a], y = s->L[a * m + a + 1], h = hypot(x, y), co = x / h, si = y / h;
        for (int64_t r = a; r < rest; r++) {
            double *l = s->L + r * m + a;
            const double first = co * l[0] + si * l[1];
            l[1] = co * l[1] - si * l[0];
            l[0] = first;
        }
    }
}

static void drop(path *s, int64_t at)
{
    const int32_t j = s->active[at];
    shrink_factor(s, at);
    for (int64_t a = at; a + 1 < s->count; a++) {
        s->active[a] = s->active[a + 1];
        s->coef[a] = s->coef[a + 1];
        s->sign[a] = s->sign[a + 1];
    }
    if (s->P->drop != NULL)
        s->P->drop(s->P->self, at, s->count);
    s->count--;
    for (int64_t i = 0; i < s->P->p; i++)
        if (s->state[i] == DROPPED || (s->state[i] == DEPENDENT && !(s->P->left_out && s->P->left_out[i])))
            s->state[i] = OUT;
    s->state[j] = DROPPED;
}

/* ---- Steps ----------------------------------------------------------------------------------------- */

/* w = G^-1 sign: along it all active correlations fall at the same rate as lambda, by 1. */
static void aim(path *s)
{
    memcpy(s->w, s->sign, (size_t)s->count * sizeof *s->w);
    solve(s, CblasNoTrans, s->w);
    solve(s, CblasTrans, s->w);
    s->P->correlate(s->P->self, s->count, s->active, s->w, s->v);
}

typedef struct event {
    double step;
    int64_t join, drop; /* a feature, a place among the active; -1: none */
    double sign;
} event;

/* The step at which c - step v meets side * (lambda - step), if that comes before the next event so far. */
static void try_join(const path *s, int64_t j, double side, event *next)
{
    const double slope = 1 - side * s->v[j], gap = fmax(s->lambda - side * s->c[j], 0), step = gap / slope;
    if (!(slope > 0) || step >= next->step)
        return;
    if (s->state[j] == DROPPED && gap < at_once * s->first * slope)
        return;
    *next = (event){step, j, -1, side};
}

static event find_event(const path *s, double most)
{
    event next = {most, -1, -1, 0};
    for (int64_t j = 0; j < s->P->p; j++)
        if (s->state[j] == OUT || s->state[j] == DROPPED) {
            try_join(s, j, 1, &next);
            try_join(s, j, -1, &next);
        }
    for (int64_t a = 0; a < s->count; a++) {
        const double step = -s->coef[a] / s->w[a];
        /* Several may join at once, and the coefficient of one of them may start in the wrong direction. */
        const bool wrong = s->coef[a] == 0 && s->w[a] * s->sign[a] < 0;
        if (wrong || (step > 0 && step < next.step))
            next = (event){wrong ? 0 : step, -1, a, 0};
    }
    return next;
}

static void advance(path *s, const event *e)
{
    for (int64_t a = 0; a < s->count; a++)
        s->coef[a] = a == e->drop ? 0 : s->coef[a] + e->step * s->w[a];
    for (int64_t j = 0; j < s->P->p; j++)
        s->c[j] -= e->step * s->v[j];
    s->lambda -= e->step;
}

static int64_t count_nonzero(const path *s)
{
    int64_t count = 0;
    for (int64_t a = 0; a < s->count; a++)
        count += s->coef[a] != 0;
    return count;
}

/* The most correlated feature joins; false: nothing is correlated. */
static bool begin(path *s)
{
    for (;;) {
        int64_t best = -1;
        for (int64_t j = 0; j < s->P->p; j++)
            if (s->state[j] == OUT && fabs(s->c[j]) > (best < 0 ? 0 : fabs(s->c[best])))
                best = j;
        if (best < 0)
            return false;
        s->first = s->lambda = fabs(s->c[best]);
        if (join(s, best, s->c[best] > 0 ? 1 : -1))
            return true;
    }
}

static pith_i_lars_end follow(path *s, const pith_i_lars_options *o, int64_t *steps)
{
    const int64_t most_steps = 20 * (s->most + 5);
    const double end = o->lambda > 0 ? o->lambda : 0;
    for (*steps = 0; *steps < most_steps; ++*steps) {
        if (s->lambda <= end)
            return PITH_I_LARS_LAMBDA;
        aim(s);
        const event e = find_event(s, s->lambda - end);
        advance(s, &e);
        const int64_t nonzero = count_nonzero(s);
        if (o->at != NULL)
            o->at(o->user, s->lambda, nonzero, s->count, s->active, s->coef);
        if (e.drop >= 0)
            drop(s, e.drop);
        if (nonzero >= o->most)
            return PITH_I_LARS_MOST;
        if (e.join < 0 && e.drop < 0)
            return PITH_I_LARS_LAMBDA;
        if (e.join >= 0 && s->count == s->most)
            break;
        if (e.join >= 0)
            (void)join(s, e.join, e.sign);
    }
    return PITH_I_LARS_LOST;
}

pith_i_lars_point pith_i_lars(const pith_i_lasso *problem, const double *correlation,
                              const pith_i_lars_options *options, void *room)
{
    path s = {.P = problem, .most = pith_i_lars_active(problem->p, options->most)};
    pith_i_lars_point point = {.end = PITH_I_LARS_LAMBDA};
    lay_out(&s, room);
    memcpy(s.c, correlation, (size_t)problem->p * sizeof *s.c);
    pith_i_blas_enter();
    if (begin(&s))
        point.end = follow(&s, options, &point.steps);
    pith_i_blas_leave();
    point.lambda = s.lambda;
    point.count = s.count;
    point.active = s.active;
    point.coef = s.coef;
    return point;
}

/* ---- A Gram matrix ---------------------------------------------------------------------------------- */

static void gram_join(void *self, int64_t j, int64_t count, const int32_t *active, double *out)
{
    const pith_i_gram_features *g = self;
    for (int64_t a = 0; a < count; a++)
        out[a] = g->G[j * g->p + active[a]];
    out[count] = g->G[j * g->p + j];
}

/* Not by BLAS: it may round the last entries of a row differently, and equal features must stay equal. */
static void gram_correlate(void *self, int64_t count, const int32_t *active, const double *coef, double *out)
{
    const pith_i_gram_features *g = self;
    memset(out, 0, (size_t)g->p * sizeof *out);
    for (int64_t a = 0; a < count; a++)
        for (int64_t j = 0; j < g->p; j++)
            out[j] += coef[a] * g->G[active[a] * g->p + j];
}

pith_i_lasso pith_i_lasso_of_gram(pith_i_gram_features *features)
{
    return (pith_i_lasso){.p = features->p, .self = features, .join = gram_join, .correlate = gram_correlate};
}
