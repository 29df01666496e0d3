/*
 * The factorisation by the method of multipliers, as in the papers but with one n x p array. With scaled
 * multipliers y2 = Y2/mu the papers' steps for E and Y2 are
 *
 *     Q = X - U V' + y2,   E_i = max(0, 1 - 1/(mu ||Q_i||)) Q_i,   y2 <- (y2 + X - U V' - E) / rho
 *
 * and R = Q - E has rows s_i Q_i, s_i = min(1, 1/(mu ||Q_i||)), so that E and Y2 need not be held:
 *
 *     X - E + y2 = R + U V',   Qnext = X + (R + U V') / rho - (1 + 1/rho) Unew Vnew'
 *
 * Q is held in panels of columns, in single precision: an iteration does not amplify what it loses by that,
 * and all else is double. Its rows are scaled when they are used. A panel's part of every sum is made by one
 * thread, and the parts are added in the order of the panels, some panels at a time.
 */
#include "core/engine.h"
#include "core/parallel.h"
#include "matrix/blas.h"
#include "matrix/gather.h"
#include "methods/factor/factor.h"
#include "methods/factor/polar.h"
#include "methods/factor/prox.h"
#include "methods/factor/thin.h"

#include <string.h>

enum { PANEL_DOUBLES = 32768, MOST_COLUMNS = 256, FEWEST_COLUMNS = 16, WAVE = 16, CHECK = 5 };

typedef struct work {
    pith_ctx *ctx;
    pith_i_factor *f;
    bool nested;
    double mu, mu_max, ratio;            /* ratio: mu / its value before */
    int64_t width, panels;               /* columns of a panel */
    float *Q;                            /* panel q is n x columns at Q + q * width * n */
    double *s;                           /* n */
    double *U0, *V0;                     /* U and V of the previous iteration */
    double *Vnext, *N, *y1;              /* p x k, n x k, n x k */
    double *SU;                          /* n x k: s_i u_i */
    int64_t rows;                        /* of P: features of all nodes; nested: features; 0: no groups */
    double *P, *y3;                      /* rows x k */
    double *panel_sums, *panel_row_sums; /* WAVE x n x k, WAVE x 2 x n */
    double *panel, *spare;               /* width x n a thread each */
    double *sum, *G, *room;              /* n; k x k; of the tree */
    double r2, r3;
} work;

static int64_t columns_of(const work *a, int64_t q)
{
    const int64_t left = a->f->p - q * a->width;
    return left < a->width ? left : a->width;
}

static pith_status take_room(work *a)
{
    const pith_i_factor *f = a->f;
    pith_ctx *ctx = a->ctx;
    const int64_t n = f->n, k = f->k,
                  fit = PANEL_DOUBLES / pith_i_max(n, 1) / FEWEST_COLUMNS * FEWEST_COLUMNS;
    pith_status st = PITH_OK;
    a->width = fit < FEWEST_COLUMNS ? FEWEST_COLUMNS : fit > MOST_COLUMNS ? MOST_COLUMNS : fit;
    a->panels = (f->p + a->width - 1) / a->width;
    a->rows = f->tree == NULL ? 0 : a->nested ? f->p : pith_i_tree_total(f->tree);
    TRY(SCRATCH(ctx, a->Q, n * f->p));
    TRY(SCRATCH(ctx, a->s, n));
    TRY(SCRATCH(ctx, a->sum, n));
    TRY(SCRATCH(ctx, a->U0, n * k));
    TRY(SCRATCH(ctx, a->V0, f->p * k));
    TRY(SCRATCH(ctx, a->Vnext, f->p * k));
    TRY(SCRATCH(ctx, a->N, n * k));
    TRY(SCRATCH_ZERO(ctx, a->y1, n * k));
    TRY(SCRATCH(ctx, a->SU, n * k));
    TRY(SCRATCH(ctx, a->P, a->rows * k));
    TRY(SCRATCH_ZERO(ctx, a->y3, a->rows * k));
    TRY(SCRATCH(ctx, a->panel_sums, WAVE * n * k));
    TRY(SCRATCH(ctx, a->panel_row_sums, 2 * WAVE * n));
    TRY(SCRATCH(ctx, a->panel, pith_ctx_threads(ctx) * a->width * n));
    TRY(SCRATCH(ctx, a->spare, pith_ctx_threads(ctx) * a->width * n));
    TRY(SCRATCH(ctx, a->G, k * k));
    if (f->tree != NULL)
        TRY(SCRATCH(ctx, a->room, pith_i_tree_room(f->tree, k)));
done:
    return st;
}

