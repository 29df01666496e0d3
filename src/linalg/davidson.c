#include "linalg/davidson.h"

#include "core/engine.h"
#include "core/parallel.h"
#include "linalg/eigen.h"
#include "linalg/panel.h"

#include <math.h>
#include <string.h>

/* Times width: columns of the space at most, and after a restart. Products of a pair still to come, as a
 * rule. */
enum { ROOM = 5, KEPT = 2, EXPECTED = 20 };

/* How many times the rounding of a product a pair may be off its image. */
static const double SLACK = 100;

typedef struct space {
    const pith_i_paired_map *A;
    const pith_i_davidson_options *want;
    int64_t n, width, room;
    int64_t count;            /* columns in use of */
    double *U, *Y;            /* n x room: the pairs, Y orthonormal, */
    double *H;                /* room x room: Y'AY */
    double *value, *rotation; /* room; room x room, vector v is rotation + v * count: eigenpairs of H */
    double *u, *y, *r;        /* n x width: what is new, or Ritz pairs and their residuals */
    double *small, *other;    /* room x room each */
    double *norm;             /* width */
    double *spare;            /* n x KEPT width */
    double off; /* how far pairs of the space are from y = M u, in units of a product's rounding */
    int64_t products;
} space;

static pith_i_panel all_of(const space *s, const double *x)
{
    return (pith_i_panel){s->count, s->room, x};
}

static pith_i_panel tight(int64_t columns, const double *x)
{
    return (pith_i_panel){columns, columns, x};
}

static int64_t all_rows(const space *s)
{
    return s->A->all > 0 ? s->A->all : s->n;
}

/* G = A'B over the rows of all processes. */
static pith_status inner(pith_ctx *ctx, const space *s, pith_i_panel A, pith_i_panel B, double *G)
{
    pith_status st = PITH_OK;
    TRY(pith_i_panel_inner(ctx, s->n, A, B, G));
    if (s->A->all > 0)
        TRY(pith_i_sum(ctx, A.columns * B.columns, G));
done:
    return st;
}

static pith_status open_space(pith_ctx *ctx, space *s)
{
    double **panels[] = {&s->u, &s->y, &s->r}, **squares[] = {&s->H, &s->rotation, &s->small, &s->other};
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, s->U, s->n * s->room));
    TRY(SCRATCH(ctx, s->Y, s->n * s->room));
    for (size_t k = 0; k < COUNT(panels); k++)
        TRY(SCRATCH(ctx, *panels[k], s->n * s->width));
    for (size_t k = 0; k < COUNT(squares); k++)
        TRY(SCRATCH(ctx, *squares[k], s->room * s->room));
    TRY(SCRATCH(ctx, s->spare, s->n * KEPT * s->width));
    TRY(SCRATCH(ctx, s->value, s->room));
    TRY(SCRATCH(ctx, s->norm, s->width));
done:
    return st;
}

/* ---- New pairs ----------------------------------------------------------------------------------------- */

/* X <- X T, T of X.columns x left: the rows of the result are `step` apart. */
static void turn_panel(pith_ctx *ctx, const space *s, pith_i_panel X, int64_t left, const double *T,
                       int64_t step, double *out)
{
    pith_i_panel_times(ctx, s->n, 1, X, tight(left, T), 0, s->spare, left);
    for (int64_t i = 0; i < s->n; i++)
        memcpy(out + i * step, s->spare + i * left, (size_t)left * sizeof *out);
}

/*
 * y <- y T orthonormal among themselves, T = D V diag(1 / sqrt(value)) from the eigenpairs of the Gram matrix
 * of columns scaled to length 1, those above `least`. A column that is shorter than 1e-13 of `before` is
 * rounding. growth: how many times as long as what is left of them the columns were.
 */
static pith_status orthonormalize(pith_ctx *ctx, space *s, const double *before, double least, int64_t *m,
                                  double *growth)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    const int64_t k = *m;
    double *G = s->small, *T = s->other, *V = NULL, *value = NULL, *scale = NULL;
    int64_t left = 0;
    pith_status st = PITH_OK;
    TRY(SCRATCH(ctx, V, k * k));
    TRY(SCRATCH(ctx, value, k));
    TRY(SCRATCH(ctx, scale, k));
    TRY(inner(ctx, s, tight(k, s->y), tight(k, s->y), G));
    for (int64_t a = 0; a < k; a++) {
        const double length = sqrt(G[a * k + a]);
        if (!isfinite(length))
            FAIL(ctx, PITH_E_NUMERIC, "a product of %lld rows is not finite", (long long)all_rows(s));
        scale[a] = length > 1e-13 * before[a] ? 1 / length : 0;
    }
    for (int64_t a = 0; a < k; a++)
        for (int64_t b = 0; b < k; b++)
            G[a * k + b] *= scale[a] * scale[b];
    TRY(pith_i_eigen_dense(ctx, k, G, value, V));
    for (int64_t v = 0; v < k; v++)
        left += value[v] > least;
    *growth = 0;
    for (int64_t t = 0; t < left; t++) {
        const int64_t v = k - 1 - t; /* ascending */
        double sum = 0;
        for (int64_t a = 0; a < k; a++) {
            T[a * left + t] = scale[a] * V[v * k + a] / sqrt(value[v]);
            sum += pow(T[a * left + t] * before[a], 2);
        }
        *growth = fmax(*growth, sqrt(sum));
    }
    if (left > 0) {
        turn_panel(ctx, s, tight(k, s->y), left, T, left, s->y);
        turn_panel(ctx, s, tight(k, s->u), left, T, left, s->u);
    }
    *m = left;
