/*
 * The factorisation by majorisation. ||r|| <= ||r||^2 / (2c) + c/2, with equality at c = ||r||. With c from
 * the previous round, each round is a weighted least squares problem, and only products of X with thin
 * matrices remain: nothing here is n x p.
 */
#include "core/engine.h"
#include "linalg/eigen.h"
#include "matrix/gather.h"
#include "methods/factor/factor.h"
#include "methods/factor/polar.h"
#include "methods/factor/prox.h"
#include "methods/factor/thin.h"

#include <string.h>

enum { INNER = 3, FEWEST = 20 };

typedef struct work {
    pith_ctx *ctx;
    pith_i_factor *f;
    double mu, mu_max;
    double *w;          /* n: 1 / (2 ||r_i||), */
    double largest_w;   /* the largest of them */
    double *XV, *N, *Y; /* n x k; Y: multipliers of Z = U */
    double *B;          /* p x k */
    double *G, *C, *t;  /* k x k, k x k, k */
    double *room;       /* of the tree */
} work;

static pith_status take_room(work *a)
{
    const pith_i_factor *f = a->f;
    pith_ctx *ctx = a->ctx;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, a->w, f->n));
    TRY(SCRATCH(ctx, a->XV, f->n * f->k));
    TRY(SCRATCH(ctx, a->N, f->n * f->k));
    TRY(SCRATCH_ZERO(ctx, a->Y, f->n * f->k));
    TRY(SCRATCH(ctx, a->B, f->p * f->k));
    TRY(SCRATCH(ctx, a->G, f->k * f->k));
    TRY(SCRATCH(ctx, a->C, f->k * f->k));
    TRY(SCRATCH(ctx, a->t, f->k));
    if (f->tree != NULL)
        TRY(SCRATCH(ctx, a->room, pith_i_tree_room(f->tree, f->k)));
done:
    return st;
}

/*
 * r_i^2 = ||x_i||^2 - 2 u_i.(XV)_i + u_i V'V u_i' of every row, the weights that follow, and F. In the
 * weights, r_i is at least a hundredth of a typical row norm, which makes the loss Huber's near 0.
 */
static pith_status weigh(work *a)
{
    pith_i_factor *f = a->f;
    const int64_t k = f->k;
    double loss = 0, penalties = 0;
    pith_status st = PITH_OK;
    pith_i_thin_times(a->ctx, f->n, k, 1, f->U, a->G, 0, a->N);
    a->largest_w = 0;
    for (int64_t i = 0; i < f->n; i++) {
        double r = f->square[i];
        for (int64_t c = 0; c < k; c++)
            r += f->U[i * k + c] * (a->N[i * k + c] - 2 * a->XV[i * k + c]);
        r = r > 0 ? r : 0;
        loss += sqrt(r);
        a->w[i] = 1 / (2 * sqrt(fmax(r, 1e-4 * f->mean_square)));
        a->largest_w = fmax(a->largest_w, a->w[i]);
    }
    TRY(pith_i_sum_over(a->ctx, f->in->X, 1, &loss));
    if (pith_i_is_spread(f->in->X))
        TRY(pith_i_sum_by(a->ctx, PITH_ENGINE_MOST, 1, &a->largest_w));
    TRY(pith_i_factor_penalties(a->ctx, f, a->room, &penalties));
    f->objective = loss + penalties;
done:
    return st;
}

/* V: gradient steps of length 1/l, l = 2 lambda_max(U' diag(w) U), each followed by the proximal steps of
 * both penalties. */