/* The feature that row r of P is a copy of. */
static int64_t feature_of(const work *a, int64_t r)
{
    return a->nested ? r : a->f->tree->feat[r];
}

/* ---- Passes over the panels ---------------------------------------------------------------------------- */

/* panel (n x w) += X. */
static void add_data(const work *a, int64_t first, int64_t w, double *room, double *panel)
{
    const pith_i_factor *f = a->f;
    const pith_i_data *T = f->in->T;
    if (T == NULL)
        pith_i_block(f->in->X, 0, f->n, first, w, room, w);
    for (int64_t c = 0; c < w; c++) {
        const int64_t j = first + c;
        const double shift = f->in->shift != NULL ? f->in->shift[j] : 0;
        if (f->in->constant[j])
            continue;
        if (T == NULL || shift != 0)
            for (int64_t i = 0; i < f->n; i++)
                panel[i * w + c] += ((T == NULL ? room[i * w + c] : 0) - shift) / f->scale;
        for (int64_t e = T != NULL ? T->indptr[j] : 0; T != NULL && e < T->indptr[j + 1]; e++)
            panel[T->indices[e] * w + c] += pith_i_at(T, j, e) / f->scale;
    }
}

/* panel += c U V', of the panel's features. */
static void add_product(const work *a, int64_t first, int64_t w, double c, const double *U, const double *V,
                        double *panel)
{
    const int k = (int)a->f->k;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)a->f->n, (int)w, k, c, U, k, V + first * k, k,
                1, panel, (int)w);
}

/* squares[i] += those of row i. */
static void add_squares(int64_t n, int64_t w, const double *panel, double *squares)
{
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t c = 0; c < w; c++)
            sum += panel[i * w + c] * panel[i * w + c];
        squares[i] += sum;
    }
}

/* Q of one panel from that of the previous iteration, if there was one. */
static void renew(const work *a, int64_t q, bool first_time, double *squares)
{
    const pith_i_factor *f = a->f;
    const int64_t n = f->n, w = columns_of(a, q), first = q * a->width;
    double *panel = a->panel + pith_i_thread() * a->width * n;
    float *Q = a->Q + first * n;
    if (first_time)
        memset(panel, 0, (size_t)(n * w) * sizeof *panel);
    for (int64_t i = 0; i < n && !first_time; i++)
        for (int64_t c = 0; c < w; c++)
            panel[i * w + c] = (double)Q[i * w + c] * (a->s[i] / a->ratio);
    add_data(a, first, w, a->spare + pith_i_thread() * a->width * n, panel);
    if (!first_time)
        add_product(a, first, w, 1 / a->ratio, a->U0, a->V0, panel);
    add_product(a, first, w, first_time ? -1 : -(1 + 1 / a->ratio), f->U, f->V, panel);
    add_squares(n, w, panel, squares);
    for (int64_t e = 0; e < n * w; e++)
        Q[e] = (float)panel[e];
}

/* Q of one panel as doubles, in the room of this thread. */
static double *load_panel(const work *a, int64_t q)
{
    const int64_t n = a->f->n, w = columns_of(a, q);
    const float *Q = a->Q + q * a->width * n;
    double *panel = a->panel + pith_i_thread() * a->width * n;
    for (int64_t e = 0; e < n * w; e++)
        panel[e] = (double)Q[e];
    return panel;
}

/* Vnext = V + R'U of one panel's features. Where rows are spread over processes, process 0 alone adds V, and
 * the caller sums over all. */
static void project_panel(const work *a, int64_t q, const double *panel)
{
    const pith_i_factor *f = a->f;
    const int64_t w = columns_of(a, q), first = q * a->width;
    const int k = (int)f->k;
    double *V = a->Vnext + first * k;
    if (pith_i_process(a->ctx) == 0 || !pith_i_is_spread(f->in->X))
        memcpy(V, f->V + first * k, (size_t)(w * k) * sizeof *V);
    else
        memset(V, 0, (size_t)(w * k) * sizeof *V);
    if (f->n > 0)
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)w, k, (int)f->n, 1, panel, (int)w, a->SU, k,
                    1, V, k);
}