done:
    pith_i_scratch_release(ctx, mark);
    return st;
}

/* ||x_t|| of m columns. */
static pith_status lengths(pith_ctx *ctx, space *s, int64_t m, const double *X, double *out)
{
    pith_status st = PITH_OK;
    TRY(inner(ctx, s, tight(m, X), tight(m, X), s->small));
    for (int64_t t = 0; t < m; t++)
        out[t] = sqrt(s->small[t * m + t]);
done:
    return st;
}

/*
 * What is new in u and its image, orthonormal to the space and in itself. Twice: the first leaves rounding.
 *
 * A column that lies nearly in the space gets all but the errors of the pairs there taken off, and what is
 * left is scaled up with them: a hundredfold in every step, where P is good. So once they are too large the
 * image of what is left is computed again.
 */
static pith_status make_new(pith_ctx *ctx, space *s, int64_t *m)
{
    double growth = 0;
    pith_status st = PITH_OK;
    TRY(s->A->image(ctx, s->A->self, *m, s->u, s->y));
    s->products += *m;
    for (int times = 0; times < 2 && *m > 0; times++) {
        TRY(lengths(ctx, s, *m, s->y, s->norm));
        if (s->count > 0) {
            TRY(inner(ctx, s, all_of(s, s->Y), tight(*m, s->y), s->small));
            pith_i_panel_times(ctx, s->n, -1, all_of(s, s->Y), tight(*m, s->small), 1, s->y, *m);
            pith_i_panel_times(ctx, s->n, -1, all_of(s, s->U), tight(*m, s->small), 1, s->u, *m);
        }
        TRY(orthonormalize(ctx, s, s->norm, times == 0 ? 1e-12 : 0.25, m, &growth));
        const double off = 1 + growth * s->off;
        if (times == 0 && off > SLACK && *m > 0) {
            TRY(s->A->image(ctx, s->A->self, *m, s->u, s->y));
            s->products += *m;
        } else if (times == 0) {
            s->off = off;
        }
    }
done:
    return st;
}

/* The new columns join the space, and H gets their rows and columns. */
static pith_status take_new(pith_ctx *ctx, space *s, int64_t m)
{
    const int64_t old = s->count, all = old + m;
    pith_status st = PITH_OK;
    TRY(s->A->apply(ctx, s->A->self, m, s->u, s->y, s->r));
    for (int64_t i = 0; i < s->n; i++) {
        memcpy(s->Y + i * s->room + old, s->y + i * m, (size_t)m * sizeof *s->Y);
        memcpy(s->U + i * s->room + old, s->u + i * m, (size_t)m * sizeof *s->U);
    }
    s->count = all;
    TRY(inner(ctx, s, all_of(s, s->Y), tight(m, s->r), s->small));
    for (int64_t a = 0; a < all; a++)
        for (int64_t t = 0; t < m; t++) {
            const double h = s->small[a * m + t];
            s->H[a * s->room + old + t] = a < old ? h : (h + s->small[(old + t) * m + a - old]) / 2;
            s->H[(old + t) * s->room + a] = s->H[a * s->room + old + t];
        }
done:
    return st;
}

/* ---- Rayleigh and Ritz --------------------------------------------------------------------------------- */

static pith_status solve_small(pith_ctx *ctx, space *s)
{
    for (int64_t a = 0; a < s->count; a++)
        memcpy(s->small + a * s->count, s->H + a * s->room, (size_t)s->count * sizeof *s->H);
    return pith_i_eigen_dense(ctx, s->count, s->small, s->value, s->rotation);
}

/* The first m eigenvectors of H as the columns of other (count x m). */
static void first_turns(space *s, int64_t m)
{
    for (int64_t a = 0; a < s->count; a++)
        for (int64_t t = 0; t < m; t++)
            s->other[a * m + t] = s->rotation[t * s->count + a];
}

/* u, y: the first m Ritz pairs; r: their residuals, norm: the lengths. */
static pith_status find_residuals(pith_ctx *ctx, space *s, int64_t m)
{
    pith_status st = PITH_OK;
    first_turns(s, m);
    pith_i_panel_times(ctx, s->n, 1, all_of(s, s->U), tight(m, s->other), 0, s->u, m);
    pith_i_panel_times(ctx, s->n, 1, all_of(s, s->Y), tight(m, s->other), 0, s->y, m);
    TRY(s->A->apply(ctx, s->A->self, m, s->u, s->y, s->r));
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t t = 0; t < m; t++)
            s->r[i * m + t] -= s->value[t] * s->y[i * m + t];
    TRY(lengths(ctx, s, m, s->r, s->norm));