static pith_status step_v(work *a)
{
    pith_i_factor *f = a->f;
    const int64_t n = f->n, k = f->k;
    pith_status st = PITH_OK;
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < k; c++)
            a->N[i * k + c] = a->w[i] * f->U[i * k + c];
    TRY(pith_i_factor_times_t(a->ctx, f, k, a->N, a->B));
    TRY(pith_i_thin_gram(a->ctx, n, k, f->U, a->w, f->U, a->C));
    TRY(pith_i_sum_over(a->ctx, f->in->X, k * k, a->C));
    memcpy(a->G, a->C, (size_t)(k * k) * sizeof *a->G);
    TRY(pith_i_eigen_dense_in_place(a->ctx, k, a->G, a->t));
    const double l = 2 * a->t[k - 1];
    /* V - 2 (V C - B) / l = V (I - 2 C / l) + 2 B / l */
    for (int64_t c = 0; c < k; c++)
        for (int64_t d = 0; d < k; d++)
            a->C[c * k + d] = (c == d) - 2 / l * a->C[c * k + d];
    for (int step = 0; step < INNER; step++) {
        TRY(pith_i_thin_step(a->ctx, f->p, k, a->C, 2 / l, a->B, f->V));
        if (f->tree != NULL && f->groups > 0)
            pith_i_tree_prox(a->ctx, f->tree, k, f->groups / l, f->weight, a->room, f->V);
        pith_i_row_shrink(a->ctx, f->p, k, f->rows / l, f->V, f->norm);
    }
    f->threshold = f->rows / l;
done:
    return st;
}

/*
 * U: sum_i w_i u_i G u_i' = wmax tr(G) + sum_i (w_i - wmax) u_i G u_i' on the constraint, whose second part
 * is concave: its tangent is an upper bound, and what is left is linear in U. The same holds for the graph's
 * -tr(U'(A + I)U).
 */
static pith_status step_u(work *a)
{
    pith_i_factor *f = a->f;
    const int64_t n = f->n, k = f->k;
    pith_status st = PITH_OK;
    TRY(pith_i_factor_times(a->ctx, f, k, f->V, a->XV));
    TRY(pith_i_thin_gram(a->ctx, f->p, k, f->V, NULL, f->V, a->G));
    for (int step = 0; step < INNER; step++) {
        pith_i_thin_times(a->ctx, n, k, 1, f->U, a->G, 0, a->N);
        for (int64_t i = 0; i < n; i++)
            for (int64_t c = 0; c < k; c++) {
                const int64_t e = i * k + c;
                a->N[e] =
                    2 * (a->w[i] * a->XV[e] + (a->largest_w - a->w[i]) * a->N[e]) + a->mu * f->Z[e] + a->Y[e];
                if (f->graph > 0)
                    a->N[e] += 2 * f->graph * f->U[e];
            }
        TRY(pith_i_factor_neighbours(a->ctx, f, 2 * f->graph, f->U, a->N));
        TRY(pith_i_polar(a->ctx, f->in->X, k, a->N, f->U, NULL));
    }
done:
    return st;
}

static void step_z(work *a)
{
    pith_i_factor *f = a->f;
    for (int64_t e = 0; e < f->n * f->k; e++) {
        f->Z[e] = fmax(0, f->U[e] - a->Y[e] / a->mu);
        a->Y[e] += a->mu * (f->Z[e] - f->U[e]);
    }
    a->mu = fmin(f->o.step * a->mu, a->mu_max);
}

static pith_status iterate(work *a)
{
    pith_i_factor *f = a->f;
    double before = INFINITY;
    pith_status st = PITH_OK;
    TRY(weigh(a));
    for (f->iterations = 0; f->iterations < f->o.max_iter;) {
        TRY(pith_i_progress(a->ctx, f->iterations, f->o.max_iter));
        TRY(step_v(a));
        TRY(step_u(a));
        step_z(a);
        f->iterations++;
        before = f->objective;
        TRY(weigh(a));
        pith_i_round(f->in->facts, f->objective);
        TRY(pith_i_factor_measure(a->ctx, f));
        if (f->iterations >= FEWEST && f->gap < 100 * f->o.tol &&
            fabs(f->objective - before) <= f->o.tol * f->objective)
            break;
    }
done:
    return st;
}

pith_status pith_i_factor_mm(pith_ctx *ctx, pith_i_factor *f)
{
    work a = {.ctx = ctx,
              .f = f,
              .mu = isnan(f->o.mu0) ? 0.01 : f->o.mu0,
              .mu_max = isnan(f->o.mu_max) ? 1e6 : f->o.mu_max};
    pith_status st = PITH_OK;
    TRY(take_room(&a));
    TRY(pith_i_factor_times(ctx, f, f->k, f->V, a.XV));
    TRY(pith_i_thin_gram(ctx, f->p, f->k, f->V, NULL, f->V, a.G));
    TRY(iterate(&a));
done:
    return st;
}