/* The proximal steps of both penalties for the panel's features. */
static void shrink_panel(const work *a, int64_t q)
{
    pith_i_factor *f = a->f;
    const int64_t w = columns_of(a, q), first = q * a->width;
    const int k = (int)f->k;
    double *V = a->Vnext + first * k;
    for (int64_t c = 0; c < w; c++) {
        const int64_t j = first + c;
        double *v = V + c * k, square = 0, copies = 1;
        const int64_t lo = a->rows == 0 ? 0
                           : a->nested  ? j
                                        : f->tree->row_ptr[j],
                      hi = a->rows == 0 ? 0
                           : a->nested  ? j + 1
                                        : f->tree->row_ptr[j + 1];
        for (int64_t e = lo; e < hi; e++, copies++) {
            const int64_t r = a->nested ? e : f->tree->rows[e];
            for (int t = 0; t < k; t++)
                v[t] += a->P[r * k + t] + a->y3[r * k + t];
        }
        for (int t = 0; t < k; t++)
            square += v[t] * v[t];
        f->norm[j] = sqrt(square);
        const double factor = f->norm[j] > f->threshold ? (1 - f->threshold / f->norm[j]) / copies : 0;
        for (int t = 0; t < k; t++)
            v[t] *= factor;
    }
}

/* The panel's part of N = Q Vnext; step_u scales the rows, which makes it R Vnext. */
static void expand_panel(const work *a, int64_t q, const double *panel, double *N)
{
    const int64_t n = a->f->n, w = columns_of(a, q);
    const int k = (int)a->f->k;
    if (n > 0)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)n, k, (int)w, 1, panel, (int)w,
                    a->Vnext + q * a->width * k, k, 0, N, k);
}

/* The new V of one panel's features, and its part of N. projected: Vnext is already summed over processes. */
static void solve_panel(const work *a, int64_t q, bool projected, double *N)
{
    const double *panel = load_panel(a, q);
    if (!projected)
        project_panel(a, q, panel);
    shrink_panel(a, q);
    expand_panel(a, q, panel, N);
}

static pith_status renew_all(work *a, bool first_time)
{
    const int64_t n = a->f->n;
    const int threads = pith_ctx_threads(a->ctx);
    memset(a->sum, 0, (size_t)n * sizeof *a->sum);
    for (int64_t from = 0; from < a->panels; from += WAVE) {
        const int64_t count = a->panels - from < WAVE ? a->panels - from : WAVE;
        memset(a->panel_row_sums, 0, (size_t)(count * n) * sizeof *a->panel_row_sums);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
        for (int64_t q = 0; q < count; q++)
            renew(a, from + q, first_time, a->panel_row_sums + q * n);
        for (int64_t q = 0; q < count; q++)
            for (int64_t i = 0; i < n; i++)
                a->sum[i] += a->panel_row_sums[q * n + i];
    }
    for (int64_t i = 0; i < n; i++)
        a->s[i] = a->mu * sqrt(a->sum[i]) > 1 ? 1 / (a->mu * sqrt(a->sum[i])) : 1;
    return pith_i_stop_status(a->ctx);
}

/* Vnext of all features over all processes. */
static pith_status project_all(work *a)
{
    const int threads = pith_ctx_threads(a->ctx);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t q = 0; q < a->panels; q++)
        project_panel(a, q, load_panel(a, q));
    return pith_i_sum(a->ctx, a->f->p * a->f->k, a->Vnext);
}

static pith_status solve_all(work *a)
{
    const pith_i_factor *f = a->f;
    const bool spread = pith_i_is_spread(f->in->X);
    const int64_t size = f->n * f->k;
    const int threads = pith_ctx_threads(a->ctx);
    pith_status st = PITH_OK;
    for (int64_t i = 0; i < f->n; i++)
        for (int64_t c = 0; c < f->k; c++)
            a->SU[i * f->k + c] = a->s[i] * f->U[i * f->k + c];
    if (spread)
        TRY(project_all(a));
    memset(a->N, 0, (size_t)size * sizeof *a->N);
    for (int64_t from = 0; from < a->panels; from += WAVE) {
        const int64_t count = a->panels - from < WAVE ? a->panels - from : WAVE;
#pragma omp parallel for num_threads(threads) schedule(dynamic)
        for (int64_t q = 0; q < count; q++)
            solve_panel(a, from + q, spread, a->panel_sums + q * size);
        for (int64_t q = 0; q < count; q++)
            for (int64_t e = 0; e < size; e++)
                a->N[e] += a->panel_sums[q * size + e];
    }
done:
    return st;
}