done:
    return st;
}

/* Residuals of pairs that are wanted and not done yet to the front of r; returns how many. */
static int64_t gather_open(space *s, int64_t m)
{
    int64_t open = 0;
    for (int64_t t = 0; t < m; t++)
        if (!(s->norm[t] <= s->want->tolerance * (1 + fabs(s->value[t])))) {
            s->norm[open] = (double)t;
            open++;
        }
    for (int64_t i = 0; open < m && i < s->n; i++) /* towards the front: nothing is overwritten too early */
        for (int64_t t = 0; t < open; t++)
            s->r[i * open + t] = s->r[i * m + (int64_t)s->norm[t]];
    return open;
}

/* The space shrinks to its best directions. */
static void restart(pith_ctx *ctx, space *s)
{
    const int64_t kept = pith_i_min(KEPT * s->width, s->count);
    first_turns(s, kept);
    turn_panel(ctx, s, all_of(s, s->U), kept, s->other, s->room, s->U);
    turn_panel(ctx, s, all_of(s, s->Y), kept, s->other, s->room, s->Y);
    s->count = kept;
    for (int64_t a = 0; a < kept; a++)
        for (int64_t b = 0; b < kept; b++)
            s->H[a * s->room + b] = a == b ? s->value[a] : 0;
}

/* ---- Steps --------------------------------------------------------------------------------------------- */

/* Grows by the columns of u, and looks at what that gives; open: residuals in r that are still too large. */
static pith_status grow(pith_ctx *ctx, space *s, int64_t *open)
{
    int64_t m = *open;
    pith_status st = PITH_OK;
    *open = 0;
    TRY(make_new(ctx, s, &m));
    if (m == 0) /* the space is all there is, but for rounding */
        goto done;
    TRY(take_new(ctx, s, m));
    TRY(solve_small(ctx, s));
    const int64_t seen = pith_i_min(s->want->m, s->count);
    TRY(find_residuals(ctx, s, seen));
    *open = gather_open(s, seen);
done:
    return st;
}

static pith_status iterate(pith_ctx *ctx, space *s)
{
    int64_t open = s->width;
    pith_status st = PITH_OK;
    TRY(grow(ctx, s, &open));
    while (open > 0) {
        TRY(pith_i_progress(ctx, s->products, s->products + EXPECTED * open));
        if (s->products >= s->want->most)
            FAIL(ctx, PITH_E_NUMERIC,
                 "only %lld of %lld eigenvectors of %lld rows converged in %lld products: the eigenvalues "
                 "are too close together",
                 (long long)(s->want->m - open), (long long)s->want->m, (long long)all_rows(s),
                 (long long)s->products);
        TRY(s->A->precondition(ctx, s->A->self, open, s->r, s->u));
        if (s->count + open > s->room)
            restart(ctx, s);
        TRY(grow(ctx, s, &open));
    }
    if (s->count < s->want->m)
        FAIL(ctx, PITH_E_NUMERIC, "the start of %lld eigenvectors has only %lld directions",
             (long long)s->want->m, (long long)s->count);
done:
    return st;
}

/* The first Ritz pairs to the caller; where the space has fewer than width, the others are 0. */
static void give(pith_ctx *ctx, space *s, double *values, double *U, double *Y)
{
    const int64_t width = s->width, m = pith_i_min(width, s->count);
    first_turns(s, m);
    memset(U, 0, (size_t)(s->n * width) * sizeof *U);
    memset(Y, 0, (size_t)(s->n * width) * sizeof *Y);
    turn_panel(ctx, s, all_of(s, s->U), m, s->other, width, U);
    turn_panel(ctx, s, all_of(s, s->Y), m, s->other, width, Y);
    for (int64_t t = 0; t < width; t++)
        values[t] = t < m ? s->value[t] : (double)INFINITY;
}

pith_status pith_i_davidson_least(pith_ctx *ctx, const pith_i_paired_map *A,
                                  const pith_i_davidson_options *want, double *values, double *U, double *Y,
                                  int64_t *products)
{
    const size_t mark = pith_i_scratch_mark(ctx);
    space s = {.A = A, .want = want, .n = A->n, .width = want->width, .room = ROOM * want->width, .off = 1};
    pith_status st = PITH_OK;
    TRY(open_space(ctx, &s));
    memcpy(s.u, U, (size_t)(s.n * s.width) * sizeof *U);
    TRY(iterate(ctx, &s));
    give(ctx, &s, values, U, Y);
done:
    if (products != NULL)
        *products = s.products;
    pith_i_scratch_release(ctx, mark);
    return st;
}