/* ---- The other variables ------------------------------------------------------------------------------- */

/* N = Z + y1 + R Vnext + U (V'Vnext) + (graph/mu) A Z, and its polar factor. */
static pith_status step_u(work *a)
{
    pith_i_factor *f = a->f;
    const int64_t n = f->n, k = f->k;
    pith_status st = PITH_OK;
    TRY(pith_i_thin_gram(a->ctx, f->p, k, f->V, NULL, a->Vnext, a->G));
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < k; c++)
            a->N[i * k + c] = a->s[i] * a->N[i * k + c] + f->Z[i * k + c] + a->y1[i * k + c];
    pith_i_thin_times(a->ctx, n, k, 1, f->U, a->G, 1, a->N);
    TRY(pith_i_factor_neighbours(a->ctx, f, f->graph / a->mu, f->Z, a->N));
    memcpy(a->U0, f->U, (size_t)(n * k) * sizeof *f->U);
    TRY(pith_i_polar(a->ctx, f->in->X, k, a->N, f->U, NULL));
    double *old = a->V0; /* the three buffers rotate */
    a->V0 = f->V;
    f->V = a->Vnext;
    a->Vnext = old;
done:
    return st;
}

/* P: the proximal step of the groups on V - y3, for every node on its own copy; nested: for all on one
 * copy. */
static void step_p(work *a)
{
    const pith_i_factor *f = a->f;
    const int64_t k = f->k;
    const int threads = pith_ctx_threads(a->ctx);
    for (int64_t r = 0; r < a->rows; r++)
        for (int64_t c = 0; c < k; c++)
            a->P[r * k + c] = f->V[feature_of(a, r) * k + c] - a->y3[r * k + c];
    if (a->nested) {
        pith_i_tree_prox(a->ctx, f->tree, k, f->groups / a->mu, f->weight, a->room, a->P);
        return;
    }
#pragma omp parallel for num_threads(threads) schedule(dynamic, 8) if (a->rows * k > 50000)
    for (int32_t g = 0; g < f->tree->n_nodes; g++) {
        const double t = f->groups / a->mu * (f->weight != NULL ? f->weight[g] : 1);
        for (int64_t c = 0; c < k; c++) {
            double square = 0;
            for (int64_t r = f->tree->node_ptr[g]; r < f->tree->node_ptr[g + 1]; r++)
                square += a->P[r * k + c] * a->P[r * k + c];
            const double norm = sqrt(square), factor = norm > t ? 1 - t / norm : 0;
            for (int64_t r = f->tree->node_ptr[g]; r < f->tree->node_ptr[g + 1]; r++)
                a->P[r * k + c] *= factor;
        }
    }
}

static pith_status step_z(work *a)
{
    pith_i_factor *f = a->f;
    pith_status st = PITH_OK;
    for (int64_t e = 0; e < f->n * f->k; e++)
        f->Z[e] = f->U[e] - a->y1[e];
    TRY(pith_i_factor_neighbours(a->ctx, f, f->graph / a->mu, f->U, f->Z));
    for (int64_t e = 0; e < f->n * f->k; e++)
        f->Z[e] = fmax(0, f->Z[e]);
done:
    return st;
}

/* Multipliers in units of the next mu, and r3 = ||P - MV|| / ||MV||. */
static void step_multipliers(work *a)
{
    const pith_i_factor *f = a->f;
    const int64_t k = f->k;
    const double next = fmin(f->o.step * a->mu, a->mu_max);
    double miss = 0, all = 0;
    a->ratio = next / a->mu;
    a->mu = next;
    for (int64_t e = 0; e < f->n * k; e++)
        a->y1[e] = (a->y1[e] + f->Z[e] - f->U[e]) / a->ratio;
    for (int64_t r = 0; r < a->rows; r++)
        for (int64_t c = 0; c < k; c++) {
            const double v = f->V[feature_of(a, r) * k + c], d = a->P[r * k + c] - v;
            miss += d * d;
            all += v * v;
            a->y3[r * k + c] = (a->y3[r * k + c] + d) / a->ratio;
        }
    a->r3 = sqrt(miss / fmax(all, 1e-300));
}

/* F, and r2 = ||X - U V' - E||_F / ||X||_F, by one more pass over the panels. */
static pith_status check(work *a)
{
    pith_i_factor *f = a->f;
    const int64_t n = f->n;
    const int threads = pith_ctx_threads(a->ctx);
    double sum[2] = {0}, penalties = 0; /* of the squared residual of the constraint, and of the loss */
    pith_status st = PITH_OK;
    memset(a->sum, 0, (size_t)n * sizeof *a->sum);
    for (int64_t from = 0; from < a->panels; from += WAVE) {
        const int64_t count = a->panels - from < WAVE ? a->panels - from : WAVE;
        memset(a->panel_row_sums, 0, (size_t)(2 * count * n) * sizeof *a->panel_row_sums);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
        for (int64_t q = 0; q < count; q++) {
            const int64_t w = columns_of(a, from + q), first = (from + q) * a->width;
            const float *Q = a->Q + first * n;
            double *D = a->panel + pith_i_thread() * a->width * n;
            double *rest = a->panel_row_sums + 2 * q * n;
            memset(D, 0, (size_t)(n * w) * sizeof *D);
            add_data(a, first, w, a->spare + pith_i_thread() * a->width * n, D);
            add_product(a, first, w, -1, f->U, f->V, D);
            add_squares(n, w, D, rest);
            for (int64_t i = 0; i < n; i++)
                for (int64_t c = 0; c < w; c++)
                    D[i * w + c] -= (1 - a->s[i]) * (double)Q[i * w + c];
            add_squares(n, w, D, rest + n);
        }
        for (int64_t q = 0; q < count; q++)
            for (int64_t i = 0; i < n; i++) {
                a->sum[i] += a->panel_row_sums[2 * q * n + i];
                sum[0] += a->panel_row_sums[2 * q * n + n + i];
            }
    }
    for (int64_t i = 0; i < n; i++)
        sum[1] += sqrt(a->sum[i]);
    TRY(pith_i_sum_over(a->ctx, f->in->X, COUNT(sum), sum));
    TRY(pith_i_factor_penalties(a->ctx, f, a->room, &penalties));
    f->objective = sum[1] + penalties;
    a->r2 = sqrt(sum[0] / ((double)f->all * f->mean_square));
done:
    return st;
}

static pith_status iterate(work *a)
{
    pith_i_factor *f = a->f;
    double before = INFINITY;
    pith_status st = PITH_OK;
    for (f->iterations = 0; f->iterations < f->o.max_iter;) {
        TRY(pith_i_progress(a->ctx, f->iterations, f->o.max_iter));
        f->threshold = f->rows / a->mu;
        TRY(renew_all(a, f->iterations == 0));
        TRY(solve_all(a));
        TRY(step_u(a));
        if (a->rows > 0)
            step_p(a);
        TRY(step_z(a));
        step_multipliers(a);
        f->iterations++;
        if (f->iterations % CHECK != 0 && f->iterations < f->o.max_iter)
            continue;
        TRY(check(a));
        pith_i_round(f->in->facts, f->objective);
        TRY(pith_i_factor_measure(a->ctx, f));
        if (fmax(f->gap / 100, fmax(a->r2, a->r3)) < f->o.tol &&
            fabs(f->objective - before) <= f->o.tol * f->objective)
            break;
        before = f->objective;
    }
done:
    return st;
}

pith_status pith_i_factor_admm(pith_ctx *ctx, pith_i_factor *f, bool nested)
{
    work a = {.ctx = ctx,
              .f = f,
              .nested = nested,
              .mu = isnan(f->o.mu0) ? 1 : f->o.mu0,
              .mu_max = isnan(f->o.mu_max) ? 1e10 : f->o.mu_max,
              .ratio = 1};
    int32_t *ones = NULL;
    pith_status st = PITH_OK;
    TRY(take_room(&a));
    f->divisor = f->tree == NULL ? NULL : f->tree->n_of_feat;
    if (f->tree != NULL && nested) {
        TRY(SCRATCH(ctx, ones, f->p));
        for (int64_t j = 0; j < f->p; j++)
            ones[j] = 1;
        f->divisor = ones;
    }
    for (int64_t r = 0; r < a.rows; r++)
        memcpy(a.P + r * f->k, f->V + feature_of(&a, r) * f->k, (size_t)f->k * sizeof *a.P);
    pith_i_blas_enter();
    st = iterate(&a);
    pith_i_blas_leave();
done:
    return st;
}
